"""A class of tensors of old as a value: a name, an attribute or another file holds one of several."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.facts.test_values import value_of
from torchfix_codemods.facts.values.lattice import Tensor, Unknown
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

_HOLDER = """
class Trainer:
    def __init__(self, n):
        self.kind = torch.FloatTensor
    def use_gpu(self):
        self.kind = {other}
    def step(self, x):
        look({made})
"""


def _holding(other: str = "torch.cuda.FloatTensor", made: str = "self.kind(2, 3)") -> str:
    return _HOLDER.format(other=other, made=made)


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        (_holding(), "float32"),
        (_holding(other="torch.cuda.HalfTensor"), None),
        ("kind = torch.FloatTensor\nif big:\n    kind = torch.DoubleTensor\nlook(kind(2))", None),
        ("kinds = {'a': torch.LongTensor}\nlook(kinds['a'](2))", "int64"),
        ("def g(kind):\n    look(kind(2))\ng(torch.ByteTensor)\ng(torch.ByteTensor)", "uint8"),
        ("def kind():\n    return torch.FloatTensor\nlook(kind()(2))", "float32"),
    ],
)
def test_makes_tensors_of_its_dtype_without_a_graph(text: str, dtype: str | None) -> None:
    value = value_of(text)
    assert isinstance(value, Tensor)
    assert value.grad is False
    assert value.dtype == dtype


@pytest.mark.parametrize(
    "text",
    [
        _holding(other="net"),
        _holding(other="kind"),
        _holding() + "trainer.kind = net\n",
        "kinds = [torch.LongTensor, net]\nlook(kinds[i](2))",
        "def g(kind):\n    look(kind(2))\ng(torch.ByteTensor)\ng(net)",
        "look(torch.storage.FloatTensor(2))",
    ],
)
def test_what_may_be_something_else_makes_what_is_not_known(text: str) -> None:
    assert isinstance(value_of(text), Unknown)


def test_what_it_is_given_may_have_a_graph() -> None:
    value = value_of(_holding(made="self.kind(x)"))
    assert isinstance(value, Tensor)
    assert value.grad is None


_KINDS = """import torch
if torch.cuda.is_available():
    MyTensor = {gpu}
else:
    MyTensor = torch.FloatTensor
"""
_USING = """from torch.autograd import Variable
from kinds import {imported}

def penalty(v):
    size = v.size()
    return Variable({made}).sum()
"""


def _after(
    folder: Path, made: str, *, imported: str = "*", gpu: str = "torch.cuda.FloatTensor"
) -> str:
    using = folder / "using.py"
    (folder / "kinds.py").write_text(_KINDS.format(gpu=gpu))
    using.write_text(_USING.format(imported=imported, made=made))
    (found,) = migrate_files([using], Settings(select=("TP101",)), write=False)
    return found.after or ""


@pytest.mark.parametrize("imported", ["*", "MyTensor"])
@pytest.mark.parametrize("made", ["MyTensor(1).zero_()", "MyTensor(v.size())", "MyTensor(size)"])
def test_of_another_file(imported: str, made: str, tmp_path: Path) -> None:
    after = _after(tmp_path, made, imported=imported)
    assert after.endswith(f"    return {made}.sum()\n")


@pytest.mark.parametrize("imported", ["*", "MyTensor"])
@pytest.mark.parametrize(
    ("made", "gpu"),
    [
        ("MyTensor(v)", "torch.cuda.FloatTensor"),
        ("MyTensor(size).add_(v)", "torch.cuda.FloatTensor"),
        ("MyTensor(size)", "make"),
        ("MyTensor(1).zero_()", "make"),
        ("MyTensor(1).add_(v)", "torch.cuda.FloatTensor"),
    ],
)
def test_what_another_file_makes_may_have_a_graph(
    imported: str, made: str, gpu: str, tmp_path: Path
) -> None:
    after = _after(tmp_path, made, imported=imported, gpu=gpu)
    assert after.endswith(f"    return {made}.detach().sum()\n")
