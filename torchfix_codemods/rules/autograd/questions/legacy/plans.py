"""How legacy functions are written with static methods."""

from __future__ import annotations

import ast

from torchfix_codemods.edit.static_methods import Plan
from torchfix_codemods.facts.language.nodes import is_docstring
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.autograd.questions.legacy.attributes import (
    keeps_state,
    superseded,
    uses_context_only,
)
from torchfix_codemods.rules.autograd.questions.legacy.constructors import only_stores
from torchfix_codemods.rules.autograd.questions.legacy.functions import methods_of
from torchfix_codemods.rules.autograd.questions.legacy.kept_outputs import kept_outputs
from torchfix_codemods.rules.autograd.questions.legacy.returned_gradients import (
    counts_gradients,
    named_gradients,
)

_METHODS = frozenset({"__init__", "forward", "backward"})


def plan_of(facts: Facts, node: ast.ClassDef) -> Plan | None:
    """How a legacy function is written with static methods; None where that is not certain."""
    methods = methods_of(node)
    constructor, forward = methods.get("__init__"), methods["forward"]
    statements = [s for s in node.body if not isinstance(s, ast.FunctionDef)]
    if set(methods) - _METHODS or not all(isinstance(s, (ast.Expr, ast.Pass)) for s in statements):
        return None
    if node.decorator_list or any(m.decorator_list or not m.args.args for m in methods.values()):
        return None
    if not all(_is_plain(method, facts) for method in methods.values()):
        return None
    selves = {name: m.args.args[0].arg for name, m in methods.items()}
    parameters = tuple(constructor.args.args[1:]) if constructor is not None else ()
    inputs = None if forward.args.vararg is not None else len(forward.args.args) - 1
    if (parameters and inputs is None) or not uses_context_only(methods, selves):
        return None
    if constructor is not None:
        if constructor.args.vararg or not only_stores(node, constructor, forward, facts):
            return None
    backward = methods.get("backward")
    if parameters and backward is not None and not counts_gradients(backward, inputs, facts):
        return None
    kept = kept_outputs(facts, methods)
    if kept.left is not None:
        return None
    named = {} if backward is None else dict(named_gradients(backward, facts))
    defaults = tuple(constructor.args.defaults) if constructor is not None else ()
    in_vain = frozenset(superseded(constructor, forward, selves) if constructor else ())
    given = tuple(forward.args.defaults)
    has_state = constructor is not None and keeps_state(methods, selves, in_vain)
    return Plan(selves, parameters, defaults, inputs, given, in_vain, named, kept, has_state)


def _is_plain(method: ast.FunctionDef, facts: Facts) -> bool:
    """Whether a method takes no more than ``self, x, y=None, *args``, and has lines of its own."""
    arguments = method.args
    if arguments.posonlyargs or arguments.kwonlyargs or arguments.kwarg:
        return False
    first = method.body[0]
    above = facts.lines[first.lineno - 1].encode("utf-8")[: first.col_offset]
    return not above.strip() and not is_docstring(method.body[-1])
