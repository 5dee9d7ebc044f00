"""``dataset[order[i]]``: a tensor chooses what the number would, so that nothing is written (TP103)."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_TRAIN = """import torch
from torch.autograd import Variable
def train(dataset, others, net):
    order = {order}
    for i in range(len(dataset)):
        x, y = {taken}
        out = net(Variable(x, volatile=True))
"""
_DATA = """import torch
class Trees(torch.utils.data.Dataset):
    def __init__(self, trees, labels):
        self.trees = trees
        self.labels = torch.Tensor(labels)
    def __len__(self):
        return len(self.trees)
    def __getitem__(self, index):
        {body}
"""
_ORDER = "torch.randperm(len(dataset))"
_TAKEN = "dataset[order[i]]"
_BODY = "return self.trees[index], self.labels[index]"


def _is_pinned(folder: Path, order: str = _ORDER, taken: str = _TAKEN, body: str = _BODY) -> bool:
    (folder / "setup.py").write_text("")
    (folder / "data.py").write_text(_DATA.format(body=body))
    path = folder / "train.py"
    path.write_text(_TRAIN.format(order=order, taken=taken))
    result = migrate_file(path, Settings(select=("TP103",)), write=False)
    assert not result.errors
    return "order[i].item()" in (result.after or "")


@pytest.mark.parametrize(
    "body",
    [
        _BODY,
        "if index >= len(self): raise IndexError\n        return self.trees[index], 0",
        "return self.trees[index:index + 1], self.labels[index]",
    ],
)
def test_a_data_set_that_chooses_by_its_index_takes_a_tensor(tmp_path: Path, body: str) -> None:
    assert not _is_pinned(tmp_path, body=body)


@pytest.mark.parametrize(
    "body",
    [
        "return load(index), 0",
        "return self.trees[str(index)], 0",
        "cache = {}\n        return cache[index], 0",
        "return self.trees[0], index",
    ],
)
def test_a_data_set_that_does_something_else_gets_the_number(tmp_path: Path, body: str) -> None:
    assert _is_pinned(tmp_path, body=body)


@pytest.mark.parametrize(
    ("order", "taken"),
    [
        ("torch.randperm(len(others))", _TAKEN),
        ("torch.randperm(10)", _TAKEN),
        ("torch.LongTensor([3, 4, 5])", _TAKEN),
        (_ORDER, "others[order[i]]"),
        (_ORDER, "dataset.get(order[i])"),
        (_ORDER, "{0: (1, 2)}[order[i]]"),
    ],
)
def test_what_are_no_positions_of_it_are_numbers(tmp_path: Path, order: str, taken: str) -> None:
    assert _is_pinned(tmp_path, order, taken)
