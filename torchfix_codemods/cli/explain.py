"""``torchfix explain``: the page of a rule, or all about one line of a file."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from torchfix_codemods.cli.color import option as color_option
from torchfix_codemods.cli.together import TORCH, Command, option
from torchfix_codemods.patterns import lazy_pattern

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
    from torchfix_codemods.report.markdown import page
    from torchfix_codemods.report.torchfix import CODES, peer_page
    from torchfix_codemods.rules import UnknownRuleError, matching

    if rule.upper() in CODES:
        click.echo(peer_page(rule.upper()), nl=False)
        return
    remark = remark_of(rule)
    if remark is not None:
        click.echo(page_of_remark(remark))
        return
    try:
        found = matching(rule)
    except UnknownRuleError as error:
        raise click.UsageError(f"{error}; for a line of code give FILE:LINE") from error
    for each in found:
        click.echo(page(each))


def _explain_place(path: Path, cell: int | None, line: int, from_version: str | None) -> None:
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
        for said in explanation(path, line, settings, cell):
            click.echo(said.encode("utf-8", "replace").decode("utf-8"))
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


def _fail(message: str) -> None:
    click.echo(f"error: {message}", err=True)
    sys.exit(2)
