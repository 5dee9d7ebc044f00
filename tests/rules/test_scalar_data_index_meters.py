"""``meter.avg[0]`` of a meter that keeps a sum of what has no dimension."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_TEXT = """import torch
class Meter:
    def __init__(self):
        self.sum = self.avg = 0
        self.count = 0
    def update(self, val, n=1):
        self.sum += {added}
        self.count += n
        self.avg = {average}
def train(net, loader, other):
    meter = Meter()
    for x, y in loader:
        right = torch.max(net(x).data, 1)[1].eq(y)
        meter.update({given}, len(loader))
        {use}
"""
_ADDED, _AVERAGE, _GIVEN = "val * n", "self.sum / self.count", "right.float().sum()"
_USE = "print(float(meter.avg[0]))"


def _text(
    added: str = _ADDED,
    average: str = _AVERAGE,
    given: str = _GIVEN,
    use: str = _USE,
    more: str = "",
) -> str:
    return _TEXT.format(added=added, average=average, given=given, use=use) + more


@pytest.mark.parametrize(
    "use",
    [
        _USE,
        "print('{:.2f}'.format(meter.avg[0]))",
        "print(float(meter.sum[0]))",
    ],
)
@pytest.mark.parametrize("given", [_GIVEN, "right.float().mul_(2).mean()"])
def test_a_sum_of_numbers(use: str, given: str) -> None:
    text = _text(use=use, given=given)
    numbers = text.replace("[0]))", ".item()))").replace(
        "float(meter.sum.item())", "meter.sum.item()"
    )
    assert migrate(text, "TP103").text == numbers


@pytest.mark.parametrize(
    "text",
    [
        _text(given="right.float().sum(0, keepdim=True)"),
        _text(given="right.float()"),
        _text(given="other"),
        _text(given="3"),
        _text(average="[self.sum / self.count]"),
        _text(average="self.sum / other"),
        _text(added="val.view(1)"),
        _text(added="other(val)"),
        _text(more="    meter.avg = other\n"),
        _text(more="    meter.update(other)\n"),
        _text(more="    other(meter)\n", use="print(float(other.avg[0]))"),
        _text(use="meter.avg[0] = 1"),
        _text(use="print(float(meter.avg[1]))"),
        _text(use="print(float(meter.avg))"),
    ],
)
def test_what_may_be_something_else(text: str) -> None:
    assert migrate(text, "TP103").text == text
    assert not advice("TP103", text)


@pytest.mark.parametrize(
    ("given", "use"),
    [(_GIVEN, "keep(meter.avg[0])"), ("torch.dist(net(x), y)", "print(float(meter.avg[0]))")],
)
def test_what_may_be_wanted_as_a_tensor_is_told(given: str, use: str) -> None:
    text = _text(given=given, use=use)
    assert migrate(text, "TP103").text == text
    (finding,) = advice("TP103", text)
    assert finding.message.startswith("a tensor without dimensions has no index 0, which raises")


@pytest.mark.parametrize(
    ("more", "is_number"),
    [
        ("meter.update(3)", True),
        ("meter.update(loader[0], 2)", False),
        ("meter.update(3, other)", False),
        ("meter.update(*other)", False),
        ("other.update(other)", False),
        ("other(meter.update)", False),
    ],
)
def test_what_all_calls_of_the_project_give(tmp_path: Path, more: str, is_number: bool) -> None:
    (tmp_path / ".git").mkdir()
    meter, _, train = _text(use=f"{more}\n        {_USE}").partition("def train")
    (tmp_path / "meters.py").write_text(meter)
    path = tmp_path / "train.py"
    path.write_text("import torch\nfrom meters import Meter\ndef train" + train)
    result = migrate_file(path, Settings(select=("TP103",)), write=False)
    assert ("meter.avg.item()" in (result.after or "")) is is_number
