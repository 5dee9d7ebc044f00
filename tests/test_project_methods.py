"""Methods of tensors and modules that classes of other files of the project have as well."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

CONTROLLER = """class Controller:
    def __init__(self, agent):
        self.agent = agent
    def forward(self, batch, t):
        return self.agent(batch[t])
    def parameters(self):
        return self.agent.parameters()
"""
LEARNER = """import torch
class Learner:
    def __init__(self, controller):
        self.controller = controller
        self.optimizer = torch.optim.SGD(list(controller.parameters()), lr=0.1)
    def train(self, batch):
        return self.controller.forward(batch, t=1)
"""
BATCH = """class Batch:
    def __init__(self, items):
        self.items = items
    def contiguous(self, *keys):
        return self
    def __getitem__(self, key):
        return self.items[key]
"""
COLLATE = """import torch
def collate(cls, samples, keys, mask: torch.Tensor):
    batch = cls(samples, mask)
    for key in keys:
        items = batch[key]
        if isinstance(items[0], int):
            batch.items[key] = items.view(2, 3)
            batch.masks[key] = mask.t().view(2, 3)
    return batch.contiguous()
"""


def migrated(root: Path, text: str, code: str, **others: str) -> str:
    """What becomes of a file among others of its project."""
    (root / "setup.py").write_text("")
    for name, other in others.items():
        (root / f"{name}.py").write_text(other)
    (root / "this.py").write_text(text)
    result = migrate_file(root / "this.py", Settings(select=(code,)), write=False)
    assert not result.errors
    return result.after or text


@pytest.mark.parametrize(
    "controller",
    [
        CONTROLLER,
        CONTROLLER.replace("parameters(self)", "parameters(self, recurse=True)"),
        CONTROLLER.replace("parameters(self)", "parameters(self, *args)"),
        CONTROLLER.replace("parameters(self)", "\tparameters (\n        self, recurse=True)"),
    ],
)
def test_parameters_of_a_class_of_the_project(tmp_path: Path, controller: str) -> None:
    assert migrated(tmp_path, LEARNER, "TP604", controller=controller) == LEARNER


@pytest.mark.parametrize(
    "controller",
    [
        "",
        CONTROLLER.replace("def parameters(self)", "def parameters(self, group)"),
        CONTROLLER.replace("def parameters(self)", "def all_parameters(self)"),
        "# an undef parameters(self)\n",
    ],
)
def test_parameters_of_modules_only(tmp_path: Path, controller: str) -> None:
    after = migrated(tmp_path, LEARNER, "TP604", controller=controller)
    assert "return self.controller(batch, t=1)" in after


def test_contiguous_of_a_batch_of_the_project(tmp_path: Path) -> None:
    after = migrated(tmp_path, COLLATE, "TP401", data=BATCH)
    # What is a tensor for certain is spelled as that one.
    assert after == COLLATE.replace("mask.t().view", "mask.t().reshape")


def test_contiguous_of_tensors_only(tmp_path: Path) -> None:
    after = migrated(tmp_path, COLLATE, "TP401")
    assert "items.reshape(2, 3)" in after


BASE = """class Metric:
    def forward(self, *args):
        raise NotImplementedError
    def __call__(self, *args):
        return self.forward(*args)
"""
MEAN = """import torch
from base import Metric
class Mean(Metric):
    def forward(self, x):
        return torch.relu(x).mean()
"""
ROUNDED = """import torch
from means import Mean
print(round(Mean()([3]), 2))
"""


@pytest.mark.parametrize(
    "base",
    [
        BASE,
        BASE.replace("return", '"""Measure."""\n        return'),
        BASE.replace("raise NotImplementedError", "pass"),
        BASE.replace("__call__", "measure")
        + "    def __call__(self, *args):\n        return self.measure(*args)\n",
        "class Above:\n    def __call__(self, x):\n        return self.forward(x)\n"
        "class Metric(Above):\n    pass\n",
    ],
    ids=["as it is", "with a text", "that gives none", "in two steps", "from above"],
)
def test_a_method_that_hands_on_to_one_of_the_class(tmp_path: Path, base: str) -> None:
    after = migrated(tmp_path, ROUNDED, "TP420", base=base, means=MEAN)
    assert "print(round(Mean()([3]).item(), 2))" in after


@pytest.mark.parametrize(
    ("base", "means"),
    [
        (BASE.replace("return self", "return 2 if args else self"), MEAN),
        (BASE.replace("return self.forward(*args)", "return float(self.forward(*args))"), MEAN),
        (BASE.replace("return self", "return args[0]"), MEAN),
        (BASE.replace("    def __call__", "    @kept\n    def __call__"), MEAN),
        (BASE, MEAN.replace(".mean()", ".mean().item()")),
        (
            BASE,
            MEAN
            + "class Half(Mean):\n    def __call__(self, x):\n        return 3.5\nMean = Half\n",
        ),
        (BASE, MEAN + "Mean.forward = print\n"),
        (BASE, MEAN.replace("def forward", "def measure")),
        (BASE.replace("self.forward", "self.__call__"), MEAN),
    ],
)
def test_a_method_that_does_more(tmp_path: Path, base: str, means: str) -> None:
    assert migrated(tmp_path, ROUNDED, "TP420", base=base, means=means) == ROUNDED


BASE = """import torch.nn as nn
import torch.nn.functional as F
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = None
        self.score_loss = None
    def of_scores(self, x, y):
        return F.cross_entropy(x, y), 3
    def of_boxes(self, x, y):
        return self.summed(x, y) / len(x)
    def summed(self, x, y):
        return F.smooth_l1_loss(x, y).sum()
    def of_more(self, x, y):
        self.made = self.kind(x, y)
        return self.made
    def kind(self, x, y):
        return F.mse_loss(x, y)
"""
NET = """import torch.nn as nn
from base import Base
class Net(Base):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
    def forward(self, x, y):
        self.score_loss, self.count = self.of_scores(self.fc(x), y)
        self.box_loss = self.of_boxes(x, y)
        self.more_loss = self.of_more(x, y)
        return self.fc(x)
"""
TRAIN = """import torch
from net import Net
def train(net, x, y):
    net(x, y)
    return net.{0}.data.cpu().numpy()[0]
def main(x, y):
    return train(Net(), x, y)
"""


@pytest.mark.parametrize("loss", ["score_loss", "box_loss", "more_loss"])
@pytest.mark.parametrize(
    "more", ["", "    def other(self):\n        return 3\n", "    weights = 3\n", "# nothing\n"]
)
def test_what_an_inherited_method_gives_is_known(tmp_path: Path, loss: str, more: str) -> None:
    """Whatever else the class redefines that the method has no use for."""
    text = migrated(tmp_path, TRAIN.format(loss), "TP103", base=BASE, net=NET + more)
    assert f"return net.{loss}.item()" in text


@pytest.mark.parametrize(
    ("loss", "more"),
    [
        ("score_loss", "    def of_scores(self, x, y):\n        return x, y\n"),
        ("box_loss", "    def summed(self, x, y):\n        return x\n"),
        # What an attribute that the method reads is made of.
        ("more_loss", "    def kind(self, x, y):\n        return x\n"),
        ("more_loss", "    def reset(self, x):\n        self.made = x\n"),
        ("score_loss", "    def reset(self, x):\n        self.score_loss = x\n"),
    ],
)
def test_not_where_the_class_redefines_what_it_uses(tmp_path: Path, loss: str, more: str) -> None:
    text = TRAIN.format(loss)
    assert migrated(tmp_path, text, "TP103", base=BASE, net=NET + more) == text
