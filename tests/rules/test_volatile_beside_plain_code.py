"""Blocks that hold code in which nothing has a graph: pictures, items of a data set, loaders."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import rewrites
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_LOOP = """\
import torch
from torch.autograd import Variable


def test(args, model, loader):
    total = 0
{0}        for data, target in {1}:
{0}            if args.cuda:
{0}                data, target = data.cuda(), target.cuda()
{0}            data, target = {2}
{0}            total += model.loss(data, target).data[0]
    return total
"""
_BEFORE = _LOOP.replace("{0}    ", "").replace("{1}", "loader")
_MADE = "Variable(data, volatile=True), Variable(target)"

_ITEM = """\
import torch
from torch.autograd import Variable


def show(model, loader, viewer):
    image = loader.dataset.{0}(0)[0]
    image = Variable(image, volatile=True)
    z = model(image)
    other = loader.dataset.{0}(1)[0]
    other = Variable(other, volatile=True)
    print(z, model(other))
"""

test_rewrites = rewrites(
    "TP102",
    {
        "a loader that is given": (
            _BEFORE.replace("{2}", _MADE),
            _LOOP.replace("    total = 0\n", "    total = 0\n    with torch.no_grad():\n")
            .replace("{0}", "")
            .replace("{1}", "loader")
            .replace("{2}", "Variable(data), Variable(target)"),
        ),
        "its batches are counted": (
            _BEFORE.replace("{2}", _MADE).replace(
                "data, target in loader", "i, (data, target) in enumerate(loader)"
            ),
            _LOOP.replace("    total = 0\n", "    total = 0\n    with torch.no_grad():\n")
            .replace("{0}", "")
            .replace("data, target in {1}", "i, (data, target) in enumerate(loader)")
            .replace("{2}", "Variable(data), Variable(target)"),
        ),
        "an item of a data set": (
            _ITEM.format("__getitem__"),
            _ITEM.format("__getitem__")
            .replace(", volatile=True", "")
            .replace("    image = Var", "    with torch.no_grad():\n        image = Var")
            .replace("    z =", "        z =")
            .replace("    other =", "        other =")
            .replace("    print", "        print"),
        ),
        "what nobody knows gives it": (
            _ITEM.format("make"),
            _ITEM.format("make")
            .replace(", volatile=True", "")
            .replace("    image = Var", "    with torch.no_grad():\n        image = Var")
            .replace("    z =", "        z =")
            .replace("    print", "    with torch.no_grad():\n        print"),
        ),
        "a loop that may train": (
            _BEFORE.replace("{2}", _MADE).replace(".data[0]\n", ".data[0]\n        model.fit()\n"),
            _BEFORE.replace("{2}", "Variable(data), Variable(target)")
            .replace(
                "        data, target = Var",
                "        with torch.no_grad():\n            data, target = Var",
            )
            .replace("        total +=", "            total +=")
            .replace(".data[0]\n", ".data[0]\n        model.fit()\n"),
        ),
    },
)

_EVALUATION = """from torch.autograd import Variable

from pictures import draw


def evaluate(args, model, x, path):
    x = Variable(x, volatile=True)
    y = model(x)
    draw(args, y.data.cpu().numpy(), path, {0})
    print(model(y))
"""
_PICTURES = """import matplotlib.pyplot as plt
import numpy as np


def draw(args, image, path, size):
    figure = plt.figure(figsize=(size, size))
    axis = figure.gca()
    axis.set_axis_off()
    if args.kind == "grey":
        image = image.reshape((args.sizes[0], args.sizes[1]))
    plt.imshow(np.swapaxes(image, 0, 1))
    plt.savefig(path)
"""


@pytest.mark.parametrize(
    ("before", "after", "size", "is_held"),
    [
        pytest.param("", "", "3", True, id="pictures"),
        pytest.param("", "", "args.size", True, id="what is not called"),
        pytest.param("import numpy", "import torch, numpy", "3", False, id="torch"),
        pytest.param("import numpy as np", "import numpy as np, lab", "3", False, id="own"),
        pytest.param("import numpy as np", "from .lab import np", "3", False, id="own beside it"),
        pytest.param("axis.set", "args.set", "3", False, id="a method of what it is given"),
        pytest.param("axis = figure", "axis = args", "3", False, id="another name of it"),
        pytest.param("def draw(args, ", "def draw(args, *more, ", "3", False, id="any number"),
        pytest.param("axis.set_axis_off()", "other(args)", "3", False, id="on to another"),
    ],
)
def test_functions_of_files_without_torch(
    before: str, after: str, size: str, is_held: bool, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "lab.py").write_text("import torch\nnp = torch\n")
    other = "\n\ndef other(args):\n    args.fit()\n"
    (tmp_path / "pictures.py").write_text(_PICTURES.replace(before, after, 1) + other)
    (tmp_path / "test.py").write_text(_EVALUATION.format(size))
    migrate_file(tmp_path / "test.py", Settings(select=("TP102",)), write=True)
    held = "    with torch.no_grad():\n        x = Variable(x)\n        y = model(x)\n        draw("
    assert (held in (tmp_path / "test.py").read_text()) is is_held
