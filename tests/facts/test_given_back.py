"""What a call gives of a function that gives back what it is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.facts.test_values import value_of
from torchfix_codemods.facts.values.lattice import Module, Tensor
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_TO_VAR = """
from torch.autograd import Variable
def f(x):
    if torch.cuda.is_available():
        x = x.cuda()
    return Variable(x)
"""
_CHOICE = """
from torch.autograd import Variable
def f(x, volatile=False):
    y = x.to("cuda") if use_cuda else x
    return Variable(y, volatile=volatile)
"""
_DEVICE = """
device = torch.device("cpu")
f = lambda x: x.to(device, non_blocking=True)
"""
_TWO_RETURNS = """
def f(x, gpu=None):
    if gpu is not None:
        return x.cuda(gpu).detach()
    return x.cpu()
"""
_SECOND = """
def f(name, x):
    print(name)
    return x
"""
_METHOD = """
class Trainer:
    def move(self, x):
        return x.cuda()
f = Trainer().move
"""


@pytest.mark.parametrize(
    ("function", "call"),
    [
        (_TO_VAR, "f(torch.zeros(2, 3).long())"),
        (_TO_VAR, "f(x=torch.zeros(2, 3).long())"),
        (_CHOICE, "f(torch.zeros(2, 3).long(), True)"),
        (_DEVICE, "f(torch.zeros(2, 3).long())"),
        (_TWO_RETURNS, "f(torch.zeros(2, 3).long(), gpu=1)"),
        (_SECOND, "f('labels', torch.zeros(2, 3).long())"),
        (_METHOD, "Trainer().move(torch.zeros(2, 3).long())"),
    ],
)
def test_what_is_moved_and_wrapped_keeps_its_shape_and_type(function: str, call: str) -> None:
    value = value_of(f"{function}\nf(other)\nlook({call})")
    assert isinstance(value, Tensor)
    assert (value.ndim, value.dtype, value.contiguous) == (2, "int64", True)


def test_a_module_that_is_given_back_is_that_module() -> None:
    value = value_of(f"{_SECOND}\nlook(f('net', nn.Linear(2, 3)))")
    assert isinstance(value, Module) and value.cls == "torch.nn.Linear"


@pytest.mark.parametrize(
    "function",
    [
        "def f(x): return x.float().cuda()",
        "def f(x): return x.to(torch.float)",
        "def f(x, kind): return x.to(kind)",
        "def f(x): return x.unsqueeze(0)",
        "def f(x):\n    x.unsqueeze_(0)\n    return x",
        "def f(x):\n    x += other\n    return x",
        "def f(x, y): return x if cuda else y",
        "def f(x):\n    for x in x: pass\n    return x",
        "def f(x):\n    if cuda: return x\n    return x.view(-1)",
        "def f(*x): return x",
        "def f(x): yield x",
        "def f(x):\n    def inner(x): return x\n    return inner(x[0])",
        "@cached\ndef f(x): return x",
        "f = lambda x: x[0]",
    ],
)
def test_what_may_be_another_tensor_has_nothing_of_the_argument(function: str) -> None:
    text = f"{function}\nf(other)\nlook(f(torch.zeros(2, 3).long()))"
    value = value_of(text)
    known = isinstance(value, Tensor) and value.ndim == 2 and value.dtype == "int64"
    assert not known


@pytest.mark.parametrize(
    "call", ["f(*xs)", "f(**options)", "f()", "f(*xs, torch.zeros(2, 3))", "f(torch.zeros(2, 3))"]
)
def test_arguments_that_cannot_be_told_apart(call: str) -> None:
    value = value_of(f"{_SECOND}\nf(other, other)\nlook({call})")
    assert not (isinstance(value, Tensor) and value.ndim == 2)


def test_a_parameter_of_the_function_around() -> None:
    text = """
def outer(x):
    def f(y, **options):
        return x
    look(f(1, x=torch.zeros(2, 3)))
outer(other)
"""
    value = value_of(text)
    assert not (isinstance(value, Tensor) and value.ndim == 2)


def test_a_method_that_a_class_below_defines_anew() -> None:
    text = """
class Trainer:
    def move(self, x):
        return x.cuda()
class Other(Trainer):
    def move(self, x):
        return x[0]
def g(trainer: Trainer):
    return trainer
look(Trainer().move(torch.zeros(2, 3)))
"""
    value = value_of(text)
    assert not (isinstance(value, Tensor) and value.ndim == 2)


def test_a_static_method_has_no_self() -> None:
    text = """
class Trainer:
    @staticmethod
    def move(x, y):
        return x.cuda()
Trainer.move(other, 1)
look(Trainer().move(torch.zeros(2, 3), 1))
"""
    value = value_of(text)
    assert isinstance(value, Tensor) and value.ndim == 2


def test_a_function_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text(f"import torch\n{_TO_VAR}")
    train = tmp_path / "train.py"
    train.write_text(
        """
import torch
import torch.nn as nn
from helpers import f

criterion = nn.BCELoss()
net = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
loss = criterion(net(f(torch.ones(8, 4))), f(torch.ones(8)))
"""
    )
    result = migrate_file(train, Settings(), write=False)
    assert result.after.endswith("criterion(net(f(torch.ones(8, 4))).view(-1), f(torch.ones(8)))\n")
