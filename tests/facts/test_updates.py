"""Updates of parameters that go under one ``no_grad``."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.rules.autograd.questions.updates import group_of_updates, whole_loop

HEAD = """
import math
import torch
import torch.nn as nn
net = nn.Linear(2, 2)
w, b = net.weight, net.bias
t = torch.ones(2)
"""


def _group(text: str) -> list[str]:
    """The statements that go with the one on which ``# here`` stands."""
    text = HEAD + text
    facts = WholeFacts(ast.parse(text), text)
    line = next(i for i, line in enumerate(text.split("\n"), 1) if line.endswith("# here"))
    found = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Expr) and n.lineno == line]
    group = group_of_updates(found[0], facts)
    return [ast.unparse(s).split("\n")[0] for s in (whole_loop(group, facts) if group else [])]


@pytest.mark.parametrize(
    "update",
    [
        "w.data.add_(1)",
        "w.data.mul_(2).add_(t)",
        "w.data.add_(torch.ones(2))",
        "w.data.add_(math.sqrt(2))",
        "w.data.add_(float(k))",
        "w.data.add_(t.sum())",
        "w.data.masked_scatter_(t > 0, t)",
        "w.data.index_put_((t.long(),), t)",
        "w.data.atan_()",
    ],
)
def test_an_update(update: str) -> None:
    assert _group(f"{update}  # here") == [update]


@pytest.mark.parametrize(
    "update",
    [
        "t.data.add_(1)",
        "k.data.add_(1)",
        "w.add_(1)",
        "w.data.unknown_(1)",
        # They are refused where gradients are required.
        "w.data.apply_(abs)",
        "w.data.resize_(2, 2)",
        "w.data.t_()",
        "w.data.requires_grad_()",
        "w.data.zero_()",
        "w.data.uniform_(-1, 1)",
        "w.data.add_(torch.autograd.grad(k, w)[0])",
        "w.data.add_(unknown(k))",
        "w.data.add_(k.unknown())",
        "w.data.add_(k[0]())",
        "w.data.add_(t.backward())",
        "w.data.add_((k := 1))",
        "torch.save(w, k)",
    ],
)
def test_no_update(update: str) -> None:
    assert _group(f"{update}  # here") == []


def test_a_builtin_of_the_files_own_may_need_the_graph() -> None:
    assert _group("w.data.add_(max(1, 2))  # here")
    assert not _group("def max(a, b):\n    k.backward()\nw.data.add_(max(1, 2))  # here")


def test_neighbours_go_together() -> None:
    lines = ["print(1)", "w.data.add_(1)", "b.data.add_(1)  # here", "w.data.mul_(2)", "print(2)"]
    assert _group("\n".join(lines)) == ["w.data.add_(1)", "b.data.add_(1)", "w.data.mul_(2)"]


@pytest.mark.parametrize(
    ("loop", "group"),
    [
        ("for p in net.parameters():\n    p.data.add_(1)  # here", "for p in net.parameters():"),
        (
            "for n, p in enumerate(net.parameters()):\n    p.data.add_(1)  # here",
            "for n, p in enumerate(net.parameters()):",
        ),
        ("for i in range(2):\n    w.data.add_(1)  # here", "w.data.add_(1)"),
        ("for i in range(len(ws)):\n    w.data.add_(i)  # here", "for i in range(len(ws)):"),
        ("for i in range(len(f())):\n    w.data.add_(i)  # here", "w.data.add_(i)"),
        ("for i in range(1, len(ws)):\n    w.data.add_(i)  # here", "w.data.add_(i)"),
        ("for i in reversed(len(ws)):\n    w.data.add_(i)  # here", "w.data.add_(i)"),
        ("for p in net.parameters():\n    print(p)\n    p.data.add_(1)  # here", "p.data.add_(1)"),
        (
            "for p in net.parameters():\n    p.data.add_(1)  # here\nelse:\n    print(1)",
            "p.data.add_(1)",
        ),
    ],
)
def test_a_loop_over_parameters_goes_whole(loop: str, group: str) -> None:
    assert _group(loop) == [group]
