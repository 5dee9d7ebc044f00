"""What rests on a value that another rewrite makes a number is decided when it is one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import libcst as cst
import pytest

from torchfix_codemods.engine.migrate import migrate_text
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules import select
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings


class _WithItem(Rule):
    since = "0.4"
    numerics = Numerics.IDENTICAL
    message = "a number"

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        return cst.Call(cst.Attribute(updated, cst.Name("item")))

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.Call:
        return cst.Call(cst.Attribute(updated, cst.Name("item")))


class SumOfOne(_WithItem):
    """Makes a number of every sum that an assignment keeps."""

    code = "TP990"
    name = "sum-of-one"
    words = frozenset({"sum"})

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if isinstance(facts.parent(call), ast.Assign):
            yield self.found(call, gives_number=True)


class Printed(_WithItem):
    """Makes a number of every tensor that is printed."""

    code = "TP991"
    name = "printed"
    words = frozenset({"print"})

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        for argument in call.args:
            name = argument.right if isinstance(argument, ast.BinOp) else argument
            if isinstance(facts.value(name), Tensor):
                yield self.found(argument, region=name)


def migrated(text: str) -> str:
    return migrate_text(text, [SumOfOne(), Printed()]).text


@pytest.mark.parametrize(
    "later",
    [
        "print(total)",
        "print(100 * total)",
        "share = total / 3\nprint(share)",
        "def show(value):\n    print(value)\nshow(total)",
        "def show(value):\n    share = value / 3\n    print(share)\nshow(value=total / 2)",
    ],
)
def test_a_number_is_asked_for_no_item(later: str) -> None:
    text = f"import torch\ntotal = torch.ones(3).sum()\n{later}\n"
    assert migrated(text) == text.replace(".sum()", ".sum().item()")


@pytest.mark.parametrize(
    "other",
    ["x = torch.ones(3)", "def f():\n    total = torch.ones(3)\n    print(total)\nx = f()"],
)
def test_other_names_do_not_wait_for_ever(other: str) -> None:
    text = f"import torch\ntotal = torch.ones(3).sum()\n{other}\nprint(torch.exp(x))\nprint(x)\n"
    last = "print(x.item())" if other.startswith("x") else "print(x)"
    assert last in migrated(text)
    assert ("print(total.item())" in migrated(text)) == ("print(total)" in text)


def of_losses(used: str) -> str:
    return f"""
import torch

def train(net, criterion, optimizer, loader):
    total = 0
    for x, y in loader:
        loss = criterion(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total = total + loss
        {used}
"""


def test_a_sum_that_is_cut_is_not_cut_again() -> None:
    text = of_losses("print((total.cpu().data.numpy() / len(loader))[0])")
    after = migrate_text(text, select(("TP104", "TP105"))).text
    assert "total = total + loss.detach()" in after
    assert "total.cpu().numpy()" in after


def test_what_has_a_graph_is_cut_beside_a_sum() -> None:
    text = of_losses("print(loss.cpu().data.numpy())\n        print(total.cpu().data.numpy())")
    after = migrate_text(text, select(("TP104", "TP105"))).text
    assert "loss.cpu().detach().numpy()" in after
    assert "total.cpu().numpy()" in after


_SHOWN = """\
import torch
from torch.autograd import Variable
class Main:
    def __init__(self):
        self.net = torch.nn.Linear(2, 2)
    def run(self, x):
        self.net.eval()
        x = Variable(x, volatile=True)
        out = self.net(x)
        self.show(x, out)
    def show(self, x, out):
        print(x.data.numpy(), out.data.numpy())
"""


def shown(folder: Path, more: str = "") -> str:
    """The file of a project that has no other one."""
    (folder / "setup.py").touch()
    (folder / "main.py").write_text(_SHOWN + more)
    return migrate_file(folder / "main.py", Settings(), write=False).after or ""


def test_a_method_waits_for_the_block_around_its_call(tmp_path: Path) -> None:
    """Under it nothing has a graph to be cut from."""
    after = shown(tmp_path)
    assert "        with torch.no_grad():\n            out = self.net(x)\n" in after
    assert "            self.show(x, out)\n" in after
    assert "        print(x.numpy(), out.numpy())\n" in after


def test_a_method_that_is_called_outside_as_well_cuts_its_graph(tmp_path: Path) -> None:
    after = shown(tmp_path, "    def train(self, x):\n        self.show(x, self.net(x))\n")
    assert "            self.show(x, out)\n" in after
    assert "out.detach().numpy())\n" in after
