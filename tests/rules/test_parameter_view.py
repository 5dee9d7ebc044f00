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
        "the positions of a transformer": (
            """
            import numpy as np
            import torch
            from torch import nn

            def fill(n, dim, out):
                angles = np.outer(np.arange(n), np.arange(dim))
                # even and odd ones
                out[:, 0::2] = torch.FloatTensor(np.sin(angles[:, 0::2]))
                out[:, 1::2] = torch.FloatTensor(np.cos(angles[:, 1::2]))  # odd
                out.detach_()
                out.requires_grad = False

            positions = nn.Embedding(5, 4)
            fill(5, 4, positions.weight)
            """,
            """
            import numpy as np
            import torch
            from torch import nn

            def fill(n, dim, out):
                angles = np.outer(np.arange(n), np.arange(dim))
                out.detach_()
                # even and odd ones
                out[:, 0::2] = torch.FloatTensor(np.sin(angles[:, 0::2]))
                out[:, 1::2] = torch.FloatTensor(np.cos(angles[:, 1::2]))  # odd
                out.requires_grad = False

            positions = nn.Embedding(5, 4)
            fill(5, 4, positions.weight)
            """,
        ),
    },
)

_FILLED = """
import torch
from torch import nn

def fill(out, x):
    {}

fill(nn.Embedding(5, 4).weight, nn.Parameter(torch.ones(4)))
"""

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
        **{
            name: _FILLED.format(lines.replace("\n", "\n    "))
            for name, lines in {
                "with a graph": "out[0] = x\nout.detach_()",
                "of itself": "out[0] = torch.zeros(4) + out[1].detach()\nout.detach_()",
                "not detached": "out[0] = torch.zeros(4)\nout.requires_grad = False",
                "not at once": "out[0] = torch.zeros(4)\nprint(out)\nout.detach_()",
                "detached before": "out.detach_()\nout[0] = torch.zeros(4)\nout.detach_()",
                "frozen": "out.requires_grad = False\nout[0] = torch.zeros(4)\nout.detach_()",
                "another": "y = torch.zeros(3, 4)\ny[0] = torch.zeros(4)\ny.detach_()",
                "all of it": "out = torch.zeros(4)\nout.detach_()",
                "no_grad": "with torch.no_grad():\n    out[0] = torch.zeros(4)\n    out.detach_()",
            }.items()
        },
    },
)
