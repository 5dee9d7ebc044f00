"""What stays where it is beside rewritten code: comments in a column that they share with others
around them, and lines of blanks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence

from torchfix_codemods.edit.lines import indent_of
from torchfix_codemods.edit.tidying.trailing_comments import in_column
from torchfix_codemods.engine.edits import Edit, line_starts, splice
from torchfix_codemods.engine.linemap import matched_lines
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.text.comments import comments

#: A line of nothing but blanks, below another one.
_OF_BLANKS = lazy_pattern(r"\n[ \t]+(?:\n|\Z)")

#: What may go on over such a line, which is a part of it then.
_TEXTS = ('"""', "'''", "\\\n")


def with_comments_in_column(
    data: bytes, edits: Sequence[Edit], as_read: Callable[[int], str] | None = None
) -> list[Edit]:
    """Let edits take or leave the spaces in front of the comments of their last lines.

    Lines of nothing but blanks, which moved further in with the code below them, come back with it.

    Args:
        data: the text, as UTF-8.
        edits: what changes in it, in order. Those that share a line become one where a comment
            of theirs moves.
        as_read: what a line comes from in the file as it was read, by its number from 1; None
            where nothing was rewritten yet.
    """
    if b"\r" in data:
        return list(edits)
    text, starts = data.decode("utf-8"), line_starts(data)
    result: list[Edit] = []
    for group in _by_lines(data, edits):
        start, end = _lines_around(data, group)
        before = data[start:end].decode("utf-8")
        after = splice(data, start, end, group).decode("utf-8")
        said = (comments(text) or {}) if "#" in before else {}
        lines = range(bisect_right(starts, start), bisect_right(starts, end - 1) + 1)
        beside = {row: (line, said[line]) for row, line in enumerate(lines) if line in said}
        moved = _moved(before, after, beside, as_read) if beside else after
        if as_read is not None:
            moved = _with_blanks_as_read(before, moved, lines[0], as_read)
        if moved == after:
            result += group
            continue
        # What stands above it in its line did not move.
        kept = data[start : group[0].start]
        result.append(
            Edit(
                group[0].start,
                end,
                moved.encode("utf-8")[len(kept) :],
                tuple(found for edit in group for found in edit.founds),
                all(edit.whole_lines for edit in group),
            )
        )
    return result


def _moved(
    before: str,
    after: str,
    beside: Mapping[int, tuple[int, str]],
    as_read: Callable[[int], str] | None,
) -> str:
    """Rewritten lines with their comments in column: ``beside`` has them by row, with numbers."""
    old, new = before.split("\n"), after.split("\n")
    # Lines went, came and moved.
    rows = [0] if len(old) == len(new) == 1 else matched_lines(_bare(old), _bare(new))
    for row, origin in enumerate(rows):
        line, comment = beside.get(origin, (0, ""))
        if not comment or old[origin] == new[row]:
            continue
        # Rewrites that follow each other push a comment to the right, and leave it there.
        first = old[origin] if as_read is None else as_read(line).rstrip("\n")
        is_there = first.endswith(comment)
        new[row] = in_column(first if is_there else old[origin], new[row], comment)
    return "\n".join(new)


def _with_blanks_as_read(before: str, after: str, first: int, as_read: Callable[[int], str]) -> str:
    """Rewritten lines, with those of nothing but blanks as they were read, where the next line of
    code stands where that was read. The lines before begin with number ``first``."""
    if _OF_BLANKS.search(after) is None or any(quotes in after for quotes in _TEXTS):
        return after
    new = after.split("\n")
    rows = matched_lines(_bare(before.split("\n")), _bare(new))
    is_back, last = False, len(new) - 1
    for row in range(last, 0, -1):
        read = as_read(first + rows[row]).rstrip("\n")
        if new[row].strip():
            is_back = indent_of(new[row]) == indent_of(read)
        elif is_back and new[row] and not read.strip():
            new[row] = read
    return "\n".join(new)


def _bare(lines: Sequence[str]) -> list[bytes]:
    return [line.strip().encode("utf-8") for line in lines]


def _by_lines(data: bytes, edits: Sequence[Edit]) -> list[list[Edit]]:
    """The edits, those together that share a line."""
    groups: list[list[Edit]] = []
    for edit in edits:
        if groups and edit.start < _lines_around(data, groups[-1])[1]:
            groups[-1].append(edit)
        else:
            groups.append([edit])
    return groups


def _lines_around(data: bytes, group: Sequence[Edit]) -> tuple[int, int]:
    """Where the lines of edits begin, and where the last of them ends, without its line end."""
    last = max(group[-1].start, group[-1].end - 1)
    end = data.find(b"\n", last)
    start = data.rfind(b"\n", 0, group[0].start) + 1
    return start, max(group[-1].end, len(data) if end < 0 else end)
