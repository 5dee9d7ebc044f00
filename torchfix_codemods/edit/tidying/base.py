"""What the rules have in common that run behind all others."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Rule


class Tidying(Rule):
    """Base of what runs behind the rules, and is told under none of their codes."""

    code = ""
    since = "0.1"
    numerics = Numerics.IDENTICAL
    words = frozenset()


def is_no_grad(node: ast.stmt, facts: Facts) -> bool:
    """``with torch.no_grad():``, with its body on lines of its own."""
    if not isinstance(node, ast.With) or len(node.items) != 1:
        return False
    context = node.items[0].context_expr
    if not isinstance(context, ast.Call) or node.items[0].optional_vars is not None:
        return False
    return facts.name(context.func) == "torch.no_grad" and node.body[0].lineno > node.lineno


def was_written(block: ast.With, facts: Facts) -> bool:
    """Whether a rewrite put statements under a block."""
    return facts.touched(block.items[0].context_expr)


def stood_further_in(node: ast.stmt, facts: Facts) -> bool:
    """Whether a line stands further to the left than it did."""
    line = facts.as_read(node.lineno)
    return len(line) - len(line.lstrip()) > node.col_offset
