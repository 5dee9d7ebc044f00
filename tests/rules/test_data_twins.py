"""What is asked alike of several ``.data`` goes or stays as a whole."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_HEAD = """import torch
import torch.nn as nn
import torch.nn.functional as F


"""
_METHOD = """def f(x: torch.Tensor, other, n):
    a = F.relu(x)
    b = other(x)
    {}
    {}
    return one, two
"""


def _both(one: str, two: str) -> str:
    text = _HEAD + _METHOD.format(one, two)
    return migrate(text, "TP104").text.replace(text, "same")


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("one = a.data.clamp(0, 1).mean(0)", "two = b.data.clamp(0, 1).mean(1)"),
        ("one = a.data.repeat(1, n, 1)", "two = b.data.repeat(n, 1)"),
        ("one = a.data[0].cpu().numpy()", "two = b.data[n].cpu().numpy()"),
        ("two = b.data[1:].clone()", "one = a.data[0].clone()"),
        ("two = b.data.repeat(n, 1)", "one = (a[0].data.repeat(n), a[1].data.repeat(n))"),
        ("one = a.data.repeat(1, n, 1)", "with n:\n        two = b.data.mean(1)"),
        ("one = a.data[0].exp()", "with n:\n        two = b.data[1:]"),
    ],
)
def test_what_is_asked_alike_stays_with_what_is_not_known(one: str, two: str) -> None:
    assert _both(one, two) == "same"


@pytest.mark.parametrize("two", ["two = F.relu(b).data.repeat(n, 1)", "two = b.repeat(n, 1)"])
def test_what_has_nothing_beside_it_that_stays_is_detached(two: str) -> None:
    one = "one = a.data.repeat(1, n, 1)"
    assert one.replace("a.data", "a.detach()") in _both(one, two)


_TWO = """def train(net, x):
    out = F.relu(net(x))
    return [out.data[:, 0] * 2, x]


def test(net, x):
    out = net(x)
    return {}
"""


def test_a_line_of_two_functions_stays_in_both() -> None:
    text = _HEAD + _TWO.format("[out.data[:, 0] * 2, x]")
    assert migrate(text, "TP104").text == text


@pytest.mark.parametrize(
    "returned", ["[out.data[:, 1], x]", "[x, out.data[:, 0] * 2]", "[out.detach()[:, 0] * 2, x]"]
)
def test_a_line_of_one_function_alone_is_detached(returned: str) -> None:
    text = _HEAD + _TWO.format(returned)
    assert "return [out.detach()[:, 0] * 2, x]" in migrate(text, "TP104").text


def test_a_line_is_detached_in_both_where_it_can_be() -> None:
    text = (_HEAD + _TWO.format("[out.data[:, 0] * 2, x]")).replace("= net(x)", "= F.relu(net(x))")
    assert migrate(text, "TP104").text == text.replace("out.data", "out.detach()")


_GONE_THROUGH = """def f(x, kept, mask: torch.Tensor, n: torch.Tensor):
    a = F.relu(x)
    {}
    return a.data.sum()
"""


@pytest.mark.parametrize(
    "line",
    [
        "for w in mask.data: kept.give(w)",
        "for i, w in enumerate(mask.cpu().data): kept.give(w)",
        "kept.give([n[w] for w in mask.data.view(-1)])",
        "kept.give(list(mask.data.view(-1)))",
    ],
)
def test_elements_that_are_gone_through_hold_nothing_that_is_read(line: str) -> None:
    after = migrate(_HEAD + _GONE_THROUGH.format(line), "TP104").text
    assert after == _HEAD + _GONE_THROUGH.format(line).replace("a.data", "a.detach()")


@pytest.mark.parametrize(
    "line", ["kept.give(mask.data)", "kept.give(len(mask.data), mask.data)", "kept.w = mask.data"]
)
def test_what_is_given_as_a_whole_holds_what_is_read(line: str) -> None:
    text = _HEAD + _GONE_THROUGH.format(line)
    assert migrate(text, "TP104").text == text


_ROWS = """import torch
from torch.utils.data import DataLoader, TensorDataset

def show(net, data, labels):
    for batch in DataLoader(TensorDataset(data, labels), batch_size=4):
        inputs, labels = batch
        outputs = torch.relu(net(inputs))
        given = {}
        print(given, torch.squeeze(outputs.data[0]).numpy(), len(batch))
"""


@pytest.mark.parametrize(
    "given", ["torch.squeeze({}[0]).numpy()", "torch.nn.functional.softmax({}[0], 0)"]
)
def test_a_row_of_a_batch_that_torch_takes_is_no_number(given: str) -> None:
    before = _ROWS.format(given.format("inputs.data"))
    after = migrate(before, "TP103", "TP104").text
    assert f"given = {given.format('inputs')}\n" in after
    assert "torch.squeeze(outputs.detach()[0])" in after


@pytest.mark.parametrize("given", ["torch.tensor(inputs.data[0])", "float(inputs.data[0])"])
def test_an_element_of_a_batch_that_may_be_a_number_stays(given: str) -> None:
    assert f"given = {given}\n" in migrate(_ROWS.format(given), "TP103", "TP104").text
