"""What a call returns where its flags choose between the returns of a function."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.facts.test_values import value_of
from torchfix_codemods.facts.values.lattice import Tensor, Value
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_IF_ELSE = """
def f(x, average=True):
    if average:
        return torch.sum(x)
    else:
        return torch.sum(x, 1)
"""
_IF = """
def f(x, average=True, *, weight=None):
    if average and weight is None:
        return torch.sum(x)
    return x
"""
_NAMED = """
def f(x, reduction="mean"):
    if reduction == "none":
        return x
    elif reduction != "mean":
        return x.pow(2)
    with torch.no_grad():
        return torch.mean(x)
"""


_HANDED_ON = f"""
{_IF_ELSE}
def g(x, average=True):
    x = x.detach()
    return f(x, average)
def h(x, flag=True, n=3):
    return g(x, average=flag)
"""


def is_scalar(value: Value) -> bool:
    return isinstance(value, Tensor) and value.ndim == 0


@pytest.mark.parametrize(
    ("function", "call"),
    [
        (_IF_ELSE, "f(x)"),
        (_IF_ELSE, "f(x, True)"),
        (_IF_ELSE, "f(x, average=1)"),
        (_IF_ELSE.replace("if average", "if not average"), "f(x, False)"),
        (_IF_ELSE.replace("if average", "if average is True"), "f(x)"),
        (_IF_ELSE.replace("if average", "if average is not None"), "f(x)"),
        (_IF_ELSE.replace("if average", "if average or unknown"), "f(x)"),
        (_IF, "f(x)"),
        (_IF, "f(x, weight=None)"),
        (_IF_ELSE.replace("x, average=True", "average=True, *x"), "f(True, x)"),
        (_HANDED_ON, "g(x)"),
        (_HANDED_ON, "g(x, True)"),
        (_HANDED_ON, "h(x)"),
        (_HANDED_ON, "h(x, n=4)"),
        (_HANDED_ON.replace("f(x, average)", "f(x, average=average)"), "g(x)"),
        (_NAMED, "f(x)"),
        (_NAMED, "f(x, 'mean')"),
    ],
)
def test_the_flag_chooses_the_sum(function: str, call: str) -> None:
    assert is_scalar(value_of(f"{function}\nlook({call})"))


@pytest.mark.parametrize(
    ("function", "call"),
    [
        (_IF_ELSE, "f(x, False)"),
        (_IF_ELSE, "f(x, flag)"),
        (_IF_ELSE, "f(x, **given)"),
        (_IF_ELSE, "f(*given)"),
        (_IF_ELSE.replace("average=True", "average"), "f(x)"),
        (_IF_ELSE.replace("=True", "=flag"), "f(x)"),
        (_IF_ELSE.replace("    if average", "    average = other()\n    if average"), "f(x)"),
        (_IF_ELSE.replace("if average", "if average and unknown"), "f(x)"),
        (_IF_ELSE.replace("if average", "if average > 0"), "f(x)"),
        (_IF_ELSE.replace("if average", "if average is 1"), "f(x, 1)"),
        (_IF_ELSE.replace("if average", "if other.average"), "f(x)"),
        (_IF_ELSE.replace("x, average=True", "average=True, *x"), "f(False, x)"),
        (_IF_ELSE.replace("def f", "@wrapped\ndef f"), "f(x)"),
        (_IF, "f(x, weight=w)"),
        (_IF, "f(x, False)"),
        (_IF.replace("        return torch.sum(x)", "        x = torch.sum(x)"), "f(x)"),
        (_HANDED_ON, "g(x, False)"),
        (_HANDED_ON, "g(x, flag)"),
        (_HANDED_ON, "h(x, False)"),
        (_HANDED_ON, "h(x, **given)"),
        (_HANDED_ON.replace("f(x, average)", "f(x, not average)"), "g(x)"),
        (_HANDED_ON.replace("f(x, average)", "f(average, x)"), "g(x)"),
        (_HANDED_ON.replace("f(x, average)", "other(x, average)"), "g(x)"),
        (_HANDED_ON.replace("f(x, average)", "g(x, average)"), "g(x)"),
        (_HANDED_ON.replace("f(x, average)", "[f(x, average)]"), "g(x)"),
        (_HANDED_ON.replace("x = x.detach()", "average = other()"), "g(x)"),
        (_HANDED_ON.replace("def f", "@wrapped\ndef f"), "g(x)"),
        (_HANDED_ON.replace("def g", "@wrapped\ndef g"), "h(x)"),
        (_NAMED, "f(x, 'none')"),
        (_NAMED, "f(x, 'sum')"),
    ],
)
def test_what_is_not_chosen_may_come_back(function: str, call: str) -> None:
    assert not is_scalar(value_of(f"{function}\nlook({call})"))


_CHOSEN = """
def f(x, average=True):
    x = x.detach()
    return torch.sum(x) if average else x
"""

_METHOD = """
class {name}({base}):
    def forward(self, x, average=True):
        if average:
            return torch.sum(x)
        return torch.sum(x, 1)
    def total(self, x, weight=None):
        return x if weight is not None else torch.sum(x)
    @staticmethod
    def measured(x, average=True):
        return torch.sum(x) if average else torch.sum(x, 1)
    def __call__(self, x, average=True):
        return self.forward(x, average)
"""
_MODULE = _METHOD.format(name="Loss", base="torch.nn.Module").partition("    def __call__")[0]
_PLAIN = _METHOD.format(name="Loss", base="object")
_BELOW = """
class Below(Loss):
    def forward(self, x, average=False):
        return x if not average else torch.sum(x)
"""


@pytest.mark.parametrize(
    ("program", "call"),
    [
        (_CHOSEN, "f(x)"),
        (_CHOSEN, "f(x, True)"),
        (_CHOSEN.replace("else x", "else x.pow(2) if x else x"), "f(x)"),
        (_CHOSEN.replace("torch.sum(x)", "(x if not average else torch.sum(x))"), "f(x)"),
        (_MODULE, "Loss()(x)"),
        (_MODULE, "Loss()(x, True)"),
        (_MODULE, "Loss()(x, average=True)"),
        (_MODULE, "Loss().forward(x)"),
        (_MODULE, "Loss().total(x)"),
        (_MODULE, "Loss().total(x, None)"),
        (_MODULE, "Loss().measured(x)"),
        (_PLAIN, "Loss().forward(x)"),
        (_PLAIN, "Loss().total(x, weight=None)"),
        (_MODULE + _BELOW, "Below()(x, True)"),
        (_MODULE + _BELOW, "Below().total(x)"),
    ],
)
def test_what_a_flag_of_a_method_chooses(program: str, call: str) -> None:
    assert is_scalar(value_of(f"{program}\nlook({call})"))


@pytest.mark.parametrize(
    ("program", "call"),
    [
        (_CHOSEN, "f(x, False)"),
        (_CHOSEN, "f(x, flag)"),
        (_CHOSEN, "f(*given)"),
        (_CHOSEN.replace("x = x.detach()", "average = x"), "f(x)"),
        (_MODULE, "Loss()(x, False)"),
        (_MODULE, "Loss()(x, average=False)"),
        (_MODULE, "Loss()(x, flag)"),
        (_MODULE, "Loss().forward(x, False)"),
        (_MODULE, "Loss().total(x, x)"),
        (_MODULE, "Loss().measured(x, False)"),
        (_PLAIN, "Loss().forward(x, 0)"),
        (_PLAIN, "Loss().total(x, weight=x)"),
        (_PLAIN, "Loss()(x)"),
        (_MODULE.replace("    def forward", "    @wrapped\n    def forward"), "Loss()(x)"),
        (_MODULE + _BELOW, "Below()(x)"),
        (_MODULE + _BELOW, "Loss()(x)"),
    ],
)
def test_what_a_flag_of_a_method_leaves_open(program: str, call: str) -> None:
    assert not is_scalar(value_of(f"{program}\nlook({call})"))


_MADE = """
class Maker{base}:
    def made(self, n, is_wide=False):
        if is_wide:
            return torch.zeros(2, n)
        return torch.zeros(n)
maker = Maker()
"""


@pytest.mark.parametrize("base", ["", "(torch.nn.Module)"])
@pytest.mark.parametrize(
    ("call", "ndim"),
    [("made(3)", 1), ("made(3, False)", 1), ("made(3, True)", 2), ("made(3, flag)", None)],
)
def test_the_flag_of_a_method_stands_behind_its_object(base: str, call: str, ndim: object) -> None:
    made = value_of(f"{_MADE.format(base=base)}look(maker.{call})")
    assert isinstance(made, Tensor) and made.ndim == ndim


def test_a_method_of_another_file_is_asked_in_the_same_way(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "utils.py").write_text("import torch\n" + _MODULE)
    text = (
        "import torch\nfrom utils import Loss\nloss = Loss()\n"
        "print(loss(x).data[0], loss(x, False).data[0], Loss().total(x).data[0])\n"
    )
    (tmp_path / "train.py").write_text(text)
    result = migrate_file(tmp_path / "train.py", Settings(select=("TP103",)), write=False)
    after = text.replace("loss(x).data[0]", "loss(x).item()")
    assert result.after == after.replace("total(x).data[0]", "total(x).item()")


def test_a_function_of_another_file_is_asked_in_the_same_way(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "utils.py").write_text("import torch\n" + _IF_ELSE)
    text = "import torch\nfrom utils import f\nprint(f(x).data[0], f(x, False).data[0])\n"
    (tmp_path / "train.py").write_text(text)
    result = migrate_file(tmp_path / "train.py", Settings(select=("TP103",)), write=False)
    assert result.after == text.replace("f(x).data[0]", "f(x).item()")


_BOUND_ANEW = """
def f(x, dim=None, weights=None):
    if weights is None:
        return torch.mean(x)
    if dim is None:
        return torch.sum(x * weights) / torch.sum(weights)
    if isinstance(dim, int):
        dim = (dim,)
    for each in dim:
        x = torch.sum(x * weights, each)
    return x
"""
_BEFORE = "    if dim is None:"


@pytest.mark.parametrize("call", ["f(x)", "f(x, weights=y)", "f(x, None, y)"])
def test_a_parameter_is_constant_until_it_is_bound_anew(call: str) -> None:
    assert is_scalar(value_of(f"{_BOUND_ANEW}\nlook({call})"))


@pytest.mark.parametrize(
    ("function", "call"),
    [
        (_BOUND_ANEW, "f(x, 1, y)"),
        (_BOUND_ANEW, "f(x, dim, weights=y)"),
        (_BOUND_ANEW.replace(_BEFORE, "    dim = other()\n" + _BEFORE), "f(x, weights=y)"),
        (
            _BOUND_ANEW.replace(_BEFORE, "    if x:\n        dim = 1\n" + _BEFORE),
            "f(x, weights=y)",
        ),
        (
            _BOUND_ANEW.replace(_BEFORE, "    for dim in x:\n        pass\n" + _BEFORE),
            "f(x, weights=y)",
        ),
        (_BOUND_ANEW.replace("dim=None,", "dim=1,"), "f(x, weights=y)"),
    ],
)
def test_what_was_bound_anew_chooses_nothing(function: str, call: str) -> None:
    assert not is_scalar(value_of(f"{function}\nlook({call})"))
