from __future__ import annotations

from tests.support.rules import keeps, rewrites

_HEAD = """
            import torch
            def f(x, y):
                v = torch.ones(2, 3, 4, 4)
"""

_PAIRS = {
    "what is expanded": (
        """
                a = x.sum(1).expand_as(x)
                b = x / torch.sqrt(x.pow(2).sum(1).expand_as(x))
                c = y.data.norm(2, 1).expand_as(y.data)
                d = (x * x).mean(dim=2).expand_as(x)
                e = x / x.sum(1).expand(x.size())
                g = torch.max(x, 1)[0].expand_as(x)
                h = x.norm(p=2, dim=1).expand(*x.size())
        """,
        """
                a = x.sum(1, keepdim=True).expand_as(x)
                b = x / torch.sqrt(x.pow(2).sum(1, keepdim=True).expand_as(x))
                c = y.data.norm(2, 1, keepdim=True).expand_as(y.data)
                d = (x * x).mean(dim=2, keepdim=True).expand_as(x)
                e = x / x.sum(1, keepdim=True).expand(x.size())
                g = torch.max(x, 1, keepdim=True)[0].expand_as(x)
                h = x.norm(p=2, dim=1, keepdim=True).expand(*x.size())
        """,
    ),
    "chains": (
        """
                a = v.max(2)[0].max(3)[0]
                b = v.sum(2).sqrt().sum(3).view(2, 3)
                c = torch.mean(torch.mean(v, 2), 3)
                d = x.max(2)[0].max(3)[0].expand_as(x)
                e = v.sum(2).sum(3).sum(1)
                g = v.sum(1).data.sum(3)
        """,
        """
                a = v.max(2, keepdim=True)[0].max(3, keepdim=True)[0]
                b = v.sum(2, keepdim=True).sqrt().sum(3, keepdim=True).view(2, 3)
                c = torch.mean(torch.mean(v, 2, keepdim=True), 3, keepdim=True)
                d = x.max(2, keepdim=True)[0].max(3, keepdim=True)[0].expand_as(x)
                e = v.sum(2, keepdim=True).sum(3, keepdim=True).sum(1, keepdim=True)
                g = v.sum(1, keepdim=True).data.sum(3, keepdim=True)
        """,
    ),
}

test_rewrites = rewrites(
    "TP419",
    {name: (_HEAD + before, _HEAD + after) for name, (before, after) in _PAIRS.items()},
)

test_keeps = keeps(
    "TP419",
    {
        "what fits": _HEAD
        + """
                a = x.mean(0).expand_as(x), x.sum(-1).expand_as(x), x.sum().expand_as(x)
                b = v.sum(3).sum(2), v.sum(2).sum(2), v.mean(0).mean(0), v.max(3)[0].max(2)[0]
                c = v.sum(0).sum(1), v.sum(1).sum(2)
        """,
        "the dimension is kept, or asked for in another way": _HEAD
        + """
                a = x.sum(1, True).expand_as(x), x.sum(1, keepdim=True).expand_as(x)
                b = x.sum(1).unsqueeze(1).expand_as(x), x.sum(1).view(-1, 1).expand_as(x)
                c = v.sum(2, True).sum(3), x.sum((1, 2)).expand_as(x), x.sum(n).expand_as(x)
        """,
        "another tensor": _HEAD
        + """
                a = x.sum(1).expand_as(y), x.sum(1).expand(2, 3), x.sum(1).expand(y.size())
                b = (x + y).sum(1).expand_as(x), x[0].sum(1).expand_as(x)
                c = x.norm(1).expand_as(x), x.sum(*y).expand_as(x), x.sum(1)[0].expand_as(x)
        """,
        "dimensions that are not known": _HEAD
        + """
                return x.sum(2).sum(3), x.sum(0).sum(1), x.max(2)[0].max(3)[0]
        """,
        "no tensors": """
            import numpy as np
            class Frame:
                def expand_as(self, other):
                    return self
            def f(x):
                a = np.ones((2, 3)).sum(1)
                return x.sum(1).expand_as(x), sum(x, 1), np.zeros((2, 3, 4, 4)).max(2).max(3)
            """,
    },
)
