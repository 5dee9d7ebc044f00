"""Which small mistakes in the package would the tests notice?

Makes mistakes in some files, one at a time: `or` for `and`, `<=` for `<`, a condition turned round
or left out, a call or a result that is missing. For each it runs the tests that run the line, in a
copy of the tree, until one of them fails. A mistake that none notices is printed: the code says
the same with it, or a test is missing.
"""

from __future__ import annotations

import argparse
import ast
import functools
import importlib
import itertools
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from coverage import CoverageData

from benchmarks.coverage import measure
from benchmarks.packages import REPOSITORY

PACKAGE = REPOSITORY / "torchfix_codemods"
DEFAULT = ["facts", "rules/losses", "rules/checkpoints", "rules/renames"]

#: How many of the tests that run a line are tried, and how long.
TESTS, SECONDS = 250, 300

NOTICED = ("killed", "timeout")

_OPPOSITES: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
_OPERATORS = {
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
}

#: Imported once, and shared by the processes that run the tests.
_SHARED = """pytest xdist libcst hypothesis syrupy click torch _pytest.assertion.rewrite difflib
unittest.mock concurrent.futures""".split()


@dataclass(frozen=True)
class Mutant:
    """One mistake: other text from one byte of a file to another."""

    path: str
    line: int
    start: int
    end: int
    new: str
    tests: tuple[str, ...] = ()

    def applied(self, source: bytes) -> bytes:
        """The file with the mistake."""
        return source[: self.start] + self.new.encode() + source[self.end :]


def main() -> int:
    """Make mistakes, print those that nobody notices, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutation", description=__doc__)
    parser.add_argument("paths", nargs="*", default=DEFAULT, help="below the package")
    parser.add_argument("--count", type=int, default=100, help="how many, drawn by chance")
    parser.add_argument("--seed", type=int, default=1, help="which of them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--coverage", type=Path, help="what `benchmarks.coverage --keep` kept")
    parser.add_argument("--fail-under", type=float, default=0, help="exit with 1 below so many %%")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="torchfix-mutation-") as folder:
        data = options.coverage or Path(folder) / "data"
        if options.coverage is None:
            measure(["tests"], data, str(options.jobs))
        chosen = drawn(options.paths, data, options.count, options.seed)
        for name in _SHARED:
            importlib.import_module(name)
        score = judge(chosen, options.jobs, Path(folder))
    return 1 if score < options.fail_under else 0


def drawn(paths: Sequence[str], data: Path, count: int, seed: int) -> list[Mutant]:
    """Some mutants of the files, each with the tests that run its line.

    Args:
        paths: files and folders below the package.
        data: what was measured with contexts.
        count: how many, or all of them where there are no more.
        seed: which of them.
    """
    found = [PACKAGE / path for path in paths]
    files = sorted({f for p in found for f in (p.rglob("*.py") if p.is_dir() else [p])})
    every = [mutant for file in files for mutant in mutants(file)]
    random.Random(seed).shuffle(every)
    measured = CoverageData(str(data))
    measured.read()
    contexts = functools.cache(lambda path: _tests_by_line(measured, path))
    result = []
    for mutant in every[:count]:
        tests = sorted(contexts(mutant.path).get(mutant.line, ()))
        own = [test for test in tests if f"/test_{Path(mutant.path).stem}.py::" in test]
        others = [test for test in tests if test not in own]
        random.Random(seed).shuffle(others)
        result.append(
            Mutant(
                mutant.path,
                mutant.line,
                mutant.start,
                mutant.end,
                mutant.new,
                (*own, *others)[:TESTS],
            )
        )
    return result


def _tests_by_line(measured: CoverageData, path: str) -> Mapping[int, Sequence[str]]:
    for file in measured.measured_files():
        if file.endswith(f"/{path}"):
            lines = measured.contexts_by_lineno(file)
            return {line: [test for test in found if test] for line, found in lines.items()}
    return {}


def judge(chosen: Sequence[Mutant], jobs: int, folder: Path) -> float:
    """Run the tests against each mutant, print what nobody notices; return the score in percent.

    Args:
        chosen: the mutants.
        jobs: how many are looked at at the same time.
        folder: where the copies of the tree go.
    """
    counts: Counter[str] = Counter()
    fork = get_context("fork")
    with ProcessPoolExecutor(jobs, fork, _work_in_a_copy, (folder,)) as pool:
        for mutant, verdict in zip(chosen, pool.map(_verdict, chosen), strict=True):
            counts[verdict] += 1
            if verdict not in NOTICED:
                source = (REPOSITORY / mutant.path).read_bytes()
                old = source[mutant.start : mutant.end].decode()
                print(f"{mutant.path}:{mutant.line}: {verdict}: {old!r} -> {mutant.new!r}")
                print("    " + source.decode().split("\n")[mutant.line - 1].strip(), flush=True)
    score = 100 * sum(counts[verdict] for verdict in NOTICED) / max(1, counts.total())
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    print(f"{score:.1f} % of {counts.total()} noticed ({told})")
    return score


# One mutant


def _work_in_a_copy(folder: Path) -> None:
    """Give this process a copy of the tree, and let Python find the package there."""
    copy = Path(tempfile.mkdtemp(dir=folder)) / "tree"
    left_out = shutil.ignore_patterns(".*", "__pycache__")
    shutil.copytree(REPOSITORY, copy, ignore=left_out)
    for name in (".gitignore", ".pre-commit-hooks.yaml"):
        if (REPOSITORY / name).exists():
            shutil.copy(REPOSITORY / name, copy / name)
    os.chdir(copy)
    sys.dont_write_bytecode = True
    sys.path[:] = [str(copy), *(p for p in sys.path if Path(p or ".").resolve() != REPOSITORY)]
    os.environ.update(PYTHONPATH=str(copy), PYTHONDONTWRITEBYTECODE="1", OMP_NUM_THREADS="1")


def _verdict(mutant: Mutant) -> str:
    if not mutant.tests:
        return "run by no test"
    path = Path(mutant.path)
    source = path.read_bytes()
    path.write_bytes(mutant.applied(source))
    try:
        return _tested(mutant.tests)
    finally:
        path.write_bytes(source)


def _tested(tests: Sequence[str]) -> str:
    """How the tests end in a process of their own."""
    pid = os.fork()
    if pid == 0:
        _run_tests(tests)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return "survived" if os.waitstatus_to_exitcode(status) == 0 else "killed"
        time.sleep(0.05)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "timeout"


def _run_tests(tests: Sequence[str]) -> None:
    status = 1
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        import pytest

        status = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]))
    finally:
        os._exit(status)


# The mistakes


def mutants(file: Path) -> Iterator[Mutant]:
    """All mistakes in the functions of a file that leave it a program."""
    source = file.read_bytes()
    tree = ast.parse(source)
    text = _Text(source)
    seen = set()
    for node in _code(tree):
        for where, start, end, new in _mistakes(node, text):
            path = file.relative_to(REPOSITORY).as_posix()
            mutant = Mutant(path, where.lineno, start, end, new)
            if mutant not in seen and _is_program(mutant.applied(source)):
                seen.add(mutant)
                yield mutant


def _code(tree: ast.Module) -> Iterator[ast.AST]:
    """What runs in functions: no annotations, and nothing that only tells the type checker."""
    functions = [
        n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    inside = {inner for f in functions for s in f.body for inner in ast.walk(s)}
    said: set[ast.AST] = set()
    for node in ast.walk(tree):
        parts = [getattr(node, name, None) for name in ("annotation", "returns")]
        if isinstance(node, ast.Assert):
            parts.append(node)
        said.update(inner for part in parts if part is not None for inner in ast.walk(part))
    yield from (node for node in ast.walk(tree) if node in inside - said)


Mistake = tuple[ast.expr | ast.stmt, int, int, str]


def _mistakes(node: ast.AST, text: _Text) -> Iterator[Mistake]:
    """The node that stands in the line, from where to where in the file, and the new text."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        start, end = text.between(node.left, node.comparators[0])
        old = re.sub(r"[()\s]+", " ", text[start, end]).strip()
        yield node, start, end, text[start, end].replace(old, _OPPOSITES[type(node.ops[0])], 1)
    elif isinstance(node, ast.BoolOp):
        yield from _mistakes_of_conditions(node, text)
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        start, end = text.between(node.left, node.right)
        yield node, start, end, text[start, end].replace(*_OPERATORS[type(node.op)], 1)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, *text.span(node), f"({text[text.span(node.operand)]})"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node, *text.span(node), str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield node, *text.span(node), str(node.value + 1)
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("any", "all"):
        function = text[text.span(node.func)]
        yield node, *text.span(node.func), "all" if function == "any" else "any"
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
        yield node.test, *text.span(node.test), f"(not ({text[text.span(node.test)]}))"
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield node.ifs[0], *text.span(node.ifs[0]), "True"
    elif isinstance(node, ast.stmt):
        yield from _mistakes_of_statement(node, text)


def _mistakes_of_conditions(node: ast.BoolOp, text: _Text) -> Iterator[Mistake]:
    """The other word, and each condition left out but the first."""
    if len(node.values) == 2:
        start, end = text.between(*node.values)
        yield node, start, end, text[start, end].replace(*_OPERATORS[type(node.op)], 1)
    for before, left_out in itertools.pairwise(node.values):
        yield left_out, text.span(before)[1], text.span(left_out)[1], ""


def _mistakes_of_statement(node: ast.stmt, text: _Text) -> Iterator[Mistake]:
    if isinstance(node, ast.Break):
        yield node, *text.span(node), "continue"
    elif isinstance(node, ast.Continue):
        yield node, *text.span(node), "break"
    elif isinstance(node, ast.Return) and node.value is None:
        yield node, *text.span(node), "pass"
    elif isinstance(node, ast.Return) and not isinstance(node.value, ast.Constant):
        assert node.value is not None
        yield node, *text.span(node.value), "None"
    elif isinstance(node, ast.Expr) and isinstance(
        node.value, (ast.Call, ast.Yield, ast.YieldFrom)
    ):
        yield node, *text.span(node), "pass"


def _is_program(source: bytes) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


class _Text:
    """The bytes of a file by the places of its nodes."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        lengths = (len(line) + 1 for line in source.split(b"\n"))
        self._starts = [0, *itertools.accumulate(lengths)]

    def __getitem__(self, span: tuple[int, int]) -> str:
        return self._source[slice(*span)].decode()

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Where a node begins and ends."""
        last, column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[last - 1] + column

    def between(self, left: ast.expr, right: ast.expr) -> tuple[int, int]:
        """What stands between two nodes."""
        return self.span(left)[1], self.span(right)[0]


if __name__ == "__main__":
    sys.exit(main())
