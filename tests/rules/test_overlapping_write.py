from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites

_HEAD = (
    "import numpy as np\nimport torch\nx = torch.ones(5)\ny = torch.zeros(1, 3)\n"
    "z = torch.ones(2, 4)\nn = 1\n"
)


@pytest.mark.parametrize(
    ("code", "write"),
    [
        ("x[1:] = x[:-1]", "write x[:-1].clone()"),
        ("z[1:, 0] = z[:-1, 0]", "write z[:-1, 0].clone()"),
        ("z[:, n:] = z[:, :-n]", "write z[:, :-n].clone()"),
        ("x[n:] = x[:-n]", "write x[:-n].clone()"),
        ("x[s.shape[0]:] = x[:-s.shape[0]]", "write x[:-s.shape[0]].clone()"),
        ("x[2:] += x[:-2]", "write x[:-2].clone()"),
        ("x[1:].copy_(x[:-1])", "write x[:-1].clone()"),
        ("x[1:].add_(x[:-1])", "write x[:-1].clone()"),
        ("a = y.expand(2, 3)\na += 1", "write y.expand(2, 3).clone()"),
        ("a = y.expand_as(x)\na.mul_(2)", "write y.expand_as(x).clone()"),
        ("y.expand(2, 3).add_(1)", "write y.expand(2, 3).clone()"),
    ],
)
def test_what_shares_memory_is_told(code: str, write: str) -> None:
    (finding,) = advice("TP425", _HEAD + code)
    assert finding.message.endswith(write)
    assert finding.line == (_HEAD + code).count("\n") + 1
    assert migrate(_HEAD + code, "TP425").text == _HEAD + code


def test_a_size_that_is_not_written_down_is_told_as_such() -> None:
    (finding,) = advice("TP425", _HEAD + "x[n:] = x[:-n]\n")
    assert finding.message.startswith("x[n:] and x[:-n] share memory where n is positive, ")


test_rewrites = rewrites(
    "TP425",
    {
        name: (f"{_HEAD}{old}\n", f"{_HEAD}{new}\n")
        for name, (old, new) in {
            "to the front": ("x[:-1] = x[1:]", "x[:-1] = x[1:].clone()"),
            "added": ("x[:-2] += x[2:]", "x[:-2] += x[2:].clone()"),
            "copied": ("x[:-1].copy_(x[1:])", "x[:-1].copy_(x[1:].clone())"),
            "in a call": ("x[:-1].add_(x[1:])", "x[:-1].add_(x[1:].clone())"),
            "columns": ("z[:, :-1] = z[:, 1:]", "z[:, :-1] = z[:, 1:].clone()"),
            "the rows of one column": ("z[:-1, 0] = z[1:, 0]", "z[:-1, 0] = z[1:, 0].clone()"),
            "a name": ("z[:, :-n] = z[:, n:]", "z[:, :-n] = z[:, n:].clone()"),
            "a size": (
                "z[..., :-s.shape[0]] = z[..., s.shape[0]:]",
                "z[..., :-s.shape[0]] = z[..., s.shape[0]:].clone()",
            ),
            "a tensor of the module": (
                "def shift():\n    if n > 1:\n        z[:, :-n] = z[:, n:]",
                "def shift():\n    if n > 1:\n        z[:, :-n] = z[:, n:].clone()",
            ),
        }.items()
    },
)

test_keeps = keeps(
    "TP425",
    {
        name: f"{_HEAD}{code}\n"
        for name, code in {
            "copies": "x[1:] = x[:-1].clone()",
            "something new": "x[1:] = x[:-1] * 2",
            "another tensor": "z = torch.ones(5)\nz[1:] = x[:-1]",
            "numpy": "a = np.ones(5)\na[1:] = a[:-1]",
            "list": "a = [1, 2, 3]\na[1:] = a[:-1]",
            "not known": "def f(a):\n    a[1:] = a[:-1]",
            "shadowed": "def f(torch):\n    a = torch.ones(2)\n    a[1:] = a[:-1]",
            "the same": "x[1:] = x[1:]\nx[:-1] = x[:-1]",
            "other sizes": "x[1:] = x[:-2]",
            "from the start": "x[:2] = x[2:4]",
            "copies to the front": "z[:, :-n] = z[:, n:].clone()",
            "two variables": "m = 1\nx[n:] = x[:-m]",
            "what a call gives": "def f():\n    return 1\nx[f():] = x[:-f()]",
            "another row": "z[0, :-1] = z[1, 1:]",
            "rows and columns": "z[:-1, 1:] = z[1:, :-1]",
            "a row by a call": "def f():\n    return 1\nz[f(), :-1] = z[f(), 1:]",
            "as many, but no shift": "z[:, n:] = z[:, n:]",
            "the same end": "z[:, -n:] = z[:, :n]",
            "fewer dimensions": "z[:-1] = z[1:, :]",
            "rows of numpy": "a = np.ones((2, 4))\na[:, :-n] = a[:, n:]",
            "steps": "x[1::2] = x[:-1:2]",
            "no slices": "x[1] = x[0]",
            "negative start": "x[-1:] = x[:1]",
            "read in place of written": "x[:-1].add(x[1:])",
            "an element of what was expanded": "a = y.expand(2, 3)\na[0] = 1",
            "read what was expanded": "a = y.expand(2, 3)\nb = a + 1\na = a + 1",
            "a copy of what was expanded": "a = y.expand(2, 3).clone()\na += 1",
            "contiguous": "a = y.expand(2, 3).contiguous()\na.add_(1)",
            "one of two ways": "a = y.expand(2, 3)\nif n:\n    a = torch.ones(2)\na += 1",
            "an array": "a = np.ones(2).expand(2, 3)\na += 1",
            "what is let through": "a = y.expand(2, 3)\na.zero_()\na.fill_(1)\na.masked_fill_(a > 0, 2)",
            "what keeps the elements": "a = y.expand(2, 3)\na.requires_grad_()",
        }.items()
    },
)
