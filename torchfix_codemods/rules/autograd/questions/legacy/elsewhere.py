"""What other files of the project do with a legacy function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import ClassObject, Value


def is_needed_elsewhere(name: str, facts: Facts) -> bool:
    """Whether another file may do more with a class than to import it."""
    if not facts.is_used_elsewhere(name):
        return False
    files = None if facts.files is None else facts.files.mentioning(name)
    return files is None or any(_uses_name(facts_of(file), name) for file in files)


def _uses_name(there: Facts | None, name: str) -> bool:
    if there is None:
        return True
    return (
        bool(there.names.scopes_using(name))
        or bool(there.names.attributes(name))
        or _local_names(there, name) != {name}
    )


def _local_names(there: Facts, name: str) -> set[str]:
    """The names that a file's imports may give to what has a name elsewhere."""
    aliases = (
        alias
        for kind in (ast.Import, ast.ImportFrom)
        for node in there.names.nodes.get(kind, ())
        if isinstance(node, kind)
        for alias in node.names
    )
    return {name} | {alias.asname for alias in aliases if alias.name == name and alias.asname}


def as_begun(facts: Facts, node: ast.ClassDef) -> tuple[Facts, ast.ClassDef] | None:
    """A class as it was when the run began, with what is known of its file as it was then."""
    home = None if facts.files is None else facts_of(facts.files.as_begun())
    classes = [] if home is None else [n for n in home.tree.body if isinstance(n, ast.ClassDef)]
    same = [other for other in classes if other.name == node.name]
    return (home, same[0]) if home is not None and len(same) == 1 else None


def uses_there(there: Facts, home: Facts, node: ast.ClassDef) -> list[ast.expr] | None:
    """Where another file names a class; None where it may do so elsewhere, too."""
    uses: list[ast.expr] = []
    for use in _named(there, _local_names(there, node.name)):
        value = there.value(use)
        if isinstance(value, ClassObject):
            continue
        found = class_of(value)
        if found is None or not isinstance(use.ctx, ast.Load):
            return None
        if _is_same(found, home, node):
            uses.append(use)
    return uses


def _named(there: Facts, names: set[str]) -> Iterator[ast.Name | ast.Attribute]:
    """What a file calls by one of some names."""
    for node in there.names.nodes.get(ast.Name, ()):
        if isinstance(node, ast.Name) and node.id in names:
            yield node
    for node in there.names.nodes.get(ast.Attribute, ()):
        if isinstance(node, ast.Attribute) and node.attr in names:
            yield node


def class_of(value: Value) -> tuple[Facts, ast.ClassDef] | None:
    """The class of another file that a value is, with what is known of that file."""
    if not isinstance(value, Imported) or not isinstance(value.value, ClassObject):
        return None
    home = facts_of(value.owner)
    return None if home is None else (home, value.value.definition)


def _is_same(found: tuple[Facts, ast.ClassDef], home: Facts, node: ast.ClassDef) -> bool:
    there, other = found
    paths = {None if facts.files is None else facts.files.path for facts in (there, home)}
    return len(paths) == 1 and None not in paths and other.lineno == node.lineno
