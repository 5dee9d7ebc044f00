"""What a module of whatever class calculates where gradients are off."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evidence.module_outputs import is_module
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module, Tensor, Unknown, Value
from torchfix_codemods.rules.autograd.questions.graphless.wrapped_modules import (
    module_run,
    modules_inside,
)

#: What a project says whose modules may give what requires gradients where they are off.
_OWN_GRAPHS = ("Parameter(", "enable_grad", "set_grad_enabled")


def is_of_unknown_class(value: Value, call: ast.Call, facts: Facts) -> bool:
    """Whether a call is one of a module, of which nothing more is known, nor of what it wraps.

    Args:
        value: what is known of what is called.
        call: the call.
        facts: the facts of the module.
    """
    if isinstance(value, Unknown):
        return is_module(facts.inference, call.func)
    return isinstance(value, Module) and (
        value == Module() or modules_inside(value, facts) is None
    )


def gives_new(call: ast.Call, facts: Facts) -> bool:
    """Whether a module calculates the one tensor that it gives: ``out = net(x)``.

    One of several may be a weight. A tensor with a graph may be handed on as it is, and so may a
    parameter of the project's own; and a module may switch gradients on.
    """
    if not isinstance(facts.value(call), Tensor):
        if not isinstance(facts.value_by_use(call), Tensor):
            return False
    if not call.args or call.keywords or _has_own_graphs(facts):
        return False
    values = [facts.value(given) for given in call.args]
    return all(not isinstance(value, Tensor) or value.grad is False for value in values)


def only_calculates(call: ast.Call, facts: Facts) -> bool:
    """Whether a call is one of a module that gives what it is given, or what it makes of that.

    Where gradients are off, the result has the graph of an argument then, or none.
    """
    if not call.args or call.keywords or _has_own_graphs(facts):
        return False
    module = module_run(call.func, facts)
    return is_of_unknown_class(module, call, facts)


def may_be_hooked(call: ast.Call, facts: Facts) -> bool:
    """Whether a hook may give something else than the module does, as hooks can since torch 1.2."""
    return facts.is_mentioned("register_forward_hook") and not facts.numbers_before(call, (1, 2))


def _has_own_graphs(facts: Facts) -> bool:
    return any(map(facts.is_mentioned, _OWN_GRAPHS))
