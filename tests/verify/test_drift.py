"""Last bits that grow in a long training are no difference; a small error at each step is one."""

from __future__ import annotations

import pytest

from tests.support.verifying import Bench
from torchfix_codemods.verify.comparing.drift import WORDS
from torchfix_codemods.verify.verdicts import Verdict

PROGRAM = """\
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.35, momentum=0.9{options})
a, b, c = torch.randn(3, 40, 6)
for step in range({steps}):
    x = {x}
    target = (a - b).sin().sum(1, keepdim=True)
    loss = 1 + ((net(x) - target) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    {between}
    optimizer.step()
print('loss', loss.item())
"""

DEFAULTS = {"options": "", "steps": 100, "x": "(a + b) + c", "between": "pass"}


def texts(**after: str) -> tuple[str, str]:
    return PROGRAM.format(**DEFAULTS), PROGRAM.format(**{**DEFAULTS, **after})


def test_last_bits_that_grow(judges: Bench) -> None:
    judged = judges.judge("script", *texts(x="a + (b + c)"))
    assert judged.only.verdict is Verdict.EQUIVALENT, judged.outcomes
    assert WORDS in judged.only.reason


@pytest.mark.parametrize(
    "after",
    [
        {"options": ", weight_decay=1e-5"},
        {"x": "(a + b) + c * 1.00002"},
        {"between": "[p.grad.add_(1e-6) for p in net.parameters()]"},
        {"steps": "101"},
    ],
    ids=str,
)
def test_a_small_error_at_each_step(judges: Bench, after: dict[str, str]) -> None:
    assert judges.judge("script", *texts(**after)).only.verdict is Verdict.DIFFERENT


def test_one_of_both(judges: Bench) -> None:
    """Of a rewrite that rounds otherwise and one that is wrong, the latter is to blame."""
    judged = judges.judge("script", *texts(x="a + (b + c)", options=", weight_decay=1e-5"))
    assert judged.verdicts == [Verdict.DIFFERENT, Verdict.EQUIVALENT]


PAINTED = """\
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(30, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 3))
net.requires_grad_(False)
image = torch.rand(8, 30).requires_grad_()
goal = net(torch.rand(8, 30))
optimizer = torch.optim.LBFGS([image], max_iter=3)


def closure():
    optimizer.zero_grad()
    out = net(image)
    first, second, third = 1e3 * (out - goal).pow(2).sum(), 3 * out.sum(), 0 * out.mean()
    {backward}
    {between}
    return first + second


for _ in range(3):
    optimizer.step(closure)
print('image', image.detach().norm().item())
"""

SEVERAL = """[each.backward(retain_graph=True) for each in (first, third, second)]
    both = 0"""


@pytest.mark.parametrize(
    ("backward", "between", "verdict"),
    [
        ("both = first + second + third\n    both.backward()", "pass", Verdict.EQUIVALENT),
        ("both = first - second + third\n    both.backward()", "pass", Verdict.DIFFERENT),
        (SEVERAL, "image.grad.add_(image.detach(), alpha=1e-2)", Verdict.DIFFERENT),
        (SEVERAL, "image.data.mul_(1.00002)", Verdict.DIFFERENT),
    ],
)
def test_what_an_optimizer_changes_that_is_in_no_module(
    judges: Bench, backward: str, between: str, verdict: Verdict
) -> None:
    """Losses are added up, and one that is zero may belong to this sum or to the next."""
    before = PAINTED.format(backward=SEVERAL, between="pass")
    after = PAINTED.format(backward=backward, between=between)
    judged = judges.judge("script", before, after)
    assert set(judged.verdicts) == {verdict}, judged.outcomes
    if verdict is Verdict.EQUIVALENT:
        assert all(WORDS in each.reason for each in judged.outcomes.values())


NORMALISED = """\
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
a, b, c = torch.randn(3, 40, 6)
for step in range(5):
    x = {x}
    loss = ((net(x) - a.sum(1, keepdim=True)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    {between}
    optimizer.step()
    print('loss', loss.item())
net.eval()
with torch.no_grad():
    out = {out}
print('best', out.argmax().item())
"""

WHOLE = {"x": "(a + b) + c", "between": "pass", "out": "net(a)"}


@pytest.mark.parametrize(
    ("after", "verdict"),
    [
        ({"x": "a + (b + c)"}, Verdict.EQUIVALENT),
        (
            {"x": "a + (b + c)", "out": "torch.cat([net(part) for part in a.split(16)])"},
            Verdict.EQUIVALENT,
        ),
        ({"x": "a + (b + c)", "out": "net(b)"}, Verdict.DIFFERENT),
        ({"between": "net[0].bias.grad.add_(1e-4)"}, Verdict.DIFFERENT),
        ({"between": "net[3].bias.grad.add_(1e-4)"}, Verdict.DIFFERENT),
        ({"between": "net[0].bias.data.add_(1e-3)"}, Verdict.DIFFERENT),
        ({"between": "net[0].bias.grad = None"}, Verdict.DIFFERENT),
    ],
    ids=str,
)
def test_gradients_that_are_nothing_but_rounding(
    judges: Bench, after: dict[str, str], verdict: Verdict
) -> None:
    """Adam makes whole steps of what rounding left of the gradient of a bias before a norm."""
    texts = NORMALISED.format(**WHOLE), NORMALISED.format(**{**WHOLE, **after})
    judged = judges.judge("script", *texts)
    if verdict is Verdict.EQUIVALENT:
        assert set(judged.verdicts) == {verdict}, judged.outcomes
        assert all(WORDS in each.reason for each in judged.outcomes.values())
    else:
        assert verdict in judged.verdicts, judged.outcomes
