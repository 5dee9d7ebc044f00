"""Changed functions are compared on what the program calls them with."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from torchfix_codemods.finding import Finding, Numerics
from torchfix_codemods.verify.command import parse_command
from torchfix_codemods.verify.hunks import Change, FileChange
from torchfix_codemods.verify.options import VerifyOptions
from torchfix_codemods.verify.runs import Runner
from torchfix_codemods.verify.session import Session
from torchfix_codemods.verify.verdicts import FAILED, Outcome, Verdict
from torchfix_codemods.verify.verify import moved_events

PROGRAM = """\
import time

import torch
import torch.nn.functional as F

scale = torch.ones(3)


def softened(x):
    return F.softmax(x, dim=1)


def shifted(x):
    x.add_(1)
    return None


def drawn(n):
    return torch.rand(n)


def scaled(x):
    return x * scale


class Gate(torch.nn.Module):
    def __init__(self):
        super(Gate, self).__init__()
        self.linear = torch.nn.Linear(3, 3)

    def squash(self, x):
        y = F.linear(x, self.linear.weight, self.linear.bias)
        return torch.sigmoid(y)

    def forward(self, x):
        return self.linear(x)


gate = Gate()
x = torch.randn(2, 3)
started = time.time()
print(gate.forward(x).sum())
time.sleep(100)
print("took %.3f" % (time.time() - started))
softened(x)
shifted(x.clone())
drawn(3)
scaled(x)
gate.squash(x)
"""


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    folder = tmp_path_factory.mktemp("program")
    (folder / "main.py").write_text(PROGRAM, encoding="utf-8")
    command = parse_command([sys.executable, "main.py"])
    with Runner(folder, command, folder, {"threads": 1, "timeout": 120}) as started:
        yield started


def judged(runner: Runner, old: str, new: str) -> Outcome:
    assert PROGRAM.count(old) == 1
    change = Change([FileChange("main.py", PROGRAM, PROGRAM.replace(old, new))])
    session = Session(change, runner, VerifyOptions(), "cpu", moved_events)
    outcomes, _ = session.judge()
    assert len(outcomes) == 1
    return next(iter(outcomes.values()))


RIGHT = [
    ("F.softmax(x, dim=1)", "F.softmax(x, dim=-1)"),
    ("    x.add_(1)", "    x += 1"),
    ("torch.rand(n)", "torch.empty(n).uniform_()"),
    ("torch.sigmoid(y)", "y.sigmoid()"),
]


@pytest.mark.parametrize(("old", "new"), RIGHT)
def test_a_result_that_goes_nowhere_can_be_right(runner: Runner, old: str, new: str) -> None:
    outcome = judged(runner, old, new)
    assert outcome.verdict is Verdict.EQUIVALENT
    assert "gives the same in 1 calls" in outcome.reason


WRONG = [
    ("F.softmax(x, dim=1)", "F.softmax(x, dim=0)", "value"),
    ("    x.add_(1)", "    x = x.add(1)", "arguments"),
    ("torch.rand(n)", "torch.ones(n).uniform_(0, 2)", "value"),
    ("torch.rand(n)", "[torch.rand(n), torch.rand(n)][0]", "rng"),
    ("torch.sigmoid(y)", "torch.sigmoid(y * 1.5)", "value"),
    ("torch.sigmoid(y)", "torch.sigmoid(y * self.lost)", "raises"),
]


@pytest.mark.parametrize(("old", "new", "what"), WRONG)
def test_a_result_that_goes_nowhere_can_be_wrong(
    runner: Runner, old: str, new: str, what: str
) -> None:
    outcome = judged(runner, old, new)
    assert outcome.verdict in (Verdict.DIFFERENT, Verdict.BROKEN)
    assert what in outcome.reason or outcome.verdict is Verdict.BROKEN


def test_a_gradient_counts(runner: Runner) -> None:
    outcome = judged(
        runner,
        "torch.sigmoid(y)",
        "torch.sigmoid(y.detach() + y - y.detach())",
    )
    assert outcome.verdict is Verdict.EQUIVALENT
    outcome = judged(
        runner,
        "torch.sigmoid(y)",
        "torch.sigmoid(y.detach() + self.linear.bias - self.linear.bias.detach())",
    )
    assert outcome.verdict is Verdict.DIFFERENT
    assert "(grads" in outcome.reason


MEANT = "it may give something else"


@pytest.mark.parametrize("numerics", [Numerics.CHANGED, Numerics.IDENTICAL])
def test_what_is_meant_to_change_is_not_wrong_because_it_does(
    runner: Runner, numerics: Numerics
) -> None:
    line = PROGRAM[: PROGRAM.index("F.softmax(x, dim=1)")].count("\n") + 1
    found = (Finding(line, 4, "TP000", "some-rule", MEANT, numerics, fixed=True),)
    after = PROGRAM.replace("F.softmax(x, dim=1)", "F.softmax(x, dim=0)")
    change = Change([FileChange("main.py", PROGRAM, after, found)])
    session = Session(change, runner, VerifyOptions(), "cpu", moved_events)
    (outcome,) = session.judge()[0].values()
    is_meant = numerics is Numerics.CHANGED
    assert outcome.verdict is (Verdict.NOT_OBSERVED if is_meant else Verdict.DIFFERENT)


def test_what_needs_another_function_as_it_is_rewritten(runner: Runner) -> None:
    """The rewritten function fails beside the other one as it was, the rewritten program does not."""
    call = "    return F.softmax(x, dim=1)"
    before = PROGRAM.replace(call, f"    shifted(x.clone())\n{call}")
    after = before.replace(f"shifted(x.clone())\n{call}", f"shifted(x.clone(), 1)\n{call}")
    after = after.replace("def shifted(x):\n    x.add_(1)", "def shifted(x, by=1):\n    x.add_(by)")
    change = Change([FileChange("main.py", before, after)])
    outcomes, _ = Session(change, runner, VerifyOptions(), "cpu", moved_events).judge()
    assert len(outcomes) == 2
    assert not {outcome.verdict for outcome in outcomes.values()} & FAILED, outcomes


def test_a_device_that_the_rewrite_brings_is_there(runner: Runner) -> None:
    after = PROGRAM.replace("F.softmax(x, dim=1)", "F.softmax(x.to(device), dim=1)").replace(
        "scale = ", "device = torch.device('cpu')\n\nscale = "
    )
    change = Change([FileChange("main.py", PROGRAM, after)])
    session = Session(change, runner, VerifyOptions(), "cpu", moved_events)
    outcomes, _ = session.judge()
    assert {outcome.verdict for outcome in outcomes.values()} == {Verdict.EQUIVALENT}


def test_what_uses_tensors_from_outside_is_not_called_twice(runner: Runner) -> None:
    assert judged(runner, "x * scale", "x + scale").verdict is Verdict.NOT_OBSERVED


def test_a_call_of_forward_is_a_call_of_the_module(runner: Runner) -> None:
    outcome = judged(runner, "gate.forward(x)", "gate(x)")
    assert (outcome.verdict, outcome.reason) == (Verdict.EQUIVALENT, "bit for bit")


def test_time_is_the_same_in_every_run_and_sleep_does_not_wait(runner: Runner) -> None:
    run = runner.run({}, {})
    printed = [e["value"] for e in run.streams["main"].events if e["kind"] == "print"]
    assert printed[-1] == "took 100.001"
    assert run.seconds < 60


PARENT = """\
import multiprocessing
import subprocess
import sys

import torch


def work():
    print(torch.ones(3).view(1, 3).sum())


if __name__ == "__main__":
    for method in ("fork", "spawn"):
        process = multiprocessing.get_context(method).Process(target=work)
        process.start()
        process.join()
    subprocess.run([sys.executable, "child.py"], check=True)
"""

CHILD = """\
import socket

import torch

print(torch.nn.Linear(2, 1)(torch.ones(2)).view(1) > 100)
for attempt in (lambda: open("/etc/torchfix", "w"), lambda: socket.create_connection(("1.2.3.4", 9))):
    try:
        attempt()
    except OSError as error:
        print(error)
"""


def test_processes_that_the_program_starts_are_recorded_and_guarded(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(PARENT, encoding="utf-8")
    (tmp_path / "child.py").write_text(CHILD, encoding="utf-8")
    command = parse_command([sys.executable, "main.py"])
    with Runner(tmp_path, command, tmp_path, {"threads": 1, "timeout": 120}) as runner:
        run = runner.run({}, {})
    assert run.failure is None, run.output
    printed = {
        name: [event["value"] for event in stream.events if event["kind"] == "print"]
        for name, stream in run.streams.items()
    }
    lines = [line for lines in printed.values() for line in lines]
    assert lines.count("tensor(3.)") == 2
    child = next(found for found in printed.values() if "tensor([False])" in found)
    assert "may not change '/etc/torchfix'" in child[1]
    assert "has no network" in child[2]
    kinds = {e["kind"] for stream in run.streams.values() for e in stream.events}
    assert "forward" in kinds
