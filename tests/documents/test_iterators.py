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
