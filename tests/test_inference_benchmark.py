"""The measurement of the facts against running programs."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

from benchmarks.inference import Position, Report, Score, measure
from benchmarks.instrument import instrumented, recorded_nodes
from torchfix_codemods.engine.migrate import facts_of
from torchfix_codemods.facts.values.lattice import Number, Tensor

BENCHMARK = Path(__file__).parents[1] / "benchmarks" / "inference.py"

PROGRAM = """\
import sys
import torch
import torch.nn as nn
import torch.nn.functional as F
from helpers import make

net = nn.Linear(4, 2)
x = torch.randn(3, 4)
out = net(x).t()
loss = F.mse_loss(out, torch.zeros(2, 3))
flat = out.view(2, 3) if out.is_contiguous() else out.contiguous().view(6)
odd = make(x)
if len(sys.argv) > 1:
    never = x
try:
    loss.data[0]
except IndexError:
    print("done", len(odd))
"""


def test_a_project_is_measured_without_being_touched(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "main.py").write_text(PROGRAM)
    (project / "helpers.py").write_text("def make(x):\n    return [x, None]\n")
    before = {path: path.read_bytes() for path in project.iterdir()}
    figures = tmp_path / "figures.json"
    command = [sys.executable, str(BENCHMARK), str(project), "--json", str(figures)]
    done = subprocess.run(
        [*command, "--", sys.executable, "main.py"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "done 2" in done.stdout
    assert {path: path.read_bytes() for path in project.iterdir()} == before
    found = json.loads(figures.read_text())
    tensor = found["kinds"]["Tensor"]
    assert tensor["precision"] == 1.0
    assert tensor["recorded"] > 10
    assert found["kinds"]["Module"]["recorded"] == 2
    for name in ("zero_dim", "contiguous", "ndim"):
        assert found["properties"][name]["precision"] == 1.0
    assert found["places"]["zero_dim of what [0] indexes"]["recorded"] == 1


def test_a_file_and_an_argument_that_names_it(tmp_path: Path) -> None:
    file = tmp_path / "one.py"
    file.write_text("import torch\nx = torch.ones(2)\nx.sum()\n")
    report = measure(file, [sys.executable, str(file)])
    assert report.kinds["Tensor"].recorded == 3
    assert report.kinds["Tensor"].recall == 1.0


def test_what_multiprocessing_starts_is_recorded_too(tmp_path: Path) -> None:
    file = tmp_path / "one.py"
    file.write_text(
        textwrap.dedent(
            """
            import multiprocessing
            import torch
            def work(n):
                y = torch.zeros(n)
                y.sum()
            if __name__ == "__main__":
                process = multiprocessing.get_context("fork").Process(target=work, args=(2,))
                process.start()
                process.join()
            """
        )
    )
    report = measure(file, [sys.executable, str(file)])
    assert report.kinds["Tensor"].recorded == 3


def test_a_command_that_takes_too_long_is_stopped_and_counts(tmp_path: Path) -> None:
    file = tmp_path / "one.py"
    file.write_text("import time, torch\nx = torch.ones(2)\nx.sum()\ntime.sleep(60)\n")
    report = measure(file, [sys.executable, str(file)], timeout_s=15)
    assert report.kinds["Tensor"].recorded == 3


def test_instrumented_code_does_what_it_did() -> None:
    text = textwrap.dedent(
        '''
        """Doc."""
        from __future__ import annotations
        class A(Base):
            def f(self, x: int = len("ab")) -> int:
                return super().f(x) + self.y[x]
        class Base:
            y = {2: 3}
        '''
    )
    text = text.replace(
        "class A", "class Base:\n    y = {2: 3}\n    def f(self, x):\n        return x\nclass A", 1
    )
    records: list[tuple[int, object]] = []

    def record(position: int, value: object) -> object:
        records.append((position, value))
        return value

    scope: dict[str, object] = {"__torchfix_record__": record}
    exec(compile(instrumented(text, 100), "x", "exec"), scope)
    assert scope["__doc__"] == "Doc."
    assert scope["A"]().f() == 5  # type: ignore[operator]
    nodes = recorded_nodes(facts_of(text).tree)
    assert {position for position, _ in records} <= set(range(100, 100 + len(nodes)))


def _position(text: str, index: int, *looks: tuple[object, ...]) -> Position:
    facts = facts_of("import torch\n" + text)
    nodes = recorded_nodes(facts.tree)
    return Position(Path("x.py"), nodes[index], looks, facts)


def test_a_wrong_claim_counts_against_precision() -> None:
    report = Report()
    position = _position("torch.zeros(2, 3)", 0, ("Tensor", 3, True, "float32", False, False))
    assert isinstance(position.value, Tensor)
    report.add(position)
    assert report.kinds["Tensor"].precision == 1.0
    assert report.properties["ndim"].precision == 0.0
    assert next(report.misses()).startswith("WRONG ndim: x.py:2:1: torch.zeros(2, 3)")


def test_what_was_none_once_is_no_tensor_for_certain() -> None:
    report = Report()
    report.add(
        _position("torch.zeros(2)", 0, ("Tensor", 1, True, "float32", False, False), ("None",))
    )
    assert report.kinds["Tensor"].precision == 0.0
    assert report.kinds["Tensor"].recorded == 0


def test_scores() -> None:
    score = Score()
    position = _position("len(x)", 0, ("Number",))
    assert isinstance(position.value, Number)
    assert score.precision is None and score.recall is None
    score.add(position, True, True)
    score.add(position, False, True)
    score.add(position, True, False)
    assert score.precision == 0.5
    assert score.recall == 0.5
