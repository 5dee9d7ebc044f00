"""Blocks that hold code in which nothing has a graph: pictures, items of a data set, loaders."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import migrate, rewrites
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
            .replace("    z =", "    with torch.no_grad():\n        z =")
            .replace("    other =", "        other =")
            .replace("    print", "        print"),
        ),
        "what nobody knows gives it": (
            _ITEM.format("make"),
            _ITEM.format("make")
            .replace(", volatile=True", "")
            .replace("    z =", "    with torch.no_grad():\n        z =")
            .replace("    print", "    with torch.no_grad():\n        print"),
        ),
        "a loop that may train": (
            _BEFORE.replace("{2}", _MADE).replace(".data[0]\n", ".data[0]\n        model.fit()\n"),
            _BEFORE.replace("{2}", "Variable(data), Variable(target)")
            .replace("        total +=", "        with torch.no_grad():\n            total +=")
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
    held = "    x = Variable(x)\n    with torch.no_grad():\n        y = model(x)\n        draw("
    assert (held in (tmp_path / "test.py").read_text()) is is_held


_LOGGED = """from torch.autograd import Variable

from journal import Journal

journal = Journal("logs")


def evaluate(model, loader):
    total = 0
    for i, x in enumerate(loader):
        x = Variable(x, volatile=True)
        y = model(x)
        journal.record("value", float(y.data.mean()), i)
        total += float(model(y).sum())
    return total
"""
_JOURNAL = """import tensorflow as tf
try:
    from StringIO import StringIO
except ImportError:
    from io import StringIO


class Journal(object):
    def __init__(self, folder):
        self.folder = folder
        self.writer = tf.summary.FileWriter(folder)

    def record(self, tag, value, step):
        self.last = step
        StringIO().writer(tag)
        summary = tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=value)])
        self.writer.add_summary(summary, step)
"""


@pytest.mark.parametrize(
    ("before", "after", "is_held"),
    [
        pytest.param("", "", True, id="a writer"),
        pytest.param("import tensorflow", "import torch, tensorflow", False, id="torch"),
        pytest.param("tf.summary.FileWriter(folder)", "make()", False, id="what nobody knows"),
        pytest.param("self.last = step", "self.folder.step()", False, id="a method of that"),
        pytest.param(
            "self.last = step", "self.record(tag, value, 3)", False, id="a method of its own"
        ),
        pytest.param("self.last = step", "keep(self)", False, id="itself"),
    ],
)
def test_methods_of_files_without_torch(
    before: str, after: str, is_held: bool, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "journal.py").write_text(_JOURNAL.replace(before, after, 1))
    (tmp_path / "test.py").write_text(_LOGGED)
    migrate_file(tmp_path / "test.py", Settings(select=("TP102",)), write=True)
    held = "    with torch.no_grad():\n        for i, x in enumerate(loader):\n"
    assert (held in (tmp_path / "test.py").read_text()) is is_held


@pytest.mark.parametrize(
    ("below", "kept", "is_held"),
    [
        pytest.param("journal.record(key, 1.5, step)", "0", True, id="for a writer alone"),
        pytest.param("journal.record(key, 1.5, step)", "step", False, id="a writer that keeps it"),
        pytest.param("other.record(key, 1.5, step)", "0", False, id="for what nobody knows"),
        pytest.param("start = step", "0", False, id="for another name"),
    ],
)
def test_steps_that_are_calculated_for_a_writer(
    below: str, kept: str, is_held: bool, tmp_path: Path
) -> None:
    """Nobody knows what ``start`` is, nor needs to where nothing of torch gets the sum."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "journal.py").write_text(_JOURNAL.replace("last = step", f"last = {kept}"))
    text = _LOGGED.replace("(model, loader)", "(model, loader, start, key, other)")
    lines = f"        step = start * 2 + i\n        {below}\n        total +="
    (tmp_path / "test.py").write_text(text.replace("        total +=", lines))
    migrate_file(tmp_path / "test.py", Settings(select=("TP102",)), write=True)
    held = "    with torch.no_grad():\n        for i, x in enumerate(loader):\n"
    assert (held in (tmp_path / "test.py").read_text()) is is_held


_BARS = """import torch
from contextlib import nullcontext
from torch.autograd import Variable
from tqdm import tqdm


class Meter(object):
    def __init__(self, start=0):
        self.value = {start}


def evaluate(model, loader, other):
    with {entered} as bar:
        for x in loader:
            x = Variable(x, volatile=True)
            meter = Meter({given})
            y = model(x)
            bar.{called}
            print(meter.value, model(y).sum())
"""


@pytest.mark.parametrize(
    ("entered", "called", "start", "given", "is_held"),
    [
        ("tqdm(total=3)", "update(1)", "start", "", True),
        ("tqdm(total=3)", "update(1)", "start", "2", True),
        ("tqdm(total=3)", "update(1)", "start.fit()", "2", False),
        ("tqdm(total=3)", "update(1)", "start", "other.fit()", False),
        ("tqdm(**other)", "work(1)", "start", "", False),
        ("nullcontext(other)", "work(1)", "start", "", False),
        ("other", "work(1)", "start", "", False),
    ],
)
def test_bars_that_are_entered_and_meters(
    entered: str, called: str, start: str, given: str, is_held: bool
) -> None:
    text = _BARS.format(entered=entered, called=called, start=start, given=given)
    held = "        with torch.no_grad():\n            for x in loader:\n"
    assert (held in migrate(text, "TP102").text) is is_held


_STATE = """import torch
from torch.autograd import Variable


def play(model, env):
    while True:
        if env.done:
            cx = Variable(torch.zeros(1, 2), volatile=True)
            hx = Variable(torch.zeros(1, 2), volatile=True)
        else:
            cx = Variable(cx.data, volatile=True)
            hx = Variable({kept}, volatile=True)
        env.anything()
        value, (hx, cx) = model(env.x, (hx, cx))
        env.step(value)
"""


@pytest.mark.parametrize(("kept", "is_bare"), [("hx.data", True), ("model.first(hx)", False)])
def test_a_choice_between_wrappers_needs_no_block(kept: str, is_bare: bool) -> None:
    after = migrate(_STATE.format(kept=kept), "TP102").text
    assert after.count("with torch.no_grad():") == (1 if is_bare else 2)
    assert "volatile" not in after
    assert "        with torch.no_grad():\n            value, (hx, cx) = model(" in after
