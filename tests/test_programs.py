"""Whole programs of 2017: after all rules together they give what they gave on torch 1.0.0."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.support.forking import Forks
from tests.support.rules import migrate
from torchfix_codemods.engine.migrate import Options
from torchfix_codemods.finding import NEEDED, Reason
from torchfix_codemods.report.diff import unified_diff

FIXTURES = Path(__file__).parents[1] / "fixtures"
PROGRAMS = sorted((FIXTURES / "programs").glob("*.py"))
RECORDED = json.loads((FIXTURES / "recorded" / "programs.json").read_text("utf-8"))["programs"]

#: A script is imported by nobody.
SCRIPT = Options(imported_elsewhere=lambda: False)

#: The recorded run that a migrated program equals, where it is not the program's own.
RECORDED_RUN = {"predict": "with_eval"}

#: What a program still fails on after this release's rules, by program.
BEYOND = {"actor_critic": "torch.cat of 0-dim losses fails since 0.4, and no rule rewrites it yet"}

#: Results that a program still gets wrong, and why.
WRONG = {"predict": {"confusion_cells": "a 0-dim tensor is a dict key of its own"}}

RUNNER = """
import json, runpy, sys
sys.argv = sys.argv[1:]
results = runpy.run_path(sys.argv[0], run_name="__main__")["RESULTS"]
print("RESULTS" + json.dumps({key: float(value) for key, value in results.items()}))
"""

#: The same on a machine that has a GPU, as far as the program can tell.
WITH_GPU = f"""
from tests.support.claims import cuda_on_cpu
with cuda_on_cpu():
{textwrap.indent(RUNNER.strip(), "    ")}
"""

PARAMETERS = [pytest.param(path, id=path.stem) for path in PROGRAMS]


def run(
    forks: Forks, path: Path, arguments: list[str], folder: Path, runner: str = RUNNER
) -> dict[str, float]:
    """Run a program as a user would, its checkpoints in a folder, and return its ``RESULTS``."""
    done = forks.run(
        [sys.executable, "-W", "ignore", "-c", runner, str(path), *arguments],
        cwd=FIXTURES.parent,
        env={**os.environ, "OMP_NUM_THREADS": "1", "TMPDIR": str(folder)},
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, float] = json.loads(done.stdout.rpartition("RESULTS")[2])
    return found


@pytest.mark.parametrize("path", PARAMETERS)
def test_diff(path: Path, snapshot: SnapshotAssertion) -> None:
    text = path.read_text("utf-8")
    migration = migrate(text, options=SCRIPT)
    assert unified_diff(path.name, text, migration.text, migration.findings) == snapshot


@pytest.mark.parametrize("reasons", [frozenset(Reason), NEEDED], ids=["all", "needed"])
@pytest.mark.parametrize("path", PARAMETERS)
def test_gives_the_numbers_of_torch_1_0(
    forks: Forks, path: Path, reasons: frozenset[Reason], tmp_path: Path
) -> None:
    if path.stem in BEYOND:
        pytest.skip(BEYOND[path.stem])
    migrated = tmp_path / path.name
    options = replace(SCRIPT, reasons=reasons)
    migrated.write_text(migrate(path.read_text("utf-8"), options=options).text, "utf-8")
    runs: dict[str, Any] = RECORDED[path.name]
    old = runs[RECORDED_RUN.get(path.stem, "default")]
    # What asks for a GPU works unchanged where there is one.
    runner = WITH_GPU if reasons == NEEDED else RUNNER
    new = run(forks, migrated, runs["default"].get("argv", []), tmp_path, runner)
    wrong = WRONG.get(path.stem, {})
    expected = {key: value for key, value in old["results"].items() if key not in wrong}
    found = {key: value for key, value in new.items() if key not in wrong}
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("path", PARAMETERS)
def test_does_not_run_as_it_is(forks: Forks, path: Path, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        run(forks, path, RECORDED[path.name]["default"].get("argv", []), tmp_path)
