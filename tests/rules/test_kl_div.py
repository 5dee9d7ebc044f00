from __future__ import annotations

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from tests.support.rules import advice, keeps, rewrites
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

test_rewrites = rewrites(
    "TP309",
    {
        "functions and objects": (
            """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            F.kl_div(F.softmax(x, dim=1), q, reduction="batchmean")
            F.kl_div(input=torch.softmax(x, 1), target=q, size_average=False)
            criterion = nn.KLDivLoss(reduction="sum")
            criterion(F.softmax(net(x) / T, 1), F.softmax(y, 1))
            """,
            """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            F.kl_div(F.log_softmax(x, dim=1), q, reduction="batchmean")
            F.kl_div(input=torch.log_softmax(x, 1), target=q, size_average=False)
            criterion = nn.KLDivLoss(reduction="sum")
            criterion(F.log_softmax(net(x) / T, 1), F.softmax(y, 1))
            """,
        ),
        "imported name": (
            """
            from torch.nn.functional import kl_div, softmax, log_softmax
            kl_div(softmax(x, 1), log_softmax(softmax(y, 1), 1).exp(), reduction="sum")
            """,
            """
            from torch.nn.functional import kl_div, softmax, log_softmax
            kl_div(log_softmax(x, 1), log_softmax(softmax(y, 1), 1).exp(), reduction="sum")
            """,
        ),
    },
)

_RIGHT = {
    "logarithms first": """
        import torch
        import torch.nn.functional as F
        F.kl_div(F.log_softmax(x, 1), F.softmax(y, 1), reduction="batchmean")
        F.kl_div(torch.log(p), q, reduction="sum")
        F.kl_div(net(x), q, reduction="none").sum(1)
        F.kl_div(F.log_softmax(x, 1), F.log_softmax(y, 1), reduction="sum", log_target=True)
        """,
    "reduction is given": """
        import torch.nn as nn
        import torch.nn.functional as F
        nn.KLDivLoss(size_average=False)(a, b)
        nn.KLDivLoss(False)(a, b)
        nn.KLDivLoss(reduction=how)(a, b)
        F.kl_div(a, b, False)
        F.kl_div(a, b, reduce=False)
        """,
    "mean times a size": """
        import torch.nn.functional as F
        loss = F.kl_div(a, b) * a.size(1)
        loss = a.shape[1] * F.kl_div(a, b)
        """,
    "unknown arguments": """
        import torch.nn as nn
        import torch.nn.functional as F
        F.kl_div(F.softmax(x, 1), *args)
        F.kl_div(F.softmax(x, 1), q, **options)
        criterion = nn.KLDivLoss(**options)
        criterion(F.softmax(x, 1), q)
        """,
    "never called": """
        import torch.nn as nn
        import torch.nn.functional as F
        kl_loss = nn.KLDivLoss()
        metrics = dict(kldiv=F.kl_div)
        """,
    "other functions": """
        import torch
        from torch.distributions import kl_divergence
        from tensorflow import KLDivLoss
        def kl_div(p, q):
            return p
        kl_div(torch.softmax(x, 1), q)
        KLDivLoss()(torch.softmax(x, 1), q)
        kl_divergence(p, q)
        """,
    "shadowed name": """
        import torch.nn.functional as F
        def f(F):
            return F.kl_div(F.softmax(x, 1), q)
        """,
    "unknown kind": """
        import torch.nn.functional as F
        F.kl_div(policy.softmax(1), q, reduction="sum")
        """,
}

test_keeps = keeps("TP309", _RIGHT)


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in _RIGHT.items()])
def test_right_code_is_no_finding(text: str) -> None:
    assert not advice("TP309", text)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("F.kl_div(a, b)", "divides the sum by the size of dim 0 alone"),
        ("torch.nn.KLDivLoss()(a, b)", "divides the sum by the size of dim 0 alone"),
        (
            "Trainer(net, loss=torch.nn.KLDivLoss())",
            "divides the sum by the size of dim 0 alone",
        ),
        (
            "loss = torch.nn.KLDivLoss()\ntrain(net, loss)",
            "divides the sum by the size of dim 0 alone",
        ),
        ("F.kl_div(a, b) * weight", "divides the sum by the size of dim 0 alone"),
        ("F.kl_div(p, log_q, reduction='sum')", "swap the arguments"),
        ("F.kl_div(p, q, reduction='sum')", "first: p holds probabilities"),
        ("F.kl_div(log_q, log_q, reduction='sum')", "log_target=True"),
        ("torch.nn.KLDivLoss(reduction='sum')(log_q, log_q)", "log_target=True"),
    ],
)
def test_what_is_left_to_a_person(line: str, message: str) -> None:
    head = (
        "import torch\nimport torch.nn.functional as F\n"
        "p = F.softmax(x, 1)\nlog_q = F.log_softmax(z, 1)\n"
    )
    findings = advice("TP309", head + line + "\n")
    assert len(findings) == 1
    assert message in findings[0].message


_DISTILLED = """
import torch.nn.functional as F
def distilled(p, q, scale):
    return F.kl_div(p, q) * scale
def train(p, q, w):
    sizes = [x.size(1) for x in q]
    return distilled(p, q[0], {scale})
"""


@pytest.mark.parametrize("scale", ["p.size(1)", "sizes[0]", "p.shape[-1]"])
def test_nothing_is_said_of_a_mean_that_the_caller_multiplies_by_a_size(scale: str) -> None:
    assert not advice("TP309", _DISTILLED.format(scale=scale))


@pytest.mark.parametrize("scale", ["w", "0.5", "len(w)"])
def test_other_weights_leave_the_mean_a_mean(scale: str) -> None:
    (found,) = advice("TP309", _DISTILLED.format(scale=scale))
    assert "divides the sum by the size of dim 0 alone" in found.message


_UNIFORM = """
import torch
import torch.nn.functional as F
def confidence(x, net, args):
    y = {made}
    x, y = x.cuda(), y.cuda()
    return F.kl_div(F.log_softmax(net(x), 1), y) * args.classes
"""


@pytest.mark.parametrize(
    "made",
    [
        "torch.Tensor(x.size(0), args.classes).fill_(1.0 / args.classes)",
        "torch.full((x.size(0), args.classes), 1.0 / args.classes)",
        "Variable(torch.ones([len(x), args.classes]))",
    ],
)
def test_nothing_is_said_of_a_mean_times_a_size_that_the_target_was_made_with(made: str) -> None:
    assert not advice("TP309", _UNIFORM.format(made=made))


@pytest.mark.parametrize(
    "made",
    [
        "torch.Tensor(x.size(0), args.others).fill_(1.0 / args.classes)",
        "uniform(x.size(0), args.classes)",
    ],
)
def test_a_mean_times_what_may_be_no_size_is_told(made: str) -> None:
    (found,) = advice("TP309", _UNIFORM.format(made=made))
    assert "averages over all elements" in found.message


_HISTOGRAMS = """
import torch
import torch.nn as nn
import torch.nn.functional as F
class Distance(nn.Module):
    def forward(self, p, q):
        return F.kl_div(p, q)
class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.distance = Distance()
    def forward(self, x, n):
        a = {made}
        return self.distance(a, a)
"""


@pytest.mark.parametrize(
    ("made", "is_told"),
    [
        ("torch.histc(x, bins=100)", False),
        ("torch.histc(x, bins=100) / x.size(0)", False),
        ("torch.histc(x, bins=100) / n", True),
        ("torch.zeros(3, 4)", True),
        ("x", True),
    ],
)
def test_nothing_is_said_of_the_mean_over_one_dimension(
    tmp_path: Path, made: str, is_told: bool
) -> None:
    path = tmp_path / "loss.py"
    path.write_text(_HISTOGRAMS.format(made=made), "utf-8")
    result = migrate_file(path, Settings(select=("TP309",)), write=False)
    assert [f.line for f in result.findings] == ([7] if is_told else [])


_WARNED = (
    ': write reduction="none" and .mean() for the same number without torch\'s warning, or'
    ' reduction="batchmean", which divides the sum by the size of dim 0 alone, for the divergence'
)


_OF_ROWS = _WARNED.replace(", which divides the sum by the size of dim 0 alone,", "")


@pytest.mark.filterwarnings("error")
def test_the_same_number_comes_without_a_warning() -> None:
    p, q = torch.randn(3, 2, 4).log_softmax(1), torch.randn(3, 2, 4).softmax(1)
    same = F.kl_div(p, q, reduction="none").mean()
    with pytest.warns(UserWarning, match="batchmean"):
        assert torch.allclose(F.kl_div(p, q), same)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ("torch.ones(3)", []),
        ("torch.tensor(3.0)", []),
        ("torch.norm(torch.ones(3, 2), 1)", []),
        ("torch.norm(x)", []),
        ("torch.ones(3, 2)", [_OF_ROWS]),
        (
            "torch.ones(3, 2, 4)",
            [_WARNED],
        ),
        ("x", [_WARNED]),
    ],
)
def test_a_reduction_is_proposed_for_a_batch_of_classes(made: str, said: list[str]) -> None:
    text = f"import torch\nimport torch.nn.functional as F\nF.kl_div(p, {made})\n"
    told = "kl_div averages over all elements unless a reduction is given"
    assert [f.message for f in advice("TP309", text)] == [told + each for each in said]
