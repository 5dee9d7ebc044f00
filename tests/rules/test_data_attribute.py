from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options, migrate_text
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.rules import select

test_reads = rewrites(
    "TP104",
    {
        "a function of the file's own gives another tensor, which has no graph without gradients": (
            """
            import torch
            class Sign(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    return x
            class Other:
                def apply(self, x):
                    return x
            def f(x: torch.Tensor, other):
                with torch.no_grad():
                    y, z, w = Sign.apply(x), Other().apply(x), other.apply(x)
                    y.unsqueeze(1)
                    return y.data.numpy(), z.data.mean(1).numpy(), (w - 1).numpy()
            """,
            """
            import torch
            class Sign(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    return x
            class Other:
                def apply(self, x):
                    return x
            def f(x: torch.Tensor, other):
                with torch.no_grad():
                    y, z, w = Sign.apply(x), Other().apply(x), other.apply(x)
                    y.unsqueeze(1)
                    return y.numpy(), z.mean(1).numpy(), (w - 1).numpy()
            """,
        ),
        "numbers of Python are made of each element": (
            """
            import torch
            def f(scores: torch.Tensor):
                for i in scores.data:
                    print(int(i))
                return [float(score) for score in scores.data]
            """,
            """
            import torch
            def f(scores: torch.Tensor):
                for i in scores.detach():
                    print(int(i))
                return [float(score) for score in scores.detach()]
            """,
        ),
        "what was calculated without gradients is read below the block": (
            """
            import torch
            net = torch.nn.Linear(3, 2)
            def f(x: torch.Tensor):
                kept = []
                with torch.no_grad():
                    out = net(x)
                kept.append(out.data[0])
                return kept
            """,
            """
            import torch
            net = torch.nn.Linear(3, 2)
            def f(x: torch.Tensor):
                kept = []
                with torch.no_grad():
                    out = net(x)
                kept.append(out[0])
                return kept
            """,
        ),
        "whole numbers are part of no graph, whatever they were made of": (
            """
            import torch
            def f(scores: torch.Tensor, targets: torch.Tensor, table: torch.Tensor):
                i = scores.long().data
                table.scatter_(1, targets.unsqueeze(1).data.cpu(), 1)
                return table.gather(1, i)
            """,
            """
            import torch
            def f(scores: torch.Tensor, targets: torch.Tensor, table: torch.Tensor):
                i = scores.long()
                table.scatter_(1, targets.unsqueeze(1).cpu(), 1)
                return table.gather(1, i)
            """,
        ),
        "the weights of layers of either class": (
            """
            from torch import nn
            def f(model, saved):
                kept = []
                for m in model.modules():
                    if isinstance(m, nn.Conv2d) or isinstance(m, nn.Linear):
                        kept.append(m.weight)
                for i in range(len(kept)):
                    saved.append(kept[i].data.sign())
            """,
            """
            from torch import nn
            def f(model, saved):
                kept = []
                for m in model.modules():
                    if isinstance(m, nn.Conv2d) or isinstance(m, nn.Linear):
                        kept.append(m.weight)
                for i in range(len(kept)):
                    saved.append(kept[i].detach().sign())
            """,
        ),
        "compared with what answers in its own way": (
            """
            import pytest
            import torch
            from torch import nn
            def test(target):
                class Close:
                    def __eq__(self, other):
                        return abs(other.numpy()).max() < 1
                layer = nn.Linear(2, 1)
                assert layer.weight.data[0, 0] == pytest.approx(0.5)
                assert layer.bias.data == Close()
                with torch.no_grad():
                    assert layer.bias.data == pytest.approx(0.5)
                    assert layer.weight.data[0, 0] == 0.5
                assert layer.bias.data[0] == 0.5
                assert layer.weight.data[0, 0] == target
            """,
            """
            import pytest
            import torch
            from torch import nn
            def test(target):
                class Close:
                    def __eq__(self, other):
                        return abs(other.numpy()).max() < 1
                layer = nn.Linear(2, 1)
                assert layer.weight.detach()[0, 0] == pytest.approx(0.5)
                assert layer.bias.detach() == Close()
                with torch.no_grad():
                    assert layer.bias.detach() == pytest.approx(0.5)
                    assert layer.weight[0, 0] == 0.5
                assert layer.bias[0] == 0.5
                assert layer.weight[0, 0] == target
            """,
        ),
        "what is computed and detached as a whole": (
            """
            import torch
            net = torch.nn.Linear(2, 2)
            x = net(torch.ones(1, 2))
            y = (x.data + step).detach()
            z = (-x.data * step + 1).detach().requires_grad_()
            w = (x.data + step).clone()
            v = (x.data + step)[0].detach
            u = [x.data + step].detach()
            """,
            """
            import torch
            net = torch.nn.Linear(2, 2)
            x = net(torch.ones(1, 2))
            y = (x + step).detach()
            z = (-x * step + 1).detach().requires_grad_()
            w = (x.detach() + step).clone()
            v = (x.detach() + step)[0].detach
            u = [x.detach() + step].detach()
            """,
        ),
        "what is detached already is not detached twice": (
            """
            import torch
            net = torch.nn.Linear(2, 2)
            y = net(torch.ones(1, 2))
            z = y.data.detach()
            """,
            """
            import torch
            net = torch.nn.Linear(2, 2)
            y = net(torch.ones(1, 2))
            z = y.detach()
            """,
        ),
        "parts that are compared need not be detached": (
            """
            import torch
            def find(x: torch.Tensor, y: torch.Tensor, null):
                same = x.data[0, 1] != null
                both = x.data[0, 1:] == y.data.view(3)[1:]
                asked = x.data[0].eq(y).data.t().ne(null)
                grown = x.data[0].exp() > null
                among = x.data[0, 1] in y
                taken = x.data[0].max() > null
                return same, both, asked, grown, among, taken
            def give(x: torch.Tensor, null):
                return f(x.data[0, 1:]) == null
            """,
            """
            import torch
            def find(x: torch.Tensor, y: torch.Tensor, null):
                same = x[0, 1] != null
                both = x[0, 1:] == y.view(3)[1:]
                asked = x[0].eq(y).t().ne(null)
                grown = x[0].exp() > null
                among = x.detach()[0, 1] in y
                taken = x[0].max() > null
                return same, both, asked, grown, among, taken
            def give(x: torch.Tensor, null):
                return f(x.data[0, 1:]) == null
            """,
        ),
        "indices have no history": (
            """
            import torch
            def count(answer, label: torch.Tensor):
                a = torch.max(answer, 1)[1].view(label.size()).data == label
                b = torch.max(answer, 1)[0].view(label.size()).data == label
                c = torch.max(answer, 1)[1].data
                e = torch.max(answer, 1)[1].cpu().data
                return a, b, c, e
            """,
            """
            import torch
            def count(answer, label: torch.Tensor):
                a = torch.max(answer, 1)[1].view(label.size()) == label
                b = torch.max(answer, 1)[0].view(label.size()) == label
                c = torch.max(answer, 1)[1]
                e = torch.max(answer, 1)[1].cpu()
                return a, b, c, e
            """,
        ),
        "what comparisons and arithmetic make of no history has none": (
            """
            import torch
            def f(a: torch.Tensor, b: torch.Tensor, found):
                same = a[:-1][(a[1:] == a[:-1]).data]
                if (a != b).data.any() or not (a <
                                               b).data.all():
                    same = 1 - (a > b).data
                doubled = (torch.ones(3) * 2).data
                order = torch.arange(9)
                return same, doubled, a[order[found].data], (a >  # strictly
                                                             b).data
            """,
            """
            import torch
            def f(a: torch.Tensor, b: torch.Tensor, found):
                same = a[:-1][a[1:] == a[:-1]]
                if (a != b).any() or not (a <
                                          b).all():
                    same = 1 - (a > b)
                doubled = torch.ones(3) * 2
                order = torch.arange(9)
                return same, doubled, a[order[found]], (a >  # strictly
                                                        b)
            """,
        ),
        "an element of what has no history": (
            """
            import torch
            net = torch.nn.Linear(2, 3)
            def first(names):
                value, best = net(torch.rand(4, 2)).max(1)
                return names[best.data[0]], value.data[0] > 1
            """,
            """
            import torch
            net = torch.nn.Linear(2, 3)
            def first(names):
                value, best = net(torch.rand(4, 2)).max(1)
                return names[best[0]], value[0] > 1
            """,
        ),
        "tensors of the same shape": (
            """
            import torch
            def fill(x: torch.Tensor):
                a = torch.zeros_like(x.data)
                b = torch.full_like(x.data, 2)
                c = torch.rand_like(x.data).mul(x.data)
                return a, b, c
            """,
            """
            import torch
            def fill(x: torch.Tensor):
                a = torch.zeros_like(x)
                b = torch.full_like(x, 2)
                c = torch.rand_like(x).mul(x.detach())
                return a, b, c
            """,
        ),
        "parentheses that nothing is left in but a name": (
            """
            import torch
            for x, y in torch.utils.data.DataLoader(d):
                z = (x.data).cpu()
                z = not(x.data).any()
                z = -(x.data).max((y.data).view(-1))
                z = (x + y).eq(x.data)
            """,
            """
            import torch
            for x, y in torch.utils.data.DataLoader(d):
                z = x.cpu()
                z = not(x).any()
                z = -x.max(y.view(-1))
                z = (x + y).eq(x)
            """,
        ),
        "argument of a torch function": (
            """
            import torch
            def f(x):
                output = torch.exp(x)
                return torch.max(output.data, 1)
            """,
            """
            import torch
            def f(x):
                output = torch.exp(x)
                return torch.max(output.detach(), 1)
            """,
        ),
        "chain of methods": (
            """
            import torch
            output = torch.exp(x)
            plot(output.data.cpu().numpy(), output.cpu().data.numpy())
            print((output * 2).data.mean())
            """,
            """
            import torch
            output = torch.exp(x)
            plot(output.detach().cpu().numpy(), output.cpu().detach().numpy())
            print((output * 2).detach().mean())
            """,
        ),
        "Variable without history": (
            """
            import torch
            from torch.autograd import Variable
            def detached(h):
                h = torch.tanh(h)
                return Variable(h.data)
            """,
            """
            import torch
            from torch.autograd import Variable
            def detached(h):
                h = torch.tanh(h)
                return Variable(h.detach())
            """,
        ),
        "name that is only read": (
            """
            import torch
            def f(x):
                scores = torch.exp(x).data
                return scores.mean(), scores.max(1)[1], scores > 2
            """,
            """
            import torch
            def f(x):
                scores = torch.exp(x).detach()
                return scores.mean(), scores.max(1)[1], scores > 2
            """,
        ),
        "function of the file that only reads": (
            """
            import torch
            def accuracy(output, target):
                return output.max(1)[1].eq(target).sum()
            print(accuracy(torch.exp(x).data, y))
            """,
            """
            import torch
            def accuracy(output, target):
                return output.max(1)[1].eq(target).sum()
            print(accuracy(torch.exp(x), y))
            """,
        ),
        "nothing of what it holds is asked for": (
            """
            import torch
            h = torch.exp(x)
            z = h.data.new(h.data.size(0), 2).zero_()
            """,
            """
            import torch
            h = torch.exp(x)
            z = h.new(h.size(0), 2).zero_()
            """,
        ),
        "no graph to hide from": (
            """
            import torch
            def test(model, loader):
                for x, y in loader:
                    pred = torch.max(model(x), 1)[1]
                    print(pred.eq(y.data).sum(), pred.data.numpy())
            def main(rows):
                test(net, torch.utils.data.DataLoader(rows))
            """,
            """
            import torch
            def test(model, loader):
                for x, y in loader:
                    pred = torch.max(model(x), 1)[1]
                    print(pred.eq(y).sum(), pred.numpy())
            def main(rows):
                test(net, torch.utils.data.DataLoader(rows))
            """,
        ),
        "graph that may come later": (
            """
            import torch
            x = torch.zeros(2)
            x.requires_grad_()
            y = torch.zeros(2)
            y[0] = torch.exp(x).sum()
            print(x.data.mean(), y.data.mean())
            """,
            """
            import torch
            x = torch.zeros(2)
            x.requires_grad_()
            y = torch.zeros(2)
            y[0] = torch.exp(x).sum()
            print(x.detach().mean(), y.detach().mean())
            """,
        ),
        "graph that is asked for by a word": (
            """
            import torch
            x, y, z = torch.zeros(2), torch.zeros(2), torch.zeros(2)
            x.requires_grad_(True)
            y.requires_grad_(requires_grad=flag)
            z.requires_grad_(False)
            print(x.data.mean(), y.data.mean(), z.data.mean())
            """,
            """
            import torch
            x, y, z = torch.zeros(2), torch.zeros(2), torch.zeros(2)
            x.requires_grad_(True)
            y.requires_grad_(requires_grad=flag)
            z.requires_grad_(False)
            print(x.detach().mean(), y.detach().mean(), z.mean())
            """,
        ),
        "gradient": (
            """
            import torch
            w = torch.nn.Parameter(torch.ones(2))
            w.data -= 0.1 * w.grad.data
            w.grad.data.zero_()
            """,
            """
            import torch
            w = torch.nn.Parameter(torch.ones(2))
            with torch.no_grad():
                w -= 0.1 * w.grad
            w.grad.zero_()
            """,
        ),
    },
)

test_where_nothing_is_recorded = rewrites(
    "TP104",
    {
        "comparisons": (
            """
            import torch
            def f(pred, gold):
                torch.exp(pred), torch.exp(gold)
                n = gold.data.ne(0).sum() + torch.eq(pred.data, gold.data).sum()
                return n, pred.data.eq(gold.data), (pred.data > 3) & (0 <= gold.data)
            """,
            """
            import torch
            def f(pred, gold):
                torch.exp(pred), torch.exp(gold)
                n = gold.ne(0).sum() + torch.eq(pred, gold).sum()
                return n, pred.eq(gold), (pred > 3) & (0 <= gold)
            """,
        ),
        "what is compared later, and what is no comparison of elements": (
            """
            import torch
            def f(pred, rows):
                torch.exp(pred)
                return pred.data.mean(1).gt(0), pred.data in rows
            """,
            """
            import torch
            def f(pred, rows):
                torch.exp(pred)
                return pred.mean(1).gt(0), pred.detach() in rows
            """,
        ),
        "under no_grad": (
            """
            import torch
            import torch.nn.functional as F
            def f(net, x):
                with torch.no_grad():
                    out = torch.exp(net(x))
                    top = out.data.topk(3)
                    up = F.interpolate(out, scale_factor=2).data[0][0].cpu().numpy()
                    return top, up, torch.sigmoid(out).cpu().data.numpy()
            """,
            """
            import torch
            import torch.nn.functional as F
            def f(net, x):
                with torch.no_grad():
                    out = torch.exp(net(x))
                    top = out.topk(3)
                    up = F.interpolate(out, scale_factor=2)[0][0].cpu().numpy()
                    return top, up, torch.sigmoid(out).cpu().numpy()
            """,
        ),
        "what is summed up beside others that become the same": (
            """
            import torch
            def train(model, batches, sums):
                total, kl, n = 0, 0, 0
                for batch in batches:
                    loss, kld = model(batch)
                    loss.backward()
                    total += loss.data * len(batch)
                    kl += torch.sum(kld).data
                n = n + sums[0]
                return total, kl, n
            """,
            """
            import torch
            def train(model, batches, sums):
                total, kl, n = 0, 0, 0
                for batch in batches:
                    loss, kld = model(batch)
                    loss.backward()
                    total += loss.detach() * len(batch)
                    kl += torch.sum(kld).detach()
                n = n + sums[0]
                return total, kl, n
            """,
        ),
        "what is calculated under no_grad has no graph, wherever it goes": (
            """
            import torch
            import torch.nn.functional as F
            def f(decoder, zs, found):
                with torch.no_grad():
                    for z in zs:
                        sample = torch.sigmoid(decoder(z)).data
                        found.append(sample)
                        found.append(F.softmax(decoder(z), dim=1)[:, 1].view(-1).data.cpu())
                        w = torch.exp(decoder(z)).data
                        w[0] = 1
            """,
            """
            import torch
            import torch.nn.functional as F
            def f(decoder, zs, found):
                with torch.no_grad():
                    for z in zs:
                        sample = torch.sigmoid(decoder(z))
                        found.append(sample)
                        found.append(F.softmax(decoder(z), dim=1)[:, 1].view(-1).cpu())
                        w = torch.exp(decoder(z))
                        w[0] = 1
            """,
        ),
        "under no_grad a view of a parameter requires gradients": (
            """
            import torch
            import torch.nn.functional as F
            def f(x, flag):
                torch.exp(x)
                with torch.no_grad():
                    a, b = x.data.view(-1).exp(), x.data.cpu().numpy()
                    c = F.dropout(x, training=False).data.numpy()
                    return a, b, c, x.data[0].numpy()
            """,
            """
            import torch
            import torch.nn.functional as F
            def f(x, flag):
                torch.exp(x)
                with torch.no_grad():
                    a, b = x.view(-1).exp(), x.detach().cpu().numpy()
                    c = F.dropout(x, training=False).detach().numpy()
                    return a, b, c, x.detach()[0].numpy()
            """,
        ),
        "with gradients": (
            """
            import torch
            def f(net, x):
                out = torch.exp(net(x))
                with torch.enable_grad():
                    return out.data.topk(3)
            """,
            """
            import torch
            def f(net, x):
                out = torch.exp(net(x))
                with torch.enable_grad():
                    return out.detach().topk(3)
            """,
        ),
        "of what a layer without parameters makes of it": (
            """
            import torch
            from torch import nn
            def f(x):
                y = nn.Softmax(1)(torch.ones(2, 3).cuda(x))
                z = nn.Linear(3, 3)(y)
                return torch.max(y.data, 1), torch.max(z.data, 1)
            """,
            """
            import torch
            from torch import nn
            def f(x):
                y = nn.Softmax(1)(torch.ones(2, 3).cuda(x))
                z = nn.Linear(3, 3)(y)
                return torch.max(y, 1), torch.max(z.detach(), 1)
            """,
        ),
    },
)

test_what_comes_under_no_grad_is_looked_at_there = rewrites(
    "TP104",
    {
        "volatile": (
            """
            import torch
            from torch.autograd import Variable
            def f(net, x):
                out = net(Variable(x, volatile=True))
                out = torch.exp(out).data.sqrt()
                return out
            """,
            """
            import torch
            def f(net, x):
                with torch.no_grad():
                    out = net(x)
                    out = torch.exp(out).sqrt()
                return out
            """,
        ),
    },
    with_rules=("TP101", "TP102"),
)

test_reads_under_no_grad = rewrites(
    "TP104",
    {
        "what comes out has no graph either way": (
            """
            import torch
            import torch.nn.functional as F
            def evaluate(model, loader, weight):
                total = 0
                with torch.no_grad():
                    for x, y in loader:
                        output = model(x)
                        loss = F.nll_loss(output, y)
                        total += len(x) * loss.data
                        total += loss.data
                        _, predicted = torch.max(output.data, 1)
                        best = output.data.max(1)[1]
                        rows = output.data.cpu().view(-1).topk(5)
                        wrong = output.data > 0.5
            """,
            """
            import torch
            import torch.nn.functional as F
            def evaluate(model, loader, weight):
                total = 0
                with torch.no_grad():
                    for x, y in loader:
                        output = model(x)
                        loss = F.nll_loss(output, y)
                        total += len(x) * loss
                        total += loss
                        _, predicted = torch.max(output, 1)
                        best = output.max(1)[1]
                        rows = output.cpu().view(-1).topk(5)
                        wrong = output > 0.5
            """,
        ),
        "what may be handed on with its graph": (
            """
            import torch
            import torch.nn.functional as F
            def evaluate(model, x, y, losses):
                with torch.no_grad():
                    output = model(x)
                    loss = F.nll_loss(output, y)
                    array = output.data.cpu().numpy()
                    losses = "%s" % (loss.data,)
                    first = output.data
                    print(first, output.data)
                    dropped = F.dropout(output.data, 0.5, False)
                    same = output.data.float()
                return first.sum() + dropped.sum() + same.sum()
            """,
            """
            import torch
            import torch.nn.functional as F
            def evaluate(model, x, y, losses):
                with torch.no_grad():
                    output = model(x)
                    loss = F.nll_loss(output, y)
                    array = output.detach().cpu().numpy()
                    losses = "%s" % (loss,)
                    first = output.detach()
                    print(first, output.detach())
                    dropped = F.dropout(output.detach(), 0.5, False)
                    same = output.detach().float()
                return first.sum() + dropped.sum() + same.sum()
            """,
        ),
        "gradients may be on": (
            """
            import torch
            import torch.nn.functional as F
            def evaluate(model, x, y, flag):
                with torch.no_grad():
                    with torch.set_grad_enabled(flag):
                        output = model(x)
                        F.nll_loss(output, y)
                        best = output.data.max(1)[0]
            """,
            """
            import torch
            import torch.nn.functional as F
            def evaluate(model, x, y, flag):
                with torch.no_grad():
                    with torch.set_grad_enabled(flag):
                        output = model(x)
                        F.nll_loss(output, y)
                        best = output.detach().max(1)[0]
            """,
        ),
        "a function of its own": (
            """
            import torch
            import torch.nn.functional as F
            with torch.no_grad():
                def best(output, y):
                    F.nll_loss(output, y)
                    return output.data.max(1)[0]
            """,
            """
            import torch
            import torch.nn.functional as F
            with torch.no_grad():
                def best(output, y):
                    F.nll_loss(output, y)
                    return output.detach().max(1)[0]
            """,
        ),
    },
)

test_reads_where_no_grad_is_written = rewrites(
    "TP104",
    {
        "volatile": (
            """
            import torch
            from torch.autograd import Variable
            import torch.nn.functional as F
            loader = torch.utils.data.DataLoader(data)
            def evaluate(model):
                for x, y in loader:
                    x = Variable(x, volatile=True)
                    output = model(x)
                    loss = F.nll_loss(output, y)
                    best = output.data.max(1)[1]
                    print(output.data)
            """,
            """
            import torch
            from torch.autograd import Variable
            import torch.nn.functional as F
            loader = torch.utils.data.DataLoader(data)
            def evaluate(model):
                with torch.no_grad():
                    for x, y in loader:
                        x = Variable(x)
                        output = model(x)
                        loss = F.nll_loss(output, y)
                        best = output.max(1)[1]
                        print(output.detach())
            """,
        ),
        "evaluation": (
            """
            import torch
            import torch.nn as nn
            net = nn.Linear(2, 2)
            loader = torch.utils.data.DataLoader(data)
            net.eval()
            for x, y in loader:
                outputs = net(x)
                _, predicted = torch.max(outputs.data, 1)
                print((predicted == y).sum())
            """,
            """
            import torch
            import torch.nn as nn
            net = nn.Linear(2, 2)
            loader = torch.utils.data.DataLoader(data)
            net.eval()
            with torch.no_grad():
                for x, y in loader:
                    outputs = net(x)
                    _, predicted = torch.max(outputs, 1)
                    print((predicted == y).sum())
            """,
        ),
    },
    with_rules=("TP102", "TP112"),
)

test_other_sizes = rewrites(
    "TP104",
    {
        "until torch 1.0 the tensor itself": (
            """
            import torch
            from torch.autograd import Variable
            images = Variable(torch.zeros(1), volatile=False)
            class Trainer(object):
                def __init__(self, size):
                    self.noise = torch.zeros(size, 3)
                def step(self, batch, size):
                    images.data.resize_(batch.size()).copy_(batch)
                    self.noise.data.resize_(size, 3).normal_(0, 1)
                    images.data.t_(), images.data.sub_(1)
            """,
            """
            import torch
            from torch.autograd import Variable
            images = Variable(torch.zeros(1), volatile=False)
            class Trainer(object):
                def __init__(self, size):
                    self.noise = torch.zeros(size, 3)
                def step(self, batch, size):
                    images.resize_(batch.size()).copy_(batch)
                    self.noise.resize_(size, 3).normal_(0, 1)
                    images.t_(), images.data.sub_(1)
            """,
        ),
    },
)


def test_what_only_reads_data_needs_no_block_of_its_own() -> None:
    text = """import torch
from torch.autograd import Variable
def f(net, rows, gpu):
    x = torch.FloatTensor(rows).unsqueeze(0)
    if gpu:
        x = Variable(x, volatile=True).cuda()
    else:
        x = Variable(x, volatile=True)
    y = torch.exp(net(x)) > 0.6
    hits = y.data.sum()
    if hits:
        x = x.data.squeeze(0).cpu().numpy()
        show(x)
"""
    after = """import torch
def f(net, rows, gpu):
    x = torch.FloatTensor(rows).unsqueeze(0)
    if gpu:
        x = x.cuda()
    with torch.no_grad():
        y = torch.exp(net(x)) > 0.6
    hits = y.sum()
    if hits:
        x = x.squeeze(0).cpu().numpy()
        show(x)
"""
    options = Options(era=Era(newest=(0, 3)))
    assert migrate(text, "TP101", "TP102", "TP104", options=options).text == after


test_updates = rewrites(
    "TP104",
    {
        "a loop over the numbers of parameters": (
            """
            import torch
            def f(model, copies):
                params = list(model.parameters())
                for i in range(len(params)):
                    params[i].data.copy_(copies[i])
                for i in range(count()):
                    params[i].data.copy_(copies[i])
            """,
            """
            import torch
            def f(model, copies):
                params = list(model.parameters())
                with torch.no_grad():
                    for i in range(len(params)):
                        params[i].copy_(copies[i])
                for i in range(count()):
                    with torch.no_grad():
                        params[i].copy_(copies[i])
            """,
        ),
        "loop that only updates": (
            """
            import torch
            def step(model, lr):
                # plain SGD
                for p in model.parameters():  # all of them
                    p.data.add_(-lr, p.grad.data)  # in place
                return lr
            """,
            """
            import torch
            def step(model, lr):
                # plain SGD
                with torch.no_grad():
                    for p in model.parameters():  # all of them
                        p.add_(-lr, p.grad)  # in place
                return lr
            """,
        ),
        "neighbours in a loop with more": (
            """
            import torch
            def step(model, lr):
                for p in model.parameters():
                    print(p.size())
                    p.data.mul_(0.9)
                    p.data.sub_(lr * p.grad.data)
                    print(lr)
            """,
            """
            import torch
            def step(model, lr):
                for p in model.parameters():
                    print(p.size())
                    with torch.no_grad():
                        p.mul_(0.9)
                        p.sub_(lr * p.grad)
                    print(lr)
            """,
        ),
        "already under no_grad": (
            """
            import torch
            def step(model):
                with torch.no_grad():
                    for p in model.parameters():
                        p.data.clamp_(-1, 1)
            """,
            """
            import torch
            def step(model):
                with torch.no_grad():
                    for p in model.parameters():
                        p.clamp_(-1, 1)
            """,
        ),
        "import that is missing": (
            """
            from torch import nn
            def clip(model: nn.Module):
                for p in model.parameters():
                    p.data.clamp_(-1, 1)
            """,
            """
            import torch
            from torch import nn
            def clip(model: nn.Module):
                with torch.no_grad():
                    for p in model.parameters():
                        p.clamp_(-1, 1)
            """,
        ),
        "set_grad_enabled may switch gradients on": (
            """
            import torch
            def step(model, train):
                with torch.set_grad_enabled(train):
                    for p in model.parameters():
                        p.data.clamp_(-1, 1)
            """,
            """
            import torch
            def step(model, train):
                with torch.set_grad_enabled(train):
                    with torch.no_grad():
                        for p in model.parameters():
                            p.clamp_(-1, 1)
            """,
        ),
    },
)

test_initialization = rewrites(
    "TP104",
    {
        "layers of a model": (
            """
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self, r):
                    super().__init__()
                    self.fc = nn.Linear(2, 2)
                    self.w = nn.Parameter(make())
                    self.fc.weight.data.uniform_(-r, r)
                    self.fc.bias.data.zero_()
                    self.w.data.normal_(std=0.02)
                    for m in self.modules():
                        if isinstance(m, nn.Conv2d):
                            m.weight.data.normal_(0, 0.1)
            """,
            """
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self, r):
                    super().__init__()
                    self.fc = nn.Linear(2, 2)
                    self.w = nn.Parameter(make())
                    nn.init.uniform_(self.fc.weight, -r, r)
                    nn.init.zeros_(self.fc.bias)
                    nn.init.normal_(self.w, std=0.02)
                    for m in self.modules():
                        if isinstance(m, nn.Conv2d):
                            nn.init.normal_(m.weight, 0, 0.1)
            """,
        ),
        "function that is applied": (
            """
            import torch.nn as nn
            from torch.nn import init
            def weights_init(m):
                if m.__class__.__name__.find("BatchNorm") != -1:
                    m.weight.data.normal_(1.0, 0.02)
                    m.bias.data.fill_(0)
            net = nn.Sequential(nn.Linear(2, 2))
            net.apply(weights_init)
            """,
            """
            import torch.nn as nn
            from torch.nn import init
            def weights_init(m):
                if m.__class__.__name__.find("BatchNorm") != -1:
                    init.normal_(m.weight, 1.0, 0.02)
                    init.zeros_(m.bias)
            net = nn.Sequential(nn.Linear(2, 2))
            net.apply(weights_init)
            """,
        ),
        "zeros and ones": (
            """
            import torch.nn as nn
            layer = nn.Linear(2, 2)
            layer.weight.data.fill_(1)
            layer.weight.data.fill_(1.)
            layer.weight.data.fill_(value=0)
            layer.weight.data.fill_(-1)
            layer.weight.data.fill_(True)
            layer.weight.data.fill_(0.5)
            """,
            """
            import torch.nn as nn
            layer = nn.Linear(2, 2)
            nn.init.ones_(layer.weight)
            nn.init.ones_(layer.weight)
            nn.init.zeros_(layer.weight)
            nn.init.constant_(layer.weight, -1)
            nn.init.constant_(layer.weight, True)
            nn.init.constant_(layer.weight, 0.5)
            """,
        ),
        "blanks inside the parentheses": (
            """
            import torch.nn as nn
            layer = nn.Linear(2, 2)
            layer.weight.data.fill_( 0 )
            layer.weight.data.normal_( 0, 0.1 )
            layer.weight.data.uniform_( -1, b = 1)
            layer.weight.data.fill_(0,)
            layer.weight.data.fill_(
                1
            )
            layer.weight.data.zero_( )
            """,
            """
            import torch.nn as nn
            layer = nn.Linear(2, 2)
            nn.init.zeros_( layer.weight )
            nn.init.normal_( layer.weight, 0, 0.1 )
            nn.init.uniform_( layer.weight, -1, b = 1)
            nn.init.zeros_(layer.weight)
            nn.init.ones_(
                layer.weight
            )
            nn.init.zeros_( layer.weight )
            """,
        ),
        "functions of init": (
            """
            import torch.nn as nn
            layer = nn.Linear(2, 2)
            nn.init.normal_(layer.weight.data, 0, 0.1)
            """,
            """
            import torch.nn as nn
            layer = nn.Linear(2, 2)
            nn.init.normal_(layer.weight, 0, 0.1)
            """,
        ),
    },
)

LIKE = """
import torch
def f(x: torch.Tensor, y{}):
    {}
    print(first, second)
"""


@pytest.mark.parametrize(
    "lines",
    [
        "first = second = print(x.data, y.data)",
        "first = second = print(-1 * x.data, end=y.data)",
        "first = x.data.cpu().numpy()\n    print(1)\n    second = y.data.cpu().numpy()",
        "first = x.data.cpu().numpy().mean(0)\n    second = y.data.cpu().numpy()",
        "first = x.data.cpu().numpy().shape\n    second = y.data.cpu().numpy()",
        "first = print(x.data)\n    second = print(y.data)",
        "first = x.data.item()\n    second = y.data.item()",
        "first = x.data.shape\n    second = y.data.shape",
        "first = x.exp().eq(x.data)\n    second = x.exp().eq(y.data)",
        "first = x.data\n    second = y.data",
        "first = x.data.mean(0)\n    second = y.data.mean(0)\n    print(x.data.exp())",
        "first = x.data.cpu().numpy()\n    for second in y:\n        second = y.data.mean()",
        "first = x.data.cpu()\n    with y:\n        second = y.data",
    ],
)
def test_what_looks_like_another_that_stays_stays_as_well(lines: str) -> None:
    unknown = LIKE.format("", lines)
    assert migrate(unknown, "TP104").text == unknown
    known = LIKE.format(": torch.Tensor", lines)
    assert "data" not in migrate(known, "TP104").text


def test_so_does_what_has_nothing_to_detach() -> None:
    lines = "ones = torch.ones(2)\n    first, second = ones.data.numpy(), y.data.numpy()"
    text = LIKE.format("", lines)
    assert migrate(text, "TP104").text == text
    other = text.replace("y.data.numpy()", "y.mean()")
    assert "first, second = ones.numpy(), y.mean()" in migrate(other, "TP104").text


def test_what_stays_in_a_function_inside_is_of_no_matter() -> None:
    lines = "first = x.data.mean(0)\n    def g(y):\n        return y.data.sum(0)\n    second = g"
    text = LIKE.format("", lines)
    assert migrate(text, "TP104").text == text.replace("x.data", "x.detach()")


_SCALED = """import torch
def f(x: torch.Tensor, w: torch.Tensor, scale, bias):
    mean, std = (x * w).mean(0), (x * w).std(0)
    {}
    {}
"""


@pytest.mark.parametrize(
    ("first", "second", "is_kept"),
    [
        ("scale.data = scale.data / std.data", "bias.data = -mean.data / std.data", True),
        ("bias.data = -mean.data / std.data", "scale.data = scale.data / std.data", True),
        ("scale.data = scale.data / std.data", "y = mean.data / std.data", True),
        ("scale.data = scale / std.data", "bias.data = -mean.data / std.data", True),
        ("scale = scale / std.data", "bias = -mean.data / std.data", False),
    ],
)
def test_what_stays_beside_data_that_is_stored_to_stays_elsewhere(
    first: str, second: str, is_kept: bool
) -> None:
    text = _SCALED.format(first, second)
    changed = migrate(text).text
    assert (second in changed and "std.data" in changed) == is_kept
    assert "std.detach()" not in changed or not is_kept


_COPIED = """import torch.nn as nn
def copied(layer: nn.Conv2d, other: nn.Conv2d):
    params = [x.clone() for x in layer.parameters()]
    kernels = {}.mean(dim=1)
    other.weight.data = kernels
    other.bias.data = {}
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("params[0].data", "params[1].data"),
        ("params[-2].data", "params[-1].data"),
        ("params[0][0].data", "params[1][0].data"),
        ("params[0].data", "kept[1].data"),
        ("params[0].data", "params[i].data"),
    ],
)
def test_parts_of_one_list_stay_alike(first: str, second: str) -> None:
    text = _COPIED.format(first, second)
    assert migrate(text, "TP104").text == text


def test_a_part_beside_what_has_no_data_is_detached() -> None:
    text = _COPIED.format("params[0].data", "params[1].clone()")
    after = migrate(text, "TP104").text
    assert after == _COPIED.format("params[0].detach()", "params[1].clone()")


_FILLED = """import torch
from torch.utils.data import DataLoader
batch, kept = torch.zeros(2, 3), {{}}
for x, y in DataLoader(rows):
    y = y.float()
    {}
"""


def test_what_is_copied_into_a_part_of_a_tensor_is_not_detached() -> None:
    after = migrate(_FILLED.format("batch[0] = y[0].data"), "TP104").text
    assert after == _FILLED.format("batch[0] = y[0]")


@pytest.mark.parametrize(
    "line",
    [
        "kept[0] = y[0].data",
        "batch[0] = z = y[0].data",
        "batch = y[0].data",
        "batch[0] = y[0].data\n    y.requires_grad_()",
    ],
)
def test_what_gets_another_name_or_a_graph_is_not_left_bare(line: str) -> None:
    after = migrate(_FILLED.format(line), "TP104").text
    assert "= y[0]\n" not in after


_DIVIDED = """import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
    def halves(self, parts):
        weight = self.fc.weight.view({}, -1)
        return weight, self.fc.bias.{} / parts.count
"""


def test_what_a_size_divides_is_detached() -> None:
    after = migrate(_DIVIDED.format("parts.count", "data"), "TP104").text
    assert after == _DIVIDED.format("parts.count", "detach()")


def test_what_something_unknown_divides_stays() -> None:
    text = _DIVIDED.format("parts.length", "data")
    assert migrate(text, "TP104").text == text


test_keeps = keeps(
    "TP104",
    {
        "elements that are kept": """
            import torch
            def f(scores: torch.Tensor):
                kept = []
                for score in scores.data:
                    kept.append(score)
                return kept
            def g(scores: torch.Tensor):
                for score in scores.data:
                    score.add_(int(score))
        """,
        "what becomes a number of Python at once": """
            def f(model, x, y):
                loss = model(x, y)
                model.eval()
                print(loss.size())
                return float(loss.data)
            """,
        "what is summed up beside another that stays": """
            import torch
            def train(model, batches):
                total, kl, n = 0, 0, 0
                for batch in batches:
                    loss, kld = model(batch)
                    total += loss.data * len(batch)
                    kl += torch.sum(kld).data
                    n += 2 * torch.mean(kld).data
                return total, kl, n
            """,
        "what may be handed on under no_grad, and a view of what a name holds": """
            import torch
            import torch.nn.functional as F
            def f(decoder, zs, x: torch.Tensor, found):
                with torch.no_grad():
                    for z in zs:
                        y = torch.exp(z)
                        y.requires_grad_()
                        found.append(decoder(z).data)
                        found.append(y.view(-1).data)
                        found.append(x.unsqueeze(0).data)
                        found.append(torch.squeeze(x).data)
                        found.append(F.dropout(x, 0.5, False).data)
            """,
        "where gradients may be on, what others get": """
            import torch
            def f(decoder, zs, found, flag):
                for z in zs:
                    found.append(torch.sigmoid(decoder(z)).data)
                with torch.set_grad_enabled(flag):
                    found.append(torch.sigmoid(decoder(zs[0])).data)
            """,
        "parts of one sum, of which one may be no tensor": """
            import torch
            def f(y):
                x = torch.ones(2)
                return 2 * x.data + 3 * y.data
            """,
        "what is asked for its number as another in the statement is": """
            import torch
            def f(model, other, x):
                d = torch.rand(3).mean()
                return {"d": d.data.item(), "g": other(x).data.item()}
            """,
        "an index beside an equal one that may be a key": """
            import torch
            def forward(nodes, h: torch.Tensor, c, gru, cell, n):
                i = torch.tensor(nodes)
                h[i.data], c[i.data] = cell(h)
                h[n + i.data] = h[i.data, 1]
        """,
        "what an initialization gives is used": """
            import torch.nn as nn
            layer = nn.Linear(2, 2)
            w = nn.init.xavier_uniform_(layer.weight.data)
            w.mul_(2)
            nn.init.xavier_uniform_(layer.weight.data).mul_(2)
            layer.weight.data = nn.init.xavier_uniform_(layer.weight.data)
            """,
        "what a layer of one of the classes has not": """
            from torch import nn
            def f(model, saved):
                kept = []
                for m in model.modules():
                    if isinstance(m, (nn.Conv2d, nn.ReLU)):
                        kept.append(m.weight)
                for i in range(len(kept)):
                    saved.append(kept[i].data.sign())
            """,
        "what a method of torch 0.3 gives its result to": """
            import torch
            from torch import nn
            layer = nn.Linear(2, 3)
            total = layer(torch.ones(1, 2)).pow(2).sum()
            torch.ones(3, 2).mul(2, out=layer.weight.data)
            total.backward()
            """,
        "a part of what is kept, and what may have a history": """
            import torch
            def f(w: torch.Tensor, at, store):
                ones = torch.ones(3)
                store(ones[at].data, ones.cpu().data, (w * 2).data)
            """,
        "storage swap": """
            import torch.nn as nn
            a, b = nn.Linear(2, 2), nn.Linear(2, 2)
            a.weight.data = b.weight.data
            a.bias.data += 1
            """,
        "store into a part": """
            import torch
            w = torch.nn.Parameter(torch.ones(2))
            w.data[0] = 3
            w.data[1] += 2
            """,
        "packed sequence": """
            import torch
            packed = torch.nn.utils.rnn.pack_padded_sequence(torch.ones(2, 3), [3, 3])
            print(packed.data.mean())
            """,
        "unknown receiver": """
            import torch
            def f(batch, dataset):
                return batch.data.mean(), dataset.data.sum()
            """,
        "modules called data": """
            import torch
            import torch.utils.data
            loader = torch.utils.data.DataLoader(rows)
            """,
        "modified in place": """
            import torch
            def f(x):
                y = torch.exp(x)
                y.data.mul_(2)
                z = y.data
                z.add_(1)
                u = y.data.view(-1)
                u[0] = 1
                v = y.data
                v += 1
                return y
            """,
        "modified in a function of the file": """
            import torch
            def clip(t):
                t.clamp_(0, 1)
            def f(x):
                clip(torch.exp(x).data)
            """,
        "modified by init in a function of the file": """
            import torch.nn as nn
            from torch.nn import init
            def xavier(param):
                init.xavier_uniform_(param)
            layer = nn.Linear(2, 2)
            xavier(layer.weight.data)
            """,
        "handed to unknown code": """
            import torch
            from helpers import consume
            y = torch.exp(torch.ones(2))
            consume(y.data)
            kept.append(y.data)
            """,
        "stored into on the same line": """
            import torch
            def f(n):
                index = torch.zeros(n)
                for b in range(n):
                    index.data[b] = index.data[b] + b * 100
                return index
            """,
        "returned and stored": """
            import torch
            class Holder:
                def keep(self, x):
                    self.last = torch.exp(x).data
                    return torch.exp(x).data
            """,
        "new parameter on the same memory": """
            import torch
            a = torch.nn.Parameter(torch.ones(2))
            b = torch.nn.Parameter(a.data)
            c = torch.autograd.Variable(a.data, requires_grad=True)
            """,
        "parameter that autograd would keep": """
            import torch
            w = torch.nn.Parameter(torch.ones(2))
            def f(x):
                x = torch.exp(x)
                return x * w.data, torch.dot(x, w.data)
            """,
        "layer that works in place": """
            import torch.nn as nn
            act = nn.ReLU(inplace=True)
            out = act(nn.Linear(2, 2)(x).data)
            """,
        "update in forward": """
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(2, 2)
                def forward(self, x):
                    self.fc.weight.data.clamp_(-1, 1)
                    return self.fc(x)
            """,
        "update of what is no parameter": """
            import torch
            h = torch.tanh(x)
            h.data.zero_()
            """,
        "update by something that is computed elsewhere": """
            import torch
            def step(model, loss):
                for p in model.parameters():
                    p.data.sub_(direction(loss, p))
            """,
        "gradient of a gradient": """
            import torch
            def penalty(w, loss):
                w = torch.nn.Parameter(w)
                loss.backward(create_graph=True)
                w.grad.data.zero_()
            """,
        "index 0 of a loss": """
            import torch.nn.functional as F
            loss = F.mse_loss(a, b)
            print(loss.data[0], loss.data.cpu().numpy()[0])
            """,
        "index 0 of what may be one number": """
            import torch
            device = torch.device("cpu")
            def f(x):
                return torch.exp(x).data[0]
            """,
        "user's parameters method": """
            import torch
            class Config:
                def parameters(self):
                    return self.entries
            def f(config):
                for p in config.parameters():
                    p.data.add_(1)
            """,
        "checked to be another class": """
            import torch.nn as nn
            from mine import Block
            def init(model: nn.Module):
                for m in model.modules():
                    if isinstance(m, Block):
                        m.gate.data.fill_(1)
            """,
        "already modern": """
            import torch
            y = torch.exp(torch.ones(2))
            print(y.detach().numpy())
            with torch.no_grad():
                torch.nn.Parameter(y).add_(1)
            """,
        "comment that would be lost": """
            import torch
            y = torch.exp(torch.ones(2))
            print((y
                   # no history
                   .data).size())
            """,
        "suppressed": """
            import torch
            y = torch.exp(torch.ones(2))
            print(y.data.mean())  # noqa: TP104
            """,
    },
)


@pytest.mark.parametrize("line", ["w.data.mul_(2); print(w)", "if x: w.data.mul_(2)"])
def test_update_on_a_line_with_others_is_left(line: str) -> None:
    # It does today what it did.
    text = f"import torch\nw = torch.nn.Parameter(x)\n{line}\n"
    migration = migrate(text, "TP104")
    assert migration.text == text and not migration.findings


_RESHAPED = """
    import torch
    import torch.nn as nn
    def step(x: torch.Tensor, batch, net: nn.Module):
        y = torch.zeros(3)
        y.data.resize_(2)
        x.data.unsqueeze_(0).mul_(2)
        batch.text.data.t_(), batch.label.data.sub_(1)
        print(x.data.t_(), y.data.resize_(2))
        z = y.data.resize_(2)
        net.data.resize_(3)
        return z
    """


def test_other_sizes_that_may_not_arrive_are_told() -> None:
    findings = advice("TP104", _RESHAPED)
    assert [f.line for f in findings if "keeps its shape" in f.message] == [5, 6, 7]
    assert "write x.data = x.data.unsqueeze_(0).mul_(2)" in findings[1].message
    # Of the batch only its use says that it may hold tensors.
    told = ["a tensor keeps" in f.message for f in findings]
    assert told == [False, False, True]
    assert findings[2].message.endswith(
        ": split the line into batch.text.data = batch.text.data.t_() and the rest"
    )


_TWICE = """
    import torch
    def train(batches, x: torch.Tensor):
        for batch in batches:
            feature, target = batch.text, batch.label
            feature.data.t_(), target.data.sub_(1)
    def test(batches, x: torch.Tensor):
        for batch in batches:
            feature, target = batch.text, batch.label
            {0}
    """


@pytest.mark.parametrize(
    ("other", "lines"),
    [
        ("feature.data.t_(), target.data.sub_(1)", [5]),
        ("feature.data.t_(), print(x)", [5]),
        ("feature.data.t_()", [5, 9]),
        ("feature.data.unsqueeze_(0), target.data.sub_(1)", [5, 9]),
        ("target.data.t_(), feature.data.sub_(1)", [5, 9]),
    ],
)
def test_another_size_that_is_written_alike_is_told_once(other: str, lines: list[int]) -> None:
    findings = [f for f in advice("TP104", _TWICE.format(other)) if "keeps its" in f.message]
    assert [f.line for f in findings] == lines
    assert ("its .data, here and in line 9:" in findings[0].message) is (len(lines) == 1)


def test_what_may_require_grad_is_given_no_other_size() -> None:
    text = """
        import torch
        from torch.autograd import Variable
        def step(x: torch.Tensor):
            x.data.resize_(Variable(x, volatile=False).size(0))
        """
    assert [f.line for f in advice("TP104", text)] == [4]
    assert migrate(textwrap.dedent(text), "TP104").text == textwrap.dedent(text)


def test_what_shows_a_tensor_stays_until_data_of_it_is_read() -> None:
    text = """import torch
from torch.autograd import Variable
def evaluate(model, criterion, loader):
    model.eval()
    total = correct = 0.0
    for x, y in loader:
        y_var = Variable(y)
        output = model(x)
        loss = criterion(output, y_var)
        total += loss.data[0] * x.size(0)
        best = output.data.max(1, keepdim=True)[1]
        correct += best.eq(y_var.data.view_as(best)).sum().item()
    return total, correct
"""
    after = """import torch
def evaluate(model, criterion, loader):
    model.eval()
    total = correct = 0.0
    with torch.no_grad():
        for x, y in loader:
            output = model(x)
            loss = criterion(output, y)
            total += loss.data[0] * x.size(0)
            best = output.max(1, keepdim=True)[1]
            correct += best.eq(y.view_as(best)).sum().item()
    return total, correct
"""
    options = Options(era=Era(newest=(0, 3)))
    assert migrate(text, "TP101", "TP104", "TP112", options=options).text == after


test_sums_of_what_has_no_graph = rewrites(
    "TP104",
    {
        "an operand": (
            """
            import math
            import torch
            from torch.autograd import Variable
            x = Variable(torch.linspace(0, 1, 26))
            y = torch.cos(x.data * (8 * math.pi))
            z = -x.data + 1
            """,
            """
            import math
            import torch
            from torch.autograd import Variable
            x = Variable(torch.linspace(0, 1, 26))
            y = torch.cos(x * (8 * math.pi))
            z = -x + 1
            """,
        ),
        "an operand that may belong to a graph": (
            """
            import torch
            from torch import nn
            fc = nn.Linear(3, 3)
            y = fc(torch.ones(3))
            z = y.data * 2
            """,
            """
            import torch
            from torch import nn
            fc = nn.Linear(3, 3)
            y = fc(torch.ones(3))
            z = y.detach() * 2
            """,
        ),
        "one of several": (
            """
            import torch
            from torch.autograd import Variable
            x = Variable(torch.ones(3))
            y = torch.cat([x.data, x.data])
            """,
            """
            import torch
            from torch.autograd import Variable
            x = Variable(torch.ones(3))
            y = torch.cat([x, x])
            """,
        ),
    },
)


LAYERS = """
import torch
import torch.nn as nn
from torch.autograd import Variable


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
        self.drop = nn.Dropout()

    def forward(self, x):
        out = self.main(x)
        return {returned}


netG = Generator()
netD = nn.Linear(3, 1)


def train(z):
    zv = Variable(z, volatile=True)
    fake = Variable(netG(zv).data)
    netD(fake).mean().backward()
"""


@pytest.mark.parametrize("returned", ["out", "out.view(-1)", "torch.tanh(out) * 2", "-out[0]"])
def test_what_a_module_gives_under_the_block_of_the_same_run_is_not_detached(returned: str) -> None:
    after = migrate(LAYERS.format(returned=returned)).text
    assert "    with torch.no_grad():\n        fake = netG(z)\n" in after


@pytest.mark.parametrize("returned", ["self.drop(x)", "x", "x.view(-1)"])
def test_what_a_module_may_hand_on_is_detached_under_no_grad_too(returned: str) -> None:
    assert "fake = netG(z).detach()\n" in migrate(LAYERS.format(returned=returned)).text


def test_what_a_hook_may_put_in_place_of_a_result_is_detached() -> None:
    text = LAYERS.format(returned="out") + "\nnetG.register_forward_hook(hook)\n"
    newer = text + "\nencoder = nn.Transformer()\n"
    assert "fake = netG(zv).detach()\n" in migrate(newer).text


def test_until_torch_1_1_a_hook_put_nothing_in_place_of_a_result() -> None:
    text = LAYERS.format(returned="out") + "\nnetG.register_forward_hook(hook)\n"
    assert "    with torch.no_grad():\n        fake = netG(z)\n" in migrate(text).text


def test_what_requires_grad_is_told_to_take_in_its_other_size() -> None:
    text = "import torch.nn as nn\nw = nn.Parameter(x)\nw.data.{}\n"
    (finding,) = advice("TP104", text.format("resize_(4)"))
    assert finding.message.endswith("write w.data = w.data.resize_(4)")
    (finding,) = advice("TP104", text.format("t_()"))
    assert finding.message.endswith("write w.data = w.data.t_()")
    long = "resize_(another.size(0), another.size(1)).copy_(another)"
    (finding,) = advice("TP104", text.format(long))
    assert finding.message.endswith("write w.data = w.data.resize_(…).copy_(…)")
    assert not advice("TP104", text.format("t_()").replace("w.data.t_()", "w.data = w.data.t_()"))


def test_a_torch_without_ones_fills_in() -> None:
    text = "import torch.nn as nn\nlayer = nn.Linear(2, 2)\nlayer.weight.data.fill_(1)\n"
    (rule,) = select(["TP104"])
    older, newer = rule.for_target((1, 0)), rule.for_target((1, 1))
    assert older is not None and newer is not None
    assert "constant_(layer.weight, 1)" in migrate_text(text, [older], Options()).text
    assert "ones_(layer.weight)" in migrate_text(text, [newer], Options()).text


_PARTS = """
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    def forward(self, x):
        h = self.first(x)
        return [h, torch.relu(self.second(h))]
net = Net()
def run(x, y, target, keep):
    with torch.no_grad():
        parts = net(x)
    {}
    wanted = parts[1].data
    return torch.nn.functional.mse_loss(target, wanted)
"""


@pytest.mark.parametrize(
    "line", ["print(parts[0])", "first = parts[0] + 1", "size = parts[1].size(0)"]
)
def test_parts_of_what_was_calculated_without_gradients(line: str) -> None:
    assert "wanted = parts[1]\n" in migrate(_PARTS.format(line), "TP104").text


@pytest.mark.parametrize(
    "line",
    [
        "parts[1] = net(y)[1]",
        "parts.append(y)",
        "keep(parts)",
        "parts[1].requires_grad_()",
        "parts[1].requires_grad = True",
        "other = parts[1]; other.add_(net(y)[0])",
        "for part in parts: part += y",
        "parts = net(y)",
    ],
)
def test_parts_that_may_have_a_graph_all_the_same(line: str) -> None:
    assert "wanted = parts[1]\n" not in migrate(_PARTS.format(line), "TP104").text


_CHOSEN = """
import torch
from torch import nn
def make(n):
    return nn.Sequential(nn.Linear(2, n), nn.ReLU())
def run(arch, x, given):
    model = None
    if arch == "small":
        model = make(2)
    if arch == "large":
        model = {}
    model = {}
    with torch.no_grad():
        out = model(x)
        out.unsqueeze(0)
        return out.cpu().data.numpy()
"""


@pytest.mark.parametrize(
    ("other", "used", "is_known"),
    [
        ("make(3)", "model", True),
        ("make(3)", "nn.DataParallel(model)", True),
        ("nn.Identity()", "nn.DataParallel(model)", False),
        ("given", "nn.DataParallel(model)", False),
        ("given", "model", False),
        ("nn.Sequential(*[nn.Linear(2, 3), nn.Dropout(given)])", "model", True),
        ("nn.Sequential(*(nn.Dropout(given), nn.ReLU(True)))", "model", False),
        ("nn.Sequential(*given)", "model", False),
    ],
)
def test_one_of_several_models_or_none_is_called(other: str, used: str, is_known: bool) -> None:
    after = migrate(_CHOSEN.format(other, used), "TP104").text
    assert ("return out.cpu().numpy()" in after) is is_known


@pytest.mark.parametrize(
    ("reads", "is_needless"),
    [
        ("return w.new_zeros(n, 2)", True),
        ("return w.new_zeros(n, 2), w.new_zeros(w.size(0))", True),
        ("return w.new_zeros(n, 2), w", False),
        ("return w.new_zeros(n, 2) + w.sum()", False),
        ("return lambda: w.exp()", False),
        ("w = w.exp()\n        return w.new_zeros(n, 2)", False),
    ],
)
def test_a_name_of_which_only_others_alike_are_made(reads: str, is_needless: bool) -> None:
    head = "import torch\n\nclass Net(torch.nn.Module):\n    def hidden(self, n):\n"
    text = f"{head}        w = next(self.parameters()).data\n        {reads}\n"
    after = migrate(text, "TP104").text
    assert ("w = next(self.parameters())\n" in after) == is_needless


@pytest.mark.parametrize(
    ("made", "is_kept"),
    [
        ("v, m = v.squeeze(0).data, m.squeeze(0).data", True),
        ("m, v = m.squeeze(0).data, v.squeeze(0).data", True),
        ("v, m = v.squeeze(1).data, m.squeeze(0).data", True),
        ("v, m = v.squeeze(0), m.squeeze(0).data", False),
        ("m = m.squeeze(0).data", False),
        ("v, m = look(v.squeeze(0), m.squeeze(0).data)", False),
    ],
)
def test_what_is_written_alike_in_one_tuple_stays_alike(made: str, is_kept: bool) -> None:
    text = f"import torch\ndef f(net, rows):\n    v = net(rows)\n    m = torch.ones(1, 3)\n    {made}\n"
    text += "    return v, m\n"
    assert ("m.squeeze(0).data" in migrate(text, "TP104").text) is is_kept


_TWO_WAYS = """
import torch.nn as nn
from torch.nn import init
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
        {way}.uniform_(self.fc.weight, -0.1, 0.1)
        self.fc.bias.data.fill_(0)
"""


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        pytest.param("nn.init", "nn.init", id="the longer one"),
        pytest.param("init", "init", id="the shorter one"),
        pytest.param("print", "init", id="neither: the shorter one"),
    ],
)
def test_what_is_initialized_is_written_as_beside(written: str, expected: str) -> None:
    after = migrate(_TWO_WAYS.format(way=written), "TP104").text
    assert f"        {expected}.zeros_(self.fc.bias)\n" in after


def test_data_of_what_may_be_a_data_set() -> None:
    text = (
        "import torch\ndef whole(dataset):\n    images = dataset.data * 2\n"
        "    images = images.unsqueeze(1)\n    return images\n"
    )
    assert migrate(text, "TP104").text == text
