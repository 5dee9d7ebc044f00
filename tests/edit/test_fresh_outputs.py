"""What is made into a new tensor is made of its type."""

from __future__ import annotations

import pytest

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
    ],
)
def test_its_type_is_told(made: str, written: str) -> None:
    after = twice_migrated(_HEAD, f"def f(n, y):\n    return {made}\n")
    assert after.endswith(f"    return {written}\n")


@pytest.mark.parametrize(
    "made",
    [
        "torch.zeros(n, out=torch.empty(0, dtype=torch.long))",
        "torch.zeros(n, out=torch.empty(0))",
        "torch.zeros(n, out=y)",
        "torch.zeros(n, out=torch.empty(3, dtype=torch.long))",
        "torch.rand(n, out=torch.empty(0, dtype=torch.double))",
        "torch.zeros(n, out=torch.empty(0, dtype=torch.long, device=y))",
        "torch.zeros(n, out=torch.empty(0, dtype=torch.long), dtype=torch.long)",
    ],
)
def test_what_its_author_wrote_so_stays(made: str) -> None:
    text = f"def f(n, y):\n    torch.LongTensor([1])\n    return {made}\n"
    after = twice_migrated(_HEAD, text)
    assert after.endswith(f"    torch.tensor([1])\n    return {made}\n")


def test_numbers_that_a_type_would_change_stay() -> None:
    made = "torch.cumsum(y, 0, out=torch.LongTensor())"
    after = twice_migrated(_HEAD, f"def f(y):\n    return {made}\n")
    assert "out=torch.empty(0, dtype=torch.long)" in after
