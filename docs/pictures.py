"""Make the pictures of the documentation: ``python -m docs.pictures``, which needs Chromium or Chrome.

They show what the commands really print and write for the project of the tutorial.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text

from tests.support.browser import opened

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
PROJECT = ROOT / "fixtures" / "tutorial"
COMMAND = "torchfix migrate predict.py --diff"
_COLUMNS = 108

#: Like rich's own, but for the fonts: those of the reader's, nothing is loaded.
_SVG = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>{unique_id}</title>
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  font-size: {char_height}px; line-height: {line_height}px }}
.{unique_id}-title {{ font-size: 18px; font-family: sans-serif }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def printed(project: Path, color: str) -> str:
    """What the command prints.

    Args:
        project: a copy of the tutorial's.
        color: as the option ``--color`` has it.
    """
    words = [sys.executable, "-m", "torchfix_codemods", *COMMAND.split()[1:], "--color", color]
    done = subprocess.run(
        words,
        cwd=project,
        env={**os.environ, "TORCHFIX_CACHE_DIR": str(project / ".cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def terminal(text: str) -> str:
    """The picture of a terminal, as SVG.

    Args:
        text: what stands on it, with its colours.
    """
    with open(os.devnull, "w", encoding="utf-8") as nothing:
        console = Console(record=True, width=_COLUMNS, file=nothing)
        console.print(f"$ {COMMAND}", style="bold")
        console.print(Text.from_ansi(text.rstrip("\n")), soft_wrap=False, overflow="fold")
        return console.export_svg(
            title="digits", theme=SVG_EXPORT_THEME, code_format=_SVG, unique_id="terminal"
        )


def report(project: Path, profile: Path) -> bytes:
    """The picture of the report in a browser, as PNG."""
    page = project / "report.html"
    words = ["migrate", ".", "--diff", "--quiet", "--no-cache", "--report", page.name]
    subprocess.run(
        [sys.executable, "-m", "torchfix_codemods", *words],
        cwd=project,
        stdout=subprocess.DEVNULL,
        check=False,
    )
    with opened(page, profile) as shown:
        shown.look("light")
        shown.send("Emulation.setScrollbarsHidden", hidden=True)
        size = {"width": 1200, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
        shown.send("Emulation.setDeviceMetricsOverride", **size)
        shown.value("document.querySelector('.filters').scrollIntoView()")
        end = shown.value("document.querySelector('details.file').getBoundingClientRect().bottom")
        size["height"] = round(end) + 12
        shown.send("Emulation.setDeviceMetricsOverride", **size)
        return shown.screenshot()


def main() -> None:
    """Write both."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "digits"
        shutil.copytree(PROJECT, project)
        (PICTURES / "terminal.svg").write_text(terminal(printed(project, "always")), "utf-8")
        (PICTURES / "report.png").write_bytes(report(project, Path(folder) / "profile"))


if __name__ == "__main__":
    main()
