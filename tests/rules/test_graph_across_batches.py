from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps

_HEAD = """
            import torch
            from torch import nn
            rnn, cell, linear = nn.LSTM(3, 2), nn.GRUCell(3, 2), nn.Linear(2, 1)
            class Net(nn.Module):
                def __init__(self):
                    super(Net, self).__init__()
                    self.rnn = nn.GRU(3, 2)
                def forward(self, x, hidden):
                    output, hidden = self.rnn(x, hidden)
                    return output, hidden
            class Cut(Net):
                def forward(self, x, hidden):
                    output, hidden = self.rnn(x, hidden.detach())
                    return output, hidden
            net, cut = Net(), Cut()
            hidden = None
            h, c = torch.zeros(1, 2), torch.zeros(1, 2)
"""


def _loop(*lines: str, loop: str = "for x in loader:") -> str:
    return _HEAD + f"            {loop}\n" + "".join(" " * 16 + line + "\n" for line in lines)


_STEP = "output.sum().backward()"

_ADVISED = {
    "an LSTM": (
        _loop("output, hidden = rnn(x, hidden)", _STEP),
        "hidden = tuple(h.detach() for h in hidden)",
    ),
    "a tuple": (
        _loop("output, (h, c) = rnn(x, (h, c))", _STEP),
        "h = h.detach(); c = c.detach()",
    ),
    "a cell": (_loop("h = cell(x, h)", "h.sum().backward()"), "h = h.detach()"),
    "a module": (
        _loop("output, hidden = net(x, hidden)", "output.sum().backward(retain_graph=True)"),
        "hidden = hidden.detach()",
    ),
}

_QUIET = {
    "detached": _loop("hidden = hidden.detach()", "output, hidden = net(x, hidden)", _STEP),
    "detached in place": _loop("output, hidden = net(x, hidden)", _STEP, "hidden.detach_()"),
    "repackaged": _loop("hidden = repackage(hidden)", "output, hidden = net(x, hidden)", _STEP),
    "wrapped anew": _loop(
        "output, hidden = net(x, hidden)", _STEP, "hidden = Variable(hidden.data)"
    ),
    "started anew": _loop("hidden = None", "output, hidden = net(x, hidden)", _STEP),
    "detached in forward": _loop("output, hidden = cut(x, hidden)", _STEP),
    "steps of one sequence": _loop("output, hidden = net(x, hidden)")
    + "            "
    + _STEP
    + "\n",
    "not carried": _loop("output, last = net(x, hidden)", _STEP),
    "no recurrent layer": _loop("hidden = linear(hidden)", "hidden.sum().backward()"),
    "something unknown": _loop("output, hidden = model(x, hidden)", _STEP),
    "now and then": _loop("output, hidden = net(x, hidden)", "if x.sum() > 3:", "    " + _STEP),
    "suppressed": _loop("output, hidden = net(x, hidden)  # noqa: TP109", _STEP),
}

test_keeps = keeps("TP109", {**{n: text for n, (text, _) in _ADVISED.items()}, **_QUIET})


@pytest.mark.parametrize(
    ("text", "line"), [pytest.param(*pair, id=name) for name, pair in _ADVISED.items()]
)
def test_names_the_line_to_write(text: str, line: str) -> None:
    (finding,) = advice("TP109", text)
    assert f"write {line} below that line" in finding.message


@pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in _QUIET.items()])
def test_says_nothing(text: str) -> None:
    assert not advice("TP109", text)
