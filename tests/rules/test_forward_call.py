from __future__ import annotations

import textwrap

import pytest
import torch

from tests.support.rules import keeps, migrate, rewrites
from torchfix_codemods.finding import Numerics

test_rewrites = rewrites(
    "TP604",
    {
        "layer": (
            """
            import torch.nn as nn
            layer = nn.Linear(2, 3)
            y = layer.forward(x)
            """,
            """
            import torch.nn as nn
            layer = nn.Linear(2, 3)
            y = layer(x)
            """,
        ),
        "what wraps a module": (
            """
            import torch.nn as nn
            from torch.nn.parallel import DistributedDataParallel
            model = DistributedDataParallel(nn.Linear(2, 3), device_ids=[0])
            y = model.forward(x)
            """,
            """
            import torch.nn as nn
            from torch.nn.parallel import DistributedDataParallel
            model = DistributedDataParallel(nn.Linear(2, 3), device_ids=[0])
            y = model(x)
            """,
        ),
        "attribute of a module, arguments of all kinds": (
            """
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.cell = nn.LSTMCell(2, 3)
                def forward(self, x, *state, **options):
                    return self.cell.forward(x, *state, **options)
            """,
            """
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.cell = nn.LSTMCell(2, 3)
                def forward(self, x, *state, **options):
                    return self.cell(x, *state, **options)
            """,
        ),
        "self in another method": (
            """
            from torch import nn
            class Net(nn.Module):
                def forward(self, x):
                    return x
                def predict(self, x):
                    return self.forward(x).max(1)[1]
            """,
            """
            from torch import nn
            class Net(nn.Module):
                def forward(self, x):
                    return x
                def predict(self, x):
                    return self(x).max(1)[1]
            """,
        ),
        "parentheses and lines stay": (
            """
            import torch.nn as nn
            a, b = nn.ReLU(), nn.Tanh()
            y = (a if flag else b).forward(
                x,  # images
            )
            """,
            """
            import torch.nn as nn
            a, b = nn.ReLU(), nn.Tanh()
            y = (a if flag else b)(
                x,  # images
            )
            """,
        ),
        "beside what has to stay, and beside an unknown one of another function": (
            """
            import torch.nn as nn
            class Base(nn.Module):
                def forward(self, x):
                    return x
            class Net(Base):
                def __init__(self):
                    super().__init__()
                    self.head, self.tail = nn.Linear(2, 2), make_tail()
                def forward(self, x):
                    return self.head.forward(super().forward(x)) + Base.forward(self, x)
                def features(self, x):
                    return self.tail.forward(x)
            """,
            """
            import torch.nn as nn
            class Base(nn.Module):
                def forward(self, x):
                    return x
            class Net(Base):
                def __init__(self):
                    super().__init__()
                    self.head, self.tail = nn.Linear(2, 2), make_tail()
                def forward(self, x):
                    return self.head(super().forward(x)) + Base.forward(self, x)
                def features(self, x):
                    return self.tail.forward(x)
            """,
        ),
        "beside a function of torch's": (
            """
            import torch
            import torch.nn as nn
            class Double(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    return x * 2
            def f(x):
                x = nn.Linear(2, 2).forward(x)
                return nn.ReLU().forward(Double.forward(None, x))
            """,
            """
            import torch
            import torch.nn as nn
            class Double(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    return x * 2
            def f(x):
                x = nn.Linear(2, 2)(x)
                return nn.ReLU()(Double.forward(None, x))
            """,
        ),
        "nested": (
            """
            import torch.nn as nn
            a, b = nn.Linear(2, 2), nn.ReLU()
            y = b.forward(a.forward(x))
            """,
            """
            import torch.nn as nn
            a, b = nn.Linear(2, 2), nn.ReLU()
            y = b(a(x))
            """,
        ),
    },
)

test_keeps = keeps(
    "TP604",
    {
        "super": """
            import torch.nn as nn
            class Net(nn.Linear):
                def forward(self, x):
                    return super().forward(x) + super(Net, self).forward(x)
            """,
        "base class by name": """
            import torch.nn as nn
            class Base(nn.Module):
                def forward(self, x):
                    return x
            class Net(Base):
                def forward(self, x):
                    return Base.forward(self, x) + nn.Module.forward(self, x)
            """,
        "unknown receiver": """
            import torch
            def f(model, x):
                return model.forward(x)
            """,
        "beside an unknown one in the same function": """
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.conv = nn.Conv2d(3, 3, 3)
                    self.down = nn.Conv2d(3, 3, 3)
                def forward(self, x):
                    x = self.conv.forward(x)
                    for name in ("down",):
                        x = getattr(self, name).forward(x)
                    return self.down.forward(x)
            """,
        "beside an unknown attribute in the same function": """
            import torch.nn as nn
            class Model:
                def __init__(self, opt):
                    self.first = define(opt)
                    self.second = nn.Conv2d(3, 3, 3).cuda()
                def test(self, x):
                    x = self.first.forward(x)
                    return self.second.forward(x)
                def test_second(self, x):
                    return self.second.forward(x)
            """,
        "recursion": """
            import torch.nn as nn
            class Tree(nn.Module):
                def forward(self, tree):
                    return sum(self.forward(child) for child in tree)
            """,
        "recursion from a function inside": """
            import torch.nn as nn
            class Tree(nn.Module):
                def forward(self, tree):
                    def visit(node):
                        return self.forward(node)
                    return visit(tree)
            """,
        "class that overrides __call__": """
            import torch.nn as nn
            class Net(nn.Module):
                def __call__(self, x):
                    return self.forward(x) * 2
                def forward(self, x):
                    return x
            Net().forward(x)
            """,
        "subclass of one that overrides __call__": """
            import torch.nn as nn
            class Base(nn.Module):
                def __call__(self, x):
                    return self.forward(x) * 2
            class Net(Base):
                def forward(self, x):
                    return x
            Net().forward(x)
            """,
        "base of one that overrides __call__": """
            import torch.nn as nn
            class Base(nn.Module):
                def forward(self, x):
                    return x
                def predict(self, x):
                    return self.forward(x)
            class Net(Base):
                def __call__(self, x):
                    return self.predict(x) * 2
            """,
        "any module, where one overrides __call__": """
            import torch.nn as nn
            class Net(nn.Module):
                def __call__(self, x):
                    return x * 2
            for m in nn.ModuleList([Net()]).modules():
                m.forward(x)
            """,
        "mixin from elsewhere may override __call__": """
            import torch.nn as nn
            from helpers import Traced
            class Net(Traced, nn.Module):
                def forward(self, x):
                    return x
            Net().forward(x)
            """,
        "class that is no module": """
            import torch
            class PriorBox(object):
                def forward(self):
                    return torch.ones(1)
                def boxes(self):
                    return self.forward()
            PriorBox().forward()
            """,
        "autograd function": """
            import torch
            class Double(torch.autograd.Function):
                def forward(self, x):
                    return x * 2
            Double().forward(x)
            Double.forward(None, x)
            """,
        "not called": """
            import torch.nn as nn
            f = nn.Linear(2, 2).forward
            map(nn.ReLU().forward, xs)
            """,
        "module replaced by something else": """
            import torch.nn as nn
            net = nn.Linear(2, 2)
            if flag:
                net = load()
            net.forward(x)
            """,
        "script method": """
            import torch
            import torch.nn as nn
            class Net(nn.Module):
                def forward(self, x):
                    return x
                @torch.jit.export
                def twice(self, x):
                    return self.forward(self.forward(x))
            """,
        "comment that would be lost": """
            import torch.nn as nn
            net = nn.Linear(2, 2)
            y = (net  # without hooks
                 .forward(x))
            """,
        "already modern": """
            import torch.nn as nn
            nn.Linear(2, 2)(x)
            """,
        "suppressed": """
            import torch.nn as nn
            nn.Linear(2, 2).forward(x)  # torchfix: ignore[forward-call]
            """,
    },
)

HOOKED = """
import torch
from torch import nn
from torch.nn.utils import weight_norm

def case():
    torch.manual_seed(0)
    layer = weight_norm(nn.Linear(3, 2))
    with torch.no_grad():
        layer.weight_g.mul_(2)
    return layer.forward(torch.ones(1, 3))
"""


@pytest.mark.filterwarnings("ignore")
def test_where_there_are_hooks_the_numbers_change() -> None:
    migration = migrate(HOOKED, "TP604")
    assert [f.numerics for f in migration.findings] == [Numerics.CHANGED]
    right = HOOKED.replace("layer.forward(", "layer(")
    assert migration.text == right
    before, after = _run(HOOKED), _run(migration.text)
    assert not torch.equal(before, after)


def test_hooks_run_beside_an_unknown_one_as_well() -> None:
    text = HOOKED.replace("    return", "    other().forward(torch.ones(1))\n    return")
    assert migrate(text, "TP604").text == text.replace("layer.forward(", "layer(")


@pytest.mark.parametrize(
    "line",
    ["net.register_forward_hook(save)", "prune.random_unstructured(net, 'weight', amount=0.5)"],
)
def test_what_hooks_a_module_is_known(line: str) -> None:
    text = textwrap.dedent(
        f"""
        import torch.nn as nn
        import torch.nn.utils.prune as prune
        net = nn.Linear(2, 2)
        {line}
        net.forward(x)
        """
    )
    assert [f.numerics for f in migrate(text, "TP604").findings] == [Numerics.CHANGED]


def _run(text: str) -> torch.Tensor:
    namespace: dict[str, object] = {}
    exec(text, namespace)
    case = namespace["case"]
    assert callable(case)
    result = case()
    assert isinstance(result, torch.Tensor)
    return result
