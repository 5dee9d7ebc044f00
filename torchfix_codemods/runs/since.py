"""Which files changed since a revision of git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path


class SinceError(Exception):
    """What changed cannot be told; the message says why."""


def changed_since(revision: str, paths: Iterable[Path]) -> frozenset[str]:
    """The real paths of the files that differ from a revision, or that git does not know yet.

    Args:
        revision: anything that git understands as one commit.
        paths: files and folders; each may be in a repository of its own.

    Raises:
        SinceError: one is in no repository, or its repository does not know the revision.
    """
    roots = dict.fromkeys(_root(path) for path in paths)
    return frozenset(path for root in roots for path in _changed(revision, root))


def _root(path: Path) -> str:
    folder = path if os.path.isdir(path) else path.parent
    result = _git(folder, "rev-parse", "--show-toplevel")
    if result is None:
        raise SinceError(f"{path} is not in a git repository")
    return result.removesuffix("\n")


def _changed(revision: str, root: str) -> Iterator[str]:
    verified = _git(root, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    if verified is None:
        raise SinceError(f"git knows no revision {revision} in {root}")
    # As it is in the folder, committed or not.
    tracked = _git(root, "diff", "--name-only", "-z", "--diff-filter=d", verified.strip(), "--")
    untracked = _git(root, "ls-files", "--others", "--exclude-standard", "-z")
    if tracked is None or untracked is None:
        raise SinceError(f"git cannot tell what changed in {root}")
    for name in (tracked + untracked).split("\0"):
        path = os.path.join(root, name)
        if not name:
            continue
        if not os.path.islink(path) and os.path.exists(os.path.join(path, ".git")):
            yield from _changed_below(path, f"{verified.strip()}:{name}", root)
        else:
            yield os.path.realpath(path)


def _changed_below(folder: str, recorded: str, root: str) -> Iterator[str]:
    """What changed in a repository inside of another one: a submodule, or one that it ignores.

    Args:
        folder: the inner repository.
        recorded: what the outer one has in its place, at the revision.
        root: the outer repository.
    """
    found = _git(root, "rev-parse", "--verify", "--end-of-options", recorded.rstrip("/"))
    commit = "" if found is None else found.strip()
    if commit and _git(folder, "cat-file", "-e", f"{commit}^{{commit}}") is not None:
        yield from _changed(commit, folder)
        return
    # Nothing says what its files were: all of them are new.
    files = _git(folder, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    for name in (files or "").split("\0"):
        if name:
            yield os.path.realpath(os.path.join(folder, name))


def _git(folder: str | Path, *arguments: str) -> str | None:
    """What git prints; None where it fails."""
    try:
        result = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise SinceError("git is not installed") from error
    return os.fsdecode(result.stdout) if result.returncode == 0 else None
