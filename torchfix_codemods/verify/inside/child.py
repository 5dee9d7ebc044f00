"""Pythons that the program starts: they are kept from the network too, and record what they do."""

from __future__ import annotations

import atexit
import importlib.machinery
import importlib.util
import json
import os
import sys
from typing import Any

from .imports import after_import
from .world import guard, made


def attach() -> None:
    """Put everything in place in a Python that was started by a program that is verified.

    Torch is waited for: whoever does without it need not pay for it.
    """
    path = os.environ.get("TORCHFIX_JOB")
    if path is None:
        return
    with open(path, encoding="utf-8") as file:
        job = json.load(file)
    job["name"] = _name(job["folder"])
    guard.install(job["protected"], [job["tree"], job["folder"], *job["writable"]])
    made.install(job["tree"], job["folder"])
    after_import("torch", lambda torch: _record(job))


def _record(job: Any) -> None:
    from . import start

    recorder, _ = start.attach(job)
    atexit.register(recorder.final)


def _name(folder: str) -> str:
    """A name that no other process of the run has."""
    number = 1
    while True:
        name = f"started.{number}"
        try:
            os.close(os.open(os.path.join(folder, name + ".taken"), os.O_CREAT | os.O_EXCL))
            return name
        except FileExistsError:
            number += 1


def read_next_sitecustomize(ours: str) -> None:
    """Read the one that ``ours`` stands in front of, if there is one."""
    folder = os.path.dirname(os.path.abspath(ours))
    paths = [path for path in sys.path if os.path.abspath(path) != folder]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", paths)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
