"""How much of the package the tests run: lines and branches, also in the processes they start.

What `torchfix verify` puts into the programs that it runs is measured where it runs: in a server
and its forks, under another name, from which `pyproject.toml` leads back to the files here.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import coverage
import pytest

from benchmarks.packages import REPOSITORY

#: Parts of the total that are printed on their own.
PARTS = {"without verify/": "*/verify/*", "without verify/inside/": "*/verify/inside/*"}


def main() -> int:
    """Run the tests, print the table and the totals, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--jobs", default="auto", help="processes of pytest")
    parser.add_argument("--under", type=float, default=100, help="show files below so many percent")
    parser.add_argument(
        "--keep", type=Path, help="a file for the data, with the tests of each line"
    )
    parser.add_argument("--fail-under", type=float, default=0, help="exit with 1 below so many")
    parser.add_argument("tests", nargs="*", default=["tests"], help="files and folders of tests")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="torchfix-coverage-") as folder:
        data = Path(folder) / "data"
        status = measure(options.tests, data, options.jobs)
        if options.keep:
            shutil.copy(data, options.keep)
        total = report(data, options.under)
    if status:
        print("some tests failed: what they would have run is missing", file=sys.stderr)
    return 1 if status or total < options.fail_under else 0


def measure(tests: list[str], data: Path, jobs: str) -> int:
    """Run tests, and note for each line and branch which of them ran it.

    Args:
        tests: files and folders.
        data: where the notes go. It must be below the folder for temporary files: verified
            programs may write nowhere else.
        jobs: the processes of pytest, as its `-n` takes them.

    Returns:
        the exit status of pytest.
    """
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    run = [sys.executable, "-m", "coverage", "run", f"--data-file={data}", "-m", "pytest"]
    arguments = ["-n", jobs, "-p", "benchmarks.coverage", "-p", "no:cacheprovider", *tests]
    done = subprocess.run([*run, *arguments], cwd=REPOSITORY, env=environment, check=False)
    combine = [sys.executable, "-m", "coverage", "combine", "-q", f"--data-file={data}"]
    subprocess.run([*combine, str(data.parent)], cwd=REPOSITORY, check=True)
    return done.returncode


def report(data: Path, under: float) -> float:
    """Print the files, the lowest first, and the totals; return the total of all.

    Args:
        data: what was measured.
        under: files with so many percent, or more, are left out.
    """
    os.chdir(REPOSITORY)
    measured = coverage.Coverage(data_file=str(data))
    measured.load()
    table = Path(f"{data}.txt")
    with table.open("w", encoding="utf-8") as file:
        total = measured.report(show_missing=True, precision=1, sort="cover", file=file)
    for line in table.read_text(encoding="utf-8").splitlines():
        numbers = [word for word in line.split() if word.endswith("%")]
        if numbers and float(numbers[0].rstrip("%")) < under:
            print(line)
    print(f"{total:.2f} % of lines and branches")
    for name, omitted in PARTS.items():
        with open(os.devnull, "w", encoding="utf-8") as nothing:
            part = measured.report(omit=[omitted], file=nothing)
        print(f"{part:.2f} % {name}")
    return total


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Say which test runs what from now on."""
    running = coverage.Coverage.current()
    if running is not None:
        running.switch_context(item.nodeid)
    try:
        return (yield)
    finally:
        if running is not None:
            running.switch_context("")


if __name__ == "__main__":
    sys.exit(main())
