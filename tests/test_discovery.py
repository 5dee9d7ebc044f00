from __future__ import annotations

from pathlib import Path

import pytest

from torchfix_codemods.runs.discovery import python_files


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


def test_the_innermost_gitignore_that_mentions_a_path_decides(tree: Path) -> None:
    (tree / ".gitignore").write_text("skipped/\n*.pyw\nc.py\ngen/\n")
    (tree / "pkg" / ".gitignore").write_text("!c.py\n!gen/\n")
    (tree / "pkg" / "gen" / ".gitignore").write_text("unrelated\n")
    assert found([tree], tree) == ["a.py", "pkg/c.py", "pkg/gen/d.py"]
    (tree / ".git").mkdir(exist_ok=True)
    assert found([tree / "pkg" / "gen", tree / "pkg"], tree) == ["pkg/gen/d.py", "pkg/c.py"]


def test_negation_in_one_file(tree: Path) -> None:
    (tree / ".gitignore").write_text("/*\n!/a.py\n!/pkg/\n")
    assert found([tree], tree) == ["a.py", "pkg/c.py"]


@pytest.fixture
def links(tmp_path: Path) -> Path:
    (tmp_path / "real.py").write_text("")
    (tmp_path / "link.py").symlink_to("real.py")
    (tmp_path / "broken.py").symlink_to("missing.py")
    return tmp_path


def test_links_in_folders_are_passed_over(links: Path) -> None:
    assert found([links], links) == ["real.py"]


def test_a_link_that_is_named_is_taken_in_place_of_its_target(links: Path) -> None:
    assert found([links / "link.py", links, links / "real.py"], links) == ["link.py"]


def test_a_folder_that_is_named_by_a_link_is_searched(tree: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tree / "pkg")
    assert found([link], tree) == ["link/c.py"]
    assert found([link, tree / "pkg"], tree) == ["link/c.py"]


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
