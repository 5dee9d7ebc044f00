from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

HEAD = "import torch\nfrom torch.autograd import Variable\n"

test_rewrites = rewrites(
    "TP101",
    {
        "brackets of its own": (
            """
            import torch
            from torch.autograd import Variable
            def f(a):
                s = Variable((torch.from_numpy(a).float()))
                t = 2 * Variable((torch.ones(3) + 1))
                return s, t, Variable((torch.ones(3)), requires_grad=True)
            """,
            """
            import torch
            def f(a):
                s = torch.from_numpy(a).float()
                t = 2 * (torch.ones(3) + 1)
                return s, t, torch.ones(3, requires_grad=True)
            """,
        ),
        "brackets that hold lines together": (
            """
            import torch
            from torch.autograd import Variable
            def f():
                return Variable((torch.ones(3)
                                 .float()))
            """,
            """
            import torch
            def f():
                return (torch.ones(3)
                        .float())
            """,
        ),
        "names that are read once, of what was made just before": (
            """
            import torch
            from torch.autograd import Variable
            def once(cuda, check):
                for n in range(3):
                    x = torch.randn(n, 2)
                    if cuda:
                        x = x.float().cuda()
                    check(Variable(x, requires_grad=True))
            def in_another_loop(check):
                x = torch.randn(2)
                for n in range(3):
                    check(Variable(x, requires_grad=True))
                y = torch.randn(2)
                return [Variable(y, requires_grad=True) for n in range(3)]
            def twice(check):
                x = torch.randn(2)
                check(Variable(x, requires_grad=True))
                return x
            def kept(self, check):
                self.x = x = torch.randn(2)
                y = self.x.cuda()
                check(Variable(x, requires_grad=True), Variable(y, requires_grad=True))
            def closed(check):
                x = torch.randn(2)
                def inner():
                    return x
                check(Variable(x, requires_grad=True), inner)
            """,
            """
            import torch
            def once(cuda, check):
                for n in range(3):
                    x = torch.randn(n, 2)
                    if cuda:
                        x = x.float().cuda()
                    check(x.requires_grad_())
            def in_another_loop(check):
                x = torch.randn(2)
                for n in range(3):
                    check(x.detach().requires_grad_())
                y = torch.randn(2)
                return [y.detach().requires_grad_() for n in range(3)]
            def twice(check):
                x = torch.randn(2)
                check(x.detach().requires_grad_())
                return x
            def kept(self, check):
                self.x = x = torch.randn(2)
                y = self.x.cuda()
                check(x.detach().requires_grad_(), y.detach().requires_grad_())
            def closed(check):
                x = torch.randn(2)
                def inner():
                    return x
                check(x.detach().requires_grad_(), inner)
            """,
        ),
        "what is made of what was made just before": (
            """
            import torch
            from torch.autograd import Variable
            def chosen(check, noisy, size):
                x = torch.zeros(size)
                if noisy:
                    x = torch.normal(means=x, std=0.001)
                check(Variable(x, requires_grad=True))
            def scaled(check, rounds):
                for n in range(rounds):
                    x = torch.randn(2)
                    if n:
                        x = x * 2
                    check(Variable(x, requires_grad=True))
            def with_another(check, size):
                x = torch.zeros(size)
                y = x.view(-1)
                x = torch.normal(x, 0.001)
                check(Variable(x, requires_grad=True), y)
            def of_the_round_before(check, rounds):
                x, y = torch.zeros(2), torch.zeros(2)
                for n in range(rounds):
                    x = torch.normal(x, 0.001)
                    y = y.cuda()
                    check(Variable(x, requires_grad=True), Variable(y, requires_grad=True))
            """,
            """
            import torch
            def chosen(check, noisy, size):
                x = torch.zeros(size)
                if noisy:
                    x = torch.normal(means=x, std=0.001)
                check(x.requires_grad_())
            def scaled(check, rounds):
                for n in range(rounds):
                    x = torch.randn(2)
                    if n:
                        x = x * 2
                    check(x.requires_grad_())
            def with_another(check, size):
                x = torch.zeros(size)
                y = x.view(-1)
                x = torch.normal(x, 0.001)
                check(x.requires_grad_(), y)
            def of_the_round_before(check, rounds):
                x, y = torch.zeros(2), torch.zeros(2)
                for n in range(rounds):
                    x = torch.normal(x, 0.001)
                    y = y.cuda()
                    check(x.detach().requires_grad_(), y.detach().requires_grad_())
            """,
        ),
        "batches that nothing else holds": (
            """
            import torch
            from torch.autograd import Variable
            loader = torch.utils.data.DataLoader(rows, batch_size=2)
            for x, y in loader:
                x = Variable(x.cuda(), requires_grad=True)
                net(x).sum().backward()
            for i, data in enumerate(loader):
                x, y = data
                x = Variable(x, requires_grad=True)
                net(x).sum().backward()
            """,
            """
            import torch
            loader = torch.utils.data.DataLoader(rows, batch_size=2)
            for x, y in loader:
                x = x.cuda().requires_grad_()
                net(x).sum().backward()
            for i, data in enumerate(loader):
                x, y = data
                x.requires_grad_()
                net(x).sum().backward()
            """,
        ),
        "batches of a function that nothing reads but the wrapper": (
            """
            import torch
            from torch.autograd import Variable
            def run(net, rows):
                loader = torch.utils.data.DataLoader(rows, batch_size=2)
                for i, data in enumerate(loader):
                    images, _ = data
                    x = Variable(images.cuda(i), requires_grad=True)
                    net(x).sum().backward()
                for x, y in loader:
                    z = Variable(x.float(), requires_grad=True)
                    net(z).sum().backward()
            """,
            """
            import torch
            def run(net, rows):
                loader = torch.utils.data.DataLoader(rows, batch_size=2)
                for i, data in enumerate(loader):
                    images, _ = data
                    x = images.cuda(i).requires_grad_()
                    net(x).sum().backward()
                for x, y in loader:
                    z = x.float().requires_grad_()
                    net(z).sum().backward()
            """,
        ),
        "batches of a function that are read again": (
            """
            import torch
            from torch.autograd import Variable
            def run(net, rows, keep):
                loader = torch.utils.data.DataLoader(rows, batch_size=2)
                for x, y in loader:
                    z = Variable(x.cuda(), requires_grad=True)
                    net(z, x).sum().backward()
                for x, y in loader:
                    for step in range(3):
                        z = Variable(x.cuda(), requires_grad=True)
                        net(z).sum().backward()
                for data in loader:
                    x, y = data
                    z = Variable(x.cuda(), requires_grad=True)
                    net(z, data).sum().backward()
                for data in loader:
                    for step in range(3):
                        x, y = data
                        z = Variable(x.cuda(), requires_grad=True)
                        net(z).sum().backward()
                for a, y in loader:
                    z = Variable(a.cuda(), requires_grad=True)
                    keep(lambda: net(a))
                b = None
                for b, y in loader:
                    z = Variable(b.cuda(), requires_grad=True)
                    net(z).sum().backward()
                return b
            """,
            """
            import torch
            def run(net, rows, keep):
                loader = torch.utils.data.DataLoader(rows, batch_size=2)
                for x, y in loader:
                    z = x.cuda().detach().requires_grad_()
                    net(z, x).sum().backward()
                for x, y in loader:
                    for step in range(3):
                        z = x.cuda().detach().requires_grad_()
                        net(z).sum().backward()
                for data in loader:
                    x, y = data
                    z = x.cuda().detach().requires_grad_()
                    net(z, data).sum().backward()
                for data in loader:
                    for step in range(3):
                        x, y = data
                        z = x.cuda().detach().requires_grad_()
                        net(z).sum().backward()
                for a, y in loader:
                    z = a.cuda().detach().requires_grad_()
                    keep(lambda: net(a))
                b = None
                for b, y in loader:
                    z = b.cuda().detach().requires_grad_()
                    net(z).sum().backward()
                return b
            """,
        ),
        "batches that something else holds": (
            """
            import torch
            from torch.autograd import Variable
            loader = torch.utils.data.DataLoader(rows, batch_size=2)
            own = torch.utils.data.DataLoader(rows, collate_fn=collate)
            for x, y in loader:
                clean = x
                x = Variable(x, requires_grad=True)
                (net(x) - clean).sum().backward()
            for data in loader:
                x, y = data
                x = Variable(x.cuda(), requires_grad=True)
                net(x, data).sum().backward()
            for x, y in own:
                x = Variable(x.cuda(), requires_grad=True)
            for x, y in loader:
                z = Variable(x.cuda(), requires_grad=True)
            for x, y in loader:
                x = Variable(x.expand(2, 3), requires_grad=True)
            for x in [torch.ones(2)]:
                x = Variable(x.cuda(), requires_grad=True)
            """,
            """
            import torch
            loader = torch.utils.data.DataLoader(rows, batch_size=2)
            own = torch.utils.data.DataLoader(rows, collate_fn=collate)
            for x, y in loader:
                clean = x
                x = x.detach().requires_grad_()
                (net(x) - clean).sum().backward()
            for data in loader:
                x, y = data
                x = x.cuda().detach().requires_grad_()
                net(x, data).sum().backward()
            for x, y in own:
                x = x.cuda().detach().requires_grad_()
            for x, y in loader:
                z = x.cuda().detach().requires_grad_()
            for x, y in loader:
                x = x.expand(2, 3).detach().requires_grad_()
            for x in [torch.ones(2)]:
                x = x.cuda().detach().requires_grad_()
            """,
        ),
        "data that may be no tensor's where either of two things is asked": (
            """
            import torch
            from torch.autograd import Variable
            def f(v):
                if isinstance(v, Variable) or v.done:
                    v = Variable(v.data, requires_grad=True)
                return v
            """,
            """
            import torch
            def f(v):
                if isinstance(v, torch.Tensor) or v.done:
                    v = v.data.detach().requires_grad_()
                return v
            """,
        ),
        "the data of a tensor that somebody may change": (
            """
            import torch
            from torch.autograd import Variable
            def f(state):
                for k, v in state.items():
                    if v is not None:
                        if isinstance(v, Variable) and v.requires_grad:
                            v = Variable(v.data, requires_grad=True)
                        yield k, v
            """,
            """
            import torch
            def f(state):
                for k, v in state.items():
                    if v is not None:
                        if isinstance(v, torch.Tensor) and v.requires_grad:
                            v = v.data.requires_grad_()
                        yield k, v
            """,
        ),
        "the data of a tensor": (
            """
            import torch
            from torch.autograd import Variable
            def f(x: torch.Tensor, held):
                a = Variable(x.data, requires_grad=True)
                f = Variable(x.data, requires_grad=True)
                print(f.sum())
                b = Variable(held.data, requires_grad=True)
                c = Variable(x.detach(), requires_grad=True)
                d = Variable(x.detach().clone(), requires_grad=True)
                e = Variable(x.clone(), requires_grad=True)
                return a, b, c
            """,
            """
            import torch
            def f(x: torch.Tensor, held):
                a = x.data.requires_grad_()
                f = x.detach().requires_grad_()
                print(f.sum())
                b = held.data.detach().requires_grad_()
                c = x.detach().requires_grad_()
                d = x.detach().clone().requires_grad_()
                e = x.clone().detach().requires_grad_()
                return a, b, c
            """,
        ),
        "what plain tensors were asked for by": (
            """
            import torch
            from torch.autograd import Variable
            def is_data(x):
                return isinstance(x, (torch.tensor._TensorBase, Variable))
            """,
            """
            import torch
            def is_data(x):
                return isinstance(x, torch.tensor._TensorBase)
            """,
        ),
        "methods of the class": (
            """
            import torch
            from torch import autograd
            from torch.autograd import Variable
            raw = Variable.view
            Variable.view = raw
            Variable.__radd__ = autograd.Variable.__add__
            x, y = Variable.chunk(torch.ones(4), 2, dim=0)
            """,
            """
            import torch
            raw = torch.Tensor.view
            torch.Tensor.view = raw
            torch.Tensor.__radd__ = torch.Tensor.__add__
            x, y = torch.Tensor.chunk(torch.ones(4), 2, dim=0)
            """,
        ),
        "a table that the module keeps": (
            """
            import math
            import torch
            from torch.autograd import Variable
            class Encoding(torch.nn.Module):
                def __init__(self, size, length=5000):
                    super().__init__()
                    table = torch.zeros(length, size)
                    places = torch.arange(0, length).unsqueeze(1)
                    steps = torch.exp(torch.arange(0, size, 2) * -(math.log(10000.0) / size))
                    table[:, 0::2] = torch.sin(places * steps)
                    self.register_buffer("table", table.unsqueeze(0))
                def forward(self, x):
                    return x + Variable(self.table[:, :x.size(1)], requires_grad=False)
            """,
            """
            import math
            import torch
            class Encoding(torch.nn.Module):
                def __init__(self, size, length=5000):
                    super().__init__()
                    table = torch.zeros(length, size)
                    places = torch.arange(0, length).unsqueeze(1)
                    steps = torch.exp(torch.arange(0, size, 2) * -(math.log(10000.0) / size))
                    table[:, 0::2] = torch.sin(places * steps)
                    self.register_buffer("table", table.unsqueeze(0))
                def forward(self, x):
                    return x + self.table[:, :x.size(1)]
            """,
        ),
        "the first lines of a loop that only wrap": (
            """
            import torch
            from torch.autograd import Variable
            for x, y in torch.utils.data.DataLoader(data):  # batches
                x = Variable(x)
                y = Variable(y)

                print(x, y)

            print(x)
            """,
            """
            import torch
            for x, y in torch.utils.data.DataLoader(data):  # batches
                print(x, y)

            print(x)
            """,
        ),
        "lines in a block that only wrap": (
            """
            import torch
            from torch.autograd import Variable
            for x, y in torch.utils.data.DataLoader(data):
                # Say it:

                x = Variable(x)

                print(x, y)
                y = Variable(y)

                print(y)
            """,
            """
            import torch
            for x, y in torch.utils.data.DataLoader(data):
                # Say it:

                print(x, y)

                print(y)
            """,
        ),
        "attributes that only get themselves": (
            """
            import torch
            from torch.autograd import Variable
            class Trainer(object):
                def make(self):
                    self.x = torch.zeros(2)
                    self.y = torch.zeros(2)
                    self.x = Variable(self.x)
                    self.x, self.y = Variable(self.x), Variable(self.y)
            """,
            """
            import torch
            class Trainer(object):
                def make(self):
                    self.x = torch.zeros(2)
                    self.y = torch.zeros(2)
            """,
        ),
        "attributes whose class may see them set": (
            """
            import torch
            from torch.autograd import Variable
            def fill(self):
                self.x = torch.zeros(2)
                self.x = Variable(self.x)
            class Watched:
                x = None
                y = None
                @property
                def z(self):
                    return 1
                def __init__(self, other):
                    self.x = torch.zeros(2)
                    self.x = Variable(self.x)
                    other.v = torch.zeros(2)
                    other.v = Variable(other.v)
            class Setting:
                def __setattr__(self, name, value):
                    print(name)
                def make(self):
                    self.x = torch.zeros(2)
                    self.x = Variable(self.x)
            class Below(Watched):
                def make(self):
                    self.w = torch.zeros(2)
                    self.w = Variable(self.w)
                    self.y = torch.zeros(2)
                    self.y = Variable(self.y)
            class Unknown(Elsewhere):
                def make(self):
                    self.w = torch.zeros(2)
                    self.w = Variable(self.w)
            class BelowUnknown(Unknown):
                def make(self):
                    self.u = torch.zeros(2)
                    self.u = Variable(self.u)
            """,
            """
            import torch
            def fill(self):
                self.x = torch.zeros(2)
                self.x = self.x.detach()
            class Watched:
                x = None
                y = None
                @property
                def z(self):
                    return 1
                def __init__(self, other):
                    self.x = torch.zeros(2)
                    self.x = self.x.detach()
                    other.v = torch.zeros(2)
                    other.v = other.v.detach()
            class Setting:
                def __setattr__(self, name, value):
                    print(name)
                def make(self):
                    self.x = torch.zeros(2)
                    self.x = self.x
            class Below(Watched):
                def make(self):
                    self.w = torch.zeros(2)
                    self.y = torch.zeros(2)
                    self.y = self.y.detach()
            class Unknown(Elsewhere):
                def make(self):
                    self.w = torch.zeros(2)
                    self.w = self.w.detach()
            class BelowUnknown(Unknown):
                def make(self):
                    self.u = torch.zeros(2)
                    self.u = self.u.detach()
            """,
        ),
        "data of a loader is not detached": (
            """
            import torch
            from torch.autograd import Variable
            loader = torch.utils.data.DataLoader(dataset)
            for i, (x, y) in enumerate(loader):
                out = model(Variable(x.float()))
            """,
            """
            import torch
            loader = torch.utils.data.DataLoader(dataset)
            for i, (x, y) in enumerate(loader):
                out = model(x.float())
            """,
        ),
        "what may have a history is detached": (
            """
            import torch
            from torch.autograd import Variable
            def f(model, x):
                return Variable(model(x))
            """,
            """
            import torch
            def f(model, x):
                return model(x).detach()
            """,
        ),
        "an operator gets parentheses": (
            """
            import torch
            from torch.autograd import Variable
            def f(x, y):
                return Variable(x + y) * 2
            """,
            """
            import torch
            def f(x, y):
                return (x + y).detach() * 2
            """,
        ),
        "an operator has its parentheses": (
            """
            import torch
            from torch.autograd import Variable
            def f(n):
                x = (Variable(2.0 * torch.rand(n) - 1.0) ).view(-1, 1)
                return 3 * ( Variable(torch.rand(n) - 1.0))[0] + (Variable(-x)).sum()
            """,
            """
            import torch
            def f(n):
                x = (2.0 * torch.rand(n) - 1.0 ).view(-1, 1)
                return 3 * ( torch.rand(n) - 1.0)[0] + (-x).sum()
            """,
        ),
        "parentheses that are not its own": (
            """
            import torch
            from torch.autograd import Variable
            def f(n, g):
                x = g(Variable(torch.rand(n) - 1.0).sum(), (Variable(torch.rand(n) - 1.0) + 1).sum())
                return torch.cat((Variable(torch.rand(n) - 1.0)[1:], x))
            """,
            """
            import torch
            def f(n, g):
                x = g((torch.rand(n) - 1.0).sum(), (torch.rand(n) - 1.0 + 1).sum())
                return torch.cat(((torch.rand(n) - 1.0)[1:], x))
            """,
        ),
        "alias and attribute path": (
            """
            import torch
            import torch.autograd as ag
            from torch.autograd import Variable as V
            a = V(torch.ones(2))
            b = ag.Variable(torch.ones(2), requires_grad=True)
            """,
            """
            import torch
            a = torch.ones(2)
            b = torch.ones(2, requires_grad=True)
            """,
        ),
        "an import as if it were a module": (
            """
            import torch
            import os, torch.autograd.Variable as V  # wraps
            import torch.autograd.Variable as Variable
            import torch.autograd.Variable
            def f(h):
                return register(Variable, V), os.sep, torch.autograd.grad(h, h)
            """,
            """
            import torch
            import os  # wraps
            from torch.autograd import Variable as V
            from torch.autograd import Variable
            import torch.autograd
            def f(h):
                return register(Variable, V), os.sep, torch.autograd.grad(h, h)
            """,
        ),
        "what .data gives is another object each time": (
            """
            import torch
            from torch.autograd import Variable
            def f(w, u, i, batch):
                torch.exp(w), torch.exp(u)
                a = Variable(w.data, requires_grad=True)
                b = Variable(w[:, i:].data.transpose(0, 1), requires_grad=i > 0)
                c = Variable(batch.data, requires_grad=True)
                d = Variable(u.data, requires_grad=True)
                u.add_(1)
                return a, b, c, d
            """,
            """
            import torch
            def f(w, u, i, batch):
                torch.exp(w), torch.exp(u)
                a = w.data.requires_grad_()
                b = w[:, i:].data.transpose(0, 1).requires_grad_(i > 0)
                c = batch.data.detach().requires_grad_()
                d = u.data.requires_grad_()
                u.add_(1)
                return a, b, c, d
            """,
        ),
        "annotation": (
            """
            import torch
            from torch.autograd import Variable
            def f(x: Variable) -> Variable:
                return x
            """,
            """
            import torch
            def f(x: torch.Tensor) -> torch.Tensor:
                return x
            """,
        ),
        "part of an annotation": (
            """
            import torch
            from typing import Optional, Tuple
            from torch.autograd import Variable
            def f(x: Optional[Variable], y: Tuple[int, Variable]) -> (Variable, int):
                z: Variable | None = None
                return x
            """,
            """
            import torch
            from typing import Optional, Tuple
            def f(x: Optional[torch.Tensor], y: Tuple[int, torch.Tensor]) -> (torch.Tensor, int):
                z: torch.Tensor | None = None
                return x
            """,
        ),
        "a name changed as an object is a tensor of its own": (
            """
            import torch
            from torch.autograd import Variable
            for x, y in torch.utils.data.DataLoader(data):
                v = Variable(x)
                v.requires_grad = True
                net(v).backward()
            """,
            """
            import torch
            for x, y in torch.utils.data.DataLoader(data):
                v = x.detach()
                v.requires_grad = True
                net(v).backward()
            """,
        ),
        "nobody else holds what is changed as an object": (
            """
            import torch
            from torch.autograd import Variable
            x = torch.FloatTensor(3)
            if gpu:
                x = x.cuda()
            x = Variable(x)
            y = torch.ones(3)
            same = y
            y = Variable(y)
            for images in batches:
                x.resize_(len(images)).fill_(1)
                y.resize_(len(images)).fill_(1)
            """,
            """
            import torch
            x = torch.FloatTensor(3)
            if gpu:
                x = x.cuda()
            y = torch.ones(3)
            same = y
            y = y.detach()
            for images in batches:
                x.resize_(len(images)).fill_(1)
                y.resize_(len(images)).fill_(1)
            """,
        ),
        "an empty tensor": (
            """
            import torch
            from torch.autograd import Variable
            x = Variable(torch.Tensor())
            """,
            """
            import torch
            x = torch.Tensor()
            """,
        ),
        "what lives on, and would get the graph that is written into its other name": (
            """
            import torch
            from torch import nn
            from torch.autograd import Variable
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.rows = torch.zeros(3)
                    self.lin = nn.Linear(3, 3)
                def forward(self, x, start: torch.Tensor):
                    a = Variable(self.rows.resize_(3).fill_(0))
                    a += self.lin(x)
                    b = Variable(self.rows)
                    b[0] = self.lin(x).sum()
                    c = Variable(self.rows)
                    c[1:].add_(self.lin(x)[1:])
                    d = Variable(torch.zeros(3))
                    d += self.lin(x)
                    e = Variable(self.rows)
                    e[0] = 1
                    return a + b + c + d + e
            """,
            """
            import torch
            from torch import nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.rows = torch.zeros(3)
                    self.lin = nn.Linear(3, 3)
                def forward(self, x, start: torch.Tensor):
                    a = self.rows.resize_(3).fill_(0).detach()
                    a += self.lin(x)
                    b = self.rows.detach()
                    b[0] = self.lin(x).sum()
                    c = self.rows.detach()
                    c[1:].add_(self.lin(x)[1:])
                    d = torch.zeros(3)
                    d += self.lin(x)
                    e = self.rows
                    e[0] = 1
                    return a + b + c + d + e
            """,
        ),
        "what another value of the name is made to be does not matter": (
            """
            import torch
            from torch.autograd import Variable
            def f():
                x = torch.ones(3)
                v = Variable(x)
                print(v)
                v = torch.zeros(3)
                v.requires_grad = True
                w = Variable(x.data)
                w.requires_grad = True
                return v
            """,
            """
            import torch
            def f():
                x = torch.ones(3)
                print(x)
                v = torch.zeros(3)
                v.requires_grad = True
                w = x.data
                w.requires_grad = True
                return v
            """,
        ),
        "what is filled as an array has no graph": (
            """
            import numpy as np
            import torch
            from torch.autograd import Variable
            def f(rows, n):
                x = np.zeros((n, 3))
                x[:, 0] = rows
                x = torch.from_numpy(x)
                y = torch.zeros(n, 3)
                y[:, 0] = rows
                y = y.view(-1)
                return Variable(x), Variable(y)
            """,
            """
            import numpy as np
            import torch
            def f(rows, n):
                x = np.zeros((n, 3))
                x[:, 0] = rows
                x = torch.from_numpy(x)
                y = torch.zeros(n, 3)
                y[:, 0] = rows
                y = y.view(-1)
                return x, y.detach()
            """,
        ),
        "a fresh expression needs no detach": (
            """
            import torch
            from torch.autograd import Variable
            FloatTensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
            a = Variable(FloatTensor(2, 1).fill_(1.0), requires_grad=False)
            b = Variable(torch.randn(2, 2) * 2. ** .5, requires_grad=True)
            c = Variable(w.data.new(2).zero_())
            d = Variable(torch.multinomial(p, 1))
            """,
            """
            import torch
            FloatTensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
            a = FloatTensor(2, 1).fill_(1.0)
            b = (torch.randn(2, 2) * 2. ** .5).requires_grad_()
            c = w.data.new(2).zero_()
            d = torch.multinomial(p, 1)
            """,
        ),
        "a type that a branch chooses": (
            """
            import torch
            from torch.autograd import Variable
            if torch.cuda.is_available():
                floats = torch.cuda.FloatTensor
            else:
                floats = torch.FloatTensor
            def margin(x):
                zero = floats(x.size())
                zero.zero_()
                return torch.max(x - Variable(floats([1.0])), Variable(zero))
            """,
            """
            import torch
            if torch.cuda.is_available():
                floats = torch.cuda.FloatTensor
            else:
                floats = torch.FloatTensor
            def margin(x):
                zero = floats(x.size())
                zero.zero_()
                return torch.max(x - floats([1.0]), zero)
            """,
        ),
        "wrapping what is none yet": (
            """
            import torch
            from torch.autograd import Variable
            def f(x):
                if not isinstance(x, Variable):
                    x = Variable(x)
                return x + 1
            """,
            """
            import torch
            def f(x):
                return x + 1
            """,
        ),
        "a tuple that names Tensor already": (
            """
            import torch
            from torch.autograd import Variable
            a = isinstance(x, (torch.Tensor, Variable))
            b = isinstance(x, (list, torch.Tensor, Variable))
            """,
            """
            import torch
            a = isinstance(x, torch.Tensor)
            b = isinstance(x, (list, torch.Tensor))
            """,
        ),
        "comparison of a class": (
            """
            import torch
            from torch.autograd import Variable
            def f(x, h):
                y = x.data[0] if x.__class__ is Variable else x[0]
                return y, h.__class__ != Variable
            """,
            """
            import torch
            def f(x, h):
                y = x.data[0] if isinstance(x, torch.Tensor) else x[0]
                return y, not isinstance(h, torch.Tensor)
            """,
        ),
        "negated type comparison": (
            """
            import torch
            from torch.autograd import Variable
            def f(h):
                return type(h) is not Variable and h
            """,
            """
            import torch
            def f(h):
                return not isinstance(h, torch.Tensor) and h
            """,
        ),
        "star import": (
            """
            import torch
            from torch.autograd import *
            x = Variable(torch.ones(1))
            """,
            """
            import torch
            x = torch.ones(1)
            """,
        ),
        "torch is imported where it was not": (
            """
            from torch.autograd import Variable
            def f(h):
                return isinstance(h, Variable)
            """,
            """
            import torch
            def f(h):
                return isinstance(h, torch.Tensor)
            """,
        ),
    },
)

_WRITTEN = """
            import torch
            from torch.autograd import Variable
            def one_hot(index, values, net):
                x = torch.zeros(3, 4)
                %s
                return %s * 2
"""


@pytest.mark.parametrize(
    "written",
    [
        "x.scatter_(1, index, 1)",
        "x.scatter_(1, index.unsqueeze(1).cpu(), value=1)",
        "x.scatter_(dim=1, index=index, value=1)",
        "x.masked_fill_(index > 2, 3)",
        "x.index_fill_(0, index, -1)",
        "x.index_add_(0, index, torch.ones(3))",
        "x.copy_(torch.ones(3, 4))",
        "x.requires_grad_(False)",
        "x.mul_(2).add_(torch.ones(3, 4))",
        "y = x.view(-1); y.add_(3)",
        "y = x.detach(); y.add_(net(values))",
        "y = x.clone().add_(net(values))",
        "n = x.view(-1).size(); n += net(values)",
    ],
)
def test_what_is_written_without_a_graph_needs_no_detach(written: str) -> None:
    before, after = (textwrap.dedent(_WRITTEN % (written, y)) for y in ("Variable(x)", "x"))
    assert migrate(before, "TP101").text == after.replace(
        "from torch.autograd import Variable\n", ""
    )


@pytest.mark.parametrize(
    "written",
    [
        "x.scatter_(1, index, net(values))",
        "x.scatter_(1, index=index, src=values)",
        "x.scatter_(*index)",
        "x.masked_fill_(index > 2, values)",
        "x.index_add_(0, index, net(values))",
        "x.copy_(values)",
        "x.add_(1, values)",
        "x.requires_grad_()",
        "x.requires_grad_(True)",
        "x.requires_grad_(requires_grad=True)",
        "x.requires_grad_(values)",
        "x.mul_(2).add_(net(values))",
        "x.view(-1).add_(net(values))",
        "x.view(-1)[0] = net(values)",
        "x.add_(1).requires_grad_()",
        "y = x.view(-1); y.add_(net(values))",
        "y = x.t().view(-1); y += net(values)",
    ],
)
def test_what_may_be_written_with_a_graph_is_detached(written: str) -> None:
    before, after = (
        textwrap.dedent(_WRITTEN % (written, y)) for y in ("Variable(x)", "x.detach()")
    )
    assert migrate(before, "TP101").text == after.replace(
        "from torch.autograd import Variable\n", ""
    )


test_keeps = keeps(
    "TP101",
    {
        "user class": """
            import torch
            class Variable:
                def __init__(self, x): pass
            Variable(torch.ones(2))
            """,
        "memory that gets its size later, and is no None": """
            import torch
            from torch.autograd import Variable
            state = Variable(None)
            state.data.normal_()
            """,
        "methods of the class where tensors have them otherwise": """
            import torch
            from torch.autograd import Variable
            try:
                raw = Variable.view
                Variable.view = view
            except:
                raw = torch.Tensor.view
                torch.Tensor.view = view
            try:
                raw = Variable.mean
            except AttributeError:
                raw = None
            if torch.__version__ < "0.4":
                Variable.sum = view
            """,
        "what the class has, or tensors have not": """
            from torch.autograd import Variable
            Variable._execution_engine.queue_callback(print)
            print(Variable.__name__, Variable.__eq__, Variable.mine, Variable.__len__)
            """,
        "comparisons of the class of something with others": """
            import torch
            from torch.autograd import Function
            class Variable: pass
            def f(x, kinds):
                return x.__class__ is Variable, x.__class__ is Function, x.__class__ in kinds
            """,
        "methods of a user's class": """
            import torch
            class Variable:
                def chunk(self, n): pass
            Variable.chunk(torch.ones(2), 2)
            """,
        "an import that may fail": """
            try:
                import torch.autograd.Variable as Variable
            except ImportError:
                from torch.autograd import Variable
            register(Variable)
            """,
        "a module of that name": """
            import mytorch.autograd.Variable as Variable
            import torch.autograd.variable as V
            register(Variable, V)
            """,
        "tuples and keys that are no annotations": """
            import torch
            from torch.autograd import Variable
            kinds = (Variable, int)
            def f(x: int, of=(Variable, int), by={}[Variable]) -> "Tuple[Variable]":
                return kinds
            """,
        "other library": """
            import torch
            from theano import Variable
            Variable(torch.ones(2))
            """,
        "shadowed by a parameter": """
            import torch
            from torch.autograd import Variable
            def f(Variable):
                return Variable(torch.ones(2))
            """,
        "unknown star import": """
            import torch
            from utils import *
            Variable(torch.ones(2))
            """,
        "bound in two ways": """
            import torch
            try:
                from torch.autograd import Variable
            except ImportError:
                from mine import Variable
            Variable(torch.ones(2))
            """,
        "arguments of unknown content": """
            from torch.autograd import Variable
            Variable(*args)
            """,
        "beside one whose flag is left to a person": """
            from torch.autograd import Variable
            def predict(net, data, target, gives):
                data, target = Variable(data, volatile=True), Variable(target)
                return gives(net(data), target)
            """,
        "volatile is rewritten first": """
            import torch
            from torch.autograd import Variable
            Variable(torch.ones(2), volatile=True)
            """,
        "only plain tensors were wrapped": """
            import torch
            from torch.autograd import Variable
            def log_gamma(x):
                if torch.is_tensor(x):
                    x = Variable(x)
                return x.log()
            """,
        "a branch that no tensor reaches": """
            import torch
            from torch.autograd import Variable
            def move(obj):
                if torch.is_tensor(obj):
                    return obj.clone()
                elif isinstance(obj, Variable):
                    return 1
            """,
        "a function that would call itself for ever": """
            import torch
            from torch.autograd import Variable
            def zeros(x):
                if isinstance(x, Variable):
                    return zeros(x.data)
                return torch.zeros_like(x)
            """,
        "a method that would call itself for ever": """
            import torch
            from torch.autograd import Variable
            class Constant(object):
                def fill(self, x):
                    if isinstance(x, Variable):
                        self.fill(x.data)
                        return x
                    return x.fill_(self.constant)
                @staticmethod
                def zero(x):
                    if isinstance(x, Variable):
                        return Constant.zero(x.data)
                    return x.zero_()
            """,
        "used as a value": """
            import torch
            from torch.autograd import Variable
            xs = list(apply(Variable, [torch.ones(2)]))
            """,
        "base class": """
            from torch.autograd import Variable
            class MyVariable(Variable):
                pass
            """,
        "comment that would be lost": """
            import torch
            from torch.autograd import Variable
            x = Variable(
                # the input
                torch.ones(2))
            """,
        "suppressed": """
            import torch
            from torch.autograd import Variable
            x = Variable(torch.ones(2))  # torchfix: ignore[variable-wrapper]
            """,
    },
)


def test_a_file_for_0_3_needs_no_detach() -> None:
    text = HEAD + "def f(model, x):\n    return model(Variable(x))\n"
    options = Options(era=Era(newest=(0, 3)))
    assert "model(x)" in migrate(text, "TP101", options=options).text
    assert "model(x.detach())" in migrate(text, "TP101").text


def test_the_import_goes_with_its_last_use_when_nobody_else_can_use_it() -> None:
    text = HEAD + "x = Variable(torch.ones(2))\n"
    assert migrate(text, "TP101").text == "import torch\nx = torch.ones(2)\n"
    taken = Options(used_elsewhere=lambda name: name == "Variable")
    assert "import Variable" in migrate(text, "TP101", options=taken).text


def test_an_assignment_that_only_wrapped_goes() -> None:
    text = HEAD + "def f():\n    x = torch.ones(2)\n    x = Variable(x)\n    return x\n"
    assert "x = x" not in migrate(text, "TP101").text
    only = HEAD + "x = torch.ones(2)\nif check(x):\n    x = Variable(x)\n"
    assert migrate(only, "TP101").text.endswith("if check(x):\n    pass\n")


@pytest.mark.parametrize(
    ("comment", "left"),
    [
        ("  # BxC", "    # BxC\n"),
        ("  # \u00e9", "    # \u00e9\n"),
        ("  # wrap it in Variable", ""),
        ("  # type: ignore", "    x = x  # type: ignore\n"),
    ],
)
def test_a_comment_beside_what_only_wrapped_stands_on_its_own(comment: str, left: str) -> None:
    text = HEAD + f"def f():\n    x = torch.ones(2)\n    x = Variable(x){comment}\n    return x\n"
    end = f"    x = torch.ones(2)\n{left}    return x\n"
    assert migrate(text, "TP101").text.endswith(end)


def test_a_comment_beside_what_only_wrapped_is_no_block() -> None:
    text = HEAD + "x = torch.ones(2)\nif check(x):\n    x = Variable(x)  # BxC\n"
    assert migrate(text, "TP101").text.endswith("if check(x):\n    x = x  # BxC\n")
    both = HEAD + "x = torch.ones(2)\nx, y = Variable(x), Variable(x[0])  # BxC\n"
    assert migrate(both, "TP101").text.endswith("y = x[0]  # BxC\n")


def test_a_self_assignment_of_the_author_stays() -> None:
    text = HEAD + "y = 1\ny = y\nx = Variable(torch.ones(2))\n"
    assert "y = y\n" in migrate(text, "TP101").text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x, y = Variable(x), Variable(y[:, 0])", "y = y[:, 0]"),
        ("x, y, z = Variable(x[0]), Variable(y), Variable(z[0])", "x, z = x[0], z[0]"),
        ("(x, y) = (Variable(x), Variable(y[0]),)", "y = y[0]"),
        ("x, y = Variable(y), Variable(x)", "x, y = y, x"),
        ("x, x = Variable(x), Variable(y)", "x, x = x, y"),
        ("x, y.z = Variable(x), Variable(y)", "x, y.z = x, y"),
        ("x, *y = Variable(x), Variable(y)", "x, *y = x, y"),
        ("z = x, y = Variable(x), Variable(y[0])", "z = x, y = x, y[0]"),
        ("x, y = [Variable(x), Variable(y[0])]", "x, y = [x, y[0]]"),
    ],
)
def test_of_an_assignment_the_half_that_only_wrapped_goes(before: str, after: str) -> None:
    text = HEAD + "for x, y, z in torch.utils.data.DataLoader(rows):\n    {}\n"
    options = Options(era=Era(newest=(0, 3)))
    assert migrate(text.format(before), "TP101", options=options).text.endswith(f"    {after}\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[x if x is None else Variable(x) for x in rows]", "list(rows)"),
        ("Variable(x) if not x is not None else x", "x"),
        ("x if x else Variable(x)", "x if x else x"),
        ("x if x is f() else Variable(x)", "x if x is f() else x"),
        ("x.y if x is None else Variable(x.y)", "x.y if x is None else x.y"),
        ("y if x is None else Variable(x)", "y if x is None else x"),
        ("Variable(x) if x is not None else None", "x"),
        ("None if x is None else Variable(x)", "x"),
        ("None if x is not None else Variable(x)", "None if x is not None else x"),
        ("Variable(x) if y is not None else None", "x if y is not None else None"),
        ("Variable(x) if x is not y else None", "x if x is not y else None"),
        ("Variable(x) if x is not None else 0", "x if x is not None else 0"),
    ],
)
def test_a_choice_between_the_same_goes(before: str, after: str) -> None:
    own = "\nz = x if x is None else x\n"
    options = Options(era=Era(newest=(0, 3)))
    migration = migrate(f"{HEAD}y = {before}{own}", "TP101", options=options)
    assert migration.text == f"import torch\ny = {after}{own}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("z = [Variable(x) for x in [x, y]]", "z = [x, y]"),
        ("z = [Variable(a) for a in (x, y)]", "z = [x, y]"),
        ("z = [Variable(a) for a in y]", "z = list(y)"),
        ("z = tuple(Variable(a) for a in y)", "z = tuple(y)"),
        ("z = set(Variable(a) for a in [x, y])", "z = set([x, y])"),
        ("x, y = [Variable(a) for a in x], [Variable(a) for a in y]", "x, y = list(x), list(y)"),
        ("x, y = [Variable(a) for a in [x, y]]", "pass"),
        ("x, y = [Variable(a) for a in [y, x]]", "x, y = [y, x]"),
        ("x, y = [Variable(a) for a in [x, y, z]]", "x, y = [x, y, z]"),
        ("z = [Variable(a) for a in x if y]", "z = [a for a in x if y]"),
        ("z = [Variable(a) for b in x for a in b]", "z = [a for b in x for a in b]"),
        ("z = sum(Variable(a) for a in x)", "z = sum(a for a in x)"),
        ("z = self.tuple(Variable(a) for a in x)", "z = self.tuple(a for a in x)"),
        ("z = {Variable(a) for a in x}", "z = {a for a in x}"),
        ("z = [Variable(b) for a in x]", "z = [b for a in x]"),
        ("list = [Variable(a) for a in x]", "list = [a for a in x]"),
    ],
)
def test_a_comprehension_that_only_wrapped_goes(before: str, after: str) -> None:
    own = "    k = [x for x in y]\n"
    text = HEAD + "def f(x, y, z):\n    {}\n" + own
    options = Options(era=Era(newest=(0, 3)))
    migration = migrate(text.format(before), "TP101", options=options)
    wanted = text.format(after).removeprefix(HEAD).replace("    pass\n", "")
    assert migration.text.endswith(wanted)
    assert migrate(migration.text, "TP101", options=options).text == migration.text


@pytest.mark.parametrize("after", ["z = [a for a in f(y)]", "z = tuple(a for a in f(y))"])
def test_a_comprehension_stays_idle_where_its_author_wrote_it_so(after: str) -> None:
    text = f"{HEAD}def g(f, y):\n    {after}\n"
    migration = migrate(text.replace("f(y)", "f(Variable(y))"), "TP101")
    assert f"    {after}\n".replace("f(y)", "f(y.detach())") in migration.text


def test_a_branch_that_only_wrapped_goes_alone() -> None:
    text = """{}def f(x, y, gpu):
    if gpu:
        x, y = Variable(x).cuda(), Variable(y).cuda()
    else:
        x = Variable(x)
        y = Variable(y){}
    return x, y
"""
    options = Options(era=Era(newest=(0, 3)))
    after = "import torch\ndef f(x, y, gpu):\n    if gpu:\n        x, y = x.cuda(), y.cuda()\n"
    for comment in ("", "  # on the CPU"):
        rest = f"    else:\n        pass{comment}\n" if comment else ""
        migrated = migrate(text.format(HEAD, comment), "TP101", options=options).text
        assert comment or migrated == f"{after}{rest}    return x, y\n"
        assert comment in migrated


def test_an_empty_branch_of_the_author_stays() -> None:
    text = HEAD + "if gpu:\n    x = Variable(torch.ones(2))\nelse:\n    pass\n"
    after = "import torch\nif gpu:\n    x = torch.ones(2)\nelse:\n    pass\n"
    assert migrate(text, "TP101").text == after


def test_whole_numbers_have_no_history_to_leave() -> None:
    text = HEAD + "def f(x):\n    return Variable(torch.LongTensor(x)), Variable(torch.Tensor(x))\n"
    after = "    return torch.LongTensor(x), torch.Tensor(x).detach()\n"
    assert migrate(text, "TP101").text.endswith(after)


def test_what_is_made_of_all_arguments_is_new() -> None:
    text = HEAD + "def f(*x):\n    return Variable(torch.Tensor(x)).unsqueeze(0)\n"
    after = "    return torch.Tensor(x).unsqueeze(0)\n"
    assert migrate(text, "TP101").text.endswith(after)


def test_what_is_made_of_one_of_all_arguments_may_have_a_history() -> None:
    text = HEAD + "def f(*x):\n    x = x[0]\n    return Variable(torch.Tensor(x))\n"
    assert migrate(text, "TP101").text.endswith("    return torch.Tensor(x).detach()\n")


_BELOW = "from torch import autograd\nimport torch\nclass Variable(autograd.Variable):\n"


@pytest.mark.parametrize(
    "body",
    [
        "    def __init__(self, data, *args, **kwargs):\n"
        "        super(Variable, self).__init__(data.cuda(), *args, **kwargs)\n",
        "    kind = 'input'\n",
    ],
)
def test_a_class_below_it_that_is_never_made_is_reported(body: str) -> None:
    (finding,) = advice("TP101", _BELOW + body + "x = Variable(torch.ones(2), volatile=True)\n")
    assert finding.line == 3
    assert "Variable(...) gives a plain tensor since 0.4" in finding.message


@pytest.mark.parametrize(
    "text",
    [
        _BELOW + "    pass\nx = Variable(torch.ones(2))\n",
        _BELOW + "    'Has nothing of its own.'\n",
        HEAD + "class Var(torch.Tensor):\n    kind = Variable\n",
        HEAD + "class Var(Variable, Mixin):\n    ...\n",
        "from theano import Variable\nclass Var(Variable):\n    kind = 1\n",
    ],
)
def test_a_class_below_it_that_adds_nothing_or_is_another_is_none_of_a_report(text: str) -> None:
    assert not advice("TP101", text)


def test_what_is_no_tensor_is_reported() -> None:
    findings = advice("TP101", HEAD + "x = Variable([1.0, 2.0])\n")
    assert [f.line for f in findings] == [3]


@pytest.mark.parametrize(
    ("given", "is_reported"),
    [
        ("x", True),
        ("x.astype(int)", True),
        ("x.reshape(2)", True),
        ("x.tolist()", True),
        ("x.long()", False),
        ("x.cuda().long()", False),
        ("torch.from_numpy(x).long()", False),
    ],
)
def test_where_arrays_lack_a_method_that_fails_and_not_the_wrapper(
    given: str, is_reported: bool
) -> None:
    text = f"import numpy as np\n{HEAD}x = np.array([1, 2])\ny = Variable({given})\n"
    assert bool(advice("TP101", text)) is is_reported


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("require_grad = True", "takes no require_grad= and raises: write requires_grad=True"),
        (
            "requires_grads=not flag",
            "takes no requires_grads= and raises: write requires_grad=not flag",
        ),
        ("requires_grad=True, device=0", "takes no device= and raises"),
        (
            "require_grad=True, volatile=False",
            "takes no require_grad= and raises: write requires_grad=True",
        ),
    ],
)
def test_what_it_does_not_take_is_reported_and_not_dropped(given: str, message: str) -> None:
    text = f"import torch\nfrom torch.autograd import Variable\nx = Variable(torch.zeros(2), {given})\n"
    assert [f.message for f in advice("TP101", text)] == [f"Variable() {message}"]
    assert "torch.zeros(2), " in migrate(text).text


@pytest.mark.parametrize("given", ["name='x'", "_grad_fn=None", "requires_grad=False"])
def test_what_it_took_and_nobody_reads_goes(given: str) -> None:
    text = f"import torch\nfrom torch.autograd import Variable\nx = Variable(torch.zeros(2), {given})\n"
    assert migrate(text, "TP101").text.endswith("x = torch.zeros(2)\n")


@pytest.mark.parametrize(
    "text",
    [
        "def Variable(x, require_grad):\n    return x\nx = Variable(2, require_grad=True)\n",
        "from torch.autograd import Variable\nx = Variable(y, **{'require_grad': True})\n",
        "from tensorflow import Variable\nx = Variable(y, trainable=True)\n",
    ],
    ids=["its own", "not read", "another's"],
)
def test_keywords_of_others_are_theirs(text: str) -> None:
    assert not advice("TP101", text)
    assert migrate(text, "TP101").text == text


def test_the_flag_goes_where_the_other_arguments_stand() -> None:
    head = "import torch\nfrom torch.autograd import Variable\n"
    after = migrate(f"{head}x = Variable(torch.zeros(\n    2, 3\n), requires_grad=True)\n").text
    assert after.endswith("x = torch.zeros(\n    2, 3, requires_grad=True\n)\n")


def test_what_a_module_computed_is_detached_whatever_dates_the_file() -> None:
    text = (
        HEAD
        + "rnn = torch.nn.RNNCell(4, 8)\ndef f(h, x):\n    h = rnn(x, h)\n    return Variable(h)\n"
    )
    options = Options(era=Era(newest=(0, 3)))
    assert "return h.detach()" in migrate(text, "TP101", options=options).text


@pytest.mark.parametrize("tensor", ["torch.Tensor", "torch._TensorBase", "torch._C._TensorBase"])
def test_a_branch_below_one_that_every_tensor_leaves_by_never_runs(tensor: str) -> None:
    head = "import torch\nfrom torch.autograd import Variable\ndef numpy(x):\n"
    first = f"    if isinstance(x, {tensor}):\n        return x.numpy()\n"
    second = "    if isinstance(x, Variable):\n        return numpy(x.data)\n"
    (finding,) = advice("TP101", head + first + second)
    # What requires grad was a Variable, and came to the second one.
    assert "write .detach() there, and drop this one" in finding.message
    for safe in ("x.data.numpy()", "x.detach().numpy()", "x.tolist()"):
        (finding,) = advice("TP101", head + first.replace("x.numpy()", safe) + second)
        assert "never runs, drop it" in finding.message

    stays = first.replace("return x", "x = x")
    (finding,) = advice("TP101", head + stays + second + "    return x\n")
    assert (
        "calls the function for ever: in the place of its body, write x = x.detach()"
        in finding.message
    )


def test_a_method_that_calls_itself_with_the_data_is_told_what_does_the_same() -> None:
    text = HEAD + textwrap.dedent(
        """
        class Constant(object):
            def fill(self, x):
                if isinstance(x, Variable):
                    self.fill(x.data)
                    return x
                x.fill_(self.constant)
                return x
        """
    )
    (finding,) = advice("TP101", text)
    assert "for ever: drop it, and put the rest of the function under" in finding.message


@pytest.mark.parametrize("called", ["other.fill(x.data)", "fill(x.data)", "super().fill(x.data)"])
def test_a_function_of_the_same_name_is_another(called: str) -> None:
    text = (
        f"class Constant(Base):\n    def fill(self, x, other):\n"
        f"        if isinstance(x, Variable):\n            return {called}\n"
        f"        return x.fill_(1)\n"
    )
    assert not advice("TP101", HEAD + text)
    assert "isinstance(x, torch.Tensor)" in migrate(HEAD + text, "TP101").text


_RECURSION = """import numpy as np
import torch
from torch.autograd import Variable
def numpy(x, other):
    if isinstance(x, np.ndarray):
        return x
    {above}
    {test}:
        return numpy({given}, other)
    {after}
"""


def _of_recursion(
    above: str = "pass",
    test: str = "if isinstance(x, Variable)",
    given: str = "x.data",
    after: str = "",
) -> str:
    above = above.replace("\n", "\n    ")
    return _RECURSION.format(above=above, test=test, given=given, after=after)


@pytest.mark.parametrize(
    "above",
    [
        "if isinstance(x, (list, torch.Tensor)):\n    return list(x)",
        "if x is None or torch.is_tensor(x):\n    return 1",
        "if torch.is_tensor(x):\n    return 1\nprint(x)",
        "if torch.is_tensor(x):\n    return 1\nif other:\n    y = x[0]",
        "if torch.is_tensor(x):\n    raise ValueError\nif isinstance(x, list):\n    return 2",
    ],
)
def test_what_every_tensor_has_left_by_above(above: str) -> None:
    (finding,) = advice("TP101", _of_recursion(above))
    assert "this one never runs, drop it" in finding.message


_TWO_BRANCHES = """
import torch
from torch.autograd import Variable

def walk(x, only):
    {first}:
        {does}
    {second}:
        {other}
    return None
"""


def _of_branches(first: str, does: str, second: str, other: str) -> str:
    return _TWO_BRANCHES.format(first=first, does=does, second=second, other=other)


@pytest.mark.parametrize(
    ("does", "other", "said"),
    [
        ("yield x", "yield x.data", "this one never runs, drop it"),
        ("return x.size()", "return x.size()", "this one never runs, drop it"),
        ("yield x", "yield x.data if only else x", "see which of the two is right, and drop"),
        ("return x.cpu()", "return x.size()", "see which of the two is right, and drop"),
        ("return x.numpy()", "return x.data.numpy()", "write .detach() there, and drop this one"),
    ],
)
def test_what_a_branch_above_takes_is_only_dropped_where_that_does_the_same(
    does: str, other: str, said: str
) -> None:
    text = _of_branches("if torch.is_tensor(x)", does, "elif isinstance(x, Variable)", other)
    (finding,) = advice("TP101", text)
    assert said in finding.message


def test_what_plain_tensors_went_on_to_is_told() -> None:
    first, second = "if isinstance(x, Variable) and not x.requires_grad", "elif torch.is_tensor(x)"
    (finding,) = advice("TP101", _of_branches(first, "return None", second, "return x.size()"))
    assert finding.message == (
        "a plain tensor was no Variable before 0.4 and went on to line 7; today every tensor "
        "takes this branch where the rest of its test holds: see whether it is right for it"
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("if isinstance(x, Variable) or only", "elif torch.is_tensor(x)"),
        ("if isinstance(x, Variable) and only", "elif isinstance(x, list)"),
        ("if isinstance(x, Variable) and only", "elif torch.is_tensor(only)"),
    ],
)
def test_where_no_branch_of_tensors_follows_the_test_asks_for_them(first: str, second: str) -> None:
    text = _of_branches(first, "return None", second, "return x.size()")
    assert advice("TP101", text) == []
    assert "isinstance(x, torch.Tensor)" in migrate(text, "TP101").text


def test_tensors_have_left_above_the_branches_that_one_is_of() -> None:
    above = "if torch.is_tensor(x):\n    return 1\nif other:\n    print(x)"
    (finding,) = advice("TP101", _of_recursion(above, "elif isinstance(x, Variable)"))
    assert "this one never runs, drop it" in finding.message


@pytest.mark.parametrize(
    "above",
    [
        "if torch.is_tensor(other):\n    return 1",
        "if torch.is_tensor(x) and other:\n    return 1",
        "if torch.is_tensor(x):\n    print(x)",
        "if torch.is_tensor(x):\n    return 1\nif other:\n    x = other",
        "if torch.is_tensor(x):\n    return 1\nx = unheard(x)",
    ],
)
def test_what_tensors_may_pass_by(above: str) -> None:
    (finding,) = advice("TP101", _of_recursion(above, after="return 3"))
    assert "in the place of its body, write x = x.detach()" in finding.message


@pytest.mark.parametrize(
    ("last", "is_same"), [("return x", True), ("return other", False), ("x = 1", False)]
)
def test_what_fills_a_tensor_and_gives_it_back_does_so_without_a_graph(
    last: str, is_same: bool
) -> None:
    head = "import torch\nfrom torch.autograd import Variable\ndef fill(x, other):\n"
    branch = f"    if isinstance(x, Variable):\n        fill(x.data, other)\n        {last}\n"
    told = "drop it, and put the rest of the function under `with torch.no_grad():`"
    found = advice("TP101", head + branch + "    return x.copy_(other)\n")
    assert any(told in finding.message for finding in found) is is_same


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ("x.copy_(other)", "under `with torch.no_grad():`, with `return x` at its end"),
        ("x.copy_(other)\nreturn", "under `with torch.no_grad():`, with `return x` at its end"),
        ("x.copy_(other)\nreturn x", "under `with torch.no_grad():`"),
        ("nn.init.uniform_(x)", "as `torch.nn.init` records nothing, with `return x` at its end"),
        ("raise ValueError(other)\nx.copy_(other)", "for ever: drop it"),
        ("for i in range(3):\n    raise ValueError(other)\n    x[i] = other", "for ever: drop it"),
        (
            "for i in range(3):\n    x[i] = other\n    raise ValueError(other)",
            "under `with torch.no_grad():`, with `return x` at its end",
        ),
        (
            "if other:\n    raise ValueError(other)\nx.copy_(other)",
            "under `with torch.no_grad():`, with `return x` at its end",
        ),
    ],
)
def test_what_the_branch_gives_back_and_what_is_never_come_to(rest: str, told: str) -> None:
    head = "import torch.nn as nn\nfrom torch.autograd import Variable\ndef fill(x, other):\n"
    branch = "if isinstance(x, Variable):\n    fill(x.data, other)\n    return x\n"
    (finding,) = advice("TP101", head + textwrap.indent(branch + rest + "\n", "    "))
    assert finding.message.endswith(told)


@pytest.mark.parametrize(
    ("rest", "is_alone"),
    [
        ("nn.init.uniform(x, -1, 1)\nreturn x", True),
        (
            "if x.dim() == 1:\n    nn.init.zeros_(x)\nelse:\n    nn.init.xavier_normal_(x)\nreturn x",
            True,
        ),
        ("nn.init.uniform(x, -1, 1)\nx.add_(1)\nreturn x", False),
        ("nn.init.uniform(x, -1, 1)\nx += 1\nreturn x", False),
        ("nn.init.uniform(x, -1, 1)\nx[0] = 1\nreturn x", False),
        ("nn.init.uniform(x, -1, 1)\nother(x)\nreturn x", False),
        ("nn.init.uniform(x, -1, 1)\nother.uniform(x)\nreturn x", False),
        ("nn.init.uniform(x, -1, 1)\nreturn 2 * x", False),
        ("nn.init.uniform(x, -1, 1)\nreturn", False),
    ],
)
def test_what_only_initialises_needs_no_fence(rest: str, is_alone: bool) -> None:
    head = "import torch.nn as nn\nfrom torch.autograd import Variable\ndef fill(x, other):\n"
    branch = "if isinstance(x, Variable):\n    fill(x.data, other)\n    return x\n"
    (finding,) = advice("TP101", head + textwrap.indent(branch + rest + "\n", "    "))
    assert finding.message.endswith("drop it, as `torch.nn.init` records nothing") is is_alone
    assert ("under `with torch.no_grad():`" in finding.message) is not is_alone


def test_nothing_can_go_on_where_nothing_follows() -> None:
    above = "if hasattr(x, 'cpu') and other:\n    return x.cpu().numpy()"
    (finding,) = advice("TP101", _of_recursion(above))
    assert "let it do that itself, with x.detach()" in finding.message
    (finding,) = advice("TP101", _of_recursion(above, after="print(x)"))
    assert "in the place of its body, write x = x.detach()" in finding.message


def test_an_array_is_no_tensor_that_comes_back() -> None:
    text = _of_recursion(given="x.data.cpu().numpy()")
    assert not advice("TP101", text)
    assert "    if isinstance(x, torch.Tensor):\n" in migrate(text, "TP101").text


@pytest.mark.parametrize("tensor", ["torch.Tensor", "torch._TensorBase", "torch._C._TensorBase"])
def test_a_second_branch_for_tensors_never_runs(tensor: str) -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\ndef f(x):\n"
        f"    if isinstance(x, {tensor}):\n        y = x.cpu().numpy()\n"
        "    elif isinstance(x, Variable):\n        y = x.data.cpu().numpy()\n    return y\n"
    )
    (finding,) = advice("TP101", text)
    assert finding.line == 6
    assert "write .detach() there, and drop this one" in finding.message


_DROPPED = """import torch
from torch.autograd import Variable
def dropped(x, dropout):
    torch.exp(x)
    mask = x.{made}
    return x * Variable(mask)
"""


@pytest.mark.parametrize(
    ("made", "is_plain"),
    [
        ("new_empty(3).bernoulli_(1 - dropout)", True),
        ("new(*x.size()).bernoulli_(1 - dropout) / (1 - dropout)", True),
        ("new_empty(3).fill_(dropout)", True),
        ("new_zeros(3).clamp_(dropout)", True),
        # These take tensors as well as numbers.
        ("new_zeros(3).add_(dropout)", False),
        ("new_zeros(3).copy_(dropout)", False),
        ("new_zeros(3).bernoulli_() / (1 - dropout)", False),
        ("new_zeros(3).bernoulli_(dropout - x) / dropout", False),
        # What they write into may have a history.
        ("clone().clamp_(dropout)", False),
        ("mul(2).fill_(dropout)", False),
    ],
)
def test_what_is_drawn_by_a_number_has_no_history(made: str, is_plain: bool) -> None:
    text = _DROPPED.format(made=made)
    assert ("x * mask\n" in migrate(text, "TP101").text) == is_plain
    changed = text.replace("torch.exp(x)", "dropout = torch.exp(x)")
    assert "mask.detach()" in migrate(changed, "TP101").text


@pytest.mark.parametrize(
    ("before", "is_plain"),
    [
        ("", True),
        ("if isinstance(p, float): p = 1 - p\n    ", False),
        ("p = rates(p)\n    q = p\n    p = q.exp()\n    ", False),
    ],
)
def test_the_mask_of_a_helper_is_divided_by_the_number_that_it_is_drawn_by(
    before: str, is_plain: bool
) -> None:
    text = f"""\
import torch
import torch.nn as nn
from torch.autograd import Variable
def mask_of(x, p):
    {before}return x.new(*x.size()).bernoulli_(1 - p) / (1 - p)
class Dropped(nn.Module):
    def forward(self, x):
        mask = mask_of(x.data, self.p)
        return Variable(mask) * x
"""
    after = migrate(text, "TP101").text
    assert ("return mask * x" in after, "return mask.detach() * x" in after) == (
        is_plain,
        not is_plain,
    )


@pytest.mark.parametrize(
    ("store", "is_detached"),
    [
        ("y[0] = x.exp().sum()", True),
        ("y[0][1] = x.exp().sum()", True),
        ("y[0].add_(x.exp().sum())", True),
        ("y[0] += x.exp().sum()", True),
        ("y[0][1] = unheard(x)", True),
        ("y[0][1] = 1", False),
        ("y[0][1] = len(x) + 1", False),
        ("y[0] = torch.ones(3)", False),
        ("y[0].fill_(3)", False),
        ("x[0][1] = y[0].exp().sum()", False),
    ],
)
def test_a_part_that_is_stored_brings_its_history(store: str, is_detached: bool) -> None:
    text = HEAD + f"def f(x):\n    y = torch.zeros(2, 3)\n    {store}\n    return Variable(y)\n"
    returned = migrate(text, "TP101").text.rpartition("return ")[2].strip()
    assert returned == ("y.detach()" if is_detached else "y")


_PENALTY = """\
import torch
from torch.autograd import Variable
def penalty(D, real, fake, alpha, x, y):
    {}
    return D(z)
"""


def test_what_was_no_variable_is_detached_once() -> None:
    """A sum of plain tensors is a new one, which nobody else holds."""
    made = "z = Variable(alpha * real.data + (1 - alpha) * fake, requires_grad=True)"
    old = "x.sum().backward(retain_variables=True)\n    "
    after = migrate(_PENALTY.format(old + made), "TP101").text
    assert "z = (alpha * real.data + (1 - alpha) * fake).requires_grad_()" in after
    undated = migrate(_PENALTY.format(made), "TP101").text
    assert "z = (alpha * real.data + (1 - alpha) * fake).detach().requires_grad_()" in undated
    for kept in ("real", "D(real)", "torch.nn.functional.relu(real)", "real.view(3)"):
        text = _PENALTY.format(f"{old}z = Variable({kept}, requires_grad=True)")
        assert f"z = {kept}.detach().requires_grad_()" in migrate(text, "TP101").text


_COLLATED = """
import torch
from torch.autograd import Variable
loader = torch.utils.data.DataLoader(rows, collate_fn=own)
for x, y in loader:
    {}
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("z = Variable(x)", "z = x"),
        ("z = Variable(x['a'])", "z = x['a']"),
        ("z = Variable(y[0][:, 1:])", "z = y[0][:, 1:]"),
        ("x = net(x); z = Variable(x)", "x = net(x); z = x.detach()"),
        ("x.data.copy_(w); x += w; z = Variable(x)", "x.data.copy_(w); x += w; z = x.detach()"),
    ],
)
def test_what_a_loader_collates_has_no_graph(before: str, after: str) -> None:
    assert migrate(_COLLATED.format(before), "TP101").text.endswith(f"    {after}\n")


_CHOSEN = (
    HEAD + "def f(x, y, flag):\n    asked = isinstance(x, Variable)\n    {}\n    return y, asked\n"
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y = y if torch.is_tensor(x) else Variable(y)", ""),
        ("z = Variable(y) if asked else y", "z = y"),
        ("z = y if not isinstance(x, (Variable, list)) else Variable(y)", "z = y"),
        ("z = Variable(y) if flag else y", "z = y if flag else y"),
        ("z = Variable(y) if f(x) else y", "z = y if f(x) else y"),
        (
            "z = Variable(y) if isinstance(f(x), list) else y",
            "z = y if isinstance(f(x), list) else y",
        ),
    ],
)
def test_of_branches_that_became_the_same_one_is_left(before: str, after: str) -> None:
    text = _CHOSEN.format(before)
    options = Options(era=Era(newest=(0, 3)))
    migrated = migrate(text, "TP101", options=options).text
    assert migrated.endswith(
        f"    {after}\n    return y, asked\n"
        if after
        else "    asked = isinstance(x, torch.Tensor)\n    return y, asked\n"
    )


_CHAIN = """from torch.autograd import Variable
def numpy(x):
    {first} isinstance(x, {kind}):
        return {done}
    {second} isinstance(x, Variable):
        return numpy(x.data)
    {rest}return x.numpy()
"""


@pytest.mark.parametrize(
    ("second", "rest", "said"),
    [
        ("if", "", "in the place of its body, write x = x.detach()"),
        (
            "if",
            "else: ",
            "above line 5, write `if isinstance(x, torch.Tensor): x = x.detach()`, and take this",
        ),
        (
            "elif",
            "",
            "above line 3, write `if isinstance(x, torch.Tensor): x = x.detach()`, and take",
        ),
        ("elif", "else: ", "above line 3, write `if isinstance(x, torch.Tensor): x = x.detach()`"),
    ],
)
def test_what_goes_on_without_recursion_fits_its_place(second: str, rest: str, said: str) -> None:
    parts = {"first": "if", "kind": "list", "done": "[numpy(i) for i in x]"}
    text = _CHAIN.format(second=second, rest=rest, **parts)
    (finding,) = advice("TP101", text)
    assert finding.message.startswith("every tensor that comes here takes this branch today, and")
    assert said in finding.message


_ATTACK = """\
import torch
from torch.autograd import Variable
def attack(net, x):
    y = Variable(x.data, requires_grad=True)
    return net(y), net(x)
"""


@pytest.mark.parametrize(
    ("calls", "after"),
    [
        ("attack(net, torch.ones(2))", "x.detach().requires_grad_()"),
        ("attack(net, x=torch.ones(2))\nattack(n, torch.zeros(2))", "x.detach().requires_grad_()"),
        ("attack(net, torch.ones(2))\nattack(net, batch)", "x.data.detach().requires_grad_()"),
        ("attack(net, torch.ones(2))\nlater(attack)", "x.data.detach().requires_grad_()"),
        ("attack(net, pack_padded_sequence(x, n))", "x.data.detach().requires_grad_()"),
        ("attack(net, *torch.ones(2))", "x.data.detach().requires_grad_()"),
        ("print(attack)", "x.data.detach().requires_grad_()"),
    ],
)
def test_what_all_calls_show_to_be_a_tensor(calls: str, after: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "home.py").write_text(_ATTACK)
    head = "import torch\nfrom torch.nn.utils.rnn import pack_padded_sequence\n"
    (tmp_path / "main.py").write_text(f"{head}from home import attack\n{calls}\n")
    result = migrate_file(tmp_path / "home.py", Settings(select=("TP101",)), write=False).after
    assert f"    y = {after}\n" in (result or "")


_MOVES = """
import torch
USE_CUDA = torch.cuda.is_available()
def to_gpu(x, n=0):
    if USE_CUDA:
        return x.cuda()
    return x
def changed(x):
    x = x * weight
    return x
"""
_MARGIN = """
import torch
from torch.autograd import Variable
from moves import to_gpu, changed
def margin(score, make):
    zero = {made}
    zero.zero_()
    zero = {written}
    return torch.max(score, zero)
net = to_gpu(torch.nn.Linear(2, 3))
print(to_gpu(net(data)))
"""


@pytest.mark.parametrize(
    ("made", "is_bare"),
    [
        ("to_gpu(torch.FloatTensor(score.size()))", True),
        ("to_gpu(n=1, x=torch.zeros(3))", True),
        ("to_gpu(net(score))", False),
        ("to_gpu(make(3))", False),
        ("changed(torch.zeros(3))", False),
    ],
)
def test_a_helper_that_hands_a_tensor_back_adds_no_graph(
    made: str, is_bare: bool, tmp_path: Path
) -> None:
    """Whatever other calls give the helper."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "moves.py").write_text(_MOVES)
    loss = tmp_path / "loss.py"
    loss.write_text(_MARGIN.format(made=made, written="Variable(zero)"))
    after = migrate_file(loss, Settings(select=("TP101",)), write=False).after
    bare = _MARGIN.format(made=made, written="Variable(zero)").replace(
        "    zero = Variable(zero)\n", ""
    )
    detached = _MARGIN.format(made=made, written="zero.detach()")
    line = "from torch.autograd import Variable\n"
    assert after == (bare if is_bare else detached).replace(line, "")


@pytest.mark.parametrize(
    ("filled", "after", "is_plain"),
    [
        ("flipped[0] = other", "", True),
        ("flipped[0] = other\n        flipped.mul_(other)", "", True),
        ("for n in range(2):\n            flipped[n] += other", "", True),
        ("flipped[0] = other\n    flipped[1] = other", "", False),
        ("flipped[0] = other", "    flipped *= other\n", False),
        ("flipped[0] = other\n        flipped.requires_grad_()", "", False),
        ("flipped = other\n        flipped[0] = 1", "", False),
    ],
)
def test_what_is_made_and_filled_without_gradients(filled: str, after: str, is_plain: bool) -> None:
    text = f"""\
import torch
from torch.autograd import Variable
def f(net, other):
    with torch.no_grad():
        flipped = torch.clone(other)
        {filled}
    y = net(Variable(flipped.cpu()))
{after}    return y
"""
    assert ("net(flipped.cpu())" in migrate(text, "TP101").text) == is_plain


def test_beside_a_volatile_variable_both_go_once_the_flag_is_gone() -> None:
    text = (
        "from torch.autograd import Variable\ndef test(net, loader):\n"
        "    for x, y in loader:\n        x, y = Variable(x, volatile=True), Variable(y)\n"
        "        print((net(x) == y).sum())\n"
    )
    assert "Variable" not in migrate(text).text


_BESIDE_FLAGGED = """from torch.autograd import Variable


def wrapped(x, y, test, keep):
    {}
    return keep(x, y)
"""


@pytest.mark.parametrize(
    "lines",
    [
        "x = Variable(x, volatile=test)\n    y = Variable(y)",
        "y = Variable(y)\n    x = Variable(x, volatile=test)",
        "x = Variable(x, volatile=test)\n    y = Variable(y)\n    keep = Variable(keep)",
        "y = keep(Variable(y[1]), Variable(y[0], volatile=test))",
        "x = Variable(x, volatile=True) if test else Variable(x)",
        "for k in y:\n        if test:\n            x[k] = Variable(y[k].cpu(), volatile=True)\n"
        "        else:\n            x[k] = Variable(y[k].cpu())",
    ],
)
def test_a_variable_stays_beside_a_volatile_one_that_stays(lines: str) -> None:
    text = _BESIDE_FLAGGED.format(lines)
    assert migrate(text).text == text


@pytest.mark.parametrize(
    "lines",
    [
        "x = Variable(x, volatile=test)\n    keep(x)\n    y = Variable(y)",
        "x = Variable(x, volatile=test)\n    z = keep(x)\n    y = Variable(y)",
        "x = Variable(x, volatile=test)\n    keep(Variable(y))",
        "if test:\n        x = Variable(x, volatile=test)\n    else:\n        y = Variable(y)",
        "if test:\n        x = Variable(y, volatile=test)\n    y = Variable(y)",
    ],
)
def test_a_variable_apart_from_a_volatile_one_goes(lines: str) -> None:
    after = migrate(_BESIDE_FLAGGED.format(lines)).text
    assert "volatile=" in after
    assert "Variable(y)" not in after


@pytest.mark.parametrize(
    ("change", "written"),
    [
        ("xs.reverse()", "xs[1].detach()"),
        ("random.shuffle(xs)", "xs[1].detach()"),
        ("np.random.shuffle(xs)", "xs[1].detach()"),
        ("random.sample(xs, 2)", "xs[1]"),
    ],
)
def test_an_element_may_be_another_one_where_the_order_has_changed(
    change: str, written: str
) -> None:
    text = (
        "import random\nimport numpy as np\nimport torch\nfrom torch.autograd import Variable\n"
        "net = torch.nn.Linear(2, 2)\nxs = [net(torch.ones(2, 2)), torch.ones(2)]\n"
        f"{change}\nprint(Variable(xs[1]).sum())\n"
    )
    assert f"print({written}.sum())\n" in migrate(text).text


def test_what_has_no_graph_has_none_in_any_order() -> None:
    text = (
        "import torch\nfrom random import shuffle\nfrom torch.autograd import Variable\nxs = []\n"
        "for i in range(3):\n    xs.append(torch.ones(i))\nshuffle(xs)\n"
        "for i in range(3):\n    print(Variable(xs[i]).sum())\n"
    )
    assert "    print(xs[i].sum())\n" in migrate(text).text


_LEAVES = """\
import torch
from torch.autograd import Variable
def train(net, batch, optimize):
    mean, spread = net.encoded(Variable(batch, volatile=False))
    held = Variable(mean.data, requires_grad=True)
    loss = optimize(held)
    loss.backward()
    return loss.data[0]
"""


@pytest.mark.parametrize(
    ("beside", "after"),
    [
        ("def f(x): return x", "mean.detach().requires_grad_()"),
        # What is no Variable may keep a plain tensor, which stays what it is.
        ("class Batch:\n    def __init__(self, x):\n        self.data = x", None),
        ("class Batch:\n    def data(self): return 1", None),
        ("from collections import namedtuple\nBatch = namedtuple('Batch', 'data n')", None),
        ("from torch.nn.utils.rnn import pack_padded_sequence", None),
    ],
)
def test_data_of_what_can_only_have_been_a_variable(
    beside: str, after: str | None, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "home.py").write_text(_LEAVES)
    (tmp_path / "main.py").write_text(f"import home\n{beside}\n")
    settings = Settings(select=("TP101", "TP102"))
    result = migrate_file(tmp_path / "home.py", settings, write=False).after
    after = after or "mean.data.detach().requires_grad_()"
    assert f"    held = {after}\n" in (result or "")
