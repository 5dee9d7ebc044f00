from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites

test_rewrites = rewrites(
    "TP201",
    {
        "beside a parameter that gets something else below": (
            """
            import torch
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.embedding = nn.Embedding(10, 3)
                def forward(self, words):
                    out = torch.zeros(2, 3).cuda()
                    words = torch.transpose(words, 1, 0).long()
                    words = self.embedding(words)
                    return out + words.view(2, 3)
            """,
            """
            import torch
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.embedding = nn.Embedding(10, 3)
                def forward(self, words):
                    out = torch.zeros(2, 3, device=words.device)
                    words = torch.transpose(words, 1, 0).long()
                    words = self.embedding(words)
                    return out + words.view(2, 3)
            """,
        ),
        "in a loop in which a parameter gets something else, and below such a line": (
            """
            import torch
            import torch.nn as nn
            class Net(nn.Module):
                def forward(self, words, x):
                    for i in range(3):
                        out = torch.zeros(2, 3).cuda()
                        words = torch.cat([words, table[i]]).view(2, 3) + out
                    return words.sum()
            class Other(nn.Module):
                def forward(self, words):
                    words = torch.cat([words, table[0]]).view(2, 3)
                    return words + torch.zeros(2, 3).cuda()
            """,
            """
            import torch
            import torch.nn as nn

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            class Net(nn.Module):
                def forward(self, words, x):
                    for i in range(3):
                        out = torch.zeros(2, 3, device=device)
                        words = torch.cat([words, table[i]]).view(2, 3) + out
                    return words.sum()
            class Other(nn.Module):
                def forward(self, words):
                    words = torch.cat([words, table[0]]).view(2, 3)
                    return words + torch.zeros(2, 3, device=device)
            """,
        ),
        "no flag: is_available after the imports": (
            """
            import torch
            import torch.nn as nn

            model = nn.Linear(2, 2).cuda()
            """,
            """
            import torch
            import torch.nn as nn

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            model = nn.Linear(2, 2).to(device)
            """,
        ),
        "the flag of the program": (
            """
            import torch
            args = parse()
            args.cuda = not args.no_cuda and torch.cuda.is_available()
            x = torch.ones(2)
            if args.cuda:
                torch.cuda.manual_seed(1)
                x = x.cuda()
            y = torch.ones(2)
            if args.cuda:
                y = y.cuda()
            """,
            """
            import torch
            args = parse()
            args.cuda = not args.no_cuda and torch.cuda.is_available()
            device = torch.device("cuda" if args.cuda else "cpu")
            x = torch.ones(2)
            if args.cuda:
                torch.cuda.manual_seed(1)
                x = x.to(device)
            y = torch.ones(2)
            if args.cuda:
                y = y.to(device)
            """,
        ),
        "the program's switch under a GPU that is chosen by its number": (
            """
            import torch
            def main(gpu_id, loader, net):
                use_cuda = True
                with torch.cuda.device(gpu_id):
                    for x in torch.utils.data.DataLoader(loader):
                        if use_cuda:
                            x = x.cuda()
                        net(x)
            """,
            """
            import torch
            def main(gpu_id, loader, net):
                use_cuda = True
                device = torch.device("cuda" if use_cuda else "cpu")
                with torch.cuda.device(gpu_id):
                    for x in torch.utils.data.DataLoader(loader):
                        if use_cuda:
                            x = x.to(device)
                        net(x)
            """,
        ),
        "what is wrapped in a Variable, or goes into a function of torch": (
            """
            import torch
            from torch.autograd import Variable
            device = torch.device("cuda")
            def f(sample, model):
                x = Variable(sample["image"].cuda())
                return model(x), torch.sum(sample["label"].cuda())
            """,
            """
            import torch
            from torch.autograd import Variable
            device = torch.device("cuda")
            def f(sample, model):
                x = Variable(sample["image"].to(device))
                return model(x), torch.sum(sample["label"].to(device))
            """,
        ),
        "an existing device": (
            """
            import torch
            dev = torch.device("cuda:0")
            x = torch.ones(2).cuda()
            """,
            """
            import torch
            dev = torch.device("cuda:0")
            x = torch.ones(2, device=dev)
            """,
        ),
        "a taken name is not shadowed": (
            """
            import torch

            def f(device):
                return torch.ones(2).cuda()
            """,
            """
            import torch

            torch_device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            def f(device):
                return torch.ones(2, device=torch_device)
            """,
        ),
        "non_blocking": (
            """
            import torch

            x = torch.ones(2).cuda(non_blocking=True)
            """,
            """
            import torch

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            x = torch.ones(2).to(device, non_blocking=True)
            """,
        ),
        "what is shown to be a module by its use": (
            """
            import torch
            import models

            def main(opt):
                net = models.create(opt).cuda()
                optimizer = torch.optim.SGD(net.parameters(), 0.1)
            """,
            """
            import torch
            import models

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            def main(opt):
                net = models.create(opt).to(device)
                optimizer = torch.optim.SGD(net.parameters(), 0.1)
            """,
        ),
        "of two tensors at hand the one that is asked": (
            """
            import torch
            class Net(torch.nn.Module):
                def forward(self, x, adjacent, flags):
                    x = x.transpose(0, 1)
                    y = torch.ones(adjacent.size(0), 2)
                    if x.is_cuda:
                        y = y.cuda()
                    z = torch.ones(adjacent.size(0), 2)
                    if flags.on:
                        z = z.cuda()
                    return adjacent.matmul(y + z) + x.unsqueeze(0)
            """,
            """
            import torch
            class Net(torch.nn.Module):
                def forward(self, x, adjacent, flags):
                    x = x.transpose(0, 1)
                    y = torch.ones(adjacent.size(0), 2)
                    if x.is_cuda:
                        y = y.to(x.device)
                    z = torch.ones(adjacent.size(0), 2)
                    if flags.on:
                        z = z.to(adjacent.device)
                    return adjacent.matmul(y + z) + x.unsqueeze(0)
            """,
        ),
        "a tensor at hand tells the device": (
            """
            import torch
            def f(x):
                y = torch.ones(2)
                if x.is_cuda:
                    y = y.cuda()
                return x.unsqueeze(0) + y
            """,
            """
            import torch
            def f(x):
                y = torch.ones(2)
                if x.is_cuda:
                    y = y.to(x.device)
                return x.unsqueeze(0) + y
            """,
        ),
        "below all imports that follow that of torch": (
            """
            import sys
            if "" not in sys.path:
                sys.path.append("")
            import torch
            import torch.nn as nn
            # from block import block
            nn.Linear(2, 3).cuda()
            """,
            """
            import sys
            if "" not in sys.path:
                sys.path.append("")
            import torch
            import torch.nn as nn
            # from block import block

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            nn.Linear(2, 3).to(device)
            """,
        ),
        "below the comments of an import": (
            """
            import torch
            #if old:
            from torch import nn
            #else:
            #    from .block import block

            nn.Linear(2, 3).cuda()
            """,
            """
            import torch
            #if old:
            from torch import nn
            #else:
            #    from .block import block

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            nn.Linear(2, 3).to(device)
            """,
        ),
        "below the old imports only": (
            """
            import torch
            #if old:
            from torch import nn
            #else:
            #    from .block import block
            # The layer.
            nn.Linear(2, 3).cuda()
            """,
            """
            import torch
            #if old:
            from torch import nn
            #else:
            #    from .block import block

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            # The layer.
            nn.Linear(2, 3).to(device)
            """,
        ),
        "above what the comment speaks of": (
            """
            import torch
            # The layer imports nothing.
            torch.nn.Linear(2, 3).cuda()
            """,
            """
            import torch

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            # The layer imports nothing.
            torch.nn.Linear(2, 3).to(device)
            """,
        ),
        "the device of a tensor whose type is asked": (
            """
            import torch
            import torch.nn.functional as F

            def shortcut(x, planes, other):
                out = F.avg_pool2d(x, 1, 2)
                pads = torch.zeros(out.size(0), planes)
                if isinstance(out.data, torch.cuda.FloatTensor):
                    pads = pads.cuda()
                if isinstance(out, (torch.cuda.FloatTensor, torch.cuda.HalfTensor)):
                    pads = pads.cuda()
                return pads
            """,
            """
            import torch
            import torch.nn.functional as F

            def shortcut(x, planes, other):
                out = F.avg_pool2d(x, 1, 2)
                pads = torch.zeros(out.size(0), planes)
                if isinstance(out.data, torch.cuda.FloatTensor):
                    pads = pads.to(out.device)
                if isinstance(out, (torch.cuda.FloatTensor, torch.cuda.HalfTensor)):
                    pads = pads.to(out.device)
                return pads
            """,
        ),
        "a flag that is off where all ask for it": (
            """
            import torch

            cuda = False

            def grads(x):
                x = torch.relu(x)
                if cuda:
                    x = x.cuda()
                return x.type(torch.cuda.FloatTensor if cuda else torch.FloatTensor)
            """,
            """
            import torch

            cuda = False
            device = torch.device("cuda" if cuda else "cpu")

            def grads(x):
                x = torch.relu(x)
                if cuda:
                    x = x.to(device)
                return x.type(torch.cuda.FloatTensor if cuda else torch.FloatTensor)
            """,
        ),
        "of several tensors at hand the one that is spoken of": (
            """
            import torch
            class Swap(torch.nn.Module):
                def forward(self, a, b):
                    x = torch.randn(a.size(0), 2).cuda()
                    y = torch.randn(b.size(0), 2).cuda()
                    z = torch.randn(3, 2).cuda()
                    return x, y, z, a.unsqueeze(0) + b.unsqueeze(0)
            """,
            """
            import torch
            class Swap(torch.nn.Module):
                def forward(self, a, b):
                    x = torch.randn(a.size(0), 2).to(a.device)
                    y = torch.randn(b.size(0), 2).to(b.device)
                    z = torch.randn(3, 2).to(a.device)
                    return x, y, z, a.unsqueeze(0) + b.unsqueeze(0)
            """,
        ),
        "the GPU is chosen first": (
            """
            import os
            import torch
            os.environ["CUDA_VISIBLE_DEVICES"] = "1"
            x = torch.ones(2).cuda()
            """,
            """
            import os
            import torch
            os.environ["CUDA_VISIBLE_DEVICES"] = "1"
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            x = torch.ones(2, device=device)
            """,
        ),
        "a module that is moved under a guard": (
            """
            import torch
            from models import Net
            net = Net()
            if torch.cuda.is_available():
                net = net.cuda()
            optimizer = torch.optim.SGD(net.parameters(), 0.1)
            """,
            """
            import torch
            from models import Net

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            net = Net()
            if torch.cuda.is_available():
                net = net.to(device)
            optimizer = torch.optim.SGD(net.parameters(), 0.1)
            """,
        ),
        "used between the imports": (
            """
            import torch
            import torch.nn as nn
            net = nn.Linear(2, 2)
            net.cuda()
            import time
            """,
            """
            import torch
            import torch.nn as nn

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            net = nn.Linear(2, 2)
            net.to(device)
            import time
            """,
        ),
        "torch is imported twice": (
            """
            import torch

            def make():
                return torch.ones(2).cuda()

            def make_two():
                return make(), make()

            pair = make_two()
            import torch
            """,
            """
            import torch

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            def make():
                return torch.ones(2, device=device)

            def make_two():
                return make(), make()

            pair = make_two()
            import torch
            """,
        ),
        "a new tensor follows no input that the method moves": (
            """
            import torch
            from torch.autograd import Variable

            device = torch.device("cuda")

            class Net(torch.nn.Module):
                def forward(self, x):
                    y = Variable(x.float()).cuda()
                    return y + x.unsqueeze(0).to(device) + torch.zeros(x.size(0)).cuda()
            """,
            """
            import torch
            from torch.autograd import Variable

            device = torch.device("cuda")

            class Net(torch.nn.Module):
                def forward(self, x):
                    y = Variable(x.float()).to(device)
                    return y + x.unsqueeze(0).to(device) + torch.zeros(x.size(0), device=device)
            """,
        ),
        "a new tensor follows no lengths": (
            """
            import torch
            from torch.nn.utils.rnn import pack_padded_sequence

            class Net(torch.nn.Module):
                def forward(self, lengths, x):
                    y = pack_padded_sequence(x.unsqueeze(0), lengths.unsqueeze(0).tolist())
                    return torch.zeros(2).cuda()
                def step(self, counts, x):
                    counts.unsqueeze(0).numpy()
                    return x.unsqueeze(0) + torch.zeros(2).cuda()
            """,
            """
            import torch
            from torch.nn.utils.rnn import pack_padded_sequence

            class Net(torch.nn.Module):
                def forward(self, lengths, x):
                    y = pack_padded_sequence(x.unsqueeze(0), lengths.unsqueeze(0).tolist())
                    return torch.zeros(2, device=x.device)
                def step(self, counts, x):
                    counts.unsqueeze(0).numpy()
                    return x.unsqueeze(0) + torch.zeros(2, device=x.device)
            """,
        ),
        "a new tensor follows the input of a module": (
            """
            import torch
            class Net(torch.nn.Module):
                def forward(self, x):
                    return x.unsqueeze(0) + torch.zeros(x.size(0)).cuda() + torch.randn(2).cuda()
            """,
            """
            import torch
            class Net(torch.nn.Module):
                def forward(self, x):
                    return x.unsqueeze(0) + torch.zeros(x.size(0), device=x.device) + torch.randn(2).to(x.device)
            """,
        ),
        "which may be a part or a view of itself by then": (
            """
            import torch
            class Net(torch.nn.Module):
                def decode(self, x):
                    n = x.size(0)
                    x = x.data
                    return x.unsqueeze(0) + torch.zeros(n).cuda()
                def forward(self, x, y):
                    x = x.unsqueeze(1).expand(2, 3)[:, 0]
                    y = y.unsqueeze(0)
                    return x.unsqueeze(1) + torch.zeros(2).cuda()
            """,
            """
            import torch
            class Net(torch.nn.Module):
                def decode(self, x):
                    n = x.size(0)
                    x = x.data
                    return x.unsqueeze(0) + torch.zeros(n, device=x.device)
                def forward(self, x, y):
                    x = x.unsqueeze(1).expand(2, 3)[:, 0]
                    y = y.unsqueeze(0)
                    return x.unsqueeze(1) + torch.zeros(2, device=x.device)
            """,
        ),
        "so does what comes back from the CPU, and what is calculated there": (
            """
            import torch
            class Net(torch.nn.Module):
                def forward(self, x):
                    p = torch.exp(x.unsqueeze(0)).cpu()
                    last = torch.multinomial(p, 1).cuda()
                    at = torch.arange(x.size(0))
                    at = at.cuda()
                    return torch.zeros(x.size(0)).cuda(), last, at
            """,
            """
            import torch
            class Net(torch.nn.Module):
                def forward(self, x):
                    p = torch.exp(x.unsqueeze(0)).cpu()
                    last = torch.multinomial(p, 1).to(x.device)
                    at = torch.arange(x.size(0))
                    at = at.to(x.device)
                    return torch.zeros(x.size(0), device=x.device), last, at
            """,
        ),
        "so does what is made of sizes, above": (
            """
            import torch
            class Net(torch.nn.Module):
                def forward(self, x):
                    mask = torch.tril(torch.ones(3, 3))
                    eye = torch.eye(3).expand(x.size(0), 3, 3)
                    noise = torch.rand(3).exp()
                    if self.args.cuda:
                        mask = mask.cuda()
                        eye, noise = eye.cuda(), noise.cuda()
                    return x.unsqueeze(0) * mask + eye + noise
            """,
            """
            import torch
            class Net(torch.nn.Module):
                def forward(self, x):
                    mask = torch.tril(torch.ones(3, 3))
                    eye = torch.eye(3).expand(x.size(0), 3, 3)
                    noise = torch.rand(3).exp()
                    if self.args.cuda:
                        mask = mask.to(x.device)
                        eye, noise = eye.to(x.device), noise.to(x.device)
                    return x.unsqueeze(0) * mask + eye + noise
            """,
        ),
        "so does what goes to the weights that a parameter is given to": (
            """
            import torch
            from torch.autograd import Variable

            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.first, self.embed = torch.nn.Linear(4, 3), torch.nn.Embedding(5, 3)
                    self.last = torch.nn.Linear(3, 5)

                def sample(self, feats, most):
                    state = self.first(feats)
                    for t in range(3):
                        if t == 0:
                            it = feats.data.new(2).long().fill_(0)
                        elif most:
                            p, it = torch.max(scores.data, 1)
                            it = it.view(-1).long()
                        else:
                            it = torch.multinomial(torch.exp(scores.data).cpu(), 1).cuda()
                            p = scores.gather(1, Variable(it).cuda())
                            it = it.view(-1).long()
                        x = self.embed(Variable(it, requires_grad=False).cuda())
                        scores = torch.log_softmax(self.last(x + state), dim=1)
                    return scores
            """,
            """
            import torch
            from torch.autograd import Variable

            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.first, self.embed = torch.nn.Linear(4, 3), torch.nn.Embedding(5, 3)
                    self.last = torch.nn.Linear(3, 5)

                def sample(self, feats, most):
                    state = self.first(feats)
                    for t in range(3):
                        if t == 0:
                            it = feats.data.new(2).long().fill_(0)
                        elif most:
                            p, it = torch.max(scores.data, 1)
                            it = it.view(-1).long()
                        else:
                            it = torch.multinomial(torch.exp(scores.data).cpu(), 1).to(feats.device)
                            p = scores.gather(1, Variable(it).to(feats.device))
                            it = it.view(-1).long()
                        x = self.embed(Variable(it, requires_grad=False).to(feats.device))
                        scores = torch.log_softmax(self.last(x + state), dim=1)
                    return scores
            """,
        ),
        "also beside what its method brings to the CPU": (
            """
            import torch

            class Loss(torch.nn.Module):
                def forward(self, x, y):
                    t = torch.eye(3)[y.data.cpu()]
                    return (x.sigmoid() * t.cuda()).sum() + torch.ones(2).cuda()
            """,
            """
            import torch

            class Loss(torch.nn.Module):
                def forward(self, x, y):
                    t = torch.eye(3)[y.data.cpu()]
                    return (x.sigmoid() * t.to(x.device)).sum() + torch.ones(2, device=x.device)
            """,
        ),
        "but not where parameters may come from the CPU": (
            """
            import torch
            class Net(torch.nn.Module):
                def forward(self, x, y, flag):
                    x.unsqueeze(0), y.unsqueeze(0)
                    new = (y[0] if flag else x).cuda()
                    return new, torch.zeros(2).cuda()
                def step(self, x, y):
                    x.unsqueeze(0), y.unsqueeze(0)
                    z = y.float()
                    return x, z.cuda()
            Net().step(torch.ones(1), torch.ones(1))
            """,
            """
            import torch

            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

            class Net(torch.nn.Module):
                def forward(self, x, y, flag):
                    x.unsqueeze(0), y.unsqueeze(0)
                    new = (y[0] if flag else x).to(device)
                    return new, torch.zeros(2, device=device)
                def step(self, x, y):
                    x.unsqueeze(0), y.unsqueeze(0)
                    z = y.float()
                    return x, z.to(device)
            Net().step(torch.ones(1), torch.ones(1))
            """,
        ),
    },
)

test_keeps = keeps(
    "TP201",
    {
        "one move of a file beside what else its guard does": """
            import torch
            args = parse()
            args.cuda = not args.no_cuda and torch.cuda.is_available()
            net = torch.nn.Linear(2, 3)
            if args.cuda:
                net.cuda()
                print("on the GPU")
            """,
        "otherwise it is on the CPU": """
            import torch
            def f(x):
                y = torch.ones(2)
                if not x.is_cuda:
                    y = y + 1
                else:
                    y = y.cuda()
                return x.unsqueeze(0) + y
            """,
        "something is not known that moves under no flag": """
            import torch
            use_cuda = torch.cuda.is_available() and flag
            def f(x):
                y = torch.ones(2)
                if use_cuda:
                    y = y.cuda()
                return x.cuda() + y
            """,
        "a flag that is off is not that of the rest": """
            import torch

            cuda = False

            def grads(x):
                x = torch.relu(x)
                if cuda:
                    x = x.cuda()
                return x

            def sparse():
                return torch.ones(3).cuda().double()
            """,
        "a flag that is off, beside a type of the GPU": """
            import torch

            cuda = False

            def grads(x):
                x = torch.relu(x)
                if cuda:
                    x = x.cuda()
                return torch.cuda.sparse.DoubleTensor(x)
            """,
        "the other branch is not the same": """
            import torch
            use_cuda = torch.cuda.is_available() and True
            def f():
                y = torch.ones(2)
                if not use_cuda:
                    return y + 1
                else:
                    return y.cuda()
            """,
        "what is made where another tensor may lie": """
            import torch
            class Net(torch.nn.Module):
                def forward(self, x):
                    mask = torch.zeros_like(self.mask)
                    if self.use_cuda:
                        mask = mask.cuda()
                    return x.unsqueeze(0) + mask
            """,
        "what is calculated with a number that may be a tensor elsewhere": """
            import torch
            class Net(torch.nn.Module):
                def forward(self, x):
                    mask = torch.exp(self.mask)
                    if self.use_cuda:
                        mask = mask.cuda()
                    return x.unsqueeze(0) + mask
            """,
        "what stands on the line of the import cannot be served": """
            import torch; torch.ones(2).cuda()
            x = torch.ones(2).cuda()
            """,
        "a test of what is not known to be a tensor": """
            import torch
            class Noise(torch.nn.Module):
                def forward(self, x):
                    rows = list(x.size()) if self.rows else [1]
                    y = torch.ones(rows)
                    if x.is_cuda:
                        y = y.cuda()
                    return y, x
            def noise(x, options):
                y = torch.ones(2)
                if options.is_cuda:
                    y = y.cuda()
                if x.is_cuda:
                    y = y.cuda()
                x = x.size()
                return y
            """,
        "index": """
            import torch
            x = torch.ones(2).cuda(0)
            """,
        "chosen device": """
            import torch
            def f(gpu):
                return torch.ones(2).cuda(gpu)
            """,
        "device keyword": """
            import torch
            x = torch.ones(2).cuda(device=1)
            """,
        "user class": """
            import torch
            class Batch:
                def cuda(self):
                    return self
            Batch().cuda()
            """,
        "module with a cuda of its own": """
            import torch
            class Net(torch.nn.Module):
                def cuda(self):
                    return self
            Net().cuda()
            """,
        "module with a to of its own": """
            import torch
            class Base(torch.nn.Module):
                def to(self, device):
                    self.where = device
                    return self
            class Net(Base):
                pass
            Net().cuda()
            """,
        "module that may be of a class with a to of its own": """
            import torch
            from models import create
            class Net(torch.nn.Module):
                def to(self, device):
                    self.where = device
                    return self
            net = create(Net)
            net.cuda()
            torch.optim.SGD(net.parameters(), 0.1)
            """,
        "unknown receiver": """
            import torch
            def f(x):
                return x.cuda()
            """,
        "unknown arguments": """
            import torch
            torch.ones(2).cuda(*args)
            """,
        "the GPU is chosen in a function": """
            import os
            import torch
            def choose(gpu):
                os.environ["CUDA_VISIBLE_DEVICES"] = gpu
            x = torch.ones(2).cuda()
            """,
        "torch is imported in functions only": """
            def test():
                import torch
                return torch.ones(2).cuda()
            """,
        "run by a function above the import of torch": """
            import torch.nn as nn
            def make():
                return nn.Linear(2, 2).cuda()
            class Trainer:
                net = make()
            import torch
            """,
        "run by a lambda above the import of torch": """
            import torch.nn as nn
            def make():
                return nn.Linear(2, 2).cuda()
            again = lambda: make()
            net = again()
            import torch
            """,
        "run by a function as a decorator or a default": """
            import torch.nn as nn
            def make(f):
                return nn.Linear(2, 2).cuda()
            @make
            def other(): ...
            import torch
            """,
        "a statement goes on behind the import": """
            import torch; size = max(
                1, 2)
            x = torch.ones(size).cuda()
            """,
        "a statement goes on behind the flag": """
            import torch
            use_cuda = torch.cuda.is_available(); size = max(
                1, 2)
            x = torch.ones(size)
            if use_cuda:
                x = x.cuda()
            """,
        "function of torch.cuda": """
            import torch
            torch.cuda.synchronize()
            """,
        "under a GPU that is chosen by its number, beside a device that has one": """
            import torch
            device = torch.device("cuda:0")
            def track(gpu_id, image):
                with torch.cuda.device(gpu_id):
                    return torch.zeros(2).cuda()
            """,
        "under a GPU that is chosen by its number": """
            import torch
            def track(gpu_id, image):
                with torch.cuda.device(gpu_id):
                    net = torch.nn.Linear(2, 3).cuda()
                    with torch.no_grad():
                        return net(torch.zeros(2).cuda())
            """,
        "already modern": """
            import torch
            device = torch.device("cpu")
            torch.ones(2, device=device)
            """,
    },
)


def test_unknown_receivers_are_reported() -> None:
    assert [f.line for f in advice("TP201", "import torch\ndef f(x):\n    return x.cuda()\n")] == [
        3
    ]


@pytest.mark.parametrize(
    "test",
    [
        "isinstance(unknown, torch.cuda.FloatTensor)",
        "isinstance(out, torch.FloatTensor)",
        "isinstance(out, (torch.cuda.FloatTensor, list))",
        "isinstance(out, kinds)",
        "not isinstance(out, torch.cuda.FloatTensor)",
        "own(out, torch.cuda.FloatTensor)",
        "isinstance(out + 1, torch.cuda.FloatTensor)",
    ],
)
def test_other_questions_tell_no_device(test: str) -> None:
    text = (
        "import torch\ndef f(x, unknown, kinds, own):\n    out = torch.relu(x)\n"
        f"    pads = torch.zeros(3)\n    if {test}:\n        pads = pads.cuda()\n    return pads\n"
    )
    assert "out.device" not in migrate(text, "TP201").text


def test_a_function_that_runs_before_the_flag_is_set_is_left_alone() -> None:
    text = (
        "import torch\n"
        "def f():\n    x = torch.ones(2)\n    if use_cuda:\n        x = x.cuda()\n    return x\n"
        "y = f()\n"
        "use_cuda = torch.cuda.is_available()\n"
    )
    assert migrate(text, "TP201").text == text


_WRAPPED = """
import torch
from torch.autograd import Variable

def train(x, half):
    return Variable(x.cuda().half()) if half else Variable(x.cuda())
"""


def test_what_is_converted_before_it_is_wrapped_is_a_tensor() -> None:
    moved = migrate(_WRAPPED, "TP201").text
    assert "Variable(x.to(device).half()) if half else Variable(x.to(device))" in moved


@pytest.mark.parametrize(
    "wrapped",
    [
        "Variable(x.cuda().summary())",
        "Variable(x.cuda().parts(y.half))",
        "Variable(make(x.cuda().half))",
        "Variable(x.cuda().half)",
    ],
)
def test_what_gives_something_else_may_be_anything(wrapped: str) -> None:
    text = _WRAPPED.replace("Variable(x.cuda().half())", wrapped)
    assert migrate(text, "TP201").text == text


def test_a_class_that_converts_in_its_own_way_may_give_a_tensor() -> None:
    text = f"{_WRAPPED}\nclass Graph:\n    def half(self):\n        return torch.zeros(3)\n"
    assert migrate(text, "TP201").text == text


_OPTIONS = """
import argparse
import torch

{above}

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", type={type})
args = parser.parse_args()

{below}
"""
_MOVES = (
    "def move(x):\n    x = torch.ones(3)\n    if args.cuda:\n        x = x.cuda()\n    return x"
)
_STR2BOOL = "def str2bool(text):\n    return text == 'yes'"


@pytest.mark.parametrize(
    ("above", "below"),
    [
        (_STR2BOOL, _MOVES),
        (f"{_STR2BOOL}\n\n{_MOVES}", ""),
        (f"{_MOVES}\n\n{_STR2BOOL}", ""),
        ("def helper():\n    return str2bool\n\n" + _STR2BOOL, "@helper\n" + _MOVES),
        (_STR2BOOL, "class Net:\n" + textwrap.indent(_MOVES, "    ")),
    ],
)
def test_a_function_that_the_options_need_runs_nothing_else(above: str, below: str) -> None:
    text = _OPTIONS.format(above=above, below=below, type="str2bool")
    assert "x = x.to(device)" in migrate(text, "TP201").text


@pytest.mark.parametrize(
    ("above", "type_"),
    [
        (_MOVES, "move"),
        (f"{_MOVES}\n\ndef str2bool(text):\n    return move(text)", "str2bool"),
        (f"{_MOVES}\n\ndef a(x):\n    return move(x)\n\ndef b(x):\n    return a(x)", "b"),
        ("class Net:\n" + textwrap.indent(_MOVES, "    "), "Net().move"),
    ],
)
def test_what_the_options_run_is_left_alone(above: str, type_: str) -> None:
    text = _OPTIONS.format(above=above, below="", type=type_)
    assert migrate(text, "TP201").text == text


@pytest.mark.parametrize("own", ["cuda", "gpu"])
def test_nothing_is_said_of_what_may_have_a_cuda_of_the_project(own: str) -> None:
    text = f"class Graph:\n    def {own}(self): pass\ndef f(x, y):\n    return (x + y).cuda()\n"
    told = [f.message for f in advice("TP201", f"import torch\n{text}")]
    assert bool(told) == (own == "gpu")
    assert all(message == ".cuda() needs a GPU" for message in told)


#: What shows by which flag the program goes to the GPU.
_SWITCHED = """
from data import args
def train(net):
    if args.cuda:
        net.cuda(), net.half()
"""


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("x.cuda(non_blocking=True)", "x.to(device, non_blocking=True)"),
        ("x.cuda(non_blocking=flag)", "x.to(device, non_blocking=flag)"),
        ("x.cuda(), y.cuda()", ".to(device)"),
        ("x.cuda(non_blocking=True), y.cuda(non_blocking=True)", ".to(device, non_blocking=True)"),
        ("x.cuda(), y.cuda(non_blocking=True)", ".to(device), keeping non_blocking"),
    ],
)
def test_what_is_proposed_keeps_non_blocking(body: str, said: str) -> None:
    text = f"import torch{_SWITCHED}def f(x, y, flag):\n    return {body}\n"
    (finding,) = advice("TP201", text)
    assert finding.message.startswith(f".cuda() needs a GPU: write {said}, with device = ")


@pytest.mark.parametrize(
    ("taken", "given", "lines"),
    [
        ("self", "non_blocking=True", ", here and in line 11: write .to(device), keeping"),
        ("self, non_blocking=False", "non_blocking=True", ": write torch.ones(2).to(device), with"),
        ("self, **flags", "non_blocking=True", ": write torch.ones(2).to(device), with"),
        ("self", "", ": write torch.ones(2).to(device), with"),
    ],
)
def test_a_flag_that_no_class_of_its_own_takes_shows_a_move(
    taken: str, given: str, lines: str
) -> None:
    text = (
        f"import torch{_SWITCHED}class Net:\n    def cuda({taken}):\n        return self\n"
        f"def f(x):\n    return torch.ones(2).cuda(), [e.cuda({given}) for e in x]\n"
    )
    text = text.replace("), [e", "),\\\n        [e")
    (finding,) = advice("TP201", text)
    assert finding.message.startswith(f".cuda() needs a GPU{lines}"), finding.message


def test_what_is_proposed_keeps_what_was_called_async() -> None:
    text = f"import torch{_SWITCHED}def f(x):\n    return x.cuda(async=True)\n"
    [told] = [f for f in migrate(text).findings if f.code == "TP201"]
    assert ": write x.to(device, non_blocking=True), with device = " in told.message


@pytest.mark.parametrize(
    ("mode", "body", "otherwise", "is_told"),
    [
        ("True if opt.mode == 'GPU' else False", "net.cuda()", "pass", False),
        (
            "opt.mode == 'a'",
            "net.cuda(); torch.load('a')",
            "torch.load('a', map_location='cpu')",
            False,
        ),
        ("opt.mode == 'a'", "net.cuda(); torch.load('a')", "torch.load('a')", True),
        # One that fails, and one that goes on with the GPU.
        ("opt.mode == 'a'", "print()", "torch.load('a', map_location='cpu'); net.cuda()", True),
        ("opt.mode == 'a'", "net.cuda()", "torch.load('a', map_location='cpu')", True),
        ("opt.mode == 'a'", "net.cuda()", "pass", True),
    ],
)
def test_nothing_is_said_where_a_mode_chooses_the_gpu(
    mode: str, body: str, otherwise: str, is_told: bool
) -> None:
    text = f"""import torch
def main(opt, net):
    mode = {mode}
    if mode:
        {body}
    else:
        {otherwise}
"""
    assert len(advice("TP201", text)) == is_told


def test_a_device_is_proposed_in_the_words_of_the_file() -> None:
    text = f"import torch as t{_SWITCHED}def f(x):\n    return x.cuda()\n"
    (finding,) = advice("TP201", text)
    device = 'device = t.device("cuda" if args.cuda else "cpu")'
    assert finding.message == f".cuda() needs a GPU: write x.to(device), with {device}"


@pytest.mark.parametrize(
    "text",
    [
        "from net import Net\n",
        "def f(net, device):\n    import torch\n",
        "device = torch_device = default_device = 0\nimport torch\n",
    ],
)
def test_no_device_is_proposed_where_torch_is_not_imported(text: str) -> None:
    net = "def g():\n    import torch.nn as nn\n    nn.Linear(1, 2).cuda()\n"
    (finding,) = advice("TP201", f"{text}{net}{_SWITCHED}")
    assert finding.message.startswith(".cuda() needs a GPU, though line ")


@pytest.mark.parametrize(
    "text",
    [
        "def f(x, cuda):\n    if cuda:\n        x = x.cuda()\n    return x\n",
        "def f(x):\n    if not USE_GPU:\n        return x\n    else:\n        return x.cuda()\n",
        "def f(x):\n    return x.cuda() if self.use_cuda else x\n",
        "def f(x, y):\n    return x.cuda() if y.is_cuda else x.cpu()\n",
        "class Loss:\n    def cuda(self):\n        self.criterion.cuda()\n",
        "def f(x):\n    with torch.cuda.device(1):\n        x.cuda()\n",
        "@skipIf(not torch.cuda.is_available(), '')\ndef test(x):\n    x.cuda()\n",
        "def f(x):\n    if not torch.cuda.is_available():\n        raise OSError\n    x.cuda()\n",
        "def f(x):\n    assert torch.cuda.is_available(), 'no GPU'\n    x.cuda()\n",
        "import sys\nif not torch.cuda.is_available():\n    sys.exit(1)\ndef f(x):\n    x.cuda()\n",
        "def f(x):\n    if not use_gpu:\n        return x\n    for y in x:\n        y.cuda()\n",
        "import sys\nif torch.cuda.is_available(): torch.cuda.manual_seed(1)\n"
        "else: print('no GPU'); sys.exit()\ndef f(x):\n    x.cuda()\n",
        "def f(x, y):\n    if y and torch.cuda.is_available():\n        print(x)\n"
        "    else:\n        raise OSError\n    x.cuda()\n",
        "def f(x):\n    x.cuda()\ndef main(x):\n    if not torch.cuda.is_available():\n"
        "        print('no gpu')\n        exit()\n    f(x)\nif __name__ == '__main__':\n    main(y)\n",
        "if __name__ == '__main__':\n    use_cuda = torch.cuda.is_available()\n"
        "    assert use_cuda, 'no GPU'\n    def f(x):\n        return x.cuda()\n    g(f)\n",
    ],
)
def test_code_that_speaks_of_the_gpu_needs_no_advice(text: str) -> None:
    assert not advice("TP201", f"import torch\n{text}")


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    if not torch.cuda.is_available():\n        print('slow')\n    x.cuda()\n",
        "def f(x):\n    x.cuda()\n    if not torch.cuda.is_available():\n        raise OSError\n",
        "def f(x):\n    if torch.cuda.is_available():\n        return x\n    x.cuda()\n",
        "def f(x):\n    assert not torch.cuda.is_available()\n    x.cuda()\n",
        "if __name__ == '__main__':\n    def f(x):\n        x.cuda()\n    f(1)\n"
        "    assert torch.cuda.is_available()\n",
        "if __name__ == '__main__':\n    if x:\n        assert torch.cuda.is_available()\n"
        "    def f(x):\n        x.cuda()\n",
        "def f(x):\n    if not x:\n        raise OSError\n    x.cuda()\n",
        "def g():\n    assert torch.cuda.is_available()\ndef f(x):\n    x.cuda()\n",
        "def f(x):\n    x.cuda()\nf(y)\ndef main(x):\n"
        "    assert torch.cuda.is_available()\n    f(x)\n",
        "def f(x):\n    x.cuda()\ndef main(x):\n"
        "    assert torch.cuda.is_available()\n    map(f, x)\n",
        "def f(x):\n    if torch.cuda.is_available():\n        print(x)\n    else:\n        print(1)\n"
        "    x.cuda()\n",
        "def f(x, y):\n    if y or torch.cuda.is_available():\n        print(x)\n    else:\n"
        "        return x\n    x.cuda()\n",
        "def f(x, no_cuda):\n    if no_cuda:\n        print(x)\n    else:\n        return x\n"
        "    x.cuda()\n",
        "def f(x):\n    x.cuda()\n    if torch.cuda.is_available():\n        print(x)\n    else:\n"
        "        raise OSError\n",
        "def sys_exit(x):\n    pass\ndef f(x):\n    if not torch.cuda.is_available():\n"
        "        sys_exit(1)\n    x.cuda()\n",
    ],
)
def test_what_runs_without_a_gpu_as_well_is_no_code_for_one(text: str) -> None:
    assert advice("TP201", f"import torch\n{text}")


def test_tests_of_other_things_choose_no_gpu() -> None:
    text = "import torch\ndef f(x, train):\n    if train:\n        x.cuda()\n    return x\n"
    assert advice("TP201", text)


def test_a_test_that_moves_is_no_choice() -> None:
    assert advice("TP201", "import torch\ndef f(x):\n    if ready(x.cuda()):\n        pass\n")


def test_a_method_that_moves_to_the_gpu_goes_on_doing_so() -> None:
    text = (
        "import torch\nclass Memory:\n    def __init__(self):\n        self.states = torch.zeros(2)\n"
        "    def {name}(self):\n        self.states = self.states.cuda()\n"
    )
    given = text.format(name="cuda")
    assert migrate(given, "TP201").text == given
    assert not advice("TP201", given)
    assert "self.states.to(device)" in migrate(text.format(name="move"), "TP201").text


_CHOSEN_IN_A_FUNCTION = """
    import os
    import torch
    def choose(gpu):
        os.environ["CUDA_VISIBLE_DEVICES"] = gpu
    def make(x, net, use_gpu):
        if use_gpu:
            x = torch.zeros(2).cuda()
        y = torch.ones(2).cuda()
        return x, y, torch.ones(3).cuda()
"""


def test_where_a_function_chooses_the_gpu_it_is_said_once() -> None:
    found = advice("TP201", _CHOSEN_IN_A_FUNCTION)
    assert [(f.line, f.message) for f in found] == [
        (
            8,
            ".cuda() needs a GPU, here and in line 9, though line 6 asks whether to use one: "
            "move them only then",
        )
    ]


_CHOSEN_IN_MAIN = """
    import os
    import torch
    def main(gpu):
        os.environ["CUDA_VISIBLE_DEVICES"] = gpu
        x = torch.zeros(2).cuda()
        return x, torch.ones(3).cuda()
"""


_IN_MAIN = """
    class Pool:
        pass
    if __name__ == "__main__":
        import torch
        x = torch.ones(2).cuda()
    """


def test_where_no_line_can_define_a_device_it_is_told() -> None:
    (found,) = advice("TP201", _IN_MAIN)
    assert found.message == ".cuda() needs a GPU"


def test_below_the_line_that_chooses_the_gpu_it_is_told() -> None:
    found = advice("TP201", _CHOSEN_IN_MAIN)
    assert [(f.line, f.message) for f in found] == [
        (
            5,
            ".cuda() needs a GPU, here and in line 6",
        )
    ]


def test_another_function_is_told_of_as_well() -> None:
    other = "    def other():\n        return torch.zeros(2).cuda()\n"
    (found,) = advice("TP201", _CHOSEN_IN_MAIN + other)
    assert "here and in lines 6 and 8" in found.message


_KERNEL = """
import torch
def launch(kernel, x):
    out = torch.zeros(2).cuda()
    kernel(args=[x.data_ptr(), {pointed}.data_ptr(), out.numel()])
    return out + torch.ones(2).cuda()
"""


def test_what_kernels_of_a_gpu_work_on_stays_there() -> None:
    text = _KERNEL.format(pointed="out")
    assert migrate(text, "TP201").text == text
    assert not advice("TP201", text)
    held = text.replace("out =", "self.out =").replace("out.data_ptr", "self.out.data_ptr")
    assert migrate(held, "TP201").text == held


@pytest.mark.parametrize(
    "text",
    [
        _KERNEL.format(pointed="x"),
        _KERNEL.format(pointed="out").replace("data_ptr", "storage"),
        _KERNEL.format(pointed="out")
        .replace("kernel(args=[x.data_ptr(), ", "print([x is x, ")
        .replace("out.data_ptr()", "out.data_ptr() == x.data_ptr()"),
        _KERNEL.format(pointed="other.out"),
    ],
    ids=["of another", "another method", "compared", "of what is called alike"],
)
def test_other_memory_holds_nothing_up(text: str) -> None:
    assert ".cuda()" not in migrate(text, "TP201").text


def test_where_a_function_chooses_the_gpu_guarded_calls_need_nothing() -> None:
    guarded = _CHOSEN_IN_A_FUNCTION.split("        y =")[0]
    assert not advice("TP201", guarded)


_EITHER = """
import torch
import torch.nn as nn
args = parse()
args.cuda = not args.no_cuda and torch.cuda.is_available()
class Small(nn.Module):
    pass
class Large(nn.Module):
    {method}
    pass
if args.small:
    model = Small()
else:
    model = Large()
if args.cuda:
    model.cuda()
"""


def test_a_module_of_either_class_is_moved_as_both_are() -> None:
    assert "model.to(device)" in migrate(_EITHER.format(method=""), "TP201").text
    moving = _EITHER.format(method="def cuda(self): self.where = 0")
    assert "model.cuda()" in migrate(moving, "TP201").text


def test_a_flag_of_the_program_is_no_method() -> None:
    text = _EITHER.partition("class")[0] + "model = make()\nmodel.cuda()\nf(model.parameters())\n"
    assert "model.to(device)" in migrate(text, "TP201").text
    other = text.replace("not args.no_cuda and torch.cuda.is_available()", "choose(args)")
    assert "model.cuda()" in migrate(other, "TP201").text


_MADE_ELSEWHERE = "import torch\nimport other\nnet = {}\n"


@pytest.mark.parametrize(
    "made",
    [
        "torch.load(path).cuda().eval()",
        "other.make().cuda().half().train()",
        "other.make().eval().cuda()",
    ],
)
def test_what_has_a_mode_is_a_module(made: str) -> None:
    after = migrate(_MADE_ELSEWHERE.format(made), "TP201").text
    assert made.replace(".cuda()", ".to(device)") in after


def test_what_got_a_mode_before_its_name_is_a_module() -> None:
    text = "import torch\ndef f(path, x):\n    net = torch.load(path)\n    net = net.eval()\n{}"
    moved = "    if x:\n        net = net.cuda()\n"
    assert "net = net.to(device)" in migrate(text.format(moved), "TP201").text
    either = "    if path:\n        net = x\n    net = net.cuda()\n"
    assert "net = net.cuda()" in migrate(text.format(either), "TP201").text
    each = "    for part in x.eval():\n        part = part.cuda()\n"
    assert "part = part.cuda()" in migrate(text.format(each), "TP201").text


@pytest.mark.parametrize(
    ("made", "below"),
    [
        ("other.make().cuda().evaluate()", ""),
        ("other.make().cuda().eval", ""),
        ("other.eval().cuda()", ""),
        ("other.make().cuda().eval()", "class Table:\n    def eval(self): pass\n"),
        ("other.make().eval().cuda()", "class Table:\n    def eval(self): pass\n"),
    ],
)
def test_what_has_something_like_a_mode_may_be_anything(made: str, below: str) -> None:
    text = _MADE_ELSEWHERE.format(made) + below
    assert migrate(text, "TP201").text == text


_BATCHES = """import torch
def train(loader, model, others):
    for i, (image, mask) in enumerate({loader}):
        image = image.cuda()
        mask = mask.cuda()
        model({use})
"""


@pytest.mark.parametrize("use", ["image.unsqueeze(0), mask", "torch.cat((image, image)), mask"])
def test_what_is_moved_beside_a_tensor_of_a_batch_is_one(use: str) -> None:
    after = migrate(_BATCHES.format(loader="loader", use=use), "TP201").text
    assert "image = image.to(device)\n        mask = mask.to(device)\n" in after


_KNOWN = "image.unsqueeze(0), mask"


@pytest.mark.parametrize(
    ("use", "old", "new"),
    [
        ("image, mask", "train", "train"),
        (_KNOWN, "import torch", "import torch\nclass Graph:\n    def cuda(self): pass"),
        (_KNOWN, "        mask = m", "        m"),
    ],
)
def test_what_is_moved_beside_something_else_may_be_anything(use: str, old: str, new: str) -> None:
    text = _BATCHES.format(loader="loader", use=use).replace(old, new)
    assert "mask.cuda()" in migrate(text, "TP201").text


def test_what_is_not_known_is_moved_where_it_stands() -> None:
    text = _BATCHES.format(loader="loader", use=_KNOWN)
    other = text.replace("        mask = m", "        mask = others[0]\n        mask = m")
    assert migrate(other, "TP201").text.count(".to(device)") == 2
    lost = text.replace("        mask = m", "        m")
    assert migrate(lost, "TP201").text == lost


def test_the_device_goes_where_the_other_arguments_stand() -> None:
    text = textwrap.dedent("""
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):
                return x.relu() + torch.zeros(
                    2, x.size(0)
                ).cuda()
    """)
    written = "torch.zeros(\n            2, x.size(0), device=x.device\n        )\n"
    assert written in migrate(text, "TP201").text


@pytest.mark.parametrize("above", ["n = 1", "gpu = False"])
def test_a_flag_is_only_named_where_it_is_bound_already(above: str) -> None:
    text = f"""
        import torch
        from data import load
        {above}
        x = load()
        x.cuda()
        gpu = choose()
        net = torch.nn.Linear(1, 1)
        if gpu:
            net.cuda()
        """
    found = [f.message for f in advice("TP201", text)]
    assert ".cuda() needs a GPU, though line 8 asks whether to use one: move it only then" in found


@pytest.mark.parametrize(
    ("test", "moved", "is_said"),
    [
        ("args.gpu >= 0", "x, y = x.cuda(), y.cuda()", True),
        ("args.gpu >= 0", "y = y.cuda()", True),
        ("args.gpu >= 0", "x = x.cuda()", False),
        ("args.half", "y = y.cuda()", False),
        ("args.gpu >= 0", "y = x.cuda()", False),
    ],
)
def test_what_was_moved_where_it_was_asked_needs_no_other_move(
    test: str, moved: str, is_said: bool
) -> None:
    text = f"""
        import argparse
        import torch
        from data import load
        args = argparse.ArgumentParser().parse_args()
        net = torch.nn.Linear(1, 1)
        if args.gpu >= 0:
            net.cuda()
        for x, y in load():
            if {test}:
                {moved}
            print(net(x) == y.cuda())
        """
    (said,) = [f.message for f in advice("TP201", text) if "line 6 asks" in f.message]
    assert said.endswith(": line 10 moves y then, leave .cuda() out") is is_said


@pytest.mark.parametrize(
    ("above", "is_bound"),
    [("", False), ("from fastai import *", False), ("use_gpu = choose()", True)],
)
def test_a_flag_that_nothing_binds_is_not_named(above: str, is_bound: bool) -> None:
    """A cell that is gone did: what asks for it raises."""
    text = f"""
        import torch
        from data import load
        {above}
        x = load()
        x = x.cuda()
        if use_gpu:
            net = load().cuda()
        """
    told = [f.message for f in advice("TP201", text)]
    assert any('"cuda" if use_gpu else "cpu"' in said for said in told) is is_bound
    fact = ".cuda() needs a GPU, though line 6 asks whether to use one: move it only then"
    assert (fact in told) is not is_bound


@pytest.mark.parametrize(("test", "beside"), [("False", ""), ("go", ", here and in line 5")])
def test_a_move_that_never_runs_is_not_named(test: str, beside: str) -> None:
    text = f"""
        import torch
        from data import load
        y = load().cuda()
        if {test}:
            z = load().cuda()
        """
    (finding,) = advice("TP201", text)
    assert finding.message == f".cuda() needs a GPU{beside}"


@pytest.mark.parametrize(
    "change",
    [
        "x = x.unsqueeze(0).type(torch.LongTensor)",
        "x = x.type_as(other)",
        "x = torch.from_numpy(self.table)",
        "x = self.embed(x)",
        "x = x[0] + self.start",
        "for x in x.unsqueeze(0): pass",
        "x = x.unsqueeze(0).grad_of(3)",
        "x, n = x.unsqueeze(0), torch.ones(2)\n        x = n",
    ],
)
def test_a_parameter_that_becomes_something_else_does_not_tell_the_device(change: str) -> None:
    text = f"""import torch
class Net(torch.nn.Module):
    def forward(self, x):
        x.unsqueeze(0)
        {change}
        return x.unsqueeze(0) + torch.zeros(2).cuda()
"""
    assert "x.device" not in migrate(text, "TP201").text


@pytest.mark.parametrize(
    ("moved", "beside"),
    [
        ("torch.zeros(2).cuda(0)", ", here and in line 9"),
        ("torch.zeros(2).cuda(n)", ""),
        ("load().cuda(0)", ", here and in line 9"),
        ("torch.zeros(2).cuda(0) if use_gpu else 0", ""),
        ("torch.zeros(2)", ""),
    ],
)
def test_a_move_by_number_is_named_beside_others(moved: str, beside: str) -> None:
    text = f"""
        import torch
        from data import load, n
        net = load()
        if use_gpu:
            net = net.cuda()
        def f():
            y = load().cuda()
            if n:
                return {moved}
        """
    found = [f.message for f in advice("TP201", text)]
    only = f"move {'them' if beside else 'it'} only then"
    assert found == [f".cuda() needs a GPU{beside}, though line 4 asks whether to use one: {only}"]


_PARTS = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.embed = torch.nn.Linear(4, 3), torch.nn.Embedding(5, 3)

    def forward(self, x, word):
        h = self.first(x)
        best = h.max(1)[1]
        return self.embed(best.cuda())
"""


def test_what_layers_give_follows_what_they_are_given() -> None:
    assert "self.embed(best.to(x.device))" in migrate(_PARTS, "TP201").text


def test_a_part_by_several_indices_is_one_of_a_tensor() -> None:
    text = _PARTS.replace("self.first(x)", "self.first(x[:, 0].clone())")
    assert "self.embed(best.to(x.device))" in migrate(text, "TP201").text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # A parameter may hold tensors, in a list, a dict or a packed sequence,
        ("self.first(x)", "self.first(x[0])"),
        ("self.first(x)", "self.first(x['feats'])"),
        ("self.first(x)", "self.first(x.data)"),
        ("self.first(x)", "self.first(x.float())"),
        # a part of the module goes somewhere by itself,
        ("        h = ", "        self.embed.cuda()\n        h = "),
        ("class Net", "def place(net):\n    net.first.cpu()\n\nclass Net"),
        ("class Net", "def place(net):\n    net.module.first.to('cpu')\n\nclass Net"),
        # what moves meets no weights,
        ("self.embed(best.cuda())", "best.cuda()"),
        ("self.embed(best.cuda())", "torch.relu(best.cuda())"),
        # or comes from what is not known to lie with them,
        ("h.max(1)[1]", "h.max(1)[1] if x.size(0) else self.kept"),
        ("h.max(1)[1]", "word"),
        # or no layer is given a parameter as it is.
        ("self.first(x)", "self.first(x.unsqueeze(0).cuda())"),
        ("self.first(x)", "self.first(torch.ones(2, 4) + x.unsqueeze(0))"),
        ("self.first(x)", "self.make(x.unsqueeze(0))"),
    ],
)
def test_what_layers_give_may_lie_elsewhere(old: str, new: str) -> None:
    assert old in _PARTS
    text = migrate(_PARTS.replace(old, new), "TP201").text
    assert "best.to(x.device)" not in text


_SIZED = """
import torch
import torch.nn.functional as F

class Sized:
    def size(self, at):
        return 3

class Norm(torch.nn.Module):
    def forward(self, x, flag=None):
        mean = torch.zeros(x.data.size(1)).cuda()
        if flag:
            y = F.batch_norm(x, mean, mean + 1, training=True)
        else:
            y = torch.sigmoid(x) + mean
        return y
"""


def test_a_device_that_has_to_be_defined_is_that_of_the_weights_as_well() -> None:
    text = migrate(_PARTS + "\nNet().cuda()\n", "TP201").text
    assert "self.embed(best.to(device))" in text


def test_one_use_as_a_tensor_is_enough() -> None:
    assert "torch.zeros(x.data.size(1), device=x.device)" in migrate(_SIZED, "TP201").text


def test_but_not_one_of_what_takes_the_name_of_a_parameter() -> None:
    text = _SIZED.replace("x.data.size(1)", "self.n").replace(
        "        if flag:",
        "        words = x['words']\n        x = torch.ones(2, 3)\n        if flag:",
    )
    assert "device=device" in migrate(text, "TP201").text


@pytest.mark.parametrize(
    "line",
    [
        "if isinstance(x, list): return x",
        "if x is None: return flag",
        "if not x: return flag",
        "y = x or flag",
        "y = flag if x else 3",
        "if type(x) is list: return x",
        "for part in x: print(part)",
        "print([part for part in x])",
        "print(*x)",
        "print(x['words'])",
        "if hasattr(x, 'tensors'): return x",
    ],
)
def test_but_not_where_a_parameter_may_be_something_else(line: str) -> None:
    text = _SIZED.replace("        if flag:", f"        {line}\n        if flag:")
    assert "device=device" in migrate(text, "TP201").text
