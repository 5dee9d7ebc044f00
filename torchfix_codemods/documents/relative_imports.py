"""Python 2 looked for a module beside the importing one first; Python 3 needs a dot for that.

https://peps.python.org/pep-0328/
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from torchfix_codemods.documents.only_python2 import asks_for_version
from torchfix_codemods.documents.readable import Unreadable, read_as_python
from torchfix_codemods.documents.ways_to_import import (
    asks_whether_run,
    imports_around,
    may_run_beside,
    text_of,
    ways_to_import,
)
from torchfix_codemods.engine.edits import line_starts
from torchfix_codemods.facts.language.foreign import is_foreign
from torchfix_codemods.facts.language.nodes import start_of
from torchfix_codemods.finding import Finding, Numerics, Reason
from torchfix_codemods.project.beside import LOADED_FIRST
from torchfix_codemods.project.imports import may_mean, resolve
from torchfix_codemods.project.paths import project_root, resolved
from torchfix_codemods.record import record
from torchfix_codemods.remarks import ONLY_PYTHON_2, PYTHON_2
from torchfix_codemods.text.wording import LONGEST, listed, worded_lines

if TYPE_CHECKING:
    from torchfix_codemods.engine.migrate import Options
    from torchfix_codemods.facts.values.inference import Files

_DOTTED = "Python 2 took the module beside this one: with a dot, Python 3 does"
_LEFT = "only Python 2 looks for {} beside this file: {}"
_HIDDEN = (
    "Python 3 takes its own {0} here, not the {0}.py beside this file, and finds no {1} in it: {2}"
)
_OTHER_NAME = "give that file another name"
_OF_BOTH = "Python 3 raises {} here when it imports {}: "
_OF_CALL = "Python 3 raises {} here when {} of {} is called: "
_BY_PACKAGE = "import from {}, as line {} does"
_FROM_ABOVE = "import from {}, which is found where {} of line {} is"
_BY_DOT = "{} works there, but not for scripts of this folder"
_WITH_DOT = "write {}"

# Where a dot alone goes before what is imported.
_FROM = re.compile(rb"from[ \t]+(?=\w)")
_IMPORT = re.compile(rb"(?=import[ \t])")
_IMPORT_BELOW = re.compile(rb"import[ \t]+([\w.]+)\.(?=\w+[ \t]+as[ \t])")


@record
class Beside:
    """What became of the imports of a module that Python 2 looked for beside it.

    Args:
        text: the module, which has as many lines as before.
        lines: the numbers of those that changed.
        left: the lines of those that did not, and what is to be said of them.
    """

    text: str
    lines: tuple[int, ...] = ()
    left: tuple[tuple[int, str], ...] = ()


def with_relative_imports(
    text: str, path: Path, files: Files | None, accepts: Callable[[int], bool] = lambda line: True
) -> Beside:
    """A module of a package whose imports of modules beside it say that they are beside it.

    That is certain of an ``__init__.py``, and of what it or code around the package imports in
    turn, where no script of the folder imports what is beside it without the package, and where
    nothing else of the project, of Python or of what it requires has that name.

    Args:
        text: the module.
        path: where it is.
        files: the other files of the project; None: there are none to look at.
        accepts: tells whether a line may be changed.
    """
    if "import" not in text:
        return Beside(text)
    # A relative path would hide the folders above the one that the run begins in.
    path = resolved(path)
    try:
        tree = read_as_python(text)
    except Unreadable:
        return Beside(text)
    hidden = tuple(_hidden(tree, path))
    beside = _with_dots(text, tree, path, files, accepts)
    return Beside(beside.text, beside.lines, tuple(sorted((*beside.left, *hidden))))


def _hidden(tree: ast.Module, path: Path) -> Iterator[tuple[int, str]]:
    """The imports of what a module beside a file has, and Python's own of that name has not."""
    for node in _imports(tree):
        is_dotted = isinstance(node, ast.ImportFrom) and node.level
        name = node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
        if name is None or name not in LOADED_FIRST or is_dotted:
            continue
        if name == path.stem or not (path.parent / f"{name}.py").is_file():
            continue
        own = import_module(name)
        taken = sorted(each for each in _taken_from(node, tree, name) if not hasattr(own, each))
        if taken and _offers(path.parent, name, taken):
            yield node.lineno, _HIDDEN.format(name, listed(taken), _found(node, tree, path, name))


def _found(node: ast.Import | ast.ImportFrom, tree: ast.Module, path: Path, name: str) -> str:
    """What finds the module beside a file: a dot where nothing but its package imports the file."""
    spelled = _spelled_with_dot(node, [name])
    if not spelled and isinstance(node, ast.ImportFrom):
        spelled = f"from .{node.module} import …"
    is_in_package = (path.parent / "__init__.py").is_file() and bool(spelled)
    if not is_in_package or not _offers(path.parent, name, _taken_from(node, tree, name)):
        return _OTHER_NAME
    return (
        _WITH_DOT.format(f"`{spelled}`") if ways_to_import(path) == (True, False) else _OTHER_NAME
    )


def _with_dots(
    text: str,
    tree: ast.Module,
    path: Path,
    files: Files | None,
    accepts: Callable[[int], bool],
) -> Beside:
    """What became of the imports of modules that Python 3 has none for."""
    # No import can name a folder such as ``net.pytorch``, so none makes a package of it.
    if not path.parent.name.isidentifier() or not (path.parent / "__init__.py").is_file():
        return Beside(text)
    meant = [
        (node, name)
        for node in _imports(tree)
        for name in _names_beside(node, path, tree)
        if _offers(path.parent, name, _taken_from(node, tree, name))
    ]
    if not meant or _is_absolute(tree):
        return Beside(text)
    # One that Python 3 cannot find shows that no Python 3 ran the file; Python 2 looked here first.
    if files is not None and all(
        files.is_found_elsewhere(name, _taken_from(node, tree, name)) for node, name in meant
    ):
        return Beside(text)
    is_of_package, is_of_scripts = ways_to_import(path)
    if is_of_scripts or not is_of_package:
        return Beside(text, left=_told_of_both(meant, path, tree) if is_of_package else ())
    if any(node in tree.body for node, _ in meant):
        # No Python 3 gets past that one, so all were found where Python 2 looks first.
        meant = [(node, name) for node in _imports(tree) for name in _found_first(node, path, tree)]
    data = text.encode("utf-8")
    starts, result, done, lines, left = line_starts(data), [], 0, [], []
    for node in dict.fromkeys(node for node, _ in meant):
        names = [name for of, name in meant if of is node]
        offset = starts[node.lineno - 1] + node.col_offset
        dotted = _with_dot(node, data, offset, names)
        if dotted is None:
            why = f"Python 3 raises {_raised(names[0], path)}"
            if alone := _spelled_alone(node, names):
                why += f", write `{alone}`"
            left.append((node.lineno, _LEFT.format(listed(names), why)))
        elif not accepts(node.lineno):
            them = "them" if names[1:] else "it"
            why = f"with a dot, Python 3 finds {them}"
            left.append((node.lineno, _LEFT.format(listed(names), why)))
        else:
            result += [data[done:offset], dotted[0]]
            done = dotted[1]
            lines.append(node.lineno)
    now = b"".join([*result, data[done:]]).decode("utf-8")
    return Beside(now, tuple(lines), tuple(left))


def _told_of_both(
    meant: Sequence[tuple[ast.Import | ast.ImportFrom, str]], path: Path, tree: ast.Module
) -> tuple[tuple[int, str], ...]:
    """What is said of a module that scripts import, too: once, as the first import stops it.

    One inside a function stops only what calls that.
    """
    inside = {node: _qualified(node, tree) for node, _ in meant}
    meant = sorted(meant, key=lambda each: bool(inside[each[0]]))
    names = [*dict.fromkeys(name for _, name in meant)]
    raised, called = _raised(names[0], path), inside[meant[0][0]]
    if called:
        said = _OF_CALL.format(raised, called, _dotted(path))
    else:
        said = _OF_BOTH.format(raised, _dotted(path))
    package = _dotted(path.parent / "__init__.py")
    by_package = [
        node.lineno
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{package}.")
        if node.level == 0
    ]
    above = _found_above(tree, path, package)
    if (by_package or above) and all(isinstance(node, ast.ImportFrom) for node, _ in meant):
        # As a script, too, the file only runs where its package is found.
        there = listed([f"{package}.{name}" for name in names])
        if by_package:
            said += _BY_PACKAGE.format(there, by_package[0])
        elif above:
            said += _FROM_ABOVE.format(there, *above)
    else:
        # A file that has a dot already is none that a script of its folder can import.
        is_dotted = any(isinstance(node, ast.ImportFrom) and node.level for node in _imports(tree))
        written = _WITH_DOT if is_dotted or not may_run_beside(path) else _BY_DOT
        said += written.format(_proposed(meant, names)).rstrip(",")
    return ((meant[0][0].lineno, said),)


def _found_above(tree: ast.Module, path: Path, package: str) -> tuple[str, int] | None:
    """A module beside the package that a file of it imports where it runs, and in which line."""
    folder = path.parents[package.count(".") + 1]
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            dotted = [node.module] if node.module and not node.level else []
        else:
            dotted = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        for name in dotted:
            first = name.partition(".")[0]
            is_own = first == package.partition(".")[0]
            if not is_own and resolve(first, path) in _called(first, folder):
                return name, node.lineno
    return None


def _proposed(
    meant: Sequence[tuple[ast.Import | ast.ImportFrom, str]], names: Sequence[str]
) -> str:
    """The first import with its dot, and the lines of the others; else what takes one."""
    spelled = _spelled_with_dot(meant[0][0], [n for node, n in meant if node is meant[0][0]])
    if not spelled:
        return f"a dot before {listed(names)}"
    lines = {node.lineno for node, _ in meant if node is not meant[0][0]}
    return f"`{spelled}`" + (f", and so in {worded_lines(sorted(lines))}," if lines else "")


def _qualified(node: ast.AST, tree: ast.Module) -> str:
    """``Model.load`` of what stands in that method; empty where it runs when the file does."""
    parts: list[str] = []
    is_called, inside = False, [*tree.body]
    while inside:
        around = inside.pop()
        if around is node or node not in ast.walk(around):
            continue
        inside = [each for each in ast.iter_child_nodes(around) if isinstance(each, ast.stmt)]
        if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            parts.append(around.name)
            is_called = is_called or not isinstance(around, ast.ClassDef)
    return ".".join(parts) if is_called else ""


def _dotted(path: Path) -> str:
    """The name of a module by the packages around it, from the one that absolute imports name.

    An ``__init__.py`` beside the scripts of a project does not make it a package to anyone.
    """
    parts, folder = [path.stem], path.parent
    while (folder / "__init__.py").is_file():
        parts, folder = [folder.name, *parts], folder.parent
    named = {imported[0] for imported, _ in imports_around(path.parent, project_root(path.parent))}
    first = next((n for n, part in enumerate(parts[:-1]) if part in named), 0)
    return ".".join(parts[first:]).removesuffix(".__init__")


def with_imports_beside(
    text: str, path: Path, options: Options, *, rewrites: bool = True
) -> tuple[str, list[Finding]]:
    """The same as the tool says it.

    Args:
        text: the module.
        path: where it is.
        options: settings.
        rewrites: whether a dot may be written; else each is told.

    Returns:
        the new text, and what is said of it.
    """
    beside = with_relative_imports(
        text, path, options.files, lambda line: rewrites and options.accepts(line, PYTHON_2.code)
    )
    code, name = PYTHON_2.code, PYTHON_2.name
    told = [
        Finding(line, 1, code, name, _DOTTED, Numerics.RESTORED, True, reason=Reason.FAILS)
        for line in beside.lines
    ]
    code, name = ONLY_PYTHON_2.code, ONLY_PYTHON_2.name
    told += [
        Finding(line, 1, code, name, said, Numerics.ADVICE, False) for line, said in beside.left
    ]
    return beside.text, told


def _imports(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    """The imports of a module in their order: not what is tried, chosen, or a script's alone."""
    found: list[ast.Import | ast.ImportFrom] = []
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.append(node)
        elif isinstance(node, ast.If) and _chooses(node.test):
            continue
        elif not isinstance(node, (ast.Try, ast.expr)):
            left.extend(ast.iter_child_nodes(node))
    return sorted(found, key=start_of)


def _chooses(test: ast.expr) -> bool:
    """Whether a condition asks which Python runs a file, or whether it is run as a script."""
    return asks_for_version(test) or asks_whether_run(test)


def _with_dot(
    node: ast.Import | ast.ImportFrom, data: bytes, offset: int, beside: Collection[str]
) -> tuple[bytes, int] | None:
    """How an import begins that says that it is about a module beside it, and where that ends.

    None where there is no such spelling: the name that `import a.b` binds has none, nor has a line
    that imports others beside them.
    """
    if isinstance(node, ast.ImportFrom):
        match = _FROM.match(data, offset)
        return None if match is None else (match[0] + b".", match.end())
    if len(node.names) > 1 and any(alias.name not in beside for alias in node.names):
        return None
    if "." not in node.names[0].name:
        return (b"from . ", offset) if _IMPORT.match(data, offset) else None
    match = _IMPORT_BELOW.match(data, offset)
    return None if match is None else (b"from ." + match[1] + b" import ", match.end())


def _spelled_alone(node: ast.Import | ast.ImportFrom, beside: Collection[str]) -> str:
    """``from . import layers`` of ``import os, layers``; empty where that is no short line."""
    names = [alias for alias in node.names if alias.name in beside]
    return _spelled_with_dot(ast.Import(names=names), beside) if names else ""


def _spelled_with_dot(node: ast.Import | ast.ImportFrom, beside: Collection[str]) -> str:
    """``from . import layers`` of ``import layers``; empty where that is no short line."""
    text = ast.unparse(node)
    dotted = _with_dot(node, text.encode("utf-8"), 0, beside)
    spelled = "" if dotted is None else dotted[0].decode("utf-8") + text[dotted[1] :]
    return spelled if len(spelled) <= LONGEST else ""


def _names_beside(node: ast.Import | ast.ImportFrom, path: Path, tree: ast.Module) -> Iterator[str]:
    """The names of an import that can only mean modules in the folder of a file."""
    for name in _modules_beside(node, path):
        found = resolve(name, path)
        if found in _called(name, path.parent) or (
            found is None
            and isinstance(node, ast.ImportFrom)
            and _is_of_no_other(name, path, _taken_from(node, tree, name))
        ):
            yield name


def _found_first(node: ast.Import | ast.ImportFrom, path: Path, tree: ast.Module) -> Iterator[str]:
    """The names of an import that Python 2 found in the folder of a file, whatever else has them.

    What the standard library, or one that is known, has of that name may be meant all the same.
    """
    for name in _modules_beside(node, path):
        if not is_foreign(f"{name}.") and _offers(path.parent, name, _taken_from(node, tree, name)):
            yield name


def _modules_beside(node: ast.Import | ast.ImportFrom, path: Path) -> Iterator[str]:
    """The names of an import that modules in the folder of a file have."""
    if isinstance(node, ast.ImportFrom):
        taken = [node.module] if node.level == 0 and node.module else []
    else:
        taken = [alias.name for alias in node.names]
    for dotted in taken:
        name = dotted.partition(".")[0]
        if name != path.stem and _is_module(path.parent.joinpath(*dotted.split("."))):
            yield name


def _called(name: str, folder: Path) -> tuple[Path, Path]:
    """What a module in a folder may be."""
    return folder / f"{name}.py", folder / name / "__init__.py"


def _is_of_no_other(name: str, path: Path, taken: Collection[str]) -> bool:
    """Whether of several modules of a name only the one beside a file has what is taken."""
    among = frozenset() if is_foreign(f"{name}.") else may_mean(name, path) or frozenset()
    others = among.difference(_called(name, path.parent))
    return (
        bool(taken)
        and len(others) < len(among)
        and all(
            other in _called(name, folder) and not _offers(folder, name, taken)
            for other in others
            for folder in [other.parent.parent if other.stem == "__init__" else other.parent]
        )
    )


def _raised(name: str, path: Path) -> str:
    """What Python 3 raises that does not look for a module beside a file."""
    is_hidden = resolve(name, path) is None
    return "ImportError" if is_hidden else "ModuleNotFoundError"


def _taken_from(node: ast.Import | ast.ImportFrom, tree: ast.Module, name: str) -> set[str]:
    """The names that a file takes from a module that it imports; none where they may be any."""
    if isinstance(node, ast.ImportFrom):
        is_below = "." in (node.module or "")
        return set() if is_below else {alias.name for alias in node.names} - {"*"}
    bound = {alias.asname or alias.name for alias in node.names if alias.name == name}
    return {
        use.attr
        for use in ast.walk(tree)
        if isinstance(use, ast.Attribute)
        and isinstance(use.value, ast.Name)
        and use.value.id in bound
    }


def _offers(folder: Path, name: str, taken: Collection[str]) -> bool:
    """Whether a module beside a file may have what is taken: else a library of that name does."""
    package = folder / name
    is_package = (package / "__init__.py").is_file()
    text = text_of(package / "__init__.py" if is_package else folder / f"{name}.py")
    bound = _bound_in(text)
    return "import *" in text or all(
        each in bound or (is_package and _is_module(package / each)) for each in taken
    )


def _bound_in(text: str) -> set[str]:
    """The names that a module may bind; of one that only Python 2 can read, all its words."""
    try:
        nodes = [*ast.walk(read_as_python(text))]
    except Unreadable:
        return {*re.findall(r"\w+", text)}
    found = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    found.update(n.asname or n.name.partition(".")[0] for n in nodes if isinstance(n, ast.alias))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return found.union(n.name for n in nodes if isinstance(n, kinds))


def _is_module(path: Path) -> bool:
    """Whether there is a module or a package: `from utils.log import x` takes nothing from a
    ``utils.py``, though it stands beside.
    """
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def _is_absolute(tree: ast.Module) -> bool:
    """``from __future__ import absolute_import``, as Python 3 does it anyway."""
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "absolute_import" for alias in node.names)
        for node in tree.body
    )
