"""Versions of a program, each run once, and compared with the one that is right."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from torchfix_codemods.record import record
from torchfix_codemods.verify.bundle import write_bundle
from torchfix_codemods.verify.command import CommandError
from torchfix_codemods.verify.comparer import Comparer, OnOneTorch
from torchfix_codemods.verify.comparing.compare import Comparison, Difference, Mask, compare
from torchfix_codemods.verify.comparing.drift import WORDS, is_right_step_by_step, may_be_drift
from torchfix_codemods.verify.hunks import Change, Hunk
from torchfix_codemods.verify.options import VerifyOptions
from torchfix_codemods.verify.run_facts import (
    fails_more,
    last_words,
)
from torchfix_codemods.verify.runs import Run, Runner, Stream
from torchfix_codemods.verify.verdicts import Outcome, Verdict

Keys = frozenset[str]

#: A version that takes so many times as long as the longest run so far hangs, but not before these
#: seconds.
_PATIENCE, _PATIENCE_SECONDS = 10, 120.0

#: Which events a rewrite that changes numbers may move, by the code of its rule.
Moves = Callable[[str], Collection[str]]


@record
class Check:
    """A run beside the right one."""

    state: str
    """``same``, ``different`` or ``broken``."""
    comparison: Comparison
    run: Run


class Versions:
    """Runs versions of a program, each with some of the changes, and compares them.

    Args:
        change: the two versions.
        runner: runs the program.
        options: settings.
        device: ``cpu`` or ``cuda``.
        moves: what a rewrite that is meant to change numbers may change.
        comparer: compares a version with the one that is right; None: both run on one torch.
        start: runs a version, given what its files hold, what is watched, and settings; None: as
            it is.
        explains: whether it is looked for what a difference comes from, in further runs.
    """

    def __init__(
        self,
        change: Change,
        runner: Runner,
        options: VerifyOptions,
        device: str,
        moves: Moves,
        *,
        comparer: Comparer | None = None,
        start: Callable[..., Run] | None = None,
        explains: bool = True,
    ) -> None:
        self.change = change
        self.comparer = comparer or OnOneTorch(options.rtol)
        self.explains = explains
        self._start = start or runner.run
        self._on_one_torch = OnOneTorch(options.rtol)
        self.runner = runner
        self.options = options
        self.device = device
        self.notes: list[str] = []
        self.failure = ""
        """How the program ended, where it did not do what it was started for."""
        self.output = ""
        """What it printed last, then."""
        self.still_fails = ""
        """How the rewritten program ends without a stand-in for the old torch, if not well."""
        self.still_differs = ""
        """What it computes otherwise than with one."""
        self.bundle = ""
        """The folder that a failure was written to."""
        self.before: Run | None = None
        """The run that all is compared with."""
        self.base: Keys = frozenset()
        """The changes in it."""
        self.runs = 0
        self.events = 0
        self._moves = moves
        self.legacy = False
        """Whether there is a stand-in for the old torch."""
        self.said = ""
        """What the code as it was printed last."""
        self.hunks = {hunk.key: hunk for hunk in change.hunks}
        self.scaffold = frozenset(h.key for h in change.hunks if h.is_scaffold)
        self._known: dict[Any, Run] = {}
        self.mask = Mask()
        """What is not compared, as runs of one version do not agree on it."""
        self._dependent: Keys = frozenset()
        self._longest = 0.0
        self._noisy: Keys = frozenset()
        """The version that is run where memory that nobody has written to holds no zeros."""

    def moves_numbers(self, hunk: Hunk) -> bool:
        """Whether a change is judged by what it says that it changes."""
        return self.comparer.moves_numbers(hunk)

    def check(self, keys: Keys, before: Run, legacy: bool = True, **settings: Any) -> Check:
        """Run a version and hold it against the run that is right.

        Args:
            keys: the changes in it.
            before: the run that is right.
            legacy: whether it may have the stand-in for the old torch, if there is one.
            settings: of the run.
        """
        run = self.run(keys, legacy=legacy, **settings)
        comparison = self.compare(before, run)
        if fails_more(before, run):
            return Check("broken", comparison, run)
        if not comparison.differences:
            return Check("same", comparison, run)
        if not settings:
            in_steps = self._step_by_step(keys, before, run, comparison, legacy)
            if in_steps is not None:
                return Check("same", in_steps, run)
        return Check("different", comparison, run)

    def _step_by_step(
        self, keys: Keys, before: Run, run: Run, comparison: Comparison, legacy: bool
    ) -> Comparison | None:
        """How a version compares where each call of a module begins as in the right run; None: its
        numbers do not part little by little, or not because of that only.
        """
        known = next((key for key, each in self._known.items() if each is before), None)
        settings: dict[str, Any] = {"mask": self.mask, "bytes_are_bools": self.legacy}
        if known is None or not may_be_drift(
            before, run, comparison, rtol=self.options.rtol, **settings
        ):
            return None
        base, uses_legacy, _ = known
        steps = self.runner.scratch(f"steps{list(self._known).index(known)}")
        self.run(base, legacy=uses_legacy, keep_steps=steps)
        following = self.run(keys, legacy=legacy, follow_steps=steps)
        if not is_right_step_by_step(following, self.options.rtol):
            return None
        found = compare(before, following, rtol=self.options.rtol, in_steps=True, **settings)
        found.otherwise.add(WORDS)
        return None if found.differences or fails_more(before, following) else found

    def compare(self, before: Run, after: Run, is_alone: bool = False) -> Comparison:
        """Hold a run against another one.

        Args:
            before: the run that is right.
            after: the other one.
            is_alone: whether both are runs on today's torch anyway.
        """
        comparer = self._on_one_torch if is_alone else self.comparer
        comparison = comparer.compare(before, after, self.mask, self.legacy)
        self.events = max(self.events, comparison.compared)
        if not comparer.is_across:
            self.mask |= Mask(ends=tuple(comparison.ends.items()))
        return comparison

    def same(self, comparison: Comparison, is_alone: bool = False) -> Outcome:
        """The outcome of changes that move no number.

        Args:
            comparison: with the run that is right.
            is_alone: whether that is one on today's torch anyway.
        """
        reason = "bit for bit"
        if not comparison.is_exact:
            largest = comparison.largest
            reason = f"within {largest:.1g}" if largest else "as it is printed"
        if comparison.otherwise:
            reason += f" ({', '.join(sorted(comparison.otherwise))})"
        said = reason if is_alone else self.comparer.said(reason)
        return Outcome(Verdict.EQUIVALENT, said, is_exact=comparison.is_exact)

    def outcome(self, check: Check, operation: str | None) -> Outcome:
        """The outcome of changes that move a number, or with which the program fails.

        Args:
            check: the version with them.
            operation: what gave something else first; None: that is not known.
        """
        if check.state == "broken":
            ended = f"the program ends with status {check.run.status}"
            failure = check.run.failure or {"value": ended, "at": None}
            where = f" at {failure['at']}" if failure.get("at") else ""
            failed = [
                d
                for d in check.comparison.differences
                if d.kind == "test" or (d.after or {}).get("kind") == "test"
            ]
            if check.run.failure is None and failed:
                event = failed[0].after or {}
                reason = f"{event.get('test')}: {event.get('reason') or event.get('value')}"
                return Outcome(Verdict.BROKEN, reason, failed[0])
            reason = f"{failure['value']}{where}"
            said = last_words(check.run)
            return Outcome(Verdict.BROKEN, reason, check.comparison.first, output=said)
        return Outcome(Verdict.DIFFERENT, "", check.comparison.first, operation, False)

    def _operation(self, base: Keys, keys: Keys, difference: Difference | None) -> str | None:
        """The first operation that gave something else, for a difference that was found."""
        if difference is None or not self.explains:
            return None
        parted = parting(
            *(
                self.run(chosen, ops=True).streams.get(difference.stream)
                for chosen in (base | self.scaffold if base else base, keys)
            )
        )
        return named(parted) if parted else None

    def _apart(self, base: Keys, keys: Keys, difference: Difference | None) -> str:
        """How far the first tensors that differ lie apart, for people; and what is wanted of a
        failure to be taken along is written. Empty: an event that differs holds no such tensors.
        """
        if difference is None or difference.stream != "main" or not self.explains:
            return ""
        if self.comparer.is_across:
            # Tensors of two versions of torch cannot be laid side by side in one of them.
            return ""
        if difference.before is None or difference.after is None:
            return ""
        ours = base | self.scaffold if base else base
        if self.options.bundle is not None and not self.bundle:
            shims = [*self.shims(), *(["legacy"] if self.legacy else [])]
            both = map(self.change.with_linked, (ours, keys))
            sides = [(self.change.overrides(chosen), shims) for chosen in both]
            try:
                write_bundle(
                    self.options.bundle, self.runner, sides, difference, self._lines_of(keys)
                )
            except OSError as error:
                raise CommandError(f"--bundle: it cannot be written: {error}") from error
            self.bundle = str(self.options.bundle)
        file = self.runner.scratch("tensors.pt")
        events = difference.before["n"], difference.after["n"]
        self.run(ours, capture={"event": events[0], "keep": file})
        run = self.run(keys, capture={"event": events[1], "against": file})
        main = run.streams.get("main")
        apart = main.end.get("apart") if main is not None and main.end is not None else None
        if not apart:
            return ""
        names = {"most": "max abs", "relative": "relative", "cosine": "cosine"}
        return ", ".join(
            f"{said} {apart[name]:.3g}" for name, said in names.items() if apart[name] is not None
        )

    def _lines_of(self, keys: Keys) -> list[str]:
        """Where changes are in the code as it was."""
        hunks = (self.hunks[key] for key in sorted(keys))
        return [f"{hunk.path}:{hunk.before_lines[0] + 1}" for hunk in hunks]

    def _on_line(self, at: str | None, keys: Keys) -> Keys:
        """The changes that a line of a version, as ``file:line``, belongs to."""
        path, _, line = str(at).rpartition(":")
        return frozenset(
            key
            for key, ranges in self.change.layout(keys).items()
            if self.hunks[key].path == path
            and any(start < int(line) <= end for start, end in ranges)
        )

    def run(self, keys: Keys, legacy: bool = True, **settings: Any) -> Run:
        """Run a version; each is run once.

        Args:
            keys: the changes in it.
            legacy: whether it has the stand-in for the old torch, if there is one.
            settings: of the run; ``repeat`` only says that it is another one.
        """
        uses_legacy = legacy and self.legacy
        applied = self.change.with_linked(keys & self.hunks.keys())
        if self._noisy and applied == self._noisy and not uses_legacy:
            settings["noisy_memory"] = True
        known = (applied, uses_legacy, repr(sorted(settings.items())))
        if known not in self._known:
            shims = [*self.shims(), *(["legacy"] if uses_legacy else [])]
            settings = {key: value for key, value in settings.items() if key != "repeat"}
            watched = self.change.watched(applied)
            if self._longest:
                patience = max(_PATIENCE_SECONDS, _PATIENCE * self._longest)
                settings["timeout"] = min(self.options.timeout, patience)
            self._tell()
            run = self._start(self.change.overrides(applied), watched, shims=shims, **settings)
            run.watched = frozenset(key for ranges in watched.values() for key in ranges)
            self._known[known] = run
            if run.failure is None:
                self._longest = max(self._longest, run.seconds)
            if "nudge" not in settings:
                # The others mostly end where they begin.
                self.runs += 1
        return self._known[known]

    def _tell(self) -> None:
        if self.options.tell is not None:
            took = f", the longest so far took {self._longest:.0f} s" if self._longest else ""
            self.options.tell(f"run {self.runs + 1} on {self.device}{took}")

    def saving_inputs(self, asked: Mapping[str, Any], file: str) -> Run:
        """A run of what all is compared with that keeps what functions are called with.

        Args:
            asked: the functions, see :mod:`.inside.replay.saving`.
            file: where to.
        """
        return self.run(self.base, save_inputs=asked, saved_inputs=file)

    def shims(self) -> list[str]:
        """The stand-ins of each run but for that of the old torch."""
        shims = []
        if self.device == "cpu" and self.options.cpu_shim is not False:
            shims.append("cuda")
        if self.options.fake_data:
            shims.append("datasets")
        return shims


def parting(ours: Stream | None, theirs: Stream | None) -> tuple[str, str | None] | None:
    """The first operation that gave something else in one of two runs, and its line."""
    if ours is None or theirs is None:
        return None
    for one, other in zip(ours.ops, theirs.ops, strict=False):
        if (one["op"], one["c"]) != (other["op"], other["c"]):
            same = one["op"] == other["op"]
            names = one["op"] if same else f"{one['op']} became {other['op']}"
            return str(names), other["at"] or one["at"]
    return None


def named(parted: tuple[str, str | None]) -> str:
    names, at = parted
    return f"{names} at {at}" if at else names
