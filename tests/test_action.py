"""The action for GitHub, and the workflows: their steps are run as the runner does, in a checkout."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
WORKFLOWS = ROOT / ".github" / "workflows"

LEGACY = "import torch.nn as nn\nloss = nn.MSELoss(size_average=False)\n"
LEFT = "import torch\n\n\ndef f(x):\n    return x.cuda()\n\n\nif use_gpu:\n    net.cuda()\n"

pytestmark = pytest.mark.skipif(
    os.name != "posix" or not (shutil.which("bash") and shutil.which("git")),
    reason="needs bash and git",
)


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A clone with two legacy files, one of them below a folder whose name has a space."""
    git(tmp_path, "init", "-q", "--bare", "there")
    git(tmp_path, "clone", "-q", "there", "here")
    here = tmp_path / "here"
    (here / "a b").mkdir()
    (here / "a b" / "old.py").write_text(LEGACY)
    (here / "left.py").write_text(LEFT)
    git(here, "add", "-A")
    git(here, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "start")
    git(here, "push", "-q", "origin", "HEAD")
    return here


class Outcome:
    """What the steps of the action did."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.status = 0
        self.log = ""

    def written(self, name: str) -> str:
        path = self.folder / name
        return path.read_text("utf-8") if path.exists() else ""


def run_action(checkout: Path, **inputs: str) -> Outcome:
    """Run the steps that are scripts, but for the installation: the tests have no network."""
    runner = checkout.parent / "runner"
    runner.mkdir()
    # The tool is the one under test.
    (runner / "bin").mkdir()
    python = runner / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    known = {name: str(each.get("default", "")) for name, each in ACTION["inputs"].items()}
    assert set(inputs) <= set(known)
    known |= inputs
    outcome = Outcome(runner)
    for step in ACTION["runs"]["steps"]:
        if "run" not in step or step.get("name") == "Install":
            continue
        if "if" in step and known["mode"] not in step["if"]:
            continue

        def filled(text: str) -> str:
            values = {f"inputs.{name}": value for name, value in known.items()}
            values["runner.temp"] = str(runner)
            return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: values[found[1]], text)

        # What comes from outside goes in by the environment alone.
        assert "${{" not in step["run"]
        own = {name: filled(value) for name, value in step["env"].items()}
        path = f"{runner / 'bin'}{os.pathsep}{os.environ['PATH']}"
        files = {"GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary"}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=checkout,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "PATH": path,
                **{name: str(runner / file) for name, file in files.items()},
                **own,
            },
            capture_output=True,
            text=True,
            check=False,
        )
        outcome.log += done.stdout + done.stderr
        outcome.status = done.returncode
        if done.returncode:
            break
    return outcome


def test_what_is_left_is_annotated_and_fails(checkout: Path) -> None:
    done = run_action(checkout)
    assert done.status == 1
    assert "::warning file=left.py,line=5,col=12,title=TP201 hard-coded-cuda::" in done.log
    assert "TP301" not in done.log
    assert done.written("output") == "status=1\n"
    assert "## torchfix report" in done.written("summary")
    assert git(checkout, "status", "--porcelain") == ""
    assert (done.folder / "torchfix-cache").is_dir()


def test_findings_need_not_fail(checkout: Path) -> None:
    done = run_action(checkout, fail="false", args="--all --select TP3")
    assert done.status == 0 and done.written("output") == "status=1\n"
    assert "::notice file=a b/old.py,line=2,title=TP301 size-average::" in done.log


def test_paths_may_have_spaces_and_are_one_a_line(checkout: Path) -> None:
    done = run_action(checkout, paths="a b/old.py\n\n", args="--all")
    assert "a b/old.py" in done.log and "left.py" not in done.log


def test_what_cannot_be_processed_always_fails(checkout: Path) -> None:
    (checkout / "broken.py").write_text("import torch\nx = = 1\n")
    done = run_action(checkout, fail="false")
    assert done.status == 2 and "::error file=broken.py" in done.log


def test_rewrites_are_committed_and_pushed(checkout: Path) -> None:
    done = run_action(checkout, mode="fix", message="Rewrite: 'old' \"code\" $HOME")
    assert done.status == 0, done.log
    assert done.written("output") == "status=0\nchanged=1\n"
    assert git(checkout.parent / "there", "log", "-1", "--format=%s%n%an").splitlines() == [
        "Rewrite: 'old' \"code\" $HOME",
        "github-actions[bot]",
    ]
    assert git(checkout, "show", "--name-only", "--format=").split("\n")[0] == "a b/old.py"


def test_where_nothing_is_rewritten_nothing_is_committed(checkout: Path) -> None:
    before = git(checkout, "rev-parse", "HEAD")
    done = run_action(checkout, mode="fix", paths="left.py")
    assert done.status == 0 and "changed=0" in done.written("output")
    assert git(checkout, "rev-parse", "HEAD") == before


def test_a_mode_that_there_is_none_of_is_named(checkout: Path) -> None:
    done = run_action(checkout, mode="both")
    assert done.status == 2 and "::error::mode is check or fix, not both" in done.log


def test_the_outputs_are_those_of_the_steps() -> None:
    steps: dict[str, Any] = {s["id"]: s for s in ACTION["runs"]["steps"] if "id" in s}
    for name, output in ACTION["outputs"].items():
        found = re.fullmatch(r"\$\{\{ steps\.(\w+)\.outputs\.(\w+) \}\}", output["value"])
        assert found is not None and found[2] == name
        assert f"{name}=" in steps[found[1]]["run"]


def test_the_pythons_that_are_claimed_are_those_that_are_tested() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    claimed = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', text)
    jobs = yaml.safe_load((WORKFLOWS / "tests.yml").read_text("utf-8"))["jobs"]
    assert jobs["tests"]["strategy"]["matrix"]["python-version"] == claimed
    assert f'requires-python = ">={claimed[0]}"' in text


def test_the_site_that_is_put_on_the_pages_is_the_one_that_is_built() -> None:
    build, publish = yaml.safe_load((WORKFLOWS / "docs.yml").read_text("utf-8"))["jobs"].values()
    command = build["steps"][-2]["run"].split()
    assert command[:1] == ["python"] and (ROOT / command[1]).is_file()
    assert build["steps"][-1]["with"]["path"] == command[2]
    assert publish["needs"] == "build" and publish["permissions"]["pages"] == "write"
