"""Programs of 2017, exactly as they were, give with the shims what they gave on torch 1.0.0."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[2] / "fixtures"
RECORDED = json.loads((FIXTURES / "recorded" / "programs.json").read_text("utf-8"))["programs"]

#: Not even Python today, because of `async=`.
IMPOSSIBLE = {"detection_trainer.py"}

#: What stays wrong: the element of a vector is a tensor, and as a dict key one of its own.
WRONG = {"predict.py": {"confusion_cells"}}

RUN = """
import json, runpy, sys
from _torchfix_inside.shims import cuda, legacy
program = sys.argv[1]
cuda.install()
legacy.install(lambda file: file == program)
sys.argv = sys.argv[1:]
results = runpy.run_path(program, run_name="__main__")["RESULTS"]
print("RESULTS" + json.dumps({key: float(value) for key, value in results.items()}))
"""


@pytest.mark.parametrize("name", sorted(RECORDED.keys() - IMPOSSIBLE))
def test_numbers_of_torch_1_0(name, results):
    recorded = RECORDED[name]["default"]
    program = str(FIXTURES / "programs" / name)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RUN, program, *recorded.get("argv", [])],
        cwd=results.folder,
        env={**os.environ, "PYTHONPATH": str(results.folder), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.rpartition("RESULTS")[2])
    expected = {k: v for k, v in recorded["results"].items() if k not in WRONG.get(name, ())}
    assert {k: found[k] for k in expected} == pytest.approx(expected, rel=1e-4, abs=1e-6)
