"""What a program tells without printing it: lines that it logs, and text files that it leaves."""

from __future__ import annotations

import functools
import logging
import os
from typing import Any

from ..trace import Trace
from ..world import guard
from . import given

#: Larger files are left out.
_LARGEST = 1 << 20


def install(trace: Trace) -> None:
    """Tell of what is logged as of printed lines, and at the end of what was written.

    Args:
        trace: the record.
    """
    _record_logging(trace)
    written: dict[str, None] = {}

    def wrote(path: Any) -> None:
        if not trace.is_busy and isinstance(path, (str, bytes, os.PathLike)):
            relative = trace.relative(os.fsdecode(path))
            if relative is not None:
                written[relative] = None

    guard.tell_of_writing(wrote)

    def tell() -> dict[str, Any]:
        # A run that was ended early stopped somewhere within a file.
        if trace.stop is None:
            _tell_of_files(trace, list(written))
        return {}

    trace.at_end.append(tell)


def _record_logging(trace: Trace) -> None:
    original = logging.Logger.handle

    @functools.wraps(original)
    def handle(logger: logging.Logger, record: logging.LogRecord) -> Any:
        if trace.place() is not None and record.levelno >= logging.INFO:
            arguments = record.args.values() if isinstance(record.args, dict) else record.args
            with trace.quiet():
                # What the message is made of counts once, whoever makes it.
                numbers = given.taken() or given.plain(arguments or ())
            for line in record.getMessage().splitlines():
                fields = {"value": line, **({"given": numbers} if numbers else {})}
                trace.emit("print", functools.partial(dict, fields))
                numbers = []
        return original(logger, record)

    setattr(logging.Logger, "handle", handle)  # noqa: B010


def _tell_of_files(trace: Trace, paths: list[str]) -> None:
    for path in sorted(paths):
        lines = _lines(os.path.join(trace.tree, path))
        if lines is not None:
            trace.emit("file", functools.partial(dict, file=path, value=lines))


def _lines(path: str) -> list[str] | None:
    """The lines of a text; None: it is none, too large, or gone."""
    try:
        if os.path.getsize(path) > _LARGEST:
            return None
        with open(path, "rb") as file:
            data = file.read()
        return None if b"\0" in data else data.decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
