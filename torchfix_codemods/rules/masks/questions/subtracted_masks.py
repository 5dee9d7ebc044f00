"""``1 - mask`` of bool, which fails: what takes its place depends on what takes it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.tensors.defaults import may_change_default_type
from torchfix_codemods.facts.tensors.layouts import passes
from torchfix_codemods.facts.values.dtypes import DEFAULT
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.rules.masks.questions.mask_places import of_names, places_of_mask
from torchfix_codemods.rules.masks.questions.mask_wants import place_of
from torchfix_codemods.rules.masks.questions.masks import tells_of_mask
from torchfix_codemods.text.wording import worded_operand

_FAILS = "1 - {0} fails since torch 1.2: {0} is a mask of bool"
_SELECTS = _FAILS + ", whose contrary is `~{0}`"
_CALCULATED = "1 - {0} fails on a mask of bool: write 1 - {0}.byte() to calculate with it"
_ALSO_SELECTS = (
    "1 - {0} fails on a mask of bool: write ~{0} where it selects, 1 - {0}.byte() where it is "
    "calculated with"
)
_MULTIPLIED = (
    "1 - {0} fails on a mask of bool: write 1 - {0}.{1}(), as the product of line {2} takes one "
    "dtype"
)

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Pow, ast.Mod)
_PRODUCTS = frozenset({"bmm", "matmul", "mm", "mv"})
_CASTS = {"float32": "float", "float64": "double", "float16": "half"}


def about_subtraction(node: ast.BinOp, facts: Facts) -> str:
    """What is said of ``1 - mask`` that is more than a mask.

    Where it is not known what else takes it, nothing that is written for it is sure to be taken.
    """
    mask, uses = worded_operand(node.right, _outlined(node.right)), _Uses()
    is_cut = follow([Place(facts, node)], uses.at) is not None
    if not uses.calculates and not uses.products:
        return _SELECTS.format(mask)
    if is_cut or uses.is_elsewhere or (uses.products and uses.selects):
        return _FAILS.format(mask)
    if uses.products:
        casts = {_cast_to(other, there) for other, there in uses.products}
        other, there = uses.products[0]
        cast = casts.pop() if len(casts) == 1 and there is facts else None
        line = facts.origin(other.lineno)
        return _FAILS.format(mask) if cast is None else _MULTIPLIED.format(mask, cast, line)
    return (_ALSO_SELECTS if uses.selects else _CALCULATED).format(mask)


def _outlined(mask: ast.expr) -> str:
    """``(…).lt(…)`` and ``torch.lt(…)`` of a mask whose code is too long for a message."""
    method = mask.func if isinstance(mask, ast.Call) else None
    if not isinstance(method, ast.Attribute):
        return "mask"
    owner = method.value.id if isinstance(method.value, ast.Name) else "(…)"
    return f"{owner}.{method.attr}(…)"


def _cast_to(node: ast.expr, facts: Facts) -> str | None:
    """The method that gives a tensor the dtype of another one; None where that is not known."""
    value = facts.value(node)
    dtype = value.dtype if isinstance(value, Tensor) else None
    if dtype == DEFAULT:
        return None if may_change_default_type(facts) else "float"
    return _CASTS.get(dtype or "")


class _Uses:
    """What takes ``1 - mask``, as far as it is known."""

    def __init__(self) -> None:
        self.selects = False
        self.calculates = False
        self.is_elsewhere = False
        self.products: list[tuple[ast.expr, Facts]] = []

    def at(self, use: Use) -> Iterable[Place]:
        """Where to go on from a use; what is not known ends there, and the others count still."""
        found = self._at(use)
        self.is_elsewhere = self.is_elsewhere or found is None
        return () if found is None else found

    def _at(self, use: Use) -> Iterable[Place] | None:
        if use.place.content:
            return None
        if place_of(use.facts, use.node) is not None:
            self.selects = True
            return ()
        if use.kind in ("asked", "compared"):
            return ()
        if use.kind == "operand" and isinstance(use.by, ast.BinOp):
            other = use.by.right if use.by.left is use.node else use.by.left
            if isinstance(use.by.op, ast.MatMult):
                return self._product(other, use.facts)
            return self._of_operand(other, use) if isinstance(use.by.op, _ARITHMETIC) else None
        if use.kind == "method" and isinstance(use.by, ast.Call):
            return self._of_method(use, use.by)
        if use.kind == "argument" and isinstance(use.by, ast.Call):
            return self._of_argument(use, use.by)
        return of_names(use) if use.kind == "bound" else None

    def _of_operand(self, other: ast.expr, use: Use) -> Iterable[Place] | None:
        self.calculates = True
        if use.facts.is_tensor(other):
            return ()
        # A number makes no other dtype of it: what was a mask of bytes is one still.
        assert isinstance(use.by, ast.BinOp)
        return None if places_of_mask(use.facts, use.by) else ()

    def _of_method(self, use: Use, call: ast.Call) -> Iterable[Place] | None:
        assert isinstance(call.func, ast.Attribute)
        if call.func.attr in _PRODUCTS and len(call.args) == 1:
            return self._product(call.args[0], use.facts)
        if passes(call.func.attr):
            return use.result()
        return () if tells_of_mask(call.func.attr) and not call.keywords else None

    def _of_argument(self, use: Use, call: ast.Call) -> Iterable[Place] | None:
        module, _, function = (use.facts.name(call.func) or "").rpartition(".")
        if module == "torch" and function in _PRODUCTS and len(call.args) == 2:
            first, second = call.args
            return self._product(second if first is use.node else first, use.facts)
        method = call.func if isinstance(call.func, ast.Attribute) else None
        if method is not None and method.attr in _PRODUCTS and call.args == [use.node]:
            if use.facts.is_tensor(method.value):
                return self._product(method.value, use.facts)
        return None

    def _product(self, other: ast.expr, facts: Facts) -> Iterable[Place]:
        self.products.append((other, facts))
        return ()
