"""Imports that fail wherever a program is run: of what the project does not have."""

from __future__ import annotations

import ast
import os
from pathlib import Path

from torchfix_codemods.facts.evaluation.elsewhere import module_of
from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.language.foreign import is_foreign
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.values.inference import Files, Inference, OtherFile

#: What may find another package in the place of the one of the project.
_SHADOWS = "sys.path.insert"
#: What may set names that no statement binds.
_SETTING = ("exec", "execfile", "globals", "locals", "vars", "setattr", "builtins", "__builtin__")

#: What changes nothing of what it is given, nor keeps it.
_READING = ("dict", "len", "list", "print", "repr", "set", "sorted", "str", "tuple")


def sets_names(names: Names) -> bool:
    """Whether a file may set names by what is no statement that binds them.

    ``Net(**vars(args))``, ``vars(args).items()`` and ``for name in vars(args)`` only read.
    """
    return any(
        not _only_reads(use, names)
        for name in _SETTING
        for scope in names.scopes_using(name)
        for use in scope.uses[name]
    )


def _only_reads(use: ast.Name, names: Names) -> bool:
    call = names.parents.get(use)
    around = None if call is None else names.parents.get(call)
    if not isinstance(call, ast.Call) or call.func is not use:
        return False
    if isinstance(around, ast.Attribute):
        return container_methods.only_reads(around.attr)
    if isinstance(around, (ast.For, ast.comprehension)):
        return around.iter is call
    if isinstance(around, ast.Subscript):
        return isinstance(around.ctx, ast.Load)
    if isinstance(around, ast.Call):
        return names.builtin(around.func) in _READING
    return isinstance(around, ast.Compare) or (
        isinstance(around, ast.keyword) and around.arg is None
    )


def fails(statement: ast.ImportFrom, inference: Inference) -> bool:
    """Whether an import takes what there is not: ``from utils import bar``.

    That is a name that the file does not bind, anything of a file in which such an import stands,
    and anything of a module that only has another name: there is ``engines``, and no ``engine``.

    A folder that is a package is run from elsewhere, where Python 3 may find another file.

    Args:
        statement: the import.
        inference: the values of the file that it stands in.
    """
    return _fails(statement, inference, set())


def is_lacking(node: ast.Attribute, inference: Inference) -> bool:
    """Whether a file of the project is asked for a name that it does not bind: ``utils.bar``.

    Args:
        node: what asks, below ``import utils``.
        inference: the values of the file that it stands in.
    """
    files = inference.files
    if not isinstance(node.value, ast.Name) or files is None or not isinstance(node.ctx, ast.Load):
        return False
    found = inference.names.scope_of(node.value).lookup(node.value.id)
    if found is None or len(found[1]) != 1 or not isinstance(found[1][0].node, ast.Import):
        return False
    dotted = found[1][0].qualified or ""
    if "." in dotted or is_foreign(f"{dotted}.") or _is_in_package(files):
        return False
    other = files.module(dotted)
    is_other = other is not None and other.path != files.path
    return (
        other is not None
        and is_other
        and other.path.stem != "__init__"
        and _is_certainly(other, None, inference)
        and _is_without(node.attr, other)
    )


def star_may_bind(name: str, inference: Inference) -> bool:
    """Whether an import of all names may bind a name, as any can of what is not certainly a file.

    Args:
        name: the name.
        inference: the values of the file that asks for it.
    """
    files, names = inference.files, inference.names
    if not names.unknown_star_imports:
        return False
    known = names.remembered("files of stars", lambda: _files_of_stars(inference))
    return files is None or known is None or any(file.may_bind(name) for file in known)


def _files_of_stars(inference: Inference) -> list[OtherFile] | None:
    """The files of the project that a file takes all names from; None where not all are certain,
    or one may have names that no line shows."""
    files, found = inference.files, []
    for star in inference.names.unknown_star_imports:
        file = None if files is None else files.module(module_of(star))
        if files is None or file is None or (not star.level and _is_in_package(files)):
            return None
        there = file.inference
        if there is None or not _is_certainly(file, star, inference):
            return None
        if _may_bind_unseen(there, set()):
            return None
        found.append(file)
    return found


def _fails(statement: ast.ImportFrom, inference: Inference, seen: set[Path]) -> bool:
    files = inference.files
    if files is None or (not statement.level and _is_in_package(files)):
        return False
    other = files.module(module_of(statement))
    if other is None:
        return _has_other_name(statement, files)
    if other.path == files.path or not _is_certainly(other, statement, inference):
        return False
    if any(_is_without(alias.name, other) for alias in statement.names if alias.name != "*"):
        return True
    there = other.inference
    if there is None or other.path in seen:
        return False
    seen.add(other.path)
    return any(
        isinstance(node, ast.ImportFrom)
        and isinstance(there.names.parents.get(node), ast.Module)
        and _fails(node, there, seen)
        for node in there.names.nodes.get(ast.ImportFrom, ())
    )


def _is_in_package(files: Files) -> bool:
    return (files.path.parent / "__init__.py").is_file()


def _is_without(name: str, other: OtherFile) -> bool:
    """Whether a file certainly has nothing of a name."""
    there = other.inference
    return (
        there is not None
        and not name.startswith("_")
        and not other.may_bind(name)
        and not _may_be_submodule(other, name)
        and not is_set_by_others(there, name)
        and not _may_bind_unseen(there, set())
    )


def _has_other_name(statement: ast.ImportFrom, files: Files) -> bool:
    """Whether what is imported stands in a module beside that has nearly the name of the import.

    No file of the project that knows of it may be the one that is named.
    """
    module, taken = statement.module or "", [alias.name for alias in statement.names]
    if statement.level or "." in module or is_foreign(f"{module}.") or "*" in taken:
        return False
    folder = files.path.parent
    having = files.mentioning(taken[0])
    if having is None or any(module in (*o.path.parts, o.path.stem) for o in having):
        return False
    for entry in os.listdir(folder) if folder.is_dir() else ():
        stem = entry.removesuffix(".py")
        if stem != module and _plain(stem) == _plain(module):
            other = files.module(stem)
            if other is not None and not other.is_folder and all(map(other.may_bind, taken)):
                return True
    return False


def _plain(name: str) -> str:
    """A name without what is left out most easily: ``engines`` and ``Engine`` are one."""
    return name.lower().replace("_", "").removesuffix("s")


def _is_certainly(other: OtherFile, statement: ast.ImportFrom | None, inference: Inference) -> bool:
    """Whether an import means the file that is found for it wherever the program is run.

    That stands beside the program, or is a package that is named by where it lies in another.
    """
    folder = Path() if inference.files is None else inference.files.path.parent
    if other.path.stem != "__init__":
        return not other.is_folder and other.path.parent == folder
    if statement is None:
        return False
    if statement.level or other.path.parent.parent == folder:
        return True
    names = inference.names
    calls = names.nodes.get(ast.Call, ())
    is_shadowed = any(names.name(n.func) == _SHADOWS for n in calls if isinstance(n, ast.Call))
    return "." in module_of(statement) and not is_shadowed


def _may_bind_unseen(there: Inference, seen: set[Inference]) -> bool:
    """Whether a file, or one that it takes all names from, may have names that no line shows."""
    if there in seen:
        return False
    seen.add(there)
    # ``sys.modules[__name__] = …`` puts something else in the place of the file.
    is_another = any(there.names.attributes("modules"))
    bindings = there.names.module.bindings
    if is_another or sets_names(there.names):
        return True
    if "__getattr__" in bindings or "__path__" in bindings:
        return True
    for star in there.names.unknown_star_imports:
        file = None if there.files is None else there.files.module(module_of(star))
        if file is None or file.inference is None or _may_bind_unseen(file.inference, seen):
            return True
    return False


def _may_be_submodule(other: OtherFile, name: str) -> bool:
    """Whether a package may have a module of that name, if only once it has been built.

    What is compiled or generated is no file yet; but modules are in lower case.
    """
    if other.path.stem != "__init__":
        return False
    is_module = name.islower() or other.submodule(name) is not None
    return is_module or any(
        each.partition(".")[0] == name for each in os.listdir(other.path.parent)
    )
