"""Whether a file of Python 2 gets the rewrites that the same file of Python 3 gets.

    python -m benchmarks.twins FOLDER...

A twin of a Python 2 file is what its authors made of it for Python 3. Each folder is a git
repository, in whose history commits are looked for that did so, or it holds two trees of the same
files, `python2` and `python3`. With `--make`, lib2to3 makes the twins of the files in the folders.
Both trees are migrated in temporary copies, and compared at the places that both hold.
"""

from __future__ import annotations

import argparse
import ast
import re
import shutil
import subprocess
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from pathlib import Path

from torchfix_codemods.facts.language.text_lines import lines_of
from torchfix_codemods.finding import FileResult
from torchfix_codemods.remarks import DIVISION, PYTHON_2
from torchfix_codemods.runs.discovery import python_files
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings
from torchfix_codemods.text.source import decode

#: What makes a file readable, and nothing else: what is compared is what the others do.
READABLE = ("TP204",)
_MOST_BYTES = 400_000
#: Of a file that was mostly written anew no twin is left.
_LEAST_ALIKE = 0.8
_SIGN = re.compile(
    rb"^[ \t]*(print[ \t]+[^(=\s,.\[]|print[ \t]*$|exec[ \t]+['\"\w]"
    rb"|except[ \t]+[\w.()]+[ \t]*,[ \t]*\w+[ \t]*:|raise[ \t]+\w+[ \t]*,)",
    re.MULTILINE,
)
_READ = re.compile(
    r"\.py$|(^|/)([^/]*requirements[^/]*\.txt|setup\.cfg|pyproject\.toml|Pipfile|environment\.ya?ml)$"
)


@dataclass(frozen=True)
class Twins:
    """Python 2 files of a tree, and the texts that their authors made of them."""

    name: str
    tree: Path
    texts: Mapping[str, bytes]


@dataclass
class Comparison:
    """What two twins have in common.

    Places are lines of the file as Python 3, before any rule was asked.
    """

    path: str
    alike: float = 1.0
    """Which part of the lines of the Python 2 file the other one holds."""
    same: int = 0
    fewer: list[str] = field(default_factory=list)
    """What only the Python 3 file gets."""
    more: list[str] = field(default_factory=list)
    """What only the Python 2 file gets."""
    other: list[str] = field(default_factory=list)
    """Where both are rewritten, in two ways."""
    error: str = ""
    """Why the Python 2 file is not migrated at all."""
    codes: str = ""
    """The rules of which one file has more rewrites."""

    @property
    def verdict(self) -> str:
        if self.alike < _LEAST_ALIKE:
            return "no twins"
        if self.error:
            return "not migrated"
        if self.other or (self.fewer and self.more):
            return "other"
        return "fewer" if self.fewer else "more" if self.more else "same"


def is_python2(data: bytes) -> bool:
    """Whether only Python 2 can read a file."""
    if len(data) > _MOST_BYTES or not _SIGN.search(data) or _is_python3(data):
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from fissix import pygram, pytree
        from fissix.pgen2 import driver

        reader = driver.Driver(pygram.python_grammar, convert=pytree.convert)
        try:
            reader.parse_string(data.decode("utf-8").replace("\r\n", "\n") + "\n")
        except Exception:
            return False
    return True


def _is_python3(data: bytes) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(data)
        except (SyntaxError, ValueError, RecursionError):
            return False
    return True


def made_by_2to3(text: str) -> str:
    """A text of Python 2 as lib2to3 converts it, with all its fixers that are on by themselves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from lib2to3 import refactor

        tool = refactor.RefactoringTool(refactor.get_fixers_from_package("lib2to3.fixes"))
        return str(tool.refactor_string(text if text.endswith("\n") else text + "\n", "file"))


def in_history(repository: Path, scratch: Path) -> Iterator[Twins]:
    """The commits of a repository in which files with torch in them became Python 3.

    Of each file the last such commit counts.
    """
    seen: set[str] = set()
    for commit, changes in _changes(repository):
        blobs = _blobs(repository, [blob for change in changes for blob in change[:2]])
        texts = {
            path: blobs[new]
            for old, new, path in changes
            if path not in seen
            and b"torch" in blobs[old]
            and is_python2(blobs[old])
            and _is_readable(blobs[new])
        }
        if not texts:
            continue
        seen |= texts.keys()
        tree = scratch / commit[:12]
        _check_out(repository, f"{commit}^", tree)
        yield Twins(f"{repository.name} {commit[:8]}", tree, texts)
        shutil.rmtree(tree)


def _check_out(repository: Path, commit: str, tree: Path) -> None:
    """Write what a migration reads of a commit: modules, and what says which torch they need."""
    blobs = {}
    for line in _git(repository, "ls-tree", "-r", "-z", commit).decode().split("\0")[:-1]:
        head, _, path = line.partition("\t")
        if head.startswith("100") and _READ.search(path):
            blobs[path] = head.split(" ")[2]
    texts = _blobs(repository, [*blobs.values()])
    for path, blob in blobs.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_bytes(texts[blob])


def _is_readable(data: bytes) -> bool:
    """Whether it is Python 3 but for `async=`, which a rule mends."""
    return _is_python3(re.sub(rb"\basync(?=[ \t]*=)", b"non_blocking", data))


def _changes(repository: Path) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """The commits with what they changed: the text before, the one after, and the path."""
    asked = (
        "--no-merges",
        "--no-renames",
        "--raw",
        "--no-abbrev",
        "--diff-filter=M",
        "--format=commit %H",
    )
    commit, changes = "", list[tuple[str, str, str]]()
    for line in _git(repository, "log", *asked, "--", "*.py").decode(errors="replace").split("\n"):
        if line.startswith("commit "):
            if changes:
                yield commit, changes
            commit, changes = line.removeprefix("commit "), []
        elif line.startswith(":"):
            head, path = line.split("\t")
            _, _, old, new, _ = head.split(" ")
            changes.append((old, new, path))
    if changes:
        yield commit, changes


def _blobs(repository: Path, names: Sequence[str]) -> dict[str, bytes]:
    """The texts of some blobs, by their names."""
    command = ["git", "-C", str(repository), "cat-file", "--batch"]
    asked = "".join(f"{name}\n" for name in names).encode()
    answer = subprocess.run(command, input=asked, capture_output=True, check=True).stdout
    texts, place = dict.fromkeys(names, b""), 0
    while place < len(answer):
        end = answer.index(b"\n", place)
        name, kind, *size = answer[place:end].split()
        place = end + 1
        if kind != b"missing":
            texts[name.decode()] = answer[place : place + int(size[0])]
            place += int(size[0]) + 1
    return texts


def beside(folder: Path) -> Twins:
    """The twins in the trees `python2` and `python3` of a folder."""
    old, new = folder / "python2", folder / "python3"
    texts = {
        path: (new / path).read_bytes()
        for path in _relative(old)
        if (new / path).is_file() and is_python2((old / path).read_bytes())
    }
    return Twins(folder.name, old, texts)


def made(folder: Path) -> Twins:
    """The Python 2 files with torch in them of a folder, with the twins that lib2to3 makes."""
    texts = {}
    for path in _relative(folder):
        data = (folder / path).read_bytes()
        if b"torch" in data and is_python2(data):
            text = made_by_2to3(data.decode("utf-8").replace("\r\n", "\n"))
            if _is_readable(text.encode()):
                texts[path] = text.encode()
    return Twins(folder.name, folder, texts)


def _relative(folder: Path) -> list[str]:
    paths = python_files([folder], folder, (), (".py",))
    return [path.relative_to(folder).as_posix() for path in paths]


def compared(twins: Twins) -> list[Comparison]:
    """Migrate both trees, and compare the twins in them."""
    with tempfile.TemporaryDirectory() as name:
        old, new = Path(name, "python2", twins.tree.name), Path(name, "python3", twins.tree.name)
        for tree in (old, new):
            shutil.copytree(twins.tree, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        for path, data in twins.texts.items():
            (new / path).write_bytes(data)
        paths = [*twins.texts]
        before = [_migrated(tree, paths, READABLE) for tree in (old, new)]
        after = [_migrated(tree, paths, ()) for tree in (old, new)]
    return [
        _comparison(path, [_Twin(before[n][path], after[n][path]) for n in range(2)])
        for path in twins.texts
    ]


@dataclass(frozen=True)
class _Migrated:
    result: FileResult
    lines: Sequence[str]


def _migrated(tree: Path, paths: Sequence[str], select: Sequence[str]) -> dict[str, _Migrated]:
    """What some rules make of files of a tree; nothing is written."""
    settings = Settings(root=tree, select=tuple(select))
    done = {}
    for result in migrate_files([tree / path for path in paths], settings, write=False):
        path = Path(result.path)
        text = result.after if result.after is not None else _text(path)
        lines = [line.strip() for line in lines_of(text)]
        done[path.relative_to(tree).as_posix()] = _Migrated(result, lines)
    return done


def _text(path: Path) -> str:
    return decode(path.read_bytes()).text


@dataclass(frozen=True)
class _Hunk:
    """Lines, from the first to the one behind the last, and what replaces them."""

    start: int
    end: int
    after: tuple[str, ...]


class _Twin:
    """One of two twins: what it is before any rule, and what the rules make of it."""

    def __init__(self, before: _Migrated, after: _Migrated) -> None:
        self.before = before.lines
        self.result = after.result
        opcodes = SequenceMatcher(None, before.lines, after.lines, autojunk=False).get_opcodes()
        self.hunks = [
            _Hunk(start, end, tuple(after.lines[a:b]))
            for kind, start, end, a, b in opcodes
            if kind != "equal"
        ]

    @property
    def codes(self) -> Counter[str]:
        said = (PYTHON_2.code, DIVISION.code)
        return Counter(f.code for f in self.result.findings if f.fixed and f.code not in said)


def _comparison(path: str, twins: Sequence[_Twin]) -> Comparison:
    old, new = twins
    result = Comparison(path)
    if old.result.errors:
        result.error = "; ".join(error.message for error in old.result.errors)
        return result
    matched = SequenceMatcher(None, old.before, new.before, autojunk=False).get_matching_blocks()
    places = {a + n: b + n for a, b, size in matched for n in range(size)}
    result.alike = len(places) / max(1, len(old.before))
    back = {b: a for a, b in places.items()}
    ours = _held(old.hunks, places)
    theirs = _held(new.hunks, back)
    # A place that one of the two holds together with lines of its own is no place of both.
    spoilt = {places.get(n) for h in old.hunks if h not in ours for n in range(h.start, h.end)}
    spoilt |= {n for h in new.hunks if h not in theirs for n in range(h.start, h.end)}
    mine = {_moved(h, places) for h in ours}
    other = set(theirs)
    for each in sorted(mine - other | other - mine, key=lambda h: (h.start, h.end, h.after)):
        lines = set(range(each.start, each.end))
        # What is only added, an import or a device, may be for lines that the other does not hold.
        if lines & spoilt or (spoilt and not lines):
            continue
        rivals = other if each in mine else mine
        meets = any(lines & set(range(h.start, h.end)) for h in rivals)
        shown = _shown(each, new.before)
        kind = result.other if meets else result.more if each in mine else result.fewer
        kind.append(("+ python2: " if each in mine else "+ python3: ") + shown)
    result.same = len(mine & other)
    if result.verdict != "same":
        count, more = new.codes - old.codes, old.codes - new.codes
        told = [f"{code} +{n}" for code, n in count.items()]
        result.codes = ", ".join(told + [f"{code} -{n}" for code, n in more.items()])
    return result


def _held(hunks: Iterable[_Hunk], places: Mapping[int, int]) -> list[_Hunk]:
    """The hunks that replace nothing but lines that the twin has as well, in the same order."""
    return [
        hunk
        for hunk in hunks
        if all(
            n in places and places[n] - n == places[hunk.start] - hunk.start
            for n in range(hunk.start, hunk.end)
        )
        and (hunk.start < hunk.end or hunk.start in places)
    ]


def _moved(hunk: _Hunk, places: Mapping[int, int]) -> _Hunk:
    start = places[hunk.start]
    return _Hunk(start, start + hunk.end - hunk.start, hunk.after)


def _shown(hunk: _Hunk, lines: Sequence[str]) -> str:
    """A hunk in one line."""
    old = " / ".join(lines[hunk.start : hunk.end])
    return f"{hunk.start + 1}: {old} -> {' / '.join(hunk.after)}"


def main() -> None:
    """Print a row for each file that differs, and the sums."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.twins", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--make", action="store_true", help="lib2to3 makes the twins")
    options = parser.parse_args()
    verdicts: Counter[str] = Counter()
    rewrites = 0
    known: set[bytes] = set()
    for folder in options.folders:
        with tempfile.TemporaryDirectory() as name:
            for found in _twins(folder, Path(name), options.make):
                # Forks hold the same files.
                texts = {path: data for path, data in found.texts.items() if data not in known}
                known.update(texts.values())
                twins = replace(found, texts=texts)
                for each in compared(twins) if twins.texts else ():
                    verdicts[each.verdict] += 1
                    rewrites += each.same if each.alike >= _LEAST_ALIKE else 0
                    print(
                        f"{twins.name} {each.path}: {each.same} the same, {each.verdict}",
                        flush=True,
                    )
                    for line in filter(None, (each.error, each.codes)):
                        print(f"    {line}")
                    for line in (*each.fewer, *each.more, *each.other):
                        print(f"        {line}")
    print(f"{verdicts.total()} files: {dict(verdicts)}; {rewrites} rewrites are the same")


def _twins(folder: Path, scratch: Path, makes: bool) -> Iterator[Twins]:
    if makes:
        yield made(folder)
    elif (folder / "python2").is_dir():
        yield beside(folder)
    else:
        try:
            yield from in_history(folder, scratch)
        except subprocess.CalledProcessError as error:
            print(f"{folder.name}: {error.stderr.decode(errors='replace').strip()}", flush=True)


def _git(folder: Path, *words: str) -> bytes:
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(command, check=True, capture_output=True).stdout


if __name__ == "__main__":
    main()
