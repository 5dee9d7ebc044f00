"""Whether a model applies one BatchNorm to several inputs."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, constant
from torchfix_codemods.facts.language.branches import are_exclusive
from torchfix_codemods.facts.language.nodes import COMPREHENSIONS, LOOPS
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module, Value
from torchfix_codemods.rules.training.questions.mode_layers import is_so_of_a_class

#: Layers that normalize by the statistics of all that they saw, in evaluation.
_NORMALIZATIONS = ("torch.nn.BatchNorm", "torch.nn.SyncBatchNorm")
_REPEATING = (*LOOPS, *COMPREHENSIONS)


def shares_statistics(facts: Facts, value: Value) -> bool:
    """Whether a BatchNorm of a model is applied more than once each time: it normalizes each of its
    inputs by itself in training, and all by what it learned of them together in evaluation.
    """
    return is_so_of_a_class(facts, value, _shares_statistics)


def _shares_statistics(facts: Facts, cls: ast.ClassDef) -> bool:
    applied: dict[tuple[ast.AST | None, str], ast.Call] = {}
    for call in facts.names.inside(cls, ast.Call):
        if not isinstance(call.func, ast.Attribute) or not _is_normalization(facts, call.func):
            continue
        method = facts.names.enclosing_function(call)
        other = applied.setdefault((method, ast.unparse(call.func)), call)
        if other is not call and not are_exclusive(facts.names, other, call):
            return True
        if any(isinstance(around, _REPEATING) for around in facts.names.ancestors(call)):
            return True
    return False


def _is_normalization(facts: Facts, layer: ast.Attribute) -> bool:
    """Whether an attribute of an object itself is one BatchNorm that keeps statistics."""
    if not isinstance(layer.value, ast.Name) or facts.name(layer) is not None:
        return False
    value = facts.value(layer)
    if not isinstance(value, Module) or not (value.cls or "").startswith(_NORMALIZATIONS):
        return False
    keeps = argument(value.call, 4, "track_running_stats") if value.call else None
    return keeps is None or constant(keeps) is not False
