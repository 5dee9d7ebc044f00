"""Tells the trace what became of each test."""

from __future__ import annotations

from typing import Any

from . import coverage, start


def pytest_runtest_logstart() -> None:
    """Called by pytest before it sets up a test."""
    coverage.part_begins()


def pytest_runtest_logreport(report: Any) -> None:
    """Called by pytest for the phases of each test."""
    if start.TRACE is None:
        return
    if report.failed and report.when != "teardown":
        coverage.part_failed(start.TRACE, report.nodeid, _last_line(report))
    coverage.part_begins()
    if report.when != "call" and report.outcome == "passed":
        return
    outcome = report.outcome if report.when == "call" or report.outcome == "skipped" else "error"
    reason = "" if report.outcome == "passed" else _last_line(report)
    start.TRACE.emit("test", lambda: {"test": report.nodeid, "value": outcome, "reason": reason})


def pytest_collectreport(report: Any) -> None:
    """Called by pytest for each file that it looks for tests in."""
    if start.TRACE is not None and report.failed:
        reason = str(report.longrepr).strip().splitlines()[-1:]
        fields = {"test": report.nodeid, "value": "error", "reason": "".join(reason)[:300]}
        start.TRACE.emit("test", lambda: fields)


def _last_line(report: Any) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(getattr(crash, "message", ""))
    return text.splitlines()[0][:300] if text else ""
