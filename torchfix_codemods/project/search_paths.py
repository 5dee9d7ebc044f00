"""The folders that a file puts on ``sys.path`` before it imports from them."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.project.paths import project_root
from torchfix_codemods.project.written_paths import SAME_PLACE, written_path

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.names import Names
    from torchfix_codemods.project.asked import ProjectFiles

_SYS_PATH = b"sys.path"
_ADDERS = frozenset({"sys.path.insert", "sys.path.append"})
_ABOUT_PATH = lazy_pattern(rb"sys\.path|addsitedir|from[ \t]+sys[ \t]+import\b[^\n]*\bpath\b")
_ADDS_OTHERWISE = lazy_pattern(rb"addsitedir|from[ \t]+sys[ \t]+import\b[^\n]*\bpath\b")

#: ``sys.path.append('..')`` as a line of a cell, which is a string with its quotes escaped.
_LINE_OF_CELL = lazy_pattern(
    rb"""(?:(?<!\\)"|\\n)sys\.path\.(?:append|insert)\((?:\d+,[ ]*)?"""
    rb"""(?:'|\\")([^'"\\]+)(?:'|\\")\)"""
)

#: ``import _init_paths`` on a line of its own.
_PLAIN_IMPORT = lazy_pattern(rb"\nimport[ \t]+(\w+)[ \t]*(?:[#\r\n]|$)")


def added_folders(importer: Path, index: ProjectFiles) -> tuple[str, ...]:
    """The folders of the project that a file adds to ``sys.path``.

    It may do so itself, or by the import of a module beside it, as ``import _init_paths``.

    Args:
        importer: the importing file, its path resolved.
        index: the project.

    Returns:
        The folders that its literal paths name. One that is relative begins where the program is
        run, which may be any folder from the file's own to the top of the project.
    """
    if importer.suffix == ".ipynb":
        return _added_in_cells(importer, index)
    if importer.suffix != ".py":
        return ()
    found: list[str] = []
    for file in (importer, *_imported_beside(importer, index)):
        written = [*_written(file, index)]
        if not written:
            continue
        root = str(project_root(importer.parent))
        for base in _upwards(str(importer.parent), root):
            folders = (os.path.realpath(os.path.join(base, path)) for path in written)
            found += [folder for folder in folders if _is_in(folder, root)]
    return tuple(dict.fromkeys(found))


def _added_in_cells(notebook: Path, index: ProjectFiles) -> tuple[str, ...]:
    """The folders that lines of a notebook name, which is run in its own."""
    folder, root = str(notebook.parent), str(project_root(notebook.parent))
    written = map(os.fsdecode, _LINE_OF_CELL.findall(index.read(notebook)))
    added = (os.path.realpath(os.path.join(folder, path)) for path in written)
    return tuple(dict.fromkeys(each for each in added if _is_in(each, root)))


def may_be_on_path(folder: Path, files: Sequence[Path], index: ProjectFiles) -> bool:
    """Whether a program of the project may put a folder on ``sys.path``; a doubt counts as yes.

    Args:
        folder: the folder, its path resolved.
        files: the Python files and notebooks of the project.
        index: the project.
    """
    return any(
        _may_add(str(folder), file, index)
        for file in files
        if _ABOUT_PATH.search(index.read(file)) is not None
    )


def _may_add(folder: str, file: Path, index: ProjectFiles) -> bool:
    facts = index.facts(file) if file.suffix == ".py" else None
    if facts is None or _ADDS_OTHERWISE.search(index.read(file)) is not None:
        return True
    names = facts.names
    uses = [node for node in names.attributes("path") if names.name(node) == "sys.path"]
    return any(_may_put(folder, use, names, file) for use in uses)


def _may_put(folder: str, path: ast.Attribute, names: Names, file: Path) -> bool:
    """Whether a use of ``sys.path`` may put a folder there."""
    use = names.parents.get(path)
    call = None if use is None else names.parents.get(use)
    if isinstance(use, ast.Attribute) and isinstance(call, ast.Call) and call.func is use:
        if use.attr not in ("append", "insert"):
            return use.attr in ("extend", "__setitem__")
        root = str(project_root(file.parent))
        for added in _all_added(call, names):
            written = None if added is None else written_path(added, names, str(file))
            if written is None:
                if added is None or _may_end_in(folder, added, names):
                    return True
                continue
            folders = (os.path.join(f, written) for f in _upwards(str(file.parent), root))
            if any(os.path.realpath(f) == folder for f in folders):
                return True
        return False
    is_stored = isinstance(use, ast.Subscript) and not isinstance(use.ctx, ast.Load)
    return is_stored or not isinstance(use, (ast.Compare, ast.Subscript, ast.Call, ast.For))


def _may_end_in(folder: str, node: ast.expr, names: Names) -> bool:
    """Whether a path that hangs on what is not known may be that of a folder.

    What stands behind a name in ``os.path.join(root, "configs", model)`` is taken to be below it.
    """
    if isinstance(node, ast.Name):
        bindings = names.module.bindings.get(node.id, [])
        value = bindings[0].written() if len(bindings) == 1 else None
        return not isinstance(value, ast.Call) or _may_end_in(folder, value, names)
    if not isinstance(node, ast.Call) or not node.args or node.keywords:
        return True
    name = names.name(node.func)
    if name in SAME_PLACE:
        return _may_end_in(folder, node.args[0], names)
    if name != "os.path.join":
        return True
    pattern = ".*/"
    for index, part in enumerate(node.args):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            if os.pardir in part.value.split("/"):
                return True
            pattern += re.escape(part.value.strip("/")) + "/"
        elif index:
            pattern += ".+/"
    return re.fullmatch(pattern, folder.replace(os.sep, "/") + "/") is not None


def _all_added(call: ast.Call, names: Names) -> Iterator[ast.expr | None]:
    """What a call adds: its argument, or what the function around it is given; None: anything."""
    added = call.args[-1] if call.args and not call.keywords else None
    function = names.enclosing_function(call)
    if not isinstance(added, ast.Name) or not isinstance(function, ast.FunctionDef):
        yield added
        return
    given = [
        use
        for use in names.nodes.get(ast.Call, ())
        if isinstance(use, ast.Call) and _is_helper(use, names)
    ]
    is_handed_on = [p.arg for p in function.args.args] == [added.id]
    if not is_handed_on or not given:
        yield None
    for use in given:
        yield use.args[0]


def _imported_beside(importer: Path, index: ProjectFiles) -> Iterator[Path]:
    for name in _PLAIN_IMPORT.findall(b"\n" + index.read(importer)):
        beside = os.path.join(importer.parent, f"{os.fsdecode(name)}.py")
        if os.path.isfile(beside) and _SYS_PATH in index.read(beside):
            yield Path(beside)


def _upwards(folder: str, root: str) -> Iterator[str]:
    yield folder
    while folder != root and _is_in(folder, root):
        folder = os.path.dirname(folder)
        yield folder


def _is_in(folder: str, root: str) -> bool:
    return folder == root or folder.startswith(os.path.join(root, ""))


def _written(file: Path, index: ProjectFiles) -> Iterator[str]:
    """The literal paths that a file adds at its top level."""
    facts = index.facts(file) if _SYS_PATH in index.read(file) else None
    if facts is None:
        return
    # Only its own names: what other files bring in would ask for this very search path.
    names = facts.names
    for statement in facts.tree.body:
        argument = _added(statement, names, None)
        path = None if argument is None else written_path(argument, names, str(file))
        if path is not None:
            yield path


def _added(statement: ast.stmt, names: Names, parameter: str | None) -> ast.expr | None:
    """What ``sys.path.insert(0, folder)`` adds, also under ``if folder not in sys.path``.

    Args:
        statement: the statement.
        names: the scopes of its file.
        parameter: what the function around it is called with; None outside of functions.
    """
    if isinstance(statement, ast.If) and _asks_absence(statement.test):
        statement = statement.body[0]
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not call.args or call.keywords:
        return None
    if names.name(call.func) in _ADDERS:
        added = call.args[-1]
        is_handed_on = isinstance(added, ast.Name) and added.id == parameter
        return added if parameter is None or is_handed_on else None
    return call.args[0] if parameter is None and _is_helper(call, names) else None


def _asks_absence(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotIn)


def _is_helper(call: ast.Call, names: Names) -> bool:
    """Whether a function adds its only argument, as ``add_path(folder)`` of faster-rcnn."""
    if not isinstance(call.func, ast.Name) or len(call.args) != 1:
        return False
    bindings = names.module.bindings.get(call.func.id, [])
    function = bindings[0].node if len(bindings) == 1 else None
    if not isinstance(function, ast.FunctionDef):
        return False
    parameters = function.args.posonlyargs + function.args.args
    body = function.body[ast.get_docstring(function) is not None :]
    if len(parameters) != 1 or len(body) != 1:
        return False
    return _added(body[0], names, parameters[0].arg) is not None
