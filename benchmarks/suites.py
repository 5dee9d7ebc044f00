"""Runs the test suites of legacy packages before and after migrating them.

The packages and their tests are migrated together, in a copy, and run on today's torch.
The exit status is 1 when, after migration, fewer tests pass or more fail than before.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from benchmarks.migration import MigrationError, migrate
from benchmarks.packages import REPOSITORY, FetchError, Package, fetch, package_named
from benchmarks.processes import InstallError, base_environment, run, virtual_environment

SHIMS = REPOSITORY / "benchmarks" / "shims"
REQUIREMENTS = (
    "torch==2.13.0",
    # numpy 2 took `np.Inf` away, which has nothing to do with torch.
    "numpy==1.26.4",
    "pytest==8.4.2",
    "pandas",
    "scikit-learn",
    "scipy",
    "tensorboardX",
    "tqdm",
)
PYTEST_OPTIONS = (
    "-q",
    "-p",
    "legacy_shims",
    "-p",
    "no:cacheprovider",
    # A module that can no longer be imported must not hide the tests of the others.
    "--continue-on-collection-errors",
)
TIMEOUT_S = 900
ROW = "{:<20} {:<8} {:>7} {:>7} {:>8}"


class SuiteError(Exception):
    """A test suite did not run to its end."""


class Outcome(str, Enum):
    """How one test ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


Outcomes = Mapping[str, Outcome]


@dataclass(frozen=True)
class Suite:
    """A package with tests of its own, and how they end when nothing is migrated."""

    package: Package
    passed: int
    failed: int = 0
    skipped: int = 0
    tests: str = "tests"

    @property
    def known_counts(self) -> Counter[Outcome]:
        """The figures recorded for the code as it was published."""
        return Counter(
            {
                Outcome.PASSED: self.passed,
                Outcome.FAILED: self.failed,
                Outcome.SKIPPED: self.skipped,
            }
        )


SUITES = (
    Suite(package_named("pytoune"), passed=39),
    Suite(package_named("poutyne"), passed=92, skipped=1),
    Suite(package_named("torchbearer"), passed=137, failed=16),
)


def main() -> int:
    """Run the suites and return the exit status."""
    options = _parse_options()
    try:
        python = virtual_environment("suites", REQUIREMENTS, options.python) / "python"
    except InstallError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(ROW.format("suite", "", *(outcome.value for outcome in Outcome)))
    return max(_exit_status(suite, python, options.before_only) for suite in options.suites)


def _exit_status(suite: Suite, python: Path, before_only: bool) -> int:
    """Compare one suite and return 0, 1 if it got worse, or 2 if it could not be run."""
    try:
        return 0 if _compare(suite, python, before_only) else 1
    except (FetchError, MigrationError, SuiteError) as error:
        print(f"    {suite.package}: {error}")
        return 2


def _parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suites", description=__doc__)
    parser.add_argument(
        "--suites",
        type=_suites_named,
        default=SUITES,
        metavar="NAME,...",
        help="only these packages",
    )
    parser.add_argument(
        "--python",
        default=sys.executable,
        help="the interpreter to run the suites with: 3.11 for the recorded figures",
    )
    parser.add_argument(
        "--before-only", action="store_true", help="migrate nothing, only check the figures"
    )
    return parser.parse_args()


def _suites_named(names: str) -> list[Suite]:
    """Return the suites of a comma-separated list of package names."""
    by_name = {suite.package.name: suite for suite in SUITES}
    try:
        return [by_name[name] for name in names.split(",")]
    except KeyError as error:
        known = ", ".join(by_name)
        raise argparse.ArgumentTypeError(f"no suite of {error}; known: {known}") from error


def _compare(suite: Suite, python: Path, before_only: bool) -> bool:
    """Run one suite before and after migration; return whether it got no worse."""
    source = fetch(suite.package)
    with tempfile.TemporaryDirectory(prefix="torchfix-suites-") as work:
        work_folder = Path(work).resolve()
        before = _run_tests(suite, source, work_folder / "before", python)
        _show(suite, "before", before)
        if _counts(before) != suite.known_counts:
            print(f"    recorded before: {_written(suite.known_counts)}")
        if before_only:
            return _counts(before) == suite.known_counts
        after = _run_tests(suite, source, work_folder / "after", python, migrated=True)
    _show(suite, "after", after)
    for line in _differences(before, after):
        print(f"    {line}")
    return _no_worse(_counts(before), _counts(after))


def _run_tests(
    suite: Suite, source: Path, folder: Path, python: Path, migrated: bool = False
) -> Outcomes:
    """Copy the package to `folder`, migrate the copy if asked to, and run its tests."""
    shutil.copytree(source, folder)
    if migrated:
        migrate(folder, work=folder.parent)
    report = folder.parent / f"{folder.name}.xml"
    finished = run(
        [python, "-m", "pytest", *PYTEST_OPTIONS, f"--junitxml={report}", suite.tests],
        cwd=folder,
        # One thread: sums over several are not the same to the last bit every time.
        environment=base_environment(SHIMS, OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1"),
        timeout_s=TIMEOUT_S,
    )
    # 0: all passed, 1: some failed. Else tests are missing from the report.
    if finished.returncode not in (0, 1) or not report.is_file():
        last_words = finished.stdout.strip().splitlines()[-5:]
        raise SuiteError(f"pytest ({folder.name}): " + " | ".join(last_words))
    return _read_outcomes(report)


def _read_outcomes(report: Path) -> Outcomes:
    """Read how every test ended from a JUnit report; one that also fails in its clean-up failed."""
    outcomes: dict[str, Outcome] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        if outcomes.get(name) is not Outcome.FAILED:
            outcomes[name] = _outcome(case)
    return outcomes


def _outcome(case: ElementTree.Element) -> Outcome:
    """Read how one test ended."""
    if case.find("failure") is not None or case.find("error") is not None:
        return Outcome.FAILED
    return Outcome.PASSED if case.find("skipped") is None else Outcome.SKIPPED


def _counts(outcomes: Outcomes) -> Counter[Outcome]:
    """Count the tests by how they ended."""
    return Counter(outcomes.values())


def _no_worse(before: Counter[Outcome], after: Counter[Outcome]) -> bool:
    """Tell whether at least as many tests pass, and no more fail."""
    return (
        after[Outcome.PASSED] >= before[Outcome.PASSED]
        and after[Outcome.FAILED] <= before[Outcome.FAILED]
    )


def _differences(before: Outcomes, after: Outcomes) -> Iterator[str]:
    """Name the tests that end differently, those that came and those that went."""
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old is not new:
            yield f"{name}: {_word(old)} -> {_word(new)}"


def _word(outcome: Outcome | None) -> str:
    """Write an outcome, or that there is none."""
    return outcome.value if outcome else "missing"


def _show(suite: Suite, when: str, outcomes: Outcomes) -> None:
    """Print the row of one run."""
    counts = _counts(outcomes)
    print(ROW.format(str(suite.package), when, *(counts[outcome] for outcome in Outcome)))
    sys.stdout.flush()


def _written(counts: Counter[Outcome]) -> str:
    """Write counts in words."""
    return ", ".join(f"{counts[outcome]} {outcome.value}" for outcome in Outcome)


if __name__ == "__main__":
    sys.exit(main())
