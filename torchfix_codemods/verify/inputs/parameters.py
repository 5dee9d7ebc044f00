"""What is known of the parameters of functions: from the facts, and from what is done with them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import (
    Array,
    Instance,
    Maybe,
    Module,
    NoneValue,
    Number,
    Tensor,
    Text,
    Value,
)

Known = dict[str, Any]
"""What :mod:`torchfix_codemods.verify.inside.replay.guesses` is told of a parameter."""

#: Calls of the file that are taken as examples.
_EXAMPLES = 3


def parameters_of(facts: Facts, function: ast.FunctionDef) -> dict[str, Known]:
    """What is known of each parameter that has to be given, by name.

    Args:
        facts: the facts of the file.
        function: a function of it.
    """
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    given = positional[: len(positional) - len(arguments.defaults)]
    return {parameter.arg: _known(facts, function, parameter) for parameter in given}


def _known(facts: Facts, function: ast.FunctionDef, parameter: ast.arg) -> Known:
    uses = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Name)
        and node.id == parameter.arg
        and isinstance(node.ctx, ast.Load)
    ]
    if not uses:
        return {}
    # What it is called with is what it is before anything is assigned to its name.
    uses.sort(key=lambda node: (node.lineno, node.col_offset))
    known: Known = {}
    _add(facts.value(uses[0]), known)
    if not known and isinstance(uses[0], ast.expr):
        _add(facts.value_by_use(uses[0]), known)
    known["texts"] = sorted(set(_compared(facts, uses)))
    known["attributes"] = sorted(set(_attributes(facts, uses))) if "kinds" not in known else []
    return known


def _add(value: Value, known: Known) -> None:
    """Take down what a value is."""
    kinds = known.setdefault("kinds", [])
    if isinstance(value, Maybe):
        _add(value.value, known)
        kinds.append("none")
    elif isinstance(value, Tensor):
        kinds.append("tensor")
        known.update(ndim=0 if value.single else value.ndim, dtype=value.dtype)
    elif isinstance(value, Number):
        kinds.append("number")
        known["number"] = value.kind
    elif isinstance(value, (Module, Instance)) and value.definition is not None:
        kinds.append("object")
        known["expressions"] = [f"{value.definition.name}()"]
        call = getattr(value, "call", None)
        if call is not None:
            known["expressions"].insert(0, ast.unparse(call))
    else:
        kinds += [name for cls, name in _KINDS if isinstance(value, cls)]
    if not kinds:
        del known["kinds"]


_KINDS: tuple[tuple[type[Value], str], ...] = (
    (Array, "array"),
    (Text, "text"),
    (NoneValue, "none"),
)


def _compared(facts: Facts, uses: list[ast.Name]) -> Iterator[str]:
    """The texts that a parameter is compared with."""
    for use in uses:
        parent = facts.parent(use)
        if isinstance(parent, ast.Compare):
            for other in (parent.left, *parent.comparators):
                for node in ast.walk(other):
                    if isinstance(node, ast.Constant) and isinstance(node.value, str):
                        yield node.value


def _attributes(facts: Facts, uses: list[ast.Name]) -> Iterator[str]:
    """The attributes that are read of a parameter, as of options of a command line; none where it
    is called, or what is read of it is.
    """
    names = []
    for use in uses:
        parent = facts.parent(use)
        if not isinstance(parent, ast.Attribute):
            return
        above = facts.parent(parent)
        if isinstance(above, ast.Call) and above.func is parent:
            return
        names.append(parent.attr)
    yield from names


def examples_of(tree: ast.Module, name: str) -> list[dict[str, Any]]:
    """Arguments that a file calls one of its functions or classes with, as code.

    Args:
        tree: the file.
        name: the function or class.
    """
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == name:
            if any(isinstance(argument, ast.Starred) for argument in node.args):
                continue
            kwargs = {k.arg: ast.unparse(k.value) for k in node.keywords if k.arg is not None}
            if len(kwargs) == len(node.keywords):
                found.append({"args": [ast.unparse(a) for a in node.args], "kwargs": kwargs})
    return found[:_EXAMPLES]
