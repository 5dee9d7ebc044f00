from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from torchfix_codemods.cli.commands import main

LEGACY = "import torch.nn as nn\nloss = nn.MSELoss(size_average=False)\n"


def run(*args: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, list(args), input=stdin)


def git(*arguments: str, folder: Path = Path()) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files that differ from the tag ``start`` in all ways that there are."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    for name in ("same", "committed", "staged", "edited", "moved", "gone"):
        Path(f"src/{name}.py").write_text(f"# {name}\n{LEGACY}")
    Path(".gitignore").write_text("ignored.py\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "start")
    git("tag", "start")
    for name in ("committed", "staged", "edited"):
        with Path(f"src/{name}.py").open("a") as file:
            file.write("x = 1\n")
        if name == "committed":
            git("commit", "-qam", "later")
        elif name == "staged":
            git("add", "src/staged.py")
    git("mv", "src/moved.py", "src/new name ü.py")
    git("rm", "-q", "src/gone.py")
    Path("src/untracked.py").write_text(LEGACY)
    Path("src/ignored.py").write_text(LEGACY)
    return tmp_path


def rewritten(result: Result) -> set[str]:
    lines = result.stdout.splitlines()
    return {line.removeprefix("would rewrite ") for line in lines if "would rewrite" in line}


def test_only_what_changed_since_a_revision(repository: Path) -> None:
    since_start = {
        "src/committed.py",
        "src/staged.py",
        "src/edited.py",
        "src/new name ü.py",
        "src/untracked.py",
    }
    assert rewritten(run("migrate", "src", "--check", "--since", "start")) == since_start
    found = rewritten(run("migrate", "src", "--check", "--since", "HEAD"))
    assert found == since_start - {"src/committed.py"}
    assert rewritten(run("migrate", "src", "--check", "--since", "HEAD~1")) == since_start
    result = run("migrate", "src/same.py", "--check", "--since", "start")
    assert result.exit_code == 0 and "0 files" in result.stderr
    listed = run("check", "--all", "src", "--since", "start").stdout
    assert "src/edited.py:3:8" in listed and "same.py" not in listed


def test_folders_and_links_are_no_hindrance(repository: Path) -> None:
    os.chdir("src")
    found = rewritten(run("migrate", ".", "--check", "--since", "HEAD"))
    assert found == {"edited.py", "staged.py", "new name ü.py", "untracked.py"}
    os.symlink(repository / "src", repository / "link")
    found = rewritten(run("migrate", str(repository / "link"), "--check", "--since", "HEAD"))
    assert {Path(path).name for path in found} == {
        "edited.py",
        "staged.py",
        "new name ü.py",
        "untracked.py",
    }


def test_several_repositories(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "a.py").write_text(LEGACY)
    git("init", "-q", folder=other)
    git("commit", "-q", "--allow-empty", "-m", "empty", folder=other)
    found = rewritten(run("migrate", "src", str(other), "--check", "--since", "HEAD"))
    assert "src/edited.py" in found and str(other / "a.py") in found


def test_submodules_and_other_repositories_inside(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    library = tmp_path_factory.mktemp("library")
    for name in ("old", "same"):
        (library / f"{name}.py").write_text(LEGACY)
    git("init", "-q", folder=library)
    git("add", ".", folder=library)
    git("commit", "-qm", "start", folder=library)
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "library")
    git("commit", "-qam", "a library")

    def found(revision: str) -> set[str]:
        paths = rewritten(run("migrate", ".", "--check", "--since", revision))
        return {path for path in paths if not path.startswith("src/")}

    assert found("HEAD") == set()
    with Path("library/old.py").open("a") as file:
        file.write("x = 1\n")
    assert found("HEAD") == {"library/old.py"}
    git("commit", "-qam", "later", folder=Path("library"))
    assert found("HEAD") == {"library/old.py"}
    Path("library/new.py").write_text(LEGACY)
    assert found("HEAD") == {"library/old.py", "library/new.py"}
    # It was not there.
    assert found("start") == {"library/old.py", "library/same.py", "library/new.py"}
    Path("clone").mkdir()
    Path("clone/a.py").write_text(LEGACY)
    git("init", "-q", folder=Path("clone"))
    assert found("HEAD") == {"library/old.py", "library/new.py", "clone/a.py"}
    assert rewritten(run("migrate", "library", "--check", "--since", "HEAD")) == {"library/new.py"}


def test_outside_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    Path("a.py").write_text(LEGACY)
    result = run("migrate", "a.py", "--since", "HEAD")
    assert result.exit_code == 2
    assert "--since: a.py is not in a git repository" in result.stderr
    assert Path("a.py").read_text() == LEGACY


@pytest.mark.parametrize("revision", ["nowhere", "--output=x", "start:src", "HEAD~1..HEAD", ""])
def test_a_revision_that_git_does_not_know(repository: Path, revision: str) -> None:
    result = run("migrate", "src", f"--since={revision}")
    assert result.exit_code == 2
    assert f"--since: git knows no revision {revision} in {repository}" in result.stderr
    assert not Path("x").exists()
    git("diff", "--exit-code", "--", "src/same.py")


def test_without_git(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository))
    result = run("migrate", "src", "--since", "HEAD")
    assert result.exit_code == 2 and "--since: git is not installed" in result.stderr


def test_what_changed_is_migrated_with_the_whole_project_in_view(repository: Path) -> None:
    Path("src/lib.py").write_text("import torch\ndef f():\n    return torch.ones(1)\n")
    Path("setup.py").touch()
    git("add", ".")
    git("commit", "-qm", "lib")
    Path("src/user.py").write_text("from lib import f\nx = f().data\n")
    assert run("migrate", "src", "--since", "HEAD").exit_code == 0
    assert "x = f()" in Path("src/user.py").read_text()
