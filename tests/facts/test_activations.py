from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.rules.losses.questions.last_activations import activation_of
from torchfix_codemods.rules.losses.questions.sampling import Unsaid, unsaid_alignment

_HEAD = """
import torch
import torch.nn as nn
import torch.nn.functional as F
x = torch.zeros(2, 3)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)
        self.last = nn.Softmax(dim=1)
    def forward(self, x):
        h = self.fc(x)
        return self.last(h), h
def normalized(x):
    return F.log_softmax(x, dim=1)
def several(x):
    if x.sum() > 0:
        return F.softmax(x, 1)
    return x
def generated(x):
    yield F.softmax(x, 1)
    return F.softmax(x, 1)
net = Net()
"""


def _last_expression(lines: str) -> tuple[Facts, ast.expr]:
    text = f"{_HEAD}{lines}\n"
    facts = WholeFacts(ast.parse(text), text)
    statement = facts.tree.body[-1]
    assert isinstance(statement, ast.Expr)
    return facts, statement.value


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ("torch.sigmoid(x)", "sigmoid"),
        ("x.softmax(1)", "softmax"),
        ("nn.LogSoftmax(dim=1)(x)", "log_softmax"),
        ("F.softmax(x, 1).view(-1)[0].detach()", "softmax"),
        ("y = F.softmax(x, 1)\ny", "softmax"),
        ("F.softmax(x, 1).flip(0).movedim(0, 1).narrow(0, 0, 1)", "softmax"),
        ("F.softmax(x, 1).long()", None),
        ("F.softmax(x, 1).cumsum(1)", None),
        ("F.softmax(x, 1).where(x > 0, x)", None),
        ("y = F.softmax(x, 1) if x.any() else x.softmax(0)\ny", "softmax"),
        ("normalized(x)", "log_softmax"),
        ("p, h = net(x)\np", "softmax"),
        ("p, h = net(x)\nh", "linear"),
        ("net(x)[0]", "softmax"),
        ("net(x)[1].view(-1)", "linear"),
        ("both = net(x)\nboth[0]", "softmax"),
        ("p, h = net(x) if x.any() else net(x * 2)\np", "softmax"),
        ("for y in (F.softmax(x, 1), x.softmax(0)):\n    y\ny", "softmax"),
        ("(y := F.softmax(x, 1))\ny", "softmax"),
        ("y = F.softmax(x, 1)\nwhile y.sum() > 1:\n    y = y.view(-1)\ny", "softmax"),
        ("nn.Sequential(nn.Linear(2, 3), nn.Softmax(dim=1))(x)", "softmax"),
        ("y = F.softmax(x, 1)\nif x.any():\n    y = torch.sigmoid(x)\ny", None),
        ("y = F.softmax(x, 1)\ny[0] = 1\ny", None),
        ("F.softmax(x, 1) + 1", None),
        ("F.softmax(x, 1).sum(1)", None),
        ("p = net(x)\np", None),
        ("several(x)", None),
        ("net(x)[k]", None),
        ("p, h = net(x) if x.any() else (x, x)\np", None),
        ("for y in (F.softmax(x, 1), x):\n    y\ny", None),
        ("for y in F.softmax(x, 1):\n    y\ny", None),
        ("y = F.softmax(x, 1)\nwhile y.sum() > 1:\n    y = y * 2\ny", None),
        ("generated(x)", None),
        ("unknown.softmax(1)", None),
        ("layers = [nn.Softmax(dim=1)]\nnn.Sequential(*layers)(x)", None),
        ("seq = nn.Sequential(nn.Softmax(dim=1))\nseq.append(nn.ReLU())\nseq(x)", None),
        ("seq = nn.Sequential(nn.Softmax(dim=1))\nseq.insert(1, nn.ReLU())\nseq(x)", None),
        ("for y in data:\n    pass\ny", None),
    ],
)
def test_the_activation_that_an_expression_comes_out_of(lines: str, kind: str | None) -> None:
    activation = activation_of(*_last_expression(lines))
    assert (None if activation is None else activation.kind) == kind


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("F.grid_sample(x, g)", Unsaid((1, 4))),
        ("F.affine_grid(t, s)", Unsaid((1, 4))),
        ("F.upsample(x, 2, mode='bilinear')", Unsaid((0, 4))),
        ("nn.Upsample(None, 2, mode)", Unsaid((0, 4), is_certain=False)),
        ("F.interpolate(x, 2)", None),
        ("F.interpolate(x, 2, mode='linear', align_corners=None)", None),
        ("F.grid_sample(x, g, 'bilinear', 'zeros', True)", None),
        ("F.affine_grid(*args)", None),
        ("F.max_pool2d(x, 2)", None),
    ],
)
def test_calls_that_leave_the_corners_to_torch(call: str, expected: Unsaid | None) -> None:
    facts, node = _last_expression(call)
    assert isinstance(node, ast.Call)
    assert unsaid_alignment(facts, node) == expected
