"""Runs legacy scripts on today's torch, as they were and after the migration.

FOLDER holds a clone, with its history, of each repository of `legacy_scripts.py` that is to be run.
The commit before its owners migrated it is checked out elsewhere twice, one is migrated, and each
script runs in both, in a process of its own, on made-up data, for a few steps.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import running
from benchmarks.legacy_scripts import Repository, Script, repositories
from benchmarks.migration import TORCHFIX
from benchmarks.processes import base_environment

#: What is raised where a GPU is asked for and there is none.
_NO_GPU = ("CUDA", "NVIDIA", "cuda", "HIP")

_LINE = re.compile(r"\bline (\d+)")

#: The rules that told of a line, by file and line.
Told = Mapping[tuple[str, int], Sequence[str]]


@dataclass(frozen=True)
class Row:
    """One script, before and after."""

    repository: str
    script: str
    before: running.Outcome | None
    after: running.Outcome
    told: tuple[str, ...]


def main() -> int:
    """Run, print a row for each script, and return 1 where one fails that nothing told of."""
    options = _parse_options()
    names = set(filter(None, options.only.split(",")))
    _warm_up()
    rows: list[Row] = []
    for repository in repositories():
        clone = options.folder / repository.name
        if (names and repository.name not in names) or not clone.is_dir():
            continue
        with tempfile.TemporaryDirectory() as scratch:
            work = (options.keep or Path(scratch)) / repository.name
            for row in _rows_of(repository, clone, work.resolve(), options):
                rows.append(row)
                _show(row)
    _sum_up(rows)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    return int(any(not row.after.runs and not row.told for row in rows))


def _rows_of(
    repository: Repository, clone: Path, work: Path, options: argparse.Namespace
) -> Iterator[Row]:
    before, after = work / "before" / repository.name, work / "after" / repository.name
    for tree in (before, after):
        if not tree.exists():
            _check_out(clone, repository.commit, tree)
            repository.prepare(tree)
    told = _migrated(after)
    for script in repository.scripts:
        if options.match and options.match not in script.name:
            continue
        old = None if options.after_only else _outcome(script, before, options)
        new = _outcome(script, after, options)
        yield Row(repository.name, script.name, old, new, _rules_at(new, told))


def _check_out(clone: Path, commit: str, tree: Path) -> None:
    tree.parent.mkdir(parents=True, exist_ok=True)
    _git(tree.parent, "clone", "-q", "--shared", "-n", str(clone.resolve()), str(tree))
    # A file that is not in the clone (a large picture) is none that a script needs.
    _git(tree, "-c", "advice.detachedHead=false", "checkout", "-q", "-f", commit, check=False)


def _git(folder: Path, *words: str, check: bool = True) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=check, capture_output=True)


def _migrated(tree: Path) -> Told:
    """Migrate a tree; the rules of the findings that are left, by file and line."""
    command = [*TORCHFIX, "migrate", str(tree), "--no-cache", "--output-format", "json"]
    report: dict[str, list[dict[str, object]]] = {"files": []}
    for more in ([], ["--diff"]):
        finished = subprocess.run(
            [*command, *more], cwd=tree, env=base_environment(), capture_output=True, text=True
        )
        report = json.loads(finished.stdout)
    told: dict[tuple[str, int], list[str]] = {}
    for file in report["files"]:
        path = os.path.relpath(os.path.join(tree, str(file["path"])), tree)
        for finding in file.get("findings") or ():  # type: ignore[attr-defined]
            line = int(finding["line"])
            lines = {*range(line, int(finding.get("end_line") or line) + 1)}
            # "squeeze() also drops the dimension of an index, which order[0] in line 174 needs"
            lines |= {int(named) for named in _LINE.findall(finding["message"])}
            for each in lines:
                told.setdefault((path, each), []).append(finding["code"])
    return told


def _outcome(script: Script, tree: Path, options: argparse.Namespace) -> running.Outcome:
    """Run a script without a GPU, and, where it fails for the lack of one, as with one."""
    cwd = tree / (script.cwd if script.cwd is not None else Path(script.path).parent)
    log = tree.parent / (script.name.replace("/", "_").replace(" ", "_")[:120] + ".log")
    for gpu in (True,) if script.gpu else (False, True):
        outcome = running.run(
            tree / script.path,
            script.arguments,
            cwd,
            tree,
            seconds=options.seconds,
            batches=script.batches,
            gpu=gpu,
            log=log,
            setup=script.setup,
        )
        if outcome.runs or not any(word in outcome.error for word in _NO_GPU):
            break
    return outcome


def _rules_at(outcome: running.Outcome, told: Told) -> tuple[str, ...]:
    """The rules that told of a line of the traceback, the innermost first."""
    found: list[str] = []
    for place in reversed(outcome.places):
        path, _, line = place.rpartition(":")
        found.extend(f"{rule} {place}" for rule in told.get((path, int(line)), ()))
    return tuple(dict.fromkeys(found))


def _warm_up() -> None:
    """Import here what each script would import by itself: processes are forked."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    os.environ["TORCHDYNAMO_DISABLE"] = "1"
    sys.setrecursionlimit(3000)
    from benchmarks.shims import legacy_packages

    legacy_packages.define_operators_of_torchvision()
    for name in ("torch", "torchvision", "matplotlib.pyplot", "scipy", "PIL.Image", "pandas"):
        try:
            importlib.import_module(name)
        except ImportError:
            print(f"{name} is not installed", file=sys.stderr)


def _show(row: Row) -> None:
    before = "-" if row.before is None else "runs" if row.before.runs else "fails"
    after = "runs" if row.after.runs else "FAILS"
    steps = f"{row.after.ended} {row.after.steps}/{row.after.calls}"
    print(f"{row.repository:<24} {before:<6}{after:<6}{steps:<14}{row.script[:70]}", flush=True)
    if not row.after.runs:
        print(f"    {row.after.error}\n    {' < '.join(row.after.places[:-4:-1])}")
        print(f"    told: {', '.join(row.told) or 'no'}", flush=True)


def _sum_up(rows: Sequence[Row]) -> None:
    counts: Counter[str] = Counter()
    for row in rows:
        counts["scripts"] += 1
        counts["run before"] += row.before is not None and row.before.runs
        counts["run after"] += row.after.runs
        counts["told"] += not row.after.runs and bool(row.told)
        counts["neither"] += not row.after.runs and not row.told
    print(", ".join(f"{count} {what}" for what, count in counts.items()))


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scripts", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a clone of each repository")
    parser.add_argument("--only", default="", metavar="NAMES", help="some repositories")
    parser.add_argument("--match", default="", metavar="TEXT", help="some scripts")
    parser.add_argument("--after-only", action="store_true", help="not as they were")
    parser.add_argument("--seconds", type=int, default=60, metavar="S", help="for one script")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep trees and output there")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all of it there")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
