"""Flags of the module level that another file sets after it imports theirs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.nodes import first_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.named import nearest_called

_IMPORTS = (ast.Import, ast.ImportFrom)


def late_setter(flag: ast.expr, facts: Facts) -> str | None:
    """The name of a file of the project that may set a flag of this one; None where none does.

    ``models.use_cuda = True`` and ``setattr(models, "use_cuda", True)`` below ``import models``:
    what the module level made of the flag before stays as it was. Of a flag that is nothing but a
    constant a file that sets another module's flag of that name tells what it is there for.

    Args:
        flag: a name of the module level, or an attribute of one.
        facts: the facts of the module.
    """
    name = flag.id if isinstance(flag, ast.Name) else getattr(flag, "attr", None)
    if name is None or not (facts.is_imported_elsewhere or _is_constant(flag, facts)):
        return None
    is_any = _is_constant(flag, facts)
    return facts.remembered(
        ("late setter", name, is_any), lambda: _find_setter(name, facts, is_any)
    )


def _is_constant(flag: ast.expr, facts: Facts) -> bool:
    """``use_cuda = False``, which nothing in its own file ever changes."""
    if not isinstance(flag, ast.Name):
        return False
    found = facts.names.scope_of(facts.tree).lookup(flag.id)
    return found is not None and all(
        isinstance(binding.written(), ast.Constant) for binding in found[1]
    )


def _find_setter(name: str, facts: Facts, is_any: bool) -> str | None:
    if facts.files is None:
        return None
    return nearest_called(_setters(name, facts, is_any), facts.files)


def _setters(name: str, facts: Facts, is_any: bool) -> set[Path]:
    if facts.files is None:
        return set()
    return {
        other.files.path
        for other in others_with(name, facts)
        if other.files is not None
        if is_any or facts.files.is_imported_by(other.files.path)
        if any(_is_imported(target, other) for target in _targets(name, other))
    }


def _targets(name: str, facts: Facts) -> Iterator[ast.expr]:
    """What a file sets an attribute of that name of."""
    for node in facts.names.attributes(name):
        if not isinstance(node.ctx, ast.Load):
            yield node.value
    for scope in facts.names.scopes_using("setattr"):
        for use in scope.uses["setattr"]:
            call = facts.parent(use)
            is_call = isinstance(call, ast.Call) and call.func is use
            if isinstance(call, ast.Call) and is_call and len(call.args) == 3:
                if constant(call.args[1]) == name:
                    yield call.args[0]


def _is_imported(node: ast.expr, facts: Facts) -> bool:
    """Whether what an expression starts from is a module, or comes from one."""
    root = first_name(node)
    found = None if root is None else facts.names.scope_of(root).lookup(root.id)
    return found is not None and any(isinstance(b.node, _IMPORTS) for b in found[1])
