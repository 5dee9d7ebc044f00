"""Tests that raise for Variables, or ask more of them, and let pass what was a plain tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.torch_api import TENSOR_CLASSES
from torchfix_codemods.rules.autograd.questions.wrapped.tensor_branches import (
    asks_for,
    start_of_chain,
    takes_every_tensor,
)

_RAISES = (
    "a plain tensor (x.data) was no Variable before 0.4 and could pass here; today every tensor "
    "that comes here raises: drop the test if those are to pass"
)
_WENT_ON = (
    "a plain tensor was no Variable before 0.4 and went on to line {}; today every tensor takes "
    "this branch where the rest of its test holds: see whether it is right for it"
)
_VARIABLES = frozenset({VARIABLE})


def why_raises(node: ast.expr, facts: Facts) -> str | None:
    """What to say of a test that raises for Variables alone, in the chain that a question is of.

    Args:
        node: the ``Variable`` of an ``isinstance``.
        facts: the facts of its module.

    Returns:
        None where there is no such test: what is asked may as well be asked of every tensor then;
        an empty text where it is told at another question.
    """
    if facts.era_of(node).needs((0, 4)):
        return None
    statement: ast.AST | None = node
    while statement is not None and not isinstance(statement, ast.stmt):
        statement = facts.parent(statement)
    for test in _raising_tests(statement, facts):
        asked = next(_asked_for_variables(test, facts), None)
        if asked is not None:
            return _RAISES if asked is node else ""
    return None


def _raising_tests(statement: ast.AST | None, facts: Facts) -> Iterator[ast.expr]:
    """What something raises for, in the chain that a branch is of, or in an assertion."""
    if isinstance(statement, ast.Assert):
        test = statement.test
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            yield test.operand
    elif isinstance(statement, ast.If):
        branch: ast.stmt | None = start_of_chain(statement, facts)[0]
        while isinstance(branch, ast.If):
            if isinstance(branch.body[-1], ast.Raise):
                yield branch.test
            branch = branch.orelse[0] if len(branch.orelse) == 1 else None


def _asked_for_variables(test: ast.expr, facts: Facts) -> Iterator[ast.expr]:
    """The classes of ``isinstance`` by which every Variable passes a test, and not every tensor."""
    for call in ast.walk(test):
        if not isinstance(call, ast.Call) or len(call.args) < 2:
            continue
        subject = ast.unparse(call.args[0])
        if not asks_for(test, subject, _VARIABLES, facts):
            continue
        if not asks_for(test, subject, TENSOR_CLASSES, facts):
            classes = call.args[1]
            each = classes.elts if isinstance(classes, ast.Tuple) else [classes]
            yield from (cls for cls in each if facts.name(cls) == VARIABLE)


def why_went_on(branch: ast.If, question: ast.Call, facts: Facts) -> str | None:
    """What to say of ``if isinstance(x, Variable) and …``, where the branch of all tensors follows.

    Args:
        branch: the branch of that test.
        question: the ``isinstance`` in it.
        facts: the facts of its module.
    """
    test = branch.test
    if not isinstance(test, ast.BoolOp) or not isinstance(test.op, ast.And):
        return None
    if question not in test.values or facts.era_of(branch).needs((0, 4)):
        return None
    subject = ast.unparse(question.args[0])
    below: ast.stmt | None = branch
    while isinstance(below, ast.If):
        below = below.orelse[0] if len(below.orelse) == 1 else None
        if isinstance(below, ast.If) and takes_every_tensor(below, subject, facts):
            return _WENT_ON.format(facts.origin(below.lineno))
    return None
