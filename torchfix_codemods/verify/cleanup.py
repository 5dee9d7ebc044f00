"""Nothing of a verification stays behind it, whatever ends the command."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def cleaned_up() -> Iterator[None]:
    """Let copies and programs go also where a time limit or a closed terminal ends the command."""

    def end(number: int, frame: object) -> None:
        sys.exit(128 + number)

    numbers = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")]
    known = {n: signal.getsignal(n) for n in numbers if n is not None}
    # What ignores one (nohup) goes on doing so; only the main thread may ask for any.
    taken = [n for n, handler in known.items() if handler is signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread():
        taken = []
    for number in taken:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)
