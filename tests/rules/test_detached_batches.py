"""The batches of a loader have no graph, whichever way they come to where they are wrapped."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

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
