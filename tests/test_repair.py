from __future__ import annotations

import re
import textwrap
import tokenize

import pytest

from torchfix_codemods.engine.migrate import Migration, migrate_text
from torchfix_codemods.finding import FileError, Numerics
from torchfix_codemods.rules import select
from torchfix_codemods.text.repair import repair_async


def migrate(text: str) -> Migration:
    return migrate_text(text, select(["TP204"]))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("x.cuda(async=True)", "x.cuda(non_blocking=True)", id="cuda"),
        pytest.param("x.to(device, async=True)", "x.to(device, non_blocking=True)", id="to"),
        pytest.param("x.cuda(0, async = flag)", "x.cuda(0, non_blocking = flag)", id="spaces"),
        pytest.param("x.copy_(y, async=True)", "x.copy_(y, non_blocking=True)", id="copy_"),
        pytest.param(
            "x.type(torch.cuda.FloatTensor, async=True)",
            "x.type(torch.cuda.FloatTensor, non_blocking=True)",
            id="type",
        ),
        pytest.param(
            "a, b = x.cuda(async=True), f(y[0].cuda(async=True), k=[z.cuda(async=False)])",
            "a, b = x.cuda(non_blocking=True), "
            "f(y[0].cuda(non_blocking=True), k=[z.cuda(non_blocking=False)])",
            id="several",
        ),
        pytest.param(
            "f(x.cuda(async=True).to(d, async=g(1)))",
            "f(x.cuda(non_blocking=True).to(d, non_blocking=g(1)))",
            id="nested",
        ),
        pytest.param(
            "x.cuda(  # async=1\n    device,\n    # async=2\n    async=True)",
            "x.cuda(  # async=1\n    device,\n    # async=2\n    non_blocking=True)",
            id="lines and comments",
        ),
        pytest.param(
            's = "x.cuda(async=True)"; x.cuda(async=True)  # x.cuda(async=True)',
            's = "x.cuda(async=True)"; x.cuda(non_blocking=True)  # x.cuda(async=True)',
            id="strings and comments stay",
        ),
        pytest.param(
            '"""\nx.cuda(async=True)\n"""\nx.cuda(async=True)',
            '"""\nx.cuda(async=True)\n"""\nx.cuda(non_blocking=True)',
            id="docstring stays",
        ),
        pytest.param(
            "é = 'ü'; é.cuda(async=True)", "é = 'ü'; é.cuda(non_blocking=True)", id="not ASCII"
        ),
        pytest.param(
            "if gpu:\r\n\tx.cuda(\r\n\t\tasync=True)\r\n",
            "if gpu:\r\n\tx.cuda(\r\n\t\tnon_blocking=True)\r\n",
            id="CRLF and tabs",
        ),
        pytest.param(
            "async def f():\n    async with a:\n        x.cuda(async=True)",
            "async def f():\n    async with a:\n        x.cuda(non_blocking=True)",
            id="beside real async",
        ),
    ],
)
def test_async_becomes_non_blocking(before: str, after: str) -> None:
    text = "import torch\n" + before
    migration = migrate(text)
    assert not migration.errors
    assert migration.text == "import torch\n" + after
    assert migrate(migration.text) == Migration(migration.text, era=migration.era)


def test_each_repair_is_a_finding_at_its_place() -> None:
    text = "import torch\nx = y.cuda(async=True)\nz = y.cuda(\n    async=True)\n"
    findings = migrate(text).findings
    assert [(f.line, f.column) for f in findings] == [(2, 12), (4, 5)]
    assert {(f.code, f.numerics, f.fixed) for f in findings} == {("TP204", Numerics.RESTORED, True)}


@pytest.mark.parametrize(
    "text",
    [
        "async def f():\n    async for x in y:\n        await x\n",
        "x.cuda(None, True)\n",
        "# x.cuda(async=True)\n",
        "x.cuda(non_blocking=True)\n",
        "'async='\n",
    ],
)
def test_other_asyncs_are_untouched(text: str) -> None:
    assert repair_async(text) == (text, [])
    assert migrate(text).errors == ()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("import torch\npool.submit(f, async=True)\n", 2, id="another method"),
        pytest.param("import torch\nto(x, async=True)\n", 2, id="a function"),
        pytest.param("import torch\nf = partial(x.cuda, async=True)\n", 2, id="partial"),
        pytest.param("import torch\nx.cuda(async=True)\nasync = 1\n", 3, id="variable"),
    ],
)
def test_other_uses_of_the_name_are_reported(text: str, line: int) -> None:
    migration = migrate(text)
    assert migration.text == text
    assert migration.findings == ()
    (error,) = migration.errors
    assert (error.kind, error.line) == ("syntax", line)
    assert "`async` is a keyword since Python 3.7" in error.message


_MOVE = """class Move(Module):
    def __init__(self, device, *, async=False):  # async: whether to wait
        self.async = async

    def forward(self, xs):
        return [x.cuda(self.device, async=self.async) for x in xs]


def moved(xs, async):
    return Move(0, async=async)(xs)


def both(xs):
    return moved(xs, async=True), Move(1, async=False)(xs)
"""
_RUN = """def run(jobs, async=True, wait=False):
    if async and not wait:
        return [start(job, async) for job in jobs]
    async = False
    return run(jobs, async=async)
"""


_TO_VAR = "def to_var(x, gpu=None, async=False):\n    return x.cuda(gpu, async)\n"


@pytest.mark.parametrize(
    ("text", "name"), [(_MOVE, "non_blocking"), (_TO_VAR, "non_blocking"), (_RUN, "async_")]
)
def test_a_parameter_of_the_file_s_own_gets_another_name(text: str, name: str) -> None:
    migration = migrate(text)
    expected = re.sub(r"\basync\b(?!:)", name, text)
    assert migration.text == expected
    assert not migration.errors
    assert migrate(expected).text == expected
    assert {f.numerics for f in migration.findings} == {Numerics.RESTORED}
    assert any(f"here it is {name}" in f.message for f in migration.findings)


@pytest.mark.parametrize(
    "line",
    [
        "other(x, async=True)",
        "x.async = True",
        "print(x.async)",
        "from pool import async",
        "getattr(x, 'async')",
        "parser.add_argument('--async', action='store_true')",
        "non_blocking = 1",
        "global async",
        "import async",
    ],
)
def test_a_parameter_that_others_may_mean_keeps_the_file_as_it_is(line: str) -> None:
    text = f"def load(x, async=False):\n    return x.cuda(async=async)\n\n\n{line}\n"
    migration = migrate(text)
    assert migration.text == text
    assert [e.line for e in migration.errors] == [1]


def test_an_attribute_that_another_file_sets_keeps_its_name() -> None:
    text = "class A(B):\n    def f(self, x, async):\n        return x.cuda(async=self.async)\n"
    assert migrate(text).errors
    assert not migrate(text.replace("return", "self.async = async; return")).errors


def test_both_spellings_in_one_call_are_reported() -> None:
    text = "import torch\nx.cuda(non_blocking=True, async=True)\n"
    migration = migrate(text)
    assert migration.text == text
    assert [e.line for e in migration.errors] == [2]


def test_without_its_rule_nothing_is_repaired() -> None:
    text = "import torch\nx.cuda(async=True)\n"
    migration = migrate_text(text, select(["TP301"]))
    assert migration.text == text
    assert [e.kind for e in migration.errors] == ["syntax"]


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        ("import torch\nprint 'loss', loss\n", "print statement", 2),
        ("if a:\n    print\n    x = = 1\n", "print statement", 2),
        ("if a: print 'x'\n", "print statement", 1),
        ("print 'epoch %d' % e,\n", "print statement", 1),
        ("try:\n    f()\nexcept IOError, e:\n    pass\n", "except E, e:", 3),
        ("x = 1\nraise ValueError, 'no'\n", "raise E, message", 2),
        ("if a <> b:\n    pass\n", "the operator <>", 1),
        ("import os\nos.mkdir(p, 0755)\n", "octal number", 2),
        ("x = 10L\n", "long integer", 1),
        ("s = `x`\n", "backticks", 1),
        ("exec 'x = 1'\n", "exec statement", 1),
        ("r = ur'x'\n", "string prefix ur", 1),
        ("f = lambda (a, b): a\n", "unpacking parameters", 1),
        ("def f(a, (b, c)):\n    pass\n", "unpacking parameters", 1),
        ("import torch\r\nx = 1\r\nprint 'a'\r\n", "print statement", 3),
    ],
)
def test_python_2_is_named_with_its_line(text: str, what: str, line: int) -> None:
    (error,) = migrate(text).errors
    assert (error.kind, error.line) == ("python2", line)
    assert what in error.message


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("x = (1  # `tick` <> 0777\n", 1, id="only in a comment"),
        pytest.param("x = 'a <> `b`' +\n", 1, id="only in a string"),
        pytest.param("s = '0777'\nx = = 1\n", 2, id="string in the line before"),
        pytest.param("def f(:\n    pass\n", 1, id="plain mistake"),
        pytest.param("def f():\nx = 1\n", 2, id="indentation"),
    ],
)
def test_other_mistakes_are_not_called_python_2(text: str, line: int) -> None:
    (error,) = migrate(text).errors
    assert (error.kind, error.line) == ("syntax", line)
    assert "Python 2" not in error.message


def test_what_the_rule_would_rewrite_is_told_where_it_is_left_out() -> None:
    text = "import torch\nx = torch.ones(2).cuda(async=True)\n"
    (error,) = migrate_text(text, select(["TP301"])).errors
    assert error.line == 2
    assert error.message.endswith(
        "the rule TP204 (async-argument) writes non_blocking, but is left out here"
    )
    (error,) = migrate_text(text + "f(async=True)\n", select(["TP204"])).errors
    assert error.line == 3
    assert error.message.endswith("the parameter or variable of that name needs another one")


def test_tabs_and_spaces_are_explained() -> None:
    text = textwrap.dedent("""\
        if x:
        \ta = 1
                b = 2
        """)
    (error,) = migrate(text).errors
    assert error == FileError("python2", error.message, 3)
    assert "--py2 converts the file" in error.message


def test_comments_and_line_ends_between_async_and_its_sign() -> None:
    text = "x.cuda(async  # one # two\n  \\\n  =True)\n"
    assert repair_async(text)[0] == text.replace("async", "non_blocking")


def test_a_text_that_only_speaks_of_async_is_not_taken_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tokenize, "generate_tokens", None)
    text = "async def f():\n    pass  # async # async # async\n"
    assert repair_async(text) == (text, [])


@pytest.mark.parametrize(
    ("text", "is_of_python2"),
    [
        pytest.param("if x:\n    y = 1\n    if y:\n\tz = 1\n", True, id="a tab for eight spaces"),
        pytest.param("x = 1\n y = 1\nif y:\n\tz = 1\n", False, id="a space too many"),
        pytest.param("if x:\n\ty = 1\n  z = 1\n", False, id="a block that is not there"),
    ],
)
def test_only_what_python_2_took_is_said_to_be_its_indentation(
    text: str, is_of_python2: bool
) -> None:
    (error,) = migrate(text).errors
    assert ("only Python 2 takes tabs and spaces together" in error.message) is is_of_python2
    assert error.kind == ("python2" if is_of_python2 else "syntax")
