"""The benchmark that makes mistakes in the package."""

from __future__ import annotations

import dataclasses
import shutil
import textwrap
from pathlib import Path

import pytest
from coverage import CoverageData

from benchmarks import mutation

TEXT = '''
"""Not this."""
LIMIT = 3


def is_free(table: dict[str, int | None], name: str, depth: int = 1) -> bool:
    """Nor this."""
    assert depth > 0
    for key in table:
        if key == name and not table[key]:
            break
    while depth < LIMIT and name or table:
        depth = depth + 2
        note(depth)
        return any(n for n in table if n)
    return True
'''

MISTAKES = """
9: `key == name and not table[key]` is `(not (key == name and not table[key]))`
9: ` and ` is ` or `
9: ` and not table[key]` is ``
9: ` == ` is ` != `
9: `not table[key]` is `(table[key])`
10: `break` is `continue`
11: `depth < LIMIT and name or table` is `(not (depth < LIMIT and name or table))`
11: ` or ` is ` and `
11: ` or table` is ``
11: ` and ` is ` or `
11: ` and name` is ``
11: ` < ` is ` <= `
12: ` + ` is ` - `
12: `2` is `3`
13: `note(depth)` is `pass`
14: `any(n for n in table if n)` is `None`
14: `any` is `all`
14: `n` is `True`
15: `True` is `False`
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(mutation, "REPOSITORY", tmp_path)
    monkeypatch.setattr(mutation, "PACKAGE", tmp_path)
    path = tmp_path / "free.py"
    path.write_text(TEXT.lstrip())
    return path


def test_the_mistakes_of_a_file(file: Path) -> None:
    source = file.read_bytes()
    found = {
        f"{m.line}: `{source[m.start : m.end].decode()}` is `{m.new}`"
        for m in mutation.mutants(file)
    }
    assert found == set(textwrap.dedent(MISTAKES).strip().split("\n"))


def test_a_draw_has_the_tests_that_run_each_line(file: Path, tmp_path: Path) -> None:
    data = CoverageData(str(tmp_path / "data"))
    for test, lines in (("tests/test_free.py::test_it", [9, 10]), ("tests/a.py::test_all", [9])):
        data.set_context(test)
        data.add_lines({str(file): lines})
    data.write()
    drawn = mutation.drawn(["free.py"], tmp_path / "data", 12, seed=1)
    assert len(drawn) == 12
    assert drawn == mutation.drawn(["free.py"], tmp_path / "data", 12, seed=1)
    assert drawn != mutation.drawn(["free.py"], tmp_path / "data", 12, seed=2)
    own, other = "tests/test_free.py::test_it", "tests/a.py::test_all"
    expected = {9: (own, other), 10: (own,)}
    assert all(mutant.tests == expected.get(mutant.line, ()) for mutant in drawn)
    assert {9, 11} <= {mutant.line for mutant in drawn}


def test_the_score(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def tested(tests: tuple[str, ...]) -> str:
        return "survived" if "depth <= LIMIT" in Path("free.py").read_text() else "killed"

    copy = file.parent / "copy"
    copy.mkdir()
    shutil.copy(file, copy)
    monkeypatch.chdir(copy)
    monkeypatch.setattr(mutation, "_work_in_a_copy", lambda folder: None)
    monkeypatch.setattr(mutation, "_tested", tested)
    chosen = [
        dataclasses.replace(mutant, tests=() if mutant.line == 13 else ("a test",))
        for mutant in mutation.mutants(file)
    ]
    score = mutation.judge(chosen, 1, file.parent)
    shown = capsys.readouterr().out
    assert f"{score:.1f} % of 19 noticed (17 killed, 1 " in shown
    assert score == pytest.approx(100 * 17 / 19)
    assert "free.py:11: survived: ' < ' -> ' <= '" in shown
    assert "    while depth < LIMIT and name or table:" in shown
    assert "free.py:13: run by no test: 'note(depth)' -> 'pass'" in shown
    assert "free.py:9" not in shown
    assert (copy / "free.py").read_text() == TEXT.lstrip()
