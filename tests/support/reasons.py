"""Execution of the reason of a rewrite: what a fixture's case does on today's torch."""

from __future__ import annotations

import contextlib
import functools
import io
import sys
import warnings
from collections import Counter
from typing import Any

import torch

from tests.support import claims
from torchfix_codemods.record import record

#: Of a case that makes a number of what it gives, wherever that comes from.
_OF_READING = "Converting a tensor with requires_grad=True to a scalar"


@record
class Warned:
    """A warning, and the line of the fixture that ran when it came."""

    line: int
    message: str


@functools.cache
def warnings_of(text: str, case: str) -> tuple[Warned, ...] | None:
    """What Python and torch warn of while a case runs; None where it raises."""
    found: list[Warned] = []

    def note(message: Warning | str, *rest: Any, **more: Any) -> None:
        if not str(message).startswith(_OF_READING):
            found.append(Warned(_line(), str(message)))

    namespace: dict[str, Any] = {"__name__": "fixture"}
    with claims.legacy_program("cpu"), claims.temporary_files():
        try:
            exec(compile(text, "fixture.py", "exec"), namespace)
            claims.seed()
            with _all_warnings(note):
                namespace[case]()
        except (Exception, SyntaxError):
            return None
    return tuple(found)


@contextlib.contextmanager
def _all_warnings(note: Any) -> Any:
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    torch.storage._set_always_warn_typed_storage_removal(True)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        warnings.showwarning = note
        try:
            yield
        finally:
            torch.set_warn_always(before)
            torch.storage._set_always_warn_typed_storage_removal(False)


def _line() -> int:
    """The line of the fixture that runs, however deep in torch."""
    frame = sys._getframe()
    while frame.f_back is not None:
        if frame.f_code.co_filename == "fixture.py":
            return frame.f_lineno
        frame = frame.f_back
    return 0


def messages_gone(before: str, after: str, case: str) -> list[Warned]:
    """What a case warns of before a rewrite, and not after it."""
    left = Counter(warned.message for warned in warnings_of(after, case) or ())
    found = []
    for warned in warnings_of(before, case) or ():
        if left[warned.message]:
            left[warned.message] -= 1
        else:
            found.append(warned)
    return found
