"""``loss.data[0]`` of what a function of another file divides by what all calls give it."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_LOSSES = """import torch
def loss_of(preds, atoms, more=None):
    kl_div = preds * torch.log(preds)
    return {given}
"""
_MAIN = """import argparse
import numpy as np
import torch
from losses import *
parser = argparse.ArgumentParser()
parser.add_argument("--atoms", type=int, default=5)
parser.add_argument("--names", nargs="*")
args = parser.parse_args()
def validate(net, loader, unknown):
    for x in loader:
        loss = loss_of(net(x), {atoms})
        print(loss.data[0])
"""


def _is_rewritten(folder: Path, given: str, atoms: str, more: str = "") -> bool:
    (folder / ".git").mkdir()
    (folder / "losses.py").write_text(_LOSSES.format(given=given))
    main = _MAIN.format(atoms=atoms) + more
    (folder / "main.py").write_text(main)
    result = migrate_file(folder / "main.py", Settings(select=("TP103",)), write=False)
    assert result.after in (None, main, main.replace(".data[0]", ".item()"))
    return bool(result.after) and result.after != main


@pytest.mark.parametrize(
    "given",
    [
        "kl_div.sum() / (atoms * preds.size(0))",
        "kl_div.sum() / (-atoms)",
        "-kl_div.sum() * atoms",
        "kl_div.sum() / atoms + 2 * kl_div.mean()",
    ],
)
@pytest.mark.parametrize("atoms", ["args.atoms", "3"])
def test_what_is_divided_by_what_all_calls_give(tmp_path: Path, given: str, atoms: str) -> None:
    assert _is_rewritten(tmp_path, given, atoms)


@pytest.mark.parametrize(
    ("given", "atoms", "more"),
    [
        ("kl_div.sum() / (atoms * preds.size(0))", "args.names", ""),
        ("kl_div.sum() / (atoms * preds.size(0))", "unknown", ""),
        ("kl_div.sum() / (atoms * preds.size(0))", "unknown(args.atoms)", ""),
        ("kl_div.sum() / (atoms * preds.size(0))", "np.ones(3)", ""),
        ("kl_div.sum() / (atoms * preds.size(0))", "args.atoms", "\nloss_of(1, args.names)\n"),
        ("kl_div.sum() / (atoms * preds.size(0))", "args.atoms", "\nargs.atoms = input()\n"),
        ("kl_div.sum() / (atoms * preds.size(0))", "args.atoms", "\nsend(loss_of)\n"),
        ("kl_div.sum() / (atoms * preds)", "args.atoms", ""),
        ("kl_div.sum(1) / atoms", "args.atoms", ""),
        ("kl_div / atoms", "args.atoms", ""),
        ("kl_div.sum() / (atoms * more)", "args.atoms", ""),
    ],
)
def test_what_may_have_dimensions(tmp_path: Path, given: str, atoms: str, more: str) -> None:
    assert not _is_rewritten(tmp_path, given, atoms, more)
