"""``self.loss.data[0]`` of a loss that a method of a base class differentiates."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_BASE = """import torch
class Trainer:
    def train(self):
        {trains}
"""
_OWN = """import torch
from base import Trainer
class {cls}:
    def forward(self):
        self.loss = self.opts.weight * self.part
        {more}
    def shown(self):
        return keep([("loss", self.loss.data[0]), ("other", self.other.data[0])])
"""
_MORE = "self.loss += self.rest"


def _migrated(folder: Path, trains: str, cls: str, more: str) -> tuple[str, list[str]]:
    (folder / ".git").mkdir()
    (folder / "base.py").write_text(_BASE.format(trains=trains))
    (folder / "own.py").write_text(_OWN.format(cls=cls, more=more))
    result = migrate_file(folder / "own.py", Settings(select=("TP103",)), write=False)
    told = [finding.message for finding in result.findings if not finding.fixed]
    text = (folder / "own.py").read_text() if result.after is None else result.after
    return text, [message.split()[0] for message in told]


def test_the_loss_and_what_stands_beside_it(tmp_path: Path) -> None:
    text, told = _migrated(tmp_path, "self.loss.backward()", "Net(Trainer)", _MORE)
    assert '("loss", self.loss.item()), ("other", self.other.data[0])' in text
    assert told == ["self.other.data[0]"]


@pytest.mark.parametrize(
    ("trains", "cls", "more"),
    [
        ("self.other_loss.backward()", "Net(Trainer)", _MORE),
        ("self.loss.backward(self.gradient)", "Net(Trainer)", _MORE),
        ("self.loss.backward()", "Net", _MORE),
        ("net.loss.backward()", "Net(Trainer)", _MORE),
        ("self.loss.backward()", "Net(Trainer)", "\n    def reset(self):\n        self.loss = 0"),
    ],
)
def test_another_loss_proves_nothing(tmp_path: Path, trains: str, cls: str, more: str) -> None:
    text, told = _migrated(tmp_path, trains, cls, more)
    assert '("loss", self.loss.data[0]), ("other", self.other.data[0])' in text
    assert not told
