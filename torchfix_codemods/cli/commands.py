"""The ``torchfix`` command: options, exit codes, output."""

from __future__ import annotations

import atexit
import gc
import sys
from pathlib import Path
from typing import Any

import click

from torchfix_codemods.cli import explain as cli_explain
from torchfix_codemods.cli import report as cli_report
from torchfix_codemods.cli import verify as cli_verify
from torchfix_codemods.cli.run import Check, Run
from torchfix_codemods.cli.together import together
from torchfix_codemods.version import __version__

#: What is looked at, and for what.
_choice = together(
    click.option("--select", multiple=True, metavar="RULES", help="Only these codes or names."),
    click.option("--ignore", multiple=True, metavar="RULES", help="Not these."),
    click.option("--exclude", multiple=True, metavar="GLOB", help="Skip files that match."),
    click.option("--from", "from_version", metavar="VERSION", help="The torch of the code."),
    click.option("--to", "to_version", metavar="VERSION", help="The torch to run on."),
    click.option(
        "--needed/--no-needed",
        default=None,
        help="Leave out what works unchanged on that torch and says the same.",
    ),
    click.option("--py2/--no-py2", default=None, help="Convert Python 2 to Python 3 first."),
    click.option(
        "--docs/--no-docs", default=None, help="Also code blocks in Markdown and .rst files."
    ),
    click.option("--since", metavar="REV", help="Only files that differ from a git revision."),
    click.option("--jobs", type=click.IntRange(0), default=0, help="Processes; 0: as many as pay."),
    click.option(
        "--timeout",
        type=click.FloatRange(0, min_open=True),
        default=120,
        metavar="SECONDS",
        help="Give up a file that takes longer.",
    ),
    click.option("--no-cache", is_flag=True, help="Neither use nor keep results of other runs."),
    click.option("--dask", metavar="ADDRESS", help="Work on the workers of this Dask scheduler."),
    click.option("--stdin-filename", metavar="NAME", help="The name of what comes in by -."),
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="torchfix-codemods")
def main() -> None:
    """Rewrite legacy PyTorch code into current PyTorch.

    Exit codes: 0 nothing left to do, 1 changes pending (--diff, --check) or findings (--strict),
    2 a file could not be processed, or bad usage.
    """
    # A last look for garbage would take longer than a small file.
    atexit.register(gc.freeze)


@main.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("--diff", is_flag=True, help="Show the changes; write nothing.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if anything would change.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write all files to DIR, as they become; leave them as they are here.",
)
@click.option(
    "--safe/--no-safe", default=None, help="Leave out rewrites that are meant to change numbers."
)
@_choice
@click.option("--strict", is_flag=True, help="Exit with 1 if anything is left for a person.")
@click.option(
    "-v", "--verbose", is_flag=True, help="Also name every rewrite, and why places were left."
)
@click.option(
    "-i", "--interactive", is_flag=True, help="Ask about each part of the diff, with its reason."
)
@click.option(
    "--verify",
    "verify_command",
    metavar="COMMAND",
    help="Run COMMAND before and after, and do not write what moves its numbers.",
)
@click.option(
    "--keep-verified", is_flag=True, help="With --verify: write only what was shown to be right."
)
@cli_verify.options
@cli_report.options
def migrate(paths: tuple[str, ...], jobs: int, **options: Any) -> None:
    """Rewrite files in place, or show what would be done to them.

    PATHS are files and folders; - reads from standard input.
    """
    run = Run(paths, jobs, options)
    sys.exit(run.from_stdin() if paths == ("-",) else run.over_files())


@main.command()
@click.argument("paths", nargs=-1, required=True)
@_choice
@click.option("-v", "--verbose", is_flag=True, help="Also say for which torch a file was written.")
@cli_report.options
def check(paths: tuple[str, ...], jobs: int, **options: Any) -> None:
    """List what migrate would rewrite, and all advice.

    PATHS are files and folders; - reads from standard input. Exits with 1 if anything is found.
    """
    run = Check(paths, jobs, options)
    sys.exit(run.from_stdin() if paths == ("-",) else run.over_files())


@main.command()
@click.option(
    "--output-format", type=click.Choice(["text", "json", "markdown", "docs"]), default="text"
)
@click.option("--seeds", is_flag=True, help="The documented pitfalls and their rules instead.")
@click.option("--rows", is_flag=True, help="The changes of torch's API that rules follow instead.")
def rules(output_format: str, seeds: bool, rows: bool) -> None:
    """List all rules."""
    from torchfix_codemods.rules import all_rules

    if seeds and rows:
        raise click.UsageError("--seeds and --rows are two lists: ask for one")
    if (seeds or rows) and output_format != "text":
        raise click.UsageError("--output-format is for the list of rules: not --seeds, not --rows")

    if rows:
        from torchfix_codemods.report.catalogue import catalogue_table

        click.echo(catalogue_table(), nl=False)
        return
    if seeds:
        from torchfix_codemods.report.seeds import seed_table

        click.echo(seed_table(all_rules()), nl=False)
        return
    if output_format in ("markdown", "docs"):
        from torchfix_codemods.report.markdown import rule_pages, rule_table

        written = rule_table if output_format == "markdown" else rule_pages
        click.echo(written(all_rules()), nl=False)
        return
    known = [
        {
            "code": rule.code,
            "name": rule.name,
            "numerics": rule.numerics.value,
            "summary": rule.summary(),
            "since": rule.since,
        }
        for rule in all_rules()
    ]
    if output_format == "json":
        import json

        click.echo(json.dumps(known, indent=1))
        return
    width = max(len(row["name"]) for row in known)
    for row in known:
        click.echo(f"{row['code']}  {row['name']:{width}}  {row['numerics']:9}  {row['summary']}")


@main.group()
def cache() -> None:
    """The results of earlier runs, which later ones use."""


@cache.command("clear")
def clear_cache() -> None:
    """Remove all results that were kept."""
    from torchfix_codemods.runs.cache import clear
    from torchfix_codemods.settings.config import cache_folder

    folder = cache_folder()
    try:
        count = clear(folder)
    except OSError as error:
        raise click.ClickException(f"{folder} cannot be removed: {error.strerror}") from error
    click.echo(f"{count} results removed from {folder}")


@cache.command("dir")
def show_cache() -> None:
    """Show where results are kept.

    TORCHFIX_CACHE_DIR names another folder.
    """
    from torchfix_codemods.settings.config import cache_folder

    click.echo(cache_folder())


main.add_command(cli_explain.explain)


@main.command()
def lsp() -> None:
    """Serve an editor (language server protocol).

    It speaks over standard input and output.
    """
    try:
        from torchfix_codemods.lsp.server import server
    except ImportError as error:
        raise click.ClickException(
            "the server needs pygls: pip install 'torchfix-codemods[lsp]'"
        ) from error
    server().start_io()


main.add_command(cli_verify.verify)
