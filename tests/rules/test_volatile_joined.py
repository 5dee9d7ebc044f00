"""TP102 where one branch makes something volatile, and the same lines calculate with either."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, migrate

_CODE = """import torch
import torch.nn as nn
from torch.autograd import Variable
class Decoder(nn.Module):
    def forward(self, n, inputs=None, mode=None):
        if mode == "generate":
            inputs = None
        {0}:
            {1}
        else:
            {2}
        def size():
            return x.size()
        for i in range(n):
            {3}
            y = self.step(x)
        return y, size()
"""
_BOS = "bos = Variable(torch.LongTensor([1]), volatile=True)\n            {}x = bos.expand(n, 1)"
_ASKED = "torch.is_grad_enabled() and inputs is not None"


def _said(*lines: str) -> str:
    (found,) = advice("TP102", _CODE.format(*lines))
    return found.message


@pytest.mark.parametrize(
    ("test", "body", "other"),
    [
        ("if inputs is not None", "x = inputs", _BOS.format("")),
        ("if inputs is None", _BOS.format(""), "x = inputs"),
        ("if inputs is None", _BOS.format("bos = self.moved(bos)\n            "), "x = inputs"),
    ],
)
def test_the_test_tells_what_trains(test: str, body: str, other: str) -> None:
    block = f"`with torch.set_grad_enabled({_ASKED}):`"
    assert f"{block} around what calculates with x does what it did" in _said(
        test, body, other, "pass"
    )


@pytest.mark.parametrize(
    ("test", "body", "other", "more"),
    [
        # The test would come out otherwise below.
        ("if inputs is None", _BOS.format(""), "x = inputs", "inputs = x"),
        ("if self.asked(inputs)", _BOS.format(""), "x = inputs", "pass"),
        # A third way.
        ("if n > 3:\n            x = n\n        elif n", _BOS.format(""), "x = inputs", "pass"),
        # Nothing has the name of both.
        ("if inputs is None", _BOS.format(""), "y = inputs", "pass"),
        # The model calculates in the branch, and what it gives has the name of both.
        (
            "if inputs is None",
            "bos = Variable(torch.LongTensor([1]), volatile=True)\n            x = self.net(bos)",
            "x = inputs",
            "pass",
        ),
        # Both are volatile.
        (
            "if inputs is None",
            _BOS.format(""),
            "x = Variable(inputs, volatile=self.flag)",
            "pass",
        ),
    ],
)
def test_other_tests_tell_nothing(test: str, body: str, other: str, more: str) -> None:
    found = advice("TP102", _CODE.format(test, body, other, more))
    assert found
    assert not any("inputs is not None" in each.message for each in found)


def test_what_callers_may_give_trains_also_where_a_mode_leaves_it_out() -> None:
    code = _CODE.format("if inputs is None", _BOS.format(""), "x = inputs", "pass")
    before, _, below = code.partition("        def size():\n            return x.size()\n")
    code = before + below.replace("y, size()", "y")
    # A block without graphs around the loop would stop what is trained with inputs.
    assert migrate(code, "TP102").text == code
    (found,) = advice("TP102", code)
    assert f"with torch.set_grad_enabled({_ASKED}):" in found.message
