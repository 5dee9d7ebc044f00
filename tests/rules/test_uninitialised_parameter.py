from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import advice, keeps
from torchfix_codemods.engine.migrate import Options, migrate_text
from torchfix_codemods.rules import select

_TEXT = """
    import numpy as np
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
    class Net({base}):
        def __init__(self, n, m):
            super().__init__()
            self.W = nn.Parameter({memory}){then}
        def forward(self, x):
            return {forward}
    net = Net(2, 3)
    optimizer = torch.optim.Adam(net.parameters())
    {after}
    """


def _text(
    memory: str = "torch.Tensor(n, m)",
    then: str = "",
    forward: str = "F.linear(x, self.W)",
    base: str = "nn.Module",
    after: str = "pass",
) -> str:
    then = f"\n            {then}" if then else ""
    return _TEXT.format(memory=memory, then=then, forward=forward, base=base, after=after)


@pytest.mark.parametrize(
    ("memory", "write"),
    [
        ("torch.Tensor(n, m)", "torch.empty(n, m)), and nn.init.xavier_uniform_(self.W) below it"),
        (
            "torch.FloatTensor(n, m)",
            "torch.empty(n, m)), and nn.init.xavier_uniform_(self.W) below it",
        ),
        ("torch.empty(n, m)", "torch.empty(n, m)), and nn.init.xavier_uniform_(self.W) below it"),
        ("torch.Tensor(4)", "torch.empty(4)), and nn.init.zeros_(self.W) below it"),
    ],
)
def test_finds(memory: str, write: str) -> None:
    assert [f.message for f in advice("TP411", _text(memory))] == [
        "nothing fills self.W, which holds whatever lay in memory: write "
        f"self.W = nn.Parameter({write}"
    ]


@pytest.mark.parametrize(
    "forward",
    [
        "x @ self.W",
        "torch.mm(x, self.W.t())",
        "F.linear(x, self.W.view(3, 2).t())",
        "x * self.W.unsqueeze(0)",
        "x.view(-1, 2).mm(self.W)",
    ],
)
def test_finds_what_is_only_calculated_with(forward: str) -> None:
    assert len(advice("TP411", _text(forward=forward))) == 1


_QUIET = {
    "data": _text("torch.Tensor([1, 2])"),
    "data in a name": _text("torch.Tensor(n)"),
    "random numbers": _text("torch.randn(n, m)"),
    "zeros": _text("torch.zeros(n, m)"),
    "star": _text("torch.Tensor(*n)"),
    "star of another maker": _text("torch.empty(*n)"),
    "no module": _text(base=""),
    "initialised": _text(then="nn.init.xavier_uniform_(self.W)"),
    "initialised in place": _text(then="self.W.data.uniform_(-1, 1)"),
    "written to": _text(then="self.W.data = torch.ones(2, 3)"),
    "written to by an index": _text(then="self.W.data[0] = 0"),
    "given away": _text(then="init(self.W)"),
    "given to a method": _text(then="self.init(self.W)"),
    "collected": _text(then="for w in [self.W]: w.data.zero_()"),
    "initialised at construction": _text("torch.Tensor(n, m).uniform_(-1, 1)"),
    "initialised from outside": _text(after="net.W.data.normal_()"),
    "initialised in forward": _text(forward="self.W.data.fill_(1)"),
    "all parameters": _text(after="for p in net.parameters(): p.data.uniform_(-1, 1)"),
    "all modules": _text(after="for m in net.modules(): init(m)"),
    "apply": _text(after="net.apply(init)"),
    "loaded": _text(after="net.load_state_dict(torch.load('net.pth'))"),
    "by name": _text(after="init(getattr(net, 'W'))"),
    "initialised by the base": _text(base="nn.Linear"),
    "unknown base": _text(base="Base"),
    "suppressed": _text("torch.Tensor(n, m))  # noqa: TP411\n            print(n"),
}


@pytest.mark.parametrize("name", _QUIET)
def test_is_quiet(name: str) -> None:
    assert advice("TP411", _QUIET[name]) == []


test_keeps = keeps("TP411", {**_QUIET, "found": _text()})


@pytest.mark.parametrize("word", ["apply", "xavier_uniform", "load_state_dict"])
def test_is_quiet_where_another_file_may_fill_it(word: str) -> None:
    options = Options(mentioned_elsewhere=lambda name: name == word)
    text = textwrap.dedent(_text()).lstrip("\n")
    assert not migrate_text(text, select(["TP411"]), options).findings
