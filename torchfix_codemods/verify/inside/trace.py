"""The record of one run: a line of JSON for each event, in the order in which they happened.

A process writes to a file of its own, named after the process that forked it and how many it had
forked before: ``main``, ``main.1``, ``main.1.1``. Lines are written at once, so what a process did
before it was killed is there.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import weakref
import zlib
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, Callable, Iterator

import torch

from .formats import FORMAT


class Stop(BaseException):
    """Ends the program at a limit. No ``except Exception`` of the program's may catch it."""


class Trace:
    """Writes the events of this process.

    Args:
        folder: where the files go.
        tree: the copy of the user's project; places are given relative to it.
        name: the name of this process.
    """

    def __init__(self, folder: str, tree: str, name: str = "main") -> None:
        self.folder = folder
        self.tree = os.path.join(os.path.realpath(tree), "")
        self.name = name
        self.count = 0
        self.forked_at: list[int] = []
        self.stop: str | None = None
        self.before_event: list[Callable[[str], None]] = []
        self.after_event: list[Callable[[dict[str, Any]], None]] = []
        self.at_end: list[Callable[[], dict[str, Any]]] = []
        self._forked = self._started = 0
        self._file = -1
        self._threads: weakref.WeakKeyDictionary[threading.Thread, int] = (
            weakref.WeakKeyDictionary()
        )
        self._local = threading.local()
        self._users: dict[CodeType, str | None] = {}
        self._lock = threading.RLock()
        self._number_threads()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._count_fork, after_in_child=self._in_child)

    @property
    def is_busy(self) -> bool:
        """Whether an event is being described: what that calls is not the program's doing."""
        return getattr(self._local, "busy", False)

    def emit(self, kind: str, describe: Callable[[], dict[str, Any]]) -> None:
        """Write one event.

        Args:
            kind: ``forward``, ``backward``, ``step``, ``save``, ``print``, ``test``, ``error``,
                ``result``, ``final``, ``file``; ``called`` of :mod:`.replay`, ``state`` and
                ``grads`` of :mod:`.following.forcing`.
            describe: gives the event's fields; not called when this is called by itself.
        """
        if self.is_busy:
            return
        self._local.busy = True
        try:
            for hook in self.before_event:
                hook(kind)
            event = {"kind": kind, "at": self.place(), "rng": rng_crc()}
            event.update(describe())
            with self._lock:
                thread = self._thread()
                if thread:
                    event["thread"] = thread
                self.count += 1
                self._write(event)
            for look in self.after_event:
                look(event)
        finally:
            self._local.busy = False

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Write no events meanwhile: what happens is not the program's doing."""
        was_busy = self.is_busy
        self._local.busy = True
        try:
            yield
        finally:
            self._local.busy = was_busy

    def note(self, fields: dict[str, Any]) -> None:
        """Write a line that is not an event."""
        with self._lock:
            self._write(fields)

    def place(self) -> str | None:
        """``file:line`` of the innermost of the user's frames."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            path = self.users_path(frame.f_code)
            if path is not None:
                return f"{path}:{frame.f_lineno}"
            frame = frame.f_back
        return None

    def users_path(self, code: CodeType) -> str | None:
        """The path within the tree of the file that holds some code; None: not the user's."""
        try:
            return self._users[code]
        except KeyError:
            self._users[code] = found = self.relative(code.co_filename)
            return found

    def users_path_of(self, filename: Any) -> str | None:
        """The path within the tree of a file, given by name; None: not the user's."""
        return self.relative(filename) if isinstance(filename, str) else None

    def relative(self, filename: str) -> str | None:
        """A path as seen from the tree; None: it is not in there."""
        if filename.startswith("<"):
            return None
        path = os.path.realpath(filename)
        return path[len(self.tree) :] if path.startswith(self.tree) else None

    def _thread(self) -> int:
        """0 for the main thread; others are counted as they are started."""
        thread = threading.current_thread()
        if thread is threading.main_thread():
            return 0
        # One that Python did not start is counted as it first has something to tell.
        return self._number(thread)

    def _number(self, thread: threading.Thread) -> int:
        if thread not in self._threads:
            self._started += 1
            self._threads[thread] = self._started
        return self._threads[thread]

    def _number_threads(self) -> None:
        start = threading.Thread.start

        def counted(thread: threading.Thread) -> None:
            self._number(thread)
            start(thread)

        threading.Thread.start = counted  # type: ignore[method-assign,assignment]

    def _write(self, fields: dict[str, Any]) -> None:
        if self._file < 0:
            path = os.path.join(self.folder, self.name + ".jsonl")
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.write(self._file, b'{"format":%d}\n' % FORMAT)
        os.write(self._file, (json.dumps(fields, separators=(",", ":")) + "\n").encode())

    def _count_fork(self) -> None:
        self._forked += 1

    def _in_child(self) -> None:
        self.name = f"{self.name}.{self._forked}"
        self.forked_at = [*self.forked_at, self.count]
        self._forked = self._started = 0
        self.count = 0
        self._file = -1
        self._threads = weakref.WeakKeyDictionary()
        self._local = threading.local()
        self._lock = threading.RLock()


def rng_crc() -> int:
    """The CRC of the state of torch's random number generator on the CPU."""
    state = torch.get_rng_state()
    try:
        return zlib.crc32(state.numpy().data)
    except RuntimeError:
        return zlib.crc32(bytes(state.tolist()))
