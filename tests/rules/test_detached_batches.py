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
