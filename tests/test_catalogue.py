"""The catalogue: every row against the installed torch, and every claim executed."""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import importlib.util
import inspect
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from syrupy.assertion import SnapshotAssertion

from tests.support import claims
from tests.support.proposals import advice_of
from tests.support.rules import migrate, options_of
from tests.support.signatures import takes
from torchfix_codemods.catalogue import all_rows, rows_in, subjects
from torchfix_codemods.catalogue.rows import Arguments, Call, Gone, Name, Row, Value, library
from torchfix_codemods.engine.migrate import Migration
from torchfix_codemods.facts.age.era import parse_version
from torchfix_codemods.facts.libraries.signatures import parse_signature
from torchfix_codemods.finding import Finding, Numerics
from torchfix_codemods.report.diff import unified_diff

FIXTURES = Path(__file__).parents[1] / "fixtures" / "catalogue"
SUBJECTS = [subject for subject in subjects() if (FIXTURES / f"{subject}.py").is_file()]
METHODS_OF = {
    "Tensor": "torch.Tensor",
    "Module": "torch.nn.Module",
    "Optimizer": "torch.optim.Optimizer",
    "Scheduler": "torch.optim.lr_scheduler.LRScheduler",
}
OLD_RULES = frozenset({"TP208", "TP306", "TP605", "TP701", "TP805"})


def fixture_text(subject: str) -> str:
    return (FIXTURES / f"{subject}.py").read_text("utf-8")


@functools.cache
def migrated(subject: str, text: str | None = None) -> Migration:
    """A fixture, or ``text`` in its place."""
    codes = sorted({row.rule for row in rows_in(subject)})
    options = options_of(fixture_text(subject))
    return migrate(fixture_text(subject) if text is None else text, *codes, options=options)


def identify(row: Row) -> str:
    return f"{row.rule}-{row.names[0]}"


ROWS = [
    pytest.param(subject, row, id=identify(row))
    for subject in subjects()
    for row in rows_in(subject)
]
CASES = [
    pytest.param(subject, case, id=f"{subject}-{case}")
    for subject in SUBJECTS
    for case in claims.cases(fixture_text(subject))
]


# The table against the installed torch


@pytest.mark.parametrize(("subject", "row"), ROWS)
def test_new_form_exists(subject: str, row: Row) -> None:
    if isinstance(row, Name):
        assert _is_there(row.new)
        assert not row.method or hasattr(torch.Tensor, row.new.rpartition(".")[2])
    elif isinstance(row, Value):
        assert all(map(_is_there, _dotted(row.new, set())))
    elif isinstance(row, Call):
        for form in row.forms:
            for text in filter(None, (form.new, form.method)):
                _assert_written_for_today(text, row)
    elif isinstance(row, Arguments):
        for name in row.of:
            for keyword in row.renames.values():
                assert takes(name, keyword), f"{name} takes no {keyword}="


@pytest.mark.parametrize(("subject", "row"), ROWS)
def test_old_form_is_gone_or_still_there(subject: str, row: Row) -> None:
    if not _is_installed(row.names[0]):
        pytest.skip("the library is not installed beside the tests' torch")
    if isinstance(row, Name):
        assert _is_there(row.old) is not _is_gone(row)
    elif isinstance(row, Gone) and row.has_heir:
        assert _is_there(row.old) and importlib.util.find_spec(row.old) is None
    elif isinstance(row, (Value, Gone)):
        assert _is_there(row.old) is not _is_gone(row)
    elif isinstance(row, Arguments) and _is_gone(row):
        for name in row.of:
            assert not any(takes(name, old) for old in (*row.renames, *row.drops))
    elif isinstance(row, Call) and row.is_name_gone and _is_gone(row):
        is_function = row.name.startswith("torch.")
        assert not is_function or _is_there(row.name) is row.raises


@pytest.mark.parametrize(("subject", "row"), ROWS)
def test_row_is_well_formed(subject: str, row: Row) -> None:
    assert parse_version(row.since)
    if isinstance(row, Call):
        signature = parse_signature(row.old)
        known = {p.name for p in signature.parameters}
        for form in row.forms:
            assert set(form.when) <= known
            assert form.part is None or form.part in row.parts
    if row.before is not None:
        assert row.rule == "TP906"


# What the fixtures show


@pytest.mark.parametrize(("subject", "row"), ROWS)
def test_has_a_proof(subject: str, row: Row, proofs: dict[str, tuple[Finding, ...]]) -> None:
    if row.rule in OLD_RULES:
        pytest.skip("proved by the fixture of its rule")
    found = [f.message for f in proofs[subject] if f.code == row.rule]
    lasts = {name.rpartition(".")[2] for name in row.names}
    assert any(lasts & set(re.findall(r"\w+", message)) for message in found)


@pytest.fixture(scope="module")
def proofs() -> dict[str, tuple[Finding, ...]]:
    return {subject: migrated(subject).findings for subject in SUBJECTS}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_diff(subject: str, snapshot: SnapshotAssertion) -> None:
    text, path = fixture_text(subject), f"{subject}.py"
    migration = migrated(subject)
    diff = unified_diff(path, text, migration.text, migration.findings)
    left = [f for f in migration.findings if not f.fixed]
    assert diff + "".join(f"{path}:{f.line}: {f.message}\n" for f in left) == snapshot


@pytest.mark.parametrize("subject", SUBJECTS)
def test_second_run_changes_nothing(subject: str) -> None:
    once = migrated(subject).text
    assert migrated(subject, once).text == once


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize(("subject", "case"), CASES)
def test_numbers(subject: str, case: str, device: str) -> None:
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("no CUDA device on this machine")
    before, migration = fixture_text(subject), migrated(subject)
    claim = claims.claim_of(before, case, migration)
    if device == "cuda" and claim in (Numerics.RESTORED, Numerics.PINNED):
        pytest.skip("the recorded values come from the CPU generator")
    claims.check(claim, case, before, migration.text, f"catalogue/{subject}", device)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_what_is_left_fails_today(subject: str) -> None:
    text = fixture_text(subject)
    migration = migrated(subject)
    for function in ast.parse(text).body:
        if isinstance(function, ast.FunctionDef) and function.name.startswith("fails_"):
            lines = range(function.lineno, (function.end_lineno or 0) + 1)
            assert any(f.line in lines and not f.fixed for f in migration.findings), function.name
            assert claims.fails(migration.text, function.name, "cpu"), function.name


def test_every_subject_has_a_fixture() -> None:
    for subject in subjects():
        if {row.rule for row in rows_in(subject)} - OLD_RULES:
            assert subject in SUBJECTS


def test_no_row_is_there_twice() -> None:
    seen: dict[tuple[str, str], Row] = {}
    for row in all_rows():
        if isinstance(row, (Name, Value, Gone)):
            key = (row.rule, row.old)
            assert key not in seen, row
            seen[key] = row


def _is_gone(row: Row) -> bool:
    if library(row.names[0]) == "Python":
        return row.gone is not None and parse_version(row.gone) <= sys.version_info[:2]
    if library(row.names[0]) != "torch":
        return row.is_gone
    installed = parse_version(torch.__version__.partition("+")[0])
    return row.gone is not None and parse_version(row.gone) <= installed


def _is_installed(name: str) -> bool:
    """Whether the library of a name is there; ``Tensor.norm`` and its kind are torch's."""
    root = name.partition(".")[0]
    return root in METHODS_OF or importlib.util.find_spec(root) is not None or "." not in name


def _is_there(name: str) -> bool:
    """Whether a qualified name can be imported, or is a builtin or a method of tensors."""
    if not _is_installed(name):
        return True
    parts = name.split(".")
    if len(parts) == 1:
        return hasattr(builtins, name) or importlib.util.find_spec(name) is not None
    for count in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for part in parts[count:]:
            found = inspect.getattr_static(found, part, None) or getattr(found, part, None)
            if found is None:
                return False
        return True
    return False


def _dotted(text: str, parameters: set[str]) -> list[str]:
    tree = ast.parse(text, mode="eval")
    inner = {n.value for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node not in inner:
            root: ast.expr = node
            while isinstance(root, ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name) and root.id not in parameters:
                found.append(ast.unparse(node))
    return found


def _assert_written_for_today(text: str, row: Call) -> None:
    signature = parse_signature(row.old)
    parameters = {p.name for p in signature.parameters} | {signature.variadic or ""}
    for call in ast.walk(ast.parse(text, mode="eval")):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        name = ast.unparse(call.func)
        if name.partition(".")[0] in parameters:
            owner = row.name.rpartition(".")[0] if row.is_method else "Tensor"
            name = f"{METHODS_OF[owner]}.{call.func.attr}"
        elif not isinstance(call.func.value, (ast.Attribute, ast.Name)):
            continue
        assert _is_there(name), f"{name} is not there"
        for keyword in call.keywords:
            assert takes(name, keyword.arg or ""), f"{name} takes no {keyword.arg}="
    assert all(map(_is_there, _dotted(text, parameters)))


TOLD = [
    pytest.param(name, id=f"{identify(row)}-{name}")
    for row in all_rows()
    for text in advice_of(row)
    for name in re.findall(r"\b(?:torch|numpy|np|math|time|os|inspect)(?:\.\w+)+", text)
]


@pytest.mark.parametrize("name", TOLD)
def test_what_a_person_is_told_to_use_is_there(name: str) -> None:
    assert _is_there(re.sub(r"^np\.", "numpy.", name))


def test_most_texts_name_something() -> None:
    assert len(TOLD) > 100
