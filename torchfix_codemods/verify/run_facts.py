"""What a finished run tells: how it ended, and what was seen of it."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.verify.comparing.compare import Mask
from torchfix_codemods.verify.runs import Event, Run

#: How much is shown of what a program that fails printed, and of the errors of its tests.
_MOST_LINES, _WIDEST, _MOST_ERRORS = 20, 300, 3


#: A line that names an error.
_ERROR = lazy_pattern(r"(?i)error: ")


def has_trouble(run: Run) -> bool:
    """Whether a run failed, or a test in it."""
    return run.failure is not None or failed_tests(run) > 0


def failed_tests(run: Run) -> int:
    """How many tests failed."""
    return sum(event["value"] in ("failed", "error") for event in _tests(run))


def failed_assertions(run: Run) -> bool:
    """Whether an assertion of the program's, or of a test, failed."""
    said = [e.get("reason") for e in _tests(run) if e["value"] in ("failed", "error")]
    said += [run.failure["value"]] if run.failure is not None else []
    return any(str(text).startswith(("assert ", "AssertionError")) for text in said)


def passed_tests(run: Run) -> int:
    """How many tests passed."""
    return sum(event["value"] == "passed" for event in _tests(run))


def failures_of_tests(run: Run) -> Iterator[str]:
    """What has to be known of a suite of which a part fails, in a run of the code as it was."""
    tests = list(_tests(run))
    failed = [event for event in tests if event["value"] in ("failed", "error")]
    unread = [event for event in failed if "::" not in event["test"]]
    if unread:
        files = "1 file of tests" if len(unread) == 1 else f"{len(unread)} files of tests"
        yield (
            f"{files} cannot be loaded in the code as it was, so what only they run is not"
            f" executed: {_commonest(unread)}"
        )
    failed = [event for event in failed if "::" in event["test"]]
    if failed:
        count = sum("::" in event["test"] for event in tests)
        yield (
            f"{len(failed)} of {count} tests fail in the code as it was, and what only they run"
            f" cannot be judged: {_commonest(failed)}"
        )


def _commonest(failed: Iterable[Event]) -> str:
    """The errors that most of some tests end with."""
    reasons = Counter(_said(str(e.get("reason"))) or "?" for e in failed)
    if len(reasons) == 1:
        return next(iter(reasons))
    said = [f"{reason} ({count})" for reason, count in reasons.most_common(_MOST_ERRORS)]
    rest = len(reasons) - len(said)
    return "; ".join(said) + (f"; and {rest} other{'s' * (rest > 1)}" if rest else "")


def _tests(run: Run) -> Iterable[Event]:
    for stream in run.streams.values():
        yield from (event for event in stream.events if event["kind"] == "test")


def is_better(one: Run, other: Run) -> bool:
    """Whether a run came further than another one."""
    if (one.failure is None) != (other.failure is None):
        return one.failure is None
    return passed_tests(one) > passed_tests(other)


def stopped(run: Run) -> str:
    """How a run ended that did not do what it was started for; empty where it did."""
    if run.failure is not None:
        return str(run.failure["value"])
    if run.status == 0 or passed_tests(run):
        return ""
    lines = [line.strip("= ") for line in run.output.splitlines() if line.strip()]
    # Behind what is wrong, pytest says how much is, or where it looked.
    last = ([line for line in lines if _ERROR.search(line)] or lines)[-1:]
    return f"it ends with status {run.status}" + "".join(
        f": {_said(line)[:_WIDEST]}" for line in last
    )


def _said(line: str) -> str:
    """What a line says, without the mark that pytest puts before an error."""
    return line.removeprefix("E ").strip()


#: Events that show what a program computed.
_EVIDENCE = frozenset({"forward", "backward", "grad", "step", "save", "print", "file", "called"})


def did_anything(run: Run) -> bool:
    """Whether a run computed, printed or saved something, or passed a test."""
    return passed_tests(run) > 0 or any(
        event["kind"] in _EVIDENCE for stream in run.streams.values() for event in stream.events
    )


def last_words(run: Run) -> str:
    """The last lines of what a run printed, errors too."""
    lines = [line.rstrip()[:_WIDEST] for line in run.output.splitlines() if line.strip()]
    return "\n".join(lines[-_MOST_LINES:])


def same_failure(one: Event, other: Event) -> bool:
    """Whether two errors say the same."""
    return bool(one["value"] == other["value"])


def fails_more(before: Run, after: Run) -> bool:
    """Whether a run fails that did not fail before."""
    if after.failure is not None:
        if before.failure is None:
            return True
        return not same_failure(before.failure, after.failure)
    if before.failure is None and before.status == 0 and after.status != 0:
        return True
    passed = {event["test"] for event in _tests(before) if event["value"] == "passed"}
    return any(e["test"] in passed and e["value"] in ("failed", "error") for e in _tests(after))


def tells(run: Run) -> bool:
    """Whether a run did anything that another one can be compared with."""
    return any(
        event["kind"] != "result" or event["value"]["i"]
        for stream in run.streams.values()
        for event in stream.events
    )


def without(run: Run, kinds: Collection[str]) -> Run:
    """A run without its events of some kinds."""
    streams = {
        name: dataclasses.replace(
            stream, events=[event for event in stream.events if event["kind"] not in kinds]
        )
        for name, stream in run.streams.items()
    }
    return dataclasses.replace(run, streams=streams)


def seen(run: Run, key: str, mask: Mask) -> bool | None:
    """Whether anything that is compared was told after a statement ran; None: it never ran.

    What a child process did may come back to those that it was forked from.
    """
    if key not in run.ran:
        return None
    name, counts = run.ran[key]
    if mask.cuts(name, 0):
        return False
    parts = name.split(".")
    # A process that was not forked does not know how much those around it had told.
    counts = [*[0] * (len(parts) - len(counts)), *counts]
    told = {"main": 0}
    told.update({".".join(parts[: n + 1]): count for n, count in enumerate(counts)})
    return any(
        event["kind"] != "final"
        and event["n"] >= told.get(name.partition("/")[0], math.inf)
        and not mask.cuts(name, index)
        for name, stream in run.streams.items()
        for index, event in enumerate(stream.events)
    )
