"""What a method is given where it is called on its class, and by classes above and below."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

HEAD = "import torch\nfrom torch.autograd import Variable\n"
ENGINE = """
class Engine(object):
    def _forward(model, batch):
        x, y = batch
        x = Variable(x)
        return model(x), y
    def train(self, loader):
        for batch in loader:
            out, y = Engine._forward({given})
            out.sum().backward()
Engine().train([(torch.ones(2), 1)])
"""
STEP = "    def step(self, x):\n        x = Variable(x)\n        x.sum().backward()\n"
RUN = "    def run(self, x):\n        self.step({given})\n"
MAKE = "\nSub().step(torch.ones(2))\n"


def _is_bare(text: str, root: Path, **others: str) -> bool:
    (root / ".git").mkdir()
    for name, other in others.items():
        (root / f"{name}.py").write_text(HEAD + other)
    (root / "home.py").write_text(HEAD + text)
    result = migrate_file(root / "home.py", Settings(select=("TP101",)), write=False)
    assert not result.errors
    assert result.after is not None and "Variable(x)" not in result.after
    return "x.detach()" not in result.after


@pytest.mark.parametrize(
    "text",
    [
        ENGINE.format(given="self.model, batch"),
        ENGINE.format(given="self.model, batch=batch"),
        ENGINE.format(given="self.model, batch") + "Engine._forward(net, (torch.ones(3), 2))\n",
        ENGINE.format(given="self.model, batch") + "Engine()._forward((torch.ones(3), 2))\n",
        "class Low(object):\n" + STEP + "class Sub(Low):\n    def step(self, x):\n"
        "        Low.step(self, x)\n" + MAKE,
        "class Low(object):\n" + STEP + "class Sub(Low):\n    def step(self, x):\n"
        "        super().step(x)\n" + MAKE,
        "class Base(object):\n    def step(self, x):\n        pass\n"
        + RUN.format(given="torch.ones(2)")
        + "class Sub(Base):\n"
        + STEP,
        "class Base(object):\n"
        + RUN.format(given="torch.ones(2)")
        + "class Sub(Base):\n"
        + STEP
        + MAKE,
        # What has the same name in a class of its own is another.
        "class Other(object):\n    def step(self, x):\n        pass\n"
        + RUN.format(given="net(x)")
        + "class Sub(object):\n"
        + STEP
        + MAKE,
        "class Other(object):\n    def __init__(self, step):\n        self.step = step\n"
        + RUN.format(given="net(x)")
        + "class Sub(object):\n"
        + STEP
        + MAKE,
    ],
)
def test_without_a_graph(text: str, tmp_path: Path) -> None:
    assert _is_bare(text, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        ENGINE.format(given="self.model, (net(batch), 1)"),
        ENGINE.format(given="batch, (net(batch), 1)"),
        ENGINE.format(given="batch, self.model"),
        ENGINE.format(given="*later(batch)"),
        ENGINE.format(given="self.model, batch") + "Engine._forward(net, (net(2), 2))\n",
        ENGINE.format(given="self.model, batch") + "Engine()._forward((net(2), 2))\n",
        ENGINE.format(given="self.model, batch") + "later(Engine._forward)\n",
        "class Low(object):\n" + STEP + "class Sub(Low):\n    def step(self, x):\n"
        "        Low.step(self, net(x))\n" + MAKE,
        "class Low(object):\n" + STEP + "class Sub(Low):\n    def step(self, x):\n"
        "        super().step(net(x))\n" + MAKE,
        # The class above calls the method of the class below.
        "class Base(object):\n    def step(self, x):\n        pass\n"
        + RUN.format(given="net(x)")
        + "class Sub(Base):\n"
        + STEP
        + MAKE,
        "class Base(object):\n" + RUN.format(given="net(x)") + "class Sub(Base):\n" + STEP + MAKE,
        "class Mixin(object):\n"
        + RUN.format(given="net(x)")
        + "class Sub(object):\n"
        + STEP
        + "class Both(Mixin, Sub):\n    pass\n"
        + MAKE,
        "class Mixin(torch.nn.Module):\n"
        + RUN.format(given="net(x)")
        + "class Sub(object):\n"
        + STEP
        + "class Both(Mixin, Sub):\n    pass\n"
        + MAKE,
        "class Base(object):\n    def step(self, x):\n        pass\n"
        "class Sub(Base):\n"
        + STEP
        + "def run(base: Base, x):\n    base.step(net(x))\nrun(later, 1)\n"
        + MAKE,
    ],
)
def test_perhaps_with_one(text: str, tmp_path: Path) -> None:
    assert not _is_bare(text, tmp_path)


@pytest.mark.parametrize(
    ("given", "is_bare"), [("torch.ones(2)", True), ("net(x)", False), ("x", False)]
)
def test_the_class_above_is_in_another_file(given: str, is_bare: bool, tmp_path: Path) -> None:
    base = "class Base(object):\n    def step(self, x):\n        pass\n" + RUN.format(given=given)
    text = "from base import Base\nclass Sub(Base):\n" + STEP + MAKE
    assert _is_bare(text, tmp_path, base=base) is is_bare


@pytest.mark.parametrize(
    ("given", "is_bare"), [("net, (torch.ones(2), 1)", True), ("net, (net(2), 1)", False)]
)
def test_called_on_the_class_in_another_file(given: str, is_bare: bool, tmp_path: Path) -> None:
    other = f"from home import Engine\nout = Engine._forward({given})\n"
    text = ENGINE.format(given="self.model, batch")
    assert _is_bare(text, tmp_path, other=other) is is_bare
