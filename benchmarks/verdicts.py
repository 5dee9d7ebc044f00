"""Judges right and wrong rewrites of the programs that `tests/verify/cases` lists.

All right rewrites of a program are judged together. Each wrong one is judged alone, and among the
right ones, where it has to be named. A wrong one that is called the same is a miss; a right one
that is called different or broken is a false alarm.

With `--cost`, `torchfix verify` runs over all right rewrites of a program instead, and its CPU time
is divided by that of the program itself.

`--keep FOLDER` keeps what was counted of each program, and takes what is there already, so that a
run that was ended goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.migration import TORCHFIX
from benchmarks.processes import base_environment, run
from benchmarks.speed import Target
from tests.support.faults import Edit, all_pairs, edit_of, right_of
from tests.support.verifying import (
    Bench,
    bench,
    command_of,
    file_with,
    replaced,
    texts_of,
)
from tests.verify.cases import RIGHT, WRONG
from torchfix_codemods.verify.options import VerifyOptions
from torchfix_codemods.verify.verdicts import FAILED, SAME, Outcome, Verdict

ROW = "{:<14} {:>6} {:>7} {:>7} {:>9} {:>7} {:>7} {:>7}"
MISSED, FALSE_ALARMS = Target("<=", 0), Target("<=", 0.02)
NAMED = Target(">=", 0.95)
MEDIAN_COST, WORST_COST = Target("<=", 3), Target("<=", 6)


@dataclass
class Score:
    """What was counted, of one program or of all."""

    right: int = 0
    false_alarms: list[str] = field(default_factory=list)
    unproven: list[str] = field(default_factory=list)
    wrong: int = 0
    missed: list[str] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)
    mixed: int = 0
    unnamed: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Count another one to this one."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def row(self, name: str) -> str:
        """Its row of the table."""
        found = self.wrong - len(self.missed) - len(self.unclear)
        counts = (len(self.false_alarms), len(self.unproven), self.wrong, found, self.mixed)
        return ROW.format(name, self.right, *counts, self.mixed - len(self.unnamed))

    def lines(self) -> Iterator[str]:
        """What is to be looked at."""
        for name in ("missed", "false_alarms", "unnamed", "unclear", "unproven"):
            for line in getattr(self, name):
                yield f"    {name.replace('_', ' ')}: {line}"


def main() -> int:
    """Judge, print what is found and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verdicts", description=__doc__)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="only these")
    parser.add_argument("--cost", action="store_true", help="measure what it costs instead")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep what was counted there")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when it misses")
    options = parser.parse_args()
    programs = options.programs or sorted(RIGHT)
    is_met = _cost(programs) if options.cost else _verdicts(programs, options.keep)
    return 1 if options.strict and not is_met else 0


def _verdicts(programs: Sequence[str], keep: Path | None) -> bool:
    total = Score()
    headings = ("right", "alarms", "unsure", "wrong", "found", "mixed", "named")
    print(ROW.format("program", *headings))
    for name in programs:
        kept = keep / f"{name}.json" if keep is not None else None
        if kept is not None and kept.exists():
            score = Score(**json.loads(kept.read_text("utf-8")))
        else:
            folder = tempfile.TemporaryDirectory(prefix="torchfix-verdicts-")
            with folder as path, bench(Path(path)) as judges:
                score = _score(judges, name)
            if kept is not None:
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_text(json.dumps(vars(score)), encoding="utf-8")
        total.add(score)
        print(score.row(name), *score.lines(), sep="\n", flush=True)
    print(total.row("all"))
    return (
        MISSED.is_met_by(len(total.missed))
        and FALSE_ALARMS.is_met_by(len(total.false_alarms) / max(1, total.right))
        and NAMED.is_met_by(1 - len(total.unnamed) / max(1, total.mixed))
    )


def _score(judges: Bench, program: str) -> Score:
    score = Score()
    groups = right_of(program)
    for group in groups:
        judged = judges.judge_edits(program, all_pairs(group))
        for edit in group:
            outcomes = edit.outcomes(judged)
            score.right += 1
            if any(o.verdict in FAILED for o in outcomes):
                score.false_alarms.append(_told(edit, outcomes))
            elif any(o.verdict is not Verdict.EQUIVALENT for o in outcomes):
                score.unproven.append(_told(edit, outcomes))
    alarmed = {line.partition(": ")[0] for line in score.false_alarms}
    quick = VerifyOptions(looks_for_unseen=False)
    for case, (old, new, *_) in WRONG[program].items():
        wrong = edit_of(program, case, [(old, new)])
        outcomes = wrong.outcomes(judges.judge_edits(program, wrong.pairs))
        score.wrong += 1
        if any(o.verdict in SAME for o in outcomes):
            score.missed.append(_told(wrong, outcomes))
        elif not all(o.verdict in FAILED for o in outcomes):
            score.unclear.append(_told(wrong, outcomes))
        beside = [edit for edit in groups[0] if wrong.is_apart([edit])]
        judged = judges.judge_edits(program, all_pairs([*beside, wrong]), options=quick)
        score.mixed += 1
        failed = [
            edit.name
            for edit in (*beside, wrong)
            # What is called different alone is counted above.
            if edit.name not in alarmed and any(o.verdict in FAILED for o in edit.outcomes(judged))
        ]
        if failed != [case]:
            score.unnamed.append(f"{case}: {', '.join(failed) or 'none'}")
    return score


def _told(edit: Edit, outcomes: Sequence[Outcome]) -> str:
    return f"{edit.name}: " + "; ".join(f"{o.verdict.value}, {o.reason}"[:160] for o in outcomes)


def _cost(programs: Sequence[str]) -> bool:
    ratios = {}
    for name in programs:
        ratios[name] = _ratio(name)
        print(f"{name:<14} {ratios[name]:6.2f}", flush=True)
    median, worst = statistics.median(ratios.values()), max(ratios.values())
    print(f"{'median':<14} {median:6.2f} {MEDIAN_COST}\n{'worst':<14} {worst:6.2f} {WORST_COST}")
    return MEDIAN_COST.is_met_by(median) and WORST_COST.is_met_by(worst)


def _ratio(program: str) -> float:
    """How many times the CPU time of a program its verification takes."""
    texts = texts_of(program)
    with tempfile.TemporaryDirectory(prefix="torchfix-verdicts-") as name:
        before, after = Path(name, "before"), Path(name, "after")
        _write(before, texts)
        changed = dict(texts)
        for pair in all_pairs(right_of(program)[0]):
            path = file_with(texts, pair[0])
            changed[path] = replaced(changed[path], pair)
        _write(after, changed)
        command = [sys.executable, *command_of(program).split()]
        environment = base_environment(OMP_NUM_THREADS="1", PYTHONWARNINGS="ignore")
        plain = run(command, cwd=before, environment=environment)
        verify = [*TORCHFIX, "verify", "--before", before, "--after", after, "--device", "cpu"]
        verified = run([*verify, "--", *command], cwd=before, environment=environment)
    return verified.cpu_s / plain.cpu_s


def _write(folder: Path, texts: dict[str, str]) -> None:
    for path, text in texts.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
