"""Blank lines keep the spaces that they had, and move with the code around them."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate
from torchfix_codemods.edit.tidying.blank_lines import with_blank_lines_of


def test_a_block_that_moves_takes_them_with_it() -> None:
    before = textwrap.dedent(
        """\
        import torch
        from torch.autograd import Variable
        def test(model, loader):
            model.eval()
            for x in loader:
                x = Variable(torch.from_numpy(x), volatile=True)
        @@
                y = model(x)
        @@@@
                print(y.max().data[0])
        """
    )
    before = before.replace("@", "  ")
    after = migrate(before).text
    assert "with torch.no_grad():" in after
    assert "\n        \n" in after
    assert "\n            \n" in after
    assert "\n    \n" not in after


_SAME = {
    "moved further in": ("a\n  \nb\n", "w:\n    a\n\n    b\n", "w:\n    a\n      \n    b\n"),
    "only what is above moved": ("a\n  \nb\n", "w:\n    a\n\nb\n", "w:\n    a\n  \nb\n"),
    "empty ones of a block that moves": (
        "a\n\nb\n \n",
        "w:\n  a\n\n  b\n\n",
        "w:\n  a\n\n  b\n \n",
    ),
    "moved out": ("w:\n  a\n  \n  b\n", "a\n\nb\n", "a\n  \nb\n"),
    "one line goes": ("a\n  \nb\n \nc\n", "a\n\nc\n", "a\n \nc\n"),
    "tabs, and lines that end as on Windows": (
        "a\r\n\t\r\nb\r\n",
        " a\r\n\r\n b\r\n",
        " a\r\n \t\r\n b\r\n",
    ),
    "beside a text": ('a\n  \n"""t"""\n', 'w:\n  a\n\n  """t"""\n', 'w:\n  a\n    \n  """t"""\n'),
}


@pytest.mark.parametrize(("before", "after", "expected"), _SAME.values(), ids=_SAME)
def test_keeps_their_spaces(before: str, after: str, expected: str) -> None:
    assert with_blank_lines_of(before, after) == expected


_LEFT = {
    "no spaces before": ("a\n\nb\n", " a\n \n b\n"),
    "a new blank line": ("a\n  \nb\n", "a\n  \nb\n\nc\n"),
    "in a text": ('x = """a\n  \nb"""\n', 'x = """a\n\nb"""\n'),
    "in a text that began further above": ("a\n  \nb\n", 'a\nx = """\n\nb\n"""\n'),
    "a very long region": ("a\n  \n" * 1001, " a\n\n" * 1001),
    "what is no code": ("a\n  \nb\n", 'a\n\nb\n"""\n'),
}


@pytest.mark.parametrize(("before", "after"), _LEFT.values(), ids=_LEFT)
def test_leaves(before: str, after: str) -> None:
    assert with_blank_lines_of(before, after) == after


def test_no_spaces_stand_behind_the_last_line_end() -> None:
    """The line below would begin with them, where a line of spaces went with the one below it."""
    assert with_blank_lines_of("\tx = f()\n\t\n\tx = g(x)\n", "\tx = g(f())\n") == "\tx = g(f())\n"


def test_a_file_keeps_its_lines_where_one_below_spaces_is_joined_to_one_above() -> None:
    text = (
        "import torch\nclass A:\n\tdef __init__(self, use_cuda):\n\t\tself.use_cuda = use_cuda\n"
        "\tdef f(self, y):\n\t\ttry:\n\t\t\tx = torch.autograd.Variable(torch.cat(y))\n\t\t\t\n"
        "\t\t\tif self.use_cuda:\n\t\t\t\tx = x.cuda()\n\t\texcept Exception:\n\t\t\tpass\n"
    )
    migration = migrate(text)
    assert "\t\t\tx = torch.cat(y).detach().to(self.device)\n\t\texcept" in migration.text
