"""Verification as a whole: from two versions of a project to a verdict on every rewrite."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import subprocess
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from torchfix_codemods.finding import FileResult, Numerics
from torchfix_codemods.verify.changes.whole_files import WholeFile
from torchfix_codemods.verify.command import Command, CommandError
from torchfix_codemods.verify.hunks import Change, FileChange
from torchfix_codemods.verify.inputs import calls
from torchfix_codemods.verify.options import VerifyOptions
from torchfix_codemods.verify.oracle_session import oracle_session
from torchfix_codemods.verify.runs import Runner
from torchfix_codemods.verify.session import Session
from torchfix_codemods.verify.trees import left_out
from torchfix_codemods.verify.verdicts import (
    UNKNOWN,
    Judgement,
    Outcome,
    Verdict,
    Verification,
    worst,
)

#: Everything that a run tells: what a rewrite may move that says no more than "numbers change".
_ALL_EVENTS = frozenset(
    "forward evaluation backward grad step save print file test result final error called".split()
)


#: Batches of a pass over a loader where a function with one is called with synthetic inputs.
_BATCHES = 2

#: Ends with 0 where torch can use a GPU. Whether it was built for any is asked first, as importing
#: torch takes longer than many a run.
_HAS_GPU = """
import importlib.util, pathlib, runpy, sys
version = pathlib.Path(importlib.util.find_spec("torch").origin).with_name("version.py")
if version.exists():
    built = runpy.run_path(str(version))
    if not (built.get("cuda") or built.get("hip")):
        sys.exit(3)
import torch
sys.exit(0 if torch.cuda.is_available() else 3)
"""


def verify(
    change: Change, command: Command, base: Path, cwd: Path, options: VerifyOptions
) -> Verification:
    """Run a program before and after a change and judge every rewrite.

    Args:
        change: the two versions of the project.
        command: the program.
        base: the project's folder, which is copied.
        cwd: the folder in which the command was given, within ``base``.
        options: settings.

    Raises:
        NoTorchError: the command's Python cannot import torch.
        CommandError: the machine has no GPU, and one was asked for.
    """
    started = time.monotonic()
    result = Verification(str(command), links=change.links)
    old = _on_old_torch(command, options)
    if not change.hunks:
        return result
    if options.synthetic:
        result.notes.append(calls.NOTE)
        batches = options.max_batches or _BATCHES
        options = dataclasses.replace(options, fake_data=True, max_batches=batches)
    by_device: dict[str, tuple[Mapping[str, Outcome], Mapping[str, Verdict]]] = {}
    failures: list[str] = []
    for device in options.devices:
        with Runner(base, command, cwd, _settings(options, device), _hidden(device)) as runner:
            result.versions = {k: str(v) for k, v in runner.versions.items()}
            if device == "cuda" and not runner.versions["device_count"]:
                raise CommandError("there is no GPU that torch can use on this machine")
            with contextlib.ExitStack() as stack:
                if old is not None and device == "cpu":
                    settings = _settings(options, device)
                    oracle = stack.enter_context(Runner(base, old, cwd, settings, _hidden(device)))
                    result.versions["oracle"] = _told(oracle.versions)
                    session = oracle_session(change, runner, oracle, options, moved_events)
                else:
                    session = Session(change, runner, options, device, moved_events)
                by_device[device] = _judged(session, change, base)
            result.runs += session.runs
            result.events = max(result.events, session.events)
            result.output = result.output or session.output
            result.bundle = result.bundle or session.bundle
            result.still_differs = result.still_differs or session.still_differs
            result.still_fails = result.still_fails or session.still_fails
            prefix = f"{device}: " if len(options.devices) > 1 else ""
            result.notes += [prefix + note for note in session.notes]
            if all(o.verdict in UNKNOWN for o in by_device[device][0].values()):
                failures.append(session.failure)
    result.devices = tuple(by_device)
    if len(failures) == len(by_device):
        result.failure = failures[0]
    result.judgements = _judgements(change, by_device)
    if options.bundle is not None and result.failed and not result.bundle:
        result.notes.append(
            f"nothing was written to {options.bundle}: no rewrite by itself gives other numbers in"
            " the main thread of the program"
        )
    result.seconds = time.monotonic() - started
    return result


def _judged(
    session: Session, change: Change, base: Path
) -> tuple[Mapping[str, Outcome], Mapping[str, Verdict]]:
    """What a session says of each hunk, and of single rewrites."""
    options = session.options
    if options.inputs is not None:
        session.runner.settings["inputs"] = [str(options.inputs.resolve())]
        outcomes, single = session.judge()
        found = calls.replayed(change, base, session.before)
        return calls.with_reasons(outcomes, found, frozenset()), single
    if not options.synthetic:
        answer = session.judge()
        if options.save_inputs is not None and session.before is not None:
            session.notes += calls.save(change, base, session, options.save_inputs)
        return answer
    found = calls.search(
        change, base, session.runner, session.runner.scratch("inputs"), session.shims()
    )
    outcomes, single = session.judge()
    failed = calls.failing(session.before)
    return calls.with_reasons(outcomes, found, failed), single


def devices_of(asked: str, command: Command) -> tuple[str, ...]:
    """The devices to run on.

    Args:
        asked: ``cpu``, ``cuda`` or ``all``.
        command: the program, whose Python is asked for a GPU.
    """
    if asked != "all":
        return (asked,)
    done = subprocess.run([command.python, "-c", _HAS_GPU], capture_output=True, check=False)
    return ("cpu", "cuda") if done.returncode == 0 else ("cpu",)


def _on_old_torch(command: Command, options: VerifyOptions) -> Command | None:
    """The command for the old torch that was asked for; None: none was."""
    if options.oracle is None:
        return None
    if "cpu" not in options.devices:
        raise CommandError("--oracle compares on the CPU: leave --device away, or say cpu")
    from torchfix_codemods.verify.oracle import oracle_python

    python = oracle_python(options.oracle, options.oracle_python)
    return dataclasses.replace(command, python=python)


def _told(versions: Mapping[str, object]) -> str:
    return f"torch {versions['torch']}, Python {versions['python']}"


def _settings(options: VerifyOptions, device: str) -> dict[str, object]:
    return {
        "device": device,
        "threads": options.threads,
        "seed": options.seed,
        "timeout": options.timeout,
        "max_steps": options.max_steps,
        "max_seconds": options.max_seconds,
        "max_batches": options.max_batches,
    }


def _hidden(device: str) -> dict[str, str]:
    return {"CUDA_VISIBLE_DEVICES": ""} if device == "cpu" else {}


@functools.cache
def moved_events(code: str) -> Collection[str]:
    """Which events a rewrite of a rule that changes numbers may move.

    Args:
        code: the rule's code.
    """
    from torchfix_codemods.rules import all_rules

    moves = next((rule.moves for rule in all_rules() if rule.code == code), frozenset())
    return moves or _ALL_EVENTS


def _judgements(
    change: Change,
    by_device: Mapping[str, tuple[Mapping[str, Outcome], Mapping[str, Verdict]]],
) -> list[Judgement]:
    result = []
    for hunk in change.hunks:
        outcomes = {device: outcomes[hunk.key] for device, (outcomes, _) in by_device.items()}
        for finding in hunk.findings or (None,):
            name = f"{hunk.key}@{finding.line}" if finding is not None else ""
            own = {
                device: Outcome(single[name]) if name in single else outcomes[device]
                for device, (_, single) in by_device.items()
            }
            verdict = worst([outcome.verdict for outcome in own.values()])
            result.append(Judgement(hunk, finding, verdict, own))
    return sorted(result, key=lambda j: (j.hunk.path, j.line))


def change_of_results(results: Iterable[FileResult], base: Path) -> Change:
    """The change that a migration makes.

    Args:
        results: what became of each file.
        base: the project's folder.
    """
    return Change(
        [
            FileChange(
                os.path.relpath(Path(result.path).resolve(), base.resolve()),
                result.before or "",
                result.after or "",
                tuple(f for f in result.findings if f.numerics is not Numerics.ADVICE),
                result.encoding,
                result.bom,
            )
            for result in results
            if result.changed
        ]
    )


def change_of_trees(before: Path, after: Path) -> Change:
    """The change between two versions of a project that somebody else made.

    Args:
        before: the project as it was.
        after: the project as it is to be.

    Raises:
        SourceError: a Python file is not text.
    """
    from torchfix_codemods.text.source import decode

    files: list[FileChange] = []
    others: list[WholeFile] = []
    names = {*_files(before), *_files(after)}
    for name in sorted(names):
        old, new = _read(before / name), _read(after / name)
        if old == new:
            continue
        if not name.endswith(".py") or old is None or new is None:
            others.append(WholeFile(name, old, new))
            continue
        source, target = decode(old), decode(new)
        files.append(FileChange(name, source.text, target.text, (), source.encoding, source.bom))
    return Change(files, others=others)


def _files(folder: Path) -> Iterable[str]:
    for path, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not left_out(Path(path, name))]
        yield from (os.path.relpath(os.path.join(path, name), folder) for name in names)


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def common_base(cwd: Path, paths: Sequence[Path]) -> Path:
    """The folder that is copied: the one of the command, or one around it and all paths."""
    folders = [path if path.is_dir() else path.parent for path in map(Path.resolve, paths)]
    return Path(os.path.commonpath([cwd.resolve(), *folders]))
