"""Which torch a project requires, read from its own files; nothing of it is ever run."""

from __future__ import annotations

import ast
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.project.paths import project_root, resolved
from torchfix_codemods.project.specifiers import Pin, alternatives, parse_requirement

#: Files that neither name torch nor include another file say nothing about it.
_IN_QUESTION = lazy_pattern(r"torch|^\s*-", re.IGNORECASE | re.MULTILINE)


#: What an environment of conda begins a line with. Its lock files do not, and are slow to read.
_CONDA = lazy_pattern(r"^(?:([\"']?)dependencies\1[ \t]*:|\{|<<)", re.MULTILINE)
#: How an environment begins that is not called one: what `conda env export` writes.
_OF_CONDA = lazy_pattern(rb"^channels[ \t]*:(?s:.*)^dependencies[ \t]*:", re.MULTILINE)
_LONGEST_HEAD = 2000

#: Nobody stayed with an older torch for long: of code that was moved on, what was exported once
#: still names it, and the sums and maxima of 0.2 say nothing of where they were written.
_STALE_BELOW = (0, 2)


def required_torch(path: Path, known: dict[Path, Era | None] | None = None) -> Era:
    """The torch versions that the project of a file requires.

    The folder nearest to the file decides whose requirements speak of torch, up to the root of the
    project.

    Args:
        path: the file.
        known: what folders require, as far as this run has read it; more is added.
    """
    known = {} if known is None else known
    folder = resolved(path).parent
    root = project_root(folder)
    while True:
        if folder not in known:
            known[folder] = _required_in(folder, root)
        era = known[folder]
        if era is not None:
            return era
        if folder == root or folder.parent == folder:
            return Era()
        folder = folder.parent


def _required_in(folder: Path, root: Path) -> Era | None:
    """What the requirements in one folder say together; None where none speaks of torch."""
    files: dict[Path, list[Pin]] = {}
    for path, read in _sources(folder):
        text = _text_of(path)
        if text is not None and _IN_QUESTION.search(text):
            read(path, text, root, files)
    pins = [alternatives(found) for found in files.values() if found]
    if not pins:
        return None
    oldest = max((p for p in pins if p.oldest), key=lambda p: p.oldest or (), default=None)
    newest = min((p for p in pins if p.newest), key=lambda p: p.newest or (), default=None)
    deciding = tuple(dict.fromkeys(str(pin) for pin in (oldest, newest) if pin is not None))
    first = None if oldest is None else oldest.oldest
    last = None if newest is None or newest.newest is None else max(newest.newest, _STALE_BELOW)
    if first is not None and last is not None and first > last:
        return Era(evidence=("; ".join(deciding) + " (not counted: they contradict each other)",))
    return Era(first, last, deciding, pins=(str(newest),) if newest else ())


_Files = dict[Path, list[Pin]]
_Reader = Callable[[Path, str, Path, _Files], None]


def _sources(folder: Path) -> Iterator[tuple[Path, _Reader]]:
    readers: list[tuple[str, _Reader]] = [
        ("*requirements*.txt", _read_requirements),
        ("requirements/*.txt", _read_requirements),
        ("*.y*ml", _read_environment),
        ("setup.py", _read_setup),
        ("setup.cfg", _read_setup_cfg),
        ("pyproject.toml", _read_pyproject),
        ("Pipfile", _read_pipfile),
    ]
    for pattern, reader in readers:
        for path in sorted(folder.glob(pattern)):
            if reader is not _read_environment or _may_be_environment(path):
                yield path, reader


def _may_be_environment(path: Path) -> bool:
    """Whether a file of YAML may be an environment of conda, which people call as they like.

    A folder may hold hundreds of settings, of any size.
    """
    if path.name.startswith(("environment", "conda")):
        return True
    try:
        with path.open("rb") as file:
            start = file.read(_LONGEST_HEAD)
    except OSError:
        return False
    return _OF_CONDA.search(start) is not None


def _text_of(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", errors="replace")
    except (OSError, ValueError):
        return None


def _add(files: _Files, path: Path, root: Path, line: int, text: str) -> None:
    pin = parse_requirement(text, f"{os.path.relpath(path, root)}:{line}".replace(os.sep, "/"))
    if pin is not None:
        files.setdefault(path, []).append(pin)


# The kinds of files


def _read_requirements(path: Path, text: str, root: Path, files: _Files) -> None:
    if path in files:
        return
    files[path] = []
    line, start = "", 0
    for number, part in enumerate(text.splitlines(), 1):
        start = start if line else number
        if part.endswith("\\"):
            line += part[:-1]
            continue
        line = re.sub(r"(?:^|\s)#.*", "", line + part).strip()
        included = re.match(r"(?:-r|-c|--requirement|--constraint)[\s=]*(\S+)", line)
        if included:
            other = Path(os.path.normpath(path.parent / included[1]))
            content = _text_of(other)
            if content is not None:
                _read_requirements(other, content, root, files)
        elif not line.startswith("-"):
            _add(files, path, root, start, line)
        line = ""


def _read_environment(path: Path, text: str, root: Path, files: _Files) -> None:
    for node in _conda_dependencies(text):
        _add(files, path, root, node.start_mark.line + 1, node.value)


def _conda_dependencies(text: str) -> list[Any]:
    """The nodes of the packages that conda is to install, and of those that it lets pip install."""
    if _CONDA.search(text) is None:
        return []
    # The one that comes with libcst.
    if sys.version_info[:2] == (3, 13):
        import yaml_ft as yaml
    else:
        import yaml

    found: list[Any] = []
    try:
        loader = yaml.SafeLoader(text)
        while loader.check_node():
            document = loader.get_node()
            if isinstance(document, yaml.MappingNode):
                loader.flatten_mapping(document)
            for node in _items(document, "dependencies"):
                found += _items(node, "pip") if isinstance(node, yaml.MappingNode) else [node]
    except (yaml.YAMLError, RecursionError):
        return []
    return [node for node in found if isinstance(node, yaml.ScalarNode)]


def _items(node: Any, key: str) -> list[Any]:
    """The nodes of the list that a mapping has for a key; none where it is anything else."""
    if node.id != "mapping":
        return []
    given = [value for name, value in node.value if name.value == key]
    return given[-1].value if given and given[-1].id == "sequence" else []


def _read_setup(path: Path, text: str, root: Path, files: _Files) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lists = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    wanted = ("install_requires", "extras_require", "tests_require", "requires")
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and last_name(call.func) == "setup":
            for keyword in call.keywords:
                if keyword.arg in wanted:
                    for line, requirement in _strings_in(keyword.value, lists):
                        _add(files, path, root, line, requirement)


def _strings_in(node: ast.expr, lists: dict[str, ast.expr]) -> Iterator[tuple[int, str]]:
    """The strings of a list, or of a dict's lists, written out or under a name of the module."""
    if isinstance(node, ast.Name) and node.id in lists:
        rest = {name: value for name, value in lists.items() if name != node.id}
        yield from _strings_in(lists[node.id], rest)
    elif isinstance(node, ast.Dict):
        for value in node.values:
            yield from _strings_in(value, lists)
    elif isinstance(node, ast.BinOp):
        yield from _strings_in(node.left, lists)
        yield from _strings_in(node.right, lists)
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        for element in node.elts:
            yield from _strings_in(element, lists)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.lineno, node.value


def _read_setup_cfg(path: Path, text: str, root: Path, files: _Files) -> None:
    import configparser

    parser = configparser.RawConfigParser()
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    values = [parser.get("options", "install_requires", fallback="")]
    if parser.has_section("options.extras_require"):
        values += [value for _, value in parser.items("options.extras_require")]
    requirements = [line for value in values for line in value.split("\n")]
    _add_all(files, path, root, text, requirements)


def _read_pyproject(path: Path, text: str, root: Path, files: _Files) -> None:
    data = _toml(text)
    project = _table(data, "project")
    requirements = [*_list(project.get("dependencies"))]
    for table in (_table(project, "optional-dependencies"), _table(data, "dependency-groups")):
        requirements += [item for group in table.values() for item in _list(group)]
    poetry = _table(data, "tool", "poetry")
    groups = [poetry, *(g for g in _table(poetry, "group").values() if isinstance(g, dict))]
    for group in groups:
        for key in ("dependencies", "dev-dependencies"):
            requirements += _from_table(_table(group, key))
    _add_all(files, path, root, text, requirements)


def _read_pipfile(path: Path, text: str, root: Path, files: _Files) -> None:
    data = _toml(text)
    tables = (_table(data, "packages"), _table(data, "dev-packages"))
    _add_all(files, path, root, text, [r for table in tables for r in _from_table(table)])


def _from_table(table: dict[str, Any]) -> Iterator[str]:
    """The requirements of ``torch = "^1.4"`` and ``torch = {version = "^1.4"}``."""
    for name, value in table.items():
        for entry in value if isinstance(value, list) else [value]:
            if isinstance(entry, dict):
                address = entry.get("url") or entry.get("file") or entry.get("path")
                entry = f"@ {address}" if address else entry.get("version")
            if isinstance(entry, str):
                yield f"{name} {entry}"


def _add_all(
    files: _Files, path: Path, root: Path, text: str, requirements: Iterable[object]
) -> None:
    """Add requirements whose lines have to be searched for."""
    lines = text.splitlines()
    at = 0
    for requirement in requirements:
        if isinstance(requirement, str) and parse_requirement(requirement, "") is not None:
            words = requirement.replace("@ ", "").split()
            order = (*range(at, len(lines)), *range(at))
            number = next((n for n in order if all(word in lines[n] for word in words)), 0)
            at = number + 1
            _add(files, path, root, number + 1, requirement)


def _toml(text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def _table(data: Any, *keys: str) -> dict[str, Any]:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
