"""Where the module level first runs a piece of code: where it stands, or is called."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def first_line(node: ast.AST, facts: Facts) -> int:
    """The first line of the module level that may run ``node``.

    Functions and methods run where the module level uses them, or uses what uses them.
    """
    outermost = top_statement(node, facts)
    if not isinstance(outermost, _DEFINITIONS) or runs_at_once(node, facts):
        return start_line(outermost)
    name = outermost.name
    return facts.remembered(("first use", name), lambda: _first_use(name, facts))


def _first_use(definition: str, facts: Facts) -> int:
    """The first line of the module level that uses a definition, or what uses it in turn."""
    result = len(facts.lines) + 1
    pending, seen = [definition], {definition}
    while pending:
        name = pending.pop()
        for use in (u for scope in facts.names.scopes_using(name) for u in scope.uses[name]):
            user = top_statement(use, facts)
            if not isinstance(user, _DEFINITIONS) or runs_at_once(use, facts):
                result = min(result, start_line(user))
            elif user.name not in seen:
                seen.add(user.name)
                pending.append(user.name)
    return result


def runs_at_once(node: ast.AST, facts: Facts) -> bool:
    """Whether the module level evaluates a node itself, maybe as part of a class or a default.

    Args:
        node: any node of the file.
        facts: the facts of the file.
    """
    scope = facts.names.scope_of(node)
    while scope.kind in ("class", "comprehension") and scope.parent is not None:
        scope = scope.parent
    return scope is facts.names.module


def top_statement(node: ast.AST, facts: Facts) -> ast.stmt:
    """The statement of the module level that holds ``node``."""
    while facts.parent(node) is not facts.tree:
        parent = facts.parent(node)
        assert parent is not None
        node = parent
    assert isinstance(node, ast.stmt)
    return node


def start_line(statement: ast.stmt) -> int:
    """The first line of a statement, decorators included."""
    decorators = statement.decorator_list if isinstance(statement, _DEFINITIONS) else []
    return min([statement.lineno, *(d.lineno for d in decorators)])
