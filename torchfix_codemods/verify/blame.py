"""Which of the changes that must not move a number move one."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from torchfix_codemods.verify.comparing.compare import compare, mask_of
from torchfix_codemods.verify.run_facts import fails_more
from torchfix_codemods.verify.runs import Run
from torchfix_codemods.verify.search import culprits
from torchfix_codemods.verify.verdicts import Outcome, Verdict
from torchfix_codemods.verify.versions import Check, Keys, Versions, named, parting

_EXPLAINED = 3

#: How often a program with several processes is run again before a difference is believed.
_MORE_RUNS = 3


class Blame(Versions):
    """Finds the changes without which all is the same."""

    def _is_unsteady(self, base: Keys, before: Run) -> bool:
        """Whether further runs of what all is compared with differ where the first two did not.

        What they do not agree on is not compared from then on.
        """
        if self.comparer.is_across:
            # A further run would change what today's torch begins with.
            return False
        known = self.mask
        for number in range(2, 2 + (_MORE_RUNS if len(before.streams) > 1 else 1)):
            self.mask |= mask_of(before, self.run(base, repeat=number))
            if self.mask != known:
                self.notes.append(
                    "what the program computes is not the same each time"
                    " (do its processes or threads share tensors?); only the rest is compared"
                )
                return True
        return False

    def strict(self, base: Keys, before: Run) -> dict[str, Outcome]:
        """The outcomes of the changes that must not move any number."""
        hunks = [
            hunk
            for hunk in self.change.hunks
            if hunk.key not in base and not self.moves_numbers(hunk) and not hunk.is_scaffold
        ]
        everything = base | self.scaffold | {hunk.key for hunk in hunks}
        reads = self._read_unwritten(base, before, everything)
        if reads:
            return reads
        check = plain = self.check(everything, before, legacy=False)
        if check.state != "same" and self.legacy:
            check = self.check(everything, before)
        if check.state != "same" and self._is_unsteady(base, before):
            return self.strict(base, before)
        if check.state == "same":
            result = dict.fromkeys(everything - base, self.same(check.comparison))
            result.update(self._alone(base, before, result))
            if plain.state != "same":
                result.update(self._only_with_stand_in(plain, everything, result))
            return result
        blamed = self._scaffold_to_blame(base, before, check)
        if blamed:
            return blamed
        guilty = culprits(
            [hunk.key for hunk in hunks],
            lambda keys: self.check(base | self.scaffold | keys, before).state,
        )
        result = {}
        rest = everything - base - {key for group in guilty for key in group}
        if not guilty:
            # All of them together are right, so what differs comes with the imports.
            guilty = [tuple(self.scaffold & rest)]
            rest -= self.scaffold
        if check.state == "broken" and not fails_more(before, self.run(frozenset(self.hunks))):
            # They only run together with those that are meant to change numbers.
            self._dependent = frozenset(key for group in guilty for key in group)
            guilty = []
        for number, group in enumerate(guilty):
            result.update(self._guilty(base, before, group, number))
        final = self.check(base | self.scaffold | rest, before)
        result.update(dict.fromkeys(rest, self.same(final.comparison)))
        if self.legacy and plain.run.failure is None:
            result.update(self._moved_by_stand_in(everything, {key: result[key] for key in rest}))
        return {**result, **self._alone(base, before, rest)}

    def _read_unwritten(self, base: Keys, before: Run, everything: Keys) -> dict[str, Outcome]:
        """The outcomes where a change reads memory that nobody has written to, and is right only
        where that holds zeros, as it does in the other runs. Empty: none does.
        """
        if self.comparer.is_across:
            # What the old torch found there is not known.
            return {}
        if not self.options.looks_for_unwritten:
            return {}
        self._noisy = everything - base and everything
        if not self._noisy or self.check(everything, before, legacy=False).state == "same":
            return {}
        self._noisy = frozenset()
        whole = self.check(everything, before, legacy=False)
        if whole.state != "same":
            return {}

        def state(keys: Keys) -> str:
            return self.check(keys, before, legacy=False, noisy_memory=True).state

        if state(base) != "same":
            # The program does so by itself.
            return {}
        result = dict.fromkeys(everything - base, self.same(whole.comparison))
        for group in culprits(sorted(everything - base), lambda keys: state(base | keys)):
            check = self.check(base | set(group), before, legacy=False, noisy_memory=True)
            outcome = dataclasses.replace(
                self.outcome(check, None),
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
        scaffold = base | self.scaffold
        if scaffold == base:
            return {}
        check = self.check(scaffold, before)
        if check.state == "same" or (check.state, whole.state) == ("broken", "different"):
            return {}
        files = sorted(key for key in scaffold - base if self.hunks[key].whole is not None)
        imports = scaffold - frozenset(files)
        guilty = [tuple(imports - base)]
        if self.check(imports, before).state == "same":
            guilty = culprits(files, lambda keys: self.check(imports | keys, before).state)
        if check.state == "different":
            rest = self.strict(scaffold, check.run)
        else:
            reason = "what the changed program is to begin with fails"
            keys = {h.key for h in self.change.hunks if not self.moves_numbers(h)} - scaffold
            rest = dict.fromkeys(keys, Outcome(Verdict.INCONCLUSIVE, reason))
        rest.update(dict.fromkeys(scaffold - base, self.same(check.comparison)))
        for number, group in enumerate(guilty):
            alone = self.check(imports | set(group), before)
            operation = None
            if number < _EXPLAINED and alone.state == "different":
                operation = self._operation(base, imports | set(group), alone.comparison.first)
            rest.update(dict.fromkeys(group, self.outcome(alone, operation)))
        return rest

    def _alone(self, base: Keys, before: Run, keys: Iterable[str]) -> dict[str, Outcome]:
        """The outcomes of those that move numbers where others do not undo it.

        That one fails without the others tells nothing: they can belong together.
        """
        result = {}
        for key in sorted(set(keys) - self.scaffold) if self.options.each else ():
            alone = self.check(base | self.scaffold | {key}, before)
            if alone.state == "different":
                result[key] = self.outcome(alone, None)
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
            self.run(keys),
            self.run(keys, legacy=False),
            rtol=self.options.rtol,
            mask=self.mask,
            bytes_are_bools=True,
        ).first
        if first is None:
            return {}
        parted = parting(
            *(
                self.run(keys, legacy, ops=True).streams.get(first.stream)
                for legacy in (True, False)
            )
        )
        at = (parted[1] if parted else None) or (first.after or {}).get("at")
        place = f" (computed at {at})" if at else ""
        self.still_differs = f"{first.values[0]} became {first.values[1]}{place}"
        operation = named(parted) if parted else None
        reason = "its numbers on today's torch are not those of the old one"
        outcome = Outcome(Verdict.DIFFERENT, reason, first, operation, False)
        return dict.fromkeys(self._on_line(at, keys) & outcomes.keys(), outcome)

    def _guilty(
        self, base: Keys, before: Run, group: Sequence[str], number: int
    ) -> dict[str, Outcome]:
        keys = base | self.scaffold | set(group)
        check = self.check(keys, before)
        if check.state == "same":
            reason = "it moves numbers together with other rewrites only"
            return {key: Outcome(Verdict.DIFFERENT, reason) for key in group}
        outcome = self.outcome(check, None)
        if number < _EXPLAINED and check.state == "different":
            first = check.comparison.first
            outcome = dataclasses.replace(
                outcome,
                operation=self._operation(base, keys, first),
                apart=self._apart(base, keys, first),
            )
        return dict.fromkeys(group, outcome)
