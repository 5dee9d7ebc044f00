from __future__ import annotations

from tests.support.rules import advice, keeps, rewrites

test_rewrites = rewrites(
    "TP117",
    {
        "a tensor": (
            """
            import torch
            from torch.autograd.gradcheck import zero_gradients

            def attack(net, image):
                x = torch.zeros(3, requires_grad=True)
                for i in range(10):
                    zero_gradients(x)
                    net(x).sum().backward()
                return x
            """,
            """
            import torch

            def attack(net, image):
                x = torch.zeros(3, requires_grad=True)
                for i in range(10):
                    if x.grad is not None:
                        x.grad.zero_()
                    net(x).sum().backward()
                return x
            """,
        ),
        "a tensor whose gradient may have a graph": (
            """
            import torch
            from torch.autograd.gradcheck import zero_gradients

            def attack(net, image):
                x = torch.zeros(3, requires_grad=True)
                for i in range(10):
                    zero_gradients(x)
                    net(x).sum().backward(create_graph=True)
                return x
            """,
            """
            import torch

            def attack(net, image):
                x = torch.zeros(3, requires_grad=True)
                for i in range(10):
                    if x.grad is not None:
                        x.grad.detach_()
                        x.grad.zero_()
                    net(x).sum().backward(create_graph=True)
                return x
            """,
        ),
        "an import that nothing reads": (
            """
            import torch
            from torch.autograd.gradcheck import zero_gradients
            from torch.autograd.gradcheck import gradcheck, zero_gradients as zero

            gradcheck(f, x)
            """,
            """
            import torch
            from torch.autograd.gradcheck import gradcheck

            gradcheck(f, x)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP117",
    {
        "an import that others take": """
            from torch.autograd.gradcheck import zero_gradients

            __all__ = ["zero_gradients"]
            """,
        "an import under try": """
            try:
                from torch.autograd.gradcheck import zero_gradients
            except ImportError:
                pass
            """,
        "another module's": """
            from attacks.gradcheck import zero_gradients
            """,
        "a choice by what torch has": """
            import torch
            from torch.autograd.gradcheck import zero_gradients
            x = torch.ones(2)
            if hasattr(torch.Tensor, "zero_"):
                zero_gradients(x)
            """,
        "statements on one line": """
            import torch
            from torch.autograd.gradcheck import zero_gradients
            x = torch.ones(2)
            zero_gradients(x); print(x)
            if x.grad is not None: zero_gradients(x)
            """,
        "a function of the file": """
            import torch
            def zero_gradients(x):
                x.grad.zero_()
            x = torch.ones(2)
            zero_gradients(x)
            """,
        "a choice": """
            import torch
            try:
                from torch.autograd.gradcheck import zero_gradients
            except ImportError:
                def zero_gradients(x):
                    x.grad.zero_()
            x = torch.ones(2)
            zero_gradients(x)
            """,
        "what may be a list": """
            from torch.autograd.gradcheck import zero_gradients
            def f(xs):
                zero_gradients(xs)
            """,
        "a line with something else": """
            import torch
            from torch.autograd.gradcheck import zero_gradients
            x = torch.ones(2, requires_grad=True)
            if x.sum() > 0: zero_gradients(x)
            zero_gradients(x); print(x)
            zero_gradients(x)  # again
            """,
        "an argument that is computed": """
            import torch
            from torch.autograd.gradcheck import zero_gradients
            zero_gradients(torch.ones(2, requires_grad=True) * 2)
            """,
    },
)


def test_what_is_left_is_said() -> None:
    found = advice(
        "TP117",
        """
        import torch
        from torch.autograd import gradcheck
        def f(xs):
            gradcheck.zero_gradients(xs)
        """,
    )
    assert [f.line for f in found] == [4]
    assert "x.grad.zero_()" in found[0].message
