"""Values that come from other files of the project: their functions, classes and constants.

Another file is asked as nobody in particular: its functions get arguments that are not known, and
what its module level holds may have been replaced by another value of its kind. So an answer holds
whoever asks, and each file is read and understood once for all files that import it.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from torchfix_codemods.facts import torch_api
from torchfix_codemods.facts.layers import is_built_reduced
from torchfix_codemods.facts.torch_names import star_exports
from torchfix_codemods.facts.values import (
    NOTHING,
    UNKNOWN,
    ClassObject,
    Function,
    Imported,
    ImportedFile,
    Instance,
    Mapping,
    Maybe,
    Method,
    Module,
    Sequence,
    Value,
    join,
    maybe,
    of_any_caller,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.classes import ClassKind
    from torchfix_codemods.facts.infer import Inference
    from torchfix_codemods.facts.module import Facts
    from torchfix_codemods.facts.names import Binding, Names

#: Containers of which only the file that builds them can tell what they hold.
_CONTAINERS = frozenset(
    {"torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict", "torch.nn.DataParallel"}
)


class OtherFile(Protocol):
    """A file or a folder of the project that can be imported."""

    @property
    def path(self) -> Path:
        """Where it is."""

    @property
    def facts(self) -> Facts | None:
        """What is known of it; None for a folder, and where it cannot be read."""

    @property
    def inference(self) -> Inference | None:
        """What its expressions are; None for a folder, and where it cannot be read."""

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder without an ``__init__.py``."""

    def may_bind(self, name: str) -> bool:
        """Whether the text of the file, or of one that it takes all names from, may bind a name.

        Of a folder anything may.
        """

    def submodule(self, name: str) -> OtherFile | None:
        """The file of a package, or of a folder, that ``import package.name`` imports."""


class Files(Protocol):
    """The other files of the project, as one file imports them."""

    @property
    def path(self) -> Path:
        """Where the importing file is."""

    waits: bool
    """Whether something was left because of what other files hold, and may go once they
    changed."""

    def own_names(self, text: str) -> Names | None:
        """The scopes of the importing file, where others have asked for it, and it is ``text``."""

    def as_begun(self) -> Facts | None:
        """What is known of the importing file as it was when the run began, as others see it."""

    def is_of_library(self) -> bool:
        """Whether programs out of sight may import the importing file."""

    def is_used_elsewhere(self, name: str) -> bool:
        """Whether a file that may take names from the importing one speaks of a name."""

    def mentioning(self, word: str) -> Collection[OtherFile] | None:
        """The other files of the project that hold a word; None where that is not known."""

    def applies(self, path: Path, code: str) -> bool:
        """Whether this run applies a rule to another file, too."""

    def offers(self, file: OtherFile, name: str) -> bool:
        """Whether other files may take a name from ``file``."""

    def module(self, dotted: str) -> OtherFile | None:
        """What an import names, ``package.module`` or ``..module``; None where not certain."""

    def is_method(self, name: str) -> bool:
        """Whether a class of the project may have a method of that name without arguments."""

    def is_defined(self, name: str) -> bool:
        """Whether any file of the project may define a function or method of that name."""

    def is_assigned_anywhere(self, name: str) -> bool:
        """Whether any file of the project assigns to ``….name`` of what is not called ``self``."""

    def is_assigned(self, name: str, by_module: bool) -> bool:
        """Whether a file that may import this one assigns to ``….name``.

        Args:
            name: the attribute.
            by_module: only assignments to what the file imports count.
        """


# What a file imports


def imported(files: Files | None, binding: Binding) -> Value:
    """The value of a name that an import binds."""
    if files is None:
        return UNKNOWN
    node = binding.node
    if isinstance(node, ast.ImportFrom):
        file = files.module(_module_of(node))
        original = (binding.qualified or "").rpartition(".")[2]
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
    """The name of torch or numpy that star imports bring in: ``nn`` of a file that imports it."""
    if inference.files is None or hasattr(builtins, name):
        return None
    found: set[str | None] = set(inference.names.names_from_torch(name))
    for star in inference.names.unknown_star_imports:
        file = inference.files.module(_module_of(star))
        if file is not None and not file.may_bind(name):
            continue
        there = None if file is None else file.inference
        if there is None or there is inference:
            return None
        if _offers(there, name, 0):
            is_set = there.files is None or there.files.is_assigned(name, by_module=True)
            found.add(None if is_set else there.names.name_left(name))
    only = found.pop() if len(found) == 1 else None
    return only if only is not None and only.partition(".")[0] in ("torch", "numpy") else None


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
    for star in names.unknown_star_imports:
        file = inference.files.module(_module_of(star))
        if file is not None and not file.may_bind(name):
            continue
        if file is None or file.inference is None:
            return UNKNOWN
        if not _offers(file.inference, name, depth):
            continue
        value = member(file, name, depth + 1)
        result = value if result is None or result == value else UNKNOWN
    return result


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


def takes_from_project(facts: Facts) -> bool:
    """Whether a file imports another one of its project, wherever in the file that stands."""
    return facts.remembered("takes from project", lambda: _takes_from_project(facts))


def may_meet(facts: Facts, *words: str) -> bool:
    """Whether a file imports another one of its project, some file of which holds one of the words.

    To look through a project takes longer than to look for imports, which is done first.
    """
    return takes_from_project(facts) and any(map(facts.is_mentioned_elsewhere, words))


def _takes_from_project(facts: Facts) -> bool:
    files, nodes = facts.files, facts.names.nodes
    if files is None:
        return False
    froms = (n for n in nodes.get(ast.ImportFrom, ()) if isinstance(n, ast.ImportFrom))
    plain = (n for n in nodes.get(ast.Import, ()) if isinstance(n, ast.Import))
    imported = (*map(_module_of, froms), *(alias.name for node in plain for alias in node.names))
    # Of ``import package.module`` the package may be there where the module is not.
    names = (name if name.startswith(".") else name.partition(".")[0] for name in imported)
    return any(files.module(name) is not None for name in names)


def _module_of(node: ast.ImportFrom) -> str:
    return "." * node.level + (node.module or "")


def is_set_by_others(inference: Inference, name: str) -> bool:
    """Whether files that know of this one may set an attribute of that name of any object."""
    return inference.files is None or inference.files.is_assigned(name, by_module=False)


# What comes from another file


def seen_from_outside(value: Value, owner: Inference) -> Value:
    """A value of another file, as any file can use it: nothing of it refers to nodes there."""
    if isinstance(value, (Function, ClassObject, Instance)):
        return Imported(value, owner)
    if isinstance(value, Module):
        return _module_from_outside(value, owner)
    if isinstance(value, Sequence):
        items = value.items
        if items is not None:
            items = tuple(seen_from_outside(item, owner) for item in items)
        return Sequence(seen_from_outside(value.element, owner), items)
    if isinstance(value, Mapping):
        pairs = tuple((key, seen_from_outside(item, owner)) for key, item in value.items)
        return Mapping(seen_from_outside(value.element, owner), pairs)
    if isinstance(value, Maybe):
        return maybe(seen_from_outside(value.value, owner))
    if isinstance(value, Method):
        return Method(seen_from_outside(value.receiver, owner), value.name)
    return value


def _module_from_outside(module: Module, owner: Inference) -> Module:
    if module.origin is not None:
        return module
    if module.definition is not None or _only_its_file_can_tell(module):
        return Module(origin=Imported(replace(module, call=None, either=frozenset()), owner))
    either = frozenset(_module_from_outside(one, owner) for one in module.either)
    return replace(module, call=None, either=either, is_reduced=is_built_reduced(module))


def _only_its_file_can_tell(module: Module) -> bool:
    """Whether what a module of torch gives depends on how it was built."""
    keywords = module.call.keywords if module.call is not None else ()
    gives_indices = any(keyword.arg in ("return_indices", None) for keyword in keywords)
    return module.cls in _CONTAINERS or gives_indices


def changeable(inference: Inference, node: ast.Name, value: Value) -> Value:
    """What stays certain of a name of the module level, as other files may set it."""
    found = inference.names.scope_of(node).lookup(node.id)
    if found is None or found[0] is not inference.names.module:
        return value
    if inference.files is None or inference.files.is_assigned(node.id, by_module=True):
        return UNKNOWN
    # While the module level itself runs, its names hold what it gave them.
    runs_there = inference.names.scope_of(node) is inference.names.module
    return value if runs_there else of_any_caller(value)


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
    return method_result(callee, method_for_call(owner, value)) or UNKNOWN


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


def method_result(receiver: Imported, name: str) -> Value | None:
    """What a method of an object of another file returns; None where its class has none such."""
    owner, definition = receiver.owner, _class_of(receiver.value)
    if definition is None:
        return None
    found = find_method(owner, definition, name)
    return None if found is None else _returned(owner, definition, *found)


def has_attribute(inference: Inference, module: Module, name: str) -> bool:
    """Whether the class of a module, or a base of it in another file, sets ``self.name``."""
    definition = module.definition
    if module.origin is not None:
        inference, definition = module.origin.owner, _class_of(module.origin.value)
    return definition is not None and any(_attribute_owners(inference, definition, name))


def inherited_result(inference: Inference, definition: ast.ClassDef, name: str) -> Value | None:
    """What a method that a class inherits from another file returns; None where it does not."""
    found = find_method(inference, definition, name)
    if found is None or found[0] is inference:
        return None
    return _returned(inference, definition, *found)


def _returned(
    inference: Inference, definition: ast.ClassDef, owner: Inference, method: ast.FunctionDef
) -> Value:
    """What a method returns that a class has from itself or from a base, in whichever file."""
    name = method.name
    if is_set_by_others(owner, name):
        return UNKNOWN
    if owner.classes.is_wrapped(method):
        return UNKNOWN
    holder = owner.names.parents[method]
    if holder is not definition and _is_changed_below(inference, definition, owner, holder):
        return UNKNOWN
    return seen_from_outside(owner.returned(method), owner)


def attribute(base: Value, name: str) -> Value:
    """The value of ``base.name``, where the base comes from another file."""
    if isinstance(base, ImportedFile):
        return member(base.file, name)
    origin = base.origin if isinstance(base, Module) else base
    if not isinstance(origin, Imported):
        return UNKNOWN
    owner, definition = origin.owner, _class_of(origin.value)
    if definition is None:
        return Method(base, name) if isinstance(origin.value, Module) else UNKNOWN
    found = find_method(owner, definition, name)
    if found is not None:
        if found[0].classes.is_wrapped(found[1]):
            return UNKNOWN
        is_property = found[0].classes.is_property(found[1])
        return (method_result(origin, name) or UNKNOWN) if is_property else Method(base, name)
    value = seen_from_outside(of_any_caller(owner.attribute(definition, name)), owner)
    if value == UNKNOWN and isinstance(origin.value, Module):
        # ``net.cuda``: of the class of torch that is at the bottom of it.
        is_set = any(_attribute_owners(owner, definition, name))
        return UNKNOWN if is_set else Method(base, name)
    return value


def _class_of(value: Value) -> ast.ClassDef | None:
    return value.definition if isinstance(value, (Module, Instance)) else None


# Classes with bases in other files


def class_kind(inference: Inference, base: ast.expr) -> ClassKind:
    """What a base class that another file may define makes of a class."""
    found = _class_elsewhere(inference, base)
    return "unknown" if found is None else found[0].classes.kind(found[1])


def bases_elsewhere(
    inference: Inference, definition: ast.ClassDef
) -> Iterator[tuple[Inference, ast.ClassDef]]:
    """The base classes of a class of this file that other files define."""
    for cls in inference.classes.bases(definition):
        for base in cls.bases:
            if inference.classes.definition_of(base) is None:
                found = _class_elsewhere(inference, base)
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
    found = (inference, own) if own is not None else _class_elsewhere(inference, base)
    kind = "unknown" if found is None else found[0].classes.kind(found[1])
    if found is None or kind == "unknown":
        return UNKNOWN
    made = Module(definition=found[1]) if kind == "module" else Instance(found[1])
    return made if own is not None else seen_from_outside(made, found[0])


def layer_below(inference: Inference, module: Module) -> str | None:
    """The class of torch at the bottom of the class of a module."""
    definition: ast.ClassDef | None = module.definition
    if module.origin is not None:
        inference, definition = module.origin.owner, _class_of(module.origin.value)
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
    found = (inference, own) if own else _class_elsewhere(inference, definition.bases[0])
    return None if found is None else _layer_below(*found, depth + 1)


def is_layer_parameter(inference: Inference, module: Module, name: str) -> bool:
    """Whether a class of this file has a parameter from the layer of torch below it."""
    definition = module.definition
    if definition is None or not torch_api.may_be_parameter(name):
        return False
    if any(_attribute_owners(inference, definition, name)):
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
        found = (inference, own) if own is not None else _class_elsewhere(inference, base)
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
    definition = _class_of(receiver)
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
    is_method = isinstance(inference.names.parents.get(definition), ast.ClassDef)
    is_given = is_method and not inference.classes.is_static(definition)
    return is_given and not isinstance(callee, Function)


def is_of_one_file(inference: Inference, module: Module) -> bool:
    """Whether no other file of the project says what the class of a module is."""
    definition = module.definition
    return module.origin is None and (
        definition is None or not any(bases_elsewhere(inference, definition))
    )


def has_known_bases_only(inference: Inference, module: Module) -> bool:
    """Whether all that a module is comes from classes of the project and of ``torch.nn``."""
    definition = module.definition
    if module.origin is not None:
        inference, definition = module.origin.owner, _class_of(module.origin.value)
    return definition is None or _has_known_bases_only(inference, definition, 0)


def _has_known_bases_only(inference: Inference, definition: ast.ClassDef, depth: int) -> bool:
    for cls in inference.classes.bases(definition):
        for base in cls.bases:
            if inference.classes.definition_of(base) is not None:
                continue
            name = inference.names.name(base) or ""
            if name.startswith("torch.nn.") or (isinstance(base, ast.Name) and base.id == "object"):
                continue
            found = _class_elsewhere(inference, base)
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
    for owner, base in _attribute_owners(inference, definition, name):
        if owner is inference:
            continue
        value = of_any_caller(owner.attribute(base, name))
        result = join(result, seen_from_outside(value, owner))
    return result


def _attribute_owners(
    inference: Inference, definition: ast.ClassDef, name: str, depth: int = 0
) -> Iterator[tuple[Inference, ast.ClassDef]]:
    if inference.classes.attribute_sources(definition, name):
        yield inference, definition
    if depth <= 4:
        for owner, base in bases_elsewhere(inference, definition):
            yield from _attribute_owners(owner, base, name, depth + 1)


def _class_elsewhere(inference: Inference, base: ast.expr) -> tuple[Inference, ast.ClassDef] | None:
    if inference.files is None or (inference.names.name(base) or "").startswith("torch."):
        return None
    value = inference.value(base)
    if isinstance(value, Imported) and isinstance(value.value, ClassObject):
        return value.owner, value.value.definition
    return None


def _is_changed_below(
    inference: Inference, definition: ast.ClassDef, owner: Inference, holder: ast.AST
) -> bool:
    """Whether a class redefines something that an inherited method may use."""
    assert isinstance(holder, ast.ClassDef)
    own: set[str] = set()
    for cls in inference.classes.bases(definition):
        if cls is not holder:
            own |= {s.name for s in cls.body if isinstance(s, ast.FunctionDef)}
            own |= set(inference.classes.attribute_names(cls))
    used = {node.attr for node in ast.walk(holder) if isinstance(node, ast.Attribute)}
    defined = {s.name for s in holder.body if isinstance(s, ast.FunctionDef)}
    defined |= set(owner.classes.attribute_names(holder))
    return bool((own - {"__init__"}) & used & defined)
