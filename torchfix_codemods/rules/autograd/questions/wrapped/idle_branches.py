"""Branches for what was no Variable, which have nothing left to do for tensors."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.branches import statements_above
from torchfix_codemods.facts.language.nodes import COMPREHENSIONS
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import runs_with
from torchfix_codemods.rules.autograd.questions.volatile.flows import flow_of_call, gets_out
from torchfix_codemods.rules.autograd.questions.volatile.given import is_off, is_set
from torchfix_codemods.rules.autograd.questions.wrapped.tensor_branches import checked_subject

_WRAPS = "every tensor is what Variable was: nothing is left to wrap"
_ALWAYS_UNWRAPS = "every tensor is what Variable was: all come into this branch"
_UNWRAPS = "every tensor is what Variable was: none comes into this branch"


def why_idle(node: ast.If, facts: Facts) -> tuple[str, bool] | None:
    """Why a branch for what is no Variable can go, or the test of one for what is.

    Returns:
        the reason, and whether what is done in the branch stays; None where nothing can go.
    """
    if node.orelse:
        return None
    if _wraps_if_it_is_none(node, facts):
        return _WRAPS, False
    if _unwraps_if_it_is_one(node, facts):
        return _ALWAYS_UNWRAPS, True
    return (_UNWRAPS, False) if _unwraps_if_it_is_none(node, facts) else None


def _wraps_if_it_is_none(node: ast.If, facts: Facts) -> bool:
    """Whether all of a branch is ``if not isinstance(x, Variable): x = Variable(x)``."""
    subject = _not_wrapped(node.test, facts)
    if subject is None or len(node.body) != 1:
        return False
    statement = node.body[0]
    return (
        isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.value, ast.Call)
        and facts.name(statement.value.func) == VARIABLE
        and len(statement.value.args) == 1
        and all(_says_nothing(each, statement.value, facts) for each in statement.value.keywords)
        and ast.unparse(statement.targets[0]) == ast.unparse(subject)
        and ast.unparse(statement.value.args[0]) == ast.unparse(subject)
    )


def _says_nothing(given: ast.keyword, wrapping: ast.Call, facts: Facts) -> bool:
    """Whether what a wrapping Variable is given would be nothing to write of a tensor.

    Where what comes of a volatile one is handed on with its graph, whoever calculates with it has
    to know: then the branch stays, and is told of.
    """
    if given.arg == "requires_grad":
        return constant(given.value) is False
    if given.arg != "volatile" or not (is_off(given.value) or is_set(given.value)):
        return False
    flow = None if is_off(given.value) else flow_of_call(wrapping, facts)
    return is_off(given.value) or (flow is not None and not gets_out(flow, facts))


def _unwraps_if_it_is_none(node: ast.If, facts: Facts) -> bool:
    """Whether a branch only has ``y = y.data`` where no tensor was given, and one certainly is."""
    test = node.test
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        test = test.values[0]
    subject = _not_wrapped(test, facts)
    if not isinstance(subject, ast.Name) or not all(_only_unwraps(s) for s in node.body):
        return False
    # Something has to be left in the block, or in what it is an ``elif`` of.
    is_alone = len(facts.block(node)) == 1
    return not is_alone and not _is_told_of(node, facts) and _is_shown_above(subject, node, facts)


def _unwraps_if_it_is_one(node: ast.If, facts: Facts) -> bool:
    """Whether a branch only has ``x = x.data`` where a Variable was given, and a tensor is.

    Till 0.4 that told it from a tensor, of which it would have been nothing to say.
    """
    checked = checked_subject(node.test, facts)
    if checked is None or checked[1] != VARIABLE or not isinstance(node.test, ast.Call):
        return False
    subject = node.test.args[0]
    is_elif = [*getattr(facts.parent(node), "orelse", ())] == [node]
    if not isinstance(subject, ast.Name) or len(node.body) != 1 or is_elif:
        return False
    target = node.body[0].targets[0] if isinstance(node.body[0], ast.Assign) else None
    is_own = isinstance(target, ast.Name) and target.id == subject.id
    if not is_own or not _only_unwraps(node.body[0]) or _is_told_of(node, facts):
        return False
    return _is_shown_above(subject, node, facts)


def _is_told_of(node: ast.If, facts: Facts) -> bool:
    """Whether a comment in a branch, or right above it, would speak of what is gone."""
    lines = facts.lines[max(node.lineno - 2, 0) : node.end_lineno]
    return any("#" in line for line in lines)


def _not_wrapped(test: ast.expr, facts: Facts) -> ast.expr | None:
    """``x`` of ``not isinstance(x, Variable)``."""
    if not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
        return None
    checked = checked_subject(test.operand, facts)
    is_asked = checked is not None and checked[1] == VARIABLE
    return test.operand.args[0] if is_asked and isinstance(test.operand, ast.Call) else None


def _only_unwraps(statement: ast.stmt) -> bool:
    """``y = y.data``, ``a, b = a.data, b.data``."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target, value = statement.targets[0], statement.value
    stored = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    read = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
    return [f"{ast.unparse(one)}.data" for one in stored] == [ast.unparse(one) for one in read]


def _is_shown_above(subject: ast.Name, node: ast.If, facts: Facts) -> bool:
    """Whether what runs above a branch whenever that does takes a name for a tensor."""
    bindings, above = facts.flow.reaching(subject), {*statements_above(facts.names, node)}
    return any(
        runs_with(use, statement, facts)
        and facts.is_shown_tensor(use)
        and facts.flow.reaching(use) == bindings
        for use in facts.names.scope_of(subject).uses.get(subject.id, ())
        if (statement := facts.statement(use)) in above
        if not any(isinstance(around, COMPREHENSIONS) for around in facts.names.ancestors(use))
    )
