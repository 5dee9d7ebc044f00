from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era

_OLD = Options(era=Era((1, 0), (1, 13)))
_HEAD = """import torch
import torch.nn as nn
import torch.nn.functional as F
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.left, self.right = nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)
    def encoded(self, x):
        return self.body(x)
    def forward(self, x):
        h = self.encoded(x)
        return self.left(h), self.right(h)
    def one(self, x):
        return self.left(self.encoded(x))
    def other(self, x):
        return self.right(self.encoded(x))
    def again(self, x):
        return self.one(x)
class Open(nn.Module):
    def __init__(self, more=None):
        super().__init__()
        self.left, self.more = nn.Linear(2, 2), more
    def norm(self, x):
        return self.left(x)
    def one(self, x):
        return self.more(x)
    def other(self, x):
        return self.left(x)
opened = Open(wrapped(3))
net, a, b, criterion = Net(), nn.Linear(2, 2), nn.Linear(2, 2), nn.MSELoss()
optimizer = torch.optim.Adam(OF)
"""
_BOTH = "list(a.parameters()) + list(b.parameters())"


def _text(first: str, second: str, of: str = _BOTH) -> str:
    return (
        _HEAD.replace("OF", of)
        + "for x, y in batches:\n"
        + "    optimizer.zero_grad()\n"
        + first
        + "    optimizer.step()\n"
        + "    optimizer.zero_grad()\n"
        + second
        + "    optimizer.step()\n"
    )


def _losses(first: str, second: str, of: str = _BOTH) -> str:
    return _text(f"    {first}.backward()\n", f"    {second}.backward()\n", of)


_TOLD = {
    "two modules": (_losses("a(x).sum()", "b(x).sum()"), "(b)"),
    "one of both": (_losses("(a(x) + b(x)).sum()", "b(x).sum()"), "(a)"),
    "through a loss": (
        _losses("criterion(a(x), y)", "F.mse_loss(b(x), y)"),
        "(b)",
    ),
    "through names": (
        _text(
            "    out = a(x)\n    loss = criterion(out, y)\n    loss.backward()\n",
            "    out = b(x)\n    loss = criterion(out, y)\n    loss.backward()\n",
        ),
        "(b)",
    ),
    "through a list": (
        _text(
            "    all = []\n    for i in x:\n        all.append(a(i))\n    sum(all).backward()\n",
            "    b(x).sum().backward()\n",
        ),
        "(b)",
    ),
    "methods of a class of the file": (
        _losses("net.one(x).sum()", "net.other(x).sum()", "net.parameters()"),
        "(net.right)",
    ),
    "a method that calls another one": (
        _losses("net.again(x).sum()", "net.other(x).sum()", "net.parameters()"),
        "(net.right)",
    ),
    "two results": (
        _text(
            "    l, r = net(x)\n    l.sum().backward()\n",
            "    l, r = net(x)\n    r.sum().backward()\n",
            "net.parameters()",
        ),
        "(net[1])",
    ),
    "cut off": (_losses("a(b(x)).sum()", "a(b(x).detach()).sum()"), "(b)"),
    "made a Variable": (
        _losses("a(b(x)).sum()", "a(torch.autograd.Variable(b(x))).sum()"),
        "(b)",
    ),
    "without a graph": (
        _text(
            "    h = b(x)\n    a(h).sum().backward()\n",
            "    with torch.no_grad():\n        h = b(x)\n    a(h).sum().backward()\n",
        ),
        "(b)",
    ),
    "a method with the name of one of tensors": (
        _losses("opened.norm(x).sum()", "a(x).sum()", "[*opened.parameters(), *a.parameters()]"),
        "(a)",
    ),
    "groups": (
        _losses(
            "a(x).sum()",
            "b(x).sum()",
            "[{'params': a.parameters()}, {'params': b.parameters(), 'lr': 0.1}]",
        ),
        "(b)",
    ),
    "cleared by the module": (
        _losses("net.one(x).sum()", "net.other(x).sum()", "net.parameters()").replace(
            "optimizer.zero", "net.zero"
        ),
        "net.zero_grad(set_to_none=False)",
    ),
    "momentum": (
        _losses("a(x).sum()", "b(x).sum()").replace(f"Adam({_BOTH})", f"SGD({_BOTH}, 0.1, 0.9)"),
        "(b)",
    ),
    "one before the loop": (
        _HEAD.replace("OF", _BOTH)
        + "(a(x) + b(x)).sum().backward()\noptimizer.step()\nfor i in range(3):\n"
        + "    optimizer.zero_grad()\n    a(x).sum().backward()\n    optimizer.step()\n",
        "(b)",
    ),
}


@pytest.mark.parametrize(("text", "words"), [pytest.param(*v, id=k) for k, v in _TOLD.items()])
def test_is_told_once(text: str, words: str) -> None:
    (finding,) = advice("TP123", text, options=_OLD)
    assert words in finding.message
    assert "zero_grad(set_to_none=False)" in finding.message
    assert migrate(text, "TP123", options=_OLD).text == text
    assert not advice("TP123", text, options=Options(era=Era((1, 0), (2, 0))))
    assert not advice("TP123", text)
    written = text.replace("zero_grad()", "zero_grad(set_to_none=False)")
    assert not advice("TP123", written, options=_OLD)


_METHODS = """
class Trainer:
    def __init__(self, model):
        self.model = model
        self.head = None
        self.optimizer = torch.optim.Adam(model.parameters())
    def update(self, x):
        self.optimizer.zero_grad()
        self.model.choose(x).sum().backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.model(x).sum().backward()
        self.optimizer.step()
"""


def test_a_method_that_is_called_again() -> None:
    (finding,) = advice("TP123", _HEAD + _METHODS, options=_OLD)
    assert "(self.model)" in finding.message
    assert (
        finding.line
        == (_HEAD + _METHODS).split("\n").index("        self.optimizer.zero_grad()") + 1
    )


def test_a_gradient_that_is_not_there() -> None:
    text = (
        _HEAD.replace("Adam(OF)", f"SGD({_BOTH}, lr=0.1)")
        + "(a(x) + b(x)).sum().backward()\noptimizer.zero_grad()\na(x).sum().backward()\n"
        + "for p in b.parameters():\n    p.grad.data.clamp_(-1, 1)\n"
    )
    (finding,) = advice("TP123", text, options=_OLD)
    assert "p.grad.data fails" in finding.message
    asked = text.replace("    p.grad", "    if p.grad is not None:\n        p.grad")
    assert not advice("TP123", asked, options=_OLD)


_QUIET = {
    "one loss": _losses("a(x).sum()", "a(y).sum()"),
    "the same modules in another order": _losses("(a(x) + b(x)).sum()", "a(b(x)).sum()"),
    "several of one step": _HEAD.replace("OF", _BOTH)
    + "for x in batches:\n    optimizer.zero_grad()\n    a(x).sum().backward()\n"
    + "    b(x).sum().backward()\n    optimizer.step()\n",
    "an optimizer for each": _HEAD.replace("OF", "a.parameters()")
    + "of_b = torch.optim.Adam(b.parameters())\n"
    + "for x in batches:\n    of_b.zero_grad()\n    b(a(x)).sum().backward()\n    of_b.step()\n"
    + "    optimizer.zero_grad()\n    b(a(x)).sum().backward()\n    optimizer.step()\n",
    "a GAN whose generator loss reaches both": _HEAD.replace("OF", "a.parameters()")
    + "of_b = torch.optim.Adam(b.parameters())\n"
    + "for x in batches:\n    of_b.zero_grad()\n    b(x).sum().backward()\n"
    + "    b(a(x).detach()).sum().backward()\n    of_b.step()\n"
    + "    optimizer.zero_grad()\n    b(a(x)).sum().backward()\n    optimizer.step()\n",
    "the other module is not held": _losses("a(x).sum()", "a(b(x)).sum()", "a.parameters()"),
    "zeros move nothing": _losses("a(x).sum()", "b(x).sum()").replace("Adam(", "SGD(lr=0, params="),
    "methods that use the same": _losses(
        "net.one(x).sum()", "net.again(x).sum()", "net.parameters()"
    ),
    "one result and all": _text(
        "    l, r = net(x)\n    l.sum().backward()\n",
        "    out = net(x)\n    loss_of(out).backward()\n",
        "net.parameters()",
    ),
    "a part of what is called": _losses(
        "net.encoded(x).sum()", "wrapped(net)(x).sum()", "net.left.parameters()"
    ),
    "a function that may call any": _text(
        "    loss_of(x).backward()\n", "    b(x).sum().backward()\n"
    ).replace("for x, y", "def loss_of(x):\n    return a(x) + b(x)\nfor x, y"),
    "a function that propagates more": _text(
        "    a(x).sum().backward()\n    more(x)\n", "    b(x).sum().backward()\n    more(x)\n"
    ).replace("for x, y", "def more(x):\n    (a(x) + b(x)).sum().backward()\nfor x, y"),
    "a function beside what is seen": _text(
        "    (loss_of(x) + a(x)).sum().backward()\n", "    b(x).sum().backward()\n"
    ).replace("for x, y", "def loss_of(x):\n    return b(x)\nfor x, y"),
    "several losses at once": _text(
        "    torch.autograd.backward([a(x).sum(), b(x).sum()])\n    a(x).sum().backward()\n",
        "    b(x).sum().backward()\n",
    ),
    "a sum": _text(
        "    loss = a(x).sum()\n    loss += b(x).sum()\n    loss.backward()\n",
        "    (a(x) + b(x)).sum().backward()\n",
    ),
    "what is called holds a part": _losses(
        "(m(x) + m.left(x)).sum()",
        "m.right(x).sum()",
        "[*m.left.parameters(), *m.right.parameters()]",
    ).replace("net, a", "m = wrapped(net)\nnet, a"),
    "no step for the second one": _HEAD.replace("OF", _BOTH)
    + "for x in batches:\n    optimizer.zero_grad()\n    a(x).sum().backward()\n"
    + "    optimizer.step()\n    optimizer.zero_grad()\n    b(x).sum().backward()\n",
    "no step for the first one": _HEAD.replace("OF", _BOTH)
    + "for x in batches:\n    optimizer.zero_grad()\n    a(x).sum().backward()\n"
    + "    optimizer.zero_grad()\n    b(x).sum().backward()\n    optimizer.step()\n",
    "what comes behind a step": _HEAD.replace("OF", _BOTH)
    + "for x in batches:\n    optimizer.zero_grad()\n    a(x).sum().backward()\n"
    + "    optimizer.step()\n    b(x).sum().backward()\n"
    + "    optimizer.zero_grad()\n    a(x).sum().backward()\n    optimizer.step()\n",
    "once, and all in the end": _HEAD.replace("OF", _BOTH)
    + "optimizer.zero_grad()\na(x).sum().backward()\noptimizer.step()\n"
    + "optimizer.zero_grad()\n(a(x) + b(x)).sum().backward()\noptimizer.step()\n",
    "once in a function": _HEAD.replace("optimizer = torch.optim.Adam(OF)\n", "")
    + f"def run(x):\n    optimizer = torch.optim.Adam({_BOTH})\n"
    + "    optimizer.zero_grad()\n    a(x).sum().backward()\n    optimizer.step()\n"
    + "    optimizer.zero_grad()\n    (a(x) + b(x)).sum().backward()\n    optimizer.step()\n",
    "a loss of another method": _HEAD
    + _METHODS.replace("self.model.choose(x).sum()", "(self.kept + self.model.choose(x)).sum()")
    + "    def keep(self, x):\n        self.kept = self.model(x)\n",
    "a method of the object": _HEAD
    + _METHODS.replace("self.model.choose(x).sum()", "(self.more(x) + self.model.choose(x)).sum()")
    + "    def more(self, x):\n        return self.model(x)\n",
    "a part that is not known": _losses(
        "(a(x) + opened.one(x)).sum()",
        "(a(x) + opened.other(x)).sum()",
        "[*a.parameters(), *opened.parameters()]",
    ),
    "an unknown optimizer": _losses("a(x).sum()", "b(x).sum()").replace(
        "torch.optim.Adam", "mine.Adam"
    ),
    "unknown parameters": _losses("a(x).sum()", "b(x).sum()", "groups(a, b)"),
    "either one or the other": _HEAD.replace("OF", _BOTH)
    + "for x in batches:\n    if flag:\n        optimizer.zero_grad()\n"
    + "        a(x).sum().backward()\n        optimizer.step()\n    else:\n"
    + "        optimizer.zero_grad()\n        b(x).sum().backward()\n        optimizer.step()\n",
    "only the first one steps": _HEAD.replace("OF", _BOTH)
    + "for x in batches:\n    optimizer.zero_grad()\n    a(x).sum().backward()\n"
    + "    optimizer.step()\n    b(x).sum().backward()\n",
    "once, in this order": _HEAD.replace("OF", _BOTH)
    + "a(x).sum().backward()\noptimizer.step()\n"
    + "optimizer.zero_grad()\n(a(x) + b(x)).sum().backward()\noptimizer.step()\n",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in _QUIET.items()])
def test_nothing_is_said(text: str) -> None:
    assert not advice("TP123", text, options=_OLD)


test_keeps = keeps("TP123", {name: text for name, (text, _) in _TOLD.items()})


def test_methods_of_a_model_that_is_given() -> None:
    text = _HEAD + _METHODS.replace("self.model.choose(x)", "self.model.choose(x)[0]").replace(
        "self.model(x)", "self.model.forward(x)[0]"
    )
    (finding,) = advice("TP123", text, options=_OLD)
    assert "(self.model.forward[0])" in finding.message


def test_a_long_chain_is_not_followed() -> None:
    chain = "    h = a(x)\n" + "    h = h + 1\n" * 300 + "    h.sum().backward()\n"
    assert not advice("TP123", _text(chain, "    b(x).sum().backward()\n"), options=_OLD)
