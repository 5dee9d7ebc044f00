"""``.data`` of what a mask is made of, where only the places of a maximum were asked for it."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_HEAD = "import torch\n\n\n"
_COUNTED = (
    "def count(scores, target, pad):\n"
    "    {found}\n"
    "    right = pred.data.eq(target.data).masked_select(target.ne(pad).data).sum()\n"
    "    return right, target.ne(pad).data.sum()\n"
)
_PLAIN = (
    "def count(scores, target, pad):\n"
    "    {found}\n"
    "    right = pred.eq(target).masked_select(target.ne(pad)).sum()\n"
    "    return right, target.ne(pad).sum()\n"
)


@pytest.mark.parametrize(
    "found",
    [
        "pred = scores.max(1)[1]",
        "_, pred = scores.max(1)",
        "_, pred = scores.max(dim=1)",
        "_, pred = scores.sort(1)",
        "pred = torch.stack([score.max(1)[1] for score in scores])",
    ],
)
def test_masks_are_made_without_data(found: str) -> None:
    after = migrate(_HEAD + _COUNTED.format(found=found), "TP104").text
    assert after == _HEAD + _PLAIN.format(found=found)
    assert migrate(after, "TP104").text == after


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "def count(scores, y):\n    pred = scores.max(1)[0]\n    return pred.data.eq(y.data)\n",
            id="the values",
        ),
        pytest.param(
            "def count(scores, y):\n    pred = scores.max(y)[1]\n    return pred.data.eq(y.data)\n",
            id="a row of the larger ones",
        ),
        pytest.param(
            "def count(scores, y):\n    pred = scores.max()\n    return pred.data.eq(y.data)\n",
            id="one number",
        ),
        pytest.param(
            "def count(scores, y, old):\n    pred = scores.max(1)[1] if y else old\n"
            "    return pred.data.eq(y.data)\n",
            id="or something else",
        ),
        pytest.param(
            "class Board:\n    def max(self, k):\n        return self.rows\n\n\n"
            "def count(scores, y):\n    pred = scores.max(1)[1]\n    return pred.data.eq(y.data)\n",
            id="a method of the file",
        ),
        pytest.param(
            "class Field:\n    def ne(self, k):\n        return self\n\n\n"
            "def count(y, pad):\n    return y.ne(pad).data, y.data\n",
            id="a comparison of the file",
        ),
        pytest.param(
            "def count(y, pad):\n    return y.ne(pad).sum(), y.data.mean()\n",
            id="a comparison without data",
        ),
        pytest.param(
            "def count(y, pads):\n    return y.ne(*pads).data, y.data.mean()\n",
            id="whatever a comparison is given",
        ),
    ],
)
def test_data_of_what_is_not_known_stays(text: str) -> None:
    assert migrate(_HEAD + text, "TP104").text == _HEAD + text
