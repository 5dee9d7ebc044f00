"""New lines of code beside a statement, and how long a line may become."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence
from typing import Any

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.patterns import lazy_pattern

#: So long may a line become.
WIDTH = 99

_ASSIGNED = lazy_pattern(r"( *[\w.]+)( +)= ")


#: Comments that say what a part of a program is for, as a line that sets the mode does.
_OF_MODES = lazy_pattern(r"(?i)train|eval|test|valid|infer|predict|\bmode")
#: The same of training only: ``# Train the models``, but not ``# test the trained model``.
_OF_TRAINING = lazy_pattern(
    r"(?is)(?!.*(?:eval|test|valid|infer|predict|\bmode\b)).*\btrain(?:ing)?\b"
)


def with_line_before(statement: cst.BaseStatement, line: str) -> cst.FlattenSentinel[Any]:
    """``statement`` with one more line above it, and above the comments in its region."""
    return cst.FlattenSentinel([cst.parse_statement(line), statement])


def aligned_below(line: str, above: int, facts: Facts) -> str:
    """A new line ``x = y`` that joins the column in which the lines around it have their ``=``.

    Args:
        line: the new line, with its indentation.
        above: the number of lines above it.
        facts: the facts of the module.

    Returns:
        the line, as it is where the one above stands in no such column with another beside it.
    """
    own, first = _ASSIGNED.match(line), max(above - 2, 0)
    around = [_ASSIGNED.match(each) for each in facts.lines[first : above + 1]]
    upper = around[above - first - 1] if above else None
    if own is None or upper is None:
        return line
    column = [each for each in around if each is not None and each.end() == upper.end()]
    is_aligned = len(column) > 1 and any(len(each[2]) > 1 for each in column)
    more = upper.end() - own.end()
    return own[1] + " " * more + line[own.end(1) :] if is_aligned and more > 0 else line


def count_own_comments(statement: ast.stmt, facts: Facts, line: str) -> int:
    """How many lines of comments right above a statement are about that one, and stay with it.

    What is said above a loop or a block, above the run of a model that more lines go on with, or of
    the mode of a model, heads all that follows: there a line that sets the mode goes below it,
    unless that is of training and the line ends it.

    Args:
        statement: what the line goes before.
        facts: the facts of the module.
        line: the new line, ``model.eval()``.
    """
    block, first = facts.block(statement), statement.lineno
    at = block.index(statement)
    end = (block[at - 1].end_lineno or 0) if at else 0
    above = reversed(facts.lines[end : first - 1])
    comments = [*itertools.takewhile(lambda each: each.lstrip().startswith("#"), above)]
    if not all(len(c) - len(c.lstrip()) == statement.col_offset for c in comments):
        return 0
    if line.endswith(".eval()") and _OF_TRAINING.match("".join(comments)) is not None:
        return len(comments)
    is_heading = any(_OF_MODES.search(comment) for comment in comments)
    is_heading = is_heading or hasattr(statement, "body") or _begins_run(block[at:], line)
    return 0 if is_heading else len(comments)


def _begins_run(statements: Sequence[ast.stmt], line: str) -> bool:
    """Whether the first of some statements runs the model that a line puts into evaluation mode,
    and the next one stands right below."""
    first, *below = statements
    calls = (part for part in ast.walk(first) if isinstance(part, ast.Call))
    is_run = any(f"{ast.unparse(call.func)}.eval()" == line for call in calls)
    return is_run and bool(below) and below[0].lineno == (first.end_lineno or 0) + 1


def outgrows(node: ast.expr, more: int, facts: Facts) -> bool:
    """Whether a line gets too long: longer than usual, and than all others of its function.

    Args:
        node: what is rewritten. What spans several lines was broken by its author, and what stands
            in one of two halves is to be written as in the other.
        more: by how many characters.
        facts: the facts of the module.
    """
    if node.end_lineno != node.lineno or _is_in_half(node, facts):
        return False
    length = len(facts.lines[node.lineno - 1]) + more
    function = facts.names.enclosing_function(node)
    first, last = (0, None) if function is None else (function.lineno - 1, function.end_lineno)
    return length > max(WIDTH, *map(len, facts.lines[first:last]))


def _is_in_half(node: ast.expr, facts: Facts) -> bool:
    """Whether this is in one of two halves; the other stores to the same, or returns too."""
    if any(isinstance(one, ast.IfExp) for one in facts.names.ancestors(node)):
        return True
    statement = facts.statement(node)
    chooses = facts.parent(statement)
    if not isinstance(chooses, ast.If) or not chooses.orelse:
        return False
    other = chooses.orelse if statement in chooses.body else chooses.body
    return any(_does_same(statement, one) for one in other)


def _does_same(statement: ast.stmt, other: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign) and isinstance(other, ast.Assign):
        return list(map(ast.unparse, statement.targets)) == list(map(ast.unparse, other.targets))
    return isinstance(statement, ast.Return) and isinstance(other, ast.Return)


def indent_of(line: str) -> str:
    """The blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip())]
