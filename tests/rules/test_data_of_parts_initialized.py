"""A part of a parameter is set up by nn.init, as the parameter is in the line above."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from tests.support.rules import migrate

_TEXT = """import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self, n, pad):
        super().__init__()
        self.emb = nn.Embedding(n, 4)
        self.emb.weight.data.uniform_(-1, 1)
        {line}
"""


def _after(line: str) -> str:
    after = migrate(_TEXT.format(line=line), "TP104").text
    assert migrate(after, "TP104").text == after
    return after.splitlines()[-1].strip()


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("self.emb.weight.data[pad].fill_(0)", "nn.init.zeros_(self.emb.weight[pad])"),
        ("self.emb.weight.data[0].zero_()", "nn.init.zeros_(self.emb.weight[0])"),
        (
            "self.emb.weight.data[1:3].uniform_(-1, 1)",
            "nn.init.uniform_(self.emb.weight[1:3], -1, 1)",
        ),
        ("self.emb.weight.data[1:, 0].fill_(.5)", "nn.init.constant_(self.emb.weight[1:, 0], .5)"),
    ],
)
def test_a_part_is_initialized_like_the_whole(line: str, after: str) -> None:
    assert _after(line) == after


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("self.emb.weight.data[[0, 1]].fill_(0)", id="a copy"),
        pytest.param("self.emb.weight.data[torch.tensor([0])].zero_()", id="a copy by a tensor"),
        pytest.param("self.emb.weight.data[pad] = 0", id="a store"),
        pytest.param("self.emb.weight.data[pad].mul_(2)", id="an update"),
        pytest.param("self.emb.weight.data[pad].zero_().add_(1)", id="two calls"),
        pytest.param("self.other.weight.data[pad].fill_(0)", id="not known"),
        pytest.param("row = self.emb.weight.data[pad].fill_(0)", id="a name for it"),
    ],
)
def test_other_writes_into_parts_stay(line: str) -> None:
    assert _after(line) == line


def test_in_forward_a_part_stays() -> None:
    line = "self.emb.weight.data[0].zero_()"
    text = _TEXT.format(line="self.pad = pad") + f"    def forward(self, x):\n        {line}\n"
    assert migrate(text, "TP104").text.rstrip().endswith(line)


def test_the_same_is_drawn_into_a_part() -> None:
    old, new = nn.Linear(3, 5), nn.Linear(3, 5)
    new.load_state_dict(old.state_dict())
    torch.manual_seed(0)
    old.weight.data[1:3].uniform_(-1, 1)
    torch.manual_seed(0)
    nn.init.uniform_(new.weight[1:3], -1, 1)
    assert torch.equal(old.weight, new.weight)
    assert new.weight.is_leaf and new.weight.requires_grad
