"""Programs that do the same by other names, and those that do not."""

from __future__ import annotations

import pytest

from tests.support.verifying import Bench
from torchfix_codemods.verify.comparing.names import Names
from torchfix_codemods.verify.verdicts import FAILED

PROGRAM = """import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 3)
        self.second = nn.Linear(3, 2)

    def forward(self, x):
        return self.second(F.relu(self.first(x)))


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(4, 2)

    def forward(self, x):
        return self.out(x)


net, critic = Net(), Critic()
criterion = nn.MSELoss()
optimizer = torch.optim.SGD([*net.parameters(), *critic.parameters()], lr=0.1)
x, y = torch.randn(5, 4), torch.randn(5, 2)
for step in range(2):
    optimizer.zero_grad()
    loss = criterion(net(x), y) + criterion(critic(x), y)
    loss.backward()
    optimizer.step()
    print(step, loss.item())
"""

RENAMED = [("class Net(", "class Model("), ("= Net()", "= Model()")]
REGROUPED = [
    ("self.first = nn.Linear(4, 3)\n        self.second = nn.Linear(3, 2)",
     "self.layers = nn.ModuleList([nn.Linear(4, 3), nn.Linear(3, 2)])"),
    ("self.second(F.relu(self.first(x)))", "self.layers[1](F.relu(self.layers[0](x)))"),
]  # fmt: skip
FUNCTION = [("criterion(net(x), y) + criterion(critic(x), y)",
             "F.mse_loss(net(x), y) + F.mse_loss(critic(x), y)")]  # fmt: skip


def fails(judges: Bench, edits: list[tuple[str, str]]) -> bool:
    after = PROGRAM
    for old, new in edits:
        assert after.count(old) == 1, old
        after = after.replace(old, new)
    return bool(FAILED & set(judges.judge("script", PROGRAM, after).verdicts))


@pytest.mark.parametrize("edits", [RENAMED, REGROUPED, FUNCTION, [*RENAMED, *FUNCTION]])
def test_the_same_by_another_name(judges: Bench, edits: list[tuple[str, str]]) -> None:
    assert not fails(judges, edits)
    assert fails(judges, [*edits, ("lr=0.1", "lr=0.2")])


@pytest.mark.parametrize(
    "edits",
    [
        [("net(x), y)", "critic(x), y)")],
        [("self.second(F.relu(self.first(x)))", "self.second(self.first(x))")],
        [
            (
                FUNCTION[0][0],
                FUNCTION[0][1].replace("critic(x), y)", "critic(x), y, reduction='sum')"),
            )
        ],
        [*RENAMED, ("= nn.Linear(3, 2)", "= nn.Linear(3, 2, bias=False)")],
    ],
)
def test_something_else_by_any_name(judges: Bench, edits: list[tuple[str, str]]) -> None:
    assert fails(judges, edits)


def test_names_stand_for_one_another_one_for_one() -> None:
    names = Names()
    assert names.match("Net", "Model") and names.match("Net", "Model")
    assert not names.match("Net", "Net") and not names.match("Other", "Model")
    assert names.match("Other", "Net")
