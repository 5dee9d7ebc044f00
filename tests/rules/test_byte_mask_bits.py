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
