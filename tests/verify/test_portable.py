"""Portable random numbers are the ones that were recorded on torch 1.0.0, and forcing follows."""

from __future__ import annotations

import json
import math
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from tests.support.shared import shared
from torchfix_codemods.verify.inside.following import forcing

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"

RECORDED = json.loads((FIXTURES / "recorded" / "portable.json").read_text("utf-8"))["drawn"]


@pytest.fixture(scope="module")
def drawn(forks, tmp_path_factory):
    return shared(tmp_path_factory, "portable", lambda: _drawn(forks))


def _drawn(forks):
    script = FIXTURES / "record" / "record_portable.py"
    done = forks.run([sys.executable, str(script)], cwd=Path.cwd(), env=os.environ)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["drawn"]


def test_all_draws_are_compared(drawn):
    assert list(drawn) == list(RECORDED)
    assert len(drawn) > 60


@pytest.mark.parametrize("part", sorted({name.split()[0] for name in RECORDED}))
def test_draws_are_those_of_the_old_torch(drawn, part):
    names = [name for name in RECORDED if name.split()[0] == part]
    wrong = {n: (RECORDED[n], drawn[n]) for n in names if not same(RECORDED[n], drawn[n])}
    assert wrong == {}


def same(a, b):
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6)


class Recorder:
    """As much of a recorder as forcing needs."""

    def __init__(self) -> None:
        self.before_forward, self.before_step, self.events = [], [], []
        self.trace = SimpleNamespace(at_end=[], is_busy=False, emit=self.emit)

    def emit(self, kind, describe):
        self.events.append((kind, describe()))

    def root(self, module):
        return type(module).__name__

    def forward(self, module):
        for hook in self.before_forward:
            hook(module)

    def step(self, optimizer):
        for hook in self.before_step:
            hook(optimizer)

    @property
    def end(self):
        return self.trace.at_end[0]()


def net(value):
    module = torch.nn.Linear(2, 1)
    module.weight.data.fill_(value)
    module.bias.data.fill_(0)
    return module


def kept(path, *modules):
    recorder = Recorder()
    forcing.install(recorder, str(path), None)
    for module in modules:
        recorder.forward(module)
    return recorder


def forced(path):
    recorder = Recorder()
    forcing.install(recorder, None, str(path))
    return recorder


def test_parameters_become_those_of_the_other_run(tmp_path):
    first = kept(tmp_path / "states", net(1.0), net(2.0), net(1.0))
    assert first.end == {"forced": 3, "free": None}
    recorder = forced(tmp_path / "states")
    module = net(1.5)
    seen = []
    for _ in range(3):
        recorder.forward(module)
        seen.append(module.weight[0, 0].item())
    assert seen == [1.0, 2.0, 1.0]
    assert recorder.end == {"forced": 3, "free": None}
    # What there was before is told, or else nobody would see that it differs.
    assert [dict(e["value"]["i"])["weight"]["v"][0] for _, e in recorder.events] == [1.5, 1.0, 2.0]


def test_equal_parameters_are_kept_once(tmp_path):
    kept(tmp_path / "states", *[net(1.0)] * 50)
    assert (tmp_path / "states").stat().st_size == 3 * 4


def test_gradients_become_those_of_the_other_run(tmp_path):
    def optimizer(value):
        module = net(1.0)
        module.weight.grad = torch.full((1, 2), value)
        return torch.optim.SGD(module.parameters(), lr=1.0)

    recorder = kept(tmp_path / "states")
    recorder.step(optimizer(3.0))
    second = forced(tmp_path / "states")
    sgd = optimizer(4.0)
    second.step(sgd)
    weight, bias = sgd.param_groups[0]["params"]
    assert weight.grad.tolist() == [[3.0, 3.0]] and bias.grad is None
    assert [v["v"] for v in second.events[0][1]["value"]] == [[4.0, 4.0], None]


def test_a_gradient_of_zeros_is_told_as_none():
    assert forcing._gradient(torch.zeros(3)) == forcing._gradient(None)
    assert forcing._gradient(torch.ones(3)) != forcing._gradient(None)


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        (torch.nn.Linear(3, 1), "state of Linear became state of Linear"),
        (torch.nn.Conv1d(1, 1, 1), "state of Linear became state of Conv1d"),
    ],
)
def test_runs_that_part_go_on_freely(tmp_path, module, reason):
    kept(tmp_path / "states", net(1.0), net(1.0))
    recorder = forced(tmp_path / "states")
    recorder.forward(net(1.0))
    before = module.weight.clone()
    recorder.forward(module)
    assert recorder.end == {"forced": 1, "free": reason}
    assert torch.equal(before, module.weight)


def test_more_calls_than_were_kept(tmp_path):
    kept(tmp_path / "states", net(1.0))
    recorder = forced(tmp_path / "states")
    for _ in range(3):
        recorder.forward(net(2.0))
    assert recorder.end == {"forced": 1, "free": "nothing was kept after 1 calls"}


def test_room_is_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(forcing, "LIMIT", 30)
    first = kept(tmp_path / "states", net(1.0), net(2.0), *map(net, range(3, 9)))
    said = {"forced": 3, "free": "after 3 calls and steps there was no more room"}
    assert first.end == said
    assert len(first.events) == 8
    recorder = forced(tmp_path / "states")
    module = net(9.0)
    for _ in range(8):
        recorder.forward(module)
    assert recorder.end == said
    assert module.weight[0, 0].item() == 3.0
