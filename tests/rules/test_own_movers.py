"""A file that moves by a function of the project's own gets no device beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

USE = """import torch
from common import to_gpu
def step(batch, n):
    x = to_gpu(torch.ones(n))
    return x + torch.zeros(n).cuda()
"""
MOVER = """import torch
use_cuda = torch.cuda.is_available()
def to_gpu(x):
    return x.cuda() if use_cuda else x
"""
IN_LINES = """import torch
def to_gpu(x, flag=True):
    if flag and torch.cuda.is_available():
        x = x.cuda()
    return x
"""
MIGRATED = """import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
def to_gpu(x):
    return x.to(device)
"""


def after(folder: Path, common: str, text: str = USE) -> str:
    (folder / "common.py").write_text(common)
    path = folder / "model.py"
    path.write_text(text)
    result = migrate_file(path, Settings(select=("TP201",)), write=False)
    assert not result.errors
    return result.after or text


@pytest.mark.parametrize("common", [MOVER, IN_LINES, MIGRATED])
def test_a_move_stays_beside_it(tmp_path: Path, common: str) -> None:
    assert after(tmp_path, common) == USE
    text = USE.replace("from common import to_gpu", "import common").replace(
        "to_gpu(", "common.to_gpu("
    )
    kept = text if common != MIGRATED else text.replace("(n).cuda()", "(n, device=common.device)")
    assert after(tmp_path, common, text) == kept


@pytest.mark.parametrize(
    "common",
    [
        MOVER.replace("x.cuda() if use_cuda else x", "torch.ones(2).cuda() + x"),
        MOVER.replace("x.cuda() if use_cuda else x", "x.view(-1)"),
        MOVER.replace("x.cuda() if use_cuda else x", "x"),
        MOVER.replace("def to_gpu(x):", "def to_gpu(y):\n    x = load(y)"),
    ],
)
def test_not_beside_what_does_more_or_less(tmp_path: Path, common: str) -> None:
    assert "torch.zeros(n, device=device)" in after(tmp_path, common)


ONE = """import torch
import common
def step(n):
    return common.read(n) + torch.zeros(n).cuda()
"""
READER = "def read(n):\n    return torch.ones(n)\n"


@pytest.mark.parametrize("common", [MOVER, IN_LINES])
def test_a_single_move_stays_where_it_is_at_hand(tmp_path: Path, common: str) -> None:
    assert after(tmp_path, common + READER, ONE) == ONE


@pytest.mark.parametrize(
    ("common", "text"),
    [
        # Moves of which there are several.
        (MOVER, ONE + "def other(n):\n    return torch.ones(n).cuda()\n"),
        # A file that takes another name of it alone.
        (MOVER, ONE.replace("import common", "from common import read").replace("common.r", "r")),
        # A function that does more, and a method.
        (MOVER.replace("return x.cuda()", "return x.cuda() + 1"), ONE),
        (MOVER.replace("def to_gpu(x):\n", "class A:\n  def to_gpu(x):\n"), ONE),
    ],
)
def test_else_there_is_a_device(tmp_path: Path, common: str, text: str) -> None:
    assert "torch.zeros(n, device=device)" in after(tmp_path, common + READER, text)


def test_a_device_of_the_file_is_taken_all_the_same(tmp_path: Path) -> None:
    line = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
    text = USE.replace("def step", f"{line}def step")
    assert "torch.zeros(n, device=device)" in after(tmp_path, MOVER, text)


def test_so_is_the_switch_of_the_file(tmp_path: Path) -> None:
    text = USE.replace("batch, n)", "use_cuda, n)").replace(
        "    return x + torch.zeros(n).cuda()\n",
        "    y = torch.zeros(n)\n    if use_cuda:\n        y = y.cuda()\n    return x + y\n",
    )
    assert "y = y.to(device)" in after(tmp_path, MOVER, text)
