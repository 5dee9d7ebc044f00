"""The line above that gives a name what is moved below, and what stands between."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from torchfix_codemods.edit.tidying.leftovers import is_plain_name
from torchfix_codemods.edit.tidying.stale_comments import is_code
from torchfix_codemods.facts.language.nodes import first_name
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.pure import only_computes
from torchfix_codemods.patterns import lazy_pattern

#: How many lines below the one that makes a tensor it may be moved.
_FURTHEST = 8

_PLACE = lazy_pattern(r"#.*\b(?:c|g|t)pus?\b|#.*\b(?:cuda|devices?|host|memory)\b", re.IGNORECASE)


def lines_since_made(node: ast.stmt, moved: str, facts: Facts) -> list[ast.stmt]:
    """The lines from the one that assigns a name to the one that moves it; empty for others.

    Those between compute what other names are of. Comments that they stand below stay with them,
    and so does code that was taken out above the move, ``# print(x)``.
    """
    block = facts.block(node)
    at = block.index(node)
    for first in range(at - 1, max(at - _FURTHEST, 0) - 1, -1):
        above = block[first]
        below = block[first + 1]
        is_last = below is node
        is_commented = not is_last or _is_all_code(above, below, facts)
        is_apart = stand_alone(above, below, facts, is_commented, [below] if is_last else [])
        if not isinstance(above, ast.Assign) or not is_apart:
            return []
        if kept_by(above, facts) == moved:
            return [] if _tells_of_place(above, facts) else block[first : at + 1]
        if moved in map(ast.unparse, _names_in(above)) or not _only_computes(above.value, facts):
            return []
    return []


def _is_all_code(above: ast.stmt, node: ast.stmt, facts: Facts) -> bool:
    """Whether all comments between two statements are code, which says nothing of the second."""
    return all(map(is_code, filter(None, map(str.strip, _between(above, node, facts)))))


def _between(above: ast.stmt, node: ast.stmt, facts: Facts) -> Sequence[str]:
    return facts.lines[above.end_lineno or 0 : node.lineno - 1]


def _names_in(node: ast.AST) -> Iterator[ast.expr]:
    return (part for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Attribute)))


def all_kept_by(lines: Sequence[ast.stmt]) -> set[str]:
    """The names and attributes that some statements assign to."""
    targets = (target for line in lines if isinstance(line, ast.Assign) for target in line.targets)
    return {ast.unparse(part) for target in targets for part in _names_in(target)}


def _only_computes(value: ast.expr, facts: Facts) -> bool:
    """Whether an expression changes nothing that a move could see, whatever it is of."""
    calls = [part for part in ast.walk(value) if isinstance(part, ast.Call)]
    return only_computes(facts, value) or all(_only_calculates(call, facts) for call in calls)


def _only_calculates(call: ast.Call, facts: Facts) -> bool:
    """``x.float()`` and ``np.repeat(x, 2, 0)``; ``torch.from_numpy(…)``, whatever that is of."""
    if not isinstance(call.func, ast.Attribute):
        return False
    if torch_effects.is_known(call.func.attr):
        return not torch_effects.writes(call.func.attr)
    name = facts.name(call.func) or ""
    is_torchs = name.startswith("torch.") and not name.endswith("_") and facts.is_tensor(call)
    return is_torchs and not any(keyword.arg in ("out", None) for keyword in call.keywords)


def kept_by(node: ast.Assign, facts: Facts) -> str | None:
    """The one name, or attribute of an object in its method, that a statement assigns to."""
    return name_of(node.targets[0], facts) if len(node.targets) == 1 else None


def name_of(node: ast.expr, facts: Facts) -> str | None:
    """A name, or an attribute ``self.x`` that no property stands behind."""
    return ast.unparse(node) if is_plain_name(node, facts) else None


def is_there_before(device: ast.expr, kept: set[str], facts: Facts) -> bool:
    """Whether a device is the same before some names and attributes get their values.

    Not ``x.device`` of one of them, nor ``self.device`` that a property may calculate.
    """
    parts = [part for part in ast.walk(device) if isinstance(part, (ast.Name, ast.Attribute))]
    if not kept.isdisjoint(map(ast.unparse, parts)):
        return False
    root = first_name(device)
    is_of_object = root is not None and any(k.startswith(f"{root.id}.") for k in kept)
    return not is_of_object or is_plain_name(device, facts)


def _tells_of_place(node: ast.stmt, facts: Facts) -> bool:
    """Whether the comment beside a statement says where a tensor is: ``# on the CPU yet``.

    What else it says of a new tensor is so of one that is made elsewhere.
    """
    return _PLACE.search(facts.lines[(node.end_lineno or node.lineno) - 1]) is not None


def stand_alone(
    above: ast.stmt,
    node: ast.stmt,
    facts: Facts,
    is_commented: bool = False,
    going: Sequence[ast.stmt] | None = None,
) -> bool:
    """Whether nothing but blank lines stands between two statements, and no comment beside.

    Args:
        above: one statement.
        node: the one below it.
        facts: the facts of the module.
        is_commented: whether lines of comments may stand there.
        going: those of the two that go with the comment beside them; both where None.
    """
    between = map(str.strip, _between(above, node, facts))
    if any(line and not (is_commented and line.startswith("#")) for line in between):
        return False
    both = (above, node)
    ends = {one: facts.lines[(one.end_lineno or one.lineno) - 1] for one in both}
    is_told = any("#" in ends[one] for one in (both if going is None else going))
    return not is_told and not any(";" in line for line in ends.values())
