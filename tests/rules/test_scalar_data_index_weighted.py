"""``total.data[0]`` of a sum of a loss that is trained on and of what a number weighs."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_NET = """import torch
from torch.autograd import Variable
class Net(object):
    def __init__(self, options, criterion):
        self.options = options
        self.criterion = criterion
    def loss_of(self, x):
        x = Variable(x, volatile=False)
        loss = self.criterion(x)
        weight = self.options.weight
        extra = torch.sum(x ** 2)
        total = {total}
        print(total.data[0])
        {given}
    def step(self, x):
        loss = self.loss_of(x)
        loss.backward()
"""
_MAIN = """import argparse
from net import Net
parser = argparse.ArgumentParser()
parser.add_argument("--weight", type=float, default=1.0)
parser.add_argument("--names", nargs="*")
options = parser.parse_args()
net = Net({options}, criterion=unknown)
net.step(unknown)
"""


def _is_rewritten(folder: Path, total: str, options: str, given: str = "return loss") -> bool:
    (folder / ".git").mkdir()
    (folder / "net.py").write_text(text := _NET.format(total=total, given=given))
    (folder / "main.py").write_text(_MAIN.format(options=options))
    result = migrate_file(folder / "net.py", Settings(select=("TP103",)), write=False)
    assert result.after in (None, text, text.replace(".data[0]", ".item()"))
    return bool(result.after) and result.after != text


@pytest.mark.parametrize(
    "total",
    [
        "loss + weight * extra",
        "loss + self.options.weight * extra",
        "extra / weight",
        "-loss / weight",
        "loss + 0.5 * extra",
    ],
)
def test_what_numbers_weigh(tmp_path: Path, total: str) -> None:
    assert _is_rewritten(tmp_path, total, "options")


@pytest.mark.parametrize(
    ("total", "options", "given"),
    [
        ("loss + weight * extra", "unknown", "return loss"),
        ("loss + self.options.names * extra", "options", "return loss"),
        ("loss + self.options.undeclared * extra", "options", "return loss"),
        ("loss + weight * x", "options", "return loss"),
        ("loss + weight * extra", "options", "return extra"),
    ],
)
def test_what_may_have_dimensions(tmp_path: Path, total: str, options: str, given: str) -> None:
    assert not _is_rewritten(tmp_path, total, options, given)
