"""Which statements of an evaluation go under ``no_grad``: those from the models to the numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import uses_of
from torchfix_codemods.facts.programs.modes import mode_of
from torchfix_codemods.facts.programs.training import is_harmless
from torchfix_codemods.rules.autograd.questions.outcomes.block_ends import needed
from torchfix_codemods.rules.autograd.questions.outcomes.histories import (
    History,
    history_of,
    inputs_of,
)
from torchfix_codemods.rules.autograd.questions.outcomes.kept_to_itself import keeps_to_itself
from torchfix_codemods.rules.autograd.questions.volatile.quiet import records_nothing
from torchfix_codemods.rules.autograd.questions.volatile.spans import (
    Span,
    hoisted,
    is_within,
    position_in,
    smallest_span,
    suspends,
)

#: Signs of a file that asks for gradients: then a model that is not seen may do so as well.
_SIGNS = (
    "autograd.grad",
    "create_graph",
    "requires_grad=True",
    "requires_grad = True",
    "requires_grad_(",
)


def spans_of_runs(runs: list[ast.Call], facts: Facts) -> list[tuple[ast.Call, Span]]:
    """The statements to put under ``no_grad``, each with the first run of a model in them."""
    if not runs:
        return []
    history = history_of(runs, facts)
    if history is None or not _is_certain(history, runs, facts):
        return []
    harmless = _harmless_parts(runs, history, facts)
    groups: dict[ast.AST | None, list[ast.Call]] = {}
    for run in runs:
        groups.setdefault(next(_loops_around(run, facts), None), []).append(run)
    found: list[tuple[ast.Call, Span]] = []
    for group in groups.values():
        spans = _spans_of_group(group, history, harmless, facts)
        if spans is None:
            return []
        found += zip(group, spans, strict=False)
    return [
        (run, span)
        for position, (run, span) in enumerate(found)
        if not any(_holds(other, span) for _, other in found[:position])
        and not any(_holds(o, span) and not _holds(span, o) for _, o in found[position:])
    ]


def _harmless_parts(runs: list[ast.Call], history: History, facts: Facts) -> set[ast.expr]:
    """What is computed from outputs, and on the way to the models from what the loops give."""
    scope = facts.names.scope_of(facts.statement(runs[0]))
    items = [
        binding
        for loop in {loop for run in runs for loop in _loops_around(run, facts)}
        for bindings in scope.bindings.values()
        for binding in bindings
        if binding.node is loop
    ]
    inputs = inputs_of(runs, items, facts)
    return set(history.expressions if inputs is None else history.expressions | inputs.expressions)


def _loops_around(run: ast.Call, facts: Facts) -> Iterator[ast.stmt]:
    for parent in facts.names.ancestors(run):
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return
        if isinstance(parent, (ast.For, ast.While)):
            yield parent


def _is_certain(history: History, runs: list[ast.Call], facts: Facts) -> bool:
    """Whether no code out of sight asks for gradients: models do so at times, to move atoms."""
    models = [
        keeps_to_itself(
            facts.value(
                run.func.value
                if isinstance(run.func, ast.Attribute) and run.func.attr == "forward"
                else run.func
            ),
            facts,
        )
        for run in runs
    ]
    if False in models:
        return False
    if None not in models and not history.asks_others:
        return True
    return history.classifies and not any(map(facts.speaks_of, _SIGNS))


def _spans_of_group(
    runs: list[ast.Call], history: History, harmless: set[ast.expr], facts: Facts
) -> list[Span] | None:
    """One span for the runs of a loop, or one for each; None where they cannot be held."""
    span = smallest_span({facts.statement(run) for run in runs}, facts)
    if span is not None:
        for held in (_to_last_use(span, history, facts), span):
            if _fits(held, harmless, facts):
                # Of what the models give nothing that is calculated later has a graph.
                calling = {s for s in history.statements if not _only_reads(s, history, facts)}
                calling.update(facts.statement(run) for run in runs)
                fewest = needed(held, calling, history.statements, facts)
                whole = _with_models_above(fewest, facts)
                return [hoisted(whole, calling, harmless, facts)]
    spans = [smallest_span({facts.statement(run)}, facts) for run in runs]
    fitting = [s for s in spans if s is not None and _fits(s, harmless, facts)]
    return fitting if len(fitting) == len(runs) else None


def _with_models_above(span: Span, facts: Facts) -> Span:
    """A span from the first of the lines right above that run a model for it alone.

    ``e = embedding(x)`` above ``y = net(e)``, where nothing else reads ``e``.
    """
    first = span.first
    while first and _runs_for(span.block[first - 1], span.block[first : span.last + 1], facts):
        first -= 1
    return Span(span.block, first, span.last)


def _runs_for(statement: ast.stmt, below: Sequence[ast.stmt], facts: Facts) -> bool:
    """Whether a line just runs a module, and other ones alone read what it gives."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return False
    made, target = statement.value, statement.targets[0]
    if not isinstance(target, ast.Name) or not keeps_to_itself(facts.value(made.func), facts):
        return False
    if len(statement.targets) > 1 or made.keywords or not is_harmless(made.args, (), facts):
        return False
    bound = [b for b in facts.names.scope_of(target).bindings[target.id] if b.node is statement]
    reads = [u for b in bound for u in uses_of(facts, b)]
    return bool(reads) and all(is_within(facts.statement(u), {*below}, facts) for u in reads)


def _only_reads(statement: ast.stmt, history: History, facts: Facts) -> bool:
    return records_nothing(statement, history.bindings, facts)


def _fits(span: Span, harmless: set[ast.expr], facts: Facts) -> bool:
    return is_harmless(span.statements, harmless, facts) and not suspends(span)


def _to_last_use(span: Span, history: History, facts: Facts) -> Span:
    """A span up to the last statement of its block that computes something from the outputs.

    The evaluation is over where a model is set to be trained again: outputs have no graph there.
    """
    positions = [position_in(span.block, s, facts) for s in history.statements]
    last = max([p for p in positions if p is not None], default=span.last)
    after = range(span.last + 1, last + 1)
    over = next((p for p in after if _sets_training(span.block[p], facts)), last + 1)
    return Span(span.block, span.first, max(over - 1, span.last))


def _sets_training(statement: ast.stmt, facts: Facts) -> bool:
    """``net.train()``, on a line of its own."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and mode_of(call, facts) == "train"


def _holds(outer: Span, inner: Span) -> bool:
    inside = {node for statement in outer.statements for node in walk(statement)}
    return inside.issuperset(inner.statements)
