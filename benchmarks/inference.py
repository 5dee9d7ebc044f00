"""Compares what the facts say of expressions with what these evaluate to when the program runs.

``python benchmarks/inference.py PATH [--json FILE] -- COMMAND`` runs COMMAND, whose first word is a
Python that has torch, in a copy of PATH in which every name, attribute, call and subscript records
the kind of its value, and for tensors the number of dimensions, contiguity and dtype. PATH itself
is not touched.
"""

from __future__ import annotations

import argparse
import ast
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.instrument import instrumented, recorded_nodes
from torchfix_codemods.engine.migrate import facts_of
from torchfix_codemods.facts.libraries import losses
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values import lattice as values
from torchfix_codemods.facts.values.dtypes import DEFAULT
from torchfix_codemods.runs.chosen import options_for
from torchfix_codemods.settings.config import Settings
from torchfix_codemods.text.repair import repair_async
from torchfix_codemods.text.source import SourceError, decode

RECORDING = Path(__file__).resolve().parent / "recording"
TIMEOUT_S = 1800
ROW = "{:<34} {:>10} {:>8} {:>9} {:>9}"

Look = tuple[object, ...]
"""One observation: the kind, and for a tensor ndim, contiguous, dtype, grad and single."""


@dataclass(frozen=True)
class Position:
    """One expression that ran: what it was, and what the facts say it is."""

    path: Path
    node: ast.expr
    looks: tuple[Look, ...]
    facts: Facts

    @property
    def kinds(self) -> frozenset[object]:
        """The kinds of value that it had."""
        return frozenset(look[0] for look in self.looks)

    @functools.cached_property
    def value(self) -> values.Value:
        """What the facts say."""
        return self.facts.value(self.node)

    def __str__(self) -> str:
        seen = " | ".join(" ".join(map(str, look)) for look in sorted(self.looks, key=str)[:4])
        place = f"{self.path}:{self.node.lineno}:{self.node.col_offset + 1}"
        return f"{place}: {ast.unparse(self.node)[:70]}: {self.value}; was {seen}"


@dataclass
class Score:
    """How often a claim was made, was right, and could have been made."""

    claimed: int = 0
    right: int = 0
    recorded: int = 0
    known: int = 0
    wrong: list[Position] = field(default_factory=list)
    missed: list[Position] = field(default_factory=list)

    def add(self, position: Position, claims: bool, is_true: bool) -> None:
        """Count one expression.

        Args:
            position: the expression.
            claims: whether the facts claim the property.
            is_true: whether it had the property whenever it was evaluated.
        """
        self.recorded += is_true
        self.known += is_true and claims
        self.claimed += claims
        self.right += claims and is_true
        if claims and not is_true:
            self.wrong.append(position)
        if is_true and not claims:
            self.missed.append(position)

    @property
    def precision(self) -> float | None:
        """The part of the claims that are right; None where nothing is claimed."""
        return self.right / self.claimed if self.claimed else None

    @property
    def recall(self) -> float | None:
        """The part of what is true that is claimed; None where there is none."""
        return self.known / self.recorded if self.recorded else None

    def to_json(self) -> dict[str, float | int | None]:
        """The figures, and the counts they come from, which can be added up."""
        return {
            "precision": self.precision,
            "recall": self.recall,
            "recorded": self.recorded,
            "claimed": self.claimed,
            "right": self.right,
        }


#: Kinds of values: what the recorder calls them, and what the facts do.
KINDS: dict[str, tuple[frozenset[str], Callable[[values.Value], bool]]] = {
    "Tensor": (frozenset({"Tensor"}), lambda v: isinstance(v, values.Tensor)),
    "Module": (frozenset({"Module", "Loss"}), lambda v: isinstance(v, values.Module)),
    "Loss": (
        frozenset({"Loss"}),
        lambda v: isinstance(v, values.Module) and v.cls in losses.LOSSES,
    ),
    "Optimizer": (frozenset({"Optimizer"}), lambda v: isinstance(v, values.Optimizer)),
    "Scheduler": (frozenset({"Scheduler"}), lambda v: isinstance(v, values.Scheduler)),
    "DataLoader": (frozenset({"DataLoader"}), lambda v: isinstance(v, values.Loader)),
    "LoaderIterator": (
        frozenset({"LoaderIterator"}),
        lambda v: isinstance(v, values.LoaderIterator),
    ),
    "Array": (frozenset({"Array", "ArrayScalar"}), lambda v: isinstance(v, values.Array)),
    # numpy's float64 is a Python float as well.
    "Number": (frozenset({"Number", "ArrayScalar"}), lambda v: isinstance(v, values.Number)),
    "Text": (frozenset({"Text"}), lambda v: isinstance(v, values.Text)),
    "Size": (frozenset({"Size"}), lambda v: isinstance(v, values.Size)),
    "Sequence": (
        frozenset({"Sequence", "Iterable", "Size"}),
        lambda v: isinstance(v, values.Sequence),
    ),
    "Mapping": (
        frozenset({"Mapping", "Iterable"}),
        lambda v: isinstance(v, (values.Mapping, values.StateDict)),
    ),
}

#: What a program may set as the dtype of new tensors.
_DEFAULTS = frozenset({"float16", "float32", "float64"})

_SOFTMAX = frozenset({"softmax", "log_softmax", "softmin", "Softmax", "LogSoftmax", "Softmin"})


class Report:
    """All scores of one or more runs."""

    def __init__(self) -> None:
        self.kinds = {kind: Score() for kind in KINDS}
        self.properties = {
            name: Score()
            for name in ("zero_dim", "contiguous", "ndim", "dtype", "no_grad", "single")
        }
        self.places = {
            name: Score()
            for name in (
                "zero_dim of what [0] indexes",
                "contiguous of what .view is called on",
                "ndim of arguments of softmax without dim",
            )
        }

    def add(self, position: Position) -> None:
        """Count one expression in every score it belongs to."""
        value, kinds = position.value, position.kinds
        for kind, (names, claims) in KINDS.items():
            self.kinds[kind].add(position, claims(value), kinds <= names)
        if kinds != {"Tensor"}:
            return
        ndims = {look[1] for look in position.looks}
        tensor = value if isinstance(value, values.Tensor) else values.Tensor()
        dtypes = {look[3] for look in position.looks}
        if tensor.dtype == DEFAULT and dtypes <= _DEFAULTS:
            dtypes = {DEFAULT}
        is_scalar, is_contiguous = ndims == {0}, all(look[2] for look in position.looks)
        has_one_rank = len(ndims) == 1
        ranks = self.properties["ndim"]
        ranks.add(position, tensor.ndim is not None, has_one_rank and tensor.ndim in (None, *ndims))
        self.properties["zero_dim"].add(position, tensor.ndim == 0, is_scalar)
        self.properties["contiguous"].add(position, tensor.contiguous, is_contiguous)
        self.properties["dtype"].add(
            position,
            tensor.dtype is not None,
            len(dtypes) == 1 and tensor.dtype in (None, *dtypes),
        )
        self.properties["no_grad"].add(
            position, tensor.grad is False, not any(look[4] for look in position.looks)
        )
        self.properties["single"].add(
            position, tensor.single, all(look[5] for look in position.looks)
        )
        if _is_indexed_by_0(position):
            self.places["zero_dim of what [0] indexes"].add(position, tensor.ndim == 0, is_scalar)
        if _is_viewed(position):
            self.places["contiguous of what .view is called on"].add(
                position, tensor.contiguous, is_contiguous
            )
        if _is_given_to_softmax(position):
            self.places["ndim of arguments of softmax without dim"].add(
                position, tensor.ndim is not None, has_one_rank
            )

    def to_json(self) -> dict[str, dict[str, dict[str, float | int | None]]]:
        """The figures by kind, property and place."""
        return {
            "kinds": {name: score.to_json() for name, score in self.kinds.items()},
            "properties": {name: score.to_json() for name, score in self.properties.items()},
            "places": {name: score.to_json() for name, score in self.places.items()},
        }

    def lines(self) -> Iterator[str]:
        """The table."""
        yield ROW.format("", "recorded", "claimed", "precision", "recall")
        for scores in (self.kinds, self.properties, self.places):
            for name, score in scores.items():
                if score.recorded or score.claimed:
                    yield ROW.format(
                        name[:34],
                        score.recorded,
                        score.claimed,
                        _percent(score.precision),
                        _percent(score.recall),
                    )

    def misses(self) -> Iterator[str]:
        """Every claim that is wrong, and every tensor or property that is not known."""
        for scores in (self.kinds, self.properties, self.places):
            for name, score in scores.items():
                yield from (f"WRONG {name}: {position}" for position in score.wrong)
        missed = {"Tensor": self.kinds["Tensor"], **self.places}
        for name, score in missed.items():
            yield from (f"missed {name}: {position}" for position in score.missed)


def _percent(part: float | None) -> str:
    return "-" if part is None else f"{100 * part:.2f} %"


def _is_indexed_by_0(position: Position) -> bool:
    """``x`` of ``x[0]``, ``x.data`` of ``x.data[0]``."""
    parent = position.facts.parent(position.node)
    return (
        isinstance(parent, ast.Subscript)
        and parent.value is position.node
        and isinstance(parent.slice, ast.Constant)
        and parent.slice.value == 0
        and not isinstance(unwrapped(position.node)[0], ast.Subscript)
    )


def _is_viewed(position: Position) -> bool:
    parent = position.facts.parent(position.node)
    return isinstance(parent, ast.Attribute) and parent.attr == "view"


def _is_given_to_softmax(position: Position) -> bool:
    """``x`` of ``F.softmax(x)`` and of the call of an ``nn.Softmax()``."""
    call = position.facts.parent(position.node)
    if not (isinstance(call, ast.Call) and call.args == [position.node]):
        return False
    name = position.facts.name(call.func)
    if name is None:
        callee = position.facts.value(call.func)
        if not isinstance(callee, values.Module) or callee.call is None:
            return False
        name, call = callee.cls, callee.call
        has_dim = bool(call.args)
    else:
        has_dim = len(call.args) > 1
    has_dim = has_dim or any(keyword.arg in ("dim", None) for keyword in call.keywords)
    return (name or "").rpartition(".")[2] in _SOFTMAX and not has_dim


def measure(path: Path, command: Sequence[str], timeout_s: float = TIMEOUT_S) -> Report:
    """Run a command on an instrumented copy and compare it with the facts.

    Args:
        path: a folder or one file.
        command: what to run, in the copy; arguments that name something in ``path`` are
            understood.
        timeout_s: after how many seconds the command is stopped; what ran by then counts.

    Raises:
        OSError: ``path`` cannot be read, or the command cannot be started.
    """
    path = path.resolve()
    with tempfile.TemporaryDirectory(prefix="torchfix-inference-") as work:
        copy = Path(work).resolve() / path.name
        if path.is_dir():
            ignored = shutil.ignore_patterns(".git", "__pycache__", ".venv")
            shutil.copytree(path, copy, symlinks=True, ignore=ignored)
        else:
            shutil.copyfile(path, copy)
        positions = _instrument_all(path, copy)
        records = Path(work) / "records"
        records.mkdir()
        _run(_in_copy(command, path, copy), copy, records, timeout_s)
        looks = _read(records)
    report = Report()
    for file, first, count in positions:
        seen = {i: looks[first + i] for i in range(count) if first + i in looks}
        if seen:
            for position in _positions_of(file, path, seen):
                report.add(position)
    return report


def _instrument_all(path: Path, copy: Path) -> list[tuple[Path, int, int]]:
    """Instrument every module of the copy; return its file and its range of positions."""
    found = []
    first = 0
    for file in sorted(copy.rglob("*.py")) if copy.is_dir() else [copy]:
        text = _text_of(file)
        if text is None or file.is_symlink():
            continue
        try:
            new = instrumented(text, first)
            count = len(recorded_nodes(ast.parse(text)))
        except (SyntaxError, ValueError, RecursionError) as error:
            print(f"{file.relative_to(copy.parent)}: not instrumented: {error}", file=sys.stderr)
            continue
        file.write_text(new, encoding="utf-8")
        found.append((path / file.relative_to(copy) if copy.is_dir() else path, first, count))
        first += count
    return found


def _text_of(file: Path) -> str | None:
    try:
        return repair_async(decode(file.read_bytes()).text)[0]
    except (SourceError, OSError) as error:
        print(f"{file}: not read: {error}", file=sys.stderr)
        return None


def _in_copy(command: Sequence[str], path: Path, copy: Path) -> list[str]:
    """The command with every argument that names something in ``path`` naming its copy."""
    translated = [command[0]]
    for argument in command[1:]:
        named = Path(argument).resolve()
        is_there = named.exists() and (named == path or path in named.parents)
        is_in_copy = not Path(argument).is_absolute() and (copy / argument).exists()
        if is_there and not is_in_copy and not argument.startswith("-"):
            argument = str(copy / named.relative_to(path)) if named != path else str(copy)
        translated.append(argument)
    return translated


def _run(command: Sequence[str], copy: Path, records: Path, timeout_s: float) -> None:
    folder = copy if copy.is_dir() else copy.parent
    path = [str(RECORDING), str(folder)]
    if os.environ.get("PYTHONPATH"):
        path.append(os.environ["PYTHONPATH"])
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TORCHFIX_RECORDS": str(records),
    }
    process = subprocess.Popen(command, cwd=folder, env=environment, start_new_session=True)
    try:
        status = process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        print(f"stopped after {timeout_s:g} s", file=sys.stderr)
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return
    if status:
        print(f"the command ended with status {status}", file=sys.stderr)


def _read(records: Path) -> dict[int, tuple[Look, ...]]:
    """What all processes of the run recorded, by position."""
    found: dict[int, set[Look]] = {}
    for file in records.glob("*.json"):
        for position, looks in json.loads(file.read_text()):
            found.setdefault(position, set()).update(map(tuple, looks))
    return {position: tuple(looks) for position, looks in found.items()}


def _positions_of(file: Path, root: Path, seen: dict[int, tuple[Look, ...]]) -> Iterator[Position]:
    """The expressions of one file that ran."""
    facts = facts_of(decode(file.read_bytes()).text, options_for(file, Settings()))
    nodes = recorded_nodes(facts.tree)
    shown = file.relative_to(root) if file != root else Path(file.name)
    for index, looks in seen.items():
        yield Position(shown, nodes[index], looks, facts)


def main(arguments: Iterable[str] | None = None) -> int:
    """Measure one project and print the table."""
    options = _parse_options(list(sys.argv[1:] if arguments is None else arguments))
    try:
        report = measure(options.path, options.command, options.timeout)
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print("\n".join(report.lines()))
    if options.json:
        options.json.write_text(json.dumps(report.to_json(), indent=2) + "\n")
    if options.misses:
        options.misses.write_text("".join(f"{line}\n" for line in report.misses()))
    return 0


def _parse_options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python benchmarks/inference.py", description=__doc__.split("\n")[0] if __doc__ else ""
    )
    parser.add_argument("path", type=Path, help="a project, or one file; it is not changed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    parser.add_argument(
        "--misses", type=Path, metavar="FILE", help="write every wrong and missing fact there"
    )
    parser.add_argument(
        "--timeout", type=float, default=TIMEOUT_S, metavar="S", help="stop the command after this"
    )
    split = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:split])
    options.command = arguments[split + 1 :]
    if not options.command:
        parser.error("no command: PATH -- python -m pytest tests")
    if not options.path.exists():
        parser.error(f"no such file or folder: {options.path}")
    return options


if __name__ == "__main__":
    sys.exit(main())
