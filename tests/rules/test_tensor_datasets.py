"""What a ``TensorDataset`` of torch 0.3 called ``data_tensor`` and ``target_tensor``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.rules import advice, keeps, migrate, rewrites
from torchfix_codemods.finding import Numerics
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

_HEAD = "import torch\nfrom torch.utils.data import DataLoader, TensorDataset\n"

test_rewrites = rewrites(
    "TP901",
    {
        "of a data set": (
            _HEAD
            + "data = TensorDataset(x, y)\nprint(data.data_tensor.size(), data.target_tensor)\n",
            _HEAD + "data = TensorDataset(x, y)\nprint(data.tensors[0].size(), data.tensors[1])\n",
        ),
        "of a loader's": (
            _HEAD + "loader = DataLoader(dataset=TensorDataset(x, y), batch_size=2)\n"
            "print((loader.dataset.data_tensor))\n",
            _HEAD + "loader = DataLoader(dataset=TensorDataset(x, y), batch_size=2)\n"
            "print((loader.dataset.tensors[0]))\n",
        ),
        "by its module": (
            "import torch.utils.data as tud\nx = tud.TensorDataset(x, y).target_tensor\n",
            "import torch.utils.data as tud\nx = tud.TensorDataset(x, y).tensors[1]\n",
        ),
    },
)

test_keeps = keeps(
    "TP901",
    {
        "a class of its own": _HEAD
        + """
class Data(TensorDataset):
    def __init__(self, x):
        self.data_tensor = x
print(Data(x).data_tensor, DataLoader(Data(x), 2).dataset.data_tensor)
""",
        "what is stored": _HEAD + "data = TensorDataset(x, y)\ndata.data_tensor = x\n",
        "an unknown set": _HEAD
        + "data = load() if cached else TensorDataset(x, y)\ndata.data_tensor\n",
        "unknown arguments": _HEAD + "loader = DataLoader(*args)\nprint(loader.data_tensor)\n",
        "asked for": _HEAD
        + "data = TensorDataset(x, y)\n"
        + "x = data.tensors[0] if hasattr(data, 'tensors') else data.data_tensor\n",
    },
)


def test_a_loader_that_comes_from_elsewhere_is_reported() -> None:
    text = _HEAD + "def f(loader):\n    return loader.dataset.data_tensor\n"
    [found] = advice("TP901", text)
    assert found.numerics is Numerics.ADVICE and "tensors[0] since 0.4" in found.message


@pytest.mark.parametrize(
    "text",
    [
        "import torch\ndef f(loader):\n    return loader.dataset.data_tensor\n",
        _HEAD + "def f(data):\n    return data.data_tensor\n",
        _HEAD + "class A:\n    def f(self, l):\n        self.data_tensor = l.dataset.data_tensor\n",
        _HEAD
        + "def f(l):\n    torch.ones(2, dtype=torch.long)\n    return l.dataset.data_tensor\n",
    ],
)
def test_what_may_be_another_set_is_not(text: str) -> None:
    assert not advice("TP901", text)


@pytest.mark.parametrize(
    ("other", "count"),
    [
        ("from torch.utils.data import TensorDataset\n", 1),
        (
            "import torch\nclass D(TensorDataset):\n    def f(self):\n        self.data_tensor = 1\n",
            0,
        ),
    ],
)
def test_what_the_project_says_of_sets_counts(tmp_path: Path, other: str, count: int) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "other.py").write_text(other)
    (tmp_path / "main.py").write_text("import torch\ndef f(l):\n    l.dataset.data_tensor\n")
    result = migrate_file(tmp_path / "main.py", Settings(select=("TP901",)), write=False)
    assert len(result.findings) == count


_MADE = _HEAD + "def load(x, y):\n    data = TensorDataset(x, y)\n    return DataLoader(data, 2)\n"


@pytest.mark.parametrize(
    ("other", "is_rewritten"),
    [
        (_MADE, True),
        (_MADE + "def more(x):\n    return DataLoader(TensorDataset(x), batch_size=3)\n", True),
        (_MADE + "def more(data):\n    return DataLoader(data)\n", False),
        (_MADE + "def more(args):\n    return DataLoader(*args)\n", False),
        (_MADE + "def more(x):\n    return wrap(DataLoader, x)\n", False),
        (_MADE + "class Mine(DataLoader):\n    pass\n", False),
        (_MADE + "from lib import MyDataLoader\nx = MyDataLoader(3)\n", False),
        (_MADE + "class Mine:\n    def __init__(self, d):\n        self.dataset = d\n", False),
        (_MADE.replace("TensorDataset(x, y)", "TensorDataset(x, y) if y else x"), False),
        (_HEAD + "data = TensorDataset(x, y)\n", False),
    ],
)
def test_a_loader_is_known_where_all_of_the_project_hold_tensors(
    tmp_path: Path, other: str, is_rewritten: bool
) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "other.py").write_text(other)
    (tmp_path / "main.py").write_text("import torch\ndef f(l):\n    l.dataset.target_tensor\n")
    result = migrate_file(tmp_path / "main.py", Settings(select=("TP901",)), write=False)
    [finding] = result.findings
    assert finding.fixed is is_rewritten
    assert finding.message.endswith("if this is one") is not is_rewritten
    assert ("    l.dataset.tensors[1]\n" in (result.after or "")) is is_rewritten


_SIZES = """import torch
from torch.utils.data import ConcatDataset
{}def cut(loader):
    loader.dataset.cummulative_sizes = loader.dataset.cumsum(loader.dataset.datasets)
    return loader.dataset.cummulative_sizes[-1]
"""


def test_the_sizes_of_joined_data_sets() -> None:
    migration = migrate(_SIZES.format(""), "TP901")
    assert migration.text == _SIZES.format("").replace("cummulative", "cumulative")
    claims = [finding.numerics for finding in migration.findings]
    assert claims == [Numerics.RESTORED, Numerics.IDENTICAL]


@pytest.mark.parametrize("base", ["ConcatDataset", "torch.utils.data.ConcatDataset"])
def test_the_sizes_that_a_class_below_sets(base: str) -> None:
    own = (
        f"class Joined({base}):\n    def __init__(self, sets):\n        super().__init__(sets)\n"
        "        self.cummulative_sizes = self.cumsum(sets)\n"
    )
    text = _SIZES.format(own)
    assert migrate(text, "TP901").text == text.replace("cummulative", "cumulative")


@pytest.mark.parametrize(
    "text",
    [
        _SIZES.format(
            "class Own:\n    def __init__(self, s):\n        self.cummulative_sizes = s\n"
        ),
        _SIZES.format("class Own:\n    cummulative_sizes = ()\n"),
        "import torch\ndef last(d):\n    return d.cummulative_sizes[-1]\n",
        "import torch\nfrom torch.utils.data import ConcatDataset\ndef last(d):\n"
        "    if hasattr(d, 'cumulative_sizes'):\n        return d.cumulative_sizes[-1]\n"
        "    else:\n        return d.cummulative_sizes[-1]\n",
    ],
)
def test_the_sizes_of_other_data_sets_or_of_either_torch(text: str) -> None:
    assert migrate(text, "TP901").text == text
