"""TP405 where a mask is a part of a parameter, which the project's calls may show to be bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.finding import Numerics
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_PART = """import torch
def collate(n):
    return torch.ByteTensor(n, 3).fill_(1)
def train(scores, other, n):
    attend(scores, collate(3), n, 3)
    attend(scores, other, n, 3)
def attend(scores, mask, n, size):
    scores = torch.exp(scores)
    {}
"""


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("scores.masked_fill_(mask[n], 0)", "mask[n].bool()"),
        ("scores.masked_select(mask[n, :].view(size, 1))", "mask[n, :].view(size, 1).bool()"),
        ("scores.masked_select(mask.movedim(0, 1))", "mask.movedim(0, 1).bool()"),
        (
            "part = mask.t()[n].expand(size, 3)\n    part = part.reshape_as(scores)\n"
            "    scores.masked_scatter_(part, scores)",
            "part.bool()",
        ),
    ],
)
def test_a_part_of_a_mask_from_elsewhere_may_be_of_bytes(code: str, said: str) -> None:
    (finding,) = advice("TP405", _PART.format(code))
    assert finding.message.endswith(f"comes as uint8 from line 3: write {said}")


_ATTEND = """import torch
def attend(scores, mask, n):
    scores = torch.exp(scores)
    {}
"""


@pytest.mark.parametrize(
    ("made", "after", "code"),
    [
        ("1 - mask", "~mask.bool()", "scores.masked_fill_(mask[n], 0)"),
        ("1 - mask", "~mask.bool()", "return scores.masked_select(mask) if mask.any() else n"),
        ("1 - mask.unsqueeze(1)", "~mask.unsqueeze(1).bool()", "scores.data.masked_fill_(mask, 0)"),
        ("(1 - mask).t()", "(~mask.bool()).t()", "scores[mask] = 0; scores.masked_fill_(mask, 1)"),
    ],
)
def test_what_is_inverted_above_is_a_mask_there(made: str, after: str, code: str) -> None:
    before = _ATTEND.format(f"mask = {made}\n    {code}")
    result = migrate(before, "TP405")
    assert result.text == _ATTEND.format(f"mask = {after}\n    {code}")
    assert migrate(result.text, "TP405").text == result.text
    (finding,) = result.findings
    assert finding.numerics is Numerics.RESTORED


@pytest.mark.parametrize(
    "code",
    [
        "mask = 1 - mask\n    return scores[mask]",
        "mask = 1 - mask\n    return scores.masked_fill(mask, 0) * mask",
        "mask = 1 - mask\n    return scores.masked_fill(mask, 0), mask",
        "mask = 1 - mask\n    f(mask)\n    scores.masked_fill_(mask, 0)",
        "self.mask = 1 - mask\n    scores.masked_fill_(self.mask, 0)",
        "mask = 1 - scores\n    scores.masked_fill_(mask > 0, 0)",
        "mask = 2 - mask\n    scores.masked_fill_(mask, 0)",
        "mask = 1 - torch.rand(3)\n    scores.masked_fill_(mask, 0)",
        "import numpy as np\n    mask = 1 - mask\n    np.ma.masked_fill(mask, 0)",
    ],
)
def test_what_is_more_than_a_mask_is_not_inverted(code: str) -> None:
    text = _ATTEND.format(code)
    assert migrate(text, "TP405").text == text


def test_bytes_that_are_inverted_above_are_cast_once() -> None:
    before = _ATTEND.format("mask = 1 - torch.ByteTensor(3)\n    scores.masked_fill_(mask, 0)")
    assert migrate(before, "TP405").text == before.replace("(mask, 0)", "(mask.bool(), 0)")


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        ("mask.transpose(0, 1)", "mask.transpose(0, 1)"),
        ("mask.transpose(0, 1).unsqueeze(1).unsqueeze(2).contiguous()", "mask"),
        ("masks_of_sentences.transpose(0, 1).unsqueeze(1)", "masks_of_sentences"),
        ("mask[first_sentence:last_sentence, first_word:last_word].t()", "mask"),
    ],
)
def test_a_mask_is_told_of_by_its_own_name(layout: str, said: str) -> None:
    text = _PART.format(f"scores.masked_fill_({layout}, 0)")
    if "masks_of" in layout:
        text = text.replace("mask, n, size", "masks_of_sentences, n, size")
    (finding,) = advice("TP405", text)
    assert f"and {said} comes as uint8 from line 3: write {said}.bool()" in finding.message


@pytest.mark.parametrize(
    ("kept", "is_told"),
    [
        ("mask", True),
        ("mask[0].t()", True),
        ("1 - mask", True),
        ("mask\n        self.mask = self.mask.t()", True),
        ("choose(mask)", False),
        ("mask > 0", False),
        ("self.mask.t()", False),
        ("self.other\n        self.other = self.mask", False),
    ],
)
def test_a_mask_that_an_object_keeps_may_be_of_bytes(kept: str, is_told: bool) -> None:
    text = f"""import torch
class Attention:
    mask = None
    def give(self, mask):
        self.mask = {kept}
    def attend(self, scores):
        scores = torch.exp(scores)
        part = self.mask.unsqueeze(1)
        return scores.masked_fill_(part, 0)
def attend(attention, given, x):
    attention.give(given)
    attention.give(torch.ones(3, dtype=torch.uint8))
"""
    said = [finding.message for finding in advice("TP405", text)]
    assert ["write part.bool()" in message for message in said] == [True] * is_told


@pytest.mark.parametrize(
    ("parts", "is_uint8"),
    [
        ("x.new(3, 1).fill_(1).byte(), x.gt(0)[:, :-1]", True),
        ("x > 0, torch.zeros(3, 1, dtype=torch.uint8)", True),
        ("x > 0, torch.zeros(3, 1).bool()", False),
        ("x > 0, unknown.byte_mask", False),
        ("x > 0, torch.zeros(3, 1)", False),
    ],
)
def test_masks_of_both_kinds_that_are_joined_are_bytes(parts: str, is_uint8: bool) -> None:
    text = f"""import torch
def choose(x: torch.Tensor, unknown):
    mask = torch.cat(({parts}), 1).view(-1)
    return torch.masked_select(x, mask)
"""
    assert ("(x, mask.bool())" in migrate(text, "TP405").text) is is_uint8


@pytest.mark.parametrize(
    "code",
    [
        "scores.masked_fill_(mask[n] > 0, 0)",
        "scores.masked_fill_(mask[n].bool(), 0)",
        "part = mask.ne(0)[n].view(size, 1)\n    scores.masked_fill_(part, 0)",
        "part = choose(mask)[n]\n    scores.masked_fill_(part, 0)",
        "scores.masked_fill_(mask.cumsum(0)[n], 0)",
        "scores[mask[n]] = 0",
        "scores.take(mask[n])",
    ],
)
def test_other_parts_are_fine(code: str) -> None:
    assert not advice("TP405", _PART.format(code))


_CRF = """import torch


class CRF:
    def score(self, feats, mask, size):
        feats = torch.exp(feats)
        mask = mask.transpose(1, 0).contiguous()
        part = mask[0, :].view(size, 1).expand(size, 4)
        chosen = feats.masked_select(part)
        feats[mask] = 0
        return chosen
"""
_MAIN = """import torch
from crf import CRF


def main(feats):
    crf = CRF()
    mask = torch.zeros(2, 3).byte()
    mask[0, :2] = 1
    crf.score(feats, mask, 2)


if __name__ == "__main__":
    main(torch.rand(2, 4))
"""
_HANDED_ON = """
    def loss(self, feats, mask, size):
        return self.score(feats, mask, size).sum()
"""


_STATIC = _CRF.replace("    def score(self, ", "    @staticmethod\n    def score(")

_TRUTHS = _MAIN.replace(".byte()", " > 0") + "image = torch.zeros(2).byte()\n"
_LATER = _TRUTHS.replace(
    "crf.score(feats, mask, 2)", "crf.score(feats, 2, mask)\n    crf.score(feats, 3)"
)

#: A loop that trains one of two models, which hand on the mask.
_EITHER = """import torch
import torch.nn as nn
from crf import CRF


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.crf = CRF()

    def loss(self, feats, mask, size):
        return self.crf.score(feats, mask, size)


class Classifier(nn.Module):
    def loss(self, feats, mask, size):
        return feats.sum()


def main(feats, flag):
    if flag:
        model = Tagger()
    else:
        model = Classifier()
    model.train()
    mask = torch.zeros(2, 3).byte()
    model.loss(feats, mask, 2)


if __name__ == "__main__":
    main(torch.rand(2, 4), True)
"""


def _migrated(root: Path, crf: str, main: str) -> tuple[str, list[str]]:
    """What becomes of ``crf.py``, and what is said of it."""
    (root / "setup.py").write_text("")
    (root / "main.py").write_text(main)
    (root / "crf.py").write_text(crf)
    result = migrate_file(root / "crf.py", Settings(select=("TP405",)), write=False)
    assert not result.errors
    return result.after or crf, [finding.message for finding in result.findings]


@pytest.mark.parametrize(
    ("crf", "main"),
    [
        (_CRF, _MAIN),
        (_CRF + _HANDED_ON, _MAIN.replace("crf.score", "crf.loss")),
        (_CRF, _EITHER),
        (_CRF, _MAIN.replace("crf.score(", "CRF.score(crf, ")),
        (_STATIC, _MAIN),
        (_STATIC, _MAIN.replace("crf.score", "CRF.score")),
        (_CRF, _MAIN.replace("feats, mask, 2", "feats, mask if mask.any() else None, 2")),
        (_CRF, _EITHER + "other.score(feats, 2)\nother.score(feats, 1, 2, 3)\nother.score(a=1)\n"),
    ],
)
def test_a_mask_that_all_calls_show_to_be_bytes(tmp_path: Path, crf: str, main: str) -> None:
    after, _ = _migrated(tmp_path, crf, main)
    assert after == crf.replace(".contiguous()", ".contiguous().bool()")
    assert _migrated(tmp_path, after, main)[0] == after


@pytest.mark.parametrize(
    ("crf", "main", "is_told"),
    [
        (_CRF, _MAIN.replace(".byte()", " > 0"), False),
        (_CRF, _MAIN.replace(".byte()", ".byte().bool()"), False),
        (
            _CRF,
            _MAIN.replace("feats, mask, 2", "feats, mask > 0 if mask.any() else None, 2"),
            False,
        ),
        (_CRF, _MAIN.replace("feats, mask, 2", "feats, masks if mask.any() else None, 2"), False),
        (_CRF.replace("mask, size", "size, mask=None"), _LATER, False),
        (_CRF.replace("mask, size", "size, mask=torch.ByteTensor()"), _LATER, True),
        (
            _CRF.replace("mask, size", "size, mask=None"),
            _LATER.replace("feats, 3", "*feats"),
            False,
        ),
        (_CRF, _TRUTHS, False),
        (_STATIC, _TRUTHS, False),
        (_STATIC, _TRUTHS.replace("crf.score", "CRF.score"), False),
        (_STATIC, _MAIN + "CRF.score(feats, masks[0], 2)\n", True),
        (_CRF, _MAIN + "crf.score(feats, masks[0], 2)\n", True),
        (_CRF, _MAIN + "crf.score(feats, mask > 0, 2)\n", True),
        (_CRF, _MAIN.replace("feats, mask, 2", "*feats"), False),
        (_CRF + _HANDED_ON, _MAIN, True),
        (
            _CRF,
            _EITHER + "    def own(model: nn.Module, x):\n        model.score(x, x > 0, 2)\n",
            True,
        ),
        (_CRF, _EITHER.replace(".byte()", ""), False),
        (
            _CRF,
            _EITHER.replace(
                "    model.loss", "    model.loss(feats, feats > 0, 3)\n    model.loss"
            ),
            True,
        ),
        (_CRF.replace("def score", "def forward"), _MAIN.replace("score", "forward"), True),
        (_CRF.replace("    def", "    @wrapped\n    def"), _MAIN, True),
    ],
)
def test_a_mask_that_not_all_calls_show_to_be_bytes(
    tmp_path: Path, crf: str, main: str, is_told: bool
) -> None:
    after, said = _migrated(tmp_path, crf, main)
    assert after == crf
    assert ["part comes as uint8 from line" in message for message in said] == [True] * is_told


_LOSS = """import torch
def loss(scores, data):
    masks = data.masks
    return scores.masked_select(masks)
"""
_BATCH = """import torch
class Batch:
    def __init__(self, n):
{}        self.masks = torch.ByteTensor(n)
"""


@pytest.mark.parametrize(
    ("files", "named"),
    [
        # Programs side by side, the first of which imports nothing of the other.
        (
            {
                "a/batch.py": _BATCH.format(""),
                "a/main.py": "from batch import Batch\n",
                "b/process/batch.py": _BATCH.format("        # of b\n"),
                "b/main.py": "from model.loss import loss\nfrom process.batch import Batch\n",
            },
            "line 5 of b/process/batch.py",
        ),
        ({"a/batch.py": _BATCH.format(""), "a/main.py": "from batch import Batch\n"}, None),
        # Imports lead from one to the other, from a third to both, or may do so.
        (
            {"a/batch.py": _BATCH.format(""), "a/main.py": "from b.model.loss import loss\n"},
            "line 4 of batch.py",
        ),
        (
            {
                "a/batch.py": _BATCH.format(""),
                "a/main.py": "from b.model.loss import loss\nfrom a.batch import Batch\n",
            },
            "line 4 of batch.py",
        ),
        (
            {
                "a/batch.py": _BATCH.format(""),
                "main.py": "from b.model.loss import loss\nfrom a.batch import Batch\n",
            },
            "line 4 of batch.py",
        ),
        (
            {"a/batch.py": _BATCH.format(""), "main.py": "import_module('b.model.' + name)\n"},
            "line 4 of batch.py",
        ),
        ({"b/batch.py": _BATCH.format("")}, "line 4 of batch.py"),
    ],
)
def test_an_attribute_of_a_program_that_stands_beside_is_another_one(
    tmp_path: Path, files: dict[str, str], named: str | None
) -> None:
    (tmp_path / ".git").mkdir()
    for name, text in {**files, "b/model/loss.py": _LOSS}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    path = tmp_path / "b/model/loss.py"
    found = migrate_file(path, Settings(select=("TP405",)), write=False).findings
    assert [f"comes as uint8 from {named}: " in each.message for each in found] == (
        [] if named is None else [True]
    )


_MODEL = """import torch
from torch import nn
class Attend(nn.Module):
    def forward(self, scores, mask=None):
        return scores.masked_fill_(mask, 0)
class Other(nn.Module):
    def forward(self, scores, mask=None):
        return scores
"""
_AGENT = """import torch
class Agent(object):
    def __init__(self, decoder):
        self.decoder = decoder
    def sort(self, tokens):
        pad = tokens == 0
        return tokens, pad{}.cuda()
    def run(self, tokens):
        tokens, pad = self.sort(tokens)
        return self.decoder(tokens, pad)
class Player(object):
    def __init__(self, decoder):
        self.decoder = decoder
    def run(self, tokens):
        return self.decoder(tokens, tokens == 0)
"""
_HEAD = "from agent import Agent, Player\nfrom model import Attend, Other\n"


@pytest.mark.parametrize(
    ("dtype", "main", "done"),
    [
        (".byte()", "agent = Agent(Attend())\n", "cast"),
        (".byte()", "net = Attend().cuda()\nnet.train()\nagent = Agent(decoder=net)\n", "cast"),
        (".byte()", "def make():\n    return Attend()\nagent = Agent(make())\n", "cast"),
        (".byte()", "net = Attend()\nagent = Agent(net)\nshow(net)\n", "told"),
        (".byte()", "agent = Agent(Attend())\nplayer = Player(Attend())\n", "told"),
        (".byte()", "agent = Agent(Other())\n", ""),
        (".byte()", "agent = Agent(Other())\nplayer = Player(Attend())\n", ""),
        (".byte()", "agent = Agent([Attend()])\n", ""),
        (".byte()", "agent = Agent(Attend)\n", ""),
        ("", "agent = Agent(Attend())\n", ""),
    ],
)
def test_a_mask_comes_to_a_module_that_an_object_was_given(
    tmp_path: Path, dtype: str, main: str, done: str
) -> None:
    (tmp_path / ".git").mkdir()
    files = {"model.py": _MODEL, "agent.py": _AGENT.format(dtype), "main.py": _HEAD + main}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    path = tmp_path / "model.py"
    result = migrate_file(path, Settings(select=("TP405",)), write=False)
    said = "mask comes as uint8 from line 7 of agent.py: write mask.bool()"
    assert [each.message.endswith(said) for each in result.findings] == [done == "told"] * bool(
        done
    )
    after = _MODEL.replace("(mask, 0)", "(mask.bool(), 0)")
    assert (result.after == after) is (done == "cast")


_SETS = """import torch
from torch.utils.data import DataLoader, Dataset
train_mask = torch.ByteTensor(rows)
class Lines(Dataset):
    def __init__(self, xs, masks):
        self.xs, self.masks = xs, masks
    def __getitem__(self, i):
        return self.xs[i], self.masks[i]
def test_rows(path):
    mask = {made}
    return path, mask
train = DataLoader(Lines(xs, train_mask))
"""
_PREDICT = """import torch
import rows
from torch.autograd import Variable
xs, test_mask = rows.test_rows("test")
loader = torch.utils.data.DataLoader(rows.Lines(xs, test_mask))
for x, mask in loader:
    mask = Variable(mask)
    print(net(x).masked_select(mask))
"""


@pytest.mark.parametrize(
    ("made", "named"),
    [
        ("torch.ByteTensor(path)", ["line 10 of rows.py"]),
        ("torch.BoolTensor(path)", []),
        ("open(path)", []),
    ],
)
def test_the_mask_of_a_data_set_is_the_one_that_it_was_made_with(
    tmp_path: Path, made: str, named: list[str]
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "rows.py").write_text(_SETS.format(made=made))
    (tmp_path / "predict.py").write_text(_PREDICT)
    found = migrate_file(tmp_path / "predict.py", Settings(select=("TP405",)), write=False).findings
    said = [f"comes as uint8 from {line}: write mask.bool()" for line in named]
    assert [each.message.partition("mask ")[2] for each in found] == said


_MOVED = """import torch
def attend(scores, mask, n):
    scores = torch.exp(scores)
    if mask is None:
        mask = {made}
        if n:
            mask = {moved}
    kept = mask.clone()
    scores[kept] = 0
    return scores, kept
"""


@pytest.mark.parametrize(
    ("made", "moved", "line"),
    [
        ("torch.zeros(3).byte()", "mask.cuda()", 5),
        ("torch.ByteTensor(3)", "mask.unsqueeze(0).cuda()", 5),
        ("torch.zeros(3)", "mask.byte().cuda()", 7),
        ("torch.zeros(3).byte()", "torch.ByteTensor(3).cuda()", 7),
    ],
)
def test_the_line_that_makes_bytes_is_named_not_one_that_moves_them(
    made: str, moved: str, line: int
) -> None:
    (finding,) = advice("TP405", _MOVED.format(made=made, moved=moved))
    assert finding.message.endswith(f"kept comes as uint8 from line {line}: write kept.bool()")


_TWICE = """import torch
class Chain(torch.nn.Module):
    def forward(self, scores, mask, other):
        found = torch.zeros(3)
        found.masked_scatter_({0}, torch.exp(scores).masked_select({0}))
        return found.masked_select({1})
def run(net, scores, kind):
    made = torch.zeros(3).byte() if kind else load()
    return Chain()(scores, made, made)
"""


def test_a_mask_is_told_of_once_in_a_function() -> None:
    found = advice("TP405", _TWICE.format("mask", "other"))
    assert [finding.line for finding in found] == [5, 6]
    assert found[0].message.endswith(": write mask.bool()")
    found = advice("TP405", _TWICE.format("other", "other"))
    assert [finding.line for finding in found] == [5]
    assert found[0].message.endswith(": write other.bool(), here and in line 6")
