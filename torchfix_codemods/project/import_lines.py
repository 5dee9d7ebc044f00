"""The import statements of a text, before anything is parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torchfix_codemods.patterns import lazy_pattern

# A line end is found faster than the start of a line. What a notebook holds in one line goes on
# behind a backslash, as a statement does.
_STATEMENT = lazy_pattern(
    rb"\n[ \t]*((?:from|import)[ \t]+[^\n#(\\]*(?:\\(?:\r?\n)?[^\n#(\\]*)*(?:\([^)]*[^\n#]*)?)"
)
_UNSEEN = lazy_pattern(rb"#[^\n]*|\\\r?\n")
_FROM = lazy_pattern(rb"from\s+(\.*[\w.]*)\s+import\b\s*\(?([\w\s,*]*)\)?\s*")
_PLAIN = lazy_pattern(rb"import\s+([\w.\s,]+)")


def import_statements(data: bytes) -> list[bytes]:
    """All that may be an import statement in a text, and some that is none."""
    return _STATEMENT.findall(b"\n" + data)


def modules_named(statements: list[bytes], word: bytes) -> Iterator[tuple[str, str] | None]:
    """What import statements say with a word: the modules that end in it.

    Args:
        statements: the statements, as :func:`import_statements` gives them.
        word: the name of a module.

    Yields:
        ``("package.word", "")`` of what is certainly imported as a module, ``("package", "word")``
        of what is taken from a module; None for what cannot be told.
    """
    spoken = re.compile(rb"\b%s\b" % re.escape(word))
    for statement in statements:
        if word in statement and spoken.search(statement):
            yield from _named(_UNSEEN.sub(b" ", statement), word)


def modules_imported(statements: list[bytes]) -> Iterator[str]:
    """What import statements name that may be a module: ``a`` and ``a.b`` of ``from a import b``.

    Args:
        statements: the statements, as :func:`import_statements` gives them.
    """
    for each in statements:
        statement = _UNSEEN.sub(b" ", each)
        if (taken := _FROM.fullmatch(statement)) is not None:
            module, dot = taken[1].decode(), "" if taken[1].endswith(b".") else "."
            yield module
            names = (each.split()[0].decode() for each in taken[2].split(b",") if each.split())
            yield from (f"{module}{dot}{name}" for name in names if name != "*")
        elif (plain := _PLAIN.fullmatch(statement)) is not None:
            yield from (m.split()[0].decode() for m in plain[1].split(b",") if m.split())


def _named(statement: bytes, word: bytes) -> Iterator[tuple[str, str] | None]:
    taken, plain = _FROM.fullmatch(statement), _PLAIN.fullmatch(statement)
    if taken is not None:
        yield from _ending_in(taken[1], word)
        if any(name.split()[:1] == [word] for name in taken[2].split(b",")):
            yield taken[1].decode(), word.decode()
    elif plain is not None:
        for module in plain[1].split(b","):
            yield from _ending_in(b"".join(module.split()[:1]), word)
    else:
        yield None


def _ending_in(module: bytes, word: bytes) -> Iterator[tuple[str, str]]:
    """The module, and the packages around it, that have a name."""
    parts = module.split(b".")
    for index, part in enumerate(parts):
        if part == word:
            yield b".".join(parts[: index + 1]).decode(), ""
