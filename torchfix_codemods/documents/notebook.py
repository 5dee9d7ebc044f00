"""Jupyter notebooks: the code cells are one program, the rest of the file is not touched."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from torchfix_codemods.documents.indented_cells import indentation, indented_again, unindented
from torchfix_codemods.documents.json_spans import Spelling, Value, parse
from torchfix_codemods.documents.magics import cell_magic, runs_cell
from torchfix_codemods.documents.pieces import Joined, Outcome, Piece, migrate_pieces
from torchfix_codemods.documents.readable import names_touched_by
from torchfix_codemods.documents.source_lines import Source, lines_of
from torchfix_codemods.engine.migrate import Migration, Options
from torchfix_codemods.finding import FileError, Finding, Place
from torchfix_codemods.record import record
from torchfix_codemods.rule import Rule

_OLDEST, _NEWEST = 2, 4

#: Rules about scripts: workers of a loader do not run a notebook again.
_ABOUT_SCRIPTS = frozenset({"main-guard"})


class NotebookError(Exception):
    """A file that is no notebook."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


@record
class Cell:
    """A code cell. ``number`` counts all cells of the notebook, from 1.

    ``run`` is the number that Jupyter shows beside it, and beside no other; None where it has none.
    """

    number: int
    source: Source
    run: int | None = None

    @property
    def name(self) -> str:
        return f"cell {self.number}"

    @property
    def label(self) -> str:
        """What Jupyter shows beside it alone; empty where there is nothing."""
        return "" if self.run is None else f"In [{self.run}]"


@record
class Notebook:
    """The code cells of a notebook, and the language they are written in."""

    text: str
    language: str
    cells: tuple[Cell, ...]


def read_notebook(text: str) -> Notebook:
    """Find the code cells of a notebook, of format 2, 3 or 4.

    Raises:
        NotebookError: it is no notebook, or of a format that nobody knows.
    """
    try:
        root = parse(text)
    except json.JSONDecodeError as error:
        raise NotebookError(f"not a notebook: no valid JSON: {error.msg}", error.lineno) from error
    except (ValueError, RecursionError) as error:
        raise NotebookError(f"not a notebook: no valid JSON: {error}") from error
    version = root.get("nbformat")
    if version is None or type(version.content) is not int:
        raise NotebookError("not a notebook: it has no nbformat")
    if not _OLDEST <= version.content <= _NEWEST:
        known = f"{_OLDEST} to {_NEWEST} are known"
        raise NotebookError(f"a notebook of format {version.content}: {known}")
    found = [
        _cell(cell, number, text)
        for number, cell in enumerate(_all_cells(root, version.content), 1)
        if cell.string("cell_type") == "code"
    ]
    runs = Counter(cell.run for cell, _ in found)
    cells = tuple(cell if runs[cell.run] == 1 else replace(cell, run=None) for cell, _ in found)
    return Notebook(text, _language(root, found, version.content), cells)


def migrate_notebook(
    text: str, rules: Sequence[Rule], options: Options, python2: bool = False
) -> Migration:
    """Migrate the code cells of a notebook as one program.

    Args:
        text: the notebook.
        rules: the rules to apply.
        options: settings.
        python2: whether cells of Python 2 are converted.
    """
    try:
        notebook = read_notebook(text)
    except NotebookError as error:
        return Migration(text, errors=(FileError("notebook", str(error), error.line),))
    if not re.match(r"i?python", notebook.language, re.IGNORECASE):
        return Migration(text, skipped=f"its cells are {notebook.language}, not Python")
    programs = _programs(notebook)
    places = _Places(notebook, programs)
    outcome = migrate_pieces(
        [program.piece for program in programs],
        [rule for rule in rules if rule.name not in _ABOUT_SCRIPTS],
        options,
        words=_words_beside(notebook, programs),
        is_ipython=True,
        python2=python2,
        document_line=places.line,
    )
    return _migration(notebook, programs, places, outcome)


def joined_cells(text: str, options: Options, number: int, line: int) -> tuple[Joined, int, str]:
    """The program that the cells of a notebook are, and where a line of one of them stands there.

    With it comes the line as it is in the cell: the program has others for what is no Python.

    Args:
        text: the notebook.
        options: settings.
        number: the cell, counted with all others from 1.
        line: the line in it, counted from 1.

    Raises:
        NotebookError: it is no notebook.
        LookupError: there is no such line of Python.
    """
    notebook = read_notebook(text)
    programs = _programs(notebook)
    joined = Joined(
        [program.piece for program in programs],
        options,
        words=_words_beside(notebook, programs),
        is_ipython=True,
        document_line=_Places(notebook, programs).line,
    )
    for index, program in enumerate(programs):
        if program.cell.number == number:
            own = line - program.piece.above
            return joined, joined.line(index, own), joined.written(index, own)
    raise LookupError(number)


def _programs(notebook: Notebook) -> list[_Program]:
    return [program for cell in notebook.cells if (program := _program(cell)) is not None]


def _words_beside(notebook: Notebook, programs: Sequence[_Program]) -> str:
    """What stands in the cells besides the Python that is migrated."""
    known = {program.cell.number for program in programs}
    others = [cell.source.text for cell in notebook.cells if cell.number not in known]
    return "\n".join([*others, *(program.head for program in programs)])


@record
class _Program:
    """The Python of a cell.

    Args:
        cell: the cell.
        piece: what is migrated of it.
        head: the lines above that, which have to stay first.
        indent: what all lines of the cell begin with.
    """

    cell: Cell
    piece: Piece
    head: str = ""
    indent: str = ""

    def column(self, line: int, column: int) -> int:
        """A column of a line of the piece, as the cell has it."""
        text = lines_of(self.cell.source.text)[line + self.piece.above - 1 :]
        return column + len(self.indent) * bool(text and text[0].startswith(self.indent))

    def written(self, code: str) -> str:
        """The text of the cell with other code."""
        text = self.head + code
        return indented_again(text, self.cell.source.text, self.indent) if self.indent else text


def _program(cell: Cell) -> _Program | None:
    """The Python of a cell; None where there is none, or another process runs it."""
    indent = indentation(cell.source.text)
    code = unindented(cell.source.text, indent)
    magic = cell_magic(code)
    if magic is None:
        piece = Piece(cell.name, code, shows=True, label=cell.label)
        return _Program(cell, piece, indent=indent) if code.strip() else None
    head, name, rest, body = magic
    if not runs_cell(name) or not body.strip():
        return None
    binds = names_touched_by(rest)[1] if name == "capture" else []
    above, is_shown = head.count("\n"), name != "prun"
    piece = Piece(cell.name, body, above, tuple(binds), shows=is_shown, label=cell.label)
    return _Program(cell, piece, head, indent)


class _Places:
    """Where the lines of the cells stand in the document."""

    def __init__(self, notebook: Notebook, programs: Sequence[_Program]) -> None:
        self._programs = programs
        self._starts = [match.end() for match in re.finditer("\n", notebook.text)]

    def line(self, index: int, line: int) -> int:
        """The line of the document for one of a program, both counted from 1."""
        return self.of(index, line, 1)[0]

    def of(self, index: int, line: int, column: int) -> tuple[int, int, Place]:
        """The line and column in the document, and what people call that place."""
        program = self._programs[index]
        column = program.column(line, column)
        line += program.piece.above
        position = program.cell.source.position(line, column)
        number = bisect_right(self._starts, position)
        first = self._starts[number - 1] if number else 0
        return number + 1, position - first + 1, Place(program.cell.name, line, column)


def _migration(
    notebook: Notebook, programs: Sequence[_Program], places: _Places, outcome: Outcome
) -> Migration:
    def placed(index: int, finding: Finding) -> Finding:
        line, column, place = places.of(index, finding.line, finding.column)
        return replace(finding, line=line, column=column, place=place)

    def placed_error(index: int | None, error: FileError) -> FileError:
        if index is None:
            return error
        line, _, place = places.of(index, error.line or 1, 1)
        return replace(error, line=line, place=place)

    return Migration(
        _with_sources(notebook, programs, outcome.texts),
        tuple(sorted(placed(index, finding) for index, finding in outcome.findings)),
        tuple(placed_error(index, error) for index, error in outcome.errors),
        outcome.era,
        outcome.skipped,
    )


def _with_sources(notebook: Notebook, programs: Sequence[_Program], texts: Sequence[str]) -> str:
    """The document with other code in its cells."""
    text = notebook.text
    spelling = Spelling(text)
    for program, code in reversed(list(zip(programs, texts, strict=True))):
        if code != program.piece.text:
            source = program.cell.source
            written = source.written(program.written(code), spelling)
            text = text[: source.value.start] + written + text[source.value.end :]
    return text


def _all_cells(root: Value, version: int) -> list[Value]:
    if version == _NEWEST:
        return _list(root.get("cells"), "cells")
    sheets = _list(root.get("worksheets"), "worksheets")
    return [cell for sheet in sheets for cell in _list(sheet.get("cells"), "cells")]


def _list(value: Value | None, name: str) -> list[Value]:
    if value is None or not isinstance(value.content, list):
        raise NotebookError(f"not a notebook: it has no {name}")
    return value.content


def _cell(cell: Value, number: int, text: str) -> tuple[Cell, str | None]:
    """A code cell and the language that it names itself, as cells did up to format 3."""
    source = cell.get("source") or cell.get("input")
    lines = None if source is None else source.content
    if isinstance(lines, list):
        is_code = all(isinstance(line.content, str) for line in lines)
    else:
        is_code = isinstance(lines, str)
    if source is None or not is_code:
        raise NotebookError(f"not a notebook: cell {number} has no source")
    counted = cell.get("execution_count") or cell.get("prompt_number")
    run = None if counted is None else counted.content
    is_run = isinstance(run, int)
    return Cell(number, Source(source, text), run if is_run else None), cell.string("language")


def _language(root: Value, found: Sequence[tuple[Cell, str | None]], version: int) -> str:
    """The language of the code cells; Python where the notebook does not say."""
    metadata = root.get("metadata")
    info = None if metadata is None else metadata.get("language_info")
    kernel = None if metadata is None else metadata.get("kernelspec")
    named = [
        None if info is None else info.string("name"),
        None if kernel is None else kernel.string("language"),
        *(language for _, language in found if version < _NEWEST),
    ]
    return next((language for language in named if language), "python")
