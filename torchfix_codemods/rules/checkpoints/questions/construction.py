"""Whether a module can be built again at another place, so that its state dict says all."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from torchfix_codemods.facts.evaluation.classes_elsewhere import is_of_one_file
from torchfix_codemods.facts.evaluation.elsewhere import imported
from torchfix_codemods.facts.libraries import python_functions
from torchfix_codemods.facts.libraries.torch_names import canonical
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.imported import Imported, imported_as
from torchfix_codemods.facts.values.lattice import (
    ClassObject,
    Function,
    Instance,
    Mapping,
    Module,
    Number,
    Sequence,
    Tensor,
    Value,
)

#: What may be asked of a model without changing what its constructor would give.
_HARMLESS = frozenset(
    "parameters named_parameters state_dict load_state_dict zero_grad forward train eval".split()
)

#: Methods that change a list, a dict, a set, or a container of modules.
_CHANGING = frozenset(
    """append appendleft extend insert remove pop popleft popitem clear sort reverse add discard
    update setdefault add_module difference_update intersection_update
    symmetric_difference_update""".split()
)

#: Methods that change a part of a model in a way that no state dict tells of.
_CHANGING_PARTS = (_CHANGING | torch_api.MODULE_FLUENT) - {"train", "eval"}
_READING_BUILTINS = frozenset("print len type isinstance id repr str".split())
_OBJECTS = (Instance, Imported)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def construction_of(facts: Facts, model: ast.expr) -> ast.expr | None:
    """The expression that built a model, with all that was done to it; None if not certain.

    ``Net(4).cuda()`` is one; a model whose layers are replaced or that is moved by a statement
    of its own has none. Nor has any model where the file says which parameters are trained: a
    pickled model remembers that, a state dict does not.
    """
    if _freezes(facts):
        return None
    value = facts.value(model)
    if not isinstance(value, Module):
        return None
    if value.call is None:
        return _construction_by_class_elsewhere(facts, model, value)
    built: ast.expr = value.call
    while True:
        attribute = facts.parent(built)
        call = facts.parent(attribute) if attribute is not None else None
        if not (
            isinstance(attribute, ast.Attribute)
            and isinstance(call, ast.Call)
            and call.func is attribute
            and attribute.attr in torch_api.MODULE_FLUENT
        ):
            break
        built = call
    if not isinstance(facts.parent(built), ast.Assign):
        return None
    if not all(_leaves_as_built(facts, use, built) for use in _uses(facts, value.call)):
        return None
    return built if _state_dict_says_all(facts) else None


def _construction_by_class_elsewhere(
    facts: Facts, model: ast.expr, value: Module
) -> ast.expr | None:
    """What built a model of another file's class, which has one name from then on."""
    origin = imported_as(value)
    home = None if origin is None else facts_of(origin.owner)
    found = facts.names.scope_of(model).lookup(getattr(model, "id", ""))
    if origin is None or home is None or found is None or len(found[1]) != 1:
        return None
    binding = found[1][0]
    if binding.kind != "assign" or binding.path or not isinstance(binding.value, ast.Call):
        return None
    if not isinstance(origin.value, Module) or _freezes(home):
        return None
    if not is_of_one_file(origin.owner, origin.value):
        return None
    uses = facts.names.uses_of(found[0], binding.name)
    if not all(_leaves_as_built(facts, use, binding.value) for use in uses):
        return None
    says_all = _state_dict_says_all(facts) and _state_dict_says_all(home)
    return binding.value if says_all else None


def gives_the_same_in(facts: Facts, node: ast.expr, there: Facts, place: ast.AST) -> bool:
    """Whether evaluating ``node`` at a place of another file certainly gives an equal value."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, (ast.Tuple, ast.List, ast.UnaryOp, ast.BinOp)):
        children = [c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr)]
        return all(gives_the_same_in(facts, child, there, place) for child in children)
    if not isinstance(node, ast.Call) or any(k.arg is None for k in node.keywords):
        return False
    parts = [*node.args, *(k.value for k in node.keywords)]
    function = node.func
    name = facts.name(function) or ""
    if name.startswith("torch.nn.") and name.count(".") == 2:
        is_same = _named_in(there, place, function) == name
    elif isinstance(function, ast.Attribute):
        is_same = function.attr in torch_api.MODULE_FLUENT and facts.is_module(function.value)
        parts.append(function.value)
    else:
        is_same = _is_same_class(facts, function, there, place)
    return is_same and all(gives_the_same_in(facts, part, there, place) for part in parts)


def _named_in(there: Facts, place: ast.AST, written: ast.expr) -> str | None:
    """The qualified name that a dotted name has at a place of another file."""
    root, _, rest = ast.unparse(written).partition(".")
    found = there.names.scope_of(place).lookup(root)
    if found is None or len(found[1]) != 1 or found[1][0].kind != "import":
        return None
    qualified = found[1][0].qualified or ""
    return canonical(f"{qualified}.{rest}" if rest else qualified)


def _is_same_class(facts: Facts, name: ast.expr, there: Facts, place: ast.AST) -> bool:
    """Whether a name stands for the same class of the project at a place of another file."""
    found = there.names.scope_of(place).lookup(getattr(name, "id", ""))
    if found is None or len(found[1]) != 1 or found[1][0].kind != "import":
        return False
    wanted = _class_place(facts, facts.value(name))
    return wanted is not None and wanted == _class_place(there, imported(there.files, found[1][0]))


def _class_place(facts: Facts, value: Value) -> tuple[Path, int] | None:
    """The file and line of a class."""
    inference = facts.inference
    if isinstance(value, Imported):
        inference, value = value.owner, value.value
    if not isinstance(value, ClassObject) or inference.files is None:
        return None
    return inference.files.path, value.definition.lineno


def gives_the_same(facts: Facts, node: ast.expr, place: ast.AST) -> bool:
    """Whether evaluating ``node`` again at ``place`` certainly gives an equal value."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Name):
        return _is_same_name(facts, node, place)
    if isinstance(node, ast.Attribute):
        return gives_the_same(facts, node.value, place) and not _is_assigned(facts, node.attr)
    if isinstance(node, ast.Call):
        if any(k.arg is None for k in node.keywords) or not _builds(facts, node):
            return False
        parts = [node.func, *node.args, *(k.value for k in node.keywords)]
        return all(gives_the_same(facts, part, place) for part in parts)
    if isinstance(node, (ast.Tuple, ast.List, ast.UnaryOp, ast.BinOp)):
        children = (c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr))
        return all(gives_the_same(facts, child, place) for child in children)
    return False


def _builds(facts: Facts, call: ast.Call) -> bool:
    name = facts.name(call.func)
    if name is not None:
        return name.startswith("torch.nn.") and name.count(".") == 2
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in torch_api.MODULE_FLUENT and facts.is_module(call.func.value)
    value = facts.value(call)
    return isinstance(value, Module) and is_of_one_file(facts.inference, value)


def _is_same_name(facts: Facts, name: ast.Name, place: ast.AST) -> bool:
    here = facts.names.scope_of(name).lookup(name.id)
    there = facts.names.scope_of(place).lookup(name.id)
    if here is None or there is None or here[0] is not there[0] or len(here[1]) != 1:
        return False
    binding = here[1][0]
    if binding.kind in ("import", "class", "function"):
        return True
    is_plain = binding.kind == "assign" or (
        binding.kind == "parameter" and here[0] is facts.names.scope_of(place)
    )
    return is_plain and not isinstance(facts.value(name), (Module, Tensor, Sequence))


def _is_assigned(facts: Facts, attribute: str) -> bool:
    """Whether the file assigns to an attribute of that name anywhere (``args.width = 3``)."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == attribute
        and not isinstance(node.ctx, ast.Load)
        for node in facts.names.nodes.get(ast.Attribute, ())
    )


def _uses(facts: Facts, construction: ast.Call) -> Iterator[ast.expr]:
    """The names and attributes that hold the model which ``construction`` built."""
    for cls in (ast.Name, ast.Attribute):
        for node in facts.names.nodes.get(cls, ()):
            assert isinstance(node, (ast.Name, ast.Attribute))
            if isinstance(node.ctx, ast.Load):
                value = facts.value(node)
                if isinstance(value, Module) and value.call is construction:
                    yield node


def _leaves_as_built(facts: Facts, use: ast.expr, built: ast.expr) -> bool:
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
        changes = part.attr in _CHANGING_PARTS or part.attr.startswith("register_")
        return not changes or facts.is_tensor(part.value)
    name = facts.name(parent.func)
    if name is not None and name.startswith("torch.nn.utils."):
        return False
    is_reading = isinstance(parent.func, ast.Name) and parent.func.id in _READING_BUILTINS
    is_harmless = parent.func is part or is_reading or name == "torch.save"
    return is_harmless or not _is_changeable(facts, part)


def _is_changeable(facts: Facts, node: ast.expr) -> bool:
    """Whether a value is a module, a container or an object, which others could change."""
    return isinstance(facts.value(node), (Module, Sequence, Mapping, Instance, Imported))


def _freezes(facts: Facts) -> bool:
    """Whether the file says of anything whether it needs gradients."""
    return bool(facts.names.method_calls("requires_grad_")) or _is_assigned(facts, "requires_grad")


def _state_dict_says_all(facts: Facts) -> bool:
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
        return is_call and (parent.attr in _CHANGING or isinstance(value, _OBJECTS))
    if not isinstance(value, (Sequence, Mapping, *_OBJECTS)) or node is not attribute:
        return False
    if isinstance(parent, ast.Call):
        name = parent.func.id if isinstance(parent.func, ast.Name) else None
        goes_through = name in _READING_BUILTINS or python_functions.walks(name)
        return parent.func is not attribute and not goes_through
    return isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.Return))
