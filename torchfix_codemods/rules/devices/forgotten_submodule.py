"""Layers in a plain list or dict are no part of the module: `nn.ModuleList`, `nn.ModuleDict`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.classes import is_initialized_above
from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rule
from torchfix_codemods.rules.devices.questions.containers import contents
from torchfix_codemods.rules.devices.questions.layer_names import fits_module_dict
from torchfix_codemods.rules.devices.questions.own_ways import has_own_ways
from torchfix_codemods.rules.devices.questions.unsaved_state import is_unsaved_state, may_be_updated

#: How the names of torch's layers with parameters begin.
_WITH_PARAMETERS = (
    "Linear Bilinear Conv BatchNorm LSTM GRU RNN Embedding PReLU LayerNorm GroupNorm"
).split()


_CONTAINERS = (ast.List, ast.ListComp, ast.Dict, ast.DictComp)
_IN_DICT = "layers in a plain dict are not trained, moved or saved: nn.ModuleDict"
_IN_TENSOR = "training updates this tensor, and state_dict() does not save it"


class ForgottenSubmodule(Rule):
    """
    ## What it does
    Makes a list of layers that a module keeps in an attribute an `nn.ModuleList`, and a dict of
    layers an `nn.ModuleDict`.

    ## Why
    A module finds its parts among its attributes only, not in lists and dicts: `parameters()`
    leaves the layers out, so that no optimizer trains them, `cuda()` leaves them on the CPU,
    `state_dict()` does not save them, and `eval()` does not reach them.

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
    has parameters, and where the list is used as no `ModuleList`, or the dict as no `ModuleDict`,
    can be. A dict whose keys are not certainly strings without dots is named in a finding, and so
    is a tensor that is updated in training mode, read in evaluation, and no buffer: to register it
    changes what files hold.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.ModuleList.html
    - https://pytorch.org/docs/stable/generated/torch.nn.ModuleDict.html
    """

    code = "TP206"
    name = "forgotten-submodule"
    since = "0.4.1"
    numerics = Numerics.CHANGED
    moves = TRAINING
    words = frozenset({"nn", "Module"})
    message = "layers in a plain list are not trained, moved or saved: nn.ModuleList"

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        target, value = node.targets[0], node.value
        if not isinstance(value, (ast.Call, *_CONTAINERS)) or len(node.targets) != 1:
            return
        if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
            return
        if isinstance(value, ast.Call) and not may_be_updated(target.attr, facts):
            return
        owner = _built_by(node, target.value, facts)
        if owner is None or has_own_ways(owner, facts):
            return
        if isinstance(value, ast.Call):
            if is_unsaved_state(target, value, owner, facts):
                written = f'self.register_buffer("{target.attr}", {facts.segment(value)})'
                yield self.advice(node, f"{_IN_TENSOR}: {written}")
        else:
            yield from self._find_held(node, target, value, owner, facts)

    def _find_held(
        self,
        node: ast.Assign,
        target: ast.Attribute,
        value: ast.expr,
        owner: ast.ClassDef,
        facts: Facts,
    ) -> Iterator[Found]:
        """Layers that a list or a dict keeps."""
        held = None if _holds_one(value) else contents(target, value, owner, facts)
        if held is None or not all(_is_new(layer, owner, facts) for layer in held.items):
            return
        if not any(_has_parameters(facts.value(layer)) for layer in held.items):
            return
        if isinstance(value, (ast.List, ast.ListComp)):
            spelling = spell(facts, "torch.nn.ModuleList", node)
        elif fits_module_dict(held, value, facts):
            spelling = spell(facts, "torch.nn.ModuleDict", node)
        else:
            yield self.advice(node, f"{_IN_DICT}, whose keys are strings without dots")
            return
        if spelling is not None:
            message = None if isinstance(value, (ast.List, ast.ListComp)) else _IN_DICT
            yield self.found(node, message, region=value, needs=spelling.needs, name=spelling.text)

    def leave_List(self, original: cst.List, updated: cst.List) -> cst.Call:
        args = [cst.Arg(updated)] if updated.elements else []
        return cst.Call(cst.parse_expression(self.data["name"]), args)

    def leave_ListComp(self, original: cst.ListComp, updated: cst.ListComp) -> cst.Call:
        return cst.Call(cst.parse_expression(self.data["name"]), [cst.Arg(updated)])

    def leave_Dict(self, original: cst.Dict, updated: cst.Dict) -> cst.Call:
        args = [cst.Arg(updated)] if updated.elements else []
        return cst.Call(cst.parse_expression(self.data["name"]), args)

    def leave_DictComp(self, original: cst.DictComp, updated: cst.DictComp) -> cst.Call:
        return cst.Call(cst.parse_expression(self.data["name"]), [cst.Arg(updated)])


def _built_by(node: ast.Assign, self: ast.Name, facts: Facts) -> ast.ClassDef | None:
    """The class of modules whose constructor sets an attribute of ``self`` in a statement."""
    constructor = facts.names.enclosing_function(node)
    owner = None if constructor is None else facts.parent(constructor)
    if not isinstance(constructor, ast.FunctionDef) or not isinstance(owner, ast.ClassDef):
        return None
    if constructor.name != "__init__" or facts.classes.kind(owner) != "module":
        return None
    if facts.classes.self_name(constructor) != self.id:
        return None
    return owner if is_initialized_above(node, constructor) else None


def _holds_one(value: ast.expr) -> bool:
    """Whether a list or a dict is written with just one layer: a common way to hide it."""
    if isinstance(value, ast.Dict):
        return len(value.values) == 1
    return isinstance(value, ast.List) and len(value.elts) == 1


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
