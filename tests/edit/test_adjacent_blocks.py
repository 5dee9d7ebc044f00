"""What holds nothing but written blocks under no_grad goes with the blocks beside it."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate

_ABOVE = """\
import torch
import torch.nn as nn


def start(layer: nn.Linear, old: nn.Linear, flag, scale, make):
    layer, old = nn.Linear(3, 3), nn.Linear(3, 3)
"""


def _migrated(body: str) -> str:
    text = migrate(_ABOVE + textwrap.indent(textwrap.dedent(body), "    ")).text
    assert not any(line.isspace() for line in text.split("\n"))
    return textwrap.dedent(text.partition("nn.Linear(3, 3)\n")[2])


@pytest.mark.parametrize(
    ("body", "joined"),
    [
        (
            """\
            layer.weight.data.copy_(old.weight.data)
            # the bias
            if flag:
                # a copy
                layer.bias.data.copy_(old.bias.data)
            print(layer)
            """,
            """\
            with torch.no_grad():
                layer.weight.copy_(old.weight)
                # the bias
                if flag:
                    # a copy
                    layer.bias.copy_(old.bias)
            print(layer)
            """,
        ),
        (
            """\
            # first
            if layer.bias is not None:
                layer.bias.data.fill_(3)
                layer.bias.data.copy_(old.bias.data)
            layer.weight.data.copy_(old.weight.data)
            """,
            """\
            # first
            with torch.no_grad():
                if layer.bias is not None:
                    nn.init.constant_(layer.bias, 3)
                    layer.bias.copy_(old.bias)
                layer.weight.copy_(old.weight)
            """,
        ),
        (
            """\
            layer.weight.data.copy_(old.weight.data)

            if flag and scale > 2:
                layer.bias.data.copy_(old.bias.data)
            elif scale:
                layer.bias.data.fill_(3)  # three
            else:
                # else
                if not flag:
                    layer.bias.data.copy_(old.bias.data)
            layer.weight.data.copy_(old.weight.data)
            """,
            """\
            with torch.no_grad():
                layer.weight.copy_(old.weight)

                if flag and scale > 2:
                    layer.bias.copy_(old.bias)
                elif scale:
                    nn.init.constant_(layer.bias, 3)  # three
                else:
                    # else
                    if not flag:
                        layer.bias.copy_(old.bias)
                layer.weight.copy_(old.weight)
            """,
        ),
    ],
)
def test_joins_what_branches_hold_with_the_blocks_beside_them(body: str, joined: str) -> None:
    assert _migrated(body) == textwrap.dedent(joined)


@pytest.mark.parametrize(
    "condition",
    ["make(layer)", "(n := scale)", "make(layer).sum() > 0", "flag and make()"],
)
def test_a_condition_that_may_need_its_graph_stays_outside(condition: str) -> None:
    text = _migrated(
        f"""\
        layer.weight.data.copy_(old.weight.data)
        if {condition}:
            layer.bias.data.copy_(old.bias.data)
        """
    )
    assert f"\nif {condition}:\n    with torch.no_grad():\n" in text


@pytest.mark.parametrize(
    "branches",
    [
        # Something else is in a branch,
        "if flag:\n    layer.bias.data.copy_(old.bias.data)\n    make(layer)\n",
        "if flag:\n    layer.bias.data.copy_(old.bias.data)\nelse:\n    make(layer)\n",
        "if flag:\n    layer.bias.data.copy_(old.bias.data)\nelif scale:\n    make(layer)\n",
        # or between the two.
        "make(layer)\nif flag:\n    layer.bias.data.copy_(old.bias.data)\n",
        # The block was there.
        "if flag:\n    with torch.no_grad():\n        layer.bias.zero_()\n",
        # A loop draws from what nobody knows.
        "for flag in make:\n    layer.bias.data.copy_(old.bias.data)\n",
    ],
)
def test_what_holds_anything_else_stays_beside_the_block(branches: str) -> None:
    text = _migrated(f"layer.weight.data.copy_(old.weight.data)\n{branches}")
    assert text.startswith("with torch.no_grad():\n    layer.weight.copy_(old.weight)\n")
    assert text.count("with torch.no_grad():") == 2


@pytest.mark.parametrize("below", ["make(layer)", "if scale:\n    layer.bias.data.fill_(3)"])
def test_branches_with_no_block_beside_them_stay(below: str) -> None:
    text = _migrated(f"if flag:\n    layer.bias.data.copy_(old.bias.data)\n{below}\n")
    assert text.startswith("if flag:\n    with torch.no_grad():\n        layer.bias.copy_")


def test_an_empty_line_above_a_branch_stays_empty() -> None:
    text = textwrap.dedent(_ABOVE.split("def ")[0]) + (
        "layer, old = nn.Linear(3, 3), nn.Linear(3, 3)\n"
        "layer.weight.data.copy_(old.weight.data)\n\n"
        "if layer.bias is not None:\n    layer.bias.data.copy_(old.bias.data)\n"
    )
    assert migrate(text).text.endswith(
        "with torch.no_grad():\n    layer.weight.copy_(old.weight)\n\n"
        "    if layer.bias is not None:\n        layer.bias.copy_(old.bias)\n"
    )


@pytest.mark.parametrize(
    ("between", "joins"),
    [
        ("total = 0", True),
        ("shown = old.weight.data.cpu().numpy()", True),
        ("total = 0\n    count = 1", True),
        ('print("copied")', True),
        ("print()", True),
        ("print(1)\n    print(2)\n    print(3)", False),
        ("print(layer)", False),
        ('print("a", layer(torch.ones(3)))', False),
        ('input("go on")', False),
        ("out = layer(torch.ones(3))", False),
        ("loss = (old.weight * 2).sum()", False),
        ("make(layer)", False),
        ("row = old.weight[0]", False),
        ("turned = old.weight.T", False),
        ("flag += old.weight", False),
        ("a = 0\n    b = 0\n    c = 0", False),
    ],
)
def test_a_few_lines_that_need_no_graph_stand_between(between: str, joins: bool) -> None:
    body = f"layer.weight.data.copy_(old.weight.data)\n{textwrap.dedent(between)}\n"
    body = body.replace("\n    ", "\n") + "layer.bias.data.copy_(old.bias.data)\n"
    assert (_migrated(body).count("no_grad") == 1) is joins


_LOADED = """\
layer.bias.data.copy_(torch.from_numpy(make[flag:flag + scale]))
flag = {0}
layer.weight.data.copy_(torch.from_numpy(make{1}))
"""


@pytest.mark.parametrize(
    ("counted", "read", "joins"),
    [
        ("flag + scale", "[flag:flag + 9]", True),
        ("flag + scale", "[:, flag:]", True),
        # It may need a graph, or do more than count.
        ("flag + scale", "[flag]", False),
        ("old(flag) + scale", "[flag:flag + 9]", False),
        ("old(flag)", "[flag:]", False),
    ],
)
def test_a_line_that_counts_on_where_a_buffer_is_read_stands_between(
    counted: str, read: str, joins: bool
) -> None:
    assert (_migrated(_LOADED.format(counted, read)).count("no_grad") == 1) is joins


_CHAIN = """\
if flag == "w":
    layer.weight.data.copy_(old.weight.data)
elif flag == "b":
    # the bias
    layer.bias.data.copy_(old.bias.data)
else:
    {0}
"""


@pytest.mark.parametrize(
    "last",
    [
        "pass",
        "layer.weight.data.mul_(2)",
        "if scale:\n        layer.bias.data.mul_(2)",
        'print("neither")',
        'raise ValueError("neither")',
    ],
)
def test_a_chain_of_branches_stands_under_one_block(last: str) -> None:
    after = last.replace("data.", "").replace("\n", "\n    ")
    assert _migrated(f"print(1)\n{_CHAIN.format(last)}print(flag)\n") == textwrap.dedent(
        f"""\
        print(1)
        with torch.no_grad():
            if flag == "w":
                layer.weight.copy_(old.weight)
            elif flag == "b":
                # the bias
                layer.bias.copy_(old.bias)
            else:
                {after.replace(chr(10), chr(10) + "        ")}
        print(flag)
        """
    )


def test_a_chain_of_branches_in_a_loop_stands_under_one_block() -> None:
    text = _migrated(f"for flag in make:\n{textwrap.indent(_CHAIN.format('pass'), '    ')}")
    assert text.startswith(
        'for flag in make:\n    with torch.no_grad():\n        if flag == "w":\n'
    )
    assert text.count("no_grad") == 1


@pytest.mark.parametrize(
    "text",
    [
        # Something else is in a branch, or asked by one,
        _CHAIN.format("make(layer)"),
        _CHAIN.format("print(layer)"),
        _CHAIN.format("raise make(layer)"),
        _CHAIN.format("pass").replace('flag == "b"', "make(flag)"),
        _CHAIN.format("pass").replace('flag == "w"', "(n := scale)"),
        # and one block is none too many.
        "if flag:\n    layer.weight.data.copy_(old.weight.data)\nelse:\n    pass\n",
        "if flag:\n    pass\nelse:\n    layer.weight.data.copy_(old.weight.data)\n",
    ],
)
def test_branches_with_more_than_their_blocks_stay(text: str) -> None:
    after = _migrated(text)
    assert after.startswith("if ")
    assert after.count("no_grad") == text.count("copy_")


def test_a_chain_of_blocks_that_were_there_stays() -> None:
    body = "with torch.no_grad():\n        layer.{}.zero_()"
    text = f"if flag:\n    {body.format('weight')}\nelse:\n    {body.format('bias')}\n"
    assert _migrated(text) == text


_EVALUATION = """\
import torch
from torch.autograd import Variable
from away import Meter, Meters, Controller
class Seen:
    def add(self, number):
        self.total = number
class Learning:
    def add(self, number):
        self.loss.backward()
def evaluate(model, criterion, loader, given):
    model.eval()
    noted = {0}
    accuracies = Meter()
    for inputs, targets in loader:
        output = model(Variable(inputs, volatile=True))
        loss = criterion(output, targets)
        noted{1}
        accuracies.update(model.accuracy(output), inputs.size(0))
"""


def _noted(made: str, line: str) -> int:
    text = migrate(_EVALUATION.replace("{0}", made).replace("{1}", line)).text
    assert "no_grad" in text
    return text.count("no_grad")


@pytest.mark.parametrize(
    ("made", "line"),
    [
        ("Meter()", ".add(loss.item())"),
        ("Meter()", ".add(loss.data[0], inputs.size(0))"),
        ('Meters({"loss": Meter(skip=True)})', '["loss"].add(loss.item())'),
        ("Seen()", ".add(loss.item())"),
    ],
)
def test_a_line_that_notes_a_number_stands_between(made: str, line: str) -> None:
    assert _noted(made, line) == 1


@pytest.mark.parametrize(
    ("made", "line"),
    [
        # It may train what it was given, or what nobody sees.
        ("Controller(model)", ".add(loss.item())"),
        ("Controller(model.parameters())", ".add(loss.item())"),
        ("given", ".add(loss.item())"),
        ("given.meter", ".add(loss.item())"),
        ("Learning()", ".add(loss.item())"),
        # It is a model.
        ("Controller()", "(inputs).add(loss.item())"),
        # It may take part in a graph.
        ("Meter()", ".add(given)"),
    ],
)
def test_a_line_that_may_train_stands_beside(made: str, line: str) -> None:
    assert _noted(made, line) != 1
