"""``loss.data[0]`` of a loss function that is handed in, and of a loss that a caller trains on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_TWINS = """import torch
from torch.autograd import Variable
def train(net, loader, criterion):
    for x, y in loader:
        output = net(Variable(x, volatile=False))
        loss = criterion(output, y)
        loss.backward()
{more}
def validate(net, loader, criterion):
    for x, y in loader:
        output = net(x)
        {line}
        print(loss.data[0])
{calls}
"""
_SAME = "loss = criterion(output, y)"
_BOTH = "train(net, loader, {})\nvalidate(net, loader, {})"


def _is_rewritten(folder: Path, text: str) -> bool:
    """Whether a script of a project gets its ``.item()``."""
    (folder / ".git").mkdir()
    (folder / "run.py").write_text(text)
    after = migrate_file(folder / "run.py", Settings(select=("TP103",)), write=False).after
    assert after in (None, text, text.replace(".data[0]", ".item()"))
    return after not in (None, text)


@pytest.mark.parametrize(
    "calls",
    [
        "",
        _BOTH.format("criterion", "criterion"),
        "def run(net, loader, loss):\n    train(net, loader, loss)\n    validate(net, loader, loss)",
        "validate(net, loader, criterion)",
        "train(net, loader, other)\n" + _BOTH.format("self.loss", "self.loss"),
    ],
)
def test_a_parameter_that_two_functions_are_given_alike(tmp_path: Path, calls: str) -> None:
    assert _is_rewritten(tmp_path, _TWINS.format(line=_SAME, more="", calls=calls))


@pytest.mark.parametrize(
    ("line", "more", "calls"),
    [
        ("loss = criterion(net(x), y)", "", ""),
        ("criterion = net.loss\n        " + _SAME, "", ""),
        (_SAME, "        criterion.eval()", ""),
        (_SAME, "print(net.training)", ""),
        (_SAME, "", _BOTH.format("criterion", "rate")),
        (_SAME, "", _BOTH.format("criterion", "criterion.each")),
        (_SAME, "", _BOTH.format("torch.nn.NLLLoss()", "torch.nn.NLLLoss(reduce=False)")),
        (_SAME, "", _BOTH.format("criterion", "*criterion")),
        (_SAME, "", "validate(net, loader, rate)"),
    ],
)
def test_a_parameter_that_may_be_another(tmp_path: Path, line: str, more: str, calls: str) -> None:
    assert not _is_rewritten(tmp_path, _TWINS.format(line=line, more=more, calls=calls))


_HANDED = """import torch
from torch.autograd import Variable
def validate(net, x, y, measure):
    output = net(x)
    print(measure({given}).data[0])
def train(net, loader, criterion, other):
    for x, y in loader:
        loss = criterion(net(Variable(x, volatile=False)), y)
        {root}
        validate(net, x, y, {handed})
{more}
"""
_ROOT = "loss.backward()"


def test_what_a_caller_trains_with_itself(tmp_path: Path) -> None:
    text = _HANDED.format(given="output, y", root=_ROOT, handed="criterion", more="")
    assert _is_rewritten(tmp_path, text)


@pytest.mark.parametrize(
    ("given", "root", "handed", "more"),
    [
        ("output, y", _ROOT, "other", ""),
        ("output, y", "loss.mean().backward()", "criterion", ""),
        ("output", _ROOT, "criterion", ""),
        ("output, y, False", _ROOT, "criterion", ""),
        ("*output", _ROOT, "criterion", ""),
        ("output, y", "criterion = other.of(y)\n        " + _ROOT, "criterion", ""),
        ("output, y", _ROOT, "criterion", "validate(net, x, y, rate)"),
        ("output, y", _ROOT, "criterion", "show(validate)"),
        ("output, y", _ROOT, "criterion", "measure.train()"),
    ],
)
def test_what_a_caller_may_not_train_with(
    tmp_path: Path, given: str, root: str, handed: str, more: str
) -> None:
    text = _HANDED.format(given=given, root=root, handed=handed, more=more)
    assert not _is_rewritten(tmp_path, text)


_RETURNED = """import torch
from torch.autograd import Variable
def step(net, x, y, volatile=False):
    output = net(Variable(x, volatile=volatile))
    loss = net.measure(output, y)
    print(loss.data[0])
    {returns}
def train(net, loader):
    for x, y in loader:
        {taken}
        {root}
"""


@pytest.mark.parametrize(
    ("returns", "taken"),
    [
        ("return loss", "loss = step(net, x, y)"),
        ("return loss, output", "loss, _ = step(net, x, y)"),
        ("return output, (y, loss)", "_, (_, loss) = step(net, x, y)"),
    ],
)
@pytest.mark.parametrize("root", [_ROOT, "(loss * 2).backward()", f"if x:\n            {_ROOT}"])
def test_what_a_caller_differentiates(tmp_path: Path, returns: str, taken: str, root: str) -> None:
    assert _is_rewritten(tmp_path, _RETURNED.format(returns=returns, taken=taken, root=root))


@pytest.mark.parametrize(
    ("returns", "taken", "root"),
    [
        ("return loss, output", "_, loss = step(net, x, y)", _ROOT),
        ("return loss", "loss = step(net, x, y)", "loss.backward(y)"),
        ("return loss", "loss = step(net, x, y)", "loss.mean().backward()"),
        ("return loss", "loss = net.step(net, x, y)", _ROOT),
        ("return loss.mean()", "loss = step(net, x, y)", _ROOT),
        ("loss = loss.mean()\n    return loss", "loss = step(net, x, y)", _ROOT),
        ("if y:\n        return output\n    return loss", "loss = step(net, x, y)", _ROOT),
        ("yield loss", "loss = step(net, x, y)", _ROOT),
        ("return loss", "loss = step(net, x, y) if x else net(x)", _ROOT),
    ],
)
def test_what_a_caller_may_not_differentiate(
    tmp_path: Path, returns: str, taken: str, root: str
) -> None:
    assert not _is_rewritten(tmp_path, _RETURNED.format(returns=returns, taken=taken, root=root))


def test_a_file_that_may_be_younger() -> None:
    text = _RETURNED.format(returns="return loss", taken="loss = step(net, x, y)", root=_ROOT)
    text = text.replace("volatile=volatile", "requires_grad=volatile")
    assert migrate(text, "TP103").text == text


_TRAIN = """from torch.autograd import Variable
def train_epoch(net, loader, criterion):
    for x, y in loader:
        output = net(Variable(x))
        loss = criterion(output, y)
        loss.backward()
"""
_VALIDATE = """from torch.autograd import Variable
def validate_epoch(net, loader, criterion, meter):
    for x, y in loader:
        output = net(Variable(x, volatile=True))
        loss = criterion(output, y)
        meter.update(loss.data[0])
"""
_MAIN = """from train import train_epoch
from validate import validate_epoch
def main(net, loader, meter, criterion, other):
    train_epoch(net, loader, {})
    {}validate_epoch(net, loader, {}, meter)
"""


def _in_three_files(folder: Path, main: str, train: str, validate: str) -> tuple[bool, bool]:
    """Whether the loss of validation gets its ``.item()``, and whether something is said of it."""
    (folder / ".git").mkdir()
    texts = {"train": train, "validate": validate, "main": main}
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    result = migrate_file(folder / "validate.py", Settings(select=("TP103",)), write=False)
    assert result.after in (None, validate, validate.replace(".data[0]", ".item()"))
    is_told = [f.line for f in result.findings if not f.fixed] == [6]
    return result.after not in (None, validate), is_told


@pytest.mark.parametrize(
    ("handed", "is_number", "is_told"),
    [
        (("criterion", "", "criterion"), True, False),
        (("criterion", "criterion = other.of(3)\n    ", "criterion"), False, True),
        (("criterion", "criterion.eval()\n    ", "criterion"), False, True),
        (("criterion", "", "other"), False, True),
        (("*criterion", "", "criterion"), False, True),
        (("other", "", "criterion"), False, True),
    ],
)
def test_what_a_caller_hands_to_what_trains_with_it(
    tmp_path: Path, handed: tuple[str, str, str], is_number: bool, is_told: bool
) -> None:
    found = _in_three_files(tmp_path, _MAIN.format(*handed), _TRAIN, _VALIDATE)
    assert found == (is_number, is_told)


@pytest.mark.parametrize(
    ("old", "new", "is_told"),
    [
        ("", "", True),
        # Of another number of arguments, under another name, and of a part nothing is known.
        ("criterion(output, y)", "criterion(output)", False),
        ("criterion", "measure", False),
        ("loss = criterion(output, y)", "_, loss = criterion(output, y)", False),
        ("net, loader, criterion", "net, loader", False),
    ],
)
def test_what_another_file_trains_with_is_told_of(
    tmp_path: Path, old: str, new: str, is_told: bool
) -> None:
    train = _TRAIN.replace(old, new) if old else _TRAIN
    assert _in_three_files(tmp_path, "", train, _VALIDATE) == (False, is_told)
