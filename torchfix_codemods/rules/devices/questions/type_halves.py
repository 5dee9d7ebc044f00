"""Choices that make the same on the GPU in one half, and on the CPU in the other."""

from __future__ import annotations

import ast

from torchfix_codemods.edit.tidying.beside import has_comments_twice
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.pure import only_computes
from torchfix_codemods.rules.devices.questions.asked_types import tensor_of_gpu_type
from torchfix_codemods.rules.devices.questions.gpu_moves import tensor_on_gpu
from torchfix_codemods.rules.devices.questions.gpu_types import CPU_TYPE_OF
from torchfix_codemods.rules.devices.questions.named.combined import device_of_calculated
from torchfix_codemods.rules.devices.questions.neighbours import follows_input, tensor_beside
from torchfix_codemods.rules.devices.questions.plan.device_plan import all_moves_stay


def has_other_half(test: ast.expr, facts: Facts) -> bool:
    """Whether something is made on the CPU, or nothing of torch, where a test does not hold.

    Args:
        test: a test under which something is made on the GPU.
        facts: the facts of the module.
    """
    asked = facts.parent(test)
    is_negated = isinstance(asked, ast.UnaryOp) and isinstance(asked.op, ast.Not)
    choice = facts.parent(asked) if is_negated and asked is not None else asked
    if not isinstance(choice, (ast.If, ast.IfExp)) or not choice.orelse:
        return False
    return not any(
        isinstance(node, ast.Attribute) and facts.name(node) in CPU_TYPE_OF
        for part in _parts(choice.body if is_negated else choice.orelse)
        for node in ast.walk(part)
    )


def halves_say_the_same(test: ast.expr, facts: Facts) -> bool:
    """Whether the halves of a choice by a test differ by the device of what they make alone.

    Nothing has to keep the choice then: no comment in one half alone, no choice that it goes on
    from.
    """
    choice = facts.parent(test)
    if not isinstance(choice, (ast.If, ast.IfExp)):
        return False
    lines = facts.lines[choice.lineno - 1 : choice.end_lineno]
    if lines[0].lstrip().startswith("elif"):
        return False
    if any("#" in line for line in lines):
        if isinstance(choice, ast.IfExp) or not has_comments_twice(choice, facts):
            return False
    there, here = _text(choice.body), _text(choice.orelse)
    return there != here and there.replace("torch.cuda.", "torch.") == here


def tensor_for(node: ast.AST, test: ast.expr, facts: Facts) -> str | None:
    """The device of a tensor that says what a test asks: ``x.device`` for ``x.is_cuda``.

    Or of the one that all is calculated with which is made there, or of a parameter beside, where
    the test is a flag in a method of a module, and no move of the file has to stay under such a
    flag.
    """
    tensor = tensor_on_gpu(test, facts) or tensor_of_gpu_type(test, facts)
    if isinstance(tensor, (ast.Name, ast.Attribute)):
        return f"{ast.unparse(tensor)}.device"
    partner = device_of_calculated(facts.statement(node), facts)
    if partner is not None and only_computes(facts, test):
        return partner
    if all_moves_stay(facts):
        return None
    beside = tensor_beside(node, facts)
    device = f"{beside}.device"
    return device if beside is not None and follows_input(test, device, node, facts) else None


def _parts(half: ast.expr | list[ast.stmt]) -> list[ast.AST]:
    return [*half] if isinstance(half, list) else [half]


def _text(half: ast.expr | list[ast.stmt]) -> str:
    return "\n".join(map(ast.unparse, _parts(half)))
