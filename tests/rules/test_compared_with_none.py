from __future__ import annotations

from tests.support.rules import keeps, rewrites

_HEAD = """
            import numpy as np
            import torch
            import torch.nn as nn
            x = torch.ones(3)
            layer = nn.Linear(3, 2)
            """


def _line(before: str, after: str) -> tuple[str, str]:
    return f"{_HEAD}{before}\n", f"{_HEAD}{after}\n"


test_rewrites = rewrites(
    "TP415",
    {
        "tensor": _line("ok = x == None", "ok = x is None"),
        "not": _line("ok = x  !=  None  # set", "ok = x is not None  # set"),
        "no spaces": _line("ok = not(x==None)", "ok = not(x is None)"),
        "gradient": _line(
            "if layer.weight.grad != None: print()", "if layer.weight.grad is not None: print()"
        ),
        "condition": _line(
            "if x == None or x.grad == None: print()", "if x is None or x.grad is None: print()"
        ),
        "tensor or None": (
            """
            import torch
            total = None
            for x in range(3):
                if total == None:
                    total = torch.zeros(3)
            """,
            """
            import torch
            total = None
            for x in range(3):
                if total is None:
                    total = torch.zeros(3)
            """,
        ),
    },
)

_KEPT = {
    "is": "ok = x is None or x is not None",
    "array": "a = np.ones(3)\n            ok = a == None",
    "unknown": "ok = unknown == None; ok = unknown.grad == None",
    "parameter": "def f(weight=None):\n                return weight == None",
    "tensor or array": (
        "t = x if ok else np.ones(3)\n            ok = t == None; t = None\n            ok = t == None"
    ),
    "another value": "ok = x == 0; ok = x == x",
    "chain": "ok = x == None == y",
    "other attribute": "ok = layer.name == None",
    "other operator": "ok = x in [None]",
    "suppressed": "ok = x == None  # noqa: TP415",
}

test_keeps = keeps("TP415", {name: f"{_HEAD}{line}\n" for name, line in _KEPT.items()})
