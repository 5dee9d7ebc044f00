"""Comments beside statements that go, and those with a name that goes.

What the first say may be so of a line further down, and code that was taken out,
``# print(inputs.size())``, can have another name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from itertools import takewhile

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.tidying.stale_comments import (
    is_about_variables_only,
    is_about_wrapping_only,
    is_code,
    is_for_tools,
    tells_of_lost_line,
    tells_of_wrapper,
)
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.text.comments import comments

#: So many statements further down a comment is still about the same.
_MOST_BELOW = 8


def comment_beside(node: ast.stmt, facts: Facts) -> str:
    """The comment beside a statement, with the blanks before it; empty where there is none."""
    line = facts.lines[(node.end_lineno or node.lineno) - 1]
    rest = line.encode("utf-8")[node.end_col_offset or 0 :].decode("utf-8").rstrip("\r\n")
    return rest if rest.lstrip().startswith("#") else ""


def is_comment_lost(node: ast.Assign, facts: Facts) -> bool:
    """Whether the comment beside an assignment goes with it, as it says only what that did.

    Where a line below gives the name a value, one about a move may be about that.
    """
    comment = comment_beside(node, facts).strip()
    names = [part.id for t in node.targets for part in ast.walk(t) if isinstance(part, ast.Name)]
    if not comment or later_line(node, facts) is not None:
        return False
    return tells_of_lost_line(comment, names)


def later_line(node: ast.Assign, facts: Facts) -> ast.Assign | None:
    """The next statement of a block that gives a name a value, for the comment of one that goes.

    ``x = x.to(device)`` of ``x = Variable(x)  # (batch, 3)`` above it; None where something else
    uses the name before, or has a comment of its own, and where the comment is about the wrapper.
    """
    target, comment = node.targets[0], comment_beside(node, facts)
    if not isinstance(target, ast.Name) or not comment or is_for_tools(comment.strip()):
        return None
    if tells_of_wrapper(comment, [target.id]):
        return None
    block = facts.block(node)
    start = block.index(node) + 1
    for below in block[start : start + _MOST_BELOW]:
        names = {part.id for part in ast.walk(below) if isinstance(part, ast.Name)}
        if target.id not in names:
            continue
        is_given = (
            isinstance(below, ast.Assign)
            and len(below.targets) == 1
            and isinstance(below.targets[0], ast.Name)
            and below.targets[0].id == target.id
            and below.lineno == below.end_lineno
            and "#" not in facts.lines[below.lineno - 1]
        )
        return below if is_given and isinstance(below, ast.Assign) else None
    return None


def stands_alone_below_comment(node: ast.Assign, facts: Facts) -> bool:
    """Whether the comment above a line would stand above nothing without it.

    One that says only what was wrapped goes with the line.
    """
    below = "".join(facts.lines[(node.end_lineno or node.lineno) :][:1])
    above = facts.lines[node.lineno - 2] if node.lineno > 1 else ""
    if below.strip() or not above.lstrip().startswith("#") or is_code(above):
        return False
    names = [part.id for t in node.targets for part in ast.walk(t) if isinstance(part, ast.Name)]
    return not is_about_variables_only(above, names) and not is_about_wrapping_only(above, names)


def has_comments_twice(choice: ast.If, facts: Facts) -> bool:
    """Whether both halves of a choice have the same comments, and the lines above them have none.

    Args:
        choice: the choice.
        facts: the facts of the module.
    """
    said = comments(facts.text) if choice.orelse else None
    if said is None:
        return False
    inside = range(choice.orelse[0].lineno - 1, choice.lineno, -1)
    middle = next((n for n in inside if facts.lines[n - 1].lstrip().startswith("else")), 0)
    halves = range(choice.lineno + 1, middle), range(middle + 1, (choice.end_lineno or 0) + 1)
    there, here = ([said[n] for n in half if n in said] for half in halves)
    return middle > 0 and there == here and said.keys().isdisjoint((choice.lineno, middle))


def with_comment(line: cst.SimpleStatementLine, beside: str) -> cst.SimpleStatementLine:
    """A line with a comment beside it, as far from it as it stood from the line that is gone."""
    text = beside.lstrip()
    return line.with_changes(
        trailing_whitespace=line.trailing_whitespace.with_changes(
            whitespace=cst.SimpleWhitespace(beside[: len(beside) - len(text)]),
            comment=cst.Comment(text),
        )
    )


# Code that was taken out and has a name that goes


def lines_speaking_of(name: str, node: ast.stmt, facts: Facts) -> list[int]:
    """The lines of the function around a statement, from 0, with a comment that has a name in it.

    Code that was taken out has it as well.
    """
    speaks = re.compile(rf"#.*\b{name}\b")
    function = facts.names.enclosing_function(node)
    first = getattr(function, "lineno", 1) - 1
    lines = facts.lines[first : getattr(function, "end_lineno", None)]
    return [n for n, line in enumerate(lines, first) if speaks.search(line)]


Comments = Mapping[ast.stmt, Sequence[str]]
"""Comments that are changed, by the statement below: the lines above that, blank ones as well."""


def comments_renamed(
    target: ast.Name, value: ast.Name, node: ast.Assign, facts: Facts, before: Comments
) -> Comments | None:
    """Comments that are code with a name that goes, with the other name in its place.

    Args:
        target: the name that goes.
        value: the other name for the same.
        node: the assignment that gives it.
        facts: the facts of the module.
        before: what has other names already.

    Returns:
        all that is changed; None where a comment tells of the name, or where one of the names may
        be for something else there.
    """
    spoken = lines_speaking_of(target.id, node, facts)
    if not spoken:
        return before
    inside = facts.names.own_nodes(facts.names.enclosing_function(node) or facts.tree)
    begun = {each.lineno: each for each in inside if isinstance(each, ast.stmt)}
    found = dict(before)
    for n in spoken:
        below = begun.get(_line_below(n, facts))
        if below is None or not _stands_first(below, facts):
            return None
        given = facts.flow.reaching_before(below, target.id)
        known = set(facts.flow.reaching_before(below, value.id))
        if {each.node for each in given} != {node} or known != set(facts.flow.reaching(value)):
            return None
        lines = found.get(below, _lines_above(below, facts))
        renamed = [_renamed(line, target.id, value.id) for line in lines]
        found[below] = [line for line in renamed if line is not None]
        if len(found[below]) < len(lines):
            return None
    return found


def _line_below(n: int, facts: Facts) -> int:
    """The number of the first line of code below a comment, whose line is counted from 0; 0 for
    none, and for a comment beside code."""
    rest = enumerate(facts.lines[n:], n + 1)
    below = next((number for number, line in rest if not _is_no_code(line)), 0)
    return below if below > n + 1 else 0


def _lines_above(below: ast.stmt, facts: Facts) -> list[str]:
    """The comments above a statement, with the blank lines between and below them."""
    above = [*takewhile(_is_no_code, reversed(facts.lines[: below.lineno - 1]))]
    while above and not above[-1].strip():
        above.pop()
    return above[::-1]


def _is_no_code(line: str) -> bool:
    return line.strip()[:1] in ("", "#")


def _stands_first(below: ast.stmt, facts: Facts) -> bool:
    """Whether a statement begins its line, and a block or what follows another in it."""
    line = facts.lines[below.lineno - 1]
    return not line[: below.col_offset].strip() and not line.lstrip().startswith("elif")


def _renamed(line: str, name: str, new: str) -> str | None:
    """``# print(x)`` for ``# print(x_)``; None where it may be something else that is called so."""
    named = re.compile(rf"\b{name}\b")
    if not named.search(line):
        return line
    if not is_code(line):
        return None
    code = ast.parse(line.strip().lstrip("#").strip())
    uses = [n for n in ast.walk(code) if isinstance(n, ast.Name) and n.id == name]
    is_read = all(isinstance(use.ctx, ast.Load) for use in uses)
    return named.sub(new, line) if is_read and len(uses) == len(named.findall(line)) else None
