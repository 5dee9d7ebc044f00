"""Where the files of a project are, and a digest of all that can decide about a rewrite."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from torchfix_codemods.patterns import lazy_pattern

#: A project of more files than this is not searched.
_MOST_FILES = 20_000

#: Folders of more files than this hold data, no further requirements.
_MOST_TEXTS = 500

#: What stands at the top of most projects.
_INTRODUCTIONS = ("README.md", "README.rst", "README.txt", "README", "readme.md", "LICENSE")

#: What makes a project one that can be installed.
INSTALLING = ("setup.py", "setup.cfg", "pyproject.toml")

#: Words without which a ``setup.py`` is no script that installs, or one that installs no modules.
_OF_SCRIPTS = (b"setuptools", b"distutils", b"skbuild")
_OF_MODULES = (b"packages", b"py_modules", b"**")

#: What else a package has at its top that is a whole project.
_OF_WHOLE_PROJECTS = (*_INTRODUCTIONS, *INSTALLING, ".gitignore", "requirements.txt")

#: So many folders above a package, or a setup.py, can be the top of its project.
_MOST_FOLDERS_ABOVE = 2

#: Files that say which torch a project requires.
_REQUIRING = lazy_pattern(r".*requirements?.*\.txt|.*\.ya?ml|setup\.cfg|Pipfile")


@functools.cache
def _real_folder(folder: str) -> str:
    """The real path of a folder. Each folder around it is looked at once."""
    above, name = os.path.split(folder)
    # Windows has other links as well, and several names of a folder.
    if os.name == "nt" or name in ("", os.curdir, os.pardir) or os.path.islink(folder):
        return os.path.realpath(folder)
    return os.path.join(_real_folder(above), name)


def resolved(path: Path) -> Path:
    """A file's real path. The folders around it are looked up once."""
    return Path(resolved_name(path))


def resolved_name(path: Path) -> str:
    """A file's real path as text."""
    if os.path.islink(path):
        return os.path.realpath(path)
    folder, name = os.path.split(path)
    return os.path.join(_real_folder(os.path.join(os.getcwd(), folder)), name)


def project_root(folder: Path) -> Path:
    """The checkout that a folder belongs to, or else what is likely to be a whole project.

    That is the folder of the nearest ``setup.py``, or the one around the outermost package; or one
    above that introduces itself, where that does not: ``lib/setup.py`` often builds extensions for
    the scripts beside ``lib``. A package is a whole project where no name can import it
    (``SentEval-master``), and where it introduces itself and nothing around it does.
    """
    return _root_of(folder, "" if folder.is_absolute() else os.getcwd())


@functools.cache
def _root_of(folder: Path, where: str) -> Path:
    # Asked of each folder of a run, and paths are slow to build.
    inner = _real_folder(os.path.join(where, folder))
    above = [*_upwards(inner)]
    home = os.path.expanduser("~")
    for around in above:
        # Some keep their settings in a checkout that is their home.
        if around != home and os.path.exists(os.path.join(around, ".git")):
            return Path(around)
    setup = (f for f in above if os.path.isfile(os.path.join(f, "setup.py")))
    around_package = next((f for f in above if not _is_importable(f)), inner)
    root = next(setup, around_package)
    whole = above[above.index(root) :][: 1 + _MOST_FOLDERS_ABOVE]
    package = above[: above.index(root)][-1:] if root is around_package else []
    found = (*filter(_introduces_itself, whole), *filter(_is_like_project, package), root)
    return Path(found[0])


def _upwards(folder: str) -> Iterator[str]:
    """A folder and those around it, innermost first."""
    while True:
        yield folder
        folder, last = os.path.dirname(folder), folder
        if folder == last:
            return


def _is_importable(folder: str) -> bool:
    """Whether a folder is a package, by a name that an import can have."""
    is_named = os.path.basename(folder).isidentifier()
    return is_named and os.path.isfile(os.path.join(folder, "__init__.py"))


def _introduces_itself(folder: str) -> bool:
    return _holds_any(folder, _INTRODUCTIONS)


def _is_like_project(package: str) -> bool:
    return _holds_any(package, _OF_WHOLE_PROJECTS)


def _holds_any(folder: str, names: tuple[str, ...]) -> bool:
    return any(os.path.isfile(os.path.join(folder, name)) for name in names)


def is_of_library(folder: Path) -> bool:
    """Whether the modules of a folder may be imported by programs out of sight.

    That is a package, unless it is certainly part of a checkout that nobody can install.
    """
    if not (folder / "__init__.py").exists():
        return False
    root = str(project_root(folder))
    is_checkout = _introduces_itself(root) or os.path.exists(os.path.join(root, ".git"))
    above = [str(folder), *map(str, folder.parents)]
    inside = above[: above.index(root) + 1] if root in above else above
    return not is_checkout or any(map(_installs_modules, inside))


def _installs_modules(folder: str) -> bool:
    """Whether a folder has what installs the Python modules of a project."""
    script = os.path.join(folder, INSTALLING[0])
    if _holds_any(folder, INSTALLING[1:]):
        return True
    return os.path.isfile(script) and not _only_builds(script, os.stat(script).st_mtime_ns)


@functools.lru_cache
def _only_builds(script: str, changed: int) -> bool:
    """Whether a ``setup.py`` only builds extensions beside its modules, or is no such script."""
    try:
        text = Path(script).read_bytes()
    except OSError:
        return False
    if not text.strip() or any(word in text for word in _OF_MODULES):
        return False
    return b"ext_modules" in text or not any(word in text for word in _OF_SCRIPTS)


def python_files(root: Path) -> list[str] | None:
    """The names of the Python files and notebooks below ``root``; None where they are too many."""
    found = list(first_python_files(root))
    return found if len(found) <= _MOST_FILES else None


def may_have_module(folder: Path, name: str) -> bool:
    """Whether a project has a module of a name, wherever in it; a doubt counts as yes.

    Args:
        folder: one of its folders.
        name: of the module, without a dot.
    """
    files = python_files(project_root(resolved(folder)))
    return files is None or any(
        name in (os.path.basename(file).partition(".")[0], os.path.basename(os.path.dirname(file)))
        for file in files
    )


def first_python_files(root: Path) -> Iterator[str]:
    """The same one by one, as they are come across; of too many the first."""
    count = 0
    for where, folders, files in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith(".") and f != "site-packages"]
        paths = [os.path.join(where, f) for f in files if f.endswith((".py", ".ipynb"))]
        for path in paths:
            # Not what keeps a reader waiting.
            if os.path.isfile(path):
                count += 1
                yield path
        if count > _MOST_FILES:
            return


def project_digest(root: Path, status_of: Callable[[str], os.stat_result]) -> str | None:
    """A digest of the names, sizes and times of the files that can decide about rewrites."""
    import hashlib

    digest = hashlib.sha256(os.fsencode(root))
    count = 0
    for where, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f != "site-packages")
        is_small = len(files) <= _MOST_TEXTS
        for name in sorted(files):
            is_text = is_small and name.endswith((".txt", ".toml"))
            if name.endswith((".py", ".ipynb")) or is_text or _REQUIRING.fullmatch(name):
                try:
                    status = status_of(os.path.join(where, name))
                except OSError:
                    continue
                line = f"{where}/{name} {status.st_size} {status.st_mtime_ns}\0"
                digest.update(os.fsencode(line))
                count += 1
        if count > _MOST_FILES:
            return None
    return digest.hexdigest()
