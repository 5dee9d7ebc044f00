from __future__ import annotations

import pytest

from tests.support.rules import migrate
from torchfix_codemods.edit.tidying.stale_comments import (
    closes_block,
    is_about_variables_only,
    is_code,
)

_HEAD = "import torch\nfrom torch.autograd import Variable\nfor x, y in torch.load('x'):\n"
_LINE = "    x, y = Variable(x, volatile=False), Variable(y)\n"


@pytest.mark.parametrize(
    "comment",
    [
        "# wrap them in Variable",
        "    #wrap in Variables",
        "# Convert torch tensor to Variable.",
        "# move to Variable",
        "# Unwrap autograd.Variable to Tensor",
        "# unwrap the data from Variables",
    ],
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
        "# unwrap the Variable of the loss, and print it",
        "# unwrap the model",
        "x = 1  # wrap in Variable",
        "",
    ],
)
def test_about_more(comment: str) -> None:
    assert not is_about_variables_only(comment)


@pytest.mark.parametrize(
    "comment",
    ["# end", "#End", "## end def", "# end of method", "# end __init__()", "#endfunction"],
)
def test_a_comment_that_closes_a_block(comment: str) -> None:
    assert closes_block(comment)


@pytest.mark.parametrize(
    "comment", ["# ends", "# end of an epoch", "# end: x", "# the end", "# ending", "end", "#"]
)
def test_a_comment_that_says_more_than_that_a_block_ends(comment: str) -> None:
    assert not closes_block(comment)


@pytest.mark.parametrize("comment", ["#print(x.shape)", "# x = 1", "    # import os"])
def test_code_that_was_taken_out(comment: str) -> None:
    assert is_code(comment)


@pytest.mark.parametrize(
    "comment", ["# inputs", "# get the inputs", "#", "# x, y", "# (one)", "# if x:"]
)
def test_words(comment: str) -> None:
    assert not is_code(comment)


def test_code_that_was_taken_out_is_no_sentence_that_goes_on() -> None:
    line = "    x = Variable(x.view(-1))\n"
    code, words = "    #print(x.shape)\n", "    # get the inputs and\n"
    wrap = "    # wrap them in Variable\n"
    assert wrap not in _below(code + wrap, line)
    assert wrap in _below(words + wrap, line)


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


def test_about_what_the_code_assigns() -> None:
    comment = "# wrap mean and weights in variables"
    assert is_about_variables_only(comment, ("mean", "Weights"))
    assert not is_about_variables_only(comment, ("mean",))


@pytest.mark.parametrize(
    "lines",
    [
        "    x = Variable(x.view(-1))\n",
        "    x = Variable(x.view(-1))\n    y = Variable(y.view(-1))\n",
        "    if y:\n        x = Variable(x.view(-1))\n    else:\n        x = Variable(y.view(-1))\n",
        "    for z in y:\n        print(Variable(z.view(-1)))\n",
        "    print(Variable(x.view(-1)))\n",
    ],
)
def test_the_comment_goes_from_above_a_line_that_stays(lines: str) -> None:
    after = _below("    # wrap them in Variable\n", lines)
    assert "#" not in after and "Variable" not in after


def test_the_comment_goes_with_the_names_it_speaks_of() -> None:
    assert _below("    # wrap x and y in variables\n").startswith("    print(y)")
    lines = "    weights = Variable(x.view(-1))\n"
    assert "#" not in _below("    # wrap weights in a variable\n", lines)
    assert "#" in _below("    # wrap biases in a variable\n", lines)


_TYPE = "    x = Variable(x.view(-1))\n"


@pytest.mark.parametrize(
    ("comment", "lines"),
    [
        ("    # the batch\n", _TYPE),
        ("    # wrap in Variable\n\n", _TYPE),
        ("    # the rest we\n    # wrap in Variable\n", _TYPE),
        ("  # wrap in Variable\n", _TYPE),
        ("    # wrap in Variable\n", "    x = x.data.view(-1)\n"),
        ("    # wrap in Variable\n", _TYPE + "    y = other.Variable(y)\n"),
        ("    # wrap in Variable\n", "    x = 1; y = Variable(y.view(-1))\n"),
    ],
)
def test_comments_above_lines_that_stay_stay(comment: str, lines: str) -> None:
    assert comment.splitlines()[-1 if comment.strip() else 0] in _below(comment, lines)


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
