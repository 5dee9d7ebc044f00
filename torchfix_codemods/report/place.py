"""``torchfix explain FILE:LINE``: what is known of a line, and what each rule made of it."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from torchfix_codemods.documents.kinds import (
    decode_file,
    is_notebook,
    is_prose,
    is_read_without_torch,
)
from torchfix_codemods.engine.dispatch import BY_WORD, looks
from torchfix_codemods.engine.migrate import Options, facts_of
from torchfix_codemods.facts.age.era import parse_version
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import known_calls
from torchfix_codemods.facts.recording.fences import PREFIX
from torchfix_codemods.finding import FileError, FileResult, Finding, Place
from torchfix_codemods.project.files import FilesOf
from torchfix_codemods.project.index import Index
from torchfix_codemods.record import record
from torchfix_codemods.report.text import counted
from torchfix_codemods.report.words import about, shortened
from torchfix_codemods.rule import Rule
from torchfix_codemods.rules import all_rules
from torchfix_codemods.runs.chosen import options_for, rules_for
from torchfix_codemods.runs.reading import Asked, Reading, reading_of
from torchfix_codemods.runs.runner import migrate_bytes
from torchfix_codemods.settings.config import Settings
from torchfix_codemods.text.stack import with_deep_stack
from torchfix_codemods.why.reasons import reasons

_NO_PYTHON = "  nothing: this line is no Python"


@record
class _Line:
    """A line of a program.

    Attributes:
        name: what people call it.
        facts: what is known of the program.
        number: which line of the program it is, from 1.
        place: where findings say that it is: a line of the file, or one of a cell.
        text: the line as it is written.
        named: puts the names that people have for lines in the place of their numbers.
    """

    name: str
    facts: Facts
    number: int
    place: int | tuple[str, int]
    text: str
    named: Callable[[str], str] = str

    @property
    def is_python(self) -> bool:
        """Whether the program has this very line: only IPython understands some of a cell."""
        here = self.facts.lines[self.number - 1].strip()
        # Of `%time statement` it has the statement, with a mark behind it.
        statement, mark, _ = here.partition(f"  # {PREFIX}")
        return here == self.text.strip() or bool(mark and self.text.strip().endswith(statement))

    def holds(self, line: int | None, place: Place | None) -> bool:
        """Whether a finding or an error is about this line."""
        return self.place in (line, None if place is None else (place.part, place.line))


def explanation(
    path: Path, line: int, settings: Settings, cell: int | None = None
) -> Iterator[str]:
    """Lines for the terminal.

    Args:
        path: the file.
        line: counted from 1.
        settings: what the project applies.
        cell: of a notebook the cell that the line is in, counted from 1.

    Raises:
        OSError: the file cannot be read.
        SourceError: it cannot be decoded.
        SyntaxError: it is not valid Python.
        LookupError: it has no such line.
    """
    if is_prose(path):
        raise LookupError(
            f"{path} is no program: only lines of Python and of notebooks are explained"
        )
    data = path.read_bytes()
    index = Index()
    reading = reading_of(data, path, lambda: index.texts)
    options = options_for(path, settings, FilesOf(path, index))
    text = decode_file(path, data).text
    if is_notebook(path):
        asked = _line_of_cell(path, text, cell, line, options)
    elif cell is not None:
        raise LookupError(f"{path} is no notebook: it has no cells")
    else:
        asked = _line_of_file(path, text, line, options)
    result = migrate_bytes(data, path, settings)
    found: list[str] = with_deep_stack(lambda: list(_lines(path, asked, result, reading, settings)))
    yield from found


def _line_of_file(path: Path, text: str, line: int, options: Options) -> _Line:
    facts = facts_of(text, options)
    if not 0 < line <= len(facts.lines):
        raise LookupError(f"{path} has {counted(len(facts.lines), 'line')}")
    return _Line(f"{path}:{line}", facts, line, line, facts.lines[line - 1])


def _line_of_cell(path: Path, text: str, cell: int | None, line: int, options: Options) -> _Line:
    from torchfix_codemods.documents.notebook import NotebookError, joined_cells

    if cell is None:
        raise LookupError(f'{path} is a notebook: say which cell, as in "{path}:cell 3:1"')
    try:
        joined, number, written = joined_cells(text, options, cell, line)
    except NotebookError as error:
        raise LookupError(f"{path}: {error}") from error
    except LookupError as error:
        raise LookupError(f"{path}: there is no Python in line {line} of cell {cell}") from error
    facts = facts_of(joined.text, joined.options)
    place = f"cell {cell}", line
    return _Line(f"{path}:cell {cell}:{line}", facts, number, place, written, joined.renumbered)


def _lines(
    path: Path, line: _Line, result: FileResult, reading: Reading, settings: Settings
) -> Iterator[str]:
    facts, number = line.facts, line.number
    yield f"{line.name}: {line.text.strip()}"
    yield ""
    yield line.named(_era(facts))
    known = _known(number, facts) if line.is_python else [_NO_PYTHON]
    yield from ("", "What is known:", *map(line.named, known))
    findings = [f for f in (*result.findings, *result.passed) if line.holds(f.line, f.place)]
    errors = [e for e in result.errors if e.place is None or line.holds(e.line, e.place)]
    elsewhere = _said_of_function(line, result)
    yield from ("", "What the rules found:", *_found(findings, errors))
    yield from _of_function(elsewhere)
    if reading.because:
        yield ""
        is_read = is_read_without_torch(path, settings) or bool(result.findings)
        yield from _wrapped(_unread(reading, is_read), "")
    if not line.is_python or reading.asked is Asked.NONE:
        return
    told = {finding.code for finding in (*findings, *elsewhere)}
    chosen = {rule.code for rule in rules_for(path, settings)}
    asked = _asked(number, facts, reading.rules(all_rules()))
    silent = {rule: why for rule, why in asked.items() if rule.code not in told}
    quiet = _silent({rule: why for rule, why in silent.items() if rule.code in chosen})
    yield from map(line.named, quiet)
    yield from _not_asked([rule for rule in silent if rule.code not in chosen], settings)


def _unread(reading: Reading, is_read: bool) -> str:
    """Which rules are not asked about a file, and why."""
    if reading.asked is Asked.OTHER_LIBRARIES:
        return f"Rules about torch are not asked about this file, because {reading.because}."
    if is_read:
        return f"No rule is asked about this file, because {reading.because}."
    return f"This file was never read, because {reading.because}."


def _era(facts: Facts) -> str:
    if not facts.era.evidence:
        return "Nothing shows for which torch the file was written."
    return f"The file was written for torch {facts.era} ({'; '.join(facts.era.evidence)})."


def _known(line: int, facts: Facts) -> Iterator[str]:
    said: dict[str, str] = {}
    for node in _expressions(line, facts):
        said.setdefault(shortened(facts.segment(node)), about(node, facts))
    if not said:
        yield "  nothing: there is no expression in this line"
    width = min(30, max(map(len, said), default=0))
    for code, words in said.items():
        indent = " " * (width + 4)
        lines = textwrap.wrap(words, 100 - len(indent), break_on_hyphens=False)
        if len(code) > width:
            yield f"  {code}"
        else:
            yield f"  {code:{width}}  {lines.pop(0)}"
        yield from (f"{indent}{part}" for part in lines)


def _expressions(line: int, facts: Facts) -> list[ast.expr]:
    """The expressions that begin in a line, or that it goes on with, those in front first."""
    skipped = (ast.Constant, ast.Tuple, ast.Starred, ast.Slice, ast.JoinedStr, ast.Lambda)
    nodes = [
        node
        for node in ast.walk(facts.tree)
        if isinstance(node, ast.expr) and not isinstance(node, skipped)
    ]
    found = [node for node in nodes if node.lineno == line]
    if not found:
        around = [n for n in nodes if n.lineno < line <= (n.end_lineno or n.lineno)]
        found = around[-1:]
    found = [node for node in found if not _is_part_of_name(node, facts)]
    return sorted(
        found, key=lambda n: (n.col_offset, -(n.end_lineno or 0), -(n.end_col_offset or 0))
    )


def _is_part_of_name(node: ast.expr, facts: Facts) -> bool:
    """``torch.nn`` in ``torch.nn.functional``, and ``x.view`` in ``x.view(1)``: said once."""
    parent = facts.parent(node)
    if isinstance(parent, ast.Attribute) and facts.name(parent) is not None:
        return True
    is_called = isinstance(parent, ast.Call) and parent.func is node
    return is_called and isinstance(node, ast.Attribute) and facts.name(node) is None


def _found(findings: Sequence[Finding], errors: Iterable[FileError]) -> Iterator[str]:
    for error in errors:
        what = "file" if error.place is None else "cell"
        yield f"  the {what} is left as it is: {error.message}"
    if not findings:
        yield "  nothing in this line"
    yield from _told(findings)


def _told(findings: Sequence[Finding], with_line: bool = False) -> Iterator[str]:
    # The block and the flag of one call are two findings, and one sentence.
    told = {(f.line, f.code, f.message, f.fixed): f for f in reversed(findings)}
    for finding in reversed(told.values()):
        what = "is rewritten" if finding.fixed else "is left alone"
        where = f", line {finding.line}" * with_line
        yield f"  {finding.code} {finding.name} ({finding.numerics.value}){where}, {what}:"
        yield from _wrapped(finding.message)


def _said_of_function(line: _Line, result: FileResult) -> list[Finding]:
    """What rules that speak of a line say of the function around it: at its head, at its calls."""
    around = [
        node
        for node in ast.walk(line.facts.tree)
        if isinstance(node, ast.FunctionDef) and node.lineno < line.number <= (node.end_lineno or 0)
    ]
    if not around or line.place != line.number:
        return []
    function = around[-1]
    calls = known_calls(function, line.facts)
    here = [call.lineno for call, at in calls if at.inference is line.facts.inference]
    lines = {function.lineno, *here} - {line.number}
    words = set(re.findall(r"\w+", line.text))
    speaking = {rule.code for rule in all_rules() if rule.words & words}
    found = (*result.findings, *result.passed)
    return [f for f in found if f.line in lines and f.code in speaking]


def _of_function(findings: Sequence[Finding]) -> Iterator[str]:
    if findings:
        yield from ("", "What they found at the head of the function around it, or at its calls:")
    yield from _told(findings, with_line=True)


def _asked(line: int, facts: Facts, rules: Sequence[Rule]) -> dict[Rule, list[str]]:
    """The rules that look at something in a line, or speak of it, and why they find nothing."""
    words = set(re.findall(r"\w+", facts.lines[line - 1]))
    nodes: dict[Rule, list[ast.AST]] = {rule: [] for rule in rules if rule.words & words}
    for node, rule, found in looks(facts, rules):
        # Other nodes a rule gets all of, whatever they speak of.
        if getattr(node, "lineno", 0) == line and (rule in nodes or isinstance(node, BY_WORD)):
            nodes.setdefault(rule, []).extend([] if found else [node])
    return {rule: _why(rule, nodes[rule], facts) for rule in rules if rule in nodes}


def _why(rule: Rule, nodes: Sequence[ast.AST], facts: Facts) -> list[str]:
    said = (
        str(reason)
        for node in nodes
        for reason in reasons(getattr(rule, f"find_{type(node).__name__}"), node, facts)
    )
    return list(dict.fromkeys(said))


def _silent(rules: Mapping[Rule, Sequence[str]]) -> Iterator[str]:
    told = {rule: why for rule, why in rules.items() if why}
    if told:
        yield from ("", "Rules that looked at this line and found nothing that is certain:")
    for rule, why in told.items():
        yield f"  {rule.code} {rule.name}: {rule.summary()}"
        for reason in why:
            yield from _wrapped(reason)
    others = ", ".join(f"{rule.code} {rule.name}" for rule in rules if rule not in told)
    if others:
        yield from ("", "Rules that look for code of another form:")
        yield from textwrap.wrap(others, 98, initial_indent="  ", subsequent_indent="  ")
    if rules:
        example = next(iter(told or rules)).code
        yield from ("", f"When a rule leaves code alone: torchfix explain {example}")


def _not_asked(rules: Iterable[Rule], settings: Settings) -> Iterator[str]:
    rules = list(rules)
    if not rules:
        return
    yield from ("", "Rules for such lines that are switched off:")
    for rule in rules:
        newest = settings.to_version
        reason = "not selected"
        if newest is not None and parse_version(rule.since) > parse_version(newest):
            reason = f"needs torch {rule.since}, the settings say --to {newest}"
        elif rule.is_optional and not settings.select:
            reason = f"looks only with --select {rule.code}"
        yield f"  {rule.code} {rule.name}: {reason}"


def _wrapped(text: str, indent: str = "      ") -> Iterator[str]:
    for line in textwrap.wrap(text, 94, break_on_hyphens=False, break_long_words=False):
        yield f"{indent}{line}"
