"""Parts of a text, by their bytes, that become something else."""

from __future__ import annotations

import functools
import io
from collections.abc import Sequence
from itertools import accumulate

from torchfix_codemods.record import record
from torchfix_codemods.rule import Found


@record
class Edit:
    """Bytes ``start`` to ``end`` of the UTF-8 text become ``text``."""

    start: int
    end: int
    text: bytes
    founds: tuple[Found, ...]
    whole_lines: bool


def splice(data: bytes, start: int, end: int, edits: Sequence[Edit]) -> bytes:
    """The bytes ``start`` to ``end`` of a text with the edits in them, which are in order."""
    parts = []
    for edit in edits:
        parts += [data[start : edit.start], edit.text]
        start = edit.end
    return b"".join([*parts, data[start:end]])


@functools.lru_cache(maxsize=4)
def line_starts(data: bytes) -> Sequence[int]:
    """The byte offset of each line, lines ending with ``\\n``, ``\\r\\n`` or ``\\r``."""
    if b"\r" not in data:
        starts = [0, *accumulate(map(len, data.splitlines(keepends=True)))]
        return starts if data.endswith(b"\n") or not data else starts[:-1]
    starts = [0]
    offset = 0
    for line in io.StringIO(data.decode("utf-8"), newline=""):
        offset += len(line.encode("utf-8"))
        starts.append(offset)
    if len(starts) > 1 and not data.endswith((b"\n", b"\r")):
        starts.pop()
    return starts
