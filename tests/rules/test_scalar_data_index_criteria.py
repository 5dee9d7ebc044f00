"""``criterion(output, target).data[0]`` where all calls give the function its ``criterion``."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_STEPS = """import torch
from torch.autograd import Variable
def evaluate(net, criterion, loader):
    total = 0
    for x, y in loader:
        total += {loss}.data[0]
    return total
"""
_MAIN = """import argparse
import torch
from steps import evaluate
class Summed(torch.nn.Module):
    def forward(self, x, y):
        return torch.sum(x - y)
args = argparse.ArgumentParser().parse_args()
args.cuda = args.cuda and torch.cuda.is_available()
def main(net, loader, other):
    criterion = {criterion}
    if args.cuda:
        criterion = criterion.cuda()
    print(evaluate(net, criterion, loader))
"""


def _migrated(folder: Path, criterion: str, loss: str, main: str = _MAIN) -> str:
    (folder / ".git").mkdir()
    (folder / "steps.py").write_text(_STEPS.format(loss=loss))
    (folder / "main.py").write_text(main.format(criterion=criterion))
    result = migrate_file(folder / "steps.py", Settings(select=("TP103",)), write=False)
    return result.after or ""


@pytest.mark.parametrize(
    "criterion", ["torch.nn.NLLLoss()", "torch.nn.MSELoss(size_average=False)", "Summed()"]
)
@pytest.mark.parametrize("loss", ["criterion(net(x), y)", "criterion(net(Variable(x)), y)"])
def test_the_loss_that_all_give(tmp_path: Path, criterion: str, loss: str) -> None:
    assert f"total += {loss}.item()" in _migrated(tmp_path, criterion, loss)


@pytest.mark.parametrize(
    ("criterion", "loss"),
    [
        ("torch.nn.NLLLoss(reduce=False)", "criterion(net(x), y)"),
        ("torch.nn.DataParallel(Summed())", "criterion(net(x), y)"),
        ("torch.nn.Softmax(1)", "criterion(net(x), y)"),
        ("other", "criterion(net(x), y)"),
        ("torch.nn.NLLLoss()", "net(criterion, x)"),
        ("torch.nn.NLLLoss()", "criterion.of(net(x), y)"),
    ],
)
def test_another_one(tmp_path: Path, criterion: str, loss: str) -> None:
    assert not _migrated(tmp_path, criterion, loss)


@pytest.mark.parametrize("holder", ["other", "net", "criterion"])
def test_what_may_be_a_module_has_its_own_cuda(tmp_path: Path, holder: str) -> None:
    main = _MAIN.replace("    if args", f"    {holder}.cuda = print\n    if args")
    assert not _migrated(tmp_path, "torch.nn.NLLLoss()", "criterion(net(x), y)", main)


@pytest.mark.parametrize(
    ("text", "is_number"),
    [
        ('os.path.join(folder, "evaluate")', True),
        ('os.path.exists("evaluate")', True),
        ('folder.join("evaluate")', False),
        ('getattr(net, os.path.join("evaluate", ""))', True),
        ('getattr(net, "evaluate")', False),
    ],
)
def test_a_path_names_no_function(tmp_path: Path, text: str, is_number: bool) -> None:
    looks = "import os\ndef find(net, folder, name):\n    return getattr(net, name), "
    (tmp_path / "find.py").write_text(looks + text)
    after = _migrated(tmp_path, "torch.nn.NLLLoss()", "criterion(net(x), y)")
    assert bool(after) is is_number
