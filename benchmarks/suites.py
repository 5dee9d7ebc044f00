"""Runs the test suites of legacy packages before and after migrating them.

The packages and their tests are migrated together, in a copy, and run on today's torch.
Repositories that are on no index take part where the command line says where they are.
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
from typing import Any

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
# What the repositories want besides.
REQUIREMENTS_OF_CHECKOUTS = (
    *REQUIREMENTS,
    "dill",
    "graphviz",
    "mock",
    "networkx",
    "observations==0.1.4",
    "six",
    "torchtext==0.4.0",
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
ROW = "{:<28} {:<8} {:>7} {:>7} {:>8}"


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
    """Code with tests of its own, and how they end when nothing is migrated."""

    source: Package | str
    """A package, or the name of a repository, of which the figures are those of ``commit``."""
    passed: int
    failed: int = 0
    skipped: int = 0
    tests: tuple[str, ...] = ("tests",)
    commit: str = ""
    options: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the command line calls it."""
        return self.source if isinstance(self.source, str) else self.source.name

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
    Suite("pytorch-seq2seq", passed=30, failed=6, commit="4c661ca0804c"),
    Suite(
        "pyro",
        passed=395,
        failed=197,
        skipped=82,
        tests=tuple(f"tests/{part}" for part in "distributions poutine nn params optim".split()),
        commit="29654dc78323",
        # Its settings make errors of warnings, also of those that only today's torch gives.
        options=("-o", "filterwarnings=default"),
    ),
    Suite("ignite", passed=141, failed=11, skipped=3, commit="9563fd0cd"),
    # Before its authors migrated it to 0.4.
    Suite("ignite-old", passed=63, failed=6, commit="886c5ec0536f"),
    Suite("gpytorch", passed=286, failed=455, tests=("test",), commit="6a78df57"),
    Suite("deepctr-torch", passed=9, failed=34, commit="687a094"),
    # It asks for the number of its standard input, which pytest replaces.
    Suite("fairseq", passed=2, failed=9, commit="a75c3092", options=("-s",)),
)


def main() -> int:
    """Run the suites and return the exit status."""
    options = _parse_options()
    print(ROW.format("suite", "", *(outcome.value for outcome in Outcome)))
    return max(_exit_status(suite, options) for suite in _chosen(options))


def _chosen(options: argparse.Namespace) -> list[Suite]:
    """The suites to run: those asked for, or all whose code can be had."""
    chosen: list[Suite] | None = options.suites
    if chosen is not None:
        return chosen
    return [s for s in SUITES if isinstance(s.source, Package) or s.name in options.checkouts]


def _exit_status(suite: Suite, options: argparse.Namespace) -> int:
    """Compare one suite and return 0, 1 if it got worse, or 2 if it could not be run."""
    try:
        source = _source_of(suite, options.checkouts)
        python = _python_for(suite, options.python)
        return 0 if _compare(suite, source, python, options.before_only) else 1
    except (FetchError, InstallError, MigrationError, SuiteError) as error:
        print(f"    {suite.name}: {error}")
        return 2


def _source_of(suite: Suite, checkouts: Mapping[str, Path]) -> Path:
    """The folder of the code: fetched, or the checkout that the command line names."""
    if isinstance(suite.source, Package):
        return fetch(suite.source)
    folder = checkouts.get(suite.source)
    if folder is None or not folder.is_dir():
        raise FetchError(f"no checkout: give it by --checkout {suite.name}=FOLDER")
    return folder


def _python_for(suite: Suite, base: str) -> Path:
    """The interpreter of the virtual environment that has what a suite needs."""
    if isinstance(suite.source, Package):
        return virtual_environment("suites", REQUIREMENTS, base) / "python"
    return virtual_environment("checkouts", REQUIREMENTS_OF_CHECKOUTS, base) / "python"


def _parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suites", description=__doc__)
    parser.add_argument(
        "--suites",
        type=_suites_named,
        metavar="NAME,...",
        help="only these packages and repositories",
    )
    parser.add_argument(
        "--checkout",
        dest="checkouts",
        action=_Checkouts,
        default={},
        metavar="NAME=FOLDER",
        help="where a repository lies; it is not changed. Can be given several times",
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


class _Checkouts(argparse.Action):
    """Collects ``NAME=FOLDER``."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        name, _, folder = values.partition("=")
        known = [suite.name for suite in SUITES if isinstance(suite.source, str)]
        if name not in known or not folder:
            parser.error(f"{option_string} takes NAME=FOLDER; names: {', '.join(known)}")
        namespace.checkouts = {**namespace.checkouts, name: Path(folder).resolve()}


def _suites_named(names: str) -> list[Suite]:
    """Return the suites of a comma-separated list of names."""
    by_name = {suite.name: suite for suite in SUITES}
    try:
        return [by_name[name] for name in names.split(",")]
    except KeyError as error:
        known = ", ".join(by_name)
        raise argparse.ArgumentTypeError(f"no suite of {error}; known: {known}") from error


def _compare(suite: Suite, source: Path, python: Path, before_only: bool) -> bool:
    """Run one suite before and after migration; return whether it got no worse."""
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
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns(".git", "__pycache__"))
    if migrated:
        migrate(folder, work=folder.parent)
    report = folder.parent / f"{folder.name}.xml"
    options = ["-m", "pytest", *PYTEST_OPTIONS, *suite.options, f"--junitxml={report}"]
    finished = run(
        [python, *options, *suite.tests],
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
    title = " ".join(filter(None, (str(suite.source), suite.commit)))
    print(ROW.format(title, when, *(counts[outcome] for outcome in Outcome)))
    sys.stdout.flush()


def _written(counts: Counter[Outcome]) -> str:
    """Write counts in words."""
    return ", ".join(f"{counts[outcome]} {outcome.value}" for outcome in Outcome)


if __name__ == "__main__":
    sys.exit(main())
