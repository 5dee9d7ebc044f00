"""The sizes of tensors that are written down, also in a call of a function that makes them."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from torchfix_codemods.facts.evaluation.extents import Sizes, sizes_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_MAKERS = """
import torch
def make(*s):
    n = 1
    for k in s: n *= k
    return (torch.arange(n).float() * 0.37).sin().view(*s)
def zeros(n, m=3, *, k=1):
    return torch.zeros(n, m, k)
def noise(size):
    return torch.randn(*size)
def ones(size, twice=False):
    x = torch.ones(size).cuda()
    if twice:
        return x * 2
    return x
def again(n, *rest):
    y = make(n, *rest)
    return y.cos()
def cut(*s):
    s = s[1:]
    return torch.rand(6).view(*s)
def grown(size):
    size.append(2)
    return torch.rand(6).view(size)
def counted(*s):
    return torch.rand(len(s), s[0], s[0] * 2 + s[-1])
def either(n, flag):
    return torch.rand(n, 2) if flag else torch.rand(n, 3)
def two(n):
    if n > 3:
        return torch.rand(n, 2)
    return torch.rand(n, 3)
def other(n):
    if n > 3:
        return torch.rand(n, 2)
    return torch.rand(n)
def reshaped(n):
    x = torch.rand(n, 2)
    x.unsqueeze_(0)
    return x
def several(n):
    yield torch.rand(n, 2)
def forever(*s):
    return forever(*s)
def nested(n):
    return (lambda n: torch.rand(n, 2))(n)
@wrapped
def decorated(n):
    return torch.rand(n, 2)
"""


def _facts(code: str) -> tuple[Facts, ast.expr]:
    text = _MAKERS + textwrap.dedent(code)
    tree = ast.parse(text)
    last = tree.body[-1]
    assert isinstance(last, ast.Expr)
    return WholeFacts(tree, text), last.value


@pytest.mark.parametrize(
    ("code", "sizes"),
    [
        ("torch.rand(2, 3)", (2, 3)),
        ("torch.zeros((2, 3)) + 1", (2, 3)),
        ("torch.rand(4).view(-1, 2).data", (None, 2)),
        ("make(3, 1)", (3, 1)),
        ("make(*[2, 3])", (2, 3)),
        ("make(*make(3, 1).size())", (3, 1)),
        ("make(make(3, 1).size(0), 2)", (3, 2)),
        ("make(unknown, 1)", (None, 1)),
        ("zeros(2)", (2, 3, 1)),
        ("zeros(2, 4, k=6)", (2, 4, 6)),
        ("zeros(m=2, n=5)", (5, 2, 1)),
        ("noise((2, 3))", (2, 3)),
        ("n = 2\nnoise([n, n + 1])", (2, 3)),
        ("ones((2, 1, 1))", (2, 1, 1)),
        ("ones((2, 1), twice=True)", (2, 1)),
        ("again(2, 3, 4)", (2, 3, 4)),
        ("counted(2, 3, 4)", (3, 2, 8)),
        ("two(5)", (5, None)),
        ("either(3, True)", (3, 2)),
        ("either(3, False)", (3, 3)),
        ("x = make(2, 3)\nx.flip(0)", (2, 3)),
    ],
)
def test_sizes_that_are_written_down(code: str, sizes: Sizes) -> None:
    facts, node = _facts(code)
    assert sizes_of(facts.inference, node) == sizes
    value = facts.value(node)
    assert isinstance(value, Tensor)
    assert value.ndim == len(sizes)


@pytest.mark.parametrize(
    "code",
    [
        "make(unknown)",
        "make(*unknown)",
        "make(**unknown)",
        "make((2, 3), 4)",
        "cut(1, 2, 3)",
        "grown([3])",
        "other(3)",
        "reshaped(3)",
        "several(3)",
        "forever(3, 2)",
        "nested(3)",
        "decorated(3)",
        "either(3, unknown)",
        "import numpy\nnumpy.zeros((2, 3))",
        "make(2, 3).pow(make(4, 2, 3))",
        "make(2, 3) + make(4, 2, 3)",
        "make(2, 3) @ make(3, 4)",
        "torch.rand(6).view(torch.int32)",
        "torch.rand(6).repeat(2, 3)",
        "def make(*s):\n    return s[0].view(*s)\nmake(2, 3)",
    ],
)
def test_sizes_that_are_not_known(code: str) -> None:
    facts, node = _facts(code)
    assert sizes_of(facts.inference, node) is None


def test_a_list_that_a_function_adds_to_has_more_sizes() -> None:
    facts, node = _facts("grown([3])")
    value = facts.value(node)
    assert isinstance(value, Tensor)
    assert value.ndim is None


def test_a_tensor_of_ones_is_a_single_one() -> None:
    facts, node = _facts("make(1, 1)")
    assert facts.value(node) == Tensor(ndim=2, contiguous=True, single=True, grad=False)
    facts, node = _facts("make(1, 2)")
    assert facts.value(node) == Tensor(ndim=2, contiguous=True, grad=False)


_LOSS = """import torch
import torch.nn.functional as F
from makers import make


class Maker:
    def rows(self, n):
        return make(n, 1)


target = torch.tensor([1.0, -1.0, 1.0])
loss = F.margin_ranking_loss({}, make(3, 1), target)
"""


@pytest.mark.parametrize(
    ("given", "is_told"),
    [
        ("make(3, 1)", True),
        ("Maker().rows(3)", True),
        ("make(3)", False),
        ("make(*size)", False),
    ],
)
def test_sizes_that_a_function_of_another_file_is_given(
    tmp_path: Path, given: str, is_told: bool
) -> None:
    (tmp_path / "makers.py").write_text(_MAKERS)
    (tmp_path / "loss.py").write_text(_LOSS.format(given))
    result = migrate_file(tmp_path / "loss.py", Settings(select=("TP305",)), write=False)
    assert [f"write target.view_as({given})" in f.message for f in result.findings] == (
        [True] * is_told
    )
