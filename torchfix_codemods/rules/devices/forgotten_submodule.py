"""Layers in a plain list are no part of the module: `nn.ModuleList` registers them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.classes import is_initialized_above
from torchfix_codemods.facts.elsewhere import OtherFile
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.names import own_nodes
from torchfix_codemods.facts.values import Module
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rule

#: How the names of torch's layers with parameters begin.
_WITH_PARAMETERS = (
    "Linear Bilinear Conv BatchNorm LSTM GRU RNN Embedding PReLU LayerNorm GroupNorm"
).split()

#: Methods by which a class can look after its unregistered layers itself.
_OWN_WAYS = frozenset(
    """cuda to cpu parameters named_parameters modules named_modules children state_dict
    load_state_dict train eval apply _apply __setattr__ __getattr__ add_module
    register_module""".split()
)

#: Calls by which a class registers layers under names that it makes.
_REGISTERING = frozenset({"add_module", "register_module", "setattr", "__setattr__", "vars"})

_READERS = frozenset({"len", "enumerate", "zip", "range", "reversed", "list"})


class ForgottenSubmodule(Rule):
    """
    ## What it does
    Makes a list of layers that a module keeps in an attribute an `nn.ModuleList`.

    ## Why
    A module finds its parts among its attributes only, not in lists: `parameters()` leaves the
    layers out, so that no optimizer trains them, `cuda()` leaves them on the CPU, `state_dict()`
    does not save them, and `eval()` does not reach them.

    ## Example
    ```python
    self.convs = []
    for width in widths:
        self.convs.append(nn.Conv1d(dim, channels, width))
    ```
    becomes
    ```python
    self.convs = nn.ModuleList()
    for width in widths:
        self.convs.append(nn.Conv1d(dim, channels, width))
    ```

    ## Numbers
    Changed, as meant: the layers are trained, moved and saved with the module. Files that were
    saved before do not hold them.

    ## When it stays its hand
    Where the layers are registered in another way (`add_module`, `setattr`, a second attribute,
    `nn.ModuleList(self.layers)`), where the list has just one layer (a common way to hide it),
    where the layers come from outside, where code outside of the class uses the list, where the
    class looks after its layers itself (a `cuda` or `parameters` of its own), where none of them
    has parameters, and where the list is used as no `ModuleList` can be.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.ModuleList.html
    """

    code = "TP206"
    name = "forgotten-submodule"
    since = "0.1"
    numerics = Numerics.CHANGED
    moves = TRAINING
    words = frozenset({"nn", "Module"})
    message = "layers in a plain list are not trained, moved or saved: nn.ModuleList"

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        target = node.targets[0]
        if not isinstance(node.value, (ast.List, ast.ListComp)) or len(node.targets) != 1:
            return
        if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
            return
        constructor = facts.names.enclosing_function(node)
        owner = None if constructor is None else facts.parent(constructor)
        if not isinstance(constructor, ast.FunctionDef) or not isinstance(owner, ast.ClassDef):
            return
        if constructor.name != "__init__" or facts.classes.kind(owner) != "module":
            return
        if facts.classes.self_name(constructor) != target.value.id or _has_own_ways(owner):
            return
        if not is_initialized_above(node, constructor):
            return
        layers = _layers(target, node.value, owner, facts)
        spelling = spell(facts, "torch.nn.ModuleList", node)
        if spelling is None or not layers or not all(_is_new(e, owner, facts) for e in layers):
            return
        if any(_has_parameters(facts.value(layer)) for layer in layers):
            yield self.found(node, region=node.value, needs=spelling.needs, name=spelling.text)

    def leave_List(self, original: cst.List, updated: cst.List) -> cst.Call:
        args = [cst.Arg(updated)] if updated.elements else []
        return cst.Call(cst.parse_expression(self.data["name"]), args)

    def leave_ListComp(self, original: cst.ListComp, updated: cst.ListComp) -> cst.Call:
        return cst.Call(cst.parse_expression(self.data["name"]), [cst.Arg(updated)])


def _has_own_ways(owner: ast.ClassDef) -> bool:
    if any(isinstance(m, ast.FunctionDef) and m.name in _OWN_WAYS for m in owner.body):
        return True
    return any(
        getattr(node.func, "attr", getattr(node.func, "id", None)) in _REGISTERING
        for node in ast.walk(owner)
        if isinstance(node, ast.Call)
    )


def _layers(
    target: ast.Attribute, value: ast.expr, owner: ast.ClassDef, facts: Facts
) -> list[ast.expr]:
    """What a list holds; empty where that is not certain, or it is used in another way."""
    if len(facts.classes.attribute_sources(owner, target.attr)) != 1:
        return []
    if _is_used_elsewhere(target.attr, facts):
        return []
    layers: list[ast.expr] = []
    if isinstance(value, ast.ListComp):
        layers.append(value.elt)
    elif isinstance(value, ast.List):
        layers += value.elts
    if len(layers) == 1 and isinstance(value, ast.List):
        return []
    is_used = False
    for use in facts.names.attributes(target.attr):
        method = facts.names.enclosing_function(use)
        if use is target or _is_of_another(use, method, owner, facts):
            continue
        if not isinstance(method, ast.FunctionDef) or facts.parent(method) is not owner:
            return []
        appended = _appended(use, facts)
        if appended is not None and method.name == "__init__":
            layers.append(appended)
        elif not _reads_as_list(use, facts):
            return []
        else:
            is_used |= method.name != "__init__"
    return layers if is_used else []


def _is_used_elsewhere(name: str, facts: Facts) -> bool:
    """Whether another file reads an attribute of that name of anything but its own ``self``."""
    mentioning = () if facts.files is None else facts.files.mentioning(name)
    return mentioning is None or any(
        file.facts is None or any(_is_outside(use, file.facts) for use in _attributes(name, file))
        for file in mentioning
    )


def _attributes(name: str, file: OtherFile) -> list[ast.Attribute]:
    return [] if file.facts is None else file.facts.names.attributes(name)


def _is_outside(use: ast.Attribute, there: Facts) -> bool:
    method = there.names.enclosing_function(use)
    is_method = isinstance(method, ast.FunctionDef) and isinstance(
        there.parent(method), ast.ClassDef
    )
    if not is_method or not isinstance(method, ast.FunctionDef):
        return True
    return not isinstance(use.value, ast.Name) or use.value.id != there.classes.self_name(method)


def _is_of_another(
    use: ast.Attribute, method: ast.AST | None, owner: ast.ClassDef, facts: Facts
) -> bool:
    """Whether ``self.layers`` is an attribute of a class that has nothing to do with ``owner``."""
    other = facts.parent(method) if isinstance(method, ast.FunctionDef) else None
    if not isinstance(other, ast.ClassDef) or not isinstance(method, ast.FunctionDef):
        return False
    is_self = isinstance(use.value, ast.Name) and use.value.id == facts.classes.self_name(method)
    families = [*facts.classes.bases(other)], [*facts.classes.bases(owner)]
    return is_self and owner not in families[0] and other not in families[1]


def _appended(use: ast.Attribute, facts: Facts) -> ast.expr | None:
    """``layer`` of ``self.layers.append(layer)``."""
    method = facts.parent(use)
    call = facts.parent(method) if isinstance(method, ast.Attribute) else None
    if not isinstance(method, ast.Attribute) or not isinstance(call, ast.Call):
        return None
    is_append = method.attr == "append" and call.func is method and len(call.args) == 1
    return call.args[0] if is_append and not call.keywords else None


def _reads_as_list(use: ast.Attribute, facts: Facts) -> bool:
    """Whether a list is only walked through, measured, or asked for one of its items."""
    parent = facts.parent(use)
    if isinstance(parent, ast.Subscript) and parent.value is use:
        return isinstance(parent.ctx, ast.Load) and not isinstance(parent.slice, ast.Slice)
    if isinstance(parent, (ast.For, ast.comprehension)):
        return parent.iter is use
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
        is_builtin = facts.names.scope_of(parent).lookup(parent.func.id) is None
        return is_builtin and parent.func.id in _READERS
    return False


def _is_new(layer: ast.expr, owner: ast.ClassDef, facts: Facts) -> bool:
    """Whether a layer is built here and kept nowhere but in the list."""
    if not isinstance(facts.value(layer), Module):
        return False
    if isinstance(layer, ast.Call):
        return True
    if not isinstance(layer, ast.Name):
        return False
    built = facts.assigned(layer)
    if built is None or not all(isinstance(value, ast.Call) for value in built):
        return False
    function = facts.names.enclosing_function(layer)
    return function is not None and all(
        isinstance(facts.parent(node), ast.Attribute)
        for node in own_nodes(function)
        if isinstance(node, ast.Name)
        and node.id == layer.id
        and node is not layer
        and isinstance(node.ctx, ast.Load)
    )


def _has_parameters(layer: object) -> bool:
    """Whether a layer is one of torch's that has parameters, or of a class of the project."""
    if not isinstance(layer, Module):
        return False
    if layer.cls is None:
        return layer.definition is not None or layer.origin is not None
    return layer.cls.rpartition(".")[2].startswith(tuple(_WITH_PARAMETERS))
