"""Which torch the other files of a program need: what shows that it ran on a newer one since."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from torchfix_codemods.facts.age.era import Version
from torchfix_codemods.facts.age.words import may_need
from torchfix_codemods.project.paths import project_root

if TYPE_CHECKING:
    from torchfix_codemods.project.asked import ProjectFiles

#: What a file may need of which an earlier run left a note.
_ANY: Version = (999,)


def needed_beside(path: Path, index: ProjectFiles) -> Version | None:
    """The torch that the other files of a program need, as people wrote them.

    What a run wrote itself, and left a note of, shows nothing.

    Args:
        path: a file, its path resolved.
        index: the project.

    Returns:
        the newest that any of them needs; None where they run on each.
    """
    root = project_root(path.parent)
    if root not in index.needs:
        index.needs[root] = sorted(_limits(root, index), reverse=True)
    own, newest = os.path.realpath(path), None
    for at_most, file in index.needs[root]:
        if newest is not None and at_most <= newest:
            # No other file can need more: it is not parsed.
            break
        version = None if file == own else _needed_by(file, index)
        is_newer = version is not None and (newest is None or version > newest)
        if is_newer and index.programs.may_meet(path, Path(file)):
            newest = version
    return newest


def _limits(root: Path, index: ProjectFiles) -> Iterator[tuple[Version, str]]:
    """The newest torch that each file can need, by its words, where it can need a certain one."""
    for file in {*map(os.path.realpath, index.texts.files_below(root))}:
        data = index.read(file)
        at_most = may_need(data) if file.endswith(".py") and b"torch" in data else None
        if at_most is not None:
            is_noted = index.notes is not None and index.notes.state(Path(file)) != b""
            yield _ANY if is_noted else at_most, file


def _needed_by(file: str, index: ProjectFiles) -> Version | None:
    """The torch that a file needs, where it needs a certain one."""
    if file not in index.needed:
        facts = index.facts(Path(file))
        eras = () if facts is None else (facts.ages.kept.era, facts.clues)
        index.needed[file] = max(filter(None, (era.runs_since for era in eras)), default=None)
    return index.needed[file]
