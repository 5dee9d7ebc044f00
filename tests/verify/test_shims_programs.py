"""Programs of 2017, exactly as they were, give with the shims what they gave on torch 1.0.0."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.support.shared import shared
from tests.verify.shims import Results

FIXTURES = Path(__file__).parents[2] / "fixtures"
RECORDED = json.loads((FIXTURES / "recorded" / "programs.json").read_text("utf-8"))["programs"]

#: Not even Python today, because of `async=`.
IMPOSSIBLE = {"detection_trainer.py"}

#: What stays wrong: the element of a vector is a tensor, and as a dict key one of its own.
WRONG = {"predict.py": {"confusion_cells"}}

#: Each program in a process of its own, which torch was imported for before.
RUN = """
import json, os, runpy, sys, traceback
from _torchfix_inside.shims import cuda, legacy

results = {}
for program, arguments in json.loads(sys.argv[1]).items():
    out, into = os.pipe()
    if os.fork() == 0:
        try:
            cuda.install()
            legacy.install(lambda file: file == program)
            sys.argv = [program, *arguments]
            found = runpy.run_path(program, run_name="__main__")["RESULTS"]
            told = {key: float(value) for key, value in found.items()}
        except BaseException:
            told = traceback.format_exc()
        os.write(into, json.dumps(told).encode())
        os._exit(0)
    os.close(into)
    with os.fdopen(out) as pipe:
        results[program] = json.load(pipe)
    os.wait()
print("RESULTS" + json.dumps(results))
"""


def _run(results: Results) -> dict[str, dict[str, float] | str]:
    """What each program gives, by path; or how it fails."""
    programs = {
        str(FIXTURES / "programs" / name): recorded["default"].get("argv", [])
        for name, recorded in RECORDED.items()
        if name not in IMPOSSIBLE
    }
    done = results.forks.run(
        [sys.executable, "-W", "ignore", "-c", RUN, json.dumps(programs)],
        cwd=results.folder,
        env={**os.environ, "PYTHONPATH": str(results.folder), "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.rpartition("RESULTS")[2])


@pytest.mark.parametrize("name", sorted(RECORDED.keys() - IMPOSSIBLE))
def test_numbers_of_torch_1_0(
    name: str, results: Results, tmp_path_factory: pytest.TempPathFactory
) -> None:
    recorded = RECORDED[name]["default"]["results"]
    given = shared(tmp_path_factory, "shims-programs", lambda: _run(results))
    found = given[str(FIXTURES / "programs" / name)]
    assert isinstance(found, dict), found
    expected = {k: v for k, v in recorded.items() if k not in WRONG.get(name, ())}
    assert {k: found[k] for k in expected} == pytest.approx(expected, rel=1e-4, abs=1e-6)
