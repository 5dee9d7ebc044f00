"""What had no room on one line for a wrapper that is gone is joined; other layouts stay."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate
from torchfix_codemods.edit.tidying.joined_lines import joined_again

_BEFORE = """    self.weight = Variable(torch.Tensor(
        out_channels, in_channels // groups, *k(size()), requires_grad=False)
"""


@pytest.mark.parametrize(
    ("after", "joined"),
    [
        (
            "    self.weight = torch.empty(\n        out_channels, in_channels // groups)\n",
            "    self.weight = torch.empty(out_channels, in_channels // groups)\n",
        ),
        ("    x = self.policy(\n        state).max(1)\n", "    x = self.policy(state).max(1)\n"),
        ("    x = f(a,\n          b)\n", "    x = f(a, b)\n"),
        ("    x = [\n        a, b\n    ]\n", "    x = [a, b]\n"),
        ("    x = f(a[\n        b]).view(3)\n", "    x = f(a[b]).view(3)\n"),
        ("    for x in f(\n            y):\n", "    for x in f(y):\n"),
        ("    self.x = \\\n        f(a)\n", "    self.x = f(a)\n"),
        (
            "    x, y = \\\n        f(a,\n          b)\n",
            "    x, y = \\\n        f(a,\n          b)\n",
        ),
        ("    self.x += \\\n        f(a)\n", "    self.x += f(a)\n"),
        ("    x = (a(3)\n         .view(3))\n", "    x = a(3).view(3)\n"),
        ("    return (a\n            .view(3))\n", "    return a.view(3)\n"),
        ("    x, y = f(a), \\\n    f(b)\n", "    x, y = f(a), f(b)\n"),
        ("    return f(a), \\\n           f(b)\n", "    return f(a), f(b)\n"),
    ],
)
def test_joins(after: str, joined: str) -> None:
    assert joined_again(_BEFORE, after) == joined


@pytest.mark.parametrize(
    "after",
    [
        pytest.param("    x = f(a)\n    y = f(b)\n", id="two statements"),
        pytest.param("    x = f(a,  # one\n          b)\n", id="a comment"),
        pytest.param("    x = f('''a\n    b''')\n", id="a text of two lines"),
        pytest.param("    x = f(a) + \\\n        b\n", id="a backslash"),
        pytest.param("    x = a == \\\n        b\n", id="a backslash behind a comparison"),
        pytest.param("    x = f(a=\\\n        b)\n", id="a backslash behind a keyword"),
        pytest.param("    x = 'a = \\\n    b'\n", id="a backslash in a text"),
        pytest.param("    x = 'a, \\\n    b'\n", id="a backslash behind a comma in a text"),
        pytest.param("    x = f'{a}, \\\n    b'\n", id="a backslash in a text with a value"),
        pytest.param("    x = a, \\\n        b, \\\n        c\n", id="one to a line, backslashes"),
        pytest.param("    x = \\\n        f(a) + \\\n        b\n", id="two backslashes"),
        pytest.param("    x = f(\n        a,\n    )\n", id="a comma that closes"),
        pytest.param("    x = f(a,\n          b,\n          c)\n", id="one to a line"),
        pytest.param("\tx = f(a,\n\t\tb)\n", id="tabs"),
        pytest.param(f"    x = f({'a' * 40},\n          {'b' * 40})\n", id="no room"),
        pytest.param("    x = f(a)\n", id="one line"),
        pytest.param("    x = y + (a\n             .view(3))\n", id="a bracket for the lines"),
        pytest.param("    x = (a(3) +\n         b.view(3))\n", id="a sum in a bracket"),
        pytest.param("    x = (a(3),\n         b).view(3)\n", id="a bracket of a tuple"),
        pytest.param("    x = (a(3)\n         .view(3) + 1).sum()\n", id="a part in a bracket"),
        pytest.param("    x = (a(3)  # one\n         .view(3))\n", id="a comment in a bracket"),
    ],
)
def test_leaves(after: str) -> None:
    assert joined_again(_BEFORE, after) == after


def test_what_had_room_before_stays() -> None:
    before, after = "x = Variable(f(\n    a))\n", "x = f(\n    a)\n"
    assert joined_again(before, after) == after


def test_the_room_that_a_backslash_took_is_not_counted() -> None:
    after = "labels = \\\n    torch.zeros(n)\n"
    before = f"labels = \\\n    Variable(torch.zeros({'n' * 48}))\n"
    assert joined_again(before, after) == "labels = torch.zeros(n)\n"
    assert joined_again(before.replace("nn", "n", 1), after) == after


def test_where_no_wrapper_is_gone_lines_stay() -> None:
    before = f"x = f({'a' * 40}.data,\n      {'b' * 40})\n"
    after = before.replace(".data", "").replace("bbbb", "")
    assert joined_again(before, after) == after


def test_the_longest_line_of_a_statement_says_how_much_room_there_is() -> None:
    before = f"x = Variable(f({'a' * 70}),\n             requires_grad=False)\n"
    after = f"x = f({'a' * 70},\n      b)\n"
    assert joined_again(before, after) == f"x = f({'a' * 70}, b)\n"
    assert joined_again(before.replace("a" * 70, "a" * 40), after) == after


def test_in_a_program() -> None:
    text = """
    import torch
    from torch.autograd import Variable
    class Layer(torch.nn.Module):
        def __init__(self, out_channels, in_channels, groups, kernel_size):
            self.weight = Variable(torch.Tensor(
                out_channels, in_channels // groups, *kernel_size), requires_grad=False)
            self.state = Variable(torch.zeros(
                2, 3))
    """
    after = migrate(textwrap.dedent(text)).text
    made = "torch.empty(out_channels, in_channels // groups, *kernel_size)\n"
    assert f"        self.weight = {made}" in after
    assert "        self.state = torch.zeros(\n            2, 3)\n" in after
    assert migrate(after).text == after


def test_a_device_takes_no_line_of_its_own() -> None:
    text = "import torch\nx, y = torch.randn(2).cuda(\n), torch.randn(2).cuda()\n"
    assert "x, y = torch.randn(2).to(device), torch.randn(2).to(device)\n" in migrate(text).text


@pytest.mark.parametrize("more", [pytest.param("", id="no room"), pytest.param("s", id="room")])
def test_a_pair_on_two_lines_is_joined_where_it_had_no_room(more: str) -> None:
    text = (
        "from torch.autograd import Variable\nfrom torch.utils.data import DataLoader\n"
        "for inputs, labels in DataLoader(dataset):\n"
        f"    output, answer = Variable(inputs.contiguous(){'.view(-1)' * (not more)}).cuda(), \\\n"
        "    Variable(labels).cuda()\n"
    )
    joined = "inputs.contiguous().view(-1).to(device), labels.to(device)\n" in migrate(text).text
    assert joined is not bool(more)


_ROUNDS = """\
import torch
from torch.autograd import Variable


def act(self):
    state, questions, answers = torch.zeros(3), torch.zeros(3, 4), torch.ones(2)
    for _ in self.loader:
        {statement}
        self.log(questions, answers, state)
"""


@pytest.mark.parametrize(
    ("statement", "joined"),
    [
        # The flag goes in one round, the wrapper in another.
        (
            "q_val, argmax_a = self.policy(\n"
            "            Variable(state, volatile=True)).data.max(1)",
            "            q_val, argmax_a = self.policy(state).data.max(1)\n",
        ),
        # So do the names that would be assigned to themselves.
        (
            "questions, state, answers = Variable(questions).transpose(\n"
            "            0, 1), Variable(state), Variable(answers)",
            "        questions = questions.transpose(0, 1)\n",
        ),
    ],
)
def test_what_had_no_room_as_it_was_read_is_joined(statement: str, joined: str) -> None:
    after = migrate(_ROUNDS.format(statement=statement)).text
    assert joined in after
    assert migrate(after).text == after


@pytest.mark.parametrize(
    ("statement", "left"),
    [
        # There was room.
        (
            "q_val = self.policy(\n            Variable(state, volatile=True))",
            "            q_val = self.policy(\n                state)\n",
        ),
        # The long statement is the one above.
        (
            f"self.log(Variable(state), {'state' * 12}, 3,\n"
            "                 Variable(state))\n        y = self.policy(\n"
            "            Variable(state, requires_grad=False))",
            "        y = self.policy(\n            state)\n",
        ),
        (
            "answers = Variable(questions.transpose(0, 1).contiguous().view(-1)).sum(1, 2)\n"
            "        state = Variable(questions.transpose(\n            0, 1))",
            "        state = questions.transpose(\n            0, 1)\n",
        ),
    ],
)
def test_what_had_room_as_it_was_read_stays(statement: str, left: str) -> None:
    assert left in migrate(_ROUNDS.format(statement=statement)).text


def test_the_room_that_a_bracket_took_is_not_counted() -> None:
    after = "x = (f(n)\n     .view(3))\n"
    before = f"x = (Variable(f({'n' * 54}))\n     .view(3))\n"
    assert joined_again(before, after) == after
    assert joined_again(before.replace("nn", "nnn", 1), after) == "x = f(n).view(3)\n"
