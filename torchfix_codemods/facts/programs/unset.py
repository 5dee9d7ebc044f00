"""Attributes that a method asks its object for, and that nothing gives it: that raises."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.language.foreign import is_foreign
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.libraries.module_names import MODULE_NAMES
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import calls_in_sight
from torchfix_codemods.facts.paths.callers import others_with, value_by_all_calls
from torchfix_codemods.facts.paths.classes_below import classes_above, classes_below
from torchfix_codemods.facts.paths.graph import Place, Use, reads
from torchfix_codemods.facts.paths.handed_objects import places_after
from torchfix_codemods.facts.paths.named import class_named, class_of_object, is_self
from torchfix_codemods.facts.paths.uses import parameter_bindings
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.programs.certain_calls import function_called
from torchfix_codemods.facts.programs.failing_imports import sets_by_dict, sets_names
from torchfix_codemods.facts.programs.unbound import evaluated
from torchfix_codemods.facts.values.lattice import Foreign, Instance, Module, Unknown

_Class = tuple[Facts, ast.ClassDef]

#: What may give objects attributes that no line of a class shows.
_GIVING = ("__dict__", "__setattr__", "__getattr__", "__getattribute__", "__class__", "__new__")
#: Methods that give a module an attribute by its name.
_REGISTERING = ("add_module", "register_buffer", "register_parameter", "register_module")


def asks_unset(
    statement: ast.stmt, constructor: ast.FunctionDef, cls: ast.ClassDef, facts: Facts
) -> bool:
    """Whether a statement of a constructor asks its object for what nothing sets: ``self.lost``.

    What other files set on an object comes after its constructor, but may be set on the class; and
    a class below may set what one above asks for.
    """
    itself = facts.classes.self_name(constructor)
    if itself is None or len(facts.names.scopes[constructor].bindings[itself]) != 1:
        return False
    return any(
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == itself
        and _is_unset(node.attr, cls, facts)
        and not _may_be_set_on_class(node.attr, facts)
        for node in evaluated(statement)
    )


def is_unset(node: ast.Attribute, facts: Facts) -> bool:
    """Whether an object is asked for what nothing in the project sets: ``self.lost``.

    That is the object of a method, or one of a class of the project: ``self.model.lost``. What is
    handed to code out of sight, that may set: ``register(model)``.
    """
    if (
        _is_everyones(node.attr, facts)
        or facts.files is None
        or facts.files.is_assigned_anywhere(node.attr)
    ):
        return False
    found = _lacking_itself(node, facts) or _lacking_other(node, facts)
    return found is not None and not _is_handed_out(found[1], found[0])


def _lacking_itself(node: ast.Attribute, facts: Facts) -> _Class | None:
    """The class whose method asks its own object for what nothing gives it.

    Of a class that nobody makes an object of, others may derive, which set it.
    """
    method = facts.names.enclosing_function(node)
    cls = None if method is None else facts.parent(method)
    if not isinstance(method, ast.FunctionDef) or not isinstance(cls, ast.ClassDef):
        return None
    is_unset = (
        isinstance(node.value, ast.Name)
        and node.value.id == facts.classes.self_name(method)
        and len(facts.names.scopes[method].bindings[node.value.id]) == 1
        and _is_unset(node.attr, cls, facts)
        and _is_made(cls, facts)
    )
    return (facts, cls) if is_unset else None


def _lacking_other(node: ast.Attribute, facts: Facts) -> _Class | None:
    """The class of an object that is asked, which the project makes, and hands on where it does
    so."""
    if not isinstance(node.value, (ast.Name, ast.Attribute)) or is_self(facts, node.value):
        return None
    value = value_by_all_calls(node.value, facts)
    if isinstance(value, Unknown) and _is_made_here(node.value, facts):
        value = facts.value(node.value)
    found = class_of_object(value, facts)
    return found if found is not None and _is_unset(node.attr, found[1], found[0]) else None


def _is_made_here(node: ast.Name | ast.Attribute, facts: Facts) -> bool:
    """Whether all that a name, or an attribute of the object, holds is made by calls of classes.

    What the calls in sight give a parameter is not all that others may give it.
    """
    if isinstance(node, ast.Name):
        bindings = [*facts.flow.reaching(node)]
    elif is_self(facts, node.value) and (owner := facts.names.enclosing_class(node)) is not None:
        bindings = facts.classes.attribute_sources(owner, node.attr)
    else:
        return False
    made = [binding.written() for binding in bindings]
    return bool(made) and all(
        isinstance(one, ast.Call) and class_named(one.func, facts) is not None for one in made
    )


def _is_everyones(name: str, facts: Facts) -> bool:
    """Whether any object may have what is asked for, as far as its name and the file show."""
    return name.startswith("_") or name in MODULE_NAMES or _may_be_given(name, facts)


def _is_unset(name: str, cls: ast.ClassDef, facts: Facts) -> bool:
    """Whether no line of the classes around an object gives it what is asked for."""
    if _is_everyones(name, facts):
        return False
    return is_shown(cls, facts) and not any(
        _has(one, there, name) for there, one in family(cls, facts) or ()
    )


def _may_be_set_on_class(name: str, facts: Facts) -> bool:
    """Whether a file gives something of that name to what may be a class."""
    if facts.files is None or facts.files.mentioning(name) is None:
        return True
    if not facts.files.is_assigned_anywhere(name):
        return False
    return any(
        there.names.texts(name)
        or any(
            not isinstance(each.ctx, ast.Load) and not _is_of_object(each.value, there)
            for each in there.names.attributes(name)
        )
        for there in (facts, *others_with(name, facts))
    )


def _is_of_object(node: ast.expr, facts: Facts) -> bool:
    return isinstance(facts.value(node), (Foreign, Instance, Module)) or is_self(facts, node)


def _is_made(cls: ast.ClassDef, facts: Facts) -> bool:
    """Whether a line of the project makes an object of a class, by its name."""
    made = facts.remembered(("made by its name", cls), lambda: [*_made(cls, facts)])
    return bool(made)


def _made(cls: ast.ClassDef, facts: Facts) -> Iterator[Place]:
    for there in (facts, *others_with(cls.name, facts)):
        for call in there.names.nodes.get(ast.Call, ()):
            if isinstance(call, ast.Call) and last_name(call.func) == cls.name:
                yield Place(there, call)


def _is_handed_out(cls: ast.ClassDef, facts: Facts) -> bool:
    """Whether code out of sight gets an object of a class, or of one below it."""

    def look() -> bool:
        classes = [(facts, cls), *(classes_below(facts, cls) or ())]
        made = (place for there, one in classes for place in _made(one, there))
        is_passed_on = any(_is_passed_on(one, there) for there, one in classes)
        return is_passed_on or follow(made, _unless_out_of_sight) is not None

    return facts.remembered(("is handed out", cls), look)


def _unless_out_of_sight(use: Use) -> Iterable[Place] | None:
    """None for what gives an object to unknown code; else where it is next."""
    if use.kind in ("chosen", "element", "item", "iterated", "unpacked"):
        return [*use.result(), *use.held()]
    if use.kind == "returned":
        function = use.facts.names.enclosing_function(use.by)
        if not isinstance(function, ast.FunctionDef):
            return ()
        calls = calls_in_sight(use.facts, function)
        return [Place(there, call, use.place.content) for call, there in calls]
    if use.kind != "argument" or not isinstance(use.by, ast.Call):
        return places_after(use)
    called, facts = use.by.func, use.facts
    found = function_called(use.by, facts)
    given = parameter_bindings(*found, use.by, use.node, facts) if found is not None else []
    if found is not None and given:
        return [place for each in given for place in reads(found[0], each, use.place.content)]
    if isinstance(called, ast.Attribute) and container_methods.keeps(called.attr):
        return use.held()
    name = facts.name(called) or ""
    is_known = name.startswith("torch.") or is_foreign(name) or facts.names.builtin(called)
    return () if is_known else None


def family(cls: ast.ClassDef, facts: Facts) -> list[tuple[Facts, ast.ClassDef]] | None:
    """A class with those above and below it; None where not all are in sight."""
    below = classes_below(facts, cls)
    if below is None or any(len(one.bases) > 1 for _, one in below):
        return None
    return [*classes_above(facts, cls), *below]


def _has(cls: ast.ClassDef, facts: Facts, name: str) -> bool:
    """Whether a class, or what else its file says of that name, may give its objects it."""
    return name in facts.names.scopes[cls].bindings or _may_be_given(name, facts)


def _may_be_given(name: str, facts: Facts) -> bool:
    """Whether a file gives an attribute of that name to anything, or speaks of it."""
    is_changed = any(not isinstance(each.ctx, ast.Load) for each in facts.names.attributes(name))
    return is_changed or bool(facts.names.texts(name))


def is_shown(cls: ast.ClassDef, facts: Facts) -> bool:
    """Whether the lines of some classes show all attributes of their objects."""

    def look() -> bool:
        classes = family(cls, facts)
        above = classes_above(facts, cls)
        return (
            classes is not None
            and all(has_known_bases(one, there) for there, one in above)
            and not any(_is_passed_on(one, there) for there, one in above)
            and all(_is_plain(one, there) for there, one in classes)
            and not any(
                sets_names(there.names) or sets_by_dict(there.names)
                for home, one in above
                for there in others_with(one.name, home)
            )
        )

    return facts.remembered(("attributes are shown", cls), look)


def has_known_bases(cls: ast.ClassDef, facts: Facts) -> bool:
    """Whether all classes right above one are of its file, or set no attributes of ours."""
    return all(
        class_named(base, facts) is not None
        or facts.names.builtin(base) == "object"
        or facts.name(base) == "torch.nn.Module"
        for base in cls.bases
    )


def _is_passed_on(cls: ast.ClassDef, facts: Facts) -> bool:
    """Whether a method of a class gives its object to others, which may set anything of it."""
    methods = [s for s in cls.body if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return any(
        facts.names.enclosing_class(use) is cls and not _keeps(use, facts)
        for name in {facts.classes.self_name(method) for method in methods} - {None}
        for scope in facts.names.scopes_using(name or "")
        for use in scope.uses[name or ""]
    )


def _keeps(use: ast.Name, facts: Facts) -> bool:
    around = facts.parent(use)
    if isinstance(around, ast.Attribute):
        return True
    if not isinstance(around, ast.Call):
        return False
    called = around.func
    if facts.names.builtin(called) == "super":
        return True
    return (
        isinstance(called, ast.Attribute)
        and called.attr == "__init__"
        and facts.name(called.value) == "torch.nn.Module"
    )


def _is_plain(cls: ast.ClassDef, facts: Facts) -> bool:
    names = facts.names
    return not (
        cls.decorator_list
        or cls.keywords
        or sets_names(names)
        or any(names.attributes(word) or word in names.scopes[cls].bindings for word in _GIVING)
        or any(
            not (call.args and isinstance(call.args[0], ast.Constant))
            for name in _REGISTERING
            for call in names.method_calls(name)
        )
    )
