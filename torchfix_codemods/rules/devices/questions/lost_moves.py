"""What to write where the copy that a move makes is lost."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import (
    Batch,
    Instance,
    Mapping,
    Module,
    Packed,
    Tensor,
    Text,
)
from torchfix_codemods.rules.devices.questions.put_in import for_parameter
from torchfix_codemods.rules.devices.questions.tried_moves import other_uses

#: Attributes that tell a leaf from the copy of one.
_OF_LEAVES = frozenset(
    "grad requires_grad requires_grad_ retain_grad is_leaf register_hook".split()
)


def remedy_for(
    moved: ast.Name | ast.Attribute | ast.Subscript, value: Tensor | Packed, facts: Facts
) -> str | None:
    """What to write instead of a move; None where its result can just be assigned.

    Nothing where it depends on what is not known: whether it is a parameter, an item of a tuple, or
    a leaf whose gradient is wanted; nor where lines above calculate with it where it lies.
    """
    if isinstance(moved, ast.Name):
        return _remedy_for_name(moved, value, facts)
    if isinstance(moved, ast.Attribute):
        return _remedy_for_attribute(moved, value, facts)
    return _remedy_for_item(moved, value, facts)


def _remedy_for_name(name: ast.Name, value: Tensor | Packed, facts: Facts) -> str | None:
    """What to write instead, where the result cannot just be assigned to the name."""
    scope = facts.names.scope_of(name)
    found = scope.lookup(name.id)
    assignment = f"{name.id} = {_call_text(name, facts)}"
    made = f"write {assignment} where {name.id} is made"
    if isinstance(value, Tensor) and value.leaf_module is not None:
        return for_parameter(name, facts)
    uses = list(other_uses(name, facts))
    is_used_above = any(use.lineno < name.lineno and _calculates(use, facts) for use in uses)
    if found is None or found[0] is not scope or scope.kind not in ("function", "module"):
        return "" if is_used_above else made
    later = [use for use in uses if use.lineno > name.lineno or _is_inside(use, name, facts)]
    added_to = any(
        b.kind == "augassign" and isinstance(b.node, ast.stmt) and b.node.lineno > name.lineno
        for b in found[1]
    )
    if not later and not added_to:
        return _remedy_for_unused(name, assignment, facts)
    if isinstance(value, Packed):
        return None
    if value.grad is not False and (
        _asks_for_grad(name, facts) or any(_shows_leaf(use, facts) for use in uses)
    ):
        return "" if is_used_above else f"{made}, before it requires grad"
    written = added_to or any(_writes(use, facts) for use in later)
    if written and not _is_own(name, uses, facts):
        return "" if is_used_above else f"{made}, before it is written to"
    return None


def _calculates(use: ast.Name, facts: Facts) -> bool:
    """Whether a use needs what it reads on the device of other things: ``net(x)``, ``x * y``."""
    parent = facts.parent(use)
    if isinstance(parent, ast.Attribute):
        return parent.attr not in _OF_LEAVES
    if isinstance(parent, ast.Call):
        return facts.names.builtin(parent.func) != "print"
    return not isinstance(parent, (ast.Assign, ast.List, ast.Tuple, ast.Dict))


def _remedy_for_unused(name: ast.Name, assignment: str, facts: Facts) -> str:
    loop = next((b.node for b in facts.flow.reaching(name) if b.kind == "for"), None)
    if not isinstance(loop, ast.For) or not isinstance(loop.iter, (ast.Name, ast.Attribute)):
        return f"write {assignment} before {name.id} is used"
    target, source = ast.unparse(loop.target), ast.unparse(loop.iter)
    return f"write {source} = [{_call_text(name, facts)} for {target} in {source}] for the loop"


def _is_inside(use: ast.Name, name: ast.Name, facts: Facts) -> bool:
    """Whether a use stands in a function inside, which may run at any time."""
    return facts.names.enclosing_function(use) is not facts.names.enclosing_function(name)


def _call_text(moved: ast.expr, facts: Facts) -> str:
    method = facts.parent(moved)
    call = None if method is None else facts.parent(method)
    return "" if call is None else ast.unparse(call)


def _shows_leaf(use: ast.Name, facts: Facts) -> bool:
    """Whether a use tells a leaf from its copy: its gradient, or a list for an optimizer."""
    parent = facts.parent(use)
    if isinstance(parent, ast.Attribute):
        return parent.attr in _OF_LEAVES
    for holder in facts.names.ancestors(use):
        if isinstance(holder, ast.Call):
            return facts.name(holder.func) == "torch.autograd.grad"
        if isinstance(holder, (ast.List, ast.Tuple, ast.Dict)):
            call = facts.parent(holder)
            if not (isinstance(call, ast.Call) and (facts.name(call.func) or "") in _JOINS):
                return True
        if isinstance(holder, ast.stmt):
            return False
    return False


_JOINS = frozenset({"torch.cat", "torch.stack"})


def _asks_for_grad(name: ast.Name, facts: Facts) -> bool:
    """Whether what a name is bound to is made with ``requires_grad=``."""
    return any(
        isinstance(part, ast.keyword) and part.arg == "requires_grad"
        for binding in facts.flow.reaching(name)
        if binding.value is not None
        for part in ast.walk(binding.value)
    )


def _writes(use: ast.Name, facts: Facts) -> bool:
    """Whether a use writes into the tensor, so that it matters whose memory it is."""
    parent = facts.parent(use)
    if isinstance(parent, ast.Attribute):
        return parent.attr == "data" or (parent.attr.endswith("_") and parent.attr[0] != "_")
    if isinstance(parent, ast.Subscript):
        return not isinstance(parent.ctx, ast.Load)
    return isinstance(parent, ast.keyword) and parent.arg == "out"


def _is_own(name: ast.Name, uses: list[ast.Name], facts: Facts) -> bool:
    """Whether what a name holds was made for it, as by ``torch.zeros``, and has no second name."""
    is_new = all(
        not binding.path and binding.value is not None and _makes_new(binding.value, facts)
        for binding in facts.flow.reaching(name)
    )
    known = (ast.Attribute, ast.Subscript, ast.BinOp, ast.Call)
    return is_new and all(isinstance(facts.parent(use), known) for use in uses)


def _makes_new(node: ast.expr, facts: Facts) -> bool:
    if isinstance(node, ast.BinOp):
        return facts.is_tensor(node)
    name = facts.name(node.func) if isinstance(node, ast.Call) else None
    module, _, function = (name or "").rpartition(".")
    return module == "torch" and (
        function in torch_api.FACTORIES | torch_api.LIKE
        or function in torch_api.LEGACY_TYPES
        or function in ("tensor", "arange", "linspace", "randperm", "eye", "randint")
    )


def _remedy_for_attribute(moved: ast.Attribute, value: Tensor | Packed, facts: Facts) -> str | None:
    """What to write instead, where the result cannot just be assigned to the attribute."""
    if isinstance(value, Tensor) and value.leaf_module is not None:
        return for_parameter(moved, facts)
    holder = facts.value(moved.value)
    if not isinstance(holder, (Module, Instance)) or holder.definition is None:
        return ""
    sources = facts.classes.attribute_sources(holder.definition, moved.attr)
    if not sources or not all(_is_plain(source, facts) for source in sources):
        return ""
    uses = facts.names.attributes(moved.attr)
    if any(getattr(facts.parent(use), "attr", None) in _OF_LEAVES for use in uses):
        return ""
    return None


def _is_plain(source: Binding, facts: Facts) -> bool:
    """Whether an attribute gets what is no parameter and no leaf of a graph."""
    value = None if source.value is None or source.path else facts.value(source.value)
    if isinstance(value, Tensor):
        return value.leaf_module is None and value.grad is False
    return isinstance(value, Packed)


def _remedy_for_item(moved: ast.Subscript, value: Tensor | Packed, facts: Facts) -> str | None:
    """What to write instead, where the result cannot just be stored as the item."""
    if isinstance(value, Tensor) and value.leaf_module is not None:
        return for_parameter(moved, facts)
    holder = facts.value(moved.value)
    if isinstance(holder, Tensor):
        whole = ast.unparse(moved.value)
        return f"write {whole} = {whole}{_call_text(moved, facts)[len(ast.unparse(moved)) :]}"
    if _is_tuple(moved.value, facts):
        return f"make a new tuple with {_call_text(moved, facts)}"
    if not _takes_items(moved, facts):
        return ""
    if isinstance(value, Tensor) and value.grad is not False:
        return ""
    return None


def _is_tuple(holder: ast.expr, facts: Facts) -> bool:
    """Whether a name holds what is written as a tuple."""
    made = facts.assigned(holder) if isinstance(holder, ast.Name) else [holder]
    return bool(made) and all(isinstance(value, ast.Tuple) for value in made or ())


def _takes_items(moved: ast.Subscript, facts: Facts) -> bool:
    """Whether an item can be stored: of a dict, or a list that is certainly no tuple."""
    holder, index = facts.value(moved.value), facts.value(moved.slice)
    if isinstance(holder, Mapping) or (isinstance(holder, Batch) and isinstance(index, Text)):
        return isinstance(moved.slice, (ast.Constant, ast.Name))
    if not isinstance(moved.value, ast.Name) or not isinstance(
        moved.slice, (ast.Constant, ast.Name)
    ):
        return False
    bindings = facts.flow.reaching(moved.value)
    return bool(bindings) and all(
        isinstance(binding.value, (ast.List, ast.ListComp)) and not binding.path
        for binding in bindings
    )
