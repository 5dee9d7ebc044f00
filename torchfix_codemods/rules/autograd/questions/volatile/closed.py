"""Functions that calculate with their arguments alone."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.libraries import container_methods, torch_effects
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Device, Number


def is_closed(
    function: ast.FunctionDef, facts: Facts, seen: frozenset[ast.AST] = frozenset()
) -> bool:
    """Whether a function calculates with its arguments alone, so that no weights are in reach.

    ``Batch.of(examples)`` is closed where it calls torch, methods of tensors and lists, and the
    constructor of its class, which just keeps what it gets.

    Args:
        function: a function, or a method of a class that is no module.
        facts: the facts of its file.
        seen: the functions that call it.
    """
    owner = facts.parent(function)
    if isinstance(owner, ast.ClassDef) and facts.classes.kind(owner) != "plain":
        return False
    inside = [node for statement in function.body for node in walk(statement)]
    names = (node for node in inside if isinstance(node, ast.Name))
    calls = (node for node in inside if isinstance(node, ast.Call))
    return all(_is_in_sight(name, function, facts) for name in names) and all(
        _is_known(call, function, facts, seen | {function}) for call in calls
    )


def _is_in_sight(name: ast.Name, function: ast.FunctionDef, facts: Facts) -> bool:
    """Whether a name is one of the function, of Python or of torch, or keeps no tensor."""
    above = facts.parent(name)
    if facts.classes.self_name(function) == name.id and facts.classes.gets_object(function):
        return isinstance(above, ast.Attribute) and isinstance(above.ctx, ast.Store)
    if facts.names.builtin(name) is not None or (facts.name(name) or "").startswith("torch"):
        return True
    if isinstance(above, ast.Call) and facts.names.builtin(above.func) == "isinstance":
        return True
    if isinstance(facts.value(name), (Device, Number)):
        return True
    found = facts.names.scope_of(name).lookup(name.id)
    return found is not None and found[0].kind not in ("module", "class")


def _is_known(
    call: ast.Call, function: ast.FunctionDef, facts: Facts, seen: frozenset[ast.AST]
) -> bool:
    called = call.func
    if any(keyword.arg == "requires_grad" for keyword in call.keywords):
        return False
    if (name := facts.name(called)) is not None:
        if name == VARIABLE:
            return len(call.args) == 1
        is_asking = name == "torch.cuda.is_available"
        return name.startswith("torch.") and (is_asking or torch_effects.is_known(name))
    if facts.names.builtin(called) is not None:
        return True
    if isinstance(called, ast.Attribute):
        is_of_tensor = torch_effects.is_known(f"torch.Tensor.{called.attr}")
        is_asking = called.attr in ("requires_grad_", "backward")
        is_of_list = container_methods.keeps_nothing(called.attr) or called.attr == "format"
        return (is_of_tensor and not is_asking) or is_of_list or container_methods.adds(called.attr)
    made = _constructor(called, function, facts)
    return made is not None and (made in seen or is_closed(made, facts, seen))


def _constructor(
    called: ast.expr, function: ast.FunctionDef, facts: Facts
) -> ast.FunctionDef | None:
    """``__init__`` of ``cls(...)`` in a class method."""
    owner, first = facts.parent(function), (*function.args.args, None)[0]
    is_class = facts.classes.gets_object(function) and facts.classes.self_name(function) is None
    if not isinstance(owner, ast.ClassDef) or not is_class or first is None:
        return None
    is_called = isinstance(called, ast.Name) and called.id == first.arg
    return facts.classes.method(owner, "__init__") if is_called else None
