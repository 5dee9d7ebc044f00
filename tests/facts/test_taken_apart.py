"""What the taking apart of a size shows of a tensor."""

from __future__ import annotations

import pytest

from tests.support.values import value_of_last
from torchfix_codemods.facts.values.lattice import Tensor


def _ndim(body: str) -> int | None:
    # A tensor by what is asked of it first.
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    value = value_of_last(f"import torch\ndef f(x, y, c):\n    x.unsqueeze(0)\n{lines}", "x")
    assert isinstance(value, Tensor), value
    return value.ndim


@pytest.mark.parametrize(
    ("body", "ndim"),
    [
        ("a, b = x.size()\nreturn x", 2),
        ("a, b = x.data.size()\nreturn x", 2),
        ("a, b, _ = x.shape\nreturn x.unsqueeze(0)", 3),
        ("x.unsqueeze(0)\n(a,) = x.size()\nfor i in range(a):\n    print(x)", 1),
        ("if c:\n    x = x.cuda()\na, b = x.size()\nreturn x", 2),
        ("while c:\n    a, b = x.size()\n    print(x)\n    y = x", 2),
        ("x = x.cuda()\na, b = x.size()\nreturn lambda: x.unsqueeze(0)", None),
        ("assert x.size() == (c, 3)\nreturn x", 2),
        ("assert c and (c, 1, 1) == x.data.shape\nreturn x", 3),
        ("assert x.size() == y.size() == (c, 3)\nreturn x", 2),
        ("assert x.size() == y.size() and y.size() == (c, 3, 4)\nreturn x", 3),
        ("assert x.size() == (c,)\nfor i in x:\n    print(x)", 1),
    ],
)
def test_as_many_names_as_dimensions(body: str, ndim: int | None) -> None:
    assert _ndim(body) == ndim


@pytest.mark.parametrize(
    "body",
    [
        "if c:\n    a, b = x.size()\nreturn x",
        "if x.unsqueeze(0).dim() == 3:\n    return x",
        "print(x.unsqueeze(0))\nreturn x",
        "a, *b = x.size()\nreturn x",
        "a = x.size()\nreturn x.unsqueeze(0)",
        "a, b = x.size()\nx = x.view(-1, *y)\nreturn x",
        "for i in y:\n    a, b = x.size()\n    if i:\n        x = x.unsqueeze(0)\n    print(x)",
        "a, b = x.size()\nfor i in y:\n    x.unsqueeze(0)\n    x = torch.stack(y)",
        "a, b = x.size()\nx.unsqueeze_(0)\nreturn x",
        "try:\n    a, b = x.size()\nexcept ValueError:\n    pass\nreturn x.unsqueeze(0)",
        "a, b = y.size()\nreturn x.unsqueeze(0)",
        "a, b = x.size(0), x.size(1)\nreturn x",
        "assert x.size() == (1,)\nreturn x",
        "assert x.size() == (c, *y)\nreturn x",
        "assert x.size() != (c, 3)\nreturn x",
        "assert x.size() == (c, 3) or c\nreturn x",
        "assert not x.size() == (c, 3)\nreturn x",
        "assert x.size() == y.size() and y.shape == c\nreturn x",
        "assert x.size(1) == (c, 3)\nreturn x",
        "if c:\n    assert x.size() == (c, 3)\nreturn x",
        "assert x.size() == (c, 3)\nx = x.view(-1, *y)\nreturn x",
        "def g(x):\n    a, b = x.size()\nreturn x.unsqueeze(0)",
    ],
)
def test_what_may_not_have_run_or_was_of_another_tensor_shows_nothing(body: str) -> None:
    assert _ndim(body) is None


def test_before_it_nothing_is_certain() -> None:
    body = "if c:\n    return x.unsqueeze(0)"
    assert _ndim(f"{body}\na, b = y.size()") is None
    early = value_of_last(
        "import torch\ndef f(x, c):\n    if c:\n        print(x.unsqueeze(0))\n        return c\n"
        "    a, b = c.size()\n",
        "x",
    )
    assert early == Tensor()


def test_of_what_may_be_no_tensor_nothing_is_said() -> None:
    value = value_of_last("import torch\ndef f(x):\n    a, b = x.shape\n    return x\n", "x")
    assert not isinstance(value, Tensor)


def test_what_is_known_otherwise_stays() -> None:
    text = "import torch\nx = torch.ones(2, 3)\na, b, c = x.size()\nprint(x)\n"
    value = value_of_last(text, "x")
    assert isinstance(value, Tensor) and value.ndim == 2


@pytest.mark.parametrize(
    ("body", "ndim"),
    [
        ("if x.dim() != 1:\n    raise ValueError\nreturn x", 1),
        ("if not x.dim() == 2:\n    return\nreturn x", 2),
        ("if x is not None and x.dim() != 1:\n    raise ValueError\nfor i in x:\n    print(x)", 1),
        ("assert x is None or x.ndimension() == 3\nreturn x", 3),
        ("assert c and x.data.dim() == 4\nprint(x)", 4),
        ("if len(x.size()) == 2 and y:\n    return x", 2),
        ("if len(x.shape) != 3:\n    return c\nelse:\n    return x", 3),
        ("for i in y:\n    if x.ndim != 2 or i:\n        continue\n    print(x)", 2),
    ],
)
def test_as_many_dimensions_as_a_test_lets_through(body: str, ndim: int) -> None:
    assert _ndim(body) == ndim


@pytest.mark.parametrize(
    "body",
    [
        "if x.dim() == 1:\n    raise ValueError\nreturn x",
        "if x.dim() != 1:\n    print(c)\nreturn x",
        "if c and x.dim() != 1:\n    raise ValueError\nreturn x",
        "if y is not None and x.dim() != 1:\n    raise ValueError\nreturn x",
        "if x is None and x.dim() != 1:\n    raise ValueError\nreturn x",
        "assert c or x.dim() == 1\nreturn x",
        "if y.dim() != 1:\n    raise ValueError\nreturn x",
        "if x.dim(1) != 1:\n    raise ValueError\nreturn x",
        "if x.dim() != c:\n    raise ValueError\nreturn x",
        "if x.dim() > 1:\n    raise ValueError\nreturn x",
        "if 0 < x.dim() == 1:\n    raise ValueError\nreturn x",
        "if x.dim() == 1 == c:\n    return x",
        "if x.size() != 1:\n    raise ValueError\nreturn x",
        "if len(x) != 1:\n    raise ValueError\nreturn x",
        "if x.dim() != 1:\n    raise ValueError\nx.unsqueeze_(0)\nreturn x",
        "if x.dim() != 1:\n    raise ValueError\nx = x.view(-1, *y)\nreturn x",
        "for i in y:\n    if x.dim() != 1:\n        raise ValueError\n"
        "    if i:\n        x = x.view(-1, *y)\n    print(x)",
        "try:\n    if x.dim() != 1:\n        raise ValueError\nexcept ValueError:\n    pass\nreturn x",
        "if x.dim() != 1:\n    raise ValueError\nx.sum().backward()\nx.backward()\nreturn x",
    ],
)
def test_a_test_that_may_leave_others_shows_nothing(body: str) -> None:
    assert _ndim(body) is None
