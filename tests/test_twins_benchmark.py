"""Tests of the program that compares what becomes of Python 2 files and of their twins."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from benchmarks import twins

OLD = """\
import torch
from torch.autograd import Variable

def f(x, y):
    x = Variable(torch.ones(2, 2))
    loss = torch.nn.functional.nll_loss(x, y)
    print 'loss', loss.data[0]
"""
NEW = OLD.replace("print 'loss', loss.data[0]", "print('loss', loss.data[0])")


def _git(folder: Path, *words: str) -> None:
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(folder), *names, *words], check=True, capture_output=True)


def _compared(folder: Path, new: str) -> twins.Comparison:
    for name, text in ("python2", OLD), ("python3", new):
        (folder / name).mkdir()
        (folder / name / "net.py").write_text(text)
    (only,) = twins.compared(twins.beside(folder))
    return only


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (NEW, "same"),
        # A line that only one of them has is no place of both.
        (NEW + "y = Variable(torch.ones(2))\n", "same"),
        ("# torchfix: skip-file\n" + NEW, "more"),
    ],
)
def test_places_that_both_hold_are_compared(tmp_path: Path, new: str, expected: str) -> None:
    result = _compared(tmp_path, new)
    assert (result.path, result.verdict) == ("net.py", expected)
    assert bool(result.same) == (expected == "same")


def test_what_is_not_rewritten_or_in_another_way_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def migrated(
        tree: Path, paths: list[str], select: tuple[str, ...]
    ) -> dict[str, twins._Migrated]:
        files = _migrated(tree, paths, select)
        is_first = tree.parent.name == "python2" and not select
        lines = [spoilt if is_first and "item" in line else line for line in files["net.py"].lines]
        return {"net.py": twins._Migrated(files["net.py"].result, lines)}

    _migrated = twins._migrated
    monkeypatch.setattr(twins, "_migrated", migrated)
    spoilt = "print('loss', loss.data[0])"
    (tmp_path / "a").mkdir()
    fewer = _compared(tmp_path / "a", NEW)
    assert (fewer.verdict, len(fewer.fewer)) == ("fewer", 1)
    spoilt = "print('loss', loss)"
    (tmp_path / "b").mkdir()
    assert _compared(tmp_path / "b", NEW).verdict == "other"


def test_commits_are_found_in_which_files_became_python_3(tmp_path: Path) -> None:
    repository, scratch = tmp_path / "repository", tmp_path / "scratch"
    repository.mkdir()
    scratch.mkdir()
    _git(repository, "init", "-q")
    for texts in (OLD, "print 1\n"), (NEW, "print(1)\n"), (NEW + "\n", "print(2)\n"):
        for name, text in zip(("net.py", "other.py"), texts, strict=True):
            (repository / name).write_text(text)
        _git(repository, "add", ".")
        _git(repository, "commit", "-qm", "step")
    found = [
        (each.texts, (each.tree / "net.py").read_text(), (each.tree / "other.py").read_text())
        for each in twins.in_history(repository, scratch)
    ]
    assert found == [({"net.py": NEW.encode()}, OLD, "print 1\n")]


def test_twins_are_made_where_there_are_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("lib2to3")
    (tmp_path / "net.py").write_text(OLD)
    (tmp_path / "new.py").write_text(NEW)
    monkeypatch.setattr("sys.argv", ["twins", "--make", str(tmp_path)])
    twins.main()
    *_, row, total = capsys.readouterr().out.splitlines()
    assert row.endswith("net.py: 3 the same, same")
    assert total.startswith("1 files: {'same': 1}")
