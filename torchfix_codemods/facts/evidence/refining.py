"""What the use of a value says about it: only a tensor has ``.unsqueeze``.

Evidence never overrules what is known otherwise; it only fills what is not known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evidence.asked_data import are_places_with_data, is_asked_for_data
from torchfix_codemods.facts.evidence.changes import may_get_history, reshaped
from torchfix_codemods.facts.evidence.kind_checks import (
    ARRAY_TYPES,
    TENSOR_TYPES,
    checked_module,
    is_attribute_kind_checked,
    is_checked_to_be,
    is_kind_checked,
)
from torchfix_codemods.facts.evidence.module_outputs import is_output_with_data
from torchfix_codemods.facts.evidence.proofs import (
    defines_method,
    method_called,
    mode_methods,
    proves_module,
    proves_tensor,
)
from torchfix_codemods.facts.evidence.roots import are_parts_of_root, is_backward_root
from torchfix_codemods.facts.evidence.saved import is_saved_for_backward
from torchfix_codemods.facts.evidence.sizes import with_dimensions
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.language.targets import name_of
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.values.lattice import (
    Array,
    Collated,
    Module,
    Tensor,
    Unknown,
    Value,
    maybe,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.names import Names
    from torchfix_codemods.facts.values.inference import Inference


def refine_name(
    inference: Inference, use: ast.Name, bindings: tuple[Binding, ...], value: Value
) -> Value:
    """Add to the value of a name what its other uses prove."""
    value = _refined(inference, use, bindings, value)
    if isinstance(value, Tensor) and value.ndim is None:
        return with_dimensions(inference, use, bindings, value)
    return value


def _refined(
    inference: Inference, use: ast.Name, bindings: tuple[Binding, ...], value: Value
) -> Value:
    if isinstance(value, (Unknown, Module)):
        value = checked_module(inference.names, use, value)
    if isinstance(value, Tensor) and value.grad is False and may_get_history(inference, use):
        value = replace(value, grad=None)
    if isinstance(value, Tensor):
        value = reshaped(inference, use, value)
    if not isinstance(value, (Unknown, Tensor)) or _is_single(value):
        return value
    has_no_graph = isinstance(value, Collated) and not may_get_history(inference, use)
    grad = False if has_no_graph else None
    if isinstance(value, Unknown) and is_checked_to_be(TENSOR_TYPES, inference, use, bindings):
        return Tensor(grad=grad)
    if isinstance(value, Unknown) and is_checked_to_be(ARRAY_TYPES, inference, use, bindings):
        return Array()
    if isinstance(value, Unknown):
        if is_kind_checked(inference.names, use):
            return value
        shown = inference.shown(use, bindings, _proven)
        if not isinstance(shown, Tensor):
            return value if isinstance(shown, Unknown) else shown
        value = replace(shown, grad=grad)
    if value.single or not isinstance(inference.shown(use, bindings, _root), Unknown):
        return replace(value, single=True)
    return value


def _root(inference: Inference, use: ast.Name, bindings: tuple[Binding, ...]) -> Value:
    """A tensor of one element where ``backward()`` of the name shows that it is such a one."""
    others = dict.fromkeys((use, *_uses_of(inference, use, bindings)))
    if len(bindings) == 1 and bindings[0].kind not in ("parameter", "for"):
        # One pass trains, and another one not, by the same statement: ``if t: loss.backward()``.
        scope = inference.names.scope_of(use)
        others |= dict.fromkeys(inference.flow.uses_reached_by(bindings, scope, use.id))
    is_root = (
        any(is_backward_root(inference.names, other) for other in others)
        or are_parts_of_root(inference, others)
        or any(
            is_backward_root(inference.names, other) and inference.branches.runs_with(other, use)
            for other in inference.flow.uses_past_sums(use, bindings)
        )
    )
    return Tensor(single=True) if is_root else Unknown()


def is_of_one_element(inference: Inference, use: ast.Name) -> bool:
    """Whether ``backward()`` shows that a name, if it is a tensor, holds one element."""
    bindings = inference.flow.reaching(use)
    return not isinstance(inference.shown(use, bindings, _root), Unknown)


def _proven(inference: Inference, use: ast.Name, bindings: tuple[Binding, ...]) -> Value:
    """What kind of thing the uses of a name show it to hold."""
    uses = [use, *_uses_of(inference, use, bindings)]
    if are_places_with_data(inference.names, bindings, uses):
        return Tensor(dtype="int64", grad=False)
    shown = _proven_by(inference, uses)
    if isinstance(shown, Unknown) and is_output_with_data(inference, bindings, uses):
        return Tensor()
    return shown


def _proven_by(inference: Inference, uses: list[ast.Name]) -> Value:
    names = inference.names
    if any(proves_tensor(names, moved) for use in uses for moved in _moved_on(names, use)):
        return Tensor()
    # Asked second, because it takes the values of what is called.
    if any(inference.is_taken_as_tensor(use) for use in uses):
        return Tensor()
    if any(is_saved_for_backward(names, use) for use in uses):
        return maybe(Tensor())
    called = {method_called(names, use) for use in uses}
    if "backward" in called and not names.is_method_of_project("backward"):
        # Of torch.legacy a module goes backward as well, but has no data.
        if any(is_asked_for_data(names, use) for use in uses):
            return Tensor()
    # An optimizer loads a state as well, and other things evaluate; only modules do both.
    both = "load_state_dict" in called and bool(called & {"eval", "train"})
    if both or any(proves_module(names, use) for use in uses):
        return Module()
    return Unknown()


def value_by_use(inference: Inference, node: ast.expr) -> Value:
    """What the place of ``node``, or the uses of the name that it is assigned to, show about it.

    ``net = models.create(...).cuda()`` is a module where ``net.parameters()`` follows, and so is
    ``torch.load(path).cuda().eval()``; ``sample[0].cuda()`` of ``Variable(sample[0].cuda())`` is a
    tensor.
    """
    names = inference.names
    moved_on = list(_moved_on(names, node))
    if any(proves_tensor(names, moved) for moved in moved_on):
        return Tensor()
    if any(_is_switched(inference, moved) for moved in moved_on):
        return Module()
    assigned = name_of(names, node)
    if assigned is None:
        return Unknown()
    statement, target = assigned
    scope = names.scope_of(statement)
    found = scope.lookup(target.id)
    own = {b for b in found[1] if b.node is statement} if found is not None else set()
    # ``net = net.cuda()`` under a guard: what ``net`` was before is the same kind of thing.
    allowed = set(own)
    callee = node.func if isinstance(node, ast.Call) else None
    moved = callee.value if isinstance(callee, ast.Attribute) else None
    if isinstance(moved, ast.Name) and moved.id == target.id:
        allowed |= set(inference.flow.reaching(moved))
    uses = [
        use
        for use in (names.uses_of(found[0], target.id) if found is not None else ())
        if own <= set(inference.flow.reaching(use)) <= allowed
    ]
    shown = _proven_by(inference, uses) if uses else Unknown()
    if isinstance(shown, Unknown) and is_output_with_data(inference, own, uses):
        return Tensor()
    return shown


def _is_switched(inference: Inference, node: ast.expr) -> bool:
    """Whether the mode of what is moved is set: ``net.cuda().eval()``, ``net.eval().cuda()``.

    Also before it gets its name: ``net = net.eval()`` and then ``net.cuda()``.
    """
    called = node.func if isinstance(node, ast.Call) else None
    receiver = called.value if isinstance(called, ast.Attribute) else None
    before: list[ast.expr | None] = [receiver]
    if isinstance(receiver, ast.Name):
        reaching = inference.flow.reaching(receiver)
        before = [b.written() if b.kind == "assign" else None for b in reaching]
    return method_called(inference.names, node) in mode_methods(inference.names) or (
        bool(before) and all(_sets_mode(inference.names, call) for call in before)
    )


def _sets_mode(names: Names, call: ast.expr | None) -> bool:
    switch = call.func if isinstance(call, ast.Call) else None
    if not isinstance(switch, ast.Attribute) or names.name(switch) is not None:
        return False
    return switch.attr in mode_methods(names)


def _moved_on(names: Names, node: ast.expr) -> Iterator[ast.expr]:
    """``x.cuda()``, ``x.cuda().half()``: each is a tensor, or each of them is a module."""
    yield node
    method = names.parents.get(node)
    while isinstance(method, ast.Attribute) and _converts(method.attr):
        call = names.parents.get(method)
        if not isinstance(call, ast.Call) or call.func is not method:
            return
        if defines_method(names, method.attr):
            return
        yield call
        method = names.parents.get(call)


def refine_attribute(
    inference: Inference, use: ast.Attribute, definition: ast.ClassDef, value: Value
) -> Value:
    """Add to the value of ``self.name`` what the uses of it in its class prove."""
    if not isinstance(value, (Unknown, Tensor)) or _is_single(value):
        return value
    if is_attribute_kind_checked(inference.names, use.attr):
        return value
    uses = inference.names.attributes(use.attr)
    if inference.names.method_calls("backward") and any(
        is_backward_root(inference.names, node)
        and isinstance(node.value, ast.Name)
        and isinstance(use.value, ast.Name)
        and node.value.id == use.value.id
        and inference.names.enclosing_class(node) is inference.names.enclosing_class(use)
        for node in uses
    ):
        return replace(value, single=True) if isinstance(value, Tensor) else Tensor(single=True)
    return value


def _is_single(value: Value) -> bool:
    return isinstance(value, Tensor) and value.single


def _uses_of(
    inference: Inference, use: ast.Name, bindings: tuple[Binding, ...]
) -> Iterator[ast.Name]:
    """Other uses of the same name that see the same value whenever ``use`` does."""
    scope = inference.names.scope_of(use)
    for other in inference.flow.uses_reached_by(bindings, scope, use.id):
        if other is not use and inference.branches.runs_with(other, use):
            yield other
    past_choices = inference.flow.uses_past_choices(use, bindings)
    unmoved = partial(_unmoved, inference.names)
    past_moves = inference.flow.uses_past_moves(use, bindings, unmoved)
    for other in chain(past_choices, past_moves):
        if inference.branches.runs_with(other, use):
            yield other


def _unmoved(names: Names, node: ast.expr) -> ast.expr:
    """``x`` of ``x.cuda().float()``."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if not _converts(node.func.attr) or defines_method(names, node.func.attr):
            break
        node = node.func.value
    return node


def _converts(method: str) -> bool:
    """Whether a method is one of tensors and of modules, which stay what they are."""
    # ``x.type()`` is a text.
    return torch_effects.moves_or_casts(method) and method not in ("type", "type_as")
