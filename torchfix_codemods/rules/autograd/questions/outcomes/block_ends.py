"""Where a block of ``no_grad`` begins and ends: at the first and last line that needs it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from torchfix_codemods.facts.language.nodes import same_expression, same_target
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.cut_off import reads_detached
from torchfix_codemods.facts.programs.modes import MODULE_METHODS, mode_calls
from torchfix_codemods.facts.programs.training import is_harmless, trains
from torchfix_codemods.facts.values.lattice import WITHOUT_HISTORY, Tensor, Unknown
from torchfix_codemods.rules.autograd.questions.outcomes.value_flow import ValueFlow
from torchfix_codemods.rules.autograd.questions.volatile.flows import only_calculates
from torchfix_codemods.rules.autograd.questions.volatile.spans import Span, is_within, trimmed
from torchfix_codemods.rules.autograd.questions.volatile.wraps import only_wraps

#: What a block may stand inside of, where that needs none itself.
_AROUND = (ast.For, ast.If, ast.While, ast.With)


def needed(
    span: Span, calling: Collection[ast.stmt], recording: Collection[ast.stmt], facts: Facts
) -> Span:
    """The fewest lines of a span that need ``no_grad``: those that run what has a graph itself.

    What only prepares for them, or reads what came out, records nothing outside either. Where all
    of them stand inside of one loop or branch, so does the block.

    Args:
        span: neighbouring statements.
        calling: what in them runs what has a graph itself, as a model.
        recording: what in them may record a graph, also of what the model gives.
        facts: the facts of the module.
    """
    while (core := trimmed(span, calling, facts)) is not None:
        span = core
        only = span.block[span.first]
        if span.first != span.last or not isinstance(only, _AROUND) or only in calling:
            break
        suites = [only.body, *([] if isinstance(only, ast.With) else [only.orelse])]
        held = [suite for suite in suites if _holds(suite, calling, facts)]
        if len(held) != 1:
            break
        span = Span(held[0], 0, len(held[0]) - 1)
    first = span.first - int(_is_commented(span, recording, facts))
    return Span(span.block, first, _last_of_value(span, recording, facts))


def with_what_models_keep(
    span: Span,
    calling: Collection[ast.stmt],
    needs_no_graph: Collection[ast.expr],
    facts: Facts,
) -> Span | None:
    """A span to the last line that asks a model which is given a value to keep in it.

    ``net.observe(x)``, and ``y = net.predict()`` below, which calculates with ``x``.

    Args:
        span: neighbouring statements.
        calling: what in them runs with the value what has a graph itself.
        needs_no_graph: expressions whose results need none.
        facts: the facts of the module.

    Returns:
        that span; None where what stands in it may need a graph, or what is below trains.
    """
    given = [
        s.value for s in calling if isinstance(s, ast.Expr) and is_within(s, {*span.block}, facts)
    ]
    models = [m for call in given if (m := _asked_model(call, facts))]
    if not models:
        return span
    asking: set[ast.expr] = set()
    last = span.last
    for position, statement in enumerate(span.block[span.first :], span.first):
        for call in facts.names.inside(statement, ast.Call):
            model = _asked_model(call, facts)
            if model is not None and any(_is_one(model, other, facts) for other in models):
                asking.add(call)
                last = max(last, position)
    if last == span.last:
        return span
    whole = Span(span.block, span.first, last)
    is_fit = is_harmless(whole.statements, asking | {*needs_no_graph}, facts)
    return whole if is_fit and not trains(span.block[last + 1 :], facts) else None


def _asked_model(call: ast.expr, facts: Facts) -> ast.expr | None:
    """``net`` of ``net.observe(x)``, where the function sets its mode: no ``net.cuda()``."""
    method = call.func if isinstance(call, ast.Call) else None
    if not isinstance(method, ast.Attribute) or method.attr in MODULE_METHODS:
        return None
    function, model = facts.names.enclosing_function(call), method.value
    is_model = isinstance(model, (ast.Name, ast.Attribute)) and any(
        isinstance(mode.func, ast.Attribute)
        and same_expression(mode.func.value, model)
        and facts.names.enclosing_function(mode) is function
        for mode, _ in mode_calls(facts)
    )
    return model if is_model else None


def _is_one(model: ast.expr, other: ast.expr, facts: Facts) -> bool:
    """Whether two places of a function speak of one model."""
    if isinstance(model, ast.Name) and isinstance(other, ast.Name):
        return facts.flow.reaching(model) == facts.flow.reaching(other)
    return same_expression(model, other)


def needed_by_switch(
    span: Span,
    call: ast.Call,
    flows: Collection[ValueFlow],
    off: Collection[ast.Call],
    facts: Facts,
) -> Span:
    """The same of a block that records where a flag says so: what trains runs only there.

    Args:
        span: neighbouring statements.
        call: what makes the value that is volatile by the flag: a helper that is given the flag is
            called in the block, and has no need of it then.
        flows: where the values with this flag go.
        off: calls of ``backward``, ``step`` and the like, which do not run where it is set.
        facts: the facts of the module.
    """
    stepping = {facts.statement(each) for each in off}
    recording = {s for flow in flows for s in flow.recording} - stepping
    calling = {s for s in recording if not only_calculates(s, flows, facts)}
    calling |= set() if facts.name(call.func) == VARIABLE else {facts.statement(call)}
    return needed(span, calling, recording, facts)


def _is_commented(span: Span, recording: Collection[ast.stmt], facts: Facts) -> bool:
    """Whether the line above only makes a value, below a comment on the graph that it has none of:
    the comment is about what follows, and stands above the block then."""
    above = span.block[span.first - 1] if span.first else None
    if above is None or above not in recording or above.lineno < 2:
        return False
    comment = facts.lines[above.lineno - 2].lstrip()
    speaks = "volatile" in comment or "requires_grad" in comment
    return comment.startswith("#") and speaks and only_wraps(above, facts)


def _holds(suite: Sequence[ast.stmt], calling: Collection[ast.stmt], facts: Facts) -> bool:
    inside = {*suite}
    return any(is_within(statement, inside, facts) for statement in calling)


def _last_of_value(span: Span, recording: Collection[ast.stmt], facts: Facts) -> int:
    """Where the calculation ends that goes on right below a span: ``p = F.softmax(scores, 1)``."""
    last = span.last
    for position in range(span.last + 1, len(span.block)):
        below = span.block[position]
        if not _calculates(below, recording):
            break
        last = position if _goes_on(below, facts) else last
    return last


def _calculates(statement: ast.stmt, recording: Collection[ast.stmt]) -> bool:
    """Whether a line calculates with what came out, or all below an ``if`` do."""
    if isinstance(statement, ast.If):
        return all(_calculates(one, recording) for one in (*statement.body, *statement.orelse))
    return isinstance(statement, (ast.Assign, ast.AugAssign)) and statement in recording


def _goes_on(statement: ast.stmt, facts: Facts) -> bool:
    """Whether a line calculates one value, and does not choose by it: numbers are read of it."""
    if isinstance(statement, ast.If):
        inside = [*statement.body, *statement.orelse]
        return any(_goes_on(one, facts) and not _only_moves(one) for one in inside)
    if not isinstance(statement, (ast.Assign, ast.AugAssign)):
        return False
    if isinstance(statement, ast.Assign) and _takes_part(statement.value):
        return False
    target = statement.target if isinstance(statement, ast.AugAssign) else statement.targets[0]
    if not isinstance(target, ast.Name):
        return isinstance(target, ast.Subscript)
    value = facts.value(statement.value)
    if isinstance(value, Tensor):
        return value.dtype not in WITHOUT_HISTORY
    made = statement.value
    method = getattr(getattr(made, "func", None), "attr", "")
    is_read = reads_detached(made) or torch_effects.leaves_torch(method)
    is_plain = isinstance(made, (ast.BinOp, ast.Call, ast.Subscript))
    return isinstance(value, Unknown) and is_plain and not is_read


def _only_moves(statement: ast.stmt) -> bool:
    """``y = y.cpu()``, which has no graph where ``y`` has none."""
    moved = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(statement, ast.Assign) or not isinstance(moved, ast.Call):
        return False
    method = moved.func
    if not isinstance(method, ast.Attribute) or not torch_effects.does(method.attr, "moves"):
        return False
    return same_target(statement.targets[0], method.value)


def _takes_part(value: ast.expr) -> bool:
    """``action[0]``, ``found["length"][0]``: a part of what was calculated."""
    part = value
    while isinstance(part, ast.Subscript):
        part = part.value
    return part is not value and isinstance(part, ast.Name)
