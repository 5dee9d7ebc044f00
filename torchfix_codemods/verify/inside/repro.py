"""Shows where the program in this folder computes something else after its rewrite.

``python repro.py`` runs ``before/`` and ``after/`` up to the first event that differs and prints
it; it ends with 1 where they differ, and with 0 where they do not. It needs torch, nothing else.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))


def main() -> int:
    """Run both versions, and return the exit status."""
    with open(os.path.join(HERE, "bundle.json"), encoding="utf-8") as file:
        bundle = json.load(file)
    print("command:", bundle["command"])
    print("changed:", ", ".join(bundle["lines"]))
    work = os.path.realpath(tempfile.mkdtemp(prefix="torchfix-repro-"))
    try:
        told = [_told(bundle, side, work) for side in ("before", "after")]
    finally:
        shutil.rmtree(work, ignore_errors=True)
    for side, (event, _) in zip(("before", "after"), told):
        print(side + ":", json.dumps(event)[:1000])
    apart = told[1][1].get("apart")
    if apart:
        print("first differing tensor:", json.dumps(apart))
    one, other = ({k: v for k, v in event.items() if k not in _UNEQUAL} for event, _ in told)
    print("the same" if one == other else "DIFFERENT")
    return int(one != other)


#: What tells of a place, not of numbers.
_UNEQUAL = ("at", "rng", "input")


def _told(bundle: dict[str, Any], side: str, work: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The event that is asked for, and what the run says at its end."""
    tree, folder = os.path.join(work, bundle["project"]), os.path.join(work, side)
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(os.path.join(HERE, side), tree, symlinks=True)
    os.mkdir(folder)
    scratch = os.path.join(work, "tmp")
    shutil.rmtree(scratch, ignore_errors=True)
    os.mkdir(scratch)
    text = json.dumps(bundle["jobs"][side]).replace(bundle["tree"], tree)
    job = dict(json.loads(text), folder=folder, output=os.path.join(work, "output"), base="")
    job["inputs"] = [os.path.join(HERE, name) for name in job["inputs"]]
    job["writable"] = ["/dev", "/proc", tempfile.gettempdir()]
    job["protected"] = ["/"]
    job["capture"] = {"event": bundle["events"][side]}
    tensors = os.path.join(work, "tensors.pt")
    job["capture"]["keep" if side == "before" else "against"] = tensors
    described = os.path.join(work, "job.json")
    with open(described, "w", encoding="utf-8") as file:
        json.dump(job, file)
    job["environment"] = {"TORCHFIX_JOB": described}
    environment = dict(os.environ)
    environment.update(bundle["environment"])
    paths = [os.path.join(HERE, "lib"), *bundle["paths"]]
    environment.update(PYTHONPATH=os.pathsep.join(paths).replace(bundle["tree"], tree))
    environment.update(TMPDIR=scratch)
    with subprocess.Popen(
        [sys.executable, "-m", "_torchfix_inside.serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=work,
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        server.stdout.readline()
        server.stdin.write(json.dumps(job) + "\n")
        server.stdin.flush()
        # Whoever closes the pipe before the answer comes wants no run any more.
        server.stdout.readline()
    with open(os.path.join(folder, "main.jsonl"), encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    events = [line for line in lines if "kind" in line and "thread" not in line]
    return events[bundle["events"][side]], lines[-1]


if __name__ == "__main__":
    sys.exit(main())
