"""What environments give is wrapped for nothing, and needs no ``.detach()`` without the wrapper."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate

_PLAYED = """
import torch
from torch.autograd import Variable
def play(net, env):
    state = env.reset()
    for _ in range(9):
        x = torch.Tensor(state).unsqueeze(0)
        y = net(Variable(x))
        {step}
"""


def _given_to_net(step: str) -> str:
    text = migrate(textwrap.dedent(_PLAYED.format(step=step)), "TP101").text
    return text.partition("net(")[2].partition("\n")[0].removesuffix(")")


@pytest.mark.parametrize(
    "step",
    [
        "state, reward, done, info = env.step(y.max())",
        "state, reward, done, _, info = env.step(y.max())",
    ],
)
def test_what_an_environment_gives_has_no_graph(step: str) -> None:
    assert _given_to_net(step) == "x"


@pytest.mark.parametrize(
    "step",
    [
        "state, loss = env.step(y)",
        "state = env.step(y)",
        "state, reward, done, info = env.step(y, 2)",
        "state, reward, done, info = env.play(y)",
        "state, reward, done, info = other.step(y)",
        "state = y; s, reward, done, info = env.step(y)",
        "state, reward, done, info = env.step(y); state = state * net.weight",
    ],
)
def test_what_something_else_gives_may_have_one(step: str) -> None:
    assert _given_to_net(step) == "x.detach()"


def test_an_environment_of_the_project_is_looked_into() -> None:
    text = """
    import torch
    from torch.autograd import Variable
    class Env:
        def __init__(self, net):
            self.net = net
        def reset(self):
            return self.net.start
        def step(self, action):
            return self.net(action), 0.0, False, {}
    def play(net):
        env = Env(net)
        state = env.reset()
        state, reward, done, info = env.step(state)
        return net(Variable(torch.Tensor(state)))
    """
    assert "torch.Tensor(state).detach()" in migrate(textwrap.dedent(text), "TP101").text
