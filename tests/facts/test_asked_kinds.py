"""Where a value is certainly no tensor, because the code asked."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values import Tensor


def _is_tensor_in(body: str, imports: str = "") -> bool:
    """Whether the last ``x`` of a function that is said to get a tensor is one."""
    text = (
        "import torch\nimport numpy as np\nfrom torch import Tensor\n"
        f"{imports}def f(x: Tensor, y: Tensor):\n    {body}\n"
    )
    facts = Facts(ast.parse(text), text)
    names = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Name) and n.id == "x"]
    read = [n for n in names if isinstance(n.ctx, ast.Load)]
    return isinstance(facts.value(max(read, key=lambda n: (n.lineno, n.col_offset))), Tensor)


@pytest.mark.parametrize(
    "body",
    [
        "if not isinstance(x, torch.Tensor):\n        look(x)",
        "if not torch.is_tensor(x):\n        x = torch.tensor(x)",
        "if not isinstance(x, (Tensor, list)):\n        look(x)",
        "if isinstance(x, Tensor):\n        pass\n    else:\n        look(x)",
        "if isinstance(x, Tensor):\n        pass\n    elif y:\n        look(x)",
        "if isinstance(x, Tensor):\n        return x\n    return torch.tensor(x)",
        "if isinstance(x, Tensor):\n        return x\n    else:\n        y = 1\n    look(x)",
        "for y in z:\n        if torch.is_tensor(x):\n            continue\n        look(x)",
        "return y if torch.is_tensor(x) else look(x)",
        "return torch.is_tensor(x) or look(x)",
        "return not torch.is_tensor(x) and look(x)",
        "if isinstance(x, (list, tuple)):\n        look(x)",
        "if isinstance(x, np.ndarray):\n        look(x)",
        "if y is None and not torch.is_tensor(x):\n        look(x)",
        "if y is None or torch.is_tensor(x):\n        pass\n    else:\n        look(x)",
    ],
)
def test_no_tensor(body: str) -> None:
    assert not _is_tensor_in(body)


@pytest.mark.parametrize(
    "body",
    [
        "if isinstance(x, torch.Tensor):\n        look(x)",
        "if not isinstance(x, list):\n        look(x)",
        "if not torch.is_tensor(y):\n        look(x)",
        "if not torch.is_tensor(x):\n        x = torch.tensor(x)\n    look(x)",
        "if not torch.is_tensor(x):\n        x = torch.tensor(y)\n        look(x)",
        "if y is None or not torch.is_tensor(x):\n        look(x)",
        "if torch.is_tensor(x):\n        y = 1\n    look(x)",
        "if isinstance(x, (list, Tensor)):\n        look(x)",
        "if isinstance(x, list) or y:\n        look(x)",
        "while not y:\n        look(x)\n    torch.is_tensor(x)\n    look(x)",
        "if torch.is_tensor(x):\n        return\n    x = torch.ones(2)\n    look(x)",
        "def is_tensor(z):\n        return False\n    if not is_tensor(x):\n        look(x)",
    ],
)
def test_a_tensor(body: str) -> None:
    assert _is_tensor_in(body)


def test_a_variable_was_no_tensor() -> None:
    body = "if not torch.is_tensor(x):\n        look(x)"
    assert not _is_tensor_in(body)
    assert _is_tensor_in(body, "from torch.autograd import Variable\n")
