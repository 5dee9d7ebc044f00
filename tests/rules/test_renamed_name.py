from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.rules import matching

test_rewrites = rewrites(
    "TP901",
    {
        "an attribute, an alias and an import": (
            """
            import torch as t
            from torch import ger as g
            from torch import ger

            a = t.ger(x, y) + g(x, y) + ger(x, y)
            """,
            """
            import torch as t
            from torch import outer as g
            from torch import outer

            a = t.outer(x, y) + g(x, y) + outer(x, y)
            """,
        ),
        "a value": (
            """
            import functools
            import torch
            f = functools.partial(torch.ger, torch.ones(2))
            products = list(map(torch.ger, xs, ys))
            """,
            """
            import functools
            import torch
            f = functools.partial(torch.outer, torch.ones(2))
            products = list(map(torch.outer, xs, ys))
            """,
        ),
        "what is gone and nothing reads": (
            """
            import torch
            from torch._utils import _accumulate
            from torch._utils import _accumulate as sums, _flatten_dense_tensors as flat

            x = flat([torch.ones(2)])
            """,
            """
            import torch
            from torch._utils import _flatten_dense_tensors as flat

            x = flat([torch.ones(2)])
            """,
        ),
        "methods of tensors": (
            """
            import torch
            x = torch.ones(3)
            y = x.ger(x, out=z)
            f = x.ger
            u = torch.Tensor.ger(x, x)
            """,
            """
            import torch
            x = torch.ones(3)
            y = x.outer(x, out=z)
            f = x.outer
            u = torch.Tensor.outer(x, x)
            """,
        ),
    },
)

test_keeps = keeps(
    "TP901",
    {
        "what is still there and nothing reads": """
            from torch import ger
            from torch.nn.utils import clip_grad_norm
            """,
        "what is gone and may be missing": """
            try:
                from torch._utils import _accumulate
            except ImportError:
                from itertools import accumulate as _accumulate
            """,
        "modern": """
            import torch
            a = torch.outer(torch.ones(2), torch.ones(2))
            """,
        "another library": """
            from scipy.linalg.blas import ger
            a = ger(1.0, x, y)
            """,
        "a method of something unknown": """
            import torch
            def f(x):
                return x.ger(x)
            """,
        "a shadowed name": """
            import torch
            def f(torch):
                return torch.ger(x, y)
            """,
        "a choice": """
            import torch
            outer = torch.outer if hasattr(torch, "outer") else torch.ger
            try:
                from torch import outer as product
            except ImportError:
                from torch import ger as product
            """,
        "the user's class": """
            import torch
            class Blas(object):
                def ger(self, x, y):
                    return x
            z = Blas().ger(torch.ones(2), torch.ones(2))
            """,
    },
)


@pytest.mark.parametrize(
    "text",
    [
        "from torch._utils import _accumulate  # for utils.py\n",
        "from torch._utils import _accumulate\n__all__ = ['_accumulate']\n",
        "def f():\n    from torch._utils import _accumulate\n",
        "from torch._utils import _accumulate\ndef accumulate(x):\n    return _accumulate(x)\n",
        "import torch\nitertools = 1\nx = torch._utils._accumulate([1])\n",
    ],
)
def test_what_is_gone_and_stays_is_said(text: str) -> None:
    (found,) = advice("TP901", text)
    assert found.message.endswith("is gone since torch 2.3: it is itertools.accumulate today")


def test_an_older_target_leaves_rows_out() -> None:
    (rule,) = matching("TP901")
    older = rule.for_target((1, 5))
    assert older is not None
    assert "torch.ger" in rule.renames and "torch.ger" not in older.renames  # type: ignore[attr-defined]


def test_the_claim_is_that_of_the_row() -> None:
    (found,) = migrate("import torch\na = torch.ger(x, y)\n", "TP901").findings
    assert found.fixed and found.numerics.value == "identical"
