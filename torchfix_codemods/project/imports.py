"""Which file of a project an import means."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable
from pathlib import Path

from torchfix_codemods.facts.language.foreign import is_foreign
from torchfix_codemods.project.own_libraries import LIBRARIES, own_library, search_path

#: So many entries of a folder, and so many folders in it, are looked at.
_MOST_ENTRIES = 1000
_MOST_FOLDERS = 20


def resolve(dotted: str, importer: Path, added: Iterable[str] = ()) -> Path | None:
    """The file, or the folder of a package without ``__init__.py``, that an import means.

    Args:
        dotted: ``package.module``, or ``..module`` as seen from the importing file.
        importer: the importing file, its path resolved.
        added: the folders of the project that it puts on ``sys.path``.

    Returns:
        None for what is no file of the project, and where several could be meant.
    """
    folders, parts = _begun(dotted, importer, added)
    if is_foreign(f"{dotted}.") and parts[0] not in LIBRARIES:
        return None
    return _follow(folders[0], parts) if len(folders) == 1 else None


def may_mean(dotted: str, importer: Path, added: Iterable[str] = ()) -> frozenset[Path] | None:
    """The files of the project that an import can mean; none for what is of a library.

    Args:
        dotted, importer, added: as for :func:`resolve`.

    Returns:
        None where it may be any file.
    """
    folders, parts = _begun(dotted, importer, added)
    if not folders:
        is_of_library = parts[0] in LIBRARIES or is_foreign(f"{dotted}.")
        return frozenset() if is_of_library else None
    found = [_follow(folder, parts) for folder in folders]
    files = frozenset(file for file in found if file is not None)
    return None if None in found else files


def _begun(dotted: str, importer: Path, added: Iterable[str]) -> tuple[list[Path], list[str]]:
    """The folders in which an import can begin, and the names that follow from there."""
    stripped = dotted.lstrip(".")
    parts = stripped.split(".") if stripped else []
    level = len(dotted) - len(stripped)
    if level:
        folder = importer.parent
        for _ in range(level - 1):
            folder = folder.parent
        return [folder], parts
    if parts[0] in LIBRARIES:
        home = own_library(parts[0], importer)
        return [] if home is None else [home], parts
    tops = {
        top: folder
        for folder in (*search_path(importer), *map(Path, added))
        if (top := module_in(folder, parts[0])) is not None
    }
    return [*tops.values()], parts


def _follow(folder: Path, parts: list[str]) -> Path | None:
    """The module that a dotted name means inside of a folder."""
    found: Path | None = folder if not parts else None
    if not parts and (folder / "__init__.py").is_file():
        return folder / "__init__.py"
    for index, part in enumerate(parts):
        found = module_in(folder, part)
        is_last = index == len(parts) - 1
        if found is None or (not is_last and found.suffix == ".py" and found.stem != "__init__"):
            return None
        folder = found if found.suffix != ".py" else found.parent
    return found


def module_in(folder: Path, name: str) -> Path | None:
    """What ``import name`` finds in a folder, in Python's order."""
    # Most names are looked for in vain, and paths are slow to build.
    package = os.path.join(folder, name)
    for file in (os.path.join(package, "__init__.py"), f"{package}.py"):
        if os.path.isfile(file):
            return Path(file)
    if os.path.isdir(package) and _holds_modules(package):
        return Path(package)
    return None


def _holds_modules(folder: str, levels: int = 2) -> bool:
    """Whether there are files of Python in a folder, or in one of the first folders in it."""
    try:
        with os.scandir(folder) as entries:
            # A folder of data may hold millions.
            first = [*itertools.islice(entries, _MOST_ENTRIES)]
    except OSError:
        return False
    if any(entry.name.endswith(".py") for entry in first):
        return True
    if levels == 1:
        return False
    folders = (entry.path for entry in first if entry.name.isidentifier() and entry.is_dir())
    return any(_holds_modules(f, levels - 1) for f in itertools.islice(folders, _MOST_FOLDERS))
