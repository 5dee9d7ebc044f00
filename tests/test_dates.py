"""Rewrites that take away what dates a file are left alone where its other lines hang on that."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator

import libcst as cst
import pytest

from torchfix_codemods.engine.migrate import Migration, Options, migrate_text
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules import select

#: Up to torch 0.4.0 these three arguments meant something else.
OLD_STFT = """
    import torch
    from torch.autograd import Variable
    x = Variable(torch.randn(100), volatile=True)
    y = torch.stft(x, 8, 2)
    torch.nn.utils.clip_grad_norm(net.parameters(), 5)
"""
HALF_UPDATED = """
    import torch
    from torch.autograd import Variable
    def f(loss):
        a = torch.ones(2, 2)
        old = Variable(torch.ones(2), volatile=True), loss
        return old, torch.tensor(a.t()), torch.full((2,), True), torch.nn.init.xavier_uniform(a)
"""
HANGS = "how line {} is rewritten depends on the torch that this file is for: say which with --from"


def migrated(text: str, era: Era | None = None) -> Migration:
    """The migration by all rules; a second one changes nothing and says the same."""
    options = Options(era=era)
    migration = migrate_text(textwrap.dedent(text), select(), options)
    assert not migration.errors
    again = migrate_text(migration.text, select(), options)
    assert (again.text, again.errors) == (migration.text, ())
    left = {(f.code, f.message) for f in migration.findings if not f.fixed}
    assert {(f.code, f.message) for f in again.findings} == left
    return migration


def messages(migration: Migration) -> list[tuple[int, str, str]]:
    """The findings that were left, with the reason alone."""
    return [
        (f.line, f.code, f.message.partition("left alone: ")[2].rstrip(")"))
        for f in migration.findings
        if not f.fixed
    ]


def test_what_dates_a_file_stays_while_a_line_hangs_on_it() -> None:
    migration = migrated(OLD_STFT)
    assert migration.text == textwrap.dedent(OLD_STFT).replace("norm(net", "norm_(net")
    assert messages(migration) == [
        (4, "TP102", HANGS.format(5)),
        (5, "TP903", ""),
    ]
    assert "up to torch 0.4.0 stft took signal, frame_length" in migration.findings[1].message


class OfToday(Rule):
    """Says nothing of old files, where ``torch.measured`` was something else."""

    code = "TP999"
    name = "of-today"
    since = "1.0"
    numerics = Numerics.IDENTICAL
    words = frozenset({"measured"})
    message = "measured is length"

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        if not facts.era.before((0, 4)):
            yield self.found(node)

    def leave_Attribute(self, original: cst.Attribute, updated: cst.Attribute) -> cst.Attribute:
        return updated.with_changes(attr=cst.Name("length"))


def test_what_only_a_second_run_would_find_is_nothing_to_tell() -> None:
    text = textwrap.dedent(OLD_STFT).replace("torch.stft(x, 8, 2)", "torch.measured")
    migration = migrate_text(text, [*select(["TP102"]), OfToday()])
    assert not migration.errors
    assert migration.text == text
    assert messages(migration) == [
        (4, "TP102", HANGS.format(5)),
    ]


def test_so_does_what_would_make_it_look_newer() -> None:
    migration = migrated(OLD_STFT + "    torch.nn.MSELoss(size_average=False)\n")
    assert "reduction=" not in migration.text
    assert (7, "TP301", HANGS.format(5)) in messages(migration)


@pytest.mark.parametrize(
    "text",
    [
        OLD_STFT.replace("torch.stft(x, 8, 2)", "x"),
        # Its keywords show which one is meant.
        OLD_STFT.replace("torch.stft(x, 8, 2)", "torch.stft(x, n_fft=8, hop_length=2)"),
    ],
)
def test_nothing_waits_where_no_line_hangs_on_the_date(text: str) -> None:
    migration = migrated(text)
    assert "Variable" not in migration.text
    assert not messages(migration)


def test_nothing_waits_where_the_age_is_given() -> None:
    migration = migrated(OLD_STFT, Era((0, 3), (0, 3)))
    assert "Variable" not in migration.text
    assert "torch.stft(x, 8, 2)" in migration.text


def test_what_shows_that_a_file_was_brought_up_to_date_stays() -> None:
    migration = migrated(HALF_UPDATED)
    assert (
        "torch.tensor(a.t()), torch.full((2,), True), torch.nn.init.xavier_uniform_(a)"
        in migration.text
    )
    assert (
        7,
        "TP409",
        HANGS.format(7),
    ) in messages(migration)


@pytest.mark.parametrize("keyword", ["normalized", "onesided", "window"])
def test_keywords_that_both_signatures_have_do_not_show_which_one_is_meant(keyword: str) -> None:
    text = OLD_STFT.replace("torch.stft(x, 8, 2)", f"torch.stft(x, 8, 2, {keyword}=None)")
    assert "return_complex=" not in migrated(text).text
