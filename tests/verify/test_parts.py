"""Each part of a change, applied alone, is a program."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from tests.support.rules import migrate, options_of
from torchfix_codemods.verify.changes.wholeness import Whole
from torchfix_codemods.verify.hunks import Change, FileChange

FIXTURES = Path(__file__).parents[2] / "fixtures"
PATHS = [p for kind in ("programs", "rules", "catalogue") for p in (FIXTURES / kind).glob("*.py")]


def changed(text: str, *codes: str) -> Change:
    """What the rules make of a text."""
    made = migrate(text, *codes, options=options_of(text))
    return Change([FileChange("a.py", text, made.text, tuple(made.findings))])


def torn(change: Change) -> list[str]:
    """The parts that do not parse, or read names that are bound nowhere, where they are alone."""
    (file,) = change.files
    whole = Whole(file.before, file.after)
    return [hunk.key for hunk in change.hunks if whole.size(change.text(file, [hunk.key]))]


@pytest.mark.parametrize("path", [pytest.param(p, id=f"{p.parent.name}-{p.stem}") for p in PATHS])
def test_of_fixtures(path: Path) -> None:
    assert torn(changed(path.read_text("utf-8"))) == []


_POOL = """
    import torch
    from torch.autograd import Function


    class Pool(Function):
        def __init__(self, height, width):
            self.height = int(height)
            self.width = int(width)

        def forward(self, x):
            size = x.size(0)
            output = torch.zeros(size, self.height, self.width)

            index = torch.IntTensor(size, self.height, self.width).zero_()
            run(x, output, index)

            return output

        def backward(self, grad):
            print(grad)

            scaled = torch.FloatTensor(2, 3).zero_()
            return scaled + grad


    lengths = torch.LongTensor(3, 4).zero_()


    def use(x):
        return Pool(2, 3)(x)
    """


def test_what_lies_in_a_class_that_is_rewritten_goes_with_it() -> None:
    change = changed(textwrap.dedent(_POOL))
    assert torn(change) == []
    assert all(list(hunk.parts) == sorted(hunk.parts) for hunk in change.hunks)
    assert [sorted({f.code for f in hunk.findings}) for hunk in change.hunks] == [
        ["TP107", "TP403"],
        ["TP403"],
    ]
    (file,) = change.files
    alone = change.text(file, [change.hunks[1].key])
    assert "self" in alone and "ctx" not in alone


def test_what_lies_in_a_class_of_which_another_part_changes_does_not() -> None:
    text = """
    import torch

    class Net(torch.nn.Module):
        def forward(self, x):
            a = torch.FloatTensor(2, 3).zero_()

            b = torch.FloatTensor(3, 4).zero_()
            return a, b
    """
    assert [len(hunk.findings) for hunk in changed(textwrap.dedent(text)).hunks] == [1, 1]


@pytest.mark.parametrize(
    ("before", "after", "parts"),
    [
        # A name that another part binds, or binds no more.
        ("def f(a):\n    x = 1\n    return a\n", "def f(b):\n    x = 1\n    return b\n", 1),
        ("def f(a):\n    x = 1\n    return a\n", "def f():\n    x = 1\n    return 2\n", 1),
        ("def f():\n    x = 1\n    return 2\n", "def f(a):\n    x = 1\n    return a\n", 1),
        # Whatever the other one does, the name is there.
        ("def f(a):\n    x = 1\n    return a\n", "def f(a=2):\n    x = 1\n    return a + 1\n", 2),
        ("a = 1\nx = 1\ny = a\n", "a = 2\nx = 1\ny = a + 1\n", 2),
        # One that has no value in either version.
        ("x = a\ny = 1\nz = 1\n", "x = a + 1\ny = 1\nz = 2\n", 2),
        ("x = 1\ny = 1\nz = 1\n", "x = a\ny = 1\nz = a\n", 2),
        # What is not read as Python shows nothing.
        ("print 1\ny = 1\nz = a\n", "print(1)\ny = 1\nz = 2\n", 2),
    ],
)
def test_parts_that_bind_and_read(before: str, after: str, parts: int) -> None:
    assert len(Change([FileChange("a.py", before, after)]).hunks) == parts


def test_async_is_no_obstacle() -> None:
    before = "def f(a):\n    x.cuda(async=True)\n    return a\n"
    change = Change([FileChange("a.py", before, before.replace("a)", "b)").replace("n a", "n b"))])
    assert [len(hunk.parts) for hunk in change.hunks] == [2]
    ast.parse(change.overrides([])["a.py"] or b"")
