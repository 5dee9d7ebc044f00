from __future__ import annotations

from tests.support.rules import keeps, rewrites

test_rewrites = rewrites(
    "TP113",
    {
        "attribute": (
            """
            import torch
            with torch.no_grad:
                out = net(x)
            """,
            """
            import torch
            with torch.no_grad():
                out = net(x)
            """,
        ),
        "name": (
            """
            from torch import no_grad
            def validate():
                with no_grad:  # faster
                    return net(x)
            """,
            """
            from torch import no_grad
            def validate():
                with no_grad():  # faster
                    return net(x)
            """,
        ),
        "several": (
            """
            import torch
            with open(path) as file, torch.no_grad, torch.autograd.detect_anomaly:
                out = net(x)
            """,
            """
            import torch
            with open(path) as file, torch.no_grad(), torch.autograd.detect_anomaly():
                out = net(x)
            """,
        ),
        "parentheses": (
            """
            import torch
            with (torch.inference_mode):
                out = net(x)
            """,
            """
            import torch
            with (torch.inference_mode()):
                out = net(x)
            """,
        ),
        "asynchronous code": (
            """
            import torch
            async def serve(x):
                with torch.enable_grad:
                    return net(x)
            """,
            """
            import torch
            async def serve(x):
                with torch.enable_grad():
                    return net(x)
            """,
        ),
    },
)

test_is_no_evaluation_without_no_grad = rewrites(
    "TP113",
    {
        "evaluation": (
            """
            import torch
            import torch.nn as nn
            net = nn.Linear(3, 2)
            def evaluate(loader):
                net.eval()
                with torch.no_grad:
                    for x, y in loader:
                        print(net(x).sum().item())
            """,
            """
            import torch
            import torch.nn as nn
            net = nn.Linear(3, 2)
            def evaluate(loader):
                net.eval()
                with torch.no_grad():
                    for x, y in loader:
                        print(net(x).sum().item())
            """,
        ),
    },
    with_rules=("TP112", "TP601"),
)

test_keeps = keeps(
    "TP113",
    {
        "called": """
            import torch
            with torch.no_grad():
                out = net(x)
            """,
        "decorator": """
            import torch
            @torch.no_grad
            def f(x):
                return net(x)
            """,
        "needs an argument": """
            import torch
            with torch.set_grad_enabled:
                out = net(x)
            """,
        "passed on": """
            import torch
            context = torch.no_grad if test else nullcontext
            with context():
                out = net(x)
            """,
        "context of this file": """
            import torch
            no_grad = torch.no_grad()
            with no_grad:
                out = net(x)
            """,
        "shadowed module": """
            import torch
            def f(torch):
                with torch.no_grad:
                    return net(x)
            """,
        "shadowed name": """
            from torch import no_grad
            def f(no_grad):
                with no_grad:
                    return net(x)
            """,
        "another library": """
            import paddle
            with paddle.no_grad:
                out = net(x)
            """,
        "suppressed": """
            import torch
            with torch.no_grad:  # noqa: TP113
                out = net(x)
            """,
    },
)
