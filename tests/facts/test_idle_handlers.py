"""``try: x = x + y.mean()`` ``except: x = y.mean()``: what the handler gives where it never runs."""

from __future__ import annotations

import pytest

from tests.support.values import value_of_last
from torchfix_codemods.facts.values.lattice import Tensor

_TEXT = """
import torch
def f(xs, other):
    total = {start}
    for x in xs:
        {tried}
    return total
"""
_TRIED = """try:
            total = total + torch.mean(x)
        except:
            total = torch.mean(x)"""


def _dimensions(start: str = "torch.zeros(1).cuda()", tried: str = _TRIED) -> int | None:
    value = value_of_last(_TEXT.format(start=start, tried=tried), "total")
    assert isinstance(value, Tensor)
    return value.ndim


@pytest.mark.parametrize("start", ["torch.zeros(1).cuda()", "torch.zeros(1, device=other)"])
def test_a_sum_that_cannot_fail_keeps_its_dimension(start: str) -> None:
    assert _dimensions(start) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Another device than that of the term, or no fitting sizes.
        ("torch.zeros(1).cuda()", "torch.zeros(1)"),
        ("torch.zeros(1).cuda()", "torch.zeros(2).cuda()"),
        ("total + torch.mean(x)", "total + torch.mean(other)"),
        ("total + torch.mean(x)", "total - torch.mean(x)"),
        ("except:", "except RuntimeError:\n            pass\n        else:"),
        ("total = total + torch.mean(x)", "total = total + torch.mean(x)\n            other()"),
    ],
)
def test_a_sum_that_may_fail_gives_either(old: str, new: str) -> None:
    start, tried = "torch.zeros(1).cuda()".replace(old, new), _TRIED.replace(old, new)
    assert _dimensions(start, tried) != 1


def test_a_term_with_dimensions_may_not_fit() -> None:
    assert _dimensions(tried=_TRIED.replace("torch.mean(x)", "torch.mean(x, 1)")) != 1
