"""What a program draws is compared, as what it prints is."""

from __future__ import annotations

import pytest

from tests.support.verifying import Bench
from torchfix_codemods.verify.verdicts import Verdict

#: A matplotlib that draws nothing; a bar is drawn by calls of another method.
SCRIPT = """\
import os
import torch

AXES = '''
class Axes:
    def plot(self, *given, **named):
        pass

    def text(self, *given, **named):
        pass

    def bar(self, *given, **named):
        self.plot([1.0, 2.0])

    def legend(self, *given, **named):
        pass
'''
os.makedirs('matplotlib')
open('matplotlib/__init__.py', 'w').close()
with open('matplotlib/axes.py', 'w') as file:
    file.write(AXES)
from matplotlib.axes import Axes


def draw(x):
    axes = Axes()
    {line}


draw(torch.arange(3.0))
print('done')
"""


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ("axes.plot(x.data.numpy())", "axes.plot(x.detach().numpy())", Verdict.EQUIVALENT),
        ("axes.plot(x)", "axes.plot(x.double().tolist())", Verdict.EQUIVALENT),
        ("axes.plot(x)", "axes.plot(x + 1e-3)", Verdict.DIFFERENT),
        ("axes.plot(x, c='r')", "axes.plot(x, c='b')", Verdict.EQUIVALENT),
        ("axes.plot(xs=x)", "axes.plot(xs=x.flip(0))", Verdict.DIFFERENT),
        ("axes.bar(x)", "axes.bar(x * 1)", Verdict.EQUIVALENT),
        ("axes.bar(x)", "axes.bar(x * 2)", Verdict.DIFFERENT),
        (
            "axes.text(0, 0, 'loss %.4f' % x[1])",
            "axes.text(0, 0, f'loss {x[1]:.4f}')",
            Verdict.EQUIVALENT,
        ),
        (
            "axes.text(0, 0, 'loss %.4f' % x[1])",
            "axes.text(0, 0, f'loss {x[2]:.4f}')",
            Verdict.DIFFERENT,
        ),
        ("axes.legend(x)", "axes.legend(x + 1)", Verdict.NOT_OBSERVED),
    ],
)
def test_what_is_drawn(judges: Bench, before: str, after: str, verdict: Verdict) -> None:
    texts = [SCRIPT.replace("{line}", line) for line in (before, after)]
    judged = judges.judge("script", *texts)
    assert judged.only.verdict is verdict, judged.outcomes
