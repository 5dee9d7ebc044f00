from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps

_TEXT = """
    import torch
    import torch.nn as nn
    from collections import OrderedDict
    class Layer({base}):
        def __init__(self, n, names, other):
            super(Layer, self).__init__()
            {line}
    """
_MESSAGE = "a module's name with a dot raises KeyError since torch 0.4: "
_COMPUTED = f"{_MESSAGE}leave the dot out, and rename the keys of saved state dicts"


def _text(line: str, base: str = "nn.Sequential") -> str:
    return _TEXT.format(line=line.replace("\n", "\n            "), base=base)


@pytest.mark.parametrize(
    "line",
    [
        "self.add_module('norm.1', nn.BatchNorm2d(n))",
        "self.add_module(name='norm.1', module=nn.BatchNorm2d(n))",
        "self.register_module('norm.1', nn.BatchNorm2d(n))",
        "self.features = nn.Sequential()\nself.features.add_module('norm.1', nn.BatchNorm2d(n))",
        "self.x = nn.Sequential(OrderedDict([('norm.1', nn.ReLU()), ('conv', nn.ReLU())]))",
        "self.x = nn.Sequential(OrderedDict((['norm.1', nn.ReLU()],)))",
        "self.x = nn.Sequential(OrderedDict({'norm.1': nn.ReLU()}))",
        "self.x = nn.ModuleDict({'norm.1': nn.ReLU()})",
        "self.x = nn.ModuleDict([['norm.1', nn.ReLU()]])",
        "layers = OrderedDict()\nlayers['norm.1'] = nn.ReLU()\nself.x = nn.Sequential(layers)",
        "layers = OrderedDict([('norm.1', nn.ReLU())])\nself.x = nn.Sequential(layers)",
    ],
)
def test_finds(line: str) -> None:
    assert [f.message for f in advice("TP707", _text(line))] == [
        f'{_MESSAGE}write "norm1", and rename what saved state dicts hold under "norm.1."'
    ]


@pytest.mark.parametrize(
    "name",
    ["'norm.%d' % n", "'norm.{}'.format(n)", "f'norm.{n}'", "'norm.' + str(n)", "n + ('.' + n)"],
)
def test_finds_computed_names(name: str) -> None:
    found = advice("TP707", _text(f"self.add_module({name}, nn.ReLU())"))
    assert [f.message for f in found] == [_COMPUTED]


_QUIET = {
    "without a dot": "self.add_module('norm1', nn.ReLU())",
    "a number in a field": "self.add_module('norm%.1f' % n, nn.ReLU())",
    "a field of format": "self.add_module('norm{0.size:.1}'.format(n), nn.ReLU())",
    "an expression in an f-string": "self.add_module(f'norm{n.size}', nn.ReLU())",
    "not known": "self.add_module(n, nn.ReLU())",
    "replaced": "self.add_module('norm.1'.replace('.', ''), nn.ReLU())",
    "bytes": "self.add_module(b'norm.1', nn.ReLU())",
    "no module": "other.add_module('norm.1', nn.ReLU())",
    "unpacked": "self.add_module(*names, name='norm.1')",
    "an attribute, which torch lets pass": "setattr(self, 'norm.1', nn.ReLU())",
    "a list of layers": "self.x = nn.Sequential(nn.ReLU(), nn.ReLU())",
    "a dict of its own": "self.x = {'norm.1': nn.ReLU()}\nself.y = OrderedDict([('a.b', 1)])",
    "stored after": (
        "layers = OrderedDict()\nself.x = nn.Sequential(layers)\nlayers['norm.1'] = nn.ReLU()"
    ),
    "one of two dicts": (
        "layers = OrderedDict([('norm.1', n)])\nif n:\n    layers = names\nself.x = "
        "nn.Sequential(layers)"
    ),
    "read": "layers = OrderedDict()\nprint(layers['norm.1'])\nself.x = nn.Sequential(layers)",
    "shadowed": "nn = other\nself.x = nn.Sequential(OrderedDict([('norm.1', n)]))",
    "another OrderedDict": "self.x = nn.Sequential(other.OrderedDict([('norm.1', nn.ReLU())]))",
    "suppressed": "self.add_module('norm.1', nn.ReLU())  # noqa: TP707",
}


@pytest.mark.parametrize("name", _QUIET)
def test_is_quiet(name: str) -> None:
    assert advice("TP707", _text(_QUIET[name])) == []


def test_is_quiet_in_other_classes() -> None:
    line = "self.add_module('norm.1', nn.ReLU())"
    assert advice("TP707", _text(line, base="object")) == []
    assert advice("TP707", _text(line, base="other.Module")) == []


test_keeps = keeps(
    "TP707",
    {
        name: _text(line)
        for name, line in {"found": "self.add_module('norm.1', nn.ReLU())", **_QUIET}.items()
    },
)


def test_what_certainly_fails_is_shown_by_migrate() -> None:
    (found,) = advice(
        "TP707", "import torch.nn as nn\nnn.Sequential().add_module('a.b', nn.ReLU())\n"
    )
    assert not found.is_quiet
