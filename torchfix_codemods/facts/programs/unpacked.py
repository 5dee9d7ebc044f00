"""What takes another number of values apart than there are: ``a, b = f(x)`` of three."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.certain_calls import function_called, is_certainly_run

#: What lets others change what a module gives.
_HOOKS = ("register_forward_hook", "register_module_forward_hook", "__call__")


def is_of_other_number(call: ast.Call, facts: Facts) -> bool:
    """Whether what a call of the project gives is certainly too long or too short for its names.

    Only what a function writes as a tuple in each of its returns has a number that is known.
    """
    statement = facts.parent(call)
    if not isinstance(statement, ast.Assign) or statement.value is not call:
        return False
    taken = [t.elts for t in statement.targets if isinstance(t, (ast.Tuple, ast.List))]
    found = function_called(call, facts) if taken else None
    lengths = set() if found is None else _lengths(found[1])
    if found is None or not lengths or any(_fits(n, part) for part in taken for n in lengths):
        return False
    is_hooked = any(
        there.names.attributes(name) or there.names.texts(name) or _defines(name, there)
        for there in (facts, found[0])
        for name in _HOOKS
    )
    return not is_hooked and is_certainly_run(call, *found, facts)


def _lengths(function: ast.FunctionDef) -> set[int]:
    """How many values a function returns; nothing where that is not known of each return."""
    nodes = list(own_nodes(function))
    given = [node.value for node in nodes if isinstance(node, ast.Return)]
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in nodes):
        return set()
    if not all(isinstance(value, ast.Tuple) for value in given):
        return set()
    parts = [value.elts for value in given if isinstance(value, ast.Tuple)]
    if any(isinstance(part, ast.Starred) for each in parts for part in each):
        return set()
    return {len(each) for each in parts}


def _fits(number: int, taken: list[ast.expr]) -> bool:
    if any(isinstance(part, ast.Starred) for part in taken):
        return number >= len(taken) - 1
    return number == len(taken)


def _defines(name: str, facts: Facts) -> bool:
    functions = facts.names.nodes.get(ast.FunctionDef, ())
    return any(getattr(node, "name", "") == name for node in functions)
