"""The other files of a project: which file an import means, and who takes what from whom.

Everything is looked up only when a rewrite depends on it, and remembered for one run.
"""

from __future__ import annotations

import ast
import functools
import os
import re
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from torchfix_codemods.facts.libraries import is_foreign

if TYPE_CHECKING:
    from torchfix_codemods.facts.elsewhere import OtherFile
    from torchfix_codemods.facts.era import Era
    from torchfix_codemods.facts.infer import Inference
    from torchfix_codemods.facts.module import Facts
    from torchfix_codemods.facts.names import Names
    from torchfix_codemods.run import Run

# A line end is found faster than the start of a line.
_IMPORT = re.compile(rb"\n[ \t]*(?:from|import)[ \t]+([^\n#]+)")
_WORD = re.compile(rb"\w+")
_FROM_IMPORT = re.compile(rb"\n[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)")
# What stands before the dot is looked up afterwards: a pattern that begins with it is slow.
_ASSIGNED = re.compile(rb"\.(\w+)[ \t]*(?:=(?!=)|[-+*/%@&|^]=|(?://|\*\*|<<|>>)=)")
_OF_WORDS = b"_" + bytes(code for code in range(128) if chr(code).isalnum())
_STAR = re.compile(rb"import[ \t(]*\*")
_STAR_IMPORT = re.compile(rb"\n[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t(]*\*")
_DEFINED = re.compile(rb"def[ \t]+(\w+)")
_SETATTR = re.compile(rb"\bsetattr\(\s*(\w+)[^,\n]*,\s*[rub]*['\"](\w+)['\"]")
_ASSIGNED_TOGETHER = re.compile(rb"\n[ \t]*((?:[\w.]+[ \t]*,[ \t]*)+[\w.]+)[ \t]*=(?!=)")
_ATTRIBUTE = re.compile(rb"(\w+)\.(\w+)(?![\w.])")

#: A project of more files than this is not searched.
_MOST_FILES = 20_000

#: Files of so many characters together are kept parsed; what is asked for later is parsed again.
#: A tree and what is known of it take a hundred times the memory of the text.
_MOST_PARSED = 3_000_000

#: Folders of more files than this hold data, no further requirements.
_MOST_TEXTS = 500

_LONGEST_NAME = 80

#: Files that say which torch a project requires.
_REQUIRING = re.compile(r".*requirements?.*\.txt|(environment|conda).*\.ya?ml|setup\.cfg|Pipfile")

#: So many bytes of files are kept; others are read again when they are asked for again.
_MOST_BYTES = 64_000_000

#: Libraries that nobody's folder of the same name stands for.
_NEVER_OURS = frozenset({"torch", "torchvision", "torchaudio", "torchtext", "numpy"})


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


#: What of all things only tensors have. A module that gets some need not import torch.
OF_TENSORS = re.compile(
    rb"\.(?:expand_as|view_as|unsqueeze|topk|masked_fill_?|masked_select|index_select)\("
)


@functools.cache
def project_root(folder: Path) -> Path:
    """The checkout that a folder belongs to, or else the one around its outermost package."""
    # Asked of each folder of a run, and paths are slow to build.
    inner = outer = _real_folder(os.path.join(os.getcwd(), folder))
    while True:
        is_setup = os.path.isfile(os.path.join(outer, "setup.py"))
        if is_setup or os.path.exists(os.path.join(outer, ".git")):
            return Path(outer)
        outer, last = os.path.dirname(outer), outer
        if outer == last:
            break
    while os.path.isfile(os.path.join(inner, "__init__.py")) and os.path.dirname(inner) != inner:
        inner = os.path.dirname(inner)
    return Path(inner)


class Index:
    """The files of the project around each file of a run, as they were when the run began.

    Args:
        rewritten: tells what a file will be once the run is over, where that differs from what it
            is; given for a second look at files that wait for others.
        applies: tells whether this run applies a rule, by its code, to a file.
        run: the run that the work belongs to; None: it is about one file.
        converted: gives what this run makes of a text that is no Python 3, if anything.
    """

    def __init__(
        self,
        rewritten: Callable[[Path], bytes | None] = lambda path: None,
        applies: Callable[[Path, str], bool] = lambda path, code: False,
        run: Run | None = None,
        converted: Callable[[str], str | None] = lambda text: None,
    ) -> None:
        self.applies = applies
        self.converted = converted
        self._run = run
        self.required: dict[Path, Era | None] = {}
        """Which torch versions the requirements in each folder allow; None: they say nothing."""
        self._root: Path | None = None
        self._rewritten = rewritten
        self._words: dict[Path, dict[bytes, frozenset[str]] | None] = {}
        self._data: dict[str, bytes] = {}
        self._room = _MOST_BYTES
        self._importers: dict[Path, frozenset[str] | None] = {}
        self._from_imports: dict[Path, list[tuple[bytes, bytes]]] = {}
        self._assigned: dict[str, dict[bytes, set[bytes]]] = {}
        self._resolved: dict[tuple[Path, str], Path | None] = {}
        self._parsed: OrderedDict[Path, Facts | None] = OrderedDict()
        self._parsed_size = 0
        self._files: dict[Path, list[str] | None] = {}
        self._mentioning: dict[tuple[Path, str], list[Path] | None] = {}
        self._methods: dict[tuple[Path, str], bool] = {}
        self._defined: dict[Path, frozenset[bytes] | None] = {}
        self._may_bind: dict[tuple[Path, str], bool] = {}
        # By name: the hash of a path is slow.
        self._digests: dict[str, str] = {}
        self._drawn: dict[str, set[str]] = {}
        self._pending: object | None = None
        self._project_digests: dict[Path, str | None] = {}

    def enter(self, path: Path) -> None:
        """Free what is kept of the files of another project than that of a file to work on."""
        root = project_root(path.parent)
        if root == self._root:
            return
        self._root = root
        for facts in self._parsed.values():
            if facts is not None:
                facts.release()
        self._parsed.clear()
        self._parsed_size = 0
        self._data.clear()
        self._room = _MOST_BYTES

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
            self._project_digests[root] = _project_digest(root, self._status)
        return self._project_digests[root]

    def _status(self, path: str) -> os.stat_result:
        """The size and time of a file when the run began."""
        status = os.stat(path)
        # Asked afterwards: what is rewritten meanwhile was kept before.
        original = None if self._run is None else self._run.original_status(path)
        return status if original is None else original

    @property
    def run(self) -> str | None:
        """A digest of the list of files that the run is about."""
        return None if self._run is None else self._run.digest

    # Who imports a file

    def is_imported_elsewhere(self, path: Path) -> bool:
        """Whether another file of the project may import from ``path``.

        Asked before something that other files could use is removed, so a doubt counts as yes:
        the module's name only has to stand in an import line of any Python file of the project.
        """
        if path.stem == "__init__":
            return True
        importers = self.importers(path)
        return importers is None or bool(importers)

    def is_used_elsewhere(self, path: Path, name: str, depth: int = 3) -> bool:
        """Whether another file may take ``name`` from ``path``; a doubt counts as yes.

        That is ``from path import name``, ``path.name`` after an import of the module, and a star
        import in a file that speaks of the name without an import of its own, or that passes it on.
        """
        if path.stem == "__init__" or depth == 0:
            return True
        importers = self.importers(path)
        if importers is None:
            return True
        return any(self._takes(path.stem, name, Path(file), depth) for file in importers)

    def is_used_with_torch(self, path: Path, depth: int = 3) -> bool:
        """Whether a file that may import ``path``, or what passes it on, speaks of torch."""
        importers = self.importers(path)
        if not importers or depth == 0:
            return False
        return any(b"torch" in self.read(file) for file in importers) or any(
            self.is_used_with_torch(Path(file), depth - 1) for file in importers
        )

    def importers(self, path: Path) -> frozenset[str] | None:
        """The other files with the name of a module in an import line; None: any file."""
        if path not in self._importers:
            self._importers[path] = self._find_importers(path)
        return self._importers[path]

    def _find_importers(self, path: Path) -> frozenset[str] | None:
        words = self._imported_words(project_root(path.parent))
        if words is None:
            return None
        stem = path.parent.resolve().name if path.stem == "__init__" else path.stem
        return words.get(os.fsencode(stem), frozenset()) - {str(resolved(path))}

    def is_assigned(self, path: Path, name: str, by_module: bool) -> bool:
        """Whether a file that may import ``path`` assigns to ``….name``, or may do so."""
        importers = self.importers(path)
        if importers is None:
            return True
        words = self._imported_words(project_root(path.parent)) or {}
        wanted = name.encode()
        return any(
            not by_module or file in words.get(receiver, ())
            for file in (*importers, str(path))
            for receiver in self._assignments(file).get(wanted, ())
        )

    def is_assigned_anywhere(self, path: Path, name: str) -> bool:
        """Whether any file of the project assigns to ``….name`` of what is not ``self``."""
        files = self._python_files(project_root(path.parent))
        return files is None or any(name.encode() in self._assignments(file) for file in files)

    def may_bind(self, path: Path, name: str) -> bool:
        """Whether a text, or one that it takes all names from, may bind a name.

        Nothing is parsed: packages take the names of hundreds of files that way.
        """
        key = path, name
        if key not in self._may_bind:
            # A file that takes names from itself gets no more of them by that.
            self._may_bind[key] = False
            self._may_bind[key] = self._finds_binding(path, name)
        return self._may_bind[key]

    def _finds_binding(self, path: Path, name: str) -> bool:
        data = self.read(path)
        text = b"\n" + data
        if name.encode() in data and _binding_of(name).search(text) is not None:
            return True
        stars = _STAR_IMPORT.findall(text)
        if len(stars) != len(_STAR.findall(data)):
            return True
        files = [self.resolve(os.fsdecode(module), path) for module in stars]
        return any(f is None or f.suffix != ".py" or self.may_bind(f, name) for f in files)

    def mentioning(self, path: Path, word: str) -> list[Path] | None:
        """The other files of the project that hold a word; None where there are too many files."""
        found = self._all_mentioning(path, word)
        own = resolved(path)
        return None if found is None else [file for file in found if file != own]

    def is_method(self, path: Path, name: str) -> bool:
        """Whether a class of another file may have a method of that name without arguments."""
        key = project_root(path.parent), name
        if key not in self._methods:
            wanted = name.encode()
            pattern = re.compile(rb"\bdef[ \t]+%s[ \t]*\([ \t]*self[ \t]*\)" % re.escape(wanted))
            files = self._python_files(key[0])
            self._methods[key] = files is None or any(
                wanted in (data := self.read(f)) and pattern.search(data) for f in files
            )
        return self._methods[key]

    def defined(self, path: Path) -> frozenset[bytes] | None:
        """The functions that the files of the project of ``path`` define; None: any."""
        root = project_root(path.parent)
        if root not in self._defined:
            self._defined[root] = self._find_defined(root)
        return self._defined[root]

    def _find_defined(self, root: Path) -> frozenset[bytes] | None:
        files = self._python_files(root)
        if files is None:
            return None
        return frozenset(name for file in files for name in _DEFINED.findall(self.read(file)))

    def is_mentioned(self, path: Path, name: str) -> bool:
        """Whether any file of the project of ``path`` holds a word; a doubt counts as yes."""
        return self._all_mentioning(path, name) != []

    def _all_mentioning(self, path: Path, word: str) -> list[Path] | None:
        key = project_root(path.parent), word
        if key not in self._mentioning:
            self._mentioning[key] = self._find_mentioning(*key)
        return self._mentioning[key]

    def _python_files(self, root: Path) -> list[str] | None:
        if root not in self._files:
            self._files[root] = _find_python_files(root)
        return self._files[root]

    def _find_mentioning(self, root: Path, word: str) -> list[Path] | None:
        wanted = word.encode()
        pattern = re.compile(rb"\b%s\b" % re.escape(wanted))
        files = self._python_files(root)
        if files is None:
            return None
        return sorted(
            Path(file).resolve()
            for file in files
            if wanted in (data := self.read(file)) and pattern.search(data)
        )

    def _takes(self, stem: str, name: str, importer: Path, depth: int) -> bool:
        """Whether a file with an import line that holds ``stem`` takes ``name`` from there."""
        data = self.read(importer)
        spoken = name.encode()
        is_spoken = spoken in data
        module, wanted = re.escape(os.fsencode(stem)), re.escape(spoken)
        for names in self._imports_from(importer, os.fsencode(stem)):
            if is_spoken and re.search(rb"\b%s\b" % wanted, names):
                return True
            if b"*" in names:
                own = rb"^[ \t]*(?:from[ \t]+torch[\w.]*[ \t]+)?import\b[^\n]*\b%s\b" % wanted
                mentions = is_spoken and re.search(rb"\b%s\b" % wanted, data) is not None
                if mentions and not re.search(own, data, re.MULTILINE):
                    return True
                if self.is_used_elsewhere(importer, name, depth - 1):
                    return True
        if not is_spoken:
            return False
        whole = (
            rb"^[ \t]*(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+[^\n]*\b%s\b(?:[ \t]+as[ \t]+(\w+))?"
        )
        for alias in re.findall(whole % module, data, re.MULTILINE):
            if re.search(rb"\b%s\s*\.\s*%s\b" % (alias or module, wanted), data):
                return True
        return False

    def _imports_from(self, importer: Path, stem: bytes) -> Iterator[bytes]:
        """What each ``from ….stem import`` of a file lists."""
        if importer not in self._from_imports:
            self._from_imports[importer] = _FROM_IMPORT.findall(b"\n" + self.read(importer))
        for module, names in self._from_imports[importer]:
            if module == stem or module.endswith(b"." + stem):
                yield names

    def _imported_words(self, root: Path) -> dict[bytes, frozenset[str]] | None:
        """For every word in an import line below ``root``, the files that hold it."""
        if root not in self._words:
            self._words[root] = self._find_imported_words(root)
        return self._words[root]

    def _find_imported_words(self, root: Path) -> dict[bytes, frozenset[str]] | None:
        table: dict[bytes, set[str]] = {}
        files = self._python_files(root)
        if files is None:
            return None
        for path in files:
            data = self.read(path)
            if path.endswith(".ipynb"):
                data = data.replace(b'"', b"\n")
            for word in set(_WORD.findall(b"\n".join(_IMPORT.findall(b"\n" + data)))):
                table.setdefault(word, set()).add(path)
        return {word: frozenset(paths) for word, paths in table.items()}

    def _assignments(self, file: str) -> dict[bytes, set[bytes]]:
        """The names before the dot of each attribute that a file assigns, but of ``self``."""
        if file not in self._assigned:
            found: dict[bytes, set[bytes]] = {}
            self._assigned[file] = found
            for receiver, name in _find_assignments(self.read(file)):
                if receiver != b"self":
                    found.setdefault(name, set()).add(receiver)
        return self._assigned[file]

    # What an import means

    def resolve(self, dotted: str, importer: Path) -> Path | None:
        """The file, or the folder of a package without ``__init__.py``, that an import means.

        Args:
            dotted: ``package.module``, or ``..module`` as seen from the importing file.
            importer: the importing file, its path resolved.

        Returns:
            None for what is no file of the project, and where several could be meant.
        """
        key = importer.parent, dotted
        if key not in self._resolved:
            self._resolved[key] = _resolve(dotted, importer)
        return self._resolved[key]

    # What is in a file

    def facts(self, path: Path) -> Facts | None:
        """What is known of a file that others import; None where it cannot be parsed."""
        if path in self._parsed:
            self._parsed.move_to_end(path)
            return self._parsed[path]
        self._parsed[path] = facts = self._parse(path)
        self._parsed_size += 0 if facts is None else len(facts.text)
        while self._parsed_size > _MOST_PARSED and len(self._parsed) > 1:
            _, oldest = self._parsed.popitem(last=False)
            self._parsed_size -= 0 if oldest is None else len(oldest.text)
        return facts

    def parsed(self, path: Path) -> Facts | None:
        """What is known of a file that was asked for already."""
        return self._parsed.get(path)

    def _parse(self, path: Path) -> Facts | None:
        from torchfix_codemods.facts.infer import Pending
        from torchfix_codemods.facts.module import Facts
        from torchfix_codemods.repair import repair_async
        from torchfix_codemods.source import SourceError, decode
        from torchfix_codemods.stack import is_deep

        rewritten = self._rewritten(path)
        data = self.read(path) if rewritten is None else rewritten
        self._digests[str(path)] = _sha256(data)
        try:
            text, _ = repair_async(decode(data).text)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    tree = ast.parse(text)
                except SyntaxError:
                    text = self.converted(text) or text
                    tree = ast.parse(text)
        except (SourceError, SyntaxError, ValueError, MemoryError):
            return None
        except RecursionError:
            if not is_deep():
                raise
            return None
        if self._pending is None:
            self._pending = Pending()
        assert isinstance(self._pending, Pending)
        files = FilesOf(path, self)
        return Facts(
            tree, text, used_elsewhere=lambda name: True, files=files, pending=self._pending
        )

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


class FilesOf:
    """The other files of the project, as one file imports them.

    Args:
        path: the importing file.
        index: the project.
    """

    def __init__(self, path: Path, index: Index) -> None:
        self.given = path
        self.path = resolved(path)
        self.index = index
        self._known: dict[Path, ProjectFile] = {}
        self._modules: dict[str, ProjectFile | None] = {}
        self.waits = False
        """Whether something was left because of what other files hold, and may go once they
        changed."""
        self.asks_project = False
        """Whether anything was asked about other files, or about what the project requires."""
        self.asks_run = False
        """Whether it was asked which files the run is about."""

    def is_imported_elsewhere(self) -> bool:
        """Whether other files of the project may take names from this one."""
        self.asks_project = True
        return self.index.is_imported_elsewhere(self.given)

    def gets_tensors(self, text: str) -> bool:
        """Whether a text without torch in it takes tensors from files that speak of torch."""
        if not OF_TENSORS.search(text.encode()):
            return False
        self.asks_project = True
        return self.index.is_used_with_torch(self.given)

    def is_used_elsewhere(self, name: str) -> bool:
        """Whether a file that may take names from this one speaks of a name."""
        self.asks_project = True
        return self.index.is_used_elsewhere(self.given, name)

    def is_mentioned_elsewhere(self, name: str) -> bool:
        """Whether any file of the project speaks of a name."""
        self.asks_project = True
        return self.index.is_mentioned(self.given, name)

    def required(self) -> Era:
        """Which torch versions the project requires."""
        from torchfix_codemods.requirements import required_torch

        self.asks_project = True
        return required_torch(self.given, self.index.required)

    def module(self, dotted: str) -> ProjectFile | None:
        """What an import names; None where that is not certainly a file of the project."""
        self.asks_project = True
        # Paths are slow to build and to compare, and the same few are asked for all the time.
        if dotted not in self._modules:
            path = self.index.resolve(dotted, self.path)
            self._modules[dotted] = None if path is None else self.file(path)
        return self._modules[dotted]

    def file(self, path: Path) -> ProjectFile:
        """A file or folder of the project."""
        if path not in self._known:
            self._known[path] = ProjectFile(path, self)
        return self._known[path]

    def own_names(self, text: str) -> Names | None:
        """The scopes of the importing file, where others have asked for it, and it is ``text``."""
        facts = self.index.parsed(self.path)
        return facts.names.again() if facts is not None and facts.text == text else None

    def is_assigned(self, name: str, by_module: bool) -> bool:
        """Whether a file that may import this one assigns to ``….name``."""
        self.asks_project = True
        return self.index.is_assigned(self.path, name, by_module)

    def is_assigned_anywhere(self, name: str) -> bool:
        """Whether any file of the project assigns to ``….name`` of what is not ``self``."""
        self.asks_project = True
        return self.index.is_assigned_anywhere(self.path, name)

    def offers(self, file: OtherFile, name: str) -> bool:
        """Whether other files may take a name from ``file``."""
        self.asks_project = True
        return self.index.is_used_elsewhere(file.path, name)

    def is_method(self, name: str) -> bool:
        """Whether a class of the project may have a method of that name without arguments."""
        self.asks_project = True
        return self.index.is_method(self.path, name)

    def is_defined(self, name: str) -> bool:
        """Whether any file of the project may define a function or method of that name."""
        self.asks_project = True
        defined = self._defined
        return defined is None or name.encode() in defined

    @functools.cached_property
    def _defined(self) -> frozenset[bytes] | None:
        return self.index.defined(self.path)

    def applies(self, path: Path, code: str) -> bool:
        """Whether this run applies a rule to another file, too."""
        self.asks_run = True
        return self.index.applies(path, code)

    def mentioning(self, word: str) -> list[ProjectFile] | None:
        """The other files of the project that hold a word; None where that is not known."""
        self.asks_project = True
        found = self.index.mentioning(self.path, word)
        return None if found is None else [self.file(path) for path in found]


class ProjectFile:
    """A file, or a folder without ``__init__.py``, that can be imported.

    Args:
        path: where it is.
        importer: the files as seen from the one that asks.
    """

    def __init__(self, path: Path, importer: FilesOf) -> None:
        self.path = path
        self._importer = importer
        self._submodules: dict[str, Path | None] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ProjectFile) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder without an ``__init__.py``."""
        return self.path.suffix != ".py"

    @property
    def facts(self) -> Facts | None:
        """What is known of the file; None for a folder, and where it cannot be parsed."""
        if self.path.suffix != ".py":
            return None
        index = self._importer.index
        facts = index.facts(self.path)
        index.note_drawn(self._importer.path, self.path)
        return facts

    @property
    def inference(self) -> Inference | None:
        """What the expressions of the file are."""
        facts = self.facts
        return None if facts is None else facts.inference

    def may_bind(self, name: str) -> bool:
        """Whether the text of the file, or of one that it takes all names from, may bind a name.

        Of a folder anything may.
        """
        return self.is_folder or self._importer.index.may_bind(self.path, name)

    def submodule(self, name: str) -> ProjectFile | None:
        """The file of a package, or of a folder, that ``import package.name`` imports."""
        if not self.is_folder and self.path.stem != "__init__":
            return None
        if name not in self._submodules:
            folder = self.path if self.is_folder else self.path.parent
            self._submodules[name] = _module_in(folder, name)
        path = self._submodules[name]
        return None if path is None else self._importer.file(path)


#: All places where a text, after a line end, may bind ``W``; and some where it does not.
_BINDING = r"""
    \n[ \t(\[*]*W[ \t]*(?:[=:,)\#;\\\r\n]|$)      # at the start of a line: alone, or in a list
    | \bimport\b[^\n]*\bW\b(?![ \t]+as\b)
    | \b(?:as|for|def|class|global)[ \t(\[]+W\b
    | \bcase\b[^\n]*\bW\b
    | ,[ \t*(]*W[ \t]*(?:[,=)\r\n]|in\b)            # in a list of targets or imports
    | \bW[ \t]*:?=(?!=)
    | \*W\b
"""


@functools.lru_cache(maxsize=64)
def _binding_of(name: str) -> re.Pattern[bytes]:
    return re.compile(_BINDING.replace("W", re.escape(name)).encode(), re.VERBOSE)


def _find_assignments(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """``receiver`` and ``name`` of every ``receiver.name = …`` and ``setattr`` in a file."""
    for match in _ASSIGNED.finditer(data):
        before = data[max(0, match.start() - _LONGEST_NAME) : match.start()].removesuffix(b")")
        yield before[len(before.rstrip(_OF_WORDS)) :], match[1]
    if b"setattr" in data:
        yield from _SETATTR.findall(data)
    for targets in _ASSIGNED_TOGETHER.findall(b"\n" + data):
        if b"." in targets:
            yield from _ATTRIBUTE.findall(targets)


def _resolve(dotted: str, importer: Path) -> Path | None:
    stripped = dotted.lstrip(".")
    parts = stripped.split(".") if stripped else []
    level = len(dotted) - len(stripped)
    if level:
        folder = importer.parent
        for _ in range(level - 1):
            folder = folder.parent
        return _follow(folder, parts)
    if parts[0] in _NEVER_OURS or is_foreign(f"{dotted}."):
        return None
    tops = {
        top: folder
        for folder in _search_path(importer)
        if (top := _module_in(folder, parts[0])) is not None
    }
    if len(tops) != 1:
        return None
    return _follow(next(iter(tops.values())), parts)


def _search_path(importer: Path) -> Iterator[Path]:
    """The folders that an absolute import may be looked up in: from the file's own to the root."""
    root = project_root(importer.parent)
    folder = importer.parent
    yield folder
    while folder != root and root in folder.parents:
        folder = folder.parent
        yield folder
    yield root / "src"


def _follow(folder: Path, parts: list[str]) -> Path | None:
    """The module that a dotted name means inside of a folder."""
    found: Path | None = folder if not parts else None
    if not parts and (folder / "__init__.py").is_file():
        return folder / "__init__.py"
    for index, part in enumerate(parts):
        found = _module_in(folder, part)
        is_last = index == len(parts) - 1
        if found is None or (not is_last and found.suffix == ".py" and found.stem != "__init__"):
            return None
        folder = found if found.suffix != ".py" else found.parent
    return found


def _module_in(folder: Path, name: str) -> Path | None:
    """What ``import name`` finds in a folder, in Python's order."""
    # Most names are looked for in vain, and paths are slow to build.
    package = os.path.join(folder, name)
    for file in (os.path.join(package, "__init__.py"), f"{package}.py"):
        if os.path.isfile(file):
            return Path(file)
    if os.path.isdir(package) and any(Path(package).glob("*.py")):
        return Path(package)
    return None


def _find_python_files(root: Path) -> list[str] | None:
    """The Python files and notebooks below ``root``; None where they are too many."""
    found: list[str] = []
    for where, folders, files in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith(".") and f != "site-packages"]
        paths = [os.path.join(where, f) for f in files if f.endswith((".py", ".ipynb"))]
        # Not what keeps a reader waiting.
        found += [path for path in paths if os.path.isfile(path)]
        if len(found) > _MOST_FILES:
            return None
    return found


def _project_digest(root: Path, status_of: Callable[[str], os.stat_result]) -> str | None:
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


def _sha256(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()


def _bytes_of(path: str | Path) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
