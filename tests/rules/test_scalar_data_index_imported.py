"""What all callers give a function, beside modules that are imported by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_STEPS = """import torch
from torch.autograd import Variable
def evaluate(net, loss_fn, loader):
    losses = []
    for x, y in loader:
        loss = loss_fn(net(Variable(x, volatile=True)), Variable(y, volatile=True))
        losses.append(loss.data[0])
    return sum(losses)
"""
_MAIN = """import argparse
import importlib
from importlib import import_module
import torch
from steps import evaluate
def main(name):
    found = {found}
    data = load("evaluate")
    print(evaluate(found.net, torch.nn.CrossEntropyLoss(), data))
"""


def _migrated(tmp_path: Path, found: str) -> str:
    (tmp_path / ".git").mkdir()
    (tmp_path / "steps.py").write_text(_STEPS)
    (tmp_path / "main.py").write_text(_MAIN.replace("{found}", found))
    result = migrate_file(tmp_path / "steps.py", Settings(select=("TP103",)), write=False)
    return result.after or ""


@pytest.mark.parametrize(
    "found",
    [
        'import_module("model")',
        'importlib.import_module("a.model")',
        "import_module(name)",
        "import_module(*name)",
        'map(import_module, ["model"])',
        "vars(argparse.ArgumentParser().parse_args())",
        'getattr(name, "layer" + str(len(name)))',
        'getattr(name, "layer%d" % len(name))',
        'getattr(name, "layer{}".format(len(name)))',
        'getattr(name, f"layer{len(name)}")',
    ],
)
def test_what_is_looked_up_by_another_name_hides_no_call(found: str, tmp_path: Path) -> None:
    assert "losses.append(loss.item())" in _migrated(tmp_path, found)


@pytest.mark.parametrize(
    "found",
    [
        "import_module(name).evaluate(1, torch.nn.MSELoss(reduce=False), 3)",
        "getattr(import_module(name), name)",
        "vars(name)[name]",
        "vars()[name]",
        'import_module("model").__dict__[name]',
        'getattr(import_module("model"), name)',
        'getattr(name, name + "layer")',
        'getattr(name, "eval" + name)',
        'getattr(name, "%s" % name)',
        'getattr(name, "eval%s" % name)',
        'getattr(name, "{}uate".format(name))',
        'getattr(name, f"{name}layer")',
        'getattr(name, f"evaluat{name}")',
        'getattr(name, "layer".join(name))',
        "getattr(*name)",
        'globals()["layer" + name]',
        'import_module("model").evaluate(1, torch.nn.MSELoss(reduce=False), 3)',
    ],
)
def test_what_is_looked_up_may_be_called_elsewhere(found: str, tmp_path: Path) -> None:
    assert "loss.item()" not in _migrated(tmp_path, found)
