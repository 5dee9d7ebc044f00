from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era

test_rewrites = rewrites(
    "TP704",
    {
        "hardtanh": (
            """
            import torch.nn as nn
            a = nn.Hardtanh(min_value=-1, max_value=1, inplace=True)
            b = nn.Hardtanh(0, max_value = 6)
            """,
            """
            import torch.nn as nn
            a = nn.Hardtanh(min_val=-1, max_val=1, inplace=True)
            b = nn.Hardtanh(0, max_val = 6)
            """,
        ),
        "own convolutions": (
            """
            from torch.nn.modules import conv
            from torch.nn.modules.conv import _ConvNd
            class A(conv._ConvNd):
                def __init__(self, n, m, k, bias=True):
                    super(A, self).__init__(n, m, k, (1, 1), (0, 0), (1, 1), False, (0, 0), 1, bias)
            class B(_ConvNd):
                def __init__(self, n, m, k):
                    super().__init__(
                        n, m, k, (1, 1), (0, 0), (1, 1),
                        False, (0, 0), 1, True)
            class C(_ConvNd):
                def __init__(self, n, m, k):
                    _ConvNd.__init__(self, n, m, k, 1, 0, 1, False, 0, 1, True)
            """,
            """
            from torch.nn.modules import conv
            from torch.nn.modules.conv import _ConvNd
            class A(conv._ConvNd):
                def __init__(self, n, m, k, bias=True):
                    super(A, self).__init__(n, m, k, (1, 1), (0, 0), (1, 1), False, (0, 0), 1, bias, padding_mode="zeros")
            class B(_ConvNd):
                def __init__(self, n, m, k):
                    super().__init__(
                        n, m, k, (1, 1), (0, 0), (1, 1),
                        False, (0, 0), 1, True, padding_mode="zeros")
            class C(_ConvNd):
                def __init__(self, n, m, k):
                    _ConvNd.__init__(self, n, m, k, 1, 0, 1, False, 0, 1, True, padding_mode="zeros")
            """,
        ),
        "parameters of a list": (
            """
            from torch import nn
            w = nn.ParameterList(parameters=[a, b])
            """,
            """
            from torch import nn
            w = nn.ParameterList(values=[a, b])
            """,
        ),
        "sparse embeddings": (
            """
            import torch.nn as nn
            from torch.nn import Embedding
            a = nn.Embedding.from_pretrained(vectors, True, False)
            b = Embedding.from_pretrained(
                vectors,
                freeze(opt),
                True,  # few words a batch
            )
            """,
            """
            import torch.nn as nn
            from torch.nn import Embedding
            a = nn.Embedding.from_pretrained(vectors, True, sparse=False)
            b = Embedding.from_pretrained(
                vectors,
                freeze(opt),
                sparse=True,  # few words a batch
            )
            """,
        ),
        "state dict": (
            """
            import torch.nn as nn
            net = nn.Linear(2, 2)
            net.state_dict(state, prefix + "net.", keep_vars)
            net.state_dict(state, prefix="net.")
            """,
            """
            import torch.nn as nn
            net = nn.Linear(2, 2)
            net.state_dict(destination=state, prefix=prefix + "net.", keep_vars=keep_vars)
            net.state_dict(destination=state, prefix="net.")
            """,
        ),
    },
)

test_keeps = keeps(
    "TP704",
    {
        "own convolutions that are modern, or no such ones": """
            import torch.nn as nn
            from torch.nn.modules.conv import _ConvNd
            class A(_ConvNd):
                def __init__(self, n, m, k, mode):
                    super().__init__(n, m, k, 1, 0, 1, False, 0, 1, True, mode)
            class B(_ConvNd):
                def __init__(self, n, m, k):
                    super().__init__(n, m, k, 1, 0, 1, False, 0, 1, bias=True)
            class C(nn.Conv2d):
                def __init__(self, n, m, k):
                    super().__init__(n, m, k, 1, 0, 1, 1, False, 0, 1)
            class D(Own, _ConvNd):
                def __init__(self, n, m, k):
                    super().__init__(n, m, k, 1, 0, 1, False, 0, 1, True)
            class E(_ConvNd):
                def __init__(self, *args):
                    super().__init__(*args, 1, 0, 1, False, 0, 1, True, 1, 2, 3)
                def build(self, other):
                    other.__init__(1, 2, 3, 1, 0, 1, False, 0, 1, True)
            """,
        "modern": """
            import torch.nn as nn
            a = nn.Hardtanh(min_val=-1, max_val=1)
            b = nn.ParameterList(values=[p])
            c = nn.ParameterList([p])
            d = nn.Embedding.from_pretrained(vectors, True)
            e = nn.Embedding.from_pretrained(vectors, freeze=False, sparse=True)
            f = nn.Linear(2, 2).state_dict()
            g = nn.Linear(2, 2).state_dict(prefix="net.")
            """,
        "padding": """
            import torch.nn as nn
            a = nn.Embedding.from_pretrained(vectors, True, 0)
            b = nn.Embedding.from_pretrained(vectors, True, pad)
            c = nn.Embedding.from_pretrained(vectors, True, None)
            """,
        "both names": """
            import torch.nn as nn
            a = nn.Hardtanh(min_val=-1, min_value=-2)
            """,
        "other functions with such an argument": """
            import torch
            import torch.nn as nn
            from mylib import Hardtanh
            a = Hardtanh(min_value=-1)
            b = scale(min_value=0, max_value=1)
            c = torch.optim.SGD(parameters=p)
            d = GloVe.from_pretrained(vectors, True, False)
            """,
        "arguments that cannot be seen": """
            import torch.nn as nn
            a = nn.Hardtanh(min_value=-1, **options)
            b = nn.Embedding.from_pretrained(*args, False)
            """,
        "state dict of an optimizer or of something unknown": """
            import torch.optim as optim
            a = optimizer.state_dict(state, "x.")
            b = self.state_dict(state)
            c = optim.SGD(parameters, lr=1).state_dict(state)
            """,
        "state dict of the user's class": """
            import torch.nn as nn
            class Net(nn.Module):
                def state_dict(self, state, prefix="", keep_vars=False):
                    return {}
            a = Net().state_dict(state, "x.")
            """,
        "code for both": """
            import torch.nn as nn
            try:
                a = nn.ParameterList(values=[p])
            except TypeError:
                a = nn.ParameterList(parameters=[p])
            """,
    },
)


_CELL = """
from torch.nn.modules.rnn import RNNCellBase
class Cell(RNNCellBase):
    def __init__(self, size):
        {}
"""


@pytest.mark.parametrize(
    "call", ["super(Cell, self).__init__()", "super().__init__()", "RNNCellBase.__init__(self)"]
)
def test_a_cell_without_sizes_is_reported(call: str) -> None:
    (finding,) = advice("TP704", _CELL.format(call))
    assert "nn.Module" in finding.message


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("__init__()", "__init__(size, size, True, 4)"),
        ("__init__()", "__init__(*size)"),
        ("(RNNCellBase)", "(RNNCellBase, Other)"),
        ("super(", "Other("),
        ("from torch.nn.modules.rnn", "from cells"),
    ],
)
def test_other_cells_are_fine(old: str, new: str) -> None:
    text = _CELL.format("super(Cell, self).__init__()")
    assert not advice("TP704", text.replace(old, new))


@pytest.mark.parametrize("version", [None, (1, 0), (1, 1), (1, 9)])
def test_the_third_argument_is_padding_idx_in_code_for_1_1(version: tuple[int, ...] | None) -> None:
    text = "import torch\nprint(torch.nn.Embedding.from_pretrained(x, True, False))\n"
    options = None if version is None else Options(era=Era(version, version))
    migration = migrate(text, "TP704", options=options)
    assert ("sparse=False" in migration.text) == (version in (None, (1, 0)))
