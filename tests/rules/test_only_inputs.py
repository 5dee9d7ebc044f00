from __future__ import annotations

from tests.support.rules import keeps, rewrites

test_rewrites = rewrites(
    "TP110",
    {
        "last": (
            """
            import torch
            g = torch.autograd.grad(y, x, create_graph=True, only_inputs=True)
            """,
            """
            import torch
            g = torch.autograd.grad(y, x, create_graph=True)
            """,
        ),
        "in the middle": (
            """
            from torch import autograd
            g = autograd.grad(outputs=y, only_inputs=True, inputs=x)[0]
            """,
            """
            from torch import autograd
            g = autograd.grad(outputs=y, inputs=x)[0]
            """,
        ),
        "from import with alias": (
            """
            from torch.autograd import grad as torch_grad
            g = torch_grad(y, x, only_inputs=True)
            """,
            """
            from torch.autograd import grad as torch_grad
            g = torch_grad(y, x)
            """,
        ),
        "on a line of its own": (
            """
            import torch.autograd as autograd
            g = autograd.grad(
                y,
                x,
                create_graph=True,
                only_inputs=True,
            )
            """,
            """
            import torch.autograd as autograd
            g = autograd.grad(
                y,
                x,
                create_graph=True,
            )
            """,
        ),
        "on a line of its own without a comma": (
            """
            import torch.autograd as autograd
            g = autograd.grad(outputs=y, inputs=x,
                              create_graph=True,
                              only_inputs=True)[0]
            """,
            """
            import torch.autograd as autograd
            g = autograd.grad(outputs=y, inputs=x,
                              create_graph=True)[0]
            """,
        ),
        "one in another": (
            """
            from torch.autograd import grad
            g = grad(grad(y, x, only_inputs=True)[0], x, only_inputs=True)
            """,
            """
            from torch.autograd import grad
            g = grad(grad(y, x)[0], x)
            """,
        ),
        "line comment of another argument stays": (
            """
            from torch.autograd import grad
            g = grad(
                y, x,  # both
                only_inputs=True,
                create_graph=True,  # twice
            )
            """,
            """
            from torch.autograd import grad
            g = grad(
                y, x,  # both
                create_graph=True,  # twice
            )
            """,
        ),
    },
)

test_keeps = keeps(
    "TP110",
    {
        "False": """
            import torch
            torch.autograd.grad(y, x, only_inputs=False)
            """,
        "variable": """
            import torch
            torch.autograd.grad(y, x, only_inputs=flag)
            """,
        "number": """
            import torch
            torch.autograd.grad(y, x, only_inputs=1)
            """,
        "by position": """
            import torch
            torch.autograd.grad(y, x, None, True, True, True)
            """,
        "positional arguments of unknown content": """
            import torch
            torch.autograd.grad(*args, only_inputs=True)
            """,
        "keyword arguments of unknown content": """
            import torch
            torch.autograd.grad(y, x, only_inputs=True, **kwargs)
            """,
        "user function": """
            import torch
            def grad(y, x, only_inputs=False):
                return y
            grad(y, x, only_inputs=True)
            """,
        "user function that hides the import": """
            from torch.autograd import grad
            def grad(y, x, only_inputs=False):
                return y
            grad(y, x, only_inputs=True)
            """,
        "shadowed module": """
            from torch import autograd
            def f(autograd):
                return autograd.grad(y, x, only_inputs=True)
            """,
        "method of a user class": """
            import torch
            class Engine:
                def grad(self, y, x, only_inputs=False):
                    return y
            Engine().grad(y, x, only_inputs=True)
            """,
        "another library": """
            import torch
            from jax import grad
            grad(y, x, only_inputs=True)
            """,
        "partial": """
            from functools import partial
            from torch.autograd import grad
            f = partial(grad, only_inputs=True)
            """,
        "already modern": """
            import torch
            torch.autograd.grad(y, x, create_graph=True)
            """,
        "comment that would be lost": """
            import torch
            torch.autograd.grad(
                y, x,
                only_inputs=True,  # not the weights
            )
            """,
        "suppressed": """
            import torch
            torch.autograd.grad(y, x, only_inputs=True)  # noqa: TP110
            """,
    },
)
