"""A class moves as its bases in other files do: all of them by a device, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

STAYS = """import torch
class Base(object):
    def step(self, batch, n):
        return self.net(batch.load().cuda()), torch.ones(n)
"""
GOES = """import torch
class Base(object):
    def step(self, n):
        return torch.ones(n).cuda()
"""
USE = """import torch
import torch.nn as nn
from base import Base
class Model(Base):
    def __init__(self):
        self.net = nn.Linear(2, 2)
        self.net.cuda()
"""


def after(folder: Path, base: str, text: str = USE) -> str:
    (folder / "base.py").write_text(base)
    path = folder / "model.py"
    path.write_text(text)
    result = migrate_file(path, Settings(select=("TP201",)), write=False)
    assert not result.errors
    return result.after or text


def test_a_class_stays_on_the_gpu_with_its_base(tmp_path: Path) -> None:
    assert after(tmp_path, STAYS) == USE


def test_so_does_one_that_is_further_below(tmp_path: Path) -> None:
    (tmp_path / "between.py").write_text("from base import Base\nclass Middle(Base):\n    pass\n")
    text = USE.replace("from base import Base", "from between import Middle").replace(
        "(Base)", "(Middle)"
    )
    assert after(tmp_path, STAYS, text) == text


@pytest.mark.parametrize(
    "base",
    [
        GOES,
        STAYS.replace(".cuda()", ""),
        STAYS.replace("class Base(object)", "class Other(object)")
        + "class Base(object):\n    pass\n",
    ],
)
def test_it_goes_where_nothing_of_the_base_stays(tmp_path: Path, base: str) -> None:
    assert "self.net.to(device)" in after(tmp_path, base)


def test_it_goes_beside_a_class_that_is_no_base(tmp_path: Path) -> None:
    text = USE.replace("Model(Base)", "Model(object)")
    assert "self.net.to(device)" in after(tmp_path, STAYS, text)
