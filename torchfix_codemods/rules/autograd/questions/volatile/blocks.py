"""Which statements go under ``no_grad`` in the place of a volatile flag."""

from __future__ import annotations

import ast
from collections.abc import Set

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.training import is_harmless, trains
from torchfix_codemods.facts.recording.fences import by_cell
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.rules.autograd.questions.outcomes.block_ends import (
    needed,
    needed_by_switch,
    with_what_models_keep,
)
from torchfix_codemods.rules.autograd.questions.outcomes.value_flow import ValueFlow, unrecorded
from torchfix_codemods.rules.autograd.questions.volatile.between import calculated_for
from torchfix_codemods.rules.autograd.questions.volatile.calls import (
    flagged_calls,
    volatile_calls,
)
from torchfix_codemods.rules.autograd.questions.volatile.differentiated import (
    calculates_before,
    goes_into_backward,
    made_for_backward,
    may_unwrap,
)
from torchfix_codemods.rules.autograd.questions.volatile.flows import (
    flow_of_call,
    gets_out,
    only_calculates,
    other_flows,
    steps_where_recorded,
)
from torchfix_codemods.rules.autograd.questions.volatile.kept_blocks import spans_of_kept
from torchfix_codemods.rules.autograd.questions.volatile.spans import (
    Span,
    binds,
    hoisted,
    is_within,
    narrowed,
    runs_of,
    smallest_span,
    suspends,
    trimmed,
)
from torchfix_codemods.rules.autograd.questions.volatile.switches import is_context_for
from torchfix_codemods.rules.autograd.questions.volatile.training_uses import may_train_otherwise
from torchfix_codemods.rules.autograd.questions.volatile.wraps import (
    only_makes_leaves,
    only_wraps,
)

#: In so many places inside of other code a block may stand in the place of one flag.
_MOST_NARROWED = 2


def spans_of_uses(call: ast.Call, flag: ast.expr | None, facts: Facts) -> list[Span] | None:
    """The statements to put under ``no_grad``, or None where some of them cannot go there.

    That is one span, with what stands between; or, where that must keep its graph, the runs of
    statements that the value flows through.

    Args:
        call: what makes the volatile value.
        flag: the condition that it is volatile by; None where it always is.
        facts: the facts of the module.
    """
    return facts.remembered(("TP102", call), lambda: _spans_of_uses(call, flag, facts))


def _spans_of_uses(call: ast.Call, flag: ast.expr | None, facts: Facts) -> list[Span] | None:
    statement = facts.statement(call)
    found = flow_of_call(call, facts)
    if found is None:
        if flag is not None or is_under_no_grad(call, facts):
            return None
        return spans_of_kept(call, facts, lambda made: spans_of_uses(made, None, facts))
    flow = {s for s in found.statements if not _is_switched(s, flag, facts)}
    recording = {s for s in found.recording if not _is_switched(s, flag, facts)}
    if not recording or (flag is None and _goes_into_backward_alone(found, facts)):
        return []
    if recording == {statement} and only_wraps(statement, facts):
        return None if found.statements == {statement} else []
    if all(only_makes_leaves(one, facts) for one in recording):
        return None if gets_out(found, facts) else []
    if flag is not None:
        span = smallest_span(recording, facts)
        if span is None or suspends(span) or binds(span, flag):
            return None
        alike = [flow_of_call(one, facts) for one in _flagged_alike(call, flag, facts)]
        flows = [found, *(flow for flow in alike if flow is not None)]
        if all(only_calculates(s, flows, facts) for s in recording):
            return None if gets_out(found, facts) else []
        made = unrecorded(flows, facts)
        off = steps_where_recorded(span.statements, flows, facts)
        if not is_harmless(span.statements, made, facts, off):
            return None
        return [needed_by_switch(span, call, flows, off, facts)]
    if may_train_otherwise(call, facts):
        return None
    others = other_flows(call, facts)
    flows = [found, *others]
    differentiated = [(one, made_for_backward(statement, one, facts)) for one in flows]
    if any(
        statements and not may_unwrap(statements, one, facts) for one, statements in differentiated
    ):
        return None
    proven = frozenset[ast.stmt]().union(*(statements for _, statements in differentiated))
    needs_no_graph = frozenset(
        one for one in unrecorded(flows, facts) if facts.statement(one) not in proven
    )
    beside = {s for other in others for s in other.recording}
    recording |= {s for s in beside if not is_under_no_grad(s, facts)}
    flow, recording = flow - proven, recording - proven
    if not recording:
        return []
    calling = {s for s in recording if not only_calculates(s, flows, facts)}
    if all(is_under_no_grad(s, facts) for s in calling):
        return None if not calling and gets_out(found, facts) else []
    cells = by_cell(flow, facts)
    if len(cells) > 1:
        # Where a cell only makes values, its flags just go; nor does one record anything that only
        # calculates with what others make under their blocks.
        cells = [c for c in cells if not all(only_wraps(s, facts) for s in c & calling)]
    parts = [
        _spans_of_part(cell, others, recording, calling, needs_no_graph, facts) for cell in cells
    ]
    return None if None in parts else [span for part in parts if part for span in part]


def _goes_into_backward_alone(flow: ValueFlow, facts: Facts) -> bool:
    """Whether nothing is calculated of a value but what ``backward()`` is called on."""
    before = flow.recording.intersection(calculates_before(flow, facts))
    is_quiet = all(only_calculates(one, [flow], facts) for one in before)
    return goes_into_backward(flow, facts) and is_quiet


def _spans_of_part(
    flow: set[ast.stmt],
    others: list[ValueFlow],
    recording: set[ast.stmt],
    calling: set[ast.stmt],
    needs_no_graph: frozenset[ast.expr],
    facts: Facts,
) -> list[Span] | None:
    """The statements to put under ``no_grad`` in a cell of a notebook; in a file, all of them.

    Of several runs those go without a block in which nothing is ``calling`` what has a graph.
    """
    span = smallest_span(flow, facts)
    if span is None or suspends(span):
        return None
    near = [cell for other in others for cell in by_cell(other.statements, facts)]
    wider = _widened(span, flow, near, facts)
    later = trimmed(span, calling, facts)
    begun = None if later is None else Span(span.block, later.first, span.last)
    is_trained_with = trains(flow, facts)
    is_alone = wider is None or any(trains(other.statements, facts) for other in others)
    together = None if wider is None or is_alone else trimmed(wider, calling, facts)
    if is_trained_with:
        together = later = None
    unneeded = calculated_for(span.block[0], needs_no_graph, facts)
    for whole in (wider, together, span, begun, later):
        if whole is None or suspends(whole):
            continue
        shorter = trimmed(whole, recording, facts) or whole
        if is_harmless(shorter.statements, unneeded, facts):
            if not is_trained_with:
                shorter = needed(shorter, calling, recording, facts)
            whole = with_what_models_keep(shorter, calling, unneeded, facts)
            return None if whole is None else [hoisted(whole, recording, unneeded, facts)]
    runs = [trimmed(run, recording, facts) for run in runs_of(span, flow, facts)]
    kept = [
        run
        for run in runs
        if run is not None and any(is_within(s, {*run.statements}, facts) for s in calling)
    ]
    if len(runs) > 1 and all(is_harmless(r.statements, needs_no_graph, facts) for r in kept):
        return [needed(run, calling, recording, facts) for run in kept]
    parts = [narrowed(run, calling, needs_no_graph, facts) for run in kept]
    found = [one for part in parts if part for one in part]
    return None if is_trained_with or None in parts or len(found) > _MOST_NARROWED else found


def _widened(
    span: Span, flow: set[ast.stmt], others: list[set[ast.stmt]], facts: Facts
) -> Span | None:
    """The span of a flow and of the flows that overlap it, or follow at once; None where none
    does."""
    widest: Span | None = None
    for other in others:
        statements = set((widest or span).statements)
        inside = {s for s in other if is_within(s, statements, facts)}
        if inside != other and (inside or _adjoins(widest or span, other, facts)):
            flow = flow | other
            joined = smallest_span(flow, facts)
            if joined is not None and joined.block is span.block:
                widest = joined
    return widest


def _adjoins(span: Span, flow: Set[ast.stmt], facts: Facts) -> bool:
    """Whether the statements of a flow stand right above or below a span."""
    near = smallest_span(flow, facts)
    if near is None or near.block is not span.block:
        return False
    return near.first == span.last + 1 or near.last == span.first - 1


def _is_switched(statement: ast.stmt, flag: ast.expr | None, facts: Facts) -> bool:
    """Whether a statement is under ``no_grad``, or under the block that a flag asks for."""
    if is_under_no_grad(statement, facts):
        return True
    return flag is not None and any(
        isinstance(block, ast.With)
        and any(is_context_for(item.context_expr, flag, facts) for item in block.items)
        for block in (statement, *facts.names.ancestors(statement))
    )


def is_inside_another(
    call: ast.Call, flag: ast.expr | None, spans: list[Span], facts: Facts
) -> bool:
    """Whether the block of another flag of the same value will hold this one's."""
    own = [statement for span in spans for statement in span.statements]
    for other in volatile_calls(facts) if flag is None else _flagged_alike(call, flag, facts):
        if other is call:
            continue
        is_first = flag is not None and other.lineno < call.lineno
        for span in spans_of_uses(other, flag, facts) or ():
            inside = set(span.statements)
            outside = [s for s in own if not is_within(s, inside, facts)]
            if not outside and (own != span.statements or is_first):
                return True
    return False


def _flagged_alike(call: ast.Call, flag: ast.expr, facts: Facts) -> list[ast.Call]:
    """What the same function makes volatile by the same flag: ``not self.training``."""
    function, text = facts.names.enclosing_function(call), ast.unparse(flag)
    return [
        other
        for other, its in flagged_calls(facts)
        if facts.names.enclosing_function(other) is function and ast.unparse(its) == text
    ]
