from __future__ import annotations

from tests.support.rules import keeps, migrate, rewrites
from torchfix_codemods.finding import Numerics

_HEAD = """
            import torch.nn as nn
            import torch.optim as optim
            from torch.nn.utils import clip_grad_norm_
            model = nn.Linear(3, 2)
            """
_TWICE = """
            optimizer = optim.Adam(params, lr=1e-3)
            clip_grad_norm_(params, 5)
            """


def _params(before: str, after: str) -> tuple[str, str]:
    return (f"{_HEAD}params = {before}{_TWICE}", f"{_HEAD}params = {after}{_TWICE}")


test_rewrites = rewrites(
    "TP608",
    {
        "filter": _params(
            "filter(lambda p: p.requires_grad, model.parameters())",
            "list(filter(lambda p: p.requires_grad, model.parameters()))",
        ),
        "generator": _params("model.parameters()", "list(model.parameters())"),
        "map": _params(
            "map(lambda item: item[1], model.named_parameters())",
            "list(map(lambda item: item[1], model.named_parameters()))",
        ),
        "generator expression": _params(
            "(p for p in model.parameters() if p.requires_grad)",
            "[p for p in model.parameters() if p.requires_grad]",
        ),
        "spaces and comments": _params(
            "( p for p in model.parameters() )  # all", "[ p for p in model.parameters() ]  # all"
        ),
        "unknown model": _params("build().parameters()", "list(build().parameters())"),
        "keyword": (
            f"{_HEAD}p = model.parameters()\n            optim.SGD(params=p, lr=1); list(p)\n",
            f"{_HEAD}p = list(model.parameters())\n            optim.SGD(params=p, lr=1); list(p)\n",
        ),
        "loop": (
            f"""{_HEAD}
            params = model.parameters()
            for epoch in range(3):
                for p in params:
                    p.grad.clamp_(-1, 1)
            """,
            f"""{_HEAD}
            params = list(model.parameters())
            for epoch in range(3):
                for p in params:
                    p.grad.clamp_(-1, 1)
            """,
        ),
        "attribute": (
            f"""{_HEAD}
            class Clipping:
                def on_start(self, state):
                    if self.params is None:
                        self.params = filter(lambda p: p.requires_grad, state.model.parameters())
                def on_backward(self, state):
                    clip_grad_norm_(self.params, self.max_norm)
            """,
            f"""{_HEAD}
            class Clipping:
                def on_start(self, state):
                    if self.params is None:
                        self.params = list(filter(lambda p: p.requires_grad, state.model.parameters()))
                def on_backward(self, state):
                    clip_grad_norm_(self.params, self.max_norm)
            """,
        ),
    },
)


def test_an_optimizer_refuses_nothing() -> None:
    text = (
        "import torch\nnet = torch.nn.Linear(1, 1)\nparams = filter(None, net.parameters())\n"
        "print(sum(p.numel() for p in params))\nopt = torch.optim.SGD(params, lr=0.1)\n"
    )
    findings = migrate(text, "TP608").findings
    assert [f.numerics for f in findings] == [Numerics.RESTORED]


_KEPT = {
    "list": f"params = list(model.parameters()){_TWICE}",
    "comprehension": f"params = [p for p in model.parameters()]{_TWICE}",
    "one use": "params = model.parameters()\n            optimizer = optim.Adam(params)",
    "one use of each": (
        "if fast:\n                params = model.parameters()\n"
        "            else:\n                params = model.fc.parameters()\n"
        "            optimizer = optim.Adam(params)"
    ),
    "either use": (
        "params = model.parameters()\n            if fast:\n                opt = optim.Adam(params)\n"
        "            else:\n                opt = optim.SGD(params)"
    ),
    "next": f"params = model.parameters()\n            device = next(params).device{_TWICE}",
    "unknown use": f"params = model.parameters()\n            watch(params){_TWICE}",
    "assigned anew": (
        "params = model.parameters()\n            optimizer = optim.Adam(params)\n"
        "            params = model.parameters()\n            clip_grad_norm_(params, 5)"
    ),
    "made in the loop": (
        "for x in loader:\n                params = model.parameters()\n"
        "                clip_grad_norm_(params, 5)"
    ),
    "function of this file": (
        f"def filter(f, x):\n                return list(x)\n"
        f"            params = filter(None, model.parameters()){_TWICE}"
    ),
    "list of this file": f"list = tuple\n            params = model.parameters(){_TWICE}",
    "method of this file": (
        "class Bag:\n                def parameters(self):\n                    return [1]\n"
        f"            params = bag.parameters(){_TWICE}"
    ),
    "another library": f"import sonnet\n            params = sonnet.parameters(){_TWICE}",
    "something else": f"params = filter(None, layers){_TWICE}",
    "optimizer of an attribute": (
        "class Trainer:\n                def __init__(self, model):\n"
        "                    self.params = model.parameters()\n                def build(self):\n"
        "                    return optim.Adam(self.params)"
    ),
    "attribute that is passed on": (
        "class Trainer:\n                def __init__(self, model):\n"
        "                    self.params = model.parameters()\n                def clip(self):\n"
        "                    clip_grad_norm_(self.params, 5)\n                def one(self):\n"
        "                    return next(self.params)"
    ),
    "attribute of the method alone": (
        "class Trainer:\n                def clip(self, model):\n"
        "                    self.params = model.parameters()\n"
        "                    clip_grad_norm_(self.params, 5)"
    ),
    "suppressed": f"params = model.parameters()  # noqa: TP608{_TWICE}",
}

test_keeps = keeps("TP608", {name: f"{_HEAD}{text}\n" for name, text in _KEPT.items()})
