"""Values that are volatile in one branch of a choice, where the other one trains."""

from __future__ import annotations

import textwrap

import pytest
import torch

from tests.support.rules import migrate

_TEXT = """
    import torch
    from torch.autograd import Variable


    def run(net, data, optimizer, criterion):
        losses = []
        for phase in ["train", "val"]:
            for inputs, labels in data:
                if phase == "train":
                    inputs, labels = Variable(inputs), Variable(labels.long())
                else:
                    inputs = Variable(inputs, volatile=True)
                    labels = Variable(labels.long())
                optimizer.zero_grad()
                outputs = net(inputs)
                loss = criterion(outputs, labels)
                if phase == "train":
                    loss.backward()
                    optimizer.step()
                losses.append(loss.data[0])
        return losses
    """


def _after(old: str = "", new: str = "") -> str:
    assert old in _TEXT
    return migrate(textwrap.dedent(_TEXT.replace(old, new, 1))).text


def test_what_the_other_branch_trains_is_calculated_under_its_test() -> None:
    after = _after()
    block = """
optimizer.zero_grad()
with torch.set_grad_enabled(phase == "train"):
    outputs = net(inputs)
    loss = criterion(outputs, labels)
    if phase == "train":
        loss.backward()
        optimizer.step()
"""
    assert textwrap.indent(block, " " * 12) in after
    assert "volatile" not in after and "Variable" not in after


def test_it_trains_in_the_one_and_records_nothing_in_the_other() -> None:
    space: dict[str, object] = {}
    exec(_after(), space)
    torch.manual_seed(0)
    net, recorded = torch.nn.Linear(3, 2), []
    weight = net.weight.detach().clone()
    net.register_forward_hook(lambda module, given, made: recorded.append(made.requires_grad))
    data = [(torch.randn(4, 3), torch.tensor([0, 1, 1, 0]))]
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    run = space["run"]
    assert callable(run)
    losses = run(net, data, optimizer, torch.nn.CrossEntropyLoss())
    assert recorded == [True, False]
    assert not torch.equal(weight, net.weight)
    assert losses[1] < losses[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("                optimizer.zero_grad()\n", "                phase = losses or phase\n"),
        (
            '                if phase == "train":\n                    loss',
            "                if losses:\n                    loss",
        ),
        (
            "                loss = criterion(outputs, labels)\n",
            "                loss = criterion(outputs, labels)\n                loss.backward()\n",
        ),
        (
            "                losses.append(loss.data[0])\n",
            "                losses.append(loss)\n                sum(losses).backward()\n",
        ),
        (
            "                outputs = net(inputs)\n",
            "                outputs = net(inputs)\n                net.penalty = net.weight.norm()\n",
        ),
    ],
    ids=["bound again", "another test", "trained in both", "trained below", "beside it"],
)
def test_no_block_stands_where_the_test_does_not_decide(old: str, new: str) -> None:
    after = _after(old, new)
    assert "set_grad_enabled" not in after
    assert "volatile=True" in after


def test_the_test_is_quoted_as_the_file_quotes() -> None:
    after = migrate(textwrap.dedent(_TEXT.replace('"', "'"))).text
    assert "with torch.set_grad_enabled(phase == 'train'):" in after
