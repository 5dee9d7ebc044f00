"""What the texts of a project's files say of each other, before anything is parsed."""

from __future__ import annotations

import ast
import functools
import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from torchfix_codemods.patterns import lazy_pattern, word_pattern
from torchfix_codemods.project.glance import imports_torch, takes_tensors
from torchfix_codemods.project.import_lines import (
    import_statements,
    modules_imported,
    modules_named,
)
from torchfix_codemods.project.paths import (
    first_python_files,
    project_root,
    python_files,
    resolved,
)

_WORD = lazy_pattern(rb"\w+")
_FROM_IMPORT = lazy_pattern(rb"\n[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)")
# What stands before the dot is looked up afterwards: a pattern that begins with it is slow.
_ASSIGNED = lazy_pattern(rb"\.(\w+)[ \t]*(?:=(?!=)|[-+*/%@&|^]=|(?://|\*\*|<<|>>)=)")
_OF_WORDS = b"_" + bytes(code for code in range(128) if chr(code).isalnum())
_STAR = lazy_pattern(rb"import[ \t(]*\*")
_STAR_IMPORT = lazy_pattern(rb"\n[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t(]*\*")
#: ``__all__`` as a list of strings.
_ALL = lazy_pattern(
    rb"\n__all__[ \t]*=[ \t]*[\[(]"
    rb"((?:\s|,|\#[^\n]*\n|'\w*'|\"\w*\")*)"
    rb"[\])][ \t]*(?:\#[^\n]*)?\r?(?:\n|$)"
)
_VARIABLE = lazy_pattern(rb"from[ \t]+torch\.autograd[\w.]*[ \t]+import\b[^\n]*\bVariable\b")
_DEFINED = lazy_pattern(rb"def[ \t]+(\w+)")
#: What is called without arguments: further ones are optional. A pattern that begins with ``\b`` is
#: slow.
_METHOD_WITHOUT_ARGUMENTS = lazy_pattern(
    rb"def(?<=\bdef)[ \t]+([^\s(]+)[ \t]*\(\s*self\s*(?:\)|,\s*(?:\*|\w+[^,=()]*=))"
)
_SETATTR = lazy_pattern(rb"\bsetattr\(\s*(\w+)[^,\n]*,\s*[rub]*['\"](\w+)['\"]")
_ASSIGNED_TOGETHER = lazy_pattern(rb"\n[ \t]*((?:[\w.]+[ \t]*,[ \t]*)+[\w.]+)[ \t]*=(?!=)")
_ATTRIBUTE = lazy_pattern(rb"(\w+)\.(\w+)(?![\w.])")
_PATCHED = lazy_pattern(rb"\bpatch\(\s*['\"]([\w.]+)['\"]")
_ASSERTED = lazy_pattern(rb"\.assert_(?:called|any)")

_LONGEST_NAME = 80

#: By way of so many files torch may come to one that does not speak of it.
_LONGEST_CHAIN = 3


class Texts:
    """The texts of all files of a project; each question is answered once.

    Args:
        read: gives the bytes of a file.
        resolve: gives the file that an import means, as seen from another file.
        may_mean: gives all files that it can mean; None: any.
    """

    def __init__(
        self,
        read: Callable[[str | Path], bytes],
        resolve: Callable[[str, Path], Path | None],
        may_mean: Callable[[str, Path], frozenset[Path] | None],
    ) -> None:
        self.read = read
        self.resolve = resolve
        self._may_mean = may_mean
        self._words: dict[Path, dict[bytes, frozenset[str]] | None] = {}
        self._statements: dict[str, list[bytes]] = {}
        self._importers: dict[Path, frozenset[str] | None] = {}
        self._from_imports: dict[Path, list[tuple[bytes, bytes]]] = {}
        self._assigned: dict[str, dict[bytes, set[bytes]]] = {}
        self._files: dict[Path, list[str] | None] = {}
        self._file_names: dict[Path, Counter[str]] = {}
        self._mentioning: dict[tuple[Path, str], list[Path] | None] = {}
        self._methods: dict[Path, frozenset[bytes] | None] = {}
        self._defined: dict[Path, frozenset[bytes] | None] = {}
        self._may_bind: dict[tuple[Path, str], bool] = {}
        self._uses_torch: dict[Path, bool] = {}
        self._roots: dict[Path, Path] = {}
        self._resolved: dict[str, Path] = {}

    def _root_of(self, path: Path) -> Path:
        """The project of a file; the same few files ask for it all the time."""
        root = self._roots.get(path)
        if root is None:
            root = self._roots[path] = project_root(path.parent)
        return root

    def _real(self, file: str) -> Path:
        """The real path of one of the files below the root."""
        real = self._resolved.get(file)
        if real is None:
            real = self._resolved[file] = resolved(Path(file))
        return real

    def is_imported_elsewhere(self, path: Path) -> bool:
        """Whether another file of the project may import from ``path``.

        Asked before something that other files could use is removed, so a doubt counts as yes:
        the module's name only has to stand in an import line of any Python file of the project.
        """
        if path.stem == "__init__":
            return True
        importers = self.importers(path)
        return importers is None or bool(importers)

    def is_used_elsewhere(
        self, path: Path, name: str, depth: int = _LONGEST_CHAIN, is_variable: bool = False
    ) -> bool:
        """Whether another file may take ``name`` from ``path``; a doubt counts as yes.

        That is ``from path import name``, ``path.name`` after an import of the module, or of a
        package that imports the module, and a star import in a file that speaks of the name without
        an import of its own, or that passes it on. What a package passes on is for anybody, unless
        it is torch's ``Variable``, which is there for old code alone.
        """
        if path.stem == "__init__" and (depth == 0 or not is_variable):
            return True
        if path.stem == "__init__" and self._is_taken_by_dot(path, name):
            return True
        importers = self.importers(path)
        if importers is None or (depth == 0 and importers):
            return True
        return any(
            self._takes(path, name, Path(file), depth) for file in importers
        ) or self._is_taken_through_package(path, name)

    def uses_torch(self, path: Path) -> bool:
        """Whether a file of the project of ``path`` imports torch."""
        root = self._root_of(path)
        if root not in self._uses_torch:
            files = first_python_files(root)
            self._uses_torch[root] = any(imports_torch(self.read(file)) for file in files)
        return self._uses_torch[root]

    def is_used_with_torch(self, path: Path) -> bool:
        """Whether a file that may import ``path``, or what passes it on, speaks of torch."""
        files = frozenset({str(path)})
        for _ in range(_LONGEST_CHAIN):
            above = [self.importers(Path(file)) or frozenset() for file in files]
            files = frozenset[str]().union(*above)
            if any(b"torch" in self.read(file) for file in files):
                return True
        return False

    def _imports_user_of_torch(self, path: Path, data: bytes) -> bool:
        """Whether a file imports one that imports torch: ``from nets import Net``."""
        named = modules_imported(import_statements(data))
        files = (self.resolve(module, path) for module in named)
        return any(
            f.suffix == ".py" and imports_torch(self.read(f)) for f in files if f is not None
        )

    def serves_torch(self, path: Path, data: bytes) -> bool:
        """Whether a file without torch is there for others that speak of torch.

        It takes tensors, which it may also get of what it imports, or tests a file of theirs.
        """
        if takes_tensors(data) and self.uses_torch(path):
            if self.is_used_with_torch(path) or self._imports_user_of_torch(path, data):
                return True
        return b"patch(" in data and self.replaces_with_torch(path, data)

    def replaces_with_torch(self, path: Path, data: bytes) -> bool:
        """Whether a test asserts how a name is called that it replaces in a file with torch."""
        if _ASSERTED.search(data) is None:
            return False
        names = (name.decode("ascii", "replace") for name in _PATCHED.findall(data))
        files = (self._file_of(name, self._real(str(path))) for name in names)
        return any(f.suffix == ".py" and b"torch" in self.read(f) for f in files if f is not None)

    def _file_of(self, name: str, importer: Path) -> Path | None:
        """The file that the longest part of a dotted name means."""
        while "." in name:
            name = name.rpartition(".")[0]
            file = self.resolve(name, importer) if name else None
            if file is not None:
                return file
        return None

    def importers(self, path: Path) -> frozenset[str] | None:
        """The other files with an import line that may mean a module; None: any file."""
        if path not in self._importers:
            self._importers[path] = self._find_importers(path)
        return self._importers[path]

    def may_import(self, importer: Path, path: Path) -> bool:
        """Whether a file is ``path``, or may import it, by itself or by way of others."""
        return self.steps(importer, path) is not None

    def steps(self, importer: Path, path: Path) -> int | None:
        """Over how many imports a file may lead to ``path``, at the least; None: over none."""
        wanted, seen = str(importer), set[str]()
        level, count = {str(path)}, 0
        while level:
            if wanted in level:
                return count
            seen |= level
            above = [self.importers(Path(file)) for file in sorted(level)]
            if None in above:
                return count + 1
            level = {file for files in above for file in files or ()} - seen
            count += 1
        return None

    def called(self, path: Path) -> str:
        """How a message calls a file of the project.

        By its name, or by the path from the project's root where another file has that name.
        """
        root = self._root_of(path)
        if root not in self._file_names:
            self._file_names[root] = Counter(map(os.path.basename, self.files_below(root)))
        if self._file_names[root][path.name] == 1 or not path.is_relative_to(root):
            return path.name
        return path.relative_to(root).as_posix()

    def _find_importers(self, path: Path) -> frozenset[str] | None:
        words = self._imported_words(self._root_of(path))
        if words is None:
            return None
        own = self._real(str(path))
        stem = os.fsencode(_called(own))
        others = words.get(stem, frozenset()) - {str(own)}
        return frozenset(file for file in others if self._may_name(file, stem, own))

    def _may_name(self, importer: str, stem: bytes, path: Path) -> bool:
        """Whether an import line with the stem of ``path`` may mean that file."""
        # Of such files the search path is not certainly known.
        is_open = importer.endswith(".ipynb") or b"sys.path" in self.read(importer)
        where = self._real(importer)
        for named in modules_named(self._statements[importer], stem):
            if named is None:
                return True
            module, name = named
            files = self._may_mean(module, where)
            if files == frozenset():
                continue
            if files is None or (is_open and not module.startswith(".")):
                return True
            if name:
                if any(f.suffix == ".py" and self.may_bind(f, name) for f in files):
                    return True
                dot = "" if module.endswith(".") else "."
                files = self._may_mean(f"{module}{dot}{name}", where)
            if files is None or path in (self._real(str(file)) for file in files):
                return True
        return False

    def is_assigned(self, path: Path, name: str, by_module: bool) -> bool:
        """Whether a file that may import ``path`` assigns to ``….name``, or may do so."""
        importers = self.importers(path)
        if importers is None:
            return True
        words = self._imported_words(self._root_of(path)) or {}
        wanted = name.encode()
        return any(
            not by_module or file in words.get(receiver, ())
            for file in (*importers, str(path))
            for receiver in self._assignments(file).get(wanted, ())
        )

    def is_assigned_anywhere(self, path: Path, name: str) -> bool:
        """Whether any file of the project assigns to ``….name`` of what is not ``self``."""
        files = self._python_files(self._root_of(path))
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
        """The other files of the project that hold a word, those of the same folder first.

        None where there are too many files.
        """
        found = self._all_mentioning(path, word)
        own = self._real(str(path))
        if found is None:
            return None
        others = (file for file in found if file != own)
        return sorted(others, key=lambda file: file.parent != own.parent)

    def methods(self, path: Path) -> frozenset[bytes] | None:
        """The methods without arguments that classes of the project may have; None: any."""
        root = self._root_of(path)
        if root not in self._methods:
            self._methods[root] = self._find_all(_METHOD_WITHOUT_ARGUMENTS, root)
        return self._methods[root]

    def defined(self, path: Path) -> frozenset[bytes] | None:
        """The functions that the files of the project of ``path`` define; None: any."""
        root = self._root_of(path)
        if root not in self._defined:
            self._defined[root] = self._find_all(_DEFINED, root)
        return self._defined[root]

    def _find_all(self, pattern: re.Pattern[bytes], root: Path) -> frozenset[bytes] | None:
        """What a pattern finds in all files below ``root``; None where they are too many."""
        files = self._python_files(root)
        if files is None:
            return None
        return frozenset(name for file in files for name in pattern.findall(self.read(file)))

    def is_mentioned(self, path: Path, name: str) -> bool:
        """Whether any file of the project of ``path`` holds a word; a doubt counts as yes."""
        return self._all_mentioning(path, name) != []

    def is_attribute_read(self, path: Path, name: str) -> bool:
        """Whether any file of the project of ``path`` reads an attribute of that name, or has its
        name as a text, as ``getattr`` takes it; a doubt counts as yes."""
        files = self._all_mentioning(path, name)
        return files is None or any(_reads_attribute(self.read(str(f)), name) for f in files)

    def files_below(self, root: Path) -> list[str]:
        """The Python files and notebooks of a project; none where they are too many."""
        return self._python_files(root) or []

    def _all_mentioning(self, path: Path, word: str) -> list[Path] | None:
        key = self._root_of(path), word
        if key not in self._mentioning:
            self._mentioning[key] = self._find_mentioning(*key)
        return self._mentioning[key]

    def _python_files(self, root: Path) -> list[str] | None:
        if root not in self._files:
            self._files[root] = python_files(root)
        return self._files[root]

    def _find_mentioning(self, root: Path, word: str) -> list[Path] | None:
        wanted = word.encode()
        pattern = word_pattern(wanted)
        files = self._python_files(root)
        if files is None:
            return None
        return sorted(
            self._real(file)
            for file in files
            if wanted in (data := self.read(file)) and pattern.search(data)
        )

    def _takes(self, path: Path, name: str, importer: Path, depth: int) -> bool:
        """Whether a file with an import line that holds the stem of ``path`` takes ``name``."""
        data = self.read(importer)
        spoken, stem = name.encode(), os.fsencode(_called(path))
        is_spoken = spoken in data
        module, wanted = re.escape(stem), re.escape(spoken)
        for names in self._imports_from(importer, stem):
            if is_spoken and word_pattern(spoken).search(names):
                return True
            if b"*" in names and not self._keeps_from_stars(path, spoken):
                own = rb"^[ \t]*(?:from[ \t]+torch[\w.]*[ \t]+)?import\b[^\n]*\b%s\b" % wanted
                # Behind a dot it is what something else has: ``scipy.misc.imread``.
                mentions = is_spoken and re.search(rb"(?<![\w.])%s\b" % wanted, data) is not None
                if mentions and not re.search(own, data, re.MULTILINE):
                    return True
                is_variable = name == "Variable" and _VARIABLE.search(self.read(path)) is not None
                if self.is_used_elsewhere(importer, name, depth - 1, is_variable):
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

    def _is_taken_by_dot(self, package: Path, name: str) -> bool:
        """Whether a file below a package has ``from . import name``."""
        taken = rb"^[ \t]*from[ \t]+\.+[ \t]+import\b[^\n]*(?:\*|[\\(]|\b%s\b)" % name.encode()
        return any(
            resolved(Path(file)).is_relative_to(package.parent)
            and re.search(taken, self.read(file), re.MULTILINE) is not None
            for file in self.files_below(package.parent)
        )

    def _is_taken_through_package(self, path: Path, name: str) -> bool:
        """Whether a file that imports a package, which imports ``path``, has ``….module.name``."""
        importers, package = self.importers(path), resolved(path.parent / "__init__.py")
        if importers is None or str(package) not in importers:
            return False
        spoken = rb"\b%s\s*\.\s*%s\b" % (os.fsencode(path.stem), name.encode())
        for folder in package.parents:
            package = folder / "__init__.py"
            if not package.exists():
                break
            files = self.importers(package)
            if files is None or any(
                name.encode() in (data := self.read(file)) and re.search(spoken, data)
                for file in files
            ):
                return True
        return False

    def _keeps_from_stars(self, path: Path, name: bytes) -> bool:
        """Whether a star import does not bring a name, because ``__all__`` lists others."""
        data = self.read(path)
        if data.count(b"__all__") != 1:
            return False
        listed = _ALL.search(b"\n" + data)
        return listed is not None and name not in _WORD.findall(listed[1])

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
            self._statements[path] = import_statements(data)
            for word in set(_WORD.findall(b"\n".join(self._statements[path]))):
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


@functools.lru_cache(maxsize=1024)
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


def _reads_attribute(data: bytes, name: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return any(
        (isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.Constant) and node.value == name)
        for node in ast.walk(tree)
    )


def _called(path: Path) -> str:
    """What imports call a file: a package by its folder."""
    return path.parent.name if path.stem == "__init__" else path.stem
