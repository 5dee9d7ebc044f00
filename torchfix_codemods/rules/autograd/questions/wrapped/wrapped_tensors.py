"""What a Variable is made of, and what is written for it today."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evidence.changes import changes_in_place
from torchfix_codemods.facts.evidence.module_outputs import (
    is_for_modules_with_data,
    may_keep_plain_data,
)
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import value_by_all_calls
from torchfix_codemods.facts.paths.graph import Place, Use, reads
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.paths.wrapping import had_no_graph
from torchfix_codemods.facts.paths.writes import may_change
from torchfix_codemods.facts.tensors.constructors import DTYPES
from torchfix_codemods.facts.tensors.integers import is_used_as_index
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Batch, Collated, Number, Tensor, Unknown, Value
from torchfix_codemods.rules.autograd.questions.data.leaves import is_missed_by_none
from torchfix_codemods.rules.autograd.questions.data.staying import way_beside_others
from torchfix_codemods.rules.autograd.questions.graphless.made_of import is_without_graph
from torchfix_codemods.rules.autograd.questions.graphless.of_no_matter import (
    is_given_for_new,
    is_graph_of_no_matter,
)
from torchfix_codemods.rules.autograd.questions.graphless.switched_off import was_made_without_grad
from torchfix_codemods.rules.autograd.questions.whole_numbers import gives_whole_numbers, is_index
from torchfix_codemods.rules.autograd.questions.wrapped.just_made import is_fresh, is_last_of_fresh
from torchfix_codemods.rules.autograd.questions.wrapped.own_batches import is_batch_alone

#: Besides methods in place, what changes a tensor as an object, and so under all of its names.
_OF_OBJECTS = frozenset({"requires_grad", "retain_grad", "register_hook", "grad", "data"})


def how_written(call: ast.Call, data: ast.expr, facts: Facts) -> tuple[str, bool]:
    """How the tensor in a call of ``Variable`` is written without it.

    Args:
        call: the call.
        data: what it is given first.
        facts: the facts of the module.

    Returns:
        what ``edit.tensors.variables.without_wrapper`` is told.
    """
    requires_grad = argument(call, 1, "requires_grad")
    is_data = _is_data_of_tensor(data, facts)
    is_changed = isinstance(data, ast.Attribute) and may_change(data.value, facts)
    plain = is_plain(facts.value(data))
    if requires_grad is None or constant(requires_grad) is False:
        if _is_given_back_detached(call, data, facts):
            return "detached", True
        bare = (
            (
                plain
                or had_no_graph(data, facts)
                or was_made_without_grad(data, facts)
                or is_given_for_new(call, facts)
                or is_index(call, facts)
                or gives_whole_numbers(data, facts)
                or is_used_as_index(facts, call)
                or is_graph_of_no_matter(call, facts)
                or is_without_graph(data, facts)
            )
            and not _is_changed_as_object(call, data, facts)
            and not _takes_in_graph(call, data, facts)
        )
        return "bare" if bare else "detached", is_data and not is_changed
    if _is_factory(data, facts):
        return "factory", False
    legacy = plain and isinstance(data, ast.Call) and _is_legacy(data, facts)
    is_apart = plain or had_no_graph(data, facts) or is_without_graph(data, facts)
    fresh = is_apart and is_fresh(data, facts)
    fresh = fresh or is_batch_alone(call, data, facts)
    if not fresh and is_last_of_fresh(data, facts):
        fresh = plain or is_without_graph(data, facts)
    is_data = is_data or _is_data_of_variable(data, facts)
    # An optimizer may write into a leaf: of x.detach() that would be a change of x, too. x.data
    # is a new object each time, which nothing but this holds.
    keeps = is_data and (is_changed or not is_missed_by_none(call, data, facts))
    how = "legacy" if legacy else "fresh" if fresh else "kept" if keeps else "leaf"
    return how, is_data and not keeps


def _is_given_back_detached(call: ast.Call, data: ast.expr, facts: Facts) -> bool:
    """``return Variable(h.data.cuda())``, where the wrapper alone shows that h is detached.

    Without it nothing does, so that a later run would leave the ``.data`` as it is.
    """
    if not isinstance(facts.parent(call), ast.Return):
        return False
    while isinstance(data, ast.Call) and isinstance(data.func, ast.Attribute):
        data = data.func.value
    if not isinstance(data, ast.Attribute) or not _is_data_of_tensor(data, facts):
        return False
    return way_beside_others(data, facts) == "detached"


def _changes_object(name: str) -> bool:
    is_resized = torch_effects.does(name, "resizes")
    return name in _OF_OBJECTS or is_resized or torch_effects.changes_object(name)


def _is_changed_as_object(call: ast.Call, data: ast.expr, facts: Facts) -> bool:
    """Whether the wrapper's own identity matters: ``v = Variable(x); v.requires_grad = True``."""
    statement = facts.parent(call)
    if not isinstance(data, (ast.Name, ast.Attribute, ast.Subscript)):
        return False
    if isinstance(data, ast.Attribute) and data.attr == "data":
        # Each time it is asked for, another object.
        return False
    has_no_graph = is_plain(facts.value(data)) or had_no_graph(data, facts)
    if has_no_graph and is_last_of_fresh(data, facts):
        return False
    if not (isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)):
        return False
    name = statement.targets[0]
    found = facts.names.scope_of(name).lookup(name.id)
    for use in facts.names.uses_of(found[0], name.id) if found is not None else ():
        parent = facts.parent(use)
        if not any(binding.node is statement for binding in facts.flow.reaching(use)):
            continue
        if isinstance(parent, ast.Attribute) and _changes_object(parent.attr):
            is_method = parent.attr.endswith("_") or parent.attr in ("retain_grad", "register_hook")
            if is_method or isinstance(parent.ctx, ast.Store):
                return True
    return False


def _takes_in_graph(call: ast.Call, data: ast.expr, facts: Facts) -> bool:
    """Whether what is wrapped lives on, and the name for it is written to with a graph.

    ``c = Variable(self.buffer)`` and ``c += net(x)``: the buffer itself would get the history.
    """
    while isinstance(data, ast.Call) and isinstance(data.func, ast.Attribute):
        method = data.func.attr
        if not (method.endswith("_") or torch_effects.may_be_itself(method)):
            return False
        data = data.func.value
    statement = facts.parent(call)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Name) or not _lives_on(data, target, facts):
        return False
    found = facts.names.scope_of(target).lookup(target.id)
    bindings = [b for b in (found[1] if found is not None else ()) if b.node is statement]
    starts = [place for binding in bindings for place in reads(facts, binding)]
    return follow(starts, _writes_graph) is not None


def _writes_graph(use: Use) -> Iterable[Place] | None:
    """None for what may write a graph into a tensor; else where the same memory is reached from."""
    facts, by = use.facts, use.by
    if isinstance(by, ast.AugAssign) and use.kind == "augmented":
        return None if _may_have_graph(by.value, facts) else use.held()
    if use.kind == "put into" and isinstance(by, ast.Subscript):
        value = getattr(facts.statement(use.node), "value", None)
        return None if value is not None and _may_have_graph(value, facts) else ()
    if use.kind == "method" and isinstance(by, ast.Call) and isinstance(by.func, ast.Attribute):
        if changes_in_place(facts.inference, by.func):
            return None
        is_alias = by.func.attr.endswith("_") or torch_effects.gives_alias(by.func.attr)
        return use.result() if is_alias else ()
    if use.kind == "item":
        return use.result()
    return use.held() if use.kind == "bound" else ()


def _may_have_graph(node: ast.expr, facts: Facts) -> bool:
    value = facts.value(node)
    return not (isinstance(value, Number) or is_plain(value))


def _lives_on(data: ast.expr, target: ast.Name, facts: Facts) -> bool:
    """Whether something other than the name that gets it may hold a tensor."""
    if not isinstance(data, ast.Name):
        return isinstance(data, (ast.Attribute, ast.Subscript)) and not (
            isinstance(data, ast.Attribute) and data.attr == "data"
        )
    found = facts.names.scope_of(data).lookup(data.id)
    if found is None or data.id == target.id:
        return found is None
    is_own = found[0] is facts.names.scope_of(target)
    return not is_own or sum(1 for _ in facts.names.uses_of(found[0], data.id)) > 1


def _is_factory(node: ast.expr, facts: Facts) -> bool:
    return (
        isinstance(node, ast.Call)
        and facts.name(node.func) in torch_api.TAKES_REQUIRES_GRAD
        and not is_opaque(node)
        and not any(k.arg in ("requires_grad", "out") for k in node.keywords)
    )


def _is_legacy(node: ast.Call, facts: Facts) -> bool:
    """``torch.Tensor(…)`` or ``x.new(…)``, alone or filled: a factory is written there (TP403)."""
    while isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):
        node = node.func.value
    is_new = isinstance(node.func, ast.Attribute) and node.func.attr == "new"
    return is_new or facts.name(node.func) in DTYPES


def _is_data_of_tensor(node: ast.expr, facts: Facts) -> bool:
    """``x.data`` of a tensor: where nobody changes that, what is detached there is x."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "data"
        and (
            facts.is_tensor(node.value) or isinstance(value_by_all_calls(node.value, facts), Tensor)
        )
    )


def _is_data_of_variable(node: ast.expr, facts: Facts) -> bool:
    """``x.data`` of whatever x, where it can only have been that of a Variable.

    A Variable was made of a plain tensor until 0.3, which nothing else here has as its ``data``.
    """
    if not isinstance(node, ast.Attribute) or node.attr != "data":
        return False
    return isinstance(facts.value(node.value), Unknown) and (
        (facts.era_of(node).before((0, 4)) and not may_keep_plain_data(facts.inference))
        or is_for_modules_with_data(facts.inference, node.value)
    )


def is_plain(value: Value) -> bool:
    """Whether a value is certainly part of no graph."""
    if isinstance(value, (Batch, Collated)):
        return True
    return isinstance(value, Tensor) and value.grad is False
