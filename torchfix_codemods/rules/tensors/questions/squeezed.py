"""What the code knows of a tensor that was squeezed."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.lattice import Number

#: What counts all numbers alike, however many dimensions they have.
_OF_ALL = (".mean", ".sum", ".max", ".min", ".prod", ".norm", ".std", ".var")
_DIMENSIONS = frozenset({"dim", "ndim", "ndimension", "shape"})


def is_single_number(call: ast.Call, facts: Facts) -> bool:
    """Whether one number does as well as a vector of one: where it is read, or added in place."""
    parent = facts.parent(call)
    if isinstance(parent, ast.Attribute):
        return parent.attr in ("item", "tolist", "backward")
    while isinstance(parent, (ast.BinOp, ast.UnaryOp)):
        parent = facts.parent(parent)
    # Of what one sample adds in place, nothing is lost: ``rewards += x.gather(1, y).squeeze()``.
    return isinstance(parent, ast.AugAssign) and facts.is_tensor(parent.target)


def is_asked_for_dimensions(call: ast.Call, facts: Facts) -> bool:
    """Whether the code asks how many dimensions are left, or has one number for certain.

    ``if x.dim() > 1`` below, and ``autograd.grad(x, …)``, which takes nothing else.
    """
    return follow([Place(facts, call)], _asks_for_dimensions) is not None


def is_only_reduced(call: ast.Call, facts: Facts, finds: bool) -> bool:
    """Whether only a mean or a sum of all numbers is made of it, which counts no dimensions.

    Args:
        call: ``x.squeeze()``.
        facts: the file.
        finds: whether it gives the indices that ``nonzero`` found. A single one as ``w[i]`` leaves
            out the first dimension of w, which broadcasting adds again.
    """
    reduced: list[Use] = []

    def asks_for_more(use: Use) -> Iterable[Place] | None:
        chosen = _rows_chosen(use) if finds else None
        if chosen is not None:
            return [Place(use.facts, chosen)]
        if use.kind in ("bound", "chosen"):
            return use.onward()
        if use.kind == "operand" and isinstance(use.by, ast.expr):
            is_alone = finds or _is_beside_number(use)
            return [Place(use.facts, use.by)] if is_alone else None
        if use.kind not in ("argument", "method") or not isinstance(use.by, ast.Call):
            return None
        name = use.facts.name(use.by.func)
        operation = name or torch_effects.of_any(last_name(use.by.func) or "")
        given = [*use.by.args, *use.by.keywords]
        if torch_effects.does(operation, "reduces"):
            is_of_all = given == ([use.node] if name else []) and operation.endswith(_OF_ALL)
            reduced.append(use)
            return () if is_of_all else None
        is_same = torch_effects.is_elementwise(operation) or (
            use.kind == "method"
            and (torch_effects.moves_or_casts(operation) or last_name(use.by.func) == "numpy")
        )
        is_alone = given == ([use.node] if name else [])
        return [Place(use.facts, use.by)] if is_same and (finds or is_alone) else None

    return follow([Place(facts, call)], asks_for_more) is None and bool(reduced)


def _rows_chosen(use: Use) -> ast.expr | None:
    """``w[i]`` and ``w[i, :]`` of the index ``i``."""
    index: ast.AST = use.node
    around = use.facts.parent(index)
    if isinstance(around, ast.Tuple) and around.elts[0] is index:
        if not all(isinstance(each, ast.Slice) for each in around.elts[1:]):
            return None
        index, around = around, use.facts.parent(around)
    if not isinstance(around, ast.Subscript) or around.slice is not index:
        return None
    return around if isinstance(around.ctx, ast.Load) else None


def _is_beside_number(use: Use) -> bool:
    """``-x``, ``x * 2``: no other tensor comes in."""
    if not isinstance(use.by, ast.BinOp):
        return isinstance(use.by, ast.UnaryOp)
    other = use.by.right if use.by.left is use.node else use.by.left
    return isinstance(use.facts.value(other), Number)


def _asks_for_dimensions(use: Use) -> Iterable[Place] | None:
    if use.kind == "method" and isinstance(use.by, ast.Call):
        if _is_of_one_number(use.by):
            return None
    if use.kind == "argument" and isinstance(use.by, ast.Call):
        if use.facts.name(use.by.func) == "torch.autograd.grad":
            is_one = argument(use.by, 2, "grad_outputs") is None
            return None if is_one and argument(use.by, 0, "outputs") is use.node else ()
    if use.kind in ("attribute", "method"):
        return None if _is_compared_dimension(use.facts.parent(use.node), use.facts) else ()
    if use.kind == "argument":
        return use.taken()
    is_same = use.kind in ("bound", "chosen", "element", "returned", "unpacked")
    return use.onward() if is_same else ()


def _is_of_one_number(call: ast.Call) -> bool:
    """``x.item()``, and ``x.backward()`` without a gradient."""
    method = getattr(call.func, "attr", "")
    return method == "item" or (method == "backward" and not call.args)


def _is_compared_dimension(asked: ast.AST | None, facts: Facts) -> bool:
    """``x.dim() == 1``, ``x.ndim > 0``, ``len(x.shape) == 0``."""
    if not isinstance(asked, ast.Attribute) or asked.attr not in _DIMENSIONS:
        return False
    around = facts.parent(asked)
    is_counted = asked.attr == "shape"
    if isinstance(around, ast.Call) and (around.args == [asked] if is_counted else not around.args):
        around = facts.parent(around)
    elif is_counted:
        return False
    return isinstance(around, ast.Compare)
