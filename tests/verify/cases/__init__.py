"""Rewrites of the programs beside this folder, right and wrong, and what is to be said of each.

One file for each program, of the same name. `python -m benchmarks.verdicts` judges all of them; the
tests take a part. Right ones of a program are judged together; a wrong one is judged alone, and
again among right ones.
"""

from __future__ import annotations

import importlib
from pathlib import Path

from tests.verify.cases.edits import Right, Wrong

_NAMES = sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))
_TABLES = {
    name: importlib.import_module(f"tests.verify.cases.{name}")
    for name in _NAMES
    if name != "edits"
}

RIGHT: dict[str, Right] = {name: table.RIGHT for name, table in _TABLES.items()}
WRONG: dict[str, Wrong] = {name: table.WRONG for name, table in _TABLES.items()}

#: What gives nothing that could be changed to see if that shows, only shows if it is far off, or is
#: written over; of the programs that the tests take.
UNPROVEN = {
    ("cnn", "super without arguments"),
    ("compiled", "in a scripted function"),
    ("compiled", "in a scripted module"),
    ("project", "a class of another name, over files"),
    ("project", "a helper of another name, over files"),
    ("project", "the meter as a class of today"),
}
