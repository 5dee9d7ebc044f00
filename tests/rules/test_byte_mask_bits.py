"""``~`` of uint8: ``1 - mask`` until torch 1.2, other bits today."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites

_OLD = """
            import torch
            from torch.autograd import Variable
            def f(x: torch.Tensor, lengths):
                x = Variable(x, volatile=False)
"""
_MASK = """
                mask = torch.zeros(3, 4).byte()
                mask[0, 1] = 1
"""

test_rewrites = rewrites(
    "TP405",
    {
        "returned, calculated with, in another layout": (
            _OLD + _MASK + "                print(~mask & mask, (~mask).view(-1) * 2, ~mask[0])\n"
            "                return ~mask, -(~(mask | mask)), ~~mask\n",
            _OLD
            + _MASK
            + "                print(1 - mask & mask, (1 - mask).view(-1) * 2, 1 - mask[0])\n"
            "                return 1 - mask, -(1 - (mask | mask)), 1 - (1 - mask)\n",
        ),
        "used as a mask under another name": (
            _OLD + _MASK + "                other = ~mask\n"
            "                x.masked_fill_(other, 0)\n                return x[~mask]\n",
            _OLD + _MASK + "                other = 1 - mask\n"
            "                x.masked_fill_(other.bool(), 0)\n"
            "                return x[(1 - mask).bool()]\n",
        ),
        "what a function returns": (
            _OLD + "                x.masked_fill_(padding(lengths), 0)\n"
            "            def padding(lengths):" + _MASK + "                return ~mask\n",
            _OLD + "                x.masked_fill_(padding(lengths).bool(), 0)\n"
            "            def padding(lengths):" + _MASK + "                return 1 - mask\n",
        ),
    },
)

test_keeps = keeps(
    "TP405",
    {
        "a comparison, which is bool": _OLD
        + "                mask = x > 0\n                return ~mask, ~(x == 0)\n",
        "whole numbers of another type": _OLD + "                return ~torch.zeros(3).long()\n",
        "what is not known": _OLD + "                return ~lengths, ~lengths[0]\n",
    },
)

_OF_ANY_AGE = "import torch\ndef padding(n):\n    mask = {}\n    return {}\n"


@pytest.mark.parametrize(
    "made", ["torch.zeros(3).byte()", "torch.zeros(n, dtype=torch.uint8)", "(n == 0).byte()"]
)
def test_bits_of_masks_are_told_in_files_of_unknown_age(made: str) -> None:
    text = _OF_ANY_AGE.format(made, "~mask")
    (finding,) = advice("TP405", text)
    assert "inverts the bits" in finding.message
    assert not advice("TP405", "from torch.nn import Flatten\n" + text)


@pytest.mark.parametrize(
    ("made", "returned"),
    [("torch.ByteTensor(n)", "~mask"), ("n.byte()", "~mask"), ("torch.zeros(3).byte()", "mask")],
)
def test_bits_of_other_bytes_are_not_told(made: str, returned: str) -> None:
    assert not advice("TP405", _OF_ANY_AGE.format(made, returned))


def test_what_a_function_may_have_inverted_gets_no_bool() -> None:
    text = _OF_ANY_AGE.format("torch.zeros(3).byte()", "~mask")
    text += "def f(x: torch.Tensor, n):\n    x.masked_fill_(padding(n), 0)\n"
    assert migrate(text, "TP405").text == text


_ON_A_WAY = """import torch
from torch.autograd import Variable
def batch(n):
    return torch.ByteTensor(n, 3).fill_(1)
def train(scores, other, n):
    attend(scores, batch(3))
    attend(scores, other)
def attend(scores, mask):
    scores = Variable(torch.exp(scores), volatile=False)
    {}
"""


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("scores.masked_fill_(~mask, 0)", "mask"),
        ("left = mask.clone()\n    return ~left", "left"),
        (
            "left = mask.clone()\n    left.data = ~left.data\n    scores.masked_fill_(left, 0)",
            "left.data",
        ),
        ("scores.masked_fill_((~mask).view(-1, 1), 0)", "mask"),
    ],
)
def test_bits_of_what_comes_as_bytes_are_told_where_they_are_inverted(code: str, said: str) -> None:
    """And nowhere else: ``.bool()`` of the inverted bits would be true everywhere."""
    (finding,) = advice("TP405", _ON_A_WAY.format(code))
    assert "inverts the bits of uint8" in finding.message
    assert finding.message.endswith(f"and {said} comes as uint8 from line 4: write ~{said}.bool()")


@pytest.mark.parametrize(
    "code",
    [
        "return ~(mask > 0)",
        "mask = mask.bool()\n    scores.masked_fill_(~mask, 0)",
        "return -mask",
        "return scores.masked_fill(~(scores > 0), 0)",
    ],
)
def test_bits_of_bool_are_not_told(code: str) -> None:
    assert not advice("TP405", _ON_A_WAY.format(code))


def test_a_mask_whose_data_was_replaced_is_not_what_it_was() -> None:
    code = "left = mask.clone()\n    left.data = {}\n    scores.masked_fill_(left, 0)"
    assert not advice("TP405", _ON_A_WAY.format(code.format("scores > 0")))
    later = "left = mask.clone()\n    scores.masked_fill_(left, 0)\n    left.data = scores > 0"
    assert len(advice("TP405", _ON_A_WAY.format(later))) == 1


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("-(x > 0)", "write -(x > 0).int() to calculate with it"),
        ("(x > 0) - 1", "write (x > 0).int() to calculate with it"),
        ("(x > 0) - 0.5", "write (x > 0).float() to calculate with it"),
        ("-(x.max() > 0)", "write -(x.max() > 0).int() to calculate with it"),
    ],
)
def test_bytes_have_no_minus_one(code: str, said: str) -> None:
    (finding,) = advice("TP405", f"import torch\ndef f(x: torch.Tensor):\n    y = {code}\n")
    assert said in finding.message
    assert finding.message.endswith("give 255 for -1")


def test_a_truth_of_an_old_file_had_a_negative() -> None:
    (finding,) = advice("TP405", _OLD + "                return -(x.abs().max() > 1)\n")
    assert finding.message.endswith("write -int(x.abs().max() > 1)")
    (finding,) = advice("TP405", _OLD + "                return -(x.abs().max(1)[0] > 1)\n")
    assert "write -(x.abs().max(1)[0] > 1).int()" in finding.message
