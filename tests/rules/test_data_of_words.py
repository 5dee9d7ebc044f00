"""What an embedding looks up holds whole numbers, which have no graph to leave."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_NET = """import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, names, n):
        super(Net, self).__init__()
        self.names = names
        self.embed = nn.Embedding(n, 3)
        self.scale = nn.Linear(3, 3)

    def shown(self, words, at):
        row = words[at, 1:3]
        return [self.names[i] for i in {read}.cpu().numpy()]

    def forward(self, words, raw):
        {first}
        {then}
        return out, self.shown(words, 0)
"""

_FIRST = "words = words.contiguous().view(-1, 4)"
_THEN = "out = self.embed(words)"


def _after(tmp_path: Path, read: str, first: str, then: str) -> str:
    file = tmp_path / "net.py"
    file.write_text(_NET.format(read=read, first=first, then=then))
    migrate_file(file, Settings(select=("TP104",)), write=True)
    return file.read_text()


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (_FIRST, _THEN),
        ("words = words.cuda()", _THEN),
        ("print(raw)", _THEN),
        (_FIRST, "found = words.view(-1)\n        out = self.scale(self.embed(found))"),
        (_FIRST, "out = nn.functional.embedding(words, self.embed.weight)"),
    ],
)
@pytest.mark.parametrize("read", ["row.contiguous().view(-1).data", "row.data", "words.data"])
def test_what_is_looked_up_has_nothing_to_detach(
    read: str, first: str, then: str, tmp_path: Path
) -> None:
    after = _after(tmp_path, read, first, then)
    assert f" {read.replace('.data', '')}.cpu().numpy()" in after


@pytest.mark.parametrize(
    ("first", "then"),
    [
        # Nothing is looked up, or something else.
        (_FIRST, "out = self.scale(words)"),
        (_FIRST, "out = self.embed(raw)"),
        ("words = self.scale(words)", "out = self.embed(words.max(1)[1])"),
        (_FIRST, "out = self.embed(words.long())"),
        # Not in each run.
        (_FIRST, "out = self.scale(words) if raw else self.embed(words)"),
        (
            _FIRST,
            "if raw:\n            return self.shown(words, 0)\n        out = self.embed(words)",
        ),
        (
            _FIRST,
            "out = self.scale(words)\n        if raw:\n            out = self.embed(words)",
        ),
        # Others may show it as well.
        (_FIRST, f"{_THEN}\n        print(self.shown(self.scale(raw), 1))"),
    ],
)
def test_what_may_be_scores_is_detached(first: str, then: str, tmp_path: Path) -> None:
    after = _after(tmp_path, "row.view(-1).data", first, then)
    assert " row.view(-1).detach().cpu().numpy()" in after


_LENGTHS = """import torch
def mask(lengths, longest=None):
    if longest is None:
        longest = {}
    places = torch.arange(0, longest).long().unsqueeze(0).expand(lengths.size(0), {})
    return places < lengths.unsqueeze(1).expand_as(places)
"""


def test_the_greatest_of_lengths_that_is_a_size_is_not_detached() -> None:
    text = _LENGTHS.format("lengths.data.max()", "longest")
    assert migrate(text, "TP104").text == text.replace(".data", "")


def test_the_greatest_of_what_may_be_floats_is_detached() -> None:
    text = _LENGTHS.format("lengths.data.max()", "9")
    assert migrate(text, "TP104").text == text.replace(".data", ".detach()")


_SAMPLED = """import torch.nn as nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self, n, sampler):
        super(Net, self).__init__()
        self.layer = nn.Linear(n, n)
        self.sampler = sampler

    def forward(self, x, labels):
        if self.training:
            found = self.sampler.sample(labels.data.cpu().numpy())
            {then}
        return self.layer(x)

    def sampled(self, x, labels, found, also=None):
        {first}
        return F.embedding(labels, self.layer.weight) * x + found
{below}"""

_ONES_DATA = ("labels.detach()", "labels.data")

_BELOW = """
class Other(Net):
    def sampled(self, x, labels, found, also=None):
        return x + labels
"""


def _of_labels(
    tmp_path: Path,
    then: str = "return self.sampled(x, labels, found)",
    first: str = "size = x.size(0)",
    below: str = "",
) -> str:
    file = tmp_path / "net.py"
    file.write_text(_SAMPLED.format(then=then, first=first, below=below))
    migrate_file(file, Settings(select=("TP104",)), write=True)
    return file.read_text()


@pytest.mark.parametrize(
    "then",
    ["return self.sampled(x, labels, found)", "x = self.sampled(x, found=found, labels=labels)"],
)
def test_what_a_method_looks_up_that_is_called_next_has_nothing_to_detach(
    then: str, tmp_path: Path
) -> None:
    assert "sample(labels.cpu().numpy())" in _of_labels(tmp_path, then=then)


@pytest.mark.parametrize(
    "changed",
    [
        {"below": _BELOW},
        {"first": "if also is None:\n            return x"},
        {"first": "if also is not None:\n            labels = also"},
        {"first": "labels = labels.long()"},
        {"then": "if x.size(0):\n                x = self.sampled(x, labels, found)"},
        {
            "then": "if x.size(0):\n                labels = x\n            self.sampled(x, labels, 1)"
        },
        {"then": "return self.sampled(labels, x, found)"},
    ],
)
def test_what_the_method_may_not_look_up_is_no_index(
    changed: dict[str, str], tmp_path: Path
) -> None:
    # Or left alone, where nothing shows that it is a tensor.
    after = _of_labels(tmp_path, **changed)
    assert any(f"sample({data}.cpu().numpy())" in after for data in _ONES_DATA)


_SORTED = """import torch
from torch.nn.utils.rnn import pack_padded_sequence
def in_order(x):
    x, order = torch.sort(x.view(-1), dim=0, descending=True)
    {first}
    x = x.cpu().numpy().tolist()
    return x, order
def run(net, x, lengths):
    lengths, order = in_order(lengths)
    return net(pack_padded_sequence(x[order], lengths=lengths)){also}
"""


def test_lengths_that_the_only_caller_packs_by_are_not_detached() -> None:
    text = _SORTED.format(first="x = x.data", also="")
    assert ".detach()" not in migrate(text, "TP104").text
    assert ".data" not in migrate(text, "TP104").text


def test_what_another_caller_sorts_is_detached() -> None:
    text = _SORTED.format(first="x = x.data", also=", in_order(net(x))[0]")
    assert "x = x.detach()" in migrate(text, "TP104").text
