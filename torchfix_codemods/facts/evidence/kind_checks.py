"""What code that asks for the kind of a thing says of it: ``if isinstance(x, torch.Tensor):``."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import TYPE_CHECKING

from torchfix_codemods.facts.language.asked_class import asked_for_class
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.values.lattice import Module, Unknown, Value
from torchfix_codemods.facts.values.torch_api import TENSOR_CLASSES, TYPED_CLASSES

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference

#: Checks that a name can hold different kinds of things: its use then proves nothing.
_KIND_CHECKS = frozenset({"isinstance", "hasattr", "type", "callable", "is_tensor", "is_storage"})


def is_kind_checked(names: Names, use: ast.Name) -> bool:
    """Whether the scope asks what kind of thing the name holds."""
    scope = names.scope_of(use)
    return names.remembered(
        (is_kind_checked, scope, use.id),
        lambda: any(is_kind_check(names, other) for other in scope.uses.get(use.id, ())),
    )


def is_attribute_kind_checked(names: Names, name: str) -> bool:
    """Whether the module asks what kind of thing an attribute holds, of whatever object."""
    return names.remembered(
        (is_attribute_kind_checked, name),
        lambda: any(is_kind_check(names, use) for use in names.attributes(name)),
    )


def is_kind_check(names: Names, node: ast.expr) -> bool:
    """``node`` of ``isinstance(node, …)``, ``type(node)``, ``node.__class__ is …`` and the like."""
    parent = names.parents.get(node)
    if isinstance(parent, ast.Attribute):
        return names.is_compared_class(parent)
    if not (isinstance(parent, ast.Call) and node in parent.args):
        return False
    function = parent.func
    called = function.attr if isinstance(function, ast.Attribute) else None
    return (function.id if isinstance(function, ast.Name) else called) in _KIND_CHECKS


def checked_module(names: Names, use: ast.Name, value: Unknown | Module) -> Value:
    """What ``if isinstance(m, nn.Conv2d):`` around a use says about ``m``."""
    if use.id not in names.kind_checked:
        return value
    if isinstance(value, Module) and (value.cls or value.definition or value.origin):
        return value
    child: ast.AST = use
    for parent in names.ancestors(use):
        if isinstance(parent, ast.If) and child in parent.body:
            checked = _checked_classes(parent.test, use.id)
            known = [names.name(cls) for cls in checked]
            if known and all(name and name.startswith("torch.nn.") for name in known):
                several = frozenset(Module(cls=name) for name in known if len(known) > 1)
                return Module(either=several) if several else Module(cls=known[0])
        child = parent
    return value


def _checked_classes(test: ast.expr, name: str) -> list[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return next((c for c in (_checked_classes(v, name) for v in test.values) if c), [])
    if isinstance(test, ast.BoolOp):
        either = [_checked_classes(value, name) for value in test.values]
        return [cls for classes in either for cls in classes] if all(either) else []
    if not (isinstance(test, ast.Call) and len(test.args) == 2):
        return []
    function, (checked, classes) = test.func, test.args
    if not (isinstance(function, ast.Name) and function.id == "isinstance"):
        return []
    if not (isinstance(checked, ast.Name) and checked.id == name):
        return []
    return list(classes.elts) if isinstance(classes, ast.Tuple) else [classes]


TENSOR_TYPES = TENSOR_CLASSES | {"torch.autograd.Variable"}
ARRAY_TYPES = frozenset({"numpy.ndarray"})


def is_checked_to_be(
    types: Collection[str], inference: Inference, use: ast.Name, bindings: tuple[Binding, ...]
) -> bool:
    """Inside ``if isinstance(x, torch.Tensor):``, with x still what was checked."""
    if use.id not in inference.names.kind_checked:
        return False
    child: ast.AST = use
    for parent in inference.names.ancestors(use):
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return False
        if isinstance(parent, (ast.If, ast.IfExp)):
            body = parent.body if isinstance(parent.body, list) else [parent.body]
            if child in body:
                # Where several things are asked, all of them hold inside.
                for checked in (
                    checked_name(inference.names, test, types) for test in _asked(parent.test)
                ):
                    if checked is not None and checked.id == use.id:
                        return inference.flow.reaching(checked) == bindings
        child = parent
    return False


def _asked(test: ast.expr) -> list[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return test.values
    return [test]


def checked_name(
    names: Names, test: ast.expr, types: Collection[str] = TENSOR_TYPES
) -> ast.Name | None:
    """``x`` of ``isinstance(x, torch.Tensor)``, ``torch.is_tensor(x)``, ``type(x) == Variable``."""
    subject: ast.expr | None = None
    if isinstance(test, ast.Call) and test.args:
        is_isinstance = isinstance(test.func, ast.Name) and test.func.id == "isinstance"
        if is_isinstance and len(test.args) == 2 and _are_of(types, names, test.args[1]):
            subject = test.args[0]
        elif names.name(test.func) == "torch.is_tensor" and types is TENSOR_TYPES:
            subject = test.args[0]
    elif isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Eq, ast.Is)):
        if len(test.ops) == 1 and names.name(test.comparators[0]) in types:
            subject = asked_for_class(names, test.left)
    return subject if isinstance(subject, ast.Name) else None


def _are_of(types: Collection[str], names: Names, classes: ast.expr) -> bool:
    """Whether one of some types is asked for, and no other: beside all tensors, also some."""
    if not isinstance(classes, ast.Tuple):
        return names.name(classes) in types
    asked = {names.name(cls) for cls in classes.elts}
    also = TYPED_CLASSES if types is TENSOR_TYPES else frozenset[str]()
    return not asked.isdisjoint(types) and asked <= {*types, *also}
