"""Which of the names that classes give their objects one of their methods uses, whichever way."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.language.names import Names


def used_by_method(
    names: Names, classes: Sequence[ast.ClassDef], method: ast.FunctionDef
) -> frozenset[str]:
    """The attributes that a method reads, with those that they are made of.

    What it reads that the classes have as a method runs that, and what they have as an attribute
    was set by methods, of whatever they read.

    Args:
        names: the names of the file.
        classes: the class that has the method, and its bases in the file.
        method: the method.
    """
    own = [each for cls in classes for each in cls.body if isinstance(each, ast.FunctionDef)]
    stored = {each: _names_in(names, each, ast.Store) for each in own}
    pending, used = [method], set[str]()
    for each in pending:
        read = _names_in(names, each, ast.Load) - used
        used |= read
        pending += [
            other
            for other in own
            if other not in pending and (other.name in read or stored[other] & read)
        ]
    return frozenset(used)


def _names_in(names: Names, function: ast.AST, context: type[ast.expr_context]) -> set[str]:
    """The attributes that stand in a function to be read, or set; ``x.n += 1`` does both."""
    return {
        node.attr
        for node in names.inside(function, ast.Attribute)
        if isinstance(node.ctx, context) or isinstance(names.parents.get(node), ast.AugAssign)
    }
