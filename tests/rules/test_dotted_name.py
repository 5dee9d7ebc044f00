from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.rules import advice, keeps
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

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
_COMPUTED = f"{_MESSAGE}write {{}}; rename the keys of saved state dicts likewise"


def _text(line: str, base: str = "nn.Sequential") -> str:
    return _TEXT.format(line=line.replace("\n", "\n            "), base=base)


@pytest.mark.parametrize(
    "line",
    [
        "self.add_module('norm.1', nn.BatchNorm2d(n))",
        "self.add_module(name='norm.1', module=nn.BatchNorm2d(n))",
        "self.register_module('norm.1', nn.BatchNorm2d(n))",
        "self.features = nn.Sequential()\nself.features.add_module('norm.1', nn.BatchNorm2d(n))",
        "self.x = nn.Sequential(OrderedDict([('norm.1', nn.Linear(n, n)), ('conv', nn.ReLU())]))",
        "self.x = nn.Sequential(OrderedDict((['norm.1', nn.Linear(n, n)],)))",
        "self.x = nn.Sequential(OrderedDict({'norm.1': nn.Linear(n, n)}))",
        "self.x = nn.ModuleDict({'norm.1': nn.Linear(n, n)})",
        "self.x = nn.ModuleDict([['norm.1', nn.Linear(n, n)]])",
        "layers = OrderedDict()\nlayers['norm.1'] = nn.Linear(n, n)\nself.x = nn.Sequential(layers)",
        "layers = OrderedDict([('norm.1', nn.Linear(n, n))])\nself.x = nn.Sequential(layers)",
    ],
)
def test_finds(line: str) -> None:
    assert [f.message for f in advice("TP707", _text(line))] == [
        f'{_MESSAGE}write "norm1"; rename what saved state dicts hold under "norm.1."'
    ]


def test_all_names_of_a_class_are_told_of_at_the_first() -> None:
    lines = "self.add_module('relu.1', nn.ReLU())\nself.add_module('norm.1', nn.BatchNorm2d(n))"
    (found,) = advice("TP707", _text(f"self.add_module('a', nn.ReLU())\n{lines}"))
    below = found.line + 1
    told = f'write "relu1", and so in line {below}; rename the keys of saved state dicts likewise'
    assert found.message == f"{_MESSAGE}{told}"
    twice = textwrap.dedent(_text(lines))
    found = advice("TP707", twice + twice.replace("class ", "class Other"))
    assert len(found) == 2 and all("and so in line" in f.message for f in found)
    pairs = "[('relu.1', nn.ReLU()), ('relu.2', nn.ReLU())]"
    (found,) = advice("TP707", _text(f"self.x = nn.Sequential(OrderedDict({pairs}))"))
    assert found.message == f'{_MESSAGE}write "relu1"'


@pytest.mark.parametrize(
    ("name", "new"),
    [
        ("'norm.%d' % n", "'norm_%d' % n"),
        ("'norm.{}'.format(n)", "'norm_{}'.format(n)"),
        ("f'norm.{n}'", "f'norm_{n}'"),
        ("'norm.' + str(n)", "'norm_' + str(n)"),
        ("n + ('.' + n)", "n + ('_' + n)"),
        ("'initial.{0}-{1}.conv'.format(n, n)", "'initial_{0}-{1}_conv'.format(n, n)"),
        ("'extra.{}.{}.conv'.format(n, n)", "'extra_{}_{}_conv'.format(n, n)"),
        ("'%s.conv' % n", "'%s_conv' % n"),
        ("'conv%d.%.2f' % (n, 0.5)", "'conv%d_%.2f' % (n, 0.5)"),
        ("f'{n}.{n:.1f}'", "f'{n}_{n:.1f}'"),
        ("'{0.size}.{1}'.format(n, 'a.b')", "'{0.size}_{1}'.format(n, 'a.b')"),
        ("names['a.b'] + '.x'", "names['a.b'] + '_x'"),
    ],
)
def test_finds_computed_names(name: str, new: str) -> None:
    found = advice("TP707", _text(f"self.add_module({name}, nn.Conv2d(n, n, 3))"))
    assert [f.message for f in found] == [_COMPUTED.format(new)]


def test_all_names_beside_a_computed_one_are_written_alike() -> None:
    lines = "self.add_module('norm.1', nn.ReLU())\nself.add_module('relu.%d' % n, nn.ReLU())"
    (found,) = advice("TP707", _text(lines))
    below = found.line + 1
    assert found.message == f'{_MESSAGE}write "norm_1", and _ for each dot in line {below}'


@pytest.mark.parametrize(
    ("name", "new"), [("conv1.1", "conv1_1"), ("a.b", "a_b"), ("0.reversed", "0_reversed")]
)
def test_two_names_stay_two(name: str, new: str) -> None:
    """`conv1.11` and `conv11.1` would both be `conv111`."""
    (found,) = advice("TP707", _text(f"self.add_module('{name}', nn.ReLU())"))
    assert found.message == f'{_MESSAGE}write "{new}"'


@pytest.mark.parametrize(
    "line",
    [
        "self.add_module('relu.1', nn.ReLU())",
        "self.add_module(name='relu.1', module=nn.LeakyReLU(0.2, inplace=True))",
        "self.add_module('relu.1', nn.Dropout2d(0.5))",
        "self.x = nn.Sequential(OrderedDict([('relu.1', nn.ReLU()), ('conv', nn.Linear(n, n))]))",
        "self.x = nn.ModuleDict({'relu.1': nn.Tanh()})",
        "layers = OrderedDict()\nlayers['relu.1'] = nn.ReLU()\nself.x = nn.Sequential(layers)",
        "relu = nn.ReLU()\nself.add_module('relu.1', relu)",
    ],
)
def test_says_nothing_of_state_dicts_where_a_layer_has_no_state(line: str) -> None:
    assert [f.message for f in advice("TP707", _text(line))] == [f'{_MESSAGE}write "relu1"']


def test_says_nothing_of_keys_where_a_layer_with_a_computed_name_has_no_state() -> None:
    found = advice("TP707", _text("self.add_module('relu.%d' % n, nn.ReLU())"))
    assert [f.message for f in found] == [f"{_MESSAGE}write 'relu_%d' % n"]


@pytest.mark.parametrize(
    "module",
    [
        "nn.BatchNorm2d(n)",
        "nn.PReLU()",
        "other",
        "Layer(n, names, other)",
        "nn.Sequential(nn.ReLU(), nn.Linear(n, n))",
        "other.ReLU()",
    ],
)
def test_tells_of_state_dicts_where_a_layer_may_have_state(module: str) -> None:
    (found,) = advice("TP707", _text(f"self.add_module('norm.1', {module})"))
    assert found.message.endswith('rename what saved state dicts hold under "norm.1."')


_VIEW = """
    class View({base}):
        def __init__(self, dim, name="view"):
            super({name}).__init__()
            self.dim, self.first = tuple(dim), 1
            self.dim = dim
            {line}
        def forward(self, x):
            return x.view(self.dim)
    """


def _view(line: str = "pass", base: str = "nn.Module", call: str = "View((-1, 2))") -> str:
    made = _VIEW.format(line=line, base=base, name="View, self")
    return _text(f"self.add_module('norm.1', {call})") + made


@pytest.mark.parametrize(
    "text",
    [
        _view(),
        _view(call="View(dim=(-1, 195 * n))"),
        _view(call="View([2, 3], name='flat')"),
        _view("self.sizes = [dim, name, int(name), 2]"),
        _view("self.sizes = len(dim)").replace(
            "super(View, self).__init__()", "nn.Module.__init__(self)"
        ),
        _view().replace("tuple(dim), 1", "2, 1"),
        _text("self.add_module('norm.1', Swish())")
        + "class Swish(nn.Module):\n        def forward(self, x):\n            return x * x.sigmoid()",
        _view(call="Flat(2)")
        + "class Flat(View):\n        def __init__(self, n):\n            super().__init__((n, -1))",
    ],
)
def test_says_nothing_of_state_dicts_where_a_class_keeps_no_state(text: str) -> None:
    assert [f.message for f in advice("TP707", text)] == [f'{_MESSAGE}write "norm1"']


@pytest.mark.parametrize(
    "text",
    [
        _view("self.norm = nn.BatchNorm2d(2)"),
        _view("self.w = nn.Parameter(name)"),
        _view("self.register_buffer('w', name)"),
        _view("self.add_module('w', name)"),
        _view("register = self.register_parameter"),
        _view("setattr(self, name, dim)"),
        _view("build(self)"),
        _view("self.w = build(dim)"),
        _view("self.w = dim[0]"),
        _view("self.w = w"),
        _view(base="nn.Linear"),
        _view(base="other.Base"),
        _view(base="nn.Module, Mixin"),
        _view(call="View(nn.ReLU())"),
        _view(call="View(other)"),
        _view(call="View((2, other))"),
        _view(call="View(*names)"),
        _view().replace('name="view"', "name=nn.PReLU()"),
        _view(call="Flat(2)")
        + "class Flat(View):\n        def __init__(self, n):\n            super().__init__(nn.PReLU())",
        _view() + "    def put(self, w):\n            self.w = w",
        _view() + "    act = nn.PReLU()",
    ],
)
def test_tells_of_state_dicts_where_a_class_may_keep_state(text: str) -> None:
    (found,) = advice("TP707", text)
    assert found.message.endswith('rename what saved state dicts hold under "norm.1."')


@pytest.mark.parametrize(
    ("train", "beside", "is_told"),
    [
        ("torch.save(model, 'model.pth')", "README.md", False),
        ("torch.save(model.state_dict(), 'model.pth')", "README.md", True),
        ("model.load_state_dict(torch.load('model.pth'))", "README.md", True),
        ("torch.save(model, 'model.pth')", "setup.py", True),
    ],
)
def test_tells_of_state_dicts_in_projects_that_have_them(
    tmp_path: Path, train: str, beside: str, is_told: bool
) -> None:
    line = "self.add_module('norm.1', nn.BatchNorm2d(n))"
    package = tmp_path / "nets"
    package.mkdir()
    for path in (tmp_path / ".git", tmp_path / beside, package / "__init__.py"):
        path.write_text("")
    (package / "models.py").write_text(textwrap.dedent(_text(line)))
    (tmp_path / "train.py").write_text(f"import torch\nimport nets.models\n{train}\n")
    result = migrate_file(package / "models.py", Settings(select=("TP707",)), write=False)
    assert ["; rename" in f.message for f in result.findings] == [is_told]


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


@pytest.mark.parametrize(
    ("name", "read", "also"),
    [
        ("'norm.1'", "getattr(self, 'norm.1')(x)", 'write "norm1", and so in line 9'),
        ("'norm.1'", "self._modules['norm.1'](x)", 'write "norm1", and so in line 9'),
        (
            "'norm.%d' % n",
            "self._modules['norm.%d' % n](x)",
            "write 'norm_%d' % n, and _ for each dot in line 9",
        ),
        ("'norm.1'", "x['norm.1']", 'write "norm1"'),
        ("'norm.1'", "getattr(self, 'norm')", 'write "norm1"'),
    ],
)
def test_where_the_name_is_read_is_told_as_well(name: str, read: str, also: str) -> None:
    text = (
        "import torch.nn as nn\nn = 1\n\nclass Net(nn.Module):\n    def __init__(self):\n"
        f"        super().__init__()\n        self.add_module({name}, nn.ReLU())\n"
        f"    def forward(self, x):\n        return {read}\n"
    )
    (found,) = advice("TP707", text)
    assert found.message == f"{_MESSAGE}{also}"
