"""Tensors that are made with the sizes of another one."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.libraries.torch_table import forms_of, forms_of_old
from torchfix_codemods.facts.module import Facts


def with_sizes(facts: Facts, name: str, args: list[ast.expr]) -> ast.expr | None:
    """``y`` of ``x.view(*y.size())``, also by a name of the sizes, and of ``x.view_as(y)``: it has
    as many dimensions as what they give.

    Args:
        facts: the facts of the module.
        name: an operation, which may have no input: ``torch.rand``.
        args: what it is given, its input first.

    Returns:
        None where the sizes are not those of another tensor.
    """
    forms = forms_of(name) or forms_of_old(name)
    for form in forms:
        counted = form.results[0].ndim if form.results else ""
        parameters = [parameter.name for parameter in form.parameters]
        if len(forms) == 1 and counted in parameters[1:] and len(args) == len(parameters):
            return args[parameters.index(counted)]
        if not counted.startswith("#"):
            continue
        index = parameters.index(counted[1:])
        given = args[index] if index < len(args) else None
        is_last = len(args) == index + 1
        is_alone = is_last or form.parameters[index].kind == "Z"
        starred = [each for each in args[: index + 1] if isinstance(each, ast.Starred)]
        if given is None or not is_alone or (starred and (starred != [given] or not is_last)):
            continue
        made = _measured(facts, given.value if isinstance(given, ast.Starred) else given)
        if made is not None:
            return made
    return None


def _measured(facts: Facts, sizes: ast.expr) -> ast.expr | None:
    """``y`` of ``y.size()`` and ``y.shape``, also by a name."""
    made = facts.assigned(sizes) if isinstance(sizes, ast.Name) else None
    sizes = made[0] if made is not None and len(made) == 1 else sizes
    if isinstance(sizes, ast.Call) and not sizes.args and not sizes.keywords:
        method = sizes.func
        return method.value if isinstance(method, ast.Attribute) and method.attr == "size" else None
    return sizes.value if isinstance(sizes, ast.Attribute) and sizes.attr == "shape" else None
