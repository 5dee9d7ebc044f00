"""Where the gradients of parameters are read."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.language.nodes import last_name, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.writes import is_parameter
from torchfix_codemods.facts.programs.training import called_function

GRADIENTS = ("grad", "_grad")
"""The attributes that hold the gradient of a tensor."""

_MAKING = frozenset({"backward", "grad", "step", "zero_grad"})


def read_next(call: ast.Call, facts: Facts) -> ast.AST | None:
    """The gradient of a parameter that is read below a call, before any other is made.

    None where no such is certain, or the code asks whether there is one.
    """
    statement = facts.parent(call)
    if not isinstance(statement, ast.Expr):
        return None
    block = facts.block(statement)
    for later in block[block.index(statement) + 1 :]:
        nodes = [*walk(later)]
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        if any(last_name(node.func) in _MAKING for node in calls):
            return None
        reads = [node for node in nodes if _is_read(node, facts)]
        if reads:
            return None if any(_is_asked_for(node, facts) for node in reads) else reads[0]
        if any(called_function(node, facts) is not None for node in calls):
            return None
    return None


def _is_read(node: ast.AST, facts: Facts) -> bool:
    return is_gradient(node, facts) and isinstance(getattr(node, "ctx", None), ast.Load)


def _is_asked_for(node: ast.AST, facts: Facts) -> bool:
    """Whether code asks whether there is a gradient: it knows that there may be none."""
    return isinstance(facts.parent(node), (ast.Compare, ast.If, ast.BoolOp, ast.UnaryOp))


def fails_without(read: ast.AST, facts: Facts) -> bool:
    """Whether a read of a gradient certainly raises where there is none."""
    return isinstance(facts.parent(read), (ast.Attribute, ast.BinOp, ast.Subscript))


def first_failing(reads: Sequence[ast.expr], facts: Facts) -> ast.expr | None:
    """The first of some reads of gradients that raises where there is none.

    None where one of them asks whether there is one.
    """
    if any(_is_asked_for(read, facts) for read in reads):
        return None
    return next((read for read in reads if fails_without(read, facts)), None)


def is_gradient(node: ast.AST, facts: Facts) -> bool:
    is_named = isinstance(node, ast.Attribute) and node.attr in GRADIENTS
    return is_named and isinstance(node, ast.Attribute) and is_parameter(node.value, facts)
