"""The classes of the project around one: what its methods use may be set by those."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.named import class_named, is_one_file


def classes_below(
    facts: Facts, owner: ast.ClassDef, in_project: bool = False
) -> list[tuple[Facts, ast.ClassDef]] | None:
    """The classes that derive from one, each with its file; None where one may be out of sight.

    Args:
        facts: the facts of the module.
        owner: a class of it.
        in_project: whether other projects that derive from it do not matter.
    """
    if facts.files is None or (facts.files.is_of_library() and not in_project):
        return None
    found: list[tuple[Facts, ast.ClassDef]] = []
    pending = [(facts, owner)]
    for home, base in pending:
        if home.files is None or home.files.mentioning(base.name) is None:
            return None
        for there in (home, *others_with(base.name, home)):
            for cls in _deriving(there, home, base):
                if (there, cls) not in pending:
                    pending.append((there, cls))
                    found.append((there, cls))
    return found


def classes_above(facts: Facts, cls: ast.ClassDef) -> list[tuple[Facts, ast.ClassDef]]:
    """A class and those that it derives from, as far as the project has them.

    Args:
        facts: the facts of the module.
        cls: a class of it.
    """
    found = [(facts, cls)]
    for there, one in found:
        named = (class_named(base, there) for base in one.bases)
        found += [each for each in named if each is not None and each not in found]
    return found


def is_redefined_below(facts: Facts, method: ast.FunctionDef) -> bool:
    """Whether a class of the project that derives from that of a method has another of its name.

    What a file without a project around it shows are its own classes.
    """
    owner = facts.parent(method)
    if not isinstance(owner, ast.ClassDef):
        return False
    if facts.files is None:
        return any(facts.classes.overriding(owner, method.name))
    below = classes_below(facts, owner)
    return below is None or any(
        method.name in {*home.names.scopes[cls].bindings, *home.classes.attribute_names(cls)}
        for home, cls in below
    )


def _deriving(there: Facts, home: Facts, base: ast.ClassDef) -> Iterator[ast.ClassDef]:
    for cls in there.names.nodes.get(ast.ClassDef, ()):
        assert isinstance(cls, ast.ClassDef)
        known = (class_named(node, there) for node in cls.bases)
        if any(one and one[1].name == base.name and is_one_file(one[0], home) for one in known):
            yield cls
