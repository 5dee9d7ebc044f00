"""Why each rewrite is made, executed: what the old form does on today's torch."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests import test_catalogue, test_fixtures
from tests.support import claims
from tests.support.reasons import messages_gone
from tests.support.rules import migrate, options_of
from torchfix_codemods.catalogue import all_rows, rows_in
from torchfix_codemods.catalogue.rows import Row
from torchfix_codemods.engine.migrate import Migration, Options
from torchfix_codemods.finding import NEEDED, Finding, Numerics, Reason, reason_of, strongest
from torchfix_codemods.rule import Rule
from torchfix_codemods.rules import all_rules

FIXTURES = Path(__file__).parents[1] / "fixtures"

#: What today's torch cannot show here, and why.
NOT_SHOWN = {
    "case_memory": "reset_max_memory_allocated warns, and then asks for a GPU",
    "case_scaler": "isinstance has to ask for the class that is made, and annotations to name it",
}

TEXTS = {
    test_fixtures.stem(rule): (test_fixtures.fixture_text(rule), (rule.code,))
    for rule in test_fixtures.WITH_FIXTURE
} | {
    f"catalogue/{subject}": (
        test_catalogue.fixture_text(subject),
        tuple(sorted({row.rule for row in rows_in(subject)})),
    )
    for subject in test_catalogue.SUBJECTS
}
CASES = [
    pytest.param(stem, case, id=f"{stem}-{case}")
    for stem, (text, _) in TEXTS.items()
    for case in claims.cases(text)
]


@functools.cache
def migrated(
    stem: str,
    reasons: frozenset[Reason] = frozenset(Reason),
    without: tuple[int, str] | None = None,
) -> Migration:
    """A fixture's migration: for some reasons only, or without the rewrites of a rule in a line."""
    text, codes = TEXTS[stem]
    options = replace(
        options_of(text), reasons=reasons, accepts=lambda line, code: (line, code) != without
    )
    return migrate(text, *codes, options=options)


def rewritten(stem: str, case: str) -> list[Finding]:
    """What is rewritten in a case."""
    node = _function(TEXTS[stem][0], case)
    lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    return [f for f in migrated(stem).findings if f.fixed and f.line in lines]


def _function(text: str, name: str) -> ast.FunctionDef:
    body = ast.parse(text.replace("async=", "async_=")).body
    return next(node for node in body if isinstance(node, ast.FunctionDef) and node.name == name)


def _statement(text: str, line: int) -> range:
    """The lines of the simple statement around a line."""
    for node in ast.walk(ast.parse(text.replace("async=", "async_="))):
        is_simple = isinstance(node, ast.stmt) and not hasattr(node, "body")
        if is_simple and node.lineno <= line <= (node.end_lineno or node.lineno):
            return range(node.lineno, (node.end_lineno or node.lineno) + 1)
    return range(line, line + 1)


@pytest.mark.parametrize(("stem", "case"), CASES)
def test_reason(stem: str, case: str) -> None:
    """A case fails, or differs, if that is the reason of a rewrite in it; each rewrite that is
    made for a warning takes one away, and the modern ones take none away."""
    before, after = TEXTS[stem][0], migrated(stem).text
    found = rewritten(stem, case)
    strong = strongest(f.reason for f in found if f.group is None)
    claim = claims.claim_of(before, case, migrated(stem))
    assert all((f.reason is None) is (f.numerics is Numerics.ADVICE) for f in found)
    if claim is not Numerics.IDENTICAL or case in _OF_OTHER_MACHINES:
        # What the claim means is executed with it; the others have tests of their own below.
        alone = reason_of(claim, False) if case not in _OF_OTHER_MACHINES else Reason.FAILS
        assert strong in (alone, None)
        return
    if strong is Reason.FAILS:
        # With other tensors than those of the case, for which the claim is executed.
        twin = case.replace("case_", "fails_")
        assert claims.fails(before, twin, "cpu") and not claims.fails(after, twin, "cpu")
        return
    assert strong is not Reason.DIFFERS
    for finding in found:
        if finding.reason is Reason.WARNS and case not in NOT_SHOWN:
            assert _warns(stem, case, finding), finding
    assert not messages_gone(migrated(stem, NEEDED).text, after, case)


def _warns(stem: str, case: str, finding: Finding) -> bool:
    before, after = TEXTS[stem][0], migrated(stem).text
    lines = _statement(before, finding.line)
    if any(warned.line in lines for warned in messages_gone(before, after, case)):
        return True
    without = migrated(stem, without=(finding.line, finding.code)).text
    return bool(messages_gone(without, after, case))


#: What raises where this machine has no part of: a GPU, a launcher.
_OF_OTHER_MACHINES = {
    "case_moved_to_a_device",
    "case_sorted",
    "case_counted",
    "case_rank",
    "case_rank_of_group",
    "case_numpy_bool",
}


def test_a_tensor_on_another_device_is_refused_by_numpy() -> None:
    with pytest.raises(TypeError):
        torch.ones(2, device="meta").numpy()


def test_lengths_on_another_device_are_refused() -> None:
    lengths = torch.ones(2, device="meta", dtype=torch.long)
    with pytest.raises(RuntimeError, match="CPU"):
        torch.nn.utils.rnn.pack_padded_sequence(torch.ones(2, 2, 1), lengths)


def test_a_parser_of_old_ranks_refuses_what_launchers_pass() -> None:
    text, _ = TEXTS["local_rank"]
    called = text.replace("--local_rank=2", "--local-rank=2")
    with pytest.raises(SystemExit):
        claims.run(called, "case_rank", "cpu")
    after = migrated("local_rank").text.replace("--local_rank=2", "--local-rank=2")
    assert claims.run(after, "case_rank", "cpu")[1][1] == 2


@pytest.mark.parametrize(("stem", "case"), CASES)
def test_needed_alone_does_what_it_claims(stem: str, case: str) -> None:
    found, before, needed = rewritten(stem, case), TEXTS[stem][0], migrated(stem, NEEDED)
    if not found:
        return
    claim = claims.claim_of(before, case, migrated(stem))
    if strongest(f.reason for f in found) is Reason.MODERN:
        claim = Numerics.IDENTICAL
    claims.check(claim, case, before, needed.text, stem, "cpu")


@pytest.mark.parametrize("stem", TEXTS)
def test_needed_leaves_modern_out(stem: str) -> None:
    needed = migrated(stem, NEEDED).findings
    assert not any(f.reason is Reason.MODERN for f in needed)


@pytest.mark.parametrize("stem", TEXTS)
def test_the_second_commit_comes_to_the_same(stem: str) -> None:
    text, codes = TEXTS[stem]
    era = migrated(stem).era
    options = replace(options_of(text), era=options_of(text).era or era)
    second = migrate(migrated(stem, NEEDED).text, *codes, options=options)
    assert second.text == migrated(stem).text


# Rows and rules


def _rewriting() -> Iterator[Row]:
    return (row for row in all_rows() if row.numerics is not Numerics.ADVICE)


def test_a_row_that_is_gone_fails() -> None:
    for row in _rewriting():
        if row.is_gone and row.claim is None and row.before is None:
            assert row.reason() is Reason.FAILS, row


def test_a_row_works_on_torch_before_it_was_gone() -> None:
    row = next(row for row in _rewriting() if row.names[0] == "torch.solve")
    assert row.gone == "1.13"
    assert row.reason(target=(1, 13)) is Reason.FAILS
    assert row.reason(target=(1, 12)) is Reason.MODERN
    lu = next(row for row in _rewriting() if row.names[0] == "torch.qr")
    assert lu.reason() is Reason.WARNS
    assert lu.reason(target=(2, 14)) is Reason.FAILS


def test_a_changed_default_is_as_it_was_on_an_older_torch() -> None:
    row = next(row for row in _rewriting() if row.before == "1.5")
    assert row.reason() is Reason.DIFFERS
    assert row.reason(target=(1, 4)) is Reason.MODERN


CHANGED = [pytest.param(rule, id=rule.name) for rule in all_rules() if rule.changed_in]


@pytest.mark.parametrize("rule", CHANGED)
def test_a_rule_says_since_when(rule: Rule) -> None:
    assert rule.changed_in in rule.documentation() + rule.message
    older = rule.for_target((1, 0))
    if older is not None:
        assert older.reason_for(Numerics.RESTORED) is Reason.MODERN
        assert older.reason_for(Numerics.CHANGED) is Reason.DIFFERS
    newer = rule.for_target((2, 13))
    assert newer is not None
    assert newer.reason_for(Numerics.RESTORED) is Reason.FAILS


# What hangs together


def needed(text: str, *codes: str) -> str:
    return migrate(text, *codes, options=Options(reasons=NEEDED)).text


def test_a_group_is_needed_where_a_part_of_it_is() -> None:
    text = """\
import torch
from torch.autograd import Variable

def test(model, x):
    model.eval()
    x = Variable(x, volatile=True)
    return model(x)
"""
    assert "no_grad" in needed(text)
    assert "volatile" not in needed(text)


def test_an_import_stays_for_what_stays() -> None:
    text = "import torch\nfrom torch.autograd import Variable\n\nx = Variable(torch.ones(2))\n"
    assert migrate(text).text == "import torch\n\nx = torch.ones(2)\n"
    assert needed(text) == text


def test_an_import_goes_with_what_goes() -> None:
    text = "import torch\nfrom torch._six import inf\n\nx = torch.ones(2) * inf\n"
    assert needed(text) == "import math\nimport torch\n\nx = torch.ones(2) * math.inf\n"
