"""Draws rewrites and findings at random from real code, to be read one by one.

Each folder is migrated on its own, without writing anything. What is drawn from are the pairs of a
hunk and a rule that rewrote in it, and the findings that leave the code alone.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.trees import source_files
from torchfix_codemods.finding import FileResult, Finding, Numerics
from torchfix_codemods.report.diff import split_lines
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings
from torchfix_codemods.verify.hunks import FileChange, Hunk, hunks_of

#: What is printed for rewrites of other claims that were refused or left for another reason.
LEFT = "left"
KINDS = (*(claim.value for claim in Numerics), LEFT)
AT_LEAST = 2


@dataclass(frozen=True)
class Case:
    """One thing to read: a rule's part in a hunk, or a finding that left the code alone."""

    path: str
    finding: Finding
    kind: str
    shown: str

    @property
    def key(self) -> tuple[str, str, int, int]:
        return self.finding.code, self.path, self.finding.line, self.finding.column


def main() -> int:
    """Count, draw, print, and return the exit status: 1 with a file that could not be read."""
    options = _parse_options()
    settings = Settings(select=tuple(filter(None, options.select.split(","))))
    cases: list[Case] = []
    errors: list[str] = []
    for folder in options.folders:
        for path, result in _results(folder, settings):
            errors += [f"{path}: {error.kind}: {error.message}" for error in result.errors]
            cases += _cases(path, result, options.context)
    _show_counts(cases)
    for error in errors:
        print(f"error: {error}")
    wanted = options.kinds.split(",")
    drawn = draw([case for case in cases if case.kind in wanted], options.number, options.seed)
    for number, case in enumerate(drawn, 1):
        finding = case.finding
        print(
            f"\n=== {number} {case.path}:{finding.line} {finding.code} {finding.name} {case.kind}"
        )
        print(f"{finding.message}\n{case.shown}")
    return 1 if errors else 0


def _parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sample", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="one project each")
    parser.add_argument("--kinds", default="changed", help=f"some of {', '.join(KINDS)}")
    parser.add_argument("--select", default="", metavar="RULES", help="only these rules")
    parser.add_argument("--number", type=int, default=100, help="how many are drawn")
    parser.add_argument("--seed", type=int, default=0, help="another seed, another draw")
    parser.add_argument("--context", type=int, default=6, help="lines shown around each")
    return parser.parse_args()


def _results(folder: Path, settings: Settings) -> Iterator[tuple[str, FileResult]]:
    """What becomes of the files of a folder, by paths that begin with the folder's name."""
    paths = list(source_files(folder, suffixes=(".py",)))
    for path, result in zip(paths, migrate_files(paths, settings, write=False), strict=True):
        yield Path(folder.resolve().name, path.relative_to(folder)).as_posix(), result


def _cases(path: str, result: FileResult, context: int) -> Iterator[Case]:
    """What there is to read about one file."""
    if result.before is not None and result.after is not None:
        change = FileChange(path, result.before, result.after, result.findings)
        lines = split_lines(change.before), split_lines(change.after)
        for hunk in hunks_of(change):
            first = {finding.code: finding for finding in reversed(hunk.findings)}
            shown = _hunk_text(hunk, *lines, context)
            for finding in first.values():
                yield Case(path, finding, finding.numerics.value, shown)
    before = None
    for finding in result.findings:
        if finding.fixed:
            continue
        if before is None:
            before = _lines_of(result)
        is_advice = finding.numerics is Numerics.ADVICE
        shown = "".join(_around(before, finding.line - 1, finding.line, context))
        yield Case(path, finding, finding.numerics.value if is_advice else LEFT, shown)


def _lines_of(result: FileResult) -> Sequence[str]:
    text = result.before
    return split_lines(Path(result.path).read_text(result.encoding) if text is None else text)


def _hunk_text(hunk: Hunk, before: Sequence[str], after: Sequence[str], context: int) -> str:
    """The parts of a hunk with the lines around them, as a diff shows them."""
    shown: list[str] = []
    end = max(0, hunk.parts[0][0][0] - context)
    for (start, stop), (new_start, new_stop) in hunk.parts:
        shown += (f"  {line}" for line in before[end:start])
        shown += (f"- {line}" for line in before[start:stop])
        shown += (f"+ {line}" for line in after[new_start:new_stop])
        end = stop
    shown += (f"  {line}" for line in before[end : end + context])
    return "".join(line if line.endswith("\n") else line + "\n" for line in shown)


def _around(lines: Sequence[str], start: int, stop: int, context: int) -> Iterator[str]:
    """Some lines, marked, and those around them."""
    for number in range(max(0, start - context), min(len(lines), stop + context)):
        mark = ">" if start <= number < stop else " "
        yield f"{mark} {lines[number].rstrip()}\n"


def draw(cases: Iterable[Case], number: int, seed: int) -> list[Case]:
    """Draw cases by chance, from every rule in proportion to what it has, but at least two.

    Args:
        cases: what is drawn from, in any order.
        number: how many.
        seed: the same one draws the same cases.
    """
    by_rule: dict[str, list[Case]] = defaultdict(list)
    for case in sorted(cases, key=lambda case: case.key):
        by_rule[case.finding.code].append(case)
    shares = shares_of({code: len(found) for code, found in by_rule.items()}, number)
    drawn = []
    for code, found in by_rule.items():
        drawn += random.Random(f"{seed} {code}").sample(found, shares[code])
    return sorted(drawn, key=lambda case: case.key)


def shares_of(counts: Mapping[str, int], number: int) -> Counter[str]:
    """How many of `number` each rule gets, given how many cases it has."""
    shares: Counter[str] = Counter()
    for _ in range(min(number, sum(counts.values()))):
        open_ones = [code for code in sorted(counts) if shares[code] < counts[code]]
        shares[max(open_ones, key=lambda code: _claim_to_next(counts[code], shares[code]))] += 1
    return shares


def _claim_to_next(count: int, share: int) -> tuple[int, float]:
    return max(0, AT_LEAST - share), count / (share + 1)


def _show_counts(cases: Iterable[Case]) -> None:
    """Print for every rule how many cases of each kind it has."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for case in cases:
        counts[f"{case.finding.code} {case.finding.name}"][case.kind] += 1
    row = "{:<32}" + " {:>9}" * len(KINDS)
    print(row.format("rule", *KINDS))
    for rule in sorted(counts):
        print(row.format(rule, *(counts[rule][kind] or "" for kind in KINDS)))
    totals = sum(counts.values(), Counter())
    print(row.format("all", *(totals[kind] for kind in KINDS)))


if __name__ == "__main__":
    raise SystemExit(main())
