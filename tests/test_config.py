from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from torchfix_codemods.cli.commands import main
from torchfix_codemods.settings.config import ConfigError, Settings, with_options
from torchfix_codemods.settings.pyproject import read_settings

_MOVES_NUMBERS = """\
import torch.nn as nn
import torch.nn.functional as F
class Net(nn.Module):
    def forward(self, x):
        return F.dropout(x)
"""

ALL = """
[tool.torchfix]
select = ["TP1", "size-average"]
ignore = ["TP104"]
exclude = ["vendor/"]
from = "0.3"
to = "2.6"
safe = true
device-name = "dev"

[tool.torchfix.per-file-ignores]
"tests/*" = ["TP201"]
"""


def test_all_keys(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(ALL)
    (tmp_path / "src").mkdir()
    assert read_settings(tmp_path / "src") == Settings(
        root=tmp_path,
        select=("TP1", "size-average"),
        ignore=("TP104",),
        exclude=("vendor/",),
        per_file_ignores=(("tests/*", ("TP201",)),),
        from_version="0.3",
        to_version="2.6",
        safe=True,
        device_name="dev",
    )


def test_a_pyproject_without_the_table_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.torchfix]\nsafe = true\n")
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "pyproject.toml").write_text("[tool.black]\n")
    assert read_settings(inner).safe


@pytest.mark.parametrize(
    ("written", "given", "counts"),
    [
        ("true", [], True),
        ("true", ["--no-safe"], False),
        ("true", ["--safe"], True),
        ("false", ["--safe"], True),
        ("false", [], False),
    ],
)
def test_the_command_line_counts_more_than_the_file(
    tmp_path: Path, written: str, given: list[str], counts: bool
) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.torchfix]\nsafe = {written}\n")
    file = tmp_path / "old.py"
    file.write_text(_MOVES_NUMBERS)
    CliRunner().invoke(main, ["migrate", str(file), "--no-cache", *given])
    assert (file.read_text() == _MOVES_NUMBERS) is counts


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("selct = []", r"unknown key in .*: selct \(did you mean select\?\)"),
        ("device_name = 'd'", r"unknown key in .*: device_name \(did you mean device-name\?\)"),
        ('to = "2.99.1"\nfrom = "1.15"', "pyproject.toml: from: there is no torch 1.15 "),
        ("a = 1\nb = 2", r"unknown keys in .*: a, b \(known: device-name, docs, "),
        ("a = 1\nselct = []", r"unknown keys in .*: a, selct \(known: "),
        ('select = "TP1"', "select must be a list of strings"),
        ("safe = 1", "safe must be true or false, not 1$"),
        ('device-name = "my device"', "device-name must be a Python name"),
        ('device-name = "class"', "device-name must be a Python name"),
        ("from = 0.3", 'from must be a string, not 0.3, as in from = "1.13"'),
        ('from = "old"', "pyproject.toml: from: not a torch version: 'old'"),
        ('to = "1.x"', r"pyproject.toml: to: .*write it as 0.3 or 1.13.1"),
        ('select = ["TP999"]', "pyproject.toml: select: no such rule: 'TP999'"),
        ('select = ["TP002"]', "pyproject.toml: select: TP002 python-2-division is no rule"),
        ('ignore = ["TP001"]', "pyproject.toml: ignore: TP001 python-2 is no rule"),
        (
            '[tool.torchfix.per-file-ignores]\n"a/*" = ["x"]',
            """pyproject.toml: per-file-ignores, "a/\\*": no such rule: 'x'""",
        ),
        ("per-file-ignores = []", "per-file-ignores must be a table"),
        ("select = [", "not valid TOML"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, table: str, message: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.torchfix]\n{table}\n")
    with pytest.raises(ConfigError, match=message):
        read_settings(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tool = 1\n", r"\[tool\] must be a table, not 1"),
        ('[tool]\ntorchfix = "TP1"\n', r"\[tool.torchfix\] must be a table, not 'TP1'"),
        ("[[tool.torchfix]]\nsafe = true\n", r"\[tool.torchfix\] must be a table"),
    ],
)
def test_what_is_no_table_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(ConfigError, match=message):
        read_settings(tmp_path)


def test_options_replace_or_add() -> None:
    settings = Settings(select=("TP1",), ignore=("TP104",), exclude=("a",))
    given = with_options(settings, select=("TP2",), ignore=("TP203",), exclude=(), safe=False)
    assert given.select == ("TP2",)
    assert given.ignore == ("TP104", "TP203")
    assert given.exclude == ("a",)
