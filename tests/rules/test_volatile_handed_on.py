"""Helpers that hand their volatile flag on to themselves, or what they make to what moves it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.finding import Numerics
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

_TEXT = """import torch
from torch.autograd import Variable

def variable(x, volatile=False):
    if isinstance(x, (list, tuple)):
        return [{again} for y in x]
    return cuda(Variable(x, volatile=volatile))

def cuda(x):
    return x.cuda() if torch.cuda.is_available() else x

def validate(model, loader):
    for x, y in loader:
        x = variable(x{flag})
        print((model(x) - y).sum())
"""


def test_a_helper_of_lists_is_one_for_its_callers() -> None:
    given = _TEXT.format(again="variable(y, volatile=volatile)", flag=", volatile=True")
    text = migrate(given, "TP102").text
    assert "    with torch.no_grad():\n        for x, y in loader:\n" in text
    # Other files may give the helper its flag, which nothing reads.
    assert "return cuda(Variable(x))\n" in text and "def variable(x, volatile=False):\n" in text
    assert "        return [variable(y) for y in x]\n" in text
    assert "            x = variable(x)\n" in text
    assert migrate(text, "TP102").text == text


@pytest.mark.parametrize("flag", [", volatile=flag", ""])
@pytest.mark.parametrize("again", ["variable(y, volatile=not volatile)", "variable(y, volatile)"])
def test_a_helper_that_gives_itself_another_flag_keeps_its_own(again: str, flag: str) -> None:
    given = _TEXT.format(again=again, flag=flag)
    text = migrate(given.replace("(model, loader)", "(model, loader, flag)"), "TP102").text
    assert "def variable(x, volatile=False):" in text and again in text


def test_what_is_handed_to_what_moves_it_is_calculated_with_by_the_callers() -> None:
    given = _TEXT.format(again="variable(y, volatile or y.is_cuda)", flag=", volatile=True")
    found = advice("TP102", given)
    (helper,) = [f for f in found if f.line == 7]
    assert "set_grad_enabled" not in helper.message
    assert helper.message.endswith("what only evaluates goes under `with torch.no_grad():`")


def test_what_is_calculated_there_is_told_of_there() -> None:
    text = "import torch\nfrom torch.autograd import Variable\ndef run(net, x, flag):\n"
    made = "net(Variable(x, volatile=flag))"
    found = advice("TP102", f"{text}    if flag:\n        print(x)\n    return {made}\n")
    assert all("what only evaluates" not in f.message for f in found)


def test_what_the_module_decides_is_told_by_its_flag() -> None:
    text = "import torch\nfrom torch.autograd import Variable\n"
    text += "class Net(torch.nn.Module):\n    def wrap(self, x):\n"
    text += "        return Variable(x, volatile=not self.training).cuda()\n"
    assert migrate(text, "TP102").text.count("no_grad") == 0


_DRAWN = """import torch
from torch.autograd import Variable

class Decoder(torch.nn.Module):
    def draw(self, embedding, count, vol):
        inputs = Variable(torch.LongTensor(count, 1).fill_(1), volatile=vol)
        return self.layer(inputs, embedding)

def sample(decoder, grids, count{parameter}):
    rolls = decoder.draw(grids, count, {flag})
    return rolls
"""


@pytest.mark.parametrize(
    ("parameter", "flag", "switch"),
    [
        (", vol=True", "vol", "set_grad_enabled(torch.is_grad_enabled() and not vol)"),
        ("", "True", "no_grad()"),
    ],
)
def test_a_call_that_calculates_with_what_it_makes_is_no_value_that_goes_nowhere(
    parameter: str, flag: str, switch: str
) -> None:
    text = migrate(_DRAWN.format(parameter=parameter, flag=flag), "TP102").text
    assert f"    with torch.{switch}:\n        rolls = decoder.draw(grids, count, " in text
    assert migrate(text, "TP102").text == text


def test_a_call_that_only_wraps_what_nothing_uses_just_loses_its_flag() -> None:
    given = _TEXT.format(again="variable(y, volatile=volatile)", flag=", volatile=True")
    text = migrate(given.replace("(model(x) - y).sum()", "y"), "TP102").text
    assert "no_grad" not in text and "        x = variable(x)\n" in text


_BATCHES = """import torch
from torch.autograd import Variable

class Lines:
    def some(self, n, is_volatile):
        return self.batch(self.lines[:n], is_volatile){cut}

    def batch(self, lines, is_volatile):
        most = max([len(x) for x in lines])
        x = torch.LongTensor(lines)
        x = Variable(x, volatile=is_volatile)
        if torch.cuda.is_available():
            x = x.cuda()
        {calculated}
        return x, most
"""


@pytest.mark.parametrize("calculated", ["", "x = x * 2"])
def test_a_batch_is_given_back_without_a_block_where_nothing_is_recorded(calculated: str) -> None:
    given = _BATCHES.format(cut="", calculated=calculated)
    assert migrate(given, "TP102").text == given
    assert 6 in [found.line for found in advice("TP102", given)]


@pytest.mark.parametrize(
    ("cut", "calculated"), [("", "x = self.embedding(x)"), ("[0] + self.w", "")]
)
def test_what_is_calculated_on_the_way_has_its_block(cut: str, calculated: str) -> None:
    given = _BATCHES.format(cut=cut, calculated=calculated)
    text = migrate(given, "TP102").text
    assert "with torch.set_grad_enabled(torch.is_grad_enabled() and not is_volatile):\n" in text


_SAMPLER = """import torch
from torch import nn
from torch.autograd import Variable

class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
    def sample(self, x, size, vol):
        first = Variable(torch.zeros(size), volatile=vol)
        second = Variable(torch.ones(size), volatile=vol)
        return self.layer(x) + first + second

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.decoder = Decoder()
    def sample(self, x, y, size, vol=True):
        drawn = {}
        return drawn
"""
_BLOCK = "`with torch.set_grad_enabled(torch.is_grad_enabled() and not vol):`"
_DROP = "volatile= has no effect since 0.4: drop it here and in line 11"


@pytest.mark.parametrize(
    ("drawn", "said"),
    [
        (
            "self.decoder.sample(x + y, size, vol)",
            f"{_DROP}, and then vol; {_BLOCK} around the call in line 19 does what it did",
        ),
        (
            "self.decoder.sample(x + y, size, True)",
            f"{_DROP}, and then vol; `with torch.no_grad():` around the call in line 19 does what"
            " it did",
        ),
        (
            "self.decoder.sample(*x, vol=vol)",
            f"{_DROP}; what only evaluates goes under `with torch.no_grad():`",
        ),
    ],
)
def test_what_the_calls_have_in_its_place_is_named(drawn: str, said: str, tmp_path: Path) -> None:
    # What other files call by that name may be another method, which gets no flag there.
    net, main = tmp_path / "net.py", tmp_path / "main.py"
    net.write_text(_SAMPLER.format(drawn))
    main.write_text("import net\ndef test(net, x, y):\n    return net.sample(x, y, 3)\n")
    results = migrate_files([net, main], Settings(select=("TP102",)), write=False)
    (found,) = [f for result in results for f in result.findings if f.numerics is Numerics.ADVICE]
    assert found.message == said and found.line == 10
