"""A layer whose method has the name of an attribute that the file stores."""

from __future__ import annotations

import pytest

from tests.facts.test_values import value_of
from torchfix_codemods.facts.values.lattice import Module

_TEXT = """
class Own:
    def __init__(self, options, other):
        {stored}
loss = {made}
look(loss.cuda())
"""


@pytest.mark.parametrize("made", ["nn.MSELoss()", "nn.Sequential(nn.Linear(1, 2))", "nn.GRU(1, 2)"])
@pytest.mark.parametrize("stored", ["self.cuda = options.cuda", "self.cuda = self.float = other"])
def test_what_own_objects_keep_is_no_method_of_a_layer(stored: str, made: str) -> None:
    value = value_of(_TEXT.format(stored=stored, made=made))
    assert isinstance(value, Module) and (value.cls or "").startswith("torch.nn.")


@pytest.mark.parametrize(
    "stored",
    [
        "other.cuda = options.cuda",
        "self.loss.cuda = options.cuda",
        "nn.Module.cuda = options.cuda",
        "self.cuda, nn.MSELoss.cuda = options",
        "pass\ndef patch(net, f):\n    net.cuda = f",
        "pass\n    @staticmethod\n    def patch(net, f):\n        net.cuda = f",
        "def patch(self, f):\n            self.cuda = f\n        patch(loss, other)",
    ],
)
def test_what_any_object_gets_may_be_the_method_of_a_layer(stored: str) -> None:
    assert not isinstance(value_of(_TEXT.format(stored=stored, made="nn.MSELoss()")), Module)


@pytest.mark.parametrize("base", ["nn.MSELoss", "nn.Module"])
def test_an_own_layer_has_what_it_keeps(base: str) -> None:
    text = _TEXT.replace("class Own:", f"class Own({base}):")
    text = text.format(stored="self.cuda = options.cuda", made="Own(1, 2)")
    value = value_of(text)
    assert not isinstance(value, Module)
