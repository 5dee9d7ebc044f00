"""Imports that fail wherever a program is run: of what the project does not have."""

from __future__ import annotations

import ast
import os
from pathlib import Path

from torchfix_codemods.facts.evaluation.elsewhere import module_of
from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.language.foreign import is_foreign
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.nodes import first_name
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

    ``Net(**vars(args))``, ``vars(args).items()`` and ``for name in vars(args)`` only read; what
    ``args = vars(parser.parse_args())`` sets are options.
    """
    return any(
        not _only_reads(use, names)
        for name in _SETTING
        for scope in names.scopes_using(name)
        for use in scope.uses[name]
    )


def sets_by_dict(names: Names) -> bool:
    """Whether a file may set attributes by the dictionary of an object: ``net.__dict__[n] = x``."""
    return any(not _is_only_read(each, names) for each in names.attributes("__dict__"))


def _only_reads(use: ast.Name, names: Names) -> bool:
    call = names.parents.get(use)
    if not isinstance(call, ast.Call) or call.func is not use:
        return False
    return _is_only_read(call, names) or _is_of_options(call, names)


def _is_of_options(call: ast.Call, names: Names) -> bool:
    """``vars(args)`` of what the command line gives."""
    if names.builtin(call.func) != "vars" or len(call.args) != 1:
        return False
    given = call.args[0]
    if not isinstance(given, ast.Name):
        return _is_parsed(given)
    found = names.scope_of(given).lookup(given.id)
    made = [b.written() for b in found[1]] if found is not None else []
    return any(map(_is_parsed, made)) and all(one is call or _is_parsed(one) for one in made)


def _is_parsed(node: ast.expr | None) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "parse_args"
    )


def _is_only_read(given: ast.expr, names: Names) -> bool:
    """Whether nothing changes the dictionary that an expression gives, nor keeps it."""
    around = names.parents.get(given)
    if isinstance(around, ast.Attribute):
        return container_methods.only_reads(around.attr)
    if isinstance(around, (ast.For, ast.comprehension)):
        return around.iter is given
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
        node: what asks, below ``import utils``, or ``lib.utils.bar`` below ``import lib.utils``.
        inference: the values of the file that it stands in.
    """
    files = inference.files
    if files is None or not isinstance(node.ctx, ast.Load) or _is_in_package(files):
        return False
    dotted = _module_named(node.value, inference.names)
    if not dotted or is_foreign(f"{dotted}."):
        return False
    key = "lacks", dotted, node.attr
    return inference.names.remembered(key, lambda: _lacks(dotted, node.attr, files, inference))


def _lacks(dotted: str, name: str, files: Files, inference: Inference) -> bool:
    """Whether a module is certainly a file of the project, which does not bind a name."""
    other = files.module(dotted)
    return (
        other is not None
        and other.path != files.path
        and other.path.stem != "__init__"
        and (_is_certainly(other, None, inference) or _is_of_package(dotted, inference))
        and _is_without(name, other)
    )


def _module_named(node: ast.expr, names: Names) -> str:
    """The dotted name of the module that an expression is by an import alone; "" for others."""
    root = first_name(node)
    found = None if root is None else names.scope_of(root).lookup(root.id)
    bindings = () if found is None else found[1]
    imports = [b.node for b in bindings if isinstance(b.node, ast.Import)]
    if not imports or len(imports) != len(bindings):
        return ""
    if root is node:
        return bindings[0].qualified or "" if len(bindings) == 1 else ""
    own, aliases = ast.unparse(node), [alias for each in imports for alias in each.names]
    is_renamed = any(alias.asname == own.partition(".")[0] for alias in aliases)
    return own if not is_renamed and any(alias.name == own for alias in aliases) else ""


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
    is_certain = _is_certainly(other, statement, inference)
    if other.path == files.path or not (is_certain or _is_file_of_package(statement, inference)):
        return False
    if any(_is_without(alias.name, other) for alias in statement.names if alias.name != "*"):
        return True
    # Where the files of packages import each other, all of them would be read for each import.
    there = other.inference if is_certain else None
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
    if name.startswith("_") or other.may_bind(name):
        return False
    there = other.inference
    return (
        there is not None
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
    return "." in module_of(statement) and not _is_shadowed(inference.names)


def _is_file_of_package(statement: ast.ImportFrom, inference: Inference) -> bool:
    return bool(statement.level) or _is_of_package(module_of(statement), inference)


def _is_of_package(dotted: str, inference: Inference) -> bool:
    """Whether a dotted name is certainly that of a file in a package of the project, and no
    package around the file has something else of that name: ``from .loss import loss``."""
    parts = dotted.split(".")
    if len(parts) < 2 or inference.files is None or _is_shadowed(inference.names):
        return False
    for end in range(1, len(parts)):
        package = inference.files.module(".".join(parts[:end]))
        if package is None or (not package.is_folder and package.may_bind(parts[end])):
            return False
    return True


def _is_shadowed(names: Names) -> bool:
    def look() -> bool:
        calls = names.nodes.get(ast.Call, ())
        return any(names.name(n.func) == _SHADOWS for n in calls if isinstance(n, ast.Call))

    return names.remembered("is shadowed", look)


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
