"""Values that come from other files of the project: their functions, classes and constants.

Another file is asked as nobody in particular: its functions get arguments that are not known, and
what its module level holds may have been replaced by another value of its kind. So an answer holds
whoever asks, and each file is read and understood once for all files that import it.
"""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evaluation.classes_elsewhere import (
    attribute_owners,
    class_of,
    find_method,
    method_for_call,
    method_result,
)
from torchfix_codemods.facts.evaluation.outside import seen_from_outside
from torchfix_codemods.facts.libraries.torch_names import star_exports
from torchfix_codemods.facts.values.imported import Imported, ImportedFile
from torchfix_codemods.facts.values.inference import Files, OtherFile
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
    of_any_caller,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.scopes import Binding
    from torchfix_codemods.facts.values.inference import Inference


# What a file imports


def imported(files: Files | None, binding: Binding) -> Value:
    """The value of a name that an import binds."""
    if files is None:
        return UNKNOWN
    node = binding.node
    if isinstance(node, ast.ImportFrom):
        original = (binding.qualified or "").rpartition(".")[2]
        file = files.module(module_of(node)) or files.module_with(module_of(node), original)
        if file is not None and file.path == files.path:
            # ``from . import module`` in the ``__init__.py`` of the package.
            submodule = file.submodule(original)
            return UNKNOWN if submodule is None else ImportedFile(submodule)
        return UNKNOWN if file is None else member(file, original)
    file = files.module(binding.qualified or "")
    return UNKNOWN if file is None or file.path == files.path else ImportedFile(file)


def starred(inference: Inference, node: ast.Name) -> Value:
    """The value of a name that only a star import can have brought in."""
    if inference.files is None or not inference.names.unknown_star_imports:
        return UNKNOWN
    if inference.names.scope_of(node).lookup(node.id) is not None:
        return UNKNOWN
    return _from_stars(inference, node.id, 0) or UNKNOWN


def starred_name(inference: Inference, name: str) -> str | None:
    """The name of a library that star imports bring in: ``nn`` of a file that imports it."""
    if inference.files is None or hasattr(builtins, name):
        return None
    found = _names_by_stars(inference, name, {inference})
    only = found.pop() if len(found) == 1 else None
    is_known = only is not None and only.partition(".")[0] in ("torch", "numpy", "tqdm")
    return only if is_known else None


def _names_by_stars(inference: Inference, name: str, seen: set[Inference]) -> set[str | None]:
    """All that star imports may make of a name, with None where one of them is not known.

    Files that import each other pass on what one of them binds, if there is time for that.
    """
    found: set[str | None] = set(inference.names.names_from_torch(name))
    for star in inference.names.unknown_star_imports:
        file = None if inference.files is None else inference.files.module(module_of(star))
        if file is not None and not file.may_bind(name):
            continue
        there = None if file is None else file.inference
        if there is None:
            return {None}
        if there in seen or not _offers(there, name, 0):
            continue
        seen.add(there)
        if there.files is None or there.files.is_assigned(name, by_module=True):
            found.add(None)
        elif name in there.names.module.bindings:
            found.add(there.names.name_left(name))
        else:
            found |= _names_by_stars(there, name, seen)
    return found


def name_of_star(inference: Inference, name: str, star: ast.ImportFrom) -> str | None:
    """What a star import of the module level certainly gives a name, where the file is known.

    Returns:
        the qualified name of what that file imports by this name, "" for what it makes itself;
        None where it may not bind the name, or by an import of another file of the project.
    """
    if inference.files is None or not isinstance(inference.names.parents.get(star), ast.Module):
        return None
    file = inference.files.module(module_of(star))
    if file is None or not file.may_bind(name):
        return None
    there = file.inference
    if there is None or there is inference or not _gives(there, name):
        return None
    left = there.names.name_left(name)
    if not left:
        return ""
    top = left.partition(".")[0]
    is_own = not top or there.files is None or there.files.module(top) is not None
    return None if is_own else left


def named_attribute(inference: Inference, node: ast.Attribute) -> Value:
    """The value of ``module.name``, where the module may be a file of the project."""
    if inference.files is None or (inference.names.name(node) or "").startswith("torch."):
        return UNKNOWN
    base = inference.value(node.value)
    return attribute(base, node.attr) if isinstance(base, (ImportedFile, Imported)) else UNKNOWN


def member(file: OtherFile, name: str, depth: int = 0) -> Value:
    """The value of a name of another file, as that file leaves it."""
    inference = file.inference
    submodule = file.submodule(name)
    if inference is None:
        return ImportedFile(submodule) if file.is_folder and submodule is not None else UNKNOWN
    bindings = inference.names.module.bindings.get(name)
    if not bindings:
        found = _from_stars(inference, name, depth)
        if submodule is None:
            return found or UNKNOWN
        return UNKNOWN if found is not None else ImportedFile(submodule)
    if submodule is not None and not all(_imports_from(b, name) for b in bindings):
        return UNKNOWN
    if inference.files is None or inference.files.is_assigned(name, by_module=True):
        return UNKNOWN
    if any(star.lineno > _line(bindings) for star in inference.names.unknown_star_imports):
        return UNKNOWN
    result: Value = NOTHING
    for binding in bindings:
        result = join(result, _exported(inference, binding))
    return seen_from_outside(result, inference)


def _exported(inference: Inference, binding: Binding) -> Value:
    value = inference.bound(binding)
    if binding.kind in ("function", "class"):
        return UNKNOWN if inference.classes.is_wrapped(binding.node) else value
    return value if binding.kind == "import" else of_any_caller(value)


def _imports_from(binding: Binding, name: str) -> bool:
    """``from .resnet import resnet``, ``from . import resnet``: what stays is what is named."""
    node = binding.node
    return isinstance(node, ast.ImportFrom) and node.level == 1 and node.module in (None, name)


def _line(bindings: list[Binding]) -> int:
    return max(getattr(binding.node, "lineno", 0) for binding in bindings)


def _from_stars(inference: Inference, name: str, depth: int) -> Value | None:
    """What the star imports of a file give a name; None where none of them has it."""
    if inference.files is None or depth > 4:
        return UNKNOWN
    names = inference.names
    if any(name in (star_exports(module) or ()) for module in names.star_imports_of_torch):
        return UNKNOWN
    result: Value | None = None
    for star in reversed(names.unknown_star_imports):
        file = inference.files.module(module_of(star))
        if file is not None and not file.may_bind(name):
            continue
        if file is None or file.inference is None:
            return UNKNOWN
        if not _offers(file.inference, name, depth):
            continue
        value = member(file, name, depth + 1)
        result = value if result is None or result == value else UNKNOWN
        if isinstance(names.parents.get(star), ast.Module) and _gives(file.inference, name):
            # Whatever the imports above bring by that name, this one takes its place.
            return result
    return result


def _gives(inference: Inference, name: str) -> bool:
    """Whether ``import *`` from a file certainly binds a name: a statement of its module level."""
    bindings = inference.names.module.bindings
    at_level = any(
        binding.kind in ("function", "class", "import", "assign")
        and isinstance(inference.names.parents.get(binding.node), ast.Module)
        for binding in bindings.get(name, ())
    )
    return at_level and "__all__" not in bindings and not name.startswith("_")


def _offers(inference: Inference, name: str, depth: int) -> bool:
    """Whether ``import *`` from a file binds a name; yes where that is not certain."""
    names = inference.names
    exports = names.module.bindings.get("__all__")
    if exports is None:
        if name.startswith("_"):
            return False
        return name in names.module.bindings or _from_stars(inference, name, depth + 1) is not None
    if any(names.uses_of(names.module, "__all__")):
        # ``__all__.append(name)``
        return True
    listed: set[object] = set()
    for binding in exports:
        if not isinstance(binding.value, (ast.List, ast.Tuple)) or binding.kind != "assign":
            return True
        listed |= {getattr(element, "value", None) for element in binding.value.elts}
    return name in listed


def module_of(node: ast.ImportFrom) -> str:
    """The name of what ``from … import`` takes names from, with its dots."""
    return "." * node.level + (node.module or "")


def changeable(inference: Inference, node: ast.Name, value: Value) -> Value:
    """What stays certain of a name of the module level, as other files may set it."""
    if not _is_of_module(inference, node):
        return value
    if may_be_set_elsewhere(inference, node):
        return UNKNOWN
    # While the module level itself runs, its names hold what it gave them.
    runs_there = inference.names.scope_of(node) is inference.names.module
    return value if runs_there else of_any_caller(value)


def may_be_set_elsewhere(inference: Inference, node: ast.Name) -> bool:
    """Whether a name of the module level may hold what another file sets: ``train.loss = 3``."""
    return _is_of_module(inference, node) and (
        inference.files is None or inference.files.is_assigned(node.id, by_module=True)
    )


def _is_of_module(inference: Inference, node: ast.Name) -> bool:
    found = inference.names.scope_of(node).lookup(node.id)
    return found is not None and found[0] is inference.names.module


def called(callee: Imported, call: ast.Call | None = None) -> Value:
    """What calling a function, a class or an object of another file gives."""
    owner, value = callee.owner, callee.value
    if isinstance(value, Function) and call is not None:
        return seen_from_outside(owner.returned_to(value.definition, call), owner)
    if isinstance(value, Function):
        return seen_from_outside(owner.returned(value.definition), owner)
    if isinstance(value, ClassObject):
        kind = owner.classes.kind(value.definition)
        if kind == "unknown" or find_method(owner, value.definition, "__new__"):
            return UNKNOWN
        is_module = kind == "module"
        made = Module(definition=value.definition) if is_module else Instance(value.definition)
        return seen_from_outside(made, owner)
    if not isinstance(value, (Module, Instance)) or value.definition is None:
        return UNKNOWN
    return method_result(callee, method_for_call(owner, value), call) or UNKNOWN


def attribute(base: Value, name: str) -> Value:
    """The value of ``base.name``, where the base comes from another file."""
    if isinstance(base, ImportedFile):
        return member(base.file, name)
    origin = base.origin if isinstance(base, Module) else base
    if not isinstance(origin, Imported):
        return UNKNOWN
    owner, definition = origin.owner, class_of(origin.value)
    if definition is None:
        return Method(base, name) if isinstance(origin.value, Module) else UNKNOWN
    found = find_method(owner, definition, name)
    if found is not None:
        if found[0].classes.is_wrapped(found[1]):
            return UNKNOWN
        is_property = found[0].classes.is_property(found[1])
        return (method_result(origin, name) or UNKNOWN) if is_property else Method(base, name)
    value = seen_from_outside(owner.attribute(definition, name), owner)
    if value == UNKNOWN and isinstance(origin.value, Module):
        # ``net.cuda``: of the class of torch that is at the bottom of it.
        is_set = any(attribute_owners(owner, definition, name))
        return UNKNOWN if is_set else Method(base, name)
    return value
