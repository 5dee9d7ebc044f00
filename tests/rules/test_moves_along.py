"""``net.cuda()`` of what is not known, as a statement of its own beside other moves (TP201)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_TEXT = """\
import torch
from torch import nn
from models import make
args = make()
vgg, other = nn.Linear(2, 2), make()
{head}
if args.cuda:
    {moves}
"""


def _block(moves: str, head: str = "net = make()") -> str:
    text = _TEXT.format(head=head, moves=moves.replace("\n", "\n    "))
    after = migrate(text, "TP201").text
    return after.partition("if args.cuda:\n    ")[2].replace("\n    ", "\n").strip("\n")


@pytest.mark.parametrize(
    "moves",
    [
        "vgg.cuda()\nnet.cuda()",
        "net.cuda()\nvgg.cuda()\nother.net.cuda()",
        "print(net)\nvgg.cuda()\nnet.cuda(None)",
        "vgg.cuda()\nprint(3)\nnet.cuda()",
        "vgg.cuda()\nnet = net.cuda()",
    ],
)
def test_what_is_not_known_goes_along(moves: str) -> None:
    assert _block(moves) == moves.replace("cuda(None)", "cuda()").replace("cuda()", "to(device)")


@pytest.mark.parametrize(
    ("moves", "head"),
    [
        ("vgg.cuda()\nnet.cuda()", "class Batch:\n    def cuda(self): self.x = 3"),
        ("vgg.cuda()\nnet.cuda()", "class Batch:\n    def to(self, place): return place"),
        ("x = torch.ones(3).cuda()\nnet.cuda()\nother.cuda()", "net = make()"),
        ("net.cuda()", "net = make()"),
        ("net.cuda()\nother.cuda()", "net = make()"),
        ("net.cuda()\nvgg.cuda(1)", "net = make()"),
        ("for net in other:\n    vgg.cuda()\n    net.cuda()", ""),
        ("x, y = torch.ones(3).cuda(), other.cuda()\nnet.cuda()", "net = make()"),
        ("f(net.cuda())", "net = make()"),
        ("net = net.cuda()", "net = make()"),
    ],
)
def test_all_of_a_file_stays(moves: str, head: str) -> None:
    assert _block(moves, head) == moves


@pytest.mark.parametrize("method", ["cuda(self, gpu=0)", "to(self, place)", "run(self)"])
def test_classes_of_other_files_have_their_own_moves(method: str, tmp_path: Path) -> None:
    (tmp_path / "setup.py").touch()
    (tmp_path / "models.py").write_text(f"class Batch:\n    def {method}: pass\n")
    text = _TEXT.format(head="net = make()", moves="vgg.cuda()\n    net.cuda()")
    (tmp_path / "main.py").write_text(text)
    result = migrate_file(tmp_path / "main.py", Settings(select=("TP201",)), write=False)
    fixed = [finding for finding in result.findings if finding.fixed]
    assert len(fixed) == (2 if method.startswith("run") else 0)
