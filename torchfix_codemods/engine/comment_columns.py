"""Comments beside rewritten code stay in the column that they share with others around them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from torchfix_codemods.edit.tidying.trailing_comments import in_column
from torchfix_codemods.engine.edits import Edit, line_starts, splice
from torchfix_codemods.text.comments import comments


def with_comments_in_column(data: bytes, edits: Sequence[Edit]) -> list[Edit]:
    """Let edits take or leave the spaces in front of the comments of their last lines.

    Args:
        data: the text, as UTF-8.
        edits: what changes in it, in order. Those that share a line become one where a comment
            of theirs moves.
    """
    if b"#" not in data or b"\r" in data:
        return list(edits)
    text, starts = data.decode("utf-8"), line_starts(data)
    result: list[Edit] = []
    for group in _by_lines(data, edits):
        start, end = _lines_around(data, group)
        before = data[start:end].decode("utf-8")
        after = splice(data, start, end, group).decode("utf-8")
        said = (comments(text) or {}) if "#" in before else {}
        lines = range(bisect_right(starts, start), bisect_right(starts, end - 1) + 1)
        beside = {row: said[line] for row, line in enumerate(lines) if line in said}
        moved = in_column(before, after, beside)
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
