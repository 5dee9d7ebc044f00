"""Whether a tensor that chooses by its place gives what a number would: ``xs[order[i]]``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use, reads
from torchfix_codemods.facts.paths.handed_objects import met_with
from torchfix_codemods.facts.paths.uses import uses_given_by
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.lattice import Foreign, Mapping

_PLACES = frozenset({"torch.arange", "torch.randperm"})
_GETTER = "__getitem__"


def are_only_positions(facts: Facts, loop: ast.For | ast.comprehension, name: str) -> bool:
    """Whether elements of ``torch.randperm(len(xs))[:n]`` only choose what lies at a place.

    A list gives the same at a tensor as at a number, which a dict does not.

    Args:
        facts: the facts of the module.
        loop: what goes through them.
        name: what it calls one of them.
    """
    chosen = [facts.parent(use) for use in uses_given_by(facts, loop, name)]
    return bool(_counted(facts, loop.iter)) and all(
        isinstance(taken, ast.Subscript)
        and isinstance(taken.slice, ast.Name)
        and taken.slice.id == name
        and not isinstance(facts.value(taken.value), Mapping)
        for taken in chosen
    )


def is_position(facts: Facts, use: ast.expr, gone_through: ast.expr) -> bool:
    """``xs[i]`` for i of ``torch.randperm(len(xs))``: a list takes a tensor for a position."""
    taken = facts.parent(use)
    if not isinstance(taken, ast.Subscript) or taken.slice is not use:
        return False
    # Beside others that a part chooses from, one line of several would stay.
    counted = _counted(facts, gone_through, of_part=False)
    holder = ast.dump(taken.value)
    return bool(counted) and all(ast.dump(each) == holder for each in counted)


def is_position_of_any(facts: Facts, use: ast.expr, element: ast.expr) -> bool:
    """``xs[order[i]]`` of ``order = torch.randperm(len(xs))``, whatever of the program xs is.

    Args:
        facts: the facts of the module.
        use: the element, or a name for it.
        element: the element, as it is taken of what holds the places.
    """
    taken = facts.parent(use)
    if not isinstance(element, ast.Subscript) or not isinstance(taken, ast.Subscript):
        return False
    if not is_position(facts, use, element.value) or _is_by_key(facts, taken.value):
        return False
    files = [facts, *met_with(_GETTER, facts)]
    getters = [(there, getter) for there in files for getter in _getters(there)]
    return all(_takes_positions(there, getter) for there, getter in getters)


def _getters(facts: Facts) -> Iterator[ast.FunctionDef]:
    for function in facts.names.nodes.get(ast.FunctionDef, ()):
        if isinstance(function, ast.FunctionDef) and function.name == _GETTER:
            yield function


def _takes_positions(facts: Facts, getter: ast.FunctionDef) -> bool:
    """Whether a class does nothing with the index that it gets but choose by it."""
    if len(getter.args.args) != 2:
        return False
    given = facts.names.scopes[getter].bindings.get(getter.args.args[1].arg, ())
    return follow((p for b in given for p in reads(facts, b)), _is_no_position) is None


def _is_no_position(use: Use) -> Iterable[Place] | None:
    if use.kind in ("compared", "operand", "tested"):
        return use.result()
    if use.kind != "index" or use.place.content or not isinstance(use.by, ast.Subscript):
        return None
    return None if _is_by_key(use.facts, use.by.value) else ()


def _is_by_key(facts: Facts, holder: ast.expr) -> bool:
    """What may take no tensor: a dict, or what is of another library."""
    return isinstance(facts.value(holder), (Foreign, Mapping))


def _counted(facts: Facts, gone_through: ast.expr, *, of_part: bool = True) -> list[ast.expr]:
    """Whose places ``torch.randperm(len(xs))`` numbers; nothing where they may be other numbers."""
    made = [gone_through]
    if isinstance(gone_through, ast.Name):
        made = facts.assigned(gone_through) or []
    counted = []
    for each in made:
        call = each
        if of_part and isinstance(each, ast.Subscript) and isinstance(each.slice, ast.Slice):
            call = each.value
        if not isinstance(call, ast.Call) or len(call.args) != 1:
            return []
        count = call.args[0]
        is_count = isinstance(count, ast.Call) and facts.names.builtin(count.func) == "len"
        if facts.name(call.func) not in _PLACES or not isinstance(count, ast.Call) or not is_count:
            return []
        counted += count.args
    return counted
