"""``volatile=flag`` around code that trains where the flag is off."""

from pathlib import Path

from tests.support.rules import keeps, rewrites
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = """\
from torch.autograd import Variable


def run(model, criterion, batches, optimizer, train, other):
    for x, y in batches:
"""
_MADE = "        x = Variable(x, volatile=not train)\n        y = Variable(y, volatile=not train)\n"
_LOSS = "        loss = criterion(model(x), y)\n"
_STEP = "        if train:\n            optimizer.zero_grad()\n            {0}.backward()\n            optimizer.step()\n"

_TODAY = """\
import torch
from torch.autograd import Variable


def run(model, criterion, batches, optimizer, train, other):
    for x, y in batches:
        x = Variable(x)
        y = Variable(y)
        with torch.set_grad_enabled(train):
            loss = criterion(model(x), y)
"""

test_rewrites = rewrites(
    "TP102",
    {
        "a step": (_HEAD + _MADE + _LOSS + _STEP.format("loss"), _TODAY + _STEP.format("loss")),
        "cleared before": (
            _HEAD
            + _MADE
            + "        if train:\n            optimizer.zero_grad()\n"
            + _LOSS
            + "        if train:\n            loss.backward()\n            optimizer.step()\n",
            _TODAY.replace(
                "        with torch.",
                "        if train:\n            optimizer.zero_grad()\n        with torch.",
            )
            + "        if train:\n            loss.backward()\n            optimizer.step()\n",
        ),
        "no argument is none": (
            _HEAD
            + _MADE.replace("not train", "(optimizer is None)")
            + _LOSS
            + _STEP.format("loss"),
            _TODAY.replace("enabled(train)", "enabled(optimizer is not None)")
            + _STEP.format("loss"),
        ),
        "an argument is none": (
            _HEAD + _MADE.replace("not train", "other is not None") + _LOSS + _STEP.format("loss"),
            _TODAY.replace("enabled(train)", "enabled(other is None)") + _STEP.format("loss"),
        ),
        "compared twice": (
            _HEAD
            + _MADE.replace("not train", "(other is None is train)")
            + _LOSS
            + _STEP.format("loss"),
            _TODAY.replace("enabled(train)", "enabled(not (other is None is train))")
            + _STEP.format("loss"),
        ),
    },
)

test_keeps = keeps(
    "TP102",
    {
        "another loss is stepped on": _HEAD
        + _MADE
        + "        loss = criterion(model(x), y)\n        print(loss)\n        twice = other(model)\n"
        + "        twice.backward()\n        optimizer.step()\n        print(criterion(x, y))\n",
        "perhaps another loss": _HEAD
        + _MADE
        + "        loss = criterion(model(x), y)\n        if other:\n            loss = other(model)\n"
        + "        loss.backward()\n        optimizer.step()\n        print(criterion(loss, y))\n",
        "one of two losses": _HEAD
        + _MADE
        + "        loss = criterion(model(x), y) if train else other(model)\n"
        + "        loss.backward()\n        optimizer.step()\n        print(criterion(loss, y))\n",
        "a step elsewhere": _HEAD
        + _MADE
        + "        if other:\n            optimizer.step()\n"
        + _LOSS
        + "        if train:\n            loss.backward()\n        print(criterion(x, loss))\n",
        "a function that trains": _HEAD
        + _MADE
        + _LOSS
        + "        fit(loss)\n        print(criterion(loss, y))\n\n\n"
        + "def fit(loss):\n    loss.backward()\n",
    },
)


def test_what_is_not_followed_holds_no_block(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "learn.py").write_text(
        "from torch.autograd import Variable\n\n\ndef make(x, is_test):\n"
        "    return Variable(x, volatile=is_test)\n"
    )
    (tmp_path / "train.py").write_text(
        "from torch.autograd import Variable\n\nfrom learn import make\n\n\n"
        "def run(model, loss, x, y, is_test):\n    x = make(x, is_test)\n"
        "    y = Variable(y, volatile=is_test)\n    print(loss(model(x), y))\n"
    )
    result = migrate_file(tmp_path / "train.py", Settings(select=("TP102",)), write=False)
    assert {finding.line for finding in result.findings} == {8}
