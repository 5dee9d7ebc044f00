"""Whether a piece of text is Python, and what stands in for it where it is not."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import warnings

from torchfix_codemods.text.repair import explain_syntax_error, repair_async

_NAME = re.compile(r"[^\W\d]\w*")
_STRING = re.compile(r"""('''|\"\"\")(?:\\.|(?!\1).)*\1|(['"])(?:\\.|(?!\2)[^\n])*\2""", re.DOTALL)
_TARGETS = re.compile(r"^[ \t]*([\w \t,.()\[\]*:]+?)[ \t]*(?:[-+*/%@&|^]|//|\*\*)?=(?!=)", re.M)
_BOUND = re.compile(r"\b(?:def|class|as|import|global|del)[ \t]+([\w \t,]+)")
_LOOP = re.compile(r"\bfor[ \t]+([\w \t,()]+?)[ \t]+in\b")
_ASSIGNED = re.compile(r"(?<![\w.])([^\W\d]\w*)[ \t]*:?=(?!=)")
_TARGET = re.compile(r"(?<![\w.])([^\W\d]\w*)(?![\w.\[(])")
_IMPORT_LINE = re.compile(r"(?:import|from)[ \t]")


class Unreadable(Exception):
    """Text that is no Python.

    Args:
        kind: ``python2`` or ``syntax``; ``library`` where one is missing that could read it.
        message: what is wrong, and what to do about it.
        line: of the culprit, from 1.
    """

    def __init__(self, kind: str, message: str, line: int | None) -> None:
        super().__init__(message)
        self.kind = kind
        self.line = line


def read_as_python(text: str) -> ast.Module:
    """Parse a text; ``async=`` counts as what it is repaired to.

    Raises:
        Unreadable: it is no Python.
    """
    repaired, _ = repair_async(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(repaired)
    except SyntaxError as error:
        raise Unreadable(*explain_syntax_error(text, error)) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise Unreadable("syntax", f"cannot be parsed: {error}", None) from error


def stand_in(text: str, with_imports: bool) -> str:
    """A program that does to its names what an unreadable text may do: anything.

    It has as many lines as the text.

    Args:
        text: the unreadable text.
        with_imports: whether what it imports, line by line, may be believed.
    """
    lines = [""] * len(text.splitlines())
    imported: set[str] = set()
    for number, line in enumerate(text.splitlines() if with_imports else ()):
        names = _imported_by(line)
        if names:
            lines[number] = line
            imported |= names
    code = _without_strings_and_comments(text)
    spoken = [name for name in dict.fromkeys(_NAME.findall(code)) if _is_free(name)]
    bound = [name for name in spoken if name in _bound_in(code) - imported]
    targets = "".join(f"{name} = " for name in bound)
    call = f"{targets}get_ipython({', '.join(spoken)})"
    if not lines or lines[-1]:
        lines.append(call)
    else:
        lines[-1] = call
    return "\n".join(lines) + "\n"


def names_touched_by(code: str) -> tuple[list[str], list[str]]:
    """The names that a line of code may bind, and those that it reads, or may read."""
    plain = _without_strings_and_comments(code)
    spoken = [name for name in dict.fromkeys(_NAME.findall(plain)) if _is_free(name)]
    bound = [name for name in spoken if name in _bound_in(plain)]
    read = _read_by(code)
    return bound, [name for name in spoken if read is None or name in read]


def _read_by(code: str) -> set[str] | None:
    """The names that a line of Python reads; None where it is no Python by itself."""
    try:
        nodes = list(ast.walk(read_as_python(code.strip())))
    except Unreadable:
        return None
    changed = [node.target for node in nodes if isinstance(node, ast.AugAssign)]
    names = [node for node in nodes if isinstance(node, ast.Name)]
    return {name.id for name in names if name in changed or not isinstance(name.ctx, ast.Store)}


def _imported_by(line: str) -> set[str]:
    """The names of an import that fills a line."""
    if not _IMPORT_LINE.match(line):
        return set()
    try:
        body = ast.parse(line).body
    except (SyntaxError, ValueError):
        return set()
    return {
        (alias.asname or alias.name).partition(".")[0]
        for statement in body
        if isinstance(statement, (ast.Import, ast.ImportFrom))
        for alias in statement.names
    }


def assigned_in(code: str) -> set[str]:
    """The names that a text may assign, imports and definitions aside."""
    code = _without_strings_and_comments(code)
    found = [*_TARGETS.findall(code), *_LOOP.findall(code), *_ASSIGNED.findall(code)]
    return {name for part in found for name in _TARGET.findall(part) if _is_free(name)}


def _bound_in(code: str) -> set[str]:
    names = {name for part in _BOUND.findall(code) for name in _NAME.findall(part)}
    return names | assigned_in(code)


def _without_strings_and_comments(text: str) -> str:
    return re.sub(r"#[^\n]*", "", _STRING.sub("''", text))


def _is_free(name: str) -> bool:
    return not keyword.iskeyword(name) and name != "print" and not hasattr(builtins, name)
