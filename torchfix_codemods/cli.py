"""The ``torchfix`` command: options, exit codes, output."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from torchfix_codemods import __version__, cli_verify
from torchfix_codemods.config import ConfigError, Settings, read_settings, with_options
from torchfix_codemods.discovery import python_files
from torchfix_codemods.facts.era import parse_version
from torchfix_codemods.finding import FileError, FileResult
from torchfix_codemods.report import text as text_report
from torchfix_codemods.runner import Progress, migrate_bytes, migrate_files, write_result

DONE, PENDING, FAILED = 0, 1, 2

_PROGRESS_FROM = 200


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="torchfix-codemods")
def main() -> None:
    """Rewrite legacy PyTorch code into current PyTorch.

    Exit codes: 0 nothing left to do, 1 changes pending (--diff, --check) or findings (--strict),
    2 a file could not be processed, or bad usage.
    """


@main.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("--diff", is_flag=True, help="Show the changes; write nothing.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if anything would change.")
@click.option("--safe", is_flag=True, help="Leave out rewrites that are meant to change numbers.")
@click.option("--select", multiple=True, metavar="RULES", help="Only these codes, prefixes, names.")
@click.option("--ignore", multiple=True, metavar="RULES", help="Not these.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Skip files that match.")
@click.option(
    "--from", "from_version", metavar="VERSION", help="The torch the code is written for."
)
@click.option("--to", "to_version", metavar="VERSION", help="The torch the result has to run on.")
@click.option("--jobs", type=click.IntRange(0), default=0, help="Processes; 0: as many as pay.")
@click.option("--stdin-filename", metavar="NAME", help="The name of what comes in by -.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@click.option("--strict", is_flag=True, help="Exit with 1 if anything is left for a person.")
@click.option("-v", "--verbose", is_flag=True, help="Also name every rewrite and its reason.")
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
def migrate(paths: tuple[str, ...], jobs: int, **options: Any) -> None:
    """Rewrite files in place, or show what would be done to them.

    PATHS are files and folders; - reads from standard input.
    """
    run = _Run(paths, jobs, options)
    sys.exit(run.from_stdin() if paths == ("-",) else run.over_files())


@main.command()
@click.option("--output-format", type=click.Choice(["text", "json", "markdown"]), default="text")
def rules(output_format: str) -> None:
    """List all rules."""
    from torchfix_codemods.rules import all_rules

    if output_format == "markdown":
        from torchfix_codemods.report.markdown import rule_table

        click.echo(rule_table(all_rules()), nl=False)
        return
    rows = [
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

        click.echo(json.dumps(rows, indent=1))
        return
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        click.echo(f"{row['code']}  {row['name']:{width}}  {row['numerics']:9}  {row['summary']}")


@main.command()
@click.argument("rule")
def explain(rule: str) -> None:
    """Show the page of a rule, given by its code or name."""
    from torchfix_codemods.rules import UnknownRuleError, matching

    try:
        found = matching(rule)
    except UnknownRuleError as error:
        raise click.UsageError(str(error)) from error
    for each in found:
        click.echo(f"# {each.code} {each.name}\n")
        click.echo(f"{each.summary()}\n")
        click.echo(f"Numbers: {each.numerics.value}. Needs torch {each.since} or newer.\n")
        click.echo(each.documentation())
        click.echo()


main.add_command(cli_verify.verify)


class _Run:
    """One ``torchfix migrate``."""

    def __init__(self, paths: tuple[str, ...], jobs: int, options: dict[str, Any]) -> None:
        self.paths = [Path(path) for path in paths]
        self.jobs = jobs
        self.options = options
        self.as_json = options["output_format"] == "json"
        self.writes = not (options["diff"] or options["check"])
        self.settings = self._settings()

    def over_files(self) -> int:
        missing = [path for path in self.paths if not path.exists()]
        existing = [path for path in self.paths if path.exists()]
        files = list(python_files(existing, self.settings.root, self.settings.exclude))
        results = self._results(files, missing)
        if self.options["verify_command"] is not None:
            return self._over_verified(results)
        return self._report_json(results) if self.as_json else self._report_text(results)

    def _over_verified(self, results: Iterable[FileResult]) -> int:
        """The same, where only what a run of the user's program bears out is written."""
        kept, verification = cli_verify.verified(
            list(results), self.paths, self.options["verify_command"], self.options
        )
        if self.writes:
            kept = [write_result(result) for result in kept]
        status = self._report_json(kept) if self.as_json else self._report_text(kept)
        cli_verify.show(verification, self.options["report"], err=True)
        return max(status, PENDING) if verification.failed else status

    def from_stdin(self) -> int:
        name = self.options["stdin_filename"] or "<stdin>"
        data = sys.stdin.buffer.read()
        result = migrate_bytes(data, Path(name), self.settings)
        if self.as_json:
            return self._report_json([result])
        if not self.writes:
            return self._report_text([result])
        output = data
        if result.after is not None:
            from torchfix_codemods.source import decode

            output = decode(data).encode(result.after)
        sys.stdout.buffer.write(output)
        sys.stdout.buffer.flush()
        for line in (*text_report.findings_of(result), *text_report.errors_of(result)):
            click.echo(line, err=True)
        return self._exit_code([result])

    def _settings(self) -> Settings:
        first = self.paths[0]
        start = first if first.is_dir() else first.parent
        names = ("select", "ignore", "exclude", "from_version", "to_version", "safe")
        given = {name: self.options[name] for name in names}
        for name in ("select", "ignore"):
            given[name] = tuple(part for value in given[name] for part in value.split(",") if part)
        try:
            settings = with_options(read_settings(start if start.is_dir() else Path()), **given)
        except ConfigError as error:
            raise click.UsageError(str(error)) from error
        _check_selectors(settings)
        return settings

    def _results(self, files: list[Path], missing: list[Path]) -> Iterator[FileResult]:
        for path in missing:
            yield FileResult(str(path), errors=(FileError("missing", "no such file or folder"),))
        writes = self.writes and self.options["verify_command"] is None
        with _progress(len(files), self.as_json) as progress:
            yield from migrate_files(
                files, self.settings, write=writes, jobs=self.jobs, progress=progress
            )

    def _report_json(self, results: Iterable[FileResult]) -> int:
        from torchfix_codemods.report.json import document

        collected = list(results)
        click.echo(document(collected, with_diff=self.options["diff"]))
        return self._exit_code(collected)

    def _report_text(self, results: Iterable[FileResult]) -> int:
        tally = text_report.Tally()
        kept: list[FileResult] = []
        for result in results:
            tally.add(result)
            if result.skipped and self.options["verbose"]:
                click.echo(f"{result.path}: skipped by a comment", err=True)
            if not (result.findings or result.errors or result.changed):
                continue
            kept.append(result)
            self._show(result)
        for result in kept:
            for line in text_report.errors_of(result):
                click.secho(f"error: {line}", fg="red", err=True)
        verb = "rewritten" if self.writes else "would be rewritten"
        for line in tally.lines(verb):
            click.echo(line, err=True)
        if self.options["verbose"]:
            for line in text_report.pins_of(kept):
                click.echo(line, err=True)
        return self._exit_code(kept)

    def _show(self, result: FileResult) -> None:
        if self.options["diff"]:
            self._show_diff(result)
        elif result.changed:
            path = click.format_filename(result.path)
            click.echo(f"{'rewrote' if self.writes else 'would rewrite'} {path}")
        if self.options["verbose"]:
            for line in text_report.findings_of(result, fixed=True):
                click.echo(line, err=True)
            for line in text_report.era_of(result):
                click.echo(line, err=True)
        for line in text_report.findings_of(result):
            click.echo(line, err=True)

    def _show_diff(self, result: FileResult) -> None:
        if sys.stdout.isatty():
            diff = text_report.colored(text_report.diff_of(result))
            click.echo(diff.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), nl=False)
        else:
            # The very bytes when piped: patch must be able to read them.
            click.echo(text_report.patch_of(result), nl=False)

    def _exit_code(self, results: list[FileResult]) -> int:
        if any(result.errors for result in results):
            return FAILED
        if not self.writes and any(result.changed for result in results):
            return PENDING
        left = any(not f.fixed for result in results for f in result.findings)
        return PENDING if self.options["strict"] and left else DONE


def _check_selectors(settings: Settings) -> None:
    """Refuse selectors and versions that mean nothing before any file is touched."""
    per_file = [rule for _, rules in settings.per_file_ignores for rule in rules]
    selectors = (*settings.select, *settings.ignore, *per_file)
    try:
        if selectors:
            from torchfix_codemods.rules import matching

            for selector in selectors:
                matching(selector)
        for version in (settings.from_version, settings.to_version):
            if version is not None:
                parse_version(version)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


@contextmanager
def _progress(total: int, quiet: bool) -> Iterator[Progress | None]:
    """A progress bar on standard error for long runs on a terminal."""
    if quiet or total < _PROGRESS_FROM or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import (
        Progress as Bar,
    )

    columns = (
        TextColumn("migrating"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda count: bar.advance(task, count)
