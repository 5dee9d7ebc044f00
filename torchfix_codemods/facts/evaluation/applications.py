"""What a module is applied to: all the calls of the object that one constructor call makes."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from torchfix_codemods.facts.libraries import container_methods, torch_table
from torchfix_codemods.facts.values.lattice import (
    Instance,
    Module,
    Nothing,
    Unknown,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.names import Names
    from torchfix_codemods.facts.values.inference import Inference

#: Methods of a module that neither call it nor give it away.
_HARMLESS_METHODS = frozenset(
    """parameters named_parameters modules named_modules buffers named_buffers state_dict
    load_state_dict zero_grad""".split()
)

#: What gives the parts of a module away: ``nn.Sequential(*net.children())``.
_PARTS = ("children", "named_children", "_modules")

#: What nobody calls or applies a module by.
_WEIGHTS = ("weight", "bias")

#: What keeps layers, and calls none.
_LIST = "torch.nn.ModuleList"

#: What calls a module with a part of a batch on each device.
_DATA_PARALLEL = "torch.nn.parallel.data_parallel"

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def applications(
    inference: Inference, construction: ast.Call, within: tuple[ast.Call, ...] = ()
) -> list[ast.Call] | None:
    """The calls of the module that ``construction`` makes.

    Args:
        inference: the values of the file.
        construction: the call that builds the module.
        within: the lists of layers that were asked for on the way here.

    Returns:
        the calls in this file, which are all; None where the module may be called from elsewhere.
        Calls that may be of another module are among them.
    """
    names = inference.names
    made = _moved(names, construction)
    parent = names.parents.get(made)
    if isinstance(parent, ast.Call) and parent.func is made:
        return [parent]
    if not isinstance(parent, ast.Assign) or len(parent.targets) != 1:
        return None
    target = parent.targets[0]
    if isinstance(target, ast.Name):
        scope = names.scope_of(parent)
        if scope.kind == "class":
            return _calls_of_attribute(inference, scope.node, target.id, within)
        return _calls_of_name(inference, parent, target.id)
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        holder = inference.value(target.value)
        owner = names.enclosing_class(target)
        if isinstance(holder, (Module, Instance)) and holder.definition is owner:
            return _calls_of_attribute(inference, owner, target.attr, within)
    return None


def as_applied(names: Names, call: ast.Call) -> ast.Call:
    """``net(x)`` of ``data_parallel(net, x, gpus)``, which gives the same; all else as it is."""
    if names.name(call.func) != _DATA_PARALLEL or len(call.args) < 2:
        return call
    return ast.copy_location(ast.Call(call.args[0], call.args[1:2], []), call)


def applications_of_class(inference: Inference, owner: ast.ClassDef) -> list[ast.Call] | None:
    """The calls of all modules of a class of this file; None where others may call one."""
    names = inference.names
    holder = names.scope_of(owner)
    bindings = holder.bindings.get(owner.name, [])
    if holder.kind == "class" or [binding.node for binding in bindings] != [owner]:
        return None
    if holder is names.module and inference.is_used_elsewhere(owner.name):
        return None
    found: list[ast.Call] = []
    for use in names.uses_of(holder, owner.name):
        parent = names.parents[use]
        if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
            if parent.func.id in ("super", "isinstance") and use in parent.args:
                continue
        if not isinstance(parent, ast.Call) or parent.func is not use:
            return None
        calls = applications(inference, parent)
        if calls is None:
            return None
        found += calls
    calls = _calls_by_itself(inference, owner)
    if any(as_applied(names, call) is not call for call in found):
        return None
    return None if calls is None else found + calls


def _moved(names: Names, node: ast.expr) -> ast.expr:
    """``Net().cuda()`` of ``Net()``: methods that return the module itself."""
    while True:
        method = names.parents.get(node)
        call = names.parents.get(method) if isinstance(method, ast.Attribute) else None
        if not (isinstance(method, ast.Attribute) and isinstance(call, ast.Call)):
            return node
        if call.func is not method or not torch_table.gives_its_module(method.attr):
            return node
        node = call


def _calls_of_name(inference: Inference, statement: ast.stmt, name: str) -> list[ast.Call] | None:
    names = inference.names
    found = names.scope_of(statement).lookup(name)
    if found is None:
        return None
    holder, _ = found
    if holder is names.module and inference.is_used_elsewhere(name):
        return None
    return calls_among(names, names.uses_of(holder, name))


def _calls_of_attribute(
    inference: Inference, owner: ast.AST | None, name: str, within: tuple[ast.Call, ...]
) -> list[ast.Call] | None:
    if not isinstance(owner, ast.ClassDef):
        return None
    names = inference.names
    for use in (use for part in _PARTS for use in names.attributes(part)):
        if not _is_listed(names, use) and _may_be_of(inference, use.value, owner):
            return None
    uses = [
        use
        for use in names.attributes(name)
        if isinstance(use.ctx, ast.Load)
        and names.name(use) is None
        and _may_be_of(inference, use.value, owner)
    ]
    uses = [use for use in uses if not _is_only_kept(inference, use, within)]
    return calls_among(names, uses)


def list_with(names: Names, layer: ast.expr) -> ast.Call | None:
    """The call that builds an ``nn.ModuleList`` of a layer among others, to have its weights."""
    around = names.parents.get(layer)
    built = names.parents.get(around) if isinstance(around, (ast.List, ast.Tuple)) else None
    is_list = isinstance(built, ast.Call) and names.name(built.func) == _LIST
    return built if is_list and isinstance(built, ast.Call) and built.args == [around] else None


def _is_only_kept(inference: Inference, use: ast.expr, within: tuple[ast.Call, ...]) -> bool:
    """``nn.ModuleList([layer])`` of which nothing calls a layer, ``layers.append(layer)``."""
    names = inference.names
    built = list_with(names, use)
    if built is not None:
        return built not in within and applications(inference, built, (*within, built)) == []
    method = names.parents.get(use)
    call = names.parents.get(method) if isinstance(method, ast.Attribute) else None
    if not isinstance(method, ast.Attribute) or not isinstance(call, ast.Call):
        return False
    is_alone = isinstance(names.parents.get(call), ast.Expr)
    if not is_alone or not container_methods.keeps(method.attr):
        return False
    layers = inference.value(use)
    return isinstance(layers, Module) and layers.cls == _LIST


def _is_listed(names: Names, part: ast.Attribute) -> bool:
    """``tree.children[0]``, ``len(tree.children)``, a loop through it: no method can do that."""
    parent = names.parents.get(part)
    if part.attr == "_modules":
        return False
    if isinstance(parent, ast.Call):
        return part in parent.args and names.builtin(parent.func) == "len"
    is_gone_through = isinstance(parent, (ast.For, ast.comprehension)) and parent.iter is part
    return is_gone_through or (isinstance(parent, ast.Subscript) and parent.value is part)


def _may_be_of(inference: Inference, receiver: ast.expr, owner: ast.ClassDef) -> bool:
    """Whether an expression may be a module of a class, its bases or the classes below it."""
    value = inference.value(receiver)
    if isinstance(value, (Module, Instance)) and value.definition is not None:
        other = value.definition
        bases = inference.classes.bases
        return owner in bases(other) or other in bases(owner)
    if isinstance(value, Module):
        return value.cls is None and not _is_of_torchvision(inference, receiver)
    return isinstance(value, (Unknown, Nothing))


def _is_of_torchvision(inference: Inference, node: ast.expr) -> bool:
    """Whether all that a name holds is made by ``torchvision.models.resnet18()`` and the like."""
    bindings = inference.flow.reaching(node) if isinstance(node, ast.Name) else ()
    made = [binding.written() if binding.kind == "assign" else None for binding in bindings]
    return bool(made) and all(
        isinstance(call, ast.Call)
        and (inference.names.name(call.func) or "").startswith("torchvision.models.")
        for call in made
    )


def calls_among(names: Names, uses: Iterable[ast.expr]) -> list[ast.Call] | None:
    """The calls of a module among the places that read it; None where one gives it away.

    Args:
        names: the names of the file that has the places.
        uses: the places.
    """
    found = []
    for use in uses:
        parent = names.parents.get(use)
        if _reads_weight(names, use):
            continue
        if isinstance(parent, ast.Attribute):
            call = names.parents.get(parent)
            if not (isinstance(call, ast.Call) and call.func is parent):
                return None
            if parent.attr == "forward":
                found.append(call)
            elif not _is_harmless(parent.attr) or not _stays(names, parent.attr, call, use):
                return None
        elif isinstance(parent, ast.Call) and as_applied(names, parent).func is use:
            found.append(parent)
        else:
            return None
    return found


def _reads_weight(names: Names, layer: ast.expr) -> bool:
    """``layer.weight.data``, and ``layers[0].weight`` of an ``nn.Sequential``."""
    parent = names.parents.get(layer)
    if isinstance(parent, ast.Subscript) and parent.value is layer:
        parent = names.parents.get(parent)
    return isinstance(parent, ast.Attribute) and parent.attr in _WEIGHTS


def _is_harmless(method: str) -> bool:
    return method in _HARMLESS_METHODS or torch_table.gives_its_module(method)


def _stays(names: Names, method: str, call: ast.Call, receiver: ast.expr) -> bool:
    """Whether the result of a method is no second name for the module: ``net = net.cuda()``."""
    if not torch_table.gives_its_module(method):
        return True
    parent = names.parents.get(call)
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        return ast.unparse(parent.targets[0]) == ast.unparse(receiver)
    return isinstance(parent, ast.Expr)


def _calls_by_itself(inference: Inference, owner: ast.ClassDef) -> list[ast.Call] | None:
    """``self(x)`` and ``self.forward(x)`` in a class; None where ``self`` goes out of sight."""
    found: list[ast.Call] = []
    for method in owner.body:
        if not isinstance(method, _FUNCTIONS):
            continue
        own = inference.classes.self_name(method)
        scope = inference.names.scopes[method]
        for use in () if own is None else inference.names.uses_of(scope, own):
            parent = inference.names.parents[use]
            if isinstance(parent, ast.Call) and parent.func is use:
                found.append(parent)
            elif isinstance(parent, ast.Attribute) and parent.attr == "forward":
                call = inference.names.parents[parent]
                if not (isinstance(call, ast.Call) and call.func is parent):
                    return None
                found.append(call)
            elif not isinstance(parent, ast.Attribute) and not _is_super(parent):
                return None
    return found


def _is_super(node: ast.AST) -> bool:
    """``super(Net, self)``."""
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
    )
