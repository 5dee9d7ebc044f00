"""Runs of neighbouring statements, to put under ``no_grad``."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence, Set

from torchfix_codemods.facts.language.nodes import LOOPS, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.batches import is_of_batch
from torchfix_codemods.facts.programs.modes import mode_calls
from torchfix_codemods.facts.programs.training import is_harmless
from torchfix_codemods.facts.recording.fences import is_fence, is_stand_in
from torchfix_codemods.record import record

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


#: A loop goes under ``no_grad`` where at least one in so many of its lines has to.
_SHARE = 3

#: A loop of more lines is not indented for a few of them; of more, where a model is evaluated.
_MOST_INDENTED, _MOST_EVALUATING = 6, 15


@record
class Span:
    """Neighbouring statements of one block."""

    block: Sequence[ast.stmt]
    first: int
    last: int

    @property
    def statements(self) -> list[ast.stmt]:
        return list(self.block[self.first : self.last + 1])


def smallest_span(statements: Collection[ast.stmt], facts: Facts) -> Span | None:
    """The shortest run of neighbouring statements, in one block, that holds all of them."""
    some = next(iter(statements))
    holder: ast.stmt = some
    while True:
        block = facts.block(holder)
        positions = []
        for statement in statements:
            position = position_in(block, statement, facts)
            if position is None:
                break
            positions.append(position)
        else:
            return Span(block, min(positions), max(positions))
        parent = facts.parent(holder)
        while parent is not None and not isinstance(parent, ast.stmt):
            parent = facts.parent(parent)
        if parent is None or isinstance(parent, (*_FUNCTIONS, ast.ClassDef)):
            return None
        holder = parent


def position_in(block: Sequence[ast.stmt], statement: ast.stmt, facts: Facts) -> int | None:
    """Where in a block the statement stands that is, or holds, another one."""
    node: ast.AST | None = statement
    while node is not None:
        if isinstance(node, ast.stmt) and node in block:
            return block.index(node)
        node = facts.parent(node)
    return None


def is_within(node: ast.stmt, statements: Set[ast.AST], facts: Facts) -> bool:
    """Whether a statement is one of those given, or stands in one."""
    return any(part in statements for part in (node, *facts.names.ancestors(node)))


def stand_together(one: ast.AST, other: ast.AST, facts: Facts) -> bool:
    """Whether two nodes stand in lines of one block, or of one inside of the other's.

    So do not the branches of one ``if``, nor what two functions do; a function stands in its lines.
    """
    owners = [facts.parent(facts.statement(node)) for node in (one, other)]
    around = [{*facts.names.ancestors(facts.statement(node))} for node in (other, one)]
    function = facts.names.enclosing_function
    if any(isinstance(owner, (ast.Module, ast.ClassDef)) for owner in owners):
        return function(one) is None and function(other) is None
    return any(owner in inside for owner, inside in zip(owners, around, strict=True))


def runs_of(span: Span, flow: Collection[ast.stmt], facts: Facts) -> list[Span]:
    """The runs of neighbouring statements of a span that hold statements of the flow."""
    positions = sorted({p for s in flow if (p := position_in(span.block, s, facts)) is not None})
    runs: list[Span] = []
    for position in positions:
        if runs and runs[-1].last == position - 1:
            runs[-1] = Span(span.block, runs[-1].first, position)
        else:
            runs.append(Span(span.block, position, position))
    return runs


def trimmed(span: Span, recording: Collection[ast.stmt], facts: Facts) -> Span | None:
    """A span without what stands in it before and after all that may record a graph."""
    held = {position_in(span.statements, statement, facts) for statement in recording}
    positions = [position for position in held if position is not None]
    if not positions:
        return None
    return Span(span.block, span.first + min(positions), span.first + max(positions))


def hoisted(
    span: Span,
    recording: Collection[ast.stmt],
    needs_no_graph: Collection[ast.expr],
    facts: Facts,
) -> Span:
    """The loop around a span instead of the span, as long as the whole loop only infers.

    So the choice around it, where the other branch has to go under ``no_grad`` as well. A loop that
    yields is left outside: what takes its results would run without gradients, too.

    This is for looks, so any doubt about the other statements of the loop keeps the span. So does a
    long loop that infers in a few of its lines: all of it would be indented.
    """
    fewest = lines(span.statements)
    while True:
        owner = facts.parent(span.block[0])
        if isinstance(owner, ast.If):
            if not all(_records(branch, recording, facts) for branch in (owner.body, owner.orelse)):
                return span
        elif not isinstance(owner, LOOPS) or span.block is not owner.body:
            return span
        elif _is_small(fewest, owner, facts):
            return span
        # What clears gradients does the same under ``no_grad``.
        cleared = facts.names.method_calls("zero_grad") if _evaluates(owner, facts) else ()
        if not is_harmless([owner], needs_no_graph, facts, cleared):
            return span
        if _is_over_batches(span, facts) and len(owner.body) > 1:
            # The loop over the batches is the evaluation: what stands around it makes the loader.
            return span
        block = facts.block(owner)
        position = block.index(owner)
        whole = Span(block, position, position)
        if suspends(whole):
            return span
        span = whole


def _is_small(fewest: int, loop: ast.For | ast.AsyncFor | ast.While, facts: Facts) -> bool:
    """Whether so few lines of a loop need a block that it goes around them alone."""
    count = (loop.body[-1].end_lineno or 0) - loop.body[0].lineno + 1
    if fewest * _SHARE >= lines(loop.body) or count <= _MOST_INDENTED:
        return False
    if not _evaluates(loop, facts):
        return True
    return count > _MOST_EVALUATING and not _is_all(loop, facts)


def _is_all(loop: ast.stmt, facts: Facts) -> bool:
    """Whether the function around a loop does nothing else, and can be decorated instead."""
    function = facts.names.enclosing_function(loop)
    body = () if function is None else function.body
    return loop in body and is_harmless([one for one in body if one is not loop], (), facts)


def _is_over_batches(span: Span, facts: Facts) -> bool:
    """Whether statements are one loop through the batches of a loader."""
    loop = span.block[span.first]
    return span.first == span.last and isinstance(loop, ast.For) and is_of_batch(facts, loop.iter)


def _records(branch: Sequence[ast.stmt], recording: Collection[ast.stmt], facts: Facts) -> bool:
    return any(position_in(branch, statement, facts) is not None for statement in recording)


def _evaluates(node: ast.stmt, facts: Facts) -> bool:
    """Whether the function, or the module, around a statement puts a model to ``eval()``."""
    scope = facts.names.scope_of(node)
    return any(
        mode == "eval" and facts.names.scope_of(call) is scope for call, mode in mode_calls(facts)
    )


def lines(statements: Sequence[ast.stmt]) -> int:
    """How many lines statements take, without those in between, as of code that was taken out."""
    return sum((one.end_lineno or one.lineno) - one.lineno + 1 for one in statements)


def suspends(span: Span) -> bool:
    """Whether statements let other code run in between, for which ``no_grad`` would be on too.

    So do those of two cells of a notebook, and of one that stays as it is.
    """
    return any(is_fence(s) or is_stand_in(s) for s in span.statements) or any(
        isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith))
        for statement in span.statements
        for node in walk(statement)
    )


def binds(span: Span, condition: ast.expr) -> bool:
    """Whether names of a condition get their values inside the statements of a span."""
    names = {node.id for node in walk(condition) if isinstance(node, ast.Name)}
    return any(
        isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names
        for statement in span.statements
        for node in walk(statement)
    )


def narrowed(
    run: Span, calling: Collection[ast.stmt], needs_no_graph: Collection[ast.expr], facts: Facts
) -> list[Span] | None:
    """A run that can go under ``no_grad``, or those inside of it that can.

    Of a loop that goes on to calculate with other things it is the lines that run the model.

    Args:
        run: neighbouring statements.
        calling: what in them must not record a graph, in this run or in others.
        needs_no_graph: what in them needs none.
        facts: the facts of the module.

    Returns:
        the runs; None where one of these statements needs a graph beside.
    """
    if is_harmless(run.statements, needs_no_graph, facts):
        return [_behind_test(run, calling, facts)]
    inside = {one for one in calling if is_within(one, {*run.statements}, facts)}
    span = smallest_span(inside, facts)
    if span is None or suspends(span):
        return None
    parts = [span] if span.statements != run.statements else runs_of(span, inside, facts)
    if any(part.statements == run.statements for part in parts):
        return None
    found = [narrowed(part, calling, needs_no_graph, facts) for part in parts]
    return None if None in found else [one for part in found if part for one in part]


def _behind_test(run: Span, calling: Collection[ast.stmt], facts: Facts) -> Span:
    """The lines below ``if test:`` that run the model, where that is all of a run."""
    choice = run.block[run.first]
    if run.first != run.last or not isinstance(choice, ast.If) or choice.orelse:
        return run
    inside = {one for one in calling if is_within(one, {choice}, facts)}
    whole = Span(choice.body, 0, len(choice.body) - 1)
    shorter = None if choice in inside else trimmed(whole, inside, facts)
    return run if shorter is None else _behind_test(shorter, calling, facts)
