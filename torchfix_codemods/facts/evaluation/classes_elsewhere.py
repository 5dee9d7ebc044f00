"""Classes and functions that may come from other files: their bases, methods and attributes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evaluation.outside import is_set_by_others, seen_from_outside
from torchfix_codemods.facts.language.own_uses import used_by_method
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.imported import Imported, imported_as
from torchfix_codemods.facts.values.lattice import (
    NOTHING,
    UNKNOWN,
    ClassObject,
    Function,
    Instance,
    Method,
    Module,
    Value,
    join,
)

#: Through so many methods that call one another a result is followed.
_MOST_HANDED_ON = 3

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.classes import ClassKind
    from torchfix_codemods.facts.values.inference import Inference


def method_for_call(inference: Inference, value: Module | Instance) -> str:
    """The method that a call of an object runs."""
    definition = value.definition
    if definition is not None and find_method(inference, definition, "__call__") is None:
        if isinstance(value, Module):
            return "forward"
        if _is_of_torch(inference, definition, "__call__", 0):
            # Of the classes of ``torch.distributions``, only a transformation can be called.
            return "_call"
    return "__call__"


def method_result(receiver: Imported, name: str, call: ast.Call | None = None) -> Value | None:
    """What a method of an object of another file returns; None where its class has none such."""
    owner, definition = receiver.owner, class_of(receiver.value)
    if definition is None:
        return None
    found = find_method(owner, definition, name)
    return None if found is None else _returned(owner, definition, *found, call)


def has_attribute(inference: Inference, module: Module, name: str) -> bool:
    """Whether the class of a module, or a base of it in another file, sets ``self.name``."""
    definition = module.definition
    origin = imported_as(module)
    if origin is not None:
        inference, definition = origin.owner, class_of(origin.value)
    return definition is not None and any(attribute_owners(inference, definition, name))


def inherited_result(
    inference: Inference, definition: ast.ClassDef, name: str, call: ast.Call
) -> Value | None:
    """What a method that a class inherits from another file returns; None where it does not."""
    found = find_method(inference, definition, name)
    if found is None or found[0] is inference:
        return None
    return _returned(inference, definition, *found, call)


def _returned(
    inference: Inference,
    definition: ast.ClassDef,
    owner: Inference,
    method: ast.FunctionDef,
    call: ast.Call | None = None,
    depth: int = 0,
) -> Value:
    """What a method returns that a class has from itself or from a base, in whichever file."""
    name = method.name
    if is_set_by_others(owner, name):
        return UNKNOWN
    if owner.classes.is_wrapped(method):
        return UNKNOWN
    handed = owner.classes.handed_on(method)
    following = handed and find_method(inference, definition, handed)
    if following and following[1] is not method and depth < _MOST_HANDED_ON:
        return _returned(inference, definition, *following, depth=depth + 1)
    holder = owner.names.parents[method]
    if holder is not definition and is_changed_below(inference, definition, owner, method):
        return UNKNOWN
    if call is None:
        return seen_from_outside(owner.returned(method), owner)
    result = owner.returned_to(method, call, owner.classes.gets_object(method))
    return seen_from_outside(result, owner)


def class_of(value: Value) -> ast.ClassDef | None:
    """The class of an object or a module that a file of the project defines."""
    return value.definition if isinstance(value, (Module, Instance)) else None


def class_kind(inference: Inference, base: ast.expr) -> ClassKind:
    """What a base class that another file may define makes of a class."""
    found = class_elsewhere(inference, base)
    return "unknown" if found is None else found[0].classes.kind(found[1])


def bases_elsewhere(
    inference: Inference, definition: ast.ClassDef
) -> Iterator[tuple[Inference, ast.ClassDef]]:
    """The base classes of a class of this file that other files define."""
    for cls in inference.classes.bases(definition):
        for base in cls.bases:
            if inference.classes.definition_of(base) is None:
                found = class_elsewhere(inference, base)
                if found is not None:
                    yield found


def find_method(
    inference: Inference, definition: ast.ClassDef, name: str, depth: int = 0
) -> tuple[Inference, ast.FunctionDef] | None:
    """A method of a class, its own or inherited, and the file that defines it."""
    own = inference.classes.method(definition, name)
    if own is not None:
        return inference, own
    if inference.files is None or depth > 4:
        return None
    for owner, base in bases_elsewhere(inference, definition):
        found = find_method(owner, base, name, depth + 1)
        if found is not None:
            return found
    return None


def super_object(inference: Inference, node: ast.expr) -> Value:
    """What ``super()`` is in a class with one base: an object of that base."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return UNKNOWN
    if node.func.id != "super" or inference.names.scope_of(node).lookup("super") is not None:
        return UNKNOWN
    definition = inference.names.enclosing_class(node)
    if definition is None or len(definition.bases) != 1:
        return UNKNOWN
    if node.args and getattr(node.args[0], "id", None) != definition.name:
        return UNKNOWN
    base = definition.bases[0]
    name = inference.names.name(base) or ""
    if name.startswith("torch.nn.") and name.count(".") == 2:
        return Module(cls=name)
    own = inference.classes.definition_of(base)
    found = (inference, own) if own is not None else class_elsewhere(inference, base)
    kind = "unknown" if found is None else found[0].classes.kind(found[1])
    if found is None or kind == "unknown":
        return UNKNOWN
    made = Module(definition=found[1]) if kind == "module" else Instance(found[1])
    return made if own is not None else seen_from_outside(made, found[0])


def layer_below(inference: Inference, module: Module) -> str | None:
    """The class of torch at the bottom of the class of a module."""
    definition: ast.ClassDef | None = module.definition
    origin = imported_as(module)
    if origin is not None:
        inference, definition = origin.owner, class_of(origin.value)
    return None if definition is None else _layer_below(inference, definition, 0)


def inherits_forward(inference: Inference, module: Module) -> bool:
    """Whether no class of the project says what a call of the module gives."""
    return all(method_of(inference, module, name) is None for name in ("forward", "__call__"))


def _layer_below(inference: Inference, definition: ast.ClassDef, depth: int) -> str | None:
    if len(definition.bases) != 1 or depth > 4:
        return None
    name = inference.names.name(definition.bases[0]) or ""
    if name.startswith("torch.nn."):
        return name
    own = inference.classes.definition_of(definition.bases[0])
    found = (inference, own) if own else class_elsewhere(inference, definition.bases[0])
    return None if found is None else _layer_below(*found, depth + 1)


def is_layer_parameter(inference: Inference, module: Module, name: str) -> bool:
    """Whether a class of this file has a parameter from the layer of torch below it."""
    definition = module.definition
    if definition is None or not torch_api.may_be_parameter(name):
        return False
    if any(attribute_owners(inference, definition, name)):
        return False
    if find_method(inference, definition, name) is not None:
        return False
    return torch_api.is_parameter(layer_below(inference, module), name)


def has_from_distribution(inference: Inference, receiver: Value, name: str) -> bool:
    """Whether an object has a method from a class of ``torch.distributions``."""
    if isinstance(receiver, Imported):
        inference, receiver = receiver.owner, receiver.value
    if not isinstance(receiver, Instance):
        return False
    return _is_of_torch(inference, receiver.definition, name, 0) is True


def _is_of_torch(
    inference: Inference, definition: ast.ClassDef, name: str, depth: int
) -> bool | None:
    """Whether the first of a class and its bases to have a method is torch's; None: no one has."""
    if inference.classes.has_own(definition, name) or depth > 4:
        return False
    for base in definition.bases:
        if (inference.names.name(base) or "").startswith("torch.distributions."):
            return True
        own = inference.classes.definition_of(base)
        found = (inference, own) if own is not None else class_elsewhere(inference, base)
        result = None if found is None else _is_of_torch(*found, name, depth + 1)
        if result is not None:
            return result
    return None


def method_of(
    inference: Inference, receiver: Value, name: str
) -> tuple[Inference, ast.FunctionDef] | None:
    """A method that the class of an object defines or inherits, and the file that defines it."""
    origin = receiver.origin if isinstance(receiver, Module) else receiver
    if isinstance(origin, Imported):
        inference, receiver = origin.owner, origin.value
    definition = class_of(receiver)
    return None if definition is None else find_method(inference, definition, name)


def function_of(inference: Inference, callee: Value) -> tuple[Inference, ast.FunctionDef] | None:
    """The function or method that a value is, and the file that defines it."""
    if isinstance(callee, Method):
        return method_of(inference, callee.receiver, callee.name)
    if isinstance(callee, Imported):
        inference, callee = callee.owner, callee.value
    definition = callee.definition if isinstance(callee, Function) else None
    return (inference, definition) if isinstance(definition, ast.FunctionDef) else None


def run_by_call(inference: Inference, callee: Value) -> tuple[Inference, ast.FunctionDef] | None:
    """The function or method that a call of a value runs: ``__init__`` of a class, ``forward``."""
    origin = callee.origin if isinstance(callee, Module) else callee
    owner, value = inference, callee
    if isinstance(origin, Imported):
        owner, value = origin.owner, origin.value
    if isinstance(value, ClassObject):
        return find_method(owner, value.definition, "__init__")
    if isinstance(value, Module) and value.definition is not None:
        return find_method(owner, value.definition, "forward")
    return function_of(inference, callee)


def function_here(inference: Inference, function: ast.expr) -> ast.FunctionDef | None:
    """The function or method of this file that a call of an expression runs."""
    found = function_of(inference, inference.value(function))
    return found[1] if found is not None and found[0] is inference else None


def is_bound(inference: Inference, callee: Value, definition: ast.FunctionDef) -> bool:
    """Whether a call of a value gives its function the object that it belongs to."""
    if isinstance(callee, Imported):
        callee = callee.value
    return inference.classes.gets_object(definition) and not isinstance(callee, Function)


def is_of_one_file(inference: Inference, module: Module) -> bool:
    """Whether no other file of the project says what the class of a module is."""
    definition = module.definition
    return module.origin is None and (
        definition is None or not any(bases_elsewhere(inference, definition))
    )


def has_known_bases_only(inference: Inference, module: Module) -> bool:
    """Whether all that a module is comes from classes of the project and of ``torch.nn``."""
    definition = module.definition
    origin = imported_as(module)
    if origin is not None:
        inference, definition = origin.owner, class_of(origin.value)
    return definition is None or _has_known_bases_only(inference, definition, 0)


def _has_known_bases_only(inference: Inference, definition: ast.ClassDef, depth: int) -> bool:
    for cls in inference.classes.bases(definition):
        for base in cls.bases:
            if inference.classes.definition_of(base) is not None:
                continue
            name = inference.names.name(base) or ""
            if name.startswith("torch.nn.") or (isinstance(base, ast.Name) and base.id == "object"):
                continue
            found = class_elsewhere(inference, base)
            if found is None or depth > 4 or not _has_known_bases_only(*found, depth + 1):
                return False
    return True


def inherited_attribute(inference: Inference, definition: ast.ClassDef, name: str) -> Value:
    """What ``self.name`` holds by the bases of a class in other files; Nothing where they do not
    say."""
    if inference.files is None:
        return NOTHING
    found = find_method(inference, definition, name)
    if found is not None:
        if found[0] is inference:
            return NOTHING
        if found[0].classes.is_wrapped(found[1]):
            return UNKNOWN
        if found[0].classes.is_property(found[1]):
            return _returned(inference, definition, *found)
        holder = found[0].names.parents[found[1]]
        assert isinstance(holder, ast.ClassDef)
        return Method(Module(origin=Imported(Module(definition=holder), found[0])), name)
    result: Value = NOTHING
    for owner, base in attribute_owners(inference, definition, name):
        if owner is inference:
            continue
        value = owner.attribute(base, name)
        result = join(result, seen_from_outside(value, owner))
    return result


def attribute_owners(
    inference: Inference, definition: ast.ClassDef, name: str, depth: int = 0
) -> Iterator[tuple[Inference, ast.ClassDef]]:
    """The classes, of a class and its bases in other files, that set ``self.name``."""
    if inference.classes.attribute_sources(definition, name):
        yield inference, definition
    if depth <= 4:
        for owner, base in bases_elsewhere(inference, definition):
            yield from attribute_owners(owner, base, name, depth + 1)


def sets_plainly(inference: Inference, definition: ast.ClassDef, name: str, depth: int = 0) -> bool:
    """Whether to assign to ``self.name`` is all that happens, and no property has a setter for it.

    No class that the object is of says anything of the name, nor of what setting one does.
    """
    settled = {name, "__setattr__", "__slots__"}
    for cls in inference.classes.bases(definition):
        if cls.keywords or cls.decorator_list:
            return False
        if settled & inference.names.scopes[cls].bindings.keys():
            return False
        for base in cls.bases:
            is_known = inference.classes.definition_of(base) is not None
            is_plain = inference.names.builtin(base) == "object"
            if is_known or is_plain or inference.names.name(base) == "torch.nn.Module":
                continue
            found = class_elsewhere(inference, base)
            if found is None or depth > 4 or not sets_plainly(*found, name, depth + 1):
                return False
    return True


def class_elsewhere(inference: Inference, base: ast.expr) -> tuple[Inference, ast.ClassDef] | None:
    """The class of another file that a base class is, and that file."""
    if inference.files is None or (inference.names.name(base) or "").startswith("torch."):
        return None
    value = inference.value(base)
    if isinstance(value, Imported) and isinstance(value.value, ClassObject):
        return value.owner, value.value.definition
    return None


def is_changed_below(
    inference: Inference, definition: ast.ClassDef, owner: Inference, method: ast.FunctionDef
) -> bool:
    """Whether a class redefines something that a method which it inherits uses of its own."""
    holder = owner.names.parents[method]
    assert isinstance(holder, ast.ClassDef)
    own: set[str] = set()
    for cls in inference.classes.bases(definition):
        if cls is not holder:
            own |= {s.name for s in cls.body if isinstance(s, ast.FunctionDef)}
            own |= set(inference.classes.attribute_names(cls))
    used = owner.names.remembered(("used", method), lambda: _used_of_its_own(owner, holder, method))
    return not used.isdisjoint(own)


def _used_of_its_own(
    owner: Inference, holder: ast.ClassDef, method: ast.FunctionDef
) -> frozenset[str]:
    """The methods and attributes that a class has and a method needs, but for its constructor."""
    classes = owner.classes.bases(holder)
    defined = {s.name for cls in classes for s in cls.body if isinstance(s, ast.FunctionDef)}
    defined.update(name for cls in classes for name in owner.classes.attribute_names(cls))
    return (used_by_method(owner.names, classes, method) & defined) - {"__init__"}
