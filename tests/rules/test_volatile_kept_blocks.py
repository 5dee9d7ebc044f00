"""`self.x = Variable(x, volatile=True)` where the method itself calculates with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_MODEL = """import torch
from torch.autograd import Variable
class Model:
    def __init__(self, net, optimizer):
        self.net, self.optimizer = net, optimizer
    def forward(self):
        self.real = Variable(self.input)
        self.fake = self.net(self.real)
    def test(self):
        {test}
    def images(self):
        return self.real.data, self.fake.data.cpu().numpy()
    def train(self):
        loss = self.criterion(self.fake, self.real)
        loss.backward()
        self.optimizer.step()
    {more}
"""
_TEST = """self.real = Variable(self.input, volatile=True)
        self.fake = self.net(self.real)
        self.target = Variable(self.other, volatile=True)"""
_AFTER = """with torch.no_grad():
            self.real = Variable(self.input)
            self.fake = self.net(self.real)
            self.target = Variable(self.other)"""


def test_what_a_method_keeps_and_calculates_with_goes_under_one_block() -> None:
    text = _MODEL.format(test=_TEST, more="pass")
    after = _MODEL.format(test=_AFTER, more="pass")
    assert migrate(text, "TP102").text == after
    assert migrate(after, "TP102").text == after


def test_what_is_calculated_from_it_comes_along() -> None:
    test = (
        "print(3)\n        self.real = Variable(self.input, volatile=True).cuda()\n"
        "        out = self.net(self.real)\n        n = 3\n        self.fake = self.net(out)\n"
        "        print(4)"
    )
    after = (
        "print(3)\n        with torch.no_grad():\n            self.real = Variable(self.input).cuda()\n"
        "            out = self.net(self.real)\n            n = 3\n"
        "            self.fake = self.net(out)\n        print(4)"
    )
    assert migrate(_MODEL.format(test=test, more="pass"), "TP102").text == _MODEL.format(
        test=after, more="pass"
    )


@pytest.mark.parametrize(
    ("test", "more"),
    [
        # Another method calculates with what is kept, and neither trains nor sets it.
        (_TEST, "def again(self):\n        return self.net(self.real)"),
        (
            _TEST,
            "def again(self):\n        if self.gpu: self.real = 3\n        self.net(self.real)",
        ),
        (_TEST, "def again(self):\n        return self.net(self.fake)"),
        # The method uses it in another block, or needs a graph, or nothing is calculated.
        (
            _TEST.replace("self.real)", "self.real) if self.input else 3\n        backward()"),
            "pass",
        ),
        (_TEST.replace("self.target", "self.net(self.w).backward()\n        self.target"), "pass"),
        (_TEST.replace("self.target", "other = self.net(self.w)\n        self.target"), "pass"),
        (_TEST.replace("self.target", "(yield)\n        self.target"), "pass"),
        ("self.real = Variable(self.input, volatile=True)", "pass"),
        (
            "if self.gpu:\n            "
            + _TEST.replace("\n", "\n    ")
            + "\n        self.net(self.real)",
            "pass",
        ),
        (
            "self.real = Variable(self.input, volatile=self.flag)\n        self.fake = self.net(self.real)",
            "pass",
        ),
        (
            "self.model.real = Variable(self.input, volatile=True)\n        self.fake = self.net(self.real)",
            "pass",
        ),
    ],
)
def test_what_is_used_elsewhere_is_told(test: str, more: str) -> None:
    text = _MODEL.format(test=test, more=more)
    assert "no_grad" not in migrate(text, "TP102").text
    assert advice("TP102", text)


@pytest.mark.parametrize(
    ("other", "is_known"),
    [
        ("class Own:\n    def f(self):\n        return self.net(self.real)", True),
        ("def show(model):\n    print(model.real.data)", True),
        ("def show(model, net):\n    return net(model.real)", False),
        (
            "from model import Model\nclass Own(Model):\n    def f(self):\n        return self.net(self.real)",
            False,
        ),
    ],
)
def test_other_files_count(other: str, is_known: bool, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "model.py").write_text(_MODEL.format(test=_TEST, more="pass"))
    (tmp_path / "other.py").write_text(f"import torch\nimport model\n{other}\n")
    result = migrate_file(tmp_path / "model.py", Settings(select=("TP102",)), write=False)
    assert ("no_grad" in (result.after or "")) is is_known
