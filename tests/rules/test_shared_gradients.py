from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_MODELS = """
import torch
import torch.nn as nn
from torch.autograd import Variable
local, shared = nn.Linear(1, 1), nn.Linear(1, 1)
optimizer = torch.optim.SGD(shared.parameters(), lr=0.1)
"""
_OLD = _MODELS + "x = Variable(y, volatile=True)\n"
_SHARED = """for param, other in zip(local.parameters(), shared.parameters()):
    other._grad = param.grad
"""

test_rewrites = rewrites(
    "TP118",
    {
        "of the optimizer": (
            _OLD + _SHARED + "optimizer.zero_grad()\n",
            _OLD + _SHARED + "optimizer.zero_grad(set_to_none=False)\n",
        ),
        "of a model": (
            _OLD + _SHARED + "local.zero_grad()  # both\n",
            _OLD + _SHARED + "local.zero_grad(set_to_none=False)  # both\n",
        ),
        "the same memory": (
            _OLD + _SHARED.replace("param.grad", "param.grad.data.cpu()") + "local.zero_grad()\n",
            _OLD
            + _SHARED.replace("param.grad", "param.grad.data.cpu()")
            + "local.zero_grad(set_to_none=False)\n",
        ),
        "read as zeros": (
            _OLD + "local.zero_grad()\nprint(local.weight.grad.data)\n",
            _OLD + "local.zero_grad(set_to_none=False)\nprint(local.weight.grad.data)\n",
        ),
        "read in a loop": (
            _OLD + "optimizer.zero_grad()\nn = 0\nfor p in local.parameters():\n    n += p.grad\n",
            _OLD
            + "optimizer.zero_grad(set_to_none=False)\nn = 0\n"
            + "for p in local.parameters():\n    n += p.grad\n",
        ),
        "kept by a name": (
            _OLD + "g = local.weight.grad.data\nlocal.zero_grad()\nloss.backward()\nprint(g)\n",
            _OLD
            + "g = local.weight.grad.data\nlocal.zero_grad(set_to_none=False)\n"
            + "loss.backward()\nprint(g)\n",
        ),
        "by the public name": (
            _OLD + _SHARED.replace("_grad", "grad") + "optimizer.zero_grad()\n",
            _OLD + _SHARED.replace("_grad", "grad") + "optimizer.zero_grad(set_to_none=False)\n",
        ),
    },
)

test_keeps = keeps(
    "TP118",
    {
        "read after the next": _OLD
        + "local.zero_grad()\nloss.backward()\nprint(local.weight.grad)\n",
        "what may make the next": _OLD
        + "def f(): loss.backward()\nlocal.zero_grad()\nf()\nprint(local.weight.grad)\n",
        "asked for": _OLD + "local.zero_grad()\nif local.weight.grad is not None:\n    pass\n",
        "asked for in a loop": _OLD
        + "local.zero_grad()\nfor p in local.parameters():\n"
        + "    if p.grad is not None:\n        n += p.grad.data\n",
        "written": _OLD + "local.zero_grad()\nlocal.weight.grad = x\n",
        "no parameter": _OLD + "local.zero_grad()\nprint(x.grad)\n",
        "a copy is kept": _OLD
        + "g = local.weight.grad.clone()\nlocal.zero_grad()\nloss.backward()\nprint(g)\n",
        "kept and read before": _OLD + "g = local.weight.grad\nprint(g)\nlocal.zero_grad()\n",
        "made after": _OLD
        + "local.zero_grad()\nloss.backward()\ng = local.weight.grad\nprint(g)\n",
        "read in a file for any torch": _MODELS + "local.zero_grad()\nprint(local.weight.grad)\n",
        "nothing is shared": _OLD + "optimizer.zero_grad()\n",
        "copies": _OLD
        + _SHARED.replace("param.grad", "param.grad.clone()")
        + "local.zero_grad()\n",
        "computed": _OLD + _SHARED.replace("param.grad", "param.grad * 2") + "local.zero_grad()\n",
        "its own": _OLD + "p.grad = p.grad.data\noptimizer.zero_grad()\n",
        "something else": _OLD + "p.grad = param.gradient\noptimizer.zero_grad()\n",
        "given": _OLD + _SHARED + "optimizer.zero_grad(set_to_none=True)\n",
        "given by position": _OLD + _SHARED + "optimizer.zero_grad(True)\n",
        "a class of the file": _OLD
        + _SHARED
        + "class Own:\n    def zero_grad(self): pass\nOwn().zero_grad()\nmine.zero_grad()\n",
        "a name that is not known": _OLD + _SHARED + "mine.zero_grad()\n",
        "a file for torch 2": _MODELS + _SHARED + "f = torch.compile(f)\noptimizer.zero_grad()\n",
        "a number": _OLD + _SHARED + "n = 3\nn.zero_grad()\n",
    },
)


def test_a_file_without_a_date_is_advised() -> None:
    (finding,) = advice("TP118", _MODELS + _SHARED + "optimizer.zero_grad()\n")
    assert "zero_grad(set_to_none=False), if this is older" in finding.message
    assert not advice("TP118", _MODELS + "import torch.fx\ntorch.compile(f)\n" + _SHARED)


@pytest.mark.parametrize("other", ["", "class Own:\n    def zero_grad(self): pass\n"])
def test_an_argument_is_an_optimizer_where_the_project_has_no_such_method(
    tmp_path: Path, other: str
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "own.py").write_text(other)
    text = _OLD + _SHARED + "def train(o=None):\n    o = o or optimizer\n    o.zero_grad()\n"
    (tmp_path / "train.py").write_text(text)
    result = migrate_file(tmp_path / "train.py", Settings(select=("TP118",)), write=False)
    assert ("set_to_none" in (result.after or "")) is not bool(other)


@pytest.mark.parametrize(
    ("here", "there", "is_shared"),
    [
        ("share(local)", "", True),
        ("# share(local)", "", False),
        ("# share(local)", "from train import share\nshare(net)\n", True),
        ("# share(local)", "# share(net)\n", False),
    ],
)
def test_a_function_that_shares_gradients_has_to_be_called(
    tmp_path: Path, here: str, there: str, is_shared: bool
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "other.py").write_text(there)
    share = "def share(net):\n    for p, q in zip(net.parameters(), shared.parameters()):\n"
    text = f"{_OLD}{share}        q._grad = p.grad\nlocal.zero_grad()\n{here}\n"
    (tmp_path / "train.py").write_text(text)
    result = migrate_file(tmp_path / "train.py", Settings(select=("TP118",)), write=False)
    assert ("set_to_none" in (result.after or "")) is is_shared


def test_nothing_is_found_twice() -> None:
    text = _OLD + _SHARED + "optimizer.zero_grad()\n"
    assert not migrate(migrate(text, "TP118").text, "TP118").findings
