"""The numbers that are given to be printed or logged, before few of their digits are.

In the arguments of ``print``, of loggers and of ``write`` each number that goes into a text is
taken down, whichever way it is formatted; the line that comes of it tells them all.
"""

from __future__ import annotations

import ast
import builtins
import threading
from typing import Any, Callable

import torch

from ..digest import array, tensor
from ..places import fill_places
from ..trace import Trace

#: What is put around the function, and around a value.
FUNCTION, VALUE = "__torchfix_printing__", "__torchfix_given__"

_LOGGING = frozenset("debug info warning warn error critical exception log write".split())

#: What is told of larger tensors: their norm, and two projections.
_OF_MANY = ("n", "p")

_local = threading.local()


def taken() -> list[Any]:
    """The numbers of the call that prints just now; those that follow are others."""
    given: list[Any] = getattr(_local, "given", None) or []
    _local.given = None
    return given


def plain(values: Any) -> list[Any]:
    """The numbers among some values, as they are told."""
    return [told for told in map(_told, values) if told is not None]


def install(trace: Trace) -> Callable[[ast.Module, str], None]:
    """Be ready for the numbers.

    Returns:
        what marks them in a module, given the module and its path within the tree.
    """

    def printing(function: Any) -> Any:
        _local.given = []

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            finally:
                _local.given = None

        return call

    def given(value: Any) -> Any:
        known = getattr(_local, "given", None)
        if known is not None and not trace.is_busy:
            with trace.quiet():
                told = _told(value)
            if told is not None:
                known.append(told)
        return value

    setattr(builtins, FUNCTION, printing)
    setattr(builtins, VALUE, given)

    def transform(tree: ast.Module, path: str) -> None:
        _Printing().visit(tree)
        fill_places(tree)

    return transform


def _told(value: Any) -> Any:
    """A number, or what tells a tensor of some; None: it is neither."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return str(value) if value != value or value in (float("inf"), -float("inf")) else value
    if isinstance(value, torch.Tensor):
        described = tensor(value)
    elif type(value).__module__ == "numpy" and hasattr(value, "dtype"):
        described = array(value)
    else:
        return None
    if len(described.get("v", ())) == 1:
        number = described["v"][0]
        return number if isinstance(number, (int, float)) and number is not True else None
    return {key: described[key] for key in _OF_MANY if key in described} or None


class _Printing(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        function = node.func
        is_print = isinstance(function, ast.Name) and function.id == "print"
        if not is_print and getattr(function, "attr", "") not in _LOGGING:
            return node
        node.args = [_Formatted().visit(argument) for argument in node.args]
        mark = ast.Call(ast.Name(FUNCTION, ast.Load()), [function], [])
        node.func = ast.copy_location(mark, function)
        return node


class _Formatted(ast.NodeTransformer):
    """Takes down the values that go into a text, and those that become one by themselves."""

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.BinOp) and _is_text(node.left):
            if isinstance(node.op, ast.Mod):
                node.right = _each(node.right)
                return node
            return self.generic_visit(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and _has_text(node):
            return self.generic_visit(node)
        if isinstance(node, ast.JoinedStr):
            return self.generic_visit(node)
        if isinstance(node, ast.FormattedValue):
            node.value = _value(node.value)
            return node
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.expr) and not isinstance(node, (ast.Constant, ast.Starred)):
            return _value(node)
        return node

    def _call(self, node: ast.Call) -> ast.expr:
        function = node.func
        of_text = isinstance(function, ast.Attribute) and function.attr == "format"
        is_plain = isinstance(function, ast.Name) and function.id in ("str", "round", "format")
        if (of_text and _is_text(function.value)) or is_plain:  # type: ignore[attr-defined]
            starred = [isinstance(argument, ast.Starred) for argument in node.args]
            node.args = [a if s else _value(a) for a, s in zip(node.args, starred)]
            for keyword in node.keywords:
                if keyword.arg is not None:
                    keyword.value = _value(keyword.value)
            return node
        return _value(node)


def _each(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Tuple):
        node.elts = [_value(e) if not isinstance(e, ast.Starred) else e for e in node.elts]
        return node
    return node if isinstance(node, ast.Dict) else _value(node)


def _value(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Constant):
        return node
    return ast.copy_location(ast.Call(ast.Name(VALUE, ast.Load()), [node], []), node)


def _is_text(node: ast.expr) -> bool:
    # Before Python 3.8 a text is a node of its own.
    return isinstance(getattr(node, "value", getattr(node, "s", None)), str)


def _has_text(node: ast.expr) -> bool:
    return any(isinstance(inner, ast.expr) and _is_text(inner) for inner in ast.walk(node))
