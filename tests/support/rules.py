"""Makers of the two tests that every rule has: what it rewrites and what it leaves alone."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping

import pytest

from torchfix_codemods.engine.migrate import Migration, Options, migrate_text
from torchfix_codemods.facts.age.era import Era, parse_version
from torchfix_codemods.finding import Finding, Numerics
from torchfix_codemods.rules import select

Pairs = Mapping[str, tuple[str, str]]
Texts = Mapping[str, str]


def migrate(text: str, *codes: str, options: Options | None = None) -> Migration:
    """Run the rules ``codes`` (all without any) over ``text``; fail on any error it reports."""
    migration = migrate_text(text, select(codes), options or Options())
    assert not migration.errors, migration.errors
    return migration


def twice_migrated(head: str, text: str) -> str:
    """What all rules make of a text below a head; a second run must change nothing."""
    after = migrate(head + textwrap.dedent(text)).text
    assert migrate(after).text == after
    return after


def options_of(text: str) -> Options:
    """The options that a fixture asks for; ``FROM = "1.0"`` in it stands for ``--from``."""
    found = re.search(r'^FROM = "(.*)"$', text, re.MULTILINE)
    version = parse_version(found[1]) if found else None
    return Options(era=Era(version, version)) if version else Options()


def rewrites(code: str, pairs: Pairs, *, with_rules: tuple[str, ...] = ()) -> Callable[..., None]:
    """A test that each "before" becomes its "after", and that the "after" is left alone."""

    @pytest.mark.parametrize(
        ("before", "after"), [pytest.param(*pair, id=name) for name, pair in pairs.items()]
    )
    def test(before: str, after: str) -> None:
        before, after = textwrap.dedent(before).lstrip("\n"), textwrap.dedent(after).lstrip("\n")
        migration = migrate(before, code, *with_rules)
        assert migration.text == after
        assert migrate(after, code, *with_rules).text == after

    return test


def keeps(code: str, texts: Texts) -> Callable[..., None]:
    """A test that each text stays exactly as it is."""

    @pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in texts.items()])
    def test(text: str) -> None:
        text = textwrap.dedent(text).lstrip("\n")
        assert migrate(text, code).text == text

    return test


def advice(code: str, text: str, *, options: Options | None = None) -> list[Finding]:
    """The findings of a rule that are left for a person."""
    migration = migrate(textwrap.dedent(text).lstrip("\n"), code, options=options)
    return [f for f in migration.findings if f.numerics is Numerics.ADVICE]
