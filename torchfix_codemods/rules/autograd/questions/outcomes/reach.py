"""How far a value reaches inside one statement: to its end, or to where its history is cut."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.foreign import is_foreign
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import (
    Array,
    Method,
    Module,
    Number,
    Optimizer,
    Tensor,
    Text,
    Unknown,
)
from torchfix_codemods.facts.values.torch_api import MAKE_ANEW
from torchfix_codemods.record import record
from torchfix_codemods.rules.autograd.questions.outcomes.plain_uses import only_cuts


@record
class Reach:
    """The part of a statement that is computed from a value.

    Attributes:
        expression: the largest expression that is computed from the value with its graph.
        ends: whether the graph goes no further than that expression.
        is_certain: False where code that is not known may have cut the graph before.
    """

    expression: ast.expr
    ends: bool
    is_certain: bool = True


def reach_of(use: ast.expr, facts: Facts) -> Reach:
    """How far the graph of ``use`` reaches in its statement.

    Args:
        use: an expression that gives the value.
        facts: the facts of the module.
    """
    node = use
    is_certain = True
    child: ast.AST = use
    for parent in facts.names.ancestors(use):
        if isinstance(parent, ast.stmt) or _is_several_values(parent, facts):
            break
        if isinstance(parent, ast.Attribute) and torch_effects.cuts_graph(parent.attr):
            return Reach(node, True, is_certain)
        if isinstance(parent, ast.comprehension) and child is parent.iter:
            if only_cuts(parent, facts):
                return Reach(node, True, is_certain)
        if isinstance(parent, ast.Call) and child is not parent.func:
            if _makes_new(parent, facts):
                return Reach(node, True, is_certain)
            if isinstance(facts.value(parent), (Number, Array, Text)):
                return Reach(parent, True, is_certain)
            is_certain = is_certain and _keeps_graph(parent, facts)
        if isinstance(parent, ast.expr):
            node = parent
        child = parent
    return Reach(node, isinstance(facts.value(node), (Number, Array, Text)), is_certain)


def _is_several_values(node: ast.AST, facts: Facts) -> bool:
    """``data, target = …, …``: each value is on its own."""
    return isinstance(node, (ast.Tuple, ast.List)) and isinstance(facts.parent(node), ast.stmt)


def _makes_new(call: ast.Call, facts: Facts) -> bool:
    name = facts.name(call.func)
    return name is not None and (name in MAKE_ANEW or name.startswith("numpy.") or is_foreign(name))


def _keeps_graph(call: ast.Call, facts: Facts) -> bool:
    """Whether a call certainly gives something that has the graph of its arguments."""
    name = facts.name(call.func)
    if name is not None:
        return name.startswith("torch.")
    callee = facts.value(call.func)
    if isinstance(callee, Module):
        return callee.definition is None and callee.origin is None
    if isinstance(callee, Method):
        return isinstance(callee.receiver, (Tensor, Optimizer))
    return isinstance(callee, Unknown) and facts.names.builtin(call.func) is not None
