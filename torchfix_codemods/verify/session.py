"""One device, one program: which of the changes move its numbers?"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from torchfix_codemods.record import record
from torchfix_codemods.verify.baseline import Baseline
from torchfix_codemods.verify.blame import Blame
from torchfix_codemods.verify.comparing.compare import Comparison, Difference, mask_of
from torchfix_codemods.verify.functions import Answer, Functions, answers, changed_functions
from torchfix_codemods.verify.hunks import Change, Hunk
from torchfix_codemods.verify.options import VerifyOptions
from torchfix_codemods.verify.run_facts import (
    did_anything,
    fails_more,
    failures_of_tests,
    last_words,
    seen,
    stopped,
    without,
)
from torchfix_codemods.verify.runs import Run, Runner
from torchfix_codemods.verify.sensitivity import WITHOUT_NUMBERS, Sight, sights
from torchfix_codemods.verify.verdicts import FAILED, Outcome, Verdict
from torchfix_codemods.verify.versions import Check, Keys, Moves

#: What is said of lines that were given another number, in vain.
_UNSEEN = "with another number there, nothing that is compared changes"


class Session(Baseline, Blame):
    """Judges the hunks of a change by runs on one device.

    Args:
        change: the two versions.
        runner: runs the program.
        options: settings.
        device: ``cpu`` or ``cuda``.
        moves: what a rewrite that is meant to change numbers may change.
        stages: what is done otherwise; None: nothing.
        given: see :class:`.versions.Versions`.
    """

    def __init__(
        self,
        change: Change,
        runner: Runner,
        options: VerifyOptions,
        device: str,
        moves: Moves,
        *,
        stages: Stages | None = None,
        **given: Any,
    ) -> None:
        super().__init__(change, runner, options, device, moves, **given)
        self._stages = stages or Stages(Session.baseline, _once_more, Session.strict)

    def judge(self) -> tuple[dict[str, Outcome], Mapping[str, Verdict]]:
        """Run the program as often as it takes.

        Returns:
            what is to be said of each hunk, by key; and the verdicts on single rewrites
            (``key@line``) that never ran though others of their hunk did.
        """
        found = self._stages.baseline(self)
        if isinstance(found, str):
            self.failure, self.output = found, self.said
            outcome = Outcome(Verdict.INCONCLUSIVE, found)
            return dict.fromkeys(self.hunks, outcome), {}
        base, before = found
        self.before, self.base = before, base
        self.failure = stopped(before)
        if self.failure:
            self.output = last_words(before)
        if self.failure and not did_anything(before):
            reason = f"the program ends before it computes anything: {self.failure}"
            return dict.fromkeys(self.hunks, Outcome(Verdict.INCONCLUSIVE, reason)), {}
        self.notes += failures_of_tests(before)
        self.mask = mask_of(before, self._stages.again(self, base))
        unusable = self._unusable(before)
        if self.mask.places:
            count = len(self.mask.places)
            self.notes.append(
                f"{count} value{'s are' if count > 1 else ' is'} not the same in two runs of the"
                " code as it was, and not compared"
            )
        if unusable:
            return dict.fromkeys(self.hunks, Outcome(Verdict.INCONCLUSIVE, unusable)), {}
        outcomes = dict.fromkeys(base, _needed())
        outcomes.update(self._stages.strict(self, base, before))
        outcomes.update(self._moving(base, before, outcomes))
        outcomes, single = self._with_coverage(base, before, outcomes)
        self._tell_of_the_end(before, outcomes)
        self._look_for_unseen(base, before, outcomes)
        return self._with_functions(base, outcomes), single

    def _tell_of_the_end(self, before: Run, outcomes: Mapping[str, Outcome]) -> None:
        """Say that lines were not executed because the run was to end early."""
        limit = before.stopped_by
        never = Verdict.NOT_EXECUTED in {outcome.verdict for outcome in outcomes.values()}
        if limit is not None and never:
            number = self.runner.settings[f"max_{limit}"]
            self.notes.append(
                f"the run was ended after {number:g} {limit} (--max-{limit}): what the program does"
                " behind that is not executed"
            )

    def _moving(self, base: Keys, before: Run, known: Mapping[str, Outcome]) -> dict[str, Outcome]:
        """The outcomes of the changes that are meant to move numbers."""
        hunks = [
            h
            for h in self.change.hunks
            if (self.moves_numbers(h) or h.key in self._dependent) and h.key not in base
        ]
        if not hunks:
            return {}
        good = frozenset(
            key
            for key, outcome in known.items()
            if outcome.verdict in (Verdict.EQUIVALENT, Verdict.INCONCLUSIVE)
        )
        good |= base | self.scaffold
        states = self.runner.scratch("random-states")
        right = self.run(good, keep_random=states)
        together = self._moved(good, right, hunks, states)
        if together.verdict in (Verdict.EQUIVALENT, Verdict.EXPECTED) or len(hunks) == 1:
            return {hunk.key: together for hunk in hunks}
        return {hunk.key: self._moved(good, right, [hunk], states) for hunk in hunks}

    def _moved(self, good: Keys, right: Run, hunks: Sequence[Hunk], states: str) -> Outcome:
        keys = good | {hunk.key for hunk in hunks}
        run = self.run(keys, replay_random=states)
        comparison = self.compare(right, run, is_alone=True)
        if fails_more(right, run):
            return self.outcome(Check("broken", comparison, run), None)
        if not comparison.differences:
            return self.same(comparison, is_alone=True)
        allowed = {
            kind
            for hunk in hunks
            for finding in hunk.findings
            for kind in finding.moves or self._moves(finding.code)
        }
        unexpected = [d for d in comparison.differences if not _is_expected(d, allowed)]
        if not unexpected and any(d.is_structural for d in comparison.differences):
            # What comes behind it was not compared.
            kept = without(right, allowed), without(run, allowed)
            unexpected = self.compare(*kept, is_alone=True).differences
        if unexpected:
            unexpected_only = Comparison(differences=unexpected, compared=comparison.compared)
            return self.outcome(Check("different", unexpected_only, run), None)
        kinds = ", ".join(sorted({d.kind for d in comparison.differences}))
        count = len({(d.stream, d.index) for d in comparison.differences})
        return Outcome(
            Verdict.EXPECTED,
            f"{count} of {comparison.compared} events changed ({kinds})",
            comparison.first,
        )

    def _with_coverage(
        self, base: Keys, before: Run, outcomes: Mapping[str, Outcome]
    ) -> tuple[dict[str, Outcome], Mapping[str, Verdict]]:
        """The outcomes, less good where the lines never ran or nothing was seen of them."""
        after = self.run(frozenset(outcomes), legacy=False)
        if after.failure is not None:
            after = self.run(frozenset(outcomes))
        result = dict(outcomes)
        single: dict[str, Verdict] = {}
        for key, outcome in outcomes.items():
            if outcome.verdict not in (Verdict.EQUIVALENT, Verdict.EXPECTED):
                continue
            hunk = self.hunks[key]
            failing = before.failing.get(key) or after.failing.get(key, "")
            if failing and key not in before.ran:
                reason = f"it runs only in tests that fail in the code as it was: {failing}"
                result[key] = Outcome(Verdict.INCONCLUSIVE, reason)
                continue
            told = [seen(run, key, self.mask) for run in (before, after)]
            if True not in told:
                never = told == [None, None]
                reason = "the program did not open it" if never and hunk.whole else ""
                verdict = Verdict.NOT_EXECUTED if never else Verdict.NOT_OBSERVED
                result[key] = Outcome(verdict, reason)
                continue
            for finding in hunk.findings:
                name = f"{key}@{finding.line}"
                if name in before.failing:
                    single[name] = Verdict.INCONCLUSIVE
                elif name in before.watched and seen(before, name, self.mask) is None:
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
            self.mask,
            functools.partial(self.run, keys, legacy=legacy),
            self._longest,
            self.options.rtol,
        )

    def _look_for_unseen(self, base: Keys, before: Run, outcomes: dict[str, Outcome]) -> None:
        """Say less of changes whose values nothing that was compared is known to depend on."""
        if not self.options.looks_for_unseen:
            return
        keys = frozenset(k for k, outcome in outcomes.items() if outcome.verdict not in FAILED)
        legacy = self.run(keys, legacy=False).failure is not None
        asked = [
            key
            for key, outcome in outcomes.items()
            if outcome.verdict is Verdict.EQUIVALENT and not _only_names(self.hunks[key])
        ]
        found = self._sights(asked, keys, self.run(keys, legacy=legacy), legacy)
        # What takes a call away, say, has no number that the old lines do not have.
        rest = [key for key, sight in found.items() if sight == WITHOUT_NUMBERS]
        as_it_was = self.run(base) if rest else before
        if not fails_more(before, as_it_was):
            found.update(self._sights(rest, base, as_it_was, True))
        for key, sight in found.items():
            if sight.is_seen is None:
                reason = f"{outcomes[key].reason}, but {sight.why}"
                outcomes[key] = dataclasses.replace(
                    outcomes[key], verdict=Verdict.EQUAL, reason=reason
                )
            elif not sight.is_seen:
                outcomes[key] = Outcome(Verdict.NOT_OBSERVED, _UNSEEN)

    def _decides(self, functions: Functions, name: str, answer: Answer) -> bool:
        """Whether what a function gives otherwise is wrong.

        It is not where it is meant to be something else. And where only the rewritten function
        fails, it may need what is rewritten elsewhere: the program with all of it does not fail.
        """
        inside = {key for key, function in functions.by_hunk.items() if function == name}
        if any(self.moves_numbers(self.hunks[key]) for key in inside):
            return False
        return not answer.raises or self.hunks.keys() <= inside | self.scaffold

    def _with_functions(self, base: Keys, outcomes: dict[str, Outcome]) -> dict[str, Outcome]:
        """The outcomes, with what the changed functions say for themselves.

        A function whose results go nowhere can still be compared, and one whose rewrite moves
        numbers may be named.
        """
        if self.options.without_program or self.comparer.is_across:
            # Nothing else is called; or what a function gives by itself on today's torch says
            # nothing of what it gave on the old one.
            return outcomes
        unclear = (Verdict.NOT_OBSERVED, Verdict.EQUAL, Verdict.DIFFERENT)
        asked = [key for key, outcome in outcomes.items() if outcome.verdict in unclear]
        functions = changed_functions(self.change)
        if not any(key in functions.by_hunk for key in asked):
            return outcomes
        run = self.run(base, shadows=functions.shadows)
        told = answers(run, self.options.rtol, self.legacy)
        for name in set(functions.by_hunk.values()) & told.keys():
            if told[name].difference is not None and not self._decides(functions, name, told[name]):
                del told[name]
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


@record
class Stages:
    """What a session does that depends on where the right run comes from."""

    baseline: Callable[[Session], tuple[Keys, Run] | str]
    """Finds the version to compare with, and its run; or why there is none."""
    again: Callable[[Session, Keys], Run]
    """Runs it once more."""
    strict: Callable[[Session, Keys, Run], dict[str, Outcome]]
    """Finds the outcomes of the changes that must not move any number."""


def _once_more(session: Session, base: Keys) -> Run:
    return session.run(base, repeat=1)


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
    event = difference.before or difference.after or {}
    if difference.kind == "save" and str(event.get("file")).startswith("plot "):
        # Numbers that are printed are drawn, too.
        return "print" in allowed or "save" in allowed
    if difference.kind in ("result", "called"):
        # What may be printed may be left behind, or given to whoever calls.
        return "print" in allowed
    return difference.kind in allowed
