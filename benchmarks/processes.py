"""Running programs and reading what they cost, and the virtual environments they run in.

POSIX only: the cost comes from `os.wait4`.
"""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.packages import REPOSITORY, cache_folder

TIMEOUT_S = 1800
# Isolated and without site-packages: the launcher has to be smaller than what it measures.
SPAWN = (sys.executable, "-I", "-S", str(REPOSITORY / "benchmarks" / "spawn.py"))


class InstallError(Exception):
    """A virtual environment could not be made or filled."""


@dataclass(frozen=True)
class Finished:
    """A program that ran: its exit status, output and cost.

    `cpu_s` is user and system time of the process and of those it waited for;
    `peak_bytes` is the largest resident size that any one of them reached, `wall_s` the time that
    passed, the launcher's few milliseconds included.
    """

    returncode: int
    stdout: str
    stderr: str
    cpu_s: float
    peak_bytes: int
    wall_s: float = math.nan


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Finished:
    """Run a program to its end and measure it; one that takes too long is killed."""
    with tempfile.TemporaryDirectory() as scratch:
        cost_file = Path(scratch) / "cost"
        start = time.monotonic()
        process = subprocess.Popen(
            [*SPAWN, str(cost_file), *map(str, command)],
            cwd=cwd,
            env=dict(environment or base_environment()),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            # A group of its own: on a time-out the program has to end with its launcher.
            start_new_session=True,
        )
        try:
            stdout, stderr = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
            stderr += f"\nkilled: not done after {timeout_s:g} s"
        wall_s = time.monotonic() - start
        cpu_s, peak_bytes = _read_cost(cost_file)
    return Finished(process.returncode, stdout, stderr, cpu_s, peak_bytes, wall_s)


def _read_cost(cost_file: Path) -> tuple[float, int]:
    """Read what the launcher wrote; a program that was killed has no cost."""
    if not cost_file.is_file():
        return math.nan, 0
    cpu_s, peak = cost_file.read_text(encoding="ascii").split()
    return float(cpu_s), int(peak) * (1 if sys.platform == "darwin" else 1024)


def base_environment(search_path: Path = REPOSITORY, **changes: str) -> dict[str, str]:
    """Return the environment for a measured program.

    It imports from `search_path` wherever it runs, hashes the same way every time, and
    may keep compiled modules: without them every run would pay for compiling them.
    """
    environment = {**os.environ, "PYTHONPATH": str(search_path), "PYTHONHASHSEED": "0"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment | changes


def virtual_environment(
    name: str, requirements: Sequence[str], python: str = sys.executable
) -> Path:
    """Return the `bin` folder of a cached virtual environment that holds `requirements`."""
    folder = cache_folder() / "environments" / name
    stamp = folder / "installed.txt"
    wanted = "\n".join([python, *requirements])
    if not (stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted):
        shutil.rmtree(folder, ignore_errors=True)
        _checked([python, "-m", "venv", str(folder)])
        _checked([str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *requirements])
        # Written last: an environment without it was interrupted and is made again.
        stamp.write_text(wanted, encoding="utf-8")
    return folder / "bin"


def _checked(command: Sequence[str]) -> None:
    """Run an installation step, or say with which words it failed."""
    answer = subprocess.run(command, capture_output=True, text=True)
    if answer.returncode != 0:
        last_words = answer.stderr.strip().rpartition("\n")[2]
        raise InstallError(f"{' '.join(command)}: {last_words}")
