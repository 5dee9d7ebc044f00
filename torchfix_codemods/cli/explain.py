"""``torchfix explain``: the page of a rule, or all about one line of a file."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from torchfix_codemods.cli.color import is_colored
from torchfix_codemods.cli.color import option as color_option
from torchfix_codemods.cli.together import TORCH, Command, option
from torchfix_codemods.patterns import lazy_pattern

if TYPE_CHECKING:
    from torchfix_codemods.report.paint import Paint

_CODE = lazy_pattern(r"\bTP[0-9]{3}\b")
_PLACE = lazy_pattern(r"(.+?)(?::cell ([0-9]+))?:([0-9]+)(?::[0-9]+)?")


@click.command(cls=Command)
@click.argument("what", metavar="RULE|FILE:LINE")
@option(TORCH, "--from", "from_version", metavar="VERSION", help="The torch of the code.")
@color_option
def explain(what: str, from_version: str | None) -> None:
    """Show the page of a rule, or what is known of a line of code.

    RULE is a code or a name, or a code of Meta's TorchFix, such as TOR101. For FILE:LINE it says
    what each expression is known to be, which rules looked there, what they found, and what decided
    for those that found nothing. In a notebook, say which cell: "FILE:cell 3:LINE".
    """
    place = _PLACE.fullmatch(what)
    if place is None:
        _explain_rule(what)
    else:
        cell = None if place[2] is None else int(place[2])
        _explain_place(Path(place[1]), cell, int(place[3]), from_version)


def _explain_rule(rule: str) -> None:
    from torchfix_codemods.remarks import page_of_remark, remark_of
    from torchfix_codemods.report.manual.markdown import page
    from torchfix_codemods.report.manual.torchfix import CODES, peer_page
    from torchfix_codemods.rules import UnknownRuleError, matching

    if rule.upper() in CODES:
        _show_pages([peer_page(rule.upper()).removesuffix("\n")])
        return
    remark = remark_of(rule)
    if remark is not None:
        _show_pages([page_of_remark(remark)])
        return
    try:
        found = matching(rule)
    except UnknownRuleError as error:
        raise click.UsageError(f"{error}; for a line of code give FILE:LINE") from error
    _show_pages(map(page, found))


def _show_pages(pages: Iterable[str]) -> None:
    """Pages in Markdown: rendered where there are colours, else as they are."""
    if not is_colored():
        for page in pages:
            click.echo(page)
        return
    from torchfix_codemods.report.manual.rendered import rendered

    for page in pages:
        click.echo(rendered(page), nl=False)


def _explain_place(path: Path, cell: int | None, line: int, from_version: str | None) -> None:
    from torchfix_codemods.report.paint import Paint
    from torchfix_codemods.report.place import explanation
    from torchfix_codemods.settings.config import ConfigError, with_options
    from torchfix_codemods.settings.pyproject import read_settings
    from torchfix_codemods.settings.selectors import check_options
    from torchfix_codemods.text.source import SourceError

    try:
        check_options({"from_version": from_version})
        settings = with_options(read_settings(path.parent), from_version=from_version)
    except ConfigError as error:
        raise click.UsageError(str(error)) from error
    try:
        paint = Paint(is_colored())
        for said in explanation(path, line, settings, cell):
            click.echo(_painted(said.encode("utf-8", "replace").decode("utf-8"), paint))
    except BrokenPipeError:
        raise
    except OSError as error:
        _fail(f"{path}: {error.strerror or error}")
    except SourceError as error:
        _fail(f"{path}: {error}")
    except SyntaxError as error:
        where = path if error.lineno is None else f"{path}:{error.lineno}"
        # The advice is for another command: this one reads only what Python 3 does.
        _fail(f"{where}: {error.msg}".replace("; --py2 ", "; torchfix migrate --py2 "))
    except LookupError as error:
        _fail(str(error.args[0]))


def _painted(line: str, paint: Paint) -> str:
    """A line of an explanation: its headings, and the codes of rules in it."""
    if line.endswith(":") and not line.startswith(" "):
        return paint.heading(line)
    return _CODE.sub(lambda found: paint.code(found[0]), line)


def _fail(message: str) -> None:
    click.echo(f"error: {message}", err=True)
    sys.exit(2)
