"""From paths on the command line to the files to work on."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from torchfix_codemods.record import record

#: Folders that never hold a project's own sources.
_NEVER = frozenset(
    """.git .hg .svn .tox .nox .venv venv .eggs __pycache__ build dist node_modules site-packages
    .mypy_cache .pytest_cache .ruff_cache .ipynb_checkpoints""".split()
)
#: How the names of Python files end.
PYTHON = (".py", ".pyw")


class Patterns:
    """Patterns in the syntax of ``.gitignore``, relative to a folder.

    What lies outside the folder matches nothing, or with ``anywhere`` by its last name.
    """

    def __init__(self, lines: Iterable[str], base: Path, anywhere: bool = False) -> None:
        self._lines = [line for line in lines if line.strip()]
        self._base = os.path.abspath(base)
        self._anywhere = anywhere
        self._spec: object = None

    def match(self, path: Path, folder: bool = False) -> bool:
        """Whether a file (or a folder) is meant."""
        return self.decide(path, folder) is True

    def cover(self, folder: Path) -> bool:
        """Whether the patterns are about what is in ``folder``."""
        return os.path.commonpath([self._base, os.path.abspath(folder)]) == self._base

    def decide(self, path: Path, folder: bool = False) -> bool | None:
        """Whether a file (or a folder) is meant; None where no pattern says anything about it."""
        if not self._lines:
            return None
        import pathspec

        if self._spec is None:
            self._spec = pathspec.GitIgnoreSpec.from_lines(self._lines)
        assert isinstance(self._spec, pathspec.GitIgnoreSpec)
        relative = os.path.relpath(os.path.abspath(path), self._base)
        if relative == ".":
            return None
        if relative == ".." or relative.startswith(f"..{os.sep}"):
            if not self._anywhere:
                return None
            relative = os.path.basename(path)
        relative = relative.replace(os.sep, "/")
        return self._spec.check_file(relative + "/" if folder else relative).include


@record
class Wanted:
    """What is searched for in a folder."""

    excluded: Patterns
    suffixes: tuple[str, ...] = PYTHON


def is_meant(path: Path, patterns: Iterable[str], root: Path) -> bool:
    """Whether patterns of the settings, relative to their folder, mean a file."""
    return Patterns(patterns, root, anywhere=True).match(path)


def python_files(
    paths: Iterable[Path],
    root: Path,
    exclude: Iterable[str],
    suffixes: tuple[str, ...] = PYTHON,
    unreadable: Callable[[OSError], None] | None = None,
    nearest: Callable[[str], Wanted] | None = None,
    dangling: Callable[[Path], None] | None = None,
) -> Iterator[Path]:
    """Yield the Python files that ``paths`` mean, each once, in a fixed order.

    A file named on the command line is taken whatever its suffix, unless ``exclude`` names it (as
    pre-commit passes files one by one). Folders are searched without what ``.gitignore`` files
    in them and above them hide, ``info/exclude`` of the checkout and the user's
    ``core.excludesFile``; a folder that is itself hidden but named is searched all the same.
    Links in folders are passed over; a file that several names lead to is taken once.

    Args:
        paths: existing files and folders.
        root: the folder that the patterns of ``exclude`` are relative to.
        exclude: patterns in the syntax of ``.gitignore``.
        suffixes: how the names of the files end that are searched for in folders.
        unreadable: called for each folder that cannot be searched; None: they are passed over.
        nearest: what is wanted of each folder, where that is not the same for all.
        dangling: called for each link in a folder that leads to nothing.
    """
    everywhere = Wanted(Patterns(exclude, root, anywhere=True), suffixes)
    wanted = nearest or (lambda folder: everywhere)
    seen: set[str] = set()
    for path in paths:
        alone = [(path, os.path.realpath(path))]
        is_folder = os.path.isdir(path)
        candidates = _search(path, wanted, unreadable, dangling) if is_folder else alone
        for candidate, target in candidates:
            excluded = wanted(os.path.dirname(candidate)).excluded
            if target not in seen and not excluded.match(candidate):
                seen.add(target)
                yield candidate


def _search(
    folder: Path,
    wanted: Callable[[str], Wanted],
    unreadable: Callable[[OSError], None] | None,
    dangling: Callable[[Path], None] | None,
) -> Iterator[tuple[Path, str]]:
    """The files in a folder, each with its real path."""
    resolved = folder.resolve()
    above = reversed(_project_folders(resolved))
    ignores = [Patterns(lines, parent) for parent in above if (lines := _gitignore(parent))]
    root = _project_folders(resolved)[-1]
    if os.path.exists(root / ".git"):
        from torchfix_codemods.runs.git_excludes import git_excludes

        ignores = [*(Patterns(lines, root) for lines in git_excludes(root)), *ignores]
    if any(_is_ignored(ignores, part, True) for part in [resolved, *resolved.parents]):
        ignores = []
    for where, folders, files in os.walk(folder, onerror=unreadable):
        here = Path(where)
        excluded, suffixes = (asked := wanted(where)).excluded, asked.suffixes
        real = resolved / here.relative_to(folder)
        # The walk goes depth first: folders beside this one may have been searched before.
        ignores = [patterns for patterns in ignores if patterns.cover(real)]
        if here != folder and ".gitignore" in files:
            ignores.append(Patterns(_gitignore(real), real))
        folders[:] = sorted(
            name
            for name in folders
            if name not in _NEVER
            and not os.path.islink(os.path.join(where, name))
            and not excluded.match(here / name, folder=True)
            and not _is_ignored(ignores, real / name, folder=True)
        )
        for name in sorted(files):
            if not name.endswith(suffixes):
                continue
            if not _is_own_file(os.path.join(where, name)):
                if dangling is not None and leads_nowhere(here / name):
                    dangling(here / name)
                continue
            target = os.path.join(real, name)
            if not ignores or not _is_ignored(ignores, Path(target)):
                yield here / name, target


def leads_nowhere(path: Path) -> bool:
    """Whether a path is a link to something that is not there."""
    return os.path.islink(path) and not os.path.exists(path)


def _is_own_file(path: str) -> bool:
    """Whether a path is a file itself: no link, and no pipe that would keep a reader waiting."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def _is_ignored(ignores: Sequence[Patterns], path: Path, folder: bool = False) -> bool:
    """Whether git hides a path: the innermost ``.gitignore`` that mentions it decides.

    Args:
        ignores: the patterns of the folders around ``path``, outermost first.
        path: a file or folder.
        folder: which of the two.
    """
    decisions = (patterns.decide(path, folder) for patterns in reversed(ignores))
    return next((decision for decision in decisions if decision is not None), False)


def _project_folders(folder: Path) -> list[Path]:
    """``folder`` and its parents up to the root of its git checkout, innermost first."""
    chain = [folder, *folder.parents]
    for index, parent in enumerate(chain):
        if os.path.exists(parent / ".git"):
            return chain[: index + 1]
    return chain[:1]


def _gitignore(folder: Path) -> list[str]:
    try:
        return (folder / ".gitignore").read_text("utf-8", errors="replace").split("\n")
    except OSError:
        return []
