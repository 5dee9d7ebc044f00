"""Pages of rules as a terminal shows them; only imported where it has colours."""

from __future__ import annotations

import io
import re
import shutil

from rich.console import Console
from rich.markdown import Markdown
from rich.theme import Theme

#: Longer lines are hard to read, however wide the window is.
_WIDEST = 100

#: Without a ground of its own: that would be black on a light terminal.
_THEME = Theme({"markdown.code": "bold cyan"})

_BARE_ADDRESS = re.compile(r"(?<![(<\[])\bhttps?://[^\s)>]+")


def rendered(page: str) -> str:
    """Markdown with colours, and addresses as links.

    Args:
        page: the Markdown.
    """
    text = _BARE_ADDRESS.sub(lambda found: f"<{found[0]}>", page)
    out = io.StringIO()
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    console = Console(
        file=out, width=width, force_terminal=True, color_system="standard", theme=_THEME
    )
    console.print(Markdown(text, code_theme="ansi_dark"))
    return out.getvalue() + "\n"
