"""What a run is told in, besides lines for a terminal: documents and reports."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from torchfix_codemods.cli.together import OUTPUT, option, together

if TYPE_CHECKING:
    from torchfix_codemods.report.run import RunReport

FORMATS = ("text", "json", "sarif", "github", "gitlab", "markdown")

_BY_SUFFIX = {".html": "html", ".md": "markdown", ".json": "json", ".sarif": "sarif"}

#: How a run is told.
options = together(
    option(
        OUTPUT,
        "--output-format",
        type=click.Choice(FORMATS),
        default="text",
        metavar="FORMAT",
        help="text, json, sarif, github (annotations), gitlab (code quality) or markdown.",
    ),
    option(
        OUTPUT,
        "--report",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Also write a report to FILE.html, FILE.md, FILE.json or FILE.sarif.",
    ),
    option(OUTPUT, "--statistics", is_flag=True, help="Count by rule, claim and version of torch."),
    option(
        OUTPUT, "-q", "--quiet", is_flag=True, help="No summary, no progress, nothing on advice."
    ),
)


def check_report(path: Path | None, suffixes: Collection[str] = tuple(_BY_SUFFIX)) -> None:
    """Refuse a report that could not be written, before anything is done.

    Args:
        path: the report; None: there is to be none.
        suffixes: how its name may end.
    """
    if path is None:
        return
    if path.suffix not in suffixes:
        endings = " or ".join((", ".join([*suffixes][:-1]), [*suffixes][-1]))
        raise click.UsageError(f"--report: the file's name has to end in {endings}")
    if not path.absolute().parent.is_dir():
        raise click.UsageError(f"--report: there is no folder {path.parent}")


def document(kind: str, report: RunReport, with_diff: bool) -> str:
    """A run in one of the formats, with a line end behind it."""
    if kind == "json":
        from torchfix_codemods.report import json

        return json.document(report, with_diff) + "\n"
    if kind == "sarif":
        from torchfix_codemods.report import sarif

        return sarif.document(report) + "\n"
    if kind == "github":
        from torchfix_codemods.report import github

        return github.document(report)
    if kind == "gitlab":
        from torchfix_codemods.report import gitlab

        return gitlab.document(report)
    if kind == "markdown":
        from torchfix_codemods.report import pull_request

        return pull_request.document(report)
    from torchfix_codemods.report import html

    return html.document(report)


def write(path: Path, report: RunReport) -> None:
    """Write the report that was asked for."""
    text = document(_BY_SUFFIX[path.suffix], report, with_diff=True)
    try:
        path.write_bytes(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise click.UsageError(f"{path} cannot be written: {error.strerror}") from error


def echo(lines: Iterable[str]) -> None:
    """Tell what is no result: on standard error."""
    for line in lines:
        click.echo(line, err=True)
