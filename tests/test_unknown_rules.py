"""Comments that name a rule which does not exist, and what else is said under no rule's code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.documents.books import notebook, written
from tests.support.alone import ALONE
from tests.support.rules import migrate
from torchfix_codemods.cli.commands import main
from torchfix_codemods.finding import Numerics
from torchfix_codemods.remarks import REMARKS, Remark
from torchfix_codemods.rules import all_rules
from torchfix_codemods.runs.runner import migrate_bytes
from torchfix_codemods.settings.config import Settings

HEAD = "import torch.nn as nn\n"
OLD = "x = nn.MSELoss(size_average=False)"
NEW = 'x = nn.MSELoss(reduction="sum")'


def run(*words: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, list(words), input=stdin)


def told(text: str) -> list[tuple[int, int, str]]:
    findings = migrate(text, "TP301").findings
    return [(f.line, f.column, f.message) for f in findings if f.code == "TP004"]


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("# torchfix: ignore[TP999]", "no such rule: TP999; nothing is left alone for it"),
        ("# TORCHFIX: IGNORE[ tp39 ]", "no such rule: tp39; nothing"),
        ("# torchfix: ignore[TP3, size-averge]", "size-averge, perhaps size-average; nothing"),
        ("# torchfix: ignore[TP301 no, never]", "no such rules: no, never; nothing is left alone"),
        ("# torchfix: ignore[all]", "no such rule: all; nothing"),
        ("# torchfix: ignore[]", "names no rule: write # torchfix: ignore[TP301], or # torchfix:"),
        ("# noqa: E501  # torchfix: ignore[TP999]", "no such rule: TP999; nothing"),
    ],
)
def test_a_rule_that_does_not_exist_is_named(comment: str, message: str) -> None:
    text = f"{HEAD}y = 1\n{OLD}  {comment}\n"
    ((line, column, said),) = told(text)
    assert message in said
    assert text.splitlines()[line - 1][: column - 1].lower().endswith("ignore[")
    assert line == 3


@pytest.mark.parametrize(
    "comment",
    [
        "# torchfix: ignore",
        "# torchfix: ignore[TP301]",
        "# torchfix: ignore[tp3, Size-Average]",
        "# torchfix: ignore[TP]",
        "# torchfix: ignore[TP002, python-2-division]",
        "# noqa: TP999",
        "# torchfix: skip-file",
        "# torchfix is ignored[here]",
    ],
)
def test_rules_that_exist_and_comments_of_others_are_not_named(comment: str) -> None:
    assert not told(f"{HEAD}{OLD}  {comment}\n")


def test_what_only_looks_like_a_comment_is_not_named() -> None:
    assert not told(f'{HEAD}s = "# torchfix: ignore[TP999]"\n')
    assert not told(f'{HEAD}s = """\n# torchfix: ignore[TP999]\n"""\n')


def test_a_comment_keeps_away_the_rules_that_exist() -> None:
    text = f"{HEAD}{OLD}  # torchfix: ignore[TP999, TP301]\n"
    assert migrate(text, "TP301").text == text
    assert told(text)


def test_each_comment_is_named_once_where_the_file_is_rewritten() -> None:
    text = f"{HEAD}{OLD}\n{OLD}  # torchfix: ignore[TP998]\nz = 2  # torchfix: ignore[a, b]\n"
    assert [line for line, _, _ in told(text)] == [3, 4]
    after = migrate(text, "TP301").text
    assert after.count(NEW) == 2
    assert len(told(after)) == 2


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_any_line_ends(newline: str) -> None:
    text = f"{HEAD}{OLD}  # torchfix: ignore[TP999]\n".replace("\n", newline)
    assert [line for line, _, _ in told(text)] == [2]


def test_commands_tell_it_as_advice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # Nothing in it is any rule's.
    Path("a.py").write_text("x = 1  # torchfix: ignore[TP999]\n")
    line = "a.py:1:27: TP004 unknown-rule: no such rule: TP999; nothing is left alone for it"
    result = run("check", "a.py")
    assert result.exit_code == 1
    assert line in result.stdout
    assert "1 left for a person" in result.stderr
    result = run("migrate", "a.py")
    assert result.exit_code == 0
    assert line in result.stderr
    assert run("migrate", "a.py", "--strict").exit_code == 1
    (finding,) = json.loads(run("check", "a.py", "--output-format", "json").stdout)["files"][0][
        "findings"
    ]
    assert (finding["code"], finding["numerics"], finding["fixed"]) == ("TP004", "advice", False)
    for form in ("sarif", "github", "markdown"):
        assert "TP004" in run("check", "a.py", "--output-format", form).stdout
    sarif = json.loads(run("check", "a.py", "--output-format", "sarif").stdout)["runs"][0]
    (described,) = sarif["tool"]["driver"]["rules"]
    assert (described["id"], described["name"]) == ("TP004", "unknown-rule")
    assert described["help"]["markdown"].startswith("# TP004 unknown-rule\n")
    assert sarif["results"][0]["ruleIndex"] == 0
    assert "TP004 unknown-rule (advice), is left alone" in run("explain", "a.py:1").stdout


def test_a_cell_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(
        written(notebook("import torch\n", "%time f()\ny = 1  # torchfix: ignore[TP999]"))
    )
    assert "a.ipynb:cell 2:2:27: TP004 unknown-rule" in run("check", str(path)).stdout


def test_python_2_that_is_converted(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("import torch\nprint 1\ny = 1  # torchfix: ignore[TP999]\n")
    assert "a.py:3:27: TP004" in run("check", "--py2", str(path)).stdout


@pytest.mark.parametrize("chosen", ["TP004", "unknown-rule", "tp004"])
def test_it_can_be_ignored(tmp_path: Path, chosen: str) -> None:
    path = tmp_path / "a.py"
    path.write_text(f"{HEAD}{OLD}  # torchfix: ignore[TP999]\n")
    result = run("check", "--all", str(path), "--ignore", chosen)
    assert "unknown-rule" not in result.output
    assert "TP301" in result.output


def test_it_can_be_ignored_by_files() -> None:
    text = "x = 1  # torchfix: ignore[TP999]\n"
    root = Path("/nowhere")
    settings = Settings(root=root, per_file_ignores=(("tests/*", ("TP004",)),))
    assert migrate_bytes(text.encode(), root / "a.py", settings).findings
    assert not migrate_bytes(text.encode(), root / "tests" / "a.py", settings).findings


def test_codes_and_names_are_those_of_no_rule() -> None:
    assert not {each.code for each in REMARKS} & {rule.code for rule in all_rules()}
    assert not {each.name for each in REMARKS} & {rule.name for rule in all_rules()}


@pytest.mark.parametrize("remark", [pytest.param(each, id=each.code) for each in REMARKS])
def test_explain_knows_what_is_said_under_no_rules_code(remark: Remark) -> None:
    for name in (remark.code, remark.name, remark.code.lower()):
        result = run("explain", name)
        assert result.exit_code == 0
        assert result.stdout.startswith(f"# {remark.code} {remark.name}\n\n")


@pytest.mark.parametrize(
    "words", [("--select", "TP002"), ("--ignore", "TP001"), ("--select", "unknown-rule")]
)
def test_what_is_no_rule_is_not_selected(words: tuple[str, str]) -> None:
    result = run("check", "-", *words, stdin="x = 1\n")
    assert result.exit_code == 2
    assert f"{words[0]}: TP00" in result.stderr and "is no rule (torchfix explain " in result.stderr


DIVISION = "import torch\nprint 1\n\ndef f(a, count):\n    return len(a) / count{}\n"


def test_division_of_python_2_can_be_kept_by_a_comment() -> None:
    settings = Settings(py2=True)

    def found(comment: str, settings: Settings = settings) -> list[str]:
        result = migrate_bytes(DIVISION.format(comment).encode(), ALONE / "a.py", settings)
        assert not result.errors
        return [f.code for f in result.findings if f.numerics is Numerics.ADVICE]

    assert found("") == ["TP002"]
    assert found("  # torchfix: ignore[TP101]") == ["TP002"]
    assert found("  # torchfix: ignore[TP002]") == []
    assert found("  # noqa: TP002") == []
    assert found("", Settings(py2=True, ignore=("python-2-division",))) == []


def test_a_kept_division_stays_as_it_is() -> None:
    text = "import torch\nprint 1\nx = 3 / 2{}\n"
    settings = Settings(py2=True)
    after = migrate_bytes(text.format("").encode(), ALONE / "a.py", settings).after
    assert after is not None and "x = 3 // 2" in after
    kept = text.format("  # torchfix: ignore[TP002]")
    after = migrate_bytes(kept.encode(), ALONE / "a.py", settings).after
    assert after is not None and "x = 3 / 2  #" in after


def test_blocks_that_are_no_python_can_be_ignored() -> None:
    text = "```python\nimport torch\nmodel.cuda()\n   ...\n```\n"
    settings = Settings(docs=True)
    assert migrate_bytes(text.encode(), ALONE / "a.md", settings).findings
    settings = Settings(docs=True, ignore=("TP003",))
    result = migrate_bytes(text.encode(), ALONE / "a.md", settings)
    assert not result.findings and not result.errors
