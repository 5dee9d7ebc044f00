"""What code has asked the kind of, and goes on with as no tensor, is taken for none."""

from __future__ import annotations

import pytest

from tests.support.values import value_of_last
from torchfix_codemods.facts.values.lattice import Tensor

HEAD = """import torch
from torch import Tensor, is_tensor
from elsewhere import Wrapped
class Own:
    pass
KINDS = (torch.Tensor,)
def f(x: torch.Tensor, y, z):
    """


def _is_tensor_in(body: str) -> bool:
    """Whether the last ``x`` of a function that declares it a tensor is taken for one."""
    text = HEAD + body.replace("\n", "\n    ") + "\n"
    return isinstance(value_of_last(text, "x"), Tensor)


@pytest.mark.parametrize(
    "body",
    [
        "if not isinstance(x, torch.Tensor):\n    look(x)",
        "if not isinstance(x, (Tensor, list)):\n    look(x)",
        "if not is_tensor(x):\n    look(x)",
        "if not isinstance(x, torch._C._TensorBase):\n    look(x)",
        "if torch.is_tensor(x):\n    y = x\nelse:\n    look(x)",
        "if isinstance(x, list):\n    look(x)",
        "if isinstance(x, (list, Wrapped, Own)):\n    look(x)",
        "if y and not torch.is_tensor(x):\n    look(x)",
        "if not (y or torch.is_tensor(x)):\n    look(x)",
        "y = x if is_tensor(x) else look(x)",
        "torch.is_tensor(x) or look(x)",
        "isinstance(x, list) and look(x)",
        "if type(x) is list:\n    look(x)",
        "if type(x) != torch.Tensor:\n    look(x)",
        "if x.__class__ is list:\n    look(x)",
        "while not torch.is_tensor(x):\n    x = look(x)",
        "if torch.is_tensor(x):\n    return x\nlook(x)",
        "assert not torch.is_tensor(x)\nlook(x)",
        "for i in y:\n    if not isinstance(x, torch.Tensor):\n        x = torch.tensor(x)",
        "if isinstance(x, list):\n    for i in y:\n        look(x)",
        "if torch.is_tensor(x):\n    pass\nelif y:\n    look(x)",
        "for y in z:\n    if torch.is_tensor(x):\n        continue\n    look(x)",
    ],
)
def test_said_to_be_no_tensor(body: str) -> None:
    assert not _is_tensor_in(body)


@pytest.mark.parametrize(
    "body",
    [
        "look(x)",
        "if x.__class__ is not list:\n    look(x)",
        "if z.__class__ is list:\n    look(x)",
        "print(x.__class__, list)\nlook(x)",
        "if isinstance(x, torch.Tensor):\n    look(x)",
        "if isinstance(x, (list, Tensor)):\n    look(x)",
        "if isinstance(x, torch._C._TensorBase):\n    look(x)",
        "if isinstance(x, torch.autograd.Variable):\n    look(x)",
        "if not isinstance(x, torch.autograd.Variable):\n    look(x)",
        "if not isinstance(x, torch.cuda.FloatTensor):\n    look(x)",
        "if isinstance(x, KINDS):\n    look(x)",
        "if isinstance(x, object):\n    look(x)",
        "if isinstance(y, list):\n    isinstance(x, list)\n    look(x)",
        "if not isinstance(x, list):\n    look(x)",
        "if torch.is_tensor(x) or y:\n    z = 1\nlook(x)",
        "if y or not torch.is_tensor(x):\n    look(x)",
        "if not torch.is_tensor(x):\n    x = torch.ones(1)\n    look(x)",
        "if not torch.is_tensor(x):\n    x = torch.tensor(y)\nlook(x)",
        "if isinstance(x, list):\n    y = 1\nlook(x)",
        "if not torch.is_tensor(x):\n    raise TypeError\nlook(x)",
        "assert torch.is_tensor(x)\nlook(x)",
        "if type(x) == torch.Tensor:\n    look(x)",
        "if type(x) == type(y):\n    look(x)",
        "if torch.is_tensor(x):\n    pass",
        "if isinstance(x, list):\n    y = lambda: look(x)",
        "if not torch.is_tensor(y):\n    look(x)",
        "if torch.is_tensor(x):\n    return\nx = torch.ones(2)\nlook(x)",
        "if hasattr(x, 'data'):\n    look(x)",
    ],
)
def test_may_be_a_tensor_as_declared(body: str) -> None:
    assert _is_tensor_in(body)


@pytest.mark.parametrize(
    ("test", "expected"), [("not torch.is_tensor(x)", True), ("isinstance(x, list)", False)]
)
def test_a_variable_was_no_tensor(test: str, expected: bool) -> None:
    assert not _is_tensor_in(f"if {test}:\n    look(x)")
    known = f"if {test}:\n    look(x)\n"
    text = "from torch.autograd import Variable\n" + HEAD + known.replace("\n", "\n    ")
    assert isinstance(value_of_last(text, "x"), Tensor) is expected


ATTRIBUTE = """import torch
class Holder:
    def __init__(self, n):
        self.x = torch.ones(n)
    def look(self):
        {}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if not torch.is_tensor(self.x): print(self.x)", False),
        ("if isinstance(self.x, list): print(self.x)", False),
        ("if torch.is_tensor(self.x): print(self.x)", True),
        ("if not torch.is_tensor(self.x):\n            self.x = torch.ones(1)\n"
         "            print(self.x)", True),
        ("if not torch.is_tensor(self.y): print(self.x)", True),
    ],
)  # fmt: skip
def test_attributes(body: str, expected: bool) -> None:
    text = ATTRIBUTE.format(body)
    assert isinstance(value_of_last(text, "x"), Tensor) is expected


@pytest.mark.parametrize(
    ("head", "field", "expected"),
    [
        ("@dataclass\nclass", "ratios: object = None", False),
        ("@attr.s(slots=True)\nclass", "ratios: object = None", False),
        ("@dataclass\nclass", "ratios = None", True),
        ("class", "ratios: object = None", True),
    ],
)
def test_fields_are_what_the_class_is_made_with(head: str, field: str, expected: bool) -> None:
    text = f"""import torch, attr
from dataclasses import dataclass
{head} Config:
    {field}
    count: int = 3
    def settle(self):
        self.ratios = torch.ones(1)
    def look(self):
        if self.ratios is not None:
            print(self.ratios)
"""
    assert isinstance(value_of_last(text, "ratios"), Tensor) is expected
