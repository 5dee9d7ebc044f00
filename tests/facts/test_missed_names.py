"""Names that nothing binds, where a program goes on without them."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_PROGRAM = """import torch
from torch.autograd import Variable
{taken}
old = Variable(x, volatile=True)
opt = Namespace()
vars(opt).update(old=old)
try:
    train_kld = kld_loss.data[0]
except{caught}:
    {then}
print(train_kld > 3)
"""


def _told(folder: Path, taken: str = "", caught: str = "", then: str = "pass") -> int:
    (folder / ".git").mkdir()
    path = folder / "old" / "train.py"
    path.parent.mkdir()
    path.write_text(_PROGRAM.format(taken=taken, caught=caught, then=then))
    settings = Settings(select=("TP103",))
    return len(migrate_file(path, settings, write=False).findings)


@pytest.mark.parametrize("taken", ["", "from reading import *"])
@pytest.mark.parametrize("caught", ["", " NameError", " Exception as e"])
def test_what_is_never_there_is_passed_over(tmp_path: Path, taken: str, caught: str) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "reading.py").write_text("def read():\n    kld_loss = 1\n")
    assert not _told(tmp_path, taken, caught)


@pytest.mark.parametrize(
    "taken",
    [
        "kld_loss = criterion(old)",
        "from losses import kld_loss",
        "from losses import *",
        "exec(open('losses.py').read())",
        "globals().update(losses)",
        "def f():\n    global kld_loss\n    kld_loss = old.sum()",
    ],
)
def test_what_may_be_there_is_told(tmp_path: Path, taken: str) -> None:
    (tmp_path / "losses.py").write_text("kld_loss = criterion(x)\n")
    assert _told(tmp_path, taken) == 1


@pytest.mark.parametrize(
    ("caught", "then"), [(" IndexError", "pass"), ("", "train_kld = kld_loss.item()")]
)
def test_what_fails_for_another_reason_is_told(tmp_path: Path, caught: str, then: str) -> None:
    assert _told(tmp_path, "", caught, then) == 1
