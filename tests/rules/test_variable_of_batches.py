"""A batch that nothing else holds asks for gradients itself, whichever way it was unpacked."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_CODE = """import torch
from torch.autograd import Variable

known = torch.utils.data.DataLoader(rows, batch_size=2)
other = torch.utils.data.DataLoader(more, batch_size=2)

def evaluate(loader, net):
    for data in loader:
        {unpacked}
        {wrapped}
        net(images).sum().backward()

evaluate(known, net)
evaluate({second}, net)
"""
_UNPACKED = """if type(data) == list:
            images, labels = data
        else:
            images = data"""
_WRAPPED = "images = Variable(images, requires_grad=True).cuda()"


def _after(tmp_path: Path, unpacked: str, wrapped: str, second: str = "other") -> str:
    file = tmp_path / "test.py"
    file.write_text(_CODE.format(unpacked=unpacked, wrapped=wrapped, second=second))
    migrate_file(file, Settings(select=("TP101",)), write=True)
    return file.read_text()


@pytest.mark.parametrize(
    ("unpacked", "wrapped", "after"),
    [
        (_UNPACKED, _WRAPPED, "images = images.requires_grad_().cuda()"),
        ("images, labels = data", _WRAPPED, "images = images.requires_grad_().cuda()"),
        (
            _UNPACKED.replace("type(data) == list", "isinstance(data, list) and len(data) == 2"),
            "images = Variable(images.cuda(), requires_grad=True)",
            "images = images.cuda().requires_grad_()",
        ),
    ],
)
def test_a_batch_of_any_form_is_not_detached(
    unpacked: str, wrapped: str, after: str, tmp_path: Path
) -> None:
    assert f"        {after}\n" in _after(tmp_path, unpacked, wrapped)


@pytest.mark.parametrize(
    ("unpacked", "wrapped", "second"),
    [
        (_UNPACKED, _WRAPPED, "[net(x) for x in more]"),
        (f"{_UNPACKED}\n        clean = data", _WRAPPED, "other"),
        (f"{_UNPACKED}\n        clean = images", _WRAPPED, "other"),
        (f"kept.append(data)\n        {_UNPACKED}", _WRAPPED, "other"),
        (_UNPACKED, _WRAPPED.replace("images =", "inputs ="), "other"),
        # Each turn of the inner loop is for a leaf of its own.
        (
            "for step in range(3):\n            images = data",
            f"    {_WRAPPED}\n            print(step)",
            "other",
        ),
        (
            "for step in range(3):\n            if step:\n                images, _ = data\n"
            "            else:\n                images = data",
            f"    {_WRAPPED}\n            print(step)",
            "other",
        ),
    ],
)
def test_a_batch_that_something_else_holds_is(
    unpacked: str, wrapped: str, second: str, tmp_path: Path
) -> None:
    assert "images.detach().requires_grad_().cuda()" in _after(tmp_path, unpacked, wrapped, second)


_SHOWN = """import torch
from torch.autograd import Variable

loader = torch.utils.data.DataLoader(rows, batch_size=2)

def show(net, x, y):
    x = Variable(x.cuda())
    return net(x) - y

for x, y in loader:
    show(net, x, y)
    x, y = {}
    show(net, x.unsqueeze(0), y)
"""


@pytest.mark.parametrize(
    ("sample", "after"),
    [
        ("loader.dataset[3]", "x = x.cuda()"),
        ("loader.dataset[len(loader.dataset) - 1]", "x = x.cuda()"),
        ("loader.kept[3]", "x = x.cuda().detach()"),
        ("net.dataset[3]", "x = x.cuda().detach()"),
    ],
)
def test_a_sample_of_a_loader_has_no_more_history_than_its_batches(
    sample: str, after: str, tmp_path: Path
) -> None:
    file = tmp_path / "test.py"
    file.write_text(_SHOWN.format(sample))
    migrate_file(file, Settings(select=("TP101",)), write=True)
    assert f"    {after}\n" in file.read_text()
