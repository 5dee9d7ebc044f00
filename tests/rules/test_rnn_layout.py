from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps

NET = """
import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(28, 64, 2)
        self.fc = nn.Linear(64, 10)
    def forward(self, x):
        out, (h, c) = self.rnn(x)
        return self.fc(out[:, -1, :])
"""

QUIET = {
    "batch first": NET.replace("64, 2)", "64, 2, batch_first=True)"),
    "batch first by position": NET.replace("64, 2)", "64, 2, True, True)"),
    "not to be seen": NET.replace("64, 2)", "64, **options)"),
    "flag": NET.replace("64, 2)", "64, batch_first=flag)"),
    "flag that is set later": f"{NET}net = Net()\nnet.rnn.batch_first = True\n",
    "last step": NET.replace("out[:, -1, :]", "out[-1]"),
    "another step": NET.replace("out[:, -1, :]", "out[:, 0, :]"),
    "a part": NET.replace("out[:, -1, :]", "out[1:, -1, :]"),
    "transposed": NET.replace(
        "        return", "        out = out.transpose(0, 1)\n        return"
    ),
    "batch of one": NET.replace("self.rnn(x)", "self.rnn(x.unsqueeze(1))"),
    "batch of one by view": NET.replace("self.rnn(x)", "self.rnn(x.view(len(x), 1, -1))"),
    "batch of one by name": NET.replace(
        "        out, (h", "        y = x.unsqueeze(1)\n        out, (h"
    ).replace("self.rnn(x)", "self.rnn(y)"),
    "one sequence": NET.replace("self.rnn(x)", "self.rnn(torch.randn(5, 28))"),
    "packed": NET.replace("self.rnn(x)", "self.rnn(nn.utils.rnn.pack_padded_sequence(x, n))"),
    "no input": NET.replace("self.rnn(x)", "self.rnn(input=x)"),
    "one of two values": NET.replace(
        "        return", "        if flip:\n            out = x\n        return"
    ),
    "another layer": NET.replace("nn.LSTM", "nn.Linear"),
    "user's layer": NET.replace("nn.LSTM", "layers.LSTM"),
    "hidden state without batch first": NET.replace("out[:, -1, :]", "h[:, -1]"),
    "cell of another kind": NET.replace("out[:, -1, :]", "c[:, -1]"),
}

test_keeps = keeps("TP703", {"reported": NET, **QUIET})


@pytest.mark.parametrize("name", QUIET)
def test_says_nothing(name: str) -> None:
    assert QUIET[name] != NET
    assert not advice("TP703", QUIET[name])


def test_advice_for_the_output() -> None:
    (found,) = advice("TP703", NET)
    assert found.line == 10
    assert "write out[-1] for the last step, or batch_first=True where self.rnn is built" in (
        found.message
    )


def test_advice_for_the_hidden_state() -> None:
    text = NET.replace("64, 2)", "64, 2, batch_first=True)").replace("out[:, -1, :]", "h[:, -1]")
    (found,) = advice("TP703", text)
    assert "write h[-1] for the last layer" in found.message


def test_advice_for_a_gru() -> None:
    text = NET.replace("nn.LSTM", "nn.GRU").replace("out, (h, c)", "out, h")
    assert len(advice("TP703", text)) == 1


UNBATCHED = """
import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(75, 28)
        self.rnn = nn.LSTM(28, 64)
        self.hidden = self.start()
    def start(self):
        return torch.zeros(1, 1, 64), torch.zeros(1, 1, 64)
    def forward(self, x):
        x = self.embed(x.view(len(x), 75))
        out, self.hidden = self.rnn(x, self.hidden)
        return out[-1]
def train(model):
    model.hidden = (model.hidden[0].detach(), model.hidden[1].detach())
"""

FITTING = {
    "states without a batch": UNBATCHED.replace("zeros(1, 1, 64)", "zeros(1, 64)"),
    "states that nobody knows": UNBATCHED.replace("torch.zeros(1, 1, 64)", "make()"),
    "states of another object": UNBATCHED.replace("(x, self.hidden)", "(x, x.hidden)"),
    "an input with a batch": UNBATCHED.replace("len(x), 75)", "len(x), 1, 75)"),
    "no state": UNBATCHED.replace("(x, self.hidden)", "(x)"),
    "a layer whose layout is not seen": UNBATCHED.replace("(28, 64)", "(28, 64, **options)"),
}


@pytest.mark.parametrize("name", FITTING)
def test_says_nothing_of_inputs_that_fit(name: str) -> None:
    assert FITTING[name] != UNBATCHED
    assert not advice("TP703", FITTING[name])


@pytest.mark.parametrize(("batch_first", "axes"), [("", (1, 0)), (", batch_first=True", (0, 1))])
def test_advice_for_a_state_with_a_batch_beside_an_input_without(
    batch_first: str, axes: tuple[int, int]
) -> None:
    (found,) = advice("TP703", UNBATCHED.replace("(28, 64)", f"(28, 64{batch_first})"))
    assert found.message == (
        "self.rnn raises for an input of 2 dimensions beside a state of 3: "
        f"unsqueeze({axes[0]}) the input if it is one sequence, or unsqueeze({axes[1]}) if it is "
        "one step of a batch"
    )


def test_advice_for_a_gated_layer() -> None:
    code = "rnn = nn.GRU(2, 3)\nout, h = rnn(zeros(4, 2), zeros(1, 1, 3))"
    (found,) = advice("TP703", f"from torch import nn, zeros\n{code}")
    assert found.message.startswith("rnn raises for an input of 2 dimensions")
