from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate
from torchfix_codemods.edit.tidying.long_lines import broken_again, broken_line
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era

OLD = Options(era=Era((0, 3), (0, 3)))
_LONG = "a_long_name_of_a_value_that_takes_room"
_BEFORE = "x = [\n    1,\n    2,\n    3,\n    4]\n"


@pytest.mark.parametrize(
    ("after", "lines"),
    [
        pytest.param(
            f"loss = criterion({_LONG}, {_LONG}, reduction='none', ignore_index=3)",
            f"loss = criterion({_LONG}, {_LONG},\n                 reduction='none', ignore_index=3)",
            id="behind a comma, under the bracket",
        ),
        pytest.param(
            f"    a_very_long_name_of_a_result_that_takes_all = torch.full((1, 1), {_LONG}, dtype=torch.long)",
            f"    a_very_long_name_of_a_result_that_takes_all = torch.full(\n"
            f"        (1, 1), {_LONG}, dtype=torch.long)",
            id="behind the bracket, where what is in it has no room under it",
        ),
        pytest.param(
            f"    return make({_LONG}, size=(3, 4)), make({_LONG}, size=(5, 6, 7))",
            f"    return (make({_LONG}, size=(3, 4)),\n            make({_LONG}, size=(5, 6, 7)))",
            id="what is returned, in brackets",
        ),
        pytest.param(
            f"    return (make({_LONG}, size=(3, 4)), make({_LONG}, size=(5, 6, 7)))",
            f"    return (make({_LONG}, size=(3, 4)),\n            make({_LONG}, size=(5, 6, 7)))",
            id="what is returned in brackets",
        ),
        pytest.param(
            f"f(\n    {_LONG}, {_LONG}, {_LONG}\n)",
            f"f(\n    {_LONG}, {_LONG},\n    {_LONG}\n)",
            id="a line inside of brackets",
        ),
        pytest.param(
            f"f(\n    {_LONG}, {_LONG}, {_LONG})",
            f"f(\n    {_LONG}, {_LONG},\n    {_LONG})",
            id="the last line inside of brackets",
        ),
    ],
)
def test_breaks(after: str, lines: str) -> None:
    assert broken_again(_BEFORE, after + "\n") == lines + "\n"


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(f"x = {_LONG} + {_LONG} + {_LONG}", id="no bracket"),
        pytest.param(f"f({_LONG}, {_LONG}, {_LONG})  # why", id="a comment"),
        pytest.param(f"f({_LONG}, {_LONG}, {_LONG}, [\n    1])", id="a bracket that stays open"),
        pytest.param(f"f({_LONG}, {_LONG}, {_LONG}, '''\n''')", id="a text over several lines"),
        pytest.param(f"\tf({_LONG}, {_LONG}, {_LONG})", id="tabs"),
        pytest.param(f"f({_LONG}, {_LONG})", id="short"),
        pytest.param(f"{_LONG} + {_LONG} + a_list[{_LONG}]", id="an index"),
        pytest.param(f"f('{_LONG}, {_LONG}, {_LONG}, {_LONG}')", id="one text"),
        pytest.param(f"a, b, c = {_LONG}, {_LONG}, {_LONG}", id="several names"),
        pytest.param(f"f({_LONG}, {_LONG}, {_LONG}", id="no Python"),
    ],
)
def test_keeps(after: str) -> None:
    assert broken_again(_BEFORE, after + "\n") == after + "\n"


def test_keeps_lines_that_were_as_long() -> None:
    long = f"f({_LONG}, {_LONG}, {_LONG}, a, b)"
    assert broken_again(f"g(\n    {long})\n", f"{long[:-4]})\n") == f"{long[:-4]})\n"


def test_keeps_what_no_line_was_joined_in() -> None:
    after = f"f({_LONG}, {_LONG},\n  {_LONG}, {_LONG}, {_LONG})\n"
    assert broken_again("f(x,\n  y)\n", after) == after


def test_what_joined_two_lines_breaks_them_again() -> None:
    before = """
        import torch
        from torch.autograd import Variable
        class Net(torch.nn.Module):
            def __init__(self):
                self.rnn_num_layers, self.rnn_hidden_dim = 2, 3
            def init_hidden(self, bsz=4):
                weight = next(self.parameters()).data
                return (Variable(
                    weight.new(self.rnn_num_layers, bsz, self.rnn_hidden_dim)
                    .zero_()), Variable(
                        weight.new(self.rnn_num_layers, bsz, self.rnn_hidden_dim)
                        .zero_()))
    """
    lines = """
                return (weight.new_zeros(self.rnn_num_layers, bsz, self.rnn_hidden_dim),
                        weight.new_zeros(self.rnn_num_layers, bsz, self.rnn_hidden_dim))
    """
    migrated = migrate(textwrap.dedent(before).lstrip("\n"), options=OLD).text
    assert textwrap.indent(migrated, " " * 8).endswith(lines.lstrip("\n").rstrip(" "))


def test_a_call_behind_the_widest_bracket_is_broken_where_that_one_does_not_help() -> None:
    line = "        index = ((N[:, 0] - 1) % (self.n)).to(device, torch.long).unsqueeze(1).detach()"
    assert broken_line(line, 79).split("\n") == [
        "        index = ((N[:, 0] - 1) % (self.n)).to(",
        "            device, torch.long).unsqueeze(1).detach()",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "        index = ((N[:, 0] - 1) % (self.numbers)).long_name_of_it().unsqueeze(1).detach()",
        "        a, b = ((N[:, 0] - 1) % (self.n)).to(device, torch.long).unsqueeze(1), b.detach(1)",
    ],
)
def test_no_call_of_one_argument_or_before_others_is_broken(line: str) -> None:
    assert broken_line(line, 79) == line
