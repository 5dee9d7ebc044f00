"""Reductions in files for torch 0.1, which kept the dimension: TP906 writes that where it fits."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era

FILE = """
import torch
from torch.autograd import Variable
def f(model, x, y, w):
    x, y = Variable(x), Variable(y)
    {}
"""


def now(body: str) -> tuple[str, list[str]]:
    """The body in a file for torch 0.1, and what is reported of it."""
    migration = migrate(FILE.format(body), "TP906", options=Options(era=Era((0, 1), (0, 1))))
    text = migration.text.partition("Variable(y)\n    ")[2].rstrip("\n")
    return text, [f.message for f in migration.findings if not f.fixed]


@pytest.mark.parametrize(
    "body",
    [
        "y = y.view(-1, 1); _, preds = x.max(1); return (preds == y).sum()",
        "y = y.unsqueeze(1).view(4, 1); return torch.eq(x.max(1)[1], y)",
        "return x.sum(1) * y",
        "return x.pow(2).sum(1).sqrt() * 2 + y",
        "total = x.sum(1).data; return w - total",
        "w += x.mean(1)",
        "m = torch.max(y, w); return x.sum(1) * m",
        "return torch.max(x.sum(1), y)",
        "a, b = x.sort(1); n = a.sum(1); m = n.clamp(min=1); return y / m",
    ],
)
def test_what_meets_another_tensor_is_reported(body: str) -> None:
    text, messages = now(body)
    assert text == body
    assert len(messages) == 1 and "write keepdim=True if" in messages[0]


@pytest.mark.parametrize(
    "body",
    [
        "_, preds = x.max(1); return (preds == y).sum()",
        "preds = x.max(1)[1]; return preds.eq(y)",
        "return y.eq(x.data.cpu().max(1)[1])",
        "return torch.eq(x.max(1)[1], y)",
        "y = y.view(-1); return x.max(1)[1] != y",
    ],
)
def test_labels_that_predictions_are_compared_to_have_one_dimension(body: str) -> None:
    assert now(body) == (body, [])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "return x - x.max(1)[0].expand_as(x)",
            "return x - x.max(1, keepdim=True)[0].expand_as(x)",
        ),
        ("return x.sum(1) * 2 > 3", "return x.sum(1, keepdim=True) * 2 > 3"),
        ("return x.sum(1) + x.mean(1)", "return x.sum(1, keepdim=True) + x.mean(1, keepdim=True)"),
        ("n = x.norm(2, 1); return model(n)", "n = x.norm(2, 1, keepdim=True); return model(n)"),
        (
            "a = x.max(1)[1]; b = x.min(1)[1]; return a == b",
            "a = x.max(1, keepdim=True)[1]; b = x.min(1, keepdim=True)[1]; return a == b",
        ),
        (
            "n = x.sum(1); n = 3; return n * y, x.sum(1).view(-1) * y",
            "n = x.sum(1, keepdim=True); n = 3; return n * y, x.sum(1, keepdim=True).view(-1) * y",
        ),
    ],
)
def test_what_fits_keeps_its_dimension(before: str, after: str) -> None:
    assert now(before) == (after, [])


_DISTANCES = """import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
def f(net, a, b, c, y):
    kept = Variable(a, volatile=True)
    {}
"""


def distances(body: str) -> tuple[str, list[str]]:
    """The body in a file for torch 0.3 or older, and what is reported of it."""
    migration = migrate(_DISTANCES.format(body), "TP906")
    text = migration.text.partition("volatile=True)\n    ")[2].rstrip("\n")
    return text, [f.message for f in migration.findings if not f.fixed]


@pytest.mark.parametrize(
    "body",
    [
        "d = F.pairwise_distance(a, b{}); return d.data[0][0]",
        "return torch.cat([F.pairwise_distance(a, b, 2{}), F.pairwise_distance(a, c, p=1{})], 1)",
        "return (1 - F.pairwise_distance(a, b{}) / 2 > 0.5)[:, 0]",
        "d = nn.functional.pairwise_distance(a, b{}); return net(d)",
    ],
)
def test_distances_keep_the_column_that_they_were(body: str) -> None:
    written = body.replace("{}", ", keepdim=True")
    assert distances(body.replace("{}", "")) == (written, [])
    assert distances(written) == (written, [])


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("d = F.pairwise_distance(a, b); return ((1 - y) * torch.pow(d, 2)).mean()", 1),
        ("return F.pairwise_distance(a, b) * a.sum(1)", 1),
        (
            "d = F.pairwise_distance(a, b)\n    e = y * F.pairwise_distance(a, c)\n    return net(d, e)",
            2,
        ),
        ("y = y * F.pairwise_distance(a, b)\n    return y + F.pairwise_distance(a, c)", 2),
        ("return nn.PairwiseDistance(2)(a, b)", 1),
    ],
)
def test_distances_that_meet_another_tensor_are_reported(body: str, count: int) -> None:
    text, messages = distances(body)
    assert text == body
    (message,) = messages
    assert "(N, 1)" in message and "write keepdim=True if" in message
    assert (", here and in line 8" in message) == (count == 2)


@pytest.mark.parametrize(
    "body",
    [
        "p, n = F.pairwise_distance(a, b), 2; q = F.pairwise_distance(a, c); return 1 + q - q",
        "p = F.pairwise_distance(a, b); q = F.pairwise_distance(a, c); "
        "s = F.pairwise_distance(b, c); q = torch.min(q, s); "
        "return torch.clamp(1 + p - q, min=0).mean()",
        "d = F.pairwise_distance(a, b)\n    for z in c:\n        d = d + F.pairwise_distance(a, z)\n"
        "    return d.sum()",
        "return F.pairwise_distance(a, b, 2, 1e-6, True)",
        "return nn.PairwiseDistance(2, keepdim=False)(a, b)",
        "return F.pairwise_distance(*a)",
        "F = net; return F.pairwise_distance(a, b)",
        "return torch.pairwise_distance(a, b)",
    ],
)
def test_distances_that_meet_each_other_alone_stay(body: str) -> None:
    text, messages = distances(body)
    assert text == body
    assert len(messages) == (1 if body.startswith("p, n") else 0)


def test_distances_of_newer_files_stay() -> None:
    text = _DISTANCES.replace("volatile=True", "").format("return F.pairwise_distance(a, b).item()")
    migration = migrate(text, "TP906")
    assert migration.text == text and not migration.findings
