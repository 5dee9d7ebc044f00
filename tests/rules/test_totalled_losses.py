"""Losses that are put together to be summed up: `backward()` shows each to hold one element."""

from __future__ import annotations

import pytest
import torch

from tests.support.rules import keeps, migrate

_RUN = """
import torch
from torch.autograd import Variable

class Loss:
    def __init__(self, factor=1):
        self.factor = factor
        self.loss = torch.nn.MSELoss()

    def far(self, x, y):
        return self.loss(x, y) * self.factor

def run(x):
    losses = Loss()
    kept = []
    for y in x:
        far = losses.far(Variable(y, requires_grad=True), Variable(x[0]))
        near = losses.far(Variable(y, requires_grad=True), Variable(x[1]))
        total = far * 0.5 + near
        kept.append(far.data)
        total.backward()
    return torch.mean(torch.cat(kept))
"""
_PUT = "torch.mean(torch.cat(kept))\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("torch.mean(torch.cat(kept))", "torch.mean(torch.stack(kept))"),
        ("torch.sum(torch.cat(kept, 0))", "torch.sum(torch.stack(kept, 0))"),
        ("torch.cat(kept).mean()", "torch.stack(kept).mean()"),
        ("2 * torch.cat(kept, dim=0).sum()", "2 * torch.stack(kept, dim=0).sum()"),
    ],
)
def test_terms_of_what_is_differentiated_are_stacked(before: str, after: str) -> None:
    text = _RUN.replace("torch.mean(torch.cat(kept))", before)
    migration = migrate(text, "TP903")
    assert migration.text == text.replace(before, after)
    assert migrate(migration.text, "TP903").text == migration.text


def test_the_total_is_that_of_the_losses() -> None:
    x = torch.arange(6.0).view(3, 2)
    old: dict[str, object] = {}
    exec(_RUN, old)
    with pytest.raises(RuntimeError, match="cannot be concatenated"):
        old["run"](x)  # type: ignore[operator]
    for factor, before in (("1", _RUN), ("torch.ones(1)", _RUN.replace("r=1", "r=torch.ones(1)"))):
        new: dict[str, object] = {}
        exec(migrate(before, "TP903").text, new)
        total = new["run"](x)  # type: ignore[operator]
        assert torch.equal(total, torch.tensor(20 / 3)), factor


test_keeps = keeps(
    "TP903",
    {
        "what is not summed up": _RUN.replace(_PUT, "torch.cat(kept)\n"),
        "a sum along a dimension": _RUN.replace(_PUT, "torch.sum(torch.cat(kept), 0)\n"),
        "another reduction": _RUN.replace(_PUT, "torch.cat(kept).prod()\n"),
        "a sum of more": _RUN.replace(_PUT, "torch.mean(*torch.cat(kept))\n"),
        "a function of the file": _RUN.replace(_PUT, "mean(torch.cat(kept))\n"),
        "what is not differentiated": _RUN.replace("total.backward()", "total.sum().backward()"),
        "a term with a gradient of its own": _RUN.replace("backward()", "backward(x)"),
        "rows among the losses": _RUN.replace("    kept.append", "    kept.append(y); kept.append"),
        "what is not known to be a tensor": _RUN.replace("Loss()\n    k", "x.losses\n    k"),
        "code for torch 0.4": _RUN.replace("kept = []", "kept = []\n    d = torch.device(0)"),
        "code without Variables": _RUN.replace(
            "from torch.autograd import Variable", "Variable = torch.ones_like"
        ),
    },
)
