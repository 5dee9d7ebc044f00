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
