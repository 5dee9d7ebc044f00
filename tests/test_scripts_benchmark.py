"""The benchmark that runs legacy scripts: what counts as running, and what failed where."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import running, scripts
from benchmarks.running import Outcome

pytest.importorskip("torch")

_TRAINING = """
import torch
layer = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(layer.parameters(), 0.1)
while True:
    optimizer.zero_grad()
    layer(torch.ones(1, 2)).sum().backward()
    optimizer.step()
"""


def _run(tmp_path: Path, code: str, **options: bool) -> Outcome:
    tree = tmp_path / "project"
    tree.mkdir(exist_ok=True)
    script = tree / "script.py"
    script.write_text(code)
    return running.run(script, ("--n", "3"), tree, tree, seconds=30, batches=2, **options)


def test_a_training_ends_after_some_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "LEAST_SECONDS", 0)
    outcome = _run(tmp_path, _TRAINING)
    assert outcome == Outcome(running.MOST_STEPS, running.MOST_STEPS, "steps")
    assert outcome.runs


def test_what_ends_runs_and_knows_its_arguments(tmp_path: Path) -> None:
    outcome = _run(tmp_path, "import sys\nassert sys.argv[1:] == ['--n', '3']\n")
    assert outcome.runs
    assert outcome.ended == "end"


def test_an_error_has_a_place(tmp_path: Path) -> None:
    outcome = _run(tmp_path, "import torch\n\ndef f(x):\n    return x[0]\n\nf(torch.tensor(1.0))\n")
    assert not outcome.runs
    assert outcome.error.startswith("IndexError: invalid index of a 0-dim tensor")
    assert outcome.places == ("script.py:6", "script.py:4")
    assert scripts._rules_at(outcome, {("script.py", 4): ["TP103"]}) == ("TP103 script.py:4",)
    assert scripts._rules_at(outcome, {("script.py", 5): ["TP103"]}) == ()


def test_a_gpu_has_a_stand_in(tmp_path: Path) -> None:
    code = "import torch\nassert torch.ones(2).cuda().sum() == 2\n"
    assert _run(tmp_path, code, gpu=True).runs


def test_packages_that_are_gone_have_stand_ins(tmp_path: Path) -> None:
    code = """
import gym, visdom
from tensorflow.examples.tutorials.mnist import input_data
env = gym.make("CartPole-v0")
assert len(env.reset()) == 4
assert len(env.step(1)) == 4
assert input_data.read_data_sets("data", one_hot=True).train.next_batch(8)[1].shape == (8, 10)
visdom.Visdom().line([1])
"""
    assert _run(tmp_path, code) == Outcome(0, 0, "end")


@pytest.mark.parametrize(
    ("outcome", "runs"),
    [
        (Outcome(0, 0, "end"), True),
        (Outcome(2, 0, "time"), True),
        (Outcome(0, 2, "time"), True),
        (Outcome(1, 1, "time"), False),
        (Outcome(9, 9, "error"), False),
    ],
)
def test_two_steps_are_enough(outcome: Outcome, runs: bool) -> None:
    assert outcome.runs is runs
