"""What rows of the catalogue can say of calls, with rows of the tests' own."""

from __future__ import annotations

import libcst as cst
import pytest

from torchfix_codemods.catalogue.rows import Arguments, Call, Form, Given, Row
from torchfix_codemods.edit.templates import filled
from torchfix_codemods.engine.migrate import Migration, Options, migrate_text
from torchfix_codemods.finding import Finding
from torchfix_codemods.rules.renames.removed_function import RemovedFunction


def _migrate(text: str, *rows: Row, options: Options | None = None) -> Migration:
    rule = RemovedFunction()
    rule.rows = rows
    rule.words = frozenset().union(*(row.words for row in rows))
    migration = migrate_text(f"import torch\n{text}\n", [rule], options or Options())
    assert not migration.errors, migration.errors
    return migration


def _written(text: str, *rows: Row) -> str:
    return _migrate(text, *rows).text.removeprefix("import torch\n").removesuffix("\n")


def _said(text: str, *rows: Call) -> list[Finding]:
    migration = _migrate(text, *rows)
    assert migration.text == f"import torch\n{text}\n"
    return list(migration.findings)


def _call(old: str, new: str, **options: object) -> Call:
    form = Form(new, **{k: options.pop(k) for k in ("method", "when", "part") if k in options})
    return Call(f"torch.old{old}", (form,), gone="1.5", **options)


@pytest.mark.parametrize(
    ("old", "new", "before", "after"),
    [
        ("(a, b=2)", "torch.new(a, b)", "torch.old(x)", "torch.new(x, 2)"),
        ("(a, b=2)", "torch.new(a, b)", "torch.old(x, 3)", "torch.new(x, 3)"),
        ("(a, b=None)", "torch.new(a, b)", "torch.old(x)", "torch.new(x, None)"),
        ("(a, b=...)", "torch.new(a, b=b)", "torch.old(x)", "torch.new(x)"),
        ("(a, b=...)", "torch.new(a, b)", "torch.old(x)", "torch.new(x)"),
        ("(a, b=...)", "torch.new(-a, b)", "torch.old(x)", "torch.new(-x)"),
        ("(a, b=...)", "torch.new(-a, c=b)", "torch.old(x)", "torch.new(-x)"),
        ("(a, b=...)", "torch.new(a, c=b)", "torch.old(x, 3)", "torch.new(x, c=3)"),
        ("(a, b=...)", "torch.new(a, c=b)", "torch.old(x, b=3)", "torch.new(x, c=3)"),
        ("(a, b=...)", "torch.new(a, c=b)", "torch.old(x, b = 3)", "torch.new(x, c = 3)"),
        ("(a, b)", "torch.new(a, b)", "torch.old(a=x, b=y)", "torch.new(x, y)"),
        ("(*a)", "torch.new([*a])", "torch.old(f(), g())", "torch.new([f(), g()])"),
        (
            "(*a)",
            "torch.new([*a], torch.long)",
            "torch.old(f(), g())",
            "torch.new([f(), g()], torch.long)",
        ),
        ("(a, b)", "torch.new(b, a)", "torch.old(x, f())", "torch.new(f(), x)"),
        ("(a)", "a + 1", "torch.old(x)", "x + 1"),
        ("(a)", "a + 1", "torch.old((x))", "x + 1"),
        ("(a)", "a + 1", "torch.old((x * 2))", "x * 2 + 1"),
        ("(a)", "a * 2", "torch.old((x + 2))", "(x + 2) * 2"),
        ("(a)", "a + 1", "torch.old((x\n    * 2))", "(x\n    * 2) + 1"),
        ("(a)", "a + 1", "torch.old(x or y)", "(x or y) + 1"),
        ("(a)", "a + 1", "torch.old(x\n    .t())", "(x\n    .t() + 1)"),
        ("(a)", "torch.new(a, by='k')", "torch.old(x)", 'torch.new(x, by="k")'),
        ("(a, b)", "torch.new(...)", "torch.old(x, y)", "torch.new(x, y)"),
        (
            "(a, b)",
            "torch.new(..., c=1)",
            "torch.old(\n    x,\n    y,\n)",
            "torch.new(\n    x,\n    y,\n    c=1,\n)",
        ),
        ("(a, flag=False)", "a if flag else -a", "torch.old(x)", "-x"),
        ("(a, flag=False)", "a if flag else -a", "torch.old(x, True)", "x"),
        ("(a, flag=False)", "a if flag else -a", "torch.old(x, 1)", "x if 1 else -x"),
        ("(a, flag=False)", "torch.new(a, b=1 if flag else ...)", "torch.old(x)", "torch.new(x)"),
        (
            "(a, flag=False)",
            "torch.new(a, b=1 if flag else ...)",
            "torch.old(x, k)",
            "torch.new(x, b=1 if k else None)",
        ),
        (
            "(a)",
            "torch.new(a.contiguous())",
            "torch.old(torch.zeros(2))",
            "torch.new(torch.zeros(2))",
        ),
        ("(a)", "torch.new(a.contiguous())", "torch.old(x)", "torch.new(x.contiguous())"),
    ],
)
def test_what_a_template_becomes(old: str, new: str, before: str, after: str) -> None:
    assert _written(before, _call(old, new)) == after


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("(a, b)", "torch.new(b, a)", "torch.old(f(), g())"),
        ("(a, b)", "torch.new(a)", "torch.old(x, f())"),
        ("(a)", "torch.new(a, a)", "torch.old(f())"),
        ("(a, b)", "torch.new(a)", "torch.old(x, y)"),
        ("(a, b)", "torch.new(a, b)", "torch.old(x)"),
        ("(a, b)", "torch.new(a, b)", "torch.old(*x)"),
        ("(a, b)", "torch.new(a, b)", "torch.old(x, **y)"),
        ("(*a)", "torch.new(a)", "def torch(): pass\ntorch.old(f(), g())"),
    ],
)
def test_what_no_template_says_stays(old: str, new: str, text: str) -> None:
    assert _written(text, _call(old, new)) == text


X = "x = torch.zeros(2)\n"


@pytest.mark.parametrize(
    ("new", "method", "before", "after"),
    [
        ("torch.new(...)", "", "x.old()", "torch.new(x)"),
        ("torch.new(...)", "", "x.old(1)", "torch.new(x, 1)"),
        ("torch.new(...)", "a.new(...)", "x.old(1)", "x.new(1)"),
        ("torch.new(...)", "a.new(...)", "torch.old(x, 1)", "torch.new(x, 1)"),
        ("torch.new(b, a)", "", "x.old(f())", "torch.new(f(), x)"),
        ("torch.new(b, a)", "", "torch.rand(2).old(1)", "torch.new(1, torch.rand(2))"),
        ("torch.new(b, a)", "", "torch.rand(2).old(f())", "torch.rand(2).old(f())"),
        ("torch.new(a, b)", "", "torch.rand(2).old(f())", "torch.new(torch.rand(2), f())"),
        ("torch.new(a, b)", "", "torch.Tensor.old(x, 1)", "torch.new(x, 1)"),
        ("torch.new(a, b)", "", "k.old(1)", "k.old(1)"),
        ("torch.new(a, b)", "", "k[0](1)", "k[0](1)"),
    ],
)
def test_methods_of_tensors(new: str, method: str, before: str, after: str) -> None:
    row = _call("(a, b=...)", new, method=method) if method else _call("(a, b=...)", new)
    tensors = Call(row.old, row.forms, gone="1.5", method=True)
    assert _written(X + before, tensors) == X + after


PARTS = ("first", "second")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y = torch.old(x)[0]", "y = torch.new(x)"),
        ("y = torch.old(x)[-2]", "y = torch.new(x)"),
        ("y = torch.old(x).first", "y = torch.new(x)"),
        ("y, _ = torch.old(x)\nprint(y)", "y = torch.new(x)\nprint(y)"),
        ("y, z = torch.old(x)\nprint(y)", "y = torch.new(x)\nprint(y)"),
        ("y, _ = torch.old(x)", "y = torch.new(x)"),
    ],
)
def test_the_part_that_is_used(before: str, after: str) -> None:
    assert _written(before, _call("(a)", "torch.new(a)", part="first", parts=PARTS)) == after


def test_a_part_that_another_file_takes_by_its_name_stays() -> None:
    row = _call("(a)", "torch.new(a)", part="first", parts=PARTS)
    options = Options(used_elsewhere=lambda name: True)
    for names, after in (("y, z", "y, z = torch.old(x)"), ("y, _", "y = torch.new(x)")):
        text = f"{names} = torch.old(x)\nprint(y)"
        expected = f"import torch\n{after}\nprint(y)\n"
        assert _migrate(text, row, options=options).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "y = torch.old(x)[1]",
        "y = torch.old(x)[2]",
        "y = torch.old(x)[-3]",
        "y = torch.old(x)[k]",
        "y = torch.old(x)['first']",
        "y = torch.old(x)[:1]",
        "y = k[torch.old(x)]",
        "y = torch.old(x).third",
        "y = torch.old(x)",
        "y = z = torch.old(x)",
        "y, z, _ = torch.old(x)\nprint(y)",
        "y, z = torch.old(x)\nprint(y, z)",
        "y, z = torch.old(x)",
        "y, k.z = torch.old(x)\nprint(y)",
        "_, y = torch.old(x)\nprint(y)",
    ],
)
def test_other_parts_stay(text: str) -> None:
    (found,) = _said(text, _call("(a)", "torch.new(a)", part="first", parts=PARTS))
    assert not found.fixed and "torch.old is gone since torch 1.5" in found.message


@pytest.mark.parametrize(
    ("when", "fitting", "other"),
    [
        (Given.NO, "torch.old(x)", "torch.old(x, 1)"),
        (Given.YES, "torch.old(x, b)", "torch.old(x)"),
        (Given.NAMED, "torch.old(x, b=1)", "torch.old(x, 1)"),
        (Given.LITERAL, "torch.old(x, 'k')", "torch.old(x, k)"),
        (Given.INTEGER, "torch.old(x, 1)", "torch.old(x, True)"),
        (Given.FLAG, "torch.old(x, True)", "torch.old(x, 1)"),
        (Given.FRACTION, "torch.old(x, 0.5)", "torch.old(x, 1.0)"),
        (Given.FRACTION, "torch.old(x, 1 / 3)", "torch.old(x, 4 / 2)"),
        (Given.FRACTION, "torch.old(x, 1.0 / scale)", "torch.old(x, scale)"),
        (Given.FRACTION, "torch.old(x, scale / 2)", "torch.old(x, scale // 2)"),
        (Given.TENSOR, "torch.old(x, torch.ones(2))", "torch.old(x, k)"),
        (Given.MADE, "torch.old(x, -torch.ones(2))", "torch.old(x, t)"),
        (Given.VECTOR, "torch.old(x, torch.ones(2))", "torch.old(x, torch.ones(2, 2))"),
        (Given.MATRIX, "torch.old(x, torch.ones(2, 2))", "torch.old(x, torch.ones(2))"),
        (Given.FLOAT, "torch.old(x, torch.ones(2))", "torch.old(x, torch.arange(2))"),
        (Given.REAL, "torch.old(x, k)", "torch.old(x, torch.ones(2, dtype=torch.complex64))"),
        (
            Given.SCALARS,
            "torch.old(x, [torch.tensor(1.0), torch.tensor(2.0)])",
            "torch.old(x, [torch.ones(2)])",
        ),
        (Given.SHAPE, "torch.old(x, (2, 3))", "torch.old(x, k)"),
        (Given.SHAPE, "torch.old(x, torch.Size(k))", "torch.old(x, 2)"),
        (1, "torch.old(x, 1)", "torch.old(x, True)"),
        (None, "torch.old(x, None)", "torch.old(x, k)"),
    ],
)
def test_what_a_form_asks_of_an_argument(when: object, fitting: str, other: str) -> None:
    row = _call("(a, b=...)", "torch.new(...)", when={"b": when})
    assert _written(fitting, row) == fitting.replace("torch.old", "torch.new")
    assert _written(other, row) == other


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("torch.old(*x)", [2]),
        ("f = torch.old", [2]),
        ("y = map(torch.old, x)", [2]),
        ("torch.old = mine", []),
        ("del torch.old", []),
        ("from torch import old", [2]),
        ("from torch import old as o\nf = o", [3]),
        ("if hasattr(torch, 'old'):\n    f = torch.old", []),
        ("try:\n    from torch import old\nexcept ImportError:\n    old = None\nf = old", []),
        ("if torch.__version__ < '1.5':\n    torch.old(*x)", []),
    ],
)
def test_what_is_gone_is_named_once(text: str, lines: list[int]) -> None:
    found = _said(text, _call("(a, b)", "torch.new(a, b)"))
    assert [f.line for f in found] == lines
    idle = "nothing in this file reads it: delete the import"
    said = idle if text == "from torch import old" else "torch.new"
    assert all(said in f.message for f in found)


def test_a_call_is_named_once() -> None:
    (found,) = _migrate("torch.old(x)", _call("(a)", "torch.new(a)")).findings
    assert found.fixed


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("k.old()", True),
        ("k.other()", False),
        ("class K:\n    def old(self): pass\nk.old()", False),
    ],
)
def test_a_method_that_only_tensors_had(text: str, is_named: bool) -> None:
    form = Form("torch.new(a)")
    row = Call("torch.old(a)", (form,), gone="1.5", method=True, is_distinct=True)
    assert bool(_said(text, row)) is is_named


def test_a_call_that_lost_arguments_meanwhile_is_left_alone() -> None:
    call = cst.parse_expression("torch.old(x)")
    assert isinstance(call, cst.Call)
    assert filled(call, "torch.new(a, b)", {"a": (0,), "b": (1,)}) is None
    assert filled(call, "torch.new(a)", {"a": (0,)}) is not None


def test_older_targets_leave_rows_out() -> None:
    old, new = (Call("torch.old(a)", (Form("torch.new(a)"),), since=v) for v in ("1.2", "1.8"))
    rule = RemovedFunction()
    rule.rows = (old, new)
    between = rule.for_target((1, 5))
    assert isinstance(between, RemovedFunction) and list(between.rows) == [old]
    assert rule.for_target((1, 1)) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("torch.old(x, size=1)", "torch.old(x, shape=1)"),
        ("torch.old(x, True, 1)", "torch.old(x, shape=1)"),
        ("torch.old(x, True)", "torch.old(x)"),
        ("torch.old(x, fast=True, size=1)", "torch.old(x, shape=1)"),
        ("torch.old(x)", "torch.old(x)"),
        ("torch.old(x, shape=1)", "torch.old(x, shape=1)"),
        ("torch.old(x, True, 1, shape=2)", "torch.old(x, True, 1, shape=2)"),
        ("torch.old(x, size=1, **k)", "torch.old(x, size=1, **k)"),
        ("torch.old(*x, size=1)", "torch.old(*x, size=1)"),
        ("torch.old(x, f(), 1)", "torch.old(x, f(), 1)"),
        ("torch.old(x, True, 1, 2)", "torch.old(x, True, 1, 2)"),
    ],
)
def test_arguments_with_other_names(before: str, after: str) -> None:
    row = Arguments(
        ("torch.old",),
        parameters=("input", "fast", "size"),
        keywords_from=2,
        renames={"size": "shape"},
        drops=("fast",),
    )
    assert _written(before, row) == after


_ENGINE = "torch.autograd.Variable._execution_engine.run_backward"


def test_a_graph_of_gradients_that_volatile_asked_for_is_not_lost() -> None:
    code = f"import torch\n{_ENGINE}(outputs, grads, keep)\n"
    migration = migrate_text(code, [RemovedFunction()], Options())
    assert migration.text == code
    (found,) = migration.findings
    assert found.message == (
        f"{_ENGINE} is torch.autograd.backward(outputs, grads, retain_graph=keep, create_graph=…), "
        "where a create_graph says what volatile= of the gradients told the engine, today"
    )


def test_a_graph_of_gradients_that_is_asked_for_is_handed_on() -> None:
    code = f"import torch\n{_ENGINE}(outputs, grads, keep, more)\n"
    migration = migrate_text(code, [RemovedFunction()], Options())
    assert "retain_graph=keep, create_graph=more)" in migration.text
