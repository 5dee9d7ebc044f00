from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import keeps, migrate, rewrites


def in_forward(line: str) -> str:
    head = """
        import torch.nn as nn
        import torch.nn.functional as F
        class Net(nn.Module):
            def forward(self, x, flag=True):
        """
    return textwrap.dedent(head).lstrip("\n") + textwrap.indent(textwrap.dedent(line), " " * 8)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("F.dropout(x)", "F.dropout(x, training=self.training)"),
        (
            "if flag and F.dropout(x).sum() > 0: pass",
            "if flag and F.dropout(x, training=self.training).sum() > 0: pass",
        ),
        ("F.dropout(x, 0.2)", "F.dropout(x, 0.2, training=self.training)"),
        ("F.dropout(input=x, p=0.2)", "F.dropout(input=x, p=0.2, training=self.training)"),
        ("F.dropout(x, inplace=True)", "F.dropout(x, inplace=True, training=self.training)"),
        ("F.dropout2d(x)", "F.dropout2d(x, training=self.training)"),
        ("F.dropout3d(x)", "F.dropout3d(x, training=self.training)"),
        ("F.alpha_dropout(x, 0.1)", "F.alpha_dropout(x, 0.1, training=self.training)"),
        ("nn.functional.dropout(x)", "nn.functional.dropout(x, training=self.training)"),
        ("nn.Dropout()(x)", "F.dropout(x, training=self.training)"),
        ("nn.Dropout(0.2)(x + 1)", "F.dropout(x + 1, 0.2, training=self.training)"),
        ("nn.Dropout2d(p=0.2)(x)", "F.dropout2d(x, p=0.2, training=self.training)"),
        ("nn.Dropout(inplace=True)(x)", "F.dropout(x, inplace=True, training=self.training)"),
        (
            "F.dropout(F.dropout(x), 0.2)",
            "F.dropout(F.dropout(x, training=self.training), 0.2, training=self.training)",
        ),
        (
            "F.dropout(x) + F.dropout(x, training=self.training)",
            "F.dropout(x, training=self.training) + F.dropout(x, training=self.training)",
        ),
        (
            "F.dropout(x) + F.dropout(x, 0.1, self.training)",
            "F.dropout(x, training=self.training) + F.dropout(x, 0.1, self.training)",
        ),
        (
            "f = lambda y: F.dropout(y)",
            "f = lambda y: F.dropout(y, training=self.training)",
        ),
        (
            "if self.p > 0 and x.dim() > 1: x = F.dropout(x, 0.5)",
            "if self.p > 0 and x.dim() > 1: x = F.dropout(x, 0.5, training=self.training)",
        ),
        (
            "if self.p > 0: x = F.dropout(x, 0.5)",
            "if self.p > 0: x = F.dropout(x, 0.5, training=self.training)",
        ),
        (
            "p = self.p\nif flag:\n    p = 0.1\nx = F.dropout(x, p)",
            "p = self.p\nif flag:\n    p = 0.1\nx = F.dropout(x, p, training=self.training)",
        ),
        (
            "x = always  # drops\nx = F.dropout(x)  # against overfitting",
            "x = always  # drops\nx = F.dropout(x, training=self.training)  # against overfitting",
        ),
        (
            "F.dropout(x, self.p if flag else 0.1)",
            "F.dropout(x, self.p if flag else 0.1, training=self.training)",
        ),
        (
            "if self.p: x = F.dropout(x, self.p)",
            "if self.p: x = F.dropout(x, self.p, training=self.training)",
        ),
        (
            "y = x if not self.p else F.dropout(x, self.p)",
            "y = x if not self.p else F.dropout(x, self.p, training=self.training)",
        ),
    ],
)
def test_in_forward(before: str, after: str) -> None:
    assert migrate(in_forward(before), "TP308").text == in_forward(after)
    assert migrate(in_forward(after), "TP308").text == in_forward(after)


test_rewrites = rewrites(
    "TP308",
    {
        "imported name, other self, class below": (
            """
            from torch.nn import Module
            from torch.nn.functional import dropout
            class Base(Module):
                pass
            class Net(Base):
                def encode(this, x):
                    return dropout(
                        x,
                        0.5,  # as in the paper
                    )
            """,
            """
            from torch.nn import Module
            from torch.nn.functional import dropout
            class Base(Module):
                pass
            class Net(Base):
                def encode(this, x):
                    return dropout(
                        x,
                        0.5,  # as in the paper
                        training=this.training,
                    )
            """,
        ),
    },
)

test_keeps_in_forward = keeps(
    "TP308",
    {
        "given by keyword": in_forward("F.dropout(x, training=self.training)"),
        "given by position": in_forward("F.dropout(x, 0.5, self.training)"),
        "Monte-Carlo dropout": in_forward("F.dropout(x, 0.5, training=True)"),
        "nothing dropped": in_forward("F.dropout(x, 0)"),
        "unknown arguments": in_forward("F.dropout(x, **options)"),
        "unknown positional arguments": in_forward("F.dropout(*args)"),
        "layer that gets its mode": in_forward("nn.Dropout(0.5).train(self.training)(x)"),
        "layer in its mode": in_forward("x = nn.Dropout(0.5)(x) if self.training else x"),
        "layer that drops nothing": in_forward("nn.Dropout(0)(x)"),
        "layer that is kept": in_forward("self.drop = nn.Dropout(0.5)\nreturn self.drop(x)"),
        "layer with unknown arguments": in_forward("nn.Dropout(*args)(x) + nn.Dropout(**o)(x)"),
        "layer with a flag": in_forward("nn.Dropout(0.5, True)(x)"),
        "layer of unknown inputs": in_forward("nn.Dropout(0.5)(*x) + nn.Dropout(0.5)(input=x)"),
        "hands the mode on": in_forward("helper(self.training)\nF.dropout(x)"),
        "a rate that is 0 in evaluation": in_forward(
            "p = self.p\nif not flag:\n    p = 0.0\nif p > 0.0:\n    x = F.dropout(x, p=p)"
        ),
        "said to be meant": in_forward("x = F.dropout(x, p=self.p)  # always applies dropout"),
        "said to be meant above": in_forward("# Drops at inference, too: even then.\nF.dropout(x)"),
        "a rate that is given": in_forward("if flag > 0.0:\n    x = F.dropout(x, p=flag)"),
        "a rate that a flag chooses": in_forward("F.dropout(x, self.p if flag else 0)"),
        "a named rate that a flag chooses": in_forward(
            "p = 0.0 if flag else self.p\nnn.Dropout(p)(x)"
        ),
        "asks for the mode": in_forward("if self.training: x = F.dropout(x)"),
        "leaves before": in_forward("if not self.training:\n    return x\nreturn F.dropout(x)"),
        "goes to training mode": in_forward("self.train()\nreturn F.dropout(x)"),
        "a flag decides among other things": in_forward("if self.p > 0 and flag: F.dropout(x)"),
        "a flag decides": in_forward("if flag: x = F.dropout(x)"),
        "a flag of the module decides": in_forward("x = F.dropout(x) if self.noisy else x"),
        "a compared mode decides": in_forward("if self.mode == 'train': x = F.dropout(x)"),
        "self is something else": in_forward("self = x\nF.dropout(x)"),
        "self is something else inside": in_forward("def f(self):\n    return F.dropout(x)\nf(x)"),
        "method of a layer": in_forward("self.dropout(x)"),
        "shadowed module": in_forward("F = self.functions\nF.dropout(x)"),
        "other function": in_forward("F.rrelu(x)"),
    },
)

test_keeps = keeps(
    "TP308",
    {
        "outside of a module": """
            import torch.nn.functional as F
            def noisy(x):
                return F.dropout(x)
            class Data:
                def augment(self, x):
                    return F.dropout(x)
            """,
        "class of unknown kind": """
            import torch.nn.functional as F
            from models import Base
            class Net(Base):
                def forward(self, x):
                    return F.dropout(x)
            """,
        "no self": """
            import torch.nn as nn
            import torch.nn.functional as F
            class Net(nn.Module):
                @staticmethod
                def noisy(x):
                    return F.dropout(x)
                @classmethod
                def noise(cls, x):
                    return F.dropout(x)
                weight = F.dropout(x)
            """,
        "at construction": """
            import torch.nn as nn
            import torch.nn.functional as F
            class Net(nn.Module):
                def __init__(self, x):
                    self.mask = F.dropout(x)
            """,
        "user function": """
            import torch.nn as nn
            def dropout(x, p=0.5):
                return x
            class Net(nn.Module):
                def forward(self, x):
                    return dropout(x)
            """,
        "another library": """
            import torch.nn as nn
            import tensorflow.nn as F
            class Net(nn.Module):
                def forward(self, x):
                    return F.dropout(x)
            """,
    },
)


def test_a_function_that_never_drops_is_called_so() -> None:
    finding = migrate(in_forward("F.alpha_dropout(x)"), "TP308").findings[0]
    assert finding.message == "never drops: training=self.training"


_MODULE = """
import torch.nn as nn
import torch.nn.functional as F
{old}
class Net(nn.Module):
    def forward(self, x):
        return F.dropout(x, p=0.2)
"""


@pytest.mark.parametrize(
    ("old", "is_said"),
    [
        ("", False),
        ("import torch\nx = torch.fft.rfft(torch.ones(3))", False),
        ("from torch.autograd import Variable\nx = Variable(y, volatile=True)", True),
    ],
)
def test_old_files_are_told_that_nothing_was_dropped_then(old: str, is_said: bool) -> None:
    migration = migrate(_MODULE.format(old=old), "TP308")
    (finding,) = migration.findings
    assert ("training=False gives the numbers of then" in finding.message) == is_said
