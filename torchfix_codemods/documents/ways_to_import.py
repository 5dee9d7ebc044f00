"""In which ways code of a project imports a module: as a part of its package, or from beside it."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from pathlib import Path

from torchfix_codemods.documents.readable import Unreadable, read_as_python

_IMPORTED = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.?)(\w+)[\w.]*[ \t]+import\b|import[ \t]+(\w+))", re.MULTILINE
)
_IMPORTS_OF = re.compile(
    r"^[ \t]*(?:from|import)[ \t]+([\w.]+)(?:[ \t]+import[ \t]+(.*))?", re.MULTILINE
)
_FROM_HERE = re.compile(r"^[ \t]*from[ \t]+\.[ \t]+import\b[ \t]*(\([^)]*|[^\n#]*)", re.MULTILINE)
_PYTHON = ("*.py", "*/*.py", "*.ipynb", "*/*.ipynb")
_IS_SCRIPT = re.compile(r"^if[ \t(]+(?:not[ \t(]+)?__(?:name|package)__(?!\w)", re.MULTILINE)


def ways_to_import(path: Path) -> tuple[bool, bool]:
    """Whether a module is imported as a part of its package, and whether it may be in another way.

    Scripts of the folder that import what is beside them are such a way.

    Args:
        path: the module.
    """
    if path.stem == "__init__":
        return True, _is_script(text_of(path))
    texts, packages = _beside(path)
    reached, scripts = _reached(path, texts)
    beside = packages.union(texts)
    return path.stem in reached, any(
        name in beside and not has_dot for s in scripts for has_dot, name in _imported(texts[s])
    )


def may_run_beside(path: Path) -> bool:
    """Whether a module may be run with its folder as the one to import from.

    It may be a script itself, or what such a script imports, or a package that it does: what is in
    there may import all that is beside a script.

    Args:
        path: the module.
    """
    texts, packages = _beside(path)
    _, scripts = _reached(path, texts)
    run, left = set[str](), [*scripts]
    while left:
        stem = left.pop()
        taken = [name for has_dot, name in _imported(texts[stem]) if not has_dot]
        if stem == path.stem or not packages.isdisjoint(taken):
            return True
        run.add(stem)
        left += (name for name in taken if name in texts and name not in run)
    return False


def _beside(path: Path) -> tuple[dict[str, str], set[str]]:
    """The modules in the folder of a file, with their texts, and the packages in it.

    A notebook is a script that no import can name.
    """
    texts = {file.stem: text_of(file) for file in path.parent.glob("*.py")}
    texts.update((file.name, text_of(file)) for file in path.parent.glob("*.ipynb"))
    return texts, {file.parent.name for file in path.parent.glob("*/__init__.py")}


def _reached(path: Path, texts: Mapping[str, str]) -> tuple[set[str], list[str]]:
    """The modules of a folder that its package, or code around it, imports; and its scripts."""
    reached, left = set[str](), ["__init__", *_imported_around(path.parent, texts)]
    while left:
        stem = left.pop()
        if stem not in reached:
            reached.add(stem)
            left += (name for _, name in _imported(texts[stem]) if name in texts)
    scripts = [
        stem
        for stem, text in texts.items()
        if (stem not in reached or _is_script(text)) and not _needs_package(text)
    ]
    return reached, scripts


def _is_script(text: str) -> bool:
    """Whether a file asks if it is run, and not a text in it."""
    if _IS_SCRIPT.search(text) is None:
        return False
    body = _statements(text)
    return body is None or any(isinstance(n, ast.If) and asks_whether_run(n.test) for n in body)


def asks_whether_run(test: ast.expr) -> bool:
    """Whether a condition asks if a file is run as a script: by its name, or its package.

    Args:
        test: the condition.
    """
    return any(
        isinstance(n, ast.Name) and n.id in ("__name__", "__package__") for n in ast.walk(test)
    )


def _needs_package(text: str) -> bool:
    """Whether a file imports by a dot, which raises where it is run itself."""
    if not any(has_dot for has_dot, _ in _imported(text)):
        return False
    return any(isinstance(n, ast.ImportFrom) and n.level for n in _statements(text) or ())


def _statements(text: str) -> list[ast.stmt] | None:
    """The statements of a module; None of what is no Python."""
    try:
        return read_as_python(text).body
    except Unreadable:
        return None


def _imported_around(package: Path, modules: Collection[str]) -> Iterator[str]:
    """The modules of a package that code in it, or near the packages around it, names by it."""
    for parts, names in imports_around(package):
        for index, part in enumerate(parts):
            if part == package.name:
                below = parts[index + 1 : index + 2] or re.findall(r"\w+", names)
                yield from (module for module in below if module in modules)


def imports_around(package: Path, outermost: Path | None = None) -> Iterator[tuple[list[str], str]]:
    """What code in a package, or near the packages around it, imports.

    Args:
        package: its folder.
        outermost: the last folder around it that is looked at.

    Returns:
        the parts of each module's name, and what is taken from it.
    """
    for folder in (package, *package.parents):
        for file in chain.from_iterable(map(folder.glob, _PYTHON)):
            for dotted, names in _IMPORTS_OF.findall(text_of(file)):
                yield dotted.split("."), names
        if folder == outermost or not (folder / "__init__.py").is_file():
            return


def _imported(text: str) -> Iterator[tuple[bool, str]]:
    """What a text imports from beside it, perhaps; and whether it says so by a dot."""
    for match in _IMPORTED.finditer(text):
        yield bool(match[1]), match[2] or match[3]
    for match in _FROM_HERE.finditer(text):
        yield from ((True, name) for name in re.findall(r"\w+", match[1]))


def text_of(file: Path) -> str:
    """The text of a file, of a notebook its strings; empty where it cannot be read."""
    try:
        text = file.read_text("utf-8", errors="replace")
    except OSError:
        return ""
    # A cell is one string, or one for each line.
    is_notebook = file.suffix == ".ipynb"
    return text.replace("\\n", "\n").replace('"', "\n") if is_notebook else text
