"""`x.cuda()` of a tensor returns a copy: as a statement of its own it does nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.evidence.proofs import proves_tensor
from torchfix_codemods.facts.language.flow import TRIES
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
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rule

#: Contexts in which a call is made to see whether it fails.
_TRIALS = frozenset("raises assertRaises assertRaisesRegex warns assertWarns suppress".split())

#: Attributes that tell a leaf from the copy of one.
_OF_LEAVES = frozenset(
    "grad requires_grad requires_grad_ retain_grad is_leaf register_hook".split()
)

_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class DiscardedMove(Rule):
    """
    ## What it does
    Assigns the result of `x.cuda()`, `x.cpu()` and `x.to(…)` back, where x is a tensor or a
    packed sequence and the statement drops the result: `x = x.cuda()`.

    ## Why
    A module is moved in place, a tensor is not: the statement makes a copy and throws it away, and
    the next line fails with "expected all tensors to be on the same device", or quietly works on
    the CPU.

    ## Example
    ```python
    for data, target in loader:
        data.cuda()
        output = model(data)
    ```
    becomes
    ```python
    for data, target in loader:
        data = data.cuda()
        output = model(data)
    ```

    ## Numbers
    Changed: from here on x is on the device, or of the dtype, that the line asks for.

    ## When it stays its hand
    On modules, and on all that is not certainly a tensor. Where an assignment would not do what
    was meant, a finding says what to write: for parameters, leaves that an optimizer updates or
    whose gradient is read, tensors that are written to in place and that something else may refer
    to, names of other scopes, items of a tuple, loop variables that are not used any more. A
    statement that is tried in `try` or timed in a loop stays.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.Tensor.cuda.html
    - https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.cuda
    """

    code = "TP207"
    name = "discarded-move"
    since = "0.1"
    numerics = Numerics.CHANGED
    moves = TRAINING
    words = frozenset({"cuda", "cpu", "to"})
    message = "a tensor is not moved in place: the result has to be assigned"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        statement = facts.parent(call)
        if not isinstance(statement, ast.Expr) or not isinstance(call.func, ast.Attribute):
            return
        moved = call.func.value
        value = facts.value(moved)
        if not isinstance(value, (Tensor, Packed)) or _is_trial(statement, facts):
            return
        if isinstance(moved, ast.Name):
            if not _is_made_as_tensor(moved, facts) or _is_timed(moved, facts):
                return
            remedy = _remedy_for_name(moved, value, facts)
        elif isinstance(moved, ast.Attribute):
            remedy = _remedy_for_attribute(moved, value, facts)
        elif isinstance(moved, ast.Subscript):
            remedy = _remedy_for_item(moved, value, facts)
        else:
            return
        if remedy is None:
            yield self.found(call, region=statement)
        else:
            yield self.advice(call, f"the moved copy is lost: {remedy}")

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        expression = updated.body[0]
        if not isinstance(expression, cst.Expr) or not isinstance(expression.value, cst.Call):
            return updated
        call = expression.value
        if not isinstance(call.func, cst.Attribute):
            return updated
        target = call.func.value
        if not isinstance(target, (cst.Name, cst.Attribute, cst.Subscript)):
            return updated
        assignment = cst.Assign(targets=[cst.AssignTarget(target)], value=call)
        return updated.with_changes(body=[assignment, *updated.body[1:]])


def _is_trial(statement: ast.stmt, facts: Facts) -> bool:
    """Whether a statement is there to see whether it fails."""
    block = facts.parent(statement)
    if isinstance(block, TRIES) and statement in block.body:
        return True
    return any(
        isinstance(part, (ast.Name, ast.Attribute))
        and (part.id if isinstance(part, ast.Name) else part.attr) in _TRIALS
        for parent in facts.names.ancestors(statement)
        if isinstance(parent, (ast.With, ast.AsyncWith))
        for item in parent.items
        for part in ast.walk(item.context_expr)
    )


def _is_made_as_tensor(name: ast.Name, facts: Facts) -> bool:
    """Whether more than ``backward()`` shows a tensor: a loss may be an object of its own."""
    bindings = facts.flow.reaching(name)
    if all(isinstance(facts.inference.bound(b), (Tensor, Packed)) for b in bindings):
        return True
    return any(
        proves_tensor(facts.names, use) and getattr(facts.parent(use), "attr", "") != "backward"
        for use in _uses(name, facts)
    )


def _is_timed(name: ast.Name, facts: Facts) -> bool:
    """Whether the same tensor is moved again and again, and used by nothing in the loop."""
    loop = next((p for p in facts.names.ancestors(name) if isinstance(p, _LOOPS)), None)
    if loop is None or facts.names.scope_of(loop) is not facts.names.scope_of(name):
        return False
    inside = set(ast.walk(loop))
    if any(binding.node in inside for binding in facts.flow.reaching(name)):
        return False
    return not any(use in inside for use in _uses(name, facts))


def _uses(name: ast.Name, facts: Facts) -> Iterator[ast.Name]:
    """The other places that may read what ``name`` reads."""
    found = facts.names.scope_of(name).lookup(name.id)
    known = set(facts.flow.reaching(name))
    for use in () if found is None else facts.names.uses_of(found[0], name.id):
        if use is not name and not known.isdisjoint(facts.flow.reaching(use)):
            yield use


def _remedy_for_name(name: ast.Name, value: Tensor | Packed, facts: Facts) -> str | None:
    """What to write instead, where the result cannot just be assigned to the name."""
    scope = facts.names.scope_of(name)
    found = scope.lookup(name.id)
    assignment = f"{name.id} = {_call_text(name, facts)}"
    if isinstance(value, Tensor) and value.leaf_module is not None:
        return "move the module that has the parameter"
    if found is None or found[0] is not scope or scope.kind not in ("function", "module"):
        return f"write {assignment} where {name.id} is made"
    uses = list(_uses(name, facts))
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
        return f"write {assignment} where {name.id} is made, before it requires grad"
    written = added_to or any(_writes(use, facts) for use in later)
    if written and not _is_own(name, uses, facts):
        return f"write {assignment} where {name.id} is made, before it is written to"
    return None


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
        return "move the module that has the parameter"
    assignment = f"{ast.unparse(moved)} = {_call_text(moved, facts)}"
    holder = facts.value(moved.value)
    if not isinstance(holder, (Module, Instance)) or holder.definition is None:
        return f"write {assignment}, unless it is a parameter or its gradient is wanted"
    sources = facts.classes.attribute_sources(holder.definition, moved.attr)
    if not sources or not all(_is_plain(source, facts) for source in sources):
        return f"write {assignment}, unless it is a parameter or its gradient is wanted"
    uses = facts.names.attributes(moved.attr)
    if any(getattr(facts.parent(use), "attr", None) in _OF_LEAVES for use in uses):
        return f"write {assignment}, unless it is a parameter or its gradient is wanted"
    return None


def _is_plain(source: Binding, facts: Facts) -> bool:
    """Whether an attribute gets what is no parameter and no leaf of a graph."""
    value = None if source.value is None or source.path else facts.value(source.value)
    if isinstance(value, Tensor):
        return value.leaf_module is None and value.grad is False
    return isinstance(value, Packed)


def _remedy_for_item(moved: ast.Subscript, value: Tensor | Packed, facts: Facts) -> str | None:
    """What to write instead, where the result cannot just be stored as the item."""
    assignment = f"{ast.unparse(moved)} = {_call_text(moved, facts)}"
    if isinstance(value, Tensor) and value.leaf_module is not None:
        return "move the module that has the parameter"
    holder = facts.value(moved.value)
    if isinstance(holder, Tensor):
        whole = ast.unparse(moved.value)
        return f"write {whole} = {whole}{_call_text(moved, facts)[len(ast.unparse(moved)) :]}"
    if _is_tuple(moved.value, facts):
        return f"make a new tuple with {_call_text(moved, facts)}"
    if not _takes_items(moved, facts):
        return f"write {assignment} if {ast.unparse(moved.value)} is a list, or make a new tuple"
    if isinstance(value, Tensor) and value.grad is not False:
        return f"write {assignment}, unless its gradient is wanted"
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
