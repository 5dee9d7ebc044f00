"""Which calls are part of training, and which of them change what is trained."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Function, Scheduler

#: Methods whose call is part of training.
_TRAINING_METHODS = frozenset({"backward", "step", "zero_grad"})
_TRAINING_FUNCTIONS = frozenset({"torch.autograd.grad", "torch.autograd.backward"})


def is_training_call(call: ast.Call, facts: Facts) -> bool:
    """``loss.backward()``, ``optimizer.step()``; not ``environment.step(action)``."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _TRAINING_METHODS:
        return facts.name(call.func) in _TRAINING_FUNCTIONS
    if call.func.attr != "step" or not call.args:
        return True
    # An optimizer takes nothing but a closure.
    return isinstance(facts.value(call.args[0]), Function)


def is_step(call: ast.Call, facts: Facts) -> bool:
    """``optimizer.step()``; not ``scheduler.step()``, which changes no weight."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "step":
        return False
    is_of_scheduler = isinstance(facts.value(call.func.value), Scheduler)
    return not is_of_scheduler and is_training_call(call, facts)
