from __future__ import annotations

from tests.support.rules import keeps, rewrites

test_rewrites = rewrites(
    "TP402",
    {
        "lines that end in a backslash": (
            """
            import torch
            def f(x):
                y = x.unsqueeze(0)\\
                    .expand(2, 3, 4)\\
                    .contiguous().view(-1, 4).sum()
                z = x.unsqueeze(0).contiguous()\\
                    .view(-1, 4).sum()
                return y + z
            """,
            """
            import torch
            def f(x):
                y = x.unsqueeze(0)\\
                    .expand(2, 3, 4)\\
                    .reshape(-1, 4).sum()
                z = x.unsqueeze(0)\\
                    .reshape(-1, 4).sum()
                return y + z
            """,
        ),
        "beside a function in which one is written to": (
            """
            import torch
            def f(x: torch.Tensor):
                y = x[:, :2].contiguous().view(-1, 2)
                y += 1
                return y.sum()
            def g(x: torch.Tensor):
                return x[:, :2].contiguous().view(-1, 2).sum()
            """,
            """
            import torch
            def f(x: torch.Tensor):
                y = x[:, :2].contiguous().view(-1, 2)
                y += 1
                return y.sum()
            def g(x: torch.Tensor):
                return x[:, :2].reshape(-1, 2).sum()
            """,
        ),
        "part of what a model gives": (
            """
            import torch, torch.nn as nn
            criterion = nn.CrossEntropyLoss()
            def loss(model, x, y, start):
                out = model(x)
                return criterion(out[:, start:].contiguous().view(-1, 4), y)
            """,
            """
            import torch, torch.nn as nn
            criterion = nn.CrossEntropyLoss()
            def loss(model, x, y, start):
                out = model(x)
                return criterion(out[:, start:].reshape(-1, 4), y)
            """,
        ),
        "argument of a layer": (
            """
            import torch, torch.nn as nn
            decoder = nn.Linear(4, 2)
            def decode(output):
                return decoder(output.contiguous().view(-1, 4))
            def run(x: torch.Tensor):
                return decode(x.transpose(0, 1))
            """,
            """
            import torch, torch.nn as nn
            decoder = nn.Linear(4, 2)
            def decode(output):
                return decoder(output.reshape(-1, 4))
            def run(x: torch.Tensor):
                return decode(x.transpose(0, 1))
            """,
        ),
        "heads of an attention, made by a layer and viewed": (
            """
            import torch, torch.nn as nn
            query, out = nn.Linear(4, 4), nn.Linear(4, 4)
            def attend(x):
                q = query(x).view(2, 3, 2, 2)
                q = q.permute(2, 0, 1, 3).contiguous().view(-1, 4)
                return out(q)
            """,
            """
            import torch, torch.nn as nn
            query, out = nn.Linear(4, 4), nn.Linear(4, 4)
            def attend(x):
                q = query(x).view(2, 3, 2, 2)
                q = q.permute(2, 0, 1, 3).reshape(-1, 4)
                return out(q)
            """,
        ),
        "name that is only read": (
            """
            import torch, torch.nn as nn
            criterion = nn.MSELoss()
            def loss(x, y):
                x = torch.mm(x, y)
                flat = x.transpose(0, 1).contiguous().view(-1)
                print(flat.size(), flat.mean())
                return criterion(flat, y)
            """,
            """
            import torch, torch.nn as nn
            criterion = nn.MSELoss()
            def loss(x, y):
                x = torch.mm(x, y)
                flat = x.transpose(0, 1).reshape(-1)
                print(flat.size(), flat.mean())
                return criterion(flat, y)
            """,
        ),
        "name of new memory under several names that only read": (
            """
            import torch, torch.nn as nn
            lstm = nn.LSTM(3, 4)
            def f(x):
                output, _ = lstm(x)
                turned = output.transpose(0, 1)
                flat = turned.contiguous().view(-1)
                size = x.contiguous().view(-1).size(0)
                shape = x.contiguous().view(-1).shape
                return flat.sum(), size, shape
            """,
            """
            import torch, torch.nn as nn
            lstm = nn.LSTM(3, 4)
            def f(x):
                output, _ = lstm(x)
                turned = output.transpose(0, 1)
                flat = turned.reshape(-1)
                size = x.reshape(-1).size(0)
                shape = x.reshape(-1).shape
                return flat.sum(), size, shape
            """,
        ),
        "lines of a chain": (
            """
            import torch
            n = (torch.rand(2, 3).t()
                 .contiguous()
                 .view(-1)
                 .sum())
            """,
            """
            import torch
            n = (torch.rand(2, 3).t()
                 .reshape(-1)
                 .sum())
            """,
        ),
        "comment in the chain": (
            """
            import torch
            n = (torch.rand(2, 3).t()
                 .contiguous()  # view needs it
                 .view(-1))
            """,
            """
            import torch
            n = (torch.rand(2, 3).t()  # view needs it
                 .reshape(-1))
            """,
        ),
        "module of this file that only reads": (
            """
            import torch, torch.nn as nn
            class Head(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(4, 2)
                def forward(self, x):
                    return self.fc(x)
            head = Head()
            def run(x):
                return head(x.permute(1, 0).contiguous().view(-1, 4))
            """,
            """
            import torch, torch.nn as nn
            class Head(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(4, 2)
                def forward(self, x):
                    return self.fc(x)
            head = Head()
            def run(x):
                return head(x.permute(1, 0).reshape(-1, 4))
            """,
        ),
    },
)

_WRITES = {
    "in-place method": "y.add_(1)",
    "augmented assignment": "y += 1",
    "item assignment": "y[0] = 0",
    "out=": "torch.add(z, 1, out=y)",
    "write through a view": "y.t().zero_()",
    "write into the source": "x.zero_(); print(y)",
    "in-place functional": "F.relu(y, inplace=True)",
    "in-place layer": "relu(y)",
    "in-place functional by position": "F.leaky_relu(y, 0.1, True)",
    "in-place method of several tensors": "y.addmm_(z, z)",
    "kept": "cache.y = y",
    "unknown function": "normalize(y)",
    "numpy": "a = y.numpy()",
    "returned": "return y",
    "viewed again": "y.view(-1)",
    "result of the same layout viewed": "(y * 2).view(-1)",
}

test_keeps_where_written = keeps(
    "TP402",
    {
        name: f"""
            import torch, torch.nn as nn, torch.nn.functional as F
            relu = nn.ReLU(inplace=True)
            def f(z, normalize, cache):
                x = torch.mm(z, z)
                y = x[:, :2].contiguous().view(-1, 2)
                {write}
            """
        for name, write in _WRITES.items()
    },
)

_SOURCES = {
    "parameter": "x = z",
    "view of a parameter": "x = z.t()",
    "part of a parameter": "x = z[1:]",
    "attribute": "x = net.weight",
    "data": "x = z.data",
    "numpy": "x = torch.from_numpy(z)",
    "unknown": "x = cache(z)",
    "what dropout may pass on": "x = F.dropout(z)",
    "what a dropout layer may pass on": "x = nn.Dropout()(z)",
    "what an in-place layer passes on": "x = relu(z)",
    "new memory with two names": "x = w = torch.mm(z, z)",
    "new memory written to under an older name": "x = torch.mm(z, z); w = x; w.zero_()",
    "new memory kept before": "x = torch.mm(z, z); cache.x = x",
    "written to by a view of its source": "w = torch.mm(z, z); x = w.t(); w.zero_()",
    "one of two": "x = torch.mm(z, z) if cache else z",
}

test_keeps_sources_others_know = keeps(
    "TP402",
    {
        name: f"""
            import torch, torch.nn as nn, torch.nn.functional as F
            relu = nn.ReLU(inplace=True)
            def f(z, net, cache):
                {source}
                y = x[:, :2].contiguous().view(-1, 2)
                z.zero_()
                return y.sum()
            """
        for name, source in _SOURCES.items()
    },
)

test_keeps = keeps(
    "TP402",
    {
        "what nothing in sight lays out otherwise": """
            import torch, torch.nn as nn
            decoder = nn.Linear(4, 2)
            def decode(output):
                return decoder(output.contiguous().view(-1, 4))
            def run(x: torch.Tensor):
                return decode(x), decoder(decoder(x).contiguous().view(-1, 4))
            """,
        "beside one that is written to": """
            import torch
            def f(z):
                x, w = torch.mm(z, z), torch.mm(z, z)
                y = w[:, :2].contiguous().view(-1, 2)
                y += 1
                return x[:, :2].contiguous().view(-1, 2).sum() + y.sum()
            """,
        "beside one that is kept": """
            import torch
            def f(x: torch.Tensor, cache):
                cache.x = x[:, 1:].contiguous().view(-1)
                return x.t().contiguous().view(4, -1).sum()
            """,
        "beside a view that may fail": """
            import torch
            def heads(x: torch.Tensor, y: torch.Tensor):
                return x.contiguous().view(2, -1).sum(), y.view(-1)
            """,
        "read by an inner function": """
            import torch
            def f(x):
                y = x[:, :2].contiguous().view(-1, 2)
                def g():
                    y.zero_()
                g()
            """,
        "module of this file that writes": """
            import torch, torch.nn as nn
            class Head(nn.Module):
                def forward(self, x):
                    x += 1
                    return x
            head = Head()
            def run(x):
                head(x[:, :2].contiguous().view(-1, 2))
            """,
        "written in the next pass of a loop": """
            import torch
            def f(x):
                for i in range(3):
                    x.add_(1)
                    y = x[:, :2].contiguous().view(-1, 2)
                    print(y)
            """,
        "attribute": """
            import torch, torch.nn as nn
            class Net(nn.Module):
                def forward(self, x):
                    self.h = torch.mm(x, x)
                    y = self.h.t().contiguous().view(-1)
                    z = torch.dropout(self.h.t().contiguous().view(-1), 0.5, self.training)
                    self.h.zero_()
                    return y.sum() + z.sum()
            """,
        "memory format": """
            import torch
            torch.rand(2, 3).contiguous(memory_format=torch.contiguous_format).view(-1).sum()
            """,
        "dtype": """
            import torch
            torch.rand(2, 3).contiguous().view(torch.int32).sum()
            """,
        "argument that may be a dtype": """
            import torch
            def f(kind):
                return torch.rand(2, 3).contiguous().view(kind).sum()
            """,
        "method of another class": """
            class Region:
                def contiguous(self):
                    return self
                def view(self, a, b):
                    return a
            def f(region):
                region.contiguous().view(1, 2)
            """,
        "bare contiguous": """
            import torch
            y = torch.rand(2, 3).t().contiguous()
            y.view(-1).sum()
            """,
        "suppressed": """
            import torch
            torch.rand(2, 3).contiguous().view(-1).sum()  # noqa: TP402
            """,
    },
)
