from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import keeps, migrate, rewrites
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_ONE_LINERS = {
    "p.data.add_(-lr, grad)": "p.data.add_(grad, alpha=-lr)",
    "p.data.sub_(lr, grad)": "p.data.sub_(grad, alpha=lr)",
    "p.grad.data.add_(group['decay'], p.data)": "p.grad.data.add_(p.data, alpha=group['decay'])",
    "p.mul_(b).add_(1 - b, grad)": "p.mul_(b).add_(grad, alpha=1 - b)",
    "p.addcmul_(1 - b, grad, grad)": "p.addcmul_(grad, grad, value=1 - b)",
    "p.addcdiv_(-lr / b, p, grad.add_(e))": "p.addcdiv_(p, grad.add_(e), value=-lr / b)",
    "x.addmm_(1, -2, y, z.t())": "x.addmm_(y, z.t(), beta=1, alpha=-2)",
    "x.addmm_(b, y, z.t())": "x.addmm_(y, z.t(), beta=b)",
    "x.addr(b, lr, y, z)": "x.addr(y, z, beta=b, alpha=lr)",
    "w = torch.add(x, 2, y)": "w = torch.add(x, y, alpha=2)",
    "w = torch.add(x, 2, y, out=z)": "w = torch.add(x, y, alpha=2, out=z)",
    "p.data.add_(1, grad)": "p.data.add_(grad)",
    "p.add_(True, grad)": "p.add_(grad, alpha=True)",
    "w = torch.add(x, 1, y, out=z)": "w = torch.add(x, y, out=z)",
    "w = torch.baddbmm(1.0,\n    x, 1.0, y, z.t())": "w = torch.baddbmm(x,\n    y, z.t())",
    "w = torch.addcdiv(x, 2, y, z)": "w = torch.addcdiv(x, y, z, value=2)",
    "w = torch.addmm(b, x, y, z)": "w = torch.addmm(x, y, z, beta=b)",
    "w = torch.addmm(b, x, lr, y, z)": "w = torch.addmm(x, y, z, beta=b, alpha=lr)",
    "w = torch.baddbmm(b, x, lr, y, z)": "w = torch.baddbmm(x, y, z, beta=b, alpha=lr)",
    "p.add_(math.sqrt(b) / group['lr'], torch.abs(y))": (
        "p.add_(torch.abs(y), alpha=math.sqrt(b) / group['lr'])"
    ),
    "w = torch.zeros(3).add(lr, y)": "w = torch.zeros(3).add(y, alpha=lr)",
    "p.add_(lr if b else 1, grad)": "p.add_(grad, alpha=lr if b else 1)",
}


@pytest.mark.parametrize("before", _ONE_LINERS)
def test_rewrites_line(before: str) -> None:
    head = "import math\nimport torch\n"
    after = head + _ONE_LINERS[before] + "\n"
    assert migrate(head + before + "\n", "TP407").text == after
    assert migrate(after, "TP407").text == after


test_rewrites = rewrites(
    "TP407",
    {
        "over lines": (
            """
            import torch
            y = torch.addcmul(
                x,
                0.5,
                tensor1,
                tensor2
            )
            """,
            """
            import torch
            y = torch.addcmul(
                x,
                tensor1,
                tensor2,
                value=0.5
            )
            """,
        ),
        "wrapped": (
            """
            import torch
            p.data.addcdiv_(-group['lr'],
                            exp_avg, denom)
            """,
            """
            import torch
            p.data.addcdiv_(exp_avg,
                            denom, value=-group['lr'])
            """,
        ),
        "one in another": (
            """
            import torch
            y = torch.add(x, 2, torch.add(x, 3, z))
            """,
            """
            import torch
            y = torch.add(x, torch.add(x, z, alpha=3), alpha=2)
            """,
        ),
        "gradient in an optimizer": (
            """
            import torch
            from torch.optim.optimizer import Optimizer
            class SGD(Optimizer):
                def step(self):
                    for group in self.param_groups:
                        for p in group['params']:
                            d_p = p.grad.data
                            if group['weight_decay'] != 0:
                                d_p = d_p.add(group['weight_decay'], p.data)
            """,
            """
            import torch
            from torch.optim.optimizer import Optimizer
            class SGD(Optimizer):
                def step(self):
                    for group in self.param_groups:
                        for p in group['params']:
                            d_p = p.grad.data
                            if group['weight_decay'] != 0:
                                d_p = d_p.add(p.data, alpha=group['weight_decay'])
            """,
        ),
        "number of no dimension": (
            """
            import torch
            def f(net, vector, r=1e-2):
                R = r / torch.cat([v.view(-1) for v in vector]).norm()
                for p, v in zip(net.parameters(), vector):
                    p.data.add_(R, v)
                    p.data.sub_(2*R, v)
                return torch.add(torch.ones(3), R.norm(), torch.ones(3))
            """,
            """
            import torch
            def f(net, vector, r=1e-2):
                R = r / torch.cat([v.view(-1) for v in vector]).norm()
                for p, v in zip(net.parameters(), vector):
                    p.data.add_(v, alpha=R)
                    p.data.sub_(v, alpha=2*R)
                return torch.add(torch.ones(3), torch.ones(3), alpha=R.norm())
            """,
        ),
        "tensor that is multiplied elsewhere": (
            """
            import torch
            def update(moment, grad, p):
                moment.addcmul_(0.1, grad, grad)
                p.sub_(0.1, moment)
                return grad.add(0.1, p)
            """,
            """
            import torch
            def update(moment, grad, p):
                moment.addcmul_(grad, grad, value=0.1)
                p.sub_(moment, alpha=0.1)
                return grad.add(p, alpha=0.1)
            """,
        ),
        "receiver that its other use shows to be a tensor": (
            """
            import torch
            def decay(g, p):
                g.clamp_(-1, 1)
                return g.add(0.1, p)
            """,
            """
            import torch
            def decay(g, p):
                g.clamp_(-1, 1)
                return g.add(p, alpha=0.1)
            """,
        ),
    },
)

_KEPT = {
    "modern": "p.add_(grad, alpha=-lr)",
    "one argument": "p.data.add_(-lr * grad)",
    "modern addmm": "w = torch.addmm(x, y, z); x.addmm_(y, z, alpha=2)",
    "modern addcmul": "w = torch.addcmul(x, y, z, value=2); x.addcmul_(y, z)",
    "star": "w = torch.add(x, *rest); p.add_(2, *rest)",
    "double star": "p.add_(-lr, grad, **rest)",
    "keyword alpha": "p.add_(-lr, grad, alpha=2)",
    "other keywords": "w = torch.addcmul(x, 2, tensor1=y, tensor2=z)",
    "unknown receiver": "w = x.add(2, y); x.sub(2, y)",
    "regular expression": "w = re.compile('a').sub('b', text); w = re.sub('a', 'b', text)",
    "set": "seen = set(); seen.add(2)",
    "numpy": "w = numpy.add(x, 2, y)",
    "tensor in the number's place": "p.add_(torch.ones(2), b)",
    "tensor of unknown size in the number's place": "p.add_(r * t.norm(), b)",
    "tensor of several numbers": "R = 2 * t; p.add_(R, b)",
    "tensor of one number": "p.add_(torch.ones(1), b)",
    "number in the tensor's place": "p.add_(2, 3)",
    "too many": "p.add_(2, 3, grad); w = torch.add(1, 2, 3, 4)",
    "calls of unknown effect": "p.add_(schedule.step(), noise())",
    "attribute that a call may change": "p.add_(schedule.lr, schedule.step())",
    "attribute that a tensor's method may change": "p.add_(t.data, t.mul_(2))",
    "number drawn before the noise": "p.add_(torch.rand(1).item(), torch.randn(2))",
    "named in the arguments": "p.add_(lr, (lr := y))",
    "suppressed": "p.add_(-lr, grad)  # noqa: TP407",
}

test_keeps_line = keeps(
    "TP407",
    {
        name: f"import re\nimport numpy\nimport torch\nt = torch.ones(2)\n{text}\n"
        for name, text in _KEPT.items()
    },
)

test_keeps = keeps(
    "TP407",
    {
        "function of this file": """
            import torch
            def add(x, alpha, y):
                return x
            w = add(x, 2, y)
            """,
        "method of this file's class": """
            import torch
            class Meter:
                def add_(self, n, value):
                    self.total += n * value
            def update(meter, loss):
                meter.add_(2, loss)
            """,
        "gradient of something else": """
            import torch
            class Meter:
                def step(self, p):
                    d_p = p.grad.data
                    d_p.add(2, p.data)
            """,
        "shadowed module": """
            import torch
            def f(torch, x, y):
                return torch.add(x, 2, y)
            """,
        "comments": """
            import torch
            y = torch.addcmul(
                x,
                0.5,  # momentum
                a, b)
            """,
        "choice by version": """
            import torch
            if TORCH_VERSION >= (1, 5):
                p.add_(grad, alpha=-lr)
            else:
                p.add_(-lr, grad)
            """,
        "choice by trying": """
            import torch
            try:
                p.add_(-lr, grad)
            except TypeError:
                p.add_(grad, alpha=-lr)
            """,
    },
)


def test_message_names_the_keywords() -> None:
    findings = migrate("import torch\nx.addmm_(1, -2, y, z)\n", "TP407").findings
    assert [f.message for f in findings] == [
        "the number in front of the tensors is deprecated: it is beta= and alpha="
    ]


_HANDED = """import torch
from torch.optim import Optimizer
class Adam(Optimizer):
    def dense(self, p, grad, group):
        grad = grad.add(group["decay"], p.data)
        p.data.add_(-group["lr"], grad)
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                grad = p.grad.data
                self.dense({given})
                {more}
"""


@pytest.mark.parametrize(
    ("given", "more", "is_rewritten"),
    [
        ("p, grad, group", "pass", True),
        ("p, p.grad, group", "self.dense(p, torch.zeros(3), group)", True),
        # What takes a number and a tensor may be no tensor.
        ("p, grad, group", "self.dense(p, meter, group)", False),
        ("p, self.made, group", "pass", False),
        ("p, grad, group", "run(self.dense)", False),
    ],
)
def test_a_gradient_is_handed_to_a_method(
    tmp_path: Path, given: str, more: str, is_rewritten: bool
) -> None:
    (tmp_path / "adam.py").write_text(_HANDED.format(given=given, more=more))
    settings = Settings(select=("TP407",))
    after = migrate_file(tmp_path / "adam.py", settings, write=False).after or ""
    assert ('grad.add(p.data, alpha=group["decay"])' in after) is is_rewritten
