"""What ``torchfix migrate`` and ``torchfix check`` do, once their options are read."""

from __future__ import annotations

import functools
import gc
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from torchfix_codemods.api import files_of, migrate_each, migrate_text, output_of
from torchfix_codemods.cli import report as cli_report
from torchfix_codemods.cli import verify as cli_verify
from torchfix_codemods.cli.color import is_colored
from torchfix_codemods.cli.usage import STANDARD_INPUT, check_usage, with_verification
from torchfix_codemods.engine.garbage import not_collected
from torchfix_codemods.finding import SKIPPED_BY_COMMENT, FileResult, Finding
from torchfix_codemods.report import text as text_report
from torchfix_codemods.report.causes import causes
from torchfix_codemods.report.causes import lines as lines_of_causes
from torchfix_codemods.report.paint import Paint
from torchfix_codemods.runs.runner import Progress
from torchfix_codemods.runs.writing import write_result
from torchfix_codemods.settings.config import (
    ConfigError,
    Settings,
    cache_folder,
    folder_of_settings,
    with_options,
)
from torchfix_codemods.settings.pyproject import read_settings, settings_in
from torchfix_codemods.settings.selectors import LISTS, check_options, split_rules

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from torchfix_codemods.report.run import RunReport
    from torchfix_codemods.runs.output import Output
    from torchfix_codemods.verify.verdicts import Verification
    from torchfix_codemods.why.doubts import Doubts

DONE, PENDING, FAILED = 0, 1, 2

#: The options that stand for settings of the project.
_SETTINGS = (
    *("select", "extend_select", "ignore", "exclude", "from_version", "to_version"),
    *("safe", "needed", "docs", "py2"),
)

_PROGRESS_FROM = 50

#: So many places of one cause are listed by ``migrate``; ``check`` is for the rest.
_MOST_PLACES = 10

#: A run over so few files ends before garbage counts, of which each leaves some dozens of objects;
#: a look for it goes through all trees that are kept.
_FEW = 1000


class Run:
    """One ``torchfix migrate``."""

    def __init__(self, paths: tuple[str, ...], jobs: int, options: dict[str, Any]) -> None:
        self.paths = [Path(path) for path in paths]
        self.jobs = jobs
        self.options = options
        self.format = options["output_format"]
        self.writes = not (options["diff"] or options["check"])
        self.started = time.monotonic()
        cli_report.check_report(options["report"])
        if "synthetic" in options:
            with_verification(options)
        check_usage(options, self.paths)
        if options["interactive"]:
            from torchfix_codemods.cli import interactive as cli_interactive

            cli_interactive.check_usage(options, self.paths)
        self.settings = self._settings()
        self.output = self._output()

    def over_files(self) -> int:
        without = None if self.output is None else self.output.folder
        given = None if self.options["config"] is not None else self._given()
        try:
            found = files_of(self.paths, self.settings, without, given)
        except ConfigError as error:
            raise click.UsageError(str(error)) from error
        self.settings = found.settings
        existing = [path for path in self.paths if os.path.exists(path)]
        files = self._workable(self._changed(found.files, existing))
        results = self._results(files, found.unread)
        if self.options["verify_command"] is not None:
            return self._over_verified(results)
        if self.options["interactive"]:
            from torchfix_codemods.cli.interactive import chosen

            return self._told([*map(self._written, chosen(list(results), self.settings))])
        try:
            return self._told(results)
        except BrokenPipeError:
            # A project of which half is rewritten does not run, whoever has read enough.
            if self.writes:
                for _ in results:
                    pass
            raise

    def _over_verified(self, results: Iterable[FileResult]) -> int:
        """The same, where only what a run of the user's program bears out is written."""
        kept, verification = cli_verify.verified(
            list(results), self.paths, self.options["verify_command"], self.options
        )
        if self.writes:
            kept = [*map(self._written, kept)]
        status = self._told(kept, verification)
        cli_verify.show(verification, err=True)
        return max(status, PENDING) if verification.failed else status

    def _written(self, result: FileResult) -> FileResult:
        """A result that was held back, once its file is written."""
        if self.output is not None:
            return self.output.write(result)
        return write_result(result, self.settings)

    def from_stdin(self) -> int:
        name = self.options["stdin_filename"] or "<stdin>"
        data = sys.stdin.buffer.read()
        result = migrate_text(data, path=name, settings=self.settings)
        if self.format != "text" or not self.writes:
            return self._told([result])
        after = result.after_bytes
        sys.stdout.buffer.write(data if after is None else after)
        sys.stdout.buffer.flush()
        if not self.options["quiet"]:
            cli_report.echo(self._left([result], sys.stderr))
        cli_report.echo(text_report.errors_of(result))
        self._write_report([result])
        return self._exit_code([result])

    def _changed(self, files: Iterable[Path], paths: list[Path]) -> Iterable[Path]:
        """The files to work on: with --since only those that changed."""
        revision = self.options["since"]
        if revision is None:
            return files
        from torchfix_codemods.runs.since import SinceError, changed_since

        try:
            changed = changed_since(revision, paths)
        except SinceError as error:
            raise click.UsageError(f"--since: {error}") from error
        return [path for path in files if os.path.realpath(path) in changed]

    def _workable(self, files: Iterable[Path]) -> list[Path]:
        """The files to work on: only Python where it is run, or shown part by part."""
        if self.options["verify_command"] is not None:
            return cli_verify.without_documents(files, "verified")
        if self.options["interactive"]:
            return cli_verify.without_documents(files, "shown in parts")
        return list(files)

    def _told(self, results: Iterable[FileResult], verification: Verification | None = None) -> int:
        """Tell the results in every form that was asked for; the exit status."""
        if self.format == "text" and self.options["report"] is None:
            return self._report_text(results)
        results = list(results)
        self._write_report(results, verification)
        if self.format == "text":
            return self._report_text(results)
        report = self._report(results, verification)
        shown = report
        if self.format in ("github", "gitlab"):
            shown = replace(report, results=self._shown(results))
        click.echo(cli_report.document(self.format, shown, self.options["diff"]), nl=False)
        if self.options["statistics"]:
            self._show_statistics(results, len(results))
        elif self.format == "github" and not self.options["quiet"]:
            cli_report.echo(report.tally.lines(self._verb()))
        return self._exit_code(results)

    def _shown(self, results: list[FileResult]) -> list[FileResult]:
        """The results with the findings that are listed for people."""
        return results

    def _report(
        self, results: list[FileResult], verification: Verification | None = None
    ) -> RunReport:
        from torchfix_codemods.report.run import RunReport
        from torchfix_codemods.verify.verify import common_base

        is_written = self.writes and self.paths != [STANDARD_INPUT]
        return RunReport(results, is_written, verification, common_base(Path(), self.paths))

    def _write_report(
        self, results: list[FileResult], verification: Verification | None = None
    ) -> None:
        if self.options["report"] is not None:
            cli_report.write(self.options["report"], self._report(results, verification))

    def _places(self) -> list[Path]:
        """The paths, with the name of what comes from standard input for ``-``."""
        name = self.options["stdin_filename"]
        return [Path(name)] if name is not None else self.paths

    def _given(self) -> dict[str, Any]:
        """What the options say in the place of settings."""
        given = {name: self.options[name] for name in _SETTINGS}
        for name in LISTS:
            given[name] = tuple(rule for value in given[name] for rule in split_rules(value))
        return given

    def _settings(self) -> Settings:
        config = self.options["config"]
        try:
            check_options(self.options)
            own = settings_in(config) if config is not None else self._settings_of_project()
            settings = with_options(own, **self._given())
        except ConfigError as error:
            raise click.UsageError(str(error)) from error
        cache_dir = None if self.options["no_cache"] else cache_folder()
        return replace(settings, cache_dir=cache_dir, timeout=self.options["timeout"])

    def _settings_of_project(self) -> Settings:
        return read_settings(folder_of_settings(self._places()))

    def _output(self) -> Output | None:
        """Where files are written to instead of their own place."""
        if self.options["output"] is None:
            return None
        try:
            return output_of(self.options["output"], self.paths, self.settings)
        except ConfigError as error:
            raise click.UsageError(f"--output: {error}") from error

    def _results(self, files: list[Path], unread: list[FileResult]) -> Iterator[FileResult]:
        yield from unread
        is_asked = self.options["verify_command"] is not None or self.options["interactive"]
        writes = self.writes and not is_asked
        quiet = self.options["quiet"] or self.format == "json"
        with (
            _progress(len(files), quiet) as progress,
            self._executor() as executor,
            not_collected() if len(files) <= _FEW else nullcontext(),
        ):
            results = migrate_each(
                files,
                self.settings,
                write=writes,
                target=None if is_asked else self.output,
                jobs=self.jobs,
                executor=executor,
                progress=progress,
            )
            for index, result in enumerate(results):
                if index == 0:
                    # The rules stay: looking through them would take as long as a file.
                    gc.freeze()
                yield result

    @contextmanager
    def _executor(self) -> Iterator[Executor | None]:
        """The cluster that ``--dask`` names."""
        if self.options["dask"] is None:
            yield None
            return
        from torchfix_codemods.runs.cluster import ClusterError, dask_executor

        try:
            with dask_executor(self.options["dask"]) as executor:
                yield executor
        except ClusterError as error:
            raise click.UsageError(str(error)) from error

    @functools.cached_property
    def _doubts(self) -> Doubts:
        from torchfix_codemods.why.doubts import Doubts

        return Doubts(self.settings)

    def _report_text(self, results: Iterable[FileResult]) -> int:
        tally = text_report.Tally()
        kept: list[FileResult] = []
        for result in self._until_stopped(results, kept):
            tally.add(result)
            if result.skipped and (self.options["verbose"] or result.skipped != SKIPPED_BY_COMMENT):
                click.echo(f"{result.path}: skipped: {result.skipped}", err=True)
            if self.options["verbose"]:
                cli_report.echo(text_report.passed_of(result))
                cli_report.echo(text_report.lines_of(result, self._doubts.of(result)))
            if not (result.findings or result.errors or result.changed):
                continue
            kept.append(result)
            self._show(result)
        self._show_whole(kept)
        for result in kept:
            for line in text_report.errors_of(result):
                click.secho(f"error: {line}", fg="red", err=True)
        if self.options["statistics"]:
            self._show_statistics(kept, tally.files)
        elif not self.options["quiet"]:
            cli_report.echo(tally.lines(self._verb()))
            cli_report.echo(self._hidden(kept))
            if not tally.files:
                click.echo(self._why_nothing(), err=True)
        if self._forgets and not self.options["quiet"]:
            cli_report.echo(text_report.ages_of(kept))
        if self.options["verbose"]:
            cli_report.echo(text_report.pins_of(kept))
        return self._exit_code(kept)

    def _until_stopped(
        self, results: Iterable[FileResult], kept: list[FileResult]
    ) -> Iterator[FileResult]:
        """The results; what was done so far is told where the user ends the run."""
        try:
            yield from results
        except KeyboardInterrupt:
            self._show_whole(kept)
            raise

    @property
    def _forgets(self) -> bool:
        """Whether nothing tells the next run how old the code was that this one rewrites."""
        is_given = self.settings.from_version is not None
        return self.writes and self.settings.cache_dir is None and not is_given

    def _show_statistics(self, results: list[FileResult], files: int) -> None:
        from torchfix_codemods.report import statistics

        seconds = time.monotonic() - self.started
        cli_report.echo(statistics.lines(results, files, seconds))

    def _hidden(self, results: Iterable[FileResult]) -> Iterator[str]:
        """A line for what was counted, but not shown."""
        shows_all = self._shows_all
        count = 0 if shows_all else sum(f.is_quiet for r in results for f in r.findings)
        if count:
            verb = "is" if count == 1 else "are"
            yield f"Of what is left {count} {verb} only counted here: torchfix check lists all."

    def _why_nothing(self) -> str:
        """What to say where there was no file to look at."""
        if self.options["since"] is not None:
            return f"No Python file or notebook changed since {self.options['since']}."
        is_python_only = self.options["verify_command"] is not None or self.options["interactive"]
        kinds = "file" if is_python_only else "file or notebook"
        return (
            f"No Python {kinds} was found: .gitignore, exclude and --exclude hide files,"
            " and other kinds are not looked for."
        )

    def _verb(self) -> str:
        return "rewritten" if self.writes else "would be rewritten"

    def _show(self, result: FileResult) -> None:
        """What is told of a file as soon as it is done."""
        if self.options["diff"]:
            self._show_diff(result)
        if self.options["verbose"]:
            for line in text_report.rewrites_of(result):
                click.echo(f"{line} [{self._verb()}]", err=True)
            for line in text_report.era_of(result):
                click.echo(line, err=True)

    def _show_whole(self, results: list[FileResult]) -> None:
        """What is told of all files together: what is left, then what was done."""
        if self.options["quiet"]:
            return
        cli_report.echo(self._left(results, sys.stderr))
        if self.options["diff"]:
            return
        for result in results:
            if result.changed:
                place = result.path if self.output is None else self.output.place(result.path)
                path = click.format_filename(place)
                click.echo(f"{'rewrote' if self.writes else 'would rewrite'} {path}")

    def _left(self, results: list[FileResult], stream: IO[str]) -> Iterator[str]:
        """What is left for a person, by cause."""
        with_quiet = self._shows_all
        left = causes(results, lambda f: not f.fixed and (with_quiet or not f.is_quiet))
        most = None if self.options["verbose"] else _MOST_PLACES
        return lines_of_causes(left, Paint(is_colored(stream)), most)

    @property
    def _shows_all(self) -> bool:
        """Whether that is shown as well which else is only counted."""
        return bool(self.options["verbose"] or self.settings.select)

    def _show_diff(self, result: FileResult) -> None:
        if is_colored():
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


class Check(Run):
    """One ``torchfix check``."""

    def __init__(self, paths: tuple[str, ...], jobs: int, options: dict[str, Any]) -> None:
        if options["add_ignore"]:
            if paths == ("-",):
                raise click.UsageError("--add-ignore writes files: standard input is none")
            if options["output_format"] != "text" or options["report"] is not None:
                raise click.UsageError("--add-ignore writes files, and no report")
        given = {"diff": False, "check": True, "safe": None, "strict": True}
        unused = {"verify_command": None, "interactive": False, "output": None}
        super().__init__(paths, jobs, {**options, **given, **unused})

    def _shown(self, results: list[FileResult]) -> list[FileResult]:
        if self.options["all"]:
            return results
        return [
            replace(result, findings=tuple(f for f in result.findings if not f.fixed))
            for result in results
        ]

    def _hidden(self, results: Iterable[FileResult]) -> Iterator[str]:
        """A line for the rewrites, which ``migrate`` makes by itself."""
        if not self.options["all"] and any(f.fixed for r in results for f in r.findings):
            yield "torchfix migrate makes the rewrites; check --all lists them, too."

    def _show(self, result: FileResult) -> None:
        if self.options["verbose"]:
            for line in text_report.era_of(result):
                click.echo(line, err=True)

    def _report_text(self, results: Iterable[FileResult]) -> int:
        if self.options["add_ignore"]:
            return self._ignored(results)
        return super()._report_text(results)

    def _ignored(self, results: Iterable[FileResult]) -> int:
        """Write comments into the files, and tell what they have no room for."""
        from torchfix_codemods.remarks import remark_of
        from torchfix_codemods.runs.ignoring import ignore

        status, written, files = DONE, 0, 0
        for result in results:
            done = ignore(result, [f for f in result.findings if self._is_listed(f)])
            written, files = written + done.written, files + bool(done.written)
            for finding in done.left:
                place = text_report.place_of(result, finding)
                # What no rule says, comments say nothing of.
                no = "keeps this away" if remark_of(finding.code) else "can stand here"
                click.echo(f"{place}: {finding.code} {finding.name}: no comment {no}")
                status = max(status, PENDING)
            errors = [*result.errors, *([] if done.error is None else [done.error])]
            for error in errors:
                place = text_report.place_of_error(result, error)
                click.secho(f"error: {place}: {error.message}", fg="red", err=True)
                status = FAILED
        if not self.options["quiet"]:
            said = text_report.counted(written, "comment"), text_report.counted(files, "file")
            click.echo(f"{said[0]} written, in {said[1]}", err=True)
        return status

    def _is_listed(self, finding: Finding) -> bool:
        return self.options["all"] or not finding.fixed

    def _show_whole(self, results: list[FileResult]) -> None:
        found = causes(results, self._is_listed)
        for line in lines_of_causes(found, Paint(is_colored())):
            click.echo(line)


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
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import (
        Progress as Bar,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{speed:.0f} files/s")

    columns = (
        TextColumn("migrating"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda count: bar.advance(task, count)
