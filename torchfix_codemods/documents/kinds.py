"""Which kind of document a file is, by its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from torchfix_codemods.finding import FileError, Finding, Noted
from torchfix_codemods.project.beside import names_beside
from torchfix_codemods.project.glance import may_be_python2, may_need_python2
from torchfix_codemods.remarks import DIVIDED_SIZE, ONLY_PYTHON_2
from torchfix_codemods.runs.discovery import PYTHON
from torchfix_codemods.text.converter import has_converter

if TYPE_CHECKING:
    from torchfix_codemods.engine.migrate import Migration, Options
    from torchfix_codemods.rule import Rule
    from torchfix_codemods.settings.config import Settings
    from torchfix_codemods.text.source import Source

NOTEBOOKS = (".ipynb",)
MARKDOWN = (".md", ".markdown")
RESTRUCTUREDTEXT = (".rst",)


def is_notebook(path: str | Path) -> bool:
    """Whether a file is a Jupyter notebook."""
    return str(path).lower().endswith(NOTEBOOKS)


def is_document(path: str | Path) -> bool:
    """Whether a file holds programs, and is none itself."""
    return is_notebook(path) or is_prose(path)


def is_prose(path: str | Path) -> bool:
    """Whether a file is a text with code blocks."""
    return str(path).lower().endswith((*MARKDOWN, *RESTRUCTUREDTEXT))


def suffixes(settings: Settings) -> tuple[str, ...]:
    """How the names of the files end that a search in folders is for."""
    prose = (*MARKDOWN, *RESTRUCTUREDTEXT) if settings.docs else ()
    return (*PYTHON, *NOTEBOOKS, *prose)


def is_read_without_torch(path: Path, settings: Settings) -> bool:
    """Whether there may be something to do in a file that does not speak of torch."""
    return bool(settings.py2) and not is_document(path)


def is_converted_unasked(path: Path, settings: Settings) -> bool:
    """Whether a file is converted, if Python 3 cannot read it, although nobody asked for that."""
    return settings.py2 is None and not is_document(path) and has_converter()


def may_import_beside(path: Path, data: bytes, settings: Settings) -> bool:
    """Whether a file may import what is beside it as only Python 2 does, and that is looked at."""
    is_program = not is_document(path) and path.suffix == ".py"
    return is_program and not settings.select and names_beside(data, path)


def may_need_python2_alone(path: Path, data: bytes, settings: Settings) -> bool:
    """Whether a file without torch may use what Python 3 has no more, and that is told."""
    is_program = not is_document(path) and b"torch" not in data
    return is_program and not settings.select and may_need_python2(data)


def converter(settings: Settings) -> Callable[[str], str | None]:
    """What this run makes of a text that is no Python 3, if anything."""
    if settings.py2 is False or not (settings.py2 or has_converter()):
        return lambda text: None
    return _as_python3


def _as_python3(text: str) -> str | None:
    # Imported for the first text that is no Python 3: most projects have none.
    from torchfix_codemods.documents.python2 import as_python3

    return as_python3(text)


def decode_file(path: Path, data: bytes) -> Source:
    """The text of a file. Documents are UTF-8, whatever their first lines look like.

    Raises:
        SourceError: the bytes are no text.
    """
    from torchfix_codemods.text.source import decode

    return decode(data, has_cookie=not is_document(path))


def migrate_file_text(
    path: Path,
    text: str,
    rules: Sequence[Rule],
    options: Options,
    settings: Settings,
    noted: Noted | None = None,
) -> Migration:
    """Migrate the text of a file as what it is: a program, or a document that holds some.

    Args:
        noted: gets what is rewritten so far; of programs alone, whose lines are those of the text.
    """
    from torchfix_codemods.engine.migrate import Migration, migrate_text
    from torchfix_codemods.engine.suppression import skips_file

    if is_notebook(path):
        from torchfix_codemods.documents.notebook import migrate_notebook

        return migrate_notebook(text, rules, options, bool(settings.py2))
    if is_prose(path):
        return _migrate_prose(path, text, rules, options, settings)
    if settings.py2:
        from torchfix_codemods.documents.python2 import migrate_python2

        return migrate_python2(text, rules, options, path)
    data = text.encode("utf-8", "replace")
    now, told = text, list[Finding]()
    if may_import_beside(path, data, settings) and not skips_file(text):
        from torchfix_codemods.documents.relative_imports import with_imports_beside

        now, told = with_imports_beside(text, path, options, rewrites=settings.py2 is None)
    if may_need_python2_alone(path, data, settings) and not skips_file(text):
        told += _left_of_python2(now, options)
    if not rules and (told or not may_be_python2(data)):
        return Migration(now, tuple(told))
    telling = options if noted is None else replace(options, noted=noted)
    migration = _with_quotients(migrate_text(now, rules, telling), now, options)
    if told and not (migration.errors and migration.text == now):
        return replace(migration, findings=tuple(sorted((*migration.findings, *told))))
    if now != text:
        # A file that could not be migrated is left as it is.
        return replace(migration, text=text)
    is_python2 = any(error.kind == "python2" for error in migration.errors)
    if is_python2 and is_converted_unasked(path, settings):
        from torchfix_codemods.documents.python2 import migrate_python2

        # What a comment suppresses is asked of the text that it stands in.
        return migrate_python2(text, rules, replace(options, enabled=frozenset), path)
    return migration if rules else Migration(text)


def _left_of_python2(text: str, options: Options) -> list[Finding]:
    """What is said of a file of which no rule is asked: it serves others that speak of torch."""
    from torchfix_codemods.documents.only_python2 import left_of_python2
    from torchfix_codemods.engine.migrate import facts_of

    try:
        facts = facts_of(text, options)
    except SyntaxError:
        return []
    try:
        return [*left_of_python2(text, facts)]
    finally:
        facts.release()


def _with_quotients(migration: Migration, text: str, options: Options) -> Migration:
    """A migration that tells of quotients where it shows that Python 2 alone ran the file."""
    if not any(f.code in (DIVIDED_SIZE, ONLY_PYTHON_2.code) for f in migration.findings):
        return migration
    from torchfix_codemods.documents.quotients.left import with_divisions_told

    return with_divisions_told(migration, text, options)


def _migrate_prose(
    path: Path, text: str, rules: Sequence[Rule], options: Options, settings: Settings
) -> Migration:
    if not settings.docs:
        from torchfix_codemods.engine.migrate import Migration

        error = FileError("document", "no Python; --docs migrates its code blocks")
        return Migration(text, errors=(error,))
    if str(path).lower().endswith(MARKDOWN):
        from torchfix_codemods.documents.markdown import migrate_markdown

        return migrate_markdown(text, rules, options, bool(settings.py2))
    from torchfix_codemods.documents.restructuredtext import migrate_restructuredtext

    return migrate_restructuredtext(text, rules, options, bool(settings.py2))
