"""Calls of one legacy constructor that stand side by side, to be written in one way."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from torchfix_codemods.facts.module import Facts

_DISPLAYS = (ast.List, ast.Tuple, ast.ListComp)


def stays_beside(
    call: ast.Call, stays: Callable[[str, ast.Call, Facts], bool], facts: Facts
) -> bool:
    """Whether the same constructor stays right beside one, of what has a name as well.

    ``torch.LongTensor(ids)`` in the same statement or in the one above or below, and
    ``torch.cuda.LongTensor(ids)`` in the same one.

    Args:
        call: the call of a constructor that is given values.
        stays: whether a call of a type, of this name, is left as it is.
        facts: the facts of the module.
    """
    if not _is_of_what_has_a_name(call):
        return False
    for other in _beside(call, facts):
        name = facts.name(other.func) or ""
        is_same = facts.statement(other) is facts.statement(call)
        is_on_gpu = is_same and name.startswith("torch.cuda.")
        if _is_of_what_has_a_name(other) and (is_on_gpu or stays(name, other, facts)):
            return True
    return False


def _is_of_what_has_a_name(call: ast.Call) -> bool:
    """Whether a call is given one value, and no list that is written down there."""
    return len(call.args) == 1 and not call.keywords and not isinstance(call.args[0], _DISPLAYS)


def _beside(call: ast.Call, facts: Facts) -> Iterator[ast.Call]:
    constructor = call.func
    if not isinstance(constructor, ast.Attribute):
        return
    statement = facts.statement(call)
    block = facts.block(statement)
    at = block.index(statement)
    near = block[max(at - 1, 0) : at + 2]
    for other in facts.names.attributes(constructor.attr):
        around = facts.parent(other)
        is_called = isinstance(around, ast.Call) and around.func is other
        if isinstance(around, ast.Call) and is_called and around is not call:
            if any(facts.statement(around) is one for one in near):
                yield around
