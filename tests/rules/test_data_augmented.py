"""TP104 where parameters are updated by operators: ``p.data -= lr * p.grad.data``."""

from __future__ import annotations

import pytest

from tests.support.rules import keeps, migrate, rewrites

test_updates = rewrites(
    "TP104",
    {
        "a step by hand": (
            """
            import torch
            def step(model: torch.nn.Module, lr):
                for p in model.parameters():
                    p.data -= lr * p.grad.data
            """,
            """
            import torch
            def step(model: torch.nn.Module, lr):
                with torch.no_grad():
                    for p in model.parameters():
                        p -= lr * p.grad
            """,
        ),
        "weights of length one": (
            """
            import torch
            from torch import nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(2, 3)
                    self.fc.weight.data.sub_(1)
                    self.fc.weight.data *= 1 / torch.sqrt(self.fc.weight.data.pow(2).sum(1))
                    self.fc.bias.data.fill_(0)
            """,
            """
            import torch
            from torch import nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(2, 3)
                    with torch.no_grad():
                        self.fc.weight.sub_(1)
                        self.fc.weight *= 1 / torch.sqrt(self.fc.weight.pow(2).sum(1))
                    nn.init.zeros_(self.fc.bias)
            """,
        ),
    },
)

test_kept = keeps(
    "TP104",
    {
        "a name of the module would become one of the function": """
            import torch
            w = torch.nn.Linear(2, 3).weight
            def step(lr):
                w.data -= lr
        """,
        "what is no parameter may be needed by a graph": """
            import torch
            def noise(x: torch.Tensor):
                x.data += torch.randn(3)
        """,
        "the graph of forward must not see it": """
            import torch
            class Masked(torch.nn.Linear):
                def forward(self, x):
                    self.weight.data *= self.mask
                    return super().forward(x)
        """,
        "a tuple takes no item back": """
            import torch
            def scale(model: torch.nn.Module):
                ps = tuple(model.parameters())
                for i in range(len(ps)):
                    ps[i].data *= 2
        """,
        "what is called may need the graph": """
            import torch
            def step(model: torch.nn.Module, loss):
                for p in model.parameters():
                    p.data -= loss(p)
        """,
        "operators that write nothing in place": """
            import torch
            def turn(model: torch.nn.Module, by):
                for p in model.parameters():
                    p.data @= by
        """,
    },
)


@pytest.mark.parametrize("other", ["p.data = p.data * 2", "p.data[0] = 1"])
def test_an_update_stays_beside_other_writes(other: str) -> None:
    text = f"""import torch
def step(model: torch.nn.Module, lr):
    for p in model.parameters():
        p.data *= lr
        {other}
"""
    assert migrate(text, "TP104").text == text
