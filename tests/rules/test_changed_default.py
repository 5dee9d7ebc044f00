from __future__ import annotations

from tests.support.rules import keeps, rewrites

test_rewrites = rewrites(
    "TP906",
    {
        "a file for torch 0.3": (
            """
            import torch
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            m = torch.full((2, 2), 1)
            """,
            """
            import torch
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            m = torch.full((2, 2), 1, dtype=torch.float)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP906",
    {
        "a file for any torch": """
            import torch
            m = torch.full((2, 2), 1)
            """,
        "a file for a newer torch": """
            import torch
            x = torch.linalg.solve(a, b)
            m = torch.full((2, 2), 1)
            """,
        "what is said": """
            import torch
            from torch.autograd import Variable
            y = Variable(x, volatile=True)
            m = torch.full((2, 2), 1, dtype=torch.long)
            n = torch.full((2, 2), 1.0)
            o = torch.full((2, 2), value)
            """,
    },
)
