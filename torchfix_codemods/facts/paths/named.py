"""Which function or class of the project an expression is, with all that is known of its file."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from torchfix_codemods.facts.evaluation.classes_elsewhere import (
    find_method,
    function_of,
    run_by_call,
)
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import ClassObject, Method, Value

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
