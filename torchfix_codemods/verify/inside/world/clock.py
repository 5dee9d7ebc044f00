"""A clock for the program that ticks when it is read: what it prints of time is the same each run.

Sleeping moves it on without the wait. Only the program's own calls are served; libraries have the
real clock.
"""

from __future__ import annotations

import functools
import sys
import time
from typing import Any, Callable

from ..trace import Trace

#: Seconds from one reading to the next.
TICK = 0.001

_LONGEST_SLEEP = 0.01

_START = 1500000000.0


def install(trace: Trace) -> None:
    """Serve ``time.time`` and its like to the user's files."""
    now = 0.0

    def ticking(original: Callable[[], Any], start: float, unit: float) -> Callable[[], Any]:
        @functools.wraps(original)
        def read() -> Any:
            nonlocal now
            if trace.users_path(sys._getframe(1).f_code) is None:
                return original()
            now += TICK
            return type(original())((start + now) * unit)

        return read

    sleep = time.sleep

    @functools.wraps(sleep)
    def sleeping(seconds: float) -> None:
        nonlocal now
        if trace.users_path(sys._getframe(1).f_code) is None:
            return sleep(seconds)
        now += seconds
        # Whoever waits for another thread or process still gives way to it.
        return sleep(min(seconds, _LONGEST_SLEEP))

    setattr(time, "sleep", sleeping)  # noqa: B010

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
