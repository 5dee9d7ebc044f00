from __future__ import annotations

import pytest

from tests.support.rules import advice, keeps

_HEAD = """import torch.nn as nn
from torch.nn import Linear
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 3)
class Scale(nn.Module):
    def forward(self, x):
        return x * 2
"""

_FOUND = {
    "nn.ModuleList([nn.Linear(3, 3)] * 4)": "[nn.Linear(3, 3) for _ in range(4)]",
    "nn.Sequential(*[Linear(3, 3)] * n)": "[Linear(3, 3) for _ in range(n)]",
    "layers = n * [nn.LSTMCell(3, 3)]": "[nn.LSTMCell(3, 3) for _ in range(n)]",
    "nn.Sequential(*([nn.ReLU(), nn.Linear(n, n)] * m))": (
        "[layer for _ in range(m) for layer in (nn.ReLU(), nn.Linear(n, n))]"
    ),
    "nn.ModuleList([nn.TransformerEncoderLayer(8, 2)] * n)": (
        "[nn.TransformerEncoderLayer(8, 2) for _ in range(n)]"
    ),
    "nn.ModuleList([Block()] * (n - 1))": "[Block() for _ in range(n - 1)]",
    "nn.ModuleList([nn.Sequential(nn.Conv2d(3, 3, 1), nn.ReLU())] * 2)": (
        "[nn.Sequential(nn.Conv2d(3, 3, 1), nn.ReLU()) for _ in range(2)]"
    ),
}


@pytest.mark.parametrize("line", _FOUND)
def test_finds(line: str) -> None:
    assert [f.message for f in advice("TP706", f"{_HEAD}{line}\n")] == [
        f"one layer several times, with the same weights: write {_FOUND[line]} "
        "for layers of their own"
    ]


_QUIET = {
    "comprehension": "nn.ModuleList([nn.Linear(3, 3) for _ in range(4)])",
    "no weights": "nn.Sequential(*[nn.ReLU()] * 3); nn.ModuleList([nn.Dropout(0.5)] * n)",
    "module without weights": "nn.ModuleList([Scale()] * 3)",
    "shared by name": "layer = nn.Linear(3, 3)\nnn.ModuleList([layer] * 3)",
    "once": "nn.ModuleList([nn.Linear(3, 3)] * 1)",
    "several without weights": "nn.Sequential(*[nn.ReLU(), nn.Dropout(0.5)] * 3)",
    "several with names": "fc = nn.Linear(3, 3)\nnn.Sequential(*[fc, nn.ReLU()] * 3)",
    "other things": "x = [nn.Linear(3, 3), 3] * 3; y = [unknown(), nn.Linear(3, 3)] * 3",
    "numbers": "sizes = [3] * n; x = [len(sizes)] * 2",
    "output of a layer": "x = [nn.Linear(3, 3)(y)] * 2",
    "weights of a layer": "x = [nn.Linear(3, 3).weight] * 2",
    "matrix": "x = nn.Linear(3, 3) * 2; y = [nn.Linear(3, 3)] + [2]",
    "class of this file": "class Linear:\n    pass\nx = [Linear()] * 3",
    "another library": "import mxnet.gluon.nn as nn\nx = [nn.Linear(3)] * 3",
    "suppressed": "nn.ModuleList([nn.Linear(3, 3)] * 4)  # noqa: TP706",
}


@pytest.mark.parametrize("name", _QUIET)
def test_is_quiet(name: str) -> None:
    assert advice("TP706", f"{_HEAD}{_QUIET[name]}\n") == []


_NET = """
class Net(nn.Module):
    def __init__(self, n={default}):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3)] * {times})
"""


@pytest.mark.parametrize(
    ("default", "times", "call", "is_told"),
    [
        ("1", "n", "", False),
        ("1", "n", "Net(**config)", False),
        ("1", "n", "Net(1)", False),
        ("2", "(n - 1)", "", False),
        ("0", "(n + 1)", "", False),
        ("1", "n", "Net(3)", True),
        ("1", "n", "depth = 3\nNet(n=depth)", True),
        ("2", "n", "", True),
        ("2", "(n - 1)", "Net(3)", True),
        ("depth", "n", "", True),
    ],
)
def test_the_number_is_more_than_one_somewhere(
    default: str, times: str, call: str, is_told: bool
) -> None:
    text = f"{_HEAD}{_NET.format(default=default, times=times)}{call}\n"
    assert bool(advice("TP706", text)) is is_told


test_keeps = keeps("TP706", {line: f"{_HEAD}{line}\n" for line in (*_QUIET.values(), *_FOUND)})


@pytest.mark.parametrize(
    ("line", "is_told"),
    [
        ("x = [copy.deepcopy(l) for l in [nn.Linear(2, 2)] * 3]", False),
        ("x = nn.ModuleList(map(copy.deepcopy, [nn.Linear(2, 2)] * 3))", False),
        ("x = [nn.Linear(2, 2)] * 3\nfor i in range(3):\n    x[i] = nn.Linear(i, 2)", False),
        ("x = [l.cuda() for l in [nn.Linear(2, 2)] * 3]", True),
        ("x = list(map(str, [nn.Linear(2, 2)] * 3))", True),
        ("x = [nn.Linear(2, 2)] * 3\ny = x[1]", True),
    ],
)
def test_copies_are_layers_of_their_own(line: str, is_told: bool) -> None:
    assert bool(advice("TP706", f"import copy\nimport torch.nn as nn\n{line}\n")) is is_told
