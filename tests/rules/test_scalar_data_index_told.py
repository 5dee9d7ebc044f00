"""What is said of ``.data[0]`` of tensors that nothing shows."""

from __future__ import annotations

import pytest

from tests.support.rules import advice

_HEAD = "import torch\nfrom torch.autograd import Variable\nold = Variable(x, volatile=True)\n"


def _file(*tests: str) -> str:
    lines = [f"def f{i}(a, b):\n    if {test}:\n        print(1)\n" for i, test in enumerate(tests)]
    return _HEAD + "".join(lines)


def test_many_in_a_file_are_told_of_once() -> None:
    (finding,) = advice("TP103", _file(*["a.data[0] > 3"] * 3, "b.data[0] > 3"))
    assert finding.line == 5
    assert finding.message == (
        ".data[0] raises where its tensor has no dimensions, as single numbers since torch 0.4, "
        "here and in lines 8, 11 and 14; .item() is the number there"
    )


def test_many_of_one_name_are_told_of_by_it() -> None:
    (finding,) = advice("TP103", _file(*["a.data[0] > 3"] * 4))
    assert finding.line == 5
    assert finding.message == (
        "a.data[0] raises where a has no dimensions, as single numbers since torch 0.4, here and "
        "in lines 8, 11 and 14: write a.item()"
    )


@pytest.mark.parametrize("others", [("b > 2",), ("a.data.sum() > 3",), ("a.data[1] > 3",)])
def test_few_are_told_of_where_they_are(others: tuple[str, ...]) -> None:
    found = advice("TP103", _file(*["a.data[0] > 3"] * 3, *others))
    assert [finding.line for finding in found] == [5, 8, 11]
    assert all(finding.message.endswith("write a.item()") for finding in found)


@pytest.mark.parametrize("beside", ["a.data[1] > 3", "a[2] > 3"])
def test_an_element_that_is_asked_for_beside_another_is_no_number(beside: str) -> None:
    assert not advice("TP103", _file(f"a.data[0] > 3 and {beside}"))


_KEPT = """
for batch in batches:
    for i in range(9):
        {elsewhere}
words[batch.label.data[0]]
"""


@pytest.mark.parametrize(
    "elsewhere", ["y = batch.label[i]", "y = batch.label.data[1:]", "for y in batch.label: y"]
)
def test_an_attribute_that_is_asked_for_more_elements_is_no_number(elsewhere: str) -> None:
    assert not advice("TP103", _HEAD + _KEPT.format(elsewhere=elsewhere))


@pytest.mark.parametrize(
    "elsewhere",
    ["y = other.label[i]", "y = batch.text[i]", "y = batch.label[0]", "y = batch.label.size()"],
)
def test_another_attribute_that_is_asked_for_more_shows_nothing(elsewhere: str) -> None:
    (finding,) = advice("TP103", _HEAD + _KEPT.format(elsewhere=elsewhere))
    assert finding.message.endswith("write batch.label.item()")


_PICKED = """
import torch
def draw(boxes):
    for j in range(9):
        conf = {picked}
        conf = conf.data.cpu().numpy()[0]
        print(conf)
"""


@pytest.mark.parametrize(
    ("picked", "count"),
    [
        ("boxes[0, j, 0]", 1),
        ("boxes[0, j]", 1),
        ("boxes[0, j, :]", 0),
        ("boxes[j]", 0),
        ("boxes[0, key]", 0),
    ],
)
def test_what_numbers_alone_pick_may_be_one(picked: str, count: int) -> None:
    assert len(advice("TP103", _PICKED.format(picked=picked))) == count


def test_the_same_index_is_told_of_in_all_lines_of_a_function() -> None:
    lines = "    if a.data[0] > 3:\n        keep(a.data[0])\n    keep(b.data[0])\n"
    found = advice("TP103", f"{_HEAD}def f(a, b):\n{lines}")
    assert [finding.line for finding in found] == [5]
    assert ", here and in line 6: write a.item()" in found[0].message


def test_the_same_index_is_told_of_in_each_function() -> None:
    lines = "    if a.data[0] > 3:\n        return\n"
    found = advice("TP103", f"{_HEAD}def f(a):\n{lines}def g(a):\n{lines}")
    assert [finding.line for finding in found] == [5, 8]


_EXTREME = """
import torch
def draw(model, batch, words):
    best, place = {given}
    print(words[place.data[0]])
    return keep(best.data[0])
"""


@pytest.mark.parametrize(
    ("given", "lines"),
    [
        ("model(batch)[:, 1].max(dim=0)", [5, 6]),
        ("torch.min(model(batch), 0)", [5, 6]),
        ("model(batch)", [5]),
        ("model.both(batch)", [5]),
    ],
)
def test_an_extreme_has_as_many_dimensions_as_its_place(given: str, lines: list[int]) -> None:
    text = _HEAD + _EXTREME.format(given=given).replace("\nimport torch", "").lstrip("\n")
    assert [f.line - 1 for f in advice("TP103", text)] == lines


_CASE = """
import unittest
import torch
from torch.autograd import Variable
from project import measure
class T({base}):
    def test(self):
        a = measure(Variable(torch.rand(3)))
        {line}
"""


@pytest.mark.parametrize(
    "line",
    [
        "self.assertAlmostEqual(a.data[0], 0.5)",
        "self.assertAlmostEqual(measure(3) + 1, a.data[0], places=4)",
        "self.assertEqual(a.data[0], 3)",
        "self.assertLess(a.data[0], 3, 'too many')",
        "self.assertTrue(a.data[0] < 3)",
        "self.assertTrue(a.data[0], 'none')",
        "b = a.data[0]; self.assertEqual(b, 3)",
    ],
)
def test_what_an_assertion_compares_may_be_a_number(line: str) -> None:
    (finding,) = advice("TP103", _CASE.format(base="unittest.TestCase", line=line))
    assert finding.message.endswith("since torch 0.4: write a.item()")


@pytest.mark.parametrize(
    ("base", "line"),
    [
        ("unittest.TestCase", "self.assertEqual(a.data[0], 'a text')"),
        ("unittest.TestCase", "self.assertEqual(a.data[0], [1, 2])"),
        ("unittest.TestCase", "self.assertIn(a.data[0], measure(3))"),
        ("unittest.TestCase", "self.assertSame(a.data[0], 3)"),
        ("unittest.TestCase", "self.assertEqual(a.data[0], a.data[1])"),
        ("unittest.TestCase", "self.assertTrue(measure(3), a.data[0])"),
        ("project.TestCase", "self.assertEqual(a.data[0], 3)"),
        ("unittest.TestCase, project.Mixin", "self.assertEqual(a.data[0], 3)"),
        ("unittest.TestCase", "project.assertEqual(a.data[0], 3)"),
        (
            "unittest.TestCase",
            "self.assertEqual(a.data[0], 3)\n    def assertEqual(self, x, y):\n        x.numpy()",
        ),
    ],
)
def test_what_something_else_asks_of_it_shows_no_number(base: str, line: str) -> None:
    text = _CASE.format(base=base, line=line).replace("import unittest", "import project, unittest")
    assert not advice("TP103", text)


_SUMMED = """
from torch.autograd import Variable

class Model(object):
    def evaluate(self, batches, metric):
        total = {start}
        for x, y in batches:
            value = metric(Variable(y, volatile=True), self.predict(x))
            total += {added}
        return total / len(batches)

    def fit(self, batches, loss):
        history.append(self.evaluate(batches, loss))
"""


@pytest.mark.parametrize("added", ["value.data[0]", "value.data[0] * 2", "2 * value.cpu().data[0]"])
def test_what_is_added_to_a_number_is_told_of_wherever_the_sum_goes(added: str) -> None:
    (finding,) = advice("TP103", _SUMMED.format(start="0", added=added))
    assert finding.message.endswith("write value.item()")


@pytest.mark.parametrize(
    ("start", "added"),
    [
        ("torch.zeros(3)", "value.data[0]"),
        ("start", "value.data[0]"),
        ("[]", "value.data[0]"),
        ("0", "value.data[0] * weights"),
        ("0", "value.data[0] + value.data[1]"),
        ("0", "value.data[i]"),
    ],
)
def test_what_is_added_to_anything_else_may_be_a_row(start: str, added: str) -> None:
    assert not advice("TP103", _SUMMED.format(start=start, added=added))


def test_a_sum_that_is_asked_for_a_part_is_one_of_rows() -> None:
    file = _SUMMED.format(start="0", added="value.data[0]")
    assert not advice("TP103", file.replace("total / len(batches)", "total.mean()"))


_ONE_EXAMPLE = """
import torch
import torch.nn.functional as F
from torch.autograd import Variable
class Wrapper:
    def predict(self, tensor):
        single = len(tensor.size()) == 3
        if {test}:
            tensor = tensor.{made}
        output = F.sigmoid(self.model(Variable(tensor)))
        if single:
            output = output.cpu().data[0]
        else:
            output = output.cpu().data
        return output
"""


@pytest.mark.parametrize(
    ("test", "made", "count"),
    [
        ("single", "unsqueeze(0)", 0),
        ("single", "unsqueeze(dim=0)", 0),
        ("single", "cuda().unsqueeze(0)", 0),
        ("single", "unsqueeze(1)", 1),
        ("single", "cuda()", 1),
        ("not single", "unsqueeze(0)", 1),
        ("self.single", "unsqueeze(0)", 1),
    ],
)
def test_what_a_test_made_a_batch_of_is_taken_out_of_it(test: str, made: str, count: int) -> None:
    assert len(advice("TP103", _ONE_EXAMPLE.format(test=test, made=made))) == count


_CALCULATED = """
import torch
import torch.nn.functional as F
from torch.autograd import Variable
def validate(model, x, y, meter, opt, weights):
    x = Variable(x, volatile=True)
    loss = F.mse_loss(model(x), y)
    whole = {calculated}
    more = whole + model.penalty(x)
    meter.add({index})
"""


@pytest.mark.parametrize("index", ["whole.data[0]", "more.data[0]", "(whole * opt.n).data[0]"])
@pytest.mark.parametrize(
    "calculated", ["loss / (2 * opt.n)", "opt.n * loss", "loss * 2 - opt.bias"]
)
def test_a_number_that_something_is_calculated_from(calculated: str, index: str) -> None:
    (found,) = advice("TP103", _CALCULATED.format(calculated=calculated, index=index))
    name = index.removesuffix(".data[0]")
    assert found.message == (
        f"{index} raises where {name} has no dimensions, as single numbers since torch 0.4: "
        f"write {name}.item()"
    )


@pytest.mark.parametrize(
    ("calculated", "index"),
    [
        ("opt.n / 2", "whole.data[0]"),
        ("loss * Variable(torch.ones(3))", "whole.data[0]"),
        ("loss * model(x).view(-1)", "whole.data[0]"),
        ("loss * F.relu(x)", "whole.data[0]"),
        ("loss @ opt.n", "whole.data[0]"),
        ("opt.scaled(loss)", "whole.data[0]"),
        ("[loss, opt.n]", "whole.data[0]"),
        ("loss / opt.n", "whole.data[0][1]"),
        ("loss / opt.n", "whole.data[1]"),
        ("loss / opt.n", "whole.data[0].size(0)"),
    ],
)
def test_what_else_a_number_goes_into_is_not_told(calculated: str, index: str) -> None:
    assert not advice("TP103", _CALCULATED.format(calculated=calculated, index=index))


_ADDED_UP = """
import torch
import torch.nn.functional as F
def run(x, y, n, other):
    total = {start}
    losses = torch.empty(3)
    for i in range(n):
        losses[0] = F.cross_entropy(x, y)
        lowest, at = torch.min(losses, {dim})
        {added}
    print({index})
"""


def _added_up(
    added: str = "total = total + lowest[0]",
    index: str = "total[0] / n",
    dim: str = "0",
    start: str = "0",
) -> list[str]:
    text = _ADDED_UP.format(added=added, index=index, dim=dim, start=start)
    return [found.message for found in advice("TP103", text) if found.line == 10]


@pytest.mark.parametrize("added", ["total = total + lowest[0]", "total += lowest[0]"])
def test_a_sum_of_what_has_no_index_has_none(added: str) -> None:
    expected = "a tensor without dimensions has no index 0, which raises: write total"
    assert _added_up(added) == [expected]
    assert _added_up(added, dim="0, keepdim=True") == [expected]


@pytest.mark.parametrize(
    "changed",
    [
        {"added": "total = total + losses[:1]"},
        {"added": "total = total + other"},
        {"added": "total = other(total, lowest[0])"},
        {"added": "total = [total, lowest[0]]"},
        {"start": "other"},
        {"start": "[0]"},
        {"start": "other.zeros(1)"},
        {"index": "total[1]"},
        {"index": "total"},
    ],
)
def test_another_sum_may_have_an_index(changed: dict[str, str]) -> None:
    assert _added_up(**changed) == []


@pytest.mark.parametrize(
    ("code", "is_told"),
    [
        ("print(a.data[0])", True),
        ("print(a.data[0], a.requires_grad, a.volatile, a.creator)", False),
        ("print(a.data[0], a.requires_grad, a.volatile, a.grad_fn)", True),
        ("print(a.data[0], a.targets[0])", False),
        ("print(a.data[0], b.targets[0])", True),
        ("print(a.data[0]); a = b; print(a.targets)", True),
        ("print(a.data[0], a._kept)", True),
        ("print(a.data[0]); a.fit()", False),
        ("print(a.data[0]); a.clamp(0)", True),
        ("if a.data[0] == 'x': print(b)", False),
        ("if a.data[0] == 0: print(b)", True),
        ("print(a.data[0], a[0, 1])", False),
        ("print(a.data[0], a[0, None], a[..., 0])", True),
        ("print(a.data[0]); return a.max(1)", False),
        ("print(a.data[0]); return torch.max(a, dim=1)", False),
        ("print(a.data[0]); return torch.max(a, dim=0)", True),
        ("print(a.data[0]); return a.max()", True),
        ("print(a.data[0]); return b.max(1)", True),
        ("print(a.data[0]); return b.index_select(1, a)", True),
    ],
)
def test_what_shows_that_it_was_no_number(code: str, is_told: bool) -> None:
    found = advice("TP103", f"{_HEAD}def f(a, b):\n    {code}\n")
    assert [finding.line for finding in found] == ([5] if is_told else [])


_AVERAGED = """
import numpy as np
from torch.autograd import Variable
def validate(net, measure, batches):
    kept, others = [], []
    for x, y in batches:
        found = measure(net(Variable(x, volatile=True)), y)
        {keeps}
    return {gives}
"""


@pytest.mark.parametrize(
    ("keeps", "gives", "is_told"),
    [
        ("kept.append(found.data[0])", "np.mean(kept)", True),
        ("kept.append(found.data[0])", "len(kept), np.average(kept)", True),
        ("kept.append(found.data[0])", "np.mean(kept, axis=0)", False),
        ("kept.append(found.data[0])", "np.mean(kept, 0)", False),
        ("kept.append(found.data[0])", "np.mean(others)", False),
        ("kept.append(found.data[0])", "np.stack(kept)", False),
        ("kept.append(found.data[0])", "kept", False),
        ("kept.extend(found.data[0])", "np.mean(kept)", False),
        ("kept.append(found.data[1])", "np.mean(kept)", False),
        ("kept.append(found.data[0]); found.fit()", "np.mean(kept)", False),
    ],
)
def test_what_is_averaged_was_a_number(keeps: str, gives: str, is_told: bool) -> None:
    found = advice("TP103", _AVERAGED.format(keeps=keeps, gives=gives))
    assert [finding.message for finding in found] == [_told_of("found")] * is_told


def _told_of(name: str) -> str:
    return (
        f"{name}.data[0] raises where {name} has no dimensions, as single numbers since torch 0.4: "
        f"write {name}.item()"
    )


_READ_AGAIN = """
import torch
from torch.autograd import Variable
x = Variable(torch.zeros(1), volatile=True)
def show(words, places):
    for word in words:
        print("%s" % word.data[0])
        {again}
"""


@pytest.mark.parametrize("again", ["n = word.data[0] + 1", "print(places[word.data] == 'a')"])
def test_what_is_read_again_as_a_number_may_be_one(again: str) -> None:
    (found,) = advice("TP103", _READ_AGAIN.format(again=again))
    assert found.message.replace(", here and in line 7", "") == _told_of("word")


@pytest.mark.parametrize(
    "again",
    ["n = word.data[0] == 'a'", "n = len(word.data[0])", "if 'a' != word.data[0]: print(word)"],
)
def test_what_is_a_word_where_it_is_read_again_is_none(again: str) -> None:
    assert not advice("TP103", _READ_AGAIN.format(again=again))


@pytest.mark.parametrize("index", ["whole.cpu().data.numpy()[0]", "more.data.cpu().numpy()[0]"])
def test_the_array_of_a_number_that_something_is_calculated_from(index: str) -> None:
    (found,) = advice("TP103", _CALCULATED.format(calculated="loss / opt.n", index=index))
    name = index.partition(".")[0]
    assert found.message.startswith(f"{index} raises where {name} has no dimensions, ")
    assert found.message.endswith(f": write {name}.item()")


@pytest.mark.parametrize(
    ("calculated", "index"),
    [
        ("loss * F.relu(x)", "whole.cpu().data.numpy()[0]"),
        ("loss / opt.n", "whole.cpu().data.numpy()[1]"),
        ("loss / opt.n", "whole.cpu().data.numpy()[0].sum()"),
        ("opt.n / 2", "whole.cpu().data.numpy()[0]"),
    ],
)
def test_the_array_of_something_else_is_not_told(calculated: str, index: str) -> None:
    assert not advice("TP103", _CALCULATED.format(calculated=calculated, index=index))


_SEARCHED = """
import torch
from torch.autograd import Variable
old = Variable(x, volatile=True)
class Search:
    def step(self, closure):
        if closure().data[0] > 3:
            print(1)
    def last(self, {parameter}):
        first = {parameter}().data[0]
        return self.kept(first)
"""


@pytest.mark.parametrize(("parameter", "lines"), [("closure", [6, 9]), ("other", [6])])
def test_what_methods_of_a_class_call_alike_is_told_alike(parameter: str, lines: list[int]) -> None:
    """What ``first`` is calculated with is not known there."""
    found = advice("TP103", _SEARCHED.format(parameter=parameter))
    assert [finding.line for finding in found] == lines


@pytest.mark.parametrize(
    "method",
    [
        "    def last(self, x, make):\n        closure = make(x)",
        "    def last(self, make):\n        def closure():\n            return make.x",
    ],
)
def test_what_is_called_alike_may_be_another_function(method: str) -> None:
    text = _SEARCHED.format(parameter="closure")
    text = text.replace("    def last(self, closure):", method)
    assert [finding.line for finding in advice("TP103", text)] == [6]


_WEIGHTED = """from torch.autograd import Variable
def validate(net, loader, measure, meter):
    for x, y in loader:
        loss = measure(net(Variable(x, volatile=True)), y)
        {0}
"""


@pytest.mark.parametrize(
    ("use", "is_told"),
    [
        ("meter.update(loss.data[0], x.size(0))", True),
        ("meter.update(loss.data[0], len(x))", True),
        ("meter.update(loss.data[0], y)", False),
        ("meter.update(loss.data[0])", False),
        ("meter.update(x.size(0), loss.data[0])", False),
        ("meter.update(loss.data[0], x.size(0), y)", False),
        ("meter(loss.data[0], x.size(0))", False),
        ("meter.update(loss.data[0], x.size(0)); print(loss.size(1))", False),
    ],
)
def test_what_stands_for_so_many_was_a_number(use: str, is_told: bool) -> None:
    found = advice("TP103", _WEIGHTED.format(use))
    assert [finding.line for finding in found] == ([5] if is_told else [])


_BY_TWO_WAYS = """import torch
from torch.autograd import Variable
def f(loss_fn, x, y, is_pair):
    if is_pair:
        loss = {}
    else:
        loss = loss_fn(x, y)
    return {}
"""


def test_the_array_of_what_has_no_dimension_by_one_way() -> None:
    text = _BY_TWO_WAYS.format("torch.sum(x - y)", "loss.data.cpu().numpy()[0]")
    told = advice("TP103", text)
    assert len(told) == 1
    assert "[0] raises where loss has no dimensions" in told[0].message
    assert told[0].message.endswith("write loss.item()")


@pytest.mark.parametrize(
    ("made", "read"),
    [
        ("torch.sum(x - y, 1)", "loss.data.cpu().numpy()[0]"),
        ("loss_fn(y)", "loss.data.cpu().numpy()[0]"),
        ("torch.sum(x - y)", "loss.data.cpu().numpy()[1]"),
        ("torch.sum(x - y)", "loss.detach().cpu().numpy()[0]"),
        ("torch.sum(x - y)", "None if is_pair else loss.data.cpu().numpy()[0]"),
    ],
)
def test_the_array_of_what_may_have_dimensions_by_each_way(made: str, read: str) -> None:
    assert advice("TP103", _BY_TWO_WAYS.format(made, read)) == []


_FLAGGED = """
def train(net, a, b, n):
    loss, part = net.loss(a, b)
    if n and loss.data[0] > 3:
        print(part.data[0])
def test(net, a, b, n):
    loss, part = net.loss(a, b{flag})
    if n and loss.data[0] > 3:
        print(part.data[0])
"""


@pytest.mark.parametrize(
    ("flag", "said"),
    [
        ("", [(7, "here and in lines 8, 11 and 12; .item()")]),
        (", average=False", [(7, "here and in line 8; .item()"), (11, "here and in line 12; ")]),
        (", average=n", [(7, "here and in lines 8, 11 and 12; .item()")]),
    ],
)
def test_what_one_function_gives_for_unlike_flags_is_told_apart(
    flag: str, said: list[tuple[int, str]]
) -> None:
    found = advice("TP103", _HEAD + _FLAGGED.format(flag=flag))
    assert [finding.line for finding in found] == [line for line, _ in said]
    assert all(told in f.message for f, (_, told) in zip(found, said, strict=True))


_SQUEEZED = """
def run(model, env, x):
    total = 0
    p, v = model(Variable(x))
    a = p.{drawn}
    {used}
    return total
"""


@pytest.mark.parametrize(
    ("drawn", "used", "written"),
    [
        ("multinomial(1)", "env.step(a.data.squeeze()[0])", "a.data.squeeze().item()"),
        ("multinomial()", "env.step(a.squeeze().data[0])", "a.squeeze().item()"),
        ("exp()", "total += v.data.squeeze()[0]", "v.data.squeeze().item()"),
    ],
)
def test_the_one_element_that_is_squeezed_is_told_of(drawn: str, used: str, written: str) -> None:
    (finding,) = advice("TP103", _HEAD + _SQUEEZED.format(drawn=drawn, used=used))
    assert finding.message.endswith(f"write {written}")


@pytest.mark.parametrize(
    ("drawn", "used"),
    [
        ("multinomial(5)", "env.step(a.data.squeeze()[0])"),
        ("multinomial(1)", "env.step(a.data.squeeze(1)[0])"),
        ("exp()", "env.step(a.data.squeeze()[0])"),
    ],
)
def test_what_is_squeezed_and_may_be_rows_is_not_told_of(drawn: str, used: str) -> None:
    assert not advice("TP103", _HEAD + _SQUEEZED.format(drawn=drawn, used=used))


_GONE_THROUGH = """
import torch
def train(model, meters, xs, state, total):
    groups = {groups}
    [m.add(v.data[0]) for m, v in zip(meters, groups)]
    losses = []
    for x in xs:
        losses.append({loss})
    for i in range(len(losses)):
        show(losses[i][0])
    return sum(groups)
"""


def test_of_the_elements_of_a_list_of_single_numbers_that_is_told() -> None:
    text = _GONE_THROUGH.format(groups="[v.sum() for v in model(xs)]", loss="model(x).mean() / 2")
    messages = [finding.message for finding in advice("TP103", text)]
    assert [message.split(" where")[0] for message in messages] == [
        "v.data[0] raises",
        "losses[i][0] raises",
    ]


@pytest.mark.parametrize("loss", ["model(x)", "(model(x).mean(), x)", "model(x).sum(1)", "[1]"])
@pytest.mark.parametrize("groups", ["[v for v in model(xs)]", "[v.sum(1) for v in model(xs)]"])
def test_of_rows_and_of_what_is_not_known_nothing_is_told(groups: str, loss: str) -> None:
    assert advice("TP103", _GONE_THROUGH.format(groups=groups, loss=loss)) == []


_METERS = """
import torch
def on_forward(state):
    total.add(state["loss"].data[0])
    part.add(state["output"][2].data[0])
    {other}(state["output"][3].data[0])
"""


def test_what_is_handed_on_beside_an_item_is_told_as_well() -> None:
    assert len(advice("TP103", _METERS.format(other="part.add"))) == 3
    assert len(advice("TP103", _METERS.format(other="show"))) == 2


_MODERN = """
import torch
device = torch.device("cpu")
def train(model, x):
    loss = model.cost(x.to(device))
    loss.backward()
    return loss.item()
def test(model, x):
    loss = model.{cost}(x.to(device))
    print(loss.data[0])
"""


def test_a_loss_is_told_of_in_a_file_for_torch_0_4_too() -> None:
    """That torch only warned of the index."""
    (finding,) = advice("TP103", _MODERN.format(cost="cost"))
    assert finding.message.endswith("write loss.item()")
    assert advice("TP103", _MODERN.format(cost="scores")) == []
