"""Tensors that a function is given: they may be on a GPU where its flag says it needs none."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.devices import Flag
from torchfix_codemods.facts.programs.placement import is_made_on_cpu
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.rules.devices.questions.neighbours import is_new_tensor

_MAX_DEPTH = 20
#: Methods of tensors that lie on the CPU afterwards, as ``x.type(torch.LongTensor)`` does.
_TO_CPU = frozenset({"cpu", "type", "numpy"})


def would_come_back(call: ast.Call, flag: Flag, facts: Facts) -> bool:
    """Whether ``x.to(device)`` may take something to the CPU that ``if cuda: x.cuda()`` left alone.

    A flag that each call of a function chooses says nothing of what the function is given.

    Args:
        call: ``x.cuda()``.
        flag: its flag, which the function around it is given.
        facts: the facts of the module.
    """
    assert isinstance(call.func, ast.Attribute)
    is_chosen = flag.function is not None and flag.after is None and "." not in flag.text
    if not is_chosen or isinstance(facts.value(call.func.value), Module):
        return False
    return _may_be_given(call.func.value, facts)


def _may_be_given(node: ast.expr, facts: Facts, depth: int = 0) -> bool:
    """Whether a tensor may be what a function is given, or a part or a view of it."""
    depth += 1
    if depth > _MAX_DEPTH:
        return True
    if isinstance(node, ast.Name):
        bindings = facts.flow.reaching(node)
        return any(
            binding.kind == "parameter"
            or (
                (binding.value is not None and binding.kind == "assign")
                and _may_be_given(binding.written() or binding.value, facts, depth)
            )
            for binding in bindings
        )
    if isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        # What an object keeps is not given by the call.
        is_kept = isinstance(node.value, ast.Name) and node.value.id == "self"
        return not is_kept and _may_be_given(node.value, facts, depth)
    if isinstance(node, ast.Call):
        return _may_be_given_back(node, facts, depth)
    return any(
        _may_be_given(part, facts, depth)
        for part in ast.iter_child_nodes(node)
        if isinstance(part, ast.expr)
    )


def _may_be_given_back(call: ast.Call, facts: Facts, depth: int) -> bool:
    if is_new_tensor(call, facts) or is_made_on_cpu(facts, call):
        return False
    name = facts.name(call.func)
    if name is None and isinstance(call.func, ast.Attribute):
        if call.func.attr in _TO_CPU:
            return False
        return _may_be_given(call.func.value, facts, depth)
    arguments = call.args[:1] if name == VARIABLE else call.args
    return any(_may_be_given(argument, facts, depth) for argument in arguments)
