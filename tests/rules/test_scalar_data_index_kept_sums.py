"""``self.total.cpu()[0]`` of an attribute that losses are added up in."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, migrate

_TEXT = """import torch
import torch.nn as nn
from torch.autograd import Variable
class Trainer(object):
    def __init__(self, net, loss):
        self.net, self.loss = net, loss
    def train(self, loader, weight):
        self.total = {start}
        n = 0
        for x, y in loader:
            n += 1
            loss = self.loss(self.net(Variable(x)), Variable(y))
            {trains}
            {adds}
            {shows}
        {ends}
"""
_PARTS = {
    "start": "0",
    "trains": "loss.backward()",
    "adds": "self.total += loss.data",
    "shows": "print(self.total.cpu()[0] / n)",
    "ends": "self.total = self.total.cpu()[0] / n",
}


def _text(**parts: str) -> str:
    return _TEXT.format(**_PARTS | parts)


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"start": "0."},
        {"adds": "self.total = self.total + loss.data"},
        {"adds": "self.total += loss.data.cpu()"},
        {"adds": "self.total += loss.data * n"},
        {"shows": "self.shown(self.total.cpu()[0])"},
        {"shows": "print(self.total.clone()[0])"},
        {"ends": "self.total /= n"},
    ],
)
def test_a_sum_of_data_that_an_object_keeps(parts: dict[str, str]) -> None:
    text = _text(**parts)
    after = text.replace(".cpu()[0]", ".item()").replace(".clone()[0]", ".item()")
    assert migrate(text, "TP103").text == after != text
    assert not advice("TP103", text)


@pytest.mark.parametrize(
    "parts",
    [
        {"start": "weight"},
        {"start": "[0]"},
        {"trains": "loss.backward(weight)"},
        {"trains": "pass"},
        {"adds": "self.total += weight"},
        {"adds": "self.total += self.net(x).data"},
        {"adds": "self.total += loss.data; self.total = self.total.expand(3)"},
        {"ends": "self.total = self.total.cpu() * weight"},
        {"ends": "self.total.resize_(3); self.total = self.total.cpu()[0] / n"},
        {"shows": "print(self.total.cpu()[1])"},
        {"shows": "self.total.cpu()[0] = 1"},
        {"shows": "print(self.total.mean(0)[0])"},
    ],
)
def test_what_may_have_more_elements_stays(parts: dict[str, str]) -> None:
    text = _text(**{"ends": "pass"} | parts)
    assert migrate(text, "TP103").text == text


def test_a_sum_that_another_object_may_set_stays() -> None:
    text = _text() + "def f(trainer, x):\n    trainer.total = x\n"
    assert migrate(text, "TP103").text == text


_OTHER = """class Other(object):
    def __init__(self, x):
        self.total = x
"""


@pytest.mark.parametrize(
    ("other", "is_rewritten"), [(_OTHER, True), (_OTHER.replace("object", "Trainer"), False)]
)
def test_a_sum_beside_that_of_another_class(other: str, is_rewritten: bool) -> None:
    assert (".item()" in migrate(_text() + other, "TP103").text) is is_rewritten


def test_a_sum_with_a_graph_is_told() -> None:
    text = _text(adds="self.total += loss", shows="self.shown(self.total.cpu()[0])", ends="pass")
    assert migrate(text, "TP103").text == text
    (told,) = advice("TP103", text)
    assert told.message.startswith("a tensor without dimensions has no index 0, which raises")


_TEST = """    def test(self, loader, weight):
        self.tested = 0
        for x, y in loader:
            loss = self.loss(self.net(Variable(x)), Variable(y))
            {adds}
        self.tested = self.tested.cpu()[0] / 3
"""


@pytest.mark.parametrize(
    ("adds", "is_told"),
    [
        ("self.tested += loss.data", True),
        ("self.tested = self.tested + loss.data * 2", True),
        ("loss += weight(self.net); self.tested += loss.data", False),
        ("self.tested += weight.data", False),
        ("loss = weight(y); self.tested += loss.data", False),
        ("self.tested += weight", False),
        ("self.tested += loss.data; self.tested = weight", False),
        ("self.tested += loss.data; self.tested.unsqueeze_(1)", False),
    ],
)
def test_a_sum_of_what_may_be_losses_is_told(adds: str, is_told: bool) -> None:
    text = _text() + _TEST.format(adds=adds)
    told = [finding.message for finding in advice("TP103", text)]
    assert "self.tested.cpu()[0]" in migrate(text, "TP103").text
    said = (
        "self.tested.cpu()[0] raises where self.tested has no dimensions, as single numbers since "
        "torch 0.4: write self.tested.item()"
    )
    assert told == ([said] if is_told else [])


@pytest.mark.parametrize(("function", "is_told"), [("weight", True), ("self.weight", False)])
def test_a_loss_that_something_is_added_to(function: str, is_told: bool) -> None:
    trains = "loss += weight(self.net)\n            loss.backward()"
    adds = f"loss += {function}(self.net); self.tested += loss.data"
    text = _text(trains=trains) + _TEST.format(adds=adds)
    assert bool(advice("TP103", text)) is is_told
