"""One device, one program: which of the changes move its numbers?"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from torchfix_codemods.record import record
from torchfix_codemods.verify.compare import Comparison, Difference, Mask, compare, mask_of
from torchfix_codemods.verify.functions import Answer, answers, changed_functions
from torchfix_codemods.verify.hunks import Change, Hunk
from torchfix_codemods.verify.options import VerifyOptions
from torchfix_codemods.verify.run_facts import (
    did_anything,
    fails_more,
    has_trouble,
    is_better,
    last_words,
    same_failure,
    seen,
    stopped,
    tells,
    without,
)
from torchfix_codemods.verify.runs import Event, Run, Runner, Stream
from torchfix_codemods.verify.search import culprits
from torchfix_codemods.verify.sensitivity import WITHOUT_NUMBERS, Sight, sights
from torchfix_codemods.verify.trees import Overrides
from torchfix_codemods.verify.verdicts import FAILED, Outcome, Verdict

Keys = frozenset[str]

_MAX_NEEDED = 8

_EXPLAINED = 3

#: A version that takes so many times as long as the longest run so far hangs, but not before these
#: seconds.
_PATIENCE, _PATIENCE_SECONDS = 10, 120.0

#: How often a program with several processes is run again before a difference is believed.
_MORE_RUNS = 3

#: Which events a rewrite that changes numbers may move, by the code of its rule.
Moves = Callable[[str], Collection[str]]


@record
class Check:
    """A run beside the right one."""

    state: str
    """``same``, ``different`` or ``broken``."""
    comparison: Comparison
    run: Run


class Session:
    """Judges the hunks of a change by runs on one device.

    Args:
        change: the two versions.
        runner: runs the program.
        options: settings.
        device: ``cpu`` or ``cuda``.
        moves: what a rewrite that is meant to change numbers may change.
    """

    def __init__(
        self, change: Change, runner: Runner, options: VerifyOptions, device: str, moves: Moves
    ) -> None:
        self.change = change
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
        self.runs = 0
        self.events = 0
        self._moves = moves
        self._all = {hunk.key: hunk for hunk in change.hunks}
        self._scaffold = frozenset(h.key for h in change.hunks if h.is_scaffold)
        self._known: dict[Any, Run] = {}
        self._legacy = False
        self._mask = Mask()
        self._dependent: Keys = frozenset()
        self._longest = 0.0
        self._said = ""
        self._noisy: Keys = frozenset()
        """The version that is run where memory that nobody has written to holds no zeros."""

    def judge(self) -> tuple[dict[str, Outcome], Mapping[str, Verdict]]:
        """Run the program as often as it takes.

        Returns:
            what is to be said of each hunk, by key; and the verdicts on single rewrites
            (``key@line``) that never ran though others of their hunk did.
        """
        found = self._baseline()
        if isinstance(found, str):
            self.failure, self.output = found, self._said
            outcome = Outcome(Verdict.INCONCLUSIVE, found)
            return dict.fromkeys(self._all, outcome), {}
        base, before = found
        self.failure = stopped(before)
        if self.failure:
            self.output = last_words(before)
        if self.failure and not did_anything(before):
            reason = f"the program ends before it computes anything: {self.failure}"
            return dict.fromkeys(self._all, Outcome(Verdict.INCONCLUSIVE, reason)), {}
        self._mask = mask_of(before, self._again(base))
        unusable = self._unusable(before)
        if self._mask.places:
            count = len(self._mask.places)
            self.notes.append(
                f"{count} value{'s are' if count > 1 else ' is'} not the same in two runs of the"
                " code as it was, and not compared"
            )
        if unusable:
            return dict.fromkeys(self._all, Outcome(Verdict.INCONCLUSIVE, unusable)), {}
        outcomes = dict.fromkeys(base, _needed())
        outcomes.update(self._strict(base, before))
        outcomes.update(self._moving(base, before, outcomes))
        outcomes, single = self._with_coverage(base, before, outcomes)
        self._look_for_unseen(base, before, outcomes)
        return self._with_functions(base, outcomes), single

    def _again(self, base: Keys, number: int = 1) -> Run:
        """One more run of what all is compared with."""
        return self._run(base, repeat=number)

    def _is_unsteady(self, base: Keys, before: Run) -> bool:
        """Whether further runs of what all is compared with differ where the first two did not.

        What they do not agree on is not compared from then on.
        """
        known = self._mask
        for number in range(2, 2 + (_MORE_RUNS if len(before.streams) > 1 else 1)):
            self._mask |= mask_of(before, self._again(base, number))
            if self._mask != known:
                self.notes.append(
                    "what the program computes is not the same each time"
                    " (do its processes or threads share tensors?); only the rest is compared"
                )
                return True
        return False

    def _moves_numbers(self, hunk: Hunk) -> bool:
        """Whether a change is judged by what it says that it changes."""
        return hunk.moves_numbers

    def _strict(self, base: Keys, before: Run) -> dict[str, Outcome]:
        """The outcomes of the changes that must not move any number."""
        hunks = [
            hunk
            for hunk in self.change.hunks
            if hunk.key not in base and not self._moves_numbers(hunk) and not hunk.is_scaffold
        ]
        everything = base | self._scaffold | {hunk.key for hunk in hunks}
        reads = self._read_unwritten(base, before, everything)
        if reads:
            return reads
        check = plain = self._check(everything, before, legacy=False)
        if check.state != "same" and self._legacy:
            check = self._check(everything, before)
        if check.state != "same" and self._is_unsteady(base, before):
            return self._strict(base, before)
        if check.state == "same":
            result = dict.fromkeys(everything - base, self._same(check.comparison))
            result.update(self._alone(base, before, result))
            if plain.state != "same":
                result.update(self._only_with_stand_in(plain, everything, result))
            return result
        blamed = self._scaffold_to_blame(base, before, check)
        if blamed:
            return blamed
        guilty = culprits(
            [hunk.key for hunk in hunks],
            lambda keys: self._check(base | self._scaffold | keys, before).state,
        )
        result = {}
        rest = everything - base - {key for group in guilty for key in group}
        if not guilty:
            # All of them together are right, so what differs comes with the imports.
            guilty = [tuple(self._scaffold & rest)]
            rest -= self._scaffold
        if check.state == "broken" and self._run(frozenset(self._all)).failure is None:
            # They only run together with those that are meant to change numbers.
            self._dependent = frozenset(key for group in guilty for key in group)
            guilty = []
        for number, group in enumerate(guilty):
            result.update(self._guilty(base, before, group, number))
        final = self._check(base | self._scaffold | rest, before)
        result.update(dict.fromkeys(rest, self._same(final.comparison)))
        if self._legacy and plain.run.failure is None:
            result.update(self._moved_by_stand_in(everything, {key: result[key] for key in rest}))
        return {**result, **self._alone(base, before, rest)}

    def _read_unwritten(self, base: Keys, before: Run, everything: Keys) -> dict[str, Outcome]:
        """The outcomes where a change reads memory that nobody has written to, and is right only
        where that holds zeros, as it does in the other runs. Empty: none does.
        """
        self._noisy = everything - base and everything
        if not self._noisy or self._check(everything, before, legacy=False).state == "same":
            return {}
        self._noisy = frozenset()
        whole = self._check(everything, before, legacy=False)
        if whole.state != "same":
            return {}

        def state(keys: Keys) -> str:
            return self._check(keys, before, legacy=False, noisy_memory=True).state

        if state(base) != "same":
            # The program does so by itself.
            return {}
        result = dict.fromkeys(everything - base, self._same(whole.comparison))
        for group in culprits(sorted(everything - base), lambda keys: state(base | keys)):
            check = self._check(base | set(group), before, legacy=False, noisy_memory=True)
            outcome = dataclasses.replace(
                self._outcome(check, None),
                verdict=Verdict.DIFFERENT,
                reason="it reads memory that nobody has written to",
            )
            result.update(dict.fromkeys(group, outcome))
        return result

    def _scaffold_to_blame(self, base: Keys, before: Run, whole: Check) -> dict[str, Outcome]:
        """The outcomes where imports or files that come move numbers though nothing else changed.

        The others are compared with what the program gives with these. Empty: they move nothing.

        Args:
            base: the changes that are taken as given.
            before: the run that is right.
            whole: the version with all changes that must not move a number.
        """
        scaffold = base | self._scaffold
        if scaffold == base:
            return {}
        check = self._check(scaffold, before)
        if check.state == "same" or (check.state, whole.state) == ("broken", "different"):
            return {}
        files = sorted(key for key in scaffold - base if self._all[key].whole is not None)
        imports = scaffold - frozenset(files)
        guilty = [tuple(imports - base)]
        if self._check(imports, before).state == "same":
            guilty = culprits(files, lambda keys: self._check(imports | keys, before).state)
        if check.state == "different":
            rest = self._strict(scaffold, check.run)
        else:
            reason = "what the changed program is to begin with fails"
            keys = {h.key for h in self.change.hunks if not self._moves_numbers(h)} - scaffold
            rest = dict.fromkeys(keys, Outcome(Verdict.INCONCLUSIVE, reason))
        rest.update(dict.fromkeys(scaffold - base, self._same(check.comparison)))
        for number, group in enumerate(guilty):
            alone = self._check(imports | set(group), before)
            operation = None
            if number < _EXPLAINED and alone.state == "different":
                operation = self._operation(base, imports | set(group), alone.comparison.first)
            rest.update(dict.fromkeys(group, self._outcome(alone, operation)))
        return rest

    def _alone(self, base: Keys, before: Run, keys: Iterable[str]) -> dict[str, Outcome]:
        """The outcomes of those that move numbers where others do not undo it.

        That one fails without the others tells nothing: they can belong together.
        """
        result = {}
        for key in sorted(set(keys) - self._scaffold) if self.options.each else ():
            alone = self._check(base | self._scaffold | {key}, before)
            if alone.state == "different":
                result[key] = self._outcome(alone, None)
        return result

    def _only_with_stand_in(
        self, plain: Check, keys: Keys, outcomes: Mapping[str, Outcome]
    ) -> dict[str, Outcome]:
        """What is to be said where the rewritten program is right with a stand-in for the old
        torch only: it is told, and a change on whose lines it fails without, or computes something
        else, is not vouched for.
        """
        failure = plain.run.failure
        if failure is None:
            return self._moved_by_stand_in(keys, outcomes)
        self.still_fails = f"{failure['value']} at {failure['at']}"
        outcome = Outcome(
            Verdict.INCONCLUSIVE, f"its line needs a stand-in for the old torch: {failure['value']}"
        )
        return dict.fromkeys(self._on_line(failure["at"], keys) & outcomes.keys(), outcome)

    def _moved_by_stand_in(self, keys: Keys, outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
        """What is to be said of a version that gives other numbers with a stand-in than without."""
        first = compare(
            self._run(keys),
            self._run(keys, legacy=False),
            rtol=self.options.rtol,
            mask=self._mask,
            bytes_are_bools=True,
        ).first
        if first is None:
            return {}
        parted = _parted(
            *(
                self._run(keys, legacy, ops=True).streams.get(first.stream)
                for legacy in (True, False)
            )
        )
        at = (parted[1] if parted else None) or (first.after or {}).get("at")
        place = f" (computed at {at})" if at else ""
        self.still_differs = f"{first.values[0]} became {first.values[1]}{place}"
        operation = _named(parted) if parted else None
        reason = "its numbers on today's torch are not those of the old one"
        outcome = Outcome(Verdict.DIFFERENT, reason, first, operation, False)
        return dict.fromkeys(self._on_line(at, keys) & outcomes.keys(), outcome)

    def _on_line(self, at: str | None, keys: Keys) -> Keys:
        """The changes that a line of a version, as ``file:line``, belongs to."""
        path, _, line = str(at).rpartition(":")
        return frozenset(
            key
            for key, ranges in self.change.layout(keys).items()
            if self._all[key].path == path
            and any(start < int(line) <= end for start, end in ranges)
        )

    def _guilty(
        self, base: Keys, before: Run, group: Sequence[str], number: int
    ) -> dict[str, Outcome]:
        keys = base | self._scaffold | set(group)
        check = self._check(keys, before)
        if check.state == "same":
            reason = "it moves numbers together with other rewrites only"
            return {key: Outcome(Verdict.DIFFERENT, reason) for key in group}
        operation = None
        if number < _EXPLAINED and check.state == "different":
            operation = self._operation(base, keys, check.comparison.first)
        outcome = self._outcome(check, operation)
        return dict.fromkeys(group, outcome)

    def _moving(self, base: Keys, before: Run, known: Mapping[str, Outcome]) -> dict[str, Outcome]:
        """The outcomes of the changes that are meant to move numbers."""
        hunks = [
            h
            for h in self.change.hunks
            if (self._moves_numbers(h) or h.key in self._dependent) and h.key not in base
        ]
        if not hunks:
            return {}
        good = frozenset(
            key
            for key, outcome in known.items()
            if outcome.verdict in (Verdict.EQUIVALENT, Verdict.INCONCLUSIVE)
        )
        good |= base | self._scaffold
        states = self.runner.scratch("random-states")
        right = self._run(good, keep_random=states)
        together = self._moved(good, right, hunks, states)
        if together.verdict in (Verdict.EQUIVALENT, Verdict.EXPECTED) or len(hunks) == 1:
            return {hunk.key: together for hunk in hunks}
        return {hunk.key: self._moved(good, right, [hunk], states) for hunk in hunks}

    def _moved(self, good: Keys, right: Run, hunks: Sequence[Hunk], states: str) -> Outcome:
        keys = good | {hunk.key for hunk in hunks}
        run = self._run(keys, replay_random=states)
        comparison = self._compare(right, run)
        if fails_more(right, run):
            return self._outcome(Check("broken", comparison, run), None)
        if not comparison.differences:
            return self._same(comparison)
        allowed = {
            kind
            for hunk in hunks
            for finding in hunk.findings
            for kind in finding.moves or self._moves(finding.code)
        }
        unexpected = [d for d in comparison.differences if not _is_expected(d, allowed)]
        if not unexpected and any(d.is_structural for d in comparison.differences):
            # What comes behind it was not compared.
            unexpected = self._compare(without(right, allowed), without(run, allowed)).differences
        if unexpected:
            unexpected_only = Comparison(differences=unexpected, compared=comparison.compared)
            return self._outcome(Check("different", unexpected_only, run), None)
        kinds = ", ".join(sorted({d.kind for d in comparison.differences}))
        count = len({(d.stream, d.index) for d in comparison.differences})
        return Outcome(
            Verdict.EXPECTED,
            f"{count} of {comparison.compared} events changed ({kinds})",
            comparison.first,
        )

    def _baseline(self) -> tuple[Keys, Run] | str:
        """The version to compare with, and its run; or why there is none.

        It is the code as it was, if need be with a stand-in for the old torch. Where that does not
        run either, as few of the rewrites as possible are taken as given.
        """
        nothing: Keys = frozenset()
        run = self._run(nothing, legacy=False)
        self._said = last_words(run)
        if not has_trouble(run):
            return nothing, run
        failure = run.failure
        self._legacy = True
        with_stand_in = self._run(nothing)
        if is_better(with_stand_in, run) or self._ends_as_rewritten(with_stand_in, run):
            run = with_stand_in
            self.notes.append(
                "the code as it was runs with a stand-in for the old torch"
                + (f" (without: {failure['value']})" if failure is not None else "")
            )
        else:
            self._legacy = False
        if run.failure is None:
            return nothing, run
        after = self._rewritten()
        if after.failure is not None and same_failure(after.failure, run.failure):
            self.notes.append(
                f"the program ends with {run.failure['value']} before and after the rewrites"
            )
            return nothing, run
        return self._with_needed(run, ends=after.failure)

    def _rewritten(self) -> Run:
        """A run with all rewrites, on today's torch."""
        return self._run(frozenset(self._all), legacy=False)

    def _ends_as_rewritten(self, run: Run, other: Run) -> bool:
        """Whether a run, but not another one, ends with the error of the rewritten program."""
        if run.failure is None or other.failure is None or same_failure(run.failure, other.failure):
            return False
        ends = self._rewritten().failure
        return ends is not None and same_failure(run.failure, ends)

    def _with_needed(
        self, run: Run, base: Keys = frozenset(), ends: Event | None = None
    ) -> tuple[Keys, Run] | str:
        """The version to compare with where the code as it was fails, and its run.

        Args:
            run: the one that fails.
            base: the rewrites in it.
            ends: the error that the program ends with after all rewrites.
        """
        assert run.failure is not None
        first = run.failure
        keys = base | {hunk.key for hunk in self.change.hunks if hunk.is_restored}
        for _ in range(_MAX_NEEDED):
            if keys:
                run = self._run(keys)
            if run.failure is None:
                self.notes.append(
                    f"the code as it was does not run here ({first['value']}); it is compared from"
                    f" where {len(keys)} rewrites let it run"
                )
                return keys, run
            if ends is not None and self._ends_alike(run.failure, ends, keys):
                self.notes.append(
                    f"the code as it was ends with {first['value']}; with {len(keys)} rewrites, as"
                    f" with all, it runs until {run.failure['value']}"
                )
                return keys, run
            more = self._hunks_at(run.failure, keys)
            if not more:
                break
            keys |= more
        last = run.failure or first
        return f"the program fails with and without the rewrites: {last['value']}"

    def _ends_alike(self, failure: Event, ends: Event, keys: Keys) -> bool:
        """Whether a program fails as it does after all rewrites, and at no line of theirs."""
        if not same_failure(failure, ends):
            return False
        layout = self.change.layout(keys)
        return not any(
            hunk.path == path and any(a <= int(number or 1) - 1 < b for a, b in layout[hunk.key])
            for path, _, number in (place.rpartition(":") for place in failure["frames"])
            for hunk in self.change.hunks
        )

    def _hunks_at(self, failure: Event, keys: Keys) -> Keys:
        """The hunks that are not applied where an error came from: its lines, else its file."""
        layout = self.change.layout(keys)
        rest = [hunk for hunk in self.change.hunks if hunk.key not in keys and not hunk.is_scaffold]
        paths = []
        for place in reversed(failure["frames"]):
            path, _, number = place.rpartition(":")
            paths.append(path)
            found = {
                hunk.key
                for hunk in rest
                if hunk.path == path
                and any(a <= int(number or 1) - 1 < b for a, b in layout[hunk.key])
            }
            if found:
                return frozenset(found)
        for path in paths:
            found = {hunk.key for hunk in rest if hunk.path == path}
            if found:
                return frozenset(found)
        return frozenset(hunk.key for hunk in rest)

    def _unusable(self, before: Run) -> str:
        """Why nothing can be said on the ground of a run; empty: something can."""
        if not tells(before):
            return "the program did nothing that can be compared"
        comparison = self._compare(before, before)
        if comparison.compared == 0:
            return "no two runs of the program before the rewrites do the same"
        ends = [end for end in self._mask.ends if end[0] == "main"]
        if ends:
            self.notes.append(
                f"two runs of the code as it was part at event {ends[0][1]}; only what comes"
                " before is compared"
            )
        return ""

    def _with_coverage(
        self, base: Keys, before: Run, outcomes: Mapping[str, Outcome]
    ) -> tuple[dict[str, Outcome], Mapping[str, Verdict]]:
        """The outcomes, less good where the lines never ran or nothing was seen of them."""
        after = self._run(frozenset(outcomes), legacy=False)
        if after.failure is not None:
            after = self._run(frozenset(outcomes))
        result = dict(outcomes)
        single: dict[str, Verdict] = {}
        for key, outcome in outcomes.items():
            if outcome.verdict not in (Verdict.EQUIVALENT, Verdict.EXPECTED):
                continue
            hunk = self._all[key]
            told = [seen(run, key, self._mask) for run in (before, after)]
            if True not in told:
                never = told == [None, None]
                reason = "the program did not open it" if never and hunk.whole else ""
                verdict = Verdict.NOT_EXECUTED if never else Verdict.NOT_OBSERVED
                result[key] = Outcome(verdict, reason)
                continue
            for finding in hunk.findings:
                name = f"{key}@{finding.line}"
                if name in before.watched and seen(before, name, self._mask) is None:
                    single[name] = Verdict.NOT_EXECUTED
        return result, single

    def _sights(
        self, asked: Sequence[str], keys: Keys, reference: Run, legacy: bool
    ) -> dict[str, Sight]:
        """Which values of changed lines are seen in a version."""
        return sights(
            asked,
            self.change.watched(keys),
            reference,
            self._mask,
            functools.partial(self._run, keys, legacy=legacy),
            self._longest,
        )

    def _look_for_unseen(self, base: Keys, before: Run, outcomes: dict[str, Outcome]) -> None:
        """Say less of changes whose values nothing that was compared is known to depend on."""
        if not self.options.looks_for_unseen:
            return
        keys = frozenset(k for k, outcome in outcomes.items() if outcome.verdict not in FAILED)
        legacy = self._run(keys, legacy=False).failure is not None
        asked = [
            key
            for key, outcome in outcomes.items()
            if outcome.verdict is Verdict.EQUIVALENT and not _only_names(self._all[key])
        ]
        found = self._sights(asked, keys, self._run(keys, legacy=legacy), legacy)
        # What takes a call away, say, has no number that the old lines do not have.
        rest = [key for key, sight in found.items() if sight == WITHOUT_NUMBERS]
        as_it_was = self._run(base) if rest else before
        if not fails_more(before, as_it_was):
            found.update(self._sights(rest, base, as_it_was, True))
        for key, sight in found.items():
            if sight.is_seen is None:
                reason = f"{outcomes[key].reason}, but {sight.why}"
                outcomes[key] = dataclasses.replace(
                    outcomes[key], verdict=Verdict.EQUAL, reason=reason
                )
            elif not sight.is_seen:
                outcomes[key] = Outcome(Verdict.NOT_OBSERVED)

    def _with_functions(self, base: Keys, outcomes: dict[str, Outcome]) -> dict[str, Outcome]:
        """The outcomes, with what the changed functions say for themselves.

        A function whose results go nowhere can still be compared, and one whose rewrite moves
        numbers may be named.
        """
        unclear = (Verdict.NOT_OBSERVED, Verdict.EQUAL, Verdict.DIFFERENT)
        asked = [key for key, outcome in outcomes.items() if outcome.verdict in unclear]
        functions = changed_functions(self.change)
        if not any(key in functions.by_hunk for key in asked):
            return outcomes
        run = self._run(base, shadows=functions.shadows)
        told = answers(run, self.options.rtol, self._legacy)
        failed = {
            functions.by_hunk.get(key)
            for key in asked
            if outcomes[key].verdict is Verdict.DIFFERENT
        }
        for key in asked:
            name = functions.by_hunk.get(key, "")
            # Of several changes in one function, the one that was found is to blame.
            if name in told and (outcomes[key].verdict in FAILED or name not in failed):
                outcomes[key] = _with_answer(outcomes[key], name, told[name])
        return outcomes

    def _check(self, keys: Keys, before: Run, legacy: bool = True, **settings: Any) -> Check:
        run = self._run(keys, legacy=legacy, **settings)
        comparison = self._compare(before, run)
        if fails_more(before, run):
            return Check("broken", comparison, run)
        state = "different" if comparison.differences else "same"
        return Check(state, comparison, run)

    def _compare(self, before: Run, after: Run) -> Comparison:
        comparison = compare(
            before,
            after,
            rtol=self.options.rtol,
            mask=self._mask,
            bytes_are_bools=self._legacy,
        )
        self.events = max(self.events, comparison.compared)
        self._mask |= Mask(ends=tuple(comparison.ends.items()))
        return comparison

    def _same(self, comparison: Comparison) -> Outcome:
        reason = "bit for bit"
        if not comparison.is_exact:
            largest = comparison.largest
            reason = f"within {largest:.1g}" if largest else "as it is printed"
        return Outcome(Verdict.EQUIVALENT, reason, is_exact=comparison.is_exact)

    def _outcome(self, check: Check, operation: str | None) -> Outcome:
        if check.state == "broken":
            ended = f"the program ends with status {check.run.status}"
            failure = check.run.failure or {"value": ended, "at": None}
            where = f" at {failure['at']}" if failure.get("at") else ""
            failed = [d for d in check.comparison.differences if d.kind == "test"]
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
        if difference is None:
            return None
        parted = _parted(
            *(
                self._run(chosen, ops=True).streams.get(difference.stream)
                for chosen in (base | self._scaffold if base else base, keys)
            )
        )
        return _named(parted) if parted else None

    def _run(self, keys: Keys, legacy: bool = True, **settings: Any) -> Run:
        uses_legacy = legacy and self._legacy
        applied = frozenset(keys & self._all.keys())
        if self._noisy and applied == self._noisy and not uses_legacy:
            settings["noisy_memory"] = True
        known = (applied, uses_legacy, repr(sorted(settings.items())))
        if known not in self._known:
            shims = [*self._shims(), *(["legacy"] if uses_legacy else [])]
            settings = {key: value for key, value in settings.items() if key != "repeat"}
            watched = self.change.watched(applied)
            if self._longest:
                patience = max(_PATIENCE_SECONDS, _PATIENCE * self._longest)
                settings["timeout"] = min(self.options.timeout, patience)
            self._tell()
            run = self._started(self.change.overrides(applied), watched, shims=shims, **settings)
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

    def _started(self, overrides: Overrides, watched: Mapping[str, Any], **settings: Any) -> Run:
        return self.runner.run(overrides, watched, **settings)

    def _shims(self) -> list[str]:
        shims = []
        if self.device == "cpu" and self.options.cpu_shim is not False:
            shims.append("cuda")
        if self.options.fake_data:
            shims.append("datasets")
        return shims


def _parted(ours: Stream | None, theirs: Stream | None) -> tuple[str, str | None] | None:
    """The first operation that gave something else in one of two runs, and its line."""
    if ours is None or theirs is None:
        return None
    for one, other in zip(ours.ops, theirs.ops, strict=False):
        if (one["op"], one["c"]) != (other["op"], other["c"]):
            same = one["op"] == other["op"]
            names = one["op"] if same else f"{one['op']} became {other['op']}"
            return str(names), other["at"] or one["at"]
    return None


def _named(parted: tuple[str, str | None]) -> str:
    names, at = parted
    return f"{names} at {at}" if at else names


def _only_names(hunk: Hunk) -> bool:
    """Whether a change only brings names, or only takes some: what uses them is looked at."""
    if not hunk.is_scaffold or hunk.whole is not None:
        return False
    return not any(end > start for (start, end), _ in hunk.parts) or not any(
        end > start for _, (start, end) in hunk.parts
    )


def _with_answer(outcome: Outcome, name: str, answer: Answer) -> Outcome:
    if answer.difference is None:
        if outcome.verdict in (Verdict.NOT_OBSERVED, Verdict.EQUAL) and answer.calls:
            reason = f"{name} gives the same in {answer.calls} calls that the program makes"
            return Outcome(Verdict.EQUIVALENT, reason)
        return outcome
    what, before, after = answer.difference
    reason = f"called with the same, {name} gives {before} before and {after} after ({what})"
    return dataclasses.replace(outcome, verdict=Verdict.DIFFERENT, reason=reason)


def _needed() -> Outcome:
    return Outcome(
        Verdict.INCONCLUSIVE, "the program does not run without it, so there is nothing to compare"
    )


def _is_expected(difference: Difference, allowed: Collection[str]) -> bool:
    if difference.kind == "forward" and "evaluation" in allowed:
        event = difference.after or {}
        return event.get("mode") == "eval" or "forward" in allowed
    if difference.is_container and "container" in allowed:
        return True
    if difference.kind == "file":
        return "print" in allowed or "save" in allowed
    if difference.kind == "result":
        # What may be printed may be left behind.
        return "print" in allowed
    return difference.kind in allowed
