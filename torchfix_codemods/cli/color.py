"""Whether what is told is coloured: the option, the environment, the terminal."""

from __future__ import annotations

import os
import sys
from typing import IO

import click

from torchfix_codemods.cli.together import OUTPUT
from torchfix_codemods.cli.together import option as option_below


def from_environment(ctx: click.Context) -> None:
    """Heed ``NO_COLOR``, ``FORCE_COLOR`` and ``TERM=dumb``; see https://no-color.org."""
    if os.environ.get("NO_COLOR"):
        ctx.color = False
    elif os.environ.get("FORCE_COLOR"):
        ctx.color = True
    elif os.environ.get("TERM") == "dumb":
        ctx.color = False


def is_colored(stream: IO[str] | None = None) -> bool:
    """Whether what goes to a stream is coloured.

    Args:
        stream: standard output where none is given.
    """
    ctx = click.get_current_context(silent=True)
    if ctx is not None and ctx.color is not None:
        return ctx.color
    return _is_terminal(sys.stdout if stream is None else stream)


def _is_terminal(stream: IO[str]) -> bool:
    return stream.isatty()


def _chosen(ctx: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.color = {"auto": None, "always": True, "never": False}[value]


#: ``--color``, of every command that prints for people.
option = option_below(
    OUTPUT,
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    metavar="WHEN",
    is_eager=True,
    expose_value=False,
    callback=_chosen,
    help="auto (on a terminal, unless NO_COLOR is set), always or never.",
)
