"""When the texts of an editor are looked at: one after the other, beside the talk with it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class Looks:
    """The work on texts, in a thread of its own.

    Args:
        rest: how many seconds somebody has to stop typing before the text is looked at.
    """

    def __init__(self, rest: float) -> None:
        self._rest = rest
        self._thread = ThreadPoolExecutor(1, "torchfix")
        self._soon: dict[str, asyncio.Task[None]] = {}

    def begin(self, work: Callable[[], object]) -> None:
        """Have something done before all else."""
        self._thread.submit(work)

    async def done(self, work: Callable[[], T]) -> T:
        """What ``work`` returns. It waits for what was begun before."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def soon(self, uri: str, show: Callable[[str], Awaitable[None]], *, rests: bool) -> None:
        """Have a text shown, and not what it was when that was asked for the last time.

        Args:
            uri: the text.
            show: looks at it, and shows what was found.
            rests: whether to wait until nobody types.
        """

        async def work() -> None:
            if rests:
                await asyncio.sleep(self._rest)
            await show(uri)

        self.forget(uri)
        task = asyncio.ensure_future(work())
        self._soon[uri] = task
        task.add_done_callback(lambda _: self._finished(uri, task))

    def forget(self, uri: str) -> None:
        """Leave a text alone that was to be shown."""
        task = self._soon.pop(uri, None)
        if task is not None:
            task.cancel()

    def _finished(self, uri: str, task: asyncio.Task[None]) -> None:
        if self._soon.get(uri) is task:
            del self._soon[uri]
        if not task.cancelled() and (error := task.exception()) is not None:
            # As where a handler of the server's fails, which is told by its log.
            asyncio.get_running_loop().call_exception_handler(
                {"message": f"{uri} was not looked at", "exception": error}
            )
