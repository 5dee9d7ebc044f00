from __future__ import annotations

import pytest

from tests.support.rules import migrate
from torchfix_codemods.edit.stale_comments import is_about_variables_only

_HEAD = "import torch\nfrom torch.autograd import Variable\nfor x, y in torch.load('x'):\n"
_LINE = "    x, y = Variable(x, volatile=False), Variable(y)\n"


@pytest.mark.parametrize(
    "comment",
    ["# wrap them in Variable", "    #wrap in Variables", "# Convert torch tensor to Variable."],
)
def test_only_about_variables(comment: str) -> None:
    assert is_about_variables_only(comment)


@pytest.mark.parametrize(
    "comment",
    [
        "# wrap them in Variable and move them",
        "# Variable",
        "# torch can only train on Variable, so convert them to Variable",
        "# wrap the sorted ones in Variable",
        "x = 1  # wrap in Variable",
        "",
    ],
)
def test_about_more(comment: str) -> None:
    assert not is_about_variables_only(comment)


def _below(comment: str, line: str = _LINE) -> str:
    text = f"{_HEAD}    print(x)\n{comment}{line}    print(y)\n"
    return migrate(text).text.partition("    print(x)\n")[2]


def test_the_comment_goes_with_the_line() -> None:
    assert _below("    # wrap them in Variable\n") == "    print(y)\n"
    assert _below("\n    # wrap them in Variable\n") == "\n    print(y)\n"


@pytest.mark.parametrize(
    "comment",
    ["    # the batch\n", "    # wrap in Variable\n\n", "  # wrap in Variable\n"],
)
def test_other_comments_stay(comment: str) -> None:
    assert _below(comment).startswith(comment.rstrip("\n"))


def test_what_stands_above_a_line_that_stays_stays() -> None:
    comment = "    # wrap them in Variable\n"
    assert _below(comment, "    x = Variable(x, volatile=False) + 1\n").startswith(comment)


_INFERENCE = """
def run(model, x, y):
    print(x)

{comment}    x = Variable(x, volatile=True)
    y = Variable(y, volatile=True){gap}
    out = model(x, y)
    return out.data.numpy()
"""


def _inference(comment: str, gap: str = "\n") -> str:
    text = "import torch\nfrom torch.autograd import Variable\n"
    return migrate(text + _INFERENCE.format(comment=comment, gap=gap)).text.partition("(x)\n")[2]


@pytest.mark.parametrize("gap", ["", "\n", "\n    # Run it"])
def test_the_comment_above_the_no_grad_of_the_line_goes_as_well(gap: str) -> None:
    expected = "\n    with torch.no_grad():\n"
    expected += gap.lstrip("\n").replace("    #", "        #") + ("\n" if "#" in gap else "")
    assert _inference("    # Wrap in variables\n", gap).startswith(expected + "        out = model")


@pytest.mark.parametrize("comment", ["    # the batch\n", "    # wrap in Variable\n\n"])
def test_other_comments_above_the_no_grad_stay(comment: str) -> None:
    assert _inference(comment).startswith(f"\n{comment}    with torch.no_grad():\n        out")


def test_the_comment_above_another_block_stays() -> None:
    head = "import torch\n"
    block = "def f(n):\n    x = torch.ones(n)\n    # wrap it in Variable\n    if n:\n"
    text = f"{head}from torch.autograd import Variable\n{block}        x = Variable(x)\n"
    assert migrate(f"{text}        print(x)\n").text == f"{head}{block}        print(x)\n"
