"""Which of the changed statements ran: a mark in front of each."""

from __future__ import annotations

import ast
import builtins
import sys
from typing import Any, Callable, Dict, Sequence

from .trace import Trace

MARK = "__torchfix_ran__"

#: Line ranges (first, last) by key.
Ranges = Dict[str, Sequence[Sequence[int]]]

#: The same for each path within the tree.
Changed = Dict[str, Ranges]

_Scope = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def install(trace: Trace, changed: Changed) -> Callable[[ast.Module, str], None]:
    """Be ready for the marks.

    Returns:
        what puts them into a module, given the module and its path within the tree.
    """
    told: set[str] = set()

    def ran(key: str) -> None:
        if key not in told:
            told.add(key)
            trace.note({"ran": key, "before": trace.count})

    setattr(builtins, MARK, ran)
    return lambda tree, path: mark(tree, changed.get(path, {}))


def mark(tree: ast.Module, ranges: Ranges) -> None:
    """Put a call in front of each statement that has lines in one of the ranges."""
    if ranges:
        _Marker(ranges).visit(tree)
        ast.fix_missing_locations(tree)


class _Marker(ast.NodeTransformer):
    def __init__(self, ranges: Ranges) -> None:
        self.ranges = ranges

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                self._mark_body(node, body, name)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.generic_visit(node)
        # Of a lambda on one line with other code, nobody can say which of the two changed.
        keys = self._keys(node.body.lineno, _last_line(node.body))
        if keys:
            calls: list[ast.expr] = [_call(key, node.body) for key in keys]
            items = ast.copy_location(ast.Tuple([*calls, node.body], ast.Load()), node.body)
            index: Any = ast.Constant(len(calls))
            if sys.version_info < (3, 9):
                index = ast.Index(index)
            node.body = ast.copy_location(ast.Subscript(items, index, ast.Load()), node.body)
        return node

    def _mark_body(self, owner: ast.AST, body: list[ast.stmt], name: str) -> None:
        result: list[ast.stmt] = []
        for position, statement in enumerate(body):
            keys = self._keys_of(statement)
            if _must_be_first(owner, statement, position, name):
                result.append(statement)
                result.extend(_mark(key, statement) for key in keys)
            else:
                result.extend(_mark(key, statement) for key in keys)
                result.append(statement)
        body[:] = result

    def _keys_of(self, statement: ast.stmt) -> list[str]:
        first = statement.lineno
        if isinstance(statement, _Scope):
            first = min([first, *(d.lineno for d in statement.decorator_list)])
        last = _last_own_line(statement)
        return self._keys(first, last)

    def _keys(self, first: int, last: int) -> list[str]:
        return [
            key
            for key, ranges in self.ranges.items()
            if any(start <= last and first <= end for start, end in ranges)
        ]


def _last_own_line(statement: ast.stmt) -> int:
    """The last line of a statement, or of the head of one that holds others."""
    body: list[ast.stmt] | Any = getattr(statement, "body", None)
    if isinstance(body, list) and body:
        inner = body[0]
        first = inner.lineno
        if isinstance(inner, _Scope):
            first = min([first, *(d.lineno for d in inner.decorator_list)])
        return max(statement.lineno, first - 1)
    return _last_line(statement)


def _last_line(node: ast.AST) -> int:
    lines = [0]
    for child in ast.walk(node):
        for name in ("lineno", "end_lineno"):
            lines.append(getattr(child, name, None) or 0)
    return max(lines)


def _must_be_first(owner: ast.AST, statement: ast.stmt, position: int, name: str) -> bool:
    if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
        return True
    return (
        position == 0
        and name == "body"
        and isinstance(owner, (ast.Module, *_Scope))
        and isinstance(statement, ast.Expr)
        and isinstance(getattr(statement.value, "value", getattr(statement.value, "s", None)), str)
    )


def _call(key: str, place: ast.AST) -> ast.Call:
    call = ast.Call(ast.Name(MARK, ast.Load()), [ast.Constant(key)], [])
    return ast.copy_location(call, place)


def _mark(key: str, place: ast.AST) -> ast.Expr:
    return ast.copy_location(ast.Expr(_call(key, place)), place)
