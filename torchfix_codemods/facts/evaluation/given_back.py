"""Functions that give back what they are given: the `to_var(x)` of old code moves and wraps it."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evaluation.extents import shaped_by_call
from torchfix_codemods.facts.evaluation.parameters import argument_for
from torchfix_codemods.facts.evidence.changes import may_be_reshaped
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.values.lattice import Device, Module, Tensor, Text, Value

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference

#: Methods that give the same tensor or module, wherever it is then.
_MOVING = frozenset({"cuda", "cpu", "pin_memory", "detach", "requires_grad_"})
#: Through so many assignments a parameter is followed.
_LONGEST_CHAIN = 6


def as_given(
    inference: Inference,
    owner: Inference,
    function: ast.AST,
    call: ast.Call,
    result: Value,
    is_method: bool = False,
) -> Value:
    """What a call of a function gives, with what is known of the argument that it gives back.

    Args:
        inference: the values of the file of the call.
        owner: those of the file of the function.
        function: what is called.
        call: the call.
        result: what the function gives whichever way it is called.
        is_method: whether the first parameter is not given in the call.

    Returns:
        ``result``; where it is certain that the function gives back one of its arguments, a tensor
        of the dimensions and the type of that one, or the very same module; where it makes a tensor
        of the sizes that it is given, one of as many dimensions.
    """
    given = argument_given_back(owner, function, call, is_method)
    if given is None:
        return shaped_by_call(inference, owner, function, call, result, is_method)
    value = inference.value(given)
    if isinstance(value, Module):
        return value
    if not isinstance(value, Tensor):
        return result
    return replace(
        result if isinstance(result, Tensor) else Tensor(),
        ndim=value.ndim,
        dtype=value.dtype,
        contiguous=value.contiguous,
        single=value.single,
        permuted=value.permuted,
        strided=value.strided,
        moved=value.moved,
        repeated=value.repeated,
    )


def argument_given_back(
    owner: Inference, function: ast.AST, call: ast.Call, is_method: bool = False
) -> ast.expr | None:
    """What a call gives the function that gives it back, moved or not: ``x`` of ``to_gpu(x)``.

    Args:
        owner: the values of the file of the function.
        function: what is called.
        call: the call.
        is_method: whether the first parameter is not given in the call.

    Returns:
        None where it is not certain that the function gives back an argument.
    """
    parameter = _parameter_given_back(owner, function)
    if parameter is None or is_opaque(call):
        return None
    assert isinstance(function, (ast.FunctionDef, ast.Lambda))
    return argument_for(function, parameter, call, is_method)


def method_as_given(
    inference: Inference, definition: ast.ClassDef, name: str, call: ast.Call, result: Value
) -> Value:
    """:func:`as_given` for the method of a class of the file."""
    method = inference.classes.method(definition, name)
    if method is None or any(inference.classes.overriding(definition, name)):
        return result
    is_method = not inference.classes.is_static(method)
    return as_given(inference, inference, method, call, result, is_method)


def _parameter_given_back(owner: Inference, function: ast.AST) -> ast.arg | None:
    if function not in owner.given_back:
        owner.given_back[function] = _find_parameter(owner, function)
    return owner.given_back[function]


def _find_parameter(owner: Inference, function: ast.AST) -> ast.arg | None:
    """The parameter that each ``return`` of a function gives back."""
    if isinstance(function, ast.Lambda):
        return _given_by(owner, function, function.body)
    if not isinstance(function, ast.FunctionDef) or owner.classes.is_wrapped(function):
        return None
    found = set()
    for node in owner.exits.get(function, ()):
        value = node.value if isinstance(node, ast.Return) else None
        found.add(None if value is None else _given_by(owner, function, value))
    return found.pop() if len(found) == 1 else None


def _given_by(
    owner: Inference, function: ast.AST, node: ast.expr, depth: int = 0
) -> ast.arg | None:
    """The parameter whose tensor or module an expression is, moved or wrapped; None for others."""
    if depth > _LONGEST_CHAIN:
        return None
    if isinstance(node, ast.IfExp):
        either = _given_by(owner, function, node.body, depth + 1)
        return either if either == _given_by(owner, function, node.orelse, depth + 1) else None
    if isinstance(node, ast.Name):
        return _given_by_name(owner, function, node, depth)
    if not isinstance(node, ast.Call):
        return None
    if owner.names.name(node.func) == "torch.autograd.Variable":
        is_first = node.args and not isinstance(node.args[0], ast.Starred)
        return _given_by(owner, function, node.args[0], depth + 1) if is_first else None
    if not isinstance(node.func, ast.Attribute):
        return None
    is_move = node.func.attr in _MOVING or (node.func.attr == "to" and _is_to_device(owner, node))
    return _given_by(owner, function, node.func.value, depth + 1) if is_move else None


def _given_by_name(
    owner: Inference, function: ast.AST, node: ast.Name, depth: int
) -> ast.arg | None:
    if may_be_reshaped(owner, node):
        return None
    found: set[ast.arg | None] = set()
    arguments = getattr(function, "args", None)
    for binding in owner.flow.reaching(node):
        parameter = binding.node
        if isinstance(parameter, ast.arg) and owner.names.parents.get(parameter) is arguments:
            found.add(parameter)
        elif binding.kind == "assign" and not binding.path and binding.value is not None:
            found.add(_given_by(owner, function, binding.value, depth + 1))
        else:
            return None
    return found.pop() if len(found) == 1 else None


def _is_to_device(owner: Inference, call: ast.Call) -> bool:
    given = [*call.args, *(k.value for k in call.keywords if k.arg != "non_blocking")]
    return bool(given) and all(isinstance(owner.value(node), (Device, Text)) for node in given)
