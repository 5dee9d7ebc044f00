"""``total[0]`` of a total that was summed up where gradients are off, and is wanted as a number."""

from __future__ import annotations

from tests.support.rules import advice, rewrites

_HEAD = """
    import torch
    import torch.nn as nn
    criterion = nn.CrossEntropyLoss()
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 2)
        def forward(self, x):
            return self.fc(x)
    net = Net()
"""

_EVALUATE = """
    def evaluate(batches):
        total = 0
        with torch.no_grad():
            for x, y in batches:
                total += len(x) * criterion(net(x), y)
        return total[0] / len(batches)
    print(evaluate([]))
"""

_BOUND = """
    def evaluate(x, y):
        with torch.no_grad():
            loss = criterion(net(x), y)
        print(len(x), loss[0])
"""


def _changed(text: str, *steps: tuple[str, str]) -> str:
    for old, new in steps:
        assert old in text
        text = text.replace(old, new)
    return text


_ITEM = ("total[0]", "total.item()")
_LOSS = ("loss[0]", "loss.item()")

test_rewrites = rewrites(
    "TP103",
    {
        "a sum": (_HEAD + _EVALUATE, _HEAD + _changed(_EVALUATE, _ITEM)),
        "a loss": (_HEAD + _BOUND, _HEAD + _changed(_BOUND, _LOSS)),
    },
)

_OTHERS = {
    "recorded": (_EVALUATE, ("torch.no_grad()", "torch.enable_grad()")),
    "one of two summands is recorded": (
        _EVALUATE,
        ("total = 0\n", "total = criterion(net(torch.ones(1, 3)), torch.ones(1).long())\n"),
    ),
    "switched": (_EVALUATE, ("torch.no_grad()", "torch.set_grad_enabled(flag)")),
    "wanted as a tensor": (_EVALUATE, ("print(evaluate([]))", "print(evaluate([]).dtype)")),
    "kept as a tensor": (_BOUND, ("print(len(x), loss[0])", "kept.append(len(x) * loss[0])")),
    "asked for gradients": (
        _BOUND,
        ("print(len(x), loss[0])", "loss.requires_grad_()\n        print(len(x), loss[0])"),
    ),
}


def test_what_may_have_a_graph_or_is_wanted_as_a_tensor_is_told() -> None:
    for name, (text, *steps) in _OTHERS.items():
        found = advice("TP103", _HEAD + _changed(text, *steps))
        assert len(found) == 1, name
