"""Names that hold one of torch's legacy types: ``FloatTensor``, on the GPU or not."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.values import torch_api

_LEGACY_NAMES = frozenset(torch_api.LEGACY_TYPES)


def chosen_type(names: Names, node: ast.expr) -> str | None:
    """The type that a name stands for, whichever one was chosen; ``torch.Tensor`` of two kinds.

    By ``T = torch.cuda.FloatTensor if cuda else torch.FloatTensor``, or by an ``if`` statement.
    """
    found = names.scope_of(node).lookup(node.id) if isinstance(node, ast.Name) else None
    if found is None:
        return None
    values = [binding.value for binding in found[1] if binding.kind == "assign"]
    if len(values) < len(found[1]) or any(binding.path for binding in found[1]):
        return None
    if len(values) == 1 and not isinstance(values[0], ast.IfExp):
        return None
    parts = [part for value in values for part in _alternatives(value)]
    types = [names.name(part) or "" for part in parts]
    kinds = {name.rpartition(".")[2] for name in types}
    if not types or not all(n.startswith("torch.") for n in types) or not kinds <= _LEGACY_NAMES:
        return None
    in_memory = [name for name in types if not name.startswith("torch.cuda.")]
    return [*types, *in_memory][-1] if len(kinds) == 1 else "torch.Tensor"


def _alternatives(value: ast.expr | None) -> list[ast.expr]:
    if isinstance(value, ast.IfExp):
        return [value.body, value.orelse]
    return [] if value is None else [value]
