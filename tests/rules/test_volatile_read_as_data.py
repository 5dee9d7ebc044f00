"""Volatile values of which only the data is read, or which only code under no_grad calculates with."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_RUN = """import torch
import torch.nn as nn
from torch.autograd import Variable
from losses import Criterion
criterion = Criterion()
priors = Variable(make_priors(), volatile=True)
def train(net, loader, optimizer):
    for x, y in loader:
        loss = criterion(net(x), priors, y)
        loss.backward()
        optimizer.step()
"""
_LOSS = """import torch.nn as nn
from torch.autograd import Variable
class Criterion(nn.Module):
    def forward(self, out, priors, y):
        priors = priors
        n = priors.size(0)
        {}
        return (out - y).sum() / n
"""
_BLEND = """import torch
from torch.autograd import Variable
def blend(net, x, n):
    if n:
        feat = Variable(torch.zeros(1, n), volatile=True)
        for each in x:
            feat = feat + net(each)
    else:
        feat = net(x)
    return net(feat)
def show(net, x):
    {}
"""


def told(folder: Path, text: str, other: str = "") -> tuple[str, int]:
    """A file as it becomes, and of how many flags something is said."""
    (folder / ".git").mkdir()
    (folder / "losses.py").write_text(other)
    (folder / "run.py").write_text(text)
    result = migrate_file(folder / "run.py", Settings(select=("TP101", "TP102")), write=True)
    left = sum(found.code == "TP102" and not found.fixed for found in result.findings)
    return (folder / "run.py").read_text(), left


@pytest.mark.parametrize("read", ["boxes = priors.data", "boxes = priors.data.cuda()"])
def test_a_flag_goes_where_what_takes_the_value_reads_its_data(tmp_path: Path, read: str) -> None:
    text, count = told(tmp_path, _RUN, _LOSS.format(read))
    assert "\npriors = make_priors()\n" in text
    assert count == 0 and "no_grad" not in text


@pytest.mark.parametrize(
    "read",
    [
        "boxes = priors * 2",
        "boxes = priors.detach() * out",
        "boxes = match(priors)",
        "self.boxes = priors",
        "boxes = priors.float()",
        "boxes = net(Variable(priors.data))",
    ],
)
def test_what_may_be_calculated_with_is_told(tmp_path: Path, read: str) -> None:
    text, count = told(tmp_path, _RUN, _LOSS.format(read))
    assert count == 1 and "volatile" in text


def test_what_reads_nothing_of_it_may_be_written_anew_in_a_subclass(tmp_path: Path) -> None:
    other = "import torch.nn as nn\nclass Criterion(nn.Module):\n    def forward(self, *a):\n        pass\n"
    assert told(tmp_path, _RUN, other)[1] == 1


def test_of_what_is_not_known_it_is_told(tmp_path: Path) -> None:
    assert told(tmp_path, _RUN.replace("from losses", "from others"))[1] == 1


def test_a_flag_goes_in_a_function_whose_calls_are_under_no_grad(tmp_path: Path) -> None:
    under = "with torch.no_grad():\n        return blend(net, x, 3).data"
    text, count = told(tmp_path, _BLEND.format(under))
    assert "feat = torch.zeros(1, n)\n" in text and count == 0


@pytest.mark.parametrize(
    "call",
    [
        "return blend(net, x, 3)",
        "with torch.no_grad():\n        blend(net, x, 3)\n    return blend(net, x, 3)",
        "return map(blend, x)",
        "with torch.no_grad():\n        blend(net, x, 3)\n    return blend",
    ],
)
def test_a_function_that_may_be_called_with_a_graph_is_told(tmp_path: Path, call: str) -> None:
    assert told(tmp_path, _BLEND.format(call))[1] == 1
