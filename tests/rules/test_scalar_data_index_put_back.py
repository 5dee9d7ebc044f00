"""`kept = x[i]`, `x += …`, `x[i] = kept`: an element was a number, and changes with x today."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites

_HEAD = "import torch\nfrom torch.autograd import Variable\nold = Variable(x, volatile=True)\n"

_KNOWN = """
import torch
from torch.autograd import Variable
old = Variable(x, volatile=True)

def rank(mask, t):
    scores = torch.zeros(5)
    kept = scores[2]{numbers}
    {change}
    scores[{place}] = kept
    return scores
"""


def _known(change: str, place: str = "2") -> tuple[str, str]:
    before = _KNOWN.format(change=change, place=place, numbers="")
    return before, _KNOWN.format(change=change, place=place, numbers=".item()")


test_what_is_put_back_is_kept_as_the_number_that_it_was = rewrites(
    "TP103",
    {
        "augmented": _known("scores += mask * 1e30"),
        "by a method": _known("scores.add_(mask)"),
        "as a whole": _known("scores[:] = mask"),
        "in the very place": _known("scores[2] = -1"),
        "on a way": _known("if t:\n        scores *= 2"),
        "for another one": _known("scores[2] = scores[3]", "3"),
    },
)

test_what_does_not_change_meanwhile_or_is_not_put_back_stays = keeps(
    "TP103",
    {
        "nothing changes": _known("print(mask)")[0],
        "another place": _known("scores[3] = 1")[0],
        "another tensor": _known("mask += scores")[0],
        "a new tensor": _known("scores = scores + mask")[0],
        "a new name": _known("kept = 3; scores += 1")[0],
        "never put back": _known("scores += 1")[0].replace("scores[2] = kept", "mask[2] = kept"),
        "a copy": _known("scores += 1")[0].replace("scores[2]\n", "scores[2].clone()\n"),
        "a row, which was a view": _known("scores += 1")[0].replace("zeros(5)", "zeros(5, 5)"),
        "of today": _known("scores += 1")[0].replace("volatile", "requires_grad"),
        "an array": "import numpy as np\n" + _known("scores += 1")[0].replace("torch.z", "np.z"),
    },
)

_OPEN = (
    _HEAD
    + """
class Model(object):
    def test(self, batches):
        for s, t in batches:
            scores = self.net.score(s, t).data
            for {targets} in {walked}:
                kept = row[i]
                row += self.masks[0].cuda() * 1e30
                row[i] = kept
                print(row)
"""
)


@pytest.mark.parametrize(
    ("targets", "walked"),
    [
        ("i, row", "zip(t, scores)"),
        ("i, row", "zip(t, self.net.score(s, t).data)"),
        ("i, row", "enumerate(scores)"),
    ],
)
def test_what_may_be_an_element_is_told_of(targets: str, walked: str) -> None:
    (finding,) = advice("TP103", _OPEN.format(targets=targets, walked=walked))
    assert finding.message == (
        "where row[i] is one element, it was a number until torch 0.3, and is a view of row today, "
        "which line 11 changes before it is put back: write row[i].clone()"
    )


@pytest.mark.parametrize(
    ("targets", "walked", "index"),
    [
        # What is no place, copies.
        ("row", "scores", "i"),
        ("i, row", "zip(t, scores)", "[i]"),
        ("i, row", "zip(t, scores)", "i:"),
        ("i, row", "zip(t, scores)", "row > i"),
        # So does an array, and what is stored as data may be one.
        ("i, row", "zip(t, self.dataset.data)", "i"),
        ("i, row", "zip(t, scores.numpy())", "i"),
        ("i, row", "zip(t, self.rows)", "i"),
    ],
)
def test_what_may_be_no_such_element_is_not(targets: str, walked: str, index: str) -> None:
    text = _OPEN.format(targets=targets, walked=walked).replace("row[i]", f"row[{index}]")
    assert not advice("TP103", text)
    assert migrate(text, "TP103").text == text
