"""What code makes of a tensor, whether it was written for one or for a Variable."""

from __future__ import annotations

import ast
from typing import TypeGuard

from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts


def as_of_tensor(node: object, subject: str, facts: Facts) -> object:
    """What a tensor makes of code, to be compared: nothing of ``Variable(x)``, and ``x`` of its own
    ``.data`` and ``.detach()``.

    Args:
        node: the code, a list of code, or a part of it that is none.
        subject: how the code calls the tensor.
        facts: the facts of its file.
    """
    if isinstance(node, list):
        return [as_of_tensor(each, subject, facts) for each in node]
    if not isinstance(node, ast.AST):
        return node
    if isinstance(node, ast.Call) and not node.keywords:
        if len(node.args) == 1 and facts.name(node.func) == VARIABLE:
            return as_of_tensor(node.args[0], subject, facts)
        if not node.args and _is_part(node.func, "detach", subject):
            return as_of_tensor(node.func.value, subject, facts)
    if _is_part(node, "data", subject):
        return as_of_tensor(node.value, subject, facts)
    parts = [as_of_tensor(part, subject, facts) for _, part in ast.iter_fields(node)]
    return type(node), parts


def _is_part(node: ast.AST, part: str, subject: str) -> TypeGuard[ast.Attribute]:
    if not isinstance(node, ast.Attribute) or node.attr != part:
        return False
    return isinstance(node.value, ast.Name) and node.value.id == subject
