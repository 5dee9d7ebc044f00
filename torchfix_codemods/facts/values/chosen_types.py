"""Names that hold the module which has torch's legacy types: ``torch.cuda`` or ``torch``."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.language.classes import Classes
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.values import torch_api

_MODULES = frozenset({"torch", "torch.cuda"})


def chosen_type(names: Names, classes: Classes, node: ast.expr) -> str | None:
    """The type that ``tt.FloatTensor`` stands for, where ``tt`` is ``torch.cuda`` or ``torch``."""
    if not isinstance(node, ast.Attribute) or node.attr not in torch_api.LEGACY_TYPES:
        return None
    modules = names_chosen(names, classes, node.value)
    return f"torch.{node.attr}" if modules and set(modules) <= _MODULES else None


def names_chosen(names: Names, classes: Classes, node: ast.expr) -> list[str]:
    """All qualified names that an expression may stand for, which chooses from several.

    Args:
        names: the names of the file.
        classes: its classes.
        node: ``nn.GRU if gated else nn.LSTM``, or a name or ``self.rnn`` that is given it.

    Returns:
        nothing where one is unknown; the empty text for what has no such name.
    """
    if isinstance(node, ast.IfExp):
        return [names.name(part) or "" for part in _alternatives(node)]
    return _chosen(names, _bindings(names, classes, node))


def _bindings(names: Names, classes: Classes, node: ast.expr) -> Sequence[Binding]:
    """What gives a name its values, or ``self.tt``, where nothing else in the file stores it."""
    if isinstance(node, ast.Name):
        found = names.scope_of(node).lookup(node.id)
        return () if found is None else found[1]
    method = names.enclosing_function(node)
    owner = None if method is None else names.parents.get(method)
    if not isinstance(node, ast.Attribute) or not isinstance(owner, ast.ClassDef):
        return ()
    holder = node.value.id if isinstance(node.value, ast.Name) else None
    if method is None or holder is None or holder != classes.self_name(method):
        return ()
    sources = classes.attribute_sources(owner, node.attr)
    stored = [each for each in names.changed_attributes if each.attr == node.attr]
    return sources if len(stored) == len(sources) else ()


def _chosen(names: Names, bindings: Sequence[Binding]) -> list[str]:
    """The names of all that some bindings choose from; none where one is no plain assignment."""
    values = [binding.value for binding in bindings if binding.kind == "assign"]
    if len(values) < len(bindings) or any(binding.path for binding in bindings):
        return []
    if len(values) == 1 and not isinstance(values[0], ast.IfExp):
        return []
    parts = [part for value in values for part in _alternatives(value)]
    return [names.name(part) or "" for part in parts]


def _alternatives(value: ast.expr | None) -> list[ast.expr]:
    if isinstance(value, ast.IfExp):
        return [value.body, value.orelse]
    return [] if value is None else [value]
