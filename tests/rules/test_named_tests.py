"""A loop of a function that is called a test needs no graph, where nothing in it trains."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import migrate

_HEAD = """
import torch, torch.nn as nn, torch.nn.functional as F
model = nn.Sequential(nn.Linear(4, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def train(loader):
    for x, y in loader:
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
"""


def _after(code: str) -> str:
    after = migrate(_HEAD + textwrap.dedent(code), "TP112").text
    assert migrate(after, "TP112").text == after
    return after.removeprefix(_HEAD)


@pytest.mark.parametrize("name", ["test", "validate", "evaluate", "val_epoch"])
def test_the_loop_of_a_test_goes_under_no_grad(name: str) -> None:
    before = f"""
        def {name}(loader):
            total = 0
            for x, y in loader:
                out = model(x)
                total += F.cross_entropy(out, y).item()
            print(total)
    """
    after = f"""
        def {name}(loader):
            total = 0
            with torch.no_grad():
                for x, y in loader:
                    out = model(x)
                    total += F.cross_entropy(out, y).item()
            print(total)
    """
    assert _after(before) == textwrap.dedent(after)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(
            "def check(loader):\n    for x, y in loader:\n        LOSS", id="another name"
        ),
        pytest.param(
            "def test(loader):\n    for x, y in loader:\n        LOSS\n        train(loader)",
            id="it trains by another function",
        ),
        pytest.param(
            "def test(loader):\n    for x, y in loader:\n        LOSS\n        optimizer.step()",
            id="it steps",
        ),
        pytest.param(
            "def test(loader):\n    model.train()\n    for x, y in loader:\n        LOSS",
            id="it sets the mode for training",
        ),
        pytest.param(
            "def test(loader):\n    for x, y in loader:\n        out = model(x)\n    return out",
            id="what it gives back may be trained on",
        ),
        pytest.param("def test(x, y):\n    LOSS", id="no loop"),
        pytest.param(
            "criterion = nn.CrossEntropyLoss()\ndef test(loader, net):\n    for x, y in loader:\n"
            "        total = criterion(net(x), y).item()",
            id="only the loss is known, which has the graph of the model",
        ),
        pytest.param(
            "def test(loader, net):\n    for x in loader:\n        print(net(x).sum().item())",
            id="a model that is not known",
        ),
        pytest.param(
            "@wrapped\ndef test(loader):\n    for x, y in loader:\n        LOSS", id="decorated"
        ),
        pytest.param(
            "def test(loader):\n    for x, y in loader:\n        LOSS\n"
            "with torch.no_grad():\n    test([])",
            id="called under no_grad",
        ),
        pytest.param(
            "def test(loader):\n    with torch.no_grad():\n        for x, y in loader:\n            LOSS",
            id="under no_grad",
        ),
        pytest.param(
            "def test(loader):\n    for x, y in loader:\n        x.requires_grad_()\n"
            "        loss = model(x).sum()\n        print(torch.autograd.grad(loss, x))",
            id="it asks for gradients",
        ),
    ],
)
def test_what_may_train_or_is_no_test_stays(code: str) -> None:
    code = code.replace("LOSS", "print(F.cross_entropy(model(x), y).item())") + "\n"
    assert _after(code) == code
