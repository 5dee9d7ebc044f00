"""What is said of a rewrite, once the program ran without and with it."""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from torchfix_codemods.finding import Finding
from torchfix_codemods.record import record
from torchfix_codemods.verify.comparing.compare import Difference
from torchfix_codemods.verify.hunks import Hunk


class Verdict(str, enum.Enum):
    """What the runs say about a rewrite, the worst first."""

    BROKEN = "broken"
    """The program fails with it, and did not fail without."""

    DIFFERENT = "different"
    """Numbers differ that must not."""

    INCONCLUSIVE = "inconclusive"
    """Nothing can be said; the reason tells why."""

    NOT_EXECUTED = "not executed"
    """The run never came to its lines."""

    NOT_OBSERVED = "not observed"
    """Its lines ran, but what they compute can change without a change in what is compared."""

    EQUAL = "equal where it could be looked at"
    """All numbers are the same, but nothing shows that a wrong one would have been seen."""

    EXPECTED = "expected change only"
    """What it is meant to change did change, and nothing else."""

    EQUIVALENT = "equivalent"
    """All numbers are the same, and a wrong one would have shown."""


#: The verdicts that a rewrite can be kept with when only verified ones are.
VERIFIED = frozenset({Verdict.EQUIVALENT, Verdict.EXPECTED})

#: The verdicts that say that all numbers are the same.
SAME = frozenset({Verdict.EQUIVALENT, Verdict.EQUAL})

#: The verdicts that say nothing about a rewrite.
UNKNOWN = frozenset({Verdict.INCONCLUSIVE, Verdict.NOT_EXECUTED})

#: The verdicts on what ran, but was not seen well enough to be sure.
UNPROVEN = frozenset({Verdict.INCONCLUSIVE, Verdict.NOT_OBSERVED, Verdict.EQUAL})

#: The verdicts that make the command fail.
FAILED = frozenset({Verdict.DIFFERENT, Verdict.BROKEN})


@record
class Outcome:
    """What the runs on one device say of one hunk."""

    verdict: Verdict
    reason: str = ""
    difference: Difference | None = None
    operation: str | None = None
    """The first operation of torch that gave something else, and where it was called."""
    is_exact: bool = True
    apart: str = ""
    """How far the first tensors that differ lie apart."""
    output: str = ""
    """What the program printed last where it fails."""


@record
class Judgement:
    """The verdict on one rewrite."""

    hunk: Hunk
    finding: Finding | None
    """None: a change that no rule stands for (imports, or two trees were compared)."""
    verdict: Verdict
    outcomes: dict[str, Outcome]
    """By device."""

    @property
    def line(self) -> int:
        """Where it is in the file as it was, counted from 1."""
        return self.finding.line if self.finding is not None else self.hunk.before_lines[0] + 1

    @property
    def outcome(self) -> Outcome:
        """The outcome that decides."""
        return next(o for o in self.outcomes.values() if o.verdict is self.verdict)


@dataclass
class Verification:
    """All that was found out about one command."""

    command: str
    judgements: list[Judgement] = field(default_factory=list)
    links: Mapping[str, Collection[str]] = field(default_factory=dict)
    """By key of a hunk: those of other files that it only makes a program with."""
    notes: list[str] = field(default_factory=list)
    """What a reader has to know about the runs."""
    versions: dict[str, str] = field(default_factory=dict)
    devices: tuple[str, ...] = ()
    runs: int = 0
    seconds: float = 0.0
    events: int = 0
    """How many events were compared in the longest run."""
    failure: str = ""
    """How the program ended, where it did not do what it was started for, nor come to a rewrite."""
    output: str = ""
    """What it printed last, then."""
    bundle: str = ""
    """The folder that a failure was written to, to be taken along."""
    still_differs: str = ""
    """What the rewritten program computes on today's torch that a stand-in for the old one, or the
    old one itself, gives otherwise."""
    still_fails: str = ""
    """How the rewritten program ends where nothing stands in for the old torch, if not well."""

    @property
    def failed(self) -> bool:
        """Whether a rewrite moved a number, or was needed and is missing."""
        return bool(self.still_differs) or any(
            judgement.verdict in FAILED for judgement in self.judgements
        )

    @property
    def is_unproven(self) -> bool:
        """Whether a wrong number might not have shown somewhere that the program came to."""
        return any(judgement.verdict in UNPROVEN for judgement in self.judgements)

    def kept(self, only_verified: bool) -> frozenset[str]:
        """The keys of the hunks that may be written.

        Args:
            only_verified: leave out what could not be verified, not just what failed.
        """
        refused = {
            judgement.hunk.key
            for judgement in self.judgements
            if judgement.verdict in FAILED or (only_verified and judgement.verdict not in VERIFIED)
        }
        refused |= {other for key in refused for other in self.links.get(key, ())}
        return frozenset(judgement.hunk.key for judgement in self.judgements) - refused


_ORDER = list(Verdict)


def worst(verdicts: list[Verdict]) -> Verdict:
    """The verdict that decides among those of several devices."""
    return min(verdicts, key=_ORDER.index)
