from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

_DATA = """import torch


class Rows(object):
    def __iter__(self):
        return self

    def next(self):
        print "row"
        return 1


class Words(object):
    def next(self):
        return 2
    next_word = next
"""
_TRAIN = """import torch
from data import Rows


def step(rows):
    return {call}
"""


def _migrated(folder: Path, call: str) -> str:
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / "data.py").write_text(_DATA)
    (folder / "train.py").write_text(_TRAIN.format(call=call))
    settings = Settings(py2=True, root=folder)
    files = [folder / "data.py", folder / "train.py"]
    list(migrate_files(files, settings, write=True))
    once = (folder / "data.py").read_text()
    list(migrate_files(files, settings, write=True))
    assert (folder / "data.py").read_text() == once
    return once


def test_a_method_that_another_file_calls_keeps_its_name(tmp_path: Path) -> None:
    after = _migrated(tmp_path, "rows.next()")
    assert '    def __next__(self):\n        print("row")\n        return 1\n' in after
    assert "        return 1\n\n    next = __next__\n" in after
    assert "rows.next()" in (tmp_path / "train.py").read_text()


@pytest.mark.parametrize("call", ["next(rows)", "rows.next", "rows.next_one()"])
def test_else_it_has_the_new_name_alone(tmp_path: Path, call: str) -> None:
    after = _migrated(tmp_path, call)
    assert "def __next__(self):" in after
    assert "next = __next__" not in after


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("    while cur.next and cur.next.next:\n        cur = cur.next\n", None),
        ("    tail, cur.next = cur.next, tail\n", None),
        ("    show(cur.next)\n", None),
        ("    show(cur, iter(cur.rows)).next\n", None),
        ("    for row in iter(cur.next, ''):\n        show(row)\n", "iter(cur.__next__, '')"),
        ("    rows = list(iter(cur.rows.next, ''))\n", "iter(cur.rows.__next__, '')"),
    ],
)
def test_a_field_that_is_called_next_keeps_its_name(
    tmp_path: Path, line: str, after: str | None
) -> None:
    file = tmp_path / "lists.py"
    file.write_text(f'import torch\n\n\ndef walk(cur, tail, show):\n{line}    print "done"\n')
    list(migrate_files([file], Settings(py2=True, root=tmp_path), write=True))
    text = file.read_text()
    assert 'print("done")' in text
    assert line in text if after is None else after in text
