"""What a file, and the files that it works with, speak of."""

from __future__ import annotations

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.project_imports import importers, with_imported


def speaks_of(words: str, facts: Facts) -> bool:
    """Whether this file has one of some words, ``.pad(`` as it stands, or another one has it.

    Objects get from a file to those that it imports, and to those that import it, with theirs.
    """
    around = facts.remembered("files around", lambda: _around(facts))
    for word in words.split():
        if any(each.speaks_of(word) for each in (facts, *(around or ()))):
            return True
        if around is None and facts.is_mentioned_elsewhere(word.strip(".(")):
            return True
    return False


def _around(facts: Facts) -> list[Facts] | None:
    """The other files that objects of a file may get to; None where they are not in sight."""
    if facts.files is None or facts.files.mentioning("import") is None:
        return None
    users = [facts, *importers(facts, "import")]
    return [each for user in users for each in with_imported(user) if each is not facts]
