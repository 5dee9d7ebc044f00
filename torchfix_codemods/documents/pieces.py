"""The pieces of Python in a document, migrated as the one program that they are together."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import field, replace

from torchfix_codemods.documents.magics import Masked, masked
from torchfix_codemods.documents.only_python2 import of_piece
from torchfix_codemods.documents.piece_ages import ages_of_program
from torchfix_codemods.documents.python2 import (
    Converted,
    NoFissixError,
    NotPython2Error,
    findings_of_conversion,
    to_python3,
)
from torchfix_codemods.documents.quotients.division import divided_as_before
from torchfix_codemods.documents.quotients.told_once import told_once_in_pieces
from torchfix_codemods.documents.readable import Unreadable, assigned_in, read_as_python, stand_in
from torchfix_codemods.edit.tidying.quotes import preferred_quote
from torchfix_codemods.engine.migrate import Migration, Options, facts_of, migrate_text
from torchfix_codemods.engine.regions import LOSES_COMMENT
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.facts.language.text_lines import ended
from torchfix_codemods.facts.recording.fences import PREFIX
from torchfix_codemods.finding import FileError, Finding
from torchfix_codemods.record import record
from torchfix_codemods.rule import Rule
from torchfix_codemods.text.wording import listed

_IS_FROZEN = "nothing is written here"
_SHOWS_LESS = "the value below it would no longer be shown"
_TOUCHES_MAGIC = "it would change a line that is no Python"
_REACHES_OVER = "it reaches over the end of the cell or block"
_REASONS = tuple(
    f"(left alone: {reason})" for reason in (_IS_FROZEN, _SHOWS_LESS, _TOUCHES_MAGIC, _REACHES_OVER)
)

# A line of this program; behind a comma, or with the name of a file, it is one of another file.
_LINE = re.compile(r"(?<!, )\bline (\d+)\b(?! of [\w./-]+\.py\b)")
#: Lines that are named one by one: each may stand in a piece of its own.
_LINES = re.compile(rf"{_LINE.pattern}(?:(?:; | and ){_LINE.pattern})+")
_WORD = re.compile(r"[^\W\d]\w*")


DocumentLine = Callable[[int, int], int]


@record
class Piece:
    """One cell or block.

    Args:
        name: what people call it, such as ``cell 3``; empty where they count the document's lines.
        text: the code, with the line ends of the document.
        above: how many lines stand above it in what they count: the cell, or the document.
        binds: names that the head gives a value nobody knows.
        shows: whether the value of a last expression is shown.
        label: what is shown beside it, such as ``In [2]``; empty where nothing is.
    """

    name: str
    text: str
    above: int = 0
    binds: tuple[str, ...] = ()
    shows: bool = False
    label: str = ""


@record
class Outcome:
    """What became of the pieces of one document."""

    texts: tuple[str, ...]
    """The text of each piece, in their order."""
    findings: tuple[tuple[int, Finding], ...] = ()
    """Findings, each with the index of its piece; lines count inside of the piece."""
    errors: tuple[tuple[int | None, FileError], ...] = ()
    """Errors, with the index of the piece where one is meant."""
    era: Era = field(default_factory=Era)
    skipped: str = ""


def migrate_pieces(
    pieces: Sequence[Piece],
    rules: Sequence[Rule],
    options: Options,
    *,
    words: str = "",
    is_ipython: bool = False,
    python2: bool = False,
    document_line: DocumentLine | None = None,
) -> Outcome:
    """Migrate pieces as one program, in their order.

    A piece that is no Python stands for values that nobody knows, and is left as it is. So is one
    that a rewrite would tie together with its neighbours.

    Args:
        pieces: the pieces.
        rules: the rules to apply.
        options: settings.
        words: other text of the document that may speak of names in the pieces.
        is_ipython: whether lines may be magics and shell commands.
        python2: whether pieces of Python 2 are converted.
        document_line: where a line of a piece stands in the document, by its number in ``pieces``
            and that of the line in it; by ``above`` if it is not given.
    """
    whole = _Whole(pieces, words, is_ipython, python2, document_line)
    left: list[tuple[int, Finding]] = []
    for _ in range(3 * len(pieces) + 1):
        program = whole.program()
        text, divisions = program.text, list[Finding]()
        if whole.divides_whole:
            text, divisions = divided_as_before(text, options)
        migration = migrate_text(text, rules, whole.options(options, program))
        texts, torn = program.taken_apart(migration.text)
        said = (*map(of_piece, migration.findings), *told_once_in_pieces(divisions))
        found = program.placed(said)
        if not torn:
            return whole.outcome(program, migration, texts, [*found, *left])
        masked_again = whole.mask_statements(torn)
        if masked_again:
            left += [
                (index, _left_alone(finding, _TOUCHES_MAGIC))
                for index, finding in found
                if finding.fixed and finding.line in masked_again.get(index, ())
            ]
            continue
        if whole.is_hopeless(torn):
            torn = {index: _REACHES_OVER for index, finding in found if finding.fixed}
        left += [
            (index, _left_alone(finding, torn[index]))
            for index, finding in found
            if index in torn and finding.fixed
        ]
        options = program.dated(options, whole.options(options, program), torn)
        whole.freeze(torn)
    error = FileError("unstable", "the pieces cannot be told apart any more; left as they are")
    return Outcome(tuple(piece.text for piece in pieces), errors=((None, error),))


class Joined:
    """The program that pieces are together, for who only reads it.

    Args:
        pieces: the pieces.
        options: settings of the document.
        words: other text of the document that may speak of names in the pieces.
        is_ipython: whether lines may be magics and shell commands.
        document_line: where a line of a piece stands in the document.
    """

    def __init__(
        self,
        pieces: Sequence[Piece],
        options: Options,
        *,
        words: str = "",
        is_ipython: bool,
        document_line: DocumentLine | None = None,
    ) -> None:
        whole = _Whole(pieces, words, is_ipython, False, document_line)
        self._pieces = pieces
        self._program = whole.program()
        self.text = self._program.text
        self.options = whole.options(options, self._program)

    def line(self, index: int, line: int) -> int:
        """Where a line of a piece stands in the program.

        Raises:
            LookupError: nowhere.
        """
        try:
            return self._program.origins.index((index, line)) + 1
        except ValueError:
            raise LookupError(line) from None

    def written(self, index: int, line: int) -> str:
        """A line of a piece as it stands there; another one may stand for it in the program."""
        return self._pieces[index].text.split("\n")[line - 1].rstrip("\r")

    def renumbered(self, message: str) -> str:
        """A message that names lines of the program, with what people call these."""
        return self._program.renumbered(message)


@record
class _Part:
    """What stands in the program for one piece."""

    index: int
    piece: Piece
    masked: Masked
    is_frozen: bool
    is_converted: bool


class _Whole:
    """All pieces, and which of them are left as they are."""

    def __init__(
        self,
        pieces: Sequence[Piece],
        words: str,
        is_ipython: bool,
        python2: bool,
        document_line: DocumentLine | None,
    ) -> None:
        self.pieces = pieces
        self._is_ipython = is_ipython
        self._python2 = python2
        self._document_line = document_line or self._by_lines_above
        self.token = _unused_name("".join(piece.text for piece in pieces))
        self.quote = preferred_quote("\n".join(piece.text for piece in pieces))
        self.variables = assigned_in("\n".join(piece.text for piece in pieces))
        self.unreadable: dict[int, Unreadable] = {}
        self.frozen: dict[int, int] = {}
        self.converted: dict[int, Converted] = {}
        self.words = set(_WORD.findall(words))
        self.masked: list[Masked] = []
        for index, piece in enumerate(pieces):
            self.masked.append(self._read(index, piece))

    @property
    def divides_whole(self) -> bool:
        """Whether the pieces were a program in which `/` of whole numbers rounded down."""
        return any(c.divides_whole for i, c in self.converted.items() if i not in self.frozen)

    def _read(self, index: int, piece: Piece, with_statements: bool = True) -> Masked:
        name = f"{self.token}{index}_"
        result = Masked(piece.text)
        if self._is_ipython:
            result = masked(piece.text, name, self.quote, self.variables, with_statements)
        try:
            read_as_python(result.text)
        except Unreadable as error:
            if self._python2:
                try:
                    self.converted[index] = to_python3(result.text)
                    result = replace(result, text=self.converted[index].text)
                except NoFissixError as missing:
                    error = Unreadable("library", str(missing), error.line)
                except NotPython2Error:
                    pass
            if index not in self.converted:
                self.unreadable[index] = error
                self.frozen[index] = 0
                self.words.update(_WORD.findall(piece.text))
        if index not in self.frozen:
            self.words.update(word for kept in result.kept for word in _WORD.findall(kept))
        return result

    def mask_statements(self, torn: Iterable[int]) -> dict[int, set[int]]:
        """Hide the statements behind magics of pieces in which a rewrite took one apart.

        Returns:
            the lines of these statements, by the numbers of the pieces; empty where there are none.
        """
        lines = {i: {line for line, _ in self.masked[i].runs} for i in torn}
        hidden = {index: rows for index, rows in lines.items() if rows}
        for index in hidden:
            self.masked[index] = self._read(index, self.pieces[index], with_statements=False)
        return hidden

    def is_hopeless(self, torn: Iterable[int]) -> bool:
        """Whether pieces that are left as they are, whatever it costs, would still change."""
        return all(self.frozen.get(index, 0) >= 1 for index in torn)

    def freeze(self, torn: dict[int, str]) -> None:
        """Leave pieces as they are; those that were to stay already, with their imports."""
        for index in torn:
            self.frozen[index] = self.frozen.get(index, -1) + 1
            self.words.update(_WORD.findall(self.pieces[index].text))

    def program(self) -> _Program:
        parts = []
        for index, piece in enumerate(self.pieces):
            strength = self.frozen.get(index)
            if strength is None:
                part = self.masked[index]
            else:
                part = Masked(stand_in(piece.text, with_imports=strength < 1))
            is_converted = strength is None and index in self.converted
            parts.append(_Part(index, piece, part, strength is not None, is_converted))
        return _Program(parts, self.token, self.quote)

    def options(self, options: Options, program: _Program) -> Options:
        """Settings under which the program keeps what its document needs besides it."""
        later = options.later
        return replace(
            options,
            ages=ages_of_program(options.ages, lambda: self._lines(program)),
            imported_elsewhere=lambda: bool(self.words) or options.imported_elsewhere(),
            used_elsewhere=self._or_here(options.used_elsewhere),
            mentioned_elsewhere=self._or_here(options.mentioned_elsewhere),
            attribute_read=self._or_here(options.attribute_read),
            later=None if later is None else self.options(later, program),
        )

    def _lines(self, program: _Program) -> list[int | None]:
        """The line of the document for each line of the program."""
        return [None if at is None else self._document_line(*at) for at in program.origins]

    def _by_lines_above(self, index: int, line: int) -> int:
        return self.pieces[index].above + line

    def _or_here(self, elsewhere: Callable[[str], bool]) -> Callable[[str], bool]:
        return lambda name: name in self.words or elsewhere(name)

    def outcome(
        self,
        program: _Program,
        migration: Migration,
        texts: tuple[str, ...],
        findings: Sequence[tuple[int, Finding]],
    ) -> Outcome:
        errors = [
            (index, FileError(error.kind, str(error), error.line))
            for index, error in self.unreadable.items()
        ]
        conversions = [
            (index, finding)
            for index, converted in self.converted.items()
            if index not in self.frozen
            for finding in findings_of_conversion(self.pieces[index].text, converted)
        ]
        evidence = tuple(map(program.renumbered, migration.era.evidence))
        return Outcome(
            texts,
            tuple(_one_per_line([*findings, *conversions])),
            (*errors, *program.placed_errors(migration.errors)),
            replace(migration.era, evidence=evidence),
            migration.skipped,
        )


class _Program:
    """The pieces one below the other, with a line between them that no rewrite touches.

    The line is a constant for itself: unlike a comment it goes nowhere together with a statement.
    As long as nothing but magics stands above, it is a string, below which imports are inserted.
    """

    def __init__(self, parts: Sequence[_Part], token: str, quote: str) -> None:
        self._parts = parts
        self._markers: list[str] = []
        prefix = ""
        for part in parts:
            marker = f"{prefix}{quote}{token}{part.index}{quote}"
            bound = [f"{name} = get_ipython()" for name in part.piece.binds]
            self._markers.append("\n".join([marker, *bound]))
            if bound or not _is_only_magics(part.masked.text):
                prefix = "b"
        lines: list[str] = []
        self.origins: list[tuple[int, int] | None] = []
        for part, marker in zip(parts, self._markers, strict=True):
            block = marker + "\n" + ended(part.masked.text)
            above = marker.count("\n") + 1
            self.origins += [None] * above
            count = block.count("\n") - above
            self.origins += [(part.index, line + 1) for line in range(count)]
            lines.append(block)
        self.text = "".join(lines)

    def placed(self, findings: Sequence[Finding]) -> list[tuple[int, Finding]]:
        """Findings with the index of their piece, and their line inside of it."""
        result = []
        for finding in findings:
            origin = self._origin(finding.line)
            if origin is not None and not self._stands_in(*origin):
                index, line = origin
                # The program has the statement of `%time statement` without what is before it.
                magic = dict(self._parts[index].masked.runs).get(line, "")
                column = finding.column + len(magic)
                message = self.renumbered(finding.message, index)
                if magic:
                    # The comment is the mark behind the statement.
                    message = message.replace(LOSES_COMMENT, _TOUCHES_MAGIC)
                result.append((index, replace(finding, line=line, column=column, message=message)))
        return result

    def _stands_in(self, index: int, line: int) -> bool:
        """Whether a line is the call that speaks of all names of a piece which is no Python."""
        part = self._parts[index]
        return part.is_frozen and line == len(part.masked.text.splitlines())

    def placed_errors(self, errors: Sequence[FileError]) -> list[tuple[int | None, FileError]]:
        """Errors with the index of their piece, and their line inside of it."""
        result: list[tuple[int | None, FileError]] = []
        for error in errors:
            origin = None if error.line is None else self._origin(error.line)
            if origin is None:
                result.append((None, replace(error, line=None)))
            else:
                result.append((origin[0], replace(error, line=origin[1])))
        return result

    def place(self, line: int, beside: int | None = None) -> str:
        """What people call a line of the program.

        Args:
            line: its number.
            beside: the index of the piece that it is spoken of in, where it is one.
        """
        origin = self._origin(line)
        if origin is None:
            return f"line {line}"
        index, number = origin
        piece = self._parts[index].piece
        number += piece.above
        if not piece.name:
            return f"line {number}"
        if beside == index:
            return f"line {number} of this {piece.name.partition(' ')[0]}"
        # Places that are spoken of nowhere are called as the report and `explain` call them.
        is_shown = beside is not None and piece.label
        return f"{piece.label if is_shown else piece.name}, line {number}"

    def renumbered(self, message: str, beside: int | None = None) -> str:
        """A message that names lines of the program, with what people call these.

        Args:
            message: the message.
            beside: the index of the piece that it speaks of, where it is one.
        """

        def _together(match: re.Match[str]) -> str:
            origins = [self._origin(int(line)) for line in _LINE.findall(match[0])]
            numbers = [at[1] for at in origins if at is not None and at[0] == beside]
            part = None if beside is None else self._parts[beside].piece
            if part is None or not part.name or len(numbers) < len(origins):
                return match[0]
            numbers = [part.above + number for number in numbers]
            return f"lines {listed(numbers)} of this {part.name.partition(' ')[0]}"

        message = _LINES.sub(_together, message)
        return _LINE.sub(lambda match: self.place(int(match[1]), beside), message)

    def _origin(self, line: int) -> tuple[int, int] | None:
        return self.origins[line - 1] if 1 <= line <= len(self.origins) else None

    def dated(self, options: Options, asked: Options, torn: Container[int]) -> Options:
        """``options`` for a program without certain pieces, if one of them is what dates it.

        They stay in the document, and so does what they show of its age.

        Args:
            options: settings of the document.
            asked: those under which this program was migrated.
            torn: the pieces.
        """
        if options.era is not None:
            return options
        facts = facts_of(self.text, asked)
        clues = [clue for clue in (facts.clues.newer, facts.clues.older) if clue is not None]
        origins = [self._origin(clue.line) for clue in clues]
        era = facts.era
        facts.release()
        if not any(origin is not None and origin[0] in torn for origin in origins):
            return options
        evidence = tuple(map(self.renumbered, era.evidence))
        return _with_era(options, replace(era, evidence=evidence))

    def taken_apart(self, text: str) -> tuple[tuple[str, ...], dict[int, str]]:
        """The text of each piece, and the pieces that must not become what they would, and why."""
        if text == self.text and not any(part.is_converted for part in self._parts):
            return tuple(part.piece.text for part in self._parts), {}
        bodies, torn = self._split(text)
        if torn:
            return (), torn
        texts = []
        for part, body in zip(self._parts, bodies, strict=True):
            before = part.masked.text
            after = _trimmed(before, body)
            if after == before and not part.is_converted:
                texts.append(part.piece.text)
                continue
            if part.is_frozen:
                torn[part.index] = _IS_FROZEN
                continue
            if part.piece.shows:
                shown = _shown_as_before(before, after)
                if shown is None:
                    torn[part.index] = _SHOWS_LESS
                    continue
                after = shown
            restored = part.masked.restored(after)
            if restored is None:
                torn[part.index] = _TOUCHES_MAGIC
                continue
            texts.append(restored)
        return tuple(texts), torn

    def _split(self, text: str) -> tuple[list[str], dict[int, str]]:
        bodies: list[str] = []
        torn: dict[int, str] = {}
        rest = text
        for number, (part, marker) in enumerate(zip(self._parts, self._markers, strict=True)):
            before, found, after = f"\n{rest}".partition(f"\n{marker}\n")
            if not found or (number == 0 and before):
                neighbours = self._parts[max(0, number - 1) : number + 1]
                torn.update((neighbour.index, _REACHES_OVER) for neighbour in neighbours)
                rest = rest if not found else after
                torn[part.index] = _REACHES_OVER
            else:
                rest = after
            if number:
                bodies.append(f"{before[1:]}\n" if before else "")
        bodies.append(rest)
        return bodies, torn


def _with_era(options: Options, era: Era) -> Options:
    later = None if options.later is None else _with_era(options.later, era)
    return replace(options, era=era, later=later)


def _is_only_magics(text: str) -> bool:
    """Whether a piece is nothing but strings: what stands for magics that touch no name."""
    return all(
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
        for statement in read_as_python(text).body
    )


def _trimmed(before: str, after: str) -> str:
    """A body that begins and ends with as many empty lines as it did."""
    if not before.startswith(("\n", "\r")):
        after = after.lstrip("\r\n")
    body = after.rstrip("\r\n")
    return body + before[len(before.rstrip("\r\n")) :] if body else ""


def _shown_as_before(before: str, after: str) -> str | None:
    """``after``, such that it shows a value where ``before`` does and only there.

    Returns:
        None where a value would no longer be shown.
    """
    old, new = _last_expression(before), _last_expression(after)
    if old is not None and new is None:
        return None
    if old is None and new is not None:
        lines = after.split("\n")
        end_line, end = new.end_lineno or new.lineno, new.end_col_offset or 0
        data = lines[end_line - 1].encode("utf-8")
        lines[end_line - 1] = (data[:end] + b";" + data[end:]).decode("utf-8")
        return "\n".join(lines)
    return after


def _last_expression(text: str) -> ast.Expr | None:
    """The last statement of a cell, where its value is shown."""
    try:
        body = read_as_python(text).body
    except Unreadable:
        return None
    if not body or not isinstance(body[-1], ast.Expr):
        return None
    last = body[-1]
    if isinstance(last.value, ast.Call) and ast.unparse(last.value.func) == "print":
        # It gives nothing to show.
        return None
    line = text.split("\n")[(last.end_lineno or last.lineno) - 1].encode("utf-8")
    behind = line[last.end_col_offset or 0 :].partition(b"#")[0].strip()
    return None if behind == b";" else last


def _one_per_line(findings: Iterable[tuple[int, Finding]]) -> list[tuple[int, Finding]]:
    """Findings in order; what a piece was left alone for is told once for each line and rule."""
    told: set[tuple[int, int, str]] = set()
    result = []
    for index, finding in sorted(set(findings)):
        key = (index, finding.line, finding.code)
        if not finding.message.endswith(_REASONS) or key not in told:
            result.append((index, finding))
        told.add(key)
    return result


def _left_alone(finding: Finding, reason: str) -> Finding:
    return replace(finding, fixed=False, message=f"{finding.message} (left alone: {reason})")


def _unused_name(text: str) -> str:
    name = PREFIX
    while name in text:
        name += "_"
    return name
