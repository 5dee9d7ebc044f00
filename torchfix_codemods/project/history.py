"""When the lines of a file were written, as git tells it."""

from __future__ import annotations

import functools
import os
import subprocess
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path

from torchfix_codemods.facts.age.era import Version
from torchfix_codemods.facts.language.text_lines import carried, lines_of
from torchfix_codemods.project.paths import project_root

#: When releases of torch came out: https://github.com/pytorch/pytorch/releases. What is newer than
#: the last of them changes no decision; what is older than the first ran on it as well, as a rule.
_RELEASES: tuple[tuple[str, Version], ...] = (
    ("2017-12-05", (0, 3)),
    ("2018-04-24", (0, 4)),
    ("2018-12-07", (1, 0)),
    ("2019-05-01", (1, 1)),
    ("2019-08-08", (1, 2)),
    ("2019-10-10", (1, 3)),
    ("2020-01-15", (1, 4)),
    ("2020-04-21", (1, 5)),
    ("2020-07-28", (1, 6)),
    ("2020-10-27", (1, 7)),
    ("2021-03-04", (1, 8)),
    ("2021-06-15", (1, 9)),
    ("2021-10-21", (1, 10)),
    ("2022-03-10", (1, 11)),
    ("2022-06-28", (1, 12)),
    ("2022-10-28", (1, 13)),
    ("2023-03-15", (2, 0)),
)

#: Before a release, some run what will be in it.
_AHEAD = timedelta(days=60)

#: Torch was not there before: a clock was wrong, or the line comes from another program.
_FIRST = "2016-08-01"


def last_release(seconds: int) -> Version | None:
    """The last torch that code of a certain time can have been written for.

    Args:
        seconds: since 1970, in UTC.

    Returns:
        the version; None where the time says nothing.
    """
    return _last_release(seconds // 86_400)


@functools.cache
def _last_release(days: int) -> Version | None:
    day = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(days=days)
    if day < _at(_FIRST) or day >= _at(_RELEASES[-1][0]) - _AHEAD:
        return None
    known = [version for date, version in _RELEASES if _at(date) - _AHEAD <= day]
    return known[-1] if known else _RELEASES[0][1]


def _at(date: str) -> datetime:
    return datetime.fromisoformat(date).replace(tzinfo=timezone.utc)


@functools.lru_cache(maxsize=64)
def written_for(path: Path, text: str) -> Mapping[int, Version]:
    """By line (from 1), the last torch that there was when it was written.

    Lines that are not committed are as old as those that they replace.

    Args:
        path: the file.
        text: its lines as they are.

    Returns:
        nothing for lines of which git cannot tell.
    """
    if not os.path.exists(project_root(path.parent) / ".git"):
        return {}
    committed = [*_blamed(path)]
    lines = [line.strip() for line in lines_of(text)]
    ages: list[int | None] = []
    for is_same, old, new in carried([line for line, _ in committed], lines):
        before = [age for _, age in committed[old.start : old.stop]]
        ages += before if is_same else [max(before, default=None)] * len(new)
    found = ((n, last_release(age)) for n, age in enumerate(ages, 1) if age is not None)
    return {n: version for n, version in found if version is not None}


def _blamed(path: Path) -> Iterator[tuple[str, int]]:
    """The lines of a file in the last commit, and when each was written, in seconds since 1970."""
    command = ["git", "blame", "--porcelain", "-w", "HEAD", "--", path.name]
    try:
        result = subprocess.run(command, cwd=path.parent, capture_output=True, check=False)
    except OSError:
        return
    if result.returncode:
        return
    times: dict[bytes, int] = {}
    commit = b""
    is_head = True
    for line in result.stdout.split(b"\n"):
        if line.startswith(b"\t"):
            yield line[1:].decode("utf-8", "replace").strip(), times.get(commit, 0)
            is_head = True
        elif is_head:
            commit = line.partition(b" ")[0]
            is_head = False
        elif line.startswith(b"author-time "):
            times[commit] = int(line.split()[1])


def head(root: Path) -> str:
    """The commit that a checkout is at; empty where there is none."""
    if not os.path.exists(root / ".git"):
        return ""
    try:
        result = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, check=False
        )
    except OSError:
        return ""
    return "" if result.returncode else os.fsdecode(result.stdout).strip()
