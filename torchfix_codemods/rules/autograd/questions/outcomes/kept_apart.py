"""Values that are volatile in one branch of a choice, whose other branch trains."""

from __future__ import annotations

import ast
from collections.abc import Collection

from torchfix_codemods.edit.spelling import Spelling
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.branches import tests_around
from torchfix_codemods.facts.language.nodes import same_expression, walk
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.training import is_harmless
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.record import record
from torchfix_codemods.rules.autograd.questions.outcomes.value_flow import ValueFlow, unrecorded
from torchfix_codemods.rules.autograd.questions.volatile.calls import flag_given, volatile_calls
from torchfix_codemods.rules.autograd.questions.volatile.differentiated import called
from torchfix_codemods.rules.autograd.questions.volatile.flows import flow_of_call, only_calculates
from torchfix_codemods.rules.autograd.questions.volatile.spans import (
    Span,
    binds,
    smallest_span,
    suspends,
)
from torchfix_codemods.rules.autograd.questions.volatile.switches import spelled_context

_MODES = frozenset({"train", "eval"})


@record
class Apart:
    """Values that are volatile in one branch of a choice, and what goes under its test instead."""

    calls: list[ast.Call]
    """What makes them, in the order of the text."""
    span: Span
    spelling: Spelling
    """``torch.set_grad_enabled(phase == "train")`` of the branch behind ``else``."""


def kept_apart(call: ast.Call, facts: Facts) -> Apart | None:
    """The block in the place of the flags of a branch, which the other branch trains without.

    ``inputs`` of ``if train: inputs = Variable(x)`` and ``else: inputs = Variable(x,
    volatile=True)``, with ``if train: loss.backward()`` below. Where the test fails, nothing comes
    in from the other branch, so that all below is calculated as with a flag that is written out.
    """
    made = facts.statement(call)
    choice = facts.parent(made)
    if not isinstance(choice, ast.If) or not choice.orelse:
        return None
    scope = facts.names.scope_of(made)
    if scope.kind != "function":
        return None
    branch, other = choice.body, choice.orelse
    if made in other:
        branch, other = other, branch
    inside = {node for statement in branch for node in walk(statement)}
    calls = [one for one in volatile_calls(facts) if one in inside]
    flags = [flag_given(one, facts) for one in calls]
    if not all(flag is not None and flag.of_variable for flag in flags):
        return None
    found = [flow for one in calls if (flow := flow_of_call(one, facts)) is not None]
    recording = {s for flow in found for s in flow.recording if s not in inside}
    if len(found) < len(calls) or not recording:
        return None
    if not all(facts.statement(one) in branch for one in calls):
        return None
    # What is bound in the other branch is not there where this one was taken.
    elsewhere = {node for statement in other for node in walk(statement)}
    apart = [b for each in scope.bindings.values() for b in each if b.node in elsewhere]
    span = smallest_span(recording, facts)
    block = facts.block(choice)
    if span is None or span.block is not block or span.first <= block.index(choice):
        return None
    since = Span(block, block.index(choice), span.last)
    if suspends(since) or not _stays(choice.test, since, facts):
        return None
    if any(is_under_no_grad(s, facts) for s in recording):
        return None
    off = _trained_by(choice.test, choice.body is other, span, facts)
    flows = [_with(flow, apart) for flow in found]
    if all(s in off or only_calculates(s, flows, facts) for s in recording):
        return None
    made_without = {*unrecorded(flows, facts), *(n for n in off if isinstance(n, ast.expr))}
    cleared = [c for s in span.statements if (c := called(s, "zero_grad")) is not None]
    steps = [node for node in off if isinstance(node, ast.Call)]
    if not is_harmless(span.statements, made_without, facts, [*steps, *cleared]):
        return None
    is_negated = choice.body is other
    flag = ast.UnaryOp(ast.Not(), choice.test) if is_negated else choice.test
    spelling = spelled_context(flag, calls[0], facts)
    return None if spelling is None else Apart(calls, span, spelling)


def _with(flow: ValueFlow, bindings: Collection[Binding]) -> ValueFlow:
    """A flow, where what else some names may be bound to is not there."""
    return ValueFlow(
        flow.statements,
        flow.recording,
        flow.expressions,
        flow.bindings.union(bindings),
        flow.joined,
        flow.marks,
    )


def _trained_by(test: ast.expr, holds: bool, span: Span, facts: Facts) -> set[ast.AST]:
    """All that stands in a span where the same test as above says that it is trained."""
    return {
        node
        for statement in span.statements
        for node in walk(statement)
        if any(
            outcome is holds and same_expression(asked, test)
            for asked, outcome in tests_around(facts.names, node)
        )
    }


def _stays(test: ast.expr, since: Span, facts: Facts) -> bool:
    """Whether a test is true or false, and nothing else, and the same all along."""
    asked = test.operand if isinstance(test, ast.UnaryOp) else test
    is_truth = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    is_truth = is_truth or isinstance(test, ast.Compare) or _is_mode(test)
    is_truth = is_truth or (isinstance(test, ast.Name) and _is_bool(test, facts))
    parts = (ast.Name, ast.Constant, ast.Compare, ast.cmpop, ast.expr_context)
    is_plain = _is_mode(asked) or all(isinstance(node, parts) for node in walk(asked))
    calls = (n for s in since.statements for n in walk(s) if isinstance(n, ast.Call))
    is_put = any(isinstance(c.func, ast.Attribute) and c.func.attr in _MODES for c in calls)
    if not is_truth or not is_plain or binds(since, test) or (_is_mode(asked) and is_put):
        return False
    scope = facts.names.scope_of(test)
    names = (node.id for node in walk(asked) if isinstance(node, ast.Name))
    return all(name in scope.bindings for name in names)


def _is_mode(test: ast.expr) -> bool:
    """``self.training``."""
    if not isinstance(test, ast.Attribute) or test.attr != "training":
        return False
    return isinstance(test.value, ast.Name)


def _is_bool(name: ast.Name, facts: Facts) -> bool:
    """Whether a name holds True or False: for a number, torch would raise."""
    values = facts.assigned(name) or ()
    return bool(values) and all(isinstance(constant(value), bool) for value in values)
