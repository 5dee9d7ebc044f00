"""The place of an extreme: ``torch.max(x, 1)[1]`` and ``x.min(1)[1]``."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.integers import is_int
from torchfix_codemods.facts.values.lattice import Tensor, Unknown
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.record import record
from torchfix_codemods.rules.masks.questions.masks import is_no_mask

_METHODS = ("max", "min")

_OF_VARIABLES = lazy_pattern(r"\bVariable\b|\.(?:data|detach)\b")


@record
class Extreme:
    """The second result of ``max`` or ``min`` along a dimension."""

    method: str
    """Which of them it is."""
    source: ast.expr
    """What it is taken of."""
    is_function: bool
    """Whether that is given to a function of torch."""


def place_of_extreme(node: ast.Subscript, facts: Facts) -> Extreme | None:
    """What takes nothing but the place of an extreme of a tensor that is no mask.

    Where another of the file that is written alike may be that of a mask, or of no tensor, nothing
    is said of any: they are found in one spelling. Nor is it where none stands on a line of old
    code: ``x.max(1)[1]`` itself is as good as ever.

    Args:
        node: ``x.max(1)[1]``.
        facts: the facts of the module.
    """
    extreme = _extreme_of(node, facts)
    if extreme is None or not _is_certain(extreme, facts):
        return None
    all_are = facts.remembered(
        ("places of extremes", extreme.method, extreme.is_function),
        lambda: all(
            _is_certain(other, facts)
            for _, other in _extremes(facts)
            if (other.method, other.is_function) == (extreme.method, extreme.is_function)
            and isinstance(facts.value(other.source), (Tensor, Unknown))
        ),
    )
    return extreme if all_are and _are_rewritten(facts) else None


def _extremes(facts: Facts) -> list[tuple[ast.Subscript, Extreme]]:
    """All of a file, each with where it stands."""
    return facts.remembered(
        "extremes",
        lambda: [
            (one, extreme)
            for one in facts.names.nodes.get(ast.Subscript, ())
            if isinstance(one, ast.Subscript) and (extreme := _extreme_of(one, facts)) is not None
        ],
    )


def _are_rewritten(facts: Facts) -> bool:
    """Whether the line of one of them is, or was, for Variables: then all are written alike."""
    return facts.remembered(
        "old extremes",
        lambda: any(
            _OF_VARIABLES.search(facts.as_read(line))
            for node, _ in _extremes(facts)
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        ),
    )


def _extreme_of(node: ast.Subscript, facts: Facts) -> Extreme | None:
    call = node.value
    if constant(node.slice) != 1 or not isinstance(call, ast.Call):
        return None
    name = facts.name(call.func) or ""
    if name in ("torch.max", "torch.min") and call.args:
        found = Extreme(name[-3:], call.args[0], is_function=True)
    elif isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS and not name:
        found = Extreme(call.func.attr, call.func.value, is_function=False)
    else:
        return None
    dim = argument(call, 1 if found.is_function else 0, "dim")
    is_along = dim is not None and is_int(facts, dim)
    return found if is_along and {k.arg for k in call.keywords} <= {"dim", "keepdim"} else None


def _is_certain(extreme: Extreme, facts: Facts) -> bool:
    return facts.is_tensor(extreme.source) and is_no_mask(facts, extreme.source)
