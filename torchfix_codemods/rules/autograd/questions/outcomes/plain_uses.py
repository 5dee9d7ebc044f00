"""Uses of a value that need no graph, and record none."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.libraries import python_functions, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.integers import holds_integers


def is_read_without_graph(use: ast.Name, facts: Facts) -> bool:
    """``output.data``: nothing is computed from the value that could record a graph."""
    parent = facts.parent(use)
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
        return facts.names.builtin(parent.func) == "len"
    if isinstance(parent, ast.Call) and use in parent.args:
        # ``threshold.expand_as(output)``
        method = parent.func if isinstance(parent.func, ast.Attribute) else None
        is_only_read = method is not None and torch_effects.only_reads_arguments(method.attr)
        return method is not None and is_only_read and facts.is_tensor(method.value)
    if isinstance(parent, ast.comprehension) and parent.iter is use:
        return only_cuts(parent, facts)
    while isinstance(parent, ast.Attribute):
        if torch_effects.cuts_graph(parent.attr):
            return True
        call = facts.parent(parent)
        if not torch_effects.may_come_before(parent.attr) or not isinstance(call, ast.Call):
            return False
        parent = facts.parent(call)
    return False


def only_cuts(loop: ast.comprehension, facts: Facts) -> bool:
    """``[x.cpu().data for x in outputs]``: of each element nothing is kept that has its graph.

    Nor have the keys of a dict one.
    """
    if _gives_keys(loop.iter, facts):
        return True
    names = [node for node in walk(loop.target) if isinstance(node, ast.expr)]
    if not all(isinstance(node, (ast.Name, ast.List, ast.Tuple)) for node in names):
        return False
    return all(
        is_read_without_graph(use, facts)
        for name in names
        if isinstance(name, ast.Name)
        for use in facts.names.uses_of(facts.names.scope_of(name), name.id)
        if isinstance(use.ctx, ast.Load)
    )


def _gives_keys(walked: ast.expr, facts: Facts) -> bool:
    """Whether a loop is over what is written out as a dict, of texts or numbers as its keys."""
    made = facts.assigned(walked) if isinstance(walked, ast.Name) else None
    return bool(made) and all(
        isinstance(each, ast.Dict) and all(isinstance(key, ast.Constant) for key in each.keys)
        for each in made or ()
    )


def stays_whole(use: ast.Name, expression: ast.expr, facts: Facts) -> bool:
    """``indices.cpu()``: only methods of whole numbers are called, which never have a graph."""
    node: ast.AST = expression
    while node is not use:
        if isinstance(node, ast.Call) and (node.args or node.keywords):
            return False
        node = node.func if isinstance(node, ast.Call) else node
        if not isinstance(node, ast.Attribute):
            return False
        node = node.value
    return holds_integers(facts.value(use)) and holds_integers(facts.value(expression))


def returns_history(statement: ast.stmt) -> bool:
    """``return total / n``: whatever is computed here has its history, or none, from before."""
    return isinstance(statement, ast.Return) and all(
        _gives_number(node.func) for node in ast.walk(statement) if isinstance(node, ast.Call)
    )


def _gives_number(function: ast.expr) -> bool:
    """``len``, ``x.size``, ``x.sum``, ``x.cpu``: what is called to return a number or a tensor."""
    if not isinstance(function, ast.Attribute):
        name = getattr(function, "id", "")
        return name == "sum" or python_functions.reports(name)
    return torch_effects.does(function.attr, "tells", "leaves", "moves") or (
        torch_effects.does(function.attr, "reduces") and torch_effects.is_recorded(function.attr)
    )
