from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, rewrites

_HEAD = """
            import torch
            import torch.nn as nn
            net = nn.Linear(3, 2)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            other = torch.optim.Adam(net.parameters())
            for x, y in loader:
                loss = criterion(net(x), y)
                """


def _loop(lines: str) -> str:
    return _HEAD + lines.replace("\n", "\n                ") + "\n"


test_rewrites = rewrites(
    "TP115",
    {
        "in a row": (
            _loop("loss.backward()\nopt.zero_grad()\nopt.step()"),
            _loop("opt.zero_grad()\nloss.backward()\nopt.step()"),
        ),
        "clipped and printed": (
            _loop(
                "loss.backward(retain_graph=True)\n"
                "nn.utils.clip_grad_norm_(net.parameters(), 5)\n"
                "total += loss.item()\nopt.zero_grad()  # clear\nprint(loss.item())\nopt.step()"
            ),
            _loop(
                "opt.zero_grad()  # clear\nloss.backward(retain_graph=True)\n"
                "nn.utils.clip_grad_norm_(net.parameters(), 5)\n"
                "total += loss.item()\nprint(loss.item())\nopt.step()"
            ),
        ),
        "comments and blank lines": (
            _loop("\n# backward\nloss.backward()\n# clear\nopt.zero_grad()\n\nopt.step()"),
            _loop("\n# clear\nopt.zero_grad()\n# backward\nloss.backward()\n\nopt.step()"),
        ),
        "two optimizers": (
            _loop("loss.backward()\nopt.zero_grad()\nother.step()\nopt.step()"),
            _loop("opt.zero_grad()\nloss.backward()\nother.step()\nopt.step()"),
        ),
    },
)

_FOUND = {
    "several losses": "a.backward()\nb.backward()\nopt.zero_grad()\nopt.step()",
    "one line": "a.backward(); opt.zero_grad(); opt.step()",
}


@pytest.mark.parametrize("name", _FOUND)
def test_finds(name: str) -> None:
    assert [f.message for f in advice("TP115", _loop(_FOUND[name]))] == [
        "the gradients are cleared before the optimizer steps along them: "
        "write opt.zero_grad() before a.backward()"
    ]


_KEPT = {
    "before": "opt.zero_grad()\nloss.backward()\nopt.step()",
    "after": "loss.backward()\nopt.step()\nopt.zero_grad()",
    "computed again": "a.backward()\nopt.zero_grad()\nb.backward()\nopt.step()",
    "computed by a function": "a.backward()\nopt.zero_grad()\npenalty(net)\nopt.step()",
    "computed in a branch": (
        "a.backward()\nopt.zero_grad()\nif again:\n    b.backward()\nopt.step()"
    ),
    "gradients set": "a.backward()\nopt.zero_grad()\nnet.weight.grad = g\nopt.step()",
    "gradients kept": (
        "loss.backward()\ng = net.weight.grad\nopt.zero_grad()\nother.step()\nopt.step()"
    ),
    "used before": "loss.backward()\nother.step()\nopt.zero_grad()\nopt.step()",
    "closure": "loss.backward()\nopt.zero_grad()\nopt.step(closure)",
    "another optimizer": "loss.backward()\nopt.zero_grad()\nother.step()",
    "no optimizer": "loss.backward()\nnet.zero_grad()\nopt.step()",
    "unknown": "loss.backward()\nself.opt.zero_grad()\nself.opt.step()",
    "other block": "loss.backward()\nif i % 2:\n    opt.zero_grad()\n    opt.step()",
    "suppressed": "loss.backward()\nopt.zero_grad()  # noqa: TP115\nopt.step()",
}


@pytest.mark.parametrize("name", _KEPT)
def test_is_quiet(name: str) -> None:
    assert advice("TP115", _loop(_KEPT[name])) == []


test_keeps = keeps("TP115", {name: _loop(t) for name, t in {**_KEPT, **_FOUND}.items()})
