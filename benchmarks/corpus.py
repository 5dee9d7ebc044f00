"""Migrates real legacy packages and checks what came out.

Every package is copied, migrated twice, and judged: did the run crash, does what
compiled before still compile, did the second run find anything left to change, does
the report name every file it could not read. Any of these makes the exit status 1.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.migration import FileError, Migration, MigrationError, migrate
from benchmarks.packages import LEGACY, FetchError, fetch, package_named
from benchmarks.trees import (
    copy_sources,
    differing_files,
    fingerprints,
    uncompilable,
    unified_diff,
)

ROW = "{:<24} {:>6} {:>8} {:>9} {:>7} {:>8} {:>8}"
HEADINGS = ("package", "files", "changed", "rewrites", "left", "unread", "CPU s")


@dataclass(frozen=True)
class Subject:
    """One folder to migrate, under the name it is reported by."""

    name: str
    folder: Path


@dataclass
class Judgement:
    """What migrating one subject did, and what is wrong with it."""

    subject: Subject
    migration: Migration | None = None
    repaired: list[Path] = field(default_factory=list)
    unparsable: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def main() -> int:
    """Run the corpus and return the exit status."""
    options = _parse_options()
    try:
        subjects = _subjects(options)
    except FetchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(ROW.format(*HEADINGS))
    judgements = []
    for subject in subjects:
        judgements.append(_judge_in_copy(subject, keep=options.keep, diffs=options.diff))
        _show(judgements[-1])
    _show_total(judgements)
    return 1 if any(judgement.failures for judgement in judgements) else 0


def _parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.corpus", description=__doc__)
    parser.add_argument("--packages", metavar="NAME,...", help="only these packages")
    parser.add_argument(
        "--path", type=Path, metavar="DIR", help="measure this folder instead of the packages"
    )
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the migrated copies here")
    parser.add_argument("--diff", type=Path, metavar="DIR", help="write one .diff a package here")
    return parser.parse_args()


def _subjects(options: argparse.Namespace) -> list[Subject]:
    """Return the folders the options ask for, fetched where need be."""
    if options.path is not None:
        folder = options.path.resolve()
        if not folder.is_dir():
            raise FetchError(f"{folder} is not a folder")
        return [Subject(folder.name, folder)]
    names = options.packages.split(",") if options.packages else None
    packages = [package_named(name) for name in names] if names else LEGACY
    return [Subject(package.folder_name, fetch(package)) for package in packages]


def _judge_in_copy(subject: Subject, keep: Path | None, diffs: Path | None) -> Judgement:
    """Migrate a copy of the subject, judge it, and save what was asked for.

    The copy lies outside this repository, whose settings and ignored folders must not count.
    """
    with tempfile.TemporaryDirectory(prefix="torchfix-corpus-") as work:
        work_folder = Path(work).resolve()
        before, after = work_folder / "before", work_folder / "after"
        copy_sources(subject.folder, before)
        copy_sources(subject.folder, after)
        judgement = _judge(subject, before, after)
        if diffs is not None:
            diffs.mkdir(parents=True, exist_ok=True)
            diff = unified_diff(before, after).encode("utf-8", errors="surrogateescape")
            (diffs / f"{subject.name}.diff").write_bytes(diff)
        if keep is not None:
            shutil.rmtree(keep / subject.name, ignore_errors=True)
            copy_sources(after, keep / subject.name)
    return judgement


def _judge(subject: Subject, before: Path, after: Path) -> Judgement:
    """Migrate `after`, until now a copy of `before`, and compare the two."""
    judgement = Judgement(subject)
    try:
        migration = judgement.migration = migrate(after, work=after.parent)
    except MigrationError as error:
        judgement.failures.append(f"crash: {error}")
        return judgement
    broken_before, broken_after = uncompilable(before), uncompilable(after)
    judgement.repaired = sorted(broken_before.keys() - broken_after.keys())
    judgement.failures += [
        f"does not compile any more: {path}: {broken_after[path]}"
        for path in sorted(broken_after.keys() - broken_before.keys())
    ]
    _judge_errors(judgement, migration, after, broken_before)
    _judge_changes(judgement, migration, before, after)
    return judgement


def _judge_errors(
    judgement: Judgement, migration: Migration, folder: Path, broken_before: Mapping[Path, str]
) -> None:
    """Tell files that Python itself cannot read from files the tool could not finish."""
    for error in migration.errors:
        path = error.path.relative_to(folder)
        # A notebook's cells cannot be compiled here to know better.
        if path in broken_before or path.suffix == ".ipynb":
            judgement.unparsable.append(_error_line(path, error))
        else:
            judgement.failures.append(f"not finished: {_error_line(path, error)}")


def _error_line(path: Path, error: FileError) -> str:
    """Write an error of the report on one line."""
    place = f"{path}:{error.line}" if error.line else str(path)
    return f"{place}: {error.kind}: {error.message}"


def _judge_changes(judgement: Judgement, migration: Migration, before: Path, after: Path) -> None:
    """Check the report against the bytes on disk, and that a second run changes none of them."""
    first = fingerprints(after)
    on_disk = set(differing_files(fingerprints(before), first))
    reported = {path.relative_to(after) for path in migration.changed}
    judgement.failures += [
        f"changed on disk and in the report disagree: {path}" for path in sorted(on_disk ^ reported)
    ]
    try:
        migrate(after, work=after.parent)
    except MigrationError as error:
        judgement.failures.append(f"crash in the second run: {error}")
    judgement.failures += [
        f"a second run changes it again: {path}"
        for path in differing_files(first, fingerprints(after))
    ]


def _show(judgement: Judgement) -> None:
    """Print the row of one subject and what there is to say about its files."""
    print(_row(judgement))
    for line in _details(judgement):
        print(f"    {line}")
    sys.stdout.flush()


def _row(judgement: Judgement) -> str:
    """Return the row of figures of one subject."""
    migration = judgement.migration
    if migration is None:
        return ROW.format(judgement.subject.name, *["-"] * (len(HEADINGS) - 1))
    return ROW.format(
        judgement.subject.name,
        migration.files,
        len(migration.changed),
        sum(migration.rewrites.values()),
        sum(migration.left.values()),
        len(judgement.unparsable),
        f"{migration.cpu_s:.2f}",
    )


def _details(judgement: Judgement) -> Iterator[str]:
    """Yield the lines below a subject's row."""
    if judgement.migration is not None:
        yield from _counts("rewrites", judgement.migration.rewrites)
        yield from _counts("left", judgement.migration.left)
    yield from (f"made to compile: {path}" for path in judgement.repaired)
    yield from (f"unparsable: {line}" for line in judgement.unparsable)
    yield from (f"FAILURE {failure}" for failure in judgement.failures)


def _counts(title: str, counts: Mapping[str, int]) -> Iterator[str]:
    """Yield the counts by rule on one line, if there are any."""
    if counts:
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        yield f"{title}: " + ", ".join(f"{code} {count}" for code, count in ordered)


def _show_total(judgements: list[Judgement]) -> None:
    """Print the sum over all subjects."""
    rewrites: Counter[str] = Counter()
    migrations = [judgement.migration for judgement in judgements if judgement.migration]
    for migration in migrations:
        rewrites.update(migration.rewrites)
    print(
        ROW.format(
            "total",
            sum(migration.files for migration in migrations),
            sum(len(migration.changed) for migration in migrations),
            rewrites.total(),
            sum(sum(migration.left.values()) for migration in migrations),
            sum(len(judgement.unparsable) for judgement in judgements),
            f"{sum(migration.cpu_s for migration in migrations):.2f}",
        )
    )
    for line in _counts("rewrites", rewrites):
        print(f"    {line}")
    failures = sum(len(judgement.failures) for judgement in judgements)
    print(f"{failures} failures" if failures else "no failures")


if __name__ == "__main__":
    sys.exit(main())
