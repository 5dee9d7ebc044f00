"""What ``super().__init__(…)`` hands on to the ``__init__`` of a base class of the same file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evaluation.parameters import argument_for
from torchfix_codemods.facts.language.scopes import Binding

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Files, Inference, OtherFile


def handed_to_base(
    inference: Inference, definition: ast.ClassDef, source: Binding
) -> ast.expr | None:
    """What objects of a class keep where a base has ``self.criterion = criterion``.

    Args:
        inference: the file of both classes.
        definition: the class of the objects.
        source: the assignment in a base.

    Returns:
        what the class, or one between the two, certainly gives to the ``__init__`` of the base;
        None where other classes may give something else.
    """
    names = inference.names
    if source.path or not isinstance(source.value, ast.Name):
        return None
    parameters = [binding.node for binding in inference.flow.reaching(source.value)]
    parameter = parameters[0] if len(parameters) == 1 else None
    if not isinstance(parameter, ast.arg):
        return None
    function = names.parents[names.parents[parameter]]
    base = names.parents.get(function)
    if not (isinstance(function, ast.FunctionDef) and function.name == "__init__"):
        return None
    if not isinstance(base, ast.ClassDef) or base is definition:
        return None
    if inference.classes.is_wrapped(function) or inference.classes.kind(definition) == "unknown":
        return None
    call = _call_of_base(inference, definition, base)
    if call is None or not _is_certain(inference, definition, base, source.name, call):
        return None
    return argument_for(function, parameter, call, True)


def _call_of_base(
    inference: Inference, definition: ast.ClassDef, base: ast.ClassDef
) -> ast.Call | None:
    """The one call by which objects of a class run the ``__init__`` of a base of it."""
    classes, names = inference.classes, inference.names
    while len(definition.bases) == 1:
        init = classes.method(definition, "__init__")
        holder = None if init is None else names.parents[init]
        if not isinstance(holder, ast.ClassDef) or holder is base or len(holder.bases) != 1:
            return None
        calls = [c for c in names.method_calls("__init__") if names.enclosing_class(c) is holder]
        above = classes.definition_of(holder.bases[0])
        if len(calls) != 1 or above is None or not _is_of_super(inference, calls[0], holder):
            return None
        next_init = classes.method(above, "__init__")
        if next_init is not None and names.parents[next_init] is base:
            return calls[0]
        definition = above
    return None


def _is_of_super(inference: Inference, call: ast.Call, holder: ast.ClassDef) -> bool:
    """``super().__init__(…)`` or ``super(Holder, self).__init__(…)``."""
    if not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Call):
        return False
    function, given = call.func.value.func, call.func.value.args
    if not (isinstance(function, ast.Name) and function.id == "super"):
        return False
    if inference.names.scope_of(function).lookup("super") is not None:
        return False
    return not given or inference.classes.definition_of(given[0]) is holder


def _is_certain(
    inference: Inference, definition: ast.ClassDef, base: ast.ClassDef, name: str, call: ast.Call
) -> bool:
    """Whether no other class, and nobody from outside, gives the attribute something else."""
    own = {
        id(source.node)
        for cls in inference.names.nodes.get(ast.ClassDef, ())
        if isinstance(cls, ast.ClassDef)
        for source in inference.classes.attribute_sources(cls, name)
    }
    for use in inference.names.attributes(name):
        if not isinstance(use.ctx, ast.Load) and id(inference.names.statement(use)) not in own:
            return False
    below = list(_classes_below(inference, definition))
    for cls in below:
        is_set = cls is not definition and inference.classes.has_own(cls, name)
        if is_set or _call_of_base(inference, cls, base) is not call:
            return False
    if inference.files is None:
        return True
    if inference.files.is_assigned(name, by_module=False):
        return False
    return not any(_may_be_subclassed(inference.files, cls.name) for cls in below)


def _classes_below(inference: Inference, definition: ast.ClassDef) -> Iterator[ast.ClassDef]:
    """The class itself, and those of the file that derive from it."""
    for cls in inference.names.nodes.get(ast.ClassDef, ()):
        if isinstance(cls, ast.ClassDef) and definition in inference.classes.bases(cls):
            yield cls


def may_have_classes_below(inference: Inference, definition: ast.ClassDef) -> bool:
    """Whether a class of the project may derive from one of a file."""
    if inference.files is None or _may_be_subclassed(inference.files, definition.name):
        return True
    return any(cls is not definition for cls in _classes_below(inference, definition))


def _may_be_subclassed(files: Files, name: str) -> bool:
    """Whether another file may have a class below a class of that name."""
    mentioning = files.mentioning(name)
    return mentioning is None or any(_derives(file, name) for file in mentioning)


def _derives(file: OtherFile, name: str) -> bool:
    if file.inference is None:
        return True
    for cls in file.inference.names.nodes.get(ast.ClassDef, ()):
        for base in cls.bases if isinstance(cls, ast.ClassDef) else ():
            spelt = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", None)
            value = file.inference.value(base)
            held = getattr(getattr(value, "value", None), "definition", None)
            if name in (spelt, getattr(held, "name", None)):
                return True
    return False
