"""Syntax that today's Python refuses: mended where the meaning is certain, named elsewhere."""

from __future__ import annotations

import io
import tokenize
from dataclasses import dataclass, field

from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.record import record
from torchfix_codemods.text.async_names import own_names
from torchfix_codemods.text.converter import how_converted

#: Methods of a tensor whose flag ``async`` became ``non_blocking`` in 0.4.
_TAKES_ASYNC = frozenset({"cuda", "to", "type", "copy_"})
_OPENING = {"(": ")", "[": "]", "{": "}"}

#: Taking a text apart into tokens costs more than parsing it.
_ASYNC_GIVEN = lazy_pattern(r"async(?<=\basync)(?:\s|\\|#[^\r\n]*[\r\n])*=")


@record
class Repair:
    """One ``async`` that became another name. ``line`` and ``column`` count from 1."""

    line: int
    column: int
    new: str = "non_blocking"
    is_own: bool = False
    """Whether it is a name of the user's own, not the argument of torch's methods."""


@dataclass
class _Bracket:
    """An open bracket: the method it calls, if any, and what was found in it so far."""

    callee: str
    repairs: list[Repair] = field(default_factory=list)
    has_new: bool = False


def repair_async(text: str) -> tuple[str, list[Repair]]:
    """Spell ``x.cuda(async=True)`` as ``x.cuda(non_blocking=True)``.

    ``async`` is a keyword since Python 3.7, so such a file does not even parse. A parameter of
    that name that the file defines itself gets another one, too, where all of its uses are in
    sight; else the file stays unreadable, and is reported as such.
    """
    if "async" not in text or not _ASYNC_GIVEN.search(text):
        return text, []
    try:
        repairs = sorted(_find_async(text), key=lambda repair: (repair.line, repair.column))
    except (tokenize.TokenError, SyntaxError):
        return text, []
    lines = _split_lines(text)
    for repair in reversed(repairs):
        line = lines[repair.line - 1]
        start = repair.column - 1
        lines[repair.line - 1] = line[:start] + repair.new + line[start + len("async") :]
    return "".join(lines), repairs


def _find_async(text: str) -> list[Repair]:
    result: list[Repair] = []
    open_brackets: list[_Bracket] = []
    before: list[tokenize.TokenInfo] = []
    tokens = [
        token
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline)
        if token.type not in (tokenize.NL, tokenize.COMMENT)
    ]
    for token in tokens:
        if token.string in _OPENING:
            open_brackets.append(_Bracket(_callee(before) if token.string == "(" else ""))
        elif token.string in _OPENING.values() and open_brackets:
            closed = open_brackets.pop()
            if not closed.has_new:
                result += closed.repairs
        elif token.string == "=" and open_brackets and _is_keyword(before):
            bracket = open_brackets[-1]
            name = before[-1]
            if name.string == "non_blocking":
                bracket.has_new = True
            elif name.string == "async" and bracket.callee in _TAKES_ASYNC:
                bracket.repairs.append(Repair(name.start[0], name.start[1] + 1))
        before = [*before[-2:], token]
    own, new = own_names(tokens, _TAKES_ASYNC)
    return result + [Repair(t.start[0], t.start[1] + 1, new, is_own=True) for t in own]


def _is_keyword(before: list[tokenize.TokenInfo]) -> bool:
    """Whether ``before`` ends with ``( name`` or ``, name``."""
    return len(before) > 1 and before[-2].string in ("(", ",")


def _callee(before: list[tokenize.TokenInfo]) -> str:
    """The method name of ``receiver.method(`` when ``before`` ends with ``. method``."""
    if len(before) > 1 and before[-1].type == tokenize.NAME and before[-2].string == ".":
        return before[-1].string
    return ""


def _split_lines(text: str) -> list[str]:
    return io.StringIO(text, newline="").readlines()


_PYTHON_2 = (
    (lazy_pattern(r"^\s*print\s+[^\s(=.,)\[]"), "print statement"),
    (lazy_pattern(r"^\s*print\s*\(.*\)\s*%"), "print statement"),
    (lazy_pattern(r"^\s*print\s*(>>|$)"), "print statement"),
    (lazy_pattern(r"[:;]\s*print\s+[^\s(=.,)\[]"), "print statement"),
    (lazy_pattern(r"^\s*except\s+[\w.()\s,]+,\s*\w+\s*:"), "except E, e:"),
    (lazy_pattern(r"^\s*raise\s+[\w.]+\s*,"), "raise E, message"),
    (lazy_pattern(r"<>"), "the operator <>"),
    (lazy_pattern(r"(?<![\w.])0[0-9]*[1-9][0-9]*(?![\w.])"), "octal number"),
    (lazy_pattern(r"(?<![\w.])[0-9]+[lL](?!\w)"), "long integer"),
    (lazy_pattern(r"`"), "backticks"),
    (lazy_pattern(r"^\s*exec\s+[^\s(=.]"), "exec statement"),
    (lazy_pattern(r"(?<!\w)[uU][rR](?=['\"])"), "string prefix ur"),
    (lazy_pattern(r"\blambda\s*\(|^\s*def\s+\w+\s*\([^()]*\([\w\s,]+\)"), "unpacking parameters"),
)
_ASYNC_AS_NAME = lazy_pattern(r"(?<![\w.])async(?!\w)(?!\s+(?:def|for|with)\b)")
_STRING = lazy_pattern(r"""(['"])(?:\\.|(?!\1).)*\1""")


def explain_syntax_error(text: str, error: SyntaxError) -> tuple[str, str, int | None]:
    """Say what is wrong with a text that Python refuses, and what to do about it.

    Returns:
        a kind (``"python2"`` or ``"syntax"``), a message, and the line of the culprit.
    """
    number = error.lineno or 1
    lines = [line.rstrip("\r\n") for line in _split_lines(text)]
    # The parser sometimes points at the line after the offending one.
    for candidate in (number, number - 1):
        if not 1 <= candidate <= len(lines):
            continue
        code = _code_of(lines[candidate - 1])
        for pattern, what in _PYTHON_2:
            if pattern.search(code):
                return (
                    "python2",
                    f"Python 2 ({what}); {how_converted()} it to Python 3 first",
                    candidate,
                )
        if _ASYNC_AS_NAME.search(code):
            return "syntax", _about_async(text, candidate), candidate
    message = f"not valid Python: {error.msg}"
    # Any other indentation that Python 3 refuses, Python 2 refuses as well: both count a tab as 8.
    if isinstance(error, TabError):
        message += f"; only Python 2 takes tabs and spaces together: {how_converted()} the file"
        return "python2", message, error.lineno
    return "syntax", message, error.lineno


def _about_async(text: str, line: int) -> str:
    """What to do about a name `async`: what the rule rewrites is only there if that is left out."""
    why = "`async` is a keyword since Python 3.7: "
    if any(repair.line == line for repair in repair_async(text)[1]):
        return f"{why}the rule TP204 (async-argument) writes non_blocking, but is left out here"
    return f"{why}the parameter or variable of that name needs another one"


def _code_of(line: str) -> str:
    """A line without its comment, and with its strings emptied."""
    return _STRING.sub(r"\1\1", line).partition("#")[0]
