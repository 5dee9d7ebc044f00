from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps, migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.facts.age.era import Era

_HEAD = """import torch
import torch.nn as nn
import torch.nn.functional as F
x = torch.ones(3, requires_grad=True)
relu, drop, layer = nn.ReLU(inplace=True), nn.Dropout(0.1, inplace=True), nn.Linear(3, 3)
h = x * 2
h.retain_grad()
"""
_OLD = Options(era=Era((1, 0), (1, 12)))


@pytest.mark.parametrize(
    "code",
    [
        "h.mul_(3)",
        "h.mul_(3).sum().backward()",
        "h *= 3",
        "h /= h.norm()",
        "h[0] = 0",
        "h[0] *= 2",
        "h[1:].mul_(2)",
        "h.clamp_(min=0)",
        "y = F.relu(h, inplace=True)",
        "h = F.relu(h, True)",
        "y = torch.relu_(h)",
        "y = relu(h)",
        "y = drop(h)",
        "print(h)\nz = h + 1\nh += 1\nh *= 3",
        "if x.numel():\n    print(h)\nh *= 3",
        "with open(p) as f:\n    h *= 3",
        "with torch.no_grad():\n    h += 1\nh *= 3",
    ],
)
def test_a_change_in_place_is_told(code: str) -> None:
    (finding,) = advice("TP122", _HEAD + code, options=_OLD)
    assert "write changed = h.clone() above, and changed for h from here on" in finding.message
    assert migrate(_HEAD + code, "TP122", options=_OLD).text == _HEAD + code
    assert not advice("TP122", _HEAD + code)
    assert not advice("TP122", _HEAD + code, options=Options(era=Era((1, 0), (1, 13))))


def test_what_a_layer_gave_is_a_tensor() -> None:
    code = "def run(net, x):\n    out = net(x)\n    out.retain_grad()\n    out[0] = 0\n"
    assert len(advice("TP122", f"import torch\n{code}", options=_OLD)) == 1
    own = "class Own:\n    def retain_grad(self): pass\n"
    assert not advice("TP122", f"import torch\n{own}{code}", options=_OLD)


def test_the_place_of_the_change_is_told() -> None:
    (finding,) = advice("TP122", f"{_HEAD}z = h + 1\nz, y = 1, relu(h)\n", options=_OLD)
    assert (finding.line, finding.column) == (9, 11)


def test_a_tensor_that_an_object_holds() -> None:
    code = "class Net:\n    def run(self, x):\n        self.h = layer(x)\n"
    code += "        self.h.retain_grad()\n        return relu(self.h)\n"
    (finding,) = advice("TP122", _HEAD + code, options=_OLD)
    assert "write changed = self.h.clone() above" in finding.message


@pytest.mark.parametrize(
    "code",
    [
        "h += 1",
        "h -= x",
        "h.add_(1)",
        "h.sub_(x)",
        "h[0] += 1",
        "h.requires_grad_()",
        "h.detach_()",
        "torch.detach_(h)",
        "h.unsqueeze_(0)",
        "h.data.mul_(3)",
        "h.grad.mul_(3)",
        "h = h * 3",
        "h = h * 3\nh.mul_(3)",
        "del h",
        "h.sum().backward()\nh.mul_(3)",
        "with torch.no_grad():\n    h.mul_(3)\n    h *= 3\n    h[0] = 0",
        "if n:\n    h.mul_(3)",
        "if n:\n    h.mul_(3)\nh.mul_(3)",
        "if n:\n    h = x\nh.mul_(3)",
        "f = lambda: h.mul_(3)",
        "n and h.mul_(3)",
        "def f():\n    h.mul_(3)",
        "y = F.relu(h)",
        "y = F.relu(h, inplace=False)",
        "y = F.dropout(h, 0.5, True)",
        "y = nn.LeakyReLU(True)(h)",
        "y = layer(h)",
        "y = torch.mul(h, 3)",
        "y = x.mul_(h)",
        "x[h] = 0",
        "g = [h]\ng[0] = 0",
    ],
)
def test_what_leaves_the_gradient_is_not(code: str) -> None:
    assert not advice("TP122", _HEAD + code, options=_OLD)


test_keeps = keeps("TP122", {"in place": f"{_HEAD}h.mul_(3)\n"})


@pytest.mark.parametrize(
    "code",
    [
        "class Own:\n    def retain_grad(self): pass\no = make()\no.retain_grad()\no *= 3",
        "import numpy as np\na = np.ones(3)\na.retain_grad()\na *= 3",
        "(x * 2).retain_grad()",
        "keep = x.retain_grad\nx.mul_(3)",
        "print(x.retain_grad())\nx.mul_(3)",
    ],
)
def test_other_things_that_are_asked_to_keep_are_not(code: str) -> None:
    head = "import torch\nx = torch.ones(3, requires_grad=True)\n"
    assert not advice("TP122", head + code, options=_OLD)
