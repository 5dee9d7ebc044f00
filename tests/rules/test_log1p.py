from __future__ import annotations

from tests.support.rules import advice, keeps

test_keeps = keeps(
    "TP417",
    {
        "modern": """
            import torch
            a = torch.log1p(x) + torch.expm1(x)
            """,
        "other numbers": """
            import torch
            a = torch.log(2 + x) + torch.log(1 - x) + torch.log(True + x)
            b = torch.exp(x) - 2
            c = 1 - torch.exp(x)
            """,
        "other libraries": """
            import numpy as np
            import torch
            a = np.log(1 + x) + np.exp(x) - 1
            """,
        "a result that has its place": """
            import torch
            torch.log(1 + x, out=y)
            """,
    },
)


def test_says_what_is_exact() -> None:
    found = advice(
        "TP417",
        """
        import torch
        a = torch.log(1 + x * y)
        b = torch.log(torch.exp(x) + 1.0)
        c = torch.exp(-x) - 1
        d = torch.log(2 + x) - torch.exp(x)
        """,
    )
    assert [f.line for f in found] == [2, 3, 4]
    assert "torch.log1p(x * y)" in found[0].message
    assert "torch.log1p(torch.exp(x))" in found[1].message
    assert "torch.expm1(-x)" in found[2].message


def test_is_off_unless_it_is_selected() -> None:
    from torchfix_codemods.rules import select

    assert "TP417" not in [rule.code for rule in select()]
