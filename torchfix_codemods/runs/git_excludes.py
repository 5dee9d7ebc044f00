"""What git hides besides ``.gitignore`` files: in a checkout, and for a user."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def git_excludes(root: Path) -> list[list[str]]:
    """The lines of the user's ``core.excludesFile``, and of ``info/exclude`` of a checkout.

    Args:
        root: the checkout; patterns are relative to it.

    Returns:
        the lines of each file, what counts less first; none of what cannot be read.
    """
    named = _git(root, "config", "--type=path", "--get", "core.excludesFile")
    if named is None:
        home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
        named = os.path.join(home, "git", "ignore")
    own = str(root / ".git" / "info" / "exclude")
    if os.path.isfile(root / ".git"):
        # A worktree or a submodule: its folder of git is elsewhere.
        own = _git(root, "rev-parse", "--git-path", "info/exclude") or own
    return [lines for name in (named, own) if any(lines := _lines(root / name))]


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text("utf-8", errors="replace").split("\n")
    except OSError:
        return []
    # Git puts comments into every checkout, and patterns take their time.
    return [line for line in lines if not line.startswith("#")]


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=False)
    except OSError:
        return None
    return os.fsdecode(done.stdout).removesuffix("\n") or None
