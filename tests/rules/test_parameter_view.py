from __future__ import annotations

from tests.support.rules import keeps, rewrites

test_rewrites = rewrites(
    "TP121",
    {
        "biases of a detector": (
            """
            import math
            import torch

            class Model(torch.nn.Module):
                def _initialize_biases(self, cf=None):
                    m = self.model[-1]
                    for mi, s in zip(m.m, m.stride):
                        b = mi.bias.view(m.na, -1)  # conv.bias(255) to (3,85)
                        b[:, 4] += math.log(8 / (640 / s) ** 2)
                        b[:, 5:] += math.log(0.6 / (m.nc - 0.99)) if cf is None else torch.log(cf)
                        mi.bias = torch.nn.Parameter(b.view(-1), requires_grad=True)
            """,
            """
            import math
            import torch

            class Model(torch.nn.Module):
                def _initialize_biases(self, cf=None):
                    m = self.model[-1]
                    for mi, s in zip(m.m, m.stride):
                        b = mi.bias.detach().view(m.na, -1)  # conv.bias(255) to (3,85)
                        b[:, 4] += math.log(8 / (640 / s) ** 2)
                        b[:, 5:] += math.log(0.6 / (m.nc - 0.99)) if cf is None else torch.log(cf)
                        mi.bias = torch.nn.Parameter(b.view(-1), requires_grad=True)
            """,
        ),
        "changes that read it": (
            """
            from torch import nn

            def start(layers, n):
                bias = layers[-1][0].bias.reshape(n, -1)
                bias[:, 4] += 1 - bias[:, 4].mean()
                bias[:, 5:] = 0
                layers[-1][0].bias = nn.Parameter(bias.view(-1))
            """,
            """
            from torch import nn

            def start(layers, n):
                bias = layers[-1][0].bias.detach().reshape(n, -1)
                bias[:, 4] += 1 - bias[:, 4].mean()
                bias[:, 5:] = 0
                layers[-1][0].bias = nn.Parameter(bias.view(-1))
            """,
        ),
    },
)

test_keeps = keeps(
    "TP121",
    {
        "detached": """
            from torch import nn

            def start(layer):
                b = layer.bias.detach().view(3, -1)
                b[:, 4] += 1
                layer.bias = nn.Parameter(b.view(-1))
            """,
        "the data of a parameter": """
            from torch import nn

            def start(layer):
                b = layer.bias.view(3, -1)
                b.data[:, 4] += 1
                layer.bias = nn.Parameter(b.view(-1))
            """,
        "under no_grad": """
            import torch

            @torch.no_grad()
            def start(layer):
                b = layer.bias.view(3, -1)
                b[:, 4] += 1
                layer.bias = torch.nn.Parameter(b.view(-1))
            """,
        "changed under no_grad": """
            import torch

            def start(layer):
                b = layer.bias.view(3, -1)
                with torch.no_grad():
                    b[:, 4] += 1
                layer.bias = torch.nn.Parameter(b.view(-1))
            """,
        "not changed": """
            from torch import nn

            def fold(layer):
                b = layer.bias.view(3, -1)
                layer.bias = nn.Parameter(b.view(-1))
            """,
        "read elsewhere": """
            from torch import nn

            def start(layer, loss):
                b = layer.bias.view(3, -1)
                b[:, 4] += 1
                loss(b).backward()
                layer.bias = nn.Parameter(b.view(-1))
            """,
        "the parameter of another layer": """
            from torch import nn

            def start(layer, other):
                b = layer.bias.view(3, -1)
                b[:, 4] += 1
                other.bias = nn.Parameter(b.view(-1))
            """,
        "a view that is one of two": """
            from torch import nn

            def start(layer, flat):
                b = layer.bias.view(3, -1)
                if flat:
                    b = layer.bias
                b[4] += 1
                layer.bias = nn.Parameter(b.view(-1))
            """,
        "rows of it": """
            from torch import nn

            def start(layer):
                b, c = layer.bias.view(2, -1)
                b[4] += 1
                layer.bias = nn.Parameter(b.view(-1))
            """,
        "a function of that name": """
            import torch
            from tools import Parameter

            def start(layer):
                b = layer.bias.view(3, -1)
                b[:, 4] += 1
                layer.bias = Parameter(b.view(-1))
            """,
    },
)
