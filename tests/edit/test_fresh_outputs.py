"""What is made into a new tensor is made of its type."""

from __future__ import annotations

import pytest
import torch

from tests.support.rules import twice_migrated

_HEAD = "import torch\n"


@pytest.mark.parametrize(
    ("made", "written"),
    [
        ("torch.zeros(n, out=torch.LongTensor())", "torch.zeros(n, dtype=torch.long)"),
        ("torch.ones(n, 2, out=torch.ByteTensor())", "torch.ones(n, 2, dtype=torch.uint8)"),
        (
            "torch.arange(0, len(y), out=torch.LongTensor()).view(-1)",
            "torch.arange(0, len(y), dtype=torch.long).view(-1)",
        ),
        (
            "torch.eye(\n        4,\n        out=torch.DoubleTensor(),\n    )",
            "torch.eye(\n        4,\n        dtype=torch.double,\n    )",
        ),
        (
            "torch.linspace(-n, n, 20, out=torch.DoubleTensor())",
            "torch.linspace(-n, n, 20, dtype=torch.double)",
        ),
        ("torch.randn(3, n, out=torch.DoubleTensor())", "torch.randn(3, n, dtype=torch.double)"),
        (
            "torch.eye(n, out=x.new()) * 2",
            "torch.eye(n, dtype=x.dtype, device=x.device) * 2",
        ),
    ],
)
def test_its_type_is_told(made: str, written: str) -> None:
    after = twice_migrated(_HEAD, f"def f(n, y, x: torch.Tensor):\n    return {made}\n")
    assert after.endswith(f"    return {written}\n")


@pytest.mark.parametrize(
    "made",
    [
        "torch.zeros(n, out=torch.empty(0, dtype=torch.long))",
        "torch.zeros(n, out=torch.empty(0))",
        "torch.zeros(n, out=y)",
        "torch.zeros(n, out=torch.empty(3, dtype=torch.long))",
        "torch.rand(n, out=torch.empty(0, dtype=torch.double))",
        "torch.eye(n, out=x.new_empty(0))",
        "torch.zeros(n, out=torch.empty(0, dtype=torch.long, device=y))",
        "torch.zeros(n, out=torch.empty(0, dtype=torch.long), dtype=torch.long)",
    ],
)
def test_what_its_author_wrote_so_stays(made: str) -> None:
    text = f"def f(n, y, x: torch.Tensor):\n    torch.LongTensor([1])\n    return {made}\n"
    after = twice_migrated(_HEAD, text)
    assert after.endswith(f"    torch.tensor([1])\n    return {made}\n")


@pytest.mark.parametrize("made", ["torch.cumsum(y, 0", "torch.sum(y, 0", "torch.mul(y, y"])
def test_numbers_that_a_type_would_change_stay(made: str) -> None:
    after = twice_migrated(_HEAD, f"def f(y):\n    return {made}, out=torch.LongTensor())\n")
    assert f"{made}, out=torch.empty(0, dtype=torch.long)" in after


@pytest.mark.parametrize("new", ["make(x).new()", "x.new(y)"])
def test_what_is_called_for_or_not_empty_stays(new: str) -> None:
    text = f"def f(n, x: torch.Tensor, y):\n    return torch.eye(n, out={new})\n"
    assert "dtype" not in twice_migrated(_HEAD, text)


@pytest.mark.parametrize(
    "made",
    [
        "torch.linspace(-3, 3, 20",
        "torch.linspace(torch.tensor(0.1), torch.tensor(0.7), 20",
        "torch.logspace(0, 1, 7",
        "torch.rand(40, 3",
        "torch.randn(40, 3",
        "torch.randn(5",
        "torch.randint(0, 9, (30,)",
        "torch.randperm(30",
        "torch.full((3,), 2",
    ],
)
@pytest.mark.parametrize("dtype", [torch.double, torch.float, torch.half])
def test_the_numbers_are_the_same(made: str, dtype: torch.dtype) -> None:
    found = []
    for how in ("out=torch.empty(0, dtype=dtype)", "dtype=dtype"):
        torch.manual_seed(0)
        found.append(eval(f"{made}, {how})", {"torch": torch, "dtype": dtype}))
        found.append(torch.get_rng_state())
    assert found[0].dtype == found[2].dtype == dtype
    assert torch.equal(found[0], found[2])
    assert torch.equal(found[1], found[3])


def test_the_shape_that_its_author_asked_of_an_array_stays() -> None:
    after = twice_migrated(
        "import numpy as np\n" + _HEAD,
        "def f(x, y, known):\n    return np.float(x), np.isin(y, known).reshape(y.shape)\n",
    )
    assert after.endswith("return float(x), np.isin(y, known).reshape(y.shape)\n")
