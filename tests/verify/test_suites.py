"""Suites of tests, as pytest collects and runs them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.verifying import Bench, bench
from torchfix_codemods.verify.verdicts import Verdict

TESTS = """import torch


def total(x):
    return x.sum()


def test_total():
    assert total(torch.ones(3)).item() == 3
"""


@pytest.fixture(scope="module")
def judges(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with bench(tmp_path_factory.mktemp("suites")) as made:
        yield made


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
