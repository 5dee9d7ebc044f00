"""Tests of the program that compares our diffs with those that people made."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from benchmarks import human

OLD = "import torch\nfrom torch.autograd import Variable\n\nx = Variable(torch.ones(2))\n"
LOSS = "import torch\n\nloss = torch.ones(2).sum()\nprint(loss.data[0])\n"


def _git(folder: Path, *words: str) -> None:
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(folder), *names, *words], check=True, capture_output=True)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Five files, of which the owners changed two that we change, one that we do not, and a mode."""
    folder = tmp_path / "clones" / "net"
    folder.mkdir(parents=True)
    _git(folder, "init", "-q")
    for name, text in {"a": OLD, "b": LOSS, "c": OLD, "d": "x = 1\n", "e": OLD}.items():
        (folder / f"{name}.py").write_text(text)
    _git(folder, "add", ".")
    _git(folder, "commit", "-qm", "before")
    (folder / "a.py").write_text("import torch\n\nx = torch.ones(2)\n")
    (folder / "b.py").write_text(LOSS.replace(".data[0]", ".item()"))
    (folder / "d.py").write_text("x = 2\n")
    (folder / "e.py").chmod(0o755)
    _git(folder, "commit", "-qam", "after")
    return folder


@pytest.mark.parametrize(
    ("mode", "expected"), [("needed", (1, 2, 2)), ("all", (2, 5, 5))], ids=["needed", "all"]
)
def test_only_lines_of_files_that_both_changed_count(
    clone: Path, tmp_path: Path, mode: str, expected: tuple[int, int, int]
) -> None:
    pair = human.Pair("someone/net", "HEAD^", "HEAD")
    row = human.measure(pair, clone, tmp_path / "tree", human.MODES[mode])
    assert (row.files, row.human, row.ours) == expected
    assert (clone / "d.py").read_text() == "x = 2\n"


def test_what_is_not_there_is_left_out(
    clone: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = (human.Pair("someone/net", "HEAD^", "HEAD"), human.Pair("someone/other", "a", "b"))
    monkeypatch.setattr(human, "PAIRS", pairs)
    monkeypatch.setattr("sys.argv", ["human", str(clone.parent)])
    assert human.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[1:3]] == [["net", "needed"], ["net", "all"]]
    assert lines[3:] == ["median needed: 1.00 over 1", "median all: 1.00 over 1"]
