"""Runs of statements inside of others, where something beside them needs its graph."""

from __future__ import annotations

import ast
from collections.abc import Collection

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.training import is_harmless
from torchfix_codemods.rules.autograd.questions.volatile.spans import (
    Span,
    is_within,
    runs_of,
    smallest_span,
    suspends,
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
        return [run]
    inside = {one for one in calling if is_within(one, {*run.statements}, facts)}
    span = smallest_span(inside, facts)
    if span is None or suspends(span):
        return None
    parts = [span] if span.statements != run.statements else runs_of(span, inside, facts)
    if any(part.statements == run.statements for part in parts):
        return None
    found = [narrowed(part, calling, needs_no_graph, facts) for part in parts]
    return None if None in found else [one for part in found if part for one in part]
