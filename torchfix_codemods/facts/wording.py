"""How messages write the user's code."""

from __future__ import annotations

import ast

#: Code that is longer is no help in a message.
LONGEST = 40


def worded(node: ast.AST, otherwise: str) -> str:
    """The code of an expression; what to say instead where it is too long."""
    text = ast.unparse(node)
    return text if len(text) <= LONGEST else otherwise
