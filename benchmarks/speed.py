"""Compares the cost of `torchfix migrate` with other programs, as ratios from one run.

Machines differ and shared ones waver, so no times are promised, only ratios: two
commands run in turn, several times, and the median of the pairs' ratios counts.
A cost is the CPU time (user and system) of the whole process, or its peak memory.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import hashlib
import importlib.util
import operator
import random
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.migration import TORCHFIX
from benchmarks.packages import LEGACY, MODERN, REPOSITORY, FetchError, fetch
from benchmarks.processes import (
    Finished,
    InstallError,
    base_environment,
    run,
    virtual_environment,
)
from benchmarks.trees import source_files
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

SEED = 0
ROW = "{:<64} {:>8} {:>17} {:>9}  {}"
HEADINGS = ("ratio", "median", "lowest to highest", "target", "")

NO_TORCH_SOURCE = '''\
"""Prints the sizes of files."""
import os
import sys

for path in sys.argv[1:]:
    print(path, os.path.getsize(path))
'''
NOTHING_TO_DO_SOURCE = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        return torch.relu(self.layer(x))
"""
LEGACY_SOURCE = """\
import torch
import torch.nn.functional as F
from torch.autograd import Variable

x = Variable(torch.ones(2, 3), volatile=True)
loss = F.mse_loss(x, torch.zeros(2, 3), size_average=False)
print(loss.data[0])
"""


class SpeedError(Exception):
    """A measured command did not do its work, so its cost says nothing."""


@dataclass(frozen=True)
class Command:
    """A program to measure; `prepare` runs before it each time and is not measured."""

    name: str
    argv: Sequence[str]
    good_exits: tuple[int, ...] = (0,)
    environment: Mapping[str, str] = field(default_factory=dict)
    prepare: Callable[[], None] | None = None
    shows_tracebacks: bool = False
    """Whether it shows one for a file that it cannot parse, and goes on."""


@dataclass(frozen=True)
class Target:
    """Where a ratio should land: at most (`<=`), or at least (`>=`), some number."""

    sign: str
    bound: float

    def is_met_by(self, ratio: float) -> bool:
        """Tell whether a ratio lands where it should."""
        compare = operator.le if self.sign == "<=" else operator.ge
        return bool(compare(ratio, self.bound))

    def __str__(self) -> str:
        return f"{self.sign} {self.bound:g}"


@dataclass(frozen=True)
class Cost:
    """Something that can be read off a finished program."""

    name: str
    of: Callable[[Finished], float]


CPU = Cost("CPU", lambda finished: finished.cpu_s)
MEMORY = Cost("memory", lambda finished: float(finished.peak_bytes))
WALL = Cost("time", lambda finished: finished.wall_s)


@dataclass(frozen=True)
class Ratio:
    """One line of the table: a cost of ours over that of the other command, or the reverse."""

    cost: Cost
    target: Target | None = None
    ours_on_top: bool = True


@dataclass(frozen=True)
class Comparison:
    """Two commands that run in turn, and what to read off the pairs."""

    ours: Command
    other: Command
    ratios: tuple[Ratio, ...]
    pairs: int


@dataclass(frozen=True)
class Bench:
    """What all comparisons share: where they work, the samples, and how often they run."""

    work: Path
    samples: Mapping[str, Path]
    """By the name of the tree they are taken from."""
    pairs: int
    slow_pairs: int
    ours_options: tuple[str, ...]

    @property
    def torch_samples(self) -> Mapping[str, Path]:
        """The samples of trees that are about torch."""
        return {name: path for name, path in self.samples.items() if name != "django"}

    def ours(self, path: Path, name: str = "ours", cached: bool = False) -> Command:
        """Return our command on a file or folder."""
        options = [option for option in self.ours_options if not (cached and "cache" in option)]
        # 1: there would be changes. 2: some file is Python 2, which the report names.
        argv = [*TORCHFIX, "migrate", "--diff", *options, str(path)]
        return Command(name, argv, good_exits=(0, 1, 2))

    def fresh_copy(self, sample: Path, name: str) -> tuple[Path, Callable[[], None]]:
        """Return a folder for a command that rewrites, and what puts the sample there again."""
        folder = self.work / name

        def restore() -> None:
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(sample, folder)

        restore()
        return folder, restore


def main() -> int:
    """Run all comparisons and return the exit status."""
    options = _parse_options()
    try:
        with tempfile.TemporaryDirectory(prefix="torchfix-speed-") as work:
            bench = _prepare(Path(work).resolve(), options)
            all_met = _run_all(bench, options.only)
    except (FetchError, SpeedError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 1 if options.strict and not all_met else 0


def _parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--pairs", type=int, default=11, help="runs of each quick command")
    parser.add_argument("--slow-pairs", type=int, default=3, help="runs of each slow command")
    parser.add_argument(
        "--megabytes", type=float, default=1.5, help="size of a sample; a large one takes all"
    )
    parser.add_argument(
        "--trees", default=",".join(TREES), help=f"what to take samples of ({', '.join(TREES)})"
    )
    parser.add_argument("--only", choices=COMPARISONS, help="run one group of comparisons")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when a target is missed")
    return parser.parse_args()


def _prepare(work: Path, options: argparse.Namespace) -> Bench:
    """Lay out the samples and find out which options our command has."""
    samples = {}
    for tree in options.trees.split(","):
        if tree not in TREES:
            raise SpeedError(f"no tree is called {tree} ({', '.join(TREES)})")
        sources = TREES[tree]()
        if not sources:
            print(f"{tree}: left out, it is not installed")
            continue
        samples[tree] = work / tree
        files, size = _lay_out(sources, samples[tree], int(options.megabytes * 1_000_000))
        print(f"{tree}: {files} files, {size / 1_000_000:.2f} MB, seed {SEED}")
    print()
    return Bench(work, samples, options.pairs, options.slow_pairs, _ours_options(work))


def _legacy() -> Mapping[str, Path]:
    """The folders of the legacy packages."""
    return {package.folder_name: fetch(package) for package in LEGACY}


def _modern(name: str) -> Mapping[str, Path]:
    """The folder of one package of today."""
    return {p.folder_name: fetch(p) for p in MODERN if p.name == name}


def _installed_torch() -> Mapping[str, Path]:
    """The folder of torch itself; nothing where this Python has none."""
    found = importlib.util.find_spec("torch")
    return {} if found is None or found.origin is None else {"torch": Path(found.origin).parent}


TREES: Mapping[str, Callable[[], Mapping[str, Path]]] = {
    "legacy": _legacy,
    "torch": _installed_torch,
    "transformers": lambda: _modern("transformers"),
    "django": lambda: _modern("django"),
}


def _lay_out(sources: Mapping[str, Path], folder: Path, size: int) -> tuple[int, int]:
    """Copy random modules of some folders until there are `size` bytes of them."""
    modules = [
        (name, source, path)
        for name, source in sources.items()
        for path in source_files(source, suffixes=(".py",))
    ]
    random.Random(SEED).shuffle(modules)
    files = copied = 0
    for name, source, path in modules:
        if copied >= size:
            break
        target = folder / name / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        files, copied = files + 1, copied + path.stat().st_size
    return files, copied


def _ours_options(work: Path) -> tuple[str, ...]:
    """Return the options for one process and no cache, as far as this checkout has them.

    So the same script measures older commits too.
    """
    answer = run([*TORCHFIX, "migrate", "--help"], cwd=work)
    if answer.returncode != 0:
        last_words = answer.stderr.strip().rpartition("\n")[2]
        raise SpeedError(f"torchfix migrate --help: {last_words}")
    options = {"--jobs": ("--jobs", "1"), "--no-cache": ("--no-cache",)}
    return tuple(
        word for option, words in options.items() if option in answer.stdout for word in words
    )


def _compare_linters(bench: Bench) -> Iterator[Comparison]:
    """Programs that parse with libcst: Meta's TorchFix, archived, has rules for torch, too."""
    torchfix = virtual_environment("torchfix-0.7.0", ["torchfix==0.7.0"])
    fixit = virtual_environment("fixit-2.2.1", ["fixit==2.2.1"])
    noop = [sys.executable, "-m", "libcst.tool", "codemod", "--no-format", "--hide-progress"]
    for tree, sample in bench.torch_samples.items():
        ours = bench.ours(sample, f"ours on {tree}")
        # It wants one process too, and exits with 1 when it could not parse a file.
        argv = [str(torchfix / "torchfix"), "--jobs", "1", str(sample)]
        yield Comparison(
            ours,
            Command("TorchFix 0.7.0", argv, good_exits=(0, 1)),
            (
                Ratio(CPU, Target(">=", 50), ours_on_top=False),
                Ratio(MEMORY, Target("<=", 0.6)),
            ),
            bench.slow_pairs,
        )
        yield Comparison(
            ours,
            Command(
                "libcst.tool, doing nothing",
                [*noop, "--jobs=1", "noop.NOOPCommand", str(sample)],
                good_exits=(0, 1),
                shows_tracebacks=True,
            ),
            (Ratio(CPU, Target(">=", 25), ours_on_top=False),),
            bench.slow_pairs,
        )
        yield Comparison(
            ours,
            # 1 to 7: what it found, what it could fix, and whether a file could not be parsed.
            Command(
                "Fixit", [str(fixit / "fixit"), "lint", str(sample)], good_exits=tuple(range(8))
            ),
            (Ratio(CPU, Target(">=", 75), ours_on_top=False),),
            bench.slow_pairs,
        )


def _compare_floor(bench: Bench) -> Iterator[Comparison]:
    """A script that only reads, prefilters and parses the same files."""
    floor = [sys.executable, str(REPOSITORY / "benchmarks" / "floor.py")]
    variants: tuple[tuple[str, list[str], Target | None], ...] = (
        ("read and ast.parse", [], Target("<=", 2.5)),
        ("read and ast.parse, gc off", ["--no-gc"], None),
    )
    for tree, sample in bench.torch_samples.items():
        for name, options, target in variants:
            yield Comparison(
                bench.ours(sample, f"ours on {tree}"),
                Command(name, [*floor, *options, str(sample)]),
                (Ratio(CPU, target), Ratio(MEMORY)),
                bench.pairs,
            )


def _compare_start_up(bench: Bench) -> Iterator[Comparison]:
    """One file, as in a commit hook: what counts is what gets imported."""
    bare = Command("python -c pass", [sys.executable, "-c", "pass"])
    imports = Command("import click, libcst", [sys.executable, "-c", "import click, libcst"])
    cases = (
        ("no_torch", NO_TORCH_SOURCE, bare, Target("<=", 4)),
        ("nothing_to_do", NOTHING_TO_DO_SOURCE, imports, Target("<=", 1.5)),
        ("legacy", LEGACY_SOURCE, imports, Target("<=", 1.5)),
    )
    for name, source, other, target in cases:
        path = bench.work / f"{name}.py"
        path.write_text(source, encoding="utf-8")
        ours = bench.ours(path, name=f"ours on {path.name}")
        yield Comparison(ours, other, (Ratio(CPU, target),), bench.pairs)


def _compare_upgraders(bench: Bench) -> Iterator[Comparison]:
    """The tools other communities upgrade their code with, on the same files."""
    programs = virtual_environment(
        "upgraders", ["django-upgrade==1.33.0", "pyupgrade==3.22.0", "ruff==0.17.5"]
    )
    for tree, sample in bench.samples.items():
        yield from _compare_upgraders_on(bench, programs, tree, sample)


def _compare_upgraders_on(
    bench: Bench, programs: Path, tree: str, sample: Path
) -> Iterator[Comparison]:
    ours = bench.ours(sample, f"ours on {tree}")
    paths = [str(path) for path in source_files(sample)]
    django_options = ["--check", "--exit-zero-even-if-changed", "--target-version", "5.2"]
    yield Comparison(
        ours,
        Command(
            "django-upgrade",
            [str(programs / "django-upgrade"), *django_options, *paths],
            good_exits=(0, 1),
        ),
        (Ratio(CPU, Target("<=", 0.15 if tree == "django" else 1.0)),),
        bench.pairs,
    )
    if tree != "django":
        folder, restore = bench.fresh_copy(sample, f"{tree}-pyupgrade")
        copied_paths = [str(path) for path in source_files(folder)]
        yield Comparison(
            ours,
            Command(
                "pyupgrade",
                [str(programs / "pyupgrade"), *copied_paths],
                good_exits=(0, 1),
                prepare=restore,
            ),
            (Ratio(CPU, Target(">=", 3), ours_on_top=False),),
            bench.slow_pairs,
        )
    ruff_options = ["check", "--isolated", "--no-cache", "--exit-zero", "--quiet"]
    yield Comparison(
        ours,
        Command(
            "ruff check",
            [str(programs / "ruff"), *ruff_options, str(sample)],
            environment={"RAYON_NUM_THREADS": "1"},
        ),
        (Ratio(CPU, Target("<=", 1 if tree == "django" else 8)),),
        bench.pairs,
    )


def _compare_cache(bench: Bench) -> Iterator[Comparison]:
    """A second run over files that did not change."""
    if "--no-cache" not in bench.ours_options:
        return
    for tree, sample in bench.torch_samples.items():
        warm = bench.ours(sample, f"ours on {tree}, warm cache", cached=True)
        _run_checked(warm, bench.work)
        cold = bench.ours(sample, "cold")
        yield Comparison(warm, cold, (Ratio(CPU, Target("<=", 0.05)),), bench.pairs)


def _compare_rows(bench: Bench) -> Iterator[Comparison]:
    """The same run with ten times the rows in the catalogue."""

    def command(times: int, name: str) -> Command:
        script = [sys.executable, str(REPOSITORY / "benchmarks" / "more_rows.py"), str(times)]
        ours = bench.ours(next(iter(bench.samples.values())), name)
        return replace(ours, argv=[*script, *ours.argv[len(TORCHFIX) :]])

    yield Comparison(
        command(10, "ours, 10 times the rows"),
        command(1, "ours"),
        (Ratio(CPU, Target("<=", 1.25)), Ratio(MEMORY)),
        bench.pairs,
    )


def _compare_jobs(bench: Bench) -> Iterator[Comparison]:
    """Several processes: the same output, sooner. Best with `--megabytes 21 --trees torch`."""
    for tree, sample in bench.torch_samples.items():
        one = bench.ours(sample, "one")
        expected = _run_checked(one, bench.work).stdout
        for jobs in ("2", "3"):
            argv = [jobs if word == "1" else word for word in one.argv]
            if _run_checked(replace(one, argv=argv), bench.work).stdout != expected:
                raise SpeedError(f"{tree}: --jobs {jobs} gives something else than --jobs 1")
        _check_executors(sample)
        two = ["2" if word == "1" else word for word in one.argv]
        yield Comparison(
            replace(one, name=f"ours on {tree}, two processes", argv=two),
            one,
            (Ratio(WALL, Target("<=", 0.7)),),
            bench.slow_pairs,
        )


def _check_executors(sample: Path) -> None:
    """Make sure that all executors give the same results."""
    paths = list(source_files(sample, suffixes=(".py",)))
    settings = Settings(root=sample)
    digests = {}
    for executor in (
        None,
        concurrent.futures.ThreadPoolExecutor(2),
        concurrent.futures.ProcessPoolExecutor(2),
    ):
        results = [*migrate_files(paths, settings, write=False, executor=executor)]
        digests[type(executor).__name__] = hashlib.sha256(repr(results).encode()).hexdigest()
        if executor is not None:
            executor.shutdown()
    if len(set(digests.values())) > 1:
        raise SpeedError(f"the executors differ: {digests}")


COMPARISONS: Mapping[str, Callable[[Bench], Iterator[Comparison]]] = {
    "linters": _compare_linters,
    "floor": _compare_floor,
    "start-up": _compare_start_up,
    "upgraders": _compare_upgraders,
    "cache": _compare_cache,
    "rows": _compare_rows,
    "jobs": _compare_jobs,
}


def _run_all(bench: Bench, only: str | None) -> bool:
    """Run the comparisons and print the table; return whether all targets are met."""
    print(ROW.format(*HEADINGS))
    all_met = True
    for group, comparisons in COMPARISONS.items():
        if only in (None, group):
            try:
                for comparison in comparisons(bench):
                    all_met &= _compare(comparison, bench.work)
            except InstallError as error:
                print(f"{group}: left out, cannot be installed: {error}")
    return all_met


def _compare(comparison: Comparison, work: Path) -> bool:
    """Run the two commands in turn and print their ratios; return whether the targets are met."""
    pairs = [
        (_run_checked(comparison.ours, work), _run_checked(comparison.other, work))
        for _ in range(comparison.pairs)
    ]
    met = [_show(comparison, ratio, pairs) for ratio in comparison.ratios]
    return all(met)


def _run_checked(command: Command, work: Path) -> Finished:
    """Run a command once, and make sure that it did what it is measured for."""
    if command.prepare is not None:
        command.prepare()
    environment = {**base_environment(XDG_CACHE_HOME=str(work)), **command.environment}
    finished = run(command.argv, cwd=work, environment=environment)
    crashed = "Traceback" in finished.stderr and not command.shows_tracebacks
    if finished.returncode not in command.good_exits or crashed:
        last_words = finished.stderr.strip().rpartition("\n")[2]
        raise SpeedError(f"{command.name}: exit status {finished.returncode}: {last_words}")
    return finished


def _show(comparison: Comparison, ratio: Ratio, pairs: Sequence[tuple[Finished, Finished]]) -> bool:
    """Print one line of the table and return whether its target is met."""
    values = [ratio.cost.of(ours) / ratio.cost.of(other) for ours, other in pairs]
    names = [comparison.ours.name, comparison.other.name]
    if not ratio.ours_on_top:
        values = [1 / value for value in values]
        names.reverse()
    median = statistics.median(values)
    met = ratio.target is None or ratio.target.is_met_by(median)
    print(
        ROW.format(
            f"{ratio.cost.name}: {names[0]} / {names[1]}",
            f"{median:.2f}",
            f"{min(values):.2f} to {max(values):.2f}",
            str(ratio.target or ""),
            "" if ratio.target is None else "met" if met else "MISSED",
        ),
        flush=True,
    )
    return met


if __name__ == "__main__":
    sys.exit(main())
