"""Of a file that both Pythons read, a size that is a float in one shows which of them ran it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents.test_python2 import ALONE, migrate
from torchfix_codemods.runs.runner import migrate_bytes, migrate_file
from torchfix_codemods.settings.config import Settings

_TEXT = """\
import torch
import torch.nn as nn
def conv(c): return nn.Conv2d(c / 2, c, 3)
{first}
def rounds(size, seen, batch_size, rate):
    return {quotient}
"""


def _told(quotient: str, first: str = "") -> list[tuple[int, str]]:
    text = _TEXT.format(first=first, quotient=quotient)
    results = [migrate(text), migrate_bytes(text.encode(), ALONE / "old.py", Settings())]
    found = [[f for f in result.findings if f.code == "TP002"] for result in results]
    assert found[0] == found[1]
    assert all(f"return {quotient}" in (result.after or text) for result in results)
    return [(f.line, f.message) for f in found[0]]


@pytest.mark.parametrize("quotient", ["size / batch_size", "len(seen) / 4", "seen / rate * rate"])
def test_what_rounded_down_as_well_is_told_of(quotient: str) -> None:
    said = (
        "in Python 2 this / rounded down where both sides are whole numbers: write // if they are"
    )
    if quotient.startswith("len"):
        said = "/ of whole numbers rounded down in Python 2: write // for the same"
    assert _told(quotient) == [(6, said)]


def test_a_file_that_spells_async_as_a_keyword_is_told_of_as_well() -> None:
    first = "def moves(x): return x.cuda(async=True)"
    text = _TEXT.format(first=first, quotient="len(seen) / 4")
    result = migrate_bytes(text.encode(), ALONE / "old.py", Settings())
    assert not result.errors and "non_blocking=True" in (result.after or "")
    assert [f.line for f in result.findings if f.code == "TP002"] == [6]


@pytest.mark.parametrize(
    "quotient",
    ["size / rate", "seen / 2.0", "float(seen) / batch_size", "1 / batch_size", "seen // 4"],
)
def test_what_may_be_a_fraction_is_not(quotient: str) -> None:
    assert not _told(quotient)


@pytest.mark.parametrize(
    "first",
    [
        "from __future__ import division",
        "name = f'{c}'",
        "def f(x: int): pass",
        "def f(*, x): pass",
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()",
        "def f(e):\n    raise ValueError() from e",
        "x = y @ z",
    ],
)
def test_nothing_is_told_where_python_3_ran_the_file(first: str) -> None:
    quotient = "size / batch_size"
    text = _TEXT.format(first="", quotient=quotient)
    text = (
        f"{first}\n{text}" if first.startswith("from") else text.replace("\n\n", f"\n{first}\n", 1)
    )
    assert not [f for f in migrate(text).findings if f.code == "TP002"]


def test_nothing_is_told_where_no_size_is_a_quotient() -> None:
    text = _TEXT.format(first="", quotient="size / batch_size").replace("c / 2", "c")
    assert not migrate(text).findings


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import torch", "from __future__ import division\nimport torch"),
        ("print(x[0])", "print(f'{x[0]}')"),
        ("map(", "list(map("),
    ],
)
def test_no_list_shows_it_where_python_3_divides(old: str, new: str) -> None:
    text = "import torch\ndef f(line):\n    x = map(float, line)\n    print(x[0])\n"
    text += "    return len(line) / 2\n"
    assert [f.code for f in migrate(text).findings] == ["TP005", "TP002"]
    text = text.replace(old, new).replace("list(map(float, line)", "list(map(float, line))")
    assert "TP002" not in [f.code for f in migrate(text).findings]


def test_a_line_that_the_rule_speaks_of_is_told_once() -> None:
    assert not _told("seen / 64 * 64")


def test_a_comment_keeps_it_away() -> None:
    text = _TEXT.format(first="", quotient="size / batch_size  # torchfix: ignore[TP002]")
    assert not [f for f in migrate(text).findings if f.code == "TP002"]


@pytest.mark.parametrize(
    ("quotient", "is_told"),
    [
        ("'%d: %5d%%' % (rate, len(seen) / 4)", False),
        ("'%d' % (len(seen) / 4)", False),
        ("'%d: %s' % (rate, len(seen) / 4)", True),
        ("'%*d' % (rate, len(seen) / 4)", True),
        ("'%d' % (-len(seen) / 4)", True),
    ],
)
def test_what_is_written_as_a_whole_number_is_what_it_was(quotient: str, is_told: bool) -> None:
    assert bool(_told(quotient)) == is_told


_NET = """\
import torch.nn as nn
class Net(nn.Module):
    def __init__(self, args):
        super(Net, self).__init__()
        self.width = args.width
        self.conv = nn.Conv2d(self.width / 2, 3, 3)
        self.widths = [self.width, {quotient}]
"""
_OPTIONS = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--width", {width})
parser.add_argument("--rate", type=float, default=0.5)
parser.set_defaults(resume=False)
"""


@pytest.mark.parametrize(
    ("quotient", "width", "is_certain"),
    [
        ("self.width / 4", "type=int, default=128", True),
        ("args.width / 4", "type=int, default=128", True),
        ("self.width / 4", "default=128", False),
        ("self.width / 4", "type=int", False),
    ],
)
def test_an_option_that_another_file_declares_whole_is_whole(
    tmp_path: Path, quotient: str, width: str, is_certain: bool
) -> None:
    (tmp_path / "README.md").write_text("", "utf-8")
    (tmp_path / "options.py").write_text(_OPTIONS.format(width=width), "utf-8")
    # An earlier run wrote the options that this one reads.
    run = "import pickle\nfrom net import Net\nnet = Net(pickle.load(open('args.pkl', 'rb')))\n"
    (tmp_path / "run.py").write_text(run, "utf-8")
    (tmp_path / "net.py").write_text(_NET.format(quotient=quotient), "utf-8")
    result = migrate_file(tmp_path / "net.py", Settings(), write=False)
    (told,) = [f.message for f in result.findings if f.code == "TP002"]
    assert told.startswith("/ of whole numbers" if is_certain else "in Python 2 this /")


_ALIKE = "/ of whole numbers rounded down in Python 2: write // for the same"
_HEDGED = "in Python 2 this / rounded down where both sides are whole numbers: write // if they are"


@pytest.mark.parametrize(
    ("quotient", "said"),
    [
        ("size / batch_size, size % batch_size", _ALIKE),
        ("size / batch_size, size % seen", _HEDGED),
        ("size / batch_size, batch_size % size", _HEDGED),
    ],
)
def test_who_asks_for_the_rest_divides_whole_numbers(quotient: str, said: str) -> None:
    assert _told(quotient) == [(6, said)]


@pytest.mark.parametrize(
    ("opened", "quotient", "said"),
    [
        ("Image.open('a.png')", "picture.size[0] / 2", _ALIKE),
        ("Image.open('a.png').convert('L')", "picture.size[1] * 3 / 2", _ALIKE),
        ("Image.open('a.png')", "picture.info[0] / 2", None),
        ("draw('a.png')", "picture.size[0] / 2", None),
    ],
)
def test_sizes_of_pictures_are_whole(opened: str, quotient: str, said: str | None) -> None:
    found = _told(quotient, f"from PIL import Image\npicture = {opened}")
    assert [message for _, message in found] == ([] if said is None else [said])
