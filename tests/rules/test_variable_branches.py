"""Branches for Variables above others for tensors, which ask the same today (TP101)."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, rewrites

test_rewrites = rewrites(
    "TP101",
    {
        "both do the same": (
            """
            import torch
            from torch.autograd import Variable
            def numpy(x):
                if isinstance(x, Variable):
                    return x.data.cpu().numpy()
                elif torch.is_tensor(x):
                    return x.data.cpu().numpy()
                return x
            """,
            """
            import torch
            def numpy(x):
                if isinstance(x, torch.Tensor):
                    return x.data.cpu().numpy()
                return x
            """,
        ),
        "more branches below": (
            """
            import torch
            from torch.autograd import Variable
            def size(x):
                if isinstance(x, Variable):
                    n = x.size(0)
                elif isinstance(x, torch.Tensor):
                    n = x.size(0)
                elif isinstance(x, dict):
                    # of its values
                    n = 1
                else:
                    n = 0
                return n
            """,
            """
            import torch
            def size(x):
                if isinstance(x, torch.Tensor):
                    n = x.size(0)
                elif isinstance(x, dict):
                    # of its values
                    n = 1
                else:
                    n = 0
                return n
            """,
        ),
        "branches above": (
            """
            import torch
            from torch.autograd import Variable
            def size(x):
                if isinstance(x, dict):
                    n = 1
                elif x is None:
                    n = 0
                elif isinstance(x, Variable):
                    n = x.size(0)
                elif isinstance(x, torch.Tensor):
                    n = x.size(0)
                return n
            """,
            """
            import torch
            def size(x):
                if isinstance(x, dict):
                    n = 1
                elif x is None:
                    n = 0
                elif isinstance(x, torch.Tensor):
                    n = x.size(0)
                return n
            """,
        ),
        "of something else": (
            """
            import torch
            from torch.autograd import Variable
            def size(x, y):
                if isinstance(x, Variable):
                    return x.size(0)
                elif isinstance(y, torch.Tensor):
                    return y.size(0)
            """,
            """
            import torch
            def size(x, y):
                if isinstance(x, torch.Tensor):
                    return x.size(0)
                elif isinstance(y, torch.Tensor):
                    return y.size(0)
            """,
        ),
        "not asked for alone": (
            """
            import torch
            from torch.autograd import Variable
            def size(x):
                if isinstance(x, Variable):
                    return x.shape
                elif isinstance(x, (list, torch.Tensor)):
                    return x.shape
            """,
            """
            import torch
            def size(x):
                if isinstance(x, torch.Tensor):
                    return x.shape
                elif isinstance(x, (list, torch.Tensor)):
                    return x.shape
            """,
        ),
        "not asked alone": (
            """
            import torch
            from torch.autograd import Variable
            def size(x, deep):
                if isinstance(x, Variable):
                    return x.size(0)
                elif isinstance(x, torch.Tensor) and deep:
                    return x.size(1)
            """,
            """
            import torch
            def size(x, deep):
                if isinstance(x, torch.Tensor):
                    return x.size(0)
                elif isinstance(x, torch.Tensor) and deep:
                    return x.size(1)
            """,
        ),
    },
)

_OTHERS = {
    "something else": """
        import torch
        from torch.autograd import Variable
        def numpy(x):
            if isinstance(x, Variable):
                return x.data.cpu().numpy()
            elif isinstance(x, torch.Tensor):
                return x.cpu().numpy()
        """,
    "further below": """
        import torch
        from torch.autograd import Variable
        def size(x):
            if isinstance(x, Variable):
                return x.size(0)
            elif x is None:
                return 0
            elif torch.is_tensor(x):
                return x.size(0)
        """,
    "a comment": """
        import torch
        from torch.autograd import Variable
        def size(x):
            if isinstance(x, Variable):
                return x.size(0)
            elif isinstance(x, torch.Tensor):
                # one of the loader's
                return x.size(0)
        """,
    "below an else": """
        import torch
        from torch.autograd import Variable
        def size(x):
            if isinstance(x, Variable):
                return x.size(0)
            else:
                if torch.is_tensor(x):
                    return x.size(0)
        """,
}

test_keeps = keeps("TP101", _OTHERS)


@pytest.mark.parametrize("name", _OTHERS)
def test_says_that_one_never_runs(name: str) -> None:
    (finding,) = advice("TP101", _OTHERS[name])
    assert "never the one below" in finding.message
    assert finding.line == 4
