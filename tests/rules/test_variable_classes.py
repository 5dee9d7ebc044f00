"""TP101: indices of classes are detached from nothing."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era

_TEXT = """\
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
def train(loader, model, attack):
    criterion = nn.CrossEntropyLoss()
    for x, y in loader:
        {line}
"""


def _line(line: str, newest: tuple[int, ...] = (1, 9)) -> str:
    text = _TEXT.replace("{line}", line.replace("\n", "\n        "))
    options = Options(era=Era((0, 4), newest))
    below = migrate(text, "TP101", options=options).text.partition("in loader:\n")[2]
    return textwrap.dedent(below).rstrip("\n")


@pytest.mark.parametrize(
    "line",
    [
        "criterion(model(x), Variable(y)).backward()",
        "nn.CrossEntropyLoss()(model(x), Variable(y)).backward()",
        "nn.NLLLoss()(model(x), target=Variable(y)).backward()",
        "F.cross_entropy(model(x), Variable(y)).backward()",
        "F.nll_loss(model(x), Variable(y.view(-1))).backward()",
        "criterion(model(x), y)\nattack(Variable(y))",
        "criterion(model(x), Variable(y))\nif x:\n    attack(Variable(y))",
    ],
)
def test_the_target_of_a_loss_of_classes(line: str) -> None:
    after = _line(line)
    assert "Variable" not in after and "detach" not in after


@pytest.mark.parametrize(
    "line",
    [
        "criterion(Variable(y), x)",
        "nn.MSELoss()(model(x), Variable(y))",
        "F.binary_cross_entropy(model(x), Variable(y))",
        "F.cross_entropy(model(x), Variable(y) * 2)",
        "F.cross_entropy(model(x), *Variable(y))",
        "attack(model(x), Variable(y))",
        "if attack:\n    criterion(model(x), y)\nmodel(Variable(y))",
        "criterion(model(x), y)\ny = model(x)\nmodel(Variable(y))",
        "criterion = attack\ncriterion(model(x), Variable(y))",
        "F = attack\nF.cross_entropy(model(x), Variable(y))",
    ],
)
def test_what_may_have_a_graph_is_detached(line: str) -> None:
    assert "detach()" in _line(line)


def test_probabilities_of_classes_may_have_a_graph() -> None:
    line = "criterion(model(x), Variable(y))"
    assert "detach()" in _line(line, (1, 10))
    assert "detach()" in _line(line, (2, 0))
