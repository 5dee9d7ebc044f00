"""Where a value is certainly no tensor, because the code asked: ``if not torch.is_tensor(x):``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchfix_codemods.facts.branches import statements_above
from torchfix_codemods.facts.flow import JUMPS
from torchfix_codemods.facts.names import Binding, Names
from torchfix_codemods.facts.values import UNKNOWN, Maybe, Tensor, Value

if TYPE_CHECKING:
    from torchfix_codemods.facts.infer import Inference

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

#: Classes of Python whose objects are no tensors.
_OF_PYTHON = frozenset("int float bool complex str bytes list tuple dict set range".split())


def without_excluded(
    inference: Inference, use: ast.Name, bindings: tuple[Binding, ...], value: Value
) -> Value:
    """The value of a name, unknown where it says a tensor and the code asked that it is none.

    ``if not torch.is_tensor(x): x = torch.tensor(x)`` is for callers that are not in sight, or for
    those that do not keep to the annotation.
    """
    held = value.value if isinstance(value, Maybe) else value
    if not isinstance(held, Tensor) or use.id not in inference.names.kind_checked:
        return value
    # Until torch 0.3 a Variable was no tensor, and which of both it is was what such code asked.
    if _has_variables(inference.names):
        return value
    for test, outcome in _tests_around(inference.names, use):
        asked = _excluding(inference.names, test, use.id, outcome)
        if asked is not None and inference.flow.reaching(asked) == bindings:
            return UNKNOWN
    return value


def _has_variables(names: Names) -> bool:
    return any(
        binding.qualified == "torch.autograd.Variable"
        for binding in names.module.bindings.get("Variable", ())
    )


def _tests_around(names: Names, use: ast.Name) -> Iterator[tuple[ast.expr, bool]]:
    """The tests that decided that a place is reached, each with its outcome."""
    child: ast.AST = use
    for parent in names.ancestors(use):
        if isinstance(parent, (ast.If, ast.IfExp)) and child is not parent.test:
            yield parent.test, child is parent.body or _is_in(child, parent.body)
        elif isinstance(parent, ast.BoolOp) and isinstance(child, ast.expr):
            for earlier in parent.values[: parent.values.index(child)]:
                yield earlier, isinstance(parent.op, ast.And)
        if isinstance(parent, _FUNCTIONS):
            break
        child = parent
    for statement in statements_above(names, use):
        if isinstance(statement, ast.If) and isinstance(statement.body[-1], JUMPS):
            yield statement.test, False


def _is_in(child: ast.AST, body: object) -> bool:
    return isinstance(body, list) and child in body


def _excluding(names: Names, test: ast.expr, name: str, outcome: bool) -> ast.Name | None:
    """Where a test that came out so asked for the kind of ``name``, which is no tensor then."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _excluding(names, test.operand, name, not outcome)
    if isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) is not outcome:
            return None
        asked = (_excluding(names, value, name, outcome) for value in test.values)
        return next((found for found in asked if found is not None), None)
    if not isinstance(test, ast.Call) or not test.args:
        return None
    subject = test.args[0]
    if not (isinstance(subject, ast.Name) and subject.id == name):
        return None
    if names.name(test.func) == "torch.is_tensor":
        return None if outcome else subject
    if names.builtin(test.func) != "isinstance" or len(test.args) != 2:
        return None
    classes = test.args[1]
    named = classes.elts if isinstance(classes, ast.Tuple) else [classes]
    if outcome:
        return subject if all(_is_of_no_tensor(names, cls) for cls in named) else None
    return subject if any(names.name(cls) == "torch.Tensor" for cls in named) else None


def _is_of_no_tensor(names: Names, cls: ast.expr) -> bool:
    if names.builtin(cls) in _OF_PYTHON:
        return True
    return (names.name(cls) or "").startswith("numpy.")
