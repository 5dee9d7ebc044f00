"""Tests of the version of Python that come out alike in every Python 3: ``six.PY2``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from torchfix_codemods.facts.language.comparisons import COMPARES
from torchfix_codemods.facts.language.names import Names

_FLAGS = {
    f"{module}.{flag}": flag == "PY3"
    for module in ("six", "torch._six", "future.utils")
    for flag in ("PY2", "PY3")
}
#: Each as the five parts of ``sys.version_info``: what torch ever ran on, and some to come.
_VERSIONS = tuple((3, minor, 1, "final", 0) for minor in range(5, 40))
#: Through so many names of the module a test is followed.
_MOST_NAMES = 3


def of_python3(names: Names, test: ast.expr) -> bool | None:
    """How a test comes out in Python 3; None where it asks for anything but that.

    Args:
        names: the scopes of the module.
        test: ``six.PY2``, ``sys.version_info[0] < 3``, or a name of the module that is set to such.
    """
    return _outcome(names, test, _MOST_NAMES)


def _outcome(names: Names, test: ast.expr, steps: int) -> bool | None:
    """The same, through so many names."""
    if isinstance(test, (ast.Name, ast.Attribute)):
        flag = _FLAGS.get(names.name(test) or "")
        written = _written(names, test) if flag is None and steps else None
        return flag if written is None else _outcome(names, written, steps - 1)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _outcome(names, test.operand, steps)
        return None if inner is None else not inner
    compare = COMPARES.get(type(test.ops[0])) if isinstance(test, ast.Compare) else None
    if compare is None or not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    sides = test.left, test.comparators[0]
    first, *others = _VERSIONS
    found = _compared(names, compare, sides, first)
    if found is None:
        return None
    is_always = all(_compared(names, compare, sides, other) is found for other in others)
    return found if is_always else None


def _compared(
    names: Names,
    compare: Callable[[Any, Any], bool],
    sides: tuple[ast.expr, ast.expr],
    version: tuple[object, ...],
) -> bool | None:
    """How the test comes out in one version; None where it asks for no version."""
    asked = [_asked(names, side, version) for side in sides]
    if (asked[0] is None) is (asked[1] is None):
        return None
    try:
        values = [
            ast.literal_eval(side) if value is None else value
            for side, value in zip(sides, asked, strict=True)
        ]
        return compare(*values)
    except (ValueError, TypeError):
        return None


def _asked(names: Names, node: ast.expr, version: tuple[object, ...]) -> object:
    """What a part of ``sys.version_info``, or of ``sys.version``, is in one version."""
    if isinstance(node, ast.Attribute) and node.attr == "major":
        return version[0] if names.name(node.value) == "sys.version_info" else None
    if not isinstance(node, ast.Subscript):
        return version if names.name(node) == "sys.version_info" else None
    name = names.name(node.value)
    if name not in ("sys.version_info", "sys.version"):
        return None
    whole = version if name == "sys.version_info" else "3."
    part = node.slice
    if isinstance(part, ast.Constant) and part.value == 0:
        return whole[0]
    is_first = isinstance(part, ast.Slice) and part.step is None
    if not is_first or not isinstance(part, ast.Slice) or whole is not version:
        return None
    lower = 0 if part.lower is None else getattr(part.lower, "value", None)
    upper = getattr(part.upper, "value", None)
    return version[:upper] if lower == 0 and isinstance(upper, int) else None


def _written(names: Names, node: ast.expr) -> ast.expr | None:
    """What a module sets a name to, once and for all: ``PY2 = sys.version_info[0] == 2``."""
    found = names.scope_of(node).lookup(node.id) if isinstance(node, ast.Name) else None
    if found is None or found[0].kind != "module" or len(found[1]) != 1:
        return None
    binding = found[1][0]
    return binding.written() if binding.kind == "assign" else None
