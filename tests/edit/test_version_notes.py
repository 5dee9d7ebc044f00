"""What a comment beside a line says of the torch that it is for, once it is for another."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\n"


@pytest.mark.parametrize(
    "note",
    [
        "#changed for pytorch 0.3.0",
        "# for torch 0.2",
        "# PyTorch 0.3",
        "# needed for pytorch<0.4",
        "# works with PyTorch v0.3.1.",
        "# pytorch version 0.3.x",
    ],
)
def test_a_note_goes_with_what_it_is_about(note: str) -> None:
    for ends in ("\n", "\r\n"):
        text = f"{_HEAD}def f(x):\n    y = F.tanh(x)    {note}\n    return F.sigmoid(y) {note}\n"
        after = migrate(text.replace("\n", ends)).text
        kept = "def f(x):\n    y = torch.tanh(x)\n    return torch.sigmoid(y)\n"
        assert after.endswith(kept.replace("\n", ends))
        assert migrate(after).text == after


@pytest.mark.parametrize(
    "line",
    [
        # The line is as it was.
        "y = torch.tanh(x)  # changed for pytorch 0.3.0",
        # It may hold of today's torch, or says more.
        "y = F.tanh(x)  # for pytorch >= 0.3",
        "y = F.tanh(x)  # since pytorch 0.3",
        "y = F.tanh(x)  # for pytorch 1.1",
        "y = F.tanh(x)  # changed for pytorch 0.3.0: x is (n, 3)",
        "y = F.tanh(x)  # 0.5 and more",
        "y = F.tanh(x + '# pytorch 0.3')",
    ],
)
def test_other_comments_stay(line: str) -> None:
    after = migrate(f"{_HEAD}def f(x):\n    {line}\n    return y\n").text
    assert line.replace("F.", "torch.") in after


_BACKWARD = (
    "def f(loss, x):\n    {}\n    loss.backward(retain_variables=True)\n    return F.tanh(x)\n"
)


@pytest.mark.parametrize("remark", ["", "  # in case of current version of pytorch"])
def test_code_that_was_taken_out_goes_where_the_line_below_became_it(remark: str) -> None:
    comment = f"#loss.backward(retain_graph=True){remark}"
    after = migrate(_HEAD + _BACKWARD.format(comment)).text
    assert "def f(loss, x):\n    loss.backward(retain_graph=True)\n" in after
    assert migrate(after).text == after


@pytest.mark.parametrize(
    "comment",
    [
        "# loss.backward()",
        "# loss.backward(retain_graph=True) for the second pass",
        "# loss.backward(retain_graph=True)  # x is used again",
        "loss = loss.sum()  # loss.backward(retain_graph=True)",
    ],
)
def test_what_says_something_else_stays_above(comment: str) -> None:
    assert comment in migrate(_HEAD + _BACKWARD.format(comment)).text


def test_what_stood_there_twice_stays() -> None:
    text = "def f(loss, x):\n    #loss.backward()\n    loss.backward()\n    return F.tanh(x)\n"
    assert "    #loss.backward()\n    loss.backward()" in migrate(_HEAD + text).text
