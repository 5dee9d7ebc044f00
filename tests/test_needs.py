"""Which torch the other files of a program need, and how few of them are parsed for that."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.facts.age.words import may_need
from torchfix_codemods.project.index import Index
from torchfix_codemods.project.needs import needed_beside


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("net = torch.compile(net)", (2, 0)),
        ("from torch import compile", (2, 0)),
        ("from torch import (no_grad,\n    compile)", (2, 0)),
        ("from torch import *\nf = compile(net)", (2, 0)),
        ("x = torch.ones(2, dtype=int)", (0, 4)),
        ("F.grid_sample(x, y, align_corners=True)", (1, 3)),
        ("p = re.compile('a')\nnet = th.compile(net)", (2, 0)),
        ("p = re.compile('a')", None),
        ("self.func = func", None),
        ("def f(func): return func(torch.ones(2))", None),
        ("recompile = torch.compiled", None),
        ("from torchvision import models", None),
    ],
)
def test_what_the_words_of_a_file_can_need(text: str, version: tuple[int, ...] | None) -> None:
    assert may_need(f"import torch\n{text}\n".encode()) == version


def project(root: Path, **texts: str) -> Path:
    (root / ".git").mkdir()
    for name, text in {"train": "x = 1", **texts}.items():
        (root / f"{name}.py").write_text(f"import torch\n{text}\n")
    return (root / "train.py").resolve()


def test_the_newest_is_needed_and_no_file_is_parsed_that_cannot_need_more(tmp_path: Path) -> None:
    path = project(
        tmp_path,
        old="y = torch.tensor(1)",
        new="y = torch.square(x)",
        newest="net = torch.inference_mode(net)",
        plain="y = x + 1",
    )
    index = Index()
    assert needed_beside(path, index) == (1, 9)
    parsed = [
        name
        for name in ("old", "new", "newest", "plain")
        if index.parsed(path.with_name(f"{name}.py"))
    ]
    assert parsed == ["newest"]


def test_a_word_that_is_not_torchs_leaves_the_others_to_be_asked(tmp_path: Path) -> None:
    path = project(
        tmp_path,
        named="import vmap\nvmap.vmap(x)",
        new="y = torch.square(x)",
        optional="try:\n    torch.compile\nexcept AttributeError:\n    pass",
    )
    assert needed_beside(path, Index()) == (1, 5)


def test_the_file_itself_shows_nothing_and_others_may_need_none(tmp_path: Path) -> None:
    path = project(tmp_path, train="y = torch.square(x)", other="y = torch.ones(1)")
    assert needed_beside(path, Index()) is None
