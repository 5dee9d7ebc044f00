"""TP104 where `.data` is assigned as well, and where a number is asked for in the end."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate

_TEXT = """
import torch
def f(net, p, i):
    x = net(torch.ones(2, 3))
    y = net(torch.zeros(2, 3))
    x.size(0), y.size(0)
    {line}
"""


def _line(line: str) -> str:
    text = textwrap.dedent(_TEXT)
    head, _, end = text.partition("{line}")
    return migrate(text.replace("{line}", line), "TP104").text[len(head) : -len(end)]


@pytest.mark.parametrize(
    "line",
    [
        "x.data = x.data * p",
        "x.data = torch.clamp(x.data, 0, 1)",
        "x.data = x.data / x.data.sum()",
        "x.data[i] = x.data[i] * p",
        "x.data[0][1] = x.data[1][0] * p",
        "x.data += x.data * p",
        "x.data[i] -= x.data.sum()",
        "x.data = i.data = x.data * p",
        "x.data = y.data * p",
        "i.data = x.data * p",
    ],
)
def test_what_is_read_where_it_is_stored_stays(line: str) -> None:
    assert _line(line) == line


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("z = x.data * p", "z = x.detach() * p"),
        ("x = x.data * p", "x = x.detach() * p"),
        ("i.n = x.data[0]", "i.n = x.data[0]"),
    ],
)
def test_what_is_read_of_another_does_not(line: str, expected: str) -> None:
    assert _line(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("n = x.data[0].item()", "n = x[0].item()"),
        ("n = x.data[0][1].item()", "n = x[0][1].item()"),
        ("n = x.data[0, i].tolist()", "n = x[0, i].tolist()"),
        ("n = x.data[0].numpy()", "n = x.detach()[0].numpy()"),
        ("n = x.data[0].sum().item()", "n = x[0].sum().item()"),
        ("n = x.data[0].item", "n = x.data[0].item"),
        ("n = p[x.data].item()", "n = p[x.detach()].item()"),
    ],
)
def test_a_number_of_python_has_no_graph(line: str, expected: str) -> None:
    assert _line(line) == expected


_PART = """import torch
def f(e, w):
    return {asked}
"""


@pytest.mark.parametrize(
    ("asked", "after"),
    [
        ("torch.nonzero(e[:, w, :].data).numel()", "torch.nonzero(e[:, w, :]).numel()"),
        ("torch.argmax(e[w, ..., 1:].data, 1)", "torch.argmax(e[w, ..., 1:], 1)"),
        ("e[:, w].data.unsqueeze(0) > 2", "e[:, w].unsqueeze(0) > 2"),
    ],
)
def test_a_part_whose_data_is_a_tensor_is_one(asked: str, after: str) -> None:
    assert migrate(_PART.format(asked=asked), "TP104").text == _PART.format(asked=after)


@pytest.mark.parametrize(
    "asked",
    [
        # A packed sequence, a data set: their data are tensors, and they are none.
        "torch.nonzero(e.data).numel()",
        "torch.nonzero(e[w].data).numel()",
        "torch.nonzero(e[0:2].data).numel()",
        "torch.nonzero(e['a', w].data).numel()",
        # The memory of an array.
        "f(e[:, w].data)",
        "e[:, w].data.nbytes",
    ],
)
def test_what_may_be_no_tensor_keeps_its_data(asked: str) -> None:
    assert migrate(_PART.format(asked=asked), "TP104").text == _PART.format(asked=asked)
