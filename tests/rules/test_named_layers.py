"""Layers that have names in an ``OrderedDict`` are those of the ``nn.Sequential`` made of it."""

from __future__ import annotations

import pytest

from tests.support.rules import advice, migrate

_NET = """import collections
import torch
import torch.nn as nn
from collections import OrderedDict
class Flatten(nn.Module):
    def forward(self, x):
        return x.view(x.size(0), -1)
class Net(nn.Module):
    def __init__(self, n):
        super(Net, self).__init__()
        self.head = nn.Sequential({layers})
    def forward(self, x):
        return self.head(x){used}
"""
_LAYERS = "OrderedDict([('flat', Flatten()), ('fc', nn.Linear(8, 5)), ('soft', nn.Softmax())])"


def _net(layers: str = _LAYERS, used: str = "") -> str:
    return _NET.format(layers=layers, used=used)


@pytest.mark.parametrize(
    "layers",
    [
        _LAYERS,
        "collections.OrderedDict((('flat', Flatten()), ['soft', nn.Softmax()]))",
        "OrderedDict({'flat': Flatten(), 'soft': nn.Softmax()})",
        "*[Flatten(), nn.Linear(8, 5), nn.Softmax()]",
        "Flatten(), *[nn.Linear(8, 5), nn.Softmax()]",
        "OrderedDict([('a', nn.Sequential(Flatten())), ('b', nn.Sequential(nn.Softmax()))])",
    ],
)
def test_a_softmax_behind_flattened_layers_takes_the_second_dimension(layers: str) -> None:
    code = _net(layers)
    assert migrate(code, "TP302").text == code.replace("Softmax()", "Softmax(dim=1)")


@pytest.mark.parametrize(
    ("layers", "used"),
    [
        # Of two with one name there is the second alone.
        ("OrderedDict([('a', Flatten()), ('a', nn.Conv2d(1, 2, 3)), ('b', nn.Softmax())])", ""),
        ("OrderedDict([('b', nn.Softmax()), ('flat', Flatten())])", ""),
        ("OrderedDict([('flat', Flatten(), 1), ('soft', nn.Softmax())])", ""),
        ("OrderedDict([Flatten(), ('soft', nn.Softmax())])", ""),
        ("OrderedDict([('flat', Flatten()), ('soft', nn.Softmax())], more=n)", ""),
        ("OrderedDict({'flat': Flatten(), **n, 'soft': nn.Softmax()})", ""),
        ("OrderedDict([('flat', Flatten()), *n, ('soft', nn.Softmax())])", ""),
        ("dict([('flat', Flatten()), ('soft', nn.Softmax())])", ""),
        (_LAYERS, " + self.head.soft(x.view(1, 2, 3))"),
        ("OrderedDict([('flat', Flatten()), (n, nn.Softmax())])", ""),
    ],
)
def test_where_the_layers_are_not_certain_none_is_completed(layers: str, used: str) -> None:
    code = _net(layers, used)
    assert migrate(code, "TP302").text == code


def test_what_layers_with_names_give_has_as_many_dimensions() -> None:
    used = "\ndef probs(x, n):\n    return nn.functional.softmax(Net(n).head(x))"
    code = _net(used=used)
    assert "head(x), dim=1)" in migrate(code, "TP302").text


def test_the_last_of_layers_with_names_is_what_a_loss_gets() -> None:
    layers = "OrderedDict([('fc', nn.Linear(8, 5)), ('soft', nn.Softmax(dim=1))])"
    used = "\ndef train(x, y):\n    net = Net(3)\n    return nn.functional.cross_entropy(net(x), y)"
    (found,) = advice("TP304", _net(layers, used))
    assert "softmax" in found.message.lower()
