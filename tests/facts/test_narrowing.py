"""Where a value that may be None certainly is none."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values import Tensor


def _is_tensor_in(body: str) -> bool:
    """Whether the last ``x`` of a function that gets a tensor or nothing is a tensor."""
    text = f"import torch\ndef f(x=None):\n    {body}\nf(torch.ones(1))\n"
    facts = Facts(ast.parse(text), text)
    names = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Name) and n.id == "x"]
    read = [n for n in names if isinstance(n.ctx, ast.Load)]
    return isinstance(facts.value(max(read, key=lambda n: (n.lineno, n.col_offset))), Tensor)


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
    ],
)
def test_perhaps_none(body: str) -> None:
    assert not _is_tensor_in(body)
