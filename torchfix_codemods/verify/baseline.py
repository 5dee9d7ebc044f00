"""What all versions of a program are compared with."""

from __future__ import annotations

from torchfix_codemods.verify.run_facts import (
    has_trouble,
    is_better,
    last_words,
    same_failure,
    tells,
)
from torchfix_codemods.verify.runs import Event, Run
from torchfix_codemods.verify.versions import Keys, Versions

_MAX_NEEDED = 8


class Baseline(Versions):
    """Finds the version to compare with: the code as it was, or what of the rewrites it needs."""

    def baseline(self) -> tuple[Keys, Run] | str:
        """The version to compare with, and its run; or why there is none.

        It is the code as it was, if need be with a stand-in for the old torch. Where that does not
        run either, as few of the rewrites as possible are taken as given.
        """
        nothing: Keys = frozenset()
        run = self.run(nothing, legacy=False)
        self.said = last_words(run)
        if not has_trouble(run):
            return nothing, run
        failure = run.failure
        self.legacy = True
        with_stand_in = self.run(nothing)
        if is_better(with_stand_in, run) or self._ends_as_rewritten(with_stand_in, run):
            run = with_stand_in
            self.notes.append(
                "the code as it was runs with a stand-in for the old torch"
                + (f" (without: {failure['value']})" if failure is not None else "")
            )
        else:
            self.legacy = False
        if run.failure is None:
            return nothing, run
        after = self._rewritten()
        if after.failure is not None and same_failure(after.failure, run.failure):
            self.notes.append(
                f"the program ends with {run.failure['value']} before and after the rewrites"
            )
            return nothing, run
        return self.with_needed(run, ends=after.failure)

    def _rewritten(self) -> Run:
        """A run with all rewrites, on today's torch."""
        return self.run(frozenset(self.hunks), legacy=False)

    def _ends_as_rewritten(self, run: Run, other: Run) -> bool:
        """Whether a run, but not another one, ends with the error of the rewritten program."""
        if run.failure is None or other.failure is None or same_failure(run.failure, other.failure):
            return False
        ends = self._rewritten().failure
        return ends is not None and same_failure(run.failure, ends)

    def with_needed(
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
                run = self.run(keys)
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
        comparison = self.compare(before, before)
        if comparison.compared == 0:
            return (
                "no two runs of the program before the rewrites do the same, but"
                f" {self.mask.apart or 'other numbers each'}"
            )
        ends = [end for end in self.mask.ends if end[0] == "main"]
        if ends:
            self.notes.append(
                f"two runs of the code as it was part at event {ends[0][1]} ({self.mask.apart});"
                " only what comes before is compared"
            )
        return ""
