"""What is divided, and whether it may be divided in whole numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import argument, is_opaque, whole_number
from torchfix_codemods.facts.language.nodes import is_cut
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import uses_given_by, uses_run_after
from torchfix_codemods.facts.tensors import dimensional
from torchfix_codemods.facts.tensors.layouts import core_of
from torchfix_codemods.facts.tensors.scalars import indexed_scalar
from torchfix_codemods.facts.values.lattice import Number, Tensor, Unknown, Value
from torchfix_codemods.rules.tensors.questions.sizes import is_size
from torchfix_codemods.rules.tensors.questions.whole_numbers import is_integer_tensor

#: What may leave a block between one statement of it and another.
_LEAVING = (ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom)


def operands_of(call: ast.Call, facts: Facts) -> tuple[str, ast.expr, ast.expr] | None:
    """Function, dividend and divisor of a division that is written as a call."""
    if is_opaque(call) or call.keywords:
        return None
    name = facts.name(call.func)
    if name in ("torch.div", "torch.floor_divide") and len(call.args) == 2:
        return name.rpartition(".")[2], call.args[0], call.args[1]
    method = call.func
    if name is None and isinstance(method, ast.Attribute) and len(call.args) == 1:
        if method.attr in ("div", "div_", "floor_divide"):
            return method.attr, method.value, call.args[0]
    return None


def may_be_whole(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor may hold whole numbers."""
    value = facts.value(node)
    dtype = value.dtype if isinstance(value, Tensor) else None
    return dtype is None or not dtype.startswith("float")


def has_dimensions(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor is certainly no single number, of which a fraction is wanted."""
    is_old = facts.era_of(node).before((0, 4))
    return (dimensional.had_dimensions if is_old else dimensional.has_dimensions)(facts, node)


def is_of_elements(node: ast.expr, facts: Facts) -> bool:
    """``(width - size[0])``: all tensors in it are elements, which may be single numbers."""
    if isinstance(node, ast.UnaryOp):
        return is_of_elements(node.operand, facts)
    if isinstance(node, ast.BinOp):
        tensors = [part for part in (node.left, node.right) if facts.is_tensor(part)]
        return bool(tensors) and all(is_of_elements(part, facts) for part in tensors)
    is_element = isinstance(node, ast.Subscript) and not is_cut(node.slice)
    return is_element and not has_dimensions(node, facts)


def may_become_number(node: ast.expr, facts: Facts) -> bool:
    """Whether another rule may make a Python number of ``node``, which ``torch.div`` refuses."""
    value = facts.value(node)
    if isinstance(value, Tensor) and value.ndim == 0:
        return True
    core = core_of(node)
    return isinstance(core, ast.Subscript) and indexed_scalar(facts, core) is not None


def is_size_of_integers(node: ast.BinOp | ast.AugAssign, facts: Facts) -> bool:
    """Whether integers are divided for a size that comes next: other places may get the number.

    Args:
        node: the division.
        facts: the facts of the module.
    """
    if isinstance(node, ast.BinOp):
        left, right = facts.value(node.left), facts.value(node.right)
    elif isinstance(node.target, ast.Name):
        left, right = facts.value_before(node, node.target.id), facts.value(node.value)
    else:
        return False
    return left == Number("int") and _may_be_integer(right) and _is_size_next(node, facts)


def _may_be_integer(divisor: Value) -> bool:
    """Whether a divisor may be whole: the quotient of a fraction was no size in Python 2 either."""
    return divisor in (Number("int"), Number()) or isinstance(divisor, Unknown)


def _is_size_next(node: ast.BinOp | ast.AugAssign, facts: Facts) -> bool:
    """Whether a float fails whenever ``n = node`` is run, whatever else becomes of ``n``."""
    if facts.names.enclosing_function(node) is None:
        # What a cell gives to a name is there for others, although the cell fails.
        return False
    if any(isinstance(around, ast.Try) for around in facts.names.ancestors(node)):
        return False
    return any(
        _is_run_next(use, node, facts) and is_size(facts, number)
        for use, number in _read_after(node, facts)
    )


def _read_after(
    node: ast.BinOp | ast.AugAssign, facts: Facts
) -> Iterator[tuple[ast.Name, ast.expr]]:
    """The names by which a quotient is read, each with what it is there: ``sizes`` of ``sizes[0]``.

    So it is read where all items of ``sizes = [n / 2 for n in sizes]`` are made by one division,
    and nothing is done with these but to read them.
    """
    several = facts.parent(node)
    if not isinstance(node, ast.BinOp) or not isinstance(several, ast.ListComp):
        yield from ((use, use) for use in uses_run_after(facts, node))
        return
    run = [*uses_run_after(facts, several)]
    statement = facts.statement(several)
    uses = uses_given_by(facts, statement, run[0].id) if run else ()
    if all(_item(use, facts) is not None for use in uses):
        items = ((use, _item(use, facts)) for use in run)
        yield from ((use, item) for use, item in items if item is not None)


def _item(several: ast.Name, facts: Facts) -> ast.Subscript | None:
    """``sizes[0]``, where it is read."""
    item = facts.parent(several)
    if not isinstance(item, ast.Subscript) or not isinstance(item.ctx, ast.Load):
        return None
    return item if whole_number(item.slice) is not None else None


def _is_run_next(use: ast.Name, node: ast.expr | ast.stmt, facts: Facts) -> bool:
    """Whether a statement of the same block, which nothing jumps over, reads a name at once."""
    at, statement = facts.statement(use), facts.statement(node)
    is_once = facts.names.scope_of(use) is facts.names.scope_of(statement)
    return (
        is_once
        and statement.lineno <= at.lineno
        and at in facts.block(statement)
        and not any(
            statement.lineno < getattr(leaving, "lineno", 0) < at.lineno
            for kind in _LEAVING
            for leaving in facts.names.nodes.get(kind, ())
        )
    )


def are_whole_as_index(facts: Facts, node: ast.expr, is_index: bool) -> bool:
    """Whether an expression is of whole numbers, by what it is or as an index is made of it.

    Args:
        facts: the facts of the module.
        node: what is divided.
        is_index: whether the quotient is used as an index.
    """
    return is_integer_tensor(facts, node) or (is_index and _fills(facts, node))


def _fills(facts: Facts, node: ast.expr) -> bool:
    """``torch.arange(n, out=ids.new(n))`` of a dtype that is not known: floats are no index."""
    value = facts.value(node)
    return (
        isinstance(node, ast.Call)
        and facts.name(node.func) in ("torch.arange", "torch.range")
        and argument(node, None, "out") is not None
        and isinstance(value, Tensor)
        and value.dtype is None
    )
