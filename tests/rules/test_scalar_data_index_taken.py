"""``self.x.data[0]`` of what an object keeps and hands to a network, or made by wrapping it."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, migrate

_MODEL = """import torch
from torch.autograd import Variable
class Model:
    def __init__(self, opt):
        self.net = make(opt)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=0.1)
    def feed(self, data):
        self.real = {real}
    def forward(self):
        self.fake = build(self.real)
        {taken}
    def backward(self):
        self.total = self.weight * self.criterion(self.fake, self.real)
        self.total.backward()
    def shown(self):
        return {{"total": self.total.data[0], "x": self.{name}.data[0]}}
"""
_WRAPPED = "Variable(data, volatile=True)"


@pytest.mark.parametrize(
    "taken",
    [
        "self.pred = self.net(self.fake)",
        "self.pred = self.net(self.fake.detach())",
        "self.pred = self.net(self.fake.data, flag)",
    ],
)
def test_what_a_network_takes_is_no_number(taken: str) -> None:
    text = _MODEL.format(real=_WRAPPED, taken=taken, name="fake")
    assert not advice("TP103", text)
    assert '"total": self.total.item(), "x": self.fake.data[0]' in migrate(text, "TP103").text


@pytest.mark.parametrize(
    "taken",
    [
        "pass",
        "self.pred = self.other(self.fake)",
        "self.loss = self.net(self.fake)\n        self.loss.backward()",
        "self.pred = self.net(self.fake.sum(), 2)",
        "self.net.fake = self.fake",
    ],
)
def test_what_something_else_takes_may_be_one(taken: str) -> None:
    (found,) = advice("TP103", _MODEL.format(real=_WRAPPED, taken=taken, name="fake"))
    assert found.message.endswith("write self.fake.item()")


def test_what_was_wrapped_for_an_old_torch_is_a_batch() -> None:
    text = _MODEL.format(real=_WRAPPED, taken="pass", name="real")
    assert not advice("TP103", text)


def test_what_nobody_knows_may_be_a_number() -> None:
    text = _MODEL.format(real="load(Variable(data, volatile=True))", taken="pass", name="real")
    assert len(advice("TP103", text)) == 1
