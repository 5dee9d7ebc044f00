"""What a call can make a function return: ``average=True`` chooses between two values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchfix_codemods.facts.language.arguments import is_opaque, values_given
from torchfix_codemods.facts.language.branches import statements_above
from torchfix_codemods.facts.language.jumps import leaves
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.language.python_versions import of_python3
from torchfix_codemods.facts.values.lattice import Function

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference

#: Through so many functions a flag is followed.
_MOST_HANDED_ON = 4

#: What is known to be a constant: by the name of a variable, or ``self.train`` of an object.
Constants = dict[str, object]


def reached_returns(
    inference: Inference, function: ast.AST, call: ast.Call, is_method: bool = False
) -> tuple[ast.expr | None, ...] | None:
    """What a function returns where a call may come to it, by the constants that it is given.

    Args:
        inference: the values of the file of the function.
        function: a function or a method.
        call: a call of it, in whatever file.
        is_method: whether the first parameter is not given in the call.

    Returns:
        None where the call chooses nothing, so that all may be returned.
    """
    constants: Constants = {}
    for _ in range(_MOST_HANDED_ON):
        exits = inference.exits.get(function, ())
        returns = [node for node in exits if isinstance(node, ast.Return)]
        if not isinstance(function, ast.FunctionDef) or is_opaque(call):
            return None
        if not returns or len(returns) != len(exits):
            return None
        constants = _constants_of(inference, function, call, constants, is_method)
        if not constants:
            return None
        if len(returns) > 1 or isinstance(returns[0].value, ast.IfExp):
            break
        inner = _handed_on(inference, returns[0], constants)
        if inner is None:
            return None
        function, call = inner
        is_method = False
    reached = [node for node in returns if not is_passed_by(inference, node, constants)]
    values = tuple(_chosen(inference, node.value, constants) for node in reached)
    return values if values and values != tuple(node.value for node in returns) else None


def _chosen(inference: Inference, value: ast.expr | None, constants: Constants) -> ast.expr | None:
    """``x.sum()`` of ``x.sum() if average else x``."""
    while isinstance(value, ast.IfExp):
        decided = _outcome_there(inference, value.test, constants)
        if decided is None:
            break
        value = value.body if decided else value.orelse
    return value


def never_runs(inference: Inference, node: ast.AST) -> bool:
    """Whether a constant keeps code from running, or Python 3 does: ``if 0:``, ``if PY2:``."""
    return is_passed_by(inference, node, {})


def is_left_out(
    inference: Inference, function: ast.FunctionDef, call: ast.Call, node: ast.AST
) -> bool:
    """Whether a call, by the constants that it is given, keeps a function from coming to a node.

    Args:
        inference: the values of the file of the function.
        function: a function or a method.
        call: a call of it, in whatever file.
        node: what stands in the function.
    """
    if is_opaque(call):
        return False
    is_bound = inference.classes.gets_object(function)
    constants = _constants_of(inference, function, call, {}, is_bound)
    return bool(constants) and is_passed_by(inference, node, constants)


def _handed_on(
    inference: Inference, node: ast.Return, constants: Constants
) -> tuple[ast.AST, ast.Call] | None:
    """``_ssim`` and its call, of ``return _ssim(x, y, average)``: it gets a constant."""
    call = node.value
    if not isinstance(call, ast.Call):
        return None
    given = (value.id for value in values_given(call) if isinstance(value, ast.Name))
    constants = _still_constant(inference, call, constants)
    if constants.keys().isdisjoint(given):
        return None
    callee = inference.value(call.func)
    if not isinstance(callee, Function) or inference.classes.is_wrapped(callee.definition):
        return None
    return callee.definition, call


def constants_of(
    inference: Inference,
    function: ast.FunctionDef,
    call: ast.Call,
    known: Constants,
    is_method: bool = False,
) -> Constants:
    """The parameters that are a constant in one call, and that the function leaves alone.

    ``known`` are the names that are constants where the call stands.
    """
    found = _constants_of(inference, function, call, known, is_method)
    bindings = inference.names.scopes[function].bindings
    return {name: value for name, value in found.items() if len(bindings.get(name, ())) == 1}


def _constants_of(
    inference: Inference,
    function: ast.FunctionDef,
    call: ast.Call,
    known: Constants,
    is_method: bool,
) -> Constants:
    """The same, also of those that the function binds anew at some place."""
    arguments = function.args
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    positional = [*arguments.posonlyargs, *arguments.args][is_method:]
    given |= {a.arg: value for a, value in zip(positional, call.args, strict=False)}
    found: Constants = {}
    for name, default in _defaults(function):
        value = given.get(name, default)
        if isinstance(value, ast.Constant):
            found[name] = value.value
        elif value is not None and name in given and spelled_name(value) in known:
            found[name] = known[spelled_name(value)]
    return found


def _defaults(function: ast.FunctionDef) -> Iterator[tuple[str, ast.expr | None]]:
    """The parameters of a function, each with its default."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    with_default = positional[len(positional) - len(arguments.defaults) :]
    yield from ((a.arg, None) for a in positional[: len(positional) - len(with_default)])
    yield from zip((a.arg for a in with_default), arguments.defaults, strict=True)
    yield from zip((a.arg for a in arguments.kwonlyargs), arguments.kw_defaults, strict=True)


def is_passed_by(inference: Inference, node: ast.AST, constants: Constants) -> bool:
    """Whether a test that constants decide keeps a function from coming to a node."""
    child: ast.AST = node
    for parent in inference.names.ancestors(node):
        if isinstance(parent, (ast.If, ast.IfExp)) and child is not parent.test:
            decided = _outcome_there(inference, parent.test, constants)
            body = parent.body if isinstance(parent.body, list) else [parent.body]
            if decided is not None and (child in body) is not decided:
                return True
        if isinstance(parent, ast.FunctionDef):
            break
        child = parent
    above = statements_above(inference.names, node)
    return any(_always_leaves(inference, statement, constants) for statement in above)


def _outcome_there(inference: Inference, test: ast.expr, constants: Constants) -> bool | None:
    """How a test comes out by the parameters that nothing has bound anew before it."""
    return outcome(test, _still_constant(inference, test, constants), inference.names)


def _still_constant(inference: Inference, node: ast.AST, constants: Constants) -> Constants:
    """The constants without those whose names have other values in some code."""
    changed = {
        name.id
        for name in (walk(node) if constants else ())
        if isinstance(name, ast.Name) and name.id in constants
        if any(binding.kind != "parameter" for binding in inference.flow.reaching(name))
    }
    return {name: value for name, value in constants.items() if name not in changed}


def _always_leaves(inference: Inference, statement: ast.stmt, constants: Constants) -> bool:
    """``if average: return …`` where the test holds."""
    if not isinstance(statement, ast.If):
        return False
    decided = _outcome_there(inference, statement.test, constants)
    way = statement.body if decided else statement.orelse
    return decided is not None and leaves(way, inference.names)


def _is_single(value: object) -> bool:
    """Whether there is one such object: None, True, False."""
    return value is None or isinstance(value, bool)


def outcome(test: ast.expr, constants: Constants, names: Names | None = None) -> bool | None:
    """How a test comes out; None where neither constants decide nor the version of Python.

    Args:
        test: the test.
        constants: what is known to be a constant.
        names: the scopes of the module, by which tests of that version are known.
    """
    known = None if names is None else of_python3(names, test)
    if known is not None:
        return known
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, (ast.Name, ast.Attribute)):
        name = spelled_name(test)
        return bool(constants[name]) if name in constants else None
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = outcome(test.operand, constants, names)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        deciding = isinstance(test.op, ast.Or)
        outcomes = [outcome(value, constants, names) for value in test.values]
        if deciding in outcomes:
            return deciding
        return None if None in outcomes else not deciding
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    left, right = spelled_name(test.left), test.comparators[0]
    if left not in constants or not isinstance(right, ast.Constant):
        return None
    if isinstance(test.ops[0], (ast.Eq, ast.NotEq)):
        return (constants[left] == right.value) is isinstance(test.ops[0], ast.Eq)
    if isinstance(test.ops[0], (ast.Is, ast.IsNot)) and _is_single(right.value):
        return (constants[left] is right.value) is isinstance(test.ops[0], ast.Is)
    return None


def spelled_name(node: ast.AST) -> str:
    """``train`` of ``train``, ``self.train`` of ``self.train``; "" for what is no such name."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""
