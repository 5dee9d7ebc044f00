from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.support.alone import ALONE
from torchfix_codemods.cli.commands import main
from torchfix_codemods.finding import FileResult
from torchfix_codemods.runs.runner import migrate_bytes
from torchfix_codemods.settings.config import Settings

OLD, NEW = "size_average=False", 'reduction="sum"'
CODE = f"import torch.nn as nn\nloss = nn.MSELoss({OLD})\n"


def migrate(text: str, name: str = "README.md", **settings: Any) -> FileResult:
    return migrate_bytes(text.encode(), ALONE / name, Settings(docs=True, **settings))


def fenced(code: str, info: str = "python", fence: str = "```", indent: str = "") -> str:
    lines = [f"{indent}{line}" if line.strip() else line for line in code.splitlines(True)]
    return f"{indent}{fence}{info}\n{''.join(lines)}{indent}{fence}\n"


def below(directive: str, code: str, indent: str = "    ") -> str:
    lines = [f"{indent}{line}" if line.strip() else line for line in code.splitlines(True)]
    return f".. {directive}\n\n{''.join(lines)}\n"


def rewritten(text: str, name: str = "README.md", **settings: Any) -> str:
    """A text after a migration, which has no errors and a second run of it no effect."""
    result = migrate(text, name, **settings)
    assert not result.errors, result.errors
    if result.after is None:
        return text
    assert not migrate(result.after, name, **settings).changed
    return result.after


PROSE = f"# torch\n\nThe loss `nn.MSELoss({OLD})`:\n\n"

MARKDOWN = {
    "plain": fenced(CODE),
    "py": fenced(CODE, "py"),
    "python3": fenced(CODE, " python3"),
    "capital": fenced(CODE, "Python"),
    "title": fenced(CODE, 'python title="a.py"'),
    "pandoc": fenced(CODE, "{.python .numberLines}"),
    "executed": fenced(CODE, "{python}"),
    "directive": fenced(CODE, "{code-block} python"),
    "options": fenced(f":name: x\n:caption: torch\n{CODE}", "{code-block} python"),
    "tildes": fenced(CODE, "python", "~~~"),
    "four": fenced(CODE, "python", "````"),
    "list": "- torch:\n\n" + fenced(CODE, indent="  "),
    "deep list": "1. a\n    - torch:\n\n" + fenced(CODE, indent="      "),
    "tab": fenced(CODE, indent="\t"),
    "magic": fenced(f"!pip install torch\n{CODE}"),
    "indented code": fenced("    import torch.nn as nn\n\n    " + CODE.splitlines(True)[1]),
}


@pytest.mark.parametrize("block", MARKDOWN.values(), ids=MARKDOWN)
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_blocks_of_markdown(block: str, newline: str) -> None:
    before = f"{PROSE}{block}\nmore\n".replace("\n", newline)
    after = f"{PROSE}{block.replace(OLD, NEW)}\nmore\n".replace("\n", newline)
    assert rewritten(before) == after


NO_MARKDOWN = {
    "no language": fenced(CODE, ""),
    "other language": fenced(CODE, "cpp"),
    "session": fenced(">>> import torch.nn as nn\n>>> nn.MSELoss(size_average=False)\n"),
    "pycon": fenced(CODE, "pycon"),
    "inside another": "````markdown\n" + fenced(CODE) + "````\n",
    "not closed": f"```python\n{CODE}",
    "inline": f"```python nn.MSELoss({OLD})```\n",
    "indented": "    " + CODE.replace("\n", "\n    "),
    "comment": "<!-- " + CODE + " -->\n",
    "note": fenced(CODE, "{note} python"),
}


@pytest.mark.parametrize("block", NO_MARKDOWN.values(), ids=NO_MARKDOWN)
def test_what_is_no_block_of_python_in_markdown(block: str) -> None:
    text = f"{PROSE}{block}\nmore\n"
    assert rewritten(text) == text


RESTRUCTUREDTEXT = {
    "code-block": below("code-block:: python", CODE),
    "code": below("code:: python3", CODE),
    "sourcecode": below("sourcecode:: py", CODE),
    "wide": below("code-block:: python", CODE, "         "),
    "options": below("code-block:: python\n    :linenos:\n    :caption: torch", CODE),
    "no blank line": f".. code-block:: python\n    :linenos:\n\n\n   {CODE}".replace(
        "\nloss", "\n   loss"
    ),
    "in a list": "* torch\n\n  .. code-block:: python\n\n     " + CODE.replace("\nl", "\n     l"),
    "blank lines inside": below("code-block:: python", CODE.replace("\nl", "\n\n\nl")),
    "at the end": below("code-block:: python", CODE).rstrip("\n"),
}


@pytest.mark.parametrize("block", RESTRUCTUREDTEXT.values(), ids=RESTRUCTUREDTEXT)
def test_blocks_of_restructuredtext(block: str) -> None:
    before = f"torch\n=====\n\n{block}"
    assert rewritten(before, "a.rst") == before.replace(OLD, NEW)
    more = f"{before}\n\nmore ``nn.MSELoss({OLD})``\n"
    assert rewritten(more, "a.rst") == f"{before.replace(OLD, NEW)}\n\nmore ``nn.MSELoss({OLD})``\n"


NO_RESTRUCTUREDTEXT = {
    "literal": below("", CODE).replace(".. ", "torch::"),
    "other language": below("code-block:: c++", CODE),
    "no language": below("code-block::", CODE),
    "pycon": below("code-block:: pycon", CODE),
    "session": below("code-block:: python", ">>> nn.MSELoss(size_average=False)\n"),
    "doctest": ">>> import torch.nn as nn\n>>> nn.MSELoss(size_average=False)\n",
    "not indented": f".. code-block:: python\n\n{CODE}",
    "empty": ".. code-block:: python\n\ntorch\n",
    "comment": f"..\n    code-block:: python\n\n    {CODE}",
}


@pytest.mark.parametrize("block", NO_RESTRUCTUREDTEXT.values(), ids=NO_RESTRUCTUREDTEXT)
def test_what_is_no_block_of_python_in_restructuredtext(block: str) -> None:
    text = f"torch\n=====\n\n{block}\nmore\n"
    assert rewritten(text, "a.rst") == text


def test_the_blocks_of_a_document_are_one_program() -> None:
    first = fenced("import torch\nfrom torch.autograd import Variable\nx = torch.ones(2)\n")
    second = fenced("for i in range(3):\n    y = Variable(x)\n    print(y.data)\n")
    assert rewritten(f"{first}text\n\n{second}") == (
        fenced("import torch\nx = torch.ones(2)\n")
        + "text\n\n"
        + fenced("for i in range(3):\n    y = x\n    print(y)\n")
    )


def test_a_block_that_is_no_python_does_not_hinder_the_others() -> None:
    part = fenced("model.cuda()\n   ... and so on\n")
    before = f"# torch\n{part}{fenced(CODE)}"
    result = migrate(before)
    assert result.after == before.replace(OLD, NEW) and not result.errors
    (left,) = [f for f in result.findings if not f.fixed]
    assert (left.code, left.line) == ("TP003", 4)
    assert "left as it is: not valid Python" in left.message


def test_a_part_that_no_rule_is_about_is_not_named() -> None:
    result = migrate(f"# torch\n{fenced('pip install it' + chr(10))}{fenced(CODE)}")
    assert result.changed and not [f for f in result.findings if not f.fixed]


def test_lines_that_stay_keep_their_white_space() -> None:
    code = "  import torch.nn as nn\n    \n\t\n  s = '''\n  a\n  '''\n \n  x = 1   \n"
    before = f"# torch\n\n```python\n{code}  y = nn.MSELoss({OLD})\n```\n"
    assert rewritten(before) == before.replace(OLD, "reduction='sum'")


def test_lines_that_are_new_are_indented_like_their_block() -> None:
    code = (
        "import torch\nimport torch.nn as nn\n\n"
        "def f(net: nn.Module):\n    x = torch.ones(1)\n\n    return x.cuda()\n"
    )
    after = rewritten("# torch\n" + fenced(code, indent="   "))
    assert "\n   device = torch.device(" in after
    assert "\n   \n" not in after
    assert all(line.startswith("   ") or not line for line in after.splitlines()[1:])


def test_findings_stand_at_the_lines_of_the_document() -> None:
    text = f"# torch\n\n{fenced(CODE, indent='  ')}"
    (finding,) = migrate(text).findings
    line = text.splitlines()[finding.line - 1]
    assert line[finding.column - 1 :].startswith("nn.MSELoss")


def test_what_dates_a_document_stands_at_its_line() -> None:
    code = "from torch.autograd import Variable\nVariable(x, volatile=True)\n"
    result = migrate("# torch\n\n" + fenced(code))
    assert result.era.evidence == ("line 5: volatile= (0.3 at most)",)


def test_comments_suppress() -> None:
    text = fenced(CODE.replace(")\n", ")  # torchfix: ignore\n"))
    assert rewritten(text) == text


def test_blocks_of_python_2() -> None:
    text = fenced(f"{CODE}print 'x'\n")
    assert not migrate(text).changed
    after = rewritten(text, py2=True)
    assert after == text.replace(OLD, "reduction='sum'").replace("print 'x'", "print('x')")


def test_the_first_line_declares_no_encoding() -> None:
    text = f"# Encoding: a tutorial für torch\n\n{fenced(CODE)}"
    assert rewritten(text) == text.replace(OLD, NEW)


def run(*args: str) -> Result:
    return CliRunner().invoke(main, list(args))


def test_documents_are_searched_for_only_with_the_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("README.md").write_text(PROSE + fenced(CODE))
    Path("a.rst").write_text("torch\n\n" + below("code-block:: python", CODE))
    assert "0 files" in run("migrate", ".").stderr
    named = run("migrate", "README.md")
    assert named.exit_code == 2
    assert "README.md: no Python; --docs migrates its code blocks" in named.stderr
    diff = run("migrate", ".", "--docs", "--diff")
    assert diff.exit_code == 1
    assert f"--- a/README.md\n+++ b/README.md\n@@ -4,5 +4,5 @@\n \n ```python\n {CODE[:21]}\n" in (
        diff.stdout
    )
    assert "2 files, 2 rewritten" in run("migrate", ".", "--docs").stderr
    assert NEW in Path("README.md").read_text() and NEW in Path("a.rst").read_text()
    assert run("migrate", ".", "--docs", "--check").exit_code == 0


def test_the_options_can_be_set_for_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text("[tool.torchfix]\ndocs = true\npy2 = true\n")
    Path("README.md").write_text(fenced(f"{CODE}print 'x'\n"))
    assert "1 file, 1 would be rewritten" in run("migrate", ".", "--check").stderr
    Path("pyproject.toml").write_text('[tool.torchfix]\ndocs = "yes"\n')
    assert "docs must be true or false" in run("migrate", ".", "--check").stderr
