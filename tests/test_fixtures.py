"""Every rule's fixture: the snapshot of its diff, its idempotency, and its numbers claim."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
import torch
from syrupy.assertion import SnapshotAssertion

from tests.support import claims
from tests.support.rules import migrate, options_of
from torchfix_codemods.engine.migrate import Migration
from torchfix_codemods.finding import Numerics
from torchfix_codemods.report.diff import unified_diff
from torchfix_codemods.rule import Rule
from torchfix_codemods.rules import all_rules

FIXTURES = Path(__file__).parents[1] / "fixtures" / "rules"


def stem(rule: Rule) -> str:
    return type(rule).__module__.rpartition(".")[2]


def fixture_text(rule: Rule) -> str:
    return (FIXTURES / f"{stem(rule)}.py").read_text("utf-8")


@functools.cache
def migrated(text: str, rule: Rule) -> Migration:
    """What a rule makes of its fixture."""
    return migrate(text, rule.code, options=options_of(text))


# The rows of the catalogue have fixtures of their own: test_catalogue.py.
OWN = [rule for rule in all_rules() if ".renames." not in type(rule).__module__]
RULES = [pytest.param(rule, id=rule.name) for rule in OWN]
WITH_FIXTURE = [rule for rule in OWN if (FIXTURES / f"{stem(rule)}.py").is_file()]
CASES = [
    pytest.param(rule, case, id=f"{rule.name}-{case}")
    for rule in WITH_FIXTURE
    for case in claims.cases(fixture_text(rule))
]


@pytest.mark.parametrize("rule", RULES)
def test_has_cases(rule: Rule) -> None:
    assert claims.cases(fixture_text(rule))


@pytest.mark.parametrize("rule", RULES)
def test_diff(rule: Rule, snapshot: SnapshotAssertion) -> None:
    text = fixture_text(rule)
    path = f"{stem(rule)}.py"
    migration = migrated(text, rule)
    diff = unified_diff(path, text, migration.text, migration.findings)
    if rule.numerics is Numerics.ADVICE:
        diff += "".join(f"{path}:{f.line}: {f.message}\n" for f in migration.findings)
    assert diff == snapshot


@pytest.mark.parametrize("rule", RULES)
def test_second_run_changes_nothing(rule: Rule) -> None:
    once = migrated(fixture_text(rule), rule).text
    assert migrated(once, rule).text == once


@pytest.mark.parametrize("rule", RULES)
def test_lines_that_end_as_on_windows_are_rewritten_alike(rule: Rule) -> None:
    text = fixture_text(rule)
    options = options_of(text)
    on_windows = migrate(text.replace("\n", "\r\n"), rule.code, options=options)
    assert on_windows.text == migrated(text, rule).text.replace("\n", "\r\n")


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize(("rule", "case"), CASES)
def test_numbers(rule: Rule, case: str, device: str) -> None:
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("no CUDA device on this machine")
    before = fixture_text(rule)
    migration = migrated(before, rule)
    claim = claims.claim_of(before, case, migration)
    if device == "cuda" and claim in (Numerics.RESTORED, Numerics.PINNED):
        pytest.skip("the recorded values come from the CPU generator")
    claims.check(claim, case, before, migration.text, stem(rule), device)
