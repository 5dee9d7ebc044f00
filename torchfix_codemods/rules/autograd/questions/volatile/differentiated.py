"""What ``backward()`` is called on: proof that it had a graph, whatever was volatile of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.evaluation.applications import as_applied
from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Sequence, Tensor, Unknown, Value
from torchfix_codemods.rules.autograd.questions.outcomes.value_flow import ValueFlow


def differentiated(flow: ValueFlow | None) -> ast.expr | None:
    """``loss`` of the ``loss.backward()`` that a flow goes into."""
    return None if flow is None else next(_receivers(flow), None)


def made_for_backward(source: ast.stmt, flow: ValueFlow, facts: Facts) -> frozenset[ast.stmt]:
    """The statements of a flow that make what is differentiated wherever the value is made.

    ``loss = criterion(output, targets)`` with ``loss.backward()`` reads ``targets.data``: a loss
    that was volatile itself could not be differentiated. Where a test stands around the
    ``backward()`` alone, there may be no graph on the way past it.

    Args:
        source: the statement that makes the volatile value.
        flow: where the value goes.
        facts: the facts of the module.
    """
    tests = _tests_around(source, facts)
    ends = [loss for loss in _receivers(flow) if _tests_around(loss, facts) <= tests]
    pending = [name for loss in ends for name in _names(loss)]
    made = {facts.statement(loss) for loss in ends}
    while pending:
        name = pending.pop()
        for binding in () if _is_unwrapped(name, flow, facts) else facts.flow.reaching(name):
            node = binding.node
            if binding not in flow.bindings or node in made or node is source:
                continue
            if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
                made.add(node)
                pending += _names(node)
    return frozenset(made)


def goes_into_backward(flow: ValueFlow, facts: Facts) -> bool:
    """Whether ``backward()`` is called on what a value goes into, and nothing else comes of it.

    ``target`` of ``loss = criterion(output, target)`` with ``loss.backward()``: a volatile loss
    could not be differentiated, so the criterion reads ``target.data``, and the rest has a graph.
    What ``target = teacher(x)`` makes of a volatile ``x`` before has none.
    """
    ends = {statement for statement in flow.recording if called(statement, "backward")}
    kept = {binding.node for binding in flow.bindings}
    return bool(ends) and flow.recording - ends <= kept and may_unwrap(flow.recording, flow, facts)


def calculates_before(flow: ValueFlow, facts: Facts) -> frozenset[ast.stmt]:
    """The statements of a flow that come before a call which gets the value beside a graph."""
    unwrapping = [s for s in flow.recording if may_unwrap([s], flow, facts)]
    pending = [name for statement in unwrapping for name in _names(statement)]
    before = set[ast.stmt]()
    while pending:
        name = pending.pop()
        for binding in flow.bindings.intersection(facts.flow.reaching(name)):
            if isinstance(binding.node, ast.stmt) and binding.node not in before:
                before.add(binding.node)
                pending += _names(binding.node)
    return frozenset(before.difference(unwrapping))


def _is_unwrapped(name: ast.Name, flow: ValueFlow, facts: Facts) -> bool:
    """Whether a value of a flow is given to a call beside what has a graph."""
    call = facts.parent(name)
    is_given = isinstance(call, ast.Call) and name is not call.func
    return (
        is_given
        and isinstance(call, ast.Call)
        and not flow.bindings.isdisjoint(facts.flow.reaching(name))
        and _takes_a_graph_beside(call, flow, facts)
    )


def may_unwrap(statements: Iterable[ast.stmt], flow: ValueFlow, facts: Facts) -> bool:
    """Whether a call gets the value beside what has a graph: ``criterion(output, target)``."""
    return any(
        isinstance(node, ast.Call) and _takes_a_graph_beside(node, flow, facts)
        for statement in statements
        for node in ast.walk(statement)
    )


def _takes_a_graph_beside(call: ast.Call, flow: ValueFlow, facts: Facts) -> bool:
    """Whether a call takes a value of a flow behind something else that may have a graph.

    Criteria take the target second; what is given first, as to ``decoder(features, captions)``, is
    what they and modules calculate with.
    """
    # What runs a module is given that as well: it has no graph of what goes in.
    applied = as_applied(facts.names, call)
    given = values_given(applied)
    if applied.args and _is_of_flow(applied.args[0], flow, facts):
        return False
    others = [value for value in given if not _is_of_flow(value, flow, facts)]
    return len(others) < len(given) and any(may_have_graph(other, facts) for other in others)


def _is_of_flow(value: ast.expr, flow: ValueFlow, facts: Facts) -> bool:
    return any(
        isinstance(node, ast.Name) and not flow.bindings.isdisjoint(facts.flow.reaching(node))
        for node in ast.walk(value)
    )


def may_have_graph(value: ast.expr, facts: Facts) -> bool:
    """Whether a value, or one of a pair such as ``(boxes, scores)``, may have a graph."""
    return _has_one(facts.value(value))


def _has_one(known: Value) -> bool:
    if isinstance(known, Sequence):
        parts = known.items if known.items is not None else (known.element,)
        return any(_has_one(part) for part in parts)
    return isinstance(known, Unknown) or (isinstance(known, Tensor) and known.grad is not False)


def _receivers(flow: ValueFlow) -> Iterator[ast.expr]:
    for statement in flow.recording:
        call = called(statement, "backward")
        if call is not None and isinstance(call.func, ast.Attribute):
            yield call.func.value


def called(statement: ast.stmt, method: str) -> ast.Call | None:
    """The call of a method that is all of a statement: ``loss.backward()``."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    is_called = isinstance(function, ast.Attribute) and function.attr == method
    return call if is_called and isinstance(call, ast.Call) else None


def _tests_around(node: ast.AST, facts: Facts) -> set[ast.AST]:
    return {a for a in facts.names.ancestors(node) if isinstance(a, (ast.If, ast.IfExp))}


def _names(node: ast.AST) -> Iterator[ast.Name]:
    yield from (
        n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    )
