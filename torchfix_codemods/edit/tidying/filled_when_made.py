"""Memory that the line below fills with zeros or ones is made so."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from typing import Any, TypeVar

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.below import nodes_below
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.edit.tensors.construction import calls_in_chain
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.edit.tidying.made_above import stand_alone
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.rule import Found

#: Of memory that asks for a gradient, or that something else holds, it is no matter of looks.
_UNLIKE = frozenset({"out", "requires_grad", None})

_DETACHED_COPIED_FILLED = 3


class FilledWhenMade(Tidying):
    """Writes ``x = torch.zeros(2)`` for ``x = torch.empty(2)`` and ``x.zero_()`` right below.

    It does so where a rewrite has just told the memory from values. ``x.fill_(1)`` makes it
    ``torch.ones``, and what is moved or converted on the same line is filled before, also in one
    expression: ``torch.empty(2, device=device).fill_(1)``. A copy that a rewrite has just detached,
    ``x.detach().clone().zero_()``, is ``torch.zeros_like(x)``.
    """

    name = "filled-when-made"
    words = frozenset({"zero_", "fill_"})

    def find_Expr(self, node: ast.Expr, facts: Facts) -> Iterator[Found]:
        filled, new = _filled_by(node.value)
        if filled is None or not isinstance(filled, (ast.Name, ast.Attribute)):
            return
        block = facts.block(node)
        above = block[block.index(node) - 1] if node is not block[0] else None
        if not isinstance(above, ast.Assign) or not facts.touched(above):
            return
        if [ast.unparse(target) for target in above.targets] != [ast.unparse(filled)]:
            return
        if not _makes_memory(above.value, facts) or not facts.is_tensor(filled):
            return
        if not stand_alone(above, node, facts):
            return
        yield self.found(node, "is made so", region=[above, node], new=new)

    def find_Call(self, node: ast.Call, facts: Facts) -> Iterator[Found]:
        filled, new = _filled_by(node)
        if filled is None or node.lineno != node.end_lineno:
            return
        if isinstance(node.func, ast.Attribute) and node.func.value is filled:
            if _makes_memory(filled, facts):
                yield self.found(node, "is made so", new=new, like=None)
        if not _is_detached_copy(filled):
            return
        if not facts.touched(node) or "detach" in facts.as_read(node.lineno):
            return
        spelled = spell(facts, f"torch.{new}_like", node)
        if spelled is not None and not spelled.needs:
            yield self.found(node, "is made so", like=spelled.text)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        if self.data["like"] is None:
            assert isinstance(updated.func, cst.Attribute)
            made = _made_of(updated.func.value, self.data["new"])
            return updated if made is updated.func.value else made
        calls = calls_in_chain(updated, _DETACHED_COPIED_FILLED)
        detach = calls[0].func if calls else None
        if not isinstance(detach, cst.Attribute):
            return updated
        return cst.Call(cst.parse_expression(self.data["like"]), [cst.Arg(detach.value)])

    def leave_IndentedBlock(
        self, original: cst.IndentedBlock, updated: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        line = updated.body[0]
        made = _made_of(line, self.data["new"])
        return updated if made is line else updated.with_changes(body=[made])


class MadeLike(Tidying):
    """Writes ``y = torch.ones_like(x)`` for ``y = x.new_empty(0)``, ``y.resize_as_(x)`` and
    ``y.fill_(1)`` below one another, where x lies in its own order, as y does.
    """

    name = "made-like"

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        like = _empty_of(node.value)
        if like is None or len(node.targets) != 1 or not facts.touched(node):
            return
        value, lines = facts.value(like), _lines_below(node, facts)
        if not isinstance(value, Tensor) or not value.contiguous or len(lines) < 2:
            return
        resized, (filled, new) = lines[1].value, _filled_by(lines[-1].value)
        if len(lines) == 2:
            resized = filled
        if _is_same(like, node.targets[0]) or not _is_resized(resized, node.targets[0], like):
            return
        is_filled = len(lines) == 2 or _is_same(filled, node.targets[0])
        spelled = spell(facts, f"torch.{new}_like", node) if new and is_filled else None
        if spelled is not None and not spelled.needs:
            yield self.found(node, "is made so", region=lines, like=spelled.text)

    def leave_IndentedBlock(
        self, original: cst.IndentedBlock, updated: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        line = updated.body[0]
        calls = [*nodes_below(line, cst.Call)]
        if len(calls) != 1 or not isinstance(calls[0].func, cst.Attribute):
            return updated
        like = cst.parse_expression(self.data["like"])
        return updated.with_changes(
            body=[line.with_deep_changes(calls[0], func=like, args=[cst.Arg(calls[0].func.value)])]
        )


def _empty_of(node: ast.expr) -> ast.Name | None:
    """``x`` of ``x.new_empty(0)``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    is_empty = node.func.attr == "new_empty" and [constant(size) for size in node.args] == [0]
    like = node.func.value
    return like if is_empty and not node.keywords and isinstance(like, ast.Name) else None


def _lines_below(node: ast.Assign, facts: Facts) -> list[Any]:
    """A line and the one below that resizes what it makes, and another where that does not fill."""
    block = facts.block(node)
    lines = block[block.index(node) :][:3]
    if len(lines) > 1 and isinstance(lines[1], ast.Expr) and _filled_by(lines[1].value)[1]:
        del lines[2:]
    pairs = itertools.pairwise(lines)
    are_calls = all(isinstance(line, ast.Expr) for line in lines[1:])
    return lines if are_calls and all(stand_alone(*pair, facts) for pair in pairs) else []


def _is_resized(node: ast.expr | None, made: ast.expr, like: ast.expr) -> bool:
    """``y.resize_as_(x)``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    is_of_both = _is_same(node.func.value, made) and len(node.args) == 1
    return is_of_both and node.func.attr == "resize_as_" and _is_same(node.args[0], like)


def _is_same(node: ast.expr | None, name: ast.expr) -> bool:
    return isinstance(node, ast.Name) and isinstance(name, ast.Name) and node.id == name.id


_Node = TypeVar("_Node", bound="cst.CSTNode")

_NAMES = ("empty", "new_empty")


def _made_of(memory: _Node, new: str) -> _Node:
    """``torch.zeros(2)`` of the ``torch.empty(2)`` in a line, or as it is where there are two."""
    functions = [call.func for call in nodes_below(memory, cst.Call)]
    making = [f for f in functions if isinstance(f, cst.Attribute) if _name(f) in _NAMES]
    if len(making) != 1:
        return memory
    name = making[0].attr.with_changes(value=_name(making[0]).replace("empty", new))
    return memory.with_deep_changes(making[0], attr=name)


def _name(function: cst.Attribute) -> str:
    return function.attr.value


def _filled_by(node: ast.expr) -> tuple[ast.expr | None, str]:
    """``x`` of ``x.zero_()`` and ``x.data.fill_(1)``, and what makes such a tensor."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.keywords:
        return None, ""
    given = [constant(argument) for argument in node.args]
    filled, method = node.func.value, node.func.attr
    is_data = isinstance(filled, ast.Attribute) and filled.attr == "data"
    filled = filled.value if isinstance(filled, ast.Attribute) and is_data else filled
    if method == "zero_" and not given:
        return filled, "zeros"
    if method != "fill_" or len(given) != 1 or type(given[0]) not in (int, float):
        return None, ""
    return (filled, "ones" if given[0] else "zeros") if given[0] in (0, 1) else (None, "")


def _is_detached_copy(node: ast.expr | None) -> bool:
    """``x.detach().clone()``."""
    for method in ("clone", "detach"):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return False
        if node.func.attr != method or node.args or node.keywords:
            return False
        node = node.func.value
    return True


def _makes_memory(node: ast.expr, facts: Facts) -> bool:
    """Whether it is ``torch.empty(2)``, or that moved or converted: ``….cuda().type_as(y)``."""
    made: ast.expr = node
    while isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute):
        if made.func.attr in _NAMES:
            is_torch = facts.name(made.func) == "torch.empty" or facts.is_tensor(made.func.value)
            is_plain = _UNLIKE.isdisjoint(keyword.arg for keyword in made.keywords)
            return is_torch and is_plain and facts.touched(made)
        if not torch_effects.does(made.func.attr, "moves", "casts"):
            return False
        made = made.func.value
    return False
