"""Where a block of ``no_grad`` begins and ends: behind what needs none, before what needs none."""

from __future__ import annotations

import ast
from collections.abc import Collection

from torchfix_codemods.facts.language.nodes import LOOPS
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Number
from torchfix_codemods.rules.autograd.questions.volatile.quiet import only_wraps
from torchfix_codemods.rules.autograd.questions.volatile.spans import (
    SHARE,
    Span,
    is_within,
    lines,
    trimmed,
)

#: So many lines at the begin that have nothing to do with a block need no other indentation.
_FEWEST_IDLE = 2


def begun_where_needed(span: Span, recording: Collection[ast.stmt], facts: Facts) -> Span:
    """A span without values that have no graph at its begin, where something else stands below.

    So a loop stands alone, above which values are made, and so does what comes below lines that
    have to do with nothing in the block.

    Args:
        span: neighbouring statements.
        recording: what in them may record a graph.
        facts: the facts of the module.
    """
    needing = trimmed(span, [one for one in recording if not only_wraps(one, facts)], facts)
    if needing is None:
        return span
    above = Span(span.block, span.first, needing.first - 1).statements
    is_alone = needing.first == span.last and isinstance(span.block[span.last], LOOPS)
    idle = sum(lines([one]) for one in above if not only_wraps(one, facts))
    if idle < _FEWEST_IDLE and (idle or not is_alone):
        return span
    return Span(span.block, needing.first, span.last)


def begun_behind_numbers(span: Span, facts: Facts) -> Span:
    """A span without what it begins with up to a plain number: ``start = time.time()``.

    Above that number stand lines that only make values, which have no graph. A clock stands outside
    of what it measures, and its line needs no other indentation.
    """
    first = span.first
    for position in range(span.first, span.last):
        statement = span.block[position]
        if _is_plain_number(statement, facts):
            first = position + 1
        elif not only_wraps(statement, facts):
            break
    return Span(span.block, first, span.last)


def _is_plain_number(statement: ast.stmt, facts: Facts) -> bool:
    is_own = isinstance(statement, ast.Assign) and all(
        isinstance(target, ast.Name) for target in statement.targets
    )
    return (
        is_own
        and isinstance(statement, ast.Assign)
        and isinstance(facts.value(statement.value), Number)
    )


def ended(
    span: Span, recording: Collection[ast.stmt], calling: Collection[ast.stmt], facts: Facts
) -> Span:
    """A span without a long end in which results are shown, and hardly a line calculates with them.

    What calculates with results alone records nothing outside of the block either.

    Args:
        span: neighbouring statements.
        recording: what in them may record a graph.
        calling: what of that calls what has a graph itself, as a model.
        facts: the facts of the module.
    """
    called = trimmed(span, calling, facts)
    if called is None or called.last == span.last:
        return span
    rest = Span(span.block, called.last + 1, span.last)
    inside = [
        s for s in recording if is_within(s, {*rest.statements}, facts) and not _scales(s, facts)
    ]
    is_long = sum(lines([s]) for s in inside) * SHARE < lines(rest.statements)
    if not is_long:
        return span
    return Span(span.block, span.first, called.last)


def _scales(statement: ast.stmt, facts: Facts) -> bool:
    """``accuracy = 100 * correct / len(rows)``, ``total /= n``: a result with numbers, no more."""
    if not isinstance(statement, (ast.Assign, ast.AugAssign)):
        return False
    node: ast.expr = statement.value
    while isinstance(node, ast.BinOp):
        is_number = isinstance(facts.value(node.right), Number)
        if not is_number and not isinstance(facts.value(node.left), Number):
            return False
        node = node.left if is_number else node.right
    is_alone = isinstance(node, ast.Name) and isinstance(statement, ast.Assign)
    return is_alone or isinstance(facts.value(node), Number)
