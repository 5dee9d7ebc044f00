from __future__ import annotations

from tests.support.rules import rewrites

test_data = rewrites(
    "TP104",
    {
        "what stands as an index": (
            """
            import torch
            from torch import nn
            embed = nn.Embedding(3, 4)
            def pick(x: torch.Tensor, i: torch.Tensor, net):
                y = x[i.data], x[0, i.data], x.gather(1, i.data), torch.index_select(x, 0, i.data)
                return y, embed(i.data), torch.zeros(3, 4).scatter_(1, index=i.data, value=1)
            """,
            """
            import torch
            from torch import nn
            embed = nn.Embedding(3, 4)
            def pick(x: torch.Tensor, i: torch.Tensor, net):
                y = x[i], x[0, i], x.gather(1, i), torch.index_select(x, 0, i)
                return y, embed(i), torch.zeros(3, 4).scatter_(1, index=i, value=1)
            """,
        ),
        "what says where a value is filled in": (
            """
            import torch
            def fill(x: torch.Tensor, m: torch.Tensor):
                x.masked_fill_(mask=m.data, value=0)
                return x.masked_fill(m.data, 0.0), torch.masked_select(x, m.data)
            """,
            """
            import torch
            def fill(x: torch.Tensor, m: torch.Tensor):
                x.masked_fill_(mask=m, value=0)
                return x.masked_fill(m, 0.0), torch.masked_select(x, m)
            """,
        ),
        "what is filled in there": (
            """
            import torch
            def fill(x: torch.Tensor, m: torch.Tensor, v: torch.Tensor):
                return x.masked_fill(m, v.data), x.masked_scatter(m, v.data)
            """,
            """
            import torch
            def fill(x: torch.Tensor, m: torch.Tensor, v: torch.Tensor):
                return x.masked_fill(m, v.detach()), x.masked_scatter(m, v.detach())
            """,
        ),
        "what becomes an index later": (
            """
            import torch
            def pick(x: torch.Tensor, i: torch.Tensor, n):
                at = i.data + torch.arange(n)
                return x.index_select(0, at.view(-1))
            """,
            """
            import torch
            def pick(x: torch.Tensor, i: torch.Tensor, n):
                at = i + torch.arange(n)
                return x.index_select(0, at.view(-1))
            """,
        ),
        "what is compared, and only then an index": (
            """
            import torch
            def pick(x: torch.Tensor, s: torch.Tensor, n):
                at = s.data + torch.arange(n)
                best = at.mean(0)
                return x[at > best], at
            """,
            """
            import torch
            def pick(x: torch.Tensor, s: torch.Tensor, n):
                at = s.detach() + torch.arange(n)
                best = at.mean(0)
                return x[at > best], at
            """,
        ),
        "what does not": (
            """
            import torch
            def pick(x: torch.Tensor, i: torch.Tensor, table: dict):
                return x.index_copy(0, torch.arange(2), i.data), table[i.data]
            """,
            """
            import torch
            def pick(x: torch.Tensor, i: torch.Tensor, table: dict):
                return x.index_copy(0, torch.arange(2), i.detach()), table[i.detach()]
            """,
        ),
    },
)

test_wrapped = rewrites(
    "TP101",
    {
        "whole numbers and masks of what is not known": (
            """
            from torch.autograd import Variable
            def f(x, lengths, net):
                a = Variable(x.long())
                b = Variable(lengths.ne(0).view(-1))
                c = Variable(x.max(1)[1])
                _, best = x.topk(3, dim=1)
                d = Variable(best.unsqueeze(0))
                e = Variable(x.nonzero()[:, 0])
                return net(a, b, c, d, e)
            """,
            """
            def f(x, lengths, net):
                a = x.long()
                b = lengths.ne(0).view(-1)
                c = x.max(1)[1]
                _, best = x.topk(3, dim=1)
                d = best.unsqueeze(0)
                e = x.nonzero()[:, 0]
                return net(a, b, c, d, e)
            """,
        ),
        "an index": (
            """
            import torch
            from torch.autograd import Variable
            def pick(x: torch.Tensor, i):
                return x[Variable(i)], x.gather(1, Variable(i))
            """,
            """
            import torch
            def pick(x: torch.Tensor, i):
                return x[i], x.gather(1, i)
            """,
        ),
        "an index later, on the GPU": (
            """
            import torch
            from torch.autograd import Variable
            def pick(x: torch.Tensor, chosen, offset):
                at = Variable(chosen + offset).view(-1, 1)
                at = at + offset
                if x.is_cuda:
                    at = at.cuda()
                return x.index_select(1, at.squeeze())
            """,
            """
            import torch
            def pick(x: torch.Tensor, chosen, offset):
                at = (chosen + offset).view(-1, 1)
                at = at + offset
                if x.is_cuda:
                    at = at.cuda()
                return x.index_select(1, at.squeeze())
            """,
        ),
        "what is scaled and looked up, and what is not": (
            """
            import torch
            from torch.autograd import Variable
            def pick(x: torch.Tensor, table, chosen, scale):
                at = Variable(chosen + scale)
                return x * at, table[Variable(chosen)]
            """,
            """
            import torch
            def pick(x: torch.Tensor, table, chosen, scale):
                at = (chosen + scale).detach()
                return x * at, table[chosen.detach()]
            """,
        ),
        "what may be of floats": (
            """
            from torch.autograd import Variable
            def f(x, y, net):
                a = Variable(x.max(1)[0])
                b = Variable(x.max(y)[1])
                best, _ = x.topk(3, dim=1)
                d = Variable(best.unsqueeze(0))
                e = Variable(x.float())
                return net(a, b, d, e)
            """,
            """
            def f(x, y, net):
                a = x.max(1)[0].detach()
                b = x.max(y)[1].detach()
                best, _ = x.topk(3, dim=1)
                d = best.unsqueeze(0).detach()
                e = x.float().detach()
                return net(a, b, d, e)
            """,
        ),
        "methods of the project": (
            """
            from torch.autograd import Variable
            class Track:
                def long(self):
                    return self.tensor
            def f(x, net):
                return net(Variable(x.long()))
            """,
            """
            class Track:
                def long(self):
                    return self.tensor
            def f(x, net):
                return net(x.long().detach())
            """,
        ),
        "what has another value on another path": (
            """
            from torch.autograd import Variable
            def f(x, net):
                y = x.long()
                if net:
                    y = x
                return net(Variable(y))
            """,
            """
            def f(x, net):
                y = x.long()
                if net:
                    y = x
                return net(y.detach())
            """,
        ),
    },
)
