"""Halves of a choice that make the same on the GPU and on the CPU, beside moves and other uses."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate, rewrites

test_rewrites = rewrites(
    "TP203",
    {
        "in a file whose moves are rewritten first": (
            """
            import torch
            cuda = torch.cuda.is_available()
            class Tree:
                def __init__(self, n):
                    self.mask = torch.ones(n, n)
                    if cuda:
                        self.mask = self.mask.cuda()
                    if cuda:
                        self.matrix = torch.cuda.FloatTensor(n, n)
                    else:
                        self.matrix = torch.FloatTensor(n, n)
                    self.matrix.zero_()
                def __call__(self, x):
                    x = torch.exp(x)
                    if x.is_cuda:
                        y = torch.cuda.FloatTensor(3, 3)
                    else:
                        y = torch.FloatTensor(3, 3)
                    y.zero_()
                    return x + y
            """,
            """
            import torch
            cuda = torch.cuda.is_available()
            device = torch.device("cuda" if cuda else "cpu")
            class Tree:
                def __init__(self, n):
                    self.mask = torch.ones(n, n, device=device)
                    self.matrix = torch.zeros(n, n, device=device)
                def __call__(self, x):
                    x = torch.exp(x)
                    y = torch.zeros(3, 3, device=x.device)
                    return x + y
            """,
        ),
        "of what one branch alone shows to be a tensor": (
            """
            import torch
            def f(read, n, k):
                x = read(n)
                x /= n
                if x.is_cuda:
                    y = torch.cuda.FloatTensor(n, n)
                else:
                    y = torch.FloatTensor(n, n)
                y.zero_()
                if n > 2:
                    k = x.view(-1)
                return y.masked_scatter_(k > 0, k)
            """,
            """
            import torch
            def f(read, n, k):
                x = read(n)
                x /= n
                y = torch.zeros(n, n, device=x.device)
                if n > 2:
                    k = x.view(-1)
                return y.masked_scatter_(k > 0, k)
            """,
        ),
        "of what is another thing where it is shown to be a tensor": (
            """
            import torch
            def f(read, n, k):
                x = read(n)
                if x.is_cuda:
                    y = torch.cuda.FloatTensor(n, n)
                else:
                    y = torch.FloatTensor(n, n)
                x = read(k)
                return y, x.view(-1)
            """,
            """
            import torch
            def f(read, n, k):
                x = read(n)
                if x.is_cuda:
                    y = torch.empty(n, n, device="cuda")
                else:
                    y = torch.empty(n, n)
                x = read(k)
                return y, x.view(-1)
            """,
        ),
        "of options": (
            """
            import torch
            def f(options, n):
                if options.is_cuda:
                    y = torch.cuda.FloatTensor(n, n)
                else:
                    y = torch.FloatTensor(n, n)
                return y, options.view(n)
            """,
            """
            import torch
            def f(options, n):
                if options.is_cuda:
                    y = torch.empty(n, n, device="cuda")
                else:
                    y = torch.empty(n, n)
                return y, options.view(n)
            """,
        ),
    },
    with_rules=("TP101", "TP104", "TP201", "TP202", "TP403"),
)


def _of_a_method(*lines: str, given: str = "x") -> str:
    head = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.linear = nn.Linear(2, 2)

"""
    body = "".join(f"        {line}\n" for line in lines)
    return f"{head}    def forward(self, {given}):\n{body}"


def test_a_type_of_the_gpu_follows_the_tensor_of_its_method() -> None:
    before = _of_a_method("seen = torch.cuda.LongTensor(3, 2)", "return self.linear(x), seen")
    made = "seen = torch.empty(3, 2, dtype=torch.long, device=x.device)"
    assert migrate(before, "TP203").text == _of_a_method(made, "return self.linear(x), seen")


def test_a_type_of_the_gpu_follows_no_parameter_that_may_lie_elsewhere() -> None:
    for lines, given in (
        (["n = x.cpu()", "return torch.cuda.LongTensor(3, 2), n"], "x"),
        (["return torch.cuda.LongTensor(3, 2), self.linear"], "n"),
        (
            [
                "y = x.size(0)",
                "x = x.type(torch.cuda.LongTensor)",
                "return torch.cuda.LongTensor(3, 2), x",
            ],
            "x",
        ),
    ):
        after = migrate(_of_a_method(*lines, given=given), "TP203").text
        assert "torch.empty(3, 2, dtype=torch.long, device=device)" in after


def test_a_device_that_the_file_has_goes_before_the_tensor_of_a_method() -> None:
    before = _of_a_method("return self.linear(x), torch.cuda.LongTensor(3, 2)")
    before = before.replace("\nclass", '\ndevice = torch.device("cuda")\n\nclass')
    assert "torch.empty(3, 2, dtype=torch.long, device=device)" in migrate(before, "TP203").text


_NOISE = """
import torch
from torch.autograd import Variable

class Model(object):
    def sample(self, mu, logvar, y):
        std = logvar.mul(0.5).exp_()
        {halves}
        {below}
"""
_HALVES = "\n        ".join(
    [
        "if self.args.cuda:",
        "    eps = torch.cuda.FloatTensor(std.size()).normal_()",
        "else:",
        "    eps = torch.FloatTensor(std.size()).normal_()",
    ]
)


def _sampled(*below: str, halves: str = _HALVES) -> str:
    text = _NOISE.format(halves=halves, below="\n        ".join(below))
    after = migrate(text).text
    assert migrate(after).text == after
    return after


@pytest.mark.parametrize(
    "below",
    [
        ["eps = Variable(eps)", "return eps.mul(std).add_(mu)"],
        ["return eps.mul(std).add_(mu)"],
        ["return std.mul(eps)"],
        ["return torch.mul(eps, std)"],
        ["return mu + std * Variable(eps)"],
        ["noise = Variable(eps)", "return mu + noise * std[:]"],
        ["if mu is None:", "    return eps * std", "return mu + eps * std.exp()"],
    ],
)
def test_halves_that_are_calculated_with_a_tensor_are_one_line_beside_it(below: list[str]) -> None:
    after = _sampled(*below)
    made = "torch.randn(std.size(), device=std.device)"
    assert f".exp_()\n        {'noise' if 'noise' in after else 'eps'} = {made}\n" in after


def test_halves_in_one_line_are_calculated_with_it_as_well() -> None:
    gpu, cpu = (f"torch.{kind}FloatTensor(std.size()).normal_()" for kind in ("cuda.", ""))
    for test in ("self.args.cuda", "self.cuda != ''"):
        after = _sampled("return eps * std", halves=f"eps = {gpu} if {test} else {cpu}")
        assert "        eps = torch.randn(std.size(), device=std.device)\n" in after


@pytest.mark.parametrize(
    "below",
    [
        pytest.param(["return eps"], id="given back"),
        pytest.param(["return eps * std, eps"], id="given back as well"),
        pytest.param(["return eps * y"], id="with what may be a number"),
        pytest.param(["return std.copy_(eps)"], id="copied from one device to another"),
        pytest.param(["return std.fill_(eps)"], id="filled with it"),
        pytest.param(["return eps.type_as(std)"], id="made like another"),
        pytest.param(["std = mu.exp()", "return eps * std"], id="with another of that name"),
        pytest.param(["return eps * std, eps * mu.exp()"], id="with two"),
        pytest.param(["return torch.mul(*[eps, std])"], id="in a list"),
    ],
)
def test_halves_that_nothing_tells_the_device_of_stay(below: list[str]) -> None:
    after = _sampled(*below)
    assert 'eps = torch.randn(std.size(), device="cuda")\n        else:\n' in after


@pytest.mark.parametrize("below", ["return eps * std.cuda()", "return eps, y.cuda()"])
def test_halves_beside_moves_that_stay_are_left_as_they_are(below: str) -> None:
    assert f"        {_HALVES}\n        {below}\n" in _sampled(below)


def test_halves_beside_moves_that_stay_follow_what_they_are_calculated_with() -> None:
    after = _sampled("y.cuda()", "return eps * std")
    assert ".exp_()\n        eps = torch.randn(std.size(), device=std.device)\n" in after


def test_halves_by_a_test_that_does_something_stay() -> None:
    halves = _HALVES.replace("self.args.cuda", "self.next_cuda()")
    after = _sampled("return eps * std", halves=halves)
    assert 'eps = torch.randn(std.size(), device="cuda")\n        else:\n' in after


@pytest.mark.parametrize(
    ("above", "is_there"),
    [
        (["if std is not None:"], True),
        (["if mu and std is not None:"], True),
        (["if std is None:", "    return mu", "if mu:"], True),
        (["assert std is not None", "if mu:"], True),
        (["noise = torch.zeros(std.size(0))", "if mu:"], True),
        (["if mu or std is not None:"], False),
        (["noise = torch.zeros(std.size(0) if mu else 1)", "if mu:"], False),
        (["if mu:"], False),
    ],
)
def test_the_tensor_beside_halves_is_none_where_a_call_leaves_it_out(
    above: list[str], is_there: bool
) -> None:
    made = [line.strip("\n").removeprefix("        ") for line in _HALVES.split("\n")]
    inside = [*made, "if logvar:", "    return eps * std.view(-1)"]
    lines = [*above, *(f"    {line}" for line in inside), "return mu"]
    body = "".join(f"        {line}\n" for line in lines).replace("std.size()).", "3).")
    text = "import torch\nclass Model:\n    def sample(self, mu, logvar, std=None):\n" + body
    after = migrate(text).text
    assert ("eps = torch.randn(3, device=std.device)" in after) is is_there
