"""A clock for the program that ticks when it is read: what it prints of time is the same each run.

Only the program's own reads are served; libraries wait by the real clock.
"""

from __future__ import annotations

import functools
import sys
import time
from typing import Any, Callable

from .trace import Trace

#: Seconds from one reading to the next.
TICK = 0.001

_START = 1500000000.0


def install(trace: Trace) -> None:
    """Serve ``time.time`` and its like to the user's files."""
    reads = 0

    def ticking(original: Callable[[], Any], start: float, unit: float) -> Callable[[], Any]:
        @functools.wraps(original)
        def read() -> Any:
            nonlocal reads
            if trace.users_path(sys._getframe(1).f_code) is None:
                return original()
            reads += 1
            return type(original())((start + reads * TICK) * unit)

        return read

    for name, start in (
        ("time", _START),
        ("perf_counter", 0),
        ("monotonic", 0),
        ("clock", 0),
        ("process_time", 0),
        ("thread_time", 0),
    ):
        for suffix, unit in (("", 1), ("_ns", 10**9)):
            original = getattr(time, name + suffix, None)
            if original is not None:
                setattr(time, name + suffix, ticking(original, start, unit))
