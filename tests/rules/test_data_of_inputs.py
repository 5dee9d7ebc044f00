"""`.data` of what torch makes of several tensors: it stays where any of them leads its graph on."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_TEXT = """
import torch
import torch.nn.functional as F
def use(option):
    w = torch.ones(3, requires_grad=True)
    x, mask, index = torch.zeros(3), torch.zeros(3) > 1, torch.tensor([1, 2, 0])
    made = {}
    return made
"""


@pytest.mark.parametrize(
    "made",
    [
        "x.masked_fill(mask, w.sum())",
        "x.masked_scatter(mask, w)",
        "x.masked_scatter(source=w, mask=mask)",
        "x.index_add(0, index, w)",
        "x.index_copy(0, index, w)",
        "x.scatter(0, index, w)",
        "x.clamp(0, w)",
        "torch.clamp(x, 0, w)",
        "torch.clamp(x, *[0, w])",
        "torch.addmm(1, x.view(3, 1), 1, x.view(3, 1), w.view(1, 1))",
        "F.embedding(index, w.view(3, 1))",
        "F.embedding(index, weight=w.view(3, 1))",
    ],
)
def test_data_stays_where_a_later_argument_has_a_graph(made: str) -> None:
    after = migrate(_TEXT.format(f"{made}.data + 1"), "TP104").text
    assert after == _TEXT.format(f"{made}.detach() + 1")


@pytest.mark.parametrize(
    "made",
    [
        "x.masked_fill(mask, x.sum())",
        "x.masked_scatter(mask, x)",
        "x.index_add(0, index, x)",
        "x.scatter(0, w.long(), x)",
        "torch.clamp(x, 0, x)",
        "torch.clamp(x, max=x)",
        "F.embedding(index, x.view(3, 1))",
        "F.interpolate(x.view(1, 1, 3), size=option)",
        "F.max_pool1d(x.view(1, 1, 3), option)",
        "x.repeat(option, 2)",
    ],
)
def test_data_goes_where_no_argument_with_a_graph_is_led_on(made: str) -> None:
    after = migrate(_TEXT.format(f"{made}.data + 1"), "TP104").text
    assert after == _TEXT.format(f"{made} + 1")


_LAST = """import torch
def last(layers, h: torch.Tensor, n: torch.Tensor):
    for layer in layers:
        c, h = layer(h)
        h = h * 2
    return c{}, h[0, (n - 1).data, :]
"""


def test_what_stands_beside_a_slice_is_an_index_whatever_has_it() -> None:
    after = migrate(_LAST.format("[0, (n - 1).data, :]"), "TP104").text
    assert "return c[0, n - 1, :], h[0, n - 1, :]" in after


def test_what_may_be_a_key_is_no_index() -> None:
    after = migrate(_LAST.format("[0, (n - 1).data]"), "TP104").text
    assert "return c[0, n - 1]" not in after
