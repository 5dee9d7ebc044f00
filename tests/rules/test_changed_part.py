from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import advice, keeps, migrate

_MODEL = """import torch
import torch.nn as nn
class Attention(nn.Module):
    def __init__(self, size, scaling):
        super().__init__()
        self.into = nn.Linear(size, 3 * size)
        self.scaling = scaling
    def projected(self, x):
        return self.into(x).chunk(3, dim=-1)
    def query(self, x):
        return self.into(x)
    def forward(self, x, same):
{body}
"""


def _model(body: str) -> str:
    return _MODEL.format(body=textwrap.indent(body, " " * 8))


_FOUND = {
    "a method gives it": (
        "if same:\n    q, k, v = self.projected(x)\nelse:\n    q = self.query(x)\n"
        "q *= self.scaling\nreturn q",
        (17, "write q = q * self.scaling"),
    ),
    "chunk": ("q, k = self.into(x).chunk(2, -1)\nk += q", (14, "write k = k + q")),
    "a function of torch": ("(q, k) = torch.split(x, 3)\nq -= 1", (14, "write q = q - 1")),
    "unbind": ("q, k = torch.unbind(self.into(x), 0)\nq **= 2", (14, "write q = q ** 2")),
    "a method in place": (
        "i, f = self.into(x).chunk(2, 1)\nreturn i.sigmoid_() + f",
        (14, "i is a part of what chunk() gave"),
    ),
    "a store": ("i, f = self.into(x).chunk(2, 1)\ni[0] = 1", (14, "i is a part")),
    "a change of a part": ("i, f = self.into(x).chunk(2, 1)\ni[0] += 1", (14, "i is a part")),
    "of what is given": ("q, k = same.chunk(2)\nq *= 2", (14, "write q = q * 2")),
    "a part of parameters": (
        "self.into.bias.chunk(3)[1].fill_(1)",
        (13, "self.into.bias.chunk(3)[1] is a part of what chunk() gave"),
    ),
    "a part of a parameter by its name": (
        "getattr(self.into, f'bias{same}').chunk(3)[1].fill_(1)",
        (13, "put what initializes it under `with torch.no_grad():`"),
    ),
    "a part of what may be data": (
        "b = same.data if x else same\nb = b if x else self.into.bias\nb.chunk(3)[1].fill_(1)",
        (15, "b.chunk(3)[1] is a part"),
    ),
    "a part of what came of data": (
        "self.query(same.data).chunk(3)[1].fill_(1)",
        (13, "is a part of what chunk() gave"),
    ),
    "a function in place": (
        "i, f = self.into(x).chunk(2, 1)\nreturn nn.functional.relu(i, inplace=True) + f",
        (14, "i is a part of what chunk() gave"),
    ),
    "a function whose name says so": (
        "i, f = self.into(x).chunk(2, 1)\nreturn torch.sigmoid_(i) + f",
        (14, "i is a part of what chunk() gave"),
    ),
    "an operator of several words": (
        "i, f = self.into(x).chunk(2, 1)\ni *= f + 1",
        (14, "write i = i * (f + 1)"),
    ),
}


@pytest.mark.parametrize("name", _FOUND)
def test_a_part_that_is_changed_is_reported(name: str) -> None:
    body, (line, words) = _FOUND[name]
    (finding,) = advice("TP120", _model(body))
    assert finding.line == line
    assert words in finding.message and "raises where it has a graph" in finding.message
    assert migrate(_model(body), "TP120").text == _model(body)


test_keeps = keeps(
    "TP120",
    {
        name: _model(body)
        for name, body in {
            "computed anew": "q, k = self.into(x).chunk(2, -1)\nq = q * 2\nq *= 2",
            "no part": "q = self.query(x)\nq *= 2",
            "under no_grad": "q, k = self.into(x).chunk(2, -1)\nwith torch.no_grad():\n    q *= 2",
            "without a graph": "q, k = torch.ones(2, 4).chunk(2, -1)\nq *= 2",
            "indices": "q, k = self.into(x).max(1)[1].chunk(2, -1)\nq += 2",
            "what may be a text": "q, k = same.split(3)\nq *= 2",
            "text": "q, k = same.split(' ')\nq += k",
            "one of two ways gives numbers": "a, b = self.sizes()\na += 1",
            "a part under no_grad": "with torch.no_grad():\n    same.chunk(3)[1].fill_(1)",
            "a part of data": "self.into.bias.data.chunk(3)[1].fill_(1)",
            "a part of data of what is not known": (
                "getattr(self.into, f'bias{same}').data.chunk(3)[1].fill_(1)"
            ),
            "a part of a function, of data": "torch.chunk(same.data, 3)[1].fill_(1)",
            "a part of data by its name": "b = same.data\nb.chunk(3)[1].fill_(1)",
            "parts of data": "q, k = same.detach().chunk(2, -1)\nq *= 2\nk.mul_(2)",
            "a part of new": "torch.zeros(4, 3).chunk(2)[0].fill_(1)",
            "a part that is read": "self.into.bias.chunk(3)[1].fill(1)",
            "all parts": "self.into.bias.chunk(3).fill_(1)",
            "a part of a text": "same.split(',')[0].fill_(1)",
            "a list": "qs = self.into(x).chunk(2, -1)\nqs += (x,)",
            "a function that makes another": (
                "q, k = self.into(x).chunk(2, -1)\nq = nn.functional.relu(q, inplace=False)\n"
                "torch.add(k, q)\nself.relu(k, inplace=True)"
            ),
            "method of a name": "q, k = self.into(x).chunk(2, -1)\nself.keep_(q)",
            "read": "q, k = self.into(x).chunk(2, -1)\nprint(q[0], q.sum())\nx[q] = 1",
        }.items()
    },
)


def test_parts_elsewhere_are_none_of_a_graph_that_is_known() -> None:
    text = "import torch\ndef load(x):\n    a, b = x.chunk(2)\n    a *= 2\n    return a\n"
    assert not advice("TP120", text)
    transform = _model("q, k = self.into(x).chunk(2, -1)\nq *= 2").replace("nn.Module", "object")
    assert not advice("TP120", transform)


def test_methods_of_the_file_may_be_of_other_objects() -> None:
    text = _model("q, k = same.chunk(2)\nq *= 2")
    assert advice("TP120", text)
    assert not advice("TP120", text + "class Text:\n    def chunk(self, n):\n        return n\n")


def test_functions_that_call_each_other_give_nothing_known() -> None:
    body = "a, b = self.query(x)\na *= 2"
    text = _model(body).replace(
        "self.into(x)\n    def forward", "self.projected(x)\n    def forward"
    )
    assert advice("TP120", text)
    text = text.replace("self.into(x).chunk(3, dim=-1)", "self.query(x)")
    assert not advice("TP120", text)


@pytest.mark.parametrize(
    ("code", "is_found"),
    [
        ("x = torch.ones(4).requires_grad_() * 1\na, b = x.chunk(2)\na.add_(1)", True),
        ("x = torch.ones(4, requires_grad=True)\na, b = torch.split(x, 2)\na += 1", True),
        (
            "x = torch.ones(4, requires_grad=True)\na, b = torch.unbind(x.view(2, 2))\nb[0] = 1",
            True,
        ),
        ("x = torch.ones(4)\na, b = x.chunk(2)\na.add_(1)", False),
        ("x = torch.ones(4, requires_grad=flag)\na, b = x.chunk(2)\na.add_(1)", False),
        (
            "x = torch.ones(4, requires_grad=True)\na, b = x.chunk(2)\n"
            "with torch.no_grad():\n    a.add_(1)\n    b += 1",
            False,
        ),
        ("x = torch.ones(4, requires_grad=True)\na, b = x.detach().chunk(2)\na.add_(1)", False),
        ("x = torch.ones(4, requires_grad=True)\na, b = x.chunk(2)\na = a + 1", False),
    ],
)
def test_parts_of_what_requires_gradients_are_told_anywhere(code: str, is_found: bool) -> None:
    text = f"import torch\nflag = False\n{code}\n"
    found = advice("TP120", text)
    assert bool(found) == is_found
    assert not any(f.is_quiet for f in found)
    if is_found:
        with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
            exec(text, {})
    else:
        exec(text, {})


@pytest.mark.parametrize(
    ("body", "is_quiet"),
    [
        ("q, k = self.into(x).chunk(2, -1)\nq *= 2", False),
        ("q, k = torch.chunk(self.into(x), 2, -1)\nq.mul_(2)", False),
        ("q, k = same.chunk(2, -1)\nq *= 2", True),
        ("self.into.weight.requires_grad = same\nq, k = self.into(x).chunk(2)\nq *= 2", True),
        ("self.into.bias.chunk(3)[1].fill_(1)", False),
        ("torch.chunk(self.into.weight, 3)[1].fill_(1)", False),
        ("same.chunk(3)[1].fill_(1)", True),
        ("self.into.requires_grad_(same)\nself.into.bias.chunk(3)[1].fill_(1)", True),
    ],
)
def test_migrate_shows_what_certainly_fails(body: str, is_quiet: bool) -> None:
    (found,) = advice("TP120", _model(body))
    assert found.is_quiet is is_quiet
