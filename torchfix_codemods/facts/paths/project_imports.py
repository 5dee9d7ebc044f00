"""Whether a file takes anything from the other files of its project."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.elsewhere import module_of
from torchfix_codemods.facts.module import Facts


def takes_from_project(facts: Facts) -> bool:
    """Whether a file imports another one of its project, wherever in the file that stands."""
    return facts.remembered("takes from project", lambda: _takes_from_project(facts))


def may_meet(facts: Facts, *words: str) -> bool:
    """Whether a file imports another one of its project, some file of which holds one of the words.

    To look through a project takes longer than to look for imports, which is done first.
    """
    return takes_from_project(facts) and any(map(facts.is_mentioned_elsewhere, words))


def _takes_from_project(facts: Facts) -> bool:
    files, nodes = facts.files, facts.names.nodes
    if files is None:
        return False
    froms = (n for n in nodes.get(ast.ImportFrom, ()) if isinstance(n, ast.ImportFrom))
    plain = (n for n in nodes.get(ast.Import, ()) if isinstance(n, ast.Import))
    imported = (*map(module_of, froms), *(alias.name for node in plain for alias in node.names))
    # Of ``import package.module`` the package may be there where the module is not.
    names = (name if name.startswith(".") else name.partition(".")[0] for name in imported)
    return any(files.module(name) is not None for name in names)
