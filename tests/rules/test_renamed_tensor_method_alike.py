"""Places of extremes that are written alike in a file, of which all become argmax, or none."""

from __future__ import annotations

from tests.support.rules import keeps, rewrites

_HEAD = """
            import numpy as np
            import torch
            import torch.nn as nn
            net = nn.Linear(3, 4)
"""

test_keeps = keeps(
    "TP408",
    {
        "of two in one line": _HEAD
        + """
            def accuracy(ys, ts):
                return torch.eq(torch.max(ys.data, 1)[1], torch.max(ts, 1)[1]).float().mean()
            print(accuracy(read(), nn.functional.one_hot(torch.arange(3))))
            """,
        "in another function": _HEAD
        + """
            def accuracy(ys, ts):
                predictions = torch.max(ys, 1)[1]
                return torch.eq(predictions, ts).float().mean()
            def labels(x: torch.Tensor):
                return torch.max(net(x).data, 1)[1]
            """,
        "by a method, of what is not known": _HEAD
        + """
            def f(x: torch.Tensor, y):
                return net(x).data.max(1)[1], y.max(1)[1]
            """,
        "of a mask": _HEAD
        + """
            def f(x: torch.Tensor):
                return net(x).data.max(1)[1], (x > 0).max(1)[1]
            """,
    },
)

test_rewrites = rewrites(
    "TP408",
    {
        "all are known": (
            _HEAD
            + """
            def f(x: torch.Tensor):
                y = net(x)
                return torch.max(y, 1)[1], torch.max(y.data, -1)[1]
            def g(x: torch.Tensor):
                return torch.max(net(x), 1)[1]
            """,
            _HEAD
            + """
            def f(x: torch.Tensor):
                y = net(x)
                return y.argmax(1), y.argmax(-1)
            def g(x: torch.Tensor):
                return net(x).argmax(1)
            """,
        ),
        "beside the row of an array": (
            _HEAD
            + """
            def f(x: torch.Tensor):
                return net(x).data.max(1)[1], np.ones((2, 3)).max(1)[1]
            """,
            _HEAD
            + """
            def f(x: torch.Tensor):
                return net(x).argmax(1), np.ones((2, 3)).max(1)[1]
            """,
        ),
        "beside a minimum, and one by a function": (
            _HEAD
            + """
            def f(x: torch.Tensor, y):
                return net(x).data.max(1)[1], y.min(1)[1], torch.max(y, 1)[1], torch.max(y, x)[1]
            """,
            _HEAD
            + """
            def f(x: torch.Tensor, y):
                return net(x).argmax(1), y.min(1)[1], torch.max(y, 1)[1], torch.max(y, x)[1]
            """,
        ),
        "beside what is used with the maximum": (
            _HEAD
            + """
            def f(x: torch.Tensor, y):
                best, place = torch.max(y, 1)
                return torch.max(net(x).data, 1)[1], best, place
            """,
            _HEAD
            + """
            def f(x: torch.Tensor, y):
                best, place = torch.max(y, 1)
                return net(x).argmax(1), best, place
            """,
        ),
    },
)
