"""TP405 where a mask is used more than once: it is cast where it gets its name."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.support.rules import migrate
from torchfix_codemods.finding import Numerics
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_TWICE = """import torch
def score(x: torch.Tensor, masks, n):
    masks = torch.ByteTensor(masks).t()
    {}
    for i in range(n):
        mask = masks[i].unsqueeze(1)
        chosen = x.masked_select(mask)
        x.masked_scatter_(mask, -chosen)
        {}
    return x
"""


def test_it_is_cast_above_all_its_names() -> None:
    before = _TWICE.format("lengths = torch.sum(masks, dim=1)", "total = mask.long().sum(0)")
    migration = migrate(before, "TP405")
    assert migration.text == before.replace("(masks).t()", "(masks).t().bool()")
    assert [found.numerics for found in migration.findings] == [Numerics.RESTORED]
    found: dict[str, object] = {}
    exec(migration.text, found)
    scored = found["score"](torch.ones(2, 3), [[1, 0], [0, 1]], 2)  # type: ignore[operator]
    assert scored.tolist() == [[-1.0] * 3, [-1.0] * 3]


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("print(masks)", "pass"),
        ("masks[0] = n", "pass"),
        ("n = masks + 1", "pass"),
        ("other = masks.t(); other[0] = 1", "pass"),
        ("other = masks; other.fill_(1)", "pass"),
        ("masks = masks if n else None", "pass"),
    ],
)
def test_masks_that_are_more_than_that_are_cast_below(above: str, below: str) -> None:
    after = migrate(_TWICE.format(above, below), "TP405").text
    assert "(masks).t()\n" in after
    assert ".bool()" in after


@pytest.mark.parametrize("below", ["print(mask)", "total = mask + 1", "mask[0] = n"])
def test_a_mask_that_is_more_than_that_is_cast_where_it_is_used(below: str) -> None:
    after = migrate(_TWICE.format("pass", below), "TP405").text
    assert after == _TWICE.format("pass", below).replace("(mask", "(mask.bool()").replace(
        "(mask.bool()s", "(masks"
    ).replace("print(mask.bool())", "print(mask)")


def test_what_is_written_later_is_seen() -> None:
    before = (
        "import torch\ndef f(x: torch.Tensor, y):\n    rows = torch.ByteTensor(y)\n"
        "    mask = rows.t()\n    rows[0] = 1\n"
        "    return x.masked_fill(mask, 0), x.masked_fill(mask, 1)\n"
    )
    after = migrate(before, "TP405").text
    assert after == before.replace("(mask,", "(mask.bool(),")


def test_a_mask_that_is_used_once_is_cast_there() -> None:
    before = (
        "import torch\ndef f(x: torch.Tensor, y):\n    mask = torch.ByteTensor(y)\n"
        "    return x.masked_fill(mask, 0)\n"
    )
    assert migrate(before, "TP405").text == before.replace("(mask,", "(mask.bool(),")


_MOVED = """import torch
from torch.autograd import Variable
use_cuda = torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")
def f(x: torch.Tensor, rows):
    {}
    return x.masked_fill(mask, 0), x.masked_fill(mask, 1)
"""


@pytest.mark.parametrize(
    ("made", "after"),
    [
        (
            "mask = Variable(torch.ByteTensor(rows)).cuda()",
            "mask = torch.ByteTensor(rows).to(device).bool()",
        ),
        (
            "mask = Variable(torch.ByteTensor(rows))\n    if use_cuda:\n        mask = mask.cuda()",
            "mask = torch.ByteTensor(rows).bool().to(device)",
        ),
    ],
)
def test_it_may_be_moved(made: str, after: str) -> None:
    text = migrate(_MOVED.format(made)).text
    assert f"    {after}\n    return x.masked_fill(mask, 0), x.masked_fill(mask, 1)\n" in text


def test_two_masks_of_one_name_are_cast_below() -> None:
    made = "mask = torch.ByteTensor(rows)\n    if use_cuda:\n        mask = torch.ByteTensor(x)"
    assert "x.masked_fill(mask.bool(), 0)" in migrate(_MOVED.format(made), "TP405").text


@pytest.mark.parametrize(
    ("made", "after"),
    [
        ("torch.ByteTensor([1, 0, 1])", "torch.tensor([1, 0, 1], dtype=torch.bool)"),
        ("torch.zeros(3, dtype=torch.uint8)", "torch.zeros(3, dtype=torch.bool)"),
        ("torch.ByteTensor([y, 0, 1])", "torch.tensor([y, 0, 1], dtype=torch.uint8).bool()"),
    ],
)
def test_it_is_made_of_bool_where_it_is_made_of_numbers(made: str, after: str) -> None:
    before = (
        f"import torch\ndef f(x: torch.Tensor, y):\n    mask = {made}\n"
        "    return x.masked_fill(mask, 0), x.masked_fill(mask, 1)\n"
    )
    assert migrate(before).text == before.replace(made, after)


_CRF = """import torch
from torch import nn


class CRF(nn.Module):
    def forward(self, scores, masks):
        return self.gold(scores, masks) + self.paths(scores, masks)

    def gold(self, scores, masks):
        return torch.exp(scores).masked_select(masks.t()).sum()

    def paths(self, scores, masks):
        masks = masks.t()
        scores = torch.exp(scores)
        return scores.masked_select(masks).sum() + scores.masked_fill(masks, 0).sum()
"""
_MAIN = """import torch
from crf import CRF
from train import train


def main(rows, scores):
    train(CRF(), rows, scores)


if __name__ == "__main__":
    main([[1, 0]], torch.rand(2, 1))
"""
_TRAIN = """import torch


def batch(rows):
    return rows, torch.ByteTensor(rows)


def train(crf, rows, scores):
    rows, masks = batch(rows)
    loss = crf.forward(scores, masks)
    loss.backward()
"""


@pytest.mark.parametrize(
    ("train", "is_cast"),
    [
        (_TRAIN, True),
        (_TRAIN.replace("crf.forward(", "crf("), True),
        (_TRAIN.replace("torch.ByteTensor(rows)", "torch.BoolTensor(rows)"), False),
        (_TRAIN + "    crf.forward(scores, masks > 0)\n", False),
    ],
)
def test_a_module_that_another_file_calls_with_bytes(
    tmp_path: Path, train: str, is_cast: bool
) -> None:
    for name, text in {"setup.py": "", "crf.py": _CRF, "main.py": _MAIN, "train.py": train}.items():
        (tmp_path / name).write_text(text)
    result = migrate_file(tmp_path / "crf.py", Settings(select=("TP405",)), write=False)
    after = _CRF.replace("masks.t()", "masks.t().bool()")
    assert (result.after or _CRF) == (after if is_cast else _CRF)


_OF_DATA = """import torch
from torch.autograd import Variable
def loss(pair, target):
    scores, margins = pair
    scores = torch.exp(scores)
    index = scores.data * 0.0
    index.scatter_(1, target, 1)
    index = index.byte()
    output = scores * 1.0
    output[index] -= scores[index] / 2
    output[index] += margins[index] * 2
    return output
"""


@pytest.mark.parametrize(
    ("written", "instead", "after"),
    [
        ("", "", {"index.byte()": "index.byte().bool()"}),
        # What has a tensor as its data may be a data set, and none itself.
        ("    scores = torch.exp(scores)\n", "", {}),
        # Its memory is another name's as well.
        (
            "scores.data * 0.0",
            "scores.data * 0.0\n    index = kept = index.t()",
            {"[index]": "[index.bool()]"},
        ),
    ],
)
def test_a_mask_of_zeros_that_data_made(
    tmp_path: Path, written: str, instead: str, after: dict[str, str]
) -> None:
    text = _OF_DATA.replace(written, instead) if written else _OF_DATA
    for name, content in {"setup.py": "", "loss.py": text}.items():
        (tmp_path / name).write_text(content)
    result = migrate_file(tmp_path / "loss.py", Settings(select=("TP405",)), write=False)
    expected = text
    for old, new in after.items():
        expected = expected.replace(old, new)
    assert (result.after or text) == expected


_IN_LOOP = """import torch
class Agent:
    def learn(self, net, batch, n):
        {made}
        for i in range(n):
            {above}
            targets = torch.zeros(4)
            targets[{mask}] = net(targets)
        return targets
"""
_LISTED = "list(map(lambda s: s is not None, batch))"
_CHOSEN = "make = torch.cuda.ByteTensor if self.on_gpu else torch.ByteTensor\n        "


@pytest.mark.parametrize(
    ("made", "after"),
    [
        (
            f"{_CHOSEN}known = make({_LISTED})",
            f"{_CHOSEN}known = make({_LISTED}).bool()",
        ),
        (
            "known = torch.tensor([s is not None for s in batch], dtype=torch.uint8)",
            "known = torch.tensor([s is not None for s in batch], dtype=torch.bool)",
        ),
        (
            "known = torch.tensor([s + 1 for s in batch], dtype=torch.uint8)",
            "known = torch.tensor([s + 1 for s in batch], dtype=torch.uint8).bool()",
        ),
    ],
)
def test_a_mask_that_a_loop_uses_is_cast_above_it(made: str, after: str) -> None:
    before = _IN_LOOP.format(made=made, above="pass", mask="known")
    assert migrate(before, "TP405").text == before.replace(made, after)


@pytest.mark.parametrize(
    ("made", "above"),
    [
        ("pass", f"known = torch.ByteTensor({_LISTED})"),
        (f"known = torch.ByteTensor({_LISTED})", "print(known)"),
        (f"known = torch.ByteTensor({_LISTED})", "known[i] = 0"),
    ],
)
def test_a_mask_of_one_turn_or_that_is_more_is_cast_where_it_is_used(made: str, above: str) -> None:
    before = _IN_LOOP.format(made=made, above=above, mask="known")
    after = _IN_LOOP.format(made=made, above=above, mask="known.bool()")
    assert migrate(before, "TP405").text == after
