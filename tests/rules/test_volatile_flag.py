from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options

test_rewrites = rewrites(
    "TP102",
    {
        "a loop of inference only": (
            """
            import torch
            from torch.autograd import Variable
            def test(model, loader):
                for x in loader:
                    # batch
                    x = Variable(x, volatile=True)
                    print(model(x))
            """,
            """
            import torch
            from torch.autograd import Variable
            def test(model, loader):
                with torch.no_grad():
                    for x in loader:
                        # batch
                        x = Variable(x)
                        print(model(x))
            """,
        ),
        "two in one line": (
            """
            import torch
            from torch.autograd import Variable
            def test(model, loader):
                for x, y in loader:
                    x, y = Variable(x, volatile=True), Variable(y, volatile=True)
                    print(model(x) == y)
            """,
            """
            import torch
            from torch.autograd import Variable
            def test(model, loader):
                with torch.no_grad():
                    for x, y in loader:
                        x, y = Variable(x), Variable(y)
                        print(model(x) == y)
            """,
        ),
        "collected in a list for the model": (
            """
            import torch
            from torch.autograd import Variable
            from torch.nn.utils.rnn import pack_sequence
            def test(net, loader):
                for x, y in loader:
                    docs = []
                    for sample in x:
                        doc = []
                        for vec in sample:
                            doc.append(Variable(vec, volatile=True))
                        docs.append(pack_sequence(doc))
                    output = net(docs)
                    print(output.max(1)[1].eq(y).sum())
            """,
            """
            import torch
            from torch.autograd import Variable
            from torch.nn.utils.rnn import pack_sequence
            def test(net, loader):
                for x, y in loader:
                    docs = []
                    for sample in x:
                        doc = []
                        for vec in sample:
                            doc.append(Variable(vec))
                        docs.append(pack_sequence(doc))
                    with torch.no_grad():
                        output = net(docs)
                    print(output.max(1)[1].eq(y).sum())
            """,
        ),
        "labels that are only read": (
            """
            import torch
            from torch.autograd import Variable
            def test(model, loader, metrics):
                model.eval()
                for x, y in enumerate(loader):
                    x = Variable(x.cuda(), volatile=True)
                    y = Variable(y.cuda(), volatile=True)

                    out = model(x)

                    pred = out.data.max(1)[1].cpu().numpy()
                    gt = y.cpu().numpy()
                    best = out.argmax(1).cpu().view(-1).tolist()
                    metrics.update(gt, pred, best)
            """,
            """
            import torch
            from torch.autograd import Variable
            def test(model, loader, metrics):
                model.eval()
                for x, y in enumerate(loader):
                    x = Variable(x.cuda())
                    y = Variable(y.cuda())

                    with torch.no_grad():
                        out = model(x)

                    pred = out.data.max(1)[1].cpu().numpy()
                    gt = y.cpu().numpy()
                    best = out.argmax(1).cpu().view(-1).tolist()
                    metrics.update(gt, pred, best)
            """,
        ),
        "two values in one line": (
            """
            import torch
            from torch.autograd import Variable
            def test(model, loader):
                for x, y in loader:
                    x, y = Variable(x, volatile=True), Variable(y, volatile=True)
                    print(model(x, y))
            def loss(model, x, y):
                value = model(Variable(x, volatile=True), Variable(y, volatile=True))
                print(value.size())
            """,
            """
            import torch
            from torch.autograd import Variable
            def test(model, loader):
                with torch.no_grad():
                    for x, y in loader:
                        x, y = Variable(x), Variable(y)
                        print(model(x, y))
            def loss(model, x, y):
                with torch.no_grad():
                    value = model(Variable(x), Variable(y))
                print(value.size())
            """,
        ),
        "outputs that are collected": (
            """
            import torch
            from torch.autograd import Variable
            def test(net, xs):
                inputs, outputs = [], []
                for x in xs:
                    x = Variable(x, volatile=True)
                    inputs.append(x)
                    outputs.append(net(x))
                return torch.cat(outputs), len(inputs)
            """,
            """
            import torch
            from torch.autograd import Variable
            def test(net, xs):
                inputs, outputs = [], []
                with torch.no_grad():
                    for x in xs:
                        x = Variable(x)
                        inputs.append(x)
                        outputs.append(net(x))
                return torch.cat(outputs), len(inputs)
            """,
        ),
        "only the statements that use it, in a loop that trains": (
            """
            import torch
            from torch.autograd import Variable
            def train(model, loader, loss):
                for x in loader:
                    fixed = Variable(x, volatile=True)
                    fake = model(fixed).data
                    loss(model(x), fake).backward()
            """,
            """
            import torch
            from torch.autograd import Variable
            def train(model, loader, loss):
                for x in loader:
                    fixed = Variable(x)
                    with torch.no_grad():
                        fake = model(fixed).data
                    loss(model(x), fake).backward()
            """,
        ),
        "bound in a branch, used behind it": (
            """
            import torch
            from torch.autograd import Variable
            def f(model, x, cuda):
                if cuda:
                    x = Variable(x.cuda(), volatile=True)
                else:
                    x = Variable(x, volatile=True)
                y = model(x)
                print(y.size(0))
            """,
            """
            import torch
            from torch.autograd import Variable
            def f(model, x, cuda):
                if cuda:
                    x = Variable(x.cuda())
                else:
                    x = Variable(x)
                with torch.no_grad():
                    y = model(x)
                print(y.size(0))
            """,
        ),
        "a multi-line string keeps its bytes": (
            '''
            import torch
            from torch.autograd import Variable
            def f(model, x):
                x = Variable(x, volatile=True)
                print(model(x), """a
              b""")
            ''',
            '''
            import torch
            from torch.autograd import Variable
            def f(model, x):
                x = Variable(x)
                with torch.no_grad():
                    print(model(x), """a
              b""")
            ''',
        ),
        "a line continued by a backslash moves along": (
            "import torch\nfrom torch.autograd import Variable\n"
            "x = Variable(y, volatile=True)\nz = f(x) + \\\n    1\nprint(z)\n",
            "import torch\nfrom torch.autograd import Variable\n"
            "x = Variable(y)\nwith torch.no_grad():\n    z = f(x) + \\\n        1\nprint(z)\n",
        ),
        "an environment's step is no training": (
            """
            import torch
            from torch.autograd import Variable
            def play(model, env, state):
                for t in range(10):
                    action = model(Variable(state, volatile=True)).max(1)[1].numpy()
                    state = env.step(action)
            """,
            """
            import torch
            from torch.autograd import Variable
            def play(model, env, state):
                with torch.no_grad():
                    for t in range(10):
                        action = model(Variable(state)).max(1)[1].numpy()
                        state = env.step(action)
            """,
        ),
        "set as an attribute": (
            """
            import torch
            def f(model):
                x = torch.ones(2)
                x.volatile = True
                y = model(x)
                print(y)
            """,
            """
            import torch
            def f(model):
                x = torch.ones(2)
                with torch.no_grad():
                    y = model(x)
                    print(y)
            """,
        ),
        "cleared as an attribute": (
            """
            import torch
            def f(model):
                x = torch.ones(2)
                x.volatile = False
                return model(x)
            """,
            """
            import torch
            def f(model):
                x = torch.ones(2)
                return model(x)
            """,
        ),
        "what is computed may be returned": (
            """
            import torch
            from torch.autograd import Variable
            def f(model, x):
                x = Variable(x, volatile=True)
                y = model(x)
                return y
            """,
            """
            import torch
            from torch.autograd import Variable
            def f(model, x):
                x = Variable(x)
                with torch.no_grad():
                    y = model(x)
                return y
            """,
        ),
        "what is computed may be returned in a dict": (
            """
            import torch
            from torch.autograd import Variable
            def f(model, x):
                x = Variable(x, volatile=True)
                return {"output": model(x)}
            """,
            """
            import torch
            from torch.autograd import Variable
            def f(model, x):
                x = Variable(x)
                with torch.no_grad():
                    return {"output": model(x)}
            """,
        ),
        "numbers of it may be returned in a dict": (
            """
            import torch
            from torch.autograd import Variable
            def f(model, x):
                x = Variable(x, volatile=True)
                y = model(x).mean()
                return dict(mean=y.data[0], n=len(x))
            """,
            """
            import torch
            from torch.autograd import Variable
            def f(model, x):
                x = Variable(x)
                with torch.no_grad():
                    y = model(x).mean()
                return dict(mean=y.data[0], n=len(x))
            """,
        ),
        "a moved input is followed": (
            """
            import torch
            from torch.autograd import Variable
            def a(model, ids):
                x = Variable(torch.LongTensor(ids), volatile=True)
                x = x.view(1, -1)
                out = model(x)
                print(out.size())
            """,
            """
            import torch
            from torch.autograd import Variable
            def a(model, ids):
                x = Variable(torch.LongTensor(ids))
                x = x.view(1, -1)
                with torch.no_grad():
                    out = model(x)
                print(out.size())
            """,
        ),
        "an imported function may train: the loop around it stays outside": (
            """
            import torch
            from torch.autograd import Variable
            from engine import train_one_epoch
            def main(model, loader, val, n):
                for epoch in range(n):
                    train_one_epoch(model, loader)
                    for x, y in val:
                        x = Variable(x, volatile=True)
                        print(model(x).sum())
            """,
            """
            import torch
            from torch.autograd import Variable
            from engine import train_one_epoch
            def main(model, loader, val, n):
                for epoch in range(n):
                    train_one_epoch(model, loader)
                    with torch.no_grad():
                        for x, y in val:
                            x = Variable(x)
                            print(model(x).sum())
            """,
        ),
        "both branches of a choice go under one block": (
            """
            import torch
            from torch.autograd import Variable
            def extract(net, data, train_one):
                for x, y in data:
                    train_one(y)
                    if x.size(0) > 9:
                        first = Variable(x[:9], volatile=True)
                        print(net(first).sum())
                    else:
                        x = Variable(x, volatile=True)
                        print(net(x).max())
            """,
            """
            import torch
            from torch.autograd import Variable
            def extract(net, data, train_one):
                for x, y in data:
                    train_one(y)
                    with torch.no_grad():
                        if x.size(0) > 9:
                            first = Variable(x[:9])
                            print(net(first).sum())
                        else:
                            x = Variable(x)
                            print(net(x).max())
            """,
        ),
        "one branch of a choice goes alone where the other needs its graph": (
            """
            import torch
            from torch.autograd import Variable
            def run(net, x, is_training):
                if is_training:
                    net(x).sum().backward()
                else:
                    x = Variable(x, volatile=True)
                    print(net(x).max())
            """,
            """
            import torch
            from torch.autograd import Variable
            def run(net, x, is_training):
                if is_training:
                    net(x).sum().backward()
                else:
                    x = Variable(x)
                    with torch.no_grad():
                        print(net(x).max())
            """,
        ),
        "what stands in between and needs its graph stays outside": (
            """
            import torch
            from torch.autograd import Variable
            G, D = torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)
            real = torch.ones(4, 3)
            noise = Variable(torch.randn(4, 3), volatile=True)
            real_out = D(Variable(real))
            fake = Variable(G(noise).data)
            loss = real_out.mean() - D(fake).mean()
            loss.backward()
            """,
            """
            import torch
            from torch.autograd import Variable
            G, D = torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)
            real = torch.ones(4, 3)
            noise = Variable(torch.randn(4, 3))
            real_out = D(Variable(real))
            with torch.no_grad():
                fake = Variable(G(noise).data)
            loss = real_out.mean() - D(fake).mean()
            loss.backward()
            """,
        ),
        "one no_grad inside of another is not written": (
            """
            import torch
            from torch.autograd import Variable
            def f(model, loader, flip):
                for i, images in enumerate(loader):
                    images = Variable(images, volatile=True)
                    if flip:
                        g = Variable(torch.ones(2), volatile=True)
                        print(model(g))
                    print(model(images))
            """,
            """
            import torch
            from torch.autograd import Variable
            def f(model, loader, flip):
                with torch.no_grad():
                    for i, images in enumerate(loader):
                        images = Variable(images)
                        if flip:
                            g = Variable(torch.ones(2))
                            print(model(g))
                        print(model(images))
            """,
        ),
        "a use behind the block of another is covered as well": (
            """
            import torch
            from torch.autograd import Variable
            def f(model, a, b):
                x = Variable(a, volatile=True)
                y = Variable(b, volatile=True)
                p = model(x).data.numpy()
                q = model(y).data.numpy()
                return p + q
            """,
            """
            import torch
            from torch.autograd import Variable
            def f(model, a, b):
                x = Variable(a)
                y = Variable(b)
                with torch.no_grad():
                    p = model(x).data.numpy()
                    q = model(y).data.numpy()
                return p + q
            """,
        ),
        "tabs": (
            "import torch\nfrom torch.autograd import Variable\n"
            "for x in xs:\n\tprint(net(Variable(x, volatile=True)))\n",
            "import torch\nfrom torch.autograd import Variable\n"
            "with torch.no_grad():\n\tfor x in xs:\n\t\tprint(net(Variable(x)))\n",
        ),
        "already under no_grad": (
            """
            import torch
            from torch.autograd import Variable
            @torch.no_grad()
            def f(model, x):
                return model(Variable(x, volatile=True))
            """,
            """
            import torch
            from torch.autograd import Variable
            @torch.no_grad()
            def f(model, x):
                return model(Variable(x))
            """,
        ),
        "an expression": (
            """
            import torch
            from torch.autograd import Variable
            def f(model, x, training):
                x = Variable(x, volatile=not training)
                print(model(x))
            """,
            """
            import torch
            from torch.autograd import Variable
            def f(model, x, training):
                x = Variable(x)
                with torch.set_grad_enabled(torch.is_grad_enabled() and training):
                    print(model(x))
            """,
        ),
        "false": (
            """
            from torch.autograd import Variable
            def f(x):
                return Variable(x, requires_grad=True, volatile=False)
            """,
            """
            from torch.autograd import Variable
            def f(x):
                return Variable(x, requires_grad=True)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP102",
    {
        "a class that has another torch, which its comprehension does not see": """
            import torch
            from torch.autograd import Variable
            class Scores:
                torch = [model(Variable(x, volatile=True)).sum() for x in xs]
            """,
        "helper that passes its flag on in a comprehension": """
            import torch
            from torch.autograd import Variable
            def to_variable(batch, volatile=False):
                if torch.is_tensor(batch):
                    return Variable(batch, volatile=volatile)
                if isinstance(batch, dict):
                    return {k: to_variable(v, volatile=volatile) for k, v in batch.items()}
                return list(map(lambda b: to_variable(b, volatile=volatile), batch))
            """,
        "moved and returned": """
            import torch
            from torch.autograd import Variable
            def f(ids):
                x = Variable(torch.LongTensor(ids), volatile=True)
                x = x.view(1, -1)
                return x
            """,
        "a method that trains in between": """
            from torch.autograd import Variable
            class T:
                def loss(self, x):
                    l = self.model(x).sum()
                    l.backward()
                    return l.item()
                def run(self, a, b):
                    x = Variable(a, volatile=True)
                    z = self.model(x)
                    z = z + self.loss(b)
                    print(z.sum())
            """,
        "returned": """
            from torch.autograd import Variable
            def f(x):
                return Variable(x, volatile=True)
            """,
        "returned in a dict": """
            from torch.autograd import Variable
            def batch_of(data):
                text = Variable(data[0].long(), volatile=True)
                sizes = Variable(data[1], volatile=True)
                return {"text": text, "sizes": sizes - 1}
            """,
        "made in a dict that is returned": """
            from torch.autograd import Variable
            def batch_of(data):
                return {"text": Variable(data, volatile=True)}
            """,
        "made in a dict that is returned later": """
            from torch.autograd import Variable
            def batch_of(data):
                batch = {"text": Variable(data, volatile=True)}
                return batch
            """,
        "returned in a call of dict": """
            from torch.autograd import Variable
            def batch_of(data):
                text = Variable(data, volatile=True)
                return dict(text=text)
            """,
        "returned in a dict in a list": """
            from torch.autograd import Variable
            def batch_of(data):
                text = Variable(data, volatile=True)
                return [{"text": text}, len(data)]
            """,
        "stored on an object": """
            from torch.autograd import Variable
            class A:
                def f(self, x):
                    self.x = Variable(x, volatile=True)
            """,
        "used in training": """
            from torch.autograd import Variable
            def f(model, x):
                x = Variable(x, volatile=True)
                model(x).backward()
            """,
        "an attribute of something unknown": """
            import torch
            def f(model, x):
                x.volatile = True
                print(model(x))
            """,
        "user class": """
            import torch
            class Variable:
                def __init__(self, x, volatile): pass
            print(Variable(1, volatile=True))
            """,
        "keyword of another function": """
            import torch
            def f(volatile): pass
            f(volatile=True)
            """,
        "unknown arguments": """
            from torch.autograd import Variable
            print(Variable(x, volatile=True, **kwargs))
            """,
        "generator": """
            from torch.autograd import Variable
            def f(xs):
                for x in xs:
                    x = Variable(x, volatile=True)
                    yield x
            """,
        "used by a function that runs later": """
            from torch.autograd import Variable
            def f(model, x):
                x = Variable(x, volatile=True)
                run(lambda: model(x))
            """,
    },
)

test_keeps_the_graph_of_training = keeps(
    "TP102",
    {
        "without a graph on one of two paths": """
            from torch.autograd import Variable
            def run(model, x, train):
                if train:
                    x = Variable(x)
                else:
                    x = Variable(x, volatile=True)
                out = model(x)
                return out
            """,
        "without a graph only where a flag is set": """
            from torch.autograd import Variable
            def run(model, x, y, width):
                if width > 1:
                    x = Variable(x.data, volatile=True)
                return model(x) + y
            """,
        "without a graph from the second round on": """
            from torch.autograd import Variable
            def run(model, x, steps):
                outputs = []
                for step in range(steps):
                    out = model(x)
                    x = Variable(out.data, volatile=True)
                    outputs.append(out)
                return outputs
            """,
        "a function of another file that star imports may bring": """
            from helpers import *
            from torch.autograd import Variable
            def f(model, x, y):
                v = Variable(x, volatile=True)
                guess, loss = model(v), loss_of(y)
                return guess.data, loss
            """,
        "cut by .data in the midst of a loss": """
            from torch.autograd import Variable
            def loss_of(D, G, real, z):
                zv = Variable(z, volatile=True)
                loss = D(Variable(real)).mean() - D(Variable(G(zv).data)).mean()
                return loss
            """,
        "made and cut in the midst of a loss": """
            from torch.autograd import Variable
            def loss_of(V, s, s2, r):
                return Variable(r + V(Variable(s2, volatile=True)).data) - V(Variable(s))
            """,
        "given its graph back on one path": """
            import torch.nn.functional as F
            from torch.autograd import Variable
            def loss_of(net, target, s, s2, r):
                next_q = target(Variable(s2, volatile=True)).max(1)[0]
                if r is not None:
                    next_q.volatile = False
                q = net(Variable(s)).max(1)[0]
                return F.mse_loss(q, next_q * 0.9 + r)
            """,
        "a function that may cut it, and then a loss": """
            import torch.nn.functional as F
            from helpers import cut
            from torch.autograd import Variable
            def loss_of(net, target, s, s2):
                wanted = cut(Variable(s2, volatile=True))
                q = net.forward(Variable(s)) + torch.nn.Linear(2, 2)(Variable(s))
                loss = F.mse_loss(torch.nn.Linear(2, 2)(Variable(s)), wanted)
                return loss
            """,
    },
)


test_rewrites_what_has_no_graph_on_any_path = rewrites(
    "TP102",
    {
        "both branches": (
            """
            import torch
            from torch.autograd import Variable
            def f(model, x, cuda):
                if cuda:
                    x = Variable(x.cuda(), volatile=True)
                else:
                    x = Variable(x, volatile=True)
                return model(x)
            """,
            """
            import torch
            from torch.autograd import Variable
            def f(model, x, cuda):
                if cuda:
                    x = Variable(x.cuda())
                else:
                    x = Variable(x)
                with torch.no_grad():
                    return model(x)
            """,
        ),
        "one of two operands on all paths": (
            """
            import torch
            from torch.autograd import Variable
            def f(model, x, h, first):
                h = Variable(h, volatile=True)
                y = Variable(torch.zeros(3)) if first else Variable(torch.ones(3), volatile=True)
                return model(x, h) + y
            """,
            """
            import torch
            from torch.autograd import Variable
            def f(model, x, h, first):
                h = Variable(h)
                y = Variable(torch.zeros(3)) if first else Variable(torch.ones(3))
                with torch.no_grad():
                    return model(x, h) + y
            """,
        ),
        "None on the other path": (
            """
            import torch
            from torch.autograd import Variable
            def f(model, x):
                y = None
                if x is not None:
                    y = Variable(x, volatile=True)
                return model(y)
            """,
            """
            import torch
            from torch.autograd import Variable
            def f(model, x):
                y = None
                if x is not None:
                    y = Variable(x)
                with torch.no_grad():
                    return model(y)
            """,
        ),
        "a value that nothing uses": (
            """
            from torch.autograd import Variable
            def f(model, x, y):
                y = Variable(y, volatile=True)
                return model(Variable(x))
            """,
            """
            from torch.autograd import Variable
            def f(model, x, y):
                y = Variable(y)
                return model(Variable(x))
            """,
        ),
    },
)


def test_a_block_around_nothing_but_a_helper_does_nothing() -> None:
    text = textwrap.dedent(
        """
        import torch
        from torch.autograd import Variable
        def to_var(x, volatile=False):
            return Variable(x, volatile=volatile)
        def f(play, x, y, scores):
            x, y = to_var(x, True), to_var(y, True)
            loss = scores(play(x), y.size(0))
            loss.backward()
        """
    )
    assert migrate(text, "TP102").text == text.replace("to_var(y, True)", "to_var(y)")
    assert [f.line for f in advice("TP102", text)] == [6]


test_rewrites_what_is_cut = rewrites(
    "TP102",
    {
        "only the statement that ends in .data": (
            """
            import torch
            from torch.autograd import Variable
            def loss_of(V, s, s2, r):
                next_v = V(Variable(s2, volatile=True)).data
                target = Variable(r + 0.9 * next_v)
                return (target - V(Variable(s))).pow(2).mean()
            """,
            """
            import torch
            from torch.autograd import Variable
            def loss_of(V, s, s2, r):
                with torch.no_grad():
                    next_v = V(Variable(s2)).data
                target = Variable(r + 0.9 * next_v)
                return (target - V(Variable(s))).pow(2).mean()
            """,
        ),
        "up to what an unknown function made of it": (
            """
            import torch
            from helpers import to_np
            from torch.autograd import Variable
            def loss_of(crit, net, target, s, s2, r):
                q = net(Variable(s)).max(1)[0]
                next_q = target(Variable(s2, volatile=True)).max(1)[0]
                y = Variable(torch.Tensor(r + 0.9 * to_np(next_q)))
                loss = crit(q, y)
                return loss
            """,
            """
            import torch
            from helpers import to_np
            from torch.autograd import Variable
            def loss_of(crit, net, target, s, s2, r):
                q = net(Variable(s)).max(1)[0]
                with torch.no_grad():
                    next_q = target(Variable(s2)).max(1)[0]
                    y = Variable(torch.Tensor(r + 0.9 * to_np(next_q)))
                loss = crit(q, y)
                return loss
            """,
        ),
        "batches of which only some states are looked at": (
            """
            import torch
            from torch.autograd import Variable
            def optimize(model, batch, mask, size):
                after = Variable(torch.cat([s for s in batch.states]), volatile=True)
                values = Variable(torch.zeros(size))
                values[mask] = model(after).max(1)[0]
                values.volatile = False
                loss = (values - model(Variable(batch.now))).sum()
                loss.backward()
            """,
            """
            import torch
            from torch.autograd import Variable
            def optimize(model, batch, mask, size):
                after = Variable(torch.cat([s for s in batch.states]))
                values = Variable(torch.zeros(size))
                with torch.no_grad():
                    values[mask] = model(after).max(1)[0]
                loss = (values - model(Variable(batch.now))).sum()
                loss.backward()
            """,
        ),
        "one of two values": (
            """
            import torch
            from torch.autograd import Variable
            def loss_of(D, G, z, real):
                zv, x = Variable(z, volatile=True), Variable(real)
                fake = G(zv).data
                return D(x).mean() - D(fake).mean()
            """,
            """
            import torch
            from torch.autograd import Variable
            def loss_of(D, G, z, real):
                zv, x = Variable(z), Variable(real)
                with torch.no_grad():
                    fake = G(zv).data
                return D(x).mean() - D(fake).mean()
            """,
        ),
    },
)


def test_a_value_that_gets_its_graph_back_is_reported() -> None:
    findings = advice(
        "TP102",
        """
        from torch.autograd import Variable
        def f(net, x):
            y = net(Variable(x, volatile=True))
            y = y.sum()
            if x is not None:
                y.volatile = False
            return y * 2
        """,
    )
    assert {f.line for f in findings} >= {3}


_CLEARED = """
from torch.autograd import Variable
def f(net, target, x, r, loss_of):
    y = Variable(r) + 0.9 * target(Variable(x, volatile=True))
    if r is not None:
        WAS.volatile = False
    loss_of(net(x), y).backward()
"""


def test_a_flag_that_is_cleared_is_to_be_left_out() -> None:
    told = [f.message for f in advice("TP102", _CLEARED.replace("WAS", "y"))]
    assert told[-1] == (
        "y.volatile = False does nothing since 0.4: leave it out, and calculate y under `with "
        "torch.no_grad():`"
    )
    assert not any("detach" in message for message in told)


def test_a_flag_of_what_may_be_no_tensor_is_not_told_to_be_cleared() -> None:
    assert not any(
        ".volatile = " in f.message for f in advice("TP102", _CLEARED.replace("WAS", "r"))
    )


HELPER = textwrap.dedent(
    """
    import torch
    from torch.autograd import Variable

    def to_var(x, volatile=False):
        return Variable(x, volatile=volatile)

    def train(model, x):
        model(to_var(x)).sum().backward()

    def test(model, x):
        y = model(to_var(x, volatile=True))
        print(y)
    """
)


def test_a_helper_of_a_script_loses_its_flag_everywhere() -> None:
    after = migrate(HELPER, "TP102", options=Options(imported_elsewhere=lambda: False)).text
    assert "def to_var(x):\n    return Variable(x)\n" in after
    assert "    with torch.no_grad():\n        y = model(to_var(x))\n    print(y)\n" in after


UNCALLED = """\
from torch.autograd import Variable
def {0}(x, volatile=False):
    return Variable(x, volatile=volatile)
"""


def test_a_helper_whose_callers_are_out_of_sight_is_reported() -> None:
    text = UNCALLED.format("to_var")
    after = migrate(text, "TP102", options=Options(imported_elsewhere=lambda: False))
    assert after.text == text
    (finding,) = after.findings
    assert not finding.fixed
    # Whether there is a call that sets it is not known.
    assert "drop it; no call of to_var is in sight: one that sets volatile goes" in finding.message
    # no_grad around the call alone would do nothing.
    assert "no_grad():`, with what is calculated from what it returns" in finding.message


@pytest.mark.parametrize(("name", "default"), [("forward", "False"), ("to_var", "True")])
def test_of_callers_that_need_not_name_it_nothing_is_said(name: str, default: str) -> None:
    text = UNCALLED.format(name).replace("volatile=False", f"volatile={default}")
    assert f"def {name}" in text and f"volatile={default}" in text
    options = Options(imported_elsewhere=lambda: False)
    messages = [f.message for f in migrate(text, "TP102", options=options).findings]
    assert not any("no call of" in message for message in messages)


BY_PARAMETER = """\
import torch
from torch.autograd import Variable
class Encoder(torch.nn.Module):
    def forward(self, x, is_volatile):
        x = torch.relu(
            Variable(x, volatile=is_volatile))
        return x
"""
_OF_ENCODER = (
    "volatile= in line 6 has no effect since 0.4: drop it and the parameter is_volatile, which "
    "nothing else reads; a call of Encoder that sets is_volatile goes under `with "
    "torch.no_grad():`, with what is calculated from what it returns"
)


@pytest.mark.parametrize("default", ["", "=False"])
def test_of_a_parameter_that_says_it_is_told_what_goes_and_which_calls(default: str) -> None:
    text = BY_PARAMETER.replace("x, is_volatile", f"x, is_volatile{default}")
    (finding,) = migrate(text, "TP102", options=Options(imported_elsewhere=lambda: False)).findings
    assert (finding.line, finding.message) == (4, _OF_ENCODER)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # What is not said goes on recording nothing.
        ("x, is_volatile", "x, is_volatile=True"),
        # The parameter says more than that.
        ("        return x", "        return x, is_volatile"),
    ],
)
def test_a_parameter_that_has_to_stay_or_is_set_by_itself(before: str, after: str) -> None:
    text = BY_PARAMETER.replace(before, after)
    assert text != BY_PARAMETER
    options = Options(imported_elsewhere=lambda: False)
    messages = [f.message for f in migrate(text, "TP102", options=options).findings]
    assert not any("parameter" in message for message in messages)


def test_a_helper_whose_callers_are_out_of_sight_may_return_nothing() -> None:
    text = (
        "from torch.autograd import Variable\n"
        "def show(x, volatile=False):\n    print(Variable(x, volatile=volatile))\n"
    )
    after = migrate(text, "TP102", options=Options(imported_elsewhere=lambda: False))
    (finding,) = after.findings
    assert finding.message.endswith("sets volatile goes under `with torch.no_grad():`")


def test_a_helper_of_its_own_file_that_nothing_calls_loses_its_flag() -> None:
    text = UNCALLED.format("_to_var")
    after = migrate(text, "TP102", options=Options(imported_elsewhere=lambda: False)).text
    assert "def _to_var(x):\n    return Variable(x)\n" in after


def test_a_helper_that_other_files_may_call_keeps_its_signature() -> None:
    after = migrate(HELPER, "TP102").text
    assert "def to_var(x, volatile=False):\n    return Variable(x)\n" in after
    assert "model(to_var(x))" in after


def test_a_helper_with_a_call_that_cannot_follow_stays() -> None:
    text = HELPER + "\ndef g(x):\n    return to_var(x, volatile=True)\n"
    after = migrate(text, "TP102", options=Options(imported_elsewhere=lambda: False)).text
    assert "return Variable(x, volatile=volatile)" in after


@pytest.mark.parametrize(
    "function",
    [
        "def f(xs):\n    kept = []\n    for x in xs:\n        kept.append({})\n    return kept",
        "def f(kept, x):\n    kept.append({})",
        "def f(kept, x):\n    kept.insert(0, {})",
        "def f(kept, x):\n    x = {}\n    kept.insert(0, x)",
        "class A:\n    def f(self, x):\n        self.kept.append({})",
        "kept = []\ndef f(x):\n    kept.append({})",
    ],
)
def test_inputs_in_a_list_that_gets_out_of_sight_are_reported(function: str) -> None:
    text = function.format("Variable(x, volatile=True)")
    assert advice("TP102", f"from torch.autograd import Variable\n{text}\n")


def test_what_cannot_be_wrapped_is_reported() -> None:
    findings = advice(
        "TP102",
        """
        from torch.autograd import Variable
        def f(x):
            return Variable(x, volatile=True)
        """,
    )
    assert [f.line for f in findings] == [3]
    assert "no_grad" in findings[0].message


@pytest.mark.parametrize(
    "store",
    [
        "values[mask] = model(after).max(1)[0]",
        "values[mask] += model(after).max(1)[0]",
        "values.t()[0][mask] = model(after).max(1)[0]",
        "values.copy_(model(after).max(1)[0])",
        "values[mask] = after",
    ],
)
@pytest.mark.parametrize("before", ["", "    after = after + 1\n"])
def test_a_tensor_that_takes_in_the_value_takes_its_graph_to_backward(
    store: str, before: str
) -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\n"
        "def optimize(model, batch, mask, size):\n"
        "    after = Variable(torch.cat(batch.states), volatile=True)\n"
        "    values = torch.zeros(size)\n"
        f"{before}    {store}\n"
        "    loss = (values - model(batch.now)).sum()\n"
        "    loss.backward()\n"
    )
    assert migrate(text, "TP102").text == text
    assert "no_grad" in advice("TP102", text)[0].message


def test_an_array_or_what_is_read_off_takes_in_no_graph() -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\n"
        "def optimize(model, batch, mask, values):\n"
        "    after = Variable(torch.cat(batch.states), volatile=True)\n"
        "    values{store} = model(after).max(1)[0]{read}\n"
        "    loss = (values - model(batch.now)).sum()\n"
        "    loss.backward()\n"
    )
    for store, read in (("[mask]", ".data"), (".data[mask]", "")):
        given = text.format(store=store, read=read)
        assert "    with torch.no_grad():\n        values" in migrate(given, "TP102").text


def test_advice_names_the_flag_that_a_call_passes_on() -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\n"
        "def wrap(x, volatile=False):\n    return Variable(x, volatile=volatile)\n"
        "def batches(xs):\n    for x in xs:\n        yield wrap(x, True)\n"
    )
    (finding,) = advice("TP102", text)
    assert finding.line == 7
    assert finding.message.startswith("the volatile flag that this call passes on has no effect")


@pytest.mark.parametrize("uses", ["before and below", "below"])
def test_a_flag_that_is_passed_on_above_a_block_needs_no_other(uses: str) -> None:
    before = "    print(net(x))\n" if uses == "before and below" else ""
    text = (
        "import torch\nfrom torch.autograd import Variable\n"
        "def wrap(x, volatile=False):\n    return Variable(x, volatile=volatile)\n"
        f"def run(net, kept):\n    x = wrap(torch.ones(2), volatile=True)\n{before}"
        "    while kept.sum() > 0:\n"
        "        with torch.no_grad():\n            y = net(x)\n"
        "        kept.sub_(scaled(y))\n        yield y\n"
    )
    is_covered = uses == "below"
    assert ("x = wrap(torch.ones(2))" in migrate(text, "TP102").text) is is_covered
    assert bool(advice("TP102", text)) is not is_covered


def test_a_value_that_one_branch_makes_and_all_return_gets_out_of_sight() -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\n"
        "def start(inputs, sos):\n"
        "    if inputs is None:\n"
        "        inputs = Variable(torch.LongTensor([sos]), volatile=True).view(1, -1)\n"
        "        if torch.cuda.is_available():\n"
        "            inputs = inputs.cuda()\n"
        "        size = 1\n"
        "    else:\n"
        "        size = inputs.size(0)\n"
        "    return inputs, size\n"
    )
    assert migrate(text, "TP102").text == text
    assert [f.line for f in advice("TP102", text)] == [5]
    inferred = text.replace("return inputs, size", "return net(inputs), size")
    assert migrate(inferred, "TP102").text == inferred
    both = inferred.replace("    else:\n", "    else:\n        inputs = to_var(inputs, True)\n")
    both += "def to_var(x, volatile=False):\n    return Variable(x, volatile=volatile)\n"
    assert "    with torch.no_grad():" in migrate(both, "TP102").text


def test_the_flag_of_another_tensor_goes() -> None:
    text = (
        "import torch\nimport torch.nn as nn\nfrom torch.autograd import Variable\n"
        "class Head(nn.Module):\n    def forward(self, x):\n"
        "        zeros = Variable(torch.zeros(x.size()), volatile=x.volatile)\n"
        "        return self.bias(zeros)\n"
    )
    assert migrate(text, "TP102").text == text.replace(", volatile=x.volatile", "")
    made = "torch.zeros(2).cuda(x.get_device())"
    text = text.replace("torch.zeros(x.size())", made).replace("bias(zeros)", "bias(zeros) + y")
    assert migrate(text, "TP102").text == text.replace(", volatile=x.volatile", "")
    of_options = text.replace(made, "torch.zeros(2)")
    assert (
        "set_grad_enabled(torch.is_grad_enabled() and not x.volatile)"
        in migrate(of_options, "TP102").text
    )


_ASKED = """import torch
import torch.nn as nn
import torch.nn.functional as F
class Noisy(nn.Module):
    def forward(self, x, options):
        y = F.linear(x, self.weight)
        {line}
        return y
"""


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("if not x.volatile: self.draw()", "torch.is_grad_enabled() for not x.volatile"),
        (
            "if self.training and not x.volatile: self.draw()",
            "torch.is_grad_enabled() for not x.volatile",
        ),
        ("y = y if x.volatile else y + self.noise", "not torch.is_grad_enabled() for it"),
        ("while x.volatile: self.draw()", "not torch.is_grad_enabled() for it"),
        (
            "if options[0].volatile == False and self.steps > 1: self.draw()",
            "(not torch.is_grad_enabled()) for it",
        ),
        ("if any(v.volatile for v in options): self.draw()", "not torch.is_grad_enabled() for it"),
        (
            "y = [v if v.volatile is not True else y for v in options]",
            "(not torch.is_grad_enabled()) for it",
        ),
    ],
)
def test_a_condition_that_asks_for_the_flag_of_a_tensor_is_reported(
    line: str, written: str
) -> None:
    text = _ASKED.format(line=line)
    (found,) = advice("TP102", text)
    assert (found.line, f": write {written}, as " in found.message) == (7, True)
    assert migrate(text, "TP102").text == text


@pytest.mark.parametrize(
    "line",
    [
        "assert x.volatile",
        "assert not x.volatile, 'it is'",
        "assert x.volatile and len(y) > 1",
        "assert x.volatile == options.volatile",
        "assert options.mode != x.volatile",
        "return x.volatile",
        "return not x.volatile",
    ],
)
def test_a_flag_of_a_tensor_that_is_asserted_or_returned_is_reported(line: str) -> None:
    text = _ASKED.format(line=line)
    (found,) = advice("TP102", text)
    assert found.message == (
        "x.volatile is False of all tensors since 0.4: of what is calculated under "
        "`with torch.no_grad():`, x.requires_grad is False"
    )
    assert migrate(text, "TP102").text == text


_CASE = """
import unittest
import torch
class T(unittest.TestCase):
    def test(self):
        x = torch.rand(4, 3)
        self.{line}
"""


@pytest.mark.parametrize(
    ("line", "is_told"),
    [
        ("assertTrue(x.volatile)", True),
        ("assertFalse(x.volatile)", True),
        ("assertEqual(x.volatile, True)", True),
        ("assertEqual(True, not x.volatile)", True),
        ("assertTrue(len(x) > 1, x.volatile)", False),
        ("check(x.volatile)", False),
        ("assertEqual(self.volatile, True)", False),
        ("assertTrue(x.requires_grad)", False),
    ],
)
def test_a_flag_that_a_test_case_asserts(line: str, is_told: bool) -> None:
    assert bool(advice("TP102", _CASE.format(line=line))) == is_told


@pytest.mark.parametrize(
    "line",
    [
        "if not self.volatile: self.draw()",
        "assert self.volatile",
        "assert options.volatile",
        "assert x.size(0), x.volatile",
        "assert self.asks(x.volatile)",
        "return x.volatile()",
        "return x, options.volatile",
        "return options[0].volatile",
        "if options.volatile: self.draw()",
        "print(x.volatile)",
        "if x.volatile(): self.draw()",
        "if self.asks(x.volatile): self.draw()",
        "if x.volatile == options.mode: self.draw()",
        "if any(o.volatile() for o in options): self.draw()",
        "if print(options[0].volatile): self.draw()",
        "if x.requires_grad: self.draw()",
    ],
)
def test_other_flags_are_no_finding(line: str) -> None:
    assert not advice("TP102", _ASKED.format(line=line))


def test_the_flag_of_an_object_that_is_no_tensor_stays_a_flag() -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\n"
        "def infer(net, x, options):\n"
        "    x = Variable(x, volatile=options.volatile)\n"
        "    return net(x)\n"
    )
    said = "torch.set_grad_enabled(torch.is_grad_enabled() and not options.volatile)"
    assert said in migrate(text, "TP102").text


def test_what_a_subclass_has_in_the_place_of_a_method_counts_as_well() -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\n"
        "class Experiment:\n"
        "    def loss(self, x):\n        return 0.0\n"
        "    def test(self):\n        total = 0.0\n"
        "        for x in self.loader:\n            x = Variable(x, volatile=True)\n"
        "            total += self.loss(x)\n        return total\n"
        "class Own(Experiment):\n"
        "    def loss(self, x):\n        loss = self.net(x).mean()\n"
        "        loss.{method}()\n        return loss.item()\n"
    )
    trained = text.format(method="backward")
    assert migrate(trained, "TP102").text == trained
    assert advice("TP102", trained)
    assert "with torch.no_grad():" in migrate(text.format(method="detach"), "TP102").text


def test_whole_numbers_need_no_block_of_their_own_once_data_is_gone() -> None:
    text = textwrap.dedent(
        """
        import torch
        from torch.autograd import Variable
        def f(net: torch.nn.Linear):
            x = Variable(torch.ones(3, 4), volatile=True)
            y, indices = torch.max(net(x), 0)
            indices = indices.data.cpu().numpy()
            return y, indices
        """
    )
    after = migrate(text).text
    assert after.count("with torch.no_grad():") == 1
    assert "\n    indices = indices.cpu().numpy()\n" in after


def test_one_block_holds_what_stands_line_under_line() -> None:
    text = textwrap.dedent(
        """
        import torch
        from torch.autograd import Variable
        def f(net: torch.nn.Linear):
            x = net(Variable(torch.ones(3), volatile=True))
            y = net(Variable(torch.zeros(3), volatile=True))
            z = net(Variable(torch.rand(3), volatile=True))
            print(net)
            u = net(Variable(torch.rand(3), volatile=True))
            print(x.data, y.data, z.data, u.data)
        """
    )
    after = migrate(text).text
    assert after.count("with torch.no_grad():") == 2
    assert "        z = net(torch.rand(3))\n    print(" in after


def test_a_helper_that_is_handed_on_may_be_called_with_its_flag_out_of_sight() -> None:
    findings = advice(
        "TP102",
        """
        from torch.autograd import Variable
        def update(model, states, step):
            def loss(volatile=False):
                return model(Variable(states, volatile=volatile)).mean()
            step(model, loss)
        """,
    )
    assert [f.line for f in findings] == [4]
    assert "around the calls of loss that set it does what it did" in findings[0].message


@pytest.mark.parametrize(
    ("lines", "is_returned"),
    [
        ("return Variable(x, volatile=volatile)", True),
        ("return Variable(x, volatile=volatile).cuda()", True),
        ("return [Variable(y, volatile=volatile) for y in x]", True),
        ("y = Variable(x, volatile=volatile); return y, 3", True),
        ("y = Variable(x, volatile=volatile); return net(y)", False),
        ("return net(Variable(x, volatile=volatile))", False),
        ("net(Variable(x, volatile=volatile))", False),
    ],
)
def test_what_a_helper_returns_is_used_under_the_block_as_well(
    lines: str, is_returned: bool
) -> None:
    text = f"""
        from torch.autograd import Variable
        def run(net, step):
            def helper(x, volatile=False):
                {lines}
            step(net, helper)
        """
    (finding,) = advice("TP102", text)
    assert "the calls of helper that set it" in finding.message
    assert ("what is calculated from what they return" in finding.message) is is_returned


_KEEPING = """
        import torch
        from torch.autograd import Variable
        class Model:
            def feed(self, data, volatile=False):
                self.x = Variable(data, volatile=volatile)
            def test(self):
                self.y = self.net(self.x)
            def optimize(self):
                self.net(self.x).sum().backward()
        """
_FED = """
        model = Model()
        model.feed(x, volatile=True)
        model.test()
        """
_EVALUATING = "; what only evaluates goes under `with torch.no_grad():`"
_USERS = "`with torch.no_grad():` around what calculates with self.x does what it did"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (_KEEPING + _FED, _USERS),
        (_KEEPING.replace("volatile)", "volatile).cuda()") + _FED, _USERS),
        (
            _KEEPING.replace("self.x = Variable(data,", "self.x, self.n = Variable(data,").replace(
                "volatile=volatile)", "volatile=volatile), 3"
            )
            + _FED,
            _USERS,
        ),
        (
            _KEEPING.replace("self.x", "self.held['x']") + _FED,
            "`with torch.no_grad():` around what calculates with self.held['x'] does what it did",
        ),
        (_KEEPING.replace("(self.x)", "(self.z)") + _FED, _USERS),
        (_KEEPING, _EVALUATING),
        (_KEEPING + _FED + "model.feed(y)\n", _EVALUATING),
        (_KEEPING + _FED + "model.feed(y, volatile=quick)\n", _EVALUATING),
        (
            _KEEPING.replace(
                "def test", "    self.y = Variable(data, volatile=volatile)\n            def test"
            ),
            f" here and in line 6{_EVALUATING}",
        ),
    ],
)
def test_no_block_around_the_call_reaches_what_a_helper_keeps(text: str, said: str) -> None:
    """``with torch.no_grad(): model.feed(x)`` would do nothing, and the flag would be gone."""
    (finding,) = advice("TP102", text)
    assert said in finding.message
    plain = textwrap.dedent(text).lstrip("\n")
    assert migrate(plain, "TP102").text == plain


@pytest.mark.parametrize(
    "lines",
    [
        ["x.volatile = True"],
        ["if self.quick:", "    x.volatile = True"],
        ["if not self.eval:", "    pass", "elif self.deep:", "    x.volatile = True"],
        ["if self.quick:", "    for v in x:", "        v.volatile = True"],
    ],
)
def test_what_is_set_on_what_is_given_is_told(lines: list[str]) -> None:
    head = "import torch\nfrom torch.autograd import Variable\nclass A:\n    def f(self, x):\n"
    body = "".join(f"        {line}\n" for line in lines)
    (found,) = advice("TP102", head + body + "        return Variable(x)\n")
    block = "`with torch.no_grad():`"
    always = f"{block} around what calculates with x below does what it did"
    assert found.message == (
        f"{lines[-1].strip()} does nothing since 0.4: leave it out; "
        + (f"what only evaluates goes under {block}" if lines[1:] else always)
    )


@pytest.mark.parametrize(
    ("made", "is_plain"),
    [
        ("x = torch.LongTensor(3).fill_(1)", True),
        ("x = torch.zeros(3) if n else None", False),
        ("x = Variable(torch.zeros(3))", False),
    ],
)
def test_what_never_was_a_variable_was_never_volatile(made: str, is_plain: bool) -> None:
    (finding,) = advice(
        "TP102",
        f"""
        import torch
        from torch.autograd import Variable
        def f(n, y):
            x, y = None, Variable(y)
            if n:
                {made}
            if x is not None:
                x.volatile = True
            return x
        """,
    )
    said = "x.volatile = True does nothing, nor did it, as x is no Variable: leave it out"
    assert (finding.message == said) is is_plain
    assert ("around what calculates with x" in finding.message) is not is_plain


@pytest.mark.parametrize(
    "made",
    [
        "x = Variable(torch.zeros(3))",
        "y = Variable(torch.zeros(3))\n    x = y",
        "y = Variable(torch.zeros(3))\n    x = torch.exp(y)",
    ],
)
def test_what_was_a_variable_before_it_was_rewritten_is_told_of_as_one(made: str) -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\n"
        f"def f(net):\n    {made}\n    def g(p):\n        x.volatile = True\n"
        "        return net(x) + p\n    return g\n"
    )
    migration = migrate(text, "TP101", "TP102")
    assert "Variable(" not in migration.text
    (left,) = (f.message for f in migration.findings if not f.fixed)
    assert "around what calculates with x" in left


@pytest.mark.parametrize(
    "text",
    [
        # Never set.
        _KEEPING + _FED.replace(", volatile=True", ""),
        _KEEPING + _FED.replace(", volatile=True", ", volatile=False"),
        # All that is needed stands around it already.
        _KEEPING
        + """
        model = Model()
        with torch.no_grad():
            model.feed(x, volatile=True)
            model.test()
        """,
        # What reads it records nothing.
        """
        import torch
        from torch.autograd import Variable
        class Model:
            def feed(self, data, volatile=False):
                self.x = Variable(data, volatile=volatile)
            @torch.no_grad()
            def test(self):
                self.y = self.net(self.x)
        """
        + _FED,
    ],
)
def test_a_flag_that_nothing_needs_goes_also_where_a_helper_keeps_the_value(text: str) -> None:
    alone = Options(imported_elsewhere=lambda: False)
    migration = migrate(textwrap.dedent(text).lstrip("\n"), "TP102", options=alone)
    assert all(finding.fixed for finding in migration.findings)
    assert "volatile" not in migration.text


_HELD = """import torch
from torch import nn
from torch.autograd import Variable
class GAN:
    def __init__(self, gpu, a, b):
        self.G = nn.Linear(2, 2)
        self.z, self.y = torch.rand(3, 2), torch.rand(3, 2)
        self.z[1] = self.z[0]
        {}
    def show(self):
        with torch.no_grad():
            print(self.G(self.z), self.G(self.y))
    def free(self):
        {}
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("self.z = Variable(self.z, volatile=True)", "self.z = Variable(self.z)"),
        (
            "self.z, self.y = Variable(self.z, volatile=True), Variable(self.y, volatile=True)",
            "self.z, self.y = Variable(self.z), Variable(self.y)",
        ),
        (
            "if gpu:\n            self.z = Variable(self.z.double(), volatile=True)\n"
            "        else:\n            self.z = Variable(self.z, volatile=True)",
            "if gpu:\n            self.z = Variable(self.z.double())\n"
            "        else:\n            self.z = Variable(self.z)",
        ),
    ],
)
def test_the_flag_of_what_is_read_under_no_grad_alone_goes(before: str, after: str) -> None:
    assert migrate(_HELD.format(before, "pass"), "TP102").text == _HELD.format(after, "pass")


@pytest.mark.parametrize(
    ("made", "other"),
    [
        (
            "for x in a:\n            print(self.G(self.z))\n"
            "            self.z = Variable(x, volatile=True)",
            "pass",
        ),
        (
            "if gpu:\n            self.z = Variable(self.z, volatile=True)\n"
            "        if b:\n            print(self.G(self.z))",
            "pass",
        ),
        ("self.z = [Variable(self.z, volatile=True)]", "pass"),
        ("self.other = Variable(self.z, volatile=True)", "pass"),
        ("self.z = self.w = Variable(self.z, volatile=True)", "pass"),
    ],
)
def test_the_flag_of_what_is_read_elsewhere_is_reported(made: str, other: str) -> None:
    text = _HELD.format(made, other)
    assert migrate(text, "TP102").text == text
    assert advice("TP102", text)


@pytest.mark.parametrize(
    ("made", "other", "above", "below"),
    [
        ("", "print(self.G(self.z))", "", "with torch.no_grad():\n            {}"),
        ("\n        {}", "pass", "\n        with torch.no_grad():\n            {}", "pass"),
    ],
)
def test_what_reads_it_in_the_open_goes_under_no_grad(
    made: str, other: str, above: str, below: str
) -> None:
    code, printed = "self.z = Variable(self.z{})", "print(self.G(self.z))"
    text = _HELD.format(code.format(", volatile=True") + made.format(printed), other)
    after = _HELD.format(code.format("") + above.format(printed), below.format(printed))
    assert migrate(text, "TP102").text == after


def test_the_flag_of_a_helper_goes_where_its_value_is_read_under_no_grad_alone() -> None:
    helper = "def var(x, volatile=False):\n    return Variable(x, volatile=volatile)\n"
    text = _HELD.format("self.z = var(self.z, volatile=True)", "pass") + helper
    assert "self.z = var(self.z)\n" in migrate(text, "TP102").text


@pytest.mark.parametrize(
    "line",
    [
        "y = images[i:i + size]",
        "x.data[:] = images[i - size:i]",
        "fig, ax = plt.subplots(1, 1); ax.plot(i); fig.savefig('a')",
    ],
)
def test_parts_and_figures_can_stand_under_no_grad(line: str) -> None:
    text = f"""import torch
import matplotlib.pyplot as plt
from torch.autograd import Variable
def test(model, images, size):
    x = Variable(torch.zeros(3, 4), volatile=True)
    for i in range(3):
        {line}
        print(model(x))
"""
    migrated = migrate(text, "TP102").text
    assert "volatile" not in migrated
    assert "    with torch.no_grad():\n        for i in range(3):\n" in migrated
    stays = text.replace(line, "fig, ax = find(1, 1); ax.plot(i); fig.save('a')")
    narrow = "        with torch.no_grad():\n            print(model(x))\n"
    after = stays.replace(", volatile=True", "").replace("        print(model(x))\n", narrow)
    assert migrate(stays, "TP102").text == after


def test_the_flag_of_what_other_files_read_is_reported() -> None:
    text = _HELD.format("self.z = Variable(self.z, volatile=True)", "pass")
    options = Options(used_elsewhere=lambda name: name == "z")
    assert migrate(text, "TP102", options=options).text == text


_READ = """import numpy as np
import torch
from torch.autograd import Variable
def test(model, x, y, size, log):
    with torch.no_grad():
        {}
    wanted = decode(y)
    {}
"""


@pytest.mark.parametrize(
    "read",
    [
        "if out == wanted:\n        log += 1",
        "if not out or wanted < 2 <= out:\n        log += 1",
        "assert out",
        "while -out > 3:\n        log += 1",
        "print('{:.3f}'.format(out / (np.prod(size) * np.log(2.0) * len(y))))",
        "print('%s|%s' % (' '.join(out), -out), file=log)",
        "print(f'{2 * out + 1:.3f}', 100 * out / len(y))",
        "log.append(('acc', (2 * -out / 3).item()))",
    ],
)
def test_what_only_compares_or_writes_stays_outside(read: str) -> None:
    before = "out = decode(model(Variable(x, volatile=True)))"
    text = _READ.replace("with torch.no_grad():\n        {}", "{}").format(before, read)
    after = _READ.format("out = decode(model(Variable(x)))", read)
    assert migrate(text, "TP102").text == after


@pytest.mark.parametrize(
    "read",
    [
        "print(out / model(y))",
        "print('{}'.format(out * measure(y)))",
        "print(np.mean(out * log))",
        "if measure(out) == wanted:\n        log += 1",
        "for part in out / size:\n        print(part)",
        "log.add(out / size)",
        "log.append(('acc', (out / size).item()))",
        "log.join(out)",
    ],
)
def test_what_computes_with_other_code_stays_inside(read: str) -> None:
    before = "out = decode(model(Variable(x, volatile=True)))"
    text = _READ.replace("with torch.no_grad():\n        {}", "{}").format(before, read)
    inside = "    with torch.no_grad():\n        " + read.replace("\n", "\n    ")
    assert migrate(text, "TP102").text.rstrip("\n").endswith(inside)


_STORED = """import torch
from torch.autograd import Variable
def traverse(encoder, decoder, image, values):
    z = encoder(Variable(image, volatile=True))
    for value in values:
        {}
        print(decoder(z))
"""


@pytest.mark.parametrize(
    "store",
    ["z[:, 0] = torch.ones(3)", "z = z.clone()\n        z[:, 0] = torch.arange(3)", "z[0] = value"],
)
def test_what_is_stored_in_it_lets_nothing_out(store: str) -> None:
    text = migrate(_STORED.format(store), "TP102").text
    assert "    with torch.no_grad():\n        z = encoder(Variable(image))\n" in text


@pytest.mark.parametrize(
    "store", ["self.z[0] = x", "self.x = x", "values[0] = x", "x = values[x] = x"]
)
def test_what_it_is_stored_in_lets_it_out(store: str) -> None:
    text = f"""import torch
from torch.autograd import Variable
class Model:
    def traverse(self, decoder, image, values):
        x = Variable(image, volatile=True)
        {store}
        print(decoder(x))
"""
    assert migrate(text, "TP102").text == text


def test_what_goes_under_no_grad_alone_needs_no_flag() -> None:
    text = """import torch
from torch.autograd import Variable
def traverse(decoder, size):
    z = Variable(torch.rand(1, size), volatile=True)
    with torch.no_grad():
        print(decoder(z))
"""
    assert migrate(text, "TP102").text == text.replace(", volatile=True", "")
    computed = text.replace("torch.rand(1, size)", "decoder(size)")
    assert (
        "with torch.no_grad():\n        z = Variable(decoder(size))"
        in migrate(computed, "TP102").text
    )
    both = text + "    print(decoder(z))\n"
    assert "volatile" not in migrate(both, "TP102").text
    under = "    with torch.no_grad():\n" + "        print(decoder(z))\n" * 2
    assert migrate(both, "TP102").text.endswith(under)


_SETS_FLAG = """
import torch
from torch.autograd import Variable
def sample(net, x, options):
    net(Variable(torch.ones(3), volatile=True))
    {}
    return net(x, options)
"""


def test_the_flag_of_what_is_not_known_is_told_in_old_files() -> None:
    (finding,) = advice("TP102", _SETS_FLAG.format("x.volatile = True"))
    assert "around what calculates with x" in finding.message


@pytest.mark.parametrize(
    "line",
    [
        "options.volatile = True; net(Variable(x, volatile=options.volatile))",
        "x.volatile = False",
        "x.volatile = options",
        "sample.volatile = True",
        "x.volatile = True; net(x.batch_size)",
        "x.cuda_too = x.volatile = True",
    ],
)
def test_other_flags_are_not_told(line: str) -> None:
    assert not [f for f in advice("TP102", _SETS_FLAG.format(line)) if ".volatile =" in f.message]


def test_the_flag_of_what_is_not_known_is_not_told_in_other_files() -> None:
    text = _SETS_FLAG.format("x.volatile = True").replace(", volatile=True", "")
    assert not advice("TP102", text)


LATER = """
import torch
import torch.nn.functional as F
from torch.autograd import Variable
from torchvision import transforms
def load(net, xs):
    {}
"""


@pytest.mark.parametrize(
    "body",
    [
        "return transforms.Lambda(lambda x: net(Variable(x, volatile=True)).size())",
        "t = transforms.Compose([transforms.Lambda(lambda x: F.pad(Variable(x, volatile=True), (4, 4)))])",
        "with torch.no_grad():\n        return transforms.Lambda(lambda x: net(Variable(x, volatile=True)))",
    ],
)
def test_a_lambda_that_is_kept_runs_outside_of_a_block_around_it(body: str) -> None:
    text = LATER.format(body)
    migration = migrate(text, "TP102")
    assert migration.text == text
    assert [finding.fixed for finding in migration.findings] == [False]


def test_a_lambda_that_is_run_at_once_comes_under_no_grad() -> None:
    text = LATER.format("return list(map(lambda x: net(Variable(x, volatile=True)).max(), xs))")
    after = LATER.format(
        "with torch.no_grad():\n        return list(map(lambda x: net(Variable(x)).max(), xs))"
    )
    assert migrate(text, "TP102").text == after


@pytest.mark.parametrize("line", ["x.tag = 0", "x.name = None"])
def test_a_note_on_a_volatile_value_lets_no_gradients_through(line: str) -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\ndef test(model, data):\n"
        f"    x = Variable(data, volatile=True)\n    {line}\n    print(model(x))\n"
    )
    assert migrate(text, "TP102").text.endswith(
        f"    x = Variable(data)\n    {line}\n    with torch.no_grad():\n        print(model(x))\n"
    )


COMPANY = """
import torch
import torch.nn as nn
from torch.autograd import Variable

net = nn.Linear(3, 1)
crit = nn.MSELoss()


def run(x, y, train, target):
    v = Variable(x, volatile=True)
{body}
"""


@pytest.mark.parametrize(
    "body",
    [
        "outs = [net(t) for t in (v, y)]\n    return outs[1]",
        "outs = (net(t) for t in [y, v])\n    return list(outs)[0]",
        "outs = {k: net(t) for k, t in dict(a=v, b=y).items()}\n    return outs['b']",
        "outs = {k: net(t) for k, t in {'a': v, 'b': y}.items()}\n    return outs['b']",
        "xs = [v, y]\n    outs = [net(t) for t in xs]\n    return outs[1]",
        "xs = {'a': v, 'b': y}\n    outs = [net(t) for t in xs.values()]\n    return outs[1]",
        "a, b = map(net, (v, y))\n    print(a.data.sum())\n    return b",
        "both = dict(val=net(v), train=net(y))\n    print(both['val'].data.sum())\n    return both",
        "both = {'val': net(v), 'train': net(y)}\n    return both['train']",
        "both = [net(v), net(y)]\n    return both[1]",
        "t = y if train else v\n    return net(t)",
        "loss = sum(crit(net(i), net(w).data) for i, w in zip(target, v))\n    return loss",
        "outs = [net(t) for t in (v, Variable(y))]\n    return outs[1]",
        "xs = [Variable(x, volatile=True), Variable(y)]\n"
        "    outs = [net(t) for t in xs]\n    return outs[1]",
    ],
)
def test_what_is_made_beside_it_keeps_its_graph(body: str) -> None:
    text = COMPANY.format(body=f"    {body}")
    after = migrate(text, "TP102")
    assert "no_grad" not in after.text
    assert any("no_grad" in finding.message for finding in after.findings if not finding.fixed)


@pytest.mark.parametrize(
    "body",
    [
        "w = Variable(y, volatile=True)\n    outs = [net(t) for t in (v, w)]",
        "outs = [net(t) for t in (v, Variable(y, volatile=True))]",
        "outs = [net(t) for t, i in zip(v, range(3))]",
        "outs = net(torch.cat([v, y]))",
        "outs = [net(t) for t in (v,)]",
        "outs = net(v) if train else None",
        "outs = list(map(lambda t: net(t), v))",
    ],
)
def test_what_is_made_of_it_alone_comes_under_no_grad(body: str) -> None:
    text = COMPANY.format(body=f"    {body}\n    return outs")
    assert "with torch.no_grad():" in migrate(text, "TP102").text


FUNCTIONS = """
import torch
import torch.nn as nn
from torch.autograd import Variable

net = nn.Linear(3, 1)
crit = nn.MSELoss()


class Both(nn.Module):
    def forward(self, x, y):
        first = net(x)
        second = net(y)
        return first, second


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 3)
        self.out = nn.Linear(3, 1)

    def forward(self, x, hidden):
        y, hidden = self.rnn(x, hidden)
        return self.out(y), hidden


def both(a, b):
    return net(a), net(b)


def named(a, b):
    return dict(a=net(a), b=net(b))


def each(ts):
    return [net(t) for t in ts]


def unpacked(pair):
    a, b = pair
    return net(a), net(b)


def indexed(pair):
    return net(pair[0]), net(pair[1])


def together(pair):
    a, b = pair
    out = net(a)
    return out, crit(out, b)


def listed(a, b):
    outs = [net(a), net(b)]
    return outs


def either(a, b, first=True):
    if first:
        return net(a)
    return net(b)


def joined(a, b):
    return net(a) + net(b)


def measured(a, b):
    out = net(a)
    correct = (out > b).sum()
    return crit(out, b), correct


def counted(a, b):
    total = 0
    for _ in range(2):
        total += crit(net(a), b)
    return total / 2, b.size(0), b


siamese = Both()
decoder = Decoder()


def run(x, y, hidden):
    v = Variable(x, volatile=True)
{body}
"""


@pytest.mark.parametrize(
    "body",
    [
        "a, b = both(v, y)\n    return b",
        "b, a = both(y, b=v)\n    return b",
        "return both(v, y)[1]",
        "outs = named(v, y)\n    return outs['b']",
        "outs = each([v, y])\n    return outs[1]",
        "outs = each((v, Variable(y)))\n    return outs[1]",
        "outs = listed(v, y)\n    return outs[1]",
        "a, b = unpacked((v, y))\n    return b",
        "a, b = indexed([v, y])\n    return b",
        "out = either(v, y)\n    return out",
        "a, b = siamese(v, y)\n    return b",
        "leaf = Variable(y, requires_grad=True)\n    out = hidden(v, leaf)\n    return out",
        "return hidden(v, scale=Variable(torch.ones(2), requires_grad=True))",
    ],
)
def test_what_a_function_keeps_apart_from_it_keeps_its_graph(body: str) -> None:
    after = migrate(FUNCTIONS.format(body=f"    {body}"), "TP102")
    assert "no_grad" not in after.text
    assert any("no_grad" in finding.message for finding in after.findings if not finding.fixed)


@pytest.mark.parametrize(
    "body",
    [
        "loss = joined(v, y)\n    return loss",
        "loss, correct = measured(v, y)\n    return loss",
        "loss, n, target = counted(v, y)\n    return loss, n",
        "out, hidden = decoder(v, hidden)\n    return out",
        "a, b = both(v, Variable(y, volatile=True))\n    return b",
        "outs = each([v])\n    return outs",
        "a, b = together([v, y])\n    return b",
        "loss = crit(net(v), y)\n    return loss",
        "out = hidden(v, y)\n    return out",
        "out = hidden(v, torch.ones(2, requires_grad=False))\n    return out",
        "leaf = Variable(y, requires_grad=True)\n    out = decoder(v, leaf)\n    return out",
    ],
)
def test_what_a_function_makes_of_it_comes_under_no_grad(body: str) -> None:
    assert "with torch.no_grad():" in migrate(FUNCTIONS.format(body=f"    {body}"), "TP102").text


_PADDED = "F.pad({}, (4, 4, 4, 4), mode='reflect')"


@pytest.mark.parametrize(
    "made",
    [
        "Variable(x.unsqueeze(0), volatile=True).data",
        _PADDED.format("Variable(x.unsqueeze(0), volatile=True)") + ".data.squeeze()",
        "F.pad(input=Variable(x, volatile=True), pad=(4, 4)).data",
        "F.softmax(Variable(x, volatile=True).view(-1, 3), dim=1).detach()",
    ],
)
def test_what_only_the_data_is_taken_of_needs_no_block(made: str) -> None:
    head = "import torch\nimport torch.nn.functional as F\nfrom torch.autograd import Variable\n"
    after = migrate(f"{head}crop = lambda x: {made}\n").text
    assert "volatile" not in after
    assert "no_grad" not in after


@pytest.mark.parametrize(
    "made",
    [
        # A network may be one that keeps what it calculates.
        "net(Variable(x, volatile=True)).data",
        "Variable(x, volatile=True).add_(net.weight).data",
        _PADDED.format("Variable(x, volatile=True)"),
        _PADDED.format("Variable(x, volatile=True)") + ".size()",
        "print(Variable(x, volatile=True)).data",
    ],
)
def test_what_may_be_kept_with_its_graph_stays(made: str) -> None:
    head = "import torch\nimport torch.nn.functional as F\nfrom torch.autograd import Variable\n"
    after = migrate(f"{head}crop = lambda x: {made}\n").text
    assert "volatile" in after
