"""TP405 where a mask is stored in another one, and only one of them is bool today."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_CODE = """import torch
def run(x: torch.Tensor, unknown, n: int):
    low = x < 0.5
    done = {}
    {}
"""


@pytest.mark.parametrize(
    ("made", "before", "after"),
    [
        ("x == x", "done[low] = low.byte()[low]", "done[low] = low.byte()[low].bool()"),
        ("x == x", "done[low] = (1 - low.long()).byte()[low]", None),
        ("x == x", "done[0, low] = low.byte()[low]", "done[0, low] = low.byte()[low].bool()"),
        ("torch.zeros(3).byte()", "done[low] = low[low]", "done[low] = low[low].byte()"),
        ("torch.zeros(3).byte()", "done[low] = (x > 1)[low]", "done[low] = (x > 1)[low].byte()"),
        ("torch.ByteTensor(3)", "done[low] = low[low]", "done[low] = low[low].byte()"),
        (
            "torch.ByteTensor(3)",
            "done[low] = torch.ones(3) > 0",
            "done[low] = (torch.ones(3) > 0).byte()",
        ),
    ],
)
def test_what_a_mask_stores_gets_its_dtype(made: str, before: str, after: str | None) -> None:
    after = before + ".bool()" if after is None else after
    result = migrate(_CODE.format(made, before), "TP405")
    assert result.text == _CODE.format(made, after)
    assert migrate(result.text, "TP405").text == result.text


@pytest.mark.parametrize(
    ("made", "code"),
    [
        ("x == x", "done[low] = low[low]"),
        ("torch.zeros(3).byte()", "done[low] = low.byte()[low]"),
        ("x == x", "done[low] = unknown[low]"),
        ("unknown", "done[low] = low.byte()[low]"),
        # A number, a slice and what has no dimensions are converted.
        ("x == x", "done[n] = low.byte()[n]"),
        ("x == x", "done[:2] = low.byte()[:2]"),
        ("x == x", "done[unknown] = low.byte()[unknown]"),
        ("torch.zeros(3).byte()", "done[low] = low.any()"),
        # What holds more than 0 and 1 is another mask as bool.
        ("x == x", "done[low] = x.byte()[low]"),
        ("(x == x).numpy()", "done[low] = low.byte()[low]"),
        ("(x == x).float()", "done[low] = low.byte()[low]"),
        ("(x == x).to(torch.bool)", "done[low] = low.byte()[low]"),
    ],
)
def test_what_else_is_stored_stays(made: str, code: str) -> None:
    text = _CODE.format(made, code)
    assert migrate(text, "TP405").text == text
