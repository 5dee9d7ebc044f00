"""Suites of tests, as pytest collects and runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.verifying import Bench
from torchfix_codemods.verify.run_facts import failures_of_tests, stopped
from torchfix_codemods.verify.runs import Run, Stream
from torchfix_codemods.verify.verdicts import Verdict

TESTS = """import torch


def total(x):
    return x.sum()


def test_total():
    assert total(torch.ones(3)).item() == 3
"""


@pytest.mark.parametrize("head", ["", "# A comment.\n\n", '"""A docstring."""\n\n\n'])
@pytest.mark.parametrize(
    ("new", "verdict"),
    [("x.sum(0)", Verdict.EQUIVALENT), ("x.mean()", Verdict.BROKEN)],
)
def test_what_stands_before_the_first_import(
    judges: Bench, head: str, new: str, verdict: Verdict
) -> None:
    after = (head + TESTS).replace("x.sum()", new)
    command = "-m pytest -q suite/tests/test_head.py"
    judged = judges.judge("suite/tests/test_head", head + TESTS, after, command=command)
    assert judged.only.verdict is verdict, judged.only


FAILING = """import torch

import pytest


def doubled(x):
    y = x * 2
    return y.potrf(3)


def halved(x):
    y = x / 2
    return y


@pytest.fixture
def broken():
    return doubled(torch.ones(2, 2))


def test_doubled():
    assert doubled(torch.ones(2, 2)).sum() == 3


def test_with_fixture(broken):
    assert broken.sum() == 3


def test_halved():
    assert halved(torch.ones(2)).sum() == 1
"""

FAILS = "it runs only in tests that fail in the code as it was"


@pytest.mark.parametrize(
    ("tests", "old", "new", "verdict", "reason"),
    [
        (FAILING, "y = x * 2", "y = x * 3", Verdict.INCONCLUSIVE, f"{FAILS}: "),
        (FAILING, "y.potrf(3)", "y.sum()", Verdict.INCONCLUSIVE, f"{FAILS}: "),
        (FAILING, "y = x / 2", "y = x * 0.5", Verdict.EQUIVALENT, ""),
        (FAILING, "y = x / 2", "y = x * 0.7", Verdict.BROKEN, ""),
        # A test that passes runs it, too.
        (
            FAILING.replace("y.potrf(3)", "halved(y).potrf(3)"),
            "y = x / 2",
            "y = x * 0.5",
            Verdict.EQUIVALENT,
            "",
        ),
        (
            FAILING.replace("return doubled", "return halved").replace(
                "broken.sum() == 3", "broken.sum() == 5"
            ),
            "y = x / 2",
            "y = x * 0.5",
            Verdict.EQUIVALENT,
            "",
        ),
    ],
)
def test_what_only_failing_tests_run(
    judges: Bench, tests: str, old: str, new: str, verdict: Verdict, reason: str
) -> None:
    command = "-m pytest -q suite/tests/test_failing.py"
    after = tests.replace(old, new)
    judged = judges.judge("suite/tests/test_failing", tests, after, command=command)
    assert judged.only.verdict is verdict, judged.only
    assert judged.only.reason.startswith(reason), judged.only


UNREAD = """import torch
import nowhere


def test_doubled():
    y = torch.ones(2) * 2
    assert y.sum() == 4
"""

AS_IT_WAS = "in the code as it was"


@pytest.mark.parametrize(
    ("tests", "notes"),
    [
        (
            UNREAD,
            f"1 file of tests cannot be loaded {AS_IT_WAS}, so what only they run is not executed:"
            " ModuleNotFoundError: No module named 'nowhere'",
        ),
        (
            FAILING,
            f"2 of 4 tests fail {AS_IT_WAS}, and what only they run cannot be judged:"
            " AttributeError: 'Tensor' object has no attribute 'potrf'",
        ),
        (FAILING.replace(".potrf(3)", " - 1.25"), ""),
    ],
)
def test_what_of_a_suite_fails_is_told(judges: Bench, tests: str, notes: str) -> None:
    """Or else a library that is missing looks as if the suite did not come to the rewrites."""
    files = "suite/tests/test_losses.py::test_halves suite/tests/test_failing.py"
    command = f"-m pytest -q --continue-on-collection-errors {files}"
    judged = judges.judge(
        "suite/tests/test_failing", tests, tests.replace("* 2", "* 2.0"), command=command
    )
    assert "\n".join(judged.notes) == notes


def test_the_commonest_errors_of_a_suite() -> None:
    said = ["E   A: 1", "A: 1", "B", "", "C", "D"]
    events = [{"kind": "test", "test": "t.py", "value": "error", "reason": text} for text in said]
    run = Run(1, 0.0, {"main": Stream(events)}, {}, "")
    (told,) = failures_of_tests(run)
    assert told.partition("executed: ")[2] == "A: 1 (2); B (1); ? (1); and 2 others"


NAMES = """import os

import pytest
import torch

with open({0!r}, 'a') as log:
    log.write('run ')


@pytest.mark.parametrize("time", ["run%d" % os.path.getsize({0!r})])
def test_once(time):
    assert torch.ones(3).sum() == 3
"""


def test_a_suite_whose_tests_have_other_names_each_time(judges: Bench, tmp_path: Path) -> None:
    """Where a set of classes makes them, say: nothing can be compared, and why is told."""
    (tmp_path / "log").touch()
    tests = NAMES.format(str(tmp_path / "log"))
    command = "-m pytest -q suite/tests/test_names.py"
    judged = judges.judge(
        "suite/tests/test_names", tests, tests.replace("sum()", "sum(0)"), command=command
    )
    name = "suite/tests/test_names.py::test_once"
    assert judged.only.verdict is Verdict.INCONCLUSIVE
    assert judged.only.reason == (
        "no two runs of the program before the rewrites do the same, but"
        f" {name}[run4] and {name}[run8]"
    )


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("E   ImportError: no\n== 1 error in 2 s ==", "ImportError: no"),
        ("tool: error: unrecognized arguments: --cov\n  rootdir: /x", "tool: error: unrecognized"),
        ("fetch the data first\n", "fetch the data first"),
        ("", ""),
    ],
)
def test_how_a_run_ended_is_what_names_an_error(output: str, said: str) -> None:
    ended = stopped(Run(4, 0.0, {"main": Stream([], end={"end": 4})}, {}, output))
    head, _, rest = ended.partition(": ")
    assert head == "it ends with status 4"
    assert rest.startswith(said) and bool(rest) is bool(said)
