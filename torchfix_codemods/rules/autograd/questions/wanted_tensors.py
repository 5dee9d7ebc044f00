"""Whether a number in the place of a tensor is missed where it goes: ``backward()``, ``.data``; and
what is to be written for one."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.backward import way_to_backward
from torchfix_codemods.facts.paths.graph import Place, Use, use_of
from torchfix_codemods.facts.paths.numbers import calculated_alone, indexes_tensor
from torchfix_codemods.facts.paths.uses import uses_given_by
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.programs.cut_off import cuts
from torchfix_codemods.facts.recording.plain_tensors import was_plain
from torchfix_codemods.facts.values.lattice import WITHOUT_HISTORY, Tensor
from torchfix_codemods.text.wording import worded_operand


def written_for_first(facts: Facts, node: ast.Subscript) -> str:
    """What is told to write for ``x[0]`` of an x without dimensions that may be of a graph.

    Of whole numbers, which have no history, a plain tensor gave a number of Python until torch
    0.3, and a Variable a tensor of one element: where it is not seen which, nothing is told.
    """
    value, whole = facts.value(node.value), worded_operand(node.value, "")
    is_cut = _was_taken_out_of_variable(facts, node.value)
    if whole and is_cut and not is_wanted_as_tensor(facts, node):
        return f": write {whole}.item() for the number"
    is_input = _is_calculated_by_torch(facts, node)
    if not is_input and _is_handed_on(facts, node) and not is_wanted_as_tensor(facts, node):
        return f": write {whole}.item() for the number"
    if indexes_tensor(facts, node):
        return _written_for_index(facts, node, whole or "x")
    if isinstance(value, Tensor) and value.dtype in WITHOUT_HISTORY:
        return f": write {whole}.view(1)" if is_input else ""
    return f": write {whole}" if whole else ": drop [0]"


def _written_for_index(facts: Facts, node: ast.Subscript, whole: str) -> str:
    """What is told to write for ``x[0]`` as an index of a tensor, whose dimension a number takes.

    Only a Variable had ``x[0].data``.
    """
    parent = facts.parent(node)
    if isinstance(parent, ast.Attribute) and parent.attr == "data":
        return f": write {whole}.view(1), which keeps the dimension that it indexes"
    if was_plain(facts, node.value):
        return f": write {whole}.item()"
    return (
        f": write {whole}.view(1), which keeps the dimension that it indexes, or, if "
        f"{whole} was no Variable in torch 0.3, {whole}.item()"
    )


def _was_taken_out_of_variable(facts: Facts, node: ast.expr) -> bool:
    """``loss`` of ``if type(loss) is Variable: loss = loss.data``: its ``[0]`` was a number."""
    bindings = facts.flow.reaching(node) if isinstance(node, ast.Name) else ()
    written = (binding.written() for binding in bindings if binding.kind == "assign")
    return any(cuts(one.func if isinstance(one, ast.Call) else one) for one in written if one)


def is_wanted_as_tensor(facts: Facts, node: ast.expr) -> bool:
    """Whether what ``node`` gives is back-propagated, or asked for what no number has."""
    tensor = facts.value(node.value if isinstance(node, ast.Subscript) else node)
    has_history = not isinstance(tensor, Tensor) or tensor.dtype not in WITHOUT_HISTORY
    if has_history and way_to_backward(facts, node) is not None:
        return True
    return follow([Place(facts, node)], _asks_for_part) is not None


def _is_handed_on(facts: Facts, node: ast.expr, seen: frozenset[ast.AST] = frozenset()) -> bool:
    """Whether what ``node`` gives is kept, shown, or given to what is not of torch, as it is.

    So it is where a name that holds it is.
    """
    use = use_of(Place(facts, node))
    if (whole := calculated_alone(facts, node)) is not node:
        # What calculates with a number puts one into a tuple, where a layer takes a tensor.
        return use_of(Place(facts, whole)).kind == "element"
    if use.kind == "bound" and use.by not in seen:
        names = _names_given(facts, use)
        if any(_is_handed_on(facts, name, seen | {use.by}) for name in names):
            return True
    if use.kind == "argument" and isinstance(use.by, ast.Call):
        return not _is_of_torch(facts, use.by.func)
    targets = use.by.targets if isinstance(use.by, ast.Assign) else []
    is_kept = any(isinstance(target, (ast.Attribute, ast.Subscript)) for target in targets)
    return is_kept or use.kind in ("element", "formatted")


def _names_given(facts: Facts, use: Use) -> Iterator[ast.expr]:
    """The uses of the names that an assignment gives a value."""
    for target in use.by.targets if isinstance(use.by, ast.Assign) else ():
        if isinstance(target, ast.Name):
            yield from uses_given_by(facts, use.by, target.id)


def _is_calculated_by_torch(facts: Facts, node: ast.expr) -> bool:
    """Whether what ``node`` gives, or a sum of it, is the input of a function or layer of torch,
    which takes no number."""
    outer = facts.parent(node)
    while isinstance(outer, ast.BinOp):
        node, outer = outer, facts.parent(outer)
    if not isinstance(outer, ast.Call) or node not in outer.args[:1]:
        return False
    return _is_of_torch(facts, outer.func)


def _is_of_torch(facts: Facts, function: ast.expr) -> bool:
    return (facts.name(function) or "").startswith("torch.") or facts.is_module(function)


def is_read_in_parts(facts: Facts, node: ast.expr) -> bool:
    """Whether what ``node`` gives is asked for parts, also in the functions that are given it."""
    return follow([Place(facts, node)], _asks_for_parts) is not None


def _asks_for_parts(use: Use) -> Iterable[Place] | None:
    """The same as :func:`_asks_for_part`, and None for what is gone through or taken apart."""
    if use.kind in ("iterated", "unpacked", "put into") and not use.place.content:
        return None
    return use.taken() if use.kind == "argument" else _asks_for_part(use)


def _asks_for_part(use: Use) -> Iterable[Place] | None:
    """None for ``value.data`` and ``value.item()``, also of what is calculated from it."""
    if use.kind in ("attribute", "method", "item") and not use.place.content:
        return None
    return () if use.kind in ("argument", "index") else use.onward()
