"""``torchfix explain FILE:LINE``."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.documents.books import markdown_cell, notebook, written
from torchfix_codemods.cli.commands import main
from torchfix_codemods.engine.migrate import facts_of
from torchfix_codemods.facts.values import imported
from torchfix_codemods.facts.values import lattice as values
from torchfix_codemods.report.words import about, in_words


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "code.py"


def explain(*words: str) -> Result:
    return CliRunner().invoke(main, ["explain", *words])


def said(file: Path, text: str, line: int, *words: str) -> str:
    """The explanation of a line, in one line."""
    file.write_text(text, "utf-8")
    result = explain(f"code.py:{line}", *words)
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


HEAD = "import numpy as np\nimport torch\nimport torch.nn as nn\nimport torch.optim as optim\n"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("torch.zeros(2, 3)", "a tensor with 2 dimensions; of torch's default dtype; contiguous; "),
        ("torch.zeros(2).sum()", "a tensor without dimensions (one number); "),
        ("torch.zeros(3).long()", "a tensor with 1 dimension; dtype int64; "),
        ("torch.zeros(2, 3).t()", "dimensions moved about"),
        ("torch.zeros(1)", "outside of any graph; nothing in sight moves it to a GPU"),
        ("torch.zeros(1).cuda()", "may be on a GPU"),
        ("nn.Linear(1, 1)(torch.zeros(1)).expand_as(y)", "requires gradients"),
        ("nn.Linear(1, 1)(torch.zeros(1)).to(y)", "may belong to a graph"),
        ("nn.Linear(1, 1)(torch.zeros(1)).mean()", "requires gradients"),
        ("nn.Linear(1, 1)", "a torch.nn.Linear"),
        ("np.zeros(3)", "a numpy array"),
        ("optim.SGD([], lr=1)", "an optimizer (torch.optim.SGD)"),
        ("len('x')", "a number of Python (int)"),
        ("[torch.zeros(1), 'x']", "a list or tuple of: a tensor with 1 dimension, a text"),
        ("{'a': torch.zeros(1)}", "a dict of: 'a': a tensor with 1 dimension"),
        ("nn.Linear", "the name torch.nn.Linear"),
        ("torch.device('cpu')", "a torch.device"),
        ("unknown()", "not known"),
    ],
)
def test_what_is_known_in_words(code: str, words: str) -> None:
    facts = facts_of(f"{HEAD}x = {code}\n")
    (statement,) = facts.tree.body[4:]
    assert isinstance(statement, ast.Assign)
    assert words in about(statement.value, facts)


def test_the_way_to_backward() -> None:
    facts = facts_of(
        f"{HEAD}def run(net, x):\n    out = nn.Linear(1, 1)(x)\n    pair = out.sum(), 1\n"
        "    loss, n = pair\n    loss.backward()\n    return out.detach()\n"
    )
    (function,) = facts.tree.body[4:]
    assert isinstance(function, ast.FunctionDef)
    first, *_, last = function.body
    assert isinstance(first, ast.Assign) and isinstance(last, ast.Return) and last.value is not None
    line = first.lineno
    assert (
        f"reaches loss.backward() in line {line + 3} through out (line {line}), "
        f"pair (line {line + 1}), loss (line {line + 2})"
    ) in about(first.value, facts)
    assert "reaches" not in about(last.value, facts)


def test_every_kind_of_value_has_words() -> None:
    kinds = [
        kind
        for kind in {**vars(values), **vars(imported)}.values()
        if inspect.isclass(kind) and issubclass(kind, values.Value)
        if kind not in (values.Value, values.Origin)
    ]
    definition = ast.parse("class Net: pass").body[0]
    given = {
        "definition": definition,
        "value": values.UNKNOWN,
        "receiver": values.UNKNOWN,
        "name": "step",
        "owner": None,
        "file": None,
    }
    assert len(kinds) > 20
    for kind in kinds:
        needed = [
            name
            for name, parameter in inspect.signature(kind).parameters.items()
            if parameter.default is inspect.Parameter.empty
        ]
        words = in_words(kind(**{name: given[name] for name in needed}))
        assert words and words != kind.__name__


def test_which_modules_a_value_may_be(file: Path) -> None:
    text = (
        "import torch.nn as nn\nfrom torch.utils.data import DataLoader\n"
        "if flag:\n    loss = nn.NLLLoss()\nelse:\n    loss = nn.MSELoss()\n"
        "for x in DataLoader(data, collate_fn=own):\n    print(loss(x, x))\n"
    )
    words = said(file, text, 8)
    assert "loss a torch.nn.MSELoss or a torch.nn.NLLLoss" in words
    assert "x what a collate_fn made, outside of any graph" in words


def test_where_what_is_not_known_comes_from(file: Path) -> None:
    text = "import torch\n\n\ndef f(x):\n    y = g(x)\n    for z in y:\n        print(x, y, z)\n"
    words = said(file, text, 7)
    assert "x not known, a parameter (line 4)" in words
    assert "y not known, assigned g(x) (line 5)" in words
    assert "z not known, taken from y (line 6)" in words


OLD = """\
import torch
import torch.nn as nn
import torch.nn.functional as F


def f(x, net):
    loss = nn.MSELoss(size_average=False); y = F.softmax(x)
    z = nn.MSELoss(size_average=True)  # torchfix: ignore
    return net.cuda()
"""


def test_what_rules_found(file: Path) -> None:
    words = said(file, OLD, 7)
    assert words.startswith("code.py:7: loss = nn.MSELoss(size_average=False); y = F.softmax(x)")
    assert "TP301 size-average (identical), is rewritten: size_average=" in words
    assert "TP302 implicit-dim (advice), is left alone: without dim, which is deprecated" in words


def test_why_a_candidate_is_left_alone(file: Path) -> None:
    words = said(file, OLD, 8)
    assert "TP301 size-average (identical), is left alone: " in words
    assert "(left alone: a comment asks for it)" in words


def test_rules_that_looked_and_found_nothing_say_what_decided(file: Path) -> None:
    words = said(file, OLD.replace("return net.cuda()", "net.cuda()"), 9)
    assert "found nothing that is certain: TP207 discarded-move: `x.cuda()` of a tensor" in words
    assert "`net` is not known, so it may be no tensor or PackedSequence" in words
    assert words.endswith("When a rule leaves code alone: torchfix explain TP207")
    assert "on modules, and on all that is not certainly" not in words, "that is on its page"
    assert "TP301" not in words


def test_rules_that_look_for_another_form_are_only_named(file: Path) -> None:
    words = said(file, OLD, 9)
    assert "found nothing that is certain" not in words
    assert re.search("of another form:.* TP207 discarded-move.* When a rule", words)
    empty = said(file, OLD, 4)
    assert "Nothing shows for which torch the file was written." in empty
    assert "there is no expression in this line" in empty
    assert "nothing in this line" in empty and "another form" not in empty
    assert "When a rule" not in empty


def test_rules_that_have_no_business_with_a_line_are_not_named(file: Path) -> None:
    program = Path(__file__).parents[1] / "fixtures" / "programs" / "mnist_cnn.py"
    text = program.read_text("utf-8")
    line = text.splitlines().index("    epoch_loss = 0") + 1
    assert "found nothing that is certain" not in said(file, text, line)


def test_rules_that_are_switched_off(file: Path) -> None:
    (file.parent / "pyproject.toml").write_text('[tool.torchfix]\nignore = ["TP301"]\nto = "0.4"\n')
    words = said(file, OLD, 7)
    assert "switched off: " in words
    assert "TP301 size-average: needs torch 0.4.1, the settings say --to 0.4" in words
    (file.parent / "pyproject.toml").write_text('[tool.torchfix]\nignore = ["TP301"]\n')
    assert "TP301 size-average: not selected" in said(file, OLD, 7)


def test_for_which_torch(file: Path) -> None:
    text = "import torch\nfrom torch.autograd import Variable\nx = Variable(y, volatile=True)\n"
    words = said(file, text, 3)
    assert "written for torch 0.3 at most (line 3: volatile= (0.3 at most))." in words
    assert "written for torch 1.2 (--from 1.2)." in said(file, text, 3, "--from", "1.2")


def test_the_other_files_of_the_project_are_asked(file: Path) -> None:
    (file.parent / ".git").mkdir()
    (file.parent / "model.py").write_text(
        "import torch\n\n\ndef make():\n    return torch.ones(2)\n"
    )
    words = said(file, "import torch\nfrom model import make\nprint(make())\n", 3)
    assert "make() a tensor with 1 dimension" in words


BOOK = written(
    notebook(
        "%matplotlib inline\nimport torch\nfrom torch.autograd import Variable",
        markdown_cell("# The loss"),
        "def f(n):\n    return Variable(torch.ones(n), volatile=True).sum().data[0]",
        "%%writefile data.py\nx = 1",
        "print 'old'",
    )
)


def test_defaults_that_stand_nowhere_in_the_file(file: Path) -> None:
    text = f"{HEAD}loader = torch.utils.data.DataLoader(data, batch_size=4, shuffle=False)\n"
    words = said(file, text, 5)
    assert "loader a DataLoader, collated by torch" in words
    assert "TP803 loader-arguments: looks only with --select TP803" in words
    result = CliRunner().invoke(main, ["check", "-v", "--select", "ALL", "code.py"])
    assert result.exception is None or isinstance(result.exception, SystemExit)


def test_a_line_of_a_cell(file: Path) -> None:
    path = file.with_suffix(".ipynb")
    path.write_text(BOOK)
    words = explain("code.ipynb:cell 3:2").output
    assert words.startswith("code.ipynb:cell 3:2: return Variable(")
    assert "n not known, a parameter (cell 3, line 1)" in " ".join(words.split())
    assert "for torch 0.3 at most (cell 3, line 2: volatile=" in words
    assert "TP103 scalar-data-index (restored), is rewritten" in words
    assert "is left as it is" not in words
    assert "0-dim" not in explain("code.ipynb:cell 3:1").output
    assert explain("code.ipynb:cell 3:2:5").output == words


@pytest.mark.parametrize(("cell", "line"), [("1:1", "%matplotlib inline"), ("5:1", "print 'old'")])
def test_a_line_of_a_cell_that_is_no_python_is_shown_as_it_is(
    file: Path, cell: str, line: str
) -> None:
    file.with_suffix(".ipynb").write_text(BOOK)
    words = explain(f"code.ipynb:cell {cell}").output
    assert words.startswith(f"code.ipynb:cell {cell}: {line}\n")
    assert "nothing: this line is no Python" in words
    assert "get_ipython" not in words and "_torchfix" not in words
    assert ("the cell is left as it is: Python 2" in words) == (cell == "5:1")


def test_a_reader_that_has_read_enough_is_no_error(file: Path) -> None:
    file.write_text("import torch\n")
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "torchfix_codemods", "explain", "code.py:1"]
    result = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert result.stderr == b""


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("code.ipynb:2", 'code.ipynb is a notebook: say which cell, as in "code.ipynb:cell 3:1"'),
        ("code.ipynb:cell 3:3", "code.ipynb: there is no Python in line 3 of cell 3"),
        ("code.ipynb:cell 2:1", "code.ipynb: there is no Python in line 1 of cell 2"),
        ("code.ipynb:cell 4:2", "code.ipynb: there is no Python in line 2 of cell 4"),
        ("code.ipynb:cell 9:1", "code.ipynb: there is no Python in line 1 of cell 9"),
        ("broken.ipynb:cell 1:1", "broken.ipynb: not a notebook"),
        ("code.py:cell 1:1", "code.py is no notebook"),
    ],
)
def test_a_cell_that_cannot_be_explained(file: Path, place: str, message: str) -> None:
    file.write_text("import torch\n")
    file.with_suffix(".ipynb").write_text(BOOK)
    file.with_name("broken.ipynb").write_text("{}")
    result = explain(place)
    assert result.exit_code == 2
    assert result.output.startswith(f"error: {message}"), result.output


def test_a_line_of_a_text_with_code_blocks(file: Path) -> None:
    file.with_name("notes.md").write_text("`x`\n")
    result = explain("notes.md:1")
    assert result.exit_code == 2
    assert "notes.md is no program" in result.output


def test_a_line_in_the_middle_of_an_expression(file: Path) -> None:
    text = "import torch\nx = torch.zeros(\n    2,\n    3,\n)\n"
    assert "a tensor with 2 dimensions" in said(file, text, 3)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("import torch\n", "code.py:2", "code.py has 1 line\n"),
        ("import torch\n", "code.py:0", "code.py has 1 line\n"),
        ("import torch\n", "none.py:1", "none.py: No such file"),
        ("y = 1\nx = (\n", "code.py:1", "code.py:2: not valid Python: "),
        (
            "import torch\nprint 1\n",
            "code.py:1",
            "code.py:2: Python 2 (print statement); torchfix migrate --py2 converts it",
        ),
        ("# coding: nonsense\n", "code.py:1", "code.py: "),
    ],
)
def test_what_cannot_be_explained(file: Path, text: str, place: str, message: str) -> None:
    file.write_text(text)
    result = explain(place)
    assert result.exit_code == 2
    assert result.output.startswith(f"error: {message}"), result.output


def test_wrong_usage() -> None:
    result = explain("nonsense")
    assert result.exit_code == 2
    assert "FILE:LINE" in result.output
    assert explain("x.py:1", "--from", "new").exit_code == 2
    assert "# TP301" in explain("TP301").output


def test_every_line_of_real_programs_can_be_explained(file: Path) -> None:
    programs = Path(__file__).parents[1] / "fixtures" / "programs"
    text = (programs / "lstm_language_model.py").read_text("utf-8")
    for line in range(1, text.count("\n") + 1, 17):
        words = said(file, text, line)
        assert not re.search(r"<[\w.]+ object at", words)


@pytest.mark.parametrize(
    ("line", "is_known"),
    [
        ("%time y = torch.ger(x, x)", True),
        ("if True:\n    %time y = torch.ger(x, x)", True),
        ("%timeit y = torch.ger(x, x)", False),
        ("!torch.ger", False),
    ],
)
def test_the_statement_behind_a_magic_is_explained(file: Path, line: str, is_known: bool) -> None:
    book = written(notebook("import torch\nx = torch.ones(3)", line))
    file.with_suffix(".ipynb").write_text(book)
    number = line.count("\n") + 1
    words = explain(f"code.ipynb:cell 2:{number}").output
    assert words.startswith(f"code.ipynb:cell 2:{number}: {line.splitlines()[-1].strip()}\n")
    assert ("nothing: this line is no Python" in words) is not is_known
    assert ("torch.ger is now outer" in words) is is_known


VOLATILE = "import torch\nfrom torch.autograd import Variable\n"
HELPER = "def to_var(x, volatile=False):\n    return Variable(x, volatile=volatile)\n"
SAID_OF_FUNCTION = "at the head of the function around it, or at its calls"


def test_what_a_rule_says_of_a_helper_at_its_head_is_told_in_its_lines(file: Path) -> None:
    told = said(file, f"{VOLATILE}{HELPER}", 4)
    assert f"{SAID_OF_FUNCTION}: TP102 volatile-flag (advice), line 3, is left alone: " in told
    assert "no call of to_var is in sight" in " ".join(told.split())
    assert "TP102" not in told.partition("code of another form")[2]


def test_what_a_rule_says_at_the_calls_of_a_helper_is_told_in_its_lines(file: Path) -> None:
    calls = "def f(net, x, t):\n    yield net(to_var(x, volatile=not t))\n"
    told = said(file, f"{VOLATILE}{HELPER}{calls}", 4)
    assert f"{SAID_OF_FUNCTION}: TP102 volatile-flag (advice), line 6, is left alone: " in told
    assert "asked whether `Variable(x, volatile=volatile)` still has a volatile flag" in told


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"{VOLATILE}{HELPER}", 3),
        (f"{VOLATILE}{HELPER}x = 3\n", 5),
        (f"{VOLATILE}{HELPER}def f(x):\n    return to_var(x).volatile\n", 6),
        (f"{VOLATILE}{HELPER}def other(x):\n    return x.data[0]\n", 6),
    ],
    ids=["the head itself", "outside", "another function", "no rule of it"],
)
def test_other_lines_are_not_told_of_a_function(file: Path, text: str, line: int) -> None:
    assert SAID_OF_FUNCTION not in said(file, text, line)


def test_a_sentence_about_a_line_is_told_once(file: Path) -> None:
    call = "for x in xs:\n    y = net(to_var(x, volatile=True))\n"
    assert said(file, f"{VOLATILE}{HELPER}{call}", 6).count("keeps the graph away") == 1
