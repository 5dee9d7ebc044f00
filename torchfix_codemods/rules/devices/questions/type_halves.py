"""Choices that make the same on the GPU in one half, and on the CPU in the other."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.devices.questions.asked_types import tensor_of_gpu_type
from torchfix_codemods.rules.devices.questions.gpu_moves import tensor_on_gpu
from torchfix_codemods.rules.devices.questions.gpu_types import CPU_TYPE_OF
from torchfix_codemods.rules.devices.questions.neighbours import follows_input, tensor_beside


def choice_around(test: ast.expr, facts: Facts) -> ast.If | ast.IfExp | None:
    """The choice with two halves that a test is asked by.

    Args:
        test: a test under which something is made.
        facts: the facts of the module.

    Returns:
        None where one half is empty, or makes something on the GPU as well.
    """
    choice = facts.parent(test)
    if not isinstance(choice, (ast.If, ast.IfExp)) or not choice.orelse:
        return None
    makes_there = any(
        isinstance(node, ast.Attribute) and facts.name(node) in CPU_TYPE_OF
        for part in _parts(choice.orelse)
        for node in ast.walk(part)
    )
    return None if makes_there else choice


def says_the_same(choice: ast.If | ast.IfExp) -> bool:
    """Whether the halves of a choice differ by the device of what they make alone."""
    there, here = _text(choice.body), _text(choice.orelse)
    return there != here and there.replace("torch.cuda.", "torch.") == here


def tensor_for(node: ast.AST, test: ast.expr, facts: Facts) -> str | None:
    """The device of a tensor that says what a test asks: ``x.device`` for ``x.is_cuda``.

    Or of a parameter beside, where the test is a flag in a method of a module.
    """
    tensor = tensor_on_gpu(test, facts) or tensor_of_gpu_type(test, facts)
    if isinstance(tensor, (ast.Name, ast.Attribute)):
        return f"{ast.unparse(tensor)}.device"
    beside = tensor_beside(node, facts)
    device = f"{beside}.device"
    return device if beside is not None and follows_input(test, device, node, facts) else None


def _parts(half: ast.expr | list[ast.stmt]) -> list[ast.AST]:
    return [*half] if isinstance(half, list) else [half]


def _text(half: ast.expr | list[ast.stmt]) -> str:
    return "\n".join(map(ast.unparse, _parts(half)))
