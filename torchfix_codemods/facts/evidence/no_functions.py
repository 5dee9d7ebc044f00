"""What a place shows to be no function, whatever bears the name of one."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.language.names import Names

#: What calls the methods of a data set, or the length of what it is given.
_ASKING = frozenset({"torch.utils.data.DataLoader", "len"})


def is_no_function(names: Names, node: ast.expr) -> bool:
    """Whether an expression is used as functions cannot be: ``DataLoader(data.train)``.

    They have no parts and no length, and are neither gone through nor calculated with.
    """
    around = names.parents.get(node)
    if isinstance(around, ast.Subscript):
        return around.value is node
    if isinstance(around, (ast.For, ast.comprehension)):
        return around.iter is node
    if isinstance(around, ast.keyword):
        around = names.parents.get(around)
    if isinstance(around, ast.Call):
        asking = names.name(around.func) or names.builtin(around.func)
        return asking in _ASKING and argument(around, 0, "dataset") is node
    return isinstance(around, ast.BinOp) and not isinstance(around.op, ast.Mod)
