"""TP104 where functions are given `.data`: all of what one is given, or nothing."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate

_TEXT = """
import torch
from helpers import f

def other(scores, *rest):
    print(scores.max(1)[1].tolist(), *rest)

def accuracy(output, target):
    _, pred = output.max(1)
    return pred.eq(target.resize_(pred.size()))

def run(net, labels: torch.Tensor, images: torch.Tensor, unknown, k):
    output = net(images)
    scored = torch.zeros(2, 3)
    {line}
"""


def _lines(line: str) -> str:
    text = textwrap.dedent(_TEXT)
    head, _, _ = text.partition("{line}")
    return migrate(text.replace("{line}", line), "TP104").text[len(head) : -1]


@pytest.mark.parametrize(
    "line",
    [
        "accuracy(scored.data, labels.data)",
        "other(scored.data, unknown.data, k)",
        # The same is given to another function.
        "f(scored.data)\n    other(scored.data)",
        "f(unknown.data, k)\n    other(unknown.data, scored.data)",
        "f(unknown.data)\n    other(scored.data)",
        "other(scored.data.size(0), unknown.data)",
        "other(scored.data, k.data.t())",
    ],
)
def test_all_stay_where_one_does(line: str) -> None:
    assert _lines(line) == line


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("other(scored.data, k)", "other(scored, k)"),
        ("other(scored.data, labels)", "other(scored, labels)"),
        ("labels.expand_as(scored.data)", "labels.expand_as(scored)"),
        # A layer is no tensor.
        (
            "n = torch.nn.Linear(2, 3)\n    other(scored.data, n.data)",
            "n = torch.nn.Linear(2, 3)\n    other(scored, n.data)",
        ),
    ],
)
def test_what_else_stays_is_of_no_matter(line: str, expected: str) -> None:
    assert _lines(line) == expected


def test_both_go_where_nothing_stays() -> None:
    assert _lines("other(scored.data, labels.size(0), k, scored.data.size())") == (
        "other(scored, labels.size(0), k, scored.size())"
    )


_INIT = """
import torch.nn as nn
from ours import init_functions

class Net(nn.Module):
    def init_weights(self, layer):
        if isinstance(layer, nn.Linear):
            {line}
            layer.bias.data.fill_(0.0)
        elif isinstance(layer, nn.BatchNorm1d):
            layer.weight.data.fill_(1)
"""


@pytest.mark.parametrize(
    "line",
    ["init_functions[0](layer.weight.data)", "init_functions[0](layer.weight.data, gain=2)"],
)
def test_a_layer_is_initialized_in_one_way(line: str) -> None:
    text = _INIT.format(line=line)
    assert migrate(text, "TP104").text == text


@pytest.mark.parametrize(
    "line",
    [
        "nn.init.xavier_uniform_(layer.weight)",
        "init_functions[0](layer.weight)",
        "init_functions[0](self.other.weight.data)",
        "print(layer.weight.data.size())",
    ],
)
def test_it_is_whatever_becomes_of_others(line: str) -> None:
    after = migrate(_INIT.format(line=line), "TP104").text
    assert "nn.init.zeros_(layer.bias)" in after
    assert "nn.init.ones_(layer.weight)" in after


_LAYERS = """import torch.nn as nn
from helpers import f


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(2, 2)
        self.lstm = nn.LSTMCell(2, 2)
        self.head.weight.data = f({given}, 0.01)
        self.head.bias.data.fill_(0)
        {line}
"""


def _set_up(given: str, line: str) -> str:
    return migrate(_LAYERS.format(given=given, line=line), "TP104").text


def test_a_layer_is_set_up_like_the_one_that_a_function_is_given() -> None:
    line = "self.lstm.bias_ih.data.fill_(0)"
    text = _LAYERS.format(given="self.head.weight.data", line=line)
    assert _set_up("self.head.weight.data", line) == text


def test_both_are_set_up_by_init_where_no_function_is_given_the_data() -> None:
    line = "self.lstm.bias_ih.data.fill_(0)"
    text = _LAYERS.format(given="self.lstm", line=line).replace(".data = f(", " = nn.Parameter(f(")
    after = migrate(text.replace("0.01)", "0.01))"), "TP104").text
    assert "        nn.init.zeros_(self.head.bias)\n" in after
    assert after.endswith("        nn.init.zeros_(self.lstm.bias_ih)\n")


_READ = """import torch
from sklearn import metrics, utils
def f(net, x: torch.Tensor, y: torch.Tensor, other):
    out = torch.relu(x).max(1)[0]
    {}
"""


@pytest.mark.parametrize(
    "line",
    [
        "out.backward((y - out).data.clamp(-1, 1))",
        "out.backward(y.data.view(-1))",
        "print(metrics.average_precision_score(y.data, out.data))",
        "print(metrics.roc_auc_score(y.data.view(-1), out.detach()))",
    ],
)
def test_what_is_given_to_be_read_is_detached(line: str) -> None:
    after = migrate(_READ.format(line), "TP104").text
    assert after == _READ.format(line.replace(".data", ".detach()"))


@pytest.mark.parametrize(
    "line",
    ["other.backward(y.data)", "net(y.data)", "utils.shuffle(y.data)", "x = [y.data, other]"],
)
def test_what_is_given_to_what_is_not_known_stays(line: str) -> None:
    assert migrate(_READ.format(line), "TP104").text == _READ.format(line)
