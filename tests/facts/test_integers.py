"""Whole numbers that are certainly not negative."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.facts.tensors.integers import is_used_as_index
from torchfix_codemods.rules.tensors.questions.signs import is_not_negative


def _holds(text: str) -> bool:
    """Whether that is so of the argument of the last ``look(…)`` of the text."""
    text = f"import torch\n{text}"
    facts = WholeFacts(ast.parse(text), text)
    calls = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call)]
    looks = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "look"]
    return is_not_negative(facts, looks[-1].args[0])


@pytest.mark.parametrize(
    "text",
    [
        "look(2)",
        "look(0)",
        "look(len(a))",
        "look(len(a) + 1)",
        "look(len(a) * 2)",
        "look(len(a) % 2)",
        "look(len(a) // 2)",
        "n = 3\nlook(n)",
        "a, b = 1, 2\nlook(b)",
        "a, *b, c = 1, k, 2\nlook(c)",
        "for i in range(3):\n    look(i)",
        "for i in range(1, 3):\n    look(i)",
        "x = torch.zeros(2)\nlook(x.size(0))",
        "x = torch.zeros(2)\nlook(x.argmax())",
        "_, i = torch.zeros(2).max(0)\nlook(i)",
        "_, i = torch.zeros(2).topk(2)\nlook(i)",
        "a, (b, c) = 1, (2, 3)\nlook(b)",
        "a = 1\nb = a\nc = b\nd = c\ne = d\nf = e\ng = f\nh = g\ni = h\nj = i\nlook(j)",
        "n = 1 if k else 2\nlook(n)",
        "pair = 1, k\nlook(pair[0])",
        "for i in [1, 2]:\n    look(i)",
        "def f(x):\n    return len(x), x\nn, _ = f(k)\nlook(n)",
        "look(torch.arange(3))",
        "look(torch.arange(1, 3))",
        "look(torch.randperm(3))",
        "look(torch.argmax(x))",
        "look(torch.arange(3).long())",
        "look(torch.arange(3).data)",
        "look(torch.arange(3)[0])",
        "n = torch.arange(3)\nm = n.view(3, 1)\nlook(n)",
        "x = torch.zeros(2, 3)\nlook(x.size()[0])",
        "x = torch.zeros(2, 3)\nn, m = x.size()\nlook(m)",
        "x = torch.zeros(2)\nlook(x.max(0)[1])",
        "x = torch.zeros(2)\nlook(torch.max(x, 0)[1])",
        "x = torch.zeros(2)\nlook(x.nonzero())",
        "x = torch.zeros(2)\nlook(x.dim())",
    ],
)
def test_never_negative(text: str) -> None:
    assert _holds(text)


@pytest.mark.parametrize(
    "text",
    [
        "look(-1)",
        "look(2.5)",
        "look(k)",
        "look(len(a) + k)",
        "look(k + len(a))",
        "look(len(a) - 1)",
        "look(k % 3)",
        "n = 3\nif a:\n    n = -1\nlook(n)",
        "n = 3 if a else k\nlook(n)",
        "a, b = 1, -2\nlook(b)",
        "a, b, c = 1, *k\nlook(c)",
        "def len(x):\n    return x\nlook(len(a))",
        "for i in range(-3, 3):\n    look(i)",
        "for i in range(3, 0, -1):\n    look(i)",
        "for i, x in enumerate(a, k):\n    look(i)",
        "i = 0\nwhile a:\n    i -= 1\n    look(i)",
        "look(x.argmax(1))",
        "i, _ = torch.zeros(2).max(0)\nlook(i)",
        "look(torch.arange(3, -3, -1))",
        "look(torch.arange(3, end=-3, step=-1))",
        "look(torch.arange(-3, 3))",
        "look(torch.randint(-3, 3, (2,)))",
        "look(torch.sum(x))",
        "look(k + len(a) + 1)",
        "look(len(a) + len(a) - 1)",
        "look(-len(a))",
        "def f(n):\n    look(n)",
        "look(f()())",
        "look((torch.arange(3) - 2)[0])",
        "look(torch.arange(3).float()[0])",
        "x = torch.zeros(2)\nlook(x[0])",
        "x = torch.zeros(2)\nlook(x.max(0)[0])",
        "x = torch.zeros(2)\nlook(x.max(0)[k])",
        "x = torch.zeros(2)\nlook(x.sort(0)[0])",
        "x = torch.zeros(2)\nlook(x.mode(0)[0])",
        "x = torch.zeros(2)\nlook(x.sum().long())",
        "x = torch.zeros(2)\n_, i = x.mode(0)\nlook(i)",
        "_, i = f(0)\nlook(i)",
        "x = torch.zeros(2)\n_, (i, j) = x.max(0)\nlook(i)",
        "for i in a:\n    look(i)",
        "for i, j in range(3):\n    look(i)",
        "for i in range(*a):\n    look(i)",
        "for i in range(*a, 3):\n    look(i)",
        "def range(n):\n    return [-n]\nfor i in range(3):\n    look(i)",
        "a, b = 1, *k\nlook(b)",
        "with f() as i:\n    look(i)",
        "n = torch.arange(3)\nn -= 5\nlook(n)",
        "n = torch.arange(3)\nm = n.view(3, 1)\nm.sub_(5)\nlook(n)",
        "n = torch.arange(3)\nn[0] = -1\nlook(n)",
        "n = 1 if k else -2\nlook(n)",
        "pair = 1, k\nlook(pair[1])",
        "pair = [1, 2]\npair.insert(0, -1)\nlook(pair[0])",
        "for i in [1, -2]:\n    look(i)",
        "def f(x):\n    return len(x), x\n_, n = f(k)\nlook(n)",
        "def f(x):\n    return [1, 2]\np = f(k)\np.insert(0, -1)\nlook(p[0])",
    ],
)
def test_perhaps_negative(text: str) -> None:
    assert not _holds(text)


HEAD = """
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
x = torch.zeros(4, 4)
words = ["a", "b"]
embed = nn.Embedding(4, 2)
"""


def _is_index(text: str) -> bool:
    """Whether ``a // 2`` in the text is certainly used as an index."""
    text = HEAD + text
    facts = WholeFacts(ast.parse(text), text)
    operations = [n for n in ast.walk(facts.tree) if isinstance(n, ast.BinOp)]
    node = next(n for n in operations if ast.unparse(n) == "a // 2")
    return is_used_as_index(facts, node)


@pytest.mark.parametrize(
    "text",
    [
        "x[a // 2]",
        "torch.topk(x, a // 2)",
        "torch.topk(x, k=a // 2)",
        "x.topk(a // 2)",
        "x[:a // 2]",
        "x[0, a // 2]",
        "x[0, 1:a // 2]",
        "words[a // 2]",
        "'abc'[a // 2]",
        "np.zeros(3)[a // 2]",
        "x[(a // 2) + 1]",
        "x[(a // 2) if b else 0]",
        "x[(a // 2).view(-1)]",
        "x[(a // 2).data]",
        "x[(a // 2).to(torch.device('cpu'))]",
        "x[(a // 2)[0]]",
        "range(a // 2)",
        "range(1, a // 2)",
        "embed(a // 2)",
        "F.embedding(a // 2, w)",
        "torch.gather(x, 0, a // 2)",
        "torch.gather(x, 0, index=a // 2)",
        "torch.take(x, a // 2)",
        "x.gather(0, a // 2)",
        "x.index_select(0, a // 2)",
        "x.index_select(0, index=a // 2)",
        "y.gather(0, a // 2)",
        "i = a // 2\nx[i]",
        "i = j = a // 2\nx[j]",
        "i, j = a // 2, 3\nx[i]",
        "i = a // 2, 3\nx[i[0]]",
        "F.embedding(input=a // 2, weight=w)",
        "for i in (a // 2, 3):\n    x[i]",
        "def row(i):\n    return x[i]\nrow(a // 2)",
        "def row(i):\n    return x[i]\nrow(i=a // 2)",
        "def half(a):\n    return a // 2\nx[half(4)]",
        "def half(a):\n    return a // 2, 1\ni, _ = half(4)\nx[i]",
    ],
)
def test_certainly_an_index(text: str) -> None:
    assert _is_index(text)


def test_an_index_is_followed_through_as_many_names_as_there_are() -> None:
    names = "i0 = a // 2\n" + "".join(f"i{n + 1} = i{n}\n" for n in range(30))
    assert _is_index(f"{names}x[i30]")
    assert not _is_index(f"{names}print(i30)")


@pytest.mark.parametrize(
    "text",
    [
        "print(a // 2)",
        "table[a // 2]",
        "table[0, a // 2]",
        "(a // 2)[0]",
        "(a // 2)[0] = 1",
        "y = {a // 2: 1}",
        "x[0 if (a // 2) else 1]",
        "x['%d' % (a // 2)]",
        "x[(a // 2).float()]",
        "x[(a // 2).to(torch.float)]",
        "x[(a // 2).shape]",
        "(a // 2)(0)",
        "range(*(1, a // 2))",
        "def range(n):\n    pass\nrange(a // 2)",
        "nn.Linear(2, 2)(a // 2)",
        "embed(0, a // 2)",
        "F.embedding(w, a // 2)",
        "torch.add(x, a // 2)",
        "np.take(x, a // 2)",
        "torch.gather(*x, 0, a // 2)",
        "torch.gather(x, dim=a // 2)",
        "words.index_select(0, a // 2)",
        "class T:\n    def gather(self, n, i):\n        pass\ny.gather(0, a // 2)",
        "unknown(index=a // 2)",
        "i = a // 2\nprint(i)",
        "i = a // 2\ni += 0.5\nx[i]",
        "i, j = a // 2, 3\nx[j]",
        "i = a // 2, 3\nx[i]",
        "i = a // 2, 3\nx[i[1]]",
        "for i in (a // 2, 3):\n    print(i)",
        "def row(i, j):\n    return x[j]\nrow(a // 2, 1)",
        "def row(*i):\n    return x[i[1]]\nrow(a // 2, 1)",
        "def half(a):\n    return a // 2, 1\n_, i = half(4)\nx[i]",
        "def half(a):\n    return a // 2\nx[half(4)]\nprint(half(3.5))",
        "def half(a):\n    return a // 2\nprint(half(3.5))\nx[half(4)]",
        "y.i = a // 2\nx[y.i]",
        "i = a // 2\nfor k in x:\n    i = i + 0\n    print(i)",
        "del x, (a // 2)[0]",
        "class A(k=a // 2):\n    pass",
    ],
)
def test_perhaps_no_index(text: str) -> None:
    assert not _is_index(text)


_COUNTED = """import torch
def f(x, y: torch.Tensor):
    n = {made}
    return {taken}
"""


def _is_counted(made: str, taken: str) -> bool:
    text = _COUNTED.format(made=made, taken=taken)
    facts = WholeFacts(ast.parse(text), text)
    (node,) = (n for n in facts.names.attributes("data"))
    return is_used_as_index(facts, node)


@pytest.mark.parametrize("made", ["x.data.max()", "x.data.min() + 1", "x.data[0].item()"])
@pytest.mark.parametrize(
    "taken",
    ["torch.zeros(3, n)", "y.expand(3, n)", "torch.randperm(n)", "y.narrow(0, 0, n)", "y.sum(n)"],
)
def test_sizes_are_whole_numbers(made: str, taken: str) -> None:
    assert _is_counted(made, taken)


@pytest.mark.parametrize(
    ("made", "taken"),
    [
        ("x.data.max()", "torch.arange(0, n)"),
        ("x.data.max()", "torch.full((2,), n)"),
        ("x.data.max()", "x.view(n)"),
        ("x.data.max()", "y.clamp(0, n)"),
        ("x.data.max(1)", "y.expand(3, n)"),
        ("x.data.argmax()", "y.expand(3, n)"),
        ("x.data.mean()", "y.expand(3, n)"),
        ("x.data", "torch.FloatTensor(n)"),
    ],
)
def test_what_may_be_a_float_is_no_size(made: str, taken: str) -> None:
    assert not _is_counted(made, taken)


_READ = """import numpy as np
import torch
from torch.nn.utils.rnn import pack_padded_sequence
def f(x: torch.Tensor, scores: torch.Tensor, table: list, rows: int):
    read = {}
    return {}
"""


def _is_place(made: str, taken: str) -> bool:
    text = _READ.format(made, taken)
    facts = WholeFacts(ast.parse(text), text)
    (node,) = (n for n in facts.names.attributes("data"))
    return is_used_as_index(facts, node)


@pytest.mark.parametrize(
    ("made", "taken"),
    [
        ("x.data.cpu().numpy()", "scores[np.arange(rows), read]"),
        ("x.cpu().data.numpy()", "scores[np.arange(rows), read, :]"),
        ("x.data.cpu().numpy()", "np.zeros(3)[read]"),
        ("x.data.cpu().numpy()", "np.zeros((3, 3))[0, read[0]]"),
        ("x.data.cpu().numpy().tolist()", "pack_padded_sequence(scores, read)"),
        ("x.data.tolist()", "pack_padded_sequence(scores, batch_first=True, lengths=read)"),
        ("x.data", "pack_padded_sequence(scores, read.cpu())"),
    ],
)
def test_arrays_and_lists_of_places(made: str, taken: str) -> None:
    assert _is_place(made, taken)


@pytest.mark.parametrize(
    ("made", "taken"),
    [
        # Tensors take floats for places here.
        ("x.data.cpu().numpy()", "scores[read]"),
        ("x.data.cpu().numpy()", "scores[rows, read]"),
        ("x.data.cpu().numpy()", "scores[read[0]]"),
        ("x.data.tolist()", "scores[read]"),
        ("x.data.tolist()", "scores[read[0]]"),
        ("x.data.tolist()", "[scores[n] for n in read]"),
        ("x.data.cpu().numpy().astype(int)", "scores[np.arange(rows), read]"),
        ("x.data.cpu().numpy()", "scores[np.arange(rows), read.argmax(1)]"),
        ("x.data.cpu().numpy()", "scores[np.arange(rows), read > 0]"),
        ("x.data.tolist()", "pack_padded_sequence(read, scores)"),
        ("x.data.tolist()", "table"),
    ],
)
def test_arrays_of_what_may_be_floats(made: str, taken: str) -> None:
    assert not _is_place(made, taken)
