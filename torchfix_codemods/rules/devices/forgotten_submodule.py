"""Layers in a plain list or dict are no part of the module: `nn.ModuleList`, `nn.ModuleDict`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.language.classes import is_initialized_above
from torchfix_codemods.facts.language.nodes import own_nodes, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.modes import MODULE_METHODS
from torchfix_codemods.facts.values.lattice import Module, Number
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rule
from torchfix_codemods.rules.devices.questions.containers import (
    Contents,
    contents,
    is_of_another,
    is_used_elsewhere,
)

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

_CONTAINERS = (ast.List, ast.ListComp, ast.Dict, ast.DictComp)
_IN_DICT = "layers in a plain dict are not trained, moved or saved: nn.ModuleDict"
_IN_TENSOR = "training updates this tensor, and state_dict() does not save it"

#: What no layer can be called, as ``nn.ModuleDict`` has it itself.
_OF_MODULE_DICT = MODULE_METHODS | frozenset(
    """T_destination bfloat16 call_super_init clear compile dump_patches get_buffer
    get_extra_state get_submodule items ipu keys mtia pop register_full_backward_hook
    register_full_backward_pre_hook register_load_state_dict_post_hook
    register_load_state_dict_pre_hook register_module register_state_dict_post_hook
    register_state_dict_pre_hook requires_grad_ set_extra_state set_submodule to_empty training
    update values xpu""".split()
)


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
        if isinstance(value, ast.Call) and not _may_be_updated(target.attr, facts):
            return
        constructor = facts.names.enclosing_function(node)
        owner = None if constructor is None else facts.parent(constructor)
        if not isinstance(constructor, ast.FunctionDef) or not isinstance(owner, ast.ClassDef):
            return
        if constructor.name != "__init__" or facts.classes.kind(owner) != "module":
            return
        if facts.classes.self_name(constructor) != target.value.id:
            return
        has_own_ways = facts.remembered(("own ways", owner), lambda: _has_own_ways(owner))
        if has_own_ways or not is_initialized_above(node, constructor):
            return
        if isinstance(value, ast.Call):
            if _is_unsaved_state(target, value, owner, facts):
                written = f'self.register_buffer("{target.attr}", {facts.segment(value)})'
                yield self.advice(node, f"{_IN_TENSOR}: {written}")
            return
        held = None if _holds_one(value) else contents(target, value, owner, facts)
        if held is None or not all(_is_new(layer, owner, facts) for layer in held.items):
            return
        if not any(_has_parameters(facts.value(layer)) for layer in held.items):
            return
        if isinstance(value, (ast.List, ast.ListComp)):
            spelling = spell(facts, "torch.nn.ModuleList", node)
        elif _fits_module_dict(held, value, facts):
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


def _holds_one(value: ast.expr) -> bool:
    """Whether a list or a dict is written with just one layer: a common way to hide it."""
    if isinstance(value, ast.Dict):
        return len(value.values) == 1
    return isinstance(value, ast.List) and len(value.elts) == 1


def _fits_module_dict(held: Contents, value: ast.expr, facts: Facts) -> bool:
    """Whether the keys of a dict can be names of layers, and its order stays.

    Old versions of ``nn.ModuleDict`` sort what they are made of; added one by one, layers keep
    their order.
    """
    is_ordered = not held.is_iterated or (isinstance(value, ast.Dict) and not value.keys)
    return is_ordered and all(_is_name(key, facts) for key in held.keys)


def _is_name(key: ast.expr, facts: Facts) -> bool:
    """Whether a key is certainly text that can name a layer: ``"conv"``, ``"conv%d" % i``."""
    if isinstance(key, ast.Constant):
        text = key.value
        return isinstance(text, str) and _can_name(text)
    if isinstance(key, ast.JoinedStr):
        has_number = any(isinstance(part, ast.FormattedValue) for part in key.values)
        return has_number and all(_is_part(part, facts) for part in key.values)
    if isinstance(key, ast.BinOp) and isinstance(key.op, ast.Add):
        return _is_name(key.left, facts) and _is_name(key.right, facts)
    if isinstance(key, ast.BinOp) and isinstance(key.op, ast.Mod):
        template = getattr(key.left, "value", None)
        return (
            isinstance(template, str)
            and "." not in template
            and re.findall("%.", template) == ["%d"]
            and _is_integer(key.right, facts)
        )
    if isinstance(key, ast.Call) and isinstance(key.func, ast.Name) and key.func.id == "str":
        is_builtin = facts.names.scope_of(key).lookup("str") is None
        return is_builtin and len(key.args) == 1 and _is_integer(key.args[0], facts)
    if isinstance(key, ast.Name):
        walked = [b.value for b in facts.flow.reaching(key) if b.kind == "for" and not b.path]
        return len(walked) == 1 == len(facts.flow.reaching(key)) and (
            isinstance(walked[0], (ast.List, ast.Tuple))
            and all(isinstance(e, ast.Constant) and _is_name(e, facts) for e in walked[0].elts)
        )
    return False


def _can_name(text: str) -> bool:
    return bool(text) and "." not in text and text not in _OF_MODULE_DICT


def _is_part(part: ast.expr, facts: Facts) -> bool:
    if isinstance(part, ast.FormattedValue):
        return part.format_spec is None and _is_integer(part.value, facts)
    return isinstance(part, ast.Constant) and "." not in str(part.value)


def _is_integer(node: ast.expr, facts: Facts) -> bool:
    value = facts.value(node)
    return isinstance(value, Number) and value.kind == "int"


def _has_own_ways(owner: ast.ClassDef) -> bool:
    if any(isinstance(m, ast.FunctionDef) and m.name in _OWN_WAYS for m in owner.body):
        return True
    return any(_registers(node) for node in walk(owner) if isinstance(node, ast.Call))


def _registers(call: ast.Call) -> bool:
    """``self.add_module(…)``, ``self.register_parameter(name, …)`` with a name that is made."""
    called = getattr(call.func, "attr", getattr(call.func, "id", None))
    if called == "register_parameter":
        return not isinstance(argument(call, 0, "name"), ast.Constant)
    return called in _REGISTERING


def _may_be_updated(name: str, facts: Facts) -> bool:
    """Whether attributes of that name are set twice, in a file that asks for the mode."""
    stores = (isinstance(node.ctx, ast.Store) for node in facts.names.attributes(name))
    return bool(facts.names.attributes("training")) and sum(stores) > 1


def _is_unsaved_state(
    target: ast.Attribute, value: ast.Call, owner: ast.ClassDef, facts: Facts
) -> bool:
    """Whether a tensor gathers what evaluation needs, and is no buffer: ``running_mean``."""
    if not facts.is_tensor(value):
        return False
    name = facts.name(value.func)
    if name is None or name == "torch.nn.Parameter" or is_used_elsewhere(target.attr, facts):
        return False
    updates, reads = 0, 0
    for use in facts.names.attributes(target.attr):
        method = facts.names.enclosing_function(use)
        if use is target or is_of_another(use, method, owner, facts):
            continue
        if not isinstance(method, ast.FunctionDef) or facts.parent(method) is not owner:
            return False
        statement = facts.statement(use)
        if _is_under_training(statement, method, facts):
            updates += _updates(statement, use)
        elif isinstance(use.ctx, ast.Load) and method.name != "__init__":
            reads += isinstance(statement, (ast.Assign, ast.AugAssign, ast.Return))
        else:
            # Reset, moved or registered in another way.
            return False
    return updates > 0 and reads > 0


def _is_under_training(statement: ast.stmt, method: ast.FunctionDef, facts: Facts) -> bool:
    """Whether a statement only runs ``if self.training``."""
    child: ast.AST = statement
    for around in facts.names.ancestors(statement):
        if around is method:
            return False
        if isinstance(around, ast.If) and child in around.body:
            test = around.test
            if isinstance(test, ast.Attribute) and test.attr == "training":
                return True
        child = around
    return False


def _updates(statement: ast.stmt, use: ast.Attribute) -> bool:
    """Whether a statement computes the new value of ``use`` from the old one."""
    if isinstance(statement, ast.AugAssign):
        return statement.target is use
    if isinstance(statement, ast.Assign) and statement.targets == [use]:
        written = ast.unparse(use)
        return any(
            isinstance(node, ast.Attribute) and ast.unparse(node) == written
            for node in ast.walk(statement.value)
        )
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
