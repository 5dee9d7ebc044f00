"""``loss.data[0]`` of a loss that is only trained on under ``if train:``, in files for torch 0.3."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, rewrites

_HEAD = """
            import torch
            from torch.autograd import Variable
            def step(model, x, y, train, total=0):
                x = Variable(x, volatile=False)
"""

_TRAINED = {
    "below": """
                loss = model(x, y)
                total += loss.data[0]
                if train:
                    loss.backward()
            """,
    "above, by name of the phase": """
                loss = model(x, y)
                if train == "train":
                    loss.backward(retain_graph=True)
                return loss.data[0]
            """,
    "in both branches": """
                if y is None:
                    loss = model(x)
                    loss.backward()
                else:
                    loss = model(x, y)
                    if train:
                        loss.backward()
                return loss.data[0]
            """,
}

test_rewrites = rewrites(
    "TP103",
    {
        name: (_HEAD + text, (_HEAD + text).replace(".data[0]", ".item()"))
        for name, text in _TRAINED.items()
    },
)

_OTHERS = {
    "another value": """
                loss = model(x, y)
                if train:
                    loss.backward()
                loss = model(x, y)
                return loss.data[0]
            """,
    "one branch of two": """
                if train:
                    loss = model(x)
                    loss.backward()
                else:
                    loss = model(x, y)
                return loss.data[0]
            """,
    "with a gradient": """
                loss = model(x, y)
                if train:
                    loss.backward(y)
                return loss.data[0]
            """,
    "of another function": """
                loss = model(x, y)
                def train(loss):
                    loss.backward()
                return loss.data[0]
            """,
}


@pytest.mark.parametrize("text", _OTHERS.values(), ids=_OTHERS)
def test_what_is_not_trained_on_is_told(text: str) -> None:
    assert len(advice("TP103", _HEAD + text)) == 1


def test_a_file_that_may_be_younger_is_left() -> None:
    text = (_HEAD + _TRAINED["below"]).replace(", volatile=False", "")
    assert len(advice("TP103", text)) == 1
