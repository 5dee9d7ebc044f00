"""A fact without a cure is not told in a program that runs on a GPU alone (TP201)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_ENGINE = """import torch
def train(loader):
    for sample in loader:
        {moves}
        {waits}
def validate(loader):
    for sample in loader:
        unheard(sample["x"].cuda(), sample["y"].cuda())
"""


def test_the_lines_of_a_file_are_not_told_where_others_stay_beside_what_needs_a_gpu() -> None:
    moves = "unheard(sample['x'].cuda())"
    assert not advice("TP201", _ENGINE.format(moves=moves, waits="torch.cuda.synchronize()"))


@pytest.mark.parametrize(
    ("moves", "waits"),
    [
        ("pass", "torch.cuda.synchronize()"),
        ("unheard(sample['x'].cuda())", "pass"),
        ("if use_cuda: unheard(sample['x'].cuda())", "torch.cuda.synchronize()"),
        ("unheard(sample['x'].cuda())", "if use_cuda: torch.cuda.synchronize()"),
    ],
)
def test_the_lines_of_a_file_are_told_where_they_are_all(moves: str, waits: str) -> None:
    (found,) = advice("TP201", _ENGINE.format(moves=moves, waits=waits))
    assert found.message.startswith(".cuda() needs a GPU")


_GRID = """import torch
def boxes(output):
    output = output.view(3, -1)
    grid = torch.linspace(0, 4, 5).repeat(2, 1).cuda()
    return torch.sigmoid(output[0]) + grid
def wait():
    print(load().cuda(1))
    torch.cuda.synchronize()
"""


def test_a_cure_is_told_where_other_moves_stay_beside_what_needs_a_gpu() -> None:
    (found,) = advice("TP201", _GRID)
    assert found.message.endswith(": write torch.linspace(0, 4, 5).repeat(2, 1).to(output.device)")


_MODEL = "import torch\ndef start(ids):\n    return unheard(made(ids).cuda())\n"


def _told(folder: Path, **files: str) -> list[str]:
    (folder / "model.py").write_text(_MODEL)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    settings = Settings(select=("TP201",))
    found = migrate_file(folder / "model.py", settings, write=False).findings
    return [each.message for each in found]


_STAYS = (
    "import torch\nfrom model import start\nfor batch in loader:\n    start(batch['x'].cuda())\n"
)
_MODELS = f"{_STAYS}net = unheard()\nnet.cuda()\n"
_GOES = "import torch\nnet = torch.nn.Linear(2, 2).cuda()\n"


@pytest.mark.parametrize(
    "beside", ["net = torch.nn.Linear(2, 2)\nnet.cuda()\n", "net = unheard()\nnet.cuda()\n"]
)
def test_nothing_is_told_in_a_project_that_always_moves_to_the_gpu(
    tmp_path: Path, beside: str
) -> None:
    assert not _told(tmp_path, train=_STAYS + beside)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"train": "import model\nmodel.start([1])\n"},
        {"train": _GOES},
        {"train": _STAYS},
        {"train": f"{_STAYS}torch.nn.MSELoss().cuda()\n"},
        {"train": _MODELS, "test": _GOES},
        {"train": _MODELS.replace("    start(", "    if args.cuda: start(")},
        {"train": _MODELS, "test": "x = torch.load(path, map_location=place)\n"},
        {"train": _MODELS, "test": "place = torch.device(args.place)\n"},
    ],
)
def test_it_is_told_in_a_project_that_may_run_elsewhere(
    tmp_path: Path, files: dict[str, str]
) -> None:
    assert _told(tmp_path, **files) == [".cuda() needs a GPU"]


_MADE = """import torch
class Trainer:
    def __init__(self, net):
        self.use_gpu = {asked}
        if self.use_gpu:
            self.net = torch.nn.DataParallel(net).cuda()
        else:
            {otherwise}
    {decorated}def shuffled(self, x):
        return unheard(torch.randperm(len(x)).cuda(), load(x).cuda())
"""
_ASKED = "torch.cuda.is_available()"


def test_nothing_is_told_of_what_cannot_be_made_without_a_gpu() -> None:
    text = _MADE.format(asked=_ASKED, otherwise="raise RuntimeError('no GPU')", decorated="")
    assert not advice("TP201", text)


@pytest.mark.parametrize(
    ("asked", "otherwise", "decorated"),
    [
        (_ASKED, "self.net = net", ""),
        ("net.use_gpu", "raise RuntimeError", ""),
        (_ASKED, "raise RuntimeError", "@staticmethod\n    "),
        (f"{_ASKED}\n        if net: self.use_gpu = False", "raise RuntimeError", ""),
    ],
)
def test_it_is_told_of_what_may_run_without_one(asked: str, otherwise: str, decorated: str) -> None:
    found = advice("TP201", _MADE.format(asked=asked, otherwise=otherwise, decorated=decorated))
    assert [each.line for each in found] == [10 + (asked[-5:] == "False") + bool(decorated)]
