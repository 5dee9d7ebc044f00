"""What an attribute certainly holds, as the line above has just stored it there."""

from __future__ import annotations

import ast

from torchfix_codemods.edit.tidying.leftovers import is_plain
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts


def stored_right_above(node: ast.Attribute, facts: Facts) -> ast.expr | None:
    """What the statement above ``v = f(self.x)`` keeps in ``self.x``, whatever others keep there.

    Between the two it may only be filled with numbers: ``self.x.fill_(0)``.
    """
    statement, text = facts.statement(node), ast.unparse(node)
    if not (isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)):
        return None
    if statement.value.args[:1] != [node] or not is_plain(node, facts):
        # What is evaluated before it, or more than once, may store something else.
        return None
    block = facts.block(statement)
    for above in reversed(block[: block.index(statement)]):
        if isinstance(above, ast.Assign):
            is_it = len(above.targets) == 1 and ast.unparse(above.targets[0]) == text
            return above.value if is_it else None
        if not (isinstance(above, ast.Expr) and _is_filled(above.value, text)):
            return None
    return None


def _is_filled(node: ast.expr, text: str) -> bool:
    """Whether a call writes nothing but numbers into what is called ``text``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.keywords:
        return False
    method = node.func.attr
    writes = bool(torch_effects.writes(method)) and not torch_effects.changes_object(method)
    is_of_numbers = all(isinstance(argument, ast.Constant) for argument in node.args)
    return writes and is_of_numbers and ast.unparse(node.func.value) == text
