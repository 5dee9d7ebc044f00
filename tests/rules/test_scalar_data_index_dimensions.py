"""TP103: what certainly has a dimension, and what an element of it was in torch 0.3."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.rules import advice, migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_OLD = Options(era=Era((0, 3), (0, 3)))
_RAISES = "raises where"
_WAS = "of one dimension was a number until torch 0.3"

_MEANS = """
import torch
def f(losses, meter, keep):
    total = 0
    for k, loss in losses.items():
        {asked}
        loss = loss.mean(dim=0, keepdim=True)
        total += loss
        {line}
"""


def _messages(text: str) -> list[str]:
    return [finding.message for finding in advice("TP103", textwrap.dedent(text))]


@pytest.mark.parametrize("asked", ["assert loss.shape[0] == 2", "n = len(loss)", "loss.size(0)"])
@pytest.mark.parametrize("name", ["loss", "total"])
def test_what_is_counted_has_a_dimension(asked: str, name: str) -> None:
    text = _MEANS.format(asked=asked, line=f"meter.add({name}.data[0])")
    told = [f"{name}.data[0] {_WAS}, and is a tensor today: write {name}[0].item() for the number"]
    assert _messages(text) == told
    assert _messages(text.replace(f"{name}.data[0]", f"{name}.data.cpu()[0]")) != []


@pytest.mark.parametrize(
    "asked",
    [
        "pass",
        "n = loss.size()",
        "if keep: n = len(loss)",
        "n = keep.len(loss)",
        "n = [len(loss) for loss in keep]",
        "n = len(k)",
    ],
)
def test_what_is_not_certainly_counted_may_have_none(asked: str) -> None:
    text = _MEANS.format(asked=asked, line="print('%.2f' % loss.data[0])")
    assert [_RAISES in message for message in _messages(text)] == [True]


@pytest.mark.parametrize(
    "line",
    [
        "n = loss.data[0]",
        "meter.add(loss[0].item())",
        "meter.add(loss.data[1])",
        "meter.add(loss[0])",
        "n = 2 * loss.data[0]",
        "meter.add(loss.item())",
        "loss.data[0] = 1",
    ],
)
def test_nothing_is_said_where_a_tensor_does_as_well(line: str) -> None:
    assert not _messages(_MEANS.format(asked="n = len(loss)", line=line))


@pytest.mark.parametrize(
    "made",
    [
        "for y, n in torch.utils.data.DataLoader(x, 4):",
        "for y in [torch.nn.Conv2d(3, 3, 1)(x)]:",
        "for y in [x.view(-1)]:",
    ],
)
def test_rows_of_a_batch_are_no_numbers(made: str) -> None:
    text = f"import torch\ndef f(x, show):\n    {made}\n        y.size(0), show(y.data[0])\n"
    assert not _messages(text)


@pytest.mark.parametrize("use", ["loss.size(1)", "loss.select(1, 0)", "loss[:, 0]"])
def test_rows_of_a_table_are_no_numbers(use: str) -> None:
    text = _MEANS.format(asked="n = loss.size(0)", line="meter.add(loss.data[0])")
    assert any("was a number" in message for message in _messages(text))
    wide = _MEANS.format(asked=f"n = loss.size(0), {use}", line="meter.add(loss.data[0])")
    assert not any("was a number" in message for message in _messages(wide))


def test_a_function_keeps_the_dimension_as_well() -> None:
    text = _MEANS.format(asked="n = len(loss)", line="print('%.2f' % loss.data[0])")
    kept = "torch.mean(loss, 0, keepdim=True)"
    assert not _messages(text.replace("loss.mean(dim=0, keepdim=True)", kept))
    lost = _messages(text.replace("loss.mean(dim=0, keepdim=True)", "torch.mean(loss, 0)"))
    assert [_RAISES in message for message in lost] == [True]


def test_what_is_given_other_dimensions_is_not_counted() -> None:
    text = _MEANS.format(asked="n = len(loss)", line="meter.add(loss.data[0])")
    assert not _messages(text.replace("mean(dim=0, keepdim=True)", "view(-1, *keep)"))


def test_nothing_is_said_of_what_is_newer() -> None:
    text = _MEANS.format(asked="n = len(loss)", line="meter.add(loss.data[0])")
    assert not _messages(text + "    with torch.no_grad():\n        pass\n")


_LINES = """
import torch
from torch.autograd import Variable
w = Variable(torch.Tensor([1.0]), requires_grad=True)
v = Variable(torch.Tensor([1.0, 2.0]), requires_grad=True)
def forward(x):
    return x * w
def loss(x, y):
    return (forward(x) - y) * (forward(x) - y)
for x, y in zip([1.0, 2.0], [2.0, 4.0]):
    l = loss(x, y)
    l.backward()
    {line}
    w.data = w.data - 0.01 * w.grad.data
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("print(w.grad.data[0])", "print(w.grad.item())"),
        ("print(forward(4).data[0])", "print(forward(4).item())"),
        ("print(l.data[0], w.data[0])", "print(l.item(), w.item())"),
        ("print(w.data.cpu()[0])", "print(w.item())"),
        ("print(v.data[0])", "print(v[0].item())"),
        ("print(w.data[-1])", "print(w[-1].item())"),
        ("print(w.data)", "print(w.data)"),
        ("print(w[0])", "print(w[0])"),
        ("print(v.data[:1])", "print(v.data[:1])"),
    ],
)
def test_the_only_element_of_a_vector(line: str, expected: str) -> None:
    migration = migrate(_LINES.format(line=line), "TP103", options=_OLD)
    assert migration.text == _LINES.format(line=expected)


def test_a_number_has_no_graph_to_be_detached_from() -> None:
    text = _LINES.format(line="print(v.data[0], l.data[0])")
    migration = migrate(text, "TP103", "TP104", options=_OLD)
    assert "print(v[0].item(), l.item())" in migration.text


def test_today_it_is_a_tensor() -> None:
    text = _LINES.format(line="print(w.data[0], forward(4).data[0])")
    assert migrate(text, "TP103").text == text


_ARRAYS = """
import torch
def f(net, x, total):
    y = net(x)
    {line}
"""


@pytest.mark.parametrize(
    "index",
    [
        "y.data.cpu().numpy()[0]",
        "y.data.numpy()[0]",
        "y.cpu().data.numpy()[0]",
        "y.detach().cpu().numpy()[0]",
        "y.data.tolist()[0]",
    ],
)
@pytest.mark.parametrize("line", ["float({})", "'%.4f' % {}", "'%.4f %d' % ({}, 1)", "int({})"])
def test_a_number_of_what_may_have_no_dimension(line: str, index: str) -> None:
    told = (
        f"{index} raises where y has no dimensions, as single numbers since torch 0.4: "
        "write y.item()"
    )
    assert _messages(_ARRAYS.format(line=line.format(index))) == [told]


@pytest.mark.parametrize(
    "line",
    [
        "total.append(y.data.cpu().numpy()[0])",
        "print(y.data.numpy()[0])",
        "'%s' % y.data.numpy()[0]",
        "float(y.numpy()[0])",
        "float(y[0])",
        "float(y.data.numpy()[1])",
        "float(y.view(-1).data.numpy()[0])",
        "n = len(y)\n    float(y.data.numpy()[0])",
        "net.float(y.data.numpy()[0])",
        "float(y.data.numpy()[0][0])",
        "float = net.float\n    float(y.data.numpy()[0])",
    ],
)
def test_arrays_are_indexed_for_other_reasons(line: str) -> None:
    assert not _messages(_ARRAYS.format(line=line))


def test_data_stays_where_the_index_is_told_of() -> None:
    line = "'%.4f' % y.data.numpy()[0]"
    text = _ARRAYS.format(line="y.size(0)\n    y = y.sum(dim=0)\n    " + line)
    assert migrate(text, "TP103", "TP104").text == text
    counted = _MEANS.format(asked="n = len(loss)", line="print(loss.data[0])")
    assert migrate(counted, "TP103", "TP104").text == counted


_GIVEN = """
import numpy as np
import torch
import torch.nn as nn
def accuracy(x):
    rate = torch.from_numpy(np.array({made}))
    return rate.cuda() if x.is_cuda else rate
class Net(nn.Module):
    def forward(self, x):
        return accuracy(x), x.foo()
def train(net, x, meter):
    rate, loss = net(x)
    print('%.2f' % {read}.data[0])
{called}
"""


@pytest.mark.parametrize(
    ("made", "read", "called", "is_told"),
    [
        ("[0.5]", "rate", "train(Net(), a, b)", False),
        ("[0.5]", "loss", "train(Net(), a, b)", True),
        ("0.5", "rate", "train(Net(), a, b)", True),
        ("[0.5]", "rate", "train(other, a, b)", True),
        ("[0.5]", "rate", "train(Net(), a, b)\ntrain(other, a, b)", True),
    ],
)
def test_what_a_module_gives_that_all_callers_give_has_its_dimension(
    tmp_path: Path, made: str, read: str, called: str, is_told: bool
) -> None:
    text = _GIVEN.format(made=made, read=read, called=called)
    (tmp_path / "main.py").write_text(text)
    result = migrate_file(tmp_path / "main.py", Settings(select=("TP103",)), write=False)
    assert bool(result.findings) == is_told


_BY_NAME = """
import torch
from torch.autograd import Variable
class Net(torch.nn.Module):
    def costs(self, x):
        y = self(Variable(x))
        return y.mean(), {given}
{other}
def train(net, x):
    cost, parts = net.costs(x)
    total = parts + {added}
    print('%.2f' % total.data[0])
"""
_OTHER = "class Other:\n    def costs(self, x{more}):\n        return x.mean(), x.mean()\n"


@pytest.mark.parametrize(
    ("given", "added", "other", "is_told"),
    [
        ("torch.sum(y, dim=1)", "cost", "", False),
        ("torch.sum(y, dim=-1)", "cost", "", True),
        ("y.foo()", "cost", "", True),
        ("torch.sum(y, dim=1)", "cost", _OTHER.format(more=""), True),
        ("torch.sum(y, dim=1)", "cost", _OTHER.format(more=", y, z"), False),
    ],
)
def test_what_a_method_of_that_name_sums_along_a_dimension_has_another(
    given: str, added: str, other: str, is_told: bool
) -> None:
    text = _BY_NAME.format(given=given, added=added, other=other)
    told = advice("TP103", text, options=_OLD)
    assert any(_RAISES in finding.message for finding in told) == is_told


_KEPT = """
import numpy as np
import torch
from torch.autograd import Variable
def on_gpu(x):
    return Variable(x).cuda() if torch.cuda.is_available() else Variable(x).cpu()
class Net(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.kld = on_gpu({made})
        print('%.2f' % self.kld.data[0])
    @staticmethod
    def divergence(n):
        if n != n:
            exit()
        return {given}
"""


@pytest.mark.parametrize(
    ("made", "given", "is_told"),
    [
        ("torch.from_numpy(Net.divergence(n)).float()", "np.array([n])", False),
        ("torch.from_numpy(self.divergence(n))", "np.array((n, 2))", False),
        ("torch.tensor(Net.divergence(n))", "np.array([n])", False),
        ("torch.FloatTensor(Net.divergence(n))", "np.array([n])", False),
        ("torch.FloatTensor(Net.divergence(n))", "[n]", True),
        ("torch.from_numpy(Net.divergence(n)).float()", "np.array(n)", True),
        ("torch.from_numpy(Net.divergence(n)).float()", "array([n])", True),
        ("torch.from_numpy(Net.divergence(n)).float().sum()", "np.array([n])", True),
        ("torch.from_numpy(Net.divergence(n)).float()", "make(np.array([n]))", True),
        ("torch.from_numpy(n.divergence(n)).float()", "np.array([n])", True),
    ],
)
def test_an_array_of_a_list_that_a_method_gives_has_its_dimension(
    made: str, given: str, is_told: bool
) -> None:
    text = _KEPT.format(made=made, given=given)
    assert bool(migrate(text, "TP103").findings) == is_told


_YIELDED = """
import matplotlib.pyplot as plt
import torch
from torch.autograd import Variable
def waves(data, n):
    while True:
        {before}
        yield {yielded}
g = waves(read(), 8)
{taken}
    plt.plot(wave.data[0])
"""
_LOOP = "for wave in g:"
_NEXT = "for i in range(3):\n    wave = next(g)"


@pytest.mark.parametrize("taken", [_LOOP, _NEXT])
@pytest.mark.parametrize(
    ("before", "yielded", "is_told"),
    [
        ("pass", "Variable(data[..., :n]).cuda()", False),
        ("wave = torch.from_numpy(data).unsqueeze(0)", "Variable(wave)", False),
        ("wave = torch.from_numpy(data)[n:]", "wave", False),
        ("pass", "Variable(data)", True),
        ("pass", "Variable(data[..., n])", True),
        ("yield data", "data[:n]", True),
        ("data[:n]", "data", True),
        ("pass", "torch.cat(data).sum()", True),
    ],
)
def test_what_a_generator_yields_has_its_dimension(
    taken: str, before: str, yielded: str, is_told: bool
) -> None:
    text = _YIELDED.format(before=before, yielded=yielded, taken=taken)
    text = text.replace("plt.plot(wave.data[0])", "print('%.2f' % wave.data[0])")
    assert bool(migrate(text, "TP103").findings) == is_told


@pytest.mark.parametrize("taken", ["next()", "next(g, other)", "own.next(g)", "next(*g)"])
def test_what_else_is_called_next_gives_anything(taken: str) -> None:
    text = _YIELDED.format(before="pass", yielded="data[:n]", taken=_NEXT)
    text = text.replace("next(g)", taken).replace("plt.plot(wave", "print('%.2f' % (wave")
    assert migrate(text.replace("[0])", "[0]))"), "TP103").findings


def test_a_cut_of_what_a_method_joins_has_its_dimension() -> None:
    text = """
import torch
class Net(torch.nn.Module):
    def generate(self, start, n):
        outputs = [start]
        for i in range(n):
            outputs.append(self(start))
        return torch.cat(outputs, dim=1){}
net = Net()
wave = net.generate(read(), 3)
print('%.2f' % wave.data[0])
"""
    assert not migrate(text.format("[..., start.size(1):]"), "TP103").findings
    assert migrate(text.format("[..., start.size(1)]"), "TP103").findings


_KEYED = """
import torch
from torch.autograd import Variable
def answer(net, x, names, other):
    x = Variable(x, volatile=False)
    {given}
    return {used}
"""


def _keyed(given: str, used: str) -> list[str]:
    return _messages(_KEYED.format(given=given, used=used))


@pytest.mark.parametrize(
    "given", ["_, place = net(x).max(1)", "_, place = torch.max(net(x), dim=1)"]
)
@pytest.mark.parametrize("used", ["names['all'][place.data[0]]", "names[place.data[0]], x"])
def test_a_place_that_is_a_key_was_a_number(given: str, used: str) -> None:
    told = f"place.data[0] {_WAS}, and is a tensor today: write place[0].item() for the number"
    assert _keyed(given, used) == [told]


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("place, _ = net(x).max(1)", "names[place.data[0]]"),
        ("_, place = net(x).max(1)", "names[place.data[1]]"),
        ("_, place = net(x).topk(1)", "names[place.data[0]]"),
        ("_, place = net(x).max(1)", "['a', 'b'][place.data[0]]"),
        ("_, place = net(x).max(1)", "names[place.data]"),
        ("_, place = net(x).max(1)", "names[other]"),
        ("_, place = net(x).max(1)", "place.data[0] + 1"),
        ("_, place = net(x).max(1)", "names[place[0].item()]"),
        ("_, place = net(x).max(1)", "torch.ones(3)[place.data[0]]"),
    ],
)
def test_what_is_no_key_and_no_place_is_not_told(given: str, used: str) -> None:
    assert _keyed(given, used) == []


_AGENT = """
import torch
from torch.autograd import Variable
class Agent(torch.nn.Module):
    def forward(self, state):
        values = self.net(Variable(state, volatile=True))
        best, places = values.max(dim=1)
        action = places.data[0]
        return action, values
    def choose(self, state):
        action, values = self(state)
        return action
    def step(self, state):
        action = self.choose(state)
        return {used}
"""


def test_a_place_that_a_called_module_returns_is_told_where_it_was_a_number() -> None:
    """What holds it is followed through ``self(state)`` to code that is not torch's."""
    (found,) = advice("TP103", _AGENT.format(used="self.env.step(action)"))
    assert found.message.startswith(f"places.data[0] {_WAS}")
    assert found.message.endswith("write places[0].item() for the number")


@pytest.mark.parametrize("used", ["self.env.step(action.item())", "torch.stack([action])"])
def test_of_a_place_that_is_used_as_a_tensor_nothing_is_said(used: str) -> None:
    assert not advice("TP103", _AGENT.format(used=used))
