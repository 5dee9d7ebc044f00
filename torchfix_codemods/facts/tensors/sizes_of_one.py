"""Comparisons with the size of one element, `loss.size() == (1,)`, and what they assert."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

from torchfix_codemods.facts.language.arguments import is_one
from torchfix_codemods.facts.language.branches import statements_above
from torchfix_codemods.facts.module import Facts

#: What says how many dimensions there are.
COUNTS = frozenset({"dim", "ndim", "ndimension"})
#: What says how long they are.
SIZES = frozenset({"shape", "size"})
_ASSERTS = frozenset("assertEqual assertEquals assertListEqual assertTupleEqual".split())

_Shown = Literal["count", "list", "size"]
"""How code asks for dimensions: ``len(x.size())``, ``list(x.size())``, ``x.size()``."""


def compared_with_one(
    facts: Facts, asking: ast.expr, shown: _Shown
) -> tuple[ast.Compare | ast.Call, ast.expr] | None:
    """What compares a size to that of one element, with that size: ``(1,)`` of a comparison."""
    around = facts.parent(asking)
    if isinstance(around, ast.Call) and around.args == [asking] and shown == "size":
        builtin = facts.names.builtin(around.func)
        if builtin in ("len", "list", "tuple"):
            shown = "count" if builtin == "len" else "list" if builtin == "list" else "size"
            asking, around = around, facts.parent(around)
    sides: list[ast.expr] = []
    if isinstance(around, ast.Compare) and isinstance(around.ops[0], (ast.Eq, ast.NotEq)):
        sides = [around.left, *around.comparators]
    elif isinstance(around, ast.Call) and isinstance(around.func, ast.Attribute):
        sides = around.args[:2] if around.func.attr in _ASSERTS else []
    if len(sides) != 2 or asking not in sides:
        return None
    other = sides[1] if sides[0] is asking else sides[0]
    assert isinstance(around, (ast.Compare, ast.Call))
    return (around, other) if _is_of_one(facts, other, shown) else None


def _is_of_one(facts: Facts, written: ast.expr, shown: _Shown) -> bool:
    """Whether a size is written down that says one dimension, of one element."""
    if shown == "count":
        return isinstance(written, ast.Constant) and is_one(written)
    if shown == "size" and isinstance(written, ast.Call) and len(written.args) == 1:
        if facts.name(written.func) != "torch.Size":
            return False
        written = written.args[0]
        return isinstance(written, (ast.List, ast.Tuple)) and _is_single(written)
    kind = ast.List if shown == "list" else ast.Tuple
    return isinstance(written, kind) and _is_single(written)


def _is_single(sizes: ast.List | ast.Tuple) -> bool:
    return len(sizes.elts) == 1 and is_one(sizes.elts[0])


def is_asserted(facts: Facts, comparison: ast.Compare | ast.Call) -> bool:
    """Whether the program stops where a comparison does not hold."""
    if isinstance(comparison, ast.Call):
        return isinstance(facts.parent(comparison), ast.Expr)
    around = facts.parent(comparison)
    while isinstance(around, ast.BoolOp) and isinstance(around.op, ast.And):
        around = facts.parent(around)
    return isinstance(around, ast.Assert)


def was_asserted_one(facts: Facts, tensor: ast.expr) -> bool:
    """Whether a file for torch 0.3 asserts above that what a name holds has one element.

    ``assert loss.shape == (1,)``: today that has no dimension, or one of one element.
    """
    return next(assertions_of_one(facts, tensor), None) is not None


def assertions_of_one(facts: Facts, tensor: ast.expr) -> Iterator[ast.Compare]:
    """The comparisons by which a file for torch 0.3 asserts that above a use of a name."""
    if not isinstance(tensor, ast.Name) or not facts.era_of(tensor).before((0, 4)):
        return
    bindings = set(facts.flow.reaching(tensor))
    above = set[ast.AST](statements_above(facts.names, tensor))
    for asking in facts.names.uses_of(facts.names.scope_of(tensor), tensor.id):
        size = facts.parent(asking)
        if not isinstance(size, ast.Attribute) or size.attr not in SIZES:
            continue
        call = facts.parent(size)
        asked = call if isinstance(call, ast.Call) and call.func is size else size
        if isinstance(asked, ast.Call) != (size.attr == "size"):
            continue
        compared = compared_with_one(facts, asked, "size")
        # ``len(x.shape) == 1`` says nothing of how many elements there are.
        if compared is None or isinstance(compared[1], ast.Constant):
            continue
        comparison = compared[0]
        if not isinstance(comparison, ast.Compare):
            continue
        is_above = facts.statement(comparison) in above and is_asserted(facts, comparison)
        is_equal = isinstance(comparison.ops[0], ast.Eq)
        if is_above and is_equal and set(facts.flow.reaching(asking)) == bindings:
            yield comparison
