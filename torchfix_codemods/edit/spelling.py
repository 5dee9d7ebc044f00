"""How a file writes a qualified name of torch: by its own imports, or by one it has to get."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.spelling import is_imported_below, spelling
from torchfix_codemods.record import record
from torchfix_codemods.rule import ImportOf, Need

#: Modules that the import of their package alone does not promise. That torch imports one of Python
#: for itself is no promise either, and no type checker knows it.
_NOT_PROMISED = ("PIL.Image", "PIL.ImageOps", "collections.abc", "torch.utils.model_zoo")


@record
class Spelling:
    """The text of a name in one file, and the import that it needs there."""

    text: str
    needs: Sequence[Need] = ()


def spell(facts: Facts, name: str, place: ast.AST) -> Spelling | None:
    """How to write a qualified name such as ``"torch.no_grad"`` at ``place``.

    Returns:
        the shortest spelling by the module's own imports; else the full name together with
        ``import torch``, which is asked for as well where the file has it only further down, below
        other imports of torch; None where that would change what another name means.
    """
    here = spelling(facts, place, name)
    root = name.partition(".")[0]
    module = next((m for m in _NOT_PROMISED if f"{name}.".startswith(f"{m}.")), root)
    if here is not None:
        is_by_package = here.endswith(name.removeprefix(root))
        if is_by_package and module != root:
            return Spelling(here, (ImportOf(module),))
        is_late = here == name and is_imported_below(facts, place, root)
        return Spelling(here, (ImportOf(root),) if is_late else ())
    if facts.names.scope_of(place).lookup(root) or root in facts.names.module.bindings:
        return None
    return Spelling(name, (ImportOf(module),))


def spell_beside(facts: Facts, name: str, function: ast.expr) -> Spelling | None:
    """How to write a name of the module that ``function`` is of, in the place of ``function``.

    ``F.log_softmax`` beside ``F.softmax``; where a bare name stands, as :func:`spell` finds.
    """
    if isinstance(function, ast.Attribute):
        return Spelling(f"{ast.unparse(function.value)}.{name.rpartition('.')[2]}")
    return spell(facts, name, function)
