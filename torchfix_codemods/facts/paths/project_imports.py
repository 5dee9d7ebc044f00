"""What a file takes from the other files of its project, and whether it takes anything."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation.elsewhere import module_of
from torchfix_codemods.facts.evaluation.parameters import CALLED_BY_OTHER_NAMES
from torchfix_codemods.facts.language.branches import is_of_program_alone
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.callers import others_with

#: What finds an object by a text.
_LOOKUPS = ("getattr", "globals", "eval", "import_module")
#: Imports are followed through so many files.
_MOST_FOLLOWED = 40


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


def function_offered(facts: Facts, name: ast.Name) -> tuple[Facts, ast.FunctionDef] | None:
    """The one function of that name which ``from .ops import *`` offers, and its file.

    A library that is taken whole beside it may have another one: good for what is said, not for
    what is rewritten.
    """
    if facts.files is None or facts.names.scope_of(name).lookup(name.id) is not None:
        return None
    found = [
        (there, binding.node)
        for star in facts.names.unknown_star_imports
        if (there := facts_of(facts.files.module(module_of(star)))) is not None
        for binding in there.names.module.bindings.get(name.id, ())
    ]
    if len(found) != 1:
        return None
    home, function = found[0]
    if not isinstance(function, ast.FunctionDef) or home.classes.is_wrapped(function):
        return None
    return home, function


def with_imported(facts: Facts) -> Iterator[Facts]:
    """A file, and the files of the project that it imports, they in turn, and so on."""
    pending, seen = [facts], set[object]()
    while pending and len(seen) < _MOST_FOLLOWED:
        each = pending.pop(0)
        path = each.files.path if each.files is not None else None
        if path not in seen:
            seen.add(path)
            yield each
            pending += _imported(each)


def importers(facts: Facts, word: str) -> Iterator[Facts]:
    """The files of the project that import one, by themselves or by way of others.

    Args:
        facts: the facts of the file.
        word: what a file has to hold to be of any matter.
    """
    path = None if facts.files is None else facts.files.path
    for there in others_with(word, facts) if facts.is_imported_elsewhere else ():
        files = (each.files for each in with_imported(there))
        if any(file is not None and file.path == path for file in files):
            yield there


def may_run_for(there: Facts, node: ast.AST, facts: Facts) -> bool:
    """Whether a place may run for a file that imports its own.

    That is where the file, or one that it imports, names the function around the place or what
    uses that in its own file, as far as names tell; or where it looks anything up by a text.

    Args:
        there: the facts of the file that imports.
        node: the place.
        facts: the facts of the file that it stands in.
    """
    names = _names_for(node, facts)
    own = None if facts.files is None else facts.files.path
    return names is None or any(
        any(map(functools.partial(_names, each), names))
        for each in with_imported(there)
        if each.files is not None and each.files.path != own
    )


def _names_for(node: ast.AST, facts: Facts) -> set[str] | None:
    """The names by which others may run a place; None where to import its file does so.

    What runs where the file is the program is run by no others.
    """
    names = set[str]()
    pending = [node]
    for each in pending:
        name = _name_around(each, facts)
        if name is None and is_of_program_alone(facts.names, each):
            continue
        if name is None:
            return None
        if name not in names:
            names.add(name)
            pending += facts.names.attributes(name)
            pending += (u for s in facts.names.scopes_using(name) for u in s.uses[name])
    return names


def _name_around(node: ast.AST, facts: Facts) -> str | None:
    """The name of the function or class in which something stands: a module is called as such."""
    found = None
    for above in facts.names.ancestors(node):
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found = above
        elif isinstance(above, ast.ClassDef):
            is_by_class = found is None or found.name.startswith("__")
            if is_by_class or (found is not None and found.name in CALLED_BY_OTHER_NAMES):
                return above.name
            break
    return None if found is None else found.name


def _names(facts: Facts, name: str) -> bool:
    """Whether a file reads a name, under another one as well, or looks up whatever it is told."""
    names = facts.names
    called = {name, *(binding.name for binding in names.imports(name))}
    return (
        any(map(names.scopes_using, (*called, *_LOOKUPS)))
        or bool(names.attributes(name) or names.attributes("__dict__"))
        or bool(names.texts(name))
    )


def _imported(facts: Facts) -> Iterator[Facts]:
    files, nodes = facts.files, facts.names.nodes
    for node in (*nodes.get(ast.ImportFrom, ()), *nodes.get(ast.Import, ())):
        if files is None or not isinstance(node, (ast.Import, ast.ImportFrom)):
            return
        names = [alias.name for alias in node.names]
        found = [files.module(name) for name in names]
        if isinstance(node, ast.ImportFrom):
            module = files.module("." * node.level + (node.module or ""))
            found = [module, *(module.submodule(name) for name in names if module is not None)]
        yield from (there for file in found if (there := facts_of(file)) is not None)
