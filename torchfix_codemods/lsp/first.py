"""What is found in a text before all is, for those who would wait longer than is pleasant."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from torchfix_codemods.finding import Finding


class FirstFound:
    """The findings of a text so far, which a thread notes and the talk with an editor shows.

    Args:
        patience: after how many seconds somebody rather sees some of them than none.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._loop = asyncio.get_running_loop()
        self._is_any = asyncio.Event()
        self._findings: Sequence[Finding] = ()

    def note(self, findings: Sequence[Finding]) -> None:
        """Take what is found so far. Any thread may call it."""
        self._findings = findings
        # An editor that has gone wants to hear nothing.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._is_any.set)

    async def shown(self, show: Callable[[Sequence[Finding]], None]) -> None:
        """Show once what is found by then; nothing where this is cancelled before."""
        await asyncio.sleep(self._patience)
        await self._is_any.wait()
        show(self._findings)
