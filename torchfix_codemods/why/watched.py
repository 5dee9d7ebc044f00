"""A function at work, looked at line by line: which way it went, and what it held on the way."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FrameType
from typing import Any

from torchfix_codemods.record import record

_LONGEST = 20_000


@record
class Step:
    """A statement that was reached, and what the names held then."""

    statement: ast.stmt
    names: dict[str, Any]

    @property
    def head(self) -> ast.AST:
        """What the statement itself evaluates, without the blocks inside."""
        for part in ("test", "iter"):
            if hasattr(self.statement, part):
                head: ast.AST = getattr(self.statement, part)
                return head
        return ast.Pass() if hasattr(self.statement, "body") else self.statement


@record
class Run:
    """One call of a function.

    ``steps`` are the statements in the order in which they ran; ``surroundings`` are the names of
    the function's module.
    """

    steps: tuple[Step, ...]
    surroundings: dict[str, Any]
    result: Any


def watch(function: Callable[..., Any], arguments: Sequence[Any], named: dict[str, Any]) -> Run:
    """Call a function of Python and note its way; of a generator, until it has yielded all.

    Raises:
        TypeError: it is not written in Python.
        OSError: its source is not there.
    """
    plain = inspect.unwrap(getattr(function, "__func__", function))
    code = getattr(plain, "__code__", None)
    if code is None:
        raise TypeError(f"{function!r} is not written in Python")
    owner = getattr(function, "__self__", None)
    given = arguments if owner is None else [owner, *arguments]
    table = _statements(code)
    moments: list[tuple[int, dict[str, Any]]] = []
    watched: list[FrameType] = []

    def enter(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code is not code or (watched and frame is not watched[0]):
            return None
        if not watched:
            watched.append(frame)
        return line

    def line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line" and len(moments) < _LONGEST:
            moments.append((frame.f_lineno, dict(frame.f_locals)))
        return line

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        result = plain(*given, **named)
        if isinstance(result, Iterator):
            result = list(result)
    finally:
        sys.settrace(before)
    return Run(tuple(_steps(moments, table)), plain.__globals__, result)


def _steps(
    moments: Sequence[tuple[int, dict[str, Any]]], table: dict[int, ast.stmt]
) -> Iterator[Step]:
    last: ast.stmt | None = None
    for number, names in moments:
        statement = table.get(number)
        # An expression of several lines is reached several times.
        if statement is not None and statement is not last:
            yield Step(statement, names)
        last = statement


@functools.cache
def _statements(code: CodeType) -> dict[int, ast.stmt]:
    """For each line of a function the statement that it belongs to, without the blocks inside."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    ast.increment_lineno(tree, code.co_firstlineno - 1)
    table: dict[int, ast.stmt] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            for number in range(node.lineno, _end_of_head(node) + 1):
                table[number] = node
    return table


def _end_of_head(statement: ast.stmt) -> int:
    body = getattr(statement, "body", None)
    if not body:
        return statement.end_lineno or statement.lineno
    head = getattr(statement, "test", None) or getattr(statement, "iter", None)
    return statement.lineno if head is None else head.end_lineno
