"""What is calculated between volatile lines for them alone goes under no_grad with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_TEXT = """
import torch
import torch.nn as nn
from torch.autograd import Variable


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.w = nn.Parameter(torch.zeros(3, 3))

    def encode(self, x):
        return self.fc(x)

    def lengths(self):
        scores = self.fc(self.w)
        return [scores.t(), scores], scores

    def kept(self):
        self.last = self.fc(self.w)
        return [self.last], self.last

    def written(self):
        self.w.data.copy_(self.fc(self.w))
        self.buffer.copy_(self.fc(self.w))
        return [self.buffer], self.buffer


net = Net()
lens = None


def label(x, y, infer):
{head}    enc = net.encode(Variable(x, volatile=True))
    {between}
    out = net.encode(Variable(y, volatile=True)) + {used}
    {after}
    return out.data.sum(), other
"""


def _migrated(between: str, used: str = "enc", after: str = "other = 1", head: str = "") -> str:
    return migrate(_TEXT.format(between=between, used=used, after=after, head=head)).text


@pytest.mark.parametrize(
    ("between", "used", "after"),
    [
        ("lens, _ = net.lengths()", "enc * lens[0]", "other = 1"),
        ("lens, scores = net.lengths()", "enc * lens[0]", "other = scores.data"),
        ("lens, _ = net.lengths()", "enc", "other = infer([t.data for t in lens])"),
        ("lens = net.lengths()[0][0].data.cpu()", "enc", "other = infer(lens)"),
        ("lens = net.fc(net.w)", "enc * lens", "other = lens.data.cpu().numpy()"),
        ("lens = net.w.t() * 2", "enc * lens", "other = lens.size(0)"),
        ("lens, _ = net.lengths(); lens = net.fc(lens[0])", "enc * lens", "other = 1"),
    ],
)
def test_one_block_holds_what_is_wanted_inside(between: str, used: str, after: str) -> None:
    migrated = _migrated(between, used, after)
    assert migrated.count("with torch.no_grad():") == 1
    assert "        enc = net.encode(x)\n        " in migrated
    assert "    lens" not in migrated.replace("        lens", "")
    assert "        out = net.encode(y)" in migrated


@pytest.mark.parametrize(
    ("between", "used", "after"),
    [
        ("lens, _ = net.lengths()", "enc * lens[0]", "other = lens[0].sum()"),
        ("lens, scores = net.lengths()", "enc * lens[0]", "other = scores"),
        ("lens, _ = net.lengths()", "enc * lens[0]", "other = lambda: lens"),
        ("lens, _ = net.kept()", "enc * lens[0]", "other = 1"),
        ("lens, _ = net.written()", "enc * lens[0]", "other = 1"),
        ("lens = torch.relu_(net.w)", "enc * lens", "other = 1"),
        ("lens, net.last = net.lengths()", "enc * lens[0]", "other = 1"),
        ("lens = infer.lengths()", "enc * lens", "other = 1"),
        ("lens = x.data.mul(net.fc(net.w))", "enc", "other = lens"),
        ("lens = net.fc(net.w)", "enc * lens", "lens += 1; other = lens"),
    ],
)
def test_what_needs_a_graph_outside_stays_between(between: str, used: str, after: str) -> None:
    migrated = _migrated(between, used, after)
    assert "\n    lens" in migrated
    assert migrated.count("with torch.no_grad():") == 2


def test_so_does_what_everybody_sees() -> None:
    migrated = _migrated("lens, _ = net.lengths()", "enc * lens[0]", head="    global lens\n")
    assert "\n    lens, _ = net.lengths()\n" in migrated


_LOOP = """
import torch
from torch.autograd import Variable


def generate(model, tiers, steps, keep):
    samples = torch.zeros(3, steps).long()
    outputs = [None for _ in tiers]
    for i in range(steps):
        for tier, rnn in enumerate(tiers):
            if i % rnn.size:
                continue
            x = Variable(samples[:, i].float(), volatile=True)
            {between}
            outputs[tier] = model(x, {used})
            {after}
        y = Variable(samples[:, i].float(), volatile=True)
        samples[:, i] = model(y, outputs[0]).squeeze(1).data.multinomial(1).squeeze(1)
    return samples
"""


@pytest.mark.parametrize(
    ("between", "used", "after"),
    [
        ("at = (i // rnn.size) % rnn.frames", "samples[:, at]", "pass"),
        ("at = i * rnn.size", "samples[:, at:]", "pass"),
        ("at = i * rnn.size", "samples[at]", "pass"),
        # What is an index has no graph, wherever it is kept.
        ("at = i * rnn.size", "samples[:, at]", "keep[at] = 1"),
        ("at = i * rnn.size", "samples[:, at]", "keep.append(at)"),
        ("scale = rnn.size * 2", "scale", "pass"),
        ("scale = rnn.size * 2", "torch.exp(x * scale)", "print(scale.data)"),
    ],
)
def test_a_loop_that_calculates_what_its_own_lines_want_goes_whole(
    between: str, used: str, after: str
) -> None:
    migrated = migrate(_LOOP.format(between=between, used=used, after=after), "TP102").text
    assert migrated.count("with torch.no_grad():") == 1
    assert "    with torch.no_grad():\n        for i in range(steps):" in migrated


@pytest.mark.parametrize(
    ("between", "used", "after"),
    [
        ("at = i * rnn.size", "0", "print(keep[at])"),
        ("at = i * rnn.size", "0", "keep.append(at)"),
        ("scale = rnn.size * 2", "scale", "keep.run(lambda: scale)"),
        ("rnn.scale = rnn.size * 2", "rnn.scale", "pass"),
        ("scale = keep.scale(i)", "scale", "pass"),
    ],
)
def test_what_a_loop_may_keep_with_its_graph_stays_outside(
    between: str, used: str, after: str
) -> None:
    migrated = migrate(_LOOP.format(between=between, used=used, after=after), "TP102").text
    assert "    with torch.no_grad():\n        for i in range(steps):" not in migrated
    assert f"\n            {between}\n" in migrated


_HELPERS = """
import torch
from torch.autograd import Variable
kept = []

def variable(x, volatile=False):
    if isinstance(x, (list, tuple)):
        return [variable(y, volatile=volatile) for y in x]
    return moved(Variable(x, volatile=volatile))

def moved(x):
    return x.cuda() if torch.cuda.is_available() else x

def scaled(x):
    return moved(Variable(x)) * net.weight

def noted(x):
    kept.append(net(x))
    return Variable(x)
"""

_VALIDATED = """
import torch
import helpers

def validate(model, criterion, loader, optimizer):
    model.eval()
    losses = []
    for inputs, targets in loader:
        inputs = helpers.variable(inputs, volatile=True)
        targets = {targets}
        loss = criterion(model(inputs), targets)
        losses.append(loss.data[0])
        {after}
    return losses

validate(make(), make(), make(), make())
"""


@pytest.mark.parametrize(
    ("targets", "after", "is_whole"),
    [
        ("helpers.variable(targets)", "pass", True),
        ("helpers.moved(helpers.variable(targets))", "pass", True),
        ("helpers.variable(targets)", "losses.append(targets.size(0))", True),
        ("helpers.scaled(targets)", "losses.append(targets)", False),
        ("helpers.noted(targets)", "pass", False),
        ("helpers.moved(targets)", "losses.append(targets)", False),
        ("unheard.variable(targets)", "losses.append(targets)", False),
        ("helpers.variable(targets)", "optimizer.step()", False),
    ],
)
def test_what_a_helper_of_another_file_wraps_comes_under_the_same_block(
    targets: str, after: str, is_whole: bool, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "helpers.py").write_text(_HELPERS)
    main = tmp_path / "main.py"
    main.write_text(_VALIDATED.format(targets=targets, after=after))
    migrated = migrate_file(main, Settings(select=("TP102",)), write=False).after
    assert migrated is not None
    whole = "    with torch.no_grad():\n        for inputs, targets in loader:\n"
    assert (whole in migrated) is is_whole
    assert "inputs = helpers.variable(inputs)\n" in migrated


_ASKED = """\
import torch
from torch.autograd import Variable
{more}

def validate(net, loader, options, scale):
    total = 0
    for x in loader:
        x = Variable(x, volatile=True)
        info = {asked}
        total += net(x, info)
    return total
"""
_INFO = """
{decorator}
def info_of(options, x=None):
    if options.kind == 'small':
        info = {{'size': (1, 28), 'n': {n}}}
    elif isinstance(options, str) or not options.kind:
        raise ValueError('what is ' + str(options))
    else:
        info = {{'size': (3, len(options)), 'n': None}}
    return info

"""


def _info(**given: str) -> str:
    text = _INFO.format(**{"decorator": "", "n": "options.n", **given})
    return text.replace("'what is ' + str(options)", "str(options)")


@pytest.mark.parametrize("n", ["options.n", "[options.n, 3]", "3 if options.n else 2", "x"])
def test_a_loop_that_asks_what_calculates_nothing_goes_whole(n: str) -> None:
    more = _info(n=n)
    after = migrate(_ASKED.format(more=more, asked="info_of(options)"), "TP102").text
    assert "    with torch.no_grad():\n        for x in loader:\n" in after


@pytest.mark.parametrize(
    "given",
    [
        {"n": "scale(options)"},
        {"n": "options.n * 2"},
        {"n": "-x"},
        {"n": "x[0]"},
        {"n": "x.T"},
        {"n": "sum(x)"},
        {"n": "[y for y in x]"},
        {"n": "(*x, 1)"},
        {"decorator": "@scale"},
    ],
)
def test_what_may_calculate_stays_outside(given: dict[str, str]) -> None:
    more = "from other import scale\n" + _info(**given)
    after = migrate(_ASKED.format(more=more, asked="info_of(options)"), "TP102").text
    assert "    for x in loader:\n" in after
    assert "        with torch.no_grad():\n" in after


def test_taking_apart_what_is_given_may_calculate() -> None:
    more = "def info_of(x):\n    y, z = x\n    return y\n"
    after = migrate(_ASKED.format(more=more, asked="info_of(options)"), "TP102").text
    assert "    for x in loader:\n" in after


def test_what_calculates_nothing_may_stand_in_another_file(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sizes.py").write_text("import torch\n" + _info())
    text = _ASKED.format(more="import sizes\n", asked="sizes.info_of(options)")
    (tmp_path / "main.py").write_text(text)
    after = migrate_file(tmp_path / "main.py", Settings(select=("TP102",)), write=False).after
    assert "    with torch.no_grad():\n        for x in loader:\n" in (after or "")
