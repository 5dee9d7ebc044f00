"""How long our diffs are beside those with which the owners of the code migrated it themselves.

FOLDER holds a clone, with its history, of each repository of ``PAIRS`` that is to be measured. The
commit before is checked out elsewhere and migrated twice, with ``--needed`` and without. Lines
added and removed are counted in those files alone that both, the owners and we, changed.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.migration import TORCHFIX
from benchmarks.processes import base_environment, run


@dataclass(frozen=True)
class Pair:
    """A repository, the commit before its owners migrated it, and the one where they had."""

    repository: str
    before: str
    after: str

    @property
    def name(self) -> str:
        return self.repository.rpartition("/")[2]


#: The commits stand as near to one another as the history allows.
PAIRS = (
    Pair("jcjohnson/pytorch-examples", "0f1b88a38e1f", "73a662bbe9fc"),
    Pair("kuangliu/pytorch-cifar", "e010fe867f38", "010536eed3a8"),
    Pair("MorvanZhou/PyTorch-Tutorial", "c711da8^", "921b69a"),
    Pair("eriklindernoren/PyTorch-GAN", "9516e6834cc1", "1e3510416947"),
    Pair("wiseodd/generative-models", "b930d5fa9e2f", "cd2db0069f65"),
    Pair("Diego999/pyGAT", "dc0be22^", "dc0be22"),
    Pair("tkipf/pygcn", "7474897566c1", "299b90de321a"),
    Pair("L1aoXingyu/pytorch-beginner", "5e7cf32cf99f", "996a53b3b29a"),
    Pair("IBM/pytorch-seq2seq", "4c661ca0804c", "fede87655ddc"),
    Pair("pyro-ppl/pyro", "29654dc78323", "a72f9ac6a"),
    Pair("OpenNMT/OpenNMT-py", "0ecec8b4c16f", "1a28cafd6a12"),
    Pair("ruotianluo/self-critical.pytorch", "68f970a^", "c41264a"),
    Pair("meetps/pytorch-semseg", "6d2a31c4e389", "07ac01f728bf"),
    Pair("meliketoy/wide-resnet.pytorch", "d37c7fd7c57e", "292b3ede0651"),
    Pair("NVIDIA/flownet2-pytorch", "cf5a3eb478e8", "980548a05abb"),
    Pair("ikostrikov/pytorch-a2c-ppo-acktr-gail", "9d2ad2ec6a5d", "e7f739f3ad1a"),
    Pair("chenyuntc/simple-faster-rcnn-pytorch", "ffcf3309f529", "dec293164d92"),
    Pair("amdegroot/ssd.pytorch", "5b0b77faa955", "028ed6acca73"),
)
MODES: Mapping[str, Sequence[str]] = {"needed": ("--needed",), "all": ()}


@dataclass(frozen=True)
class Row:
    """The changed lines of one repository, in the files that both changed."""

    name: str
    files: int
    human: int
    ours: int

    @property
    def ratio(self) -> float:
        return self.ours / self.human


def main() -> int:
    """Print a row for each repository and mode, and the medians."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.human", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a clone of each repository")
    parser.add_argument("--only", default="", metavar="NAMES", help="some of them")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the migrated trees there")
    options = parser.parse_args()
    names = set(filter(None, options.only.split(",")))
    ratios: dict[str, list[float]] = {mode: [] for mode in MODES}
    print(f"{'repository':<32}{'mode':<8}{'files':>6}{'human':>7}{'ours':>7}{'ratio':>7}")
    for pair in PAIRS:
        if (names and pair.name not in names) or not (options.folder / pair.name).is_dir():
            continue
        for mode, flags in MODES.items():
            with tempfile.TemporaryDirectory() as scratch:
                tree = (options.keep or Path(scratch)) / mode / pair.name
                row = measure(pair, options.folder / pair.name, tree, flags)
            if row.human:
                ratios[mode].append(row.ratio)
                counts = f"{row.files:>6}{row.human:>7}{row.ours:>7}{row.ratio:>7.2f}"
                print(f"{row.name:<32}{mode:<8}{counts}", flush=True)
    for mode, each in ratios.items():
        if each:
            print(f"median {mode}: {statistics.median(each):.2f} over {len(each)}")
    return 0


def measure(pair: Pair, clone: Path, tree: Path, flags: Sequence[str]) -> Row:
    """Migrate what stood before into `tree`, and count.

    Raises
    ------
    subprocess.CalledProcessError
        If the clone lacks a commit.
    """
    if not tree.exists():
        tree.parent.mkdir(parents=True, exist_ok=True)
        _git(
            tree.parent, "clone", "-q", "--shared", "-n", str(clone.resolve()), str(tree.resolve())
        )
        _git(tree, "-c", "advice.detachedHead=false", "checkout", "-q", pair.before)
        command = [*TORCHFIX, "migrate", str(tree), "--no-cache", "--quiet", *flags]
        run(command, cwd=tree, environment=base_environment())
    ours = changed_lines(tree)
    human = changed_lines(clone, pair.before, pair.after)
    both = ours.keys() & human.keys()
    return Row(pair.name, len(both), sum(human[f] for f in both), sum(ours[f] for f in both))


def changed_lines(repository: Path, *commits: str) -> dict[str, int]:
    """Lines added and removed between two commits, or since the last one, by file."""
    options = ("--numstat", "--no-renames", "--diff-filter=M")
    answer = _git(repository, "diff", *options, *commits, "--", "*.py")
    rows = (line.split("\t") for line in answer.splitlines())
    counts = {path: int(added) + int(removed) for added, removed, path in rows if added != "-"}
    # A file of which only the mode changed is listed with nothing.
    return {path: count for path, count in counts.items() if count}


def _git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    raise SystemExit(main())
