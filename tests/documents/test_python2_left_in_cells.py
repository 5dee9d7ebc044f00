"""What is said of Python 2 in a cell that Python 3 can parse: nothing converts it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents.books import notebook, written
from torchfix_codemods.runs.runner import migrate_bytes
from torchfix_codemods.settings.config import Settings


@pytest.mark.parametrize("py2", [True, False])
def test_of_a_cell_it_is_not_said_that_it_is_converted(py2: bool) -> None:
    text = written(notebook("import torch\nimport own\n", "execfile('own.py')\n"))
    result = migrate_bytes(text.encode(), Path("a.ipynb"), Settings(py2=py2))
    assert [f.message for f in result.findings] == ["Python 3 has no execfile"]
    assert not result.changed


@pytest.mark.parametrize(
    ("cell", "word", "today"),
    [
        ("import cPickle as pickle\n", "cPickle", "pickle"),
        ("from itertools import izip\n", "itertools.izip", "zip"),
        ("d = {}\nfor k, v in d.iteritems():\n    pass\n", "iteritems()", "items()"),
        ("reload(own)\n", "reload", "importlib.reload"),
    ],
)
def test_of_a_cell_it_is_said_what_python_3_has(cell: str, word: str, today: str) -> None:
    """Nothing converts it, so that a person writes it."""
    text = written(notebook("import torch\nimport own\n", cell))
    result = migrate_bytes(text.encode(), Path("a.ipynb"), Settings(py2=False))
    said = [f"Python 3 has no {word}: its name is {today} there"]
    assert [f.message for f in result.findings] == said


@pytest.mark.parametrize("cell", ["from cStringIO import StringIO\n", "print({}.has_key(1))\n"])
def test_of_what_has_no_one_name_today_none_is_said(cell: str) -> None:
    text = written(notebook("import torch\n", cell))
    result = migrate_bytes(text.encode(), Path("a.ipynb"), Settings(py2=False))
    assert ["name" in f.message for f in result.findings] == [False]


def test_of_a_file_it_is() -> None:
    text = "import torch\nimport own\nreload(own)\n"
    (found,) = migrate_bytes(text.encode(), Path("a.py"), Settings(py2=False)).findings
    assert found.message == "Python 3 has no reload: --py2 converts the file"


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (
            "a = reduce(f, x)\nb = reduce(f, y)\n",
            ["Python 3 has no reduce: write `from functools import reduce` above"],
        ),
        ("from functools import reduce\na = reduce(f, x)\n", []),
        ("a = f.reduce(x)\n", []),
    ],
)
def test_reduce_is_told_with_where_python_3_has_it(cell: str, said: list[str]) -> None:
    text = written(notebook("import torch\n", cell))
    result = migrate_bytes(text.encode(), Path("a.ipynb"), Settings(py2=False))
    assert [f.message for f in result.findings] == said
