"""Changed functions and modules, called without the program around them."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torchfix_codemods.verify.command import Command, CommandError
from torchfix_codemods.verify.hunks import Change
from torchfix_codemods.verify.inputs.asked import AT_THE_MARGIN, functions_asked
from torchfix_codemods.verify.runs import Event, Run, Runner
from torchfix_codemods.verify.verdicts import FAILED, SAME, Outcome, Verdict
from torchfix_codemods.verify.versions import Versions

#: What inputs are called that were made, and those of a file.
SYNTHETIC, SAVED = "synthetic inputs", "saved inputs"

#: Ends with 0 where there is torch.
_ASK = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"

#: What a report says first.
NOTE = (
    "the inputs are synthetic: made from what is known of the parameters, no data of the program's;"
    " what only such data would show is not seen"
)


@dataclass
class Found:
    """What can be called."""

    functions: dict[str, Searched] = field(default_factory=dict)
    """By ``path:name``."""
    by_hunk: dict[str, list[str]] = field(default_factory=dict)
    """The functions that a hunk is in."""
    inputs: str = SYNTHETIC
    """What their inputs are called."""


@dataclass
class Searched:
    """What became of the search for inputs of one function."""

    calls: int
    keys: frozenset[str]
    """The changed statements that run in the calls."""
    why: str
    """What was raised where no call was found, or not for all statements."""
    guessed: tuple[str, ...] = ()
    """The parameters of which nothing is known."""


def command_of(words: Sequence[str], inputs: str = SYNTHETIC) -> Command:
    """What is run where there is no program.

    Args:
        words: the Python that has torch; none: the first one on the path that has it, else this
            one.
        inputs: what its inputs are called.

    Raises:
        CommandError: it is not found, or a program is named, too.
    """
    if len(words) > 1:
        option = "--synthetic" if inputs == SYNTHETIC else "--inputs"
        raise CommandError(f"{option} runs no program: name a Python behind --, or nothing")
    named = words[0] if words else next(_with_torch(), sys.executable)
    path = shutil.which(named)
    if path is None:
        raise CommandError(f"{named} is not found")
    said = f"calls of the changed functions and modules with {inputs}"
    return Command(os.path.abspath(path), "replay", "", words=tuple(said.split()))


def _with_torch() -> Iterator[str]:
    """The Pythons on the path that have torch."""
    for name in ("python", "python3"):
        path = shutil.which(name)
        if path is not None:
            done = subprocess.run([path, "-c", _ASK], capture_output=True, check=False)
            if done.returncode == 0:
                yield path


def search(change: Change, base: Path, runner: Runner, file: str, shims: list[str]) -> Found:
    """Look for inputs of all changed functions, and write them to a file.

    The code as it was is asked first, then with a stand-in for the old torch.

    Args:
        change: the two versions.
        base: the project's folder.
        runner: runs the search.
        file: where the calls go to.
        shims: the stand-ins of each run.
    """
    nothing: frozenset[str] = frozenset()
    watched = change.watched(nothing)
    asked, by_hunk = functions_asked(change, base, watched)
    found = Found(by_hunk=by_hunk)
    files = []
    for number, extra in enumerate(([], ["legacy"])):
        left = [each for each in asked if not _is_found(found, each)]
        if not left:
            break
        files.append(f"{file}.{number}")
        run = runner.run(
            change.overrides(nothing),
            watched,
            kind="search",
            asked=left,
            inputs=files[-1],
            shims=[*shims, *extra],
        )
        _take(found, left, run)
    runner.settings["inputs"] = files
    return found


def _is_found(found: Found, asked: Mapping[str, Any]) -> bool:
    known = found.functions.get(f"{asked['path']}:{asked['name']}")
    return known is not None and known.calls > 0


def _take(found: Found, asked: list[dict[str, Any]], run: Run) -> None:
    for each in asked:
        name = f"{each['path']}:{each['name']}"
        said = run.searched.get(
            name, {"calls": 0, "keys": [], "why": "the process ended while it was called"}
        )
        before = found.functions.get(name)
        if before is None or said["calls"]:
            found.functions[name] = Searched(
                said["calls"],
                frozenset(said["keys"]),
                said["why"],
                tuple(n for n, known in each["parameters"].items() if not known.get("kinds")),
            )


def replayed(change: Change, base: Path, run: Run | None) -> Found:
    """What a run came to that called functions with saved inputs.

    Args:
        change: the two versions.
        base: the project's folder.
        run: the run, before the rewrites.
    """
    _, by_hunk = functions_asked(change, base, {})
    found = Found(by_hunk=by_hunk, inputs=SAVED)
    ran = frozenset(run.ran) if run is not None else frozenset()
    for name in {name for names in by_hunk.values() for name in names}:
        told = [event for event in _tests(run) if event["test"].partition("(")[0] == name]
        passed = sum(event["value"] == "passed" for event in told)
        why = next((e["reason"] for e in told if e["reason"]), "there are none in the file")
        found.functions[name] = Searched(passed, ran, "" if passed else why)
    return found


def _tests(run: Run | None) -> Iterator[Event]:
    for stream in run.streams.values() if run is not None else ():
        yield from (event for event in stream.events if event["kind"] == "test")


def save(change: Change, base: Path, session: Versions, target: Path) -> list[str]:
    """Keep what a program calls changed functions with.

    Args:
        change: the two versions.
        base: the project's folder.
        session: ran the program.
        target: where to.

    Returns:
        what a reader has to know of it.

    Raises:
        CommandError: the file cannot be written.
    """
    asked, _ = functions_asked(change, base, {})
    wanted: dict[str, dict[str, list[str]]] = {}
    for each in asked:
        of_file = wanted.setdefault(each["path"], {"functions": [], "classes": each["classes"]})
        of_file["functions"].append(each["name"])
    file = session.runner.scratch("saved-inputs")
    run = session.saving_inputs(wanted, file)
    main = run.streams.get("main")
    kept: dict[str, int] = (main.end or {}).get("kept", {}) if main is not None else {}
    notes = [
        f"the inputs of {name} were not saved: {said['why']}"
        for name, said in sorted(run.searched.items())
        if name not in kept
    ]
    if not kept:
        return [
            *notes,
            f"nothing was saved to {target}: the program calls no function that changes",
        ]
    try:
        shutil.copy(file, target)
    except OSError as error:
        raise CommandError(f"--save-inputs: {target} cannot be written: {error}") from error
    calls = sum(kept.values())
    said = f"the inputs of {calls} calls of {len(kept)} functions were saved to {target}"
    return [*notes, f"{said}; --inputs {target} makes these calls again without the program"]


def failing(run: Run | None) -> frozenset[str]:
    """The functions, as ``path:name``, of which every call fails in a run."""
    told: dict[str, set[str]] = {}
    for event in _tests(run):
        told.setdefault(event["test"].partition("(")[0], set()).add(event["value"])
    return frozenset(name for name, values in told.items() if values == {"failed"})


def with_reasons(
    outcomes: Mapping[str, Outcome], found: Found, failed: frozenset[str]
) -> dict[str, Outcome]:
    """The outcomes, with what is to be said of inputs.

    Args:
        outcomes: what runs of the calls say, by the key of a hunk.
        found: what was called.
        failed: the functions, as ``path:name``, of which every call fails before the rewrites.
    """
    return {key: _with_reason(key, outcome, found, failed) for key, outcome in outcomes.items()}


def _with_reason(key: str, outcome: Outcome, found: Found, failed: frozenset[str]) -> Outcome:
    names = found.by_hunk.get(key, [])
    functions = {n: found.functions[n] for n in names if n in found.functions}
    if outcome.verdict in FAILED:
        return dataclasses.replace(outcome, reason=outcome.reason + _guessed(functions))
    if not names:
        if outcome.verdict in SAME:
            # An import, of which all calls make use.
            return outcome
        return Outcome(Verdict.NOT_OBSERVED, AT_THE_MARGIN)
    ran = {n: f for n, f in functions.items() if key in f.keys and n not in failed}
    if not ran:
        return Outcome(Verdict.NOT_OBSERVED, _why(functions, found.inputs))
    if outcome.verdict in (*SAME, Verdict.EXPECTED):
        calls = sum(f.calls for f in ran.values())
        said = f"{outcome.reason}, in {calls} call{'s' * (calls != 1)} with {found.inputs}"
        return dataclasses.replace(outcome, reason=said)
    return outcome


def _guessed(functions: Mapping[str, Searched]) -> str:
    """That a function may not be meant for what it was called with."""
    unknown = sorted({name for function in functions.values() for name in function.guessed})
    if not unknown:
        return ""
    return f" (the file does not say what {', '.join(unknown)} {_be(unknown)}: a guess was passed)"


def _be(names: Sequence[str]) -> str:
    return "are" if len(names) > 1 else "is"


def _why(functions: Mapping[str, Searched], inputs: str) -> str:
    if inputs == SAVED:
        return "; ".join(
            f"saved inputs of {n}: {f.why}" for n, f in functions.items() if f.why
        ) or ("it does not run with the saved inputs")
    for name, function in functions.items():
        if not function.calls:
            return f"no inputs were found that {name} takes: {function.why or 'it raises'}"
        if function.why:
            return f"no inputs were found with which {name} comes to it: {function.why}"
    name = next(iter(functions), "")
    return f"no inputs were found with which {name} comes to it" if name else AT_THE_MARGIN
