"""Attributes that a constructor asks its object for, and that nothing gives it: that raises."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.libraries.module_names import MODULE_NAMES
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.classes_below import classes_below
from torchfix_codemods.facts.programs.failing_imports import sets_names
from torchfix_codemods.facts.programs.unbound import evaluated

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
        for node in evaluated(statement)
    )


def _is_unset(name: str, cls: ast.ClassDef, facts: Facts) -> bool:
    if name.startswith("_") or name in MODULE_NAMES or facts.names.texts(name):
        return False
    if facts.files is None or facts.files.is_assigned_anywhere(name):
        return False
    return _is_shown(cls, facts) and not any(
        _has(one, there, name) for there, one in _classes(cls, facts) or ()
    )


def _classes(cls: ast.ClassDef, facts: Facts) -> list[tuple[Facts, ast.ClassDef]] | None:
    """A class with those above and below it; None where not all are in sight."""
    below = classes_below(facts, cls)
    if below is None or any(len(one.bases) > 1 for _, one in below):
        return None
    return [*((facts, one) for one in facts.classes.bases(cls)), *below]


def _has(cls: ast.ClassDef, facts: Facts, name: str) -> bool:
    """Whether a class, or what else its file says of that name, may give its objects it."""
    is_changed = any(not isinstance(each.ctx, ast.Load) for each in facts.names.attributes(name))
    return is_changed or name in facts.names.scopes[cls].bindings or bool(facts.names.texts(name))


def _is_shown(cls: ast.ClassDef, facts: Facts) -> bool:
    """Whether the lines of some classes show all attributes of their objects."""

    def look() -> bool:
        classes = _classes(cls, facts)
        above = facts.classes.bases(cls)
        return (
            classes is not None
            and all(_has_known_bases(one, facts) for one in above)
            and not any(_is_passed_on(one, facts) for one in above)
            and all(_is_plain(one, there) for there, one in classes)
            and not any(
                sets_names(there.names) for one in above for there in others_with(one.name, facts)
            )
        )

    return facts.remembered(("attributes are shown", cls), look)


def _has_known_bases(cls: ast.ClassDef, facts: Facts) -> bool:
    return all(
        facts.classes.definition_of(base) is not None
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
