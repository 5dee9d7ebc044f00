"""``loss.data[0]`` of tests, where the same function gives the loss that training differentiates."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_TEXT = """import torch
from torch.autograd import Variable
class Trainer:
    def __init__(self, loss, model):
        self.loss, self.model = loss, model
    def summed(self, x, y):
        return torch.sum(x - y) * self.model.weight
    def train(self, loader, own):
        for x, y in loader:
            x = Variable(x{old})
            loss = {trained}
            {backward}
    def test(self, loader, own):
        for x, y in loader:
            loss = {tested}
            print(loss.data[0])
def rate(x, y, scale):
    return scale * torch.sum(x - y) + y
def several(x, y, scale):
    return scale * torch.sum(x - y, 1) + y
"""
_ROOT = "loss.backward()"
_OLD = ", volatile=False"


def _is_rewritten(
    trained: str, tested: str, backward: str = _ROOT, more: str = "", old: str = _OLD
) -> bool:
    text = _TEXT.format(trained=trained, tested=tested, backward=backward, old=old) + more
    after = migrate(text, "TP103").text
    assert after in (text, text.replace(".data[0]", ".item()"))
    return after != text


@pytest.mark.parametrize(
    ("call", "is_always"),
    [
        ("self.loss(x, y)", False),
        ("self.model.loss(x, 1)", False),
        ("self.loss(x, target=y)", False),
        ("own(x, y)", False),
        ("rate(x, y, 2)", True),
        ("self.summed(x, y)", True),
    ],
)
def test_as_it_is_trained(call: str, is_always: bool) -> None:
    assert _is_rewritten(call, call)
    assert _is_rewritten(call, call, old="") is is_always


@pytest.mark.parametrize(
    ("trained", "tested", "backward"),
    [
        ("self.loss(x, y)", "self.loss(x)", _ROOT),
        ("self.loss(x, y)", "self.loss(y, x)", _ROOT),
        ("self.loss(x)", "self.loss(x)", _ROOT),
        ("self.loss(x, True)", "self.loss(x, False)", _ROOT),
        ("self.loss(x, y)", "self.loss(x, target=y)", _ROOT),
        ("self.loss(*x)", "self.loss(*x)", _ROOT),
        ("self.loss(x, y)", "self.model.loss(x, y)", _ROOT),
        ("self.loss(x, y)", "self.loss(x, y)[0]", _ROOT),
        ("self.loss(x, y)", "self.loss(x, y)", "loss.backward(y)"),
        ("self.loss(x, y)", "self.loss(x, y)", "loss.sum().backward()"),
        ("self.loss(x, y)", "self.loss(x, y)", "(own @ loss).backward()"),
        ("self.loss(x, y)", "self.loss(x, y)", "loss = loss.mean()\n            loss.backward()"),
        ("unknown().loss(x, y)", "unknown().loss(x, y)", _ROOT),
        ("self.loss(x, y) if y else rate(x, y, 2)", "self.loss(x, y)", _ROOT),
        ("several(x, y, 2)", "several(x, y, 2)", _ROOT),
        ("rate(x, y, 2)", "rate(x, y, own)", _ROOT),
        ("rate(x, y, 2)", "several(x, y, 2)", _ROOT),
    ],
)
def test_another_call(trained: str, tested: str, backward: str) -> None:
    assert not _is_rewritten(trained, tested, backward)


@pytest.mark.parametrize(
    ("call", "more", "is_number"),
    [
        ("self.loss(x, y)", "print(trainer.loss.training)\n", False),
        ("rate(x, y, 2)", "print(trainer.loss.training)\n", True),
        ("self.model(x, y)", "print(net.mode)\n", True),
        ("self.model(x, y)", "self.model.train()\n", False),
        ("self.model(x, y)", "self.model.eval()\n", False),
    ],
)
def test_what_may_give_something_else_in_tests(call: str, more: str, is_number: bool) -> None:
    assert _is_rewritten(call, call, more=more) is is_number


@pytest.mark.parametrize("root", ["(x.size(0) * loss)", "(loss / own + self.model.penalty())"])
def test_a_term_of_what_is_differentiated(root: str) -> None:
    assert _is_rewritten("self.loss(x, y)", "self.loss(x, y)", f"{root}.backward()")


def test_what_another_method_may_store() -> None:
    stored = "loss.backward()\n            self.loss = self.model.loss"
    assert not _is_rewritten("self.loss(x, y)", "self.loss(x, y)", stored)
