from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = """
            import torch
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self, extra=None):
                    super(Net, self).__init__()
"""
_FORWARD = """
                def forward(self, x):
                    for layer in self.layers:
                        x = layer(x)
                    return x
"""


def _net(*lines: str, rest: str = _FORWARD) -> str:
    return _HEAD + "".join(" " * 20 + line + "\n" for line in lines) + rest


_LAYERS = "self.layers = [nn.Linear(2, 2), nn.ReLU()]"

test_rewrites = rewrites(
    "TP206",
    {
        "a list": (
            _net(_LAYERS),
            _net("self.layers = nn.ModuleList([nn.Linear(2, 2), nn.ReLU()])"),
        ),
        "beside a parameter that has its own name": (
            _net(_LAYERS, "self.register_parameter('bias', None)"),
            _net(
                "self.layers = nn.ModuleList([nn.Linear(2, 2), nn.ReLU()])",
                "self.register_parameter('bias', None)",
            ),
        ),
        "a comprehension": (
            _net("self.layers = [nn.Conv2d(i, i, 3) for i in (1, 2)]  # two"),
            _net("self.layers = nn.ModuleList([nn.Conv2d(i, i, 3) for i in (1, 2)])  # two"),
        ),
        "read and filled, but not handed on": (
            _net(
                _LAYERS,
                "for layer in self.layers:",
                "    if isinstance(layer, nn.Linear):",
                "        nn.init.zeros_(layer.weight)",
                "    extra(layer)",
                "print(self.layers[0].weight.size())",
            ),
            _net(
                "self.layers = nn.ModuleList([nn.Linear(2, 2), nn.ReLU()])",
                "for layer in self.layers:",
                "    if isinstance(layer, nn.Linear):",
                "        nn.init.zeros_(layer.weight)",
                "    extra(layer)",
                "print(self.layers[0].weight.size())",
            ),
        ),
        "appended one by one": (
            _net(
                "self.layers = []",
                "for i in range(3):",
                "    layer = nn.Linear(i, i)",
                "    nn.init.constant_(layer.weight, 0)",
                "    self.layers.append(layer)",
            ),
            _net(
                "self.layers = nn.ModuleList()",
                "for i in range(3):",
                "    layer = nn.Linear(i, i)",
                "    nn.init.constant_(layer.weight, 0)",
                "    self.layers.append(layer)",
            ),
        ),
        "a class of the file, and the same name in another class": (
            _net("self.layers = [Other() for _ in range(3)]")
            + """
            class Other(nn.Module):
                def __init__(self):
                    super(Other, self).__init__()
                    self.layers = nn.Sequential(nn.Linear(2, 2))
                def forward(self, x):
                    return self.layers(x)
            """,
            _net("self.layers = nn.ModuleList([Other() for _ in range(3)])")
            + """
            class Other(nn.Module):
                def __init__(self):
                    super(Other, self).__init__()
                    self.layers = nn.Sequential(nn.Linear(2, 2))
                def forward(self, x):
                    return self.layers(x)
            """,
        ),
        "by index": (
            _net(
                _LAYERS,
                rest="""
                def forward(self, x):
                    for i in range(len(self.layers)):
                        x = self.layers[i](x)
                    return self.layers[-1](x)
""",
            ),
            _net(
                "self.layers = nn.ModuleList([nn.Linear(2, 2), nn.ReLU()])",
                rest="""
                def forward(self, x):
                    for i in range(len(self.layers)):
                        x = self.layers[i](x)
                    return self.layers[-1](x)
""",
            ),
        ),
    },
)

_BY_KEY = """
                def forward(self, x):
                    for name in ('a', 'b'):
                        x = self.layers[name](x)
                    return x if 'c' in self.layers else x * len(self.layers)
"""
_IN_ORDER = """
                def forward(self, x):
                    for name, layer in self.layers.items():
                        x = layer(x)
                    return [layer(x) for layer in self.layers.values()]
"""

test_rewrites_dicts = rewrites(
    "TP206",
    {
        "a dict": (
            _net("self.layers = {'a': nn.Linear(2, 2), 'b': nn.ReLU()}", rest=_BY_KEY),
            _net(
                "self.layers = nn.ModuleDict({'a': nn.Linear(2, 2), 'b': nn.ReLU()})",
                rest=_BY_KEY,
            ),
        ),
        "filled one by one": (
            _net("self.layers = {}", "self.layers['a'] = nn.Linear(2, 2)", rest=_IN_ORDER),
            _net(
                "self.layers = nn.ModuleDict()",
                "self.layers['a'] = nn.Linear(2, 2)",
                rest=_IN_ORDER,
            ),
        ),
        "a comprehension of constants": (
            _net("self.layers = {n: nn.Linear(2, 2) for n in ('a', 'b')}", rest=_BY_KEY),
            _net(
                "self.layers = nn.ModuleDict({n: nn.Linear(2, 2) for n in ('a', 'b')})",
                rest=_BY_KEY,
            ),
        ),
        **{
            f"numbered by {key}": (
                _net(
                    "self.layers = {}",
                    "for i in range(3):",
                    f"    self.layers[{key}] = nn.Linear(i, i)",
                    rest=_BY_KEY,
                ),
                _net(
                    "self.layers = nn.ModuleDict()",
                    "for i in range(3):",
                    f"    self.layers[{key}] = nn.Linear(i, i)",
                    rest=_BY_KEY,
                ),
            )
            for key in ("str(i)", "'conv%d' % i", "'conv' + str(i)", "f'conv{i}'")
        },
    },
)


@pytest.mark.parametrize(
    "key",
    [
        "i",
        "(i, 1)",
        "extra",
        "'to'",
        "''",
        "'conv.weight'",
        "'conv%s' % extra",
        "'conv.%d' % i",
        "'%d%d' % (i, i)",
        "str(i / 2)",
        "f'conv{extra}'",
        "f'conv{i:.1f}'",
        "f'to'",
        "'conv' + extra",
        "extra(i)",
    ],
)
def test_says_so_where_a_key_may_be_no_name(key: str) -> None:
    text = _net(
        "self.layers = {}",
        "for i in range(3):",
        f"    self.layers[{key}] = nn.Linear(i, i)",
        rest=_BY_KEY,
    )
    (found,) = advice("TP206", text)
    assert "nn.ModuleDict, whose keys are strings without dots" in found.message
    assert not any(finding.fixed for finding in migrate(textwrap.dedent(text), "TP206").findings)


def test_says_so_where_an_old_torch_would_sort() -> None:
    text = _net("self.layers = {'b': nn.Linear(2, 2), 'a': nn.Linear(2, 2)}", rest=_IN_ORDER)
    assert len(advice("TP206", text)) == 1


_DICT = "self.layers = {'a': nn.Linear(2, 2), 'b': nn.Linear(2, 2)}"

_KEPT_DICTS = {
    "with a default": _net(
        _DICT,
        rest="""
                def forward(self, x):
                    return self.layers.get('a', None)(x)
""",
    ),
    "walked through in a copy": _net(
        _DICT,
        rest="""
                def forward(self, x):
                    for name in self.layers.copy():
                        x = self.layers[name](x)
                    return x
""",
    ),
    "given away": _net(
        _DICT,
        rest="""
                def forward(self, x):
                    return run(self.layers, x)
""",
    ),
    "filled in forward": _net(
        "self.layers = {}",
        rest="""
                def forward(self, x):
                    if 'a' not in self.layers:
                        self.layers['a'] = nn.Linear(2, 2)
                    return self.layers['a'](x)
""",
    ),
    "with all of another dict": _net("self.layers = {'a': nn.Linear(2, 2), **extra}", rest=_BY_KEY),
    "of one layer": _net("self.layers = {'a': nn.Linear(2, 2)}", rest=_BY_KEY),
    "of layers from outside": _net("self.layers = {'a': extra, 'b': extra}", rest=_BY_KEY),
    "of registered layers": _net(
        "self.a = nn.Linear(2, 2)", "self.layers = {'a': self.a, 'b': self.a}", rest=_BY_KEY
    ),
    "of layers without parameters": _net(
        "self.layers = {'a': nn.ReLU(), 'b': nn.Tanh()}", rest=_BY_KEY
    ),
    "of numbers": _net("self.layers = {'a': 1, 'b': 2}", rest=_BY_KEY),
    "registered one by one": _net(
        _DICT,
        "for name in self.layers:",
        "    self.add_module(name, self.layers[name])",
        rest=_BY_KEY,
    ),
    "used by others": _net(_DICT, rest=_BY_KEY) + "            Net().layers['a'].cuda()\n",
    "already modern": _net(_DICT.replace("= {", "= nn.ModuleDict({") + ")", rest=_BY_KEY),
}

test_keeps_dicts = keeps("TP206", _KEPT_DICTS)


@pytest.mark.parametrize("text", _KEPT_DICTS.values(), ids=_KEPT_DICTS)
def test_says_nothing_of(text: str) -> None:
    assert advice("TP206", text) == []


_STATISTICS = """
                def forward(self, x):
                    if self.training:
                        self.mean = 0.9 * self.mean + 0.1 * x.mean(0).detach()
                    return x - self.mean
"""
_MEAN = "self.mean = torch.zeros(2)"


@pytest.mark.parametrize(
    "update",
    ["self.mean += x.mean(0).detach()", "self.mean = torch.lerp(self.mean, x.mean(0), 0.1)"],
)
def test_tensor_that_only_training_updates(update: str) -> None:
    head, _, tail = _STATISTICS.partition("self.mean = ")
    text = _net(_MEAN, rest=head + update + "\n" + tail.partition("\n")[2])
    (found,) = advice("TP206", text)
    assert found.line == 6
    assert 'self.register_buffer("mean", torch.zeros(2))' in found.message


_NO_STATISTICS = {
    "a hidden state": _net(
        _MEAN,
        rest="""
                def forward(self, x):
                    self.mean = x + self.mean
                    return self.mean
""",
    ),
    "a constant": _net(
        _MEAN,
        rest="""
                def forward(self, x):
                    if self.training:
                        x = x * self.mean
                    return x + self.mean
""",
    ),
    "of the last batch": _net(
        _MEAN,
        rest="""
                def forward(self, x):
                    if self.training:
                        self.mean = x.mean(0)
                    return x - self.mean
""",
    ),
    "only seen in training": _net(
        _MEAN,
        rest="""
                def forward(self, x):
                    if self.training:
                        self.mean += x.mean(0)
                    return x
""",
    ),
    "registered": _net("self.register_buffer('mean', torch.zeros(2))", rest=_STATISTICS),
    "a parameter": _net("self.mean = nn.Parameter(torch.zeros(2))", rest=_STATISTICS),
    "moved by hand": _net(_MEAN, "self.mean = self.mean.cuda()", rest=_STATISTICS),
    "saved by others": _net(_MEAN, rest=_STATISTICS)
    + "            net = Net()\n            torch.save(net.mean, 'mean.pt')\n",
    "saved in a way of its own": _net(_MEAN, rest=_STATISTICS)
    + """
                def state_dict(self):
                    return {'mean': self.mean}
""",
    "an array": _net("self.mean = extra.zeros(2)", rest=_STATISTICS),
    "no module": _net(_MEAN, rest=_STATISTICS).replace("(nn.Module)", ""),
}


@pytest.mark.parametrize("text", _NO_STATISTICS.values(), ids=_NO_STATISTICS)
def test_says_nothing_of_tensors(text: str) -> None:
    assert migrate(textwrap.dedent(text), "TP206").findings == ()


_KEPT = {
    "registered by add_module": _net(
        _LAYERS,
        "for i, layer in enumerate(self.layers):",
        "    self.add_module('layer%d' % i, layer)",
    ),
    "parameters registered under made names": _net(
        _LAYERS,
        "for layer in self.layers:",
        "    for i, p in enumerate(layer.parameters()):",
        "        self.register_parameter('weight-{}'.format(i), p)",
    ),
    "registered by setattr": _net(
        "self.layers = []",
        "for i in range(3):",
        "    layer = nn.Linear(2, 2)",
        "    setattr(self, 'layer%i' % i, layer)",
        "    self.layers.append(layer)",
    ),
    "registered by another attribute": _net(
        "self.first = nn.Linear(2, 2)", "self.layers = [self.first, nn.Linear(2, 2)]"
    ),
    "registered under another name": _net(
        "self.layers = []",
        "layer = nn.Linear(2, 2)",
        "self.first = layer",
        "self.layers.append(layer)",
    ),
    "registered as a list": _net(_LAYERS, "self.registered = nn.ModuleList(self.layers)"),
    "registered as a sequence": _net(_LAYERS, "self.all = nn.Sequential(*self.layers)"),
    "replaced later": _net(_LAYERS, "self.layers = nn.ModuleList(self.layers)"),
    "a list of one hides its layer": _net("self.layers = [nn.Linear(2, 2)]"),
    "layers from outside": _net("self.layers = [extra, extra]"),
    "a teacher beside a layer": _net("self.layers = [nn.Linear(2, 2), extra]"),
    "without parameters": _net("self.layers = [nn.AvgPool2d(2), nn.ReLU()]"),
    "numbers": _net("self.layers = [2, 3]"),
    "used by others": _net(_LAYERS) + "            Net().layers[0].cuda()\n",
    "used in no other method": _net(
        _LAYERS, rest="                def forward(self, x):\n                    return x\n"
    ),
    "a cuda of its own": _net(_LAYERS)
    + """
                def cuda(self):
                    return self
            """,
    "parameters of its own": _net(_LAYERS)
    + """
                def parameters(self):
                    return self.layers[0].parameters()
            """,
    "changed in forward": _net(
        _LAYERS,
        rest="""
                def forward(self, x):
                    self.layers.append(nn.Linear(2, 2))
                    return self.layers[-1](x)
""",
    ),
    "added to another list": _net(
        _LAYERS,
        rest="""
                def forward(self, x):
                    return (self.layers + [x])[0](x)
""",
    ),
    "sliced": _net(
        _LAYERS,
        rest="""
                def forward(self, x):
                    return self.layers[1:]
""",
    ),
    "before the module is set up": """
            import torch.nn as nn
            class Net(nn.Module):
                def __init__(self):
                    self.layers = [nn.Linear(2, 2), nn.Linear(2, 2)]
                    super(Net, self).__init__()
                def forward(self, x):
                    return self.layers[0](x)
            """,
    "no module": _net(_LAYERS).replace("(nn.Module)", ""),
    "another nn": _net(_LAYERS).replace("torch.nn as nn", "flax.linen as nn"),
    "already modern": _net("self.layers = nn.ModuleList([nn.Linear(2, 2), nn.ReLU()])"),
    "suppressed": _net(_LAYERS + "  # noqa: TP206"),
}

_KEPT |= {
    f"a layer that {how}": _net(_LAYERS, *lines)
    for how, lines in {
        "is part of another": ["self.net = nn.Sequential(self.layers[0], nn.Tanh())"],
        "has a name as well": ["self.first = self.layers[0]"],
        "is walked into another": ["self.net = nn.Sequential(*[x for x in self.layers])"],
        "is put into another list": ["for x in self.layers:", "    self.net.append(x)"],
        "is numbered and kept": [
            "for i, x in enumerate(self.layers):",
            "    self.names[i] = x",
        ],
    }.items()
}

test_keeps = keeps("TP206", _KEPT)


def test_what_another_file_uses_stays(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    path = tmp_path / "model.py"
    path.write_text(
        "import torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.convs = [nn.Linear(2, 2), nn.Linear(2, 2)]\n"
        "    def forward(self, x):\n        return self.convs[0](x)\n"
    )
    settings = Settings(select=("TP206",))
    assert migrate_file(path, settings, write=False).after is not None
    (tmp_path / "train.py").write_text("from model import Net\nparams(Net().convs)\n")
    assert migrate_file(path, settings, write=False).after is None
