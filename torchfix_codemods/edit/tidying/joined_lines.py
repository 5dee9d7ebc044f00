"""What was broken for a wrapper that is gone stands on one line again."""

from __future__ import annotations

import ast
import io
import re
import tokenize

#: Lines were broken to be no longer than this, or than the longest of their statement.
ROOM_ON_A_LINE = 79

#: ``self.labels = \`` or ``x, y = f(x), \``, which the line below goes on.
_CONTINUED = re.compile(r"\A([^\n()]*(?<![=!<>])=|[^\n]*,) *\\$", re.MULTILINE)

#: ``x = (f(a)``, which a method in the line below goes on.
_BRACKETED = re.compile(r"( *(?:[^\s()=][^()=]*? = |return ))\((.+)")


def joined_again(before: str, after: str) -> str:
    """Join the lines of a rewritten statement that had no room on one line, and have it now.

    Args:
        before: the statement as it was, with whole lines.
        after: the statement after rewriting, with whole lines.

    Returns:
        ``after`` on one line, where it has two (and perhaps one of closing brackets), and fewer
        brackets than ``before``, which did not fit. Unchanged where a line is indented by tabs or
        continued by a backslash elsewhere than behind a comma or the ``=`` of an assignment, where
        a comment or a text of several lines stands in it, where a comma closes the arguments, and
        where the bracket is there for the lines only. One around all that is assigned or given
        back goes with the lines: ``x = (f(a)`` and ``.view(3))``.
    """
    if "\t" in after or after.count("(") >= before.count("("):
        return after
    bare = _without_bracket(after)
    joined = bare or _on_one_line(after)
    if joined is None:
        return after
    width = max(ROOM_ON_A_LINE, *map(len, before.split("\n")))
    one_line = " ".join(_CONTINUED.sub(r"\1", before).split())
    room_before = len(one_line) + len(before) - len(before.lstrip(" ")) - (2 if bare else 0)
    return joined if len(joined) - 1 <= width < room_before - _spaces_saved(before) else after


def _without_bracket(code: str) -> str | None:
    """``x = f(a).view(3)`` of ``x = (f(a)`` and ``.view(3))``; None of everything else."""
    lines = code.removesuffix("\n").split("\n")
    found = _BRACKETED.fullmatch(lines[0].rstrip()) if len(lines) == 2 else None
    below = lines[-1].strip()
    if found is None or not below.startswith(".") or not _may_be_joined(code):
        return None
    joined = f"{found[1]}{found[2]}{below[:-1]}"
    try:
        is_same = ast.dump(ast.parse(joined.strip())) == ast.dump(ast.parse(code.strip()))
    except SyntaxError:
        return None
    return joined + "\n" if is_same else None


def _spaces_saved(code: str) -> int:
    """How many of the places where a line ends need no space once they are joined."""
    lines = [line.strip() for line in code.split("\n")]
    return sum(map(_needs_no_space, lines, lines[1:]))


def _needs_no_space(above: str, below: str) -> bool:
    return above[-1:] in tuple("([{") or below[:1] in tuple(")]}.")


def _on_one_line(code: str) -> str | None:
    """The text of a statement on one line; None where it is not to be joined."""
    lines = code.removesuffix("\n").split("\n")
    is_pair = len(lines) == 2 or (len(lines) == 3 and not lines[2].strip(" )]}:"))
    if not is_pair or not code.endswith("\n") or not _may_be_joined(code):
        return None
    joined = _CONTINUED.sub(r"\1", lines[0].rstrip())
    for line in lines[1:]:
        below = line.strip()
        if (joined.endswith(",") and below[:1] in tuple(")]}")) or _groups(joined):
            return None
        joined += below if _needs_no_space(joined, below) else f" {below}"
    return joined + "\n"


def _groups(line: str) -> bool:
    """Whether the last bracket that a line leaves open calls nothing: ``y + (x``."""
    closed = 0
    for column in range(len(line) - 1, -1, -1):
        closed += (line[column] in ")]}") - (line[column] in "([{")
        if closed < 0:
            return line[column] == "(" and re.search(r"[\w)\]]$", line[:column]) is None
    return False


def _may_be_joined(code: str) -> bool:
    """Whether it is one statement, whose lines end in brackets only, and in no text."""
    if any(line.endswith("\\") for line in _CONTINUED.sub(r"\1", code).split("\n")):
        return False
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return False
    kinds = [token.type for token in tokens]
    is_text = (token.start[0] != token.end[0] and "\n" in token.string[:-1] for token in tokens)
    return kinds.count(tokenize.NEWLINE) == 1 and tokenize.COMMENT not in kinds and not any(is_text)
