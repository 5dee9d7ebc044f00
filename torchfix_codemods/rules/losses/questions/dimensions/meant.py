"""Which ``dim`` was meant where none is given, as the code around it shows."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.evaluation.applications import applications, as_applied
from torchfix_codemods.facts.language.arguments import argument, values_given, whole_number
from torchfix_codemods.facts.language.branches import are_exclusive
from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.tensors.reductions import dim_of, function_of, function_read, source_of
from torchfix_codemods.rules.losses.questions.criteria import loss_of_classes
from torchfix_codemods.rules.losses.questions.dimensions.alike import FUNCTIONS, is_elsewhere
from torchfix_codemods.rules.losses.questions.dimensions.along import axis_of, dim_selected
from torchfix_codemods.rules.losses.questions.dimensions.features import unscaled
from torchfix_codemods.rules.losses.questions.dimensions.results import place_told, shown_of
from torchfix_codemods.rules.losses.questions.dimensions.subtracted import largest_subtracted
from torchfix_codemods.rules.losses.questions.tested_dimensions import is_same
from torchfix_codemods.text.wording import worded


def shown_meant(facts: Facts, call: ast.Call, tensor: ast.expr | None) -> str | None:
    """What to write for a softmax without ``dim``, and the line that shows it.

    That is the ``dim`` that the same tensor has elsewhere in the function, or the second dimension
    where the result is reduced along it, or one of it is taken, or the one along which the largest
    are taken, also to subtract them, or the last one where it is drawn from. Of a layer all that it
    gives has to show the same.

    Args:
        facts: the facts of the module.
        call: the softmax, or the call that builds its layer.
        tensor: its input; None of a layer.
    """
    taken, same = input_of(facts, call, tensor), "the same tensor" if tensor else "its input"
    for other in others(facts, taken):
        number = (dim := argument(other, 1, "dim")) and whole_number(dim)
        # What was written there by another rewrite is not seen in the file.
        if facts.name(other.func) in FUNCTIONS:
            if number is not None and not facts.is_rewritten(other.lineno):
                line = facts.origin(other.lineno)
                return f"write dim={number}, as line {line} does for {same}"
        elif (loss := loss_of_classes(facts, other)) is not None:
            line = facts.origin(other.lineno)
            return f"write dim=1, along which line {line} takes {loss} of {same}"
    before = None if taken is None else source_of(facts, taken)
    if isinstance(before, ast.Call) and facts.name(before.func) in FUNCTIONS:
        written = argument(before, 1, "dim")
        number = None if written is None else whole_number(written)
        if number is not None and not facts.is_rewritten(before.lineno):
            return f"write dim={number}, as line {facts.origin(before.lineno)} does before it"
    core = None if taken is None else unscaled(facts, taken)
    largest = _largest(facts, core)
    if largest is not None:
        place, chosen, along = largest
        of = same if core is taken or core is None else worded(core, "its input")
        return (
            f"write dim={along}, along which {place} takes {function_read(facts, chosen)}() of {of}"
        )
    subtracted = largest_subtracted(facts, tensor)
    if subtracted is not None:
        line, along = facts.origin(subtracted[0].lineno), subtracted[1]
        return f"write dim={along}, along which line {line} takes the max() that is subtracted"
    results = [call] if tensor is not None else applications(facts.inference, call)
    told = _shown_of_all(facts, results or [])
    return told if told is not None else _shown_of_another(facts, tensor)


def _shown_of_all(facts: Facts, results: list[ast.Call]) -> str | None:
    """What shows the ``dim`` of all results of one layer, which has one, whatever it is given."""
    shown = {result: shown_of(facts, result) for result in results}
    told = [result for result, said in shown.items() if said is not None]
    if len({said[0] for said in shown.values() if said is not None}) != 1:
        return None
    for result in results:
        # What is done with one shows it of another that is given what is written alike.
        if not any(result is one or _are_given_alike(facts, result, one) for one in told):
            return None
    said = shown[told[0]]
    return None if said is None else said[1]


def _are_given_alike(facts: Facts, one: ast.Call, other: ast.Call) -> bool:
    """Whether two applications in one function are given what is written alike."""
    given, also = (values_given(as_applied(facts.names, each)) for each in (one, other))
    if facts.names.enclosing_function(one) is not facts.names.enclosing_function(other):
        return False
    return len(given) == len(also) == 1 and same_expression(given[0], also[0])


def _shown_of_another(facts: Facts, tensor: ast.expr | None) -> str | None:
    """The same, as what is done with another softmax of the same tensor shows it."""
    for other in others(facts, tensor):
        shown = shown_of(facts, other) if facts.name(other.func) in FUNCTIONS else None
        if shown is not None:
            return f"{shown[1]} of line {facts.origin(other.lineno)}"
    return None


def input_of(facts: Facts, call: ast.Call, tensor: ast.expr | None) -> ast.expr | None:
    """The input of a softmax; that of a layer where it is applied once.

    Args:
        facts: the facts of the module.
        call: the softmax, or the call that builds its layer.
        tensor: its input; None of a layer.
    """
    applied = applications(facts.inference, call) if tensor is None else None
    if applied is None or len(applied) != 1:
        return tensor
    given = values_given(as_applied(facts.names, applied[0]))
    return given[0] if len(given) == 1 else None


def _largest(facts: Facts, tensor: ast.expr | None) -> tuple[str, ast.Call, int] | None:
    """Where the largest of the same tensor are taken along one dimension, by what, and which."""
    for name in same_names(facts, tensor):
        if tensor is not None and are_exclusive(facts.names, tensor, name):
            # Where this softmax is taken, nothing takes the largest of its input.
            continue
        shown = follow([Place(facts, name)], _before_largest)
        dim = None if shown is None or shown.is_cut else _dim_of_largest(shown.end)
        if shown is not None and dim is not None and isinstance(shown.end.by, ast.Call):
            return place_told(facts, shown, shown.end.by), shown.end.by, dim
    return None


def _before_largest(use: Use) -> Iterable[Place] | None:
    """None of what takes the largest; else where the same goes: ``x.data.cpu()``, ``f(x)``."""
    if _dim_of_largest(use) is not None:
        return None
    if use.kind == "attribute" and isinstance(use.by, ast.Attribute):
        return use.result() if use.by.attr == "data" else ()
    if use.kind in ("argument", "method") and isinstance(use.by, ast.Call):
        if is_elsewhere(use.facts, use.by, use) or _is_cast(use.facts, use.by, use):
            return use.result()
        return use.taken()
    return use.held() if use.kind == "bound" else ()


def _is_cast(facts: Facts, call: ast.Call, use: Use) -> bool:
    """Whether a call gives the same numbers in another type: ``x.float()``."""
    name = f"torch.Tensor.{function_of(call)}"
    return use.kind == "method" and not values_given(call) and torch_effects.does(name, "casts")


def _dim_of_largest(use: Use) -> int | None:
    """Along which dimension a use takes the largest: 1 of ``x.max(1)``, -1 of ``x.topk(k)``."""
    facts, by = use.facts, use.by
    if use.kind not in ("argument", "method") or not isinstance(by, ast.Call):
        return None
    dim = dim_of(facts, by, may_keep=True) if function_of(by) == "max" else None
    dim = axis_of(facts, by, use) if dim is None else dim
    dim = dim_selected(facts, by, use.node) if dim is None else dim
    return dim if dim in (1, -1) else None


def others(facts: Facts, tensor: ast.expr | None) -> Iterator[ast.Call]:
    """The other calls in the same function whose input is the same tensor.

    Args:
        facts: the facts of the module.
        tensor: the input of a call; nothing is the same as what has no name.
    """
    for use in same_names(facts, tensor):
        other = facts.parent(use)
        if isinstance(other, ast.Call) and argument(other, 0, "input") is use:
            yield other


def same_names(facts: Facts, tensor: ast.expr | None) -> Iterator[ast.Name]:
    """The other uses of a name in the same function that certainly hold the same.

    Args:
        facts: the facts of the module.
        tensor: the name; nothing is the same as what has none.
    """
    if not isinstance(tensor, ast.Name):
        return
    for use in facts.names.uses_of(facts.names.scope_of(tensor), tensor.id):
        first, last = sorted((tensor, use), key=lambda name: (name.lineno, name.col_offset))
        if use is not tensor and is_same(facts, first, last):
            yield use
