"""TP104 and TP101 where a leaf is made in the memory of another tensor: ``x.data`` and gradients."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_ATTACK = """import torch
from torch.autograd import Variable
class Attack:
    def __init__(self, net, other):
        self.net = net
    def run(self, net, x: torch.Tensor, steps, kept):
        y = {made}
        {line}
        return x
"""

_WRAPPED = "Variable(x.data, requires_grad=True)"
_BARE = "x.data.requires_grad_()"


def _made(made: str, line: str) -> str:
    text = _ATTACK.format(made=made, line=line)
    after = migrate(text, "TP104" if made == _BARE else "TP101").text
    return next(each.strip() for each in after.splitlines() if each.startswith("        y = "))


@pytest.mark.parametrize("made", [_WRAPPED, _BARE])
@pytest.mark.parametrize(
    "line",
    [
        "net(y).sum().backward(); kept = y.grad",
        "self.net(y).sum().backward(); kept = y.grad.clone(); y.grad.zero_()",
        "z = y.cuda(); self.net(z, y).backward(); kept = z.requires_grad",
        "print(y.data.sum(), y.detach().cpu().numpy())",
    ],
)
def test_a_leaf_that_nothing_writes_into_is_of_what_is_detached(made: str, line: str) -> None:
    assert _made(made, line) == "y = x.detach().requires_grad_()"


@pytest.mark.parametrize("made", [_WRAPPED, _BARE])
@pytest.mark.parametrize(
    "line",
    [
        # An optimizer writes into it; so may other code that is not known.
        "kept = torch.optim.SGD([y], lr=steps); net(y).backward(); kept.step()",
        "kept.perturb(y)",
        "unknown(y)",
        "self.net(y.data)",
        "y.data.add_(steps)",
        "y.data -= steps * y.grad",
        "y.detach().mul_(steps)",
        "x.add_(steps); net(y).backward()",
        "self.y = y",
        "kept.append(y)",
        "return y",
    ],
)
def test_a_leaf_that_something_may_write_into_is_of_its_data(made: str, line: str) -> None:
    assert _made(made, line) == f"y = {_BARE}"


def test_a_leaf_is_detached_beside_data_that_stay() -> None:
    after = migrate(
        _ATTACK.format(made=_BARE, line="net(y).backward(); kept(x.data)"), "TP104"
    ).text
    assert "y = x.detach().requires_grad_()" in after and "kept(x.data)" in after


_IN_PARTS = """import torch
from torch import nn
from torch.autograd import Variable
{head}
class Net({base}):
    def __init__(self):
        super(Net, self).__init__()
        self.fc = nn.Linear(2, 2)
        self.device = torch.device("cpu")
    def {name}(self, x):
        x = Variable(x.data, requires_grad=True)
        self.input.append(x)
        x = self.fc(x)
        x = Variable(x.data, requires_grad=True)
        self.input.append(x)
        return self.fc(x)
"""


@pytest.mark.parametrize(
    ("head", "base", "name", "is_alike"),
    [
        ("", "nn.Module", "forward", True),
        # The data of packed sequences lead a graph on.
        ("from torch.nn.utils.rnn import PackedSequence", "nn.Module", "forward", False),
        ("", "object", "forward", False),
        ("", "nn.Module", "run", False),
    ],
)
def test_what_a_module_is_given_is_cut_like_what_it_calculates(
    head: str, base: str, name: str, is_alike: bool
) -> None:
    after = migrate(_IN_PARTS.format(head=head, base=base, name=name), "TP101").text
    assert ("x.data.detach()" not in after) is is_alike
    assert after.count("x = x.data.requires_grad_()") == 1 + is_alike


_GIVEN_BACK = """import torch
from torch.autograd import Variable


def distance(x: torch.Tensor, y, n):
    {made}
    return Variable(z.data, requires_grad=True).cuda()
"""


@pytest.mark.parametrize(
    "made",
    [
        "z = torch.log_softmax(x / n, dim=1)\n    z = -torch.mean(z * y, dim=0)",
        "z = torch.sum(x * y)",
        "z = x * y\n    z = z.sum(1)",
        "if n:\n        z = x - y\n    else:\n        z = x + y",
    ],
)
def test_what_only_the_leaf_goes_on_with_is_detached(made: str) -> None:
    after = migrate(_GIVEN_BACK.format(made=made), "TP101", "TP104").text
    assert "return z.detach().requires_grad_().cuda()" in after


@pytest.mark.parametrize(
    "made",
    [
        "z = x.view(-1)",
        "z = torch.squeeze(x)",
        "z = x",
        "z = x * y\n    w = z.exp()\n    keep(w)",
        "z = x * y\n    print(lambda: z)",
        "z, w = x * y",
        "global z\n    z = x * y",
        "z = y(x)",
        "if n:\n        z = x * 2\n    else:\n        z = x",
    ],
)
def test_what_something_else_may_hold_keeps_its_data(made: str) -> None:
    after = migrate(_GIVEN_BACK.format(made=made), "TP101", "TP104").text
    assert "z.detach()" not in after
