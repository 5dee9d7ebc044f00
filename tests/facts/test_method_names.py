"""Attributes that certainly hold data: a call of that name is none of the file's own method."""

from __future__ import annotations

import ast
import textwrap

import pytest

from torchfix_codemods.facts.language.method_names import data_attributes
from torchfix_codemods.facts.language.names import Names

_TEXT = """
import torch
class Meter:
    def __init__(self, size, other, n=1):
{body}
    def update(self, x):
        self.count += n
        return {read}
"""


def _held(body: str, read: str = "x") -> frozenset[str]:
    text = _TEXT.format(body=textwrap.indent(body, " " * 8), read=read)
    return data_attributes(Names(ast.parse(text))) - {"count"}


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ("self.size = 0", "x"),
        ("self.size = 0\nself.size += n", "x"),
        ("self.size = [1, 2]", "x"),
        ("self.size = (int(size), int(size))", "x"),
        ("self.size = len(other)", "x"),
        ("self.size = 3 * size", "x"),
        ("self.size = -n", "x"),
        ("self.size = size", "self.size * 2"),
        ("self.size = size", "x % self.size < 3 * self.size"),
        ("self.size = size", "self.size[0]"),
        ("self.size = size", "[i for i in self.size]"),
        ("self.size = size", "self.size < 3"),
        ("self.size = size\nw, h = size", "x"),
        ("self.size = not other.off and torch.cuda.is_available()", "x"),
        ("self.size = self.size and torch.cuda.is_available()", "x"),
        ("self.size = 3 if other else torch.cuda.device_count()", "x"),
        ("self.size = size\nfor i in range(size):\n    print(i)", "x"),
    ],
)
def test_is_data(body: str, read: str) -> None:
    assert _held(body, read) == {"size"}


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ("self.size = size", "x"),
        ("self.size = other.size and torch.cuda.is_available()", "x"),
        ("self.size = 3 if other else size", "x"),
        ("self.size = other or 3", "x"),
        ("self.size = torch.cuda.current_stream()", "x"),
        ("self.size = size", "self.size(x)"),
        ("self.size = size", "'%s' % self.size"),
        ("self.size = size", "other(self.size)"),
        ("self.size = size", "self.size == 3"),
        ("self.size = size", "other.size * 2"),
        ("self.size = None", "self.size * 2"),
        ("self.size = lambda: 3", "x"),
        ("self.size = other.size", "self.size * 2"),
        ("self.size = size = 3", "x"),
        ("self.size, self.n = 3, 4", "x"),
        ("self.size = 0\nself.size = other", "x"),
        ("self.size = 0\nother.size = size", "x"),
        ("size = find\nself.size = size", "self.size * 2"),
        ("self.size = 3 if n else other", "x"),
        ("for self.size in other:\n    pass", "self.size * 2"),
    ],
)
def test_may_be_called(body: str, read: str) -> None:
    assert "size" not in _held(body, read)


def test_functions_of_the_file_with_a_name_of_python_give_anything() -> None:
    assert _held("self.size = len(other)") == {"size"}
    text = _TEXT.format(body="        self.size = len(other)", read="x") + "def len(x):\n    pass\n"
    assert "size" not in data_attributes(Names(ast.parse(text)))
