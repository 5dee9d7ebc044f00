"""The program on a real old torch is right, and the rewritten one on today's has to agree."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import Any

from torchfix_codemods.finding import Numerics
from torchfix_codemods.verify.comparing.compare import Comparison, Difference, Mask, compare
from torchfix_codemods.verify.comparing.printed import same_numbers, words_of
from torchfix_codemods.verify.hunks import Change, Hunk
from torchfix_codemods.verify.options import VerifyOptions
from torchfix_codemods.verify.runs import Run, Runner, Stream
from torchfix_codemods.verify.session import Session, Stages
from torchfix_codemods.verify.trees import Overrides
from torchfix_codemods.verify.verdicts import Outcome, Verdict
from torchfix_codemods.verify.versions import Keys, Moves

#: Settings of runs that are compared with runs on the same torch only.
_ALONE = frozenset({"keep_random", "replay_random", "shadows"})

#: Rewrites that are to bring old numbers back are blamed for so many times the tolerance only.
_FAR = 100.0


def oracle_session(
    change: Change, runner: Runner, old: Runner, options: VerifyOptions, moves: Moves
) -> Session:
    """A session that judges the hunks of a change by what the old code gives on an old torch.

    Both sides draw the same random numbers, and today's side begins each call of a module with the
    parameters, and each step with the gradients, that the old side had there.

    Args:
        change: the two versions.
        runner: runs the program on today's torch.
        old: runs it on the old one.
        options: settings.
        moves: what a rewrite that is meant to change numbers may change.
    """
    oracle = _Oracle(change, runner, old, options, moves)
    return Session(
        change,
        runner,
        options,
        "cpu",
        moves,
        comparer=oracle.across,
        start=oracle.start,
        stages=Stages(oracle.baseline, oracle.again, oracle.strict),
    )


class _AcrossTorches:
    """Compares runs on today's torch with the run on the old one.

    Args:
        version: the old torch.
        rtol: how much numbers may differ.
    """

    is_across = True

    def __init__(self, version: str, rtol: float) -> None:
        self._version = version
        self._rtol = rtol
        self.differs_today: dict[Any, Difference] = {}
        """What today's torch gives otherwise for the code as it was."""
        self.lines: tuple[frozenset[str], frozenset[str]] = frozenset(), frozenset()
        """What only either of them prints."""

    def moves_numbers(self, hunk: Hunk) -> bool:
        """Whether a change is judged by what it says that it changes: others may restore."""
        return Numerics.CHANGED in hunk.numerics

    def compare(self, before: Run, after: Run, mask: Mask, has_stand_in: bool) -> Comparison:
        """Compare a run with the one on the old torch; see :class:`.comparer.Comparer`."""
        comparison = self._compared(before, after, mask, self._rtol)
        mine = comparison.differences
        comparison.excused = [d for d in mine if self._is_excused(d)]
        comparison.differences = [d for d in mine if not self._is_excused(d)]
        return comparison

    def said(self, reason: str) -> str:
        """Why a version is right, for people."""
        return f"equal to {self._version} {reason}"

    def far(self, before: Run, after: Run, mask: Mask) -> list[Difference]:
        """Where numbers differ by more than versions of torch do that mean the same."""
        differences = self._compared(before, after, mask, self._rtol * _FAR).differences
        return [d for d in differences if not (d.kind == "print" and d.path == "words")]

    def _compared(self, before: Run, after: Run, mask: Mask, rtol: float) -> Comparison:
        own, todays = self.lines
        return compare(
            _without(before, own),
            _without(after, todays),
            rtol=rtol,
            mask=mask,
            bytes_are_bools=True,
            across=True,
        )

    def _is_excused(self, difference: Difference) -> bool:
        """Whether today's torch gives the same for the code as it was."""
        known = self.differs_today.get(difference.key)
        if known is None or known.kind != difference.kind:
            return False
        if difference.is_structural:
            return known.values == difference.values
        if difference.kind == "print" and difference.path == "words":
            if words_of(known.values[1]) == words_of(difference.values[1]) and same_numbers(
                *difference.values, self._rtol
            ):
                return True
        return _agree(known, difference, self._rtol)


class _Oracle:
    """The program on an old torch, and what has to agree with it.

    Args:
        change: the two versions.
        runner: runs the program on today's torch.
        old: runs it on the old one.
        options: settings.
        moves: what a rewrite that is meant to change numbers may change.
    """

    def __init__(
        self, change: Change, runner: Runner, old: Runner, options: VerifyOptions, moves: Moves
    ) -> None:
        self._version = f"torch {old.versions['torch']}"
        self._states = old.scratch("states")
        self._runner, self._old_runner = runner, old
        self._old = Session(change, old, options, "cpu", moves, start=self._start_old)
        self.across = _AcrossTorches(self._version, options.rtol)

    def start(self, overrides: Overrides, watched: Mapping[str, Any], **settings: Any) -> Run:
        """Run a version on today's torch."""
        if not _ALONE & settings.keys():
            settings.update(portable=True, forced_states=self._states)
        return self._runner.run(overrides, watched, **settings)

    def _start_old(self, overrides: Overrides, watched: Mapping[str, Any], **settings: Any) -> Run:
        """Run a version on the old torch; it names the copy that today's torch runs in."""
        old, todays = (os.path.join(r.scratch(""), "") for r in (self._old_runner, self._runner))
        run = self._old_runner.run(overrides, watched, portable=True, **settings)
        for stream in run.streams.values():
            for event in stream.events:
                if event["kind"] in ("print", "error"):
                    event["value"] = event["value"].replace(old, todays)
        return run

    def baseline(self, session: Session) -> tuple[Keys, Run] | str:
        """The version that runs on the old torch, and its run; or why there is none."""
        found = self._old.baseline()
        session.said = self._old.said
        session.runs += self._old.runs
        session.notes += [f"on {self._version}: {note}" for note in self._old.notes]
        if isinstance(found, str):
            return f"on {self._version}: {found}"
        failure = found[1].failure
        if failure is not None and failure["value"].startswith(("ModuleNotFound", "ImportError")):
            python = self._old_runner.command.python
            advice = f" (install what it needs besides torch by {python} -m pip install …)"
            return f"on {self._version} the program fails: {failure['value']}{advice}"
        return found

    def again(self, session: Session, base: Keys) -> Run:
        """A second run on the old torch, which keeps what today's is to begin with."""
        session.runs += 1
        return self._old.run(base, keep_states=self._states)

    def strict(self, session: Session, base: Keys, before: Run) -> dict[str, Outcome]:
        """The outcomes of the changes that are to give what the old torch gave."""
        keys = {hunk.key for hunk in session.change.hunks if not session.moves_numbers(hunk)}
        check = session.check(base | session.scaffold | keys, before, legacy=False)
        _tell_of_forcing(session, check.run, self._version)
        if check.state == "same":
            return session.strict(base, before)
        needed = self._from_today(session, base, before)
        result = {**needed, **session.strict(base | needed.keys(), before)}
        result.update(self._not_restored(session, before, result, base))
        return result

    def _from_today(self, session: Session, base: Keys, before: Run) -> dict[str, Outcome]:
        """See how today's torch runs the old code, to tell versions of torch from rewrites.

        Returns:
            the outcomes of the rewrites without which it does not run.
        """
        run = session.run(base, legacy=False)
        session.legacy = True
        if run.failure is not None and before.failure is None:
            run = session.run(base)
        outcomes: dict[str, Outcome] = {}
        if run.failure is not None and before.failure is None:
            found = session.with_needed(run, base)
            if isinstance(found, str):
                return {}
            keys, run = found
            session.notes.pop()
            check = session.check(keys, before)
            outcome = session.same(check.comparison)
            if check.state != "same":
                outcome = session.outcome(check, None)
            outcomes = dict.fromkeys(keys - base, outcome)
        differences = session.compare(before, run).differences
        if any(d.is_structural for d in differences):
            self.across.lines = _own_lines(before, run), _own_lines(run, before)
            differences = session.compare(before, run).differences
        self.across.differs_today = {difference.key: difference for difference in differences}
        if differences:
            session.notes += told_of_versions(self._version, differences, bool(outcomes))
        return outcomes

    def _not_restored(
        self, session: Session, before: Run, outcomes: Mapping[str, Outcome], base: Keys
    ) -> dict[str, Outcome]:
        """The outcomes of rewrites that are to bring old numbers back, and do not."""
        good = frozenset(key for key, o in outcomes.items() if o.verdict is Verdict.EQUIVALENT)
        keys = good | base | session.scaffold
        plain = session.run(keys, legacy=False)
        legacy = plain.failure is not None
        left = self.across.far(before, session.run(keys) if legacy else plain, session.mask)
        result = {}
        for key in sorted(good) if left else ():
            if Numerics.PINNED not in session.hunks[key].numerics:
                continue
            without = session.run(keys - {key}, legacy)
            far = self.across.far(before, without, session.mask)
            if without.failure is None and len(far) <= len(left):
                reason = f"the numbers of {self._version} do not come back"
                result[key] = Outcome(Verdict.DIFFERENT, reason, left[0], is_exact=False)
        return result


def _tell_of_forcing(session: Session, run: Run, version: str) -> None:
    main = run.streams.get("main")
    end = main.end if main is not None else None
    if end and end.get("free"):
        session.notes.append(
            f"parameters follow those of {version} for {end['forced']} calls and steps"
            f" only: {end['free']}"
        )


def _agree(one: Difference, other: Difference, rtol: float) -> bool:
    """Whether two runs on today's torch differ from the old one by the same."""
    ours, theirs = (
        Run(0, 0.0, {"main": Stream([difference.after or {}])}, {}, "")
        for difference in (one, other)
    )
    found = compare(ours, theirs, rtol=rtol, bytes_are_bools=True, across=True).differences
    return not found or (other.path != "words" and other.path not in {d.path for d in found})


def _own_lines(run: Run, other: Run) -> frozenset[str]:
    """What only one of two runs prints, numbers aside: a description that has more lines."""
    ours, theirs = (
        {
            words_of(event["value"])
            for stream in each.streams.values()
            for event in stream.events
            if event["kind"] == "print"
        }
        for each in (run, other)
    )
    return frozenset(ours - theirs)


def _without(run: Run, lines: frozenset[str]) -> Run:
    """A run without some of the lines that it prints."""
    if not lines:
        return run
    streams = {
        name: dataclasses.replace(
            stream,
            events=[
                event
                for event in stream.events
                if event["kind"] != "print" or words_of(event["value"]) not in lines
            ],
        )
        for name, stream in run.streams.items()
    }
    return dataclasses.replace(run, streams=streams)


def told_of_versions(version: str, differences: Sequence[Difference], grown: bool) -> list[str]:
    """What today's torch gives otherwise for the code as it was, line by line.

    Args:
        version: the old torch.
        differences: all that differs.
        grown: whether the code needs rewrites to run on today's torch.
    """
    words = [d for d in differences if d.kind == "print" and d.path == "words"]
    others = [d for d in differences if d not in words]
    first = next((d for d in others if d.is_structural), (others or words)[0])
    code = "the code as it was" if not grown else "the code with the rewrites that it needs to run"
    what = "prints other words" if len(words) == len(differences) else "gives something else"
    places: dict[tuple[str, str], list[Difference]] = {}
    for difference in [first, *differences]:
        event = difference.before or difference.after or {}
        of_place = places.setdefault((event.get("at") or "", difference.kind), [])
        if difference not in of_place:
            of_place.append(difference)
    head = f"today's torch {what} for {code} than {version}, which is no rewrite's doing: "
    (place, found), *rest = places.items()
    return [
        head
        + _told_of_place(place[0], found)
        + ("; what comes after it is not compared" if first.is_structural else ""),
        *(f"so does {_told_of_place(at, found)}" for (at, _), found in rest),
    ]


def _told_of_place(at: str, differences: Sequence[Difference]) -> str:
    """What differs on one line: the first time, and how often."""
    first = differences[0]
    event = " ".join(filter(None, (first.kind, (first.before or {}).get("root"))))
    count = len(differences)
    return (
        f"{event} #{first.ordinal}"
        + (f" at {at}" if at else "")
        + f", {first.values[0]} became {first.values[1]}"
        + (f" ({count} differences)" if count > 1 else "")
    )
