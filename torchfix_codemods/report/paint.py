"""The colours and links of lines for a terminal."""

from __future__ import annotations

import click

from torchfix_codemods.finding import Rank
from torchfix_codemods.record import record

_COLORS = {Rank.FAILS: "red", Rank.DIFFERS: "yellow", Rank.WARNS: "cyan", Rank.OTHER: "cyan"}


@record
class Paint:
    """How parts of a line are shown: with colours, or as they are."""

    is_colored: bool = False

    def place(self, text: str) -> str:
        """A file, or a place in one."""
        return click.style(text, bold=True) if self.is_colored else text

    def rule(self, code: str, name: str, rank: Rank = Rank.OTHER) -> str:
        """The code and the name of a rule, which lead to what can be read about it."""
        if not self.is_colored:
            return f"{code} {name}"
        return f"{self.code(code, rank)} {name}"

    def code(self, code: str, rank: Rank = Rank.OTHER) -> str:
        """The code of a rule, the same way."""
        if not self.is_colored:
            return code
        from torchfix_codemods.report.links import address_of

        shown = click.style(code, fg=_COLORS[rank], bold=True)
        address = address_of(code)
        return shown if address is None else _link(shown, address)

    def faint(self, text: str) -> str:
        """What need not be read."""
        return click.style(text, dim=True) if self.is_colored else text

    def heading(self, text: str) -> str:
        """A line above others."""
        return click.style(text, bold=True, underline=True) if self.is_colored else text


def _link(text: str, address: str) -> str:
    """A hyperlink, as terminals take it: https://gist.github.com/egmontkob (OSC 8)."""
    return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\"
