from __future__ import annotations

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.facts.era import Era
from torchfix_codemods.migrate import Options

HEAD = "import torch\nfrom torch.autograd import Variable\n"

test_rewrites = rewrites(
    "TP101",
    {
        "data of a loader is not detached": (
            """
            import torch
            from torch.autograd import Variable
            loader = torch.utils.data.DataLoader(dataset)
            for i, (x, y) in enumerate(loader):
                out = model(Variable(x.float()))
            """,
            """
            import torch
            from torch.autograd import Variable
            loader = torch.utils.data.DataLoader(dataset)
            for i, (x, y) in enumerate(loader):
                out = model(x.float())
            """,
        ),
        "what may have a history is detached": (
            """
            import torch
            from torch.autograd import Variable
            def f(model, x):
                return Variable(model(x))
            """,
            """
            import torch
            from torch.autograd import Variable
            def f(model, x):
                return model(x).detach()
            """,
        ),
        "an operator gets parentheses": (
            """
            import torch
            from torch.autograd import Variable
            def f(x, y):
                return Variable(x + y) * 2
            """,
            """
            import torch
            from torch.autograd import Variable
            def f(x, y):
                return (x + y).detach() * 2
            """,
        ),
        "alias and attribute path": (
            """
            import torch
            import torch.autograd as ag
            from torch.autograd import Variable as V
            a = V(torch.ones(2))
            b = ag.Variable(torch.ones(2), requires_grad=True)
            """,
            """
            import torch
            import torch.autograd as ag
            from torch.autograd import Variable as V
            a = torch.ones(2)
            b = torch.ones(2, requires_grad=True)
            """,
        ),
        "annotation": (
            """
            import torch
            from torch.autograd import Variable
            def f(x: Variable) -> Variable:
                return x
            """,
            """
            import torch
            from torch.autograd import Variable
            def f(x: torch.Tensor) -> torch.Tensor:
                return x
            """,
        ),
        "negated type comparison": (
            """
            import torch
            from torch.autograd import Variable
            def f(h):
                return type(h) is not Variable and h
            """,
            """
            import torch
            from torch.autograd import Variable
            def f(h):
                return not isinstance(h, torch.Tensor) and h
            """,
        ),
        "star import": (
            """
            import torch
            from torch.autograd import *
            x = Variable(torch.ones(1))
            """,
            """
            import torch
            from torch.autograd import *
            x = torch.ones(1)
            """,
        ),
        "torch is imported where it was not": (
            """
            from torch.autograd import Variable
            def f(h):
                return isinstance(h, Variable)
            """,
            """
            import torch
            from torch.autograd import Variable
            def f(h):
                return isinstance(h, torch.Tensor)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP101",
    {
        "user class": """
            import torch
            class Variable:
                def __init__(self, x): pass
            Variable(torch.ones(2))
            """,
        "other library": """
            import torch
            from theano import Variable
            Variable(torch.ones(2))
            """,
        "shadowed by a parameter": """
            import torch
            from torch.autograd import Variable
            def f(Variable):
                return Variable(torch.ones(2))
            """,
        "unknown star import": """
            import torch
            from utils import *
            Variable(torch.ones(2))
            """,
        "bound in two ways": """
            import torch
            try:
                from torch.autograd import Variable
            except ImportError:
                from mine import Variable
            Variable(torch.ones(2))
            """,
        "arguments of unknown content": """
            from torch.autograd import Variable
            Variable(*args)
            """,
        "volatile is rewritten first": """
            import torch
            from torch.autograd import Variable
            Variable(torch.ones(2), volatile=True)
            """,
        "used as a value": """
            import torch
            from torch.autograd import Variable
            xs = list(map(Variable, [torch.ones(2)]))
            """,
        "base class": """
            from torch.autograd import Variable
            class MyVariable(Variable):
                pass
            """,
        "comment that would be lost": """
            import torch
            from torch.autograd import Variable
            x = Variable(
                # the input
                torch.ones(2))
            """,
        "suppressed": """
            import torch
            from torch.autograd import Variable
            x = Variable(torch.ones(2))  # torchfix: ignore[variable-wrapper]
            """,
    },
)


def test_a_file_for_0_3_needs_no_detach() -> None:
    text = HEAD + "def f(model, x):\n    return model(Variable(x))\n"
    options = Options(era=Era(newest=(0, 3)))
    assert "model(x)" in migrate(text, "TP101", options=options).text
    assert "model(x.detach())" in migrate(text, "TP101").text


def test_the_import_goes_with_its_last_use_when_nobody_else_can_use_it() -> None:
    text = HEAD + "x = Variable(torch.ones(2))\n"
    script = Options(imported_elsewhere=lambda: False)
    assert migrate(text, "TP101", options=script).text == "import torch\nx = torch.ones(2)\n"
    assert "import Variable" in migrate(text, "TP101").text


def test_an_assignment_that_only_wrapped_goes() -> None:
    text = HEAD + "def f():\n    x = torch.ones(2)\n    x = Variable(x)\n    return x\n"
    assert "x = x" not in migrate(text, "TP101").text
    only = HEAD + "x = torch.ones(2)\nif x.is_cuda:\n    x = Variable(x)\n"
    assert migrate(only, "TP101").text.endswith("if x.is_cuda:\n    pass\n")


def test_a_self_assignment_of_the_author_stays() -> None:
    text = HEAD + "y = 1\ny = y\nx = Variable(torch.ones(2))\n"
    assert "y = y\n" in migrate(text, "TP101").text


def test_what_is_no_tensor_is_reported() -> None:
    findings = advice("TP101", HEAD + "x = Variable([1.0, 2.0])\n")
    assert [f.line for f in findings] == [3]
