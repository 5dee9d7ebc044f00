"""Runs `torchfix migrate` on a folder and reads its JSON report."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.processes import Finished, base_environment, run

TORCHFIX = (sys.executable, "-m", "torchfix_codemods")
REPORT_VERSION = 2
# 1 is for pending changes, and here they are written.
GOOD_EXITS = (0, 2)


class MigrationError(Exception):
    """`torchfix migrate` crashed, or its report does not keep its contract."""


@dataclass(frozen=True)
class FileError:
    """Why one file could not be processed, as the report names it."""

    path: Path
    kind: str
    line: int | None
    message: str


@dataclass(frozen=True)
class Migration:
    """What one run of `torchfix migrate` says it did. Paths are absolute."""

    files: int
    changed: frozenset[Path]
    rewrites: Mapping[str, int]
    left: Mapping[str, int]
    errors: tuple[FileError, ...]
    cpu_s: float


def migrate(folder: Path, work: Path) -> Migration:
    """Migrate `folder` in place; `work` takes whatever the run wants to keep elsewhere."""
    command = [*TORCHFIX, "migrate", str(folder), "--output-format", "json"]
    finished = run(command, cwd=work, environment=base_environment(XDG_CACHE_HOME=str(work)))
    if finished.returncode not in GOOD_EXITS or "Traceback" in finished.stderr:
        raise MigrationError(_crash_message(finished))
    try:
        migration = _read_report(json.loads(finished.stdout), work, finished.cpu_s)
    except (ValueError, KeyError, TypeError) as error:
        raise MigrationError(f"unreadable report: {error!r}") from error
    if bool(migration.errors) != (finished.returncode == 2):
        raise MigrationError(
            f"exit status {finished.returncode}, but {len(migration.errors)} files in error"
        )
    return migration


def _crash_message(finished: Finished) -> str:
    """Say how a run ended that should not have ended so."""
    last_words = finished.stderr.strip().rpartition("\n")[2] or "nothing on stderr"
    return f"exit status {finished.returncode}: {last_words}"


def _read_report(report: Mapping[str, Any], base: Path, cpu_s: float) -> Migration:
    """Turn the JSON report into a `Migration`; its relative paths start at `base`."""
    if report["version"] != REPORT_VERSION:
        raise ValueError(f"report version {report['version']}, not {REPORT_VERSION}")
    files, summary = report["files"], report["summary"]
    changed = frozenset(_absolute(file["path"], base) for file in files if file["changed"])
    errors = tuple(_read_error(file, base) for file in files if file["error"])
    if (len(changed), len(errors)) != (summary["changed"], summary["errors"]):
        raise ValueError("the summary does not count what the files say")
    return Migration(
        files=summary["files"],
        changed=changed,
        rewrites=summary["rewrites"],
        left=summary["left"],
        errors=errors,
        cpu_s=cpu_s,
    )


def _read_error(file: Mapping[str, Any], base: Path) -> FileError:
    """Read the error of one file of the report."""
    error = file["error"]
    path = _absolute(file["path"], base)
    return FileError(path, kind=error["kind"], line=error["line"], message=error["message"])


def _absolute(path: str, base: Path) -> Path:
    """Resolve a path of the report (an absolute one stays as it is)."""
    return (base / path).resolve()
