"""Time limits for the work on one file, whichever thread it goes on in."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Iterator

_POLL = 0.01


class TimeUpError(BaseException):
    """The time for a file is up. No ``except Exception`` of a rule may catch it."""


class _Limit:
    """One piece of work: when it must be done, and in which thread it goes on."""

    def __init__(self, seconds: float) -> None:
        self.deadline = time.monotonic() + seconds
        self.threads = [threading.get_ident()]
        self.is_over = False


class _Watch:
    """A thread that interrupts work whose time is up; it runs while there are limits."""

    def __init__(self) -> None:
        # Entered itself, never by the condition, whose method an interruption may leave with the
        # lock taken: no limit would hold from then on.
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._limits: list[_Limit] = []
        self._thread: threading.Thread | None = None
        self._looks_at = math.inf
        """When it looks next, told or not."""

    def add(self, limit: _Limit) -> None:
        with self._lock:
            self._limits.append(limit)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="limits", daemon=True)
                self._thread.start()
            # To wake it for each of many files would cost more than the limit of most.
            if limit.deadline < self._looks_at:
                self._looks_at = limit.deadline
                self._changed.notify()

    def remove(self, limit: _Limit) -> None:
        with self._lock:
            if limit in self._limits:
                self._limits.remove(limit)

    def of_this_thread(self) -> _Limit | None:
        own = threading.get_ident()
        with self._lock:
            return next((limit for limit in self._limits if limit.threads[-1] == own), None)

    def _run(self) -> None:
        with self._lock:
            while True:
                now = time.monotonic()
                for limit in [each for each in self._limits if each.deadline <= now]:
                    self._limits.remove(limit)
                    limit.is_over = True
                    _interrupt(limit.threads[-1])
                nearest = min((limit.deadline for limit in self._limits), default=math.inf)
                self._looks_at = nearest
                self._changed.wait(None if nearest == math.inf else max(nearest - now, _POLL))


_watch = _Watch()


def _interrupt(thread: int) -> None:
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), ctypes.py_object(TimeUpError)
    )


@contextlib.contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise :class:`TimeUpError` inside of the block once it took that long; None: never."""
    if seconds is None:
        yield
        return
    limit = _Limit(seconds)
    _watch.add(limit)
    try:
        yield
    finally:
        _watch.remove(limit)
        if limit.is_over:
            _take_what_is_pending()


@contextlib.contextmanager
def moved_here(limit: _Limit | None) -> Iterator[None]:
    """Let the limit of another thread, which waits for this one, hold in this one."""
    if limit is None:
        yield
        return
    limit.threads.append(threading.get_ident())
    try:
        yield
    finally:
        limit.threads.pop()


def current_limit() -> _Limit | None:
    """The limit that holds in this thread, for :func:`moved_here`."""
    return _watch.of_this_thread()


def _take_what_is_pending() -> None:
    """Let an interruption that came at the very end arrive here, where it does no harm."""
    with contextlib.suppress(TimeUpError):
        time.sleep(_POLL)
