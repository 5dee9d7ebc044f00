"""`.data` of what only masks, indices and numbers are made of."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.support.rules import migrate
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_RECORDED = """
import numpy as np
import torch
import torch.nn.functional as F
def accuracy(output, target, topk=(1,)):
    maxk = max(topk)
    _, pred = output.topk(maxk, 1, True, True)
    correct = pred.t().eq(target.view(1, -1).expand_as(pred.t()))
    return [correct[:k].reshape(-1).float().sum() for k in topk]
def kept(output):
    return output * 2
def lazy(output):
    yield output.sum()
def train(model, table: torch.Tensor, kept_in, x, y):
    output = torch.exp(model(x))
    F.nll_loss(output, y).backward()
    {}
"""

_OFF = """
import torch
import torch.nn.functional as F
def accuracy(output, target):
    return output.mean(1), output.view(-1).sum() / len(target)
def handed(output):
    return output
def lazy(output):
    yield output.sum()
def stored(output):
    global last
    last = output.sum(), output
criterion = torch.nn.MSELoss()
def test(model, kept_in, total: torch.Tensor, x, y):
    with torch.no_grad():
        output = torch.add(model(x), 0, out=x)
        F.nll_loss(output, y)
        {}
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("prec = accuracy(output.data, y)", "prec = accuracy(output, y)"),
        ("_, best = torch.max(output.data, 1)", "_, best = torch.max(output, 1)"),
        ("_, best = output.data.topk(1)", "_, best = output.topk(1)"),
        ("best = output.data.sort(1)[1]", "best = output.sort(1)[1]"),
        ("print(output.data.cpu().item())", "print(output.cpu().item())"),
        ("print(float(output.data.mean()))", "print(float(output.detach().mean()))"),
        ("if output.data.sum() > 3: print(3)", "if output.sum() > 3: print(3)"),
        ("assert F.softmax(output.data, 1).lt(2).all()", "assert F.softmax(output, 1).lt(2).all()"),
        (
            "while (output.data - y).abs().max() > 1: y = x",
            "while (output - y).abs().max() > 1: y = x",
        ),
    ],
)
def test_what_becomes_a_number_or_a_mask_need_not_be_detached(line: str, expected: str) -> None:
    assert _line(_RECORDED, line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "best, _ = torch.max(output.data, 1); print(best)",
        "best = output.data.sort(1); print(best)",
        "best = output.data.sort(1)[0]",
        "scores = F.softmax(output.data, 1); print(scores > 2)",
        "print(kept(output.data))",
        "print(list(lazy(output.data)))",
        "print(output.data)",
        "print('%s' % output.data.mean())",
        "print(output.data.mean().numpy())",
        "print(np.mean(output.data.cpu().numpy()) > 3)",
        "kept_in[0] = output.data.mean()",
        "kept_in.append(output.data.max(1))",
        "y = table * output.data",
        "y = [output.data.sum()]",
        "y = model(output.data) > 2",
        "y = {output.data.sum(): 2}",
        "y = output.data.sum() in kept_in",
    ],
)
def test_what_keeps_or_shows_a_graph_does_without(line: str) -> None:
    assert _line(_RECORDED, line) in (line, line.replace(".data", ".detach()"))


@pytest.mark.parametrize(
    "line",
    [
        "print(accuracy(output.data, y))",
        "y = output.data.mean(); x = y + 1",
        "total += output.data",
        "loss = criterion(output.data, y).numpy()",
        "print(torch.cat([output.data, y]))",
        "print(torch.stack((output.data, y), 1).numpy())",
    ],
)
def test_nothing_that_is_calculated_under_no_grad_has_a_graph(line: str) -> None:
    assert _line(_OFF, line) == line.replace(".data", "")


@pytest.mark.parametrize(
    "line",
    [
        "print(handed(output.data))",
        "print(lazy(output.data))",
        "stored(output.data)",
        "print(output.data.numpy())",
        "first = output.data\n    print(first * 2)",
        "kept_in.append(output.data)",
        "print(output.data)",
        "print(sum(output.data))",
        "print(torch.stack((output.data, y), out=x))",
    ],
)
def test_what_may_be_the_tensor_itself_does_without_under_no_grad(line: str) -> None:
    assert _line(_OFF, line) in (line, line.replace(".data", ".detach()"))


@pytest.mark.parametrize(
    ("switch", "is_known"),
    [
        ("torch.enable_grad()", False),
        ("torch.set_grad_enabled(True)", False),
        ("torch.no_grad()", True),
    ],
)
def test_gradients_that_a_function_switches_on_are_recorded(
    switch: str, is_known: bool, tmp_path: Path
) -> None:
    metrics = f"import torch\ndef score(out):\n    with {switch}:\n        return out * 2\n"
    head, _, end = _OFF.partition("{}")
    line = "print(score(output.data))"
    (tmp_path / ".git").mkdir()
    (tmp_path / "metrics.py").write_text(metrics)
    (tmp_path / "test.py").write_text("from metrics import score" + head + line + end)
    result = migrate_file(tmp_path / "test.py", Settings(select=("TP104",)), write=False)
    assert ("score(output))" in (result.after or "")) is is_known


def test_a_variable_of_which_only_a_mask_is_made_is_no_copy() -> None:
    line = "mask = torch.autograd.Variable(output) > y"
    text = migrate(_RECORDED.replace("{}", line), "TP101").text
    assert text.rstrip().endswith("mask = output > y")


def _line(program: str, line: str) -> str:
    head, _, end = program.partition("{}")
    return migrate(head + line + end, "TP104").text[len(head) : -len(end)]


@pytest.mark.parametrize(
    ("asked", "is_needless"),
    [
        ("torch.equal(y.data, z.data)", True),
        ("torch.allclose(y.data, z.data, atol=1e-4)", True),
        ("y.data.exp().equal(z.data)", True),
        ("bool(y.data.equal(z.data))", True),
        ("np.array_equal(y.data.numpy(), z.data.numpy())", False),
        ("other.equal(y.data, z.data)", False),
        ("torch.dist(y.data, z.data)", False),
    ],
)
def test_tensors_that_are_compared_as_wholes_need_no_data(asked: str, is_needless: bool) -> None:
    head = "import numpy as np\nimport torch\ndef f(other, net: torch.nn.Linear):\n"
    made = "    y, z = torch.exp(net.weight), torch.sin(net.weight)\n"
    after = migrate(f"{head}{made}    return {asked}\n", "TP104").text
    assert (asked.replace(".data", "") in after) == is_needless


@pytest.mark.parametrize(
    ("made", "is_needless"),
    [
        ("(x > 0).type(torch.FloatTensor)", True),
        ("(x > 0).type(kind).sum(1) / x.size()[1]", True),
        ("(x > 0).to(torch.float)", True),
        ("(x > 0).to(other)", True),
        ("x.type(kind)", False),
        ("(x > 0).type(kind) * x", False),
        ("(x > 0).type(kind).lerp(other, 0.5)", False),
    ],
)
def test_a_comparison_has_no_graph_whatever_its_type(made: str, is_needless: bool) -> None:
    head = "import torch\nkind = torch.FloatTensor\ndef f(x, other):\n"
    text = f"{head}    y = {made}\n    return y.mean().data.cpu().numpy()\n"
    after = migrate(text, "TP104").text
    assert ("return y.mean().cpu().numpy()" in after) == is_needless


@pytest.mark.parametrize("name", ["equal", "allclose"])
def test_comparing_wholes_takes_what_requires_gradients(name: str) -> None:
    x = torch.ones(2, requires_grad=True) * 2
    assert getattr(torch, name)(x, x) is True
    assert getattr(x, name)(x.detach()) is True
