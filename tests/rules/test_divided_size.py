from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, keeps, rewrites
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = """
            import math
            import numpy as np
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            """


def _line(before: str, after: str) -> tuple[str, str]:
    return f"{_HEAD}{before}\n", f"{_HEAD}{after}\n"


test_rewrites = rewrites(
    "TP414",
    {
        "layer": _line("conv = nn.Conv2d(c / 2, c/4, 3)", "conv = nn.Conv2d(c // 2, c//4, 3)"),
        "count": _line(
            "best = torch.ones(c).topk(c / 2)",
            "best = torch.ones(c).topk(c // 2)",
        ),
        "keyword": _line(
            "conv = nn.Conv1d(c, c, k, padding=(k - 1) / 2)",
            "conv = nn.Conv1d(c, c, k, padding=(k - 1) // 2)",
        ),
        "arithmetic": _line(
            "fc = nn.Linear(c * (h / 4) * (w / 4), -(-c / 2))",
            "fc = nn.Linear(c * (h // 4) * (w // 4), -(-c // 2))",
        ),
        "the length of what numpy made": _line(
            "rows = np.concatenate(many); order = range(len(rows) / n)",
            "rows = np.concatenate(many); order = range(len(rows) // n)",
        ),
        "a size that numpy keeps": _line(
            "s = np.array(x.size()); x = x.view(s[0] / 2, np.asarray(x.shape)[1] / 2)",
            "s = np.array(x.size()); x = x.view(s[0] // 2, np.asarray(x.shape)[1] // 2)",
        ),
        "what it is divided by": _line(
            "x = torch.zeros(n / scales[0], len(words) / self.heads)",
            "x = torch.zeros(n // scales[0], len(words) // self.heads)",
        ),
        "several sizes": _line(
            "x = torch.ones((n / 2, m)); y = x.view([n / 2, -1])",
            "x = torch.ones((n // 2, m)); y = x.view([n // 2, -1])",
        ),
        "how many are drawn": _line(
            "i = np.random.choice(n, m / 2, replace=False)",
            "i = np.random.choice(n, m // 2, replace=False)",
        ),
        "several sizes by their name": _line(
            "y = F.interpolate(x, size=(h / 2, w / 2)); y = F.interpolate(y, size=h / 2)",
            "y = F.interpolate(x, size=(h // 2, w // 2)); y = F.interpolate(y, size=h // 2)",
        ),
        "a list of sizes": _line(
            "size = [h / 2, w / 2]; y = F.interpolate(x, size)",
            "size = [h // 2, w // 2]; y = F.interpolate(x, size)",
        ),
        "sizes of a comprehension": _line(
            "size = [n / 2 for n in x.shape[2:]]; y = F.interpolate(x, size=size)",
            "size = [n // 2 for n in x.shape[2:]]; y = F.interpolate(x, size=size)",
        ),
        "sizes that are handed to a tuple": _line(
            "y = F.adaptive_avg_pool2d(x, tuple(n / k for n in sizes))",
            "y = F.adaptive_avg_pool2d(x, tuple(n // k for n in sizes))",
        ),
        "sizes that are taken apart": _line(
            "h, w = [n / 2 for n in sizes]; y = torch.zeros(h, w)",
            "h, w = [n // 2 for n in sizes]; y = torch.zeros(h, w)",
        ),
        "sizes that are gone through": _line(
            "layers = [nn.Linear(n, n) for n in [c / 2, c / 4]]",
            "layers = [nn.Linear(n, n) for n in [c // 2, c // 4]]",
        ),
        "sizes of a list": _line(
            "sizes = [c / k for k in (1, 2)]; fc = nn.Linear(sizes[0], sizes[1])",
            "sizes = [c // k for k in (1, 2)]; fc = nn.Linear(sizes[0], sizes[1])",
        ),
        "starred sizes": _line(
            "size = [n / 2 for n in sizes]; y = torch.zeros(3, *size)",
            "size = [n // 2 for n in sizes]; y = torch.zeros(3, *size)",
        ),
        "size of an image": _line(
            "import cv2; x = cv2.resize(image, (w / 2, h / 2))",
            "import cv2; x = cv2.resize(image, (w // 2, h // 2))",
        ),
        "sizes one by one": _line(
            "x = x.view(n, m / k, k, k).transpose(1, 2)",
            "x = x.view(n, m // k, k, k).transpose(1, 2)",
        ),
        "type": _line(
            "x = torch.LongTensor(n / 2, m); y = torch.FloatTensor(len(words) / 2)",
            "x = torch.LongTensor(n // 2, m); y = torch.FloatTensor(len(words) // 2)",
        ),
        "function": _line("x, y = torch.split(z, n / 2, 1)", "x, y = torch.split(z, n // 2, 1)"),
        "range": _line(
            "for i in range(0, len(rows) / 2):\n                pass",
            "for i in range(0, len(rows) // 2):\n                pass",
        ),
        "the smaller one": _line(
            "for i in range(min(len(a) / n, 5)): print(xs[i])\n"
            "            x = list(a)[max(0, n / 2):], torch.zeros(abs(n / 2 - m))",
            "for i in range(min(len(a) // n, 5)): print(xs[i])\n"
            "            x = list(a)[max(0, n // 2):], torch.zeros(abs(n // 2 - m))",
        ),
        "one of two": _line(
            "x = range(len(a) / n if n else 3), torch.zeros(1 if m else n / 2)",
            "x = range(len(a) // n if n else 3), torch.zeros(1 if m else n // 2)",
        ),
        "shape of an array": _line(
            "x = np.zeros((n / 2, 3)) + np.ones(len(a) / 2, dtype=int)\n"
            "            y = np.random.rand(3, n / 2), np.random.randint(0, 9, n / 2)",
            "x = np.zeros((n // 2, 3)) + np.ones(len(a) // 2, dtype=int)\n"
            "            y = np.random.rand(3, n // 2), np.random.randint(0, 9, n // 2)",
        ),
        "list": _line(
            "x = [0] * (n / 2) + [1, 2] * (len(words) / 2) + 'ab' * (n / 2)",
            "x = [0] * (n // 2) + [1, 2] * (len(words) // 2) + 'ab' * (n // 2)",
        ),
        "slice": _line("x = torch.rand(4, 4)[:, : n / 2]", "x = torch.rand(4, 4)[:, : n // 2]"),
        "block of what is not known": _line(
            "k = (3 + 4) / 2; x = frame[i][0][k:(n-k), k:(n - k)], frame[: n / 2, 0]",
            "k = (3 + 4) // 2; x = frame[i][0][k:(n-k), k:(n - k)], frame[: n // 2, 0]",
        ),
        "two quotients": _line(
            "a = 8; k = n / 2 - a / 2; x = frame[k:, m / 2 - a / 2 : k + 1]",
            "a = 8; k = n // 2 - a // 2; x = frame[k:, m // 2 - a // 2 : k + 1]",
        ),
        "size of what numpy reads": _line(
            "x = np.load(y); k = x.shape[0] / 2 - 32 / 2; z = x[k : k + 32, k:]",
            "x = np.load(y); k = x.shape[0] // 2 - 32 // 2; z = x[k : k + 32, k:]",
        ),
        "two quotients by name": _line(
            "a = 8; h = a / 2; x = frame[n / 2 - h :, 0]",
            "a = 8; h = a // 2; x = frame[n // 2 - h :, 0]",
        ),
        "index": _line("x = torch.rand(4, 4)[n / 2]", "x = torch.rand(4, 4)[n // 2]"),
        "one of two indices": _line(
            "x = [2, 3]; y = torch.rand(4, 4)[x[0], n / 2 + 1]",
            "x = [2, 3]; y = torch.rand(4, 4)[x[0], n // 2 + 1]",
        ),
        "index of an array by name": _line(
            "x = np.ones(3); k = n / 2; print(x[k], [1, 2][k])",
            "x = np.ones(3); k = n // 2; print(x[k], [1, 2][k])",
        ),
        "index between others": _line(
            "x = torch.rand(4, 4)[:, n / 2 - 1, :]", "x = torch.rand(4, 4)[:, n // 2 - 1, :]"
        ),
        "index by a name": _line(
            "mid = len(xs) / 2; x = sorted(xs)[mid] + np.zeros(n)[mid]",
            "mid = len(xs) // 2; x = sorted(xs)[mid] + np.zeros(n)[mid]",
        ),
        "halved in a loop": (
            """
            import torch.nn as nn
            class Block(nn.Module):
                def __init__(self, n, m):
                    super().__init__()
                    self.conv = nn.Conv2d(n, m, 3)
            def layers(width, depth):
                n, model = width * 16, []
                for i in range(depth):
                    model += [Block(n, n / 2)]
                    n /= 2  # and so on
                return model
            """,
            """
            import torch.nn as nn
            class Block(nn.Module):
                def __init__(self, n, m):
                    super().__init__()
                    self.conv = nn.Conv2d(n, m, 3)
            def layers(width, depth):
                n, model = width * 16, []
                for i in range(depth):
                    model += [Block(n, n // 2)]
                    n //= 2  # and so on
                return model
            """,
        ),
        "compared and halved in a loop": (
            """
            import torch.nn as nn
            def layers(size):
                model = []
                while size > 4:
                    size = size / 2
                    model.append(nn.Linear(size, 1))
                return model
            """,
            """
            import torch.nn as nn
            def layers(size):
                model = []
                while size > 4:
                    size = size // 2
                    model.append(nn.Linear(size, 1))
                return model
            """,
        ),
        "calculated with in place": _line(
            "n = size / 2; n += 1\n            n /= 3\n            fc = nn.Linear(n, n - 1)",
            "n = size // 2; n += 1\n            n //= 3\n            fc = nn.Linear(n, n - 1)",
        ),
        "name": (
            """
            import torch.nn as nn
            class Block(nn.Module):
                def __init__(self, planes):
                    super().__init__()
                    mid = planes / 4  # bottleneck
                    self.conv1 = nn.Conv2d(planes, mid, 1)
                    self.bn1 = nn.BatchNorm2d(mid)
                    self.conv2 = nn.Conv2d(mid, planes - mid, 1)
            """,
            """
            import torch.nn as nn
            class Block(nn.Module):
                def __init__(self, planes):
                    super().__init__()
                    mid = planes // 4  # bottleneck
                    self.conv1 = nn.Conv2d(planes, mid, 1)
                    self.bn1 = nn.BatchNorm2d(mid)
                    self.conv2 = nn.Conv2d(mid, planes - mid, 1)
            """,
        ),
        "items of integers that have to be sizes": (
            """
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self, scale=4):
                    super().__init__()
                    self.scale = scale
                    filters = [64, 128]
                    filters = [x / self.scale for x in filters]
                    self.inplanes = filters[0]
                    self.out = nn.Conv2d(filters[1], 3, 1)
            """,
            """
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self, scale=4):
                    super().__init__()
                    self.scale = scale
                    filters = [64, 128]
                    filters = [x // self.scale for x in filters]
                    self.inplanes = filters[0]
                    self.out = nn.Conv2d(filters[1], 3, 1)
            """,
        ),
        "name of integers that has to be a size at once": (
            """
            import torch
            def halve(x, sel):
                points = x.size(2)
                points = points / 2
                x = x.contiguous()
                x = x.view(-1, 2, points)
                return x, sel + torch.arange(0, points)
            def quarter(x: torch.Tensor):
                points = len(x)
                points /= 4
                for row in x.view(points, -1):
                    if row.sum() > 0:
                        return row
                return 1.0 / points
            """,
            """
            import torch
            def halve(x, sel):
                points = x.size(2)
                points = points // 2
                x = x.contiguous()
                x = x.view(-1, 2, points)
                return x, sel + torch.arange(0, points)
            def quarter(x: torch.Tensor):
                points = len(x)
                points //= 4
                for row in x.view(points, -1):
                    if row.sum() > 0:
                        return row
                return 1.0 / points
            """,
        ),
        "parameters": (
            """
            import torch.nn as nn
            def conv3x3(planes, out, stride=1):
                return nn.Conv2d(planes, out, 3, stride, padding=1)
            class Block(nn.Module):
                def __init__(self, planes, blocks=2):
                    super().__init__()
                    self.conv = conv3x3(planes / 2, out=planes/4)
                    self.strides = [1] * (blocks - 1)
                    if planes != 64:
                        self.bn = nn.BatchNorm2d(planes)
                    self.scale = 1.0 / planes
            class Net(nn.Module):
                def __init__(self, depth):
                    super().__init__()
                    n = (depth - 4) / 6
                    self.block = Block(64, n)
                    self.layer = self.make(64, depth / 2)
                def make(self, planes, blocks):
                    return [Block(planes, blocks) for _ in range(blocks)]
            """,
            """
            import torch.nn as nn
            def conv3x3(planes, out, stride=1):
                return nn.Conv2d(planes, out, 3, stride, padding=1)
            class Block(nn.Module):
                def __init__(self, planes, blocks=2):
                    super().__init__()
                    self.conv = conv3x3(planes // 2, out=planes//4)
                    self.strides = [1] * (blocks - 1)
                    if planes != 64:
                        self.bn = nn.BatchNorm2d(planes)
                    self.scale = 1.0 / planes
            class Net(nn.Module):
                def __init__(self, depth):
                    super().__init__()
                    n = (depth - 4) // 6
                    self.block = Block(64, n)
                    self.layer = self.make(64, depth // 2)
                def make(self, planes, blocks):
                    return [Block(planes, blocks) for _ in range(blocks)]
            """,
        ),
        "method": (
            """
            import torch.nn as nn
            class Shuffle(nn.Module):
                def forward(self, x):
                    n, c, h, w = x.size()
                    return x.view(n, self.groups, c / self.groups, h, w)
            """,
            """
            import torch.nn as nn
            class Shuffle(nn.Module):
                def forward(self, x):
                    n, c, h, w = x.size()
                    return x.view(n, self.groups, c // self.groups, h, w)
            """,
        ),
    },
)

_KEPT = {
    "divided in place and used otherwise": "n = 8; n /= 2; fc = nn.Linear(n, 1); print(n)",
    "divided in place by a float": "n = size(); n /= 2.\n            fc = nn.Linear(int(n), 1)",
    "a float is divided in place": "n = 0.5; n /= 2\n            x = torch.rand(n, 1)",
    "made a float in place": "n = size / 2; n *= 0.5\n            fc = nn.Linear(n, 1)",
    "made something else in place": "n = size / 2; n %= m\n            fc = nn.Linear(n, 1)",
    "an attribute is divided in place": "self.n /= 2\n            fc = nn.Linear(self.n, 1)",
    "divided in place and not used": "n = 8\n            n /= 2",
    "whole already": "conv = nn.Conv2d(c // 2, int(c / 4), 3)",
    "number": "drop = nn.Dropout(p / 2); x = torch.full((2,), n / 2); y = torch.arange(0, n / 2)",
    "number of a layer": "bn = nn.BatchNorm2d(c, eps / 2); up = nn.Upsample(None, n / 2)",
    "layer that does not look": "bn = nn.BatchNorm2d(c / 2, track_running_stats=stats)",
    "layer that takes anything": "norm = nn.InstanceNorm2d(c / 2)",
    "float": "conv = nn.Conv2d(c / 2.0, 4, 3)",
    "float by name": "r = 0.5\n            conv = nn.Conv2d(c / r, 4, 3)",
    "numbers of an array": "x = np.full(3, n / 2), np.random.uniform(0, n / 2), np.log(n / 2)",
    "the smaller one, printed": "k = min(n / 2, 5)\n            print(k, range(k))",
    "the smaller one by a function": "def min(a, b): ...\n            x = range(min(n / 2, 5))",
    "the smaller one, rounded": "x = range(int(min(n / 2, 5))), range(round(n / 2))",
    "what chooses": "x = range(2 if n / 2 else 3)",
    "a float is the smaller one": "x = range(min(2.0 / n, 5))",
    "float around": "conv = nn.Conv2d(1.5 * (c / 2), 4, 3)",
    "result of a function": "conv = nn.Conv2d(round(c) / 2, math.sqrt(c) / 2, np.prod(c) / 2)",
    "a power that was rounded up": (
        "n = 2 ** np.ceil(np.log2(m)); x = torch.zeros(int(n))[1:n / 2 + 1]; y = range(n / 2)"
    ),
    "numbers of mathematics": "conv = nn.Conv2d(math.pi / c, np.pi / 2, 3)",
    "data": "x = torch.tensor([n / 2]); y = torch.Tensor([n / 2]); z = torch.tensor(n / 2)",
    "data or a size": "x = torch.FloatTensor(image / 255); y = torch.rand(2).new(image / 255)",
    "data or a size by name": "x /= std\n            x = torch.FloatTensor(x)",
    "an array that a list scales": "x = [0.2, 0.4] * (image / 255)",
    "an array that a list scales by name": "s = [0.2, 0.4]\n            x = s * (image / 255)",
    "unknown receiver": "x = x.view(n / 2, m)",
    "how an image is scaled": "import cv2; x = cv2.resize(image, None, m, n / 2, n / 2)",
    "one that is drawn": "x = np.random.choice(n / 2)",
    "other sizes": "x = x.view(n / 2, m, [n, m])",
    "method of this name": "x = [1].view(n / 2); y = np.zeros(3).view(n / 2)",
    "unknown slice": "x = frame[: n / 2]",
    "a quotient beside a fraction": "a = 0.5; x = frame[n / 2 - a :, n / 2 - 1 / 2. :]",
    "a mean of what numpy reads": "x = np.load(y); z = x[x.mean() / 2 :, x / 2 :]",
    "a quotient beside a root": "a = math.sqrt(3); x = frame[n / 2 - a :, 0]",
    "place beside a slice": "x = frame[:, n / 2]",
    "block by its labels": "x = frame.loc[: n / 2, m / 4 :]",
    "points of a grid": "x = np.mgrid[: n / 2, : m / 2]",
    "points of a grid by name": "from numpy import mgrid\n            x = mgrid[: n / 2, : m / 2]",
    "block that a dict tells": "x = {}[: n / 2, : m / 2]",
    "index of what is not known": "x = frame[n / 2]",
    "key of a dict": "x = {0.5: 1}[n / 2]",
    "indexed itself": "x = (torch.rand(4) / 2)[0]",
    "index by a tensor": "x = torch.rand(4)[torch.arange(3) / 2]",
    "one of two that are indexed": "x = (m, n / 2)[0], [m, n / 2][1]",
    "an index that is used otherwise": "i = n / 2; x = [1, 2][i] if i > 0.5 else 0.5 * i",
    "other use": "k = n / 2\n            print(k); conv = nn.Conv2d(k, 4, 3)",
    "no use": "k = n / 2",
    "counted on": "k = n / 2\n            k += 0.5\n            conv = nn.Conv2d(k, 4, 3)",
    "attribute": "self.k = n / 2",
    "range of this file": "def range(x):\n                return x\n            range(n / 2)",
    "layer of this file": (
        "class Linear(nn.Module):\n                pass\n            fc = Linear(n / 2, 3)"
    ),
    "another library": "import mxnet.gluon as g\n            fc = g.nn.Dense(n / 2)",
    "several arguments": "conv = nn.Conv2d(*args, c / 2)",
    "tensor": "i = torch.arange(3)\n            x = torch.zeros(i / 2)",
    "how much larger": "y = F.interpolate(x, scale_factor=n / 2)",
    "how much larger in each dimension": (
        "s = [n / 2 for n in sizes]; y = F.interpolate(x, scale_factor=s)"
    ),
    "a list that is printed as well": (
        "size = [n / 2 for n in sizes]; y = torch.zeros(size); print(size)"
    ),
    "a list of floats": "size = [n / 2. for n in sizes]; y = torch.zeros(size)",
    "a list that was whole": "size = [int(n / 2) for n in sizes]; y = torch.zeros(size)",
    "a list of data": "parts = [n / 2 for n in sizes]; y = torch.tensor(parts)",
    "a list that is kept": (
        "self.sizes = [n / 2 for n in sizes]\n            y = torch.zeros(self.sizes)"
    ),
    "a list that is added to": (
        "size = [n / 2 for n in sizes]; size.append(0.5); y = torch.zeros(size)"
    ),
    "a list of two kinds": "a, b = [n / 2 for n in sizes]; y = torch.zeros(a); print(b)",
    "a dict of sizes": "sizes = {n: n / 2 for n in sizes}; y = torch.zeros(sizes[3])",
    "a set of sizes": "y = torch.zeros(max({n / 2 for n in sizes}))",
    "a size that numpy calculates": "s = np.array(x.size()); x = x.view((s * 0.5)[0] / 2)",
    "a size that numpy keeps as a float": "y = x.view(np.array(x.size(), np.float32)[0] / 2)",
    "what numpy keeps of what is not known": "s = np.array(sizes); y = x.view(s[0] / 2)",
    "several sizes that numpy keeps": "s = np.array(x.size()); y = x.view(s[:2] / 2)",
    "another of a list": "c = [n, m / 2]; fc = nn.Linear(c[0], c[0])",
    "starred to what is not known": "size = [n / 2 for n in sizes]; y = make(*size)",
    "suppressed": "conv = nn.Conv2d(c / 2, 4, 3)  # noqa: TP414",
}

_LAYER = "net = nn.Conv2d(filters[0], 3, 1)"

test_keeps = keeps(
    "TP414",
    {
        **{name: f"{_HEAD}{line}\n" for name, line in _KEPT.items()},
        "only compared in a loop": """
            import torch.nn as nn
            def layers(size, n):
                model = []
                size = size / 2
                while size > 4:
                    model.append(nn.Conv2d(n, n * 2, 4, 2, 1))
                    n = n * 2
                    size = size / 2
                return model
            """,
        "only compared in a loop, in place": """
            import torch.nn as nn
            def layers(size, n):
                model = []
                while size > 4:
                    model.append(nn.Conv2d(n, n * 2, 4, 2, 1))
                    n = n * 2
                    size /= 2
                return model
            """,
        **{
            name: f"""
            import torch.nn as nn
            def build(scale, sizes):
                filters = [64, 128]
                filters = [x / {by} for x in {of}]
                {does}
                print(filters[1])
                {layer}
            """
            for name, by, of, does, layer in (
                ("items of what is not known", "scale", "sizes", "pass", _LAYER),
                ("items divided by a float", "0.5", "filters", "pass", _LAYER),
                ("items that are set anew", "scale", "filters", "filters[0] = 32", _LAYER),
                ("items that may be set anew", "scale", "filters", "mend(filters)", _LAYER),
                ("items that may not be sizes", "scale", "filters", "pass", f"if sizes: {_LAYER}"),
                (
                    "items of items",
                    "scale",
                    "filters",
                    "pass",
                    "net = nn.Conv2d(filters[0][0], 3, 1)",
                ),
                ("given back first", "scale", "filters", "if sizes: return filters[0]", _LAYER),
            )
        },
        "name of what may be a fraction": """
            import torch
            def halve(x: torch.Tensor, n, bounds):
                half = n / 2
                x = x.view(-1, half)
                return x, torch.arange(0, half)
            """,
        "name that a function may give back first": """
            import torch
            def halve(x: torch.Tensor, n, bounds):
                half = len(x) / 2
                if n:
                    return half
                x = x.view(-1, half)
                return x, torch.arange(0, half)
            """,
        "name that is a size by chance": """
            import torch
            def halve(x: torch.Tensor, n, bounds):
                half = len(x) / 2
                if n:
                    x = x.view(-1, half)
                return x, torch.arange(0, half)
            """,
        "name that is a size for each of none": """
            import torch
            def halve(x: torch.Tensor, n, bounds):
                half = len(x) / 2
                for _ in bounds:
                    x = x.view(-1, half)
                return x, torch.arange(0, half)
            """,
        "name that is a size where one is missing": """
            import torch
            def halve(x: torch.Tensor, n, bounds):
                half = len(x) / 2
                x = n and x.view(-1, half)
                return x, torch.arange(0, half)
            """,
        "name that is made whole first": """
            import torch
            def halve(x: torch.Tensor, n, bounds):
                half = len(x) / 2
                if half % 1:
                    half = int(half)
                x = x.view(-1, half)
                return x, torch.arange(0, half)
            """,
        "name that is a size when it is asked": """
            import torch
            def halve(x: torch.Tensor, n, bounds):
                half = len(x) / 2
                x = lambda: x.view(-1, half)
                return x, torch.arange(0, half)
            """,
        "name that is a size in turn": """
            import torch
            def halve(x: torch.Tensor, n, bounds):
                half = len(x) / 2
                x = [x.view(-1, half) for _ in bounds]
                return x, torch.arange(0, half)
            """,
        "name that is tried for a size": """
            import torch
            def halve(x: torch.Tensor):
                half = 0
                try:
                    half = len(x) / 2
                    x = x.view(-1, half)
                except TypeError:
                    pass
                return x, torch.arange(0, half)
            """,
        "name of a module": """
            import torch
            x = torch.rand(4)
            half = len(x) / 2
            x = x.view(-1, half)
            y = torch.arange(0, half)
            """,
        "a kernel": """
            import torch
            import warp as wp
            @wp.kernel
            def draw(size: int):
                radius = size / 2
                for y in range(-radius, radius + 1):
                    wp.atomic_add(y, 1)
            """,
        "parameter that is made whole": """
            import torch.nn as nn
            def conv3x3(planes, out):
                return nn.Conv2d(int(planes), int(out), 3)
            conv = conv3x3(c / 2, c / 4)
            """,
        "parameter that may be a float": """
            import torch.nn as nn
            class Block(nn.Module):
                def __init__(self, planes, rate):
                    super().__init__()
                    self.conv = nn.Conv2d(3, planes, 3)
                    self.rate = rate
                    self.planes = planes
            block = Block(c / 2, c / 4)
            """,
        "parameter by chance": """
            import torch.nn as nn
            def conv3x3(planes, out):
                return nn.Conv2d(planes, out, 3)
            conv = conv3x3(*sizes, c / 4)
            """,
        "forward": """
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self, n):
                    super().__init__()
                    self.fc = nn.Linear(n, n)
                def forward(self, x):
                    return x
            net = Net(3)
            y = net(c / 2)
            """,
        "true division": """
            from __future__ import division
            import torch.nn as nn
            conv = nn.Conv2d(c / 2, 4, 3)
            """,
        "no torch": """
            for i in range(len(x) / 2):
                print(i)
            """,
    },
)


def test_what_is_divided_and_multiplied_again_is_no_multiple_today() -> None:
    text = "import torch\ndef fit(x, sizes):\n    sizes[0] = (x.shape[0] / 64) * 64\n"
    (told,) = advice("TP414", text)
    assert told.message == (
        "x.shape[0] / 64 * 64 is x.shape[0] again in Python 3, where Python 2 rounded whole numbers "
        "down to a multiple of 64: write x.shape[0] // 64 * 64"
    )


def test_the_same_multiple_is_told_once_with_all_its_lines() -> None:
    text = "import torch\ndef fit(n, k):\n    a = n / 64 * 64\n    b = k / 64 * 64\n"
    same, other = advice("TP414", f"{text}    return n / 64 * 64, n / 8 * 8, b\n")[::2]
    assert same.message.endswith("write n // 64 * 64, here and in line 5")
    assert other.message.endswith("write n // 8 * 8")


@pytest.mark.parametrize(
    ("size", "is_told"),
    [
        ("n / 64 * 64", True),
        ("1000 * (x / 1000)", True),
        ("x - (len(x) / 8) * 8", True),
        ("n // 64 * 64", False),
        ("n / 64 * 32", False),
        ("n / 64 + 64", False),
        ("n * 64 / 64", False),
        ("n / 64.0 * 64.0", False),
        ("0.5 * n / 64 * 64", False),
        ("torch.rand(3) / 64 * 64", False),
        ("float(n) / 64 * 64", False),
        ("n / k * k", False),
        ("n / 1 * 1", False),
        ("int(n / 64) * 64", False),
        ("n / 64 * 64  # noqa: TP414", False),
    ],
)
def test_nothing_else_is_said_of_what_is_divided(size: str, is_told: bool) -> None:
    text = f"import torch\ndef fit(n, k, x):\n    return {size}\n"
    assert bool(advice("TP414", text)) == is_told


_PADDED = """
import torch.nn as nn
class Net(nn.Module):
    def __init__(self, opt):
        super(Net, self).__init__()
        self.padding = ((opt.width - 1) / 2, 0)
        self.conv = nn.Conv2d(1, 4, (opt.width, 8), 1, self.padding)
"""


@pytest.mark.parametrize(
    ("old", "new", "is_size"),
    [
        ("", "", True),
        (
            "self.conv = nn.Conv2d(1, 4, (opt.width, 8), 1, self.padding)",
            "print(self.padding)",
            False,
        ),
        ("1, self.padding)", "1, self.padding)\n        print(self.padding)", False),
        ("1, self.padding)", "1, self.padding[0])", True),
        ("1, self.padding)", "1, self.padding[1])", False),
        ("(opt.width - 1) / 2", "0.5 * opt.width / 2", False),
        ("Net(nn.Module)", "Net(Base)", False),
    ],
)
def test_sizes_that_an_attribute_keeps(tmp_path: Path, old: str, new: str, is_size: bool) -> None:
    code = _PADDED.replace(old, new, 1) if old else _PADDED
    assert old == "" or code != _PADDED
    (tmp_path / "setup.py").touch()
    (tmp_path / "net.py").write_text(code)
    result = migrate_file(tmp_path / "net.py", Settings(select=("TP414",)), write=False)
    assert result.after == (code.replace("/ 2", "// 2") if is_size else None)
