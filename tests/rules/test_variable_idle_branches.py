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
        "what is unwrapped itself is a tensor now": (
            """
            import torch
            from torch.autograd import Variable
            def drawn(image, weights, ys):
                n = image.size(1) + weights.size(-1)
                if isinstance(image, Variable): image = image.data

                if isinstance(weights, Variable):
                    weights = weights.data
                return image, weights.squeeze()
            """,
            """
            import torch
            def drawn(image, weights, ys):
                n = image.size(1) + weights.size(-1)
                image = image.data

                weights = weights.data
                return image, weights.squeeze()
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
        "what is unwrapped may be none": _of(
            "if isinstance(x, Variable):\n    x = x.data\nreturn x"
        ),
        "what is unwrapped is another": _of(
            "n = x.size(0)\nif isinstance(x, Variable):\n    y = y.data\nreturn y"
        ),
        "what is unwrapped leaves torch": _of(
            "n = x.size(0)\nif isinstance(x, Variable):\n    x = x.data.numpy()\nreturn x"
        ),
        "what is unwrapped is told of": _of(
            "n = x.size(0)\n# Either may come.\nif isinstance(x, Variable):\n    x = x.data\nreturn x"
        ),
        "the other one is wrapped": _of(
            "n = x.size(0)\nif isinstance(x, Variable):\n    x = x.data\nelse:\n    y = n\nreturn y"
        ),
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


_RECORDED = """import torch
from torch.autograd import Variable
def attack(model, x, y):
    {}
    model(x).sum().backward()
    return x.grad
"""


@pytest.mark.parametrize(
    ("does", "written"),
    [
        ("if not isinstance(x, Variable): x = Variable(x, requires_grad=True)", "not x"),
        ("if not isinstance(x, Variable):\n        x = Variable(x.cuda(), True)", "not x"),
        ("if not isinstance(x, Variable): x = x.detach().requires_grad_()", "not x"),
        ("x = x if isinstance(x, Variable) else Variable(x, requires_grad=True)", "x"),
        ("x = Variable(x, requires_grad=True) if not isinstance(x, Variable) else x", "not x"),
        # Nothing is lost, or it is no tensor that is wrapped.
        ("if not isinstance(x, Variable): x = Variable(x, requires_grad=False)", None),
        ("if not isinstance(x, Variable): x = Variable(x, requires_grad=y)", None),
        ("if not isinstance(x, Variable): x = Variable(torch.tensor(x), requires_grad=True)", None),
        ("if not isinstance(x, Variable): y = Variable(x, requires_grad=True)", None),
        ("if not isinstance(x, Variable):\n        x = x.requires_grad_(y)", None),
        ("x = x if isinstance(x, Variable) else Variable(x)", None),
        ("x = x if isinstance(x, Variable) else torch.from_numpy(x)", None),
        ("x = y if isinstance(x, Variable) else Variable(x, requires_grad=True)", None),
        ("x = x if isinstance(x, Variable) else Variable(y, requires_grad=True)", None),
    ],
)
def test_a_branch_that_asked_for_a_gradient(does: str, written: str | None) -> None:
    text = _RECORDED.format(does)
    said = [found.message for found in advice("TP101", text)]
    if written is None:
        assert not said
    else:
        (message,) = said
        assert message == (
            "no tensor takes this branch today, and until 0.3 each that was no Variable did, and "
            f"got a gradient: write `{written}.requires_grad` for the test"
        )
        assert "isinstance(x, Variable)" in migrate(text, "TP101").text


def test_a_branch_that_every_tensor_takes_today_leaves_its_graph() -> None:
    (found,) = advice(
        "TP101", _RECORDED.format("if type(x) != Variable: x = Variable(x, requires_grad=True)")
    )
    assert found.message == (
        "type(x) is never Variable today, so every tensor takes this branch, and leaves its "
        "graph: write `not x.requires_grad` for the test"
    )


@pytest.mark.parametrize(
    ("does", "written"),
    [
        ("x = x if isinstance(x, Variable) else Variable(x).cuda()", "x.cuda()"),
        ("x = Variable(x.half()) if not isinstance(x, Variable) else x", "x.half()"),
        ("x = x.cuda() if isinstance(x, Variable) else Variable(x).cuda()", None),
        ("x = x if isinstance(x, Variable) and y else Variable(x).cuda()", None),
    ],
)
def test_a_value_that_moves_what_was_no_variable(does: str, written: str | None) -> None:
    said = [found.message for found in advice("TP101", _RECORDED.format(does))]
    if written is None:
        assert not said
    else:
        (message,) = said
        assert message.startswith("no tensor takes this branch today")
        assert f"write `{written}` without the test" in message


_PASSING = """import torch
from torch.autograd import Variable
def run(model, batch):
    parts = {}
    return model(*parts)
"""


@pytest.mark.parametrize(
    ("made", "among"),
    [
        ("[Variable(e).cuda() for e in {} if {}]", "batch[:7]"),
        ("[Variable(e) for e in {} if {}]", "batch"),
        ("tuple(Variable(e.cuda()) for e in {} if {})", "batch if e is not None"),
    ],
)
def test_tensors_that_pass_no_test_are_told(made: str, among: str) -> None:
    text = _PASSING.format(made.format(among, "not isinstance(e, Variable)"))
    (found,) = advice("TP101", text)
    assert found.message == (
        "no tensor passes this test today, and until 0.3 each that was no Variable did: write "
        f"`for e in {among}` without it where that is right for what was a Variable, too"
    )
    assert migrate(text, "TP101").text == text


@pytest.mark.parametrize(
    "made",
    [
        "[Variable(e).cuda() for e in batch if isinstance(e, Variable)]",
        "[Variable(torch.tensor(e)) for e in batch if not isinstance(e, Variable)]",
        "[e for e in batch if not isinstance(e, Variable)]",
        "[Variable(batch) for e in batch if not isinstance(e, Variable)]",
        "[Variable(e) for e in batch if not isinstance(batch, Variable)]",
    ],
)
def test_what_passes_a_test_for_tensors_is_no_matter(made: str) -> None:
    assert not advice("TP101", _PASSING.format(made))


_VOLATILE = """import torch
from torch.autograd import Variable
def similarity(x, y):
    if not isinstance(x, {}):
        x = Variable(x, volatile={})
    {}
"""


@pytest.mark.parametrize("flag", ["True", "1", "False"])
def test_a_branch_that_wraps_as_volatile_goes_where_only_a_number_comes_of_it(flag: str) -> None:
    text = _VOLATILE.format("Variable", flag, "return measure(x, y).item()")
    after = "import torch\ndef similarity(x, y):\n    return measure(x, y).item()\n"
    assert migrate(text, "TP1").text == after
    assert not advice("TP1", text)


@pytest.mark.parametrize(
    ("flag", "does"),
    [
        ("True", "return measure(x, y)"),
        ("True", "y.last = measure(x)"),
        ("True", "return x"),
        ("y", "return measure(x, y).item()"),
    ],
)
def test_a_branch_that_wraps_as_volatile_stays_where_a_graph_may_be_handed_on(
    flag: str, does: str
) -> None:
    text = _VOLATILE.format("Variable", flag, does)
    assert migrate(text, "TP101").text == _VOLATILE.format("torch.Tensor", flag, does)
    assert advice("TP102", text)
