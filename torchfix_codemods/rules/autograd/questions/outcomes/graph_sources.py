"""What in an expression may have a graph."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.wrapping import had_no_graph, wrapper_around
from torchfix_codemods.facts.values.lattice import Tensor


def joins_graph(expression: ast.expr, flow: Collection[Binding], facts: Facts) -> bool:
    """Whether something else that may have a graph goes into an expression."""
    return any(
        not (isinstance(node, ast.Name) and set(facts.flow.reaching(node)) & set(flow))
        for node in _with_graph(expression, facts)
    )


def is_made_of(expression: ast.expr, flow: Collection[Binding], facts: Facts) -> bool:
    """Whether nothing with a graph goes into an expression but what is bound in a flow."""
    return all(
        isinstance(node, ast.Name) and set(facts.flow.reaching(node)) <= set(flow)
        for node in _with_graph(expression, facts)
    )


def _with_graph(expression: ast.expr, facts: Facts) -> Iterator[ast.expr]:
    """The names and attributes in an expression that may have a graph."""
    called = {c.func for c in ast.walk(expression) if isinstance(c, ast.Call)}
    for node in ast.walk(expression):
        if not isinstance(node, (ast.Name, ast.Attribute)) or node in called:
            continue
        if isinstance(facts.parent(node), ast.Attribute):
            continue
        value = facts.value(node)
        if isinstance(value, Tensor) and value.grad is not False:
            if not _only_adds_wrapped(node, expression, facts):
                yield node


def _only_adds_wrapped(node: ast.expr, expression: ast.expr, facts: Facts) -> bool:
    """``r`` of ``Variable(r) + x``: a Variable took in no graph, and nothing is called with it."""
    wrapper = wrapper_around(node, facts)
    if wrapper is None or not wrapper.args or not had_no_graph(wrapper.args[0], facts):
        return False
    around: ast.AST | None = wrapper
    while around is not expression and around is not None:
        around = facts.parent(around)
        if isinstance(around, ast.Call):
            return False
    return True
