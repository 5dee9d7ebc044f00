"""Code that no line of a program leads to."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts


def is_uncalled(node: ast.AST, facts: Facts) -> bool:
    """Whether a place is in a function that no line of the project names.

    Args:
        node: the place; what calls methods, or tests, need not name them.
        facts: the file; a package that can be installed may be used by others.
    """
    function = facts.names.enclosing_function(node)
    if function is None or facts.parent(function) is not facts.tree or function.decorator_list:
        return False
    if facts.files is None or facts.files.is_of_library():
        return False
    name = function.name
    if name.startswith("test") and _may_be_collected(function, facts.files.path.stem):
        return False
    is_named = facts.names.attributes(name) or any(facts.names.scopes_using(name))
    return not is_named and not facts.files.is_used_elsewhere(name)


def is_uncalled_inside(node: ast.AST, facts: Facts) -> bool:
    """Whether a place is in a function inside of another one, which nothing there names.

    Args:
        node: the place.
        facts: the file.
    """
    function = facts.names.enclosing_function(node)
    outer = None if function is None else facts.names.enclosing_function(function)
    if function is None or outer is None:
        return False
    if facts.names.enclosing_class(function) is not facts.names.enclosing_class(outer):
        # A method is called by what it is of.
        return False
    return not (function.decorator_list or any(facts.names.scopes_using(function.name)))


def _may_be_collected(function: ast.FunctionDef | ast.AsyncFunctionDef, file: str) -> bool:
    """Whether what runs tests may find a function, and call it with what its parameters ask for."""
    given = function.args
    needs = len(given.posonlyargs) + len(given.args) > len(given.defaults)
    return file.startswith("test_") or file.endswith("_test") or not needs
