from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.support import claims
from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.finding import Numerics
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

test_rewrites = rewrites(
    "TP403",
    {
        "memory of another default type that becomes whole numbers": (
            """
            import torch
            torch.set_default_dtype(torch.double)
            def f(n):
                return torch.Tensor(2).fill_(-1).long(), torch.Tensor(2).zero_().float()
            """,
            """
            import torch
            torch.set_default_dtype(torch.double)
            def f(n):
                return torch.full((2,), -1, dtype=torch.long), torch.Tensor(2).zero_().float()
            """,
        ),
        "what a method of the class returns": (
            """
            import torch
            class Loader(object):
                def load(self, batch):
                    words = torch.LongTensor(self.ids(batch["words"], 4))
                    return words, torch.FloatTensor([n + [0] for n in batch["senders"]])
                def ids(self, rows, n):
                    rows = [[self.id_of(w) for w in row] + [0] * (n - len(row)) for row in rows]
                    return rows
            """,
            """
            import torch
            class Loader(object):
                def load(self, batch):
                    words = torch.tensor(self.ids(batch["words"], 4), dtype=torch.long)
                    return words, torch.tensor([n + [0] for n in batch["senders"]], dtype=torch.float)
                def ids(self, rows, n):
                    rows = [[self.id_of(w) for w in row] + [0] * (n - len(row)) for row in rows]
                    return rows
            """,
        ),
        "all numbers below a power": (
            """
            import torch
            def f(n):
                return torch.LongTensor(list(range((n**2)**3)))
            def g(n):
                return torch.LongTensor(list(range(n**3)))
            """,
            """
            import torch
            def f(n):
                return torch.arange((n**2)**3, dtype=torch.long)
            def g(n):
                return torch.tensor(list(range(n**3)), dtype=torch.long)
            """,
        ),
        "an array that says its type": (
            """
            import numpy as np
            import torch
            def f(image):
                size = np.asarray(image.shape)
                size = torch.Tensor(size.astype(np.float32))
                mask = torch.LongTensor(np.array([image.shape], dtype="int64"))
                return size, mask
            def g(image):
                return torch.Tensor(np.asarray([image]).astype(np.float32)).float()
            """,
            """
            import numpy as np
            import torch
            def f(image):
                size = np.asarray(image.shape)
                size = torch.as_tensor(size.astype(np.float32))
                mask = torch.as_tensor(np.array([image.shape], dtype="int64"))
                return size, mask
            def g(image):
                return torch.as_tensor(np.asarray([image]).astype(np.float32))
            """,
        ),
        "an array that says another type, or says it elsewhere": (
            """
            import numpy as np
            import torch
            def f(x):
                rows = np.asarray([x]).astype(np.float32)
                return torch.Tensor(rows), torch.Tensor(rows.astype(np.float64))
            def g(n):
                return torch.DoubleTensor(np.random.rand(n))
            """,
            """
            import numpy as np
            import torch
            def f(x):
                rows = np.asarray([x]).astype(np.float32)
                return torch.as_tensor(rows, dtype=torch.float), torch.as_tensor(rows.astype(np.float64), dtype=torch.float)
            def g(n):
                return torch.as_tensor(np.random.rand(n), dtype=torch.double)
            """,
        ),
        "a list of tensors of one element": (
            """
            import torch
            def f(x: torch.Tensor):
                return torch.Tensor([x.sum(), x.max()]), torch.Tensor([[x.mean()]])
            """,
            """
            import torch
            def f(x: torch.Tensor):
                return torch.tensor([x.sum(), x.max()], dtype=torch.float), torch.tensor([[x.mean()]], dtype=torch.float)
            """,
        ),
        "a number above a loop and a tensor in it": (
            """
            import torch
            def decode(net, n):
                token = 1
                x = net(torch.LongTensor([token]))
                for i in range(n):
                    _, top = x.topk(1)
                    token = top[0][0]
                    x = net(torch.LongTensor([token]))
                return x
            """,
            """
            import torch
            def decode(net, n):
                token = 1
                x = net(torch.tensor([token], dtype=torch.long))
                for i in range(n):
                    _, top = x.topk(1)
                    token = top[0][0]
                    x = net(torch.tensor([token], dtype=torch.long))
                return x
            """,
        ),
        "a list that tensors are appended to, and floats of whatever shape": (
            """
            import numpy as np
            import torch
            def f(x: torch.Tensor, shape):
                scores, padded = [], np.zeros(shape, dtype=np.float32)
                for row in x:
                    scores.append(row.sum())
                return torch.FloatTensor(scores), torch.FloatTensor(padded)
            """,
            """
            import numpy as np
            import torch
            def f(x: torch.Tensor, shape):
                scores, padded = [], np.zeros(shape, dtype=np.float32)
                for row in x:
                    scores.append(row.sum())
                return torch.tensor(scores, dtype=torch.float), torch.as_tensor(padded, dtype=torch.float)
            """,
        ),
        "lists that a class of the file gives in turn": (
            """
            import torch
            class Rows:
                def __iter__(self):
                    for rows in self.read():
                        yield [row.shape[0] for row in rows], [row + 1 for row in rows]
            def f(path):
                for lengths, rows in Rows():
                    print(torch.IntTensor(lengths), torch.LongTensor(rows[1:]))
            """,
            """
            import torch
            class Rows:
                def __iter__(self):
                    for rows in self.read():
                        yield [row.shape[0] for row in rows], [row + 1 for row in rows]
            def f(path):
                for lengths, rows in Rows():
                    print(torch.tensor(lengths, dtype=torch.int), torch.tensor(rows[1:], dtype=torch.long))
            """,
        ),
        "by the name that the module has on the line": (
            """
            import numpy as np
            import torch as th
            import torch
            def f(rows):
                rows = np.stack(rows)
                return torch.FloatTensor(rows), th.LongTensor(rows)
            """,
            """
            import numpy as np
            import torch as th
            import torch
            def f(rows):
                rows = np.stack(rows)
                return torch.as_tensor(rows, dtype=torch.float), th.as_tensor(rows, dtype=th.long)
            """,
        ),
        "the numbers below one size of several": (
            """
            import torch
            def f(outputs, x: torch.Tensor):
                batch, length = outputs.shape
                n, m = x.size()
                rows = torch.LongTensor(range(batch))
                return rows, torch.LongTensor(list(range(m)))
            """,
            """
            import torch
            def f(outputs, x: torch.Tensor):
                batch, length = outputs.shape
                n, m = x.size()
                rows = torch.arange(batch, dtype=torch.long)
                return rows, torch.arange(m, dtype=torch.long)
            """,
        ),
        "the numbers below one of several that may be negative": (
            """
            import torch
            def f(pairs, outputs):
                n, m = pairs.size_of(outputs)
                for k in pairs:
                    print(torch.LongTensor(range(k)))
                return torch.LongTensor(range(n)), torch.LongTensor(range(-1))
            """,
            """
            import torch
            def f(pairs, outputs):
                n, m = pairs.size_of(outputs)
                for k in pairs:
                    print(torch.tensor(range(k), dtype=torch.long))
                return torch.tensor(range(n), dtype=torch.long), torch.tensor(range(-1), dtype=torch.long)
            """,
        ),
        "memory that becomes another type when it is filled": (
            """
            import torch
            def f(sent, x: torch.Tensor):
                length = torch.Tensor(1).fill_(sent.size(0) - 1).long()
                mask = torch.Tensor(2, 3).fill_(-1).int(), torch.FloatTensor(3).zero_().byte()
                return length, mask, x.new(x.size(0)).zero_().long(), torch.ByteTensor(2).fill_(1).float()
            """,
            """
            import torch
            def f(sent, x: torch.Tensor):
                length = torch.full((1,), sent.size(0) - 1, dtype=torch.long)
                mask = torch.full((2, 3), -1, dtype=torch.int), torch.zeros(3, dtype=torch.uint8)
                return length, mask, x.new_zeros(x.size(0), dtype=torch.long), torch.ones(2)
            """,
        ),
        "memory that becomes another type before it is filled": (
            """
            import torch
            def f(sent, x: torch.Tensor, value):
                order = torch.Tensor(sent.size(0), 1).long()
                order[0] = 3
                return order, x.new(2).long().fill_(value), x.new().byte().resize_(3).zero_()
            def pads(x, n, m, words):
                x = torch.relu(x)
                return x.new(n, m).long().fill_(words["pad"]), x.new(n, m).fill_(words.low)
            """,
            """
            import torch
            def f(sent, x: torch.Tensor, value):
                order = torch.empty(sent.size(0), 1, dtype=torch.long)
                order[0] = 3
                return order, x.new_empty(2, dtype=torch.long).fill_(value), x.new_empty(0, dtype=torch.uint8).resize_(3).zero_()
            def pads(x, n, m, words):
                x = torch.relu(x)
                return x.new_empty(n, m, dtype=torch.long).fill_(words["pad"]), x.new_empty(n, m).fill_(words.low)
            """,
        ),
        "what was wrapped is a tensor": (
            """
            import torch
            from torch.autograd import Variable
            def f(encoding, x, b):
                first = Variable(encoding[0].data.new(b, 3).zero_())
                return first, [Variable(one.data.new(b, 3).long().fill_(1)) for one in x]
            """,
            """
            import torch
            from torch.autograd import Variable
            def f(encoding, x, b):
                first = Variable(encoding[0].data.new_zeros(b, 3))
                return first, [Variable(one.data.new_ones(b, 3, dtype=torch.long)) for one in x]
            """,
        ),
        "the size of what was wrapped": (
            """
            from torch.autograd import Variable
            def f(x, y):
                return x + Variable(x.data.new(x.size()).normal_(std=2)), Variable(y.data.new(y.size()))
            """,
            """
            from torch.autograd import Variable
            def f(x, y):
                return x + Variable(x.data.new_empty(x.size()).normal_(std=2)), Variable(y.data.new_empty(y.size()))
            """,
        ),
        "random numbers like what a default does not change": (
            """
            import torch
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.part = Part()
                def forward(self, x: torch.Tensor):
                    std = self.part(x.contiguous())
                    return std.new(std.size()).normal_()
            class Part(torch.nn.Module):
                def forward(self, x, eps=1e-8):
                    return torch.exp(x + eps)
            """,
            """
            import torch
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.part = Part()
                def forward(self, x: torch.Tensor):
                    std = self.part(x.contiguous())
                    return torch.randn_like(std)
            class Part(torch.nn.Module):
                def forward(self, x, eps=1e-8):
                    return torch.exp(x + eps)
            """,
        ),
        "a size among others that numpy computed": (
            """
            import numpy as np
            import torch
            def f(batch):
                longest = np.max([len(x) for x in batch]) + 1
                return torch.FloatTensor(len(batch), longest).zero_()
            """,
            """
            import numpy as np
            import torch
            def f(batch):
                longest = np.max([len(x) for x in batch]) + 1
                return torch.zeros(len(batch), longest)
            """,
        ),
        "a size of numpy alone, which is one of several beside": (
            """
            import numpy as np
            import torch
            def f(batch):
                n = np.sum([len(x) for x in batch])
                return torch.LongTensor(2, n * 2)
            def g(batch):
                n = np.sum([len(x) for x in batch])
                indices = torch.LongTensor(2, n * 2)
                values = torch.FloatTensor(n * 2)
                return indices, values
            """,
            """
            import numpy as np
            import torch
            def f(batch):
                n = np.sum([len(x) for x in batch])
                return torch.empty(2, n * 2, dtype=torch.long)
            def g(batch):
                n = np.sum([len(x) for x in batch])
                indices = torch.empty(2, n * 2, dtype=torch.long)
                values = torch.empty(n * 2)
                return indices, values
            """,
        ),
        "arrays of zeros and ones that are made on the spot": (
            """
            import numpy as np
            import torch
            def f(b, s, shape, x):
                sentences = torch.LongTensor(np.ones((b, s.size(0)), dtype="int64"))
                images = torch.FloatTensor(np.zeros((b,
                                                     s.size(0),
                                                     3)))
                weights = torch.Tensor(np.ones(3))
                columns = torch.Tensor(np.zeros((b, 3), order="F"))
                others = torch.Tensor(np.zeros(shape)), torch.Tensor(2 * np.ones(3))
                return sentences, images, weights, columns, others, x.new(np.zeros(3))
            """,
            """
            import numpy as np
            import torch
            def f(b, s, shape, x):
                sentences = torch.ones((b, s.size(0)), dtype=torch.long)
                images = torch.zeros((b,
                                      s.size(0),
                                      3))
                weights = torch.ones(3)
                columns = torch.as_tensor(np.zeros((b, 3), order="F"), dtype=torch.float)
                others = torch.as_tensor(np.zeros(shape), dtype=torch.float), torch.as_tensor(2 * np.ones(3), dtype=torch.float)
                return sentences, images, weights, columns, others, x.new(np.zeros(3))
            """,
        ),
        "of what a function saved": (
            """
            from torch.autograd import Function
            class Sum(Function):
                @staticmethod
                def backward(ctx, grad):
                    x, bias = ctx.saved_tensors
                    given = x.new(x.size()).zero_()
                    first = ctx.saved_tensors[0].new(3).zero_()
                    if bias is not None:
                        return given, bias.new(3).zero_(), first
                    return given, None, first
            """,
            """
            from torch.autograd import Function
            class Sum(Function):
                @staticmethod
                def backward(ctx, grad):
                    x, bias = ctx.saved_tensors
                    given = x.new_zeros(x.size())
                    first = ctx.saved_tensors[0].new_zeros(3)
                    if bias is not None:
                        return given, bias.new_zeros(3), first
                    return given, None, first
            """,
        ),
        "sizes": (
            """
            import torch
            x = torch.Tensor(3, 4)
            x = torch.FloatTensor(n, m)
            y = torch.LongTensor(5)
            """,
            """
            import torch
            x = torch.empty(3, 4)
            x = torch.empty(n, m)
            y = torch.empty(5, dtype=torch.long)
            """,
        ),
        "list repeated from the left": (
            """
            import torch
            def f(x):
                n = x.size(0)
                y = torch.FloatTensor(len(x) * [1.5])
                return torch.LongTensor(n*[0]), y
            """,
            """
            import torch
            def f(x):
                n = x.size(0)
                y = torch.tensor(len(x) * [1.5], dtype=torch.float)
                return torch.tensor(n*[0], dtype=torch.long), y
            """,
        ),
        "values": (
            """
            import torch
            x = torch.Tensor([1, -2])
            y = torch.LongTensor([5])
            z = torch.ByteTensor([1, 0])
            t = torch.Tensor((3, 4))
            """,
            """
            import torch
            x = torch.tensor([1.0, -2.0])
            y = torch.tensor([5])
            z = torch.tensor([1, 0], dtype=torch.uint8)
            t = torch.tensor((3.0, 4.0))
            """,
        ),
        "values that are calculated of numbers": (
            """
            import torch
            a = torch.Tensor([3/5., 3/5]), torch.FloatTensor([[1.5 * 2, 1], [0, -(2 - 0.5)]])
            b = torch.Tensor([3 // 5, 2 ** 3])
            b = torch.Tensor([1 + 1, 2]), torch.Tensor([3/5])
            c = torch.Tensor([3/5., x])
            c = torch.Tensor([3/5. if x else 1])
            c = torch.Tensor([0.5 == 1, 2])
            c = torch.Tensor([1] + 0 * [0.5])
            d = torch.LongTensor([3/5.]), torch.DoubleTensor([3/5.])
            """,
            """
            import torch
            a = torch.tensor([3/5., 3/5]), torch.tensor([[1.5 * 2, 1], [0, -(2 - 0.5)]])
            b = torch.tensor([3 // 5, 2 ** 3], dtype=torch.float)
            b = torch.tensor([1 + 1, 2], dtype=torch.float), torch.tensor([3/5], dtype=torch.float)
            c = torch.tensor([3/5., x], dtype=torch.float)
            c = torch.tensor([3/5. if x else 1], dtype=torch.float)
            c = torch.tensor([0.5 == 1, 2], dtype=torch.float)
            c = torch.tensor([1] + 0 * [0.5], dtype=torch.float)
            d = torch.tensor([3/5.], dtype=torch.long), torch.tensor([3/5.], dtype=torch.double)
            """,
        ),
        "values of a type that is not known": (
            """
            import torch
            scale = torch.Tensor([width, height])
            y = torch.LongTensor([stoi[word] for word in words])
            """,
            """
            import torch
            scale = torch.tensor([width, height], dtype=torch.float)
            y = torch.tensor([stoi[word] for word in words], dtype=torch.long)
            """,
        ),
        "one of two lists, and a list that a function makes": (
            """
            import torch
            def sizes(k):
                return [k, 1] if k else [0]
            def f(k):
                values = [1, k] if k else [2]
                a, b = [k, k], 1
                made = torch.FloatTensor(values), torch.LongTensor(sizes(k))
                return made, torch.FloatTensor(a)
            """,
            """
            import torch
            def sizes(k):
                return [k, 1] if k else [0]
            def f(k):
                values = [1, k] if k else [2]
                a, b = [k, k], 1
                made = torch.tensor(values, dtype=torch.float), torch.tensor(sizes(k), dtype=torch.long)
                return made, torch.tensor(a, dtype=torch.float)
            """,
        ),
        "numbers that become another type at once": (
            """
            import torch
            def f(x, words, ys, label):
                n = x.size(0)
                a = torch.Tensor([1, 0, 300]).long()
                b = torch.FloatTensor([len(words), x.shape[1], n]).int().cuda()
                c = torch.Tensor([[y.shape[0], 1] for y in ys]).int()
                d = torch.Tensor([0, 1]).byte()
                e = torch.Tensor([label]).float().sum()
                return a, b, c, d, e
            """,
            """
            import torch
            def f(x, words, ys, label):
                n = x.size(0)
                a = torch.tensor([1, 0, 300])
                b = torch.tensor([len(words), x.shape[1], n], dtype=torch.int).cuda()
                c = torch.tensor([[y.shape[0], 1] for y in ys], dtype=torch.int)
                d = torch.tensor([0, 1], dtype=torch.uint8)
                e = torch.tensor([label], dtype=torch.float).sum()
                return a, b, c, d, e
            """,
        ),
        "numbers that another type does not hold": (
            """
            import torch
            a = torch.Tensor([0.5]).long(), torch.Tensor([0, 300]).byte()
            b = torch.Tensor([2 ** 30, 20000000]).type(torch.int)
            c = torch.Tensor([20000000]).int()
            c = torch.Tensor([0.5, 1]).type_as(a[0]), torch.Tensor([1, 2]).double()
            """,
            """
            import torch
            a = torch.tensor([0.5]).long(), torch.tensor([0.0, 300.0]).byte()
            b = torch.tensor([2 ** 30, 20000000], dtype=torch.float).type(torch.int)
            c = torch.tensor([20000000.0]).int()
            c = torch.tensor([0.5, 1]).type_as(a[0]), torch.tensor([1.0, 2.0]).double()
            """,
        ),
        "numbers below a count": (
            """
            import torch
            def f(x, words):
                n = len(words)
                a = torch.LongTensor(list(range(n))), torch.LongTensor(range(x.size(0) + 1)).cuda()
                b = torch.Tensor(range(n))
                return a, b, torch.LongTensor(range(3)), x.new(range(3))
            """,
            """
            import torch
            def f(x, words):
                n = len(words)
                a = torch.arange(n, dtype=torch.long), torch.arange(x.size(0) + 1, dtype=torch.long).cuda()
                b = torch.tensor(range(n), dtype=torch.float)
                return a, b, torch.arange(3, dtype=torch.long), x.new_tensor(range(3))
            """,
        ),
        "numbers below what may be negative": (
            """
            import torch
            def f(x, k):
                n = x.size(0)
                n -= 5
                m = x.size(0)
                a = torch.LongTensor(range(n)), torch.LongTensor(range(k))
                b = torch.LongTensor(range(-1))
                c = torch.LongTensor(list(range(2, m)))
                return a, b, c, torch.LongTensor(range(m - 5))
            """,
            """
            import torch
            def f(x, k):
                n = x.size(0)
                n -= 5
                m = x.size(0)
                a = torch.tensor(range(n), dtype=torch.long), torch.tensor(range(k), dtype=torch.long)
                b = torch.tensor(range(-1), dtype=torch.long)
                c = torch.tensor(list(range(2, m)), dtype=torch.long)
                return a, b, c, torch.tensor(range(m - 5), dtype=torch.long)
            """,
        ),
        "a list that was built before": (
            """
            import torch
            def collate(samples):
                labels = []
                for sample in samples:
                    labels.append(sample.label)
                return torch.LongTensor(labels), torch.LongTensor(range(len(labels)))
            """,
            """
            import torch
            def collate(samples):
                labels = []
                for sample in samples:
                    labels.append(sample.label)
                return torch.tensor(labels, dtype=torch.long), torch.arange(len(labels), dtype=torch.long)
            """,
        ),
        "nothing at all": (
            """
            import torch
            x = torch.Tensor()
            y = torch.LongTensor()
            """,
            """
            import torch
            x = torch.empty(0)
            y = torch.empty(0, dtype=torch.long)
            """,
        ),
        "a size that other lines show": (
            """
            import torch
            import torch.nn as nn
            class Layer(nn.Module):
                def __init__(self, in_features, out_features, hidden):
                    super().__init__()
                    self.hidden = hidden
                    self.project = nn.Linear(in_features, self.hidden)
                    self.weight = nn.Parameter(torch.Tensor(out_features, in_features))
                    self.bias = nn.Parameter(torch.Tensor(out_features))
                def start(self, x):
                    return torch.Tensor(self.hidden).zero_(), torch.Tensor(x.size(0) * 2)
            """,
            """
            import torch
            import torch.nn as nn
            class Layer(nn.Module):
                def __init__(self, in_features, out_features, hidden):
                    super().__init__()
                    self.hidden = hidden
                    self.project = nn.Linear(in_features, self.hidden)
                    self.weight = nn.Parameter(torch.empty(out_features, in_features))
                    self.bias = nn.Parameter(torch.empty(out_features))
                def start(self, x):
                    return torch.zeros(self.hidden), torch.empty(x.size(0) * 2)
            """,
        ),
        "a size that a view is given": (
            """
            import torch
            class Net:
                def f(self, x, n):
                    y = x.view(n, -1), x.view(-1, self.width)
                    return torch.Tensor(n), torch.LongTensor(self.width)
            """,
            """
            import torch
            class Net:
                def f(self, x, n):
                    y = x.view(n, -1), x.view(-1, self.width)
                    return torch.empty(n), torch.empty(self.width, dtype=torch.long)
            """,
        ),
        "filled with what may be a tensor of a graph": (
            """
            import torch
            def targets(net, x: torch.Tensor, score):
                a = torch.Tensor(1).fill_(score), x.new(2).long().fill_(net.pad + 1)
                b = torch.LongTensor(2, 3).fill_(net.pad)
                return a, b, torch.Tensor(1).fill_(x.sum())
            """,
            """
            import torch
            def targets(net, x: torch.Tensor, score):
                a = torch.empty(1).fill_(score), x.new_empty(2, dtype=torch.long).fill_(net.pad + 1)
                b = torch.empty(2, 3, dtype=torch.long).fill_(net.pad)
                return a, b, torch.empty(1).fill_(x.sum())
            """,
        ),
        "a new tensor of the type": (
            """
            import torch
            a = torch.FloatTensor(torch.zeros(1, 1, 1)).repeat(2, 1, 1)
            b = torch.DoubleTensor(torch.rand(n, dtype=torch.double))
            c = torch.Tensor(torch.randn(2))
            """,
            """
            import torch
            a = torch.zeros(1, 1, 1).repeat(2, 1, 1)
            b = torch.rand(n, dtype=torch.double)
            c = torch.randn(2)
            """,
        ),
        "filled at once": (
            """
            import torch
            a = torch.FloatTensor(2, 3).zero_()
            b = torch.LongTensor(2, 3).fill_(1)
            c = torch.FloatTensor(2, 3).fill_(-1)
            d = torch.Tensor(5).fill_(0.9)
            e = torch.IntTensor(5, 2).fill_(7)
            f = torch.FloatTensor(5, *shape).fill_(len(shape))
            g = torch.FloatTensor(4).byte().zero_()
            """,
            """
            import torch
            a = torch.zeros(2, 3)
            b = torch.ones(2, 3, dtype=torch.long)
            c = torch.full((2, 3), -1.0)
            d = torch.full((5,), 0.9)
            e = torch.full((5, 2), 7, dtype=torch.int)
            f = torch.full((5, *shape), len(shape), dtype=torch.float)
            g = torch.zeros(4, dtype=torch.uint8)
            """,
        ),
        "random numbers": (
            """
            import torch
            a = torch.FloatTensor(2, 3).normal_()
            b = torch.DoubleTensor(2, 3).uniform_(0, 1)
            c = torch.LongTensor(5).random_(10)
            d = torch.LongTensor(5, 2).random_(1, 10)
            """,
            """
            import torch
            a = torch.randn(2, 3)
            b = torch.rand(2, 3, dtype=torch.double)
            c = torch.randint(10, (5,))
            d = torch.randint(1, 10, (5, 2))
            """,
        ),
        "random numbers of another kind keep their method": (
            """
            import torch
            a = torch.FloatTensor(2, 3).normal_(0, 0.02)
            b = torch.FloatTensor(2, 3).uniform_(-1, 1)
            c = torch.FloatTensor(5).random_(10)
            d = torch.LongTensor(5).random_()
            """,
            """
            import torch
            a = torch.empty(2, 3).normal_(0, 0.02)
            b = torch.empty(2, 3).uniform_(-1, 1)
            c = torch.empty(5).random_(10)
            d = torch.empty(5, dtype=torch.long).random_()
            """,
        ),
        "what fill_ took in code for torch 0.3": (
            """
            import torch
            from torch.autograd import Variable
            def targets(net, x: torch.Tensor, score):
                y = net(Variable(x, volatile=True))
                a = torch.Tensor(1).fill_(score), x.new(2).long().fill_(net.pad + 1)
                return a, torch.LongTensor(2, 3).fill_(net.pad)
            """,
            """
            import torch
            from torch.autograd import Variable
            def targets(net, x: torch.Tensor, score):
                y = net(Variable(x, volatile=True))
                a = torch.full((1,), score, dtype=torch.float), x.new_full((2,), net.pad + 1, dtype=torch.long)
                return a, torch.full((2, 3), net.pad, dtype=torch.long)
            """,
        ),
        "the shape of another tensor": (
            """
            import torch
            def f(x: torch.Tensor):
                a = torch.FloatTensor(x.size()).normal_()
                b = torch.FloatTensor(x.size()[:2]).fill_(2)
                return a, b, torch.Tensor(torch.Size([2, 3])), torch.Tensor(list(x.size()))
            """,
            """
            import torch
            def f(x: torch.Tensor):
                a = torch.randn(x.size())
                b = torch.full(x.size()[:2], 2.0)
                return a, b, torch.empty(torch.Size([2, 3])), torch.tensor(list(x.size()), dtype=torch.float)
            """,
        ),
        "the shape of a batch": (
            """
            import torch
            def f(samples, own):
                for x in torch.utils.data.DataLoader(samples):
                    a = torch.FloatTensor(x.size()).normal_(0, 2)
                for y in torch.utils.data.DataLoader(samples, collate_fn=own):
                    b = torch.FloatTensor(y.size()).normal_(0, 2)
                return a, b
            """,
            """
            import torch
            def f(samples, own):
                for x in torch.utils.data.DataLoader(samples):
                    a = torch.empty(x.size()).normal_(0, 2)
                for y in torch.utils.data.DataLoader(samples, collate_fn=own):
                    b = torch.FloatTensor(y.size()).normal_(0, 2)
                return a, b
            """,
        ),
        "arrays": (
            """
            import numpy as np
            import torch
            z = torch.FloatTensor(np.random.normal(0, 1, (batch_size, 100)))
            labels = torch.LongTensor(np.where(one_hot)[1])
            rows = np.array([1, 2, 3])
            rows = torch.LongTensor(rows[1:].astype(int))
            """,
            """
            import numpy as np
            import torch
            z = torch.as_tensor(np.random.normal(0, 1, (batch_size, 100)), dtype=torch.float)
            labels = torch.as_tensor(np.where(one_hot)[1], dtype=torch.long)
            rows = np.array([1, 2, 3])
            rows = torch.as_tensor(rows[1:].astype(int), dtype=torch.long)
            """,
        ),
        "sizes that a tuple holds": (
            """
            import torch
            from torch import nn
            def states(x: torch.Tensor, lstm):
                shape = lstm.num_layers * 2, x.size(0), lstm.hidden_size
                both = [2, len(lstm)]
                h, c = x.new(*shape).zero_(), x.new(*both)
                return h, c, torch.Tensor(*shape).fill_(0.5), x.new(*(3, lstm.n)).fill_(1)
            """,
            """
            import torch
            from torch import nn
            def states(x: torch.Tensor, lstm):
                shape = lstm.num_layers * 2, x.size(0), lstm.hidden_size
                both = [2, len(lstm)]
                h, c = x.new_zeros(*shape), x.new_empty(*both)
                return h, c, torch.full((*shape,), 0.5), x.new_ones(*(3, lstm.n))
            """,
        ),
        "what is of the type already that it is cast to": (
            """
            import numpy as np
            import torch
            x = torch.FloatTensor(np.array([[1, 2], [3, 4]])).float().cuda()
            y = torch.LongTensor([1, 2]).long(), torch.IntTensor([n for n in range(3)]).int()
            z = torch.Tensor(np.zeros(3) + 1).float()
            w = torch.LongTensor(np.arange(3)).float(), torch.LongTensor([1, 2]).double()
            """,
            """
            import numpy as np
            import torch
            x = torch.as_tensor(np.array([[1, 2], [3, 4]]), dtype=torch.float).cuda()
            y = torch.tensor([1, 2]), torch.tensor([n for n in range(3)], dtype=torch.int)
            z = torch.as_tensor(np.zeros(3) + 1, dtype=torch.float)
            w = torch.as_tensor(np.arange(3), dtype=torch.long).float(), torch.tensor([1, 2]).double()
            """,
        ),
        "arrays that others are taken out of, or that a function gives": (
            """
            import numpy as np
            import torch
            def load():
                return np.loadtxt("features.csv").reshape(-1, 3), np.zeros(3) + 1
            features, labels = load()
            first, last = labels[:2], labels[2:]
            x = torch.FloatTensor(features[:, :-1])
            y = torch.FloatTensor(features[:, -1:, None])
            z, w = torch.FloatTensor(labels), torch.FloatTensor(last)
            """,
            """
            import numpy as np
            import torch
            def load():
                return np.loadtxt("features.csv").reshape(-1, 3), np.zeros(3) + 1
            features, labels = load()
            first, last = labels[:2], labels[2:]
            x = torch.as_tensor(features[:, :-1], dtype=torch.float)
            y = torch.as_tensor(features[:, -1:, None], dtype=torch.float)
            z, w = torch.as_tensor(labels, dtype=torch.float), torch.as_tensor(last, dtype=torch.float)
            """,
        ),
        "new of a tensor": (
            """
            import torch
            def init_hidden(net: torch.nn.Module, bsz):
                weight = next(net.parameters()).data
                a = weight.new(2, bsz, 3).zero_()
                b = weight.new(4).fill_(1), weight.new(4).fill_(len(bsz) - 1)
                c = weight.new([1, 2]), weight.new(), weight.new(4, bsz).long().zero_()
                return a, b, c, weight.new(weight.size()), weight.new(3).uniform_(-1, 1)
            """,
            """
            import torch
            def init_hidden(net: torch.nn.Module, bsz):
                weight = next(net.parameters()).data
                a = weight.new_zeros(2, bsz, 3)
                b = weight.new_ones(4), weight.new_full((4,), len(bsz) - 1)
                c = weight.new_tensor([1, 2]), weight.new_empty(0), weight.new_zeros(4, bsz, dtype=torch.long)
                return a, b, c, weight.new_empty(weight.size()), weight.new_empty(3).uniform_(-1, 1)
            """,
        ),
        "resized to a tuple": (
            """
            import torch
            def f(w, n):
                torch.relu(w)
                mask = w.new().resize_((w.size(0), 1)).bernoulli_(0.5)
                return mask, w.new().resize_([n, 3]).zero_(), torch.Tensor().resize_((3, n))
            """,
            """
            import torch
            def f(w, n):
                torch.relu(w)
                mask = w.new_empty((w.size(0), 1)).bernoulli_(0.5)
                return mask, w.new_zeros([n, 3]), torch.empty((3, n))
            """,
        ),
        "resized to another tensor": (
            """
            import torch
            def step(grad: torch.Tensor, q):
                exp_avg = grad.new().resize_as_(grad).zero_()
                return exp_avg, grad.new().resize_as_(q), grad.new().resize_(3, 4)
            """,
            """
            import torch
            def step(grad: torch.Tensor, q):
                exp_avg = grad.new_zeros(grad.size())
                return exp_avg, grad.new_empty(q.size()), grad.new_empty(3, 4)
            """,
        ),
        "random numbers like a contiguous tensor": (
            """
            import torch
            def sample(x: torch.Tensor):
                std = torch.exp(x.contiguous())
                t, other = x.t(), std.new(x.shape).uniform_()
                part = std.new(std.size()[1:]).normal_(), std.new(std.shape).uniform_()
                return std.data.new(std.size()).normal_(), t.new(t.size()).normal_()
            """,
            """
            import torch
            def sample(x: torch.Tensor):
                std = torch.exp(x.contiguous())
                t, other = x.t(), std.new_empty(x.shape).uniform_()
                part = std.new_empty(std.size()[1:]).normal_(), torch.rand_like(std)
                return torch.randn_like(std), t.new_empty(t.size()).normal_()
            """,
        ),
        "zeros and ones like a contiguous tensor": (
            """
            import torch
            def f(x: torch.Tensor):
                y = x.contiguous()
                a, b = y.new(y.size()).zero_(), y.data.new(y.shape).fill_(1)
                return a, b, y.new().resize_as_(y).zero_()
            """,
            """
            import torch
            def f(x: torch.Tensor):
                y = x.contiguous()
                a, b = torch.zeros_like(y), torch.ones_like(y)
                return a, b, torch.zeros_like(y)
            """,
        ),
        "zeros that may lie otherwise, or are of another size or type": (
            """
            import torch
            def f(x: torch.Tensor):
                y = x.contiguous()
                a, b = x.new(x.size()).zero_(), y.t().new(y.t().size()).zero_()
                c, d = y.new(x.size()).zero_(), y.new(y.size()[1:]).zero_()
                return a, b, c, d, y.new(y.size()).long().zero_(), y.new(y.size()).fill_(2)
            """,
            """
            import torch
            def f(x: torch.Tensor):
                y = x.contiguous()
                a, b = x.new_zeros(x.size()), y.t().new_zeros(y.t().size())
                c, d = y.new_zeros(x.size()), y.new_zeros(y.size()[1:])
                return a, b, c, d, y.new_zeros(y.size(), dtype=torch.long), y.new_full(y.size(), 2)
            """,
        ),
        "zeros in a file that does not import torch": (
            """
            from torch.autograd import Variable
            def f(x: Variable):
                y = x.contiguous()
                return y.new(y.size()).zero_()
            """,
            """
            from torch.autograd import Variable
            def f(x: Variable):
                y = x.contiguous()
                return y.new_zeros(y.size())
            """,
        ),
        "random numbers like what callers pass to a parameter with an annotation": (
            """
            import torch
            def sample(std: torch.Tensor, other: torch.Tensor):
                return std.new(std.size()).normal_(), other.new(other.size()).normal_()
            sample(torch.zeros(2, 3), torch.zeros(2, 3).t())
            """,
            """
            import torch
            def sample(std: torch.Tensor, other: torch.Tensor):
                return torch.randn_like(std), other.new_empty(other.size()).normal_()
            sample(torch.zeros(2, 3), torch.zeros(2, 3).t())
            """,
        ),
        "many integers": (
            """
            import torch
            eye = torch.Tensor([[1, 0, 0],
                                [0, 1, 0],
                                [0, 0, 1]])
            """,
            """
            import torch
            eye = torch.tensor([[1, 0, 0],
                                [0, 1, 0],
                                [0, 0, 1]], dtype=torch.float)
            """,
        ),
        "lines below a shorter name follow it": (
            """
            import torch
            x = torch.FloatTensor([[0.1, 0.2],
                                   [0.3, 0.4]])
            """,
            """
            import torch
            x = torch.tensor([[0.1, 0.2],
                              [0.3, 0.4]])
            """,
        ),
        "one argument a line": (
            """
            import torch
            x = torch.LongTensor(
                n,  # rows
                m,  # columns
            )
            y = torch.LongTensor(
                [stoi[w] for w in words],
            )
            z = torch.LongTensor(
                n,
                m
            ).zero_()
            """,
            """
            import torch
            x = torch.empty(
                n,  # rows
                m,  # columns
                dtype=torch.long,
            )
            y = torch.tensor(
                [stoi[w] for w in words],
                dtype=torch.long,
            )
            z = torch.zeros(
                n,
                m,
                dtype=torch.long
            )
            """,
        ),
        "from import": (
            """
            from torch import FloatTensor, LongTensor
            x = FloatTensor(2, 3)
            y = LongTensor([1])
            """,
            """
            import torch
            x = torch.empty(2, 3)
            y = torch.tensor([1])
            """,
        ),
        "a name that stays in use": (
            """
            import torch as th
            from torch import Tensor
            def f(x: Tensor) -> Tensor:
                return Tensor(2, 3).zero_() if isinstance(x, Tensor) else x
            """,
            """
            import torch as th
            from torch import Tensor
            def f(x: Tensor) -> Tensor:
                return th.zeros(2, 3) if isinstance(x, Tensor) else x
            """,
        ),
        "in a project that sets the default type": (
            """
            import torch
            torch.set_default_tensor_type("torch.cuda.FloatTensor")
            x = torch.Tensor(2, 3).fill_(1)
            y = torch.Tensor([1, 2])
            """,
            """
            import torch
            torch.set_default_tensor_type("torch.cuda.FloatTensor")
            x = torch.ones(2, 3)
            y = torch.tensor([1.0, 2.0])
            """,
        ),
    },
)

test_beside_what_stays = keeps(
    "TP403",
    {
        "an array of a shape that may have no dimension": """
            import numpy as np
            import torch
            def f(edges, shape, n):
                a = torch.LongTensor(np.reshape(edges, shape))
                print(a)
                b = torch.LongTensor(np.transpose(edges))
                print(b)
                c = torch.LongTensor(np.reshape(edges, ()))
                return a, b, c
            """,
        "in one branch alone, and in the other beside one that stays": """
            import torch
            def f(words, lengths, inverse):
                ids = [word.id for word in words]
                if inverse:
                    order = inverse(lengths)
                    return torch.LongTensor(ids), torch.LongTensor(order)
                return torch.LongTensor(ids), None
            """,
        "of a list, beside one whose line would become too long": """
            import torch
            def collate(batch):
                sizes = torch.LongTensor([x[0].size(0) for x in batch])
                graph_sizes = torch.LongTensor([[x[0].size(0), x[0].size(1), x[1].size(2)] for x in batch])
                return sizes, graph_sizes
            """,
        "of lists of what has another name, of which one has no room": """
            import torch
            def boxes(notes, objects, first_scale_of_image):
                objects[:, :4] = torch.FloatTensor([one["box"] for one in notes["objects"]]) * first_scale_of_image
                objects[:, 4] = torch.FloatTensor([one["kind"] for one in notes["objects"]])
                objects[:, 5:] = torch.FloatTensor([one["words"] + [0] for one in notes])
            """,
        "of an array, as in another class where two of another type stand on one line": """
            import numpy as np
            import torch
            def read(text):
                return torch.Tensor(np.array([int(part) for part in text]))
            class Both:
                def __getitem__(self, index):
                    data, label = self.pairs_of_both_files[index]
                    return torch.LongTensor(np.array([data])), torch.LongTensor(np.array([label]))
            """,
        "of a list, as in another function where three stand on one line": """
            import torch
            def pad(texts, labels, originals):
                src_len = [len(s) for s in texts]
                tgt_len = [len(s) for s in labels]
                return torch.LongTensor(src_len), torch.LongTensor(tgt_len), originals
            def pad_both(texts, labels, originals):
                src_len = [len(s) for s in texts]
                tgt_len = [len(s) for s in labels]
                all_len = [len(s) + 2 for s in texts]
                return torch.LongTensor(src_len), torch.LongTensor(tgt_len), torch.LongTensor(all_len)
            """,
        "of an array, beside one that is to require grad": """
            import numpy as np
            import torch
            def f(x, y):
                x = torch.FloatTensor(x.reshape(1, 784)).requires_grad_()
                y = torch.LongTensor(np.array([y]))
                return x, y
            """,
        "of an array, beside one in a Variable that requires grad": """
            import numpy as np
            import torch
            from torch.autograd import Variable
            def f(x, y):
                x = Variable(torch.FloatTensor(x.reshape(1, 784)), requires_grad=True)
                y = Variable(torch.LongTensor(np.array([y])), requires_grad=False)
                return x, y
            """,
        "memory beside memory that has to stay": """
            import torch
            torch.set_default_tensor_type("torch.cuda.FloatTensor")
            def match(num, priors):
                places = torch.Tensor(num, priors, 4)
                labels = torch.LongTensor(num, priors)
                return places, labels
            """,
        "a parameter beside one of whatever shape": """
            import torch
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self, n, m, shape):
                    super().__init__()
                    self.weight = nn.Parameter(torch.Tensor(n, m))
                    self.bias = nn.Parameter(torch.Tensor(shape))
            """,
        "an array that may be a size, in the same statement": """
            import numpy as np
            import torch
            def f(boxes):
                return (
                    torch.FloatTensor(np.zeros(boxes.shape, dtype=np.float32)),
                    torch.LongTensor(np.zeros(boxes.count, dtype=int)))
        """,
        "in the same words, above a loop": """
            import torch
            def decode(net, n):
                token = 1
                x = net(torch.LongTensor([token]))
                for i in range(n):
                    token = str(x)
                    x = net(torch.LongTensor([token]))
                return x
        """,
        "of an array, in the statement below": """
            import numpy as np
            import torch
            def f(pose, n):
                pose = torch.LongTensor(pose)
                other = torch.LongTensor(np.random.randint(n, size=3))
                return pose, other
            """,
        "of a list, on a line that would become too long": """
            import numpy as np
            import torch
            inside, outside = [], []
            for mask, colour in load():
                inside.append(np.float32(mask == colour))
                outside.append(np.float32(mask != colour))
            categories = None
            torch.save({"in": torch.Tensor(inside), "out": torch.Tensor(outside), "categories": categories}, path)
            """,
        "of an array, on a line that would become too long": """
            import numpy as np
            import torch
            class Model:
                def set_input(self):
                    self.noise = torch.FloatTensor(np.random.normal(loc=0.0, scale=0.3, size=(self.batch, self.n)))
                    return torch.IntTensor(np.where(self.noise.numpy())[0]), torch.IntTensor(np.arange(self.n + 3))
            """,
        "of an array, on lines that would become too long below branches that do something else": """
            import numpy as np
            import torch
            class Net(torch.nn.Module):
                def __init__(self, learned, before, n):
                    super().__init__()
                    if learned:
                        if before:
                            self.masks.weight = torch.nn.Parameter(torch.Tensor(np.eye(n) + np.ones(n)), requires_grad=True)
                        else:
                            self.masks.weight.data.normal_(0.9, 0.7)
                    else:
                        self.mask_array = torch.nn.Parameter(torch.Tensor(np.eye(n) + np.ones(n)), requires_grad=False)
            """,
        "in one statement": """
            import torch
            def f(text):
                lengths = list(map(len, text))
                return torch.LongTensor(text), torch.LongTensor(lengths)
            """,
        "another type, in the statement below": """
            import torch
            def f(text):
                lengths = [len(t) for t in text]
                scores = torch.FloatTensor(text)
                lengths = torch.LongTensor(lengths)
                return scores, lengths
            """,
        "in a row of several, of which the last is not known": """
            import torch
            def f(words, scores, masks):
                lengths = [len(word) for word in words]
                counts = [len(word) + 1 for word in words]
                lengths = torch.LongTensor(lengths)
                counts = torch.LongTensor(counts)
                scores = torch.FloatTensor(scores)
                return lengths, counts, scores
            """,
        "in the statement below": """
            import torch
            def f(targets):
                lengths = [len(t) for t in targets]
                lengths = torch.LongTensor(lengths)
                targets = torch.LongTensor(targets)
                return lengths, targets
            """,
        "of the GPU": """
            import torch
            def f(words, ids, use_cuda):
                ids = [ids[w] for w in words]
                return torch.cuda.LongTensor(ids) if use_cuda else torch.LongTensor(ids)
            """,
        "of a list that is written down, in the form of those around it": """
            import torch
            def f(self, batch):
                s = self.wrap(torch.FloatTensor(batch[0]))
                a = self.wrap(torch.LongTensor(batch[1]))
                r = self.wrap(torch.FloatTensor([batch[2]]))
                n = self.wrap(torch.FloatTensor(batch[3]))
                return s, a, r, n
            """,
    },
)


test_not_beside_what_stays = rewrites(
    "TP403",
    {
        "an array that numpy gives the dimensions of, beside another": (
            """
            import numpy as np
            import torch
            def load(edges, scores, places, n):
                edges = np.reshape(edges, [-1, n ** 2])
                edges = np.array((edges + 1) / 2, dtype=np.int64)
                scores = np.concatenate([scores, scores], axis=1)
                places = np.cumsum(places).reshape(-1, n)
                scores = torch.FloatTensor(scores)
                edges = torch.LongTensor(edges)
                places = torch.LongTensor(places)
                return scores, edges, places
            """,
            """
            import numpy as np
            import torch
            def load(edges, scores, places, n):
                edges = np.reshape(edges, [-1, n ** 2])
                edges = np.array((edges + 1) / 2, dtype=np.int64)
                scores = np.concatenate([scores, scores], axis=1)
                places = np.cumsum(places).reshape(-1, n)
                scores = torch.as_tensor(scores, dtype=torch.float)
                edges = torch.as_tensor(edges, dtype=torch.long)
                places = torch.as_tensor(places, dtype=torch.long)
                return scores, edges, places
            """,
        ),
        "of a list, as in another function that has room for all": (
            """
            import torch
            def pad(texts, labels):
                src_len = [len(s) for s in texts]
                return torch.LongTensor(src_len), labels
            def pad_both(texts, labels):
                src_len = [len(s) for s in texts]
                return labels, torch.LongTensor(src_len)
            def pad_others(texts, labels, originals):
                others_of_all_texts = [len(s) for s in texts]
                return labels, originals, torch.LongTensor(others_of_all_texts), originals[0], labels[0]
            """,
            """
            import torch
            def pad(texts, labels):
                src_len = [len(s) for s in texts]
                return torch.tensor(src_len, dtype=torch.long), labels
            def pad_both(texts, labels):
                src_len = [len(s) for s in texts]
                return labels, torch.tensor(src_len, dtype=torch.long)
            def pad_others(texts, labels, originals):
                others_of_all_texts = [len(s) for s in texts]
                return labels, originals, torch.LongTensor(others_of_all_texts), originals[0], labels[0]
            """,
        ),
        "of an array, beside one of known numbers that is to require grad": (
            """
            import numpy as np
            import torch
            def f(x, y):
                x = torch.FloatTensor(np.array([x])).requires_grad_()
                y = torch.LongTensor(np.array([y]))
                return x, y
            """,
            """
            import numpy as np
            import torch
            def f(x, y):
                x = torch.as_tensor(np.array([x]), dtype=torch.float).requires_grad_()
                y = torch.as_tensor(np.array([y]), dtype=torch.long)
                return x, y
            """,
        ),
        "a parameter beside one whose size another shows, and memory two lines away": (
            """
            import torch
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self, n, m, shape, bias):
                    super().__init__()
                    self.weight = nn.Parameter(torch.Tensor(4 * n, m))
                    if bias:
                        self.bias = nn.Parameter(torch.Tensor(4 * n))
                    self.scale = nn.Parameter(torch.Tensor(m, 2))
                    self.n = n
                    self.shift = nn.Parameter(torch.Tensor(shape))
            """,
            """
            import torch
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self, n, m, shape, bias):
                    super().__init__()
                    self.weight = nn.Parameter(torch.empty(4 * n, m))
                    if bias:
                        self.bias = nn.Parameter(torch.empty(4 * n))
                    self.scale = nn.Parameter(torch.empty(m, 2))
                    self.n = n
                    self.shift = nn.Parameter(torch.Tensor(shape))
            """,
        ),
        "in other words": (
            """
            import torch
            def decode(net, n):
                x = net(torch.LongTensor([1]))
                for i in range(n):
                    token = str(x)
                    x = net(torch.LongTensor([token]))
                return x
            """,
            """
            import torch
            def decode(net, n):
                x = net(torch.tensor([1]))
                for i in range(n):
                    token = str(x)
                    x = net(torch.LongTensor([token]))
                return x
            """,
        ),
        "in the same words in another function": (
            """
            import torch
            def first(net):
                token = 1
                return net(torch.LongTensor([token]))
            def following(net, x):
                token = str(x)
                return net(torch.LongTensor([token]))
            """,
            """
            import torch
            def first(net):
                token = 1
                return net(torch.tensor([token], dtype=torch.long))
            def following(net, x):
                token = str(x)
                return net(torch.LongTensor([token]))
            """,
        ),
        "of a list, on a line as long as others": (
            """
            import torch
            inside, outside = [], []
            for mask, colour in load(one_name_that_is_long, another_name_that_is_as_long, something_else_of_the_file, and_more):
                inside.append(float(mask))
            torch.save({"inside_of_the_masks": torch.Tensor(inside), "mask_is_none": None}, path_of_the_file)
            """,
            """
            import torch
            inside, outside = [], []
            for mask, colour in load(one_name_that_is_long, another_name_that_is_as_long, something_else_of_the_file, and_more):
                inside.append(float(mask))
            torch.save({"inside_of_the_masks": torch.tensor(inside, dtype=torch.float), "mask_is_none": None}, path_of_the_file)
            """,
        ),
        "of lists of what has another name, and of another length": (
            """
            import torch
            def boxes(notes, objects):
                objects[:, :4] = torch.FloatTensor([one["box"] for one in notes["objects"]])
                objects[:, 4] = torch.FloatTensor([one["kind"] for one in notes["objects"]])
            """,
            """
            import torch
            def boxes(notes, objects):
                objects[:, :4] = torch.tensor([one["box"] for one in notes["objects"]], dtype=torch.float)
                objects[:, 4] = torch.tensor([one["kind"] for one in notes["objects"]], dtype=torch.float)
            """,
        ),
        "of an array that another function makes than where there is no room": (
            """
            import numpy as np
            import torch
            def f(text):
                return torch.Tensor(np.array([int(part) for part in text]))
            def g(data, label):
                return torch.LongTensor(np.asarray(data + [0])), torch.LongTensor(np.asarray([label]))
            """,
            """
            import numpy as np
            import torch
            def f(text):
                return torch.as_tensor(np.array([int(part) for part in text]), dtype=torch.float)
            def g(data, label):
                return torch.LongTensor(np.asarray(data + [0])), torch.LongTensor(np.asarray([label]))
            """,
        ),
        "of an array, beside another one or on a line as long as others": (
            """
            import numpy as np
            import torch
            def f(pose, something_with_a_name_that_is_long, another_with_such_a_name, one_more, another_one, and_the_last):
                pose = np.where(pose)[0]
                pose = torch.LongTensor(pose)
                other = torch.LongTensor(np.random.randint(something_with_a_name_that_is_long, size=3))
                return pose, other
            """,
            """
            import numpy as np
            import torch
            def f(pose, something_with_a_name_that_is_long, another_with_such_a_name, one_more, another_one, and_the_last):
                pose = np.where(pose)[0]
                pose = torch.as_tensor(pose, dtype=torch.long)
                other = torch.as_tensor(np.random.randint(something_with_a_name_that_is_long, size=3), dtype=torch.long)
                return pose, other
            """,
        ),
        "of an array, on a line that gets shorter, or in a call of several": (
            """
            import numpy as np
            import torch
            def f(self):
                self.noise = torch.FloatTensor(np.zeros((self.batchsize_of_the_loader + 1, self.noise_dimension_)))
                self.other = torch.FloatTensor(
                    np.random.normal(loc=0.0, scale=0.3, size=(self.batchsize_of_all, self.n)))
            """,
            """
            import numpy as np
            import torch
            def f(self):
                self.noise = torch.zeros((self.batchsize_of_the_loader + 1, self.noise_dimension_))
                self.other = torch.as_tensor(
                    np.random.normal(loc=0.0, scale=0.3, size=(self.batchsize_of_all, self.n)),
                    dtype=torch.float)
            """,
        ),
        "both are known": (
            """
            import torch
            def f(text):
                lengths = list(map(len, text))
                numbers = [len(t) + 1 for t in text]
                return torch.LongTensor(numbers), torch.LongTensor(lengths)
            """,
            """
            import torch
            def f(text):
                lengths = list(map(len, text))
                numbers = [len(t) + 1 for t in text]
                return torch.tensor(numbers, dtype=torch.long), torch.tensor(lengths, dtype=torch.long)
            """,
        ),
        "another type in another form, another place, sizes and what is written down": (
            """
            import torch
            def f(text, n):
                lengths = [len(t) for t in text]
                scores = torch.FloatTensor(text).abs()
                lengths = torch.LongTensor(lengths)
                print(n)
                known = torch.LongTensor(text)
                mask = torch.LongTensor(len(text), 1)
                ends = torch.LongTensor([len(text)])
                return scores, lengths, known, mask, ends
            """,
            """
            import torch
            def f(text, n):
                lengths = [len(t) for t in text]
                scores = torch.FloatTensor(text).abs()
                lengths = torch.tensor(lengths, dtype=torch.long)
                print(n)
                known = torch.LongTensor(text)
                mask = torch.empty(len(text), 1, dtype=torch.long)
                ends = torch.tensor([len(text)], dtype=torch.long)
                return scores, lengths, known, mask, ends
            """,
        ),
        "a list that is written down, in another form": (
            """
            import torch
            def f(self, batch):
                s = self.wrap(torch.FloatTensor(batch[0]))
                r = self.hold(torch.FloatTensor([batch[2]]))
                print(s)
                n = self.wrap(torch.FloatTensor(batch[0]))
                n = self.wrap(torch.FloatTensor([2]) + 1)
                print(n)
                d = self.wrap(torch.DoubleTensor(batch[1]))
                f = self.wrap(torch.FloatTensor([3]))
                return s, r, n, d, f
            """,
            """
            import torch
            def f(self, batch):
                s = self.wrap(torch.FloatTensor(batch[0]))
                r = self.hold(torch.tensor([batch[2]], dtype=torch.float))
                print(s)
                n = self.wrap(torch.FloatTensor(batch[0]))
                n = self.wrap(torch.tensor([2.0]) + 1)
                print(n)
                d = self.wrap(torch.DoubleTensor(batch[1]))
                f = self.wrap(torch.tensor([3.0]))
                return s, r, n, d, f
            """,
        ),
        "of the GPU in another statement": (
            """
            import torch
            def f(words, ids, use_cuda):
                ids = [ids[w] for w in words]
                if use_cuda:
                    return torch.cuda.LongTensor(ids)
                return torch.LongTensor(ids)
            """,
            """
            import torch
            def f(words, ids, use_cuda):
                ids = [ids[w] for w in words]
                if use_cuda:
                    return torch.cuda.LongTensor(ids)
                return torch.tensor(ids, dtype=torch.long)
            """,
        ),
    },
)


test_keeps = keeps(
    "TP403",
    {
        "what a method returns that may be another": """
            import torch
            class Words:
                def load(self, batch):
                    return torch.LongTensor(self.ids(batch))
                def ids(self, words):
                    return [w for w in words]
            class Single(Words):
                def ids(self, words):
                    return words
            class Given:
                def __init__(self, places=None):
                    if places is not None:
                        self.places = places
                def load(self, batch):
                    return torch.LongTensor(self.places(batch))
                def places(self, words):
                    return [w for w in words]
            """,
        "an array that says its type where the default type may be another": """
            import numpy as np
            import torch
            torch.set_default_dtype(torch.double)
            def f(x):
                return torch.Tensor(np.asarray([x]).astype(np.float32))
            """,
        "whole numbers of an array that may be one": """
            import numpy as np
            import torch
            def f(x):
                return torch.LongTensor(np.asarray(x).astype(np.int64))
            """,
        "memory that is filled with what may be no whole number and becomes another type": """
            import torch
            def f(words, word, x: torch.Tensor, label: float):
                a = torch.Tensor(1).fill_(words.index_of(word)).long()
                return a, torch.Tensor(2).fill_(label).int(), x.new(2).fill_(words[word]).long()
            """,
        "memory that is filled with what one of the types does not hold": """
            import torch
            def f():
                return torch.Tensor(2).fill_(-1).byte(), torch.Tensor(2).fill_(2.7).long()
            """,
        "memory of another default type that becomes floats": """
            import torch
            torch.set_default_dtype(torch.double)
            x = torch.Tensor(3).float().zero_()
            """,
        "floats that become another type at once": """
            import torch
            def f(label, x, y):
                a = torch.Tensor([label]).long(), torch.FloatTensor([label / 2]).type_as(y)
                return a, torch.Tensor([x.size(0) * x.size(1)]).int(), torch.Tensor([len(x)]).byte()
            """,
        "floats of another default type that become another type at once": """
            import torch
            torch.set_default_dtype(torch.double)
            def f(label, x):
                return torch.Tensor([label]).float(), torch.Tensor([len(x)]).long()
            """,
        "what another rule, or a person, unwraps first": """
            import torch
            from torch.autograd import Variable
            def f(word, b):
                return Variable(torch.LongTensor([word]), volatile=True).view(1, 1)
            """,
        "the size of another": """
            from torch.autograd import Variable
            def f(x, y):
                return Variable(x.data.new(y.size()).normal_()), x.data.new(x.size()), Variable(x.data.new(x.size))
            """,
        "what may be no tensor": """
            from torch.autograd import Variable
            def f(pool, x, b):
                y = Variable(pool.new(b, 3))
                return y, x.data.new(b, 3).zero_(), Variable(g(x.data.new(b, 3)))
            """,
        "what is given for a type, or to a view of another kind": """
            import numpy as np
            import torch
            def f(x, n, kind, shape):
                x.view(np.matrix, kind), x.view(n, [2, 3]), x.view(shape), x.view(*shape, n)
                return torch.Tensor(n), torch.Tensor(kind), torch.Tensor(shape)
            """,
        "what is given to a view of the user's": """
            import torch
            class Camera:
                def view(self, n, angle): pass
            def f(camera, n):
                camera.view(n, 2)
                return torch.Tensor(n)
            """,
        "saved by an object of the file": """
            import torch
            class Store:
                def keep(self, other):
                    other.saved_tensors = self
                def make(self, store):
                    x, = store.saved_tensors
                    return x.new(x.size()).zero_()
            """,
        "what may be a size or values": """
            import torch
            def f(n, data, shape=(2, 3)):
                torch.Tensor(n)
                torch.LongTensor(data)
                torch.Tensor(shape)
                torch.Tensor(*data)
            """,
        "a size that is checked": """
            import torch
            def f(size):
                if isinstance(size, int):
                    return torch.zeros(size, 2)
                return torch.Tensor(size)
            """,
        "another thing of the same name": """
            import torch
            def f(n):
                return torch.zeros(n, 2)
            def g(n):
                return torch.Tensor(n)
            """,
        "an attribute of another class": """
            import torch
            class A:
                def f(self):
                    return torch.zeros(self.n, 2)
            class B:
                def f(self):
                    return torch.Tensor(self.n)
            """,
        "a tensor": """
            import torch
            def f(x: torch.Tensor):
                return torch.Tensor(x), torch.FloatTensor(x.data), x.new(x), torch.Tensor(x.max())
            """,
        "a new tensor of another type, on another device, or with a graph": """
            import torch
            a = torch.DoubleTensor(torch.zeros(2)), torch.Tensor(torch.zeros(2, dtype=torch.long))
            b = torch.FloatTensor(torch.ones(2, device=device)), torch.LongTensor(torch.arange(2))
            c = torch.Tensor(torch.ones(2, requires_grad=True)), torch.Tensor(torch.zeros(*n, **o))
            d = torch.FloatTensor(torch.zeros_like(x)), torch.FloatTensor(zeros(2))
            """,
        "a new tensor of a default type that the project sets": """
            import torch
            torch.set_default_dtype(torch.double)
            a = torch.FloatTensor(torch.zeros(2))
            """,
        "a list of tensors of several dimensions, which both refuse": """
            import torch
            def f(x: torch.Tensor):
                return torch.Tensor([torch.zeros(2, 2), torch.ones(2, 2)])
            """,
        "a list that something unknown takes the numbers of": """
            import torch
            class Rows:
                def __iter__(self):
                    for rows in self.read():
                        yield [row.shape[0] for row in rows], max(rows)
            def f(n):
                for lengths, most in Rows():
                    print(torch.IntTensor(lengths - n), torch.IntTensor(lengths * n), torch.IntTensor(most))
            """,
        "an array of whole numbers of whatever shape": """
            import numpy as np
            import torch
            def f(shape):
                return torch.LongTensor(np.zeros(shape, dtype=np.int64))
            """,
        "a size from numpy, where a sparse tensor takes indices": """
            import numpy as np
            import torch
            def f(x: torch.Tensor, indices, values, n):
                return x.new(indices, values, np.max(n))
            """,
        "what is filled once its Variable is gone": """
            import torch
            from torch.autograd import Variable
            Variable(torch.Tensor(2, 3)).fill_(0.0)
            Variable(torch.LongTensor(2, 3), requires_grad=False).zero_()
            """,
        "one number from numpy, which is a size": """
            import numpy as np
            import torch
            torch.Tensor(np.max(labels))
            torch.LongTensor(np.array(n))
            torch.FloatTensor(labels.numpy())
            """,
        "what may be no sizes, or one thing alone": """
            import torch
            def f(x: torch.Tensor, indices, values, shape):
                both, one, sizes = (indices, values), ([1, 2],), []
                sizes.append(indices)
                print(x.new(*both), x.new(*one), x.new(*shape), torch.FloatTensor(*one), x.new(*sizes))
                return torch.FloatTensor(*both), torch.Tensor(*shape), x.new(*x.size()), x.new(*(3,))
            """,
        "an array of floats that become whole numbers at once": """
            import numpy as np
            import torch
            x = torch.Tensor(np.array([1.5, 2.5])).long()
            y = torch.FloatTensor(np.arange(3) / 2).byte()
            """,
        "elements of arrays, and what a function gives that may be a size": """
            import numpy as np
            import torch
            def load(path):
                return np.loadtxt(path), np.prod(np.shape(path)), path[1:]
            def count(path):
                return np.array([1, 2]) if path else 3
            rows, number, rest = load("a")
            n = np.array([[1, 2], [3, 4]])
            torch.LongTensor(rows), torch.LongTensor(number), torch.LongTensor(rest)
            torch.LongTensor(count("a"))
            torch.LongTensor(n[0, 0]), torch.LongTensor(n[0][1])
            def sizes(shape, x: torch.Tensor):
                return torch.Tensor(shape[1:]), torch.Tensor(x[:, 1:])
            """,
        "an array whose memory new would share": """
            import numpy as np
            import torch
            def f(x: torch.Tensor):
                return x.new(np.zeros(3))
            """,
        "tuples of a shape": """
            import torch
            def f(x: torch.Tensor):
                return torch.Tensor((1,) + x.size()), torch.Tensor(x.size() + (1,))
            """,
        "annotations, checks and conversions": """
            import torch
            def f(x: torch.Tensor, y: "torch.LongTensor") -> torch.FloatTensor:
                if isinstance(x, (torch.Tensor, torch.cuda.FloatTensor)):
                    x = x.type(torch.FloatTensor)
                return x if type(x) == torch.FloatTensor else x.type("torch.FloatTensor")
            """,
        "a subclass": """
            import torch
            class Mine(torch.Tensor):
                pass
            Mine(2, 3)
            """,
        "a name that the file gave to a type": """
            import torch
            Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
            dtype = torch.FloatTensor
            z = Tensor(2, 3).fill_(1), dtype(2, 3)
            """,
        "types of the GPU and of sparse tensors": """
            import torch
            torch.cuda.FloatTensor(2, 3)
            torch.sparse.FloatTensor(indices, values, torch.Size([2, 3]))
            """,
        "sparse tensors made by new": """
            import torch
            def f(t: torch.Tensor, indices, values):
                scaled = t.new(indices, values).mul_(2), t.new(indices, values).long().mul_(2)
                return t.new(indices, values), t.new(indices, values, t.size()), scaled
            """,
        "a list that an unknown multiplies": """
            import numpy as np
            import torch
            def f(n, x):
                scale = np.ones(1)
                a, b = torch.Tensor(n * [1]), torch.Tensor(scale * [1])
                return a, b, torch.Tensor(2 * x), torch.Tensor(3 * [x.sum(), torch.ones(1)])
            """,
        "new of what is no tensor": """
            import hashlib
            import torch
            def f(pool, key):
                return hashlib.new("md5"), pool.new(3), pool.new(2, 3).zero_()
            """,
        "a method called new": """
            import torch
            class Pool:
                def new(self, n):
                    return [0] * n
            Pool().new(3)
            """,
        "classes of other libraries": """
            import torch
            from theano import Tensor
            from mine import LongTensor
            Tensor(2, 3), LongTensor([1])
            """,
        "shadowed module": """
            import torch
            def f(torch):
                return torch.Tensor(2, 3)
            """,
        "keywords": """
            import torch
            torch.Tensor(2, 3, device="cpu")
            torch.Tensor(size=(2, 3))
            torch.Tensor(*args, **kwargs)
            """,
        "a choice between old and new": """
            import torch
            try:
                x = torch.empty(2, 3)
            except AttributeError:
                x = torch.Tensor(2, 3)
            y = torch.zeros(2) if hasattr(torch, "zeros") else torch.Tensor(2).zero_()
            """,
        "a project that sets a default device": """
            import torch
            torch.set_default_device("cuda")
            x = torch.Tensor(2, 3), torch.FloatTensor([0.5])
            """,
        "a block with another device": """
            import torch
            with torch.device("meta"):
                x = torch.Tensor(2, 3)
            """,
        "types that do not follow the default": """
            import torch
            torch.set_default_dtype(torch.double)
            x = torch.FloatTensor(2, 3), torch.LongTensor([1]), torch.Tensor([n])
            """,
        "what fails": """
            import torch
            torch.Tensor("abc")
            torch.Tensor(["a"])
            torch.Tensor(0.5)
            torch.Tensor(None)
            torch.Tensor(map(float, words))
            torch.Tensor([1], [2])
            """,
        "a comment that would be lost": """
            import torch
            x = (torch.FloatTensor(2, 3)  # on the CPU
                 .zero_())
            """,
        "already modern": """
            import torch
            torch.empty(3, 4), torch.tensor([1.0]), torch.zeros(2, dtype=torch.long)
            x = torch.ones(2)
            x.new_zeros(2, 3), x.new_tensor([1])
            """,
        "suppressed": """
            import torch
            torch.Tensor(3, 4)  # noqa: TP403
            """,
    },
)

test_together_with_variables = rewrites(
    "TP403",
    {
        "requires_grad goes into the factory": (
            """
            import torch
            from torch.autograd import Variable
            def f(x: torch.Tensor):
                a = Variable(torch.Tensor([0.5]), requires_grad=True)
                b = Variable(torch.FloatTensor(2, 3).zero_(), requires_grad=True)
                c = Variable(torch.FloatTensor(2, 3).uniform_(-1, 1), requires_grad=True)
                return a, b, c, Variable(x.data.new(3).zero_(), requires_grad=True)
            """,
            """
            import torch
            def f(x: torch.Tensor):
                a = torch.tensor([0.5], requires_grad=True)
                b = torch.zeros(2, 3, requires_grad=True)
                c = torch.empty(2, 3).uniform_(-1, 1).requires_grad_()
                return a, b, c, x.new_zeros(3, requires_grad=True)
            """,
        ),
    },
    with_rules=("TP101", "TP104"),
)


def test_the_project_sets_the_default_type() -> None:
    text = "import torch\nx = torch.FloatTensor(2, 3)\nprint(x)\ny = torch.Tensor(2, 3)\n"
    options = Options(mentioned_elsewhere=lambda name: name == "set_default_dtype")
    assert migrate(text, "TP403", options=options).text == text.replace(
        "torch.Tensor", "torch.empty"
    )


RANDOM = [
    "torch.FloatTensor({n}).normal_()",
    "torch.FloatTensor({n}, 3).normal_(0, 1)",
    "torch.DoubleTensor({n}).normal_()",
    "torch.HalfTensor({n}).normal_()",
    "torch.Tensor({n}).uniform_()",
    "torch.DoubleTensor({n}, 2).uniform_(0, 1)",
    "torch.LongTensor({n}).random_(10)",
    "torch.LongTensor({n}).random_(-3, 10)",
]


@pytest.mark.parametrize("expression", RANDOM)
@pytest.mark.parametrize("n", [1, 15, 16, 17, 1000])
def test_the_same_random_numbers_are_drawn(expression: str, n: int) -> None:
    text = f"import torch\ndef case_one():\n    return {expression.format(n=n)}\n"
    migration = migrate(text, "TP403")
    assert "_(" not in migration.text
    claims.check(Numerics.IDENTICAL, "case_one", text, migration.text, "", "cpu")


def test_the_memory_of_an_array_is_shared_as_before() -> None:
    text = textwrap.dedent(
        """
        import numpy as np
        import torch
        def case_one():
            array = np.ones(3, dtype=np.float32)
            tensor = torch.FloatTensor(array)
            array[0] = 7
            return tensor
        """
    )
    migration = migrate(text, "TP403")
    assert "as_tensor" in migration.text
    claims.check(Numerics.IDENTICAL, "case_one", text, migration.text, "", "cpu")


def test_another_default_type_is_followed() -> None:
    text = textwrap.dedent(
        """
        import torch
        torch.set_default_dtype(torch.double)
        def case_one():
            return torch.Tensor([1, 2]), torch.Tensor(3).fill_(1), torch.Tensor(2).fill_(0.1)
        """
    )
    migration = migrate(text, "TP403")
    assert "Tensor(" not in migration.text
    claims.check(Numerics.IDENTICAL, "case_one", text, migration.text, "", "cpu")


def test_sizes_on_two_lines_are_one_tuple_on_one_line() -> None:
    text = "import torch\nx = torch.LongTensor(1,\n                     n).fill_(3)\n"
    assert "torch.full((1, n), 3, dtype=torch.long)" in migrate(text, "TP403").text


def test_sizes_with_a_comment_between_stay_on_their_lines() -> None:
    text = "import torch\nx = torch.LongTensor(1,  # batch\n                     n).fill_(3)\n"
    assert "(1,  # batch\n" in migrate(text, "TP403").text


def test_many_sizes_stay_on_their_lines() -> None:
    sizes = ",\n    ".join(["a_number_that_has_a_name"] * 3)
    text = f"import torch\nx = torch.LongTensor({sizes}).fill_(3)\n"
    assert "a_number_that_has_a_name,\n" in migrate(text, "TP403").text


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ("torch.ByteTensor([-1, 300])", "300 is no number that a ByteTensor can hold"),
        ("torch.ByteTensor([[-256]])", "older took it for 0"),
        ("torch.CharTensor([200])", "older took it for -56"),
        ("torch.CharTensor([-129])", "older took it for 127"),
        ("torch.ShortTensor([40000])", "older took it for -25536"),
    ],
)
def test_numbers_that_do_not_fit_are_reported(made: str, message: str) -> None:
    text = f"import torch\nx = {made}\n"
    migration = migrate(text, "TP403")
    (finding,) = migration.findings
    assert migration.text == text
    assert message in finding.message


@pytest.mark.parametrize(
    "made",
    [
        "torch.ByteTensor([-255, -1, 0, 255])",
        "torch.CharTensor([-128, 127])",
        "torch.ByteTensor([1, n])",
        "torch.ByteTensor(300)",
        "torch.LongTensor([1 << 70])",
        "torch.FloatTensor([1e9])",
        "torch.ByteTensor()",
    ],
)
def test_numbers_that_fit_are_not(made: str) -> None:
    assert not advice("TP403", f"import torch\nx = {made}\n")


def test_forward_and_backward_of_a_function_alike() -> None:
    text = """from torch.autograd import Function
class Correlate(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        out = a.new()
        run(a, b, out)
        return out
    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        da, db = a.new(), b.new()
        run_backward(a, b, grad, da, db)
        return da, db
"""
    assert migrate(text, "TP403").text == text.replace(".new()", ".new_empty(0)")
    other = text.replace("ctx.save_for_backward(a, b)", "ctx.save_for_backward(b)")
    assert migrate(other, "TP403").text.count("a.new()") == 1
    of_old = text.replace("    @staticmethod\n", "").replace("ctx", "self")
    assert migrate(of_old, "TP403").text == of_old.replace(".new()", ".new_empty(0)")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("(Function)", "(Tape)", id="another class"),
        pytest.param("(self, a):", "(self, a):\n        self.saved_tensors = a", id="its own"),
        pytest.param("self.saved_tensors", "self.kept_tensors", id="another attribute"),
    ],
)
def test_what_another_class_saves_may_be_anything(old: str, new: str) -> None:
    text = """from torch.autograd import Function
class Fill(Function):
    def forward(self, a):
        return fill(self, a)
    def backward(self, grad):
        a, = self.saved_tensors
        return run_backward(grad, a.new())
"""
    assert migrate(text, "TP403").text == text.replace("new()", "new_empty(0)")
    other = text.replace(old, new)
    assert migrate(other, "TP403").text == other


@pytest.mark.parametrize(
    "value", [3, 2.7, 0.1, True, np.float32(0.1), np.int64(7), torch.tensor(1)]
)
@pytest.mark.parametrize("dtype", [torch.float, torch.half, torch.long, torch.uint8, torch.bool])
def test_full_makes_what_fill_fills(value: float, dtype: torch.dtype) -> None:
    old = torch.empty(2, dtype=dtype).fill_(value)
    new = torch.full((2,), value, dtype=dtype)
    assert torch.equal(old, new) and old.dtype == new.dtype


@pytest.mark.parametrize(
    "expression",
    [
        "torch.Tensor(3).fill_(-1).long()",
        "torch.Tensor(3).fill_(len('ab') - 1).int()",
        "torch.Tensor(3).zero_().half()",
        "torch.HalfTensor(3).fill_(1).bool()",
        "torch.zeros(2, dtype=torch.bool).new(3).fill_(1).long()",
        "torch.zeros(2, dtype=torch.int).new(3).fill_(0).double()",
    ],
)
def test_of_one_type_it_is_the_same_as_on_the_way_to_it(expression: str) -> None:
    text = f"import torch\ndef case_one():\n    return {expression}\n"
    migration = migrate(text, "TP403")
    assert "dtype=" in migration.text and "fill_" not in migration.text
    claims.check(Numerics.IDENTICAL, "case_one", text, migration.text, "", "cpu")


def test_full_takes_no_tensor_of_a_graph() -> None:
    value = torch.tensor(1.0, requires_grad=True)
    assert torch.empty(2).fill_(value).requires_grad
    with pytest.raises(TypeError):
        torch.full((2,), value)


def test_the_numbers_below_a_count_stay_whole_in_programs_of_old() -> None:
    text = "import torch\nprint(torch.LongTensor(list(range(3))), x.data[0])\n"
    after = migrate(text, options=Options(era=Era((0, 3), (0, 3)))).text
    assert "torch.arange(3, dtype=torch.long)" in after


@pytest.mark.parametrize(
    "below",
    [
        "    n = np.max(batch)\n    other = torch.LongTensor(2, n * 2)\n",
        "    if fast:\n        other = torch.LongTensor(2, n * 2)\n",
    ],
)
def test_a_number_of_numpy_that_may_be_another_one_beside_stays(below: str) -> None:
    head = "import numpy as np\nimport torch\ndef f(batch, fast):\n    n = np.sum(batch)\n"
    text = f"{head}    values = torch.FloatTensor(n * 2)\n{below}    return values\n"
    assert "torch.FloatTensor(n * 2)" in migrate(text).text


def test_what_is_a_size_beside_shows_that_sizes_are_given() -> None:
    text = """
        import torch
        import torch.nn as nn
        class Net(nn.Module):
            def __init__(self, slots, width):
                super().__init__()
                self.slots, self.width = slots, width
                self.fc = nn.Linear(2, 3)
            def state(self, n):
                weight = next(self.parameters())
                return weight.new({}), weight.new(n, self.slots, self.width)
    """
    sizes = "weight.new_empty(n, self.slots, self.width)"
    assert sizes in migrate(textwrap.dedent(text).format("n, 1"), "TP403").text
    assert sizes not in migrate(textwrap.dedent(text).format("n, self.slots"), "TP403").text
    assert sizes not in migrate(textwrap.dedent(text).format("n"), "TP403").text


def test_of_two_halves_a_long_line_is_written_as_the_other() -> None:
    made = "np.concatenate([self.weight(), self.weight(), self.weight(), self.weight()], 0)"
    text = (
        "import numpy as np\nimport torch\nclass Net(torch.nn.Module):\n"
        "    def forward(self, x, use_cuda):\n        if use_cuda:\n"
        f"            init = torch.FloatTensor({made}).cuda()\n        else:\n"
        f"            init = torch.FloatTensor({made})\n        return x + init\n"
    )
    assert migrate(text, "TP403").text.count("torch.as_tensor(") == 2
    (line,) = [each for each in text.splitlines() if each.endswith("))")]
    alone = f"{text.partition('        if')[0]}    {line.lstrip()}\n        return x + init\n"
    alone = alone.replace("    init", "        init")
    assert migrate(alone, "TP403").text == alone


def test_of_two_halves_on_one_long_line_both_are_written_alike() -> None:
    text = (
        "import torch\ndef loss_of(loss_value, x):\n"
        "    loss = torch.cuda.FloatTensor([loss_value]) if x.type() == 'torch.cuda.FloatTensor' "
        "else torch.FloatTensor([loss_value])\n    return loss\n"
    )
    assert "else torch.tensor([loss_value], dtype=torch.float)\n" in migrate(text).text
    alone = "import torch\ndef f(x):\n    return " + f"g({'x, ' * 25}torch.Tensor([x[0]]))\n"
    assert migrate(alone).text == alone


@pytest.mark.parametrize(
    ("other", "indent", "are_both_left"),
    [
        pytest.param("[[1, 1, 0], [1, 0, 1], [0, 1, 1]]", 40, True, id="as many numbers"),
        pytest.param("[[1, 1, 0], [1, 0, 1], [0, 1, 1]]", 8, False, id="there is room for both"),
        pytest.param("[[1, 1, 0], [1, 0, 1]]", 40, False, id="other sizes"),
        pytest.param("[[n, 1, 0], [1, 0, 1], [0, 1, 1]]", 40, False, id="of a name"),
    ],
)
def test_of_two_tables_one_is_not_rewritten_alone(
    other: str, indent: int, are_both_left: bool
) -> None:
    text = "import torch\ndef f(n):\n    if n:\n"
    text += f"{' ' * indent}n = n + torch.FloatTensor([[1, 2, 0], [3, 4, 1], [5, 6, 2]])\n"
    table = f"    return torch.FloatTensor({other})\n"
    after = migrate(text + table, "TP403").text
    assert (table in after) == are_both_left
    assert (after == text + table) == are_both_left


def test_a_number_of_elements_is_a_size_of_whatever_it_is_asked() -> None:
    code = """import torch
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, degrees, width, ids, values):
        ctx.save_for_backward(input)
        ctx.degrees = degrees
        return input.new(degrees.numel(), width), input.new(), input.new(ids, values)
"""
    after = code.replace("new(degrees", "new_empty(degrees").replace("new()", "new_empty(0)")
    assert migrate(code, "TP403").text == after


@pytest.mark.parametrize(
    ("more", "is_counted"),
    [
        pytest.param("", True, id="a size is all that is kept"),
        pytest.param("        self.n -= 1\n", False, id="less than a size"),
        pytest.param("        self.n = count\n", False, id="a number from outside"),
        pytest.param("def end(layer):\n    layer.n = -1\n", False, id="set from outside"),
    ],
)
def test_numbers_below_a_size_that_an_object_keeps(
    more: str, is_counted: bool, tmp_path: Path
) -> None:
    code = f"""import torch
import torch.nn as nn
class Layer(nn.Module):
    def places(self):
        return torch.LongTensor(range(self.n))
    def forward(self, x, count):
        self.n = x.size(1)
{more}"""
    file = tmp_path / "layers.py"
    file.write_text(code)
    migrate_file(file, Settings(select=("TP403",)), write=True)
    assert ("torch.arange(self.n, dtype=torch.long)" in file.read_text()) == is_counted


def test_numbers_below_a_count_are_made_where_they_go() -> None:
    code = """import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
def f(words):
    return torch.LongTensor(range(len(words))).to(device), torch.arange(0, 1, 0.1).to(device)
"""
    after = migrate(code).text
    assert "torch.arange(len(words), dtype=torch.long, device=device)" in after
    assert "torch.arange(0, 1, 0.1).to(device)" in after


@pytest.mark.parametrize(
    ("steps", "more", "is_counted"),
    [
        pytest.param("range(min(4, n))", "", True, id="the steps of a loop"),
        pytest.param("range(1, n)", "", True, id="the steps from a number on"),
        pytest.param("range(-1, n)", "", False, id="the steps from below 0"),
        pytest.param("range(n, 0, -1)", "", False, id="the steps down"),
        pytest.param("n", "", False, id="what lies in something else"),
        pytest.param("range(n)", "    add(x, -2)\n", False, id="another call gives less"),
        pytest.param("range(n)", "    later(add)\n", False, id="a call out of sight"),
    ],
)
def test_numbers_below_what_all_calls_count(
    steps: str, more: str, is_counted: bool, tmp_path: Path
) -> None:
    code = f"""import torch
def add(x, span):
    return x + torch.LongTensor(range(span + 1)).sum()
def run(x, n, later):
    for span in {steps}:
        x = add(x, span)
{more}    return x
"""
    file = tmp_path / "spans.py"
    file.write_text(code)
    migrate_file(file, Settings(select=("TP403",)), write=True)
    assert ("torch.arange(span + 1, dtype=torch.long)" in file.read_text()) == is_counted
