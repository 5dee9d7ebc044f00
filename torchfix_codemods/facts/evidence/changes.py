"""What code does to the tensor that a name holds: writing into it, giving it another shape."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.scopes import Scope
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.in_place import may_write_graph, written_by
from torchfix_codemods.facts.values import resizing
from torchfix_codemods.facts.values.lattice import Array, Number, Tensor

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference


class Changes:
    """What the uses of a name, wherever they stand, do to the tensor that it holds."""

    def __init__(self, names: Names, holder: Scope, name: str) -> None:
        self.is_stored_into = False
        """It gets ``requires_grad``, or a part that cannot be seen."""
        self.stored: list[tuple[ast.Name, ast.expr]] = []
        """What parts of it get, and where: ``x[0][1] = …``."""
        self.reshapes: list[ast.Attribute] = []
        """Methods that give it another shape."""
        self.methods: list[ast.Attribute] = []
        """In-place methods that may write what has a graph."""
        self.others: dict[tuple[Scope, str], None] = {}
        """Names that it is assigned to as well."""
        self.is_sum = any(b.kind == "augassign" for b in holder.bindings.get(name, ()))
        for use in names.uses_of(holder, name):
            self._add(names, use)

    def _add(self, names: Names, use: ast.Name) -> None:
        part: ast.expr = use
        parent = names.parents.get(use)
        is_view = False
        while parent is not None:
            if isinstance(parent, ast.Subscript) and parent.value is part:
                # A part of a part is in the same memory.
                if isinstance(parent.ctx, ast.Store):
                    self._store(use, getattr(names.statement(parent), "value", None))
                part, parent, is_view = parent, names.parents.get(parent), False
                continue
            if not isinstance(parent, ast.Attribute):
                break
            if part is use:
                self._add_attribute(names, parent)
            elif may_write_graph(parent):
                self.methods.append(parent)
            on_same_memory = _on_same_memory(names, parent)
            if on_same_memory is None:
                return
            part, parent, is_view = on_same_memory, names.parents.get(on_same_memory), True
        if isinstance(parent, ast.Assign) and parent.value is part and (part is use or is_view):
            for target in parent.targets:
                found = _held(names, target)
                if found is not None:
                    self.others[found] = None

    def _add_attribute(self, names: Names, attribute: ast.Attribute) -> None:
        if attribute.attr == "requires_grad" and isinstance(attribute.ctx, ast.Store):
            self.is_stored_into = True
        if may_write_graph(attribute):
            self.methods.append(attribute)
        reshaping = resizing.reshaping(names, attribute)
        self.reshapes += [] if reshaping is None else [reshaping]

    def _store(self, use: ast.Name, value: ast.expr | None) -> None:
        if value is None:
            self.is_stored_into = True
        elif not isinstance(value, ast.Constant):
            self.stored.append((use, value))


def _on_same_memory(names: Names, attribute: ast.Attribute) -> ast.expr | None:
    """``x.mul_(2)`` and ``x.view(-1)``, which are in the memory of ``x``; None of anything else."""
    if not attribute.attr.endswith("_") and (
        not torch_effects.gives_alias(attribute.attr)
        or torch_effects.cuts_graph(attribute.attr)
        or torch_effects.moves_or_casts(attribute.attr)
    ):
        return None
    call = names.parents.get(attribute)
    return call if isinstance(call, ast.Call) and call.func is attribute else None


def _held(names: Names, node: ast.expr) -> tuple[Scope, str] | None:
    """The scope that holds a name, and the name."""
    found = names.scope_of(node).lookup(node.id) if isinstance(node, ast.Name) else None
    return None if found is None or not isinstance(node, ast.Name) else (found[0], node.id)


def _changes(names: Names, holder: Scope, name: str) -> Changes:
    return names.remembered((Changes, holder, name), lambda: Changes(names, holder, name))


def may_get_history(inference: Inference, use: ast.Name) -> bool:
    """Whether the tensor of a name is written to with what may be part of a graph."""
    held = _held(inference.names, use)
    if held is None:
        return False
    stored = _changes(inference.names, *held).stored
    return may_change_otherwise(inference, use) or any(
        may_have_history(inference, value) and not _is_array(inference, place)
        for place, value in stored
    )


def may_change_otherwise(inference: Inference, use: ast.Name) -> bool:
    """The same, but for what parts of it get: ``x[0] = y``."""
    return written_otherwise(inference, use) != []


def written_otherwise(inference: Inference, use: ast.Name) -> list[ast.expr] | None:
    """What in-place methods write into the tensor of a name that may be part of a graph.

    ``y`` of ``x.add_(y)``; None where something else may give it one.
    """
    held = _held(inference.names, use)
    if held is None:
        return []
    changes = _changes(inference.names, *held)
    if changes.is_stored_into or any(_is_added_to(inference, other) for other in changes.others):
        return None
    changing = [method for method in changes.methods if changes_in_place(inference, method)]
    given = [given_in_place(inference, method) for method in changing]
    return None if None in given else [each for one in given for each in one or ()]


def given_in_place(inference: Inference, method: ast.Attribute) -> list[ast.expr] | None:
    """What an in-place method writes; None where that is not all that it may do."""
    call = inference.names.parents.get(method)
    if not isinstance(call, ast.Call) or call.func is not method or is_opaque(call):
        return None
    is_known = torch_effects.is_known(method.attr) and not torch_effects.changes_object(method.attr)
    return (written_by(call) or None) if is_known and method.attr != "requires_grad_" else None


def _is_array(inference: Inference, use: ast.Name) -> bool:
    """Whether a name holds an array of numpy, which has no graph, until it holds a tensor."""
    return isinstance(inference.value(use), Array)


def may_have_history(inference: Inference, node: ast.expr) -> bool:
    """Whether what is written into a tensor may be part of a graph."""
    value = inference.value(node)
    if isinstance(value, Tensor):
        return value.grad is not False
    return not isinstance(value, Number)


def may_be_reshaped(inference: Inference, use: ast.Name) -> bool:
    """Whether the tensor of a name may get other dimensions in place: ``x.unsqueeze_(0)``."""
    return bool(reshapes(inference, use))


def reshaped(inference: Inference, use: ast.Name, tensor: Tensor) -> Tensor:
    """What stays certain of the tensor of a name that gets other dimensions in place."""
    for method in reshapes(inference, use) if tensor.ndim is not None else ():
        tensor = resizing.reshaped(inference, tensor, method)
    return tensor


def reshapes(inference: Inference, use: ast.Name) -> list[ast.Attribute]:
    """What may give the tensor of a name other dimensions in place: ``x.data = y``."""
    held = _held(inference.names, use)
    return [] if held is None else _changes(inference.names, *held).reshapes


def _is_added_to(inference: Inference, other: tuple[Scope, str]) -> bool:
    """``buffer = h; buffer += x``: another name for a tensor, by which it changes."""
    changes = _changes(inference.names, *other)
    return changes.is_sum or any(changes_in_place(inference, m) for m in changes.methods)


def changes_in_place(inference: Inference, method: ast.Attribute) -> bool:
    """Whether ``x.method`` is an in-place method that may write what has a graph."""
    if not may_write_graph(method):
        return False
    call = inference.names.parents.get(method)
    return not (isinstance(call, ast.Call) and _writes_nothing_recorded(inference, call))


def _writes_nothing_recorded(inference: Inference, call: ast.Call) -> bool:
    """Whether an in-place method is given something, and nothing that may be part of a graph."""
    given = written_by(call)
    if isinstance(call.func, ast.Attribute) and call.func.attr == "requires_grad_":
        return [constant(value) for value in given] == [False]
    return bool(given) and not any(may_have_history(inference, value) for value in given)
