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
from torchfix_codemods.cli.color import from_environment, is_colored
from torchfix_codemods.cli.color import option as color_option
from torchfix_codemods.cli.run import Check, Run
from torchfix_codemods.cli.together import (
    DONE,
    FILES,
    OUTPUT,
    RULES,
    RUNNING,
    TORCH,
    VERIFICATION,
    Command,
    option,
    together,
)
from torchfix_codemods.version import __version__

#: What is looked at, and for what.
_choice = together(
    option(
        FILES,
        "--exclude",
        "--extend-exclude",
        multiple=True,
        metavar="GLOB",
        help="Skip files that match.",
    ),
    option(
        FILES, "--docs/--no-docs", default=None, help="Also code blocks in Markdown and .rst files."
    ),
    option(FILES, "--since", metavar="REV", help="Only files that differ from a git revision."),
    option(FILES, "--stdin-filename", metavar="NAME", help="The name of what comes in by -."),
    option(RULES, "--select", multiple=True, metavar="RULES", help="Only these codes or names."),
    option(
        RULES, "--extend-select", multiple=True, metavar="RULES", help="These besides the others."
    ),
    option(RULES, "--ignore", "--extend-ignore", multiple=True, metavar="RULES", help="Not these."),
    option(TORCH, "--from", "from_version", metavar="VERSION", help="The torch of the code."),
    option(TORCH, "--to", "to_version", metavar="VERSION", help="The torch to run on."),
    option(
        RULES,
        "--needed/--no-needed",
        default=None,
        help="Leave out what works unchanged on the torch to run on, and says the same.",
    ),
    option(
        DONE,
        "--py2/--no-py2",
        default=None,
        help="Convert all Python 2 first, or none; else what Python 3 cannot read.",
    ),
    option(
        RUNNING,
        "--config",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Settings for all files, instead of the nearest pyproject.toml of each.",
    ),
    option(
        RUNNING,
        "--jobs",
        type=click.IntRange(0),
        default=0,
        metavar="N",
        help="Processes; 0: as many as pay.",
    ),
    option(
        RUNNING,
        "--timeout",
        type=click.FloatRange(0, min_open=True),
        default=120,
        metavar="SECONDS",
        help="Give up a file that takes longer.",
    ),
    option(RUNNING, "--no-cache", is_flag=True, help="Neither use nor keep results of other runs."),
    option(
        RUNNING, "--dask", metavar="ADDRESS", help="Work on the workers of this Dask scheduler."
    ),
)


class _Commands(click.Group):
    """The commands, in the order in which people need them."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands; click has them by name."""
        first = ("migrate", "check", "explain", "rules", "verify", "lsp", "cache")
        return sorted(self.commands, key=first.index)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="torchfix-codemods")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Rewrite legacy PyTorch code into current PyTorch.

    Exit codes: 0 nothing left to do, 1 changes pending (--diff, --check) or findings (--strict),
    2 a file could not be processed, or bad usage.
    """
    from_environment(ctx)
    # A last look for garbage would take longer than a small file.
    atexit.register(gc.freeze)


@main.command()
@click.argument("paths", nargs=-1, required=True)
@option(DONE, "--diff", is_flag=True, help="Show the changes; write nothing.")
@option(DONE, "--check", is_flag=True, help="Write nothing; exit with 1 if anything would change.")
@option(
    DONE,
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write all files to DIR, as they become; leave them as they are here.",
)
@option(
    DONE,
    "-i",
    "--interactive",
    is_flag=True,
    help="Ask about each part of the diff, with its reason.",
)
@_choice
@option(
    RULES,
    "--safe/--no-safe",
    default=None,
    help="Leave out rewrites that are meant to change numbers.",
)
@option(DONE, "--strict", is_flag=True, help="Exit with 1 if anything is left for a person.")
@option(
    OUTPUT,
    "-v",
    "--verbose",
    is_flag=True,
    help="Also name every rewrite, and why places were left.",
)
@option(
    VERIFICATION,
    "--verify",
    "verify_command",
    is_flag=False,
    flag_value="",
    metavar="[COMMAND]",
    help="Run COMMAND before and after, and do not write what moves its numbers. Without one, as"
    " with --synthetic.",
)
@option(
    VERIFICATION,
    "--keep-verified",
    is_flag=True,
    help="With --verify: write only what was shown to be right.",
)
@cli_verify.options
@cli_report.options
@color_option
def migrate(paths: tuple[str, ...], jobs: int, **options: Any) -> None:
    """Rewrite files in place, or show what would be done to them.

    PATHS are files and folders; - reads from standard input.
    """
    run = Run(paths, jobs, options)
    sys.exit(run.from_stdin() if paths == ("-",) else run.over_files())


@main.command()
@click.argument("paths", nargs=-1, required=True)
@_choice
@option(
    DONE,
    "--add-ignore",
    is_flag=True,
    help="Write # torchfix: ignore[...] at every place that is listed.",
)
@option(OUTPUT, "--all", is_flag=True, help="Also list what migrate rewrites by itself.")
@option(
    OUTPUT, "-v", "--verbose", is_flag=True, help="Also say for which torch a file was written."
)
@cli_report.options
@color_option
def check(paths: tuple[str, ...], jobs: int, **options: Any) -> None:
    """List what is left for a person.

    PATHS are files and folders; - reads from standard input. With --all it lists also what migrate
    rewrites. It exits with 1 if there is any of both.
    """
    run = Check(paths, jobs, options)
    sys.exit(run.from_stdin() if paths == ("-",) else run.over_files())


@main.command()
@click.option(
    "--output-format", type=click.Choice(["text", "json", "markdown", "docs"]), default="text"
)
@click.option("--seeds", is_flag=True, help="The documented pitfalls and their rules instead.")
@click.option("--rows", is_flag=True, help="The changes of torch's API that rules follow instead.")
@color_option
def rules(output_format: str, seeds: bool, rows: bool) -> None:
    """List all rules."""
    from torchfix_codemods.rules import all_rules

    if seeds and rows:
        raise click.UsageError("--seeds and --rows are two lists: ask for one")
    if (seeds or rows) and output_format != "text":
        raise click.UsageError("--output-format is for the list of rules: not --seeds, not --rows")

    if rows:
        from torchfix_codemods.report.manual.catalogue import catalogue_table

        click.echo(catalogue_table(), nl=False)
        return
    if seeds:
        from torchfix_codemods.report.manual.seeds import seed_table

        click.echo(seed_table(all_rules()), nl=False)
        return
    if output_format in ("markdown", "docs"):
        from torchfix_codemods.report.manual.markdown import rule_pages, rule_table

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
    from torchfix_codemods.report.paint import Paint

    paint = Paint(is_colored())
    width = max(len(row["name"]) for row in known)
    for row in known:
        code, claim = paint.code(row["code"]), paint.faint(f"{row['numerics']:9}")
        click.echo(f"{code}  {row['name']:{width}}  {claim}  {row['summary']}")


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
