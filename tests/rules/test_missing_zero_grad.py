from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps

_HEAD = """
            import torch
            from torch import nn, optim
            model, other = nn.Linear(2, 2), nn.Linear(2, 2)
            optimizer = optim.SGD(model.parameters(), lr=0.1)
            second = optim.SGD(other.parameters(), lr=0.1)
"""


def _loop(*lines: str, head: str = _HEAD) -> str:
    body = "".join(" " * 16 + line + "\n" for line in lines)
    return head + "            for x in loader:\n" + body


_BACKWARD = "model(x).sum().backward()"

_ADVISED = {
    "at the module level": _loop(_BACKWARD, "optimizer.step()"),
    "in a function": """
            import torch
            def train(loader):
                model = torch.nn.Linear(2, 2)
                optimizer = torch.optim.Adam(model.parameters())
                while True:
                    loss = model(next(loader)).sum()
                    loss.backward()
                    optimizer.step()
            """,
    "under no condition": _loop(_BACKWARD, "with timer:", "    optimizer.step()"),
    "a helper that only measures": _loop(
        _BACKWARD,
        "optimizer.step()",
        "report(x)",
        head=_HEAD + "            def report(x):\n                print(x)\n",
    ),
    "a function that is handed on and only initializes": _loop(
        "model.apply(start)",
        "model.apply(lambda m: m.train())",
        _BACKWARD,
        "optimizer.step()",
        head=_HEAD + "            def start(m):\n                print(m)\n",
    ),
    "a round that may be the last": _loop(_BACKWARD, "optimizer.step()", "if x: break", "continue"),
    "the other one is cleared": _loop(
        "second.zero_grad()",
        "(model(x) + other(x)).sum().backward()",
        "second.step()",
        "optimizer.step()",
    ),
}

_QUIET = {
    "cleared": _loop("optimizer.zero_grad()", _BACKWARD, "optimizer.step()"),
    "cleared afterwards": _loop(_BACKWARD, "optimizer.step()", "optimizer.zero_grad()"),
    "cleared by the model": _loop("model.zero_grad()", _BACKWARD, "optimizer.step()"),
    "cleared by hand": _loop(
        _BACKWARD, "optimizer.step()", "for p in model.parameters():", "    p.grad.zero_()"
    ),
    "cleared by None": _loop(_BACKWARD, "optimizer.step()", "model.weight.grad = None"),
    "cleared by a function": _loop(
        "reset()",
        _BACKWARD,
        "optimizer.step()",
        head=_HEAD + "            def reset():\n                model.zero_grad()\n",
    ),
    "cleared by a function that is handed on": _loop(
        "model.apply(clear)",
        _BACKWARD,
        "optimizer.step()",
        head=_HEAD + "            def clear(m):\n                m.zero_grad()\n",
    ),
    "cleared by a lambda": _loop(
        "model.apply(lambda m: m.zero_grad())", _BACKWARD, "optimizer.step()"
    ),
    "one round": _loop(_BACKWARD, "optimizer.step()", "break"),
    "cleared by an unknown function": _loop("prepare(model)", _BACKWARD, "optimizer.step()"),
    "cleared by an imported function": _loop(
        "prepare()",
        _BACKWARD,
        "optimizer.step()",
        head="            from helpers import prepare\n" + _HEAD,
    ),
    "gradients that add up on purpose": _loop(
        _BACKWARD, "if count % 4 == 0:", "    optimizer.step()"
    ),
    "a new optimizer in each round": _loop(
        "optimizer = optim.SGD(model.parameters(), lr=0.1)", _BACKWARD, "optimizer.step()"
    ),
    "a closure": _loop(_BACKWARD, "optimizer.step(closure)"),
    "no loop": _HEAD + "            model(x).sum().backward()\n            optimizer.step()\n",
    "no backward": _loop("optimizer.step()"),
    "an environment": _loop(_BACKWARD, "env.step()"),
    "a scheduler": _loop(
        "optimizer.zero_grad()",
        _BACKWARD,
        "optimizer.step()",
        "scheduler.step()",
        head=_HEAD + "            scheduler = optim.lr_scheduler.StepLR(optimizer, 3)\n",
    ),
    "another optimizer clears the whole": """
            import torch
            from torch import nn, optim
            model = nn.Sequential(nn.Linear(2, 2))
            optimizer = optim.SGD(model.parameters(), lr=0.1)
            second = optim.SGD(model[0].parameters(), lr=0.1)
            for x in loader:
                optimizer.zero_grad()
                model(x).sum().backward()
                optimizer.step()
                second.step()
            """,
    "parameters that are not certain": """
            import torch
            from torch import nn, optim
            optimizer = optim.SGD(first, lr=0.1)
            second = optim.SGD(rest, lr=0.1)
            for x in loader:
                optimizer.zero_grad()
                model(x).sum().backward()
                optimizer.step()
                second.step()
            """,
    "a user's optimizer": """
            import torch
            class SGD:
                def step(self):
                    self.clear()
            optimizer = SGD()
            for x in loader:
                model(x).sum().backward()
                optimizer.step()
            """,
    "suppressed": _loop(_BACKWARD, "optimizer.step()  # noqa: TP108"),
}

test_keeps = keeps("TP108", {**_ADVISED, **_QUIET})


@pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in _ADVISED.items()])
def test_names_the_line_to_write(text: str) -> None:
    (finding,) = advice("TP108", text)
    assert "optimizer.zero_grad() before backward()" in finding.message


@pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in _QUIET.items()])
def test_says_nothing(text: str) -> None:
    assert not advice("TP108", text)
