from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.facts.era import Era
from torchfix_codemods.migrate import Options

test_rewrites = rewrites(
    "TP906",
    {
        "a file for torch 0.3": (
            """
            import torch
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            m = torch.full((2, 2), 1)
            """,
            """
            import torch
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            m = torch.full((2, 2), 1, dtype=torch.float)
            """,
        ),
        "numbers of torch 0.3": (
            """
            import torch
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            m = torch.full((2, 2), True)
            steps = torch.arange(0, n)
            index = torch.arange(0, n).long()
            column = torch.arange(0, n).view(1, n).t().long()
            """,
            """
            import torch
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            m = torch.full((2, 2), True, dtype=torch.float)
            steps = torch.arange(0, n, dtype=torch.float)
            index = torch.arange(0, n).long()
            column = torch.arange(0, n).view(1, n).t().long()
            """,
        ),
    },
)

test_keeps = keeps(
    "TP906",
    {
        "a file for any torch": """
            import torch
            m = torch.full((2, 2), 1)
            """,
        "dtypes that are given": """
            import torch
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            a = torch.arange(0, n, out=torch.LongTensor())
            b = torch.arange(0, n).type(kind)
            c = torch.arange(0, n).type_as(x)
            d = torch.full((2, 2), 0.5)
            e = x[torch.arange(0, n)]
            """,
        "a project with another default": """
            import torch
            from torch.autograd import Variable
            torch.set_default_tensor_type("torch.DoubleTensor")
            x = Variable(y, volatile=True)
            a = torch.arange(0, n)
            """,
        "reductions of torch 0.3": """
            import torch
            from torch.autograd import Variable
            x = Variable(y, volatile=True)
            s = x.sum(1)
            m, i = torch.max(x, 1)
            """,
        "a file for a newer torch": """
            import torch
            x = torch.linalg.solve(a, b)
            m = torch.full((2, 2), 1)
            """,
        "what is said": """
            import torch
            from torch.autograd import Variable
            y = Variable(x, volatile=True)
            m = torch.full((2, 2), 1, dtype=torch.long)
            n = torch.full((2, 2), 1.0)
            o = torch.full((2, 2), value)
            """,
    },
)


_EXPANDED = "import torch\ndef f(x: torch.Tensor, n):\n    return {}\n"


@pytest.mark.parametrize(
    "expanded",
    [
        "x.sum(1).expand_as(x)",
        "x / torch.sqrt(x.pow(2).sum(1).expand_as(x))",
        "x / torch.sqrt(torch.sum(x ** 2, dim=1)).expand_as(x)",
        "x.data.norm(2, 1).expand_as(x.data)",
        "x.norm(2, dim=1).clamp(min=1e-6).expand_as(x)",
        "torch.exp(x - x.max(1)[0].expand_as(x))",
        "x / (torch.exp(x).mean(2) + 1).expand_as(x)",
        "x - (-x).std(1).expand_as(x)",
    ],
)
def test_a_reduction_that_is_expanded_kept_its_dimension(expanded: str) -> None:
    text = _EXPANDED.format(expanded)
    (finding,) = advice("TP906", text)
    assert finding.line == 3 and "keepdim=True" in finding.message
    assert migrate(text, "TP906").text == text
    old = migrate(text, "TP906", options=Options(era=Era((0, 1), (0, 1))))
    assert "keepdim=True" in old.text and old.text != text
    assert all(f.fixed for f in old.findings)


@pytest.mark.parametrize(
    "expanded",
    [
        "x.sum(0).expand_as(x)",
        "x.sum(-1).expand_as(x)",
        "x.sum(n).expand_as(x)",
        "x.sum().expand_as(x)",
        "x.sum(1, True).expand_as(x)",
        "x.sum(1, keepdim=True).expand_as(x)",
        "x.sum(1).unsqueeze(1).expand_as(x)",
        "x.sum(1).expand_as(n)",
        "x.sum(1).expand(n)",
        "x.norm(2).expand_as(x)",
        "x.max(1).expand_as(x)",
        "x.max(1)[1].expand_as(n)",
        "x.view(n, -1).sum(1).expand_as(x)",
        "x[0].sum(1).expand_as(x)",
        "n.expand_as(x)",
        "x.sum(*n).expand_as(x)",
    ],
)
def test_other_expansions_are_no_finding(expanded: str) -> None:
    assert not advice("TP906", _EXPANDED.format(expanded))
