"""What is known of an expression of a short program."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.facts.values.lattice import Value


def value_of_last(text: str, name: str) -> Value:
    """The value of the last read of a name, or of an attribute of that name, in a program."""
    facts = WholeFacts(ast.parse(text), text)
    reads = [
        node
        for node in ast.walk(facts.tree)
        if isinstance(node, (ast.Name, ast.Attribute))
        and isinstance(node.ctx, ast.Load)
        and (node.id if isinstance(node, ast.Name) else node.attr) == name
    ]
    return facts.value(max(reads, key=lambda node: (node.lineno, node.col_offset)))
