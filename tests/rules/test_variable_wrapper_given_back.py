"""``return Variable(h.data)``: the wrapper alone shows that what is given back is detached."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_TEXT = """
import torch
from torch.autograd import Variable
def f(h):
    if isinstance(h, Variable):
        {}
    return f(h[0])
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return Variable(h.data)", "return h.detach()"),
        ("return Variable(h.data.cpu())", "return h.detach().cpu()"),
        # What is given back otherwise stays as it is.
        ("return [Variable(h.data)]", "return [h.data]"),
        ("y = Variable(h.data)\n        return y", "y = h.data\n        return y"),
        ("h.add_(1)\n        return Variable(h.data)", "h.add_(1)\n        return h.data"),
        ("return Variable(h.data, requires_grad=False)", "return h.data"),
        ("return Variable(h[0].data.add_(1))", "return h[0].data.add_(1)"),
    ],
)
def test_what_is_given_back_is_detached(old: str, new: str) -> None:
    after = migrate(_TEXT.format(old), "TP101").text
    assert new in after
    assert "Variable(" not in after


def test_what_one_call_takes_for_an_index_is_detached_for_the_others() -> None:
    text = """
import torch
from torch.autograd import Variable
def wrapped(x):
    return Variable(x)
def run(net, x):
    out = net(x)
    row = torch.zeros(3, 3)[wrapped(torch.max(out, 1)[1])]
    return row{}
"""
    assert (
        "return x.detach()"
        in migrate(text.format(", wrapped(out), out.max().item()"), "TP101").text
    )
    assert "return x\n" in migrate(text.format(", out.max().item()"), "TP101").text
