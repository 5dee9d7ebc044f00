"""Which function or class of the project an expression is, with all that is known of its file."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from torchfix_codemods.facts.evaluation.classes_elsewhere import (
    class_of,
    find_method,
    function_of,
    run_by_call,
)
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import ClassObject, Method, Module, Value

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Files, Inference

T = TypeVar("T")


def function_named(node: ast.expr, facts: Facts) -> tuple[Facts, ast.FunctionDef] | None:
    """The function or method that an expression is, and the file that defines it.

    Also a method that is taken from its class: ``Engine.forward(model, batch)``.
    """
    found = function_of(facts.inference, facts.value(node))
    if found is None and isinstance(node, ast.Attribute):
        cls = class_named(node.value, facts)
        found = None if cls is None else find_method(cls[0].inference, cls[1], node.attr)
    return _at_home(found)


def function_run(node: ast.expr, facts: Facts) -> tuple[Facts, ast.FunctionDef] | None:
    """What a call of an expression runs: also the constructor of a class, a module's forward."""
    return run_by_value(facts.value(node), facts)


def run_by_value(value: Value, facts: Facts) -> tuple[Facts, ast.FunctionDef] | None:
    """The same of what is known of an expression of the file."""
    return _at_home(run_by_call(facts.inference, value))


def method_run(node: ast.expr, name: str, facts: Facts) -> tuple[Facts, ast.FunctionDef] | None:
    """The method of that name that the class of an object has, and the file that defines it."""
    return _at_home(function_of(facts.inference, Method(facts.value(node), name)))


def class_named(node: ast.expr, facts: Facts) -> tuple[Facts, ast.ClassDef] | None:
    """The class that an expression is, and the file that defines it."""
    value = facts.value(node)
    owner = value.owner if isinstance(value, Imported) else facts.inference
    value = value.value if isinstance(value, Imported) else value
    return _at_home((owner, value.definition) if isinstance(value, ClassObject) else None)


def class_of_object(value: Value, facts: Facts) -> tuple[Facts, ast.ClassDef] | None:
    """The class of the project of which something is an object, and the file that defines it."""
    origin = value.origin if isinstance(value, Module) else value
    owner = origin.owner if isinstance(origin, Imported) else facts.inference
    definition = class_of(origin.value if isinstance(origin, Imported) else value)
    return _at_home(None if definition is None else (owner, definition))


def _at_home(found: tuple[Inference, T] | None) -> tuple[Facts, T] | None:
    home = None if found is None else facts_of(found[0])
    return None if found is None or home is None else (home, found[1])


def is_self(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is the object whose method it stands in."""
    return isinstance(node, ast.Name) and any(
        isinstance(parent, ast.FunctionDef)
        and isinstance(facts.parent(parent), ast.ClassDef)
        and facts.classes.self_name(parent) == node.id
        for parent in facts.names.ancestors(node)
    )


def is_one_file(facts: Facts, there: Facts) -> bool:
    """Whether two facts are of one file, which may have been read twice."""
    paths = [None if each.files is None else each.files.path for each in (facts, there)]
    return there is facts or (paths[0] == paths[1] and paths[0] is not None)


def is_same_function(
    facts: Facts, function: ast.FunctionDef, there: Facts, found: ast.FunctionDef
) -> bool:
    """Whether two functions are one, of a file that may have been read twice."""
    owners = [getattr(facts.parent(function), "name", ""), getattr(there.parent(found), "name", "")]
    return is_one_file(facts, there) and function.name == found.name and owners[0] == owners[1]


def derives(facts: Facts, cls: ast.ClassDef, there: Facts, base: ast.ClassDef) -> bool:
    """Whether a class is another one, or derives from it."""
    pending, seen = [(facts, cls)], set[ast.ClassDef]()
    while pending:
        home, one = pending.pop()
        if one in seen:
            continue
        if one.name == base.name and is_one_file(home, there):
            return True
        seen.add(one)
        pending += [found for node in one.bases if (found := class_named(node, home)) is not None]
    return False


def gets_object_before(facts: Facts, method: ast.FunctionDef, call: ast.Call, there: Facts) -> bool:
    """Whether a call gives a method its object, or class, before all arguments.

    In ``Engine.forward(engine, x)`` the object is the first of them.

    Args:
        facts: the facts of the file that defines the function.
        method: the function.
        call: the call of it, in whichever file.
        there: the facts of that file.
    """
    bound, function = facts.classes.gets_object(method), call.func
    if not bound or facts.classes.self_name(method) is None:
        return bound
    if not isinstance(function, ast.Attribute) or class_named(function, there) is not None:
        return True
    return class_named(function.value, there) is None


def is_same_at(place: ast.AST, named: ast.expr, facts: Facts) -> bool:
    """Whether the name that an expression begins with means the same elsewhere in its file.

    ``self`` is the same object in the methods of its class.
    """
    root = named
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    if not isinstance(root, ast.Name):
        return False
    if is_self(facts, root):
        return facts.names.enclosing_class(root) is facts.names.enclosing_class(place)
    there, here = (facts.names.scope_of(node).lookup(root.id) for node in (root, place))
    return there is not None and here is not None and there[0] is here[0]


def nearest_called(paths: Iterable[Path], files: Files) -> str | None:
    """What a message calls the nearest of some files of the project that may import this one.

    Args:
        paths: the files, in any order.
        files: those of the project, as this one sees them.

    Returns:
        its name or path, or None where there is no file.
    """
    nearest = min(sorted(paths), key=files.nearness, default=None)
    return None if nearest is None else files.called(nearest)


def line_named(node: ast.AST, there: Facts, facts: Facts) -> str:
    """How a message of one file names the line of a node, which may stand in another file."""
    line = f"line {there.origin(getattr(node, 'lineno', 1))}"
    if there is facts or there.files is None:
        return line
    return f"{line} of {there.files.called(there.files.path)}"
