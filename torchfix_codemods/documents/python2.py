"""Python 2 becomes Python 3 by fissix, as far as that is certain, and is migrated then."""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from torchfix_codemods.documents.bytes_in_memory import with_bytes_in_memory
from torchfix_codemods.documents.bytes_of_processes import bytes_of_processes
from torchfix_codemods.documents.chosen_by_version import (
    hidden,
    names_of_both,
    shown,
    with_branches_of_python2,
)
from torchfix_codemods.documents.default_encoding import (
    without_default_encoding,
    without_marks,
    without_unread_sys,
)
from torchfix_codemods.documents.iterators import is_next_called, with_next
from torchfix_codemods.documents.only_python2 import is_only_python2
from torchfix_codemods.documents.quotients.division import divided_as_before
from torchfix_codemods.documents.quotients.left import with_divisions_told
from torchfix_codemods.documents.quotients.told_once import told_once
from torchfix_codemods.documents.readable import Unreadable, read_as_python
from torchfix_codemods.documents.relative_imports import with_imports_beside
from torchfix_codemods.documents.tabs import lines_in_strings, with_one_indentation
from torchfix_codemods.engine.linemap import matched_lines
from torchfix_codemods.engine.migrate import Migration, Options, migrate_text
from torchfix_codemods.engine.suppression import skips_file
from torchfix_codemods.finding import FileError, Finding, Numerics, Reason
from torchfix_codemods.record import record
from torchfix_codemods.remarks import DIVIDED_SIZE, PYTHON_2
from torchfix_codemods.rule import Rule
from torchfix_codemods.text.converter import INSTALLATION
from torchfix_codemods.text.repair import repair_async

CODE, NAME = PYTHON_2.code, PYTHON_2.name
_MESSAGE = "Python 2: converted to Python 3"

#: What one file cannot decide (whether ``import a`` means the module beside it). And what need not
#: go: ``from __future__ import print_function``, of which an empty line would be left. And what
#: misses that ``__bool__ = __nonzero__`` asks for the old name.
_LEFT_OUT = frozenset({"fix_import", "fix_future", "fix_nonzero"})

#: What stands in for fixers of fissix.
_OWN_FIXERS = {
    f"fix_{name}": f"torchfix_codemods.documents.fixers.fix_{name}"
    for name in (
        """dict filter input itertools_imports map next print raise sorted tuple_params
        unicode urllib xrange zip""".split()
    )
}
#: What fissix has no fixer for.
_ADDED_FIXERS = {
    name.rpartition(".")[2]: f"torchfix_codemods.documents.fixers.{name}"
    for name in ("files.fix_csv", "files.fix_open", "files.fix_text", "fix_caught", "fix_methods")
}

#: Fixers of calls of Python 2's own functions, each of a name that a file may use for its own.
_OF_BUILTINS = frozenset(
    """apply basestring execfile filter input intern long map open range raw_input reduce reload
    sorted unicode xrange zip""".split()
)
#: What fetches a file, which others have written.
_DOWNLOADS = "urlretrieve("
_FIXERS_OF = {"range": ["fix_xrange"], "open": ["fix_csv", "fix_open", "fix_text"]}
# What ``from six.moves import range`` binds is Python's own.
_OWN_NAME = (
    r"^(?:def|class)[ \t]+{0}\b|^{0}[ \t]*=(?!=)|"
    r"^[ \t]*(?:from|import)[ \t]+(?!six\.moves|builtins|past|future)[^\n]*\b{0}\b"
)
_DIVISION = re.compile(r"^from[ \t]+__future__[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)
# What ``import cPickle as pickle`` becomes.
_DOUBLED_NAME = re.compile(r"^([ \t]*import (\w+)) as \2(?=[ \t]*(?:#|$))", re.MULTILINE)
_LOST_NEXT = re.compile(r"^[ \t]+def[ \t]+next[ \t]*\(", re.MULTILINE)
# How own fixers begin what they say of that which they did convert.
_OF_PICKLES = "with encoding="
_REMARKS = ("str(", _OF_PICKLES)
_NOTE = re.compile(r"Line (\d+): (.*)", re.DOTALL)


#: So many of the last texts that were converted are kept.
_MOST_CONVERTED = 64


class NoFissixError(Exception):
    """The library that converts Python 2 is not installed."""


class NotPython2Error(Exception):
    """A text that Python 2 would not take either."""


@record
class Converted:
    """A text of Python 2 as Python 3.

    Args:
        text: the result.
        notes: what the converter could not do, each with its line in the old text.
        divides_whole: whether ``/`` of whole numbers rounded down.
    """

    text: str
    notes: tuple[tuple[int, str], ...]
    divides_whole: bool


@functools.lru_cache(maxsize=_MOST_CONVERTED)
def to_python3(text: str) -> Converted:
    """Convert a text that Python 3 refuses: once for itself, and for all files that import it.

    Raises:
        NoFissixError: fissix is not installed.
        NotPython2Error: fissix cannot read it, or the result is no Python 3.
    """
    repaired, _ = repair_async(text)
    has_crlf = "\r\n" in repaired
    source = repaired.replace("\r\n", "\n") if has_crlf else repaired
    if has_crlf and "\r\n".join(source.split("\n")) != repaired:
        raise NotPython2Error("its line ends are mixed")
    source = without_default_encoding(source, lines_in_strings(source))
    both = names_of_both(source)
    converted, notes = _refactored(hidden(source, both))
    converted = without_marks(with_branches_of_python2(shown(converted, both), source))
    try:
        read_as_python(converted)
    except Unreadable:
        converted = with_one_indentation(converted)
        try:
            read_as_python(converted)
        except Unreadable as error:
            raise NotPython2Error(str(error)) from error
    converted = with_bytes_in_memory(converted, source)
    features = " ".join(_DIVISION.findall(text))
    result = converted.replace("\n", "\r\n") if has_crlf else converted
    return Converted(result, notes, "division" not in features)


def migrate_python2(
    text: str, rules: Sequence[Rule], options: Options, path: Path | None = None
) -> Migration:
    """Migrate a text; where only Python 2 can run it, convert it first.

    A file that no rule is asked about is converted as well: the others import it.

    Args:
        text: the module.
        rules: the rules to apply afterwards.
        options: settings.
        path: the file, which tells what its imports mean; None: a text that is no file.
    """
    if skips_file(text):
        return migrate_text(text, rules, options) if rules else Migration(text)
    converted: Converted | None = None
    if not _is_python3(text):
        try:
            converted = to_python3(text)
        except NoFissixError as error:
            return Migration(text, errors=(FileError("library", str(error)),))
        except NotPython2Error:
            return migrate_text(text, rules, options) if rules else Migration(text)
        if not _is_python3(converted.text):
            # What is left of Python 2 would be converted once more by a second run.
            return migrate_text(text, rules, options) if rules else Migration(text)
    python3 = text if converted is None else converted.text
    if converted is not None and _LOST_NEXT.search(text) and is_next_called(options.files):
        python3 = with_next(python3)
    if converted is not None and not (
        options.imported_elsewhere() and options.used_elsewhere("sys")
    ):
        python3 = without_unread_sys(python3, text)
    now, made = python3, list[Finding]()
    if path is not None:
        now, made = with_imports_beside(python3, path, options)
    has_beside = bool(made)
    if converted is not None and converted.divides_whole:
        now, divisions = divided_as_before(now, options)
        made += divisions
    if converted is not None:
        made += bytes_of_processes(now, options)
    lines = [] if converted is None else matched_lines(_stripped(text), _stripped(python3))

    def placed(line: int) -> int:
        return 1 + lines[min(line, len(lines)) - 1] if lines else line

    # Messages name lines, too.
    options = options.of_lines(placed) if lines else options
    migration = migrate_text(now, rules, options) if rules else Migration(now)
    if converted is None:
        migration = with_divisions_told(migration, now, options)
        if not has_beside:
            return migration
    # A rule may know that a size is divided there, and have written what it means.
    sizes = [f for f in migration.findings if f.code == DIVIDED_SIZE]
    rounded = {f.line for f in sizes if f.fixed}
    told = {(f.line, f.column) for f in sizes}
    made = [
        f for f in made if f.fixed or (f.line not in rounded and (f.line, f.column) not in told)
    ]
    findings = told_once(replace(f, line=placed(f.line)) for f in (*migration.findings, *made))
    if converted is not None:
        if options.mentioned_elsewhere("dump") and _DOWNLOADS not in text:
            # What another file writes may be what this one loads, if it fetches nothing itself.
            notes = tuple(note for note in converted.notes if not note[1].startswith(_OF_PICKLES))
            converted = replace(converted, notes=notes)
        findings += findings_of_conversion(text, converted)
    errors = [e if e.line is None else replace(e, line=placed(e.line)) for e in migration.errors]
    return replace(migration, findings=tuple(sorted(findings)), errors=tuple(errors))


def _is_python3(text: str) -> bool:
    try:
        return not is_only_python2(text, read_as_python(text))
    except Unreadable:
        return False


@functools.lru_cache(maxsize=_MOST_CONVERTED)
def as_python3(text: str) -> str | None:
    """What a text that Python 3 refuses becomes; None where it is no Python 2 either."""
    try:
        converted = to_python3(text)
    except (NoFissixError, NotPython2Error):
        return None
    return divided_as_before(converted.text, Options())[0]


def findings_of_conversion(text: str, converted: Converted) -> list[Finding]:
    """That a text was converted, and what was not."""
    try:
        read_as_python(text)
    except Unreadable as error:
        first = error.line or 1
    else:
        first = 1
    return [
        _finding(first, _MESSAGE),
        *(Finding(n, 1, CODE, NAME, note, Numerics.ADVICE, False) for n, note in converted.notes),
    ]


def _finding(line: int, message: str) -> Finding:
    return Finding(line, 1, CODE, NAME, message, Numerics.RESTORED, True, reason=Reason.FAILS)


def _refactored(text: str) -> tuple[str, tuple[tuple[int, str], ...]]:
    own = frozenset(
        name
        for name in _OF_BUILTINS
        if re.search(_OWN_NAME.format(name), text, re.MULTILINE) is not None
    )
    tool = _tool(own)
    tool.fixer_log.clear()
    is_ended = text.endswith("\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = tool.refactor_string(text if is_ended else text + "\n", "file")
        except Exception as error:
            # Whatever a fixer stumbles over: the file is reported as it is.
            raise NotPython2Error(str(error)) from error
    # The library that its tree is of may not be there.
    from torchfix_codemods.documents.fixers.names.bindings import name_builtins
    from torchfix_codemods.documents.fixers.names.imports import place_imports

    name_builtins(tree)
    place_imports(tree)
    result = _DOUBLED_NAME.sub(lambda m: m[0] if m[0] in text else m[1], str(tree))
    return result if is_ended else result.removesuffix("\n"), tuple(_notes(tool.fixer_log))


def _notes(log: Sequence[str]) -> list[tuple[int, str]]:
    matches = filter(None, map(_NOTE.search, log))
    told = ((int(match[1]), " ".join(match[2].split())) for match in matches)
    return [
        (n, note if note.startswith(_REMARKS) else f"not converted: {note}") for n, note in told
    ]


@functools.cache
def _tool(own: frozenset[str]) -> Any:
    try:
        from fissix import refactor
    except ImportError as error:
        raise NoFissixError(
            f"Python 2: --py2 needs the library fissix, which {INSTALLATION} installs"
        ) from error
    left_out = _LEFT_OUT | {
        fixer for name in own for fixer in _FIXERS_OF.get(name, [f"fix_{name}"])
    }
    fixers = [
        _OWN_FIXERS.get(name.rpartition(".")[2], name)
        for name in refactor.get_fixers_from_package("fissix.fixes")
        if name.rpartition(".")[2] not in left_out
    ]
    fixers += [module for name, module in _ADDED_FIXERS.items() if name not in left_out]
    return refactor.RefactoringTool(fixers)


def _stripped(text: str) -> list[bytes]:
    return [line.strip().encode("utf-8", "surrogatepass") for line in text.splitlines()]
