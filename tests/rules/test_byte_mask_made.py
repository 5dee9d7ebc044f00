"""TP405 where a mask of uint8 is made of zeros, and all that uses it wants one of bool."""

from __future__ import annotations

import pytest
import torch

from tests.support.rules import migrate

_MADE = "torch.zeros(x.size(), dtype=torch.uint8)"


def _code(*lines: str, made: str = _MADE) -> str:
    body = "".join(f"    {line}\n" for line in [f"mask = {made}", "mask[:, 1] = 1", *lines])
    return f"import torch\ndef f(x: torch.Tensor, n):\n{body}"


def test_a_mask_is_made_of_bool_where_all_uses_take_it() -> None:
    before = _code("return x[mask], x.masked_fill(mask, 0.)")
    after = migrate(before, "TP405").text
    assert after == before.replace("uint8", "bool")
    found: dict[str, object] = {}
    exec(after, found)
    kept, filled = found["f"](torch.arange(6.0).view(2, 3), 2)  # type: ignore[operator]
    assert kept.tolist() == [1.0, 4.0]
    assert filled.tolist() == [[0.0, 0.0, 2.0], [3.0, 0.0, 5.0]]


def test_so_is_one_of_a_type_of_the_gpu() -> None:
    text = _code("return x[mask], x[mask]", made="torch.cuda.ByteTensor(x.size()).zero_()")
    after = migrate(text).text
    assert "mask = torch.zeros(x.size(), dtype=torch.bool, device=device)\n" in after
    assert "return x[mask], x[mask]\n" in after


def test_so_is_one_that_is_zeroed_below() -> None:
    text = _code("return x[mask]", made="torch.cuda.ByteTensor(x.size())")
    text = text.replace("    mask[:", "    mask.zero_()\n    mask[:")
    after = migrate(text).text
    assert "    mask = torch.zeros(x.size(), dtype=torch.bool, device=device)\n" in after
    assert "    return x[mask]\n" in after
    later = text.replace("    mask.zero_()\n", "").replace("return", "mask.zero_()\n    return")
    assert "torch.bool" not in migrate(later).text


def test_so_is_one_that_is_cast_from_zeros() -> None:
    before = _code("return x.masked_fill(1 - mask, 0.)", made="torch.zeros(x.size()).byte()")
    after = before.replace("byte", "bool").replace("1 - mask", "~mask")
    assert migrate(before, "TP405").text == after
    other = before.replace("return", "print(mask)\n    return")
    assert "torch.zeros(x.size()).byte()" in migrate(other, "TP405").text


@pytest.mark.parametrize(
    "lines",
    [
        ["print(mask)", "return x[mask]"],
        ["return x[mask], mask"],
        ["return x[mask], x[mask + 1]"],
        ["mask[0] = n", "return x[mask]"],
        ["mask[0] = 0.5", "return x[mask]"],
        ["mask[0] = 256", "return x[mask]"],
        ["mask[0] += 1", "return x[mask]"],
        ["if n:", "    mask = n", "return x.masked_fill(mask, 0.)"],
        ["return x.masked_fill(mask, 0.), lambda: mask"],
    ],
)
def test_a_mask_that_is_used_otherwise_stays_of_uint8(lines: list[str]) -> None:
    after = migrate(_code(*lines), "TP405").text
    assert f"mask = {_MADE}\n" in after


def test_what_its_author_casts_stays() -> None:
    before = _code("return x[mask.bool()]")
    assert migrate(before, "TP405").text == before


_CAST = """import torch
def f(x: torch.Tensor, y):
    labels = {}
    {}
"""


@pytest.mark.parametrize(
    "line",
    [
        "return x[labels.byte()], x.masked_select(labels.byte().t())",
        "mask = labels.byte(); x[mask] = 0; return x.masked_fill(mask, 1)",
    ],
)
def test_whole_numbers_become_bool_at_once(line: str) -> None:
    before = _CAST.format("torch.LongTensor(y)", line)
    after = migrate(before, "TP405").text
    assert after == before.replace("byte", "bool")


@pytest.mark.parametrize(
    ("made", "line"),
    [
        # What is cut off may be all there is.
        ("torch.rand(3)", "return x.masked_select(labels.byte())"),
        ("y", "return x.masked_select(labels.byte())"),
        # The bytes themselves are of interest.
        ("torch.LongTensor(y)", "mask = labels.byte(); print(mask); return x[mask]"),
    ],
)
def test_what_may_be_other_bytes_is_cast_behind_them(made: str, line: str) -> None:
    after = migrate(_CAST.format(made, line), "TP405").text
    assert "labels.byte()" in after
