from __future__ import annotations

from tests.support.rules import keeps, rewrites

test_rewrites = rewrites(
    "TP903",
    {
        "the device comes first": (
            """
            import torch
            scaler = torch.cuda.amp.GradScaler()
            scaler = torch.cuda.amp.GradScaler(1024., enabled=use_amp)
            with torch.cuda.amp.autocast(use_amp, dtype=torch.float16):
                y = f(x)
            """,
            """
            import torch
            scaler = torch.amp.GradScaler("cuda")
            scaler = torch.amp.GradScaler("cuda", 1024., enabled=use_amp)
            with torch.amp.autocast("cuda", enabled=use_amp, dtype=torch.float16):
                y = f(x)
            """,
        ),
        "arguments on lines of their own": (
            """
            import torch
            scaler = torch.cuda.amp.GradScaler(
                init_scale=1024.,  # small
                enabled=True,
            )
            """,
            """
            import torch
            scaler = torch.amp.GradScaler(
                "cuda", init_scale=1024.,  # small
                enabled=True,
            )
            """,
        ),
        "decorators with and without a call": (
            """
            import torch
            from torch.cuda.amp import autocast, custom_bwd, custom_fwd

            class F(torch.autograd.Function):
                @staticmethod
                @custom_fwd(cast_inputs=torch.float32)
                def forward(ctx, x):
                    return x

                @staticmethod
                @custom_bwd
                def backward(ctx, g):
                    return g

            @autocast()
            def f(x):
                return F.apply(x)
            """,
            """
            import torch

            class F(torch.autograd.Function):
                @staticmethod
                @torch.amp.custom_fwd(cast_inputs=torch.float32, device_type="cuda")
                def forward(ctx, x):
                    return x

                @staticmethod
                @torch.amp.custom_bwd(device_type="cuda")
                def backward(ctx, g):
                    return g

            @torch.amp.autocast("cuda")
            def f(x):
                return F.apply(x)
            """,
        ),
        "torch itself may be missing": (
            """
            try:
                import torch
            except ImportError:
                torch = None
            def f():
                import torch as t
                return t.cuda.amp.GradScaler()
            """,
            """
            try:
                import torch
            except ImportError:
                torch = None
            def f():
                import torch as t
                return t.amp.GradScaler("cuda")
            """,
        ),
        "the class as a type": (
            """
            import torch
            from torch.cuda.amp import GradScaler
            from typing import Optional

            def f(scaler: Optional[GradScaler] = None) -> GradScaler:
                other: GradScaler = scaler
                return other if isinstance(scaler, (GradScaler, int)) else None
            """,
            """
            import torch
            from typing import Optional

            def f(scaler: Optional[torch.amp.GradScaler] = None) -> torch.amp.GradScaler:
                other: torch.amp.GradScaler = scaler
                return other if isinstance(scaler, (torch.amp.GradScaler, int)) else None
            """,
        ),
    },
)

test_keeps = keeps(
    "TP903",
    {
        "a base class, which gets other arguments": """
            import torch
            class Scaler(torch.cuda.amp.GradScaler):
                def __init__(self):
                    super().__init__(1024.)
            """,
        "modern": """
            import torch
            scaler = torch.amp.GradScaler("cuda")
            with torch.amp.autocast("cuda", enabled=False):
                pass
            """,
        "a choice by version": """
            import torch
            try:
                from torch.amp import GradScaler
                scaler = GradScaler("cuda")
            except ImportError:
                from torch.cuda.amp import GradScaler
                scaler = GradScaler()
            """,
        "an import that may fail": """
            import torch
            try:
                from torch.cuda.amp import autocast
                HAS_AMP = True
            except ImportError:
                HAS_AMP = False
            def f(x):
                with autocast():
                    return x
            """,
        "a function that is handed on": """
            import functools
            import torch
            context = functools.partial(torch.cuda.amp.autocast, enabled=False)
            """,
        "arguments that cannot be seen": """
            import torch
            scaler = torch.cuda.amp.GradScaler(**options)
            """,
        "another library": """
            from apex.amp import autocast
            with autocast():
                pass
            """,
    },
)
