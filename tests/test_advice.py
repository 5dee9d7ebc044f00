"""What messages tell to write is written, and run."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

import pytest

from tests.support import claims
from tests.support.proposals import advice_of, is_made_from, is_written, proposals, templates
from tests.support.rules import migrate, options_of
from torchfix_codemods.catalogue import rows_in, subjects
from torchfix_codemods.finding import Finding
from torchfix_codemods.rules import all_rules

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "fixtures" / "advice"
RULES = ROOT / "torchfix_codemods" / "rules"
NOT_EXECUTED = ROOT / "tests" / "advice_not_executed.txt"
KINDS = ("same", "fails", "differs")


def _rules_of(stem: str) -> str:
    """What a fixture is about: `..._old` holds what a rule says of old files only, and `...__…`
    what it says of files with something of their own."""
    return stem.partition("__")[0].removesuffix("_old")


def _codes(stem: str) -> list[str]:
    """The codes of the rules of a fixture, which may be those that follow a subject's rows."""
    stem = _rules_of(stem)
    if stem in subjects():
        return sorted({row.rule for row in rows_in(stem)})
    return [r.code for r in all_rules() if type(r).__module__.rpartition(".")[2] == stem]


def _functions(text: str) -> dict[str, ast.FunctionDef]:
    body = ast.parse(text).body
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def _alone(text: str, name: str) -> str:
    """A fixture as a file in which nothing else is proved: the advised form would date it."""
    lines = text.splitlines(keepends=True)
    for other, node in _functions(text).items():
        if other != name and other.partition("_")[0] in (*KINDS, "advised", "expected"):
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            lines[first:last] = ["\n"] * (last - first)
    return "".join(lines)


@functools.cache
def _findings(text: str, name: str, stem: str) -> list[Finding]:
    node = _functions(text)[name]
    lines = range(node.lineno, (node.end_lineno or 0) + 1)
    found = migrate(_alone(text, name), *_codes(stem), options=options_of(text)).findings
    return [finding for finding in found if finding.line in lines]


TEXTS = {path.stem: path.read_text("utf-8") for path in sorted(FIXTURES.glob("*.py"))}
PROOFS = [
    pytest.param(stem, name, id=f"{stem}-{name}")
    for stem, text in TEXTS.items()
    for name in _functions(text)
    if name.partition("_")[0] in KINDS
]


def _beside(name: str, kind: str) -> str:
    return f"{kind}_{name.partition('_')[2]}"


@pytest.mark.parametrize(("stem", "name"), PROOFS)
def test_is_told_and_written(stem: str, name: str) -> None:
    text = TEXTS[stem]
    found = _findings(text, name, stem)
    assert found
    assert not any(finding.fixed for finding in found)
    advised = ast.get_source_segment(text, _functions(text)[_beside(name, "advised")]) or ""
    for finding in found:
        proposed = proposals(finding.message)
        assert proposed, finding.message
        assert any(is_written(proposal, advised) for proposal in proposed), finding.message


@pytest.mark.parametrize(("stem", "name"), PROOFS)
def test_nothing_is_said_of_what_is_advised(stem: str, name: str) -> None:
    assert _findings(TEXTS[stem], _beside(name, "advised"), stem) == []


@pytest.mark.parametrize(("stem", "name"), PROOFS)
def test_numbers(stem: str, name: str) -> None:
    """``same_…`` gives today what the advice gives, ``differs_…`` other numbers, and ``fails_…``
    raises: what the advice gives is what ``expected_…`` says."""
    text, kind = TEXTS[stem], name.partition("_")[0]
    new = claims.run(text, _beside(name, "advised"), "cpu")
    if kind == "same":
        claims.assert_same(claims.run(text, name, "cpu"), new)
        return
    expected = claims.run(text, _beside(name, "expected"), "cpu")
    if kind == "fails":
        assert claims.fails(text, name, "cpu")
    else:
        assert claims.run(text, name, "cpu")[:-1] != expected[:-1]
    claims.assert_near([claims.plain(leaf) for leaf in expected[:-1]], new)


def _left() -> set[str]:
    """The templates that no message of a proof was made from, by the names of their modules."""
    said = [
        (_rules_of(stem), finding.message)
        for stem, text in TEXTS.items()
        for name in _functions(text)
        if name.partition("_")[0] in KINDS
        for finding in _findings(text, name, stem)
        if not finding.fixed
    ]
    of_rows = {
        f"{subject}: {text}"
        for subject in subjects()
        for row in rows_in(subject)
        for text in advice_of(row)
        if "write " in text
        and not any(stem == subject and is_made_from(message, text) for stem, message in said)
    }
    return of_rows | {
        f"{path.stem}: {template}"
        for path in sorted(RULES.rglob("*.py"))
        for template in templates(path)
        # What rules share is said by any of them.
        if not any(
            is_made_from(message, template)
            for stem, message in said
            if stem == path.stem or path.parent == RULES or "questions" in path.parts
        )
    }


def test_all_that_is_proposed_is_executed() -> None:
    """A new message that tells to write something needs its proof; the list only gets shorter."""
    lines = NOT_EXECUTED.read_text("utf-8").splitlines()
    listed = {line for line in lines if line and not line.startswith("#")}
    assert _left() == listed


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("no code here", []),
        ("write x.item() for one number, torch.round() for several", ["x.item()", "torch.round()"]),
        ("write q = q * 2", ["q = q * 2"]),
        ("write {", []),
        ("write .view(1) if it has none", [".view(1)"]),
        ("put it under `with torch.no_grad():`", ["with torch.no_grad():"]),
        ("write torch.div(a, b), unless it is none", ["torch.div(a, b)"]),
        ("write x = x.cuda(), unless it is none", ["x = x.cuda()"]),
    ],
)
def test_proposals(message: str, found: list[str]) -> None:
    assert proposals(message) == found


def test_what_is_written() -> None:
    assert is_written("torch.div(x, …, out=y)", "return torch.div(x, z + 1,\n    out=y)")
    assert not is_written("x.item()", "return y.item()")
