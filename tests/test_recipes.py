"""The recipe for many repositories, run over a folder of real ones."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "docs" / "recipes" / "migrate_repositories.py"
LEGACY = "import torch.nn as nn\nloss = nn.MSELoss(size_average=False)\n"
MODERN = 'import torch.nn as nn\nloss = nn.MSELoss(reduction="sum")\n'


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    command = ["git", *identity, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Test")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "test@example.org")
    repositories = tmp_path / "repositories"
    for name, text in (("legacy", LEGACY), ("modern", MODERN), ("taken", LEGACY)):
        repository = repositories / name
        repository.mkdir(parents=True)
        git(repository, "init", "--quiet", "--initial-branch", "main")
        (repository / "train.py").write_text(text)
        (repository / "old.py").write_text("import torch\nprint 'x'\n")
        git(repository, "add", ".")
        git(repository, "commit", "--quiet", "--message", "first")
    git(repositories / "taken", "branch", "torchfix-migration")
    (repositories / "notes").mkdir()
    return repositories


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_options_of_migrate_go_to_it(folder: Path) -> None:
    ended = run(str(folder), "--branch", "new", "--py2", "--ignore", "TP301")
    assert ended.returncode == 0, ended.stderr
    assert "| legacy | new | 1 | 1 | 0 | 0 |" in ended.stdout
    assert "| 3 repositories | 3 changed, 0 failed | 3 | 3 | 0 | 0 |" in ended.stdout
    assert git(folder / "legacy", "show", "new:train.py") == LEGACY
    assert git(folder / "legacy", "show", "new:old.py") == "import torch\nprint('x')\n"


OLD = """\
import torch
from torch.autograd import Variable

loss = torch.nn.MSELoss(size_average=False)
x = Variable(torch.ones(2))
"""


def test_what_makes_it_run_is_a_commit_of_its_own(folder: Path) -> None:
    (folder / "legacy" / "train.py").write_text(OLD)
    git(folder / "legacy", "commit", "--quiet", "--all", "--message", "older")
    assert run(str(folder), "--branch", "new").returncode == 0
    subjects = git(folder / "legacy", "log", "--format=%s", "main..new").splitlines()
    assert subjects == ["Write it as current PyTorch", "Make it run on current PyTorch"]
    first = git(folder / "legacy", "show", "new~1:train.py")
    assert first == OLD.replace("size_average=False", 'reduction="sum"')
    last = git(folder / "legacy", "show", "new:train.py")
    assert last == 'import torch\n\nloss = torch.nn.MSELoss(reduction="sum")\nx = torch.ones(2)\n'


@pytest.mark.parametrize(
    ("option", "subject"),
    [
        ("--needed", "Make it run on current PyTorch"),
        ("--no-needed", "Write it as current PyTorch"),
    ],
)
def test_one_commit_where_that_is_asked_for(folder: Path, option: str, subject: str) -> None:
    (folder / "legacy" / "train.py").write_text(OLD)
    git(folder / "legacy", "commit", "--quiet", "--all", "--message", "older")
    run(str(folder), "--branch", "new", option)
    assert git(folder / "legacy", "log", "--format=%s", "main..new").splitlines() == [subject]


def test_a_repository_that_fails_keeps_no_branch(folder: Path) -> None:
    ended = run(str(folder), "--branch", "new", "--selct", "TP301")
    assert ended.returncode == 2
    assert "| legacy | failed: " in ended.stdout and "No such option" in ended.stdout
    assert "new" not in git(folder / "legacy", "branch", "--list")


def test_a_folder_without_repositories_is_an_error(folder: Path) -> None:
    ended = run(str(folder / "notes"))
    assert ended.returncode == 2
    assert "there is no git repository in" in ended.stderr


def test_files_that_cannot_be_read_are_something_to_do(folder: Path) -> None:
    ended = run(str(folder), "--branch", "new", "--no-py2")
    assert "| modern | nothing rewritten, see its errors | 0 | 0 | 0 | 1 |" in ended.stdout


def test_each_repository_gets_a_branch(folder: Path, tmp_path: Path) -> None:
    # What is not committed is nobody's business.
    (folder / "legacy" / "train.py").write_text("mine = 1\n")
    reports = tmp_path / "reports"
    command = [sys.executable, str(SCRIPT), str(folder), "--jobs", "2", "--reports", str(reports)]
    command.append("--no-py2")
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2, ended.stderr
    legacy, modern, taken = json.loads((reports / "summary.json").read_text())
    assert (legacy["branch"], legacy["files"], legacy["rewrites"]) == ("torchfix-migration", 1, 1)
    assert legacy["errors"] == 1
    assert (modern["branch"], modern["files"]) == ("", 0)
    assert "already exists" in taken["failure"]

    repository = folder / "legacy"
    assert git(repository, "show", "torchfix-migration:train.py") == MODERN
    assert (repository / "train.py").read_text() == "mine = 1\n"
    assert git(repository, "rev-parse", "--abbrev-ref", "HEAD").strip() == "main"
    assert git(repository, "log", "--oneline", "main..torchfix-migration").count("\n") == 1
    assert "torchfix-migration" not in git(folder / "modern", "branch", "--list")
    assert git(repository, "worktree", "list").count("\n") == 1
    assert {path.name for path in reports.iterdir()} >= {"summary.json", "summary.md"}
    assert "| legacy | torchfix-migration | 1 | 1 |" in (reports / "summary.md").read_text()
