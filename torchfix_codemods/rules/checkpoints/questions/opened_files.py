"""Files that hold pickled objects and are opened as text, which Python 2 took for bytes."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.guards import handlers_around
from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import uses_of
from torchfix_codemods.facts.programs.saved_paths import calls_of
from torchfix_codemods.text.wording import listed

#: What gives bytes, which were a str of Python 2.
PACKS = "struct.pack"
#: What is raised where text is read for bytes, or bytes are written as text.
_RAISED = (
    frozenset({"TypeError"}),
    frozenset({"UnicodeDecodeError", "UnicodeError", "ValueError"}),
)
#: What a file may be asked for besides, whatever is written to it.
_OF_ANY_FILE = frozenset({"close", "flush", "seek", "tell"})
_ANYTHING = frozenset({"Exception", "BaseException"})


def opened_as_text(file: ast.expr, facts: Facts) -> ast.Call | None:
    """The ``open(path)`` that a file comes from, if it reads text in Python 3."""
    opened = _opened(file, facts)
    mode = None if opened is None else argument(opened, 1, "mode")
    is_text = mode is None or (
        isinstance(mode, ast.Constant) and isinstance(mode.value, str) and "b" not in mode.value
    )
    return opened if is_text else None


def _opened(file: ast.expr, facts: Facts) -> ast.Call | None:
    opened: ast.expr | None = file
    if isinstance(file, ast.Name):
        bindings = facts.flow.reaching(file)
        is_file = len(bindings) == 1 and bindings[0].kind in ("assign", "with")
        opened = bindings[0].value if is_file and not bindings[0].path else None
    if not isinstance(opened, ast.Call) or is_opaque(opened):
        return None
    return opened if facts.names.builtin(opened.func) == "open" else None


def packed_into(packed: ast.Call, facts: Facts) -> ast.Call | None:
    """The ``open(path, "w")`` of a file to which bytes are written here first, and nothing else.

    Args:
        packed: ``struct.pack("<Q", n)``, which gives them.
        facts: the facts of the module.
    """
    file = _file_given(packed, facts)
    opened = None if file is None else opened_as_text(file, facts)
    if file is None or opened is None or any(handlers_around(facts, packed)):
        return None
    bindings = facts.flow.reaching(file) if isinstance(file, ast.Name) else ()
    uses = [use for binding in bindings for use in uses_of(facts, binding)]
    if not all(_may_be_of_bytes(use, facts) for use in uses):
        return None
    is_first = not any(_is_written_to(use, facts) and use.lineno < file.lineno for use in uses)
    return opened if is_first else None


def _file_given(packed: ast.expr, facts: Facts) -> ast.expr | None:
    """``f`` of ``f.write(packed)``."""
    write = facts.parent(packed)
    if not isinstance(write, ast.Call) or write.args != [packed] or write.keywords:
        return None
    method = write.func
    return method.value if isinstance(method, ast.Attribute) and method.attr == "write" else None


def _may_be_of_bytes(use: ast.expr, facts: Facts) -> bool:
    method = facts.parent(use)
    is_asked = isinstance(method, ast.Attribute) and method.attr in _OF_ANY_FILE
    return is_asked or _is_written_to(use, facts)


def _is_written_to(use: ast.expr, facts: Facts) -> bool:
    """``f`` of ``f.write(struct.pack("<Q", n))``."""
    method = facts.parent(use)
    call = facts.parent(method) if isinstance(method, ast.Attribute) else None
    if not isinstance(method, ast.Attribute) or not isinstance(call, ast.Call):
        return False
    written = call.args[0] if len(call.args) == 1 else None
    is_packed = isinstance(written, ast.Call) and facts.name(written.func) == PACKS
    return is_packed and method.attr == "write"


def is_retried(opened: ast.Call, names: Iterable[str], call: ast.Call, facts: Facts) -> bool:
    """Whether the handler of a ``try`` around a call opens the same file for bytes.

    Args:
        opened: the ``open(path)`` that opens it as text.
        names: the functions that do the same with it there, ``pickle.load``.
        call: what reads or writes it.
        facts: the facts of the file of code.
    """
    others = [
        other
        for name in names
        for other in calls_of(facts, name)
        if any(_is_same_as_bytes(file, opened, facts) for file in other.args)
    ]
    return any(
        (caught & _ANYTHING or all(caught & raised for raised in _RAISED))
        and any(not set(handlers).isdisjoint(facts.names.ancestors(other)) for other in others)
        for caught, handlers in handlers_around(facts, call)
    )


def _is_same_as_bytes(file: ast.expr, opened: ast.Call, facts: Facts) -> bool:
    other = _opened(file, facts)
    if other is None or not other.args or not opened.args:
        return False
    return opened_as_text(file, facts) is None and ast.dump(other.args[0]) == ast.dump(
        opened.args[0]
    )


def of_bytes(mode: object) -> str:
    """``"wb"`` of ``"w"`` and ``"wt"``."""
    kept = str(mode).replace("t", "")
    return f"{kept[:1]}b{kept[1:]}"


def in_bytes(opened: ast.Call, mode: str) -> str:
    """``'rb'``, without what Python refuses beside it: ``encoding=`` and its kind."""
    refused = [f"{k.arg}=" for k in opened.keywords if k.arg in ("encoding", "errors", "newline")]
    return f"{mode!r}, without {listed(refused)}" if refused else repr(mode)
