"""``torchfix verify`` and the options that ``torchfix migrate --verify`` shares with it."""

from __future__ import annotations

import dataclasses
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from torchfix_codemods.cli import report as cli_report
from torchfix_codemods.cli.color import option as color_option
from torchfix_codemods.cli.together import FILES, OUTPUT, VERIFICATION, Command, option, together
from torchfix_codemods.cli.usage import check_oracle, check_program
from torchfix_codemods.finding import FileResult
from torchfix_codemods.verify import RTOL

if TYPE_CHECKING:
    from torchfix_codemods.verify.command import Command as Program
    from torchfix_codemods.verify.hunks import Change
    from torchfix_codemods.verify.verdicts import Verification

#: How long nothing is said where no terminal shows how far it is.
_SILENT_SECONDS = 60.0

#: How the name of a report of verdicts may end.
_REPORTS = (".json", ".md", ".html")

#: How a verification is made.
options = together(
    option(
        VERIFICATION,
        "--device",
        type=click.Choice(["cpu", "cuda", "all"]),
        default="all",
        help="Where to run; all: the CPU, and the GPU where there is one.",
    ),
    option(
        VERIFICATION,
        "--max-batches",
        type=click.IntRange(1),
        metavar="N",
        help="Batches of a pass over a loader.",
    ),
    option(
        VERIFICATION,
        "--max-steps",
        type=click.IntRange(1),
        metavar="N",
        help="Optimizer steps of a run.",
    ),
    option(
        VERIFICATION,
        "--max-seconds",
        type=click.FloatRange(0, min_open=True),
        metavar="N",
        help="Of a run.",
    ),
    option(VERIFICATION, "--fake-data", is_flag=True, help="Synthetic data sets of torchvision."),
    option(
        VERIFICATION,
        "--cpu-shim/--no-cpu-shim",
        default=None,
        help="Let .cuda() work without a GPU; by default where the CPU is used.",
    ),
    option(
        VERIFICATION,
        "--rtol",
        type=click.FloatRange(0),
        default=RTOL,
        show_default=True,
        metavar="X",
        help="Of numbers.",
    ),
    option(VERIFICATION, "--each", is_flag=True, help="Run every rewrite on its own, too."),
    option(
        VERIFICATION,
        "--bundle",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Write the first failure to DIR, with a script that shows it.",
    ),
    option(
        VERIFICATION,
        "--synthetic",
        is_flag=True,
        help="Without a program: call what changes with inputs that are made for it.",
    ),
    option(
        VERIFICATION,
        "--save-inputs",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Keep what the program gives to functions that change.",
    ),
    option(
        VERIFICATION,
        "--inputs",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Without a program: call what changes with inputs that were saved.",
    ),
    option(
        VERIFICATION, "--oracle", metavar="VERSION", help="Compare with BEFORE on this old torch."
    ),
    option(VERIFICATION, "--oracle-python", metavar="PYTHON", help="A Python that has it, or can."),
)


class _WithCommand(Command):
    """A command whose last argument is a command of its own, behind ``--``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            position = args.index("--")
            ctx.meta["command"] = args[position + 1 :]
            args = args[:position]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(ctx), "-- COMMAND"]


@click.command(cls=_WithCommand)
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@option(
    FILES,
    "--before",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="A project as it was; --after shows what became of it.",
)
@option(
    FILES,
    "--after",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="The same project after somebody rewrote it.",
)
@options
@option(
    OUTPUT,
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the verdicts to FILE.json, FILE.md or FILE.html.",
)
@color_option
@click.pass_context
def verify(
    ctx: click.Context,
    /,
    paths: tuple[Path, ...],
    before: Path | None,
    after: Path | None,
    **given: Any,
) -> None:
    """Run a program before and after, compare the numbers.

    COMMAND is a Python program: python train.py, python -m pytest tests, pytest. It runs in a
    copy; nothing of yours is written. With --synthetic it is a Python that has torch, or nothing.
    Without --before and --after the rewrites are those that `torchfix migrate PATHS` would make.

    Exit codes: 0 every rewrite that ran is equivalent, or changed what it is meant to; 1 one is
    different or broken; 2 it could not be run, or a file could not be processed; 3 no number
    moved, but somewhere a wrong one might not have shown.
    """
    words: Sequence[str] = ctx.meta.get("command", ())
    if not words and not given["synthetic"] and given["inputs"] is None:
        raise click.UsageError(
            "name the program to run behind --, as in -- python train.py, or give --synthetic"
        )
    if (before is None) != (after is None) or (before is not None and paths):
        raise click.UsageError("give PATHS, or both --before and --after")
    if not paths and before is None:
        raise click.UsageError("give PATHS, or --before and --after")
    cli_report.check_report(given["report"], _REPORTS)
    if before is not None and after is not None:
        from torchfix_codemods.verify.verify import change_of_trees

        change, base, is_whole = change_of_trees(before, after), before, True
    else:
        change, base, is_whole = _migration(paths)
    verification = _verify(change, base, words, given)
    show(verification, given["report"])
    _end_without_a_run(verification)
    sys.exit(_status(verification, is_whole))


def _status(verification: Verification, is_whole: bool) -> int:
    if verification.failed:
        return 1
    if not is_whole:
        return 2
    return 3 if verification.is_unproven else 0


def verified(
    results: Sequence[FileResult],
    paths: Sequence[Path],
    command: str,
    given: Mapping[str, Any],
) -> tuple[list[FileResult], Verification]:
    """Verify a migration, and take back what must not be written.

    Args:
        results: the migration, not written yet.
        paths: what was migrated.
        command: the program to run.
        given: the options of the command line.

    Returns:
        the results with the rewrites that may be written, and the verification.
    """
    from torchfix_codemods.verify.keep import kept_results
    from torchfix_codemods.verify.verify import change_of_results, common_base

    base = common_base(Path(), paths)
    change = change_of_results(results, base)
    named = {name: value for name, value in given.items() if name != "report"}
    verification = _verify(change, base, command, named)
    if verification.failure:
        show(verification, err=True)
        _end_without_a_run(verification, ", so nothing was written")
    kept = verification.kept(given["keep_verified"])
    return kept_results(results, change, verification, kept, base), verification


def without_documents(files: Iterable[Path], purpose: str) -> list[Path]:
    """The files that are Python programs themselves; the others are named.

    Args:
        files: the files.
        purpose: what the others cannot be.
    """
    from torchfix_codemods.documents.kinds import is_document

    kept = []
    for path in files:
        if is_document(path):
            click.echo(f"{path}: left alone: only Python files can be {purpose}", err=True)
        else:
            kept.append(path)
    return kept


def show(verification: Verification, report: Path | None = None, err: bool = False) -> None:
    """Print the table, and write the report that was asked for."""
    from torchfix_codemods.report.verification import lines
    from torchfix_codemods.report.verification_file import as_file

    for line in lines(verification):
        click.echo(line, err=err)
    if report is not None:
        try:
            report.write_text(as_file(verification, report.suffix), encoding="utf-8")
        except OSError as error:
            raise click.UsageError(f"{report} cannot be written: {error.strerror}") from error


@contextmanager
def _progress() -> Iterator[Callable[[str], None] | None]:
    """How far a verification is, which may take as long as many trainings: on a terminal at each
    run, in a log at times.
    """
    if not sys.stderr.isatty():
        yield _at_times(lambda text: click.echo(f"verifying: {text}", err=True))
        return
    try:
        yield lambda text: click.echo(f"\r\x1b[Kverifying: {text}", nl=False, err=True)
    finally:
        click.echo("\r\x1b[K", nl=False, err=True)


def _at_times(tell: Callable[[str], None]) -> Callable[[str], None]:
    """Tells what comes after as many seconds as a reader of a log would begin to wonder."""
    told = time.monotonic()

    def tell_at_times(text: str) -> None:
        nonlocal told
        if time.monotonic() - told >= _SILENT_SECONDS:
            told = time.monotonic()
            tell(text)

    return tell_at_times


def _end_without_a_run(verification: Verification, so: str = "") -> None:
    """End where the program failed before it came to any rewrite: it bears out nothing."""
    if verification.failure:
        click.echo(f"error: the program came to no rewrite{so}: {verification.failure}", err=True)
        sys.exit(2)


def _migration(paths: Sequence[Path]) -> tuple[Change, Path, bool]:
    """What a migration would change, below which folder, and whether all files could be read."""
    from torchfix_codemods.api import files_of
    from torchfix_codemods.report.text import errors_of
    from torchfix_codemods.runs.runner import migrate_files
    from torchfix_codemods.settings.config import ConfigError, folder_of_settings
    from torchfix_codemods.settings.pyproject import read_settings
    from torchfix_codemods.verify.verify import change_of_results, common_base

    try:
        found = files_of(paths, read_settings(folder_of_settings(paths)), given={})
    except ConfigError as error:
        raise click.UsageError(str(error)) from error
    files = [*without_documents(found.files, "verified")]
    # What Python 3 cannot read cannot be run before.
    settings = dataclasses.replace(found.settings, py2=bool(found.settings.py2))
    results = list(migrate_files(files, settings, write=False))
    for result in results:
        for line in errors_of(result):
            # This command has no such option.
            said = line.replace("; --py2 ", "; torchfix migrate --py2 ")
            click.secho(f"error: {said}", fg="red", err=True)
    base = common_base(Path(), paths)
    is_whole = not any(result.errors for result in results)
    return change_of_results(results, base), base, is_whole


def _parsed(command: Sequence[str] | str, given: Mapping[str, Any]) -> Program:
    from torchfix_codemods.verify.command import parse_command
    from torchfix_codemods.verify.inputs.calls import SAVED, SYNTHETIC, command_of

    if not given["synthetic"] and given["inputs"] is None:
        return parse_command(command)
    words = shlex.split(command) if isinstance(command, str) else command
    return command_of(words, SYNTHETIC if given["synthetic"] else SAVED)


def _verify(
    change: Change, base: Path, command: Sequence[str] | str, given: Mapping[str, Any]
) -> Verification:
    from torchfix_codemods.verify.cleanup import cleaned_up
    from torchfix_codemods.verify.command import CommandError
    from torchfix_codemods.verify.options import VerifyOptions
    from torchfix_codemods.verify.runs import NoTorchError
    from torchfix_codemods.verify.verify import devices_of
    from torchfix_codemods.verify.verify import verify as run

    cwd, root = Path().resolve(), base.resolve()
    if root != cwd and root not in cwd.parents:
        cwd = root
    check_oracle(given)
    check_program(given)
    names = {field.name for field in dataclasses.fields(VerifyOptions)} - {"tell"}
    settings = {name: value for name, value in given.items() if name in names}
    try:
        parsed = _parsed(command, given)
        if parsed.kind == "script" and not (cwd / parsed.target).exists():
            raise CommandError(f"there is no {parsed.target} in {cwd}, where the program is run")
        settings["devices"] = devices_of(given["device"], parsed)
        with cleaned_up(), _progress() as tell:
            return run(change, parsed, base, cwd, VerifyOptions(tell=tell, **settings))
    except (CommandError, NoTorchError) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
