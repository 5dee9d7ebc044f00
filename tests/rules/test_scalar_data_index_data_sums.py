"""``total[0]`` of what a loop sums up of ``loss.data``: a number of Python until torch 0.3."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_TEXT = """\
import torch
import torch.nn as nn
from torch.autograd import Variable
criterion = nn.MSELoss()
def test(model, loader, other):
    total = {start}
    for x, y in loader:
        x = Variable(x, volatile=True)
        loss = criterion(model(x), Variable(y))
        {line}
    other.update(total[0])
"""


def _is_number(line: str, start: str = "0") -> bool:
    text = _TEXT.format(line=line, start=start)
    migration = migrate(text, "TP103")
    assert migration.text in (text, text.replace("total[0]", "total.item()"))
    return migration.text != text


@pytest.mark.parametrize(
    "line",
    [
        "total += loss.data",
        "total += loss.data * len(x)",
        "total += len(x) * loss.data",
        "total = loss.data + 3",
        "part = loss.data\n        total += part",
        "if x is None:\n            total = loss.data\n        else:\n            total += loss.data",
        "total += loss.data\n        total += loss.data",
    ],
)
def test_a_sum_of_data_is_a_number(line: str) -> None:
    assert _is_number(line)
    assert _is_number(line, "0.")


@pytest.mark.parametrize(
    "line",
    [
        "total += loss",
        "total = loss + 3",
        "total = loss",
        "total += loss * len(x)",
        "total = loss.data if x is None else loss",
        "total = other\n        total += loss",
    ],
)
def test_a_sum_of_variables_is_none(line: str) -> None:
    assert not _is_number(line)


def test_where_only_some_were_data_it_is_none() -> None:
    assert not _is_number("total = loss.data if x is None else total", "criterion(other, other)")


_EXTREME = """\
import torch
import torch.nn as nn
from torch.autograd import Variable
class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv = nn.Conv2d(1, 1, 1)
    def forward(self, x, both=False):
        y = self.conv(x)
        if both:
            return y, x
        return y
net = Net()
def find(x, n, least):
    scores = {scores}
    last = 1.0
    for i in range(n):
        best, place = torch.max(scores.view(-1), 0)
        if best[0] / last < least:
            break
        last = best[0]
        {more}
"""


@pytest.mark.parametrize(
    ("scores", "more", "is_number"),
    [
        ("net(Variable(x, volatile=True)).data.cpu()", "print(i)", True),
        ("net(Variable(x, volatile=True)).data", "print(i)", True),
        ("torch.zeros(3, 4)", "print(i)", True),
        ("net(Variable(x, volatile=True))", "print(i)", False),
        ("torch.ones(2, requires_grad=True) * 1", "Variable(x, volatile=True)", False),
        ("x", "Variable(x, volatile=True)", False),
        ("x.scores.data", "Variable(x, volatile=True)", False),
    ],
)
def test_an_extreme_of_what_was_no_variable_is_a_number(
    scores: str, more: str, is_number: bool
) -> None:
    """A score that is compared and kept for the next round needs no tensor."""
    text = _EXTREME.format(scores=scores, more=more)
    migration = migrate(text, "TP103")
    numbers = text.replace("best[0] /", "best.item() /").replace("= best[0]", "= best.item()")
    assert migration.text == (numbers if is_number else text)


def test_where_nothing_shows_a_file_to_be_older_such_an_extreme_is_told() -> None:
    text = _EXTREME.format(scores="x.scores.data", more="print(i)")
    migration = migrate(text, "TP103")
    assert migration.text == text
    assert len(migration.findings) == 2


def test_such_an_extreme_of_what_a_flag_of_the_module_leaves_is_a_number() -> None:
    text = _EXTREME.format(scores="net(Variable(x)).data", more="print(i)")
    assert migrate(text, "TP103").text == text.replace("best[0]", "best.item()")


def test_what_is_differentiated_is_no_number() -> None:
    scores = "net(Variable(x, volatile=True)).data"
    migration = migrate(_EXTREME.format(scores=scores, more="last.backward()"), "TP103")
    assert "last = best[0]" in migration.text


_ADDED = """\
import torch
import torch.nn as nn
from torch.autograd import Variable
fc = nn.Linear(3, 2)
def f(x, places):
    out = fc(Variable(x.view(-1, 3), volatile=True))
    total = {0}
    for i in range(2):
        total += {1}
    return total
"""


@pytest.mark.parametrize(
    ("start", "element", "expected"),
    [
        ("0", "(out[i].data[i])", "(out[i][i].item())"),
        ("0.0", "out.data[0, 1]", "out[0, 1].item()"),
        # A part that may be a slice, or no number to begin with.
        ("0", "out[i].data[places.get(i)]", "out[i].data[places.get(i)]"),
        ("out.data.sum(1)", "out[i].data[i]", "out[i][i]"),
        ("0", "out.data[0]", "out[0]"),
    ],
)
def test_elements_that_are_summed_up_were_numbers(start: str, element: str, expected: str) -> None:
    after = migrate(_ADDED.format(start, element)).text
    assert f"total += {expected}\n" in after


def test_a_part_that_may_be_no_number_does_not_hang_on_the_age_of_its_file(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    path = tmp_path / "plex.py"
    path.write_text(_ADDED.format("0", "out[i].data[places.get(i)]"))
    migrate_file(path, Settings(), write=True)
    assert "volatile" not in path.read_text()
    assert "out[i].data[places.get(i)]" in path.read_text()


_BY_CALLS = """\
import torch
def test(model, loader, cost):
    total = {start}
    for x, y in loader:
        kl = {kl}
        {line}
    print(total[0] / 2)
"""


def _after_sum(kl: str, line: str, start: str = "0") -> str:
    text = _BY_CALLS.format(kl=kl, line=line, start=start)
    migration = migrate(text, "TP103")
    assert migration.text in (text, text.replace("total[0]", "total.item()"))
    return "total" if migration.text == text else "total.item()"


@pytest.mark.parametrize(
    "line",
    [
        "total += kl.data",
        "total += kl.data / 3",
        "total += len(x) * kl.data",
        "part = kl.data\n        total += part.data",
    ],
)
def test_a_sum_of_data_of_what_its_call_reduces_is_a_number(line: str) -> None:
    """Whatever ``cost`` gives, its sum is one number; ``total[0]`` of such a one raises."""
    assert _after_sum("cost(model(x), y).sum()", line) == "total.item()"
    assert _after_sum("cost(model(x), y).mean()", line, "0.0") == "total.item()"


@pytest.mark.parametrize(
    ("kl", "line", "start"),
    [
        ("cost(model(x), y)", "total += kl.data", "0"),
        ("cost(model(x), y).sum(1)", "total += kl.data", "0"),
        ("cost(model(x), y).sum()", "total += kl", "0"),
        ("cost(model(x), y).sum()", "total += kl.data\n        total += kl", "0"),
        ("cost(model(x), y).sum()", "total += kl.data * x", "0"),
        ("cost(model(x), y).sum()", "total += kl.data", "torch.zeros(1)"),
        ("cost(model(x), y).sum()", "total += kl.data", "cost.start"),
        ("cost(model(x), y).sum()", "total += kl.data\n        total.resize_(1)", "0"),
    ],
)
def test_a_sum_of_data_that_may_have_a_dimension_stays(kl: str, line: str, start: str) -> None:
    assert _after_sum(kl, line, start) == "total"


_BESIDE_PLACES = """
import torch
from torch.autograd import Variable
old = Variable(x, volatile=True)
def run(x, words):
    total = 0
    for i in range(5):
        v, at = Variable(x).data.topk(1)
        n = {place}
        if n == 3:
            break
        total += v[0][0]
    return total
"""


def test_a_value_is_one_number_where_its_place_is_one() -> None:
    text = migrate(_BESIDE_PLACES.format(place="at[0][0]"), "TP103").text
    assert "total += v[0][0].item()" in text


@pytest.mark.parametrize("place", ["at[0]", "words[0][0]", "at[1][0]"])
def test_a_value_may_be_a_row_where_another_place_is_a_number(place: str) -> None:
    text = migrate(_BESIDE_PLACES.format(place=place), "TP103").text
    assert "total += v[0][0]\n" in text


_OF_BOTH = """\
import torch.nn.functional as F
def run(xs, ys, seen):
    a = c = 0
    for x, y in zip(xs, ys):
        loss = F.mse_loss(x, y)
        a += loss.data
        c += {term}
    total = a + c
    return total[0] / len(xs)
"""


@pytest.mark.parametrize("term", ["loss.data", "loss.data * x.size(0)", "1"])
def test_a_sum_of_sums_is_one_number(term: str) -> None:
    text = _OF_BOTH.format(term=term)
    assert migrate(text, "TP103").text == text.replace("total[0]", "total.item()")


@pytest.mark.parametrize("term", ["x", "x.data", "loss", "[1]", "seen"])
def test_a_sum_of_what_else_may_have_dimensions(term: str) -> None:
    text = _OF_BOTH.format(term=term)
    assert migrate(text, "TP103").text == text
