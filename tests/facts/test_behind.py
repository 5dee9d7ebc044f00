"""What a value may come from: the ways of Python back, one step at a time."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable
from pathlib import Path

import pytest

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths import handed_objects
from torchfix_codemods.facts.paths.behind import behind, found_behind
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.project.index import Index


def _comes_from_made(text: str) -> bool:
    """Whether what ``look(…)`` is given may come from ``made()``, or be a part of it."""
    return _looks_at_made(WholeFacts(ast.parse(textwrap.dedent(text)), textwrap.dedent(text)))


def _looks_at_made(facts: Facts) -> bool:
    calls = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call)]
    (looked,) = (call.args[0] for call in calls if ast.unparse(call.func) == "look")

    def question(place: Place) -> Iterable[Place] | None:
        is_made = ast.unparse(place.node) == "made()"
        return None if is_made else behind(place)

    return found_behind([Place(facts, looked)], question) is not None


_SET = """
from torch.utils.data import DataLoader
class Data:
    def __init__(self, first, second):
        self.first, self.second = first, second
    def __getitem__(self, i):
        return self.first[i], self.second[i]
"""
_KEPT = """
class Kept:
    def give(self, x, y):
        self.x, self.y = x, y
    def show(self):
        look(self.x)
"""
_NET = """
import torch.nn as nn
class Net(nn.Module):
    def forward(self, x, y=None):
        look(x)
"""


@pytest.mark.parametrize(
    "text",
    [
        "x = made()\nlook(x)",
        "x = 1 if y else made()\nlook(x)",
        "x = y or made()\nlook(x)",
        "look(x := made())",
        "a, b = 1, made()\nlook(b)",
        "x = [1, made()]\nlook(x[1])",
        "x = [1, made()]\nlook(x[-1])",
        "x = [1, made()]\nlook(x[i])",
        "x = [1, made()]\nlook(x[1:][0])",
        "x = [1, made()]\nfor each in x[:n]:\n    look(each)",
        "x = made()\nlook(x[:, 1])",
        "x = made()\nlook(x[1:])",
        "x = []\nx.append(made())\nlook(x[0])",
        "x = []\nx.extend([made()])\nlook(x[0])",
        "x = [made() for i in y]\nfor each in x:\n    look(each)",
        "for i, each in enumerate([made()]):\n    look(each)",
        "for a, b in zip(y, [made()]):\n    look(b)",
        "a, b = zip(*[(1, made())])\nlook(b[0])",
        "x = dict(key=made())\nlook(x['key'])",
        "x = {'key': made()}\nlook(y['key'])",
        "x = {'key': made()}\nlook(y.get('key'))",
        "x['key'] = made()\nlook(y['key'])",
        "x = {k: made() for k in y}\nfor k, v in x.items():\n    look(v)",
        "x = {1: made()}\nfor v in x.values():\n    look(v)",
        "def f(): return 1, made()\nlook(f()[1])",
        "def f(x): look(x)\nf(made())",
        "def f(x=made()): look(x)",
        "def f(y, x): look(x)\nf(x=made(), y=1)",
        "class A:\n    def f(self, x): look(x)\nA().f(made())\n",
        "class A:\n    def f(self, x): look(x)\nA.f(a, made())\n",
        "class A:\n    def f(self, x): look(x)\nunknown.f(made())\n",
        "class A:\n    def f(self): return made()\nlook(unknown.f())\n",
        "x.kept = made()\nlook(y.kept)",
        "x.kept = made()\nlook(getattr(y, 'kept'))",
        _KEPT + "Kept().give(made(), 1)",
        _NET + "net = Net()\nnet(made())",
        _NET + "net(*xs)\ndef g():\n    x = made()\n    return x",
        _NET + "net(*xs)\ndata = dict(x=made())",
        _SET + "for a, b in DataLoader(Data(1, made())):\n    look(b)",
        _SET + "a, b = next(iter(DataLoader(Data(1, made()))))\nlook(b)",
        _SET.replace("second)", "second=made())") + "for a, b in DataLoader(Data(1)):\n    look(b)",
        _SET.replace("i]\n", "i]\n    def reset(self): self.second = made()\n")
        + "for a, b in DataLoader(Data(1, 2)):\n    look(b)",
        _SET + "import tqdm\nfor a, b in tqdm.tqdm(DataLoader(Data(1, made()))):\n    look(b)",
        _SET
        + "import itertools as i\nsets = [DataLoader(Data(1, made()))]\n"
        + "for a, b in i.chain.from_iterable(sets):\n    look(b)",
        _SET
        + "from torch.utils.data import TensorDataset\n"
        + "for a, b in DataLoader(TensorDataset(1, made())):\n    look(b)",
        _SET
        + "def collate(rows): return 1, made()\n"
        + "for a, b in DataLoader(rows, collate_fn=collate):\n    look(b)",
        _SET
        + "class Collate:\n    def __call__(self, rows): return 1, made()\n"
        + "for a, b in DataLoader(rows, collate_fn=Collate()):\n    look(b)",
    ],
)
def test_ways_that_are_written_down(text: str) -> None:
    assert _comes_from_made(text)


@pytest.mark.parametrize(
    "text",
    [
        "x = made()\nx = 1\nlook(x)",
        "a, b = 1, made()\nlook(a)",
        "x = [1, made()]\nlook(x[0])",
        "x = [made()]\nlook(x)",
        "x = [made()]\nlook(x[:1])",
        "x = [made()]\nlook(x[0, :])",
        "x = [[made()]]\nlook(x[1:][0])",
        "x = []\ny.append(made())\nlook(x[0])",
        "for a, b in zip(y, [made()]):\n    look(a)",
        "x = {'key': made()}\nlook(y['other'])",
        "x = {made(): 1}\nfor v in x.values():\n    look(v)",
        "def f(): return 1, made()\nlook(f()[0])",
        "def f(x, y): look(x)\nf(1, made())",
        "def f(x): look(x)\nunknown(made())",
        "class A:\n    def f(self, x): look(x)\nunknown.f(1, made())\n",
        "class A:\n    def f(self, x): look(x)\nclass B:\n    def f(self, x): pass\nB().f(made())\n",
        "class A:\n    def f(self, x): return made()\nlook(unknown.f())\n",
        "look(unknown(made()))",
        "x.kept = made()\nlook(y.other)",
        _KEPT + "Kept().give(1, made())",
        _KEPT + "other.x = made()",
        _NET + "net = Net()\nnet(1, made())",
        _NET + "net(*xs)\ndef g():\n    x = made()\n    print(x)",
        _NET + "net(*xs)\ndef g(x):\n    x = made()\n    return x",
        _SET + "for a, b in DataLoader(Data(1, made())):\n    look(a)",
        _SET + "def collate(rows): return 1, made()\n"
        "for a, b in DataLoader(rows, collate_fn=collate):\n    look(a)",
    ],
)
def test_other_ways(text: str) -> None:
    assert not _comes_from_made(text)


@pytest.mark.parametrize(
    ("text", "comes"),
    [
        ("for a, b in DataLoader(Data(1, made())):\n    look(b)", True),
        ("for a, b in DataLoader(Data(second=made(), first=1)):\n    look(b)", True),
        ("other = Data(1, made())\nfor a, b in DataLoader(Data(1, 2)):\n    look(b)", False),
        ("other = Data(1, made())\nfor a, b in DataLoader(Data(1, 2)):\n    look(a)", False),
        ("for a, b in DataLoader(Data(made(), 2)):\n    look(b)", False),
    ],
)
def test_an_object_holds_what_it_was_made_of(tmp_path: Path, text: str, comes: bool) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sets.py").write_text(_SET + text)
    facts = Index().facts((tmp_path / "sets.py").resolve())
    assert facts is not None
    assert _looks_at_made(facts) == comes
    kept = "    def reset(self): self.second = made()\n"
    (tmp_path / "sets.py").write_text(_SET + kept + text)
    facts = Index().facts((tmp_path / "sets.py").resolve())
    assert facts is not None
    assert _looks_at_made(facts) == ("look(b)" in text)


def test_a_circle_ends() -> None:
    assert not _comes_from_made("x = y\nwhile x:\n    x = x.other\n    x.other = x\n    look(x)")


def test_of_very_many_files_with_a_word_the_nearest_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (".git/HEAD", "net/deep/er/b.py", "far.py", "net/net.py", "net/z.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("step = 1\n")
    facts = Index().facts((tmp_path / "net/net.py").resolve())
    assert facts is not None
    found = {2: ["z.py", "far.py"], 3: ["z.py", "far.py", "b.py"]}
    for most, names in found.items():
        monkeypatch.setattr(handed_objects, "_MOST_FILES", most)
        met = [
            there.files.path.name for there in handed_objects.met_with("step", facts) if there.files
        ]
        assert met == names
