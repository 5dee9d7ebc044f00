"""Where code asks which function it has, so that another one that does the same is not the same."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.names import Names


def is_told_apart(names: Names, function: ast.expr, new: str) -> bool:
    """Whether a function is compared with others, looked up, or named beside its new name.

    ``if f is F.sigmoid``, ``{F.sigmoid: 4}``, ``table[F.sigmoid]``, ``@register(F.sigmoid)``,
    ``[torch.sigmoid, F.sigmoid]``: what others hand over there is the function by its old name.

    Args:
        names: of the file.
        function: a use of the old name.
        new: the qualified name of today.
    """
    parent = names.parents.get(function)
    if isinstance(parent, ast.Dict):
        return function in parent.keys
    if isinstance(parent, ast.Subscript):
        return parent.slice is function
    if isinstance(parent, ast.Compare):
        return True
    if isinstance(parent, ast.Call):
        decorated = names.parents.get(parent)
        is_given = function in parent.args
        if is_given and parent in getattr(decorated, "decorator_list", ()):
            return True
        return is_given and _is_among(names, new, parent.args)
    if isinstance(parent, (ast.List, ast.Set, ast.Tuple)):
        is_compared = isinstance(names.parents.get(parent), ast.Compare)
        return is_compared or _is_among(names, new, parent.elts)
    return False


def _is_among(names: Names, name: str, nodes: list[ast.expr]) -> bool:
    return any(
        isinstance(node, (ast.Name, ast.Attribute)) and names.name(node) == name for node in nodes
    )
