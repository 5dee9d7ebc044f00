from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps

_TEXT = """
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
    from torch.nn import Linear
    class Net({base}):
        def {method}(self, x):
            {line}
    """


def _text(line: str, base: str = "nn.Module", method: str = "forward") -> str:
    return _TEXT.format(line=line.replace("\n", "\n            "), base=base, method=method)


@pytest.mark.parametrize(
    ("line", "made", "name"),
    [
        ("return nn.Linear(3, 2)(x)", "nn.Linear(3, 2)", "linear"),
        ("return F.relu(Linear(SIZE, 2)(x))", "Linear(SIZE, 2)", "linear"),
        ("return nn.Conv2d(3, 8, 3).cuda()(x)", "nn.Conv2d(3, 8, 3)", "conv2d"),
        (
            "norm = nn.BatchNorm2d(8).to(x.device)\nreturn norm(x)",
            "nn.BatchNorm2d(8)",
            "batchnorm2d",
        ),
        ("out, _ = torch.nn.LSTM(3, 4)(x)\nreturn out", "torch.nn.LSTM(3, 4)", "lstm"),
    ],
)
def test_finds(line: str, made: str, name: str) -> None:
    assert [f.message for f in advice("TP705", _text(line))] == [
        "a new layer with new weights in every call of forward: "
        f"in __init__, write self.{name} = {made}, and self.{name}(...) here"
    ]


@pytest.mark.parametrize(
    ("sizes", "known"),
    [
        ("x.size(1), 2", " with numbers for x.size(1)"),
        ("x.size(1), out_features=x.size(0)", " with numbers for x.size(1) and x.size(0)"),
        ("self.n, len([x for x in SIZES])", ""),
    ],
)
def test_what_is_only_known_in_forward_is_named(sizes: str, known: str) -> None:
    (found,) = advice("TP705", _text(f"return nn.Linear({sizes})(x)"))
    assert f"write self.linear = nn.Linear({sizes}){known}, and" in found.message


def test_names_are_not_taken_and_each_another_one() -> None:
    text = """
    import torch.nn as nn
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(2, 2)
        def forward(self, x):
            x = nn.Conv1d(1, 2, 3)(nn.Conv1d(1, 1, 3)(self.linear(x)))
            return nn.Linear(3, 2)(x)
    class Derived(Net):
        def forward(self, x):
            return nn.Linear(3, 2)(x)
    class Other(nn.Module):
        def forward(self, x):
            return nn.Linear(3, 2)(x)
    """
    assert [f.message.partition("write ")[2] for f in advice("TP705", text)] == [
        "self.conv1d = nn.Conv1d(1, 2, 3), and self.conv1d(...) here",
        "self.conv1d2 = nn.Conv1d(1, 1, 3), and self.conv1d2(...) here",
        "self.linear2 = nn.Linear(3, 2), and self.linear2(...) here",
        "self.linear2 = nn.Linear(3, 2), and self.linear2(...) here",
        "self.linear = nn.Linear(3, 2), and self.linear(...) here",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "for n in SIZES:\n    x = nn.Linear(n, 2)(x)\nreturn x",
        "return [nn.Linear(2, 2)(each) for each in x]",
    ],
)
def test_a_layer_of_each_round(line: str) -> None:
    assert [f.message for f in advice("TP705", _text(line))] == [
        "a new layer with new weights in every call of forward: "
        "make one for each round of the loop in __init__, in an nn.ModuleList"
    ]


_QUIET = {
    "no weights to learn": "return nn.BatchNorm1d(2, affine=False)(x)",
    "no weights": "return nn.ReLU()(nn.MaxPool2d(2)(nn.Softmax(dim=1)(x)))",
    "no weights that matter": "return nn.LayerNorm(x.size()[1:])(nn.InstanceNorm2d(3)(x))",
    "attribute": "self.fc = nn.Linear(3, 2)\nreturn self.fc(x)",
    "made once": "if self.fc is None:\n    self.fc = nn.Linear(3, 2)\nreturn self.fc(x)",
    "weights that are set": (
        "conv = nn.Conv2d(1, 1, 3)\nconv.weight = nn.Parameter(self.kernel)\nreturn conv(x)"
    ),
    "weights that may be set": "conv = nn.Conv2d(1, 1, 3)\nself.fill(conv)\nreturn conv(x)",
    "not called": "layers = [nn.Linear(3, 2)]\nreturn layers",
    "handed back": "return nn.Linear(3, 2)",
    "never used": "fc = nn.Linear(3, 2)\nreturn x",
    "function inside": "def build():\n    return nn.Linear(3, 2)(x)\nreturn build",
    "shadowed": "nn = self.library\nreturn nn.Linear(3, 2)(x)",
    "suppressed": "return nn.Linear(3, 2)(x)  # noqa: TP705",
}


@pytest.mark.parametrize("name", _QUIET)
def test_is_quiet(name: str) -> None:
    assert advice("TP705", _text(_QUIET[name])) == []


@pytest.mark.parametrize(
    "text",
    [
        _text("return nn.Linear(3, 2)(x)", method="__init__"),
        _text("return nn.Linear(3, 2)(x)", method="build"),
        _text("return nn.Linear(3, 2)(x)", base="object"),
        _text("return nn.Linear(3, 2)(x)", base="unknown.Base"),
        "import torch.nn as nn\ndef forward(x):\n    return nn.Linear(3, 2)(x)\n",
        "import mxnet.gluon.nn as nn\nclass Net(nn.Module):\n    def forward(self, x):\n"
        "        return nn.Linear(3, 2)(x)\n",
    ],
)
def test_is_quiet_elsewhere(text: str) -> None:
    assert advice("TP705", text) == []


test_keeps = keeps(
    "TP705",
    {name: _text(line) for name, line in {"found": "return nn.Linear(3, 2)(x)", **_QUIET}.items()},
)
