"""What code in sight writes into: the memory of a tensor, by its name or by a view of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import augmented, bindings_by, bindings_given, uses_of
from torchfix_codemods.facts.values.lattice import Function, Module


def is_written_into(facts: Facts, node: ast.expr, seen: frozenset[ast.AST] = frozenset()) -> bool:
    """Whether code in sight writes into the memory of ``node``, also by a name or a view of it."""
    parent = facts.parent(node)
    if parent is None or node in seen:
        return False
    seen = seen | {node}
    if isinstance(parent, ast.Attribute):
        call = facts.parent(parent)
        if not (isinstance(call, ast.Call) and call.func is parent):
            return parent.attr in ("data", "T") and is_written_into(facts, parent, seen)
        if torch_effects.gives_alias(parent.attr) or torch_effects.changes_object(parent.attr):
            return is_written_into(facts, call, seen)
        return parent.attr.endswith("_") and not parent.attr.endswith("__")
    if isinstance(parent, ast.Subscript):
        if parent.value is not node:
            return False
        return isinstance(parent.ctx, ast.Store) or is_written_into(facts, parent, seen)
    if isinstance(parent, ast.AugAssign):
        return parent.target is node
    if isinstance(parent, ast.Tuple):
        outer = facts.parent(parent)
        return isinstance(outer, ast.keyword) and outer.arg == "out"
    if isinstance(parent, ast.keyword):
        taker = facts.parent(parent)
        return parent.arg == "out" or (
            isinstance(taker, ast.Call) and _taker_writes(facts, taker, node, parent.arg, seen)
        )
    if isinstance(parent, ast.Call):
        return node in parent.args and (
            node in _written_by(facts, parent) or _taker_writes(facts, parent, node, None, seen)
        )
    if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
        bindings = bindings_by(facts, parent, parent.targets[0].id)
        return any(_is_binding_written(facts, binding, seen) for binding in bindings)
    return False


def _is_binding_written(facts: Facts, binding: Binding, seen: frozenset[ast.AST]) -> bool:
    return bool(augmented(facts, binding)) or any(
        is_written_into(facts, use, seen) for use in uses_of(facts, binding)
    )


def _taker_writes(
    facts: Facts, call: ast.Call, node: ast.expr, keyword: str | None, seen: frozenset[ast.AST]
) -> bool:
    """Whether what is called writes into an argument, or is of a kind that mostly does: a kernel.

    Kernels have no results: they write into what they are given.
    """
    if _is_launch(facts, call) or (facts.name(call.func) or "").startswith("torch.ops."):
        return True
    callee = facts.value(call.func)
    if not isinstance(callee, Function) or callee.definition in seen:
        return False
    bindings = bindings_given(facts, callee.definition, call, node, keyword)
    seen = seen | {callee.definition}
    return any(_is_binding_written(facts, binding, seen) for binding in bindings)


def _is_launch(facts: Facts, call: ast.Call) -> bool:
    """``kernel[grid](x)`` of Triton and Numba, where the kernel is a function, not a list."""
    launched = call.func.value if isinstance(call.func, ast.Subscript) else None
    if not isinstance(launched, ast.Name):
        return False
    found = facts.names.scope_of(launched).lookup(launched.id)
    return found is not None and any(b.kind in ("function", "import") for b in found[1])


def _written_by(facts: Facts, call: ast.Call) -> Iterator[ast.expr]:
    """What a call writes into: ``out=x``, ``F.relu(x, inplace=True)``, ``nn.ReLU(True)(x)``."""
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if "out" in keywords:
        yield keywords["out"]
    if not call.args:
        return
    name = facts.name(call.func) or ""
    layer = None if name or not _has_layers_in_place(facts) else facts.value(call.func)
    made = layer.call if isinstance(layer, Module) and layer.definition is None else None
    asked = call if name.startswith("torch.nn.functional.") else made
    if (name.startswith("torch.") and name.endswith("_")) or (asked and _works_in_place(asked)):
        yield call.args[0]


def _has_layers_in_place(facts: Facts) -> bool:
    """Whether the file makes a layer that may write into what it is given."""
    return facts.remembered(
        "layers in place",
        lambda: any(
            isinstance(call, ast.Call)
            and _works_in_place(call)
            and (facts.name(call.func) or "").startswith("torch.nn.")
            for call in facts.names.nodes.get(ast.Call, ())
        ),
    )


def _works_in_place(call: ast.Call) -> bool:
    """``inplace=True``, or a flag by position that may be it."""
    flags = [k.value for k in call.keywords if k.arg == "inplace"]
    return any(
        not isinstance(flag, ast.Constant) or flag.value is True
        for flag in (*flags, *(a for a in call.args if isinstance(a, ast.Constant)))
    )


def is_modified(facts: Facts, node: ast.expr) -> bool:
    """Whether the file writes into the tensor that a name or attribute holds: ``x.mul_(2)``."""
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return False
    writers = facts.remembered("modified", lambda: _writers(facts))
    text = ast.unparse(node)
    return any(
        isinstance(target, (ast.Name, ast.Attribute)) and ast.unparse(target) == text
        for writer in writers.get(last_name(node), ())
        for target in (_written_by(facts, writer) if isinstance(writer, ast.Call) else (writer,))
    )


def _writers(facts: Facts) -> Mapping[str | None, Sequence[ast.expr]]:
    """What the file writes into, and the calls that may write, by the last name of what it is."""
    nodes = facts.names.nodes
    found: dict[str | None, list[ast.expr]] = {}
    for attribute in nodes.get(ast.Attribute, ()):
        assert isinstance(attribute, ast.Attribute)
        if attribute.attr.endswith("_") and not attribute.attr.endswith("__"):
            found.setdefault(last_name(attribute.value), []).append(attribute.value)
    for statement in nodes.get(ast.AugAssign, ()):
        assert isinstance(statement, ast.AugAssign)
        found.setdefault(last_name(statement.target), []).append(statement.target)
    for item in nodes.get(ast.Subscript, ()):
        assert isinstance(item, ast.Subscript)
        if isinstance(item.ctx, ast.Store):
            found.setdefault(last_name(item.value), []).append(item.value)
    for call in nodes.get(ast.Call, ()):
        assert isinstance(call, ast.Call)
        outs = (keyword.value for keyword in call.keywords if keyword.arg == "out")
        for place in (*call.args[:1], *outs):
            found.setdefault(last_name(place), []).append(call)
    return found
