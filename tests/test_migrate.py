from __future__ import annotations

import ast
import gc
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

import libcst as cst
import pytest

from tests.support.rules import migrate
from torchfix_codemods.engine.linemap import matched_lines
from torchfix_codemods.engine.migrate import Options, migrate_text
from torchfix_codemods.facts.age.era import Era
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Finding, Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules import select

FIXTURES = Path(__file__).parents[1] / "fixtures"

LOSS = "import torch.nn as nn\nnn.MSELoss(size_average=False)"


class Broken(Rule):
    """Raises."""

    code = "TP999"
    name = "broken"
    since = "1.0"
    numerics = Numerics.IDENTICAL
    words = frozenset({"MSELoss"})

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        raise RuntimeError("boom")


class Restless(Rule):
    """Never finishes."""

    code = "TP998"
    name = "restless"
    since = "1.0"
    numerics = Numerics.IDENTICAL
    words = frozenset({"MSELoss"})
    message = "again"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        yield self.found(call)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        return updated.with_changes(args=[cst.Arg(cst.Integer("1")), *updated.args])


class Fumbler(Restless):
    """Raises while it rewrites."""

    code = "TP996"
    name = "fumbler"

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        raise RuntimeError("boom")


class Wrecker(Restless):
    """Writes what does not parse."""

    code = "TP997"
    name = "wrecker"

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Name:  # type: ignore[override]
        return cst.Name("class")


@pytest.mark.parametrize("rule", [Broken(), Fumbler()])
def test_a_rule_that_raises_is_named_and_does_not_stop_the_others(rule: Rule) -> None:
    migration = migrate_text(LOSS, [rule, *select(["TP301"])])
    assert 'reduction="sum"' in migration.text
    assert {e.message for e in migration.errors} == {
        f"{rule.code} {rule.name} failed: RuntimeError: boom"
    }


@pytest.mark.parametrize(("rule", "kind"), [(Restless(), "unstable"), (Wrecker(), "broken")])
def test_a_result_that_is_not_right_leaves_the_file_alone(rule: Rule, kind: str) -> None:
    migration = migrate_text(LOSS, [rule])
    assert migration.text == LOSS
    assert [error.kind for error in migration.errors] == [kind]


def test_an_f_string_that_would_break_does_not_keep_the_rest_from_being_rewritten() -> None:
    text = f"import torch.nn as nn\nprint(f'{{nn.MSELoss()}}')\n{LOSS.splitlines()[1]}\n"

    class InStrings(Wrecker):
        def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
            if not call.keywords:
                yield self.found(call)

    migration = migrate_text(text, [InStrings(), *select(["TP301"])])
    assert not migration.errors
    assert migration.text == text.replace("size_average=False", "reduction='sum'")
    (left,) = (finding for finding in migration.findings if not finding.fixed)
    assert left.message == "again (left alone: the f-string around it would break)"


@pytest.mark.parametrize(
    "comment",
    [
        "# torchfix: ignore",
        "# torchfix: ignore[TP301]",
        "# torchfix: ignore[TP999, size-average]",
        "# noqa",
        "# noqa: TP301",
        "# noqa: E501,TP301",
        "# why  # noqa: TP301",
    ],
)
def test_suppression(comment: str) -> None:
    text = f"{LOSS}  {comment}\n"
    assert migrate(text, "TP301").text == text


@pytest.mark.parametrize("comment", ["# torchfix: ignore[TP401]", "# noqa: E501", "# noqanot", "#"])
def test_other_comments_suppress_nothing(comment: str) -> None:
    assert migrate(f"{LOSS}  {comment}\n", "TP301").text != f"{LOSS}  {comment}\n"


def test_suppression_counts_on_any_line_of_the_statement() -> None:
    text = "import torch.nn as nn\nx = nn.MSELoss(\n    size_average=False,\n)  # noqa: TP301\n"
    assert migrate(text, "TP301").text == text


def test_skip_file() -> None:
    text = f"# torchfix: skip-file\n{LOSS}\n"
    assert migrate(text).text == text


def test_findings_point_at_the_lines_of_the_file_as_it_was_read() -> None:
    text = (
        "import torch\nimport torch.nn as nn\nfrom torch.autograd import Variable\n\n"
        "def f(model, xs):\n    for x in xs:\n        x = Variable(x, volatile=True)\n"
        "        print(model(x))\n\n\nnn.MSELoss(size_average=False)\n"
    )
    migration = migrate(text, "TP101", "TP102", "TP301")
    lines = {f.code: f.line for f in migration.findings}
    assert lines == {"TP101": 7, "TP102": 7, "TP301": 11}


@pytest.mark.parametrize("asked", ["type(h)", "type( h )", "type(h )", "h.__class__"])
def test_a_type_in_roomy_brackets_is_asked_for_without_the_room(asked: str) -> None:
    text = f"import torch\nfrom torch.autograd import Variable\nb = {asked} == Variable\n"
    assert "b = isinstance(h, torch.Tensor)\n" in migrate(text).text


def test_safe_leaves_the_numbers_alone() -> None:
    options = Options(numerics=frozenset({Numerics.IDENTICAL}))
    text = "import torch\nfrom torch.autograd import Variable\nb = type(h) == Variable\n"
    assert migrate(text, "TP101", options=options).text == text


def test_what_safe_leaves_out_says_so() -> None:
    options = Options(numerics=frozenset({Numerics.IDENTICAL}))
    text = "import torch\nfrom torch.autograd import Variable\nb = type(h) == Variable\n"
    (finding,) = migrate(text, "TP101", options=options).findings
    assert finding.message.endswith("(left alone: it changes numbers; run without --safe)")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if flag:\n    x = Variable(x)\nelse:\n    x = Variable(x)\nf(x)\n", "f(x)\n"),
        ("if flag():\n    x = Variable(x)\nf(x)\n", "if flag():\n    pass\nf(x)\n"),
        ("if isinstance(y, list):\n    x = Variable(x)\nf(x)\n", "f(x)\n"),
        ("if torch.cuda.is_available():\n    x = Variable(x)\nf(x)\n", "f(x)\n"),
        (
            "if y.isinstance(x):\n    x = Variable(x)\nf(x)\n",
            "if y.isinstance(x):\n    pass\nf(x)\n",
        ),
        (
            "from y import isinstance\nif isinstance(x):\n    x = Variable(x)\nf(x)\n",
            "from y import isinstance\nif isinstance(x):\n    pass\nf(x)\n",
        ),
    ],
)
def test_branches_that_a_rewrite_emptied_go_where_asking_does_nothing(
    before: str, after: str
) -> None:
    head = "import torch\nfrom torch.autograd import Variable\nx = torch.ones(1)\n"
    expected = "import torch\nx = torch.ones(1)\n" + after
    assert migrate(head + before, "TP101").text == expected


def test_empty_branches_of_the_author_stay() -> None:
    text = "import torch\nif a:\n    pass\nx = torch.nn.MSELoss(size_average=False)\n"
    assert "if a:\n    pass\n" in migrate(text, "TP301").text


def test_all_rounds_of_a_nested_call() -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\n"
        "def f(model, xs):\n    for x in xs:\n"
        "        print(model(Variable(x.cuda(async=True), volatile=True)))\n"
    )
    after = migrate(text).text
    assert "async" not in after and "Variable(" not in after and "with torch.no_grad():" in after


def test_branches_chosen_by_the_version_of_torch_are_left_alone() -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\n"
        "if torch.__version__ >= '0.4':\n    x = torch.ones(1)\n"
        "else:\n    x = Variable(torch.ones(1), volatile=False)\n"
    )
    assert migrate(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        LOSS,
        "import torch\nx = torch.autograd.Variable(torch.ones(2))\ny = x.data\n",
        "import torch\nclass A(B):\n    def f(self, x):\n        return self.g(x).view(-1)\n",
    ],
)
def test_no_tree_waits_for_the_garbage_collector(text: str) -> None:
    def statements() -> int:
        return sum(issubclass(type(o), ast.stmt) for o in gc.get_objects())

    gc.collect()
    before = statements()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        migrate_text(text, select())
        assert statements() == before
    finally:
        if was_enabled:
            gc.enable()


def test_messages_name_lines_of_the_file_as_it_was_read() -> None:
    text = (
        "import numpy as np\nimport torch\nfrom torch.autograd import Variable\n"
        "x = Variable(torch.ones(2)).cuda()\ntorch.manual_seed(1)\nnp.random.rand()\n"
    )
    migration = migrate_text(text, select())
    assert migration.text.splitlines().index("np.random.rand()") != 5
    (finding,) = [f for f in migration.findings if f.code == "TP209"]
    assert finding.line == 5
    assert "which line 6 draws from" in finding.message


def test_messages_name_lines_that_were_moved_by_their_own_numbers() -> None:
    text = (
        "import torch\nclass Run:\n    def __init__(self, use_gpu):\n"
        "        self.a = torch.nn.Linear(2, 2)\n"
        "        self.adam = torch.optim.Adagrad(self.a.parameters())\n\n"
        "        self.a.cuda()\n"
        "        if use_gpu:\n            unheard(2).cuda(), print(2)\n"
        "    def go(self, x):\n        return unheard(x).cuda()\n"
    )
    migration = migrate_text(text, select())
    assert migration.text.splitlines().index("        self.a.cuda()") == 4
    (finding,) = [f for f in migration.findings if f.code == "TP201" and "needs" in f.message]
    assert finding.line == 7
    assert finding.message.startswith(".cuda() needs a GPU, here and in line 11, ")


@pytest.mark.parametrize(
    ("old", "new", "continues"),
    [
        ("a b c d", "d a b c", [3, 0, 1, 2]),
        ("a b c d", "a x b c d", [0, 1, 1, 2, 3]),
        # Which of two alike went elsewhere is not known.
        ("a d c d", "d a c", [0, 0, 2]),
        ("a b c", "a b c", [0, 1, 2]),
    ],
)
def test_a_line_that_went_elsewhere_keeps_its_number(
    old: str, new: str, continues: list[int]
) -> None:
    assert matched_lines(old.encode().split(), new.encode().split()) == continues


@pytest.mark.parametrize("between", ["", "\n"])
def test_what_stands_below_lines_that_are_put_in_is_told_by_its_own_line(between: str) -> None:
    text = f"""import random
import torch
{between}torch.manual_seed(1)

model = torch.nn.Linear(3, 1)
if torch.cuda.is_available():
    model.cuda()
x = torch.rand(3)
if torch.cuda.is_available():
    x = x.cuda()
random.shuffle(xs)
"""
    migration = migrate_text(text, select(), Options())
    assert "\ndevice = torch.device(" in migration.text
    (line,) = (found.line for found in migration.findings if found.code == "TP209")
    assert line == (4 if between else 3)


@pytest.mark.parametrize(
    "behind",
    [
        "if torch is None:\n    pass\n",
        "model = model\n",
        "if (found := [1]):\n    pass\n",
    ],
)
def test_what_stands_behind_a_rewrite_is_not_tidied_up(behind: str) -> None:
    text = f"import torch\nfrom torch.nn.functional import tanh\n{behind}y = tanh(x)\n"
    expected = f"import torch\nfrom torch import tanh\n{behind}y = tanh(x)\n"
    assert migrate(text).text == expected


def test_a_branch_that_a_rewrite_emptied_stays_where_its_test_does_something() -> None:
    text = "from torch.autograd import Variable\nif (n := f):\n    x = Variable(x)\nprint(n)\n"
    rules = select(["TP101"])
    emptied = migrate_text(text, rules, Options(era=Era((0, 3), (0, 3)))).text
    assert emptied == "if (n := f):\n    pass\nprint(n)\n"
    plain = text.replace("(n := f)", "f")
    assert migrate_text(plain, rules, Options(era=Era((0, 3), (0, 3)))).text == "print(n)\n"


class Together(Rule):
    """Puts each call under a block, and the line that follows under the same; in one group."""

    code = "TP997"
    name = "together"
    since = "1.0"
    numerics = Numerics.IDENTICAL
    words = frozenset({"first"})
    message = "goes under a block"

    def __init__(self, otherwise: str, *places: tuple[int, int]) -> None:
        self._otherwise = otherwise
        self._places = places

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        for first, last in self._places:
            region = facts.tree.body[first:last]
            yield self.found(call, region=region, group="together", otherwise=self._otherwise)

    def leave_IndentedBlock(
        self, original: cst.IndentedBlock, updated: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        called = cst.parse_statement("done()")
        return updated.with_changes(body=[called])


@pytest.mark.parametrize(
    ("otherwise", "said", "numerics"),
    [
        ("write it by hand", "write it by hand", Numerics.ADVICE),
        (
            "",
            "goes under a block (left alone: what it goes together with is left as well)",
            Numerics.IDENTICAL,
        ),
    ],
)
def test_a_group_that_falls_says_so(otherwise: str, said: str, numerics: Numerics) -> None:
    rule = Together(otherwise, (0, 2), (1, 3))
    migration = migrate_text("first()\na = 1\nb = 2\n", [rule])
    assert migration.text == "first()\na = 1\nb = 2\n"
    assert {(f.message, f.numerics, f.fixed) for f in migration.findings} == {
        (said, numerics, False)
    }


def test_all_of_a_group_say_why_one_of_it_is_left() -> None:
    rule = Together("write it by hand", (0, 1), (2, 3))
    migration = migrate_text("first()\na = 1\nb = 2; c = 3\n", [rule])
    assert {f.message for f in migration.findings} == {
        "goes under a block (left alone: shares its line with other code)"
    }


def test_what_is_found_twice_is_rewritten_once() -> None:
    rule = Together("", (0, 1), (0, 1), (1, 2))
    migration = migrate_text("first()\na = 1\n", [rule])
    assert migration.text == "done()\ndone()\n"
    assert all(finding.fixed for finding in migration.findings)


def test_what_is_rewritten_is_told_while_the_rest_is_looked_for() -> None:
    text = (FIXTURES / "programs/mnist_cnn.py").read_text("utf-8")
    told: list[Sequence[Finding]] = []
    migration = migrate_text(text, select(), Options(noted=told.append))
    for earlier, later in itertools.pairwise([*told, migration.findings]):
        assert set(earlier) <= set(later)
    assert set() < set(told[0]) < set(told[-1])
    assert all(finding.fixed for finding in told[-1])
    assert list(told[0]) == sorted(told[0])


def test_a_repair_that_may_be_taken_back_is_not_told_of() -> None:
    told: list[Sequence[Finding]] = []
    text = "import torch\nx = x.cuda(async=True)\ny = torch.ger(x, x)\n"
    mends = next(rule for rule in select() if rule.code == "TP204")
    rules = [rule for rule in select() if rule.code != "TP204"]
    migration = migrate_text(text, rules, Options(mends=mends, noted=told.append))
    assert "TP204" in {f.code for f in migration.findings}
    assert told and "TP204" not in {f.code for findings in told for f in findings}


class Asked(Rule):
    """Notes how often it is asked, and says something where it is told to."""

    code = "TP994"
    name = "asked"
    since = "1.0"
    numerics = Numerics.ADVICE
    words = frozenset({"Variable"})
    message = "seen"

    def __init__(self, tells: bool) -> None:
        self.tells = tells
        self.times = 0

    def find_Module(self, node: ast.Module, facts: Facts) -> Iterator[Found]:
        self.times += 1
        if self.tells:
            yield self.advice(node.body[-1], self.message)


@pytest.mark.parametrize(
    ("tells", "times"),
    [
        # Before the wrapper goes, and once after it: not after `x = x` went, nor after `if`.
        pytest.param(False, 2, id="that-found-nothing"),
        pytest.param(True, 4, id="that-told-of-something"),
    ],
)
def test_what_only_tidies_up_is_nothing_to_ask_rules_about(tells: bool, times: int) -> None:
    rule = Asked(tells)
    head = "import torch\nfrom torch.autograd import Variable\nx = torch.ones(2)\n"
    text = f"{head}if True:\n    x = Variable(x)\nprint(x)  # Variable\n"
    migration = migrate_text(text, [*select(["TP101"]), rule])
    assert migration.text.count("x = ") == 1
    assert rule.times == times
    assert [f.code for f in migration.findings if not f.fixed] == ["TP994"] * tells


def test_another_spelling_is_nothing_to_ask_rules_about() -> None:
    rule = Asked(tells=False)
    text = "import torch\n\ndef f(n):\n    return torch.ones(2, n).t().view(-1)\n"
    migration = migrate_text(f"{text}# Variable\n", [*select(["TP401"]), rule])
    assert ".reshape(" in migration.text
    assert rule.times == 1
