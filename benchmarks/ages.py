"""Whether a second run, or a run in two halves, tells what one run tells: nothing is forgotten.

    python -m benchmarks.ages FOLDER...

Each folder is copied, with its git history. ``lost`` are places that were left for a person and are
no longer told, though nobody touched them.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from torchfix_codemods.rules import all_rules
from torchfix_codemods.runs.discovery import python_files
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings

Left = Counter[tuple[str, str]]


def migrated(folder: Path, settings: Settings) -> Left:
    """Migrate a folder in place; the rules and files of what is left for a person."""
    paths = list(python_files([folder], folder, (), (".py",)))
    found: Left = Counter()
    for result in migrate_files(paths, settings, write=True):
        name = str(Path(result.path).relative_to(folder))
        found.update((name, f.code) for f in result.findings if not f.fixed)
        found.update((name, error.kind) for error in result.errors)
    return found


def in_stages(source: Path, stages: Sequence[Sequence[str]]) -> tuple[list[Left], dict[str, bytes]]:
    """Migrate a copy of a folder by some rules after others.

    Args:
        source: the folder.
        stages: the codes of the rules of each run; none stand for all.

    Returns:
        what each run left, and the files at the end.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "cache").parent / source.name
        shutil.copytree(source, folder, symlinks=True)
        cache = Path(name, ".cache")
        left = [
            migrated(folder, Settings(root=folder, cache_dir=cache, select=tuple(codes)))
            for codes in stages
        ]
        files = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*.py")}
    return left, files


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    codes = [rule.code for rule in all_rules()]
    # Without TP204 nobody can read a file with async= in it.
    halves = ["TP204", *codes[::2]], ["TP204", *codes[1::2]]
    total: Counter[str] = Counter()
    for folder in parser.parse_args().folders:
        (first, second), one = in_stages(folder, [(), ()])
        total.update(left=first.total(), again=(first - second).total())
        row = [f"left {first.total()}", f"lost by a second run {(first - second).total()}"]
        lost = first - second
        for order in (halves, halves[::-1]):
            (*_, last), files = in_stages(folder, [*order, ()])
            other = sum(one[file] != data for file, data in files.items())
            row.append(f"lost by halves {(first - last).total()}, other bytes in {other} files")
            total.update(halves=(first - last).total(), bytes=other)
            lost |= first - last
        print(f"{folder.name}: {'; '.join(row)}", flush=True)
        for (file, code), count in sorted(lost.items()):
            print(f"    {file}: {code} {count}")
    print(dict(total))


if __name__ == "__main__":
    main()
