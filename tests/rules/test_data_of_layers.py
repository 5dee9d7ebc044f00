"""Under no_grad what a layer of torch calculates needs no ``.data``, whatever it was given."""

from __future__ import annotations

import pytest

from tests.support.rules import migrate

_TEXT = """import torch
import torch.nn as nn
class Softmax(nn.Module):
    def forward(self, x):
        return x
def show(model, image, flag):
    layer = {layer}
    with torch.no_grad():
        outputs = model(image)
        shown = layer(outputs[3]).cpu().data[0].numpy()
    return shown
"""


def _after(text: str) -> str:
    after = migrate(text, "TP104").text
    assert migrate(after, "TP104").text == after
    return after


@pytest.mark.parametrize(
    "layer",
    [
        "nn.Upsample(size=(3, 3))",
        "nn.Softmax(dim=1)",
        "nn.MaxPool2d(2)",
        "nn.ReLU()",
        "nn.Conv2d(3, 3, 1)",
        "nn.Sequential(nn.Upsample(size=3), nn.Dropout())",
    ],
)
def test_what_a_layer_calculates_has_no_graph(layer: str) -> None:
    text = _TEXT.format(layer=layer)
    assert _after(text) == text.replace(".data", "")


@pytest.mark.parametrize(
    "layer",
    [
        pytest.param("nn.Dropout()", id="hands on its input in evaluation"),
        pytest.param("nn.ReLU(inplace=True)", id="writes into its input"),
        pytest.param("nn.ReLU(flag)", id="may write into its input"),
        pytest.param("nn.Identity()", id="hands on its input"),
        pytest.param("nn.PixelShuffle(1)", id="may give a view"),
        pytest.param("nn.Sequential(nn.Dropout())", id="no layer in it calculates"),
        pytest.param("nn.Upsample(size=3) if flag else nn.Identity()", id="either of two"),
        pytest.param("model.softmax", id="not known"),
        pytest.param("Softmax(dim=1)", id="a class of the file's own"),
    ],
)
def test_what_a_layer_may_hand_on_is_detached(layer: str) -> None:
    text = _TEXT.format(layer=layer)
    after = _after(text)
    assert after in (text, text.replace(".data", ".detach()"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("with torch.no_grad():", "if flag:"),
        ("    layer =", "    model.register_forward_hook(flag)\n    layer ="),
        ("import torch.nn as nn", "from flag import nn"),
        ("import torch.nn as nn", "import mine.nn as nn"),
    ],
)
def test_where_a_graph_may_come_in_it_is_detached(old: str, new: str) -> None:
    text = _TEXT.format(layer="nn.Upsample(size=(3, 3))").replace(old, new)
    assert _after(text) in (text, text.replace(".data", ".detach()"))
