"""The program on a real old torch is right, and the rewritten one on today's has to agree."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import Any

from torchfix_codemods.finding import Numerics
from torchfix_codemods.verify.comparing.compare import Comparison, Difference, compare
from torchfix_codemods.verify.comparing.printed import same_numbers, words_of
from torchfix_codemods.verify.hunks import Change, Hunk
from torchfix_codemods.verify.options import VerifyOptions
from torchfix_codemods.verify.runs import Run, Runner, Stream
from torchfix_codemods.verify.session import Session
from torchfix_codemods.verify.trees import Overrides
from torchfix_codemods.verify.verdicts import Outcome, Verdict
from torchfix_codemods.verify.versions import Keys, Moves

#: Settings of runs that are compared with runs on the same torch only.
_ALONE = frozenset({"keep_random", "replay_random", "shadows"})

#: Rewrites that are to bring old numbers back are blamed for so many times the tolerance only.
_FAR = 100.0


class OracleSession(Session):
    """Judges the hunks of a change by what the old code gives on an old torch.

    Both sides draw the same random numbers, and today's side begins each call of a module with the
    parameters, and each step with the gradients, that the old side had there.

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
        super().__init__(change, runner, options, "cpu", moves)
        self.version = f"torch {old.versions['torch']}"
        self._states = old.scratch("states")
        self._old = _OldSession(change, old, options, moves, runner.scratch(""))
        self._today: Run | None = None
        self._differs_today: dict[Any, Difference] = {}
        self._lines: tuple[frozenset[str], frozenset[str]] = frozenset(), frozenset()
        self._is_across = True

    def judge(self) -> tuple[dict[str, Outcome], Mapping[str, Verdict]]:
        outcomes, single = super().judge()
        self.runs += self._old.runs
        return outcomes, single

    def _baseline(self) -> tuple[Keys, Run] | str:
        found = self._old.baseline()
        self._said = self._old._said
        self.notes += [f"on {self.version}: {note}" for note in self._old.notes]
        if isinstance(found, str):
            return f"on {self.version}: {found}"
        failure = found[1].failure
        if failure is not None and failure["value"].startswith(("ModuleNotFound", "ImportError")):
            return f"on {self.version} the program fails: {failure['value']}{self._advice()}"
        return found

    def _advice(self) -> str:
        python = self._old.runner.command.python
        return f" (install what it needs besides torch by {python} -m pip install …)"

    def _again(self, base: Keys, number: int = 1) -> Run:
        return self._old.again(base, self._states)

    def _is_unsteady(self, base: Keys, before: Run) -> bool:
        # A further run would change what today's torch begins with.
        return False

    def _read_unwritten(self, base: Keys, before: Run, everything: Keys) -> dict[str, Outcome]:
        # What the old torch found there is not known.
        return {}

    def _moves_numbers(self, hunk: Hunk) -> bool:
        return Numerics.CHANGED in hunk.numerics

    def _started(self, overrides: Overrides, watched: Mapping[str, Any], **settings: Any) -> Run:
        if not _ALONE & settings.keys():
            settings.update(portable=True, forced_states=self._states)
        return super()._started(overrides, watched, **settings)

    def _strict(self, base: Keys, before: Run) -> dict[str, Outcome]:
        hunks = [hunk for hunk in self.change.hunks if not self._moves_numbers(hunk)]
        everything = base | self._scaffold | {hunk.key for hunk in hunks}
        check = self._check(everything, before, legacy=False)
        self._tell_of_forcing(check.run)
        needed: dict[str, Outcome] = {}
        if check.state != "same":
            needed = self._from_today(base, before)
        grown = base | needed.keys()
        result = {**needed, **super()._strict(grown, before)}
        if check.state != "same":
            result.update(self._not_restored(before, result, base))
        return result

    def _from_today(self, base: Keys, before: Run) -> dict[str, Outcome]:
        """See how today's torch runs the old code, to tell versions of torch from rewrites.

        Returns:
            the outcomes of the rewrites without which it does not run.
        """
        run = self._run(base, legacy=False)
        self._legacy = True
        if run.failure is not None and before.failure is None:
            run = self._run(base)
        outcomes: dict[str, Outcome] = {}
        if run.failure is not None and before.failure is None:
            found = self._with_needed(run, base)
            if isinstance(found, str):
                return {}
            keys, run = found
            self.notes.pop()
            check = self._check(keys, before)
            outcome = self._same(check.comparison)
            if check.state != "same":
                outcome = self._outcome(check, None)
            outcomes = dict.fromkeys(keys - base, outcome)
        differences = self._compare(before, run).differences
        if any(d.is_structural for d in differences):
            self._lines = _own_lines(before, run), _own_lines(run, before)
            differences = self._compare(before, run).differences
        self._differs_today = {difference.key: difference for difference in differences}
        if differences:
            self.notes += told_of_versions(self.version, differences, bool(outcomes))
        return outcomes

    def _compare(self, before: Run, after: Run) -> Comparison:
        if not self._is_across:
            return super()._compare(before, after)
        comparison = self._across(before, after, self.options.rtol)
        self.events = max(self.events, comparison.compared)
        mine = comparison.differences
        comparison.excused = [d for d in mine if self._is_excused(d)]
        comparison.differences = [d for d in mine if not self._is_excused(d)]
        return comparison

    def _across(self, before: Run, after: Run, rtol: float) -> Comparison:
        own, todays = self._lines
        return compare(
            _without(before, own),
            _without(after, todays),
            rtol=rtol,
            mask=self._mask,
            bytes_are_bools=True,
            across=True,
        )

    def _far(self, before: Run, after: Run) -> list[Difference]:
        """Where numbers differ by more than versions of torch do that mean the same."""
        differences = self._across(before, after, self.options.rtol * _FAR).differences
        return [d for d in differences if not (d.kind == "print" and d.path == "words")]

    def _is_excused(self, difference: Difference) -> bool:
        """Whether today's torch gives the same for the code as it was."""
        known = self._differs_today.get(difference.key)
        if known is None or known.kind != difference.kind:
            return False
        if difference.is_structural:
            return known.values == difference.values
        if difference.kind == "print" and difference.path == "words":
            if words_of(known.values[1]) == words_of(difference.values[1]) and same_numbers(
                *difference.values, self.options.rtol
            ):
                return True
        return _agree(known, difference, self.options.rtol)

    def _not_restored(
        self, before: Run, outcomes: Mapping[str, Outcome], base: Keys
    ) -> dict[str, Outcome]:
        """The outcomes of rewrites that are to bring old numbers back, and do not."""
        good = frozenset(key for key, o in outcomes.items() if o.verdict is Verdict.EQUIVALENT)
        keys = good | base | self._scaffold
        plain = self._run(keys, legacy=False)
        legacy = plain.failure is not None
        left = self._far(before, self._run(keys) if legacy else plain)
        result = {}
        for key in sorted(good) if left else ():
            if Numerics.PINNED not in self._all[key].numerics:
                continue
            without = self._run(keys - {key}, legacy)
            if without.failure is None and len(self._far(before, without)) <= len(left):
                reason = f"the numbers of {self.version} do not come back"
                result[key] = Outcome(Verdict.DIFFERENT, reason, left[0], is_exact=False)
        return result

    def _moving(self, base: Keys, before: Run, known: Mapping[str, Outcome]) -> dict[str, Outcome]:
        self._is_across = False
        try:
            return super()._moving(base, before, known)
        finally:
            self._is_across = True

    def _with_functions(self, base: Keys, outcomes: dict[str, Outcome]) -> dict[str, Outcome]:
        # A function called by itself on today's torch says nothing of what it gave on the old one.
        return outcomes

    def _apart(self, base: Keys, keys: Keys, difference: Difference | None) -> str:
        # Tensors of two versions of torch cannot be laid side by side in one of them.
        return ""

    def _same(self, comparison: Comparison) -> Outcome:
        outcome = super()._same(comparison)
        if not self._is_across:
            return outcome
        return dataclasses.replace(outcome, reason=f"equal to {self.version} {outcome.reason}")

    def _tell_of_forcing(self, run: Run) -> None:
        main = run.streams.get("main")
        end = main.end if main is not None else None
        if end and end.get("free"):
            self.notes.append(
                f"parameters follow those of {self.version} for {end['forced']} calls and steps"
                f" only: {end['free']}"
            )


class _OldSession(Session):
    """The program on the old torch."""

    def __init__(
        self, change: Change, runner: Runner, options: VerifyOptions, moves: Moves, today: str
    ) -> None:
        super().__init__(change, runner, options, "cpu", moves)
        self._folders = os.path.join(runner.scratch(""), ""), os.path.join(today, "")

    def baseline(self) -> tuple[Keys, Run] | str:
        """What is compared with."""
        return self._baseline()

    def again(self, base: Keys, states: str) -> Run:
        """A second run, which keeps what today's torch is to begin with."""
        return self._run(base, keep_states=states)

    def _started(self, overrides: Overrides, watched: Mapping[str, Any], **settings: Any) -> Run:
        run = super()._started(overrides, watched, portable=True, **settings)
        for stream in run.streams.values():
            for event in stream.events:
                if event["kind"] in ("print", "error"):
                    event["value"] = event["value"].replace(*self._folders)
        return run


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
