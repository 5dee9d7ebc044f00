"""Branches for what was no Variable, which no tensor takes any more: what only unwraps goes."""

from __future__ import annotations

from tests.support.rules import keeps, rewrites

test_rewrites = rewrites(
    "TP101",
    {
        "results are unwrapped where a plain tensor is given": (
            """
            import torch
            from torch.autograd import Variable
            def forward(self, img):
                b, k, h, w = img.size()
                dx = self.along(img.view(b * k, 1, h, w))
                dy = self.down(img.view(b * k, 1, h, w))

                if not isinstance(img, Variable):
                    dx = dx.data
                    dy = dy.data

                return dx, dy
            """,
            """
            import torch
            def forward(self, img):
                b, k, h, w = img.size()
                dx = self.along(img.view(b * k, 1, h, w))
                dy = self.down(img.view(b * k, 1, h, w))

                return dx, dy
            """,
        ),
        "and something else is a Variable": (
            """
            import torch
            from torch.autograd import Variable
            def grad_input(self, x):
                n = x.size(0)
                A, B = self.A.repeat(n, 1, 1), self.B.repeat(n, 1, 1)
                if not isinstance(x, Variable) and isinstance(A, Variable):
                    A, B = A.data, B.data
                return A, B
            """,
            """
            import torch
            def grad_input(self, x):
                n = x.size(0)
                A, B = self.A.repeat(n, 1, 1), self.B.repeat(n, 1, 1)
                return A, B
            """,
        ),
        "it is known from above the loop": (
            """
            import torch
            from torch.autograd import Variable
            def weigh(x, layers):
                n = x.size(0)
                for layer in layers:
                    y = layer.weight
                    if not isinstance(x, Variable):
                        y = y.data
                    n = n + y
                return n
            """,
            """
            import torch
            def weigh(x, layers):
                n = x.size(0)
                for layer in layers:
                    y = layer.weight
                    n = n + y
                return n
            """,
        ),
    },
)

_HEAD = "import torch\nfrom torch.autograd import Variable\n"


def _of(body: str, test: str = "not isinstance(x, Variable)") -> tuple[str, str]:
    """A function with a branch that has to stay, before and after Variable is Tensor there."""
    lines = body.replace("TEST", test).strip("\n").replace("\n", "\n    ")
    before = f"{_HEAD}def f(self, x, y, z):\n    {lines}\n"
    after = before.replace(_HEAD, "import torch\n").replace("Variable", "torch.Tensor")
    return before, after


test_branches_that_stay = rewrites(
    "TP101",
    {
        "nothing shows a tensor": _of("if TEST:\n    y = y.data\nreturn y"),
        "shown below": _of("if TEST:\n    y = y.data\nreturn y.repeat(x.size(0), 1)"),
        "shown in a branch": _of(
            "if z:\n    y = y.repeat(x.size(0), 1)\nif TEST:\n    y = y.data\nreturn y"
        ),
        "shown where it may not be read": _of(
            "n = x.size(0) if z else 1\nif TEST:\n    y = y.data\nreturn y, n"
        ),
        "shown for each of none": _of(
            "n = [x.size(0) for _ in z]\nif TEST:\n    y = y.data\nreturn y, n"
        ),
        "another one by then": _of("n = x.size(0)\nx = z\nif TEST:\n    y = y.data\nreturn y, n"),
        "it is asked about as well": _of(
            "n = x.size(0)\nif TEST:\n    y = y.data\nreturn y", "z or not isinstance(x, Variable)"
        ),
        "other types": _of(
            "n = x.size(0)\nif TEST:\n    y = y.data\nreturn y",
            "not isinstance(x, (list, Variable))",
        ),
        "it is none": _of(
            "n = x.size(0)\nif TEST:\n    y = y.data\nreturn y", "isinstance(x, Variable)"
        ),
        "something is called": _of("n = x.size(0)\nif TEST:\n    y = self.plain(y)\nreturn y"),
        "it raises": _of("n = x.size(0)\nif TEST:\n    raise TypeError(x)\nreturn y"),
        "otherwise": _of(
            "n = x.size(0)\nif TEST:\n    y = y.data\nelse:\n    self.n += 1\nreturn y"
        ),
        "one of several branches": _of(
            "n = x.size(0)\nif z:\n    y = z\nelif TEST:\n    y = y.data\nreturn y"
        ),
        "a comment": _of("n = x.size(0)\nif TEST:\n    # as it came\n    y = y.data\nreturn y"),
        "a comment above": _of(
            "n = x.size(0)\n# unwrap what came plain\nif TEST:\n    y = y.data\nreturn y"
        ),
        "nothing else is in the loop": _of(
            "n = x.size(0)\nfor _ in z:\n    if TEST:\n        y = y.data\nreturn y"
        ),
        "nothing else is in the block": _of(
            "n = x.size(0)\nif z:\n    if TEST:\n        y = y.data\nreturn y"
        ),
    },
)

test_modern = keeps(
    "TP101",
    {
        "a check of today": """
            import torch
            def f(x, y):
                n = x.size(0)
                if not isinstance(x, torch.Tensor):
                    y = y.data
                return y, n
            """,
        "a Variable of its own": """
            import torch
            from nodes import Variable
            def f(x, y):
                n = x.size(0)
                if not isinstance(x, Variable):
                    y = y.data
                return y, n
            """,
    },
)
