"""What a state dict does not say of a model: what is changed besides, and what its classes hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.libraries import container_methods, python_functions, torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import (
    Function,
    Instance,
    Mapping,
    Module,
    Number,
    Sequence,
    Tensor,
)
from torchfix_codemods.rules.checkpoints.questions.same_value import is_assigned

#: What may be asked of a model without changing what its constructor would give.
_HARMLESS = frozenset(
    "parameters named_parameters state_dict load_state_dict zero_grad forward train eval".split()
)
_READING_BUILTINS = frozenset("print len type isinstance id repr str".split())
_OBJECTS = (Instance, Imported)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def leaves_as_built(facts: Facts, use: ast.expr, built: ast.expr) -> bool:
    """Whether a use of a model changes nothing but its parameters and its mode."""
    parent = facts.parent(use)
    if isinstance(parent, ast.keyword):
        parent = facts.parent(parent)
    if isinstance(parent, ast.Attribute):
        if not isinstance(parent.ctx, ast.Load):
            return False
        call = facts.parent(parent)
        if isinstance(call, ast.Call) and call.func is parent:
            return parent.attr in _HARMLESS
        return _leaves_part_as_built(facts, parent)
    if isinstance(parent, ast.Call):
        if parent.func is use:
            return True
        if facts.name(parent.func) == "torch.save":
            return True
        if isinstance(parent.func, ast.Name) and parent.func.id in _READING_BUILTINS:
            return True
        return isinstance(facts.value(parent.func), Function)
    return isinstance(parent, (ast.Expr, ast.Return))


def _leaves_part_as_built(facts: Facts, part: ast.expr) -> bool:
    """Whether a use of ``model.part`` changes nothing but parameters: ``model.fc.weight.data``."""
    parent = facts.parent(part)
    while isinstance(parent, (ast.Attribute, ast.Subscript)) and parent.value is part:
        if not isinstance(parent.ctx, ast.Load):
            return isinstance(parent, ast.Attribute) and parent.attr in ("data", "grad")
        part, parent = parent, facts.parent(parent)
    if isinstance(parent, ast.keyword):
        parent = facts.parent(parent)
    if isinstance(parent, ast.Assign):
        return isinstance(facts.value(part), (Tensor, Number))
    if not isinstance(parent, ast.Call):
        return True
    if parent.func is part and isinstance(part, ast.Attribute):
        changes = _alters(part.attr) or part.attr.startswith("register_")
        # No state dict tells of that either.
        changes |= torch_table.gives_its_module(part.attr) and part.attr not in ("train", "eval")
        return not changes or facts.is_tensor(part.value)
    name = facts.name(parent.func)
    if name is not None and name.startswith("torch.nn.utils."):
        return False
    is_reading = isinstance(parent.func, ast.Name) and parent.func.id in _READING_BUILTINS
    is_harmless = parent.func is part or is_reading or name == "torch.save"
    return is_harmless or not _is_changeable(facts, part)


def _alters(method: str) -> bool:
    """Whether a method changes what a list, a dict, a set, or a container of modules holds."""
    return method == "add_module" or container_methods.alters(method)


def _is_changeable(facts: Facts, node: ast.expr) -> bool:
    """Whether a value is a module, a container or an object, which others could change."""
    return isinstance(facts.value(node), (Module, Sequence, Mapping, Instance, Imported))


def freezes(facts: Facts) -> bool:
    """Whether the file says of anything whether it needs gradients."""
    return bool(facts.names.method_calls("requires_grad_")) or is_assigned(facts, "requires_grad")


def state_dict_says_all(facts: Facts) -> bool:
    """Whether the modules of this file hold nothing that a state dict leaves out."""
    for node in facts.names.nodes.get(ast.ClassDef, ()):
        assert isinstance(node, ast.ClassDef)
        if facts.classes.kind(node) == "plain":
            continue
        if not all(_is_built_for_good(facts, node, n) for n in facts.classes.attribute_names(node)):
            return False
        for method in node.body:
            if isinstance(method, _FUNCTIONS) and method.name != "__init__":
                if any(_changes(facts, attribute) for attribute in _own(facts, method)):
                    return False
    return True


def _is_built_for_good(facts: Facts, cls: ast.ClassDef, name: str) -> bool:
    """Whether only the constructor sets an attribute, and to nothing with tensors unregistered."""
    for source in facts.classes.attribute_sources(cls, name):
        function = facts.names.enclosing_function(source.node)
        if function is None or function.name != "__init__" or source.value is None:
            return False
        value = facts.value(source.value)
        if isinstance(value, Tensor) and value.leaf_module is None:
            return False
        if isinstance(value, Sequence) and isinstance(value.element, (Module, Tensor)):
            return False
    return True


def _own(facts: Facts, method: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.Attribute]:
    """The places of a method that read an attribute of ``self``."""
    own = facts.classes.self_name(method)
    for node in ast.walk(method):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == own and isinstance(node.ctx, ast.Load):
                yield node


def _changes(facts: Facts, attribute: ast.Attribute) -> bool:
    """Whether a use of ``self.history`` may change the list, dict, set or object that it is."""
    value = facts.value(attribute)
    if isinstance(value, Tensor):
        return False
    parent = facts.parent(attribute)
    node: ast.expr = attribute
    while isinstance(parent, ast.Subscript) and parent.value is node:
        if not isinstance(parent.ctx, ast.Load):
            return True
        node, parent = parent, facts.parent(parent)
    if isinstance(parent, ast.Attribute):
        if not isinstance(parent.ctx, ast.Load):
            return not isinstance(value, Module)
        call = facts.parent(parent)
        is_call = isinstance(call, ast.Call) and call.func is parent
        return is_call and (_alters(parent.attr) or isinstance(value, _OBJECTS))
    if not isinstance(value, (Sequence, Mapping, *_OBJECTS)) or node is not attribute:
        return False
    if isinstance(parent, ast.Call):
        name = parent.func.id if isinstance(parent.func, ast.Name) else None
        goes_through = name in _READING_BUILTINS or python_functions.walks(name)
        return parent.func is not attribute and not goes_through
    return isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.Return))
