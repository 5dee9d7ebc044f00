from __future__ import annotations

from tests.support.rules import keeps, rewrites

test_rewrites = rewrites(
    "TP905",
    {
        "places that became keywords": (
            """
            from torch.autograd import gradcheck
            import torch.autograd as autograd
            a = gradcheck(f, (x,), 1e-6, 1e-4)
            b = autograd.gradcheck(f, (x,), 1e-6, atol=1e-4)
            """,
            """
            from torch.autograd import gradcheck
            import torch.autograd as autograd
            a = gradcheck(f, (x,), eps=1e-6, atol=1e-4)
            b = autograd.gradcheck(f, (x,), eps=1e-6, atol=1e-4)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP905",
    {
        "modern": """
            from torch.autograd import gradcheck
            a = gradcheck(f, (x,), eps=1e-6)
            b = gradcheck(f, (x,))
            """,
        "the user's function": """
            def gradcheck(f, x, eps):
                pass
            gradcheck(f, x, 1e-6)
            """,
        "arguments that cannot be seen": """
            from torch.autograd import gradcheck
            a = gradcheck(f, *rest)
            """,
    },
)
