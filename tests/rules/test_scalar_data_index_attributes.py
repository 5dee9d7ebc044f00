"""``self.loss.data[0]`` of a loss that a method of a base class differentiates."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, migrate
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


_SUM = """import torch
class Other:
    def show(self):
        return self.part.data[0]
class Net:
    def forward(self):
        self.part = self.opts.weight * self.criterion(self.out, self.wanted)
        {sums}
    def shown(self):
        return self.part.data[0]
"""


def _of_sum(sums: str) -> str:
    text = _SUM.format(sums=sums.replace("\n", "\n        ").replace("    \b", ""))
    after = migrate(text, "TP103").text
    changed = text.partition("class Net")[2].replace(".data[0]", ".item()")
    assert after in (text, text.partition("class Net")[0] + "class Net" + changed)
    return after


@pytest.mark.parametrize(
    "sums",
    [
        "self.loss = self.part + self.rest\nself.loss.backward()",
        "loss = self.part * 2 + self.rest\nloss.backward()",
        "(self.part + self.rest).backward(retain_graph=True)",
        "self.loss = self.rest\nself.loss += self.part\nself.loss.backward()",
        "self.loss = self.part - 1\nself.loss = self.loss * 2\nself.loss.backward()",
        "self.whole = -self.part\nself.loss = self.whole + self.rest\nself.loss.backward()",
        "if self.opts.late:\n    self.loss = self.part + self.rest\nelse:\n"
        "    self.loss = self.part\nself.loss.backward()",
        "self.loss = self.part + 1\nself.loss.backward()\n"
        "\bdef clear(self):\n    self.part = torch.zeros(1)",
    ],
)
def test_a_term_of_what_is_differentiated(sums: str) -> None:
    assert ".item()" in _of_sum(sums)


@pytest.mark.parametrize(
    "sums",
    [
        "self.loss = self.part @ self.rest\nself.loss.backward()",
        "self.loss = torch.sum(self.part + self.rest)\nself.loss.backward()",
        "self.loss = (self.part + self.rest).mean()\nself.loss.backward()",
        "self.loss = self.part + self.rest\nself.loss = self.loss.mean()\nself.loss.backward()",
        "self.loss = self.part + self.rest\nself.loss = self.rest\nself.loss.backward()",
        "self.loss = self.part + self.rest\nself.loss.backward(self.ones)",
        "self.loss = self.part + self.rest\nother.loss.backward()",
        "other.loss = self.part + self.rest\nself.loss.backward()",
        "self.loss = other.part + self.rest\nself.loss.backward()",
        "loss = self.part.sum() + self.rest\nloss.backward()",
        "self.loss = self.part.mean() + 1\nself.loss.backward()\nself.part = self.part[0]",
        "self.loss = self.part + 1\nself.loss.backward()\nself.part = self.out",
        "self.loss = self.part + 1\nself.loss.backward()\n\bdef clear(self):\n"
        "    self.part = self.out",
        "self.loss = self.part + 1\nself.loss.backward()\n\bdef clear(self):\n"
        "    self.loss = self.out",
    ],
)
def test_what_is_no_term_of_it(sums: str) -> None:
    assert ".item()" not in _of_sum(sums)


_TWO_CLASSES = """
import torch
from torch.autograd import Variable

class Own(Base):
    def keep(self, rewards):
        self.base = {kept}
    def update(self):
        self.total += self.base.data[0]

class Other(object):
    def update(self, net, x):
        {other}
"""
_LONG = "Variable(rewards, volatile=True)"


def _told_of_own(kept: str, other: str) -> bool:
    found = advice("TP103", _TWO_CLASSES.format(kept=kept, other=other).replace("(Base)", ""))
    return 8 in {finding.line for finding in found}


@pytest.mark.parametrize(
    ("kept", "other", "is_told"),
    [
        (_LONG, "self.base = net(x)", False),
        ("rewards()", "print(self.base.data[1])", True),
        ("rewards()", "self.base = self.net(self.base), self.net.parameters()", True),
    ],
)
def test_what_another_class_keeps_by_that_name_shows_nothing(
    kept: str, other: str, is_told: bool
) -> None:
    assert _told_of_own(kept, other) is is_told


@pytest.mark.parametrize("other", ["net.base = x", "x.base = net(x)"])
def test_what_an_unknown_object_keeps_may_be_the_same(other: str) -> None:
    assert _told_of_own(_LONG, other)


def test_a_class_of_another_file_keeps_something_else(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    own, other = _TWO_CLASSES.format(kept=_LONG, other="self.base = net(x)").split("class Other")
    for base, is_told in (("Other", True), ("object", False)):
        head = "from other import Other\n" + own.replace("(Base)", f"({base})")
        (tmp_path / "own.py").write_text(head)
        (tmp_path / "other.py").write_text(f"import torch\n\nclass Other{other}")
        result = migrate_file(tmp_path / "own.py", Settings(select=("TP103",)), write=False)
        assert bool(result.findings) is is_told
