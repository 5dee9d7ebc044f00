"""What a loss is given: what an activation along the classes gives, or a linear layer."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.applications import applications
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module, Tensor
from torchfix_codemods.rules.losses.questions.last_activations import (
    Activation,
    activation_of,
    applied_by,
)


def is_of_scores(construction: ast.Call, facts: Facts) -> bool:
    """Whether all that a ``BCELoss`` is called with certainly comes out of linear layers."""
    if facts.name(construction.func) != "torch.nn.BCELoss" or is_opaque(construction):
        return False
    calls = applications(facts.inference, construction)
    return bool(calls) and all(_is_linear(call, facts) for call in calls or ())


def _is_linear(call: ast.Call, facts: Facts) -> bool:
    given = None if is_opaque(call) else argument(call, 0, "input")
    activation = None if given is None else activation_of(facts, given)
    return activation is not None and activation.kind == "linear"


def is_plain(activation: Activation) -> bool:
    """Whether an activation is a function or method along the dimension of the classes."""
    call, facts = activation.call, activation.facts
    if applied_by(facts, call) is None or is_opaque(call) or _is_layer(call, facts):
        return False
    is_method = facts.name(call.func) is None
    others = call.args if is_method else call.args[1:]
    if activation.kind == "sigmoid":
        return not others and not call.keywords
    if len(others) + len(call.keywords) != 1:
        return False
    dim = others[0] if others else argument(call, None, "dim")
    if constant(dim) == 1:
        return True
    value = facts.value(call)
    last = isinstance(dim, ast.UnaryOp) and ast.unparse(dim) == "-1"
    return last and isinstance(value, Tensor) and value.ndim == 2


def operand_of(activation: Activation) -> ast.expr | None:
    """What an activation is applied to; None where a layer in a sequence applies it."""
    call, facts = activation.call, activation.facts
    if applied_by(facts, call) is None or is_opaque(call):
        return None
    is_method = isinstance(call.func, ast.Attribute) and facts.name(call.func) is None
    if is_method and not _is_layer(call, facts):
        assert isinstance(call.func, ast.Attribute)
        return call.func.value
    return argument(call, 0, "input")


def _is_layer(call: ast.Call, facts: Facts) -> bool:
    return facts.name(call.func) is None and isinstance(facts.value(call.func), Module)
