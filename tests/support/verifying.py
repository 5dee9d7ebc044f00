"""Verdicts on rewrites of small programs, many of them from one Python that imported torch once."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from torchfix_codemods.finding import Finding
from torchfix_codemods.verify.changes.whole_files import WholeFile
from torchfix_codemods.verify.command import parse_command
from torchfix_codemods.verify.comparing.compare import Difference
from torchfix_codemods.verify.hunks import Change, FileChange
from torchfix_codemods.verify.options import VerifyOptions
from torchfix_codemods.verify.runs import Run, Runner
from torchfix_codemods.verify.session import Session
from torchfix_codemods.verify.trees import Overrides
from torchfix_codemods.verify.verdicts import Outcome, Verdict
from torchfix_codemods.verify.verify import moved_events

PROGRAMS = Path(__file__).parents[1] / "verify" / "programs"

_DEFAULTS = VerifyOptions()

#: What is wrong is to be found; whether what is right would have been is not asked.
QUICK = VerifyOptions(looks_for_unseen=False, looks_for_unwritten=False)

#: What every run has.
SETTINGS = {"device": "cpu", "threads": 1, "seed": 0, "timeout": 60.0}


#: Settings of runs that hand something on to others, or take it from them.
_HANDED_ON = frozenset(
    {"keep_random", "replay_random", "keep_steps", "follow_steps", "capture", "ops"}
)


class _Remembering(Runner):
    """Does not run the same version of the same program twice, except to see whether it can."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._runs: dict[str, list[Run]] = {}
        self._asked: dict[str, int] = {}

    def begin(self) -> None:
        """Another session begins: it is told of the same runs."""
        self._asked = {}

    def run(self, overrides: Overrides, changed: Mapping[str, Any], **settings: Any) -> Run:
        texts = {name: data and data.decode() for name, data in overrides.items()}
        key = json.dumps(
            [self.command.words, self.settings, texts, changed, settings], sort_keys=True
        )
        if settings.keys() & _HANDED_ON:
            return super().run(overrides, changed, **settings)
        runs, asked = self._runs.setdefault(key, []), self._asked.get(key, 0)
        if asked == len(runs):
            runs.append(super().run(overrides, changed, **settings))
        self._asked[key] = asked + 1
        return runs[asked]


class Bench:
    """Judges rewrites of programs.

    Args:
        runner: of a folder that holds all of them.
    """

    def __init__(self, runner: _Remembering) -> None:
        self.runner = runner
        self.notes: list[str] = []

    def judge(
        self,
        program: str,
        before: str,
        after: str,
        findings: Sequence[Finding] = (),
        *,
        command: str | None = None,
        explains: bool = False,
        others: Sequence[WholeFile] = (),
        options: VerifyOptions = _DEFAULTS,
        **settings: Any,
    ) -> Judged:
        """What is said of each hunk between two texts of a file.

        Args:
            program: the file's path, without its suffix.
            before: its text.
            after: its text after the rewrites.
            findings: the rewrites.
            command: what to run instead of the file.
            explains: whether operations are looked for.
            others: files that change as a whole.
            options: settings of the verification.
            settings: settings of the runs.
        """
        name = program + ".py"
        change = Change([FileChange(name, before, after, tuple(findings))], others=list(others))
        return self._judged(change, command or command_of(program), explains, options, settings)

    def judge_edits(
        self,
        program: str,
        edits: Iterable[tuple[str, str]],
        *,
        explains: bool = False,
        options: VerifyOptions = _DEFAULTS,
        **settings: Any,
    ) -> Judged:
        """What is said of each hunk that edits of a program, of one file or several, make.

        Args:
            program: its name.
            edits: old texts, each of which stands once in the program, and new ones.
            explains: whether operations are looked for.
            options: settings of the verification.
            settings: settings of the runs.
        """
        texts = texts_of(program)
        by_file: dict[str, list[tuple[str, str]]] = {}
        for old, new in edits:
            by_file.setdefault(file_with(texts, old), []).append((old, new))
        changes = [
            FileChange(path, texts[path], replaced(texts[path], *pairs))
            for path, pairs in sorted(by_file.items())
        ]
        return self._judged(Change(changes), command_of(program), explains, options, settings)

    def _judged(
        self,
        change: Change,
        command: str,
        explains: bool,
        options: VerifyOptions,
        settings: Mapping[str, Any],
    ) -> Judged:
        self.runner.command = parse_command([sys.executable, *command.split()])
        self.runner.settings = {**SETTINGS, **settings}
        self.runner.begin()
        # Explanations take four more runs.
        session = Session(change, self.runner, options, "cpu", moved_events, explains=explains)
        outcomes, single = session.judge()
        return Judged(change, outcomes, dict(single), session.notes, session.runs)


class Judged:
    """What was said of a change."""

    def __init__(
        self,
        change: Change,
        outcomes: Mapping[str, Outcome],
        single: dict[str, Verdict],
        notes: Sequence[str],
        runs: int,
    ) -> None:
        self.change, self.outcomes, self.single = change, outcomes, single
        self.notes, self.runs = list(notes), runs

    def at(self, first: int, last: int, path: str | None = None) -> list[Outcome]:
        """The outcomes of the hunks that hold some of the lines of BEFORE.

        Args:
            first: the first line, counted from 0.
            last: the line behind the last one.
            path: of the file; None: there is only one.
        """
        return [
            self.outcomes[hunk.key]
            for hunk in self.change.hunks
            for (start, end), _ in hunk.parts
            if path in (None, hunk.path)
            if (start < last and first < end) or (start == end and first <= start <= last)
        ]

    @property
    def verdicts(self) -> list[Verdict]:
        return [self.outcomes[hunk.key].verdict for hunk in self.change.hunks]

    @property
    def only(self) -> Outcome:
        """The outcome of the only change."""
        (outcome,) = self.outcomes.values()
        return outcome

    @property
    def difference(self) -> Difference:
        """What the first hunk that differs differs in."""
        return next(o.difference for o in self.outcomes.values() if o.difference is not None)


@contextmanager
def bench(folder: Path, files: Mapping[str, str] | None = None) -> Iterator[Bench]:
    """Programs, ready to run.

    Args:
        folder: an empty folder.
        files: what they are, by path; None: all programs of the tests.
    """
    base = folder / "programs"
    if files is None:
        shutil.copytree(PROGRAMS, base, ignore=shutil.ignore_patterns("__pycache__"))
        (base / "conftest.py").unlink()
    else:
        base.mkdir()
        for name, text in files.items():
            (base / name).write_text(text, encoding="utf-8")
    hidden = {"CUDA_VISIBLE_DEVICES": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = parse_command([sys.executable, "cnn.py"])
    with _Remembering(base, command, base, SETTINGS, hidden) as runner:
        yield Bench(runner)


def program(name: str) -> str:
    """The text of a program."""
    return (PROGRAMS / f"{name}.py").read_text("utf-8")


def texts_of(name: str) -> dict[str, str]:
    """The texts of a program that is a file or a folder, by path."""
    folder = PROGRAMS / name
    paths = sorted(folder.rglob("*.py")) if folder.is_dir() else [PROGRAMS / f"{name}.py"]
    return {path.relative_to(PROGRAMS).as_posix(): path.read_text("utf-8") for path in paths}


def command_of(name: str) -> str:
    """The words behind ``python`` that run a program, or one that a file of a folder belongs to."""
    folder = name.split("/")[0]
    if not (PROGRAMS / folder).is_dir():
        return f"{name}.py"
    return (
        f"{folder}/main.py"
        if (PROGRAMS / folder / "main.py").exists()
        else f"-m pytest -q {folder}"
    )


def file_with(texts: Mapping[str, str], old: str) -> str:
    """The path of the only one of some texts that holds an old text."""
    (path,) = (path for path, text in texts.items() if old in text)
    return path


def replaced(text: str, *pairs: tuple[str, ...]) -> str:
    """A text in which each old text, which stands once in it, gives way to a new one."""
    places = []
    for old, new, *_ in pairs:
        assert text.count(old) == 1, (text.count(old), old)
        places.append((text.index(old), old, new))
    for start, old, new in sorted(places, reverse=True):
        text = text[:start] + new + text[start + len(old) :]
    return text


def lines_of(text: str, old: str) -> tuple[int, int]:
    """The lines that a part of a text is on: the first, and the one behind the last."""
    start = text.index(old)
    first = text.count("\n", 0, start)
    return first, first + len(old.rstrip("\n").split("\n"))
