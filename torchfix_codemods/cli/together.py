"""Options that several commands have, as one decorator, and ``--help`` with headings over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

_F = TypeVar("_F", bound=Callable[..., Any])

#: What options are about, in the order of ``--help``.
DONE = "What is done"
FILES = "Which files"
RULES = "Which rules"
TORCH = "Which torch"
OUTPUT = "Output"
VERIFICATION = "Verification"
RUNNING = "Running"


class _Option(click.Option):
    """An option below a heading."""

    def __init__(self, *args: Any, heading: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.heading = heading


class Command(click.Command):
    """A command whose ``--help`` has its options below headings, where they have some."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.context_settings = {"max_content_width": 100, **self.context_settings}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of one heading after the other."""
        groups: dict[str, list[tuple[str, str]]] = {
            heading: [] for heading in (DONE, FILES, RULES, TORCH, OUTPUT, VERIFICATION, RUNNING)
        }
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                heading = parameter.heading if isinstance(parameter, _Option) else "Options"
                groups.setdefault(heading, []).append(record)
        for heading, records in groups.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def option(heading: str, *names: str, **attributes: Any) -> Callable[[_F], _F]:
    """As ``click.option``, below a heading of ``--help``."""
    return click.option(*names, cls=_Option, heading=heading, **attributes)


def together(*options: Callable[[_F], _F]) -> Callable[[_F], _F]:
    """A decorator that gives a command several options; ``--help`` lists them in this order."""

    def decorated(function: _F) -> _F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorated
