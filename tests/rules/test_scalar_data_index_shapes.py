"""TP103: rows of what has two dimensions, parts of lists of vectors, and what is changed in place."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.finding import Numerics

_RAISES = "raises where"

_OF_ROWS = """
import torch
from torch.autograd import Variable
class Agent:
    def __init__(self, batch, atoms):
        self.m = {made}
    def target(self):
        m = self.m.fill_(0)
        return Variable(m)
    def learn(self, memory, probs, places, batch, j):
        probs.cuda(), probs.detach()
        error = {error}
        for i in range(batch):
            memory.update(places[i], '%.2f' % {element}.data[0])
"""


@pytest.mark.parametrize(
    ("made", "error", "element", "is_told"),
    [
        ("torch.zeros(batch, atoms)", "self.target() - probs", "error[i]", False),
        ("torch.zeros(batch, atoms)", "(self.target() - probs).clone()", "error[i]", False),
        ("torch.zeros(batch, atoms, 3)", "self.target() - probs", "error[i][2]", False),
        ("torch.zeros(batch, atoms)", "probs - probs", "error[i]", True),
        ("torch.zeros(batch, atoms)", "(self.target() - probs).squeeze()", "error[i]", True),
        ("torch.zeros(batch)", "self.target() - probs", "error[i]", True),
    ],
)
def test_a_row_of_what_has_two_dimensions_has_one(
    made: str, error: str, element: str, is_told: bool
) -> None:
    text = _OF_ROWS.format(made=made, error=error, element=element)
    told = [found.message for found in advice("TP103", text)]
    assert any(_RAISES in message for message in told) == is_told


_OF_LISTS = """
import torch
def f(memory, show, keep):
    state, reward = {given}
    keep(state)
    show('%.2f' % reward.data[0])
"""


@pytest.mark.parametrize(
    ("given", "is_told"),
    [
        ("[torch.cat(a) for a in zip(*memory)]", False),
        ("(torch.stack(a) for a in zip(*memory))", False),
        ("[torch.foo(a) for a in memory]", True),
        ("[keep(a) for a in zip(*memory)]", True),
        ("{torch.cat(a) for a in zip(*memory)}.union(memory)", True),
    ],
)
def test_parts_of_a_list_of_what_is_joined_have_a_dimension(given: str, is_told: bool) -> None:
    told = advice("TP103", _OF_LISTS.format(given=given))
    assert any(_RAISES in found.message for found in told) == is_told


def test_a_list_that_is_changed_may_hold_others() -> None:
    text = _OF_LISTS.format(given="parts")
    made = "    parts = [torch.cat(a) for a in zip(*memory)]\n    keep(parts)\n"
    text = text.replace("    state, reward", made + "    state, reward")
    assert any(_RAISES in found.message for found in advice("TP103", text))


_IN_PLACE = """
import torch
from torch.autograd import Variable
def f(x, eps, y, more):
    y.cuda(), y.detach()
    depth = {made}
    {between}
    depth {change}
    if '%.2f' % depth.data[0]:
        return
"""


@pytest.mark.parametrize(
    ("made", "between", "change", "is_told"),
    [
        ("Variable(torch.Tensor([x]))", "pass", "-= 2 * eps", False),
        ("y.view(-1)", "depth *= y", "-= 2 * eps", False),
        ("y.view(-1)", "for _ in range(3): depth += more", "-= eps", False),
        ("y", "pass", "-= 2 * eps", True),
        ("y.view(-1)", "if eps: depth = y", "-= 2 * eps", True),
        ("y.view(-1)", "if eps: depth = y; depth *= 2", "-= 2 * eps", True),
    ],
)
def test_what_is_changed_in_place_keeps_its_dimension(
    made: str, between: str, change: str, is_told: bool
) -> None:
    text = _IN_PLACE.format(made=made, between=between, change=change)
    told = advice("TP103", text)
    assert any(_RAISES in found.message for found in told) == is_told


_WRITTEN = """import torch
from torch.autograd import Variable
def f(x, words):
    y = Variable(x, volatile=True).view({size})
    z = y.data
    {line}
"""


@pytest.mark.parametrize(
    "line",
    [
        'print("{} {:.2f}".format(1, ITEM))',
        'print("{n}".format(n=ITEM))',
        'print("%.3f" % ITEM)',
        'print("%d: %.3f" % (1, ITEM))',
        'return f"{ITEM:.2f}"',
    ],
)
@pytest.mark.parametrize(("size", "item"), [("1", "y.item()"), ("-1", "y[0].item()")])
def test_an_element_that_is_formatted_is_written_as_number(line: str, size: str, item: str) -> None:
    before = line.replace("ITEM", "y.data[0]")
    migration = migrate(_WRITTEN.format(size=size, line=before), "TP103")
    assert line.replace("ITEM", item) in migration.text
    (found,) = migration.findings
    assert found.numerics is Numerics.IDENTICAL


@pytest.mark.parametrize(
    "line",
    [
        # Rows, of which a format writes all.
        'print("{}".format(y.data[0]))',
        'print("%s" % y.data[0])',
        # Asked for what a number has not, and of another thing.
        'print("{}".format(y.data[0].size()))',
        "words.form(y.data[0])",
    ],
)
def test_what_is_no_element_is_formatted_as_it_is(line: str) -> None:
    text = _WRITTEN.format(size="2, -1", line=line)
    assert migrate(text, "TP103").text == text


_ON_DEVICES = """import torch
import torch.nn as nn
from torch.autograd import Variable

class Critic(nn.Module):
    def __init__(self, gpus):
        super().__init__()
        self.gpus = gpus
        self.layer = nn.Linear(3, 1)

    def forward(self, x):
        if self.gpus > 1:
            out = nn.parallel.data_parallel({given}, x, range(self.gpus))
        else:
            out = self.layer(x)
        return out.mean(0).view(1)

critic = Critic(2)
x = Variable(torch.randn(5, 3), volatile=True)
print("{{:.3f}}".format(critic(x).data[0]))
"""


def test_data_parallel_gives_what_its_module_does() -> None:
    text = _ON_DEVICES.format(given="self.layer")
    assert "format(critic(x).item())" in migrate(text, "TP103").text


def test_of_a_module_that_is_not_known_it_gives_what_is_not_known() -> None:
    text = _ON_DEVICES.format(given="self.gpus.other")
    assert "format(critic(x).data[0])" in migrate(text, "TP103").text


@pytest.mark.parametrize(
    "line",
    [
        "print(ITEM * 100)",
        "print(-ITEM)",
        "print(abs(ITEM), round(ITEM, 3))",
        'print("{}".format(1 - ITEM))',
        "words.step(2 * ITEM + 1)",
        "best = max(0, ITEM)\n    words.add(best)",
        "n = 0\n    n += abs(ITEM)\n    return n",
    ],
)
def test_what_is_calculated_of_an_element_was_a_number_as_well(line: str) -> None:
    before = _WRITTEN.format(size="-1", line=line.replace("ITEM", "y.data[0]"))
    migration = migrate(before, "TP103")
    assert line.replace("ITEM", "y[0].item()") in migration.text
    assert {found.numerics for found in migration.findings} == {Numerics.PINNED}


@pytest.mark.parametrize(
    "line",
    [
        # With tensors a number calculates as a tensor of one does.
        "print(y.data[0] * x)",
        "print(z * y.data[0])",
        "print(torch.abs(y.data[0]))",
        # What is asked of it no number has.
        "best = abs(y.data[0])\n    print(best, best.size())",
        "print((y.data[0] * 2).size())",
    ],
)
def test_what_is_calculated_with_tensors_stays_one(line: str) -> None:
    text = _WRITTEN.format(size="-1", line=line)
    assert migrate(text, "TP103").text == text


def test_the_size_that_is_asserted_says_what_three_indices_leave() -> None:
    text = """import torch
from torch.autograd import Variable
def f(words, mask, n):
    assert words.size() == mask.size() and words.size() == (n, 3, 4)
    print(mask.contiguous())
    for i in range(n):
        for j in range(3):
            if mask[i][j][2].data[0] == 0:
                break
"""
    assert "mask[i][j][2].item() == 0" in migrate(text, "TP103").text
    other = text.replace("(n, 3, 4)", "(n, 3, 4, 5)")
    assert migrate(other, "TP103").text == other
