"""Which graphs are used up, which tensors require gradients, and which may be on a GPU."""

from __future__ import annotations

import ast
import textwrap

import pytest

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.backward import is_used_up, may_be_back_propagated
from torchfix_codemods.facts.programs.placement import may_be_on_gpu
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.facts.recording.history import certainly_requires_grad

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


def looked_at(text: str) -> tuple[Facts, ast.expr]:
    """The facts of a text, and the argument of its last ``look(…)``."""
    text = HEAD + textwrap.dedent(text)
    facts = WholeFacts(ast.parse(text), text)
    calls = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call)]
    looks = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "look"]
    return facts, max(looks, key=lambda c: c.lineno).args[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("loss = f(x)\nloss.backward()\nlook(loss)", True),
        ("loss = f(x)\nlook(loss)\nloss.backward()", True),
        ("loss = f(x)\nloss.backward()\nif x:\n    look(loss)", True),
        ("a = f(x)\n(a.mean() / 2).backward()\nlook(a)", True),
        ("a, b = f(x)\nloss = a - 2 * b\nloss.backward()\nlook(b)", True),
        ("with c:\n    loss = f(x)\n    loss.backward(retain_graph=False)\nlook(loss)", True),
        ("loss = f(x)\nlook(loss)", False),
        ("loss = f(x)\nloss.backward()\nloss = f(x)\nlook(loss)", False),
        ("loss = f(x)\nif x:\n    loss.backward()\nlook(loss)", False),
        ("loss = f(x)\nif x:\n    loss.backward()\nelse:\n    look(loss)", False),
        ("for x in y:\n    loss = f(x)\n    look(loss)\nloss.backward()", False),
        ("loss = f(x)\nloss.backward()\ndef g():\n    look(loss)", False),
        ("loss = f(x)\nloss.backward(create_graph=True)\nlook(loss)", False),
        ("loss = f(x)\nloss.backward(one, True)\nlook(loss)", False),
        ("a = f(x)\nloss = a.detach() + g(x)\nloss.backward()\nlook(a)", False),
        ("import jittor\nloss = f(x)\nloss.backward()\nlook(loss)", False),
    ],
)
def test_used_up(text: str, expected: bool) -> None:
    facts, node = looked_at(text)
    assert isinstance(node, ast.Name)
    assert is_used_up(facts, node) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("look(total)\ntotal = f(x)\nprint(total / 2)", False),
        ("total = f(x)\nlook(total)\ntotal.backward()", True),
        ("total = f(x)\nlook(total)\ntotal *= 2\ntotal.backward()", True),
        ("total = f(x)\nlook(total)\nother = total\ntotal = 0\nother.backward()", True),
        ("def g(a, *, b):\n    b.backward()\ntotal = f(x)\nlook(total)\ng(x, b=total)", True),
        ("def g(a, *, b):\n    a.backward()\ntotal = f(x)\nlook(total)\ng(x, b=total)", False),
        (
            "total = f(x)\nlook(total)\nlosses = []\nlosses.append(total)\nlosses[0].backward()",
            True,
        ),
        ("total = f(x)\nlook(total)\nmodel.loss = total\nmodel.loss.backward()", True),
        ("total = f(x)\nlook(total)\nmodel.loss = total\nmodel.penalty.backward()", False),
        ("total = f(x)\nlook(total)\ntorch.autograd.backward([total])", True),
        ("total = f(x)\nlook(total)\nlist(map(lambda l: l.backward(), [total]))", True),
    ],
)
def test_back_propagated(text: str, expected: bool) -> None:
    facts, node = looked_at(text)
    assert may_be_back_propagated(facts, node) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("look(nn.Linear(2, 2).weight)", True),
        ("look(torch.ones(2, requires_grad=True) + 1)", True),
        ("w = torch.ones(2, requires_grad=True)\nlook(F.relu(torch.sum(w)))", True),
        ("w = torch.ones(2, requires_grad=True)\nlook(torch.zeros_like(w))", False),
        ("w = torch.ones(2, requires_grad=True)\nlook(w > 0)", False),
        ("def f():\n    w = torch.ones(2, requires_grad=True)\n    look(w * 2)", False),
        ("w = torch.ones(2)\nw.requires_grad = True\nlook(w)", False),
        ("w = torch.ones(2)\nfor i in y:\n    w = w * 2\nlook(w)", False),
        ("look(x)", False),
    ],
)
def test_requires_grad(text: str, expected: bool) -> None:
    assert certainly_requires_grad(*looked_at(text)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("look(torch.ones(2).cuda())", True),
        ("look(torch.ones(2).to('cuda'))", True),
        ("look(torch.ones(2).to(0).sum())", True),
        ("look(torch.ones(2).to(torch.device(d)))", True),
        ("x = torch.ones(2).cuda()\nlook(torch.cat([y, y]) + x)", True),
        ("x = torch.ones(2).cuda()\nfor row in x:\n    look(row)", True),
        ("def g(x):\n    x = torch.ones(2)\n    return x.cuda(), x\nlook(g(y)[0])", True),
        ("def g(x):\n    x = torch.ones(2)\n    return x.cuda(), x\nlook(g(y)[1])", False),
        ("def g(x):\n    x = torch.ones(2)\n    return x.cuda()\nlook(g(y).sum())", True),
        ("def g(x):\n    return torch.ones(2)\nlook(g(y))", False),
        ("a, b = torch.ones(2).cuda(), 1\nlook(a)", True),
        ("a, b = torch.ones(2).cuda(), torch.ones(2)\nlook(b)", False),
        ("look(torch.ones(2).to('cpu'))", False),
        ("look(torch.ones(2).cuda().cpu())", False),
        ("look(torch.ones(2).to(torch.device('cpu')))", False),
        ("look(torch.ones(2).to(d))", False),
        ("x = torch.ones(2).cuda()\nlook(torch.ones(2, device=x.device))", True),
        ("def f(x):\n    x.unsqueeze(0)\n    look(torch.ones(2, device=x.device))", False),
        ("def f(x):\n    d = x.unsqueeze(0).device\n    look(torch.ones(2).to(d))", False),
        ("look(torch.ones(2))", False),
        ("look(y.cuda())", False),
        ("y = x.cuda()\nlook(g(y))", False),
        ("x = torch.ones(2)\nfor i in y:\n    x = x * 2\nlook(x)", False),
    ],
)
def test_on_gpu(text: str, expected: bool) -> None:
    assert may_be_on_gpu(*looked_at(text)) is expected
