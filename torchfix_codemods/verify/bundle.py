"""A failure to take along: both versions, the command, and a script that shows the difference."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from torchfix_codemods.verify.comparing.compare import Difference
from torchfix_codemods.verify.runs import INSIDE, Runner
from torchfix_codemods.verify.trees import Overrides


def write_bundle(
    folder: Path,
    runner: Runner,
    sides: Sequence[tuple[Overrides, Sequence[str]]],
    difference: Difference,
    lines: Sequence[str],
) -> None:
    """Write ``before/``, ``after/``, ``lib/``, ``bundle.json`` and ``repro.py``.

    Args:
        folder: where to; what is in there is kept, but for these.
        runner: ran both versions.
        sides: of the version before and the one after: its files, and the stand-ins it runs with.
        difference: the first event in which they differ, of the main process.
        lines: what was changed, as ``file:line``.

    Raises:
        OSError: it cannot be written.
    """
    assert difference.before is not None and difference.after is not None
    folder.mkdir(parents=True, exist_ok=True)
    jobs = {}
    for name, (overrides, shims) in zip(("before", "after"), sides, strict=True):
        shutil.rmtree(folder / name, ignore_errors=True)
        shutil.copytree(runner.trees.fresh(overrides), folder / name)
        inputs = list(runner.settings.get("inputs", ()))
        jobs[name] = runner.job(runner.trees.tree, {}, shims=list(shims), inputs=inputs)
    inside = Path(__file__).with_name("inside")
    library = folder / "lib"
    shutil.rmtree(library, ignore_errors=True)
    shutil.copytree(inside, library / INSIDE, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(inside / "sitecustomize.py", library / "sitecustomize.py")
    shutil.copy(inside / "repro.py", folder / "repro.py")
    for number, file in enumerate(runner.settings.get("inputs", ())):
        shutil.copy(file, folder / f"inputs.{number}")
        for job in jobs.values():
            job["inputs"][number] = f"inputs.{number}"
    environment, paths = runner.own_environment()
    described = {
        "command": str(runner.command),
        "lines": list(lines),
        "project": runner.trees.tree.name,
        "tree": str(runner.trees.tree),
        "events": {"before": difference.before["n"], "after": difference.after["n"]},
        "versions": runner.versions,
        "jobs": jobs,
        "environment": environment,
        "paths": paths,
    }
    (folder / "bundle.json").write_text(json.dumps(described, indent=1), encoding="utf-8")
