"""Which torch the other files of a program need: what shows that it ran on a newer one since."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from torchfix_codemods.facts.age.era import Version
from torchfix_codemods.facts.age.words import may_need_newer
from torchfix_codemods.project.paths import project_root

if TYPE_CHECKING:
    from torchfix_codemods.project.asked import ProjectFiles


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
        index.needs[root] = _needed_by(root, index)
    needs = index.needs[root]
    own = os.path.realpath(path)
    return max(
        (
            version
            for file, version in needs.items()
            if file != own and index.programs.may_meet(path, Path(file))
        ),
        default=None,
    )


def _needed_by(root: Path, index: ProjectFiles) -> dict[str, Version]:
    """By file, the torch that it needs, where it needs a certain one."""
    found = {}
    for file in map(os.path.realpath, index.texts.files_below(root)):
        data = index.read(file)
        if file.endswith(".py") and b"torch" in data and may_need_newer(data):
            needed = _needed(Path(file), index)
            if needed is not None:
                found[file] = needed
    return found


def _needed(path: Path, index: ProjectFiles) -> Version | None:
    facts = index.facts(path)
    if facts is None:
        return None
    versions = (facts.ages.kept.era.runs_since, facts.clues.runs_since)
    return max(filter(None, versions), default=None)
