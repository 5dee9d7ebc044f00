"""Libraries that a project is a checkout of: there their names are the project's own."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from pathlib import Path

from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.project.paths import INSTALLING, project_root

#: What a folder of the same name only stands for where Python would find it first.
LIBRARIES = ("torch", "torchvision", "torchaudio", "torchtext", "numpy")

_NAMED = lazy_pattern(
    rb"name['\"]?[ \t]*[=:][ \t]*['\"]?(%b)(?![-.\w])" % "|".join(LIBRARIES).encode()
)


def own_libraries(importer: Path) -> Mapping[str, str]:
    """The libraries that a project has itself, as one of its files sees them.

    That is a package of that name beside the file, or in a folder above it up to the top of the
    project, which is on the search path: what is in a package is not, unless its ``setup.py`` names
    it. ``backends/torch`` of a package ``backends`` is no torch.

    Args:
        importer: the importing file, its path resolved.

    Returns:
        For ``torchtext`` the dots, and the folders below, that stand before it in the relative
        import of the same: ``...`` of ``...torchtext``.
    """
    return _seen_from(str(importer.parent))


def own_library(name: str, importer: Path) -> Path | None:
    """The folder that holds a project's own library, as one of its files sees it."""
    return next((Path(f) for f in search_path(importer) if name in _held(str(f))), None)


def search_path(importer: Path) -> tuple[Path, ...]:
    """The folders that an absolute import may be looked up in: from the file's own to the root."""
    return _upwards(importer.parent)


@functools.cache
def _upwards(folder: Path) -> tuple[Path, ...]:
    root = project_root(folder)
    above = [*folder.parents]
    inside = above[: above.index(root) + 1] if root in above else []
    return folder, *inside, root / "src"


@functools.cache
def _seen_from(folder: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for place in map(str, search_path(Path(folder, "importer.py"))):
        for name in _held(place) - found.keys():
            steps = os.path.relpath(place, folder).split(os.sep)
            below = [f"{step}." for step in steps if step not in (os.curdir, os.pardir)]
            found[name] = "." * (1 + steps.count(os.pardir)) + "".join(below)
    return found


@functools.cache
def _held(folder: str) -> frozenset[str]:
    """The libraries that are imported from a folder, where that is on the search path."""
    # Most folders hold nothing of such a name.
    there = [name for name in LIBRARIES if os.path.isdir(os.path.join(folder, name))]
    if not there:
        return frozenset()
    is_package = os.path.isfile(os.path.join(folder, "__init__.py"))
    return frozenset(
        name
        for name in there
        if (not is_package and os.path.isfile(os.path.join(folder, name, "__init__.py")))
        or name in _installed(folder)
    )


def _installed(folder: str) -> frozenset[str]:
    """The libraries that what installs a folder names."""
    found: set[bytes] = set()
    for name in INSTALLING:
        try:
            with open(os.path.join(folder, name), "rb") as file:
                found.update(_NAMED.findall(file.read()))
        except OSError:
            continue
    return frozenset(name.decode() for name in found)
