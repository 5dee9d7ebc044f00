"""What a list of layers gives, and what it is given."""

from __future__ import annotations

import pytest

from tests.facts.test_values import value_of
from torchfix_codemods.facts.values.lattice import Tensor, Unknown, Value


def _given(fill: str) -> str:
    """A network that gives to a list of layers the argument that is looked at."""
    return (
        "class N(nn.Module):\n    def __init__(self, n, kept, layer):\n"
        f"        {fill}\n"
        "        self.net = nn.Sequential(*layers)\n"
        "    def forward(self, x):\n        look(x)\n        return self.net(x)\n"
    )


@pytest.mark.parametrize(
    "fill",
    [
        "layers = [nn.Linear(1, 2)]",
        "layers = (nn.Linear(1, 2), nn.ReLU())",
        "layers = [nn.Linear(1, 2)]; layers.append(layer)",
        "layers = [nn.Linear(1, 2)]; layers += [layer]",
        "layers = [nn.Linear(1, 2)]; n = layers[0]",
        "layers = [nn.Linear(1, 2)]\n        for n in layers:\n            print(n)",
    ],
)
def test_first_layer_says_what_it_takes(fill: str) -> None:
    assert isinstance(value_of(_given(fill)), Tensor)


@pytest.mark.parametrize(
    "fill",
    [
        "layers = [layer]",
        "layers = [nn.LSTM(1, 2)]",
        "layers = []",
        "layers = [*kept, nn.Linear(1, 2)]",
        "layers = kept",
        "layers = [nn.Linear(1, 2)]\n        if n:\n            layers = [layer]",
        "layers, n = [nn.Linear(1, 2)], [layer]",
        "layers = [nn.Linear(1, 2)]; layers.insert(0, layer)",
        "layers = [nn.Linear(1, 2)]; layers.reverse()",
        "layers = [nn.Linear(1, 2)]; layers[0] = layer",
        "layers = [nn.Linear(1, 2)]; kept(layers)",
        "layers = [nn.Linear(1, 2)]; kept = layers",
    ],
)
def test_first_layer_is_not_certain(fill: str) -> None:
    assert isinstance(value_of(_given(fill)), Unknown)


def test_layers_of_the_module_level_may_be_others_by_then() -> None:
    body = "    def __init__(self):\n        self.net = nn.Sequential(*layers)\n"
    forward = "    def forward(self, x):\n        look(x)\n        return self.net(x)\n"
    text = f"layers = [nn.Linear(1, 2)]\nclass N(nn.Module):\n{body}{forward}"
    assert isinstance(value_of(text), Unknown)


def test_no_layers_take_anything() -> None:
    body = "    def __init__(self):\n        self.net = nn.Sequential()\n"
    forward = "    def forward(self, x):\n        look(x)\n        return self.net(x)\n"
    assert isinstance(value_of(f"class N(nn.Module):\n{body}{forward}"), Unknown)


def _made(fill: str) -> str:
    """What a list of layers makes of something that is not known."""
    return (
        "class N(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
        f"        layers = list(n)\n        {fill}\n"
        "        self.net = nn.Sequential(*layers)\n"
        "    def forward(self, x):\n        look(self.net(x))\n"
    )


@pytest.mark.parametrize(
    ("fill", "contiguous"),
    [
        ("layers.append(nn.Linear(1, 2))", True),
        ("layers += [nn.ReLU()]", False),
        ("layers += [nn.Conv2d(1, 2, 3), nn.ReLU()]", True),
        ("for i in range(len(n)):\n            layers.insert(i, nn.Linear(1, 2))", True),
        ("print('{}'.format(n)); layers.append(nn.ReLU())", False),
        ("layers.append(nn.Sequential(nn.ReLU()))", False),
        (
            "def block():\n            return [nn.Linear(1, 2)]\n        layers += block()",
            True,
        ),
    ],
)
def test_layers_of_torch_give_a_tensor(fill: str, contiguous: bool) -> None:
    value = value_of(_made(fill))
    assert isinstance(value, Tensor) and value.contiguous == contiguous


@pytest.mark.parametrize(
    "fill",
    [
        "pass",
        "layers.append(nn.LSTM(1, 2))",
        "layers.append(nn.ReLU()); layers.append(Own())",
        "layers.append(nn.ReLU()); layers.append(n.make())",
        "layers.append(nn.ReLU()); layers.append(n[0]())",
        "layers.append(nn.ReLU()); layers = fill(layers)",
        "layers.append(nn.ReLU()); layers = filter(layers)",
        "layers.append(nn.ReLU()); layers.append(torch.load(n))",
        "layers.append(nn.ReLU()); layers += make()",
    ],
)
def test_layers_of_others_give_anything(fill: str) -> None:
    text = f"def make():\n    return [Own()]\n{_made(fill)}"
    assert isinstance(value_of(text), Unknown)


@pytest.mark.parametrize(
    ("layers", "kind"),
    [
        ("*block(3)", Tensor),
        ("*others(3)", Unknown),
        ("*unknown(3)", Unknown),
        ("*[n for n in m]", Unknown),
        ("*m.layers", Unknown),
        ("*m", Unknown),
    ],
)
def test_layers_that_a_function_makes(layers: str, kind: type) -> None:
    text = (
        "def block(n):\n    layers = list(n)\n    layers.append(nn.Linear(n, n))\n"
        "    return layers\ndef others(n):\n    layers = list(n)\n    layers.append(Own())\n"
        f"    return layers\nlook(nn.Sequential({layers})(x))"
    )
    assert isinstance(value_of(text), kind)


@pytest.mark.parametrize(
    ("other", "kind"),
    [
        ("nn.Sequential(nn.ReLU())", Tensor),
        ("nn.Sequential(Own())", Unknown),
        ("load(wide)", Unknown),
        ("None", Tensor),
    ],
)
def test_layers_that_are_built_in_one_of_two_ways(other: str, kind: type) -> None:
    text = (
        "class N(nn.Module):\n    def __init__(self, wide):\n        if wide:\n"
        "            self.net = nn.Sequential(nn.Linear(1, 2), nn.ReLU())\n        else:\n"
        f"            self.net = {other}\n"
        "    def forward(self, x):\n        look(self.net(x))"
    )
    assert isinstance(value_of(text), kind)


TWO = "nn.Sequential(nn.ReLU()) if wide else nn.Sequential(nn.Linear(1, 2))"


@pytest.mark.parametrize(
    "text",
    [
        f"net = {TWO}\nlook(net(x))",
        f"class N:\n    def __init__(self, wide):\n        self.net = {TWO}\n"
        "    def run(self, x):\n        look(self.net(x))",
        f"class N(nn.Module):\n    def __init__(self, wide):\n        self.net = {TWO}\n"
        "    def forward(self, x):\n        look(self.net(x))",
    ],
)
def test_layers_of_which_one_expression_chooses(text: str) -> None:
    assert isinstance(value_of(text), Tensor)
    assert isinstance(value_of(text.replace("nn.ReLU()", "Own()")), Unknown)


_OWN = """
class Same(nn.Module):
    def forward(self, x):
        return x.unsqueeze(0).relu()
class Dense(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
    def forward(self, x):
        return self.fc(x)
class Pair(nn.Module):
    def forward(self, x):
        return x, x
class Below(Unheard):
    def forward(self, x):
        return x + 1
"""


@pytest.mark.parametrize(
    ("fill", "contiguous"),
    [
        ("layers.append(nn.Linear(1, 2)); layers.append(Same())", False),
        ("layers.append(nn.Linear(1, 2)); layers.append(Dense())", True),
        ("layers.append(nn.ReLU()); layers.append(Dense())", False),
    ],
)
def test_layers_of_the_file_give_what_their_forward_does(fill: str, contiguous: bool) -> None:
    value = value_of(_OWN + _made(fill))
    assert isinstance(value, Tensor) and value.contiguous == contiguous


@pytest.mark.parametrize("own", ["Pair()", "Below()", "n(Dense())", "Dense().make()"])
def test_layers_of_the_file_that_may_give_anything(own: str) -> None:
    fill = f"layers.append(nn.Linear(1, 2)); layers.append({own})"
    assert isinstance(value_of(_OWN + _made(fill)), Unknown)


def _filled(fill: str, layer: str = "") -> Value:
    """What a network gives that has layers added after it was built."""
    return value_of(
        f"def build():\n    net = nn.Sequential({layer})\n    {fill}\n    return net\n"
        "look(build()(torch.randn(2, 3)))\n"
    )


def test_a_network_that_stays_empty_gives_what_it_gets() -> None:
    assert _filled("pass") == value_of("look(torch.randn(2, 3))")
    assert _filled("layers = []; layers.append(nn.Linear(1, 2))") == _filled("pass")


@pytest.mark.parametrize("layer", ["", "nn.Flatten()"])
def test_layers_that_are_added_give_a_tensor_of_the_graph(layer: str) -> None:
    value = _filled("net.add_module('fc', nn.Linear(3, 2))", layer)
    assert isinstance(value, Tensor) and value.grad is not False
    assert value.ndim is None


@pytest.mark.parametrize(
    "fill",
    [
        "net.add_module('rnn', nn.LSTM(3, 2))",
        "net.add_module('fc', make())",
        "net.add_module(*layer)",
        "net.append(nn.Linear(3, 2))",
        "net.insert(0, nn.LSTM(3, 2))",
    ],
)
def test_what_layers_that_are_added_give_is_not_certain(fill: str) -> None:
    assert isinstance(_filled(fill), Unknown)
