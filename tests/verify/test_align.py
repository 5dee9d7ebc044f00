"""The same numbers in another order are the same, and others are not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.verifying import Bench, Judged
from torchfix_codemods.verify.verdicts import Verdict

HEAD = """\
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
one, two = nn.Linear(3, 2), nn.Linear(3, 2)
body, head = nn.Sequential(nn.Linear(3, 4), nn.Tanh()), nn.Linear(4, 2)
criterion = nn.MSELoss()
first = torch.optim.SGD([*one.parameters(), *body.parameters()], lr=0.1, momentum=0.9)
second = torch.optim.SGD([*two.parameters(), *head.parameters()], lr=0.2)
data, target = torch.randn(4, 3), torch.randn(4, 2)


class Whole(nn.Module):
    def __init__(self, body, head):
        super().__init__()
        self.body, self.head = body, head

    def forward(self, x):
        return self.head(self.body(x))


whole = Whole(body, head)


def train():
    for x, y in zip(data.split(2), target.split(2)):
"""

TAIL = """
        first.step()
        second.step()
        first.zero_grad()
        second.zero_grad()


train()
print(one(data).sum().item(), two(data).sum().item())
"""

#: By name: what a step of training is, and ways to write it that are the same, and that are not.
STEPS: dict[str, tuple[str, list[str], list[str]]] = {
    "independent calls": (
        "a = one(x)\nb = two(x)\n(a.mean() + b.mean()).backward()",
        ["b = two(x)\na = one(x)\n(a.mean() + b.mean()).backward()"],
        ["b = two(x + 1)\na = one(x)\n(a.mean() + b.mean()).backward()"],
    ),
    "a sum of losses": (
        "F.mse_loss(one(x), y).backward()\nF.mse_loss(two(x) - one(x), y).backward()",
        [
            "(F.mse_loss(one(x), y) + F.mse_loss(two(x) - one(x), y)).backward()",
            "losses = [F.mse_loss(one(x), y), F.mse_loss(two(x) - one(x), y)]\nsum(losses).backward()",
        ],
        [
            "(F.mse_loss(one(x), y) - F.mse_loss(two(x) - one(x), y)).backward()",
            "F.mse_loss(two(x) - one(x), y).backward()",
            "((F.mse_loss(one(x), y) + F.mse_loss(two(x) - one(x), y)) / 2).backward()",
            "F.mse_loss(one(x), y).backward()\nfirst.zero_grad()\nF.mse_loss(two(x) - one(x), y).backward()",
        ],
    ),
    "losses that are taken one by one": (
        "(F.mse_loss(one(x), y) + F.mse_loss(two(x), y) + one(x).sum()).backward()",
        [
            "F.mse_loss(one(x), y).backward()\nF.mse_loss(two(x), y).backward()\none(x).sum().backward()",
            "one(x).sum().backward()\n(F.mse_loss(two(x), y) + F.mse_loss(one(x), y)).backward()",
        ],
        ["F.mse_loss(one(x), y).backward()\nF.mse_loss(two(x), y).backward()"],
    ),
    "a loss for what it is weighted by": (
        "loss = F.mse_loss(one(x), y, reduction='none').mean(1)\nloss.backward(-torch.ones(2))",
        [
            "loss = F.mse_loss(one(x), y, reduction='none').mean(1)\n(-loss).sum().backward()",
            "(-F.mse_loss(one(x), y) * 2).view(1).backward()",
        ],
        [
            "loss = F.mse_loss(one(x), y, reduction='none').mean(1)\nloss.sum().backward()",
            "loss = F.mse_loss(one(x), y, reduction='none').mean(1)\nloss.backward(torch.tensor([-1.0, 1.0]))",
            "(-F.mse_loss(one(x), y)).view(1).backward()",
        ],
    ),
    "another order of backward": (
        "F.mse_loss(one(x), y).backward()\nF.mse_loss(two(x) + one(x), y).backward()",
        ["F.mse_loss(two(x) + one(x), y).backward()\nF.mse_loss(one(x), y).backward()"],
        ["F.mse_loss(two(x), y).backward()\nF.mse_loss(one(x), y).backward()"],
    ),
    "a loss as a function": (
        "criterion(one(x), y).backward()\nF.mse_loss(two(x), y).backward()",
        ["F.mse_loss(one(x), y).backward()\ncriterion(two(x), y).backward()"],
        ["F.mse_loss(one(x), y).backward()\ncriterion(two(x), y + 1).backward()"],
    ),
    "modules that are grouped": (
        "whole(x).sum().backward()",
        [
            "head(body(x)).sum().backward()",
            "h = whole.body(x)\nwhole.head(h).sum().backward()",
            "h = body(x)\nhead(h).sum().backward()",
        ],
        ["head(body(x).tanh()).sum().backward()", "head(body(x).detach()).sum().backward()"],
    ),
    "the same twice": (
        "F.mse_loss(one(x), y).backward()\nprint(one(x).argmax(1).tolist())",
        ["a = one(x)\nF.mse_loss(a, y).backward()\nprint(a.argmax(1).tolist())"],
        ["a = one(x)\nF.mse_loss(a, y).backward()\nprint(a.argmin(1).tolist())"],
    ),
    "calls that lead nowhere": (
        "two(x + 3)\ntwo(x)\none(x).mean().backward()",
        ["two(x)\ntwo(x + 3)\none(x).mean().backward()"],
        ["two(x)\none(x).mean().backward()", "two(x)\ntwo(x + 4)\none(x).mean().backward()"],
    ),
    "gradients that lead nowhere": (
        "one(x).mean().backward()\none(y.repeat(1, 2)[:, :3]).mean().backward()\none.zero_grad()",
        ["(one(x).mean() + one(y.repeat(1, 2)[:, :3]).mean()).backward()\none.zero_grad()"],
        [
            "((one(x).mean() + one(y.repeat(1, 2)[:, :3]).mean()) * 2).backward()\none.zero_grad()",
            "a = one(x).mean()\n(a.detach() + one(y.repeat(1, 2)[:, :3]).mean()).backward()\none.zero_grad()",
        ],
    ),
    "another order of steps": (
        "one(x).mean().backward()\ntwo(x).mean().backward()\nfirst.step()\nsecond.step()",
        ["one(x).mean().backward()\ntwo(x).mean().backward()\nsecond.step()\nfirst.step()"],
        ["one(x).mean().backward()\ntwo(x).mean().backward()\nfirst.step()"],
    ),
    "a batch in parts": (
        "with torch.no_grad():\n    out = one(data)\nprint(out.sum().item(), out.argmax(1).tolist())",
        [
            "with torch.no_grad():\n    out = torch.cat([one(data[:1]), one(data[1:])])\nprint(out.sum().item(), out.argmax(1).tolist())",
            "with torch.no_grad():\n    out = torch.cat([one(row) for row in data.split(1)])\nprint(out.sum().item(), out.argmax(1).tolist())",
        ],
        [
            "with torch.no_grad():\n    out = torch.cat([one(data[2:]), one(data[:2])]).roll(2, 0)\nprint(out.sum().item(), out.argmax(1).tolist())",
            "with torch.no_grad():\n    out = torch.cat([one(data[:3]), one(data[:1])])\nprint(out.shape)",
        ],
    ),
    "a line printed earlier": (
        "loss = one(x).mean()\nloss.backward()\nfirst.step()\nprint(loss.item())",
        ["loss = one(x).mean()\nprint(loss.item())\nloss.backward()\nfirst.step()"],
        ["loss = one(x).mean()\nloss.backward()\nfirst.step()\nprint(one(x).mean().item())"],
    ),
}


@pytest.fixture
def judge(judges: Bench) -> Callable[[str, str], Judged]:
    def judged(before: str, after: str) -> Judged:
        texts = [
            HEAD + "".join(f"        {line}\n" for line in way.split("\n")) + TAIL
            for way in (before, after)
        ]
        return judges.judge("script", *texts)

    return judged


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(before, way, id=f"{name} {number}")
        for name, (before, ways, _) in STEPS.items()
        for number, way in enumerate(ways)
    ],
)
def test_the_same_in_another_order(
    judge: Callable[[str, str], Judged], before: str, after: str
) -> None:
    for texts in ((before, after), (after, before)):
        judged = judge(*texts)
        assert set(judged.verdicts) == {Verdict.EQUIVALENT}, [judged.outcomes, judged.notes]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(before, way, id=f"{name} {number}")
        for name, (before, _, ways) in STEPS.items()
        for number, way in enumerate(ways)
    ],
)
def test_something_else(judge: Callable[[str, str], Judged], before: str, after: str) -> None:
    for texts in ((before, after), (after, before)):
        assert Verdict.DIFFERENT in judge(*texts).verdicts
