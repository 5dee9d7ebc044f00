"""What a file, and the files that it works with, speak of."""

from __future__ import annotations

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.project_imports import with_imported


def speaks_of(words: str, facts: Facts) -> bool:
    """Whether this file has one of some words, ``.pad(`` as it stands, or another its name.

    What no file imports hands its objects on to those alone that it imports itself.
    """
    is_alone = facts.files is not None and not facts.is_imported_elsewhere
    imported = [*with_imported(facts)][1:] if is_alone else []
    for word in words.split():
        name = word.strip(".(")
        if facts.speaks_of(word) or any(each.speaks_of(name) for each in imported):
            return True
        if not is_alone and facts.is_mentioned_elsewhere(name):
            return True
    return False
