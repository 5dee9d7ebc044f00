"""What is known of the options of a command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.facts.test_queries import value_of_last
from torchfix_codemods.facts.values.lattice import Number
from torchfix_codemods.runs.runner import migrate_file
from torchfix_codemods.settings.config import Settings

HEAD = "import argparse\nparser = argparse.ArgumentParser()\n"
TAIL = "opt = parser.parse_args()\n"


def value(declared: str, after: str = "", asked: str = "opt.size") -> object:
    return value_of_last(f"{HEAD}parser.add_argument({declared})\n{TAIL}{after}look({asked})\n")


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("'--size', type=int, default=3", Number("int")),
        ("'-s', '--size', type=int, default='3', help='of a side'", Number("int")),
        ("'size', type=float", Number("float")),
        ("'--size', type=float, required=True", Number("float")),
        ("'--a', type=float, default=1.0, dest='size'", Number("float")),
        ("'--size', type=float, default=1", Number()),
        ("'--size', action='store', type=int, default=1", Number("int")),
    ],
)
def test_numbers(declared: str, expected: Number) -> None:
    assert value(declared) == expected


def test_dashes_are_underscores() -> None:
    assert value("'--image-size', type=int, default=3", asked="opt.image_size") == Number("int")


@pytest.mark.parametrize(
    "declared",
    [
        "'--size', default=3",
        "'--size', type=int",
        "'--size', type=int, default=None",
        "'--size', type=int, default=3, nargs='+'",
        "'--size', type=int, default=3, action='append'",
        "'--size', type=int, default=[3]",
        "'--size', type=parse, default=3",
        "'--size', type=str, default='3'",
        "'--size', type=int, default=3, **more",
        "'--other', type=int, default=3",
        "name, type=int, default=3",
    ],
)
def test_what_is_no_number_for_certain(declared: str) -> None:
    assert not isinstance(value(declared), Number)


@pytest.mark.parametrize(
    "after",
    [
        "opt.size = (3, 4)\n",
        "setattr(opt, name, (3, 4))\n",
        "parser.set_defaults(size=(3, 4))\n",
        "parser.set_defaults(**more)\n",
        "parser.set_defaults(more)\n",
        "parser.add_argument('--a', dest='size', nargs=2)\n",
    ],
)
def test_what_something_else_sets(after: str) -> None:
    assert isinstance(value("'--size', type=int, default=3"), Number)
    assert not isinstance(value("'--size', type=int, default=3", after), Number)


def test_defaults_of_other_options_change_nothing() -> None:
    after = "parser.set_defaults(resume=False)\n"
    assert value("'--size', type=int, default=3", after) == Number("int")


def test_another_int() -> None:
    text = f"{HEAD}int = list\nparser.add_argument('--size', type=int, default='3')\n{TAIL}look(opt.size)\n"
    assert not isinstance(value_of_last(text), Number)


@pytest.mark.parametrize(
    "after",
    ["opt.size *= 1.1\n", "opt.size = 4.5\n", "class A:\n  def f(self):\n    self.size = 'a'\n"],
)
def test_what_gives_it_another_number(after: str) -> None:
    assert isinstance(value("'--size', type=int, default=3", after), Number)


_CONFIG = f"{HEAD}parser.add_argument('--size', {{declared}})\nopt = parser.parse_args()\n"
_TRAIN = """
import torch
from config import opt
def train(net, x):
    for y in x:
        cost = opt.size * net(y).mean()
    {between}
    print('%.2f' % cost.data[0])
"""
_GIVEN = _TRAIN.replace("from config import opt\n", "").replace("def train(", "def train(opt, ")


def _is_rewritten(folder: Path, files: dict[str, str]) -> bool:
    for name, text in files.items():
        (folder / name).write_text(text)
    result = migrate_file(folder / "train.py", Settings(select=("TP103",)), write=False)
    return any("raises where" not in found.message for found in result.findings)


@pytest.mark.parametrize(
    ("declared", "between", "other", "is_number"),
    [
        ("type=int, default=3", "pass", "", True),
        ("type=int, default=3", "opt.size *= 1.1", "", True),
        ("type=int, default=3", "pass", "from config import opt\nopt.size /= 2\n", True),
        ("type=int, default=3", "pass", "from config import opt\nopt.size = look()\n", False),
        ("type=int, default=3", "opt.size = y", "", False),
        ("type=parse, default=3", "pass", "", False),
        ("type=int, nargs=2", "pass", "", False),
        ("type=int, default=3", "setattr(opt, y, x)", "", False),
        ("type=int, default=3", "pass", _CONFIG.format(declared="nargs=2"), False),
    ],
)
@pytest.mark.parametrize("way", ["imported", "given"])
def test_options_of_another_file(
    tmp_path: Path, declared: str, between: str, other: str, is_number: bool, way: str
) -> None:
    files = {"config.py": _CONFIG.format(declared=declared), "other.py": other}
    if way == "imported":
        files["train.py"] = _TRAIN.format(between=between)
    else:
        files["train.py"] = _GIVEN.format(between=between)
        files["config.py"] += "from train import train\ntrain(opt, model, data)\n"
    assert _is_rewritten(tmp_path, files) == is_number


def test_options_that_some_caller_may_give_are_not_known(tmp_path: Path) -> None:
    config = _CONFIG.format(declared="type=int, default=3") + "from train import train\n"
    files = {"config.py": config + "train(opt, model, data)\ntrain(found, model, data)\n"}
    files["train.py"] = _GIVEN.format(between="pass")
    assert not _is_rewritten(tmp_path, files)


@pytest.mark.parametrize(
    ("setting", "is_known"),
    [
        ("setattr(opt, 'other', path)", True),
        ("setattr(opt, 'size', path)", False),
        ("for key in vars(opt):\n    if 'path' in key:\n        setattr(opt, key, path)", True),
        ("for key in vars(opt):\n    if 'iz' in key:\n        setattr(opt, key, path)", False),
        ("for key in vars(opt):\n    setattr(opt, key, path)", False),
        ("for key in vars(opt):\n    if 'path' not in key:\n        setattr(opt, key, 1)", False),
        (
            "for key in vars(opt):\n    if 'path' in key:\n        key = 'size'\n"
            "        setattr(opt, key, path)",
            False,
        ),
        (
            "for key in vars(opt):\n    if 'path' in key: pass\n    else: setattr(opt, key, 1)",
            False,
        ),
        ("put = setattr", False),
    ],
)
def test_what_sets_options_by_their_names(setting: str, is_known: bool) -> None:
    found = value("'--size', type=int, default=3", f"{setting}\n")
    assert isinstance(found, Number) is is_known


_KEPT = """
import torch
class Net(torch.nn.Module):
    def __init__(self, args):
        super().__init__()
        self.weight = args.size
    def cost(self, x):
        return self.weight * foreign(x).mean()
    def show(self, x):
        print('%.2f' % self.cost(x).data[0])
"""


@pytest.mark.parametrize(
    ("before", "after", "is_number"),
    [
        ("", "", True),
        ("        self.weight =", "        self.weight = x\n        self.weight =", False),
        ("    def show(self, x):", "    def show(self, x):\n        self.weight = x", False),
        ("args.size", "args.other", False),
        ("def __init__(self, args)", "def __init__(self, other)", False),
        ("(self, args):", "(self, args):\n        args = foreign(args)", False),
    ],
)
def test_an_option_that_an_object_keeps(
    tmp_path: Path, before: str, after: str, is_number: bool
) -> None:
    assert before in _KEPT
    files = {
        "config.py": _CONFIG.format(declared="type=float, default=3.0")
        + "from train import Net\nNet(opt).show(data)\n",
        "train.py": _KEPT.replace(before, after) if before else _KEPT,
    }
    assert _is_rewritten(tmp_path, files) == is_number


def test_an_option_of_another_object_is_not_known(tmp_path: Path) -> None:
    config = _CONFIG.format(declared="type=float, default=3.0") + "from train import Net\n"
    files = {"config.py": config + "Net(opt).show(data)\nNet(found)\n", "train.py": _KEPT}
    assert not _is_rewritten(tmp_path, files)
