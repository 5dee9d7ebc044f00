"""Room for code that is nested deeper than Python's usual recursion limit allows."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

from torchfix_codemods.runs.limits import current_limit, moved_here

T = TypeVar("T")

#: Sums of 1500 terms and chains of 1500 `elif` fit; runaway recursion still ends soon.
_LIMIT = 10_000
#: Up to Python 3.10 every call takes some of this; it is only reserved until it is used.
_BYTES = 256 * 1024 * 1024


def is_deep() -> bool:
    """Whether this code already runs with the raised limit."""
    return sys.getrecursionlimit() >= _LIMIT


def with_deep_stack(function: Callable[[], T]) -> T:
    """Call ``function``, and once more with a deeper stack where it runs into the limit.

    Args:
        function: starts from scratch each time.

    Returns:
        what it returned.

    Raises:
        RecursionError: it needs more than the deeper stack, too.
    """
    try:
        return function()
    except RecursionError:
        if is_deep():
            raise
    return _in_thread(function)


def _in_thread(function: Callable[[], T]) -> T:
    """Call ``function`` in a thread: only a new one can have a larger stack."""
    results: list[T] = []
    errors: list[BaseException] = []

    time_limit = current_limit()

    def work() -> None:
        try:
            with moved_here(time_limit):
                results.append(function())
        except BaseException as error:
            errors.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size(_BYTES)
    sys.setrecursionlimit(_LIMIT)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
    if errors:
        raise errors[0]
    return results[0]
