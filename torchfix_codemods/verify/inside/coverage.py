"""Which of the changed statements ran: a mark in front of each."""

from __future__ import annotations

import ast
import builtins
import os
import sys
from typing import Any, Callable, Dict, Iterator, Sequence

from . import scripts
from .places import fill_places
from .trace import Trace
from .world import guard

MARK = "__torchfix_ran__"

#: Line ranges (first, last) by key; none for a file of which it counts that it is read.
Ranges = Dict[str, Sequence[Sequence[int]]]

#: The same for each path within the tree.
Changed = Dict[str, Ranges]

#: Who wants to hear of each time that a changed statement runs.
LISTENERS: list[Callable[[str], None]] = []

_Scope = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

#: The keys of the statements that ran, and those that the part of a test that goes on ran first.
_RAN: set[str] = set()
_HERE: set[str] = set()


def part_begins() -> None:
    """Tell that a test begins to set up, or to run: what came before stays."""
    _HERE.clear()


def part_failed(trace: Trace, test: str, reason: str) -> None:
    """Take back what the part of a test ran first that failed: what fails is not compared."""
    if _HERE:
        trace.note({"failed": sorted(_HERE), "test": test, "reason": reason})
        _RAN.difference_update(_HERE)
        _HERE.clear()


def install(trace: Trace, changed: Changed) -> Callable[[ast.Module, str], None]:
    """Be ready for the marks.

    Returns:
        what puts them into a module, given the module and its path within the tree.
    """
    _RAN.clear()
    _HERE.clear()

    def ran(key: str) -> None:
        for tell in LISTENERS:
            tell(key)
        if key not in _RAN:
            _RAN.add(key)
            _HERE.add(key)
            # Of each process, from the first one to this one, how much it had told by then.
            trace.note({"ran": key, "before": [*trace.forked_at, trace.count]})

    def ran_at(path: str, line: int) -> None:
        for key, ranges in changed.get(path, {}).items():
            if any(first <= line <= last for first, last in ranges):
                ran(key)

    setattr(builtins, MARK, ran)
    if changed:
        scripts.install(trace, ran_at)
        _tell_of_files(trace, changed, ran)
    return lambda tree, path: mark(tree, changed.get(path, {}))


def _tell_of_files(trace: Trace, changed: Changed, ran: Callable[[str], None]) -> None:
    keys = {
        path: key for path, found in changed.items() for key, lines in found.items() if not lines
    }
    names = {os.path.basename(path) for path in keys}

    def read(path: Any) -> None:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return
        name = os.fsdecode(path)
        if os.path.basename(name) in names:
            key = keys.get(trace.relative(name) or "")
            if key is not None:
                ran(key)

    if names:
        guard.tell_of_reading(read)


def mark(tree: ast.Module, ranges: Ranges) -> None:
    """Put a call in front of each statement that has lines in one of the ranges."""
    if ranges:
        _Marker(ranges).visit(tree)
        fill_places(tree)


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
        first: list[ast.stmt] = []
        result: list[ast.stmt] = []
        for position, statement in enumerate(body):
            marks = [_mark(key, statement) for key in self._keys_of(statement)]
            if position == 0 and isinstance(owner, ast.ExceptHandler):
                head = self._keys(owner.lineno, statement.lineno - 1)
                marks[:0] = [_mark(key, statement) for key in head]
            result.extend(marks)
            is_first = _must_be_first(owner, statement, position, name)
            (first if is_first else result).append(statement)
        body[:] = [*first, *result]

    def _keys_of(self, statement: ast.stmt) -> list[str]:
        keys = [key for first, last in own_lines(statement) for key in self._keys(first, last)]
        return list(dict.fromkeys(keys))

    def _keys(self, first: int, last: int) -> list[str]:
        return [
            key
            for key, ranges in self.ranges.items()
            if any(start <= last and first <= end for start, end in ranges)
        ]


def own_lines(statement: ast.stmt) -> Iterator[tuple[int, int]]:
    """The lines of a statement, or of the heads of one that holds others."""
    first = _first_line(statement)
    body: list[ast.stmt] | Any = getattr(statement, "body", None)
    cases: list[Any] = getattr(statement, "cases", [])
    if cases:
        for case in cases:
            yield first, max(first, _first_line(case.body[0]) - 1)
            first = _last_line(case) + 1
    elif isinstance(body, list) and body:
        yield first, max(statement.lineno, _first_line(body[0]) - 1)
    else:
        yield first, _last_line(statement)


def _first_line(statement: ast.stmt) -> int:
    if isinstance(statement, _Scope):
        return min([statement.lineno, *(d.lineno for d in statement.decorator_list)])
    return statement.lineno


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
