"""Programs whose gradients hang on who may set a value: run before and after, they stay equal.

Each program leaves what it computed in ``result``; a rewrite that took a value for one without
a graph, or for a single number, would change it or raise.
"""

from __future__ import annotations

import textwrap

import pytest
import torch

from tests.support.rules import migrate

_HEAD = """
import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd import Variable
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence
net, d = nn.Linear(3, 3), nn.Linear(3, 1)
ones = torch.ones(1, 3)
"""

PROGRAMS = {
    "an item that a loop stores": """
        state = {"h": Variable(torch.ones(1, 3))}
        for i in range(2):
            state["h"] = net(state["h"])
            h = state["h"]
            loss = d(h.data).sum()
        loss.backward()
        result = net.weight.grad
        """,
    "an element that is appended": """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.states = [Variable(torch.ones(1, 3))]
            def step(self):
                self.states.append(net(self.states[-1]))
            def critic(self):
                h = self.states[-1]
                return d(h.data).sum()
        model = Model()
        model.step()
        model.critic().backward()
        result = net.weight.grad
        """,
    "an attribute that others set": """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.h = Variable(torch.ones(1, 3))
            def critic(self):
                h = self.h
                return d(h.data).sum()
        model = Model()
        model.h = net(model.h)
        model.critic().backward()
        result = net.weight.grad
        """,
    "an attribute that a subclass sets": """
        class Base(nn.Module):
            def __init__(self):
                super().__init__()
                self.h = torch.zeros(1, 3)
            def step(self):
                self.update(Variable(self.h) + 1)
        class Model(Base):
            def update(self, x):
                self.h = net(x)
        model = Model()
        model.step()
        model.step()
        model.h.sum().backward()
        result = net.weight.grad
        """,
    "an attribute that is written into": """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.memory = torch.zeros(2, 3)
            def forward(self, x):
                self.memory[0] = x[0]
                return d(Variable(self.memory))
        x = torch.ones(1, 3, requires_grad=True)
        Model()(x * 2).sum().backward()
        result = x.grad
        """,
    "a parameter of an inherited method": """
        class Critic(object):
            def score(self, x):
                return d(x.data).sum()
        class Big(Critic):
            pass
        Critic().score(Variable(torch.zeros(1, 3)))
        Big().score(net(ones)).backward()
        result = net.weight.grad
        """,
    "a parameter of forward": """
        class Critic(nn.Module):
            def forward(self, x):
                return d(Variable(x)) + x.data.sum()
        critic = Critic()
        critic.forward(torch.zeros(1, 3))
        critic(net(ones)).sum().backward()
        result = net.weight.grad
        """,
    "a parameter given by *args": """
        def score(x, y):
            return d(Variable(x)).sum() + (y * 0).sum()
        batch = net(ones), torch.zeros(1, 3)
        score(torch.zeros(1, 3), torch.zeros(1, 3))
        score(*batch).backward()
        result = net.weight.grad
        """,
    "a parameter of a function that is passed on": """
        def score(x, scale=Variable(torch.ones(1, 3))):
            return d(scale.data.mul(x)).sum()
        sum(map(score, [ones], [net(ones)])).backward()
        result = net.weight.grad
        """,
    "a global name that a function sets": """
        def update():
            global h
            h = net(h)
        h = Variable(torch.ones(1, 3))
        for i in range(2):
            update()
            loss = d(h.data).sum()
        loss.backward()
        result = net.weight.grad
        """,
    "another name that is added to": """
        h = Variable(torch.ones(1, 3))
        buffer = h
        buffer += net(ones)
        d(h.data).sum().backward()
        result = net.weight.grad
        """,
    "a tensor made of a tensor": """
        w = torch.ones(3, requires_grad=True)
        y = w * 2
        v = Variable(torch.Tensor(y))
        (v * w).sum().backward()
        result = w.grad
        """,
    "gradients switched on again": """
        @torch.no_grad()
        def refine():
            with torch.enable_grad():
                net(ones).sum().backward()
                for p in net.parameters():
                    p.data.add_(p.grad.data)
        refine()
        result = net.weight
        """,
    "an in-place layer on what a graph needs": """
        w = torch.ones(3, requires_grad=True)
        out = net(ones)
        y = (w * out.data).sum()
        relu = nn.ReLU(inplace=True)
        z = relu(out)
        (y + z.sum()).backward()
        result = w.grad
        """,
    "packed input of a recurrent layer": """
        class Encoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = nn.GRU(3, 4)
            def forward(self, x):
                out, h = self.rnn(x)
                return PackedSequence(out.data, out.batch_sizes)
        result = Encoder()(pack_padded_sequence(torch.ones(4, 2, 3), [4, 2])).data
        """,
    "losses of several devices": """
        class Loss(nn.Module):
            def __init__(self):
                super().__init__()
                self.criterion = nn.MSELoss()
            def forward(self, x, y):
                return self.criterion(x, y)
        nn.DataParallel.forward = lambda self, *given: torch.stack(2 * [self.module(*given)])
        model = nn.DataParallel(Loss())
        loss = model(ones, ones + 1)
        result = loss.data[0]
        """,
    "a loss that is not reduced": """
        criterion = nn.MSELoss(True, False)
        loss = criterion(torch.ones(2, 3), torch.zeros(2, 3))
        result = loss.data[0]
        """,
    "a similarity along another dimension": """
        similarity = F.cosine_similarity(torch.ones(2, 4, 3), torch.ones(2, 4, 3), dim=2)
        mean = similarity.mean(0)
        result = mean.data[0]
        """,
    "a number to the power of a vector": """
        base = torch.tensor(0.9)
        powers = base.pow(torch.arange(1, 5).float())
        result = powers.data[0]
        """,
    "a name of the module in a class": """
        weights = torch.ones(3)
        class Settings:
            weights = Variable(weights)
        result = Settings.weights
        """,
}


def _run(text: str) -> torch.Tensor | None:
    forward = torch.nn.DataParallel.forward
    torch.manual_seed(0)
    scope: dict[str, object] = {}
    try:
        exec(compile(text, "program.py", "exec"), scope)
    finally:
        torch.nn.DataParallel.forward = forward
    result = scope["result"]
    assert result is None or isinstance(result, torch.Tensor)
    return result


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_numbers_stay(program: str) -> None:
    before = _HEAD + textwrap.dedent(program)
    after = migrate(before).text
    expected, result = _run(before), _run(after)
    if expected is None or result is None:
        assert expected is result
    else:
        assert torch.equal(expected, result)
