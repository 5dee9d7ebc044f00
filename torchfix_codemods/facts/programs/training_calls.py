"""Which calls are part of training, and which of them change what is trained."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.classes_below import classes_below
from torchfix_codemods.facts.paths.named import function_named, is_one_file
from torchfix_codemods.facts.values.lattice import Function, Scheduler

#: Methods whose call is part of training.
_TRAINING_METHODS = frozenset({"backward", "step", "zero_grad"})
_TRAINING_FUNCTIONS = frozenset({"torch.autograd.grad", "torch.autograd.backward"})


def is_training_call(call: ast.Call, facts: Facts) -> bool:
    """``loss.backward()``, ``optimizer.step()``; not ``environment.step(action)``.

    What a class of the project calls ``backward`` does what it says there.
    """
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _TRAINING_METHODS:
        return facts.name(call.func) in _TRAINING_FUNCTIONS
    if call.func.attr == "backward" and _is_of_project(call.func, facts):
        return False
    if call.func.attr != "step" or not call.args:
        return True
    # An optimizer takes nothing but a closure.
    return isinstance(facts.value(call.args[0]), Function)


def _is_of_project(method: ast.Attribute, facts: Facts) -> bool:
    """Whether a method is one of a class of the project, and no other file has one below it."""
    found = function_named(method, facts)
    owner = None if found is None else found[0].parent(found[1])
    if found is None or not isinstance(owner, ast.ClassDef):
        return False
    home = found[0]
    below = [] if home.files is None else classes_below(home, owner)
    return below is not None and all(
        is_one_file(there, home) or method.attr not in there.names.scopes[cls].bindings
        for there, cls in below
    )


def is_step(call: ast.Call, facts: Facts) -> bool:
    """``optimizer.step()``; not ``scheduler.step()``, which changes no weight."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "step":
        return False
    is_of_scheduler = isinstance(facts.value(call.func.value), Scheduler)
    return not is_of_scheduler and is_training_call(call, facts)
