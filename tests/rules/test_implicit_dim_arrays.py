"""TP302 where a tensor is made of an array of numpy, which has its dimensions."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_HEAD = "import numpy as np\nimport torch\nimport torch.nn.functional as F\n"

_KNOWN = {
    "np.random.random((3, 4))": 1,
    "np.random.rand(3, 4)": 1,
    "np.random.rand(3)": 0,
    "np.random.normal(0, 1, (3, 4))": 1,
    "np.random.normal(size=(3, 4))": 1,
    "np.random.uniform(size=n)": None,
    "np.random.uniform(size=len(n))": 0,
    "np.zeros((2, 3, 4))": 0,
    "np.zeros(shape=[2, 3])": 1,
    "np.zeros((2, 3))[0]": 0,
    "np.zeros((2, 3))[np.newaxis, :]": 0,
    "np.zeros((2, 3))[None]": 0,
    "np.zeros((2, 3)).T": 1,
    "np.zeros(2)[:, None].astype(np.float32)": 1,
    "np.exp(np.zeros((2, 3)) / 2 - np.zeros(3))": 1,
    "np.expand_dims(np.zeros((2, 3)), 0)": 0,
    "np.array([[1.0, 2.0], [3.0, 4.0]])": 1,
    "np.array([n.a, n.b])": None,
    "np.stack([np.zeros((2, 3)), np.ones((2, 3))])": 0,
    "np.eye(3).flatten()": 0,
    "n.transpose(0, 3, 1, 2)": 1,
    "np.transpose(n, (0, 3, 1, 2))": 1,
    "np.transpose(n)": None,
    "n.reshape(3, -1)": 1,
    "n.reshape((3, -1))": 1,
    "np.eye(3).reshape(-1)": 0,
    # A matrix stays one.
    "n.reshape(-1)": None,
    "n.flatten()": None,
    "n.reshape(shape)": None,
    "np.zeros(n)": None,
    "np.zeros((3, *n))": None,
    "np.ones((3, 4))[n]": None,
    # A method of an array takes other dimensions than that of a tensor.
    "n.dot(n)": None,
    "np.load(n)": None,
    "np.array(n)": None,
    "np.array([])": None,
}


@pytest.mark.parametrize(("array", "dim"), _KNOWN.items(), ids=_KNOWN)
def test_a_tensor_has_the_dimensions_of_the_array_that_it_is_made_of(
    array: str, dim: int | None
) -> None:
    code = f"{_HEAD}def probs(n, shape):\n    return F.softmax(torch.from_numpy({array}))\n"
    text = migrate(code, "TP302").text
    assert text == code if dim is None else f"{array}), dim={dim})" in text


_USES = {
    "by names": ("x = np.zeros((3, 4))\n    x = x * 2\n    t = torch.from_numpy(x).float()", 1),
    "a Variable": ("t = torch.autograd.Variable(torch.from_numpy(np.ones((3, 4))), False)", 1),
    "a tensor of torch": ("t = torch.tensor(np.ones((3, 4)))", 1),
    "an old constructor": ("t = torch.FloatTensor(np.ones((3, 4)))", 1),
    "rows that are collected": (
        "xs = []\n    for a in n:\n        xs.append([1.0, 2.0])\n"
        "    t = torch.from_numpy(np.array(xs))",
        1,
    ),
    "either has as many": (
        "x = np.ones((3, 4)) if n else np.zeros((3, 4))\n    t = torch.from_numpy(x)",
        1,
    ),
    "a vector or rows": ("x = np.ones((3, 4)) if n else np.zeros(3)\n    t = torch.tensor(x)", -1),
    "another shape by hand": (
        "x = np.zeros((3, 4))\n    x.shape = (3, 2, 2)\n    t = torch.from_numpy(x)",
        None,
    ),
    "resized": ("x = np.zeros((3, 4))\n    x.resize(n)\n    t = torch.from_numpy(x)", None),
    "a product of arrays": (
        "x = np.load(n)\n    y = x.dot(x)\n    t = torch.from_numpy(x)",
        None,
    ),
    "sizes": ("t = torch.FloatTensor(n)", None),
    "lists that are no rows": (
        "xs = []\n    for a in n:\n        xs.append(a)\n    t = torch.from_numpy(np.array(xs))",
        None,
    ),
}


@pytest.mark.parametrize(("made", "dim"), _USES.values(), ids=_USES)
def test_an_array_is_followed_through_names(made: str, dim: int | None) -> None:
    code = f"{_HEAD}def probs(n):\n    {made}\n    return F.softmax(t)\n"
    text = migrate(code, "TP302").text
    assert text == code if dim is None else f"F.softmax(t, dim={dim})" in text


def test_a_function_gives_an_array() -> None:
    code = (
        f"{_HEAD}def grid(n):\n    return np.random.randn(3, n)\n"
        "def probs():\n    return F.softmax(torch.from_numpy(grid(4)))\n"
    )
    assert "grid(4)), dim=1)" in migrate(code, "TP302").text
