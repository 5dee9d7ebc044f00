"""The nodes of a syntax tree: those below one, those of a function, the names in one."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

#: Fields that hold strings, numbers, operators and contexts, never a node worth a visit.
_NOT_NODES = frozenset(
    """ctx op ops type_comment kind type_ignores id attr arg name asname names module level
    conversion simple is_async n s rest kwd_attrs""".split()
)

LOOPS = (ast.For, ast.AsyncFor, ast.While)
_DEFINITIONS = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda})
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

#: Nodes without a node below; what ``case True`` holds is a plain value.
_LEAVES = (ast.Constant, ast.Name, ast.Global, ast.Nonlocal, ast.MatchSingleton)


class _ChildFields(dict[type, tuple[str, ...]]):
    """The fields of each node class that hold a node, a list of nodes, or None."""

    def __missing__(self, cls: type[ast.AST]) -> tuple[str, ...]:
        is_leaf = issubclass(cls, _LEAVES)
        fields = () if is_leaf else tuple(f for f in cls._fields if f not in _NOT_NODES)
        self[cls] = fields
        return fields


#: By class: its fields that hold nodes.
CHILD_FIELDS = _ChildFields()


class _ValuesOfFields(dict[type, Callable[[Any], tuple[Any, ...]]]):
    """For each node class what gives the values of the fields that hold nodes."""

    def __missing__(self, cls: type[ast.AST]) -> Callable[[Any], tuple[Any, ...]]:
        fields = CHILD_FIELDS[cls]
        of_all = attrgetter(*fields) if len(fields) > 1 else _no_values
        self[cls] = _value_of(fields[0]) if len(fields) == 1 else of_all
        return self[cls]


def _no_values(node: Any) -> tuple[Any, ...]:
    return ()


def _value_of(name: str) -> Callable[[Any], tuple[Any, ...]]:
    value = attrgetter(name)
    return lambda node: (value(node),)


#: By class: what gives the values of its fields that hold nodes.
VALUES_OF_FIELDS = _ValuesOfFields()


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below a node, but for operators and contexts, in source order."""
    found: list[ast.AST] = []
    for value in VALUES_OF_FIELDS[node.__class__](node):
        if value.__class__ is list:
            found += value
        elif value is not None:
            found.append(value)
    # In a dict that holds others, and among the defaults of keywords, some are missing.
    return [child for child in found if child is not None] if None in found else found


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """``ast.walk`` without operators and contexts, in half the time."""
    pending: list[Any] = [node]
    for current in pending:
        if current is None:
            continue
        # As `children` does, without a call and a list for each node.
        for value in VALUES_OF_FIELDS[current.__class__](current):
            if value.__class__ is list:
                pending += value
            elif value is not None:
                pending.append(value)
        yield current


def last_name(node: ast.AST) -> str | None:
    """``weight`` of ``weight`` and of ``self.layer.weight``; None for what ends otherwise."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)


def first_name(node: ast.AST) -> ast.Name | None:
    """``self`` of ``self.layer.weight``, and a name itself; None for what begins otherwise."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def is_name(node: ast.AST, name: str) -> bool:
    """Whether a node is this name."""
    return isinstance(node, ast.Name) and node.id == name


def without_items(node: ast.expr) -> ast.expr:
    """``x`` of ``x[0][name]``, and what is no item itself."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def indices(index: ast.expr) -> list[ast.expr]:
    """What an index says of one dimension after the other: ``0`` and ``:`` of ``x[0, :]``."""
    return index.elts if isinstance(index, ast.Tuple) else [index]


def is_cut(index: ast.expr) -> bool:
    """Whether an index gives a part of the same kind: ``x[1:]``, and ``x[i, :]`` of an array."""
    return any(isinstance(each, ast.Slice) for each in indices(index))


def start_of(node: ast.stmt | ast.expr) -> tuple[int, int]:
    """Line and column: what begins first comes first in the order of these."""
    return node.lineno, node.col_offset


def is_docstring(statement: ast.stmt) -> bool:
    """Whether a statement is a text, a number or ``...`` alone, and so does nothing."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def same_expression(left: ast.AST, right: ast.AST) -> bool:
    """Whether two expressions are written alike."""
    # As `ast.dump` tells, which writes all of both out before it can.
    return _is_same(left, right)


def same_target(left: ast.AST, right: ast.AST) -> bool:
    """Whether two expressions are written alike, of which one may be stored to."""
    return ast.unparse(left) == ast.unparse(right)


def is_multiplied_again(quotient: ast.BinOp, around: ast.AST | None) -> bool:
    """``n / k * k`` or ``k * (n / k)``, which nobody writes of floats.

    Args:
        quotient: the division.
        around: the node that directly holds it.
    """
    if not isinstance(around, ast.BinOp) or not isinstance(around.op, ast.Mult):
        return False
    factor = around.right if around.left is quotient else around.left
    return same_expression(factor, quotient.right)


def _is_same(left: Any, right: Any) -> bool:
    if left.__class__ is not right.__class__:
        return False
    if isinstance(left, ast.AST):
        return all(
            _is_same(getattr(left, field, None), getattr(right, field, None))
            for field in left._fields
        )
    if left.__class__ is list:
        return len(left) == len(right) and all(map(_is_same, left, right))
    return repr(left) == repr(right)


def values_returned(function: ast.AST) -> list[ast.expr | None] | None:
    """What each ``return`` of a function gives; None for a generator."""
    nodes = [*own_nodes(function)]
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in nodes):
        return None
    return [node.value for node in nodes if isinstance(node, ast.Return)]


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function's body, without those of functions and classes inside it."""
    pending: list[Any] = list(getattr(function, "body", []))
    while pending:
        node = pending.pop()
        if node is None:
            continue
        yield node
        if node.__class__ in _DEFINITIONS:
            continue
        # As `children` does, without a call and a list for each node.
        for value in VALUES_OF_FIELDS[node.__class__](node):
            if value.__class__ is list:
                pending += value
            elif value is not None:
                pending.append(value)
