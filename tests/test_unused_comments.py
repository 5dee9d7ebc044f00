"""Comments that keep nothing away, and comments that are written for all that is found."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.documents.books import notebook, written
from tests.support.alone import ALONE
from torchfix_codemods.cli.commands import main
from torchfix_codemods.runs.runner import migrate_bytes
from torchfix_codemods.settings.config import Settings

HEAD = "import torch.nn as nn\n"
OLD = "x = nn.MSELoss(size_average=False)"
NEW = 'x = nn.MSELoss(reduction="sum")'


def run(*words: str) -> Result:
    return CliRunner().invoke(main, [*words, "--no-cache"])


def told(text: str, **settings: object) -> list[tuple[int, int, str]]:
    result = migrate_bytes(text.encode(), ALONE / "a.py", Settings(**settings))  # type: ignore[arg-type]
    assert not result.errors
    return [(f.line, f.column, f.message) for f in result.findings if f.code == "TP006"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{NEW}  # torchfix: ignore[TP301]", "this comment keeps nothing away: take it out"),
        (f"{NEW}  # torchfix: ignore", "this comment keeps nothing away"),
        (f"{NEW}  # torchfix: ignore TP301", "this comment keeps nothing away"),
        ("y = 1  # torchfix: ignore[size-average, TP1]", "this comment keeps nothing away"),
        (f"{OLD}  # torchfix: ignore[TP301, TP1]", "TP1 keeps nothing away here: take it out of"),
        (f"{OLD}  # torchfix: ignore[TP1, TP301, TP4]", "TP1, TP4 keep nothing away here: take"),
        (f"{OLD}\n# torchfix: ignore", "this comment keeps nothing away"),
    ],
)
def test_comments_that_keep_nothing_away_are_told(line: str, message: str) -> None:
    ((number, column, said),) = told(f"{HEAD}{line}\n")
    assert said.startswith(message)
    text = f"{HEAD}{line}\n".splitlines()[number - 1]
    assert text[column - 1 :].startswith("# torchfix: ignore")


@pytest.mark.parametrize(
    "line",
    [
        f"{OLD}  # torchfix: ignore[TP301]",
        f"{OLD}  # torchfix: ignore[tp3]",
        f"{OLD}  # torchfix: ignore[Size-Average]",
        f"{OLD}  # torchfix: ignore",
        # It may be another tool's.
        f"{NEW}  # noqa",
        f"{NEW}  # noqa: TP301",
        # A string, and what is told under another code.
        's = "# torchfix: ignore[TP301]"',
        f"{NEW}  # torchfix: ignore[TP999]",
        f"{NEW}  # torchfix: ignore[]",
        # What is off by itself may be found with other options; so may what comes with --py2.
        f"{NEW}  # torchfix: ignore[TP417]",
        f"{NEW}  # torchfix: ignore[TP002]",
        # Any line of the statement.
        "x = nn.MSELoss(\n    size_average=False\n)  # torchfix: ignore[TP301]",
        "x = nn.MSELoss(  # torchfix: ignore\n    size_average=False\n)",
    ],
)
def test_comments_that_are_of_use_are_not_told(line: str) -> None:
    assert told(f"{HEAD}{line}\n") == []


def test_lines_are_those_of_the_file_as_it_was() -> None:
    text = (
        "import torch\nfrom torch.autograd import Variable\nimport torch.nn as nn\n\n"
        f"y = Variable(torch.ones(2))\n{OLD}  # torchfix: ignore[TP301]\n"
        f"{NEW}  # torchfix: ignore[TP301]\n"
    )
    ((line, _, _),) = told(text)
    assert line == 7


@pytest.mark.parametrize(
    "settings",
    [
        {"select": ("TP1",)},
        {"ignore": ("TP301",)},
        {"per_file_ignores": (("a.py", ("TP3",)),)},
        {"to_version": "0.4.0"},
        {"py2": True},
    ],
)
def test_nothing_is_said_of_rules_that_are_left_out(settings: dict[str, object]) -> None:
    assert told(f"{HEAD}{NEW}  # torchfix: ignore[TP301]\n", **settings) == []
    assert told(f"{HEAD}{NEW}  # torchfix: ignore\n", **settings) == []


def test_it_can_be_ignored() -> None:
    assert told(f"{HEAD}{NEW}  # torchfix: ignore[TP301]\n", ignore=("TP006",)) == []


def test_in_a_notebook_the_cell_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(written(notebook(HEAD, f"y = 1\n{NEW}  # torchfix: ignore[TP301]\n")))
    assert "a.ipynb:cell 2:2:34: TP006 unused-comment" in run("check", str(path)).stdout


# Comments for all that is found


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


LEFT = "import torch\n\n\ndef f(x):\n    return x.cuda()\n\n\nif use_gpu:\n    net.cuda()\n"


def test_comments_are_written_where_something_is_left(project: Path) -> None:
    (project / "a.py").write_text(f"{HEAD}{OLD}\n{LEFT}")
    result = run("check", "--add-ignore", "a.py")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "1 comment written, in 1 file" in result.stderr
    commented = LEFT.replace("x.cuda()", "x.cuda()  # torchfix: ignore[TP201]")
    assert (project / "a.py").read_text() == f"{HEAD}{OLD}\n{commented}"
    assert run("check", "a.py").stdout == ""
    assert run("check", "--add-ignore", "--all", "a.py").exit_code == 0
    assert (project / "a.py").read_text().splitlines()[1] == f"{OLD}  # torchfix: ignore[TP301]"
    assert run("check", "--all", "a.py").exit_code == 0


def test_a_line_gets_one_comment_for_all_rules(project: Path) -> None:
    text = f"{HEAD}import torch.nn.functional as F\n{OLD}; y = F.sigmoid(z)\n"
    (project / "a.py").write_text(text)
    assert run("check", "--add-ignore", "--all", "a.py").exit_code == 0
    assert (project / "a.py").read_text().count("# torchfix: ignore[") == 1
    assert run("check", "--all", "a.py").exit_code == 0


def test_bytes_around_the_comments_stay(project: Path) -> None:
    data = f"# coding: latin-1\r\ns = 'ü'\r\n{HEAD}{OLD}\r\n".encode("latin-1")
    (project / "a.py").write_bytes(data)
    run("check", "--add-ignore", "--all", "a.py")
    comment = b"  # torchfix: ignore[TP301]"
    assert (project / "a.py").read_bytes() == data.removesuffix(b"\r\n") + comment + b"\r\n"


def test_what_no_comment_can_keep_away_is_named(project: Path) -> None:
    (project / "a.py").write_text(f"{HEAD}{NEW}  # torchfix: ignore[TP301]\n")
    (project / "b.py").write_text("import torch\nx = xrange(3)\n")
    (project / "c.ipynb").write_text(written(notebook(f"{HEAD}{OLD}\n")))
    before = {path: path.read_bytes() for path in project.iterdir()}
    result = run("check", "--add-ignore", "--all", ".")
    assert result.exit_code == 1
    assert "a.py:2:34: TP006 unused-comment: no comment keeps this away" in result.stdout
    assert "b.py:2:5: TP005 only-python-2: no comment keeps this away" in result.stdout
    assert "c.ipynb:cell 1:2:5: TP301 size-average: no comment can stand here" in result.stdout
    assert {path: path.read_bytes() for path in project.iterdir()} == before


@pytest.mark.parametrize(
    "words", [["-"], ["a.py", "--output-format", "json"], ["a.py", "--report", "r.html"]]
)
def test_bad_usage(project: Path, words: list[str]) -> None:
    (project / "a.py").write_text(LEFT)
    result = run("check", "--add-ignore", *words)
    assert result.exit_code == 2 and "--add-ignore writes files" in result.stderr
    assert (project / "a.py").read_text() == LEFT
