"""What becomes of a volatile value: whether anything uses it, records with it, or keeps it."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import LOOPS
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.rules.autograd.questions.volatile.calls import helper_called, volatile_calls
from torchfix_codemods.rules.autograd.questions.volatile.flows import flow_of_call, gets_out
from torchfix_codemods.rules.autograd.questions.volatile.given import VARIABLE
from torchfix_codemods.rules.autograd.questions.volatile.wraps import only_wraps


def volatile_before(mark: ast.Assign, marked: ast.Name, facts: Facts) -> list[ast.Call]:
    """What makes volatile values in a function that ``x.volatile = False`` may let through.

    So does what gets out of sight, where it may come back as ``x``.
    """
    function = facts.names.enclosing_function(mark)
    reaching = facts.flow.reaching(marked)
    calls = (c for c in volatile_calls(facts) if facts.names.enclosing_function(c) is function)
    made = [call for call in calls if not is_under_no_grad(call, facts)]
    flows = [(call, flow_of_call(call, facts)) for call in made]
    return [c for c, flow in flows if flow is None or not flow.bindings.isdisjoint(reaching)]


def goes_nowhere(call: ast.Call, facts: Facts) -> bool:
    """Whether nothing keeps what ``x = Variable(x, volatile=True)`` makes, nor uses it."""
    if _is_cut_at_once(call, facts):
        return True
    statement = facts.statement(call)
    if not isinstance(statement, ast.Assign) or runs_later(call, facts):
        return False
    flow = flow_of_call(call, facts)
    made = [call], [moved(call, facts)]
    if flow is None or flow.statements != {statement} or [*flow.expressions] not in made:
        return False
    if _is_calculated_there(call, facts) or gets_out(flow, facts):
        return False
    scope = facts.names.scope_of(statement)
    return not any(
        _is_detached(use, facts)
        for binding in flow.bindings
        for use in facts.names.uses_of(scope, binding.name)
        if binding in facts.flow.reaching(use)
    )


def _is_calculated_there(call: ast.Call, facts: Facts) -> bool:
    """Whether a call is of a helper that calculates with what it makes, so that it records a graph
    itself."""
    found = helper_called(call, facts)
    if found is None:
        return False
    helper, there = found
    flows = (flow_of_call(made, there) for made in helper.variables())
    return any(
        not only_wraps(statement, there)
        for flow in flows
        if flow is not None
        for statement in flow.recording
    )


def _is_detached(use: ast.Name, facts: Facts) -> bool:
    """Whether ``x.detach()`` is read, which was volatile as well as ``x``."""
    above = facts.parent(use)
    return isinstance(above, ast.Attribute) and above.attr == "detach"


def is_read_without_graph(call: ast.Call, facts: Facts) -> bool:
    """Whether ``self.x = Variable(x, volatile=True)`` is read under ``no_grad`` alone."""
    target = target_of(call, facts) if facts.name(call.func) == VARIABLE else None
    if not isinstance(target, ast.Attribute) or facts.is_used_elsewhere(target.attr):
        return False
    reads = [
        read
        for read in facts.names.attributes(target.attr)
        if isinstance(read.ctx, ast.Load) and _may_follow(read, call, facts)
    ]
    return bool(reads) and all(is_under_no_grad(read, facts) for read in reads)


def _is_cut_at_once(call: ast.Call, facts: Facts) -> bool:
    """Whether only ``.data`` is taken of what is made: ``F.pad(Variable(x, volatile=True)).data``.

    Nothing keeps a graph of it then, and of functions without weights there is none.
    """
    node: ast.expr = call
    while True:
        around = facts.parent(node)
        around = facts.parent(around) if isinstance(around, ast.keyword) else around
        if isinstance(around, ast.Attribute):
            name, called = around.attr, facts.parent(around)
            if name == "data":
                return isinstance(around.ctx, ast.Load)
            if not isinstance(called, ast.Call) or called.func is not around:
                return False
            if name == "detach":
                return True
        else:
            called = around
            is_given = isinstance(called, ast.Call) and called.func is not node
            name = (facts.name(called.func) or "") if is_given else ""  # type: ignore[union-attr]
        if not isinstance(called, ast.Call) or not _only_calculates(name):
            return False
        node = called


def _only_calculates(name: str) -> bool:
    return torch_effects.is_recorded(name) and not torch_effects.writes(name)


def _may_follow(read: ast.expr, call: ast.Call, facts: Facts) -> bool:
    """Whether an expression may run after the statement of a call."""
    function = facts.names.enclosing_function(call)
    if facts.names.enclosing_function(read) is not function:
        return True
    above = list(facts.names.ancestors(call))
    if any(isinstance(node, LOOPS) for node in above):
        return True
    if read.lineno <= call.lineno or facts.statement(read) is facts.statement(call):
        return False
    choices = [node for node in above if isinstance(node, ast.If)]
    others = {s for choice in choices for s in choice.orelse if s not in above}
    return others.isdisjoint(facts.names.ancestors(read))


def target_of(call: ast.expr, facts: Facts) -> ast.expr | None:
    """``x`` of ``x = Variable(...)`` and of ``x, y = Variable(...), Variable(...)``."""
    statement = facts.statement(call)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = list(zip(target.elts, value.elts, strict=False))
        return next((t for t, v in pairs if v is call), None)
    return target if value is call else None


def moved(value: ast.Call, facts: Facts) -> ast.Call:
    """``Variable(x).cuda()`` of ``Variable(x)``."""
    while True:
        method = facts.parent(value)
        call = facts.parent(method) if isinstance(method, ast.Attribute) else None
        if not isinstance(call, ast.Call) or call.func is not method:
            return value
        value = call


def runs_later(call: ast.Call, facts: Facts) -> bool:
    """Whether a call stands in a lambda that is kept for later: ``transforms.Lambda(lambda x: …)``.

    Python's own functions run what they are given, as ``map`` does.
    """
    for node in facts.names.ancestors(call):
        if isinstance(node, ast.stmt):
            return False
        if isinstance(node, ast.Lambda):
            taker = facts.parent(node)
            is_called = isinstance(taker, ast.Call) and taker.func is node
            is_run = isinstance(taker, ast.Call) and facts.names.builtin(taker.func) is not None
            return not (is_called or is_run)
    return False


def records_after(call: ast.Call, facts: Facts) -> bool | None:
    """Whether what calculates with a volatile value records a graph; None out of sight."""
    flow = flow_of_call(call, facts)
    if flow is None or runs_later(call, facts):
        return None
    using = [s for s in flow.recording if not only_wraps(s, facts)]
    return any(not is_under_no_grad(s, facts) for s in using) if using else None
