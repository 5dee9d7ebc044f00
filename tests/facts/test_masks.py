"""What a mask of torch is, and where one goes."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.facts.tensors.layouts import core_of
from torchfix_codemods.rules.masks.questions.mask_places import places_of_mask
from torchfix_codemods.rules.masks.questions.masks import (
    holds_zeros_and_ones,
    is_bool,
    is_comparison,
    is_no_mask,
    is_uint8,
)

HEAD = """
import torch
import torch.nn as nn
import torch.nn.functional as F
x = torch.zeros(4)
class Head(nn.Module):
    def forward(self, x):
        return F.relu(x)
class Either(nn.Module):
    def forward(self, x):
        if k:
            return x
        return F.relu(x)
class Empty(nn.Module):
    pass
"""


def _asked(question: Callable[[Facts, ast.expr], object], text: str) -> object:
    """What is said of the argument of ``look(…)`` in the text."""
    text = HEAD + text
    facts = WholeFacts(ast.parse(text), text)
    calls = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call)]
    look = next(c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "look")
    return question(facts, look.args[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("look(torch.zeros(2))", True),
        ("look(torch.zeros(2) > 1)", False),
        ("look(k)", False),
        ("look(F.relu(k))", True),
        ("look(F.relu(k).view(-1))", True),
        ("look(F.unknown(k))", False),
        ("look(F.relu(k) * k)", True),
        ("look(k + F.relu(k))", True),
        ("look(k * k)", False),
        ("look(F.relu(k) & k)", False),
        ("look(nn.Linear(2, 2)(k))", True),
        ("look(nn.Upsample(2)(k))", False),
        ("look(nn.Sequential(nn.ReflectionPad2d(1), nn.Linear(2, 2))(k))", True),
        ("look(nn.Sequential(nn.Linear(2, 2), nn.ReflectionPad2d(1))(k))", False),
        ("look(Head()(k))", True),
        ("look(Either()(k))", False),
        ("look(Empty()(k))", False),
        ("look(unknown(k))", False),
        ("y = F.relu(k)\nlook(y)", True),
        ("y = F.relu(k)\nif a:\n    y = k\nlook(y)", False),
        ("look([k])", False),
    ],
)
def test_certainly_no_mask(text: str, expected: bool) -> None:
    assert _asked(is_no_mask, text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("look(a == b)", True),
        ("look((a == b).unsqueeze(1))", True),
        ("look(a.eq(b))", True),
        ("look(a is b)", False),
        ("look(a in b)", False),
        ("look(a < b < c)", False),
        ("look(a.add(b))", False),
        ("look(eq(a, b))", False),
        ("m = a == b\nlook(m)", True),
        ("m = a == b\nif k:\n    m = c\nlook(m)", False),
        ("m = a == b\nn = m\nlook(n)", False),
        ("m, n = a == b\nlook(m)", False),
        ("for m in a == b:\n    look(m)", False),
    ],
)
def test_comparison(text: str, expected: bool) -> None:
    assert _asked(is_comparison, text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("look(torch.zeros(2, dtype=torch.uint8))", True),
        ("look(torch.ByteTensor(2))", True),
        ("look(torch.zeros(2).byte())", True),
        ("look(torch.zeros(2))", False),
        ("look(k.byte())", True),
        ("look(k.byte(1))", False),
        ("look(k.bool())", False),
        ("look(1 - k.byte())", True),
        ("look(k.byte() ^ 1)", True),
        ("look(2 - k.byte())", True),
        ("look(k.byte() & 1)", True),
        ("look(k.byte() / 2)", False),
        ("m = k.byte()\nlook(m)", True),
        ("m = k.byte()\nif a:\n    m = k\nlook(m)", False),
        ("class A:\n    def byte(self):\n        pass\nlook(k.byte())", False),
    ],
)
def test_certainly_uint8(text: str, expected: bool) -> None:
    assert _asked(is_uint8, text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("look(torch.zeros(2) > 1)", True),
        ("look(k.bool())", True),
        ("look(k.bool().unsqueeze(0))", True),
        ("look(torch.zeros(2))", False),
        ("look(k)", False),
    ],
)
def test_certainly_bool(text: str, expected: bool) -> None:
    assert _asked(is_bool, text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("look(torch.zeros(2) > 1)", True),
        ("look(k == 1)", True),
        ("look((k == 1).byte())", True),
        ("look(k.byte())", False),
        ("look(torch.ones(2))", True),
        ("look(torch.ones(2).byte())", True),
        ("look(torch.triu(torch.ones(2)))", True),
        ("look(torch.triu(k))", False),
        ("look(torch.triu())", False),
        ("look(1 - torch.ones(2).byte())", True),
        ("look(1 - k)", False),
        ("look(torch.ones(2) ^ 1)", False),
        ("look(torch.rand(2))", False),
        ("m = torch.ones(2)\nlook(m)", True),
        ("m = (k > 0).float()\nm = m.unsqueeze(0)\nlook(m.long())", True),
        ("from allennlp.nn import util\nlook(util.get_text_field_mask(k).float())", True),
        ("from allennlp.nn import util\nlook(util.masked_softmax(k, k).float())", False),
        ("m = torch.ones(2)\nm[0] = 3\nlook(m)", False),
        ("m = torch.ones(2)\nn = m.view(-1)\nn.mul_(3)\nlook(m)", False),
        ("m = torch.ones(2)\nm *= 3\nlook(m)", False),
        ("m = torch.ones(2)\nif k:\n    m = k\nlook(m)", False),
        ("m = torch.ones(2)\nfor _ in k:\n    m = m + m\nlook(m)", False),
        ("for m in k:\n    m = m.view(-1)\nlook(m)", False),
        ("look(k.float())", False),
        ("look((k > 0).float().cumsum(0))", False),
        ("look((k > 0).float() * 3)", False),
    ],
)
def test_certainly_zeros_and_ones(text: str, expected: bool) -> None:
    assert _asked(holds_zeros_and_ones, text) is expected


def _places(text: str) -> list[str] | None:
    """Where the comparison ``a == b`` in the text goes."""
    text = HEAD + text
    facts = WholeFacts(ast.parse(text), text)
    compares = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Compare)]
    return places_of_mask(facts, next(c for c in compares if ast.unparse(c) == "a == b"))


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("x[a == b]", ["read"]),
        ("x[a == b] = 0", ["stored"]),
        ("x[a == b] = x.sum()", ["stored"]),
        ("x[a == b] = x", ["read"]),
        ("x[a == b, 0]", ["read"]),
        ("x.masked_fill(a == b, 0)", ["masked"]),
        ("x.masked_fill(mask=a == b, value=0)", ["masked"]),
        ("torch.masked_select(x, a == b)", ["masked"]),
        ("torch.where(a == b, x, y)", ["read"]),
        ("x.where(a == b, y)", ["read"]),
        ("x[(a == b).view(-1)]", ["read"]),
        ("x[(a == b).flip(0).movedim(0, 1)]", ["read"]),
        ("x[(a == b).gather(0, y)]", ["read"]),
        ("(a == b).is_contiguous()", []),
        ("x[(a == b).data]", ["read"]),
        ("x[(a == b).to(torch.device('cpu'))]", ["read"]),
        ("x[(a == b)[0]]", ["read"]),
        ("x[(a == b) & (x > 1)]", ["read"]),
        ("def f():\n    m = a == b\n    x[m] = 0\n    x.masked_fill(m, 0)", ["stored", "masked"]),
        ("def f():\n    m = n = a == b\n    x[m], x[n]", ["read", "read"]),
        ("(a == b).sum()", []),
        ("(a == b).float()", []),
        ("(a == b).shape", []),
        ("torch.sum(a == b)", []),
        ("if a == b:\n    pass", []),
        ("not (a == b)", []),
        ("(a == b) == 1", []),
        ("c and (a == b)", []),
    ],
)
def test_places_of_a_mask(text: str, places: list[str]) -> None:
    assert _places(text) == places


@pytest.mark.parametrize(
    "text",
    [
        "print(a == b)",
        "y[a == b]",
        "x.masked_fill(*(a == b))",
        "torch.masked_fill(a == b, x, 0)",
        "torch.where(x, a == b, y)",
        "torch.where(a == b)",
        "x.where(y, a == b)",
        "x.where(a == b)",
        "F.masked_fill(x, a == b)",
        "x[(a == b).mul(2)]",
        "x[(a == b).masked_scatter(c, y)]",
        "x[(a == b).cumsum(0)]",
        "(a == b).storage()",
        "x[(a == b).to(torch.float)]",
        "x[(a == b).to(device='cpu')]",
        "(a == b).sum(dtype=torch.int)",
        "torch.sum(a == b, dtype=torch.int)",
        "torch.sum(0, a == b)",
        "(a == b).grad",
        "(a == b)[0] = 1",
        "-(a == b)",
        "(a == b) + 1",
        "(a == b) & c",
        "(a == b) is None",
        "y = [a == b]",
        "y.m = a == b",
        "lambda: a == b",
        "def f():\n    m = a == b\n    x[m]\n    return m",
        "def f():\n    m = a == b\n    m |= c\n    x[m]",
        "def f():\n    m, n = a == b\n    x[m]",
    ],
)
def test_mask_that_may_go_elsewhere(text: str) -> None:
    assert _places(text) is None


def test_a_mask_of_the_module_that_other_files_import_may_go_anywhere() -> None:
    text = f"{HEAD}m = a == b\nx[m]\n"
    tree = ast.parse(text)
    compare = next(n for n in ast.walk(tree) if isinstance(n, ast.Compare))
    alone = WholeFacts(tree, text, imported_elsewhere=lambda: False)
    assert places_of_mask(alone, compare) == ["read"]
    imported = WholeFacts(tree, text, imported_elsewhere=lambda: True)
    assert places_of_mask(imported, compare) is None


@pytest.mark.parametrize(
    ("mask", "core"),
    [
        ("m[:, None]", "m"),
        ("m[..., None].expand(2, 3)", "m"),
        ("m[None].unsqueeze(1)", "m"),
        ("m[:, None, 0]", "m[:, None, 0]"),
        ("m[None, 1:]", "m[None, 1:]"),
        ("m[:, i, None].t()", "m[:, i, None]"),
        ("m[:]", "m[:]"),
    ],
)
def test_a_mask_below_its_layout(mask: str, core: str) -> None:
    assert ast.unparse(core_of(ast.parse(mask, mode="eval").body)) == core
