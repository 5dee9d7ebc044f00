from __future__ import annotations

import ast
import textwrap
from typing import Literal

import pytest

from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.language.scopes import element_for


def name_of_last(text: str) -> str | None:
    """The qualified name of the callee of the last call in the text."""
    names = Names(ast.parse(textwrap.dedent(text)))
    calls = [n for n in names.nodes[ast.Call] if isinstance(n, ast.Call)]
    return names.name(max(calls, key=lambda call: call.lineno).func)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch\ntorch.ones(1)", "torch.ones"),
        ("import torch as t\nt.ones(1)", "torch.ones"),
        ("import torch.nn.functional as F\nF.relu(1)", "torch.nn.functional.relu"),
        ("import torch.nn\ntorch.nn.functional.relu(1)", "torch.nn.functional.relu"),
        ("from torch import nn\nnn.Linear(1, 2)", "torch.nn.Linear"),
        ("from torch.nn import Linear as L\nL(1, 2)", "torch.nn.Linear"),
        ("from torch.nn.modules.loss import MSELoss\nMSELoss()", "torch.nn.MSELoss"),
        ("import torch\ntorch.sparse.torch.eye(3)", "torch.eye"),
        ("import torch.nn.functional as F\nF.torch.nn.Linear(1, 2)", "torch.nn.Linear"),
        ("from torch.nn.parallel import DataParallel\nDataParallel(x)", "torch.nn.DataParallel"),
        (
            "import torch.nn.parallel.data_parallel as p\np.DataParallel(x)",
            "torch.nn.DataParallel",
        ),
        (
            "from torch.nn.parallel.distributed import DistributedDataParallel as D\nD(x)",
            "torch.nn.parallel.DistributedDataParallel",
        ),
        ("from torch.autograd.variable import Variable\nVariable(1)", "torch.autograd.Variable"),
        ("from torch.nn import *\nLinear(1, 2)", "torch.nn.Linear"),
        ("from torch.nn import *\nfrom mine import *\nLinear(1, 2)", None),
        ("from torchvision.transforms import *\nScale(1)", "torchvision.transforms.Scale"),
        ("from torchvision.transforms import *\nfrom mine import *\nScale(1)", None),
        ("from torchvision.models import *\nScale(1)", None),
        ("import torch\nfrom mine import *\ntorch.ones(1)", "torch.ones"),
        ("import torch\nones = torch.ones\nones(1)", "torch.ones"),
        ("import torch\nones = torch.ones\nones = 1\nones(1)", None),
        ("import torch\ntorch = 1\ntorch.ones(1)", None),
        ("import torch\ndef f(torch):\n    torch.ones(1)", None),
        ("import torch\ndef f():\n    torch.ones(1)", "torch.ones"),
        (
            "import torch\nclass A:\n    torch = 1\n    def f(self):\n        torch.ones(1)",
            "torch.ones",
        ),
        ("import torch\ndef f():\n    for torch in x:\n        torch.ones(1)", None),
        (
            "try:\n    import torch\nexcept ImportError:\n    torch = None\ntorch.ones(1)",
            "torch.ones",
        ),
        ("try:\n    from torch import a\nexcept ImportError:\n    from b import a\na(1)", None),
        ("def f():\n    global torch\n    import torch\ndef g():\n    torch.ones(1)", "torch.ones"),
        ("import torch\n[torch(1) for torch in x]", None),
        ("import torch\ndef f(x=torch.ones(1)): pass", "torch.ones"),
        ("import torch\nwith open(x) as torch:\n    torch.ones(1)", None),
        ("import torch\nif (torch := 1):\n    torch.ones(1)", None),
        ("import torch\nself.torch.ones(1)", None),
        ("from . import torch\ntorch.ones(1)", ".torch.ones"),
    ],
)
def test_qualified_names(text: str, expected: str | None) -> None:
    assert name_of_last(text) == expected


def test_a_walk_leaves_out_operators_contexts_and_aliases_only() -> None:
    tree = ast.parse(
        textwrap.dedent("""
        import torch as t
        @d(1)
        def f(a, b: int = 2, *c, e=None, **g) -> t.Tensor:
            with x as y, z: yield {**a, 1: -b}
            return [i for i in c if i and i < 3] or (lambda: x[1:2])
        class A(B, metaclass=C):
            try: pass
            except E as e: del e
            finally: print(f"{a!r:>{b}}")
        match a:
            case True | None | -1: pass
            case {"k": [1, *rest], **more} | T(x=False) as b if c: pass
        """)
    )
    skipped = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.alias)
    assert list(walk(tree)) == [n for n in ast.walk(tree) if not isinstance(n, skipped)]


def test_patterns_that_hold_no_node() -> None:
    text = "import torch\nmatch x:\n    case True | None | {**rest} | [*y]:\n        torch.ones(1)"
    assert name_of_last(text) == "torch.ones"


@pytest.mark.parametrize(
    ("display", "step", "expected"),
    [
        ("a, b", 1, "b"),
        ("a, b", -2, "a"),
        ("a, b", 2, None),
        ("a, b", -3, None),
        ("a, b", "*", None),
        ("a, *b, c", 0, "a"),
        ("a, *b, c", 1, None),
        ("a, *b, c", 2, None),
        ("a, *b, c", -1, "c"),
        ("a, *b, c", -3, None),
    ],
)
def test_elements_that_are_certain(display: str, step: int | Literal["*"], expected: str) -> None:
    value = ast.parse(f"({display})", mode="eval").body
    assert isinstance(value, ast.Tuple)
    found = element_for(value, step)
    assert (found and ast.unparse(found)) == expected


def test_imports_are_known_by_what_they_import() -> None:
    names = Names(
        ast.parse(
            "from utils import to_var as var\nimport package.to_var\n"
            "def f():\n    from other import to_var\nto_var_of = to_var = 1\n"
        )
    )
    found = [(b.name, b.qualified) for b in names.imports("to_var")]
    assert found == [("var", "utils.to_var"), ("to_var", "other.to_var")]
    assert names.imports("var") == names.imports("to_var_of") == []


def test_the_function_around_is_the_one_whose_body_holds_a_node() -> None:
    tree = ast.parse(
        textwrap.dedent(
            """
            @outside
            def f(x: outside = outside, *, y=lambda: outside) -> outside:
                inside_f
                [inside_f for each in inside_f]
                key = lambda row=inside_f: inside_f

                class C(inside_f, metaclass=inside_f):
                    held = inside_f

                    @inside_f
                    async def g(self, x=inside_f):
                        return lambda: inside_g
            """
        )
    )
    names = Names(tree)
    for node in walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id != "each":
            function = names.enclosing_function(node)
            where = "outside" if function is None else f"inside_{function.name}"
            assert where == node.id
