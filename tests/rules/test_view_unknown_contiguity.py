from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.support.rules import keeps, migrate, rewrites
from torchfix_codemods.finding import Reason

test_rewrites = rewrites(
    "TP401",
    {
        "what is calculated of what was moved about, and what may be the very parts": (
            """
            import torch, torch.nn as nn
            rnn = nn.LSTM(3, 4, batch_first=True)
            def run(x: torch.Tensor, m: torch.Tensor):
                h, _ = rnn(x)
                return (m.t() * 2).view(-1), (h * m.expand_as(h)).view(-1), x.diagonal().exp().view(-1)
            def cut(x: torch.Tensor):
                return x[:, 1:].float().view(-1)
            def relu(x: torch.Tensor):
                return torch.relu_(x[:, 1:]).view(-1)
            def expanded(x: torch.Tensor):
                return x.expand(2, 3).view(-1)
            """,
            """
            import torch, torch.nn as nn
            rnn = nn.LSTM(3, 4, batch_first=True)
            def run(x: torch.Tensor, m: torch.Tensor):
                h, _ = rnn(x)
                return (m.t() * 2).reshape(-1), (h * m.expand_as(h)).reshape(-1), x.diagonal().exp().reshape(-1)
            def cut(x: torch.Tensor):
                return x[:, 1:].float().reshape(-1)
            def relu(x: torch.Tensor):
                return torch.relu_(x[:, 1:]).reshape(-1)
            def expanded(x: torch.Tensor):
                return x.expand(2, 3).reshape(-1)
            """,
        ),
        "parameters that calls in sight give what was transposed": (
            """
            import torch, torch.nn as nn
            class Flat(nn.Module):
                def forward(self, x):
                    return x.view(x.size(0), -1)
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.flat = Flat()
                def forward(self, x):
                    return self.flat(x.transpose(1, 2)), merge(x, x.t())
            def merge(a, b):
                return handed_on(b.float()), a.view(-1)
            def handed_on(c):
                return c.view(-1)
            """,
            """
            import torch, torch.nn as nn
            class Flat(nn.Module):
                def forward(self, x):
                    return x.reshape(x.size(0), -1)
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.flat = Flat()
                def forward(self, x):
                    return self.flat(x.transpose(1, 2)), merge(x, x.t())
            def merge(a, b):
                return handed_on(b.float()), a.view(-1)
            def handed_on(c):
                return c.reshape(-1)
            """,
        ),
        "a twin that asks for the same sizes is spelled alike": (
            """
            import torch
            def losses(x: torch.Tensor, y: torch.Tensor):
                z = torch.zeros(3, 4)
                return x.view(-1), y[:, 1:].view(-1), z.view(-1)
            """,
            """
            import torch
            def losses(x: torch.Tensor, y: torch.Tensor):
                z = torch.zeros(3, 4)
                return x.reshape(-1), y[:, 1:].reshape(-1), z.view(-1)
            """,
        ),
        "what is moved and stands first, or beside what is spread over it": (
            """
            import torch
            def sums(a: torch.Tensor, b: torch.Tensor):
                full = a.repeat(3, 4)
                one = (b.t() + full).view(-1)
                two = (full[:1] + b.t()).view(-1)
                three = (full.unsqueeze(0) + b.permute(2, 1, 0)).view(-1)
                return one, two, three, (a.repeat(4) + b.t()).view(-1)
            """,
            """
            import torch
            def sums(a: torch.Tensor, b: torch.Tensor):
                full = a.repeat(3, 4)
                one = (b.t() + full).reshape(-1)
                two = (full[:1] + b.t()).reshape(-1)
                three = (full.unsqueeze(0) + b.permute(2, 1, 0)).reshape(-1)
                return one, two, three, (a.repeat(4) + b.t()).reshape(-1)
            """,
        ),
        "a part, but not what is calculated with a contiguous tensor": (
            """
            import torch
            def bands(low: torch.Tensor, high: torch.Tensor):
                band = (high - low)[:, 0]
                center = 2 * band.view(-1)
                bands = torch.cat([low * 2, center], dim=1)
                bands = bands / (2 * band[:, None])
                return bands.view(4, 1, 5)
            """,
            """
            import torch
            def bands(low: torch.Tensor, high: torch.Tensor):
                band = (high - low)[:, 0]
                center = 2 * band.reshape(-1)
                bands = torch.cat([low * 2, center], dim=1)
                bands = bands / (2 * band[:, None])
                return bands.view(4, 1, 5)
            """,
        ),
        "imagenet accuracy": (
            """
            import torch
            def accuracy(output, target, topk=(1,)):
                _, pred = output.topk(max(topk), 1, True, True)
                pred = pred.t()
                correct = pred.eq(target.view(1, -1).expand_as(pred))
                return [correct[:k].view(-1).float().sum(0) for k in topk]
            """,
            """
            import torch
            def accuracy(output, target, topk=(1,)):
                _, pred = output.topk(max(topk), 1, True, True)
                pred = pred.t()
                correct = pred.eq(target.view(1, -1).expand_as(pred))
                return [correct[:k].reshape(-1).float().sum(0) for k in topk]
            """,
        ),
        "a row of what has more dimensions, or of what was moved about": (
            """
            import torch
            def rows(x: torch.Tensor, image: torch.Tensor):
                height, width = image.shape
                flat = x.permute(2, 0, 1).view(1, -1)
                return flat, image.view(1, -1), x.t().view(-1, 1)
            """,
            """
            import torch
            def rows(x: torch.Tensor, image: torch.Tensor):
                height, width = image.shape
                flat = x.permute(2, 0, 1).reshape(1, -1)
                return flat, image.reshape(1, -1), x.t().reshape(-1, 1)
            """,
        ),
        "not a row or a column of labels beside it, but what joins two": (
            """
            import torch
            def f(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor):
                first, last = x.t().view(-1), x.t().view(1, -1)
                return first, last, y.view(1, -1), y.view((-1, 1, 1)), z.view(-1), x.t().view(2, -1), z.view(2, -1)
            """,
            """
            import torch
            def f(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor):
                first, last = x.t().reshape(-1), x.t().reshape(1, -1)
                return first, last, y.view(1, -1), y.view((-1, 1, 1)), z.reshape(-1), x.t().reshape(2, -1), z.reshape(2, -1)
            """,
        ),
        "what a block permuted on its way": (
            """
            import torch
            from torch import nn
            class Up(nn.Module):
                def forward(self, x):
                    return torch.relu(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.up = Up()
                    self.conv = nn.Conv2d(4, 3, 1)
                def forward(self, x):
                    x = torch.tanh(self.conv(self.up(x)))
                    return x.view(-1, 12)
            """,
            """
            import torch
            from torch import nn
            class Up(nn.Module):
                def forward(self, x):
                    return torch.relu(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.up = Up()
                    self.conv = nn.Conv2d(4, 3, 1)
                def forward(self, x):
                    x = torch.tanh(self.conv(self.up(x)))
                    return x.reshape(-1, 12)
            """,
        ),
        "transposed, permuted, expanded, narrowed, sliced": (
            """
            import torch
            x = torch.rand(2, 3, 4)
            x.transpose(0, 1).view(-1)
            x.permute(2, 0, 1).view(-1)
            x.expand(2, 3, 4).view(-1)
            x.narrow(1, 0, 2).view(-1)
            x.t().narrow(0, 0, 2).view(-1)
            x[:, :2].view(-1)
            x.new(4, 2).t().view(-1)
            x.new(4, 2).t().resize_(2, 4).view(-1)
            x.nonzero().view(-1)
            x.chunk(2, 1)[0].view(-1)
            """,
            """
            import torch
            x = torch.rand(2, 3, 4)
            x.transpose(0, 1).reshape(-1)
            x.permute(2, 0, 1).reshape(-1)
            x.expand(2, 3, 4).reshape(-1)
            x.narrow(1, 0, 2).reshape(-1)
            x.t().narrow(0, 0, 2).reshape(-1)
            x[:, :2].reshape(-1)
            x.new(4, 2).t().reshape(-1)
            x.new(4, 2).t().resize_(2, 4).reshape(-1)
            x.nonzero().reshape(-1)
            x.chunk(2, 1)[0].reshape(-1)
            """,
        ),
        "output of a batch_first rnn": (
            """
            import torch, torch.nn as nn
            lstm = nn.LSTM(3, 4, batch_first=True)
            output, _ = lstm(torch.rand(2, 5, 3))
            output.view(-1, 4)
            """,
            """
            import torch, torch.nn as nn
            lstm = nn.LSTM(3, 4, batch_first=True)
            output, _ = lstm(torch.rand(2, 5, 3))
            output.reshape(-1, 4)
            """,
        ),
        "call over several lines": (
            """
            import torch
            y = torch.rand(3, 4).t().view(
                -1,  # all
            )
            """,
            """
            import torch
            y = torch.rand(3, 4).t().reshape(
                -1,  # all
            )
            """,
        ),
        "written into where nothing else reads it": (
            """
            import torch
            def f(a, b):
                x = torch.rand(a, b).t()
                y = x.exp().view(-1)
                y.mul_(2)
                z = (x - 1).unsqueeze(0).view(-1)
                z += y
                return z
            """,
            """
            import torch
            def f(a, b):
                x = torch.rand(a, b).t()
                y = x.exp().reshape(-1)
                y.mul_(2)
                z = (x - 1).unsqueeze(0).reshape(-1)
                z += y
                return z
            """,
        ),
        "read by what other things are written into": (
            """
            import torch
            def scatter(x, index, source, total):
                total.view(-1).index_add_(0, index, x.t().view(-1))
                total += x.t().view(2, 2).requires_grad_()
                flat = x.t().view(-1)
                total.add_(flat)
                flat = flat + 1
                flat += total
                sums = torch.zeros(2)
                sums[x.t().view(-1)] = 0
            """,
            """
            import torch
            def scatter(x, index, source, total):
                total.view(-1).index_add_(0, index, x.t().reshape(-1))
                total += x.t().reshape(2, 2).requires_grad_()
                flat = x.t().reshape(-1)
                total.add_(flat)
                flat = flat + 1
                flat += total
                sums = torch.zeros(2)
                sums[x.t().reshape(-1)] = 0
            """,
        ),
        "read by functions of the file and by layers of a list": (
            """
            import torch, torch.nn as nn
            def zero(values, other, count=0):
                values.fill_(0)
                return other + count
            layers = [nn.Linear(2, 2)]
            def clear(x, arguments):
                zero(torch.zeros(2), x.t().view(-1), count=x.t().view(-1))
                zero(*arguments, x.t().view(-1))
                return layers[0](x.t().view(-1))
            """,
            """
            import torch, torch.nn as nn
            def zero(values, other, count=0):
                values.fill_(0)
                return other + count
            layers = [nn.Linear(2, 2)]
            def clear(x, arguments):
                zero(torch.zeros(2), x.t().reshape(-1), count=x.t().reshape(-1))
                zero(*arguments, x.t().reshape(-1))
                return layers[0](x.t().reshape(-1))
            """,
        ),
        "starred sizes": (
            """
            import torch
            y = torch.rand(3, 4).t().view(*sizes)
            """,
            """
            import torch
            y = torch.rand(3, 4).t().reshape(*sizes)
            """,
        ),
        "given to what only reads it": (
            """
            import torch
            class Mean:
                def update(self, x):
                    self.x = x.sum()
            def swapped(x, n):
                a, b = x.t().view(-1), n
                b.zero_()
                Mean().update(x.t().view(2, -1))
                return a
            """,
            """
            import torch
            class Mean:
                def update(self, x):
                    self.x = x.sum()
            def swapped(x, n):
                a, b = x.t().reshape(-1), n
                b.zero_()
                Mean().update(x.t().reshape(2, -1))
                return a
            """,
        ),
    },
)

_VIEWED = """import torch
def f(a, n, k):
    {}
"""

test_keeps_what_no_layout_makes_fail = keeps(
    "TP401",
    {
        name: _VIEWED.format(code)
        for name, code in {
            "one dimension": "x = torch.rand(2, 3)[:, 1]\n    return x.view(1, -1), x.view(n, k)",
            "a 1 put in": "x = torch.rand(2, 3).t()\n    n, k = x.size()\n"
            "    return x.view(n, 1, k), x.view(1, n, -1), x.view((x.size(0), -1, 1))",
            "the last is split": "x = torch.rand(2, 6).t()\n    return x.view(x.size(0), n, -1)",
            "the first is split": "x = torch.rand(2, 6).t()\n    return x.view(n, -1, x.shape[1])",
            "one in the middle": "x = torch.rand(2, 6, 4).permute(2, 1, 0)\n"
            "    m = x.size(0)\n    return x.view(m, 1, n, k, x.size(-1))",
            "parts of a known width": "x = torch.rand(5, 6).t()\n"
            "    return x[:, :1].view(-1, 1, 1), x[:, 1:3].view(-1, 1, 2), x[:, 1:2].view(x.size(0), 1)",
            "a part, and a dimension put in": "x = torch.rand(2, 6, 4).permute(1, 2, 0)\n"
            "    return x[:, 1:2, None].view(x.size(0), 1, n, -1), x[1][:, :2].view(-1, 1, 2)",
            "joined along a dimension that is made for it": "x = torch.rand(2, 4, 3).permute(0, 2, 1)\n"
            "    y = torch.cat((x.unsqueeze(-1), x.unsqueeze(-1)), -1).view(2, -1)\n"
            "    return y, torch.stack([x, x], dim=-1).view(-1)",
            "joined with what is in order": "x = torch.rand(2, 3, 4, 5).permute(0, 3, 1, 2)\n"
            "    y = torch.zeros(2, 5, 3, 4)\n"
            "    return torch.cat((x, y), 1).view(2, -1), torch.stack([y, x]).view(-1)",
        }.items()
    },
)


@pytest.mark.parametrize(
    "code",
    [
        "x = torch.rand(2, 3).t()\n    return x.view(x.size(1), -1)",
        "x = torch.rand(2, 3).t()\n    return x.view(-1, 1)",
        "x = torch.rand(2, 3).t()\n    return x.view(n, k, -1)",
        "x = torch.rand(2, 3).t()\n    return x.view(*n)",
        "x = torch.rand(2, 3).t()\n    n, k = a.size()\n    return x.view(n, 1, k)",
        "x = torch.rand(2, 3).t()\n    n, k = x.size()\n    n, k = 3, 2\n    return x.view(n, 1, k)",
        "x = torch.rand(2, 3)\n    n, k = x.size()\n    x = x.t()\n    return x.view(n, 1, k)",
        "x = torch.rand(2, 6, 4).permute(2, 1, 0)\n    return x.view(x.size(0), -1)",
        "x = torch.rand(2, 3, 4, 5).permute(0, 3, 1, 2)\n"
        "    return torch.cat((x, x), 1).view(2, -1)",
        "x = torch.rand(2, 4, 3).permute(0, 2, 1)\n"
        "    return torch.cat((x.unsqueeze(2), x.unsqueeze(2)), 2).view(2, -1)",
        "x = torch.rand(2, 4, 1).permute(0, 2, 1)\n"
        "    return torch.cat((x.unsqueeze(-1), x.unsqueeze(-1)), 1).view(2, -1)",
        "x = torch.rand(2, 6).t()\n    return x[:, 1:3].view(-1, 2, 1, 2, 1, 3)"
        ".float(), x[:, 1:].view(n, 1, k)",
        "x = torch.rand(2, 6).t()\n    return x[:, :2].view(-1)",
        "x = torch.rand(2, 6).t()\n    return x[:, 0:4:2].view(n, 4)",
        "x = torch.rand(2, 6).t()\n    return x[:, -1:1].view(-1, 2)",
    ],
)
def test_what_joins_dimensions_is_spelled_anew(code: str) -> None:
    text = _VIEWED.format(code)
    assert migrate(text, "TP401").text == text.replace(".view(", ".reshape(")


_CUT = """import torch
import torch.nn as nn
layer, table = nn.Linear(4, 6), nn.Embedding(5, 6)
def f(x: torch.Tensor, ids, n):
    {}
"""


@pytest.mark.parametrize(
    "code",
    [
        "return x[:, 0].view(-1, 1), x[:, 1].view(1, -1), x[0, :, 2].view(1, -1, 1)",
        "a = torch.clamp(x, 0, 1)[:, 0]\n    return a.view(-1, 1, 1, 1)",
        "a, b = x[:, ::2], x[:, 1::2]\n    return a.view(-1, n, 1, 1) + b.view(-1, n, 1, 1)",
        "a, b = layer(x).chunk(2, 1)\n    return a.view(-1, n, 1, 1) + b.view(n, -1, 1, 1)",
        "a, b = table(ids).split(3, dim=1)\n    return a.view(-1, n, 1) + b.view(1, -1, n)",
        "return x[:, :3].view(-1, 1, n), x[:, 2:].view(1, -1, n)",
    ],
)
def test_a_part_that_gets_dimensions_of_1_stays_a_view(code: str) -> None:
    text = _CUT.format(code)
    assert migrate(text, "TP401").text == text


@pytest.mark.parametrize(
    "code",
    [
        "x = x.t()\n    return x[:, :, 0].view(-1, n, 1)",
        "a, b = x[:, ::2], x[:, 1::2]\n    return a.view(-1, n) + b.view(-1, n)",
        "a, b = x[:, ::2], x[:, 1::2]\n    return a.view(-1, 1) + b.view(-1, 1)",
        "a, b = layer(x).chunk(2, 2)\n    return a.view(-1, n, 1, 1) + b.view(-1, n, 1, 1)",
        "a, b = layer(x).chunk(2, -1)\n    return a.view(-1, n, 1, 1) + b.view(-1, n, 1, 1)",
        "a, b = x.permute(0, 2, 1).chunk(2, 1)\n    return a.view(-1, n, 1) + b.view(-1, n, 1)",
        "a = x.transpose(1, 2)[:, 1:]\n    return a.view(-1, n, 1, 1)",
        "a = x[:, :, 1:][:, 0]\n    return a.view(-1, 1)",
        "a = x[:, 1:]\n    a.unsqueeze_(2)\n    return a.view(-1, n, 1, 1)",
        "a = torch.rand(2, 3, 4)[:, 1:]\n    return a.view(-1, n, 1, 1)",
    ],
)
def test_a_part_whose_dimensions_may_be_joined_is_spelled_anew(code: str) -> None:
    text = _CUT.format(code)
    assert migrate(text, "TP401").text == text.replace(".view(", ".reshape(")


_SPLIT = """import torch
def f(x: torch.Tensor, n, h, w):
    x = x.permute(2, 1, 0)
    {}
"""


@pytest.mark.parametrize(
    "code",
    [
        "y = x.reshape(n, h * w, 3) / 2\n    return y.view(n, h, w, 3)",
        "y = x.reshape(n, h * w, 3) / x.mean()\n    return y.view(n, 1, h, w, -1)",
        "y = 1 - x.reshape(n, h * w, 3).expand(n, h * w, 3).mul(2)\n"
        "    y = x.reshape((n, 3, w * h)) + y.transpose(1, 2)\n    return y.view(n, 3, h, w)",
        "y = x.reshape(n, h * w, 3) * 2\n    y = y / y.transpose(1, 2).sum()\n"
        "    return y.view(n, h, w, 3)",
    ],
)
def test_what_a_view_joined_can_be_split_again(code: str) -> None:
    text = _SPLIT.format(code)
    assert migrate(text, "TP401").text == text
    names: dict[str, Any] = {}
    exec(text, names)
    for laid_out in _LAYOUTS:
        names["f"](laid_out(torch.rand(3, 4, 2)), 2, 2, 2)


_LAYOUTS: tuple[Callable[[torch.Tensor], torch.Tensor], ...] = (
    lambda x: x,
    lambda x: x.permute(2, 0, 1).contiguous().permute(1, 2, 0),
    lambda x: x[:, :1].expand(x.size()),
    lambda x: torch.cat((x, x), 1)[:, ::2],
)


@pytest.mark.parametrize(
    "code",
    [
        "y = x.reshape(n, h * w, 3).transpose(0, 1)\n    return y.view(n, h, w, 3)",
        "y = x.reshape(n, h * w, 3)\n    y = y.transpose(0, 1) * 2\n    return y.view(n, h, w, 3)",
        "y = x.reshape(n, h * w, 3) * 2\n    y.resize_(w, h * n, 3)\n    return y.view(n, h, w, 3)",
        "y = x.reshape(n, h * w, 3).transpose(0, 1) / 2\n    return y.view(n, h, w, 3)",
        "y = x.reshape(n * h, w * 3) * 2\n    h = w = 4\n    return y.view(n, h, w, 3)",
        "y = x.reshape(n, h * w, 3) * 2\n    return y.view(n * h, w, 3)",
        "y = x.reshape(n, h * w, 3) * 2\n    return y.view(n, h, w * 3)",
    ],
)
def test_what_is_split_or_joined_otherwise_is_spelled_anew(code: str) -> None:
    text = _SPLIT.format(code)
    assert migrate(text, "TP401").text == text.replace(".view(", ".reshape(")


def test_only_what_is_shown_to_fail_is_said_to() -> None:
    text = _VIEWED.format("x = torch.rand(2, 3).t()\n    return x.view(-1), a.float().view(-1)")
    found = migrate(text, "TP401").findings
    assert [finding.reason for finding in found] == [Reason.FAILS, Reason.MODERN]


@pytest.mark.parametrize(
    "others",
    [
        "y.view(-1, 2)",
        "(y * n).view(n, 1), y.float().view((-1, k))",
        "y.view(n, *k), y.view(*n)",
        "[row.view(-1) for row in y] if n else y.view(n)",
    ],
)
def test_what_asks_for_other_sizes_stays_a_view(others: str) -> None:
    text = _VIEWED.format(
        f"y = torch.relu(a) + n\n    x = torch.rand(2, 3).t().view(n, k)\n    return {others}"
    )
    assert migrate(text, "TP401").text == text.replace(".view(n, k)", ".reshape(n, k)")


def test_what_another_block_does_says_nothing_of_a_view() -> None:
    text = _VIEWED.format(
        "y = torch.relu(a)\n    if n:\n        x = torch.rand(2, 3).t().view(n, k)\n    return y.view(n, k)"
    )
    assert migrate(text, "TP401").text == text.replace(
        ".view(n, k)\n    r", ".reshape(n, k)\n    r"
    )


_BLOCKS = """import torch, torch.nn as nn
embedding = nn.Embedding(9, 8)
def f(tokens, x: torch.Tensor):
    i = x.size(0) - 1
    a = embedding(tokens).detach().requires_grad_()
    a.sum().backward()
    y = torch.rand(2, 3, 4)
    return {}
"""
#: What integers in front, and a slice behind them, take out of memory in one piece.
_IN_ONE_PIECE = {
    "a row of a gradient": "a.grad[0, 0, :].view(-1, 4), a.grad[i, 0, :].view(8)",
    "of a row": "x[0, i].view(1, -1), x[i, 1:].view(-1), x[0, ...].view(-1)",
    "of what is contiguous": "y[0, 1:].view(-1), y[i, :, :].view(-1), y[0, 1, 2:].view(1, -1)",
    "all of it": "y[:, :, :].view(-1), y[...].view(-1), y[..., None].view(-1), y[:, None].view(-1)",
}
test_keeps_blocks = keeps(
    "TP401", {name: _BLOCKS.format(code) for name, code in _IN_ONE_PIECE.items()}
)
#: What lies apart.
_IN_PIECES = (
    "x[:, 0, :].view(-1)",
    "x[0, :, 1:].view(-1)",
    "x[..., 1:].view(-1)",
    "x[0, :, i].view(2, -1)",
    "x[i, ..., 0].view(-1)",
    "x[None, :, 1:].view(-1)",
    "y[0, ::2].view(-1)",
    "y[i, :, 1:].view(-1)",
    "y[0].t()[0, 1:].view(-1, 1, 1)[:, 1:].view(-1)",
)


@pytest.mark.parametrize("code", _IN_PIECES)
def test_what_lies_in_pieces_is_spelled_anew(code: str) -> None:
    text = _BLOCKS.format(code)
    head, _, tail = text.rpartition(".view(")
    assert migrate(text, "TP401").text == f"{head}.reshape({tail}"


@pytest.mark.parametrize(
    ("handed_on", "method"),
    [
        ("(x + torch.arange(4)).detach()", "view"),
        ("(torch.rand(4) * x).data", "view"),
        ("Variable(x + torch.arange(4))", "view"),
        ("(x + x.sum()).detach()", "reshape"),
        ("Variable(x)", "reshape"),
        ("known(x + torch.arange(4)).float()", "reshape"),
    ],
)
def test_what_is_calculated_in_order_stays_beside_others(handed_on: str, method: str) -> None:
    text = f"""import torch
from torch.autograd import Variable
def f(x, y: torch.Tensor, known):
    return {handed_on}.view(-1, 2), y.t().view(-1, 2)
"""
    found = text.replace("y.t().view(", "y.t().reshape(")
    assert migrate(text, "TP401").text == found.replace(".view(", f".{method}(")


def test_a_block_is_one_in_memory() -> None:
    names: dict[str, Any] = {}
    for code in _IN_ONE_PIECE.values():
        exec(_BLOCKS.format(code), names)
        names["f"](torch.tensor([[1, 2], [3, 4]]), torch.rand(2, 3, 4))


test_keeps = keeps(
    "TP401",
    {
        "cut along the first dimension": """
            import torch
            def batches(data, n):
                data = data.narrow(0, 0, data.size(0) // n * n)
                return data.view(n, -1).t().contiguous()
            batches(torch.arange(0, 10), 3)
            x = torch.ones(4, 4)
            torch.narrow(x, 0, 1, 2).view(-1)
            x.narrow(dim=0, start=1, length=2).view(-1)
            x.unsqueeze(1).select(0, 1).view(-1)
            """,
        "a sum whose first tensor was repeated to its full sizes": """
            import torch
            def distances(a, b):
                a2 = (a * a).sum(1).unsqueeze(-1)
                b2 = (b * b).sum(1).unsqueeze(-1)
                d = torch.sqrt(a2.repeat(1, b.size(0)) + torch.t(b2.repeat(1, a.size(0))) + 1e-6)
                d = d + torch.eye(d.size(1)) * 10
                return d.view(-1, 1), torch.t(d).contiguous().view(-1, 1)
            """,
        "indices of one dimension": """
            import torch
            def f(x, n):
                mask = torch.rand(n.size(0)) > 0.5
                drawn = x.data.new(len(n)).uniform_() < 0.1
                return mask.nonzero().view(-1), drawn.nonzero().view(-1), n
            """,
        "what is calculated of parts, or of what was expanded": """
            import torch, torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(3, 4)
                def forward(self, x, mask):
                    h = self.fc(x)
                    h = h * mask.unsqueeze(2).expand_as(h)
                    parts = h[:, 1:].exp(), h.narrow(1, 0, 2) + 1, torch.rand(4).expand(2, 4).clone()
                    return h.view(-1, 4), [part.view(-1) for part in parts]
        """,
        "what nothing in sight lays out otherwise": """
            import torch, torch.nn as nn
            from torch.utils.data import DataLoader
            class Net(nn.Module):
                def forward(self, x):
                    x = x.view(x.size(0), -1)
                    return x
            def flatten(x):
                return x.view(x.size(0), -1)
            def train(net, data, y: torch.Tensor):
                for x, _ in DataLoader(data):
                    net(x.view(-1, 4))
                return flatten(y), flatten(y[0]), y.float().view(-1), y[2:].view(-1)
            """,
        "a parameter beside one that is transposed": """
            import torch
            def first(a, b):
                return a.view(-1)
            def call(y: torch.Tensor):
                return first(y, y.t()), first(*y.t()), second(y.t())
            class Other:
                def second(self, a):
                    return a.view(-1)
            """,
        "beside a copy": """
            import torch
            def heads(x: torch.Tensor, y: torch.Tensor):
                return x.view(2, -1), y.t().contiguous().view(-1)
            """,
        "written in place through the view": """
            import torch
            def gather(buffer, tensors, mask, rows, bias):
                for t in tensors:
                    t.view(-1).copy_(buffer[: t.numel()].view_as(t))
                x = buffer.t()
                x.view(-1)[rows] = 0
                x.view(-1)[:2].data.fill_(1)
                x.view(4, 2)[0] += 1
                torch.add(mask, 1, out=x.view(-1))
                torch.topk(mask, 2, out=(x.view(2, 4), rows.t().view(-1)))
                torch.nn.init.zeros_(x.view(2, -1))
                torch.zero_(x.view(-1))
            """,
        "a method of something else": """
            import torch
            def render(kernel, mask, n):
                mask = kernel.view(mask, [n, mask.size(1), -1])
                return kernel.permute(mask, (0, 2, 1)), kernel.view(mask, n)
            """,
        "written in place where the tensor has a name": """
            import torch
            def f(a, b):
                x = torch.rand(a, b).t().exp()
                y = x.view(-1)
                y.mul_(2)
                z = (x.t()[1:]).view(-1)
                z += 1
                return x
            """,
        "written in place by a name of the view": """
            import torch
            def scatter(x, index, source):
                flat = x.t().view(-1)
                flat.index_add_(0, index, source)
                pairs = x.t().view(-1, 2)
                pairs[:, 0] = 1
                rows = x.t().view(2, -1)
                rows += 1
                first = x.t().view(2, -1)[0]
                first.mul_(2)
            """,
        "written in place by a function of the file": """
            import torch
            def zero(values, start=0):
                values[start:] = 0
            def shift(values, *, by):
                flat = values.view(-1)
                flat.add_(by)
            def clear(x):
                zero(x.t().view(-1))
                shift(values=x.t().view(2, 2), by=1)
                flat = x.t().view(-1)
                zero(flat, 1)
            """,
        "written in place as a part of a tuple, in a loop, or of what a function gave": """
            import torch
            def flat(x: torch.Tensor):
                return x.t().view(-1)
            def swapped(x, n):
                a, b = x.t().view(-1), n
                a.zero_()
                for row in (x.t().view(2, -1), x):
                    row.fill_(n)
                kept = x.t().view(-1, 2) if n else x
                kept.add_(1)
                flat(x).mul_(n)
            """,
        "written in place by methods of the file, and by those of the classes below": """
            import torch
            class Mean:
                def update(self, x):
                    x.div_(2)
                def read(self, x):
                    return x.sum()
            class Sum(Mean):
                def read(self, x):
                    return x.add_(1)
            def run(x: torch.Tensor):
                Mean().update(x.t().view(-1))
                Mean().read(x.t().view(-1, 2))
            """,
        "what is indexed by the strides that are read beside it": """
            import torch
            def pick(x: torch.Tensor, i: torch.Tensor):
                stride = x.stride()
                flat = x[0].view(-1)
                return flat.gather(0, i * stride[1]), x.t().view(-1)
            def address(x: torch.Tensor):
                return x.view(-1), x.data_ptr()
        """,
        "what kernels get, which may be what they write into": """
            import torch, triton
            from kernels import copy
            @triton.jit
            def scale(source, target, size):
                pass
            def run(x, y, grid):
                scale[grid](x.t().view(-1), y.t().view(-1), 4)
                copy[grid](x.t().view(-1), target=y.t().view(-1))
                torch.ops.mine.silu_and_mul(y.t().view(-1), x)
                rows = y.t().view(-1)
                scale[grid](x, rows, 4)
            """,
        "a copy that contiguous() makes of a number or a tensor": """
            def total(x, dim):
                if isinstance(x, float):
                    return x
                return x.contiguous().view(x.shape[:-dim] + (-1,)).sum(-1)
            """,
        "outputs that are contiguous": """
            import torch, torch.nn as nn, torch.nn.functional as F
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.conv = nn.Conv2d(1, 2, 3)
                    self.fc = nn.Linear(2, 2)
                    self.rnn = nn.LSTM(2, 2)
                def forward(self, x):
                    a = F.relu(F.max_pool2d(self.conv(x), 2)).view(2, -1)
                    b = self.fc(x).view(-1)
                    c = torch.cat([x, x], 1).view(-1)
                    d, _ = self.rnn(torch.rand(3, 4, 2))
                    return a, b, c, d.view(-1, 2)
            """,
        "a convolution by weights of one's own": """
            import torch.nn.functional as F
            def convolve(w, s):
                return F.conv1d(w.unsqueeze(0), s).view(-1)
            """,
        "layers from a list": """
            import torch.nn as nn
            class VGG(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.features = self.make()
                def make(self):
                    layers = []
                    for width in (1, 2):
                        layers += [nn.Conv2d(1, width, 3), nn.ReLU(inplace=True)]
                    return nn.Sequential(*layers)
                def forward(self, x):
                    x = self.features(x)
                    return x.view(x.size(0), -1)
            """,
        "layers within layers": """
            import torch.nn as nn
            class Block(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.conv = nn.Conv2d(1, 1, 1)
                def forward(self, x):
                    return self.conv(x)
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.features = nn.Sequential(Block(), nn.Sequential(Block(), nn.ReLU()))
                def forward(self, x):
                    return self.features(x).view(x.size(0), -1)
            """,
        "contiguous whatever comes in": """
            import torch
            x = torch.rand(3, 4).t()
            x.sum(1, keepdim=True).view(-1)
            x.softmax(1).view(-1)
            x.topk(2, 1)[0].view(-1)
            torch.rand(3, 4).chunk(3)[0].view(-1)
            """,
        "new memory, and a batch, of which the size was changed": """
            import torch
            class Noise:
                def __call__(self, image):
                    return self.scaled(image, image[:3].new().resize_(3).normal_(0, 1))
                def scaled(self, image, alpha):
                    return alpha.type_as(image).view(1, 3)
            def load(buffer: torch.Tensor, batch: torch.Tensor):
                buffer.resize_(batch.size()).copy_(batch)
                return buffer.resize_(2, 6).view(-1), batch[2:].resize_as_(buffer).view(-1)
            """,
        "fresh tensor": """
            import torch
            x = torch.rand(3, 4)
            x.view(2, 6)
            x[1:].view(-1)
            x.sum(1).view(-1)
            """,
        "made contiguous": """
            import torch
            torch.rand(3, 4).t().contiguous().view(-1)
            """,
        "dtype": """
            import torch
            x = torch.rand(3, 4).t()
            x.view(torch.int32)
            x.view(dtype=torch.int32)
            """,
        "argument that may be a dtype": """
            import torch
            def bits(kind):
                return torch.rand(3, 4).t().view(kind)
            """,
        "numpy": """
            import numpy as np
            import torch
            x = np.zeros((2, 3)).T
            x.view(np.int64)
            x.view(-1, 2)
            """,
        "user class with a view method": """
            import torch
            class Camera:
                def view(self, width, height):
                    return width
            camera = Camera()
            camera.view(-1, 2)
            """,
        "view method of this file and a receiver of unknown kind": """
            import torch
            class Camera:
                def view(self, width, height):
                    return width
            def look(thing):
                return thing.view(-1, 2)
            """,
        "unknown receiver": """
            import torch
            def window(app):
                return app.view(width, height)
            """,
        "already modern": """
            import torch
            torch.rand(3, 4).t().reshape(-1)
            """,
        "suppressed": """
            import torch
            torch.rand(3, 4).t().view(-1)  # torchfix: ignore[TP401]
            """,
    },
)


_LISTED = """import torch
import torch.nn as nn

class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.proj = nn.Linear(n, n)
        self.n = n

    def forward(self, x):
        return self.proj(x.view(-1, self.n))

class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.blocks = nn.ModuleList([Block(n) for _ in range(3)])
        self.others = nn.ModuleList([nn.Linear(n, n)])

    def forward(self, x):
        for i in range(3):
            x = self.{blocks}[i]({given})
        return x
"""


def test_what_modules_in_a_list_are_given_may_be_laid_out_so() -> None:
    text = _LISTED.format(blocks="blocks", given="x.transpose(0, 1)")
    assert migrate(text, "TP401").text == text.replace("x.view(-1", "x.reshape(-1")


@pytest.mark.parametrize(
    ("blocks", "given"),
    [
        ("blocks", "x"),
        ("blocks", "torch.relu(x.transpose(0, 1)).contiguous()"),
        ("others", "x.transpose(0, 1)"),
    ],
)
def test_what_no_call_of_them_lays_out_so_is_viewed(blocks: str, given: str) -> None:
    text = _LISTED.format(blocks=blocks, given=given)
    assert migrate(text, "TP401").text == text


_ONE_CHANNEL = """import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self, n, sizes):
        super().__init__()
        self.last = nn.Sequential({layer}, nn.Sigmoid())
    def forward(self, x, y):
        x = torch.cat([x, y.permute(0, 3, 1, 2)], 1)
        return self.last(x).view(-1, 1)
"""


@pytest.mark.parametrize(
    ("layer", "is_kept"),
    [
        ("nn.Conv2d(8, 1, 4)", True),
        ("nn.ConvTranspose2d(n, out_channels=1, kernel_size=4)", True),
        ("nn.Conv2d(8, 2, 4)", False),
        ("nn.Conv2d(8, n, 1)", False),
        ("nn.Conv2d(*sizes, 1, 4)", False),
        ("nn.BatchNorm2d(1, 1)", False),
    ],
)
def test_images_of_one_channel_lie_in_order(layer: str, is_kept: bool) -> None:
    text = _ONE_CHANNEL.format(layer=layer)
    assert (".view(-1, 1)" in migrate(text, "TP401").text) is is_kept


@pytest.mark.parametrize(
    ("made", "spelled"),
    [
        ("torch.randn(1, 2, n, n)", "view"),
        ("torch.randn(1, n, n, 2).permute(0, 3, 1, 2)", "reshape"),
    ],
)
@pytest.mark.parametrize("option", ["", ", align_corners=True"])
def test_what_is_resized_lies_as_it_did_wherever_its_corners_are(
    made: str, spelled: str, option: str
) -> None:
    text = "import torch\nimport torch.nn.functional as F\ndef f(n):\n"
    text += (
        f"    x = F.interpolate({made}, (n, n), mode='bilinear'{option})\n    return x.view(-1)\n"
    )
    assert f"x.{spelled}(-1)" in migrate(text, "TP401").text
