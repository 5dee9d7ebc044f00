"""Uses of indices that take a single one like a list of one."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import is_opaque, whole_number
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.torch_table import forms_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.uses import uses_given_by
from torchfix_codemods.facts.paths.walk import follow


def only_chooses_rows(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor is only the index of ``x.index_select(0, i)`` and its kin, or counted.

    These give the same for an index without a dimension, as ``x[i] = v`` does; ``x[i]`` does not.
    """
    parent = facts.parent(node)
    targets = parent.targets if isinstance(parent, ast.Assign) else []
    if any(isinstance(each, ast.Name) and facts.is_used_elsewhere(each.id) for each in targets):
        return False
    chosen: list[Use] = []

    def asks_for_more(use: Use) -> Iterable[Place] | None:
        if _is_index(use.node, use.facts) or _chooses_where_to_store(use.node, use.facts):
            chosen.append(use)
            return ()
        if use.kind == "argument" and isinstance(use.by, ast.Call):
            is_wrapped = use.facts.name(use.by.func) == "torch.autograd.Variable"
            return [Place(use.facts, use.by)] if is_wrapped else None
        if _is_counted(use.node, use.facts):
            return ()
        if use.kind == "method" and isinstance(use.by, ast.Call):
            method = torch_effects.of_any(last_name(use.by.func) or "")
            return use.result() if torch_effects.does(method, "moves") else None
        return use.onward() if use.kind in ("bound", "chosen", "element", "unpacked") else None

    return follow([Place(facts, node)], asks_for_more) is None and bool(chosen)


def is_read_by_number(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor is only read at places that are written down: ``i[0]``, ``i[1]``.

    There are as many elements whatever it was made of: the coordinates of one place.
    """
    parent = facts.parent(node)
    if not isinstance(parent, ast.Assign) or not isinstance(parent.targets[0], ast.Name):
        return False
    name = parent.targets[0].id
    if len(parent.targets) > 1 or facts.is_used_elsewhere(name):
        return False
    places = [_place_read(use, facts) for use in uses_given_by(facts, parent, name)]
    return None not in places and len(set(places)) > 1


def _place_read(use: ast.expr, facts: Facts) -> int | None:
    """``2`` of ``i[2]``."""
    parent = facts.parent(use)
    is_read = isinstance(parent, ast.Subscript) and parent.value is use
    return whole_number(parent.slice) if isinstance(parent, ast.Subscript) and is_read else None


def _is_index(node: ast.expr, facts: Facts) -> bool:
    parent = facts.parent(node)
    keyword = parent.arg if isinstance(parent, ast.keyword) else None
    call = facts.parent(parent) if isinstance(parent, ast.keyword) else parent
    if not isinstance(call, ast.Call) or is_opaque(call):
        return False
    function = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if not function.startswith("index_"):
        return False
    is_function = facts.name(call.func) == f"torch.{function}"
    if not is_function and facts.name(call.func) is not None:
        return False
    if keyword is not None:
        return keyword == "index"
    place = call.args.index(node) + (not is_function)
    forms = forms_of(torch_effects.of_any(function))
    return bool(forms) and all(
        [parameter.name for parameter in form.parameters][place : place + 1] == ["index"]
        for form in forms
    )


def _chooses_where_to_store(node: ast.expr, facts: Facts) -> bool:
    """``x[i] = v``, to which v is broadcast either way, and ``y[i]`` of ``x[i] = y[i]``."""
    item = facts.parent(node)
    if not isinstance(item, ast.Subscript) or item.slice is not node:
        return False
    stored = facts.parent(item)
    if not isinstance(stored, ast.Assign) or len(stored.targets) > 1:
        return False
    target = stored.targets[0]
    return isinstance(target, ast.Subscript) and ast.dump(target.slice) == ast.dump(node)


def _is_counted(node: ast.expr, facts: Facts) -> bool:
    """``i.numel()``, which is 1 either way."""
    asked = facts.parent(node)
    return isinstance(asked, ast.Attribute) and asked.attr in ("numel", "nelement")
