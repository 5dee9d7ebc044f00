"""Batches and noise have no graph, whichever way they come to where they are wrapped."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_ENDLESS = """import torch
from torch.autograd import Variable
from torch.utils.data import DataLoader


def cycle(iterable):
    while True:
        for x in iterable:
            yield {given}


def run(net, views):
    loader = DataLoader(views, batch_size=4)
    batches = iter(cycle(loader))
    for _ in range(10):
        data = {taken}
        net.train(Variable(data[views[0]], requires_grad=False))
"""


@pytest.mark.parametrize("taken", ["next(batches)", "batches.__next__()"])
def test_what_an_endless_generator_gives_is_a_batch(taken: str) -> None:
    text = _ENDLESS.format(given="x", taken=taken)
    assert "net.train(data[views[0]])" in migrate(text, "TP101").text


@pytest.mark.parametrize(
    ("given", "taken"),
    [("{k: w * x[k] for k in x}", "next(batches)"), ("x", "take(batches)")],
)
def test_what_a_generator_makes_of_it_or_another_function_is_not(given: str, taken: str) -> None:
    text = _ENDLESS.format(given=given, taken=taken)
    assert "net.train(data[views[0]].detach())" in migrate(text, "TP101").text


_DRAWN = """import torch
import torch.nn.functional as F
from torch.autograd import Variable


class Gumbel(object):
    @staticmethod
    def soft(x, tau, eps=1e-9, use_cuda=False):
        noise = torch.rand(x.size())
        noise.add_(eps).log_().neg_()
        {written}
        if use_cuda:
            noise = noise.cuda()
        noise = Variable(noise)
        return F.softmax((x + noise) / tau, dim=-1)
"""
_CALLED = "from gumbel import Gumbel\n\n\ndef draw(x, net):\n    return Gumbel.soft({given})\n"


def _drawn(written: str, given: str, tmp_path: Path) -> str:
    file = tmp_path / "gumbel.py"
    file.write_text(_DRAWN.format(written=written))
    (tmp_path / "main.py").write_text(_CALLED.format(given=given))
    migrate_file(file, Settings(select=("TP101",)), write=True)
    return file.read_text()


@pytest.mark.parametrize("given", ["x, 0.5", "x, 0.5, 1e-3"])
def test_what_is_written_into_it_in_place_is_followed(given: str, tmp_path: Path) -> None:
    assert ".detach()" not in _drawn("noise.add_(eps).log_().neg_()", given, tmp_path)


@pytest.mark.parametrize(
    ("written", "given"),
    [
        ("noise.add_(eps)", "x, 0.5, eps=net(x)"),
        ("noise.add_(eps)", "x, 0.5, eps=x"),
        ("noise.add_(*eps)", "x, 0.5, [0.1]"),
        ("noise.requires_grad_(eps)", "x, 0.5"),
        ("noise.warp_(eps)", "x, 0.5"),
    ],
)
def test_not_where_that_may_have_a_graph(written: str, given: str, tmp_path: Path) -> None:
    assert "noise = noise.detach()\n" in _drawn(written, given, tmp_path)


_TRAIN = """from torch.autograd import Variable


def step(split, loader, net):
    for x, y in loader:
        net.fit(Variable(x).float(), y, split == "train")


def train(loader, net):
    return step("train", loader, net)
"""
_RUN = """import ref
from torch.utils.data import DataLoader
from train import train


def run(rows, net):
    train(DataLoader(rows, batch_size=4), net)
    return {{name: getattr({held}, name) for name in dir({held})}}
"""


def _trained(ref: str, held: str, tmp_path: Path) -> str:
    file = tmp_path / "train.py"
    file.write_text(_TRAIN)
    (tmp_path / "main.py").write_text(_RUN.format(held=held))
    (tmp_path / "ref.py").write_text(ref)
    migrate_file(file, Settings(select=("TP101",)), write=True)
    return file.read_text()


@pytest.mark.parametrize("ref", ["size = 224\nrates = [0.1, 0.2]\n", "import os\nroot = os.sep\n"])
def test_a_file_of_options_is_asked_for_no_function(ref: str, tmp_path: Path) -> None:
    assert "net.fit(x.float(), " in _trained(ref, "ref", tmp_path)


@pytest.mark.parametrize(
    ("ref", "held"),
    [
        ("from train import train\n", "ref"),
        ("import train\n", "ref"),
        ("from train import *\n", "ref"),
        ("def size(x):\n    return x\n", "ref"),
        ("size = 224\n", "net"),
    ],
)
def test_what_may_be_asked_for_one_may_call_it(ref: str, held: str, tmp_path: Path) -> None:
    assert "net.fit(x.detach().float(), " in _trained(ref, held, tmp_path)
