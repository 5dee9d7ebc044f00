from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.finding import Numerics

#: ``volatile`` shows that the file is for torch 0.3.
_HEAD = """\
import numpy as np
import torch
from torch.autograd import Variable
v = Variable(torch.ones(3), volatile=True)
x = torch.rand(3, 4)
def f(given, boxes, rows):
    """


def _line(before: str, after: str) -> tuple[str, str]:
    return f"{_HEAD}{before}\n", f"{_HEAD}{after}\n"


test_rewrites = rewrites(
    "TP418",
    {
        "nonzero": _line(
            "mask = x.eq(2).nonzero().squeeze()\n    if mask.dim() > 0: x[mask] = 0",
            "mask = x.eq(2).nonzero().squeeze()\n    if mask.numel() > 0: x[mask] = 0",
        ),
        "mask of a parameter": _line(
            "keep = given.gt(0.5)\n    s = boxes[keep]\n    return s.dim() == 0",
            "keep = given.gt(0.5)\n    s = boxes[keep]\n    return s.numel() == 0",
        ),
        "mask with other uses": _line(
            "keep = given.gt(0.5)\n    s = boxes[keep]\n    if s.dim() == 0: return keep.view(-1)",
            "keep = given.gt(0.5)\n    s = boxes[keep]\n    if s.numel() == 0: return keep.view(-1)",
        ),
        "mask": _line(
            "return x[(x > 0) & (x < 1)].ndimension() != 0",
            "return x[(x > 0) & (x < 1)].numel() != 0",
        ),
        "size": _line(
            "if torch.nonzero(given < 0).size(): print()",
            "if torch.nonzero(given < 0).numel(): print()",
        ),
        "size of two": _line(
            "s = torch.masked_select(x, x > 0)\n    assert not s.size() or boxes",
            "s = torch.masked_select(x, x > 0)\n    assert not s.numel() or boxes",
        ),
        "length of the size": _line(
            "s = x.masked_select(x > 0).view(-1, 4)\n    return (len(s.data.size()) >= 1)",
            "s = x.masked_select(x > 0).view(-1, 4)\n    return (s.data.numel() >= 1)",
        ),
        "length of the shape": _line(
            "s = x[x > 0]\n    while len(s.shape): print(s)",
            "s = x[x > 0]\n    while s.numel(): print(s)",
        ),
        "born empty": _line(
            "out = torch.FloatTensor([])\n"
            "    for i in range(3):\n"
            "        out = x[i] if out.dim() == 0 else torch.cat([out, x[i]])",
            "out = torch.FloatTensor([])\n"
            "    for i in range(3):\n"
            "        out = x[i] if out.numel() == 0 else torch.cat([out, x[i]])",
        ),
        "wrapped": _line(
            "rois = Variable(torch.FloatTensor())\n    if boxes: rois = Variable(x)\n"
            "    return not rois.size()",
            "rois = Variable(torch.FloatTensor())\n    if boxes: rois = Variable(x)\n"
            "    return not rois.numel()",
        ),
        "new": _line(
            "out = torch.squeeze(x.new())\n    return out.dim() < 1",
            "out = torch.squeeze(x.new())\n    return out.numel() < 1",
        ),
    },
)

_KEPT = {
    "other numbers": "s = x[x > 0]\n    return s.dim() == 1, s.dim() > 1, 0 == s.dim(), s.dim()",
    "the size itself": "s = x[x > 0]\n    return s.size() or 3",
    "one size": "if x[x > 0].size(0): print()",
    "compared twice": "return 0 < x[x > 0].dim() == 0",
    "numbers": "return x.sum().dim() == 0, x.dim() > 0",
    "array": "a = np.zeros(3)\n    return a[a > 0].ndim == 0, len(a[a > 0].shape) == 0",
    "array of a parameter": "return len(given.shape) == 0",
    "array and mask of torch": "s = rows[given.gt(1)]\n    return len(s.shape) == 0",
    "array and mask": "s = rows[x[0] > 1]\n    return len(s.shape) == 0",
    "items": "i = given.index(3)\n    s = x[i]\n    return s.dim() == 0",
    "range of items": "s = x[1:]\n    return s.dim() == 0",
    "len": "len = given.len\n    return len(x[x > 0].size()) == 0",
    "list": "return len(x[x > 0]) == 0",
    "filled": "s = torch.LongTensor([3])\n    return s.size() == (1,)",
    "numel": "s = x[x > 0]\n    return s.numel() == 0, not s.nelement()",
    "maximum": "return torch.nonzero(x, as_tuple=True).size() == 3",
}

test_keeps = keeps("TP418", {name: f"{_HEAD}{code}\n" for name, code in _KEPT.items()})

_UNDATED = "import torch\nx = torch.rand(3, 4)\ndef f(given):\n    "

test_keeps_in_files_of_any_age = keeps(
    "TP418",
    {
        "selected": _UNDATED + "return x[x > 0].dim() == 0\n",
        "squeezed": _UNDATED + "i = x.nonzero().squeeze()\n    return i.dim() == 0\n",
    },
)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("if given.dim() == 0: return 0", "write given.numel()"),
        ("if given.size(): return given > 0", "write given.numel()"),
        ("if not given.size(): return torch.nonzero(given)", "write given.numel()"),
        ("s = given\n    if len(s.size()) == 0: return s * 2", "write s.numel()"),
        ("out = torch.Tensor()\n    if rows: out = rows\n    return out.dim() == 0", "out.numel()"),
    ],
)
def test_in_an_old_file_what_may_be_empty_is_told(code: str, said: str) -> None:
    calls = "f(unknown)\nf(x[x > 0])\n"
    (finding,) = advice("TP418", f"{_HEAD}{code}\n{calls}")
    assert said in finding.message


@pytest.mark.parametrize(
    ("empty", "count"),
    [
        ("torch.Tensor()", 1),
        ("torch.LongTensor([])", 1),
        ("torch.empty(0)", 1),
        ("x.new()", 1),
        ("unknown.eq(3).nonzero()", 1),
        ("unknown.nonzero()", 0),
        ("torch.tensor(0)", 0),
        ("torch.empty(1)", 0),
        ("torch.LongTensor([0])", 0),
    ],
)
def test_what_is_empty(empty: str, count: int) -> None:
    calls = f"return given.dim() == 0\nf(unknown)\nf({empty})\n"
    assert len(advice("TP418", f"{_HEAD}{calls}")) == count


@pytest.mark.parametrize(
    "code",
    [
        "if given.dim() == 0: return 0",
        "if given.size(): return given > 0",
        "out = torch.zeros(1)\n    if rows: out = rows\n    return out.dim() == 0",
    ],
)
def test_what_nothing_shows_to_be_empty_is_not_told(code: str) -> None:
    assert not advice("TP418", f"{_HEAD}{code}\nf(unknown)\nf(x)\n")


@pytest.mark.parametrize("code", [*(_KEPT[name] for name in ("numbers", "array", "numel"))])
def test_what_is_not_empty_is_not_told(code: str) -> None:
    found = advice("TP418", f"{_HEAD}{code.replace(', x.dim() > 0', '')}\n")
    assert not found


@pytest.mark.parametrize(
    "code",
    [
        "if given.size(): return given.pop()",
        "if given is None or not given.size(): return given",
        "while given.queue.size(): given.queue.pop()",
    ],
)
def test_queues_have_a_size_as_well(code: str) -> None:
    assert not advice("TP418", f"{_HEAD}{code}\n")


def test_other_classes_have_dimensions_as_well() -> None:
    text = _HEAD.replace("def f", "class Space:\n    def dim(self): return 3\ndef f")
    assert not advice("TP418", f"{text}return given.dim() == 0, boxes[given.gt(1)].size\n")


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("return x[x > 0].dim() == 0", 1),
        ("if torch.nonzero(given < 0).size(): return 0", 1),
        ("i = x.nonzero().squeeze()\n    return i.dim() == 0", 0),
        ("out = torch.Tensor()\n    return out.dim() == 0", 0),
        ("return given.dim() == 0", 0),
        ("y = x[x > 0]\n    return len(y) > 0 and y.dim() > 0", 0),
        ("y = x[x > 0]\n    return y.dim() and y.numel()", 0),
        ("y = x[x > 0]\n    return len(given) > 0 and y.dim() > 0", 1),
        ("y = x[x > 0]\n    if y.dim() == 0: return\n    for i in y: print(i)", 0),
        ("y = x[x > 0]\n    if y.dim() > 0:\n        for i in y: print(i)", 0),
        ("y = x[x > 0]\n    if y.dim() > 0:\n        for i in range(y.size(0)): print(y[i])", 0),
        ("y = x[x > 0]\n    if y.dim() == 0: return\n    for i in range(len(y)): print(y[i])", 0),
        (
            "y = x[x > 0]\n    if y.dim() > 0:\n"
            "        for i in range(y.size(0) - 1, -1, -1): print(y[i])",
            0,
        ),
        ("y = x > 0\n    if y.nonzero().dim() > 0:\n        x.data.masked_fill_(y, 0)", 0),
        ("y = x > 0\n    if len(torch.nonzero(y).size()) > 0:\n        x[y] = 0", 0),
        ("y = x > 0\n    if y.nonzero().dim() > 0:\n        x.masked_fill_(rows, 0)", 1),
        ("y = (x > 0).nonzero()\n    if y.dim() > 0: x.index_fill_(0, y.squeeze(), 0.0)", 0),
        ("y = (x > 0).nonzero()\n    if y.dim() > 0: x.index_fill_(0, rows, 0.0)", 1),
        ("y = (x > 0).nonzero()\n    if y.dim() > 0: x.index_copy_(0, y.squeeze(), rows)", 1),
        ("y = (x > 0).nonzero()\n    if y.dim() > 0: z = x.index_fill(0, y.squeeze(), 0.0)", 1),
        ("y = x > 0\n    if y.nonzero().dim() > 0:\n        rows = x.masked_fill(y, 0)", 1),
        ("y = x > 0\n    if y.nonzero().dim() > 0:\n        x[rows] = 0", 1),
        ("y = x > 0\n    if y.nonzero().dim() > 0:\n        x[y] = 0\n        rows += 1", 1),
        ("y = x > 0\n    if y.nonzero().dim() > 0: x[y] = 0\n    else: rows += 1", 1),
        ("y = x[x > 0]\n    if y.dim() > 0:\n        for i in range(y.size(1)): print(i)", 1),
        ("y = x[x > 0]\n    if y.dim() > 0:\n        for i in range(x.size(0)): print(i)", 1),
        ("y = x[x > 0]\n    if y.dim() > 0:\n        for i in range(y.size(0) + 1): print(i)", 1),
        (
            "for z in x:\n        y = x[x > z]\n        if y.dim() == 0 or done: continue\n"
            "        for i in y: print(i)",
            0,
        ),
        ("y = x[x > 0]\n    if y.dim() == 0: return 1\n    for i in y: print(i)", 1),
        ("y = x[x > 0]\n    if y.dim() == 0: return\n    for i in x: print(i)", 1),
        ("y = x[x > 0]\n    if y.dim() == 0: return\n    for i in y: print(i)\n    g(y)", 1),
        ("y = x[x > 0]\n    if y.dim() == 0: return", 1),
        ("y = x[x > 0]\n    if y.dim() > 0:\n        for i in y: print(i)\n    else: g(y)", 1),
        (
            "for z in x:\n        y = x[x > z]\n        if y.dim() == 0: break\n"
            "        for i in y: print(i)",
            1,
        ),
    ],
)
def test_in_a_file_of_any_age_a_test_that_never_differs_is_told(code: str, count: int) -> None:
    found = advice("TP418", f"{_UNDATED}{code}\n")
    assert len(found) == count
    assert all(" is always " in finding.message for finding in found)


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("y.dim() == 0", "y.dim() == 0 is always False"),
        ("y.dim() < 1", "y.dim() < 1 is always False"),
        ("y.dim() <= 0", "y.dim() <= 0 is always False"),
        ("y.dim() != 0", "y.dim() != 0 is always True"),
        ("y.dim() >= 1 or given", "y.dim() >= 1 is always True"),
        ("not len(y.size()) > 0", "len(y.size()) > 0 is always True"),
        ("not y.size()", "y.size() is always true"),
    ],
)
def test_what_a_test_that_never_differs_gives_is_said(test: str, said: str) -> None:
    (finding,) = advice("TP418", f"{_UNDATED}y = x[x > 0]\n    if {test}: return 0\n")
    assert finding.message == (
        f"{said}, as what a mask or nonzero() selects has a dimension also where it is empty:"
        " y.numel() tells whether it is"
    )


def test_the_claim() -> None:
    (finding,) = migrate(f"{_HEAD}return x[x > 0].dim() == 0\n", "TP418").findings
    assert finding.numerics is Numerics.PINNED


@pytest.mark.parametrize(
    ("branch", "other", "told"),
    [
        ("z = torch.cat([rows, boxes], 1)", "z = torch.cat([rows], 1)", 0),
        ("z = torch.cat([rows, boxes, rows], 1)", "z = torch.cat([rows, rows], 1)", 0),
        ("return net(torch.cat([boxes, rows], 1))", "return net(torch.cat([rows], 1))", 0),
        ("z = torch.cat([rows, boxes], 1)", "z = rows", 1),
        ("z = torch.cat([rows, boxes], 1)", "z = torch.cat([rows], 0)", 1),
        ("z = torch.stack([rows, boxes], 1)", "z = torch.stack([rows], 1)", 1),
        ("z = torch.cat([rows, boxes], 1); n = 1", "z = torch.cat([rows], 1)", 1),
    ],
)
def test_what_joins_nothing_either_way_is_not_told(branch: str, other: str, told: int) -> None:
    text = f"{_HEAD}if boxes.dim():\n        {branch}\n    else:\n        {other}\n"
    text += "f(x, torch.Tensor([]), x)\nf(x, torch.rand(given, 3), x)\n"
    assert len(advice("TP418", text)) == told
