"""``Decoder(n / 4)``, ``self.n = n / 4``: what an object keeps for a size has to be whole (TP414)."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_NET = """import torch.nn as nn
class Decoder(nn.Module):
    def __init__(self, points=2048):
        super().__init__()
        self.points = points
        self.fc = nn.Linear(100, self.points * 3)
    def forward(self, x):
        return self.fc(x).view(-1, 3, self.points)
class Net(nn.Module):
    def __init__(self, points=2048):
        super().__init__()
        self.points = points
        self.decoder = Decoder(points)
    def forward(self, x):
        return self.decoder(x)
"""
_TRAIN = """import argparse
import torch
from net import Net
parser = argparse.ArgumentParser()
parser.add_argument("--points", type=int, default=2048)
options = parser.parse_args()
print(options.points)
net = Net(points=options.points / 4)
"""


def _migrated(folder: Path, name: str, **texts: str) -> str:
    for stem, text in texts.items():
        (folder / f"{stem}.py").write_text(text)
    path = folder / f"{name}.py"
    result = migrate_file(path, Settings(select=("TP414",)), write=False)
    assert not result.errors
    return result.after or path.read_text()


def test_an_argument_that_an_object_keeps_for_sizes(tmp_path: Path) -> None:
    after = _migrated(tmp_path, "train", net=_NET, train=_TRAIN)
    assert after == _TRAIN.replace("points / 4", "points // 4")


def test_a_constant_that_an_object_keeps_for_sizes(tmp_path: Path) -> None:
    text = "import torch\nimport net\nmodel = net.Net(points=2048/4)\n"
    assert _migrated(tmp_path, "show", net=_NET, show=text) == text.replace("/", "//")


def test_a_quotient_that_an_object_keeps_for_sizes(tmp_path: Path) -> None:
    text = _NET.replace(
        "self.points = points\n        self.fc", "self.points = points / 4\n        self.fc"
    )
    after = _migrated(tmp_path, "net", net=text, train=_TRAIN)
    assert after == text.replace("points / 4", "points // 4")


@pytest.mark.parametrize(
    "forward",
    [
        "return x.new_zeros(self.n + 1)",
        "n = self.n\n        return [self.fc(x) for _ in range(n)]",
        "return self.of(x)\n    def of(self, x):\n        return x[:, self.n:, :self.n - 1]",
    ],
)
def test_what_reads_the_attribute_wants_a_size(tmp_path: Path, forward: str) -> None:
    text = _small(forward)
    assert _migrated(tmp_path, "net", net=text) == text.replace("n / 2", "n // 2")


@pytest.mark.parametrize(
    "forward",
    [
        "return x * self.n",
        "return x",
        "self.n += 0.5\n        return x.new_zeros(self.n)",
        "print(self.n)\n        return x.new_zeros(self.n)",
        "return x.new_zeros(self.n) if self.n > 1.5 else self",
        "return x.new_zeros(3) if self.n > 1.5 else x",
    ],
)
def test_what_reads_the_attribute_may_want_a_fraction(tmp_path: Path, forward: str) -> None:
    text = _small(forward)
    is_compared_too = "new_zeros(self.n) if" in forward
    after = text.replace("n / 2", "n // 2") if is_compared_too else text
    assert _migrated(tmp_path, "net", net=text) == after


@pytest.mark.parametrize(
    "other",
    [
        "from net import Net\nnet = Net(8)\nprint(net.n)\n",
        "def show(net):\n    print(net.n)\n",
        "import net\nclass Wide(net.Net):\n    def rate(self):\n        return self.n * 0.5\n",
        "import net\nclass Wide(net.Net):\n    def grow(self):\n        self.n *= 2\n",
    ],
)
def test_another_file_may_read_the_attribute(tmp_path: Path, other: str) -> None:
    text = _small("return x.new_zeros(self.n)")
    assert _migrated(tmp_path, "net", net=text, other=f"import torch\n{other}") == text


@pytest.mark.parametrize(
    "other",
    [
        "import torch.nn as nn\nclass Wide(nn.Module):\n    def rate(self):\n        return self.n\n",
        "class Text:\n    n = 3\nprint(Text().n)\n",
        "import argparse\noptions = argparse.ArgumentParser().parse_args()\nprint(options.n)\n",
        "import net\nclass Wide(net.Net):\n    def more(self):\n        return range(self.n)\n",
    ],
)
def test_another_file_reads_it_of_something_else(tmp_path: Path, other: str) -> None:
    text = _small("return x.new_zeros(self.n)")
    after = _migrated(tmp_path, "net", net=text, other=f"import torch\n{other}")
    assert after == text.replace("n / 2", "n // 2")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("nn.Module", "Base"),
        ("self.n = n", "self.n = self.m = n"),
        ("self.n = n", "other.n = n"),
        ("n / 2", "n / 2."),
        ("    def forward", "    @property\n    def n(self):\n        return 1\n    def forward"),
    ],
)
def test_an_attribute_that_is_not_in_sight(tmp_path: Path, old: str, new: str) -> None:
    text = _small("return x.new_zeros(self.n)").replace(old, new)
    assert _migrated(tmp_path, "net", net=text) == text


def test_a_class_of_a_library_may_be_read_by_anybody(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("from setuptools import setup\nsetup(packages=['net'])\n")
    folder = tmp_path / "net"
    folder.mkdir()
    text = _small("return x.new_zeros(self.n)")
    assert _migrated(folder, "__init__", __init__=text) == text


_LIBRARY = """import torch.nn as nn
class Block(nn.Module):
    def __init__(self, kernel, n):
        super().__init__()
        self.padding = (kernel - 1) / 2
        self.conv = nn.Conv2d(n, n, kernel, padding=self.padding)
    def forward(self, x):
        return self.conv(x)
"""


def _in_library(folder: Path, text: str, **others: str) -> str:
    (folder / "setup.py").write_text("from setuptools import setup\nsetup(packages=['net'])\n")
    package = folder / "net"
    package.mkdir()
    return _migrated(package, "__init__", __init__=text, **others)


def test_a_class_of_a_library_that_builds_its_layers_of_it(tmp_path: Path) -> None:
    assert _in_library(tmp_path, _LIBRARY) == _LIBRARY.replace(" / ", " // ")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return self.conv(x)", "return self.conv(x) * self.padding"),
        ("padding=self.padding)", "padding=1)\n        print(self.padding)"),
        ("self.conv = nn", "self.scale = 0.5 * self.padding\n        self.conv = nn"),
        ("padding=self.padding)", "padding=int(self.padding))"),
    ],
)
def test_a_class_of_a_library_that_reads_it_otherwise(tmp_path: Path, old: str, new: str) -> None:
    text = _LIBRARY.replace(old, new)
    assert _in_library(tmp_path, text) == text


def test_another_file_of_a_library_reads_it_otherwise(tmp_path: Path) -> None:
    other = "import torch\nfrom net import Block\nprint(Block(3, 4).padding)\n"
    assert _in_library(tmp_path, _LIBRARY, other=other) == _LIBRARY


def _small(forward: str) -> str:
    return (
        "import torch\nimport torch.nn as nn\n"
        "class Net(nn.Module):\n"
        "    def __init__(self, n):\n        super().__init__()\n        self.n = n / 2\n"
        f"    def forward(self, x: torch.Tensor):\n        {forward}\n"
    )
