from __future__ import annotations

from tests.support.rules import keeps, rewrites


def _body(code: str) -> str:
    return (
        f"import numpy as np\nimport torch\n\nx = torch.ones(3, 3)\na = np.ones((3, 3))\n{code}\n"
    )


test_rewrites = rewrites(
    "TP428",
    {
        name: (_body(before), _body(after))
        for name, (before, after) in {
            "an index with a name": (
                "order = np.argsort(sizes)[::-1]\ny = x[order]",
                "order = np.argsort(sizes)[::-1]\ny = x[order.copy()]",
            ),
            "an index that is written there": (
                "y = x[np.arange(3)[::-1]]",
                "y = x[np.arange(3)[::-1].copy()]",
            ),
            "one of two indices": (
                "order = np.flip(np.arange(3), 0)\ny = x[:, order]",
                "order = np.flip(np.arange(3), 0)\ny = x[:, order.copy()]",
            ),
            "a stored part": (
                "order = np.arange(3)[2::-1]\nx[order] = 0",
                "order = np.arange(3)[2::-1]\nx[order.copy()] = 0",
            ),
            "an image": (
                "y = torch.from_numpy(a[:, ::-1])",
                "y = torch.from_numpy(a[:, ::-1].copy())",
            ),
            "flipped": (
                "b = np.fliplr(a)\ny = torch.Tensor(b), torch.tensor(np.flipud(a))",
                "b = np.fliplr(a)\ny = torch.Tensor(b.copy()), torch.tensor(np.flipud(a).copy())",
            ),
            "from the other end in each round": (
                "order = np.arange(3)\nfor i in range(2):\n    order = order[::-1]\n    y = x[order]",
                "order = np.arange(3)\nfor i in range(2):\n    order = order[::-1]\n"
                "    y = x[order.copy()]",
            ),
            "what a function of the file gives": (
                "def order():\n    return np.arange(3)[::-1]\ny = x[order()]",
                "def order():\n    return np.arange(3)[::-1]\ny = x[order().copy()]",
            ),
        }.items()
    },
)

test_keeps = keeps(
    "TP428",
    {
        name: _body(text)
        for name, text in {
            "copied": "order = np.arange(3)[::-1].copy()\ny = x[order]",
            "calculated": "order = np.arange(3)[::-1] + 0\ny = torch.from_numpy(order)",
            "of another type": "y = torch.from_numpy(a[::-1].astype(np.float32))",
            "from its end twice": "b = a[::-1]\ny = torch.from_numpy(b[::-1])",
            "a part of a list": "order = [2, 1, 0][::-1]\ny = x[order[:2]]",
            "a row of it": "y = torch.from_numpy(a[::-1][0])",
            "a step forward": "y = x[np.arange(6)[::2]]",
            "a list": "order = [0, 1, 2][::-1]\ny = x[order]",
            "a list in numpy's file": "def f(order):\n    return x[order[::-1]]",
            "places": "rows = np.where(a > 0)[::-1]\ny = x[rows]",
            "an array that is indexed": "order = np.arange(3)[::-1]\ny = a[order]",
            "something unknown that is indexed": "order = np.arange(3)[::-1]\n"
            "def f(y):\n    return y[order]",
            "one of two ways": "order = np.arange(3)\nif a.any():\n    order = order[::-1]\n"
            "y = x[order]",
            "chosen rows": "y = torch.from_numpy(a[[0, 1], ::-1])",
            "a flip of one's own": "from mine import flip\ny = torch.from_numpy(flip(a, 0))",
            "torch's flip": "y = x[torch.flip(torch.arange(3), (0,))]",
            "suppressed": "y = x[np.arange(3)[::-1]]  # noqa: TP428",
        }.items()
    },
)
