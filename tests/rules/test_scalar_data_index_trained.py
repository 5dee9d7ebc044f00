"""``loss.data[0]`` of a loss that is only trained on under ``if train:``, in files for torch 0.3."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.rules import advice, migrate, rewrites

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
                loss = model(y, x)
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


_UNWRAPPED = ["loss.data.cpu().numpy()[0]", "loss.cpu().data.numpy()[0]", "loss.data.tolist()[0]"]
_TRAINS = """
            loss = model(x, y)
            if train:
                loss.backward()
            print({})
"""
_YOUNGER = """
        import torch
        def step(model, x, y, train):
"""


@pytest.mark.parametrize("read", _UNWRAPPED)
def test_an_array_of_what_is_trained_on_holds_one_number(read: str) -> None:
    text = _HEAD + _TRAINS.format(read).replace("\n", "\n    ")
    after = migrate(textwrap.dedent(text), "TP103").text
    assert "print(loss.item())" in after


@pytest.mark.parametrize("read", _UNWRAPPED)
def test_an_array_of_what_may_be_trained_on_today_is_told(read: str) -> None:
    (finding,) = advice("TP103", _YOUNGER + _TRAINS.format(read))
    assert finding.message.endswith("write loss.item()")


@pytest.mark.parametrize(
    "code",
    [
        "loss.data.numpy()[1]",
        "loss.data.numpy()[0][0]",
        "loss.detach().numpy()[0]",
        "model.loss.data.numpy()[0]",
        "y.data.numpy()[0]",
        "model(x).data.numpy()[0]",
    ],
)
def test_other_arrays_are_indexed_for_other_reasons(code: str) -> None:
    assert not advice("TP103", _YOUNGER + _TRAINS.format(code))


@pytest.mark.parametrize("line", ["loss.backward(y)", "loss.mean().backward()", "y.backward()"])
def test_arrays_of_what_is_not_differentiated_by_itself(line: str) -> None:
    text = _TRAINS.format("loss.data.numpy()[0]").replace("loss.backward()", line)
    assert not advice("TP103", _YOUNGER + text)
