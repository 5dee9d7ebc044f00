"""What a function of autograd saves for its backward shows what it is."""

from __future__ import annotations

import pytest

from tests.support.values import value_of_last
from torchfix_codemods.facts.values.lattice import Tensor

_FUNCTION = """
from torch.autograd import Function
class F(Function):
    def forward(self, x, y):
"""


@pytest.mark.parametrize(
    "body",
    [
        "self.save_for_backward(x, y)\n        return x.new()",
        "z = x.new()\n        self.save_for_backward(y, x)\n        return x.new()",
        "self.save_for_backward(x)\n        if x is not None:\n            return look(x)",
    ],
)
def test_what_is_saved_is_a_tensor_where_it_is_not_none(body: str) -> None:
    assert isinstance(value_of_last(f"{_FUNCTION}        {body}\n", "x"), Tensor)


@pytest.mark.parametrize(
    ("class_", "body"),
    [
        ("Function", "self.save_for_backward(x)\n        return look(x)"),
        ("Function", "self.save_for_backward(y)\n        return x.new()"),
        ("Function", "self.save_for_backward(look(x))\n        return x.new()"),
        ("Function", "if y:\n            self.save_for_backward(x)\n        return x.new()"),
        ("Function", "y.save_for_backward(x)\n        return x.new()"),
        ("Function", "self = y\n        look(self, x)\n        return x.new()"),
        ("Function", "self.save(x)\n        return x.new()"),
        ("Tape", "self.save_for_backward(x)\n        return x.new()"),
        ("Function", "x = y\n        return x.new()\n        self.save_for_backward(x)"),
    ],
)
def test_others_show_nothing(class_: str, body: str) -> None:
    text = f"{_FUNCTION}        {body}\n".replace("F(Function)", f"F({class_})")
    assert not isinstance(value_of_last(text, "x"), Tensor)


def test_nothing_is_saved_outside_of_a_class() -> None:
    text = "def forward(self, x):\n    self.save_for_backward(x)\n    return x.new()\n"
    assert not isinstance(value_of_last(f"import torch\n{text}", "x"), Tensor)
