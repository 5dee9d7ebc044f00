"""`self.h = self.h.data` of a state that an object keeps: cut from its graph, it is detached."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

_TEXT = """import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd import Variable
class Net(nn.Module):
    def __init__(self, other):
        super().__init__()
        self.lstm = nn.LSTM(3, 4)
        self.other = other
        self.h, self.c = torch.zeros(1, 1, 4), torch.zeros(1, 1, 4)
    def forward(self, x):
        out, (self.h, self.c) = self.lstm(x, (self.h, self.c))
        self.h = Variable(self.h.data)
        self.c = Variable(self.c.data)
        return out
    {}
"""
_DETACHED = "self.h.detach()", "self.c.detach()"
_DATA = "self.h.data", "self.c.data"


def _after(folder: Path, more: str, run: str = "") -> str:
    """What becomes of the network, of whose project another file runs it."""
    (folder / ".git").mkdir()
    paths = folder / "net.py", folder / "run.py"
    paths[0].write_text(_TEXT.format(more))
    paths[1].write_text(f"from net import Net\n{run}")
    found, *_ = migrate_files([*paths], Settings(select=("TP101", "TP104")), write=False)
    return found.after or ""


@pytest.mark.parametrize(
    ("more", "run"),
    [
        ("pass", ""),
        ("def size(self): return self.h.size(0), self.h.mean()", ""),
        ("pass", "net = Net(None)\nprint(net.h.mean())\n"),
    ],
)
def test_a_state_that_a_recurrent_layer_takes_is_detached(
    tmp_path: Path, more: str, run: str
) -> None:
    after = _after(tmp_path, more, run)
    assert all(f"= {each}\n" in after for each in _DETACHED)


@pytest.mark.parametrize(
    ("more", "run"),
    [
        ("def reset(self): self.h.zero_()", ""),
        ("def reset(self): self.h[0] = 1", ""),
        ("def reset(self): self.h += 1", ""),
        ("def ask(self): return self.other(self.h)", ""),
        ("def give(self): return self.h", ""),
        ("def norm(self, x): return F.batch_norm(x, self.h, self.c, training=True)", ""),
        ("pass", "net = Net(None)\nnet.h.zero_()\n"),
        ("pass", "def reset(net):\n    net.h.zero_()\n"),
    ],
)
def test_a_state_that_may_be_written_into_keeps_its_data(
    tmp_path: Path, more: str, run: str
) -> None:
    after = _after(tmp_path, more, run)
    assert all(f"= {each}\n" in after for each in _DATA)
