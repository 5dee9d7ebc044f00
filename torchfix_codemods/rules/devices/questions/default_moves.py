"""Moves to the default GPU: which of them can be written for any device."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.classes_elsewhere import method_of
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module, Unknown
from torchfix_codemods.rules.devices.questions.device_at_hand import device_at_hand
from torchfix_codemods.rules.devices.questions.gpu_moves import (
    MOVABLE,
    is_of_a_module,
    moved_value,
    moves_to_default_gpu,
)
from torchfix_codemods.rules.devices.questions.gpu_only import is_meant_for_gpu

_OWN_MOVES = frozenset({"cuda", "to"})


def is_default_move(call: ast.Call, facts: Facts) -> bool:
    """Whether a call is ``x.cuda()``, and no part of what a class says its own means."""
    if not moves_to_default_gpu(call) or is_of_a_module(call, facts):
        return False
    function = facts.names.enclosing_function(call)
    return function is None or function.name != "cuda"


def is_movable(call: ast.Call, facts: Facts) -> bool:
    """Whether what moves is certainly a tensor or a module that has no way of its own to move."""
    receiver = moved_value(call, facts)
    if isinstance(receiver, Module) and _moves_its_own_way(receiver, facts):
        return False
    return isinstance(receiver, MOVABLE)


def half_known(facts: Facts) -> frozenset[ast.stmt]:
    """The statements in which something unknown moves: ``x, y = x.cuda(), y.cuda()`` of which only
    ``x`` is known stays as it is."""

    def find() -> frozenset[ast.stmt]:
        calls = facts.names.nodes.get(ast.Call, ())
        return frozenset(
            facts.statement(call)
            for call in calls
            if isinstance(call, ast.Call) and is_default_move(call, facts)
            if isinstance(moved_value(call, facts), Unknown)
        )

    return facts.remembered("statements that move what is not known", find)


def first_without_device(facts: Facts) -> ast.Call | None:
    """The first ``x.cuda()`` of a file that needs a GPU, and for which no device is at hand."""
    return next(iter(moves_without_device(facts)), None)


def moves_without_device(facts: Facts) -> list[ast.Call]:
    """Every ``x.cuda()`` of a file that needs a GPU, and for which no device is at hand."""

    def find() -> list[ast.Call]:
        calls = [call for call in facts.names.nodes.get(ast.Call, ()) if isinstance(call, ast.Call)]
        return [
            call
            for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset))
            if is_default_move(call, facts) and is_movable(call, facts)
            if not is_meant_for_gpu(call, facts) and device_at_hand(call, facts) is None
        ]

    return facts.remembered(".cuda() without a device", find)


def _moves_its_own_way(module: Module, facts: Facts) -> bool:
    """Whether a module may be of a class of the project that says itself what moving it means."""
    if module.either:
        return any(_moves_its_own_way(one, facts) for one in module.either)
    if module.definition is not None or module.origin is not None:
        return any(method_of(facts.inference, module, name) for name in _OWN_MOVES)
    return module.cls is None and bool(method_names(facts.names) & _OWN_MOVES)
