from __future__ import annotations

from tests.support.rules import keeps, rewrites


def _body(code: str) -> str:
    return f"import torch\n{code}\n"


test_rewrites = rewrites(
    "TP427",
    {
        name: (_body(before), _body(after))
        for name, (before, after) in {
            "generator alone": ("torch.cat(f(x) for x in xs)", "torch.cat([f(x) for x in xs])"),
            "generator in parentheses": (
                "torch.cat((f(x) for x in xs), 1)",
                "torch.cat([f(x) for x in xs], 1)",
            ),
            "generator over lines": (
                "torch.stack(\n    f(x)  # each\n    for x in xs\n)",
                "torch.stack(\n    [f(x)  # each\n        for x in xs]\n)",
            ),
            "map": ("torch.stack(map(f, xs), dim=1)", "torch.stack(list(map(f, xs)), dim=1)"),
            "filter, reversed": (
                "torch.cat(filter(None, xs)), torch.cat(reversed(xs))",
                "torch.cat(list(filter(None, xs))), torch.cat(list(reversed(xs)))",
            ),
            "values of a dict": (
                "d = {1: torch.ones(1)}\ntorch.cat(d.values())",
                "d = {1: torch.ones(1)}\ntorch.cat(list(d.values()))",
            ),
            "values of something unknown": (
                "def f(self, d):\n    return torch.cat(self.kept.values()), torch.stack(d.values())",
                "def f(self, d):\n"
                "    return torch.cat(list(self.kept.values())), torch.stack(list(d.values()))",
            ),
            "an iterator with a name": (
                "def f(xs):\n    ys = map(g, xs)\n    return torch.cat(ys)",
                "def f(xs):\n    ys = map(g, xs)\n    return torch.cat(list(ys))",
            ),
            "arrays": (
                "import numpy as np\nnp.stack(f(x) for x in xs), np.vstack(map(f, xs))",
                "import numpy as np\nnp.stack([f(x) for x in xs]), np.vstack(list(map(f, xs)))",
            ),
            "a view with a name": (
                "def f(d):\n    ys = d.values()\n    return torch.cat(ys), len(ys)",
                "def f(d):\n    ys = d.values()\n    return torch.cat(list(ys)), len(ys)",
            ),
        }.items()
    },
)

test_keeps = keeps(
    "TP427",
    {
        name: _body(text)
        for name, text in {
            "already a list": "torch.cat([f(x) for x in xs]), torch.cat(list(map(f, xs)))",
            "a tuple": "torch.cat((x, y)), torch.cat(tuple(x for x in xs))",
            "something unknown": "def f(xs):\n    return torch.cat(xs), torch.stack(make())",
            "another function of numpy": "import numpy as np\nnp.array(x for x in xs)",
            "a module called as numpy is": "from own import np\nnp.stack(x for x in xs)",
            "a function of the file": "def map(f, xs):\n    return [f(x) for x in xs]\n"
            "torch.cat(map(f, xs))",
            "a list of the file": "def list(xs):\n    return xs\ntorch.cat(map(f, xs))",
            "a method of the file": "class Bag:\n    def values(self):\n        return []\n"
            "torch.cat(bag.values())",
            "a function of an imported module": "import bag\ntorch.cat(bag.values())",
            "an iterator that is read again": "def f(xs):\n    ys = map(g, xs)\n"
            "    return torch.cat(ys), next(ys)",
            "one of two": "def f(xs, d):\n    ys = [xs]\n    if d:\n        ys = d.values()\n"
            "    return torch.cat(ys)",
            "cat of one's own": "def cat(xs):\n    return xs\ncat(x for x in xs)",
            "starred": "torch.cat(*(x for x in xs))",
            "suppressed": "torch.cat(x for x in xs)  # noqa: TP427",
        }.items()
    },
)
