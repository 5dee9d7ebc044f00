"""What the rules have in common that run behind all others."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.rule import Rule

#: ``if use_cuda: x = x.cuda()``.
_GUARDED = lazy_pattern(r"\s*if\b.*:\s*[\w.]+(?:\s*,\s*[\w.]+)*\s*=[^=]")


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
    """Whether a line stands further to the left than it did, or without the guard before it."""
    line = facts.as_read(node.lineno)
    indent = len(line) - len(line.lstrip())
    is_guarded = indent == node.col_offset and _GUARDED.match(line) is not None
    return indent > node.col_offset or is_guarded
