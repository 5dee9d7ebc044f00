"""Python 2 looked for a module beside the importing one first; Python 3 needs a dot for that.

https://peps.python.org/pep-0328/
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from torchfix_codemods.documents.only_python2 import asks_for_version
from torchfix_codemods.documents.readable import read_as_python
from torchfix_codemods.engine.edits import line_starts
from torchfix_codemods.facts.language.nodes import start_of
from torchfix_codemods.project.imports import resolve
from torchfix_codemods.project.paths import resolved

# Where a dot alone goes before what is imported.
_FROM = re.compile(rb"from[ \t]+(?=\w)")
_IMPORT = re.compile(rb"(?=import[ \t])")

_IMPORTED = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.?)(\w+)[\w.]*[ \t]+import\b|import[ \t]+(\w+))", re.MULTILINE
)
_FROM_HERE = re.compile(r"^[ \t]*from[ \t]+\.[ \t]+import\b[ \t]*(\([^)]*|[^\n#]*)", re.MULTILINE)
_IS_SCRIPT = re.compile(r"^if[ \t(]+__name__\b", re.MULTILINE)


def with_relative_imports(text: str, path: Path) -> tuple[str, list[int]]:
    """A module of a package whose imports of modules beside it say that they are beside it.

    That is certain of an ``__init__.py``, and of what it or code around the package imports in
    turn, where no script of the folder imports what is beside it without the package.

    Args:
        text: the module, which Python 3 can read.
        path: where it is.

    Returns:
        the new text, which has as many lines, and the numbers of those that changed.
    """
    if "import" not in text or not (path.parent / "__init__.py").is_file():
        return text, []
    # A relative path would hide the folders above the one that the run begins in.
    path = resolved(path)
    tree = read_as_python(text)
    meant = [node for node in _imports(tree) if _means_beside(node, path)]
    if not meant or _is_absolute(tree) or not _is_only_of_package(path):
        return text, []
    data = text.encode("utf-8")
    starts, result, done, lines = line_starts(data), [], 0, []
    for node in meant:
        offset = starts[node.lineno - 1] + node.col_offset
        is_from = isinstance(node, ast.ImportFrom)
        match = (_FROM if is_from else _IMPORT).match(data, offset)
        if match is not None:
            result += [data[done : match.end()], b"." if is_from else b"from . "]
            done = match.end()
            lines.append(node.lineno)
    return b"".join([*result, data[done:]]).decode("utf-8"), lines


def _imports(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    """The imports of a module in their order, without those that are tried or chosen."""
    found: list[ast.Import | ast.ImportFrom] = []
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.append(node)
        elif isinstance(node, ast.If) and asks_for_version(node.test):
            continue
        elif not isinstance(node, (ast.Try, ast.expr)):
            left.extend(ast.iter_child_nodes(node))
    return sorted(found, key=start_of)


def _means_beside(node: ast.Import | ast.ImportFrom, path: Path) -> bool:
    """Whether an import can only mean a module in the folder of a file."""
    if isinstance(node, ast.ImportFrom):
        dotted = node.module if node.level == 0 else None
    else:
        # What `import a.b` makes of the name `a` has no spelling with a dot.
        dotted = node.names[0].name if len(node.names) == 1 else None
        dotted = None if dotted is None or "." in dotted else dotted
    if dotted is None:
        return False
    name = dotted.partition(".")[0]
    if name == path.stem:
        return False
    folder = path.parent
    here = (folder / f"{name}.py", folder / name / "__init__.py")
    return resolve(name, path) in here and _is_module(folder.joinpath(*dotted.split(".")))


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


def _is_only_of_package(path: Path) -> bool:
    """Whether a module is imported as a part of its package, and in no other way."""
    if path.stem == "__init__":
        return True
    texts = {file.stem: _text_of(file) for file in path.parent.glob("*.py")}
    packages = {file.parent.name for file in path.parent.glob("*/__init__.py")}
    reached, left = set[str](), ["__init__", *_imported_around(path.parent, texts)]
    while left:
        stem = left.pop()
        if stem not in reached:
            reached.add(stem)
            left += (name for _, name in _imported(texts[stem]) if name in texts)
    scripts = [s for s, text in texts.items() if s not in reached or _IS_SCRIPT.search(text)]
    beside = packages.union(texts)
    return not any(
        name in beside and not has_dot for s in scripts for has_dot, name in _imported(texts[s])
    )


def _imported_around(package: Path, modules: Collection[str]) -> Iterator[str]:
    """The modules of a package that code in it, or near the packages around it, names by it."""
    name = re.escape(package.name)
    named = re.compile(
        rf"^[ \t]*(?:from|import)[ \t]+(?:[\w.]+\.)?{name}(?:\.(\w+)|[ \t]+import[ \t]+(.*))",
        re.MULTILINE,
    )
    for folder in (package, *package.parents):
        for file in (*folder.glob("*.py"), *folder.glob("*/*.py")):
            for match in named.finditer(_text_of(file)):
                yield from (m for m in re.findall(r"\w+", match[1] or match[2]) if m in modules)
        if not (folder / "__init__.py").is_file():
            return


def _imported(text: str) -> Iterator[tuple[bool, str]]:
    """What a text imports from beside it, perhaps; and whether it says so by a dot."""
    for match in _IMPORTED.finditer(text):
        yield bool(match[1]), match[2] or match[3]
    for match in _FROM_HERE.finditer(text):
        yield from ((True, name) for name in re.findall(r"\w+", match[1]))


def _text_of(file: Path) -> str:
    try:
        return file.read_text("utf-8", errors="replace")
    except OSError:
        return ""
