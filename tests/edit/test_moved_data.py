"""The memory of a new tensor that a rewrite moves is moved as the tensor itself."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_TEXT = """import torch
from torch.autograd import Variable
use_cuda = torch.cuda.is_available()
net = torch.nn.Embedding(3, 4)
if use_cuda:
    net.cuda()
def f(y, table):
{made}
    if use_cuda:
        x.data = x.data.cuda()
    return net(x)
"""


def _after(made: str) -> str:
    after = migrate(_TEXT.format(made=made)).text
    assert migrate(after).text == after
    return after


def test_a_new_tensor_is_moved_itself() -> None:
    after = _after("    x = Variable(torch.rand(1, 2).mul(3).long())")
    assert "    x = torch.rand(1, 2).mul(3).long().to(device)\n    return net(x)\n" in after


@pytest.mark.parametrize(
    "made",
    [
        pytest.param("    x = y", id="another name holds it"),
        pytest.param("    x = table['x']", id="nobody knows what it is"),
        pytest.param("    x = torch.rand(2, requires_grad=True)", id="a leaf"),
        pytest.param("    x = net(torch.ones(1).long())", id="a result with a graph"),
        pytest.param("    x = torch.zeros(2).long()\n    z = x", id="named again above"),
    ],
)
def test_another_tensor_keeps_its_name(made: str) -> None:
    after = _after(made)
    assert "x.data = x.data." in after
