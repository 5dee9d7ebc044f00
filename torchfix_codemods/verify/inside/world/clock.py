"""A clock for the program that ticks when it is read: what it prints of time is the same each run.

Sleeping moves it on without the wait. Only the program's own calls are served, and the time of
what it logs; other libraries have the real clock.
"""

from __future__ import annotations

import ctypes
import datetime
import functools
import gc
import logging
import sys
import time
import timeit
from types import FrameType
from typing import Any, Callable

from ..trace import Trace

#: Seconds from one reading to the next.
TICK = 0.001

_LONGEST_SLEEP = 0.01

_START = 1500000000.0

#: What makes text or fields of a moment, and of now where it is given none: where the moment
#: stands among its arguments, and whether it is told in fields.
_OF_NOW = (
    ("localtime", 0, False),
    ("gmtime", 0, False),
    ("ctime", 0, False),
    ("asctime", 0, True),
    ("strftime", 1, True),
)


class _Clock:
    """What the program's own calls read."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._now = 0.0

    def serves(self, caller: FrameType) -> bool:
        return (
            caller.f_globals is vars(logging) or self._trace.users_path(caller.f_code) is not None
        )

    def read(self, start: float) -> float:
        self._now += TICK
        return start + self._now

    def skip(self, seconds: float) -> None:
        self._now += seconds


def install(trace: Trace) -> None:
    """Serve ``time.time``, ``datetime.now`` and their like to the user's files.

    Args:
        trace: the record, which knows which files are the user's.
    """
    clock = _Clock(trace)
    localtime = time.localtime
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
                setattr(time, name + suffix, _ticking(clock, original, start, unit))
    for name, position, is_in_fields in _OF_NOW:
        original = getattr(time, name)
        moment = localtime if is_in_fields else float
        setattr(time, name, _told(clock, original, position, moment))
    setattr(time, "sleep", _sleeping(clock, time.sleep))  # noqa: B010
    # What was read or taken over from `time` when they were first imported.
    timeit.default_timer = time.perf_counter
    _start_logging()
    _serve_dates(clock)


def _ticking(
    clock: _Clock, original: Callable[[], Any], start: float, unit: float
) -> Callable[[], Any]:
    @functools.wraps(original)
    def read() -> Any:
        if not clock.serves(sys._getframe(1)):
            return original()
        return type(original())(clock.read(start) * unit)

    return read


def _told(
    clock: _Clock, original: Callable[..., Any], position: int, moment: Callable[[float], Any]
) -> Callable[..., Any]:
    @functools.wraps(original)
    def tell(*args: Any) -> Any:
        is_now = len(args) == position or (moment is float and args == (None,))
        if not is_now or not clock.serves(sys._getframe(1)):
            return original(*args)
        return original(*args[:position], moment(clock.read(_START)))

    return tell


def _sleeping(clock: _Clock, sleep: Callable[[float], None]) -> Callable[[float], None]:
    @functools.wraps(sleep)
    def sleeping(seconds: float) -> None:
        if not clock.serves(sys._getframe(1)):
            return sleep(seconds)
        clock.skip(seconds)
        # Whoever waits for another thread or process still gives way to it.
        return sleep(min(seconds, _LONGEST_SLEEP))

    return sleeping


def _start_logging() -> None:
    started = getattr(logging, "_startTime", 0.0)
    unit = 10**9 if isinstance(started, int) else 1
    setattr(logging, "_startTime", type(started)(_START * unit))  # noqa: B010


def _serve_dates(clock: _Clock) -> None:
    def today(cls: Any, seconds: float) -> Any:
        return cls.fromtimestamp(seconds)

    def now(cls: Any, seconds: float, tz: Any = None) -> Any:
        return cls.fromtimestamp(seconds, tz)

    def utcnow(cls: Any, seconds: float) -> Any:
        return cls.fromtimestamp(seconds, datetime.timezone.utc).replace(tzinfo=None)

    _put(datetime.date, "today", _dated(clock, vars(datetime.date)["today"], today))
    _put(datetime.datetime, "now", _dated(clock, vars(datetime.datetime)["now"], now))
    _put(datetime.datetime, "utcnow", _dated(clock, vars(datetime.datetime)["utcnow"], utcnow))


def _dated(clock: _Clock, original: Any, at: Callable[..., Any]) -> Any:
    def read(cls: Any, *args: Any, **kwargs: Any) -> Any:
        # Refuses wrong arguments, and warns, as it does without a clock of ours.
        real = original.__get__(None, cls)(*args, **kwargs)
        if not clock.serves(sys._getframe(1)):
            return real
        return at(cls, clock.read(_START), *args, **kwargs)

    return classmethod(functools.wraps(original.__get__(None, datetime.datetime))(read))


def _put(owner: type, name: str, value: Any) -> None:
    """Give a class of C another method.

    A class of ours in its place would not be the one of moments that C code makes.
    """
    members = gc.get_referents(vars(owner))
    if len(members) == 1 and isinstance(members[0], dict):
        members[0][name] = value
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(owner))
