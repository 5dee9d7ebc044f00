"""Functions that only make volatile values: no block around them would keep a graph away."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, migrate

_MADE = """import numpy as np
import torch
from torch.autograd import Variable


def to_var(x, volatile=False, requires_grad=False):
    var = Variable(torch.from_numpy(np.asarray(x)), volatile=volatile, requires_grad=requires_grad)
    if torch.cuda.is_available():
        return var.cuda()
    return var


def batch(xs, ys, flag):
    {0}
"""


@pytest.mark.parametrize("flag", ["flag", "True"])
@pytest.mark.parametrize(
    "body",
    [
        "return to_var(xs, volatile={0}), to_var(ys, volatile={0})",
        "return [to_var(x, volatile={0}) for x in xs]",
        "return {{'x': to_var(xs, volatile={0}), 'y': ys}}",
        "x = to_var(xs, volatile={0})\n    return {{'x': x}}",
        "x = to_var(xs, volatile={0})\n    x = x.cuda()\n    return x",
        "out = []\n    for x in xs:\n        out.append(to_var(x, volatile={0}))\n    return out",
    ],
)
def test_what_a_function_only_makes_is_told(body: str, flag: str) -> None:
    given = _MADE.format(body.format(flag))
    assert migrate(given, "TP102").text == given
    assert all("what only evaluates goes" in one.message for one in advice("TP102", given))
    assert advice("TP102", given)


@pytest.mark.parametrize(
    "body",
    [
        "return net(to_var(xs, volatile={0})), to_var(ys, volatile={0})",
        "return [net(to_var(x, volatile={0})) for x in xs]",
        "x = to_var(xs, volatile={0})\n    x = x * weight\n    return x",
        "x = to_var(net(xs).data.numpy(), volatile={0})\n    return self.to(x)",
    ],
)
def test_what_is_calculated_with_it_stands_in_a_block(body: str) -> None:
    after = migrate(_MADE.format(body.format("flag")), "TP102").text
    assert "with torch.set_grad_enabled(torch.is_grad_enabled() and not flag):" in after


def test_a_helper_that_calculates_stands_in_a_block() -> None:
    given = _MADE.format("return to_var(xs, volatile=flag), to_var(ys, volatile=flag)")
    after = migrate(given.replace("return var.cuda()", "return net(var)"), "TP102").text
    assert "with torch.set_grad_enabled(torch.is_grad_enabled() and not flag):" in after
