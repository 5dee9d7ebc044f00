"""What a class hands on to the ``__init__`` of its base, and what must stay unknown of it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.facts.values.lattice import Tensor, Value
from torchfix_codemods.project.files import FilesOf
from torchfix_codemods.project.index import Index

BASE = """
import torch
import torch.nn as nn

class Meter(object):
    def __init__(self, name, criterion):
        self.name = name
        self.criterion = criterion
        if not isinstance(self.criterion, nn.Module):
            raise ValueError("no loss")
        self.total = 0

    def reset(self):
        self.total = 0
"""
METER = """
class Likelihood(Meter):
    def __init__(self, weight=None):
        super(Likelihood, self).__init__("nll", nn.NLLLoss(weight=weight))

    def add(self, output, target):
        self.total += self.criterion(output, target)

    def result(self):
        if isinstance(self.total, int):
            return 0
        look(self.total.data)
"""
BELOW = """
class Perplexity(Likelihood):
    def __init__(self, mask):
        self.mask = mask
        super().__init__()

    def add(self, output, target):
        self.total += self.criterion(output, target) * 2
"""
MIXIN = """
class Mixin(Meter):
    def __init__(self, name, criterion):
        super().__init__(name, nn.MSELoss(reduction="none"))
"""
LOOK = """
class Below(Likelihood):
    def losses(self, x):
        look(self.criterion(x, x))
"""


def looked_at(text: str, folder: Path | None = None) -> Value:
    """The value of the argument of ``look(…)``."""
    if folder is not None:
        (folder / "setup.py").write_text("")
        (folder / "meters.py").write_text(text)
    files = None if folder is None else FilesOf(folder / "meters.py", Index())
    facts = WholeFacts(ast.parse(text), text, files=files)
    (look,) = (
        node
        for node in ast.walk(facts.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "look"
    )
    return facts.value(look.args[0])


def is_number(value: Value) -> bool:
    """Whether a value is certainly a tensor of no dimension."""
    return isinstance(value, Tensor) and value.ndim == 0 and value.single


@pytest.mark.parametrize(
    "text",
    [
        BASE + METER,
        BASE + METER + BELOW,
        BASE + METER.replace("super(Likelihood, self)", "super()"),
        BASE + METER.replace('"nll", nn', 'name="nll", criterion=nn'),
        BASE + "class Middle(Meter):\n    pass\n" + METER.replace("(Meter)", "(Middle)"),
        BASE + METER + "class Other(Meter):\n    def add(self, x):\n        look_at(x)\n",
        BASE + METER + "meter = Meter('other', nn.MSELoss(reduction='none'))\n",
    ],
)
def test_a_sum_of_losses_of_a_criterion_that_the_base_keeps(text: str) -> None:
    assert is_number(looked_at(text))


@pytest.mark.parametrize(
    "text",
    [
        BASE + METER.replace("weight=weight", "weight=weight, reduction='none'"),
        # The class below gives another loss, or gives it the base itself.
        BASE + METER + BELOW.replace("super()", "super(Likelihood, self)"),
        BASE + METER + BELOW.replace("super().__init__()", "Meter.__init__(self, 'x', mask)"),
        BASE + METER + BELOW.replace("self.mask = mask", "self.criterion = mask"),
        BASE + METER + BELOW.replace("* 2", "* self.mask"),
        BASE + METER + "class Own(Likelihood):\n    criterion = None\n",
        # Not always what was handed over.
        BASE.replace("self.name =", "criterion = choose(criterion)\n        self.name =") + METER,
        BASE.replace("def __init__", "@configured\n    def __init__") + METER,
        BASE.replace(
            "def reset(self):", "def reset(self, criterion):\n        self.criterion = criterion"
        )
        + METER,
        BASE + METER.replace("super(Likelihood, self)", "Meter"),
        BASE + METER.replace('("nll", nn.NLLLoss(weight=weight))', "(*weight)"),
        BASE
        + METER.replace(
            "    def add",
            "        if weight is None:\n"
            "            super().__init__('mse', nn.MSELoss(reduce=False))\n\n    def add",
        ),
        BASE + METER + BELOW.split("    def add")[0].replace("super()", "super(Likelihood, self)"),
        BASE + METER + MIXIN + "class Both(Likelihood, Mixin):\n    pass\n",
        BASE + MIXIN + METER.replace("(Meter)", "(Meter, Mixin)"),
        BASE + MIXIN + METER.replace("(Meter)", "(Meter, Mixin)").replace("look", "print") + LOOK,
        # Set from outside.
        BASE + METER + "meter = Likelihood()\nmeter.criterion = nn.MSELoss(reduce=False)\n",
        BASE + METER + "meter = Likelihood()\nmeter.total = torch.zeros(3)\n",
        BASE + METER + "meter = Likelihood()\nmeter.total += torch.zeros(3)\n",
    ],
)
def test_a_sum_that_may_get_something_else(text: str) -> None:
    assert not is_number(looked_at(text))


def test_the_criterion_itself() -> None:
    assert is_number(looked_at(BASE + METER.replace("look", "print") + LOOK))
    out_of_sight = BASE.replace("(object)", "(library.Base)")
    assert not is_number(looked_at(out_of_sight + METER.replace("look", "print") + LOOK))


@pytest.mark.parametrize(
    ("other", "is_certain"),
    [
        ("from meters import Likelihood\nLikelihood().add(x, y)\n", True),
        ("from meters import Likelihood\nclass A(object):\n    loss = Likelihood()\n", True),
        ("from meters import Likelihood\nclass A(Likelihood):\n    pass\n", False),
        ("from meters import Likelihood as L\nclass A(L):\n    pass\n", False),
        ("import meters\nclass A(meters.Likelihood):\n    pass\n", False),
        ("import meters_of_old as m\nclass A(m.Likelihood):\n    pass\n", False),
        ("from meters import Perplexity\nclass A(Perplexity):\n    pass\n", False),
        ("import meters\nx = meters.Likelihood()\nx.criterion = y\n", False),
        ("from meters import Likelihood\nprint Likelihood\n", False),
    ],
)
def test_what_the_other_files_do(tmp_path: Path, other: str, is_certain: bool) -> None:
    (tmp_path / "main.py").write_text(other)
    assert is_number(looked_at(BASE + METER + BELOW, tmp_path)) is is_certain
