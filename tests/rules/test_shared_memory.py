"""Whether anyone could notice that a contiguous copy became a view."""

from __future__ import annotations

import ast

import pytest

from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.rules.tensors.questions.shared_memory import may_share_unnoticed

HEAD = """
import torch
import torch.nn as nn
import torch.nn.functional as F
def reads(a, b=None):
    return a.sum()
def ignores(a):
    return 1
def writes(a):
    a.zero_()
class Reader(nn.Module):
    def forward(self, a):
        return a.sum()
class Writer(nn.Module):
    def forward(self, a):
        return a.add_(1)
class Headless(nn.Module):
    pass
"""

COPY = "x.contiguous().view(-1)"


def _is_unnoticed(source: str, text: str) -> bool:
    """Whether ``COPY`` in the text could be a view of ``x``, which is ``source``."""
    body = "\n".join(f"    {line}" for line in [f"x = {source}", *text.splitlines()])
    text = f"{HEAD}def f(z, w, k, kept, apply):\n{body}\n"
    facts = WholeFacts(ast.parse(text), text)
    calls = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call)]
    copy = next(c for c in calls if ast.unparse(c) == COPY)
    return not may_share_unnoticed(copy, copy.func.value.func.value, facts)


#: What ``y`` may be used for, which is a copy of a tensor that nobody else knows.
READ = (
    "print(y)",
    "print(y.size(), y.shape, y.is_cuda)",
    "n = len(y)",
    "y.data.sum()",
    "y.t().sum()",
    "y[0].sum()",
    "k = w[y]",
    "k = w[y].view(2)",
    "v = torch.zeros(2, 2)\nv[0] = y",
    "y = y.sum()\ny.zero_()",
    "w = torch.mm(y, y)\nw.zero_()",
    "(y + 1).sum()",
    "(-y).sum()",
    "(y > 0).sum()",
    "(y if k else y).sum()",
    "print(1 if y else 2)",
    "print(f'{y}')",
    "torch.cat([y, y]).sum()",
    "return torch.stack((y, y), 1).sum()",
    "a = y\na.sum()",
    "a = b = y\nb.sum()",
    "F.linear(y, y)",
    "F.mse_loss(y, z)",
    "F.relu(y).sum()",
    "F.relu(y, inplace=False).sum()",
    "F.relu(y, False).sum()",
    "torch.autograd.Variable(y).sum()",
    "torch.zeros(2).add_(y)",
    "torch.zeros(2).mul(y).sum()",
    "reads(y)",
    "reads(b=y)",
    "ignores(y)",
    "ignores(a=y)",
    "a, b = y\na.sum()",
    "a, b = y, z\nb.zero_()",
    "for a in y:\n    print(a)",
    "print((y, z))",
    "if y:\n    pass",
    "k = y or z\nprint(k)",
    "def same(a):\n    return a\nsame(y).sum()",
    "def later():\n    print(y)\nkept.append(later)",
    "Reader()(y)",
    "nn.MSELoss()(y, z)",
    "nn.Linear(2, 2)(y)",
    "nn.ReLU()(y).sum()",
    "nn.Dropout(0.5)(y).sum()",
    "nn.Conv2d(1, 1, 1)(y).sum()",
    "nn.Sequential(nn.Linear(2, 2), nn.ReLU(True))(y)",
)

NOTICED = (
    "y.zero_()",
    "y += 1",
    "y[0] = 1",
    "y.t()[0] = 1",
    "w[0] = y",
    "return y",
    "return y, z",
    "return F.relu(y)",
    "yield y",
    "kept.y = y",
    "kept['y'] = y",
    "kept.append(y)",
    "a = kept.y = y",
    "a, b = y\na.zero_()",
    "a, b = y, z\na.zero_()",
    "a, b = y\na.view(2)",
    "k = y or z\nk.zero_()",
    "for a, b in [(y, z)]:\n    a.zero_()",
    "print(*y)\nkept.append((y, z))",
    "def same(a):\n    return a\nsame(y).zero_()",
    "def same(a):\n    return a, 1\nk, _ = same(y)\nk.zero_()",
    "writes(a=y)",
    "for a in y:\n    a.zero_()",
    "a = y\na.zero_()",
    "a = b = y\nb.zero_()",
    "a = y\na += 1",
    "y.stride()",
    "y.data_ptr()",
    "y.is_contiguous()",
    "y.unknown()",
    "k = y.unknown",
    "y.numpy()",
    "y.data.zero_()",
    "y.view(2)",
    "y.mul(2).view(2)",
    "(y > 0).view(2)",
    "(y + 1).view(2)",
    "(y if k else z).view(2)",
    "torch.cat([y, y], out=z)",
    "torch.cat([y, y]).view(2)",
    "torch.autograd.Variable(y).zero_()",
    "torch.zeros_like(y).view(2)",
    "torch.save(y, 'y.pt')",
    "torch.nn.init.zeros_(y)",
    "torch.zeros(2).mul(y).view(2)",
    "torch.zeros(2).set_(y)",
    "[y][0].zero_()",
    "F.relu(y, True)",
    "F.relu(y, k)",
    "F.relu(y, inplace=k)",
    "F.relu(y, **k)",
    "F.dropout(y, 0.5, k, True)",
    "apply(y)",
    "k.run(y)",
    "writes(y)",
    "reads(*y)",
    "ignores(1, y)",
    "Writer()(y)",
    "Headless()(y)",
    "nn.ReLU(True)(y)",
    "nn.ReLU(inplace=k)(y)",
    "nn.ReLU()(y).view(2)",
    "nn.Dropout(0.5, True)(y)",
    "nn.Dropout(0.5)(y).zero_()",
    "nn.Identity()(y)",
    "nn.Sequential()(y)",
    "nn.Sequential(apply, nn.Linear(2, 2))(y)",
    "nn.Sequential(nn.ReLU(True))(y)",
    "def print(a):\n    a.zero_()\nprint(y)",
    "def later():\n    return y\nkept.append(later)",
)


@pytest.mark.parametrize("text", READ)
def test_only_read(text: str) -> None:
    assert _is_unnoticed("torch.mm(z, z).t()", f"y = {COPY}\n{text}")


@pytest.mark.parametrize("text", NOTICED)
def test_noticed(text: str) -> None:
    assert not _is_unnoticed("torch.mm(z, z).t()", f"y = {COPY}\n{text}")


@pytest.mark.parametrize(
    "text",
    [
        f"{COPY}.sum()",
        f"k = {COPY}.sum()",
        f"k = {COPY}.size(0)",
        f"k = {COPY}.shape",
        f"k = {COPY}.is_cuda and 1",
        f"k = {COPY} + 1",
        f"k = {COPY} > 1",
        f"k = -{COPY}",
        f"k = f'{{{COPY}}}'",
        f"k = len({COPY})",
        f"k = reads({COPY})",
        f"k = Reader()({COPY})",
        f"k = nn.Linear(2, 2)({COPY})",
        f"k = nn.ReLU()({COPY})",
        f"k = torch.mm({COPY}, w)",
        f"k = F.relu({COPY})",
        f"k = torch.ones(2).add({COPY})",
        f"if {COPY}.sum():\n    pass",
    ],
)
def test_used_up_where_it_is_made(text: str) -> None:
    assert _is_unnoticed("z.t()", text)


@pytest.mark.parametrize(
    "text",
    [
        f"k = {COPY}",
        f"k = +{COPY}",
        f"k = {COPY}.t()",
        f"k = {COPY}[0]",
        f"k = {COPY}.data",
        f"k = {COPY}.T",
        f"k = {COPY}.detach()",
        f"k = torch.transpose({COPY}, 0, 1)",
        f"k = F.dropout({COPY})",
        f"k = nn.Dropout()({COPY})",
        f"k = nn.ReLU(True)({COPY})",
        f"k = nn.PixelShuffle(2)({COPY})",
        f"k = torch.cat([{COPY}, w], out=w)",
        f"k = apply({COPY})",
        f"k = [{COPY}]",
        f"k = {COPY} if k else w",
        f"if k:\n    k = {COPY}",
        f"return {COPY}",
        f"k = lambda: {COPY}",
    ],
)
def test_lives_on_beside_its_source(text: str) -> None:
    assert not _is_unnoticed("z.t()", text)


@pytest.mark.parametrize(
    "text",
    [
        "k = F.relu(x)",
        "k = F.relu(x).view(2)",
        "k = x * 2\nk.zero_()",
        "k = nn.Conv2d(1, 1, 1)(x)",
        "k = nn.Dropout()(x).sum()",
        "k = x.view(-1).sum()",
        "print(x[0])",
    ],
)
def test_source_is_only_read(text: str) -> None:
    assert _is_unnoticed("torch.mm(z, z) + 1", f"{text}\ny = {COPY}\nprint(y)")


@pytest.mark.parametrize(
    "text",
    [
        "x.zero_()",
        "x += 1",
        "k = x[0]\nk.zero_()",
        "k = F.dropout(x)\nk.zero_()",
        "k = nn.Dropout()(x)\nk.zero_()",
        "k = nn.ReLU(True)(x)",
        "k = x.view(-1)\nk.zero_()",
        "kept.x = x",
        "def later():\n    return x\nkept.append(later)",
        "def same(a):\n    return a\nsame(x).zero_()",
        "a, b = x\nb.zero_()",
    ],
)
def test_source_is_written_into_or_kept(text: str) -> None:
    assert not _is_unnoticed("torch.mm(z, z) + 1", f"{text}\ny = {COPY}\nprint(y)")


@pytest.mark.parametrize(
    ("source", "own"),
    [
        ("z + w", False),
        ("torch.mm(z, w)", True),
        ("torch.mm(z, w) + 1", True),
        ("torch.mm(z, w).t()[1:].data", True),
        ("nn.Linear(2, 2)(z)", True),
        ("nn.ReLU()(z)", True),
        ("nn.ReLU(True)(z)", False),
        ("nn.Dropout()(z)", False),
        ("nn.PixelShuffle(2)(z)", False),
        ("nn.MSELoss(reduction='none')(z, w)", True),
        ("torch.ones(2).mul(z)", True),
        ("torch.ones(2).mul_(z)", False),
        ("torch.ones(2).view(1, 2)", True),
        ("F.relu(z)", True),
        ("F.relu(z, True)", False),
        ("F.dropout(z)", False),
        ("torch.add(z, 1, out=w)", False),
        ("torch.load(z)", False),
        ("apply(z)", False),
        ("z.mul(2)", False),
        ("torch.zeros(2, 2) if k else z", False),
        ("torch.zeros(2, 2) if k else torch.mm(z, w)", True),
    ],
)
def test_memory_that_nobody_else_knows(source: str, own: bool) -> None:
    assert _is_unnoticed(source, f"y = {COPY}\nprint(y)") == own


def test_a_copy_is_followed_through_as_many_names_as_there_are() -> None:
    copied = "torch.mm(z, z).t()"
    chain = f"y0 = {COPY}\n" + "".join(f"y{i + 1} = y{i}\n" for i in range(20))
    assert _is_unnoticed(copied, f"{chain}print(y20)")
    assert not _is_unnoticed(copied, f"{chain}y20.zero_()")


def test_a_source_is_followed_back_through_as_many_names_as_there_are() -> None:
    def older(length: int) -> str:
        names = "".join(f"    y{i + 1} = y{i}\n" for i in range(length))
        return f"torch.mm(z, z)\n    y0 = torch.mm(z, z)\n{names}    x = y{length}"

    assert _is_unnoticed(older(5), f"y = {COPY}\nprint(y)")
    assert _is_unnoticed(older(20), f"y = {COPY}\nprint(y)")
    assert not _is_unnoticed(f"{older(20)}\n    y3.zero_()", f"y = {COPY}\nprint(y)")
