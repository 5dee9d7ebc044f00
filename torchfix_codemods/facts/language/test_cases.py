"""Which calls are assertions of ``unittest``: ``self.assertEqual(x, y)`` of a test case."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.classes import Classes
    from torchfix_codemods.facts.language.names import Names

_CASES = frozenset({"unittest.TestCase", "unittest.case.TestCase", "unittest2.TestCase"})


def method_of_test_case(call: ast.Call, names: Names, classes: Classes) -> str | None:
    """The method of ``unittest.TestCase`` that a call is one of, by its name.

    None where a class of the file defines a method of that name, or has a base class of another
    file, which may.
    """
    method, owner = call.func, names.enclosing_class(call)
    function = names.enclosing_function(call)
    if not isinstance(method, ast.Attribute) or not isinstance(method.value, ast.Name):
        return None
    if owner is None or function is None or method.value.id != classes.self_name(function):
        return None
    if classes.method(owner, method.attr) is not None:
        return None
    outer = [
        names.name(base)
        for cls in classes.bases(owner)
        for base in cls.bases
        if classes.definition_of(base) is None
    ]
    is_case = bool(outer) and all(name in _CASES or name == "object" for name in outer)
    return method.attr if is_case and any(name in _CASES for name in outer) else None
