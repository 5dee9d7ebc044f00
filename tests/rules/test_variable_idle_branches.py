"""Branches for what was no Variable, which no tensor takes any more: what only unwraps goes."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites

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


_MOVED = """import torch
from torch.autograd import Variable
def forward(model, x, y, device):
    if {}:
        {}
    return model(x)
"""


@pytest.mark.parametrize(
    ("does", "written"),
    [
        ("x = Variable(x).cuda()", "x.cuda()"),
        ("x = Variable(x.cuda(0), volatile=True)", None),
        ("x = Variable(x.float()).to(device)", "x.float().to(device)"),
        ("x = Variable(x); x = x.cuda()", "x.cuda()"),
        ("x = Variable(x)\n        x = x.cuda().half()", "x.cuda().half()"),
        # For arrays it is right as it is.
        ("x = Variable(torch.from_numpy(x)).cuda()", None),
        ("x = torch.from_numpy(x).cuda()", None),
        ("x = x.astype(float)", None),
        ("x = Variable(x)", None),
        ("y = Variable(x).cuda()", None),
        ("x = Variable(y).cuda()", None),
        ("x = x.cuda(); y = x", None),
        ("x = y = Variable(x).cuda()", None),
        ("x = Variable(x).cuda()\n    else:\n        x = x.cuda()", None),
    ],
)
def test_a_branch_that_moves_what_was_no_variable(does: str, written: str | None) -> None:
    said = [
        found.message
        for found in advice("TP101", _MOVED.format("not isinstance(x, Variable)", does))
    ]
    if written is None:
        assert not said
    else:
        (message,) = said
        assert message.startswith("no tensor takes this branch today")
        assert f"write `x = {written}` without the test" in message


@pytest.mark.parametrize("test", ["type(x) != Variable", "x.__class__ is not Variable"])
def test_a_branch_that_every_tensor_takes_today_stays_one(test: str) -> None:
    text = _MOVED.format(test, "x = Variable(x).cuda()")
    (found,) = advice("TP101", text)
    assert found.message == (
        "type(x) is never Variable today, so every tensor takes this branch: write `x = x.cuda()` "
        "without the test"
    )
    assert f"if {test}:" in migrate(text, "TP101").text


@pytest.mark.parametrize(
    "test",
    [
        "isinstance(x, Variable)",
        "not isinstance(y, Variable)",
        "not isinstance(x, torch.Tensor)",
        "type(x) == Variable",
        "type(y) != Variable",
        "y and not isinstance(x, Variable)",
    ],
)
def test_nothing_is_said_of_what_is_asked_otherwise(test: str) -> None:
    assert not advice("TP101", _MOVED.format(test, "x = Variable(x).cuda()"))
