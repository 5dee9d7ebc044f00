from __future__ import annotations

import pytest
import torch

from tests.support.rules import keeps, migrate, rewrites
from torchfix_codemods.rules.modules.init_without_underscore import InitWithoutUnderscore

test_rewrites = rewrites(
    "TP701",
    {
        "weights_init of a GAN": (
            """
            import torch.nn as nn
            from torch.nn import init
            def weights_init(m):
                if hasattr(m, 'weight'):
                    init.xavier_normal(m.weight.data, gain=0.02)
                elif m.__class__.__name__.find('BatchNorm') != -1:
                    nn.init.normal(m.weight.data, 1.0, 0.02)
                    nn.init.constant(m.bias.data, 0.0)
            """,
            """
            import torch.nn as nn
            from torch.nn import init
            def weights_init(m):
                if hasattr(m, 'weight'):
                    init.xavier_normal_(m.weight.data, gain=0.02)
                elif m.__class__.__name__.find('BatchNorm') != -1:
                    nn.init.normal_(m.weight.data, 1.0, 0.02)
                    nn.init.constant_(m.bias.data, 0.0)
            """,
        ),
        "what nothing reads, beside what is read": (
            """
            from torch.nn.init import xavier_normal, xavier_uniform
            xavier_normal(w)
            """,
            """
            from torch.nn.init import xavier_normal_, xavier_uniform_
            xavier_normal_(w)
            """,
        ),
        "what nothing reads and others may, beside what is read": (
            """
            from torch.nn.init import xavier_normal, xavier_uniform
            __all__ = ["xavier_uniform"]
            xavier_normal(w)
            """,
            """
            from torch.nn.init import xavier_normal_, xavier_uniform
            __all__ = ["xavier_uniform"]
            xavier_normal_(w)
            """,
        ),
        "what nothing reads, beside what is read, where the new name is something else": (
            """
            from torch.nn.init import xavier_normal, xavier_uniform
            def xavier_uniform_(w):
                xavier_normal(w)
            """,
            """
            from torch.nn.init import xavier_normal_, xavier_uniform
            def xavier_uniform_(w):
                xavier_normal_(w)
            """,
        ),
        "from import of several names, in order": (
            """
            from torch.nn.init import xavier_uniform, calculate_gain, normal as n, constant
            xavier_uniform(w, gain=calculate_gain('relu'))
            n(w)
            constant(b, 0)
            """,
            """
            from torch.nn.init import xavier_uniform_, calculate_gain, normal_ as n, constant_
            xavier_uniform_(w, gain=calculate_gain('relu'))
            n(w)
            constant_(b, 0)
            """,
        ),
        "one name of an import is taken": (
            """
            from torch.nn.init import normal, constant
            def normal_(x):
                return normal(x)
            constant(b, 0)
            """,
            """
            from torch.nn.init import normal, constant_
            def normal_(x):
                return normal(x)
            constant_(b, 0)
            """,
        ),
        "in a table": (
            """
            import torch.nn.init as I
            INITS = {'normal': I.normal, 'orthogonal': I.orthogonal}
            """,
            """
            import torch.nn.init as I
            INITS = {'normal': I.normal_, 'orthogonal': I.orthogonal_}
            """,
        ),
        "default of a parameter": (
            """
            from torch.nn.init import kaiming_normal
            def layer(n, init=kaiming_normal):
                return init(n)
            """,
            """
            from torch.nn.init import kaiming_normal_
            def layer(n, init=kaiming_normal_):
                return init(n)
            """,
        ),
        "string of the same content stays": (
            """
            from torch.nn.init import normal
            if kind == 'normal':
                normal(w)
            """,
            """
            from torch.nn.init import normal_
            if kind == 'normal':
                normal_(w)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP701",
    {
        "torch.normal and the methods": """
            import torch
            torch.normal(mean, std)
            torch.eye(3)
            w.data.normal_(0, 1)
            w.uniform(0, 1)
            """,
        "numpy": """
            import numpy as np
            import torch
            from numpy.random import normal, uniform
            np.random.normal(0, 1)
            normal(0, 1)
            np.eye(3)
            """,
        "torch.distributions": """
            import torch
            from torch.distributions import normal, uniform
            normal.Normal(0, 1)
            """,
        "shadowed by a parameter": """
            from torch.nn import init
            def f(init, w):
                init.normal(w)
            """,
        "shadowed by a variable": """
            from torch.nn import init
            init = make()
            init.constant(w, 1)
            """,
        "a module of the user's own": """
            import torch
            from . import init
            init.xavier_uniform(w)
            """,
        "modern": """
            import torch.nn as nn
            nn.init.xavier_uniform_(w)
            nn.init.ones_(w)
            """,
        "unknown star import could hide it": """
            from torch.nn.init import *
            from helpers import *
            normal(w)
            """,
        "chosen by the file itself": """
            import torch.nn.init as init
            xavier = getattr(init, 'xavier_uniform_', None) or init.__dict__['xavier_uniform']
            try:
                init.orthogonal_(w)
            except AttributeError:
                init.orthogonal(w)
            """,
        "suppressed": """
            import torch.nn as nn
            nn.init.normal(w)  # torchfix: ignore[TP701]
            """,
    },
)


@pytest.mark.parametrize("old", sorted(InitWithoutUnderscore.renames))
def test_every_new_name_exists(old: str) -> None:
    new = InitWithoutUnderscore.renames[old].rpartition(".")[2]
    assert hasattr(torch.nn.init, new)
    text = f"import torch\n{old}(w)\n"
    assert migrate(text, "TP701").text == f"import torch\ntorch.nn.init.{new}(w)\n"


_RECURRENT = """import torch
import torch.nn as nn
from torch.nn import init
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.emb = nn.Embedding(n, 4)
        self.rnn = nn.GRU(n, 4) if n else nn.LSTM(n, 4)
        self.fc = nn.Linear(n, 4)
    def reset(self, other):
        init.normal(self.emb.weight.data)
        for i in range(2):
            w = {looked_up}
            init.orthogonal(w.data)
"""


@pytest.mark.parametrize(
    "looked_up",
    [
        "getattr(self.rnn, f'weight_hh_l{i}')",
        "getattr(self.rnn, 'weight_ih_l%d' % i)",
        "getattr(self.rnn, 'weight_hh_l0')",
    ],
)
def test_a_parameter_that_is_looked_up_by_its_name_is_one(looked_up: str) -> None:
    after = migrate(_RECURRENT.format(looked_up=looked_up)).text
    assert "        init.normal_(self.emb.weight)\n" in after
    assert after.endswith("            init.orthogonal_(w)\n")


@pytest.mark.parametrize(
    "looked_up",
    [
        "getattr(self.rnn, f'{other}_hh_l{i}')",
        "getattr(self.rnn, f'weight_{other}')",
        "getattr(self.rnn, 'weight_hh_l0', other)",
        "getattr(self.fc, f'weight_{i}')",
        "getattr(other, f'weight_hh_l{i}')",
    ],
)
def test_all_that_is_initialized_keeps_data_where_one_does(looked_up: str) -> None:
    after = migrate(_RECURRENT.format(looked_up=looked_up)).text
    assert "        init.normal_(self.emb.weight.data)\n" in after
    assert after.endswith("            init.orthogonal_(w.data)\n")
