"""Folders of source files: copying them, telling what changed, and whether they compile."""

from __future__ import annotations

import difflib
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE_SUFFIXES = (".py", ".pyi", ".ipynb")

# Reads paths, one a line, and prints {path: why it does not compile}.
COMPILE_SCRIPT = """
import json, pathlib, sys
errors = {}
for path in sys.stdin.read().splitlines():
    try:
        compile(pathlib.Path(path).read_bytes(), path, "exec", dont_inherit=True)
    except Exception as error:
        errors[path] = f"{type(error).__name__}: {error}"
json.dump(errors, sys.stdout)
"""


def source_files(folder: Path, suffixes: tuple[str, ...] = SOURCE_SUFFIXES) -> Iterator[Path]:
    """Yield the source files below `folder`, in a fixed order; links are not followed."""
    for parent, folder_names, file_names in os.walk(folder):
        folder_names.sort()
        for name in sorted(file_names):
            path = Path(parent, name)
            if name.endswith(suffixes) and path.is_file() and not path.is_symlink():
                yield path


def copy_sources(folder: Path, to: Path) -> None:
    """Copy the source files below `folder`, and nothing else.

    What a folder says to its tools (excludes, ignored files) stays behind: all of it is measured.
    """
    to.mkdir(parents=True, exist_ok=True)
    for path in source_files(folder):
        target = to / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def fingerprints(folder: Path) -> dict[Path, str]:
    """Return a hash of the bytes of every source file, by its path inside `folder`."""
    return {
        path.relative_to(folder): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in source_files(folder)
    }


def differing_files(before: dict[Path, str], after: dict[Path, str]) -> list[Path]:
    """Return the paths whose fingerprints differ, with those that came or went."""
    return sorted(
        path for path in before.keys() | after.keys() if before.get(path) != after.get(path)
    )


def uncompilable(folder: Path) -> dict[Path, str]:
    """Return the modules of `folder` that this Python cannot compile, and why.

    Another process compiles: some inputs exhaust the recursion or memory of the one that tries.
    """
    paths = [str(path) for path in source_files(folder, suffixes=(".py",))]
    answer = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", COMPILE_SCRIPT],
        input="\n".join(paths),
        capture_output=True,
        text=True,
        check=True,
    )
    errors: dict[str, str] = json.loads(answer.stdout)
    return {Path(path).relative_to(folder): message for path, message in errors.items()}


def unified_diff(before: Path, after: Path) -> str:
    """Return one diff over all source files of two folders."""
    changed = differing_files(fingerprints(before), fingerprints(after))
    return "".join(line for path in changed for line in _file_diff(before, after, path))


def _file_diff(before: Path, after: Path, path: Path) -> Iterator[str]:
    """Yield the lines of the diff of one file."""
    old, new = _lines(before / path), _lines(after / path)
    for line in difflib.unified_diff(old, new, f"a/{path.as_posix()}", f"b/{path.as_posix()}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(path: Path) -> list[str]:
    r"""Return the lines of a file in any encoding, ended by \n only, as diff sees them."""
    if not path.is_file():
        return []
    text = path.read_bytes().decode("utf-8", errors="surrogateescape")
    return io.StringIO(text, newline="\n").readlines()
