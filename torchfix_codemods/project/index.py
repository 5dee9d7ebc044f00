"""The project around each file of a run: everything is looked up when it matters, and once."""

from __future__ import annotations

import ast
import functools
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from torchfix_codemods.project.paths import project_digest, project_root

if TYPE_CHECKING:
    from torchfix_codemods.facts.age.ages import Kept
    from torchfix_codemods.facts.age.era import Era, Version
    from torchfix_codemods.facts.language.names import Names
    from torchfix_codemods.facts.module import Facts
    from torchfix_codemods.facts.values.queries import Pending
    from torchfix_codemods.project.kept_ages import KeptAges
    from torchfix_codemods.project.programs import Programs
    from torchfix_codemods.project.run import Run
    from torchfix_codemods.project.texts import Texts

#: Files of more characters together are not kept parsed for the next file to work on: a tree and
#: what is known of it take forty times the memory of the text.
_MOST_PARSED = 700_000

#: So many bytes of files are kept; others are read again when they are asked for again.
_MOST_BYTES = 64_000_000


class Index:
    """The files of the project around each file of a run, as they were when the run began.

    Args:
        rewritten: tells what a file will be once the run is over, where that differs from what it
            is; given for a second look at files that wait for others.
        applies: tells whether this run applies a rule, by its code, to a file.
        run: the run that the work belongs to; None: it is about one file.
        converted: gives what this run makes of a text that is no Python 3, if anything.
        notes: what earlier runs knew of the age of files; None: nothing of that is asked.
        begun: the same files as they were when the run began: what stays as it is is parsed.
    """

    def __init__(
        self,
        rewritten: Callable[[Path], bytes | None] = lambda path: None,
        applies: Callable[[Path, str], bool] = lambda path, code: False,
        run: Run | None = None,
        converted: Callable[[str], str | None] = lambda text: None,
        notes: KeptAges | None = None,
        begun: Index | None = None,
    ) -> None:
        self.applies = applies
        self._begun = begun
        self.converted = converted
        self._run = run
        self.notes = notes
        self._heads: dict[Path, str] = {}
        self.required: dict[Path, Era | None] = {}
        """Which torch versions the requirements in each folder allow; None: they say nothing."""
        self.vintages: dict[Path, Era] = {}
        """For which torch each project was written, as its files show it together."""
        self.needs: dict[Path, list[tuple[Version, str]]] = {}
        """By project what its files need at most, as their words show it, the newest first."""
        self.needed: dict[str, Version | None] = {}
        """Which torch a file needs; None: no certain one."""
        self._root: Path | None = None
        self._rewritten = rewritten
        self._data: dict[str, bytes] = {}
        self._room = _MOST_BYTES
        self._resolved: dict[tuple[Path, tuple[str, ...], str], Path | None] = {}
        self._meant: dict[tuple[Path, tuple[str, ...], str], frozenset[Path] | None] = {}
        self._added: dict[Path, tuple[str, ...]] = {}
        self._parsed: dict[Path, Facts | None] = {}
        self._parsed_size = 0
        self._names: dict[Path, tuple[str, Names]] = {}
        self._names_size = 0
        # By name: the hash of a path is slow.
        self._digests: dict[str, str] = {}
        self._drawn: dict[str, set[str]] = {}
        self._project_digests: dict[Path, str | None] = {}

    def enter(self, path: Path) -> None:
        """Free what is kept of the files of another project than that of a file to work on.

        Of the same project too much is not kept either. What is known of one file refers to
        others, so they go together, while nobody is at work on one.
        """
        root = project_root(path.parent)
        if root != self._root:
            self._root = root
            self._data.clear()
            self._room = _MOST_BYTES
            self._names.clear()
            self._names_size = 0
        elif self._parsed_size <= _MOST_PARSED:
            return
        for facts in self._parsed.values():
            if facts is not None:
                facts.release()
        self._parsed.clear()
        self._parsed_size = 0

    def read(self, path: str | Path) -> bytes:
        """The bytes of a file when the run began; none where it cannot be read."""
        key = str(path)
        known = self._data.get(key)
        if known is not None:
            return known
        data = _bytes_of(path)
        # Asked after reading: what is rewritten meanwhile was kept before.
        original = None if self._run is None else self._run.original(Path(path))
        data = data if original is None else original
        if len(data) <= self._room:
            self._room -= len(data)
            self._data[key] = data
        return data

    def keep(self, path: Path, data: bytes) -> None:
        """Keep what a file is, for this run, before it is rewritten."""
        if self._run is not None:
            self._run.keep(path, data)

    def digest(self, path: Path) -> str | None:
        """A digest of what was in the project of a file when the run began, if that can be said.

        It changes with each file that could decide about a rewrite in another one.
        """
        root = project_root(path.parent)
        if root not in self._project_digests:
            self._project_digests[root] = project_digest(root, self._status)
        return self._project_digests[root]

    def _status(self, path: str) -> os.stat_result:
        """The size and time of a file when the run began."""
        status = os.stat(path)
        # Asked afterwards: what is rewritten meanwhile was kept before.
        original = None if self._run is None else self._run.original_status(path)
        return status if original is None else original

    def kept_ages(self, path: Path, text: str) -> Kept:
        """What an earlier run knew of the age of a file."""
        from torchfix_codemods.facts.age.ages import NOTHING_KEPT

        return NOTHING_KEPT if self.notes is None else self.notes.of(path, text)

    def age_digest(self, path: Path) -> str:
        """A digest of what can be known of the age of a file besides what is in it."""
        from torchfix_codemods.project.history import head

        note = b"" if self.notes is None else self.notes.state(path)
        root = project_root(path.parent)
        if root not in self._heads:
            self._heads[root] = head(root)
        return _sha256(note + self._heads[root].encode())

    @property
    def run(self) -> str | None:
        """A digest of the list of files that the run is about."""
        return None if self._run is None else self._run.digest

    @functools.cached_property
    def texts(self) -> Texts:
        """What the texts of the files say of each other."""
        from torchfix_codemods.project.texts import Texts

        return Texts(self.read, self.resolve, self.may_mean)

    @functools.cached_property
    def programs(self) -> Programs:
        """Which files belong to the same program."""
        from torchfix_codemods.project.programs import Programs

        return Programs(self.texts)

    def resolve(self, dotted: str, importer: Path) -> Path | None:
        """What :func:`torchfix_codemods.project.imports.resolve` says."""
        from torchfix_codemods.project.imports import resolve

        added = self._added_folders(importer)
        key = importer.parent, added, dotted
        if key not in self._resolved:
            self._resolved[key] = resolve(dotted, importer, added)
        return self._resolved[key]

    def may_mean(self, dotted: str, importer: Path) -> frozenset[Path] | None:
        """What :func:`torchfix_codemods.project.imports.may_mean` says."""
        from torchfix_codemods.project.imports import may_mean

        added = self._added_folders(importer)
        key = importer.parent, added, dotted
        if key not in self._meant:
            self._meant[key] = may_mean(dotted, importer, added)
        return self._meant[key]

    def _added_folders(self, importer: Path) -> tuple[str, ...]:
        """The folders that a file puts on ``sys.path``."""
        if importer not in self._added:
            from torchfix_codemods.project.search_paths import added_folders

            self._added[importer] = added_folders(importer, self)
        return self._added[importer]

    # What is in a file

    def facts(self, path: Path) -> Facts | None:
        """What is known of a file that others import; None where it cannot be parsed."""
        if path not in self._parsed:
            self._parsed[path] = facts = self._parse(path)
            self._parsed_size += 0 if facts is None else len(facts.text)
        return self._parsed[path]

    def parsed(self, path: Path) -> Facts | None:
        """What is known of a file that was asked for already."""
        return self._parsed.get(path)

    def keep_names(self, path: Path, text: str, names: Names) -> None:
        """Keep the scopes of a file that was parsed for itself, for others that ask for it."""
        self._names_size += len(text)
        if self._names_size > _MOST_PARSED:
            self._names.clear()
            self._names_size = len(text)
        self._names[path] = text, names

    def _names_of(self, path: Path, text: str) -> Names | None:
        """The scopes of a file, where a text is the one that they are known of."""
        known, names = self._names.get(path, ("", None))
        begun = None if self._begun is None else self._begun.parsed(path)
        if names is None and begun is not None:
            known, names = begun.text, begun.names
        return names.again() if names is not None and known == text else None

    def _parse(self, path: Path) -> Facts | None:
        from torchfix_codemods.facts.programs.whole import WholeFacts
        from torchfix_codemods.project.files import FilesOf
        from torchfix_codemods.text.repair import repair_async
        from torchfix_codemods.text.source import SourceError, decode
        from torchfix_codemods.text.stack import is_deep

        rewritten = self._rewritten(path)
        data = self.read(path) if rewritten is None else rewritten
        self._digests[str(path)] = _sha256(data)
        names = None
        try:
            text, _ = repair_async(decode(data).text)
            names = self._names_of(path, text)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    tree = ast.parse(text) if names is None else names.tree
                except SyntaxError:
                    text = self.converted(text) or text
                    tree = ast.parse(text)
        except (SourceError, SyntaxError, ValueError, MemoryError):
            return None
        except RecursionError:
            if not is_deep():
                raise
            return None
        files = FilesOf(path, self)
        return WholeFacts(
            tree,
            text,
            names=names,
            used_elsewhere=lambda name: True,
            files=files,
            pending=self._pending,
            ages=files.ages(text),
        )

    @functools.cached_property
    def _pending(self) -> Pending:
        from torchfix_codemods.facts.values.queries import Pending

        return Pending()

    def note_drawn(self, importer: Path, path: Path) -> None:
        """Remember that what is known of a file was drawn from another one."""
        self._drawn.setdefault(str(importer), set()).add(str(path))

    def drawn_from(self, importer: Path) -> tuple[tuple[str, str], ...]:
        """The files that a file's facts were drawn from, and the digests of their bytes."""
        own = str(importer)
        seen: set[str] = set()
        pending = [own]
        while pending:
            new = self._drawn.get(pending.pop(), set()) - seen
            seen |= new
            pending += new
        return tuple(sorted((path, self._digests[path]) for path in seen - {own}))


def _sha256(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()


def _bytes_of(path: str | Path) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
