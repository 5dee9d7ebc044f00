"""What the tool says about a place in a file: plain data that travels between processes."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import TypeAlias

from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.record import record


class Numerics(str, enum.Enum):
    """What a rewrite does to the numbers that the program computes."""

    IDENTICAL = "identical"
    """Same bits before and after on today's torch."""

    RESTORED = "restored"
    """The code fails on today's torch; afterwards it gives what the old torch gave."""

    PINNED = "pinned"
    """The code runs today with other numbers than on the torch it was written for;
    afterwards it gives the old numbers."""

    CHANGED = "changed"
    """The rewrite is meant to change the numbers; the message says how."""

    ADVICE = "advice"
    """Nothing is rewritten; the message says what is wrong and what to write."""


#: The rewrites that a reader of the diff must look at with the numbers in mind.
MOVES_NUMBERS = frozenset({Numerics.PINNED, Numerics.CHANGED})


class Reason(str, enum.Enum):
    """Why a rewrite is made: what the old form does on the torch that the code has to run on."""

    FAILS = "fails"
    """It raises."""

    DIFFERS = "differs"
    """It runs, with other numbers than the code means."""

    WARNS = "warns"
    """It gives the same, and torch warns."""

    MODERN = "modern"
    """It works unchanged and says the same."""


#: Why a rewrite is needed; the others only make the code one of today.
NEEDED = frozenset({Reason.FAILS, Reason.DIFFERS, Reason.WARNS})


def reason_of(numerics: Numerics, warns: bool) -> Reason | None:
    """The reason that follows from what a rewrite does to the numbers; None for advice.

    Args:
        numerics: the claim of the rewrite.
        warns: whether torch warns of the old form where that still gives the same.
    """
    if numerics is Numerics.ADVICE:
        return None
    if numerics is Numerics.RESTORED:
        return Reason.FAILS
    if numerics in MOVES_NUMBERS:
        return Reason.DIFFERS
    return Reason.WARNS if warns else Reason.MODERN


def strongest(reasons: Iterable[Reason | None]) -> Reason | None:
    """The reason of what is only rewritten together; None where none of it has one."""
    found = set(reasons)
    return next((reason for reason in Reason if reason in found), None)


class Rank(enum.IntEnum):
    """How soon a person should look at what is left."""

    FAILS = 0
    """As a rule it raises on today's torch."""

    DIFFERS = 1
    """As a rule it runs, with other numbers than it is meant to give."""

    WARNS = 2
    """It gives the same, and torch warns."""

    OTHER = 3


def rank_of(numerics: Numerics, usual: Numerics, fails: bool, reason: Reason | None = None) -> Rank:
    """How soon a person should look at a place.

    Args:
        numerics: the claim of the finding.
        usual: that of its rule, which counts for advice.
        fails: whether the code certainly raises.
        reason: why the place would be rewritten; None: it is advice.
    """
    if reason is not None:
        return Rank(min([*Reason].index(reason), Rank.OTHER))
    claim = usual if numerics is Numerics.ADVICE else numerics
    if fails or claim is Numerics.RESTORED:
        return Rank.FAILS
    return Rank.DIFFERS if claim in MOVES_NUMBERS else Rank.OTHER


#: Why a file is left alone that says so itself.
SKIPPED_BY_COMMENT = "a comment asks for it"


@record
class Place:
    """Where something is inside of a document. ``line`` and ``column`` count from 1."""

    part: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.part}:{self.line}:{self.column}"


@record
class Finding:
    """One place of one file that a rule had something to say about.

    ``line`` and ``column`` count from 1 and refer to the file as it was read.
    ``fixed`` tells whether the place was rewritten.
    """

    line: int
    column: int
    code: str
    name: str
    message: str
    numerics: Numerics
    fixed: bool
    group: str | None = field(default=None, compare=False)
    """Rewrites of one group only make sense together; also those of several files where it names
    a path."""
    is_quiet: bool = field(default=False, compare=False)
    """Whether its rule never rewrites, and the code need not fail: `migrate` counts such findings
    without showing them."""
    rank: Rank = field(default=Rank.OTHER, compare=False)
    """How soon a person should look at it."""
    extent: tuple[int, int] | None = field(default=None, compare=False)
    """Where the place ends: how many lines below, and in which column, or on the same line how many
    characters behind its beginning. None where the file as it was read has something else there."""
    moves: tuple[str, ...] = field(default=(), compare=False)
    """What this rewrite may change in a run; empty: what its rule says."""
    reason: Reason | None = field(default=None, compare=False)
    """Why the place is rewritten, or would be; None for advice."""
    loses: bool = field(default=False, compare=False)
    """Whether this rewrite takes something away that is no number, such as what was printed."""
    place: Place | None = field(default=None, compare=False)
    """The same place as people name it, in a file whose lines say little: a notebook's cell."""
    also: tuple[int, ...] = field(default=(), compare=False)
    """The other lines that the message of a remark names, of which the same is so."""

    @property
    def end(self) -> tuple[int, int] | None:
        """The line of the place's end, and the column behind it; None where it is not known."""
        if self.extent is None:
            return None
        below, column = self.extent
        return self.line + below, column if below else self.column + column

    def __lt__(self, other: Finding) -> bool:
        return self._order() < other._order()

    def _order(self) -> tuple[int, int, str, str, str, str, bool]:
        numerics = self.numerics.value
        return self.line, self.column, self.code, self.name, self.message, numerics, self.fixed


Noted: TypeAlias = Callable[[Sequence[Finding]], None]
"""Takes what is found in a file so far, while the rest is still looked for."""


@record
class FileError:
    """Why a file could not be processed. ``line`` counts from 1; None: the whole file."""

    kind: str
    message: str
    line: int | None = None
    place: Place | None = None
    """The same place as people name it, in a file whose lines say little: a notebook's cell."""


#: Lines of a text and what they become: each from the first up to the one behind the last, from 0.
LineChange = tuple[int, int, int, int]


@record
class FileResult:
    """What became of one file.

    ``before`` and ``after`` hold the text (decoded, line ends kept) of a file that changes,
    and are None for all others, so that results of thousands of files stay small.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    errors: tuple[FileError, ...] = ()
    before: str | None = None
    after: str | None = None
    era: Era = field(default_factory=Era)
    """The torch versions that the file can have been written for."""
    encoding: str = "utf-8"
    """How ``before`` and ``after`` are written as bytes."""
    bom: bytes = b""
    """The byte order mark in front of them."""
    skipped: str = ""
    """Why the file is left alone, where a comment asks for it or there is no Python in it."""
    drawn_from: tuple[tuple[str, str], ...] = ()
    """The other files of the project that it waits for, and the SHA-256 of each."""
    waits: bool = False
    """Whether something was left for what other files hold, and may go once they changed."""

    passed: tuple[Finding, ...] = ()
    """What was found where the code itself asks to be left alone; the messages say how."""
    changes: tuple[LineChange, ...] | None = field(default=None, compare=False)
    """Which lines of ``before`` become which of ``after``, where that was asked already."""

    @property
    def changed(self) -> bool:
        return self.after is not None

    @property
    def after_bytes(self) -> bytes | None:
        """The new content as bytes, in the file's own encoding and with its byte order mark."""
        return None if self.after is None else self.bom + self.after.encode(self.encoding)
