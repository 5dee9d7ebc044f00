"""What a module of whatever class calculates where gradients are off."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evidence.module_outputs import is_module
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.language.nodes import values_returned
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.held import parameter_held
from torchfix_codemods.facts.paths.writes import is_parameter
from torchfix_codemods.facts.values.lattice import UNKNOWN, Module, Tensor, Unknown, Value
from torchfix_codemods.rules.autograd.questions.graphless.wrapped_modules import (
    forwards_of_project,
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
    return isinstance(value, Module) and (value == Module() or modules_inside(value, facts) is None)


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
    return not any(_may_have_graph(given, facts) for given in call.args)


def _may_have_graph(given: ast.expr, facts: Facts) -> bool:
    """Whether a tensor that a module is given may, also one in a tuple, or as it was wrapped."""
    if isinstance(given, (ast.Tuple, ast.List)):
        return any(_may_have_graph(each, facts) for each in given.elts)
    value = facts.value(given)
    if isinstance(given, ast.Call) and facts.name(given.func) == VARIABLE:
        wrapped = given.args[0] if len(given.args) == 1 and not given.keywords else None
        value = UNKNOWN if wrapped is None else facts.value(wrapped)
        is_given = isinstance(wrapped, ast.Name) and parameter_held(wrapped, facts)[0] is not None
        # That a parameter is a tensor shows by the wrapper alone.
        return not isinstance(value, Tensor) or value.grad not in (
            (None, False) if is_given else (False,)
        )
    return isinstance(value, Tensor) and value.grad is not False


def only_calculates(call: ast.Call, facts: Facts, is_part: bool = False) -> bool:
    """Whether a call is one of a module that gives what it is given, or what it makes of that.

    So does an ``nn.Sequential`` whose layers are not written out: ``*list(vgg.children())``.
    Where gradients are off, the result has the graph of an argument then, or none. One of several
    results may be a weight as well, where a class of the project shows one that is.

    Args:
        call: the call.
        facts: the facts of the module.
        is_part: whether one of several results is asked for.
    """
    if not call.args or is_opaque(call) or _has_own_graphs(facts):
        return False
    module = module_run(call.func, facts)
    is_unknown = is_of_unknown_class(module, call, facts) or _is_sequential(module)
    return is_unknown and not (is_part and _may_give_weight(facts))


def _is_sequential(value: Value) -> bool:
    return (
        isinstance(value, Module)
        and value.cls == "torch.nn.Sequential"
        and value.definition is None
    )


def _may_give_weight(facts: Facts) -> bool:
    """Whether a ``forward`` of the project gives a weight beside something else."""

    def find() -> bool:
        return any(
            isinstance(given, (ast.Tuple, ast.List))
            and any(is_parameter(element, there) for element in given.elts)
            for there, forward in forwards_of_project(facts)
            for given in values_returned(forward) or ()
        )

    return facts.names.remembered(_may_give_weight, find)


def may_be_hooked(call: ast.Call, facts: Facts) -> bool:
    """Whether a hook may give something else than the module does, as hooks can since torch 1.2."""
    return facts.is_mentioned("register_forward_hook") and not facts.numbers_before(call, (1, 2))


def _has_own_graphs(facts: Facts) -> bool:
    return any(map(facts.is_mentioned, _OWN_GRAPHS))
