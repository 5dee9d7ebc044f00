"""Models that one file of a project saves whole and another one loads."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.config import Settings
from torchfix_codemods.finding import FileResult
from torchfix_codemods.runner import migrate_file

TRAIN = """import torch
import torch.nn as nn

net = nn.Linear(3, 2)
torch.save(net, "out/net.pt")
"""
BOTH = TRAIN + 'again = torch.load("out/net.pt")\n'


def result(root: Path, text: str, **others: str) -> FileResult:
    (root / ".git").mkdir(exist_ok=True)
    for name, other in others.items():
        (root / f"{name}.py").write_text("import torch\n" + other)
    path = root / "train.py"
    path.write_text(text)
    found = migrate_file(path, Settings(select=("TP501",)), write=False)
    assert not found.errors
    return found


@pytest.mark.parametrize(
    "other",
    [
        "",
        'state = torch.load("other.pt")\nstate.eval()\n',
        "net.load_state_dict(torch.load(args.path))\n",
        'torch.save(net.state_dict(), "net_weights.pt")\n',
        "config = load(path)\nsave(config)\n",
    ],
)
def test_files_that_hold_something_else_do_not_matter(tmp_path: Path, other: str) -> None:
    found = result(tmp_path, BOTH, other=other)
    assert found.after is not None
    assert 'again.load_state_dict(torch.load("out/net.pt"))' in found.after


@pytest.mark.parametrize(
    "other",
    [
        'net = torch.load("out/net.pt")\n',
        'import os\nnet = torch.load(os.path.join(folder, "net.pt"))\n',
        "net = torch.load(args.model)\nnet.eval()\n",
        'import torch.nn as nn\nnet = nn.Linear(2, 2)\ntorch.save(net, "out/net.pt")\n',
        "import torch.nn as nn\nnet = nn.Linear(2, 2)\ntorch.save(net, args.model)\n",
    ],
)
def test_nothing_is_rewritten_where_another_file_may_hold_the_same(
    tmp_path: Path, other: str
) -> None:
    found = result(tmp_path, BOTH, other=other)
    assert found.after is None
    assert len(found.findings) == 1


def test_advice_names_the_other_end(tmp_path: Path) -> None:
    found = result(tmp_path, TRAIN, predict='\n\nnet = torch.load("out/net.pt")\n')
    (finding,) = found.findings
    assert finding.line == 5
    assert "where it is loaded (predict.py, line 4) build the model" in finding.message


def test_advice_names_no_place_that_is_not_certain(tmp_path: Path) -> None:
    found = result(tmp_path, TRAIN, predict="net = torch.load(args.model)\nnet.eval()\n")
    (finding,) = found.findings
    assert "where it is loaded build the model" in finding.message
