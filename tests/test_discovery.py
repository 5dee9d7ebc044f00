from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.discovery import python_files


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in (
        "a.py",
        "b.pyw",
        "notes.txt",
        "pkg/c.py",
        "pkg/gen/d.py",
        "other/gen/e.py",
        ".git/hook.py",
        "venv/lib/f.py",
        "skipped/g.py",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    (tmp_path / ".gitignore").write_text("skipped/\n")
    (tmp_path / "pkg" / ".gitignore").write_text("gen\n")
    return tmp_path


def found(paths: list[Path], root: Path, *exclude: str) -> list[str]:
    return [p.relative_to(root).as_posix() for p in python_files(paths, root, exclude)]


def test_folders_are_searched_in_a_fixed_order_without_what_git_ignores(tree: Path) -> None:
    assert found([tree], tree) == ["a.py", "b.pyw", "other/gen/e.py", "pkg/c.py"]


def test_a_file_is_taken_once_and_whatever_its_suffix(tree: Path) -> None:
    paths = [tree / "notes.txt", tree / "a.py", tree]
    assert found(paths, tree)[:2] == ["notes.txt", "a.py"]
    assert len(found(paths, tree)) == 5


def test_an_ignored_folder_that_is_named_is_searched(tree: Path) -> None:
    assert found([tree / "skipped"], tree) == ["skipped/g.py"]


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("pkg/", ["a.py", "b.pyw", "other/gen/e.py"]),
        ("*.pyw", ["a.py", "other/gen/e.py", "pkg/c.py"]),
        ("/a.py", ["b.pyw", "other/gen/e.py", "pkg/c.py"]),
        ("gen", ["a.py", "b.pyw", "pkg/c.py"]),
    ],
)
def test_exclude(tree: Path, pattern: str, left: list[str]) -> None:
    assert found([tree], tree, pattern) == left


def test_exclude_holds_for_files_that_are_named(tree: Path) -> None:
    assert found([tree / "a.py", tree / "pkg" / "c.py"], tree, "pkg/") == ["a.py"]
