"""A part of a file before and after, as rows of a table of HTML."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

from torchfix_codemods.report import theme
from torchfix_codemods.report.run import stretches
from torchfix_codemods.verify.changes.spans import Range
from torchfix_codemods.verify.hunks import Hunk

_CONTEXT = 3
_WORDS = re.compile(r"\w+|\s+|.")


def side_by_side(
    hunk: Hunk, parts: Sequence[Hunk], before: Sequence[str], after: Sequence[str]
) -> Iterator[str]:
    """The rows of a table with the lines before and after, and with what stands around them.

    Args:
        hunk: the part of the file to show.
        parts: all parts of the file that change.
        before: the lines of the file.
        after: what they become.
    """
    for stretch in stretches(hunk, parts, len(before), _CONTEXT):
        if stretch.follows_gap:
            yield '<tr class="gap"><td colspan="4">&#8943;</td></tr>'
        if stretch.is_changed:
            yield from _changed(before, after, stretch.before, stretch.after)
        else:
            yield from _context(before, stretch.before, stretch.after)


def _context(before: Sequence[str], old: Range, new: Range) -> Iterator[str]:
    for one, other in zip(range(*old), range(*new), strict=True):
        text = theme.code(before[one].rstrip("\r\n"))
        yield (
            f'<tr><td class="n">{one + 1}</td><td>{text}</td>'
            f'<td class="n">{other + 1}</td><td>{text}</td></tr>'
        )


def _changed(before: Sequence[str], after: Sequence[str], old: Range, new: Range) -> Iterator[str]:
    for one, other in _paired(before, after, old, new):
        left = None if one is None else before[one].rstrip("\r\n")
        right = None if other is None else after[other].rstrip("\r\n")
        shown = _marked(left or "", right or "")
        if left is None or right is None:
            shown = theme.code(left or ""), theme.code(right or "")
        yield (
            f"<tr>{_side(one, left, shown[0], 'old')}{_side(other, right, shown[1], 'new')}</tr>"
        )


def _side(number: int | None, text: str | None, shown: str, kind: str) -> str:
    if number is None or text is None:
        return '<td class="n none"></td><td class="none"></td>'
    return f'<td class="n {kind}">{number + 1}</td><td class="{kind}">{shown}</td>'


def _paired(
    before: Sequence[str], after: Sequence[str], old: Range, new: Range
) -> Iterator[tuple[int | None, int | None]]:
    """Lines that became each other side by side, the others alone, all in their order."""
    i, j = old[0], new[0]
    while i < old[1] or j < new[1]:
        if i == old[1] or j == new[1]:
            yield (i, None) if j == new[1] else (None, j)
            i, j = i + (j == new[1]), j + (j != new[1])
            continue
        skipped = _skipped(before[i : old[1]], after[j : new[1]])
        if skipped is None:
            yield i, j
            i, j = i + 1, j + 1
            continue
        for _ in range(skipped[0]):
            yield i, None
            i += 1
        for _ in range(skipped[1]):
            yield None, j
            j += 1
        yield i, j
        i, j = i + 1, j + 1


def _skipped(old: Sequence[str], new: Sequence[str]) -> tuple[int, int] | None:
    """How many lines of each side to leave alone for the next two to be like each other."""
    window = 6
    places = [(a, b) for a in range(min(window, len(old))) for b in range(min(window, len(new)))]
    for a, b in sorted(places, key=lambda place: (sum(place), place)):
        if _likeness(old[a], new[b]) > 0.6:
            return None if (a, b) == (0, 0) else (a, b)
    return None


def _likeness(one: str, other: str) -> float:
    one, other = one.strip(), other.strip()
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() > 0.6 else 0.0


def _marked(one: str, other: str) -> tuple[str, str]:
    """Two lines with what differs between them marked, where most of them does not."""
    if _likeness(one, other) < 0.4:
        return theme.code(one), theme.code(other)
    old, new = _WORDS.findall(one), _WORDS.findall(other)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    left, right = "", ""
    for tag, a, b, c, d in matcher.get_opcodes():
        removed, added = theme.code("".join(old[a:b])), theme.code("".join(new[c:d]))
        left += removed if tag == "equal" or not removed else f"<mark>{removed}</mark>"
        right += added if tag == "equal" or not added else f"<mark>{added}</mark>"
    return left, right
