"""Where a value that may be None certainly is none."""

from __future__ import annotations

import ast

import pytest

from tests.support.values import value_of_last
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.facts.values.lattice import Tensor


def _is_tensor_in(body: str) -> bool:
    """Whether the last ``x`` of a function that gets a tensor or nothing is a tensor."""
    text = f"import torch\ndef f(x=None):\n    {body}\nf(torch.ones(1))\n"
    return isinstance(value_of_last(text, "x"), Tensor)


@pytest.mark.parametrize(
    "body",
    [
        "x is not None and look(x)",
        "x is None or look(x)",
        "0 if x is None else look(x)",
        "[look(y) for y in z if x is not None and look(x)]",
        "[0 for i in y if x is not None if look(x)]",
        "while x is not None:\n        look(x)",
        "if x:\n        look(x)",
        "if isinstance(x, torch.Tensor):\n        look(x)",
        "if isinstance(x, (torch.Tensor, list)):\n        look(x)",
        "if x is None:\n        pass\n    else:\n        look(x)",
        "assert x is not None\n    look(x)",
        "if x is None:\n        raise ValueError\n    look(x)",
        "if x is None:\n        x = torch.ones(2)\n    look(x)",
        "-x",
        "x + 1",
        "1 - x",
        "x % 2",
        "x < 1",
        "x.size()",
        "x[0]",
        "print(*x)",
        "[i for i in x]",
        "for i in x:\n        pass",
        "y = x @ y",
        "y += x",
        "torch.nn.functional.relu(x)",
        "torch.nn.Linear(1, 2)(x)",
        "if y and x is not None:\n        look(x)",
        "if not (y or x is None):\n        look(x)",
        "if x is None or y:\n        raise ValueError\n    look(x)",
        "if x != None:\n        look(x)",
        "if not x == None:\n        look(x)",
        "if not isinstance(x, torch.Tensor):\n        raise ValueError\n    look(x)",
        "if x is None:\n        y = x = torch.ones(2)\n    look(x)",
        "if a:\n        if x is None:\n            return\n        look(x)",
        "assert y and x is not None\n    look(x)",
        "y and x is not None and look(x)",
        "{y: look(x) for y in z if x is not None}",
    ],
)
def test_certainly_not_none(body: str) -> None:
    assert _is_tensor_in(body)


@pytest.mark.parametrize(
    "body",
    [
        "look(x)",
        "x is not None or look(x)",
        "x is None and look(x)",
        "look(x) if y else 0",
        "[look(x) for i in y if i is not None]",
        "if x is None:\n        look(x)",
        "if x is None:\n        print(1)\n    look(x)",
        "if y is None:\n        raise ValueError\n    look(x)",
        "if x is not None:\n        y = x\n    look(x)",
        "assert y is not None\n    look(x)",
        "not x",
        "x == 1",
        "x is y",
        "1 < 2 == x",
        "'%s' % x",
        "y[x]",
        "[x]",
        "f'{x}'",
        "x if y else z",
        "look(y, x)",
        "torch.unknown(x)",
        "torch.nn.functional.mse_loss(y, x)",
        "y(x)",
        "{x: 1}",
        "for i in y:\n        x",
        "[x for i in y]",
        "if y or x is not None:\n        look(x)",
        "if not (y and x is None):\n        look(x)",
        "if x is None and y:\n        raise ValueError\n    look(x)",
        "if x == 1:\n        look(x)",
        "if x in y:\n        look(x)",
        "if None is not x:\n        look(x)",
        "if check(x, torch.Tensor):\n        look(x)",
        "if isinstance(y, torch.Tensor):\n        look(x)",
        "if isinstance(x, (torch.Tensor, type(None))):\n        look(x)",
        "if isinstance(x, (torch.Tensor, types.NoneType)):\n        look(x)",
        "if isinstance(x, object):\n        look(x)",
        "if isinstance(x, KINDS):\n        look(x)",
        "if x is None:\n        y = torch.ones(2)\n    look(x)",
        "if y:\n        assert x is not None\n    look(x)",
        "while x is None:\n        look(x)",
        "x is y or look(x)",
        "if x is not None:\n        y = lambda: look(x)",
    ],
)
def test_perhaps_none(body: str) -> None:
    assert not _is_tensor_in(body)


@pytest.mark.parametrize(
    ("body", "is_tensor"),
    [
        ("if self.x is not None:\n            look(self.x)", True),
        ("if self.x is None:\n            return\n        look(self.x)", False),
        ("if self.y is not None:\n            look(self.x)", False),
        ("if x is not None:\n            look(self.x)", False),
        ("if get().x is not None:\n            look(get().x)", False),
        ("look(self.x)", False),
    ],
)
def test_attribute_that_is_asked_for(body: str, is_tensor: bool) -> None:
    text = (
        "import torch\nclass A:\n    def __init__(self):\n        self.x = self.y = None\n"
        "    def put(self):\n        self.x = torch.ones(2)\n"
        f"    def get(self):\n        {body}\n"
    )
    facts = WholeFacts(ast.parse(text), text)
    calls = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call)]
    look = next(c for c in calls if ast.unparse(c.func) == "look")
    assert isinstance(facts.value(look.args[0]), Tensor) == is_tensor


@pytest.mark.parametrize(
    ("test", "is_tensor"),
    [("x is not None", True), ("x is None", False), ("y is not None", False)],
)
def test_name_of_the_module_that_is_asked_for(test: str, is_tensor: bool) -> None:
    text = f"import torch\nx = None\nif a:\n    x = torch.ones(2)\nif {test}:\n    look(x)\n"
    facts = WholeFacts(ast.parse(text), text)
    calls = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call)]
    look = next(c for c in calls if ast.unparse(c.func) == "look")
    assert isinstance(facts.value(look.args[0]), Tensor) == is_tensor
