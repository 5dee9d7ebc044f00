"""Which names of torch are misspelt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

from tests.facts.test_unreached import told
from torchfix_codemods.catalogue import all_rows
from torchfix_codemods.facts.libraries.misspelt_names import is_misspelt

_TOLD = "print(fc(h).squeeze()[0])\n"


@pytest.mark.parametrize("name", "tiag unsuqeeze zero_like lod concat_ bogsum manual_sed".split())
def test_what_is_nearly_a_name(name: str) -> None:
    assert is_misspelt(f"torch.{name}") is (name not in ("lod", "bogsum"))


def test_nothing_that_torch_has_is_misspelt() -> None:
    assert [name for name in dir(torch) if is_misspelt(f"torch.{name}")] == []


def test_nothing_that_the_catalogue_knows_is_misspelt() -> None:
    written = [getattr(row, name, "") for row in all_rows() for name in ("old", "new")]
    names = [word for text in written for word in re.findall(r"torch\.\w+", str(text))]
    assert "torch.gels" in names
    assert [name for name in names if is_misspelt(name)] == []


@pytest.mark.parametrize(
    "code",
    [
        "y = torch.tiag(h)\n",
        "def k(x):\n    return torch.unsuqeeze(x, 1)\nk(h)\n",
        "h + torch.zero_like(h).log().sum()\n",
    ],
)
def test_nothing_is_told_below_a_misspelt_name_of_torch(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code + _TOLD) == 0


@pytest.mark.parametrize(
    "code",
    [
        "y = torch.diag(h)\n",
        "y = torch.nn.tiag(h)\n",
        "torch.tiag = torch.diag\ny = torch.tiag(h)\n",
        "setattr(torch, 'tiag', torch.diag)\ny = torch.tiag(h)\n",
        "try:\n    y = torch.tiag(h)\nexcept AttributeError:\n    y = h\n",
        "y = torch.reduce_mean(h)\n",
        "import numpy as torch\ny = torch.tiag(h)\n",
        "y = lambda: torch.tiag(h)\n",
    ],
)
def test_what_torch_may_have_stops_nothing(tmp_path: Path, code: str) -> None:
    assert told(tmp_path, code + _TOLD) == 1
