"""Suites of tests, as pytest collects and runs them."""

from __future__ import annotations

import pytest

from tests.support.verifying import Bench
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
