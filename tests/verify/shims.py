"""Checks of the shims run in a process of their own: patching torch here would poison the suite."""

from __future__ import annotations

import ast
import json
import os
import shutil
import sys
from functools import cache
from pathlib import Path

import pytest

import torchfix_codemods.verify.inside as inside
from tests.support.forking import Forks
from tests.support.shared import shared

CHECKS = Path(__file__).parent / "checks"

RUN = """
import json, runpy, sys, traceback
results = {}
for name, check in runpy.run_path(sys.argv[1]).items():
    if name.startswith("check_"):
        try:
            check()
            results[name] = None
        except BaseException:
            results[name] = traceback.format_exc()
json.dump(results, open(sys.argv[2], "w"))
"""


def names(file: str) -> list[str]:
    """The checks in a file, in their order."""
    tree = ast.parse((CHECKS / file).read_text())
    return [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("check_")
    ]


class Results:
    """What became of the checks of a file, which run all at once the first time one is asked."""

    def __init__(self, tmp_path_factory: pytest.TempPathFactory, forks: Forks) -> None:
        self._factory, self.forks = tmp_path_factory, forks
        self.folder = tmp_path_factory.mktemp("shims")
        shutil.copytree(Path(inside.__file__).parent, self.folder / "_torchfix_inside")
        self.of = cache(self._of)

    def _of(self, file: str) -> dict[str, str | None]:
        return shared(self._factory, f"shims-{file}", lambda: self._run(file))

    def _run(self, file: str) -> dict[str, str | None]:
        out = self.folder / f"{file}.json"
        done = self.forks.run(
            [sys.executable, "-W", "ignore", "-c", RUN, str(CHECKS / file), str(out)],
            cwd=self.folder,
            env={
                **os.environ,
                "PYTHONPATH": str(self.folder),
                "TMPDIR": str(self.folder),
                "CUDA_VISIBLE_DEVICES": "",
            },
        )
        assert done.returncode == 0, done.stderr
        return json.loads(out.read_text())

    def check(self, file: str, name: str) -> None:
        failure = self.of(file)[name]
        assert failure is None, failure
