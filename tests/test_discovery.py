from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from torchfix_codemods.cli.commands import main
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


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def checkout(
    tree: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The tree as a checkout, of a user who has no settings of git."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    git(tree, "init", "-q")
    return tree


def test_what_a_checkout_excludes_is_hidden(checkout: Path) -> None:
    (checkout / ".git" / "info").mkdir(exist_ok=True)
    (checkout / ".git" / "info" / "exclude").write_text("a.py\n/other/gen\n")
    assert found([checkout], checkout) == ["b.pyw", "pkg/c.py"]
    assert found([checkout / "other"], checkout) == []
    # A .gitignore counts more.
    (checkout / ".gitignore").write_text("skipped/\n!a.py\n")
    assert found([checkout], checkout) == ["a.py", "b.pyw", "pkg/c.py"]


@pytest.mark.parametrize("is_named", [True, False])
def test_what_the_user_excludes_is_hidden(checkout: Path, is_named: bool) -> None:
    file = Path(os.environ["XDG_CONFIG_HOME"]) / "git" / "ignore"
    if is_named:
        file = Path(os.environ["HOME"]) / "hidden"
        git(checkout, "config", "core.excludesFile", "~/hidden")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("a.py\ngen/\n")
    assert found([checkout], checkout) == ["b.pyw", "pkg/c.py"]
    (checkout / ".git" / "info" / "exclude").write_text("!a.py\n")
    assert found([checkout], checkout) == ["a.py", "b.pyw", "pkg/c.py"]


def test_a_worktree_has_the_excludes_of_its_checkout(checkout: Path) -> None:
    (checkout / ".git" / "info").mkdir(exist_ok=True)
    (checkout / ".git" / "info" / "exclude").write_text("a.py\n")
    git(checkout, "add", "-f", "a.py", "b.pyw")
    git(checkout, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "start")
    git(checkout, "worktree", "add", "-q", "../beside")
    beside = checkout.parent / "beside"
    assert found([beside], beside) == ["b.pyw"]


def test_without_git_only_gitignore_files_count(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    assert found([checkout], checkout) == ["a.py", "b.pyw", "other/gen/e.py", "pkg/c.py"]


def test_links_that_lead_to_nothing_are_told(tree: Path) -> None:
    (tree / "lost.py").symlink_to("gone.py")
    (tree / "lost.txt").symlink_to("gone.txt")
    (tree / "same.py").symlink_to("a.py")
    (tree / "skipped" / "lost.py").symlink_to("gone.py")
    told: list[Path] = []
    assert list(python_files([tree], tree, [], dangling=told.append))
    assert told == [tree / "lost.py"]
    result = CliRunner().invoke(main, ["migrate", "--no-cache", str(tree)])
    assert f"{tree / 'lost.py'}: skipped: a link to gone.py, which is not there" in result.stderr
    assert result.exit_code == 0 and "same.py" not in result.stderr
    named = CliRunner().invoke(main, ["migrate", "--no-cache", str(tree / "lost.py")])
    assert named.exit_code == 2 and "lost.py: a link to gone.py, which is not there" in named.stderr
