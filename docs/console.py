"""Run what a page shows, and write what it prints: ``python docs/console.py docs/tutorial.md``.

In a block of the kind ``console`` a line that begins with ``$`` is a command, and those below it are
what it prints; a line ``…`` stands for any lines, and ``…`` in a line for the rest of it. A block of the kind ``diff`` is applied.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"^```(console|diff)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ANY = "…"


def executed(text: str, folder: Path) -> str:
    """A page with what its commands print now.

    Args:
        text: of the page.
        folder: an empty one, to work in; ``git clone`` finds a copy of this repository there.

    Returns:
        the text; what a command prints that fits what is shown, shortened by ``…``, stays.

    Raises:
        ValueError: a diff does not apply.
    """
    (folder / "torchfix-codemods").symlink_to(ROOT)
    shell = _Shell(folder)

    def replaced(block: re.Match[str]) -> str:
        if block[1] == "diff":
            shell.apply(block[2])
            return block[0]
        return "```console\n" + "".join(_transcript(block[2], shell)) + "```"

    return _BLOCK.sub(replaced, text)


def _transcript(block: str, shell: _Shell) -> Iterator[str]:
    for part in re.split(r"^(?=\$ )", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        printed = shell.run(command[2:])
        yield f"{command}\n{shown if fits(shown, printed) else printed}"


def fits(shown: str, printed: str) -> bool:
    """Whether a command printed what a page shows, but for times.

    Args:
        shown: by the page, shortened by ``…``.
        printed: by the command.
    """
    parts = re.split(rf"^{ANY}\n", _timeless(shown), flags=re.MULTILINE)
    pattern = r"(?:.*\n)*".join(re.escape(part).replace(ANY, ".*") for part in parts)
    return re.fullmatch(pattern, _timeless(printed)) is not None


def _timeless(text: str) -> str:
    return re.sub(r"\d+\.\d+ ?s\b", "0 s", text)


class _Shell:
    """Runs commands one after the other, each where the one before it ended."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        roles, parts = ("AUTHOR", "COMMITTER"), ("NAME", "EMAIL")
        who = {f"GIT_{role}_{part}": "you" for role in roles for part in parts}
        self._environment = {
            **os.environ,
            **who,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "TORCHFIX_CACHE_DIR": str(folder / "cache"),
            "COLUMNS": "100",
            # What is shown are runs on the CPU, also where there is a GPU.
            "CUDA_VISIBLE_DEVICES": "",
        }

    def run(self, command: str) -> str:
        """What a command prints, whatever its exit code; what would need the network is not run."""
        if command.startswith("git clone "):
            return ""
        done = self._bash(f"{{ {command}\n}} 2>&1; echo; pwd")
        text, _, place = done.stdout.rstrip("\n").rpartition("\n")
        self._folder = Path(place)
        return text.removesuffix("\n") + "\n" if text.strip() else ""

    def apply(self, patch: str) -> None:
        """Apply a diff, as a person would by hand."""
        done = self._bash("git apply -", patch)
        if done.returncode:
            raise ValueError(done.stderr)

    def _bash(self, command: str, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self._folder,
            env=self._environment,
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )


def main() -> None:
    """Run it, and rewrite the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("page", type=Path)
    page: Path = parser.parse_args().page
    with tempfile.TemporaryDirectory() as folder:
        page.write_text(executed(page.read_text("utf-8"), Path(folder)), "utf-8")


if __name__ == "__main__":
    main()
