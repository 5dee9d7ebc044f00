"""What is asked about a file: everything, what other libraries have no more, or nothing."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from torchfix_codemods.documents.kinds import is_document, is_prose
from torchfix_codemods.project.glance import may_serve_torch, speaks_of_libraries
from torchfix_codemods.record import record

if TYPE_CHECKING:
    from torchfix_codemods.project.texts import Texts
    from torchfix_codemods.rule import Rule

_MARKS_UTF16 = (b"\xff", b"\xfe")


class Asked(enum.Enum):
    """Which rules are asked about a file."""

    ALL = enum.auto()
    OTHER_LIBRARIES = enum.auto()
    """Those about other libraries than torch, as far as they are."""
    NONE = enum.auto()


@record
class Reading:
    """How a file is read, as far as a glance at it, and at its project, can tell.

    Args:
        asked: the rules that are asked.
        because: why these; empty where all are.
        asks_project: whether other files decided.
    """

    asked: Asked
    because: str = ""
    asks_project: bool = False

    def rules(self, rules: Sequence[Rule]) -> Sequence[Rule]:
        """Those of some rules, or the parts of them, that are asked."""
        if self.asked is Asked.ALL:
            return rules
        if self.asked is Asked.NONE:
            return ()
        from torchfix_codemods.rules import about_other_libraries

        return about_other_libraries(tuple(rules))


def reading_of(data: bytes, path: Path, texts: Callable[[], Texts]) -> Reading:
    """How a file is read.

    Args:
        data: what is in it.
        path: the file.
        texts: gives the texts of the project; asked only when they matter.
    """
    if b"torch" in data:
        return Reading(Asked.ALL)
    if is_prose(path):
        return Reading(Asked.NONE, _NO_TORCH)
    if data[:1] in _MARKS_UTF16:
        from torchfix_codemods.text.source import is_utf16

        # Its words are not seen; nor does Python see them.
        return Reading(Asked.ALL) if is_utf16(data) else Reading(Asked.NONE, _NO_TORCH)
    return _in_project(data, path, texts)


def _in_project(data: bytes, path: Path, texts: Callable[[], Texts]) -> Reading:
    may_serve = not is_document(path) and may_serve_torch(data)
    speaks = speaks_of_libraries(data)
    if not may_serve and not speaks:
        return Reading(Asked.NONE, _NOTHING)
    if not texts().uses_torch(path):
        return Reading(Asked.NONE, f"{_NO_TORCH}, and no file of its project imports torch", True)
    if may_serve and texts().serves_torch(path, data):
        return Reading(Asked.ALL, asks_project=True)
    if speaks:
        return Reading(Asked.OTHER_LIBRARIES, _NO_TORCH, True)
    return Reading(
        Asked.NONE, f"{_NO_TORCH}, and no file that imports it, or that it imports, does", True
    )


_NO_TORCH = "it does not mention torch"
_NOTHING = "it mentions neither torch nor a name that is gone from another library"
