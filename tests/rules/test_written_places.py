"""Beside what is on a GPU by its name, ``x.cuda()`` stays (TP201)."""

from __future__ import annotations

from tests.support.rules import advice, keeps, rewrites

_KEPT = {
    "a factory": """
        import torch
        x = torch.randn(2, 3, requires_grad=True, device="cuda:0")
        y = torch.ones(2, 3).cuda()
        """,
    "a move": """
        import torch
        def f():
            net = torch.nn.Linear(3, 3).to("cuda")
            return net(torch.ones(2, 3).cuda())
        """,
    "at the module level": """
        import torch
        x = torch.randn(2, 3).to(device="cuda")
        def f():
            return x + torch.ones(2, 3).cuda()
        """,
    "a type that a function is given": """
        import torch
        def f(filters):
            filters = cast(filters, torch.cuda.FloatTensor)
            return filters, torch.ones(2, 3).cuda()
        """,
    "a type that the object was made with": """
        import torch
        class Filters:
            def __init__(self, filters):
                self.filters = cast(filters, torch.cuda.FloatTensor)
            def apply(self, n):
                return self.run(torch.ones(2, n).cuda())
        """,
    "what is not known": """
        import torch
        x = torch.randn(2, 3, device="cuda:0")
        unheard(x, made().cuda())
        """,
}

test_keeps = keeps("TP201", _KEPT)


def test_nothing_is_said_either() -> None:
    assert not advice("TP201", _KEPT["what is not known"])
    assert advice("TP201", "import torch\nunheard(x, made().cuda())\n")


_DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'

test_rewrites = rewrites(
    "TP201",
    {
        name: (
            f"import torch\n\n{before}y = torch.ones(3).cuda()\n",
            f"import torch\n\n{device}{before}y = torch.ones(3, device=device)\n",
        )
        for name, before, device in (
            ("in another function", 'def f():\n    g(3).to("cuda")\n', f"{_DEVICE}\n\n"),
            (
                "where there is one",
                'if torch.cuda.is_available():\n    x = x.to("cuda")\n',
                f"{_DEVICE}\n\n",
            ),
            ("of the choice", f"{_DEVICE}\n", ""),
            ("of the file", 'device = torch.device("cuda:0")\nx = x.to("cuda")\n', ""),
            ("the CPU", 'x = torch.ones(3, device="cpu")\n', f"{_DEVICE}\n\n"),
            ("of something else", 'x = unheard(3, device="cuda")\n', f"{_DEVICE}\n\n"),
            (
                "a type asked for",
                "print(isinstance(x, torch.cuda.FloatTensor))\n",
                f"{_DEVICE}\n\n",
            ),
            (
                "a type under a test",
                "if torch.cuda.is_available():\n    x = cast(x, torch.cuda.FloatTensor)\n",
                f"{_DEVICE}\n\n",
            ),
            (
                "a type in another method",
                "class A:\n    def f(self, x):\n        cast(x, torch.cuda.FloatTensor)\n",
                f"{_DEVICE}\n\n",
            ),
            ("no place", 'print("cuda").to(x, "cuda")\n', f"{_DEVICE}\n\n"),
        )
    },
)
