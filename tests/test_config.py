from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from torchfix_codemods import migrate_paths
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


# The settings nearest to each file

LEGACY = "import torch.nn as nn\nloss = nn.MSELoss(size_average=False)\n"


@pytest.fixture
def nested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which a folder has settings of its own, and one has a file without any."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "inner/b.py", "inner/deep/c.py", "inner/theirs/d.py", "other/e.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(LEGACY)
    (tmp_path / "pyproject.toml").write_text('[tool.torchfix]\nignore = ["TP301"]\n')
    (tmp_path / "inner" / "pyproject.toml").write_text('[tool.torchfix]\nexclude = ["theirs/"]\n')
    (tmp_path / "other" / "pyproject.toml").write_text("[tool.black]\n")
    return tmp_path


def would_rewrite(*words: str) -> list[str]:
    result = CliRunner().invoke(main, ["migrate", "--check", "--no-cache", *words])
    assert result.exit_code in (0, 1), result.output
    said = [line for line in result.stdout.splitlines() if line.startswith("would rewrite ")]
    return [line.removeprefix("would rewrite ").replace("\\", "/") for line in said]


INNER = ["inner/b.py", "inner/deep/c.py"]


@pytest.mark.parametrize(
    ("words", "rewritten"),
    [
        (["."], INNER),
        (["a.py", "inner/b.py"], ["inner/b.py"]),
        (["inner/b.py", "a.py"], ["inner/b.py"]),
        (["inner/theirs/d.py"], []),
        (["inner", "other"], INNER),
        ([".", "--ignore", "size-average"], []),
        ([".", "--exclude", "c.py"], ["inner/b.py"]),
        ([".", "--config", "pyproject.toml"], []),
        ([".", "--config", "inner/pyproject.toml"], ["a.py", *INNER, "other/e.py"]),
    ],
)
def test_the_settings_nearest_to_a_file_hold_for_it(
    nested: Path, words: list[str], rewritten: list[str]
) -> None:
    assert sorted(would_rewrite(*words)) == sorted(rewritten)


def test_they_hold_in_other_processes_and_from_python(nested: Path) -> None:
    rewritten = [str(Path(each)) for each in INNER]
    assert [r.path for r in migrate_paths(["."]) if r.changed] == rewritten
    assert would_rewrite(".", "--jobs", "2") == INNER
    assert not [r for r in migrate_paths(["."], settings=read_settings(nested)) if r.changed]


def test_a_file_below_no_settings_has_none(
    nested: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    free = tmp_path_factory.mktemp("free") / "f.py"
    free.write_text(LEGACY)
    assert would_rewrite("a.py", str(free)) == [str(free)]
    assert would_rewrite(str(free), "a.py") == [str(free)]


def test_kept_results_are_those_of_the_settings_of_the_file(
    nested: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHFIX_CACHE_DIR", str(nested / "kept"))
    for _ in range(2):
        result = CliRunner().invoke(main, ["migrate", "--check", "."])
        assert result.stdout.count("would rewrite") == 2


def test_settings_that_cannot_be_read_are_told_before_anything_is_done(nested: Path) -> None:
    (nested / "inner" / "deep" / "pyproject.toml").write_text("[tool.torchfix]\nselct = []\n")
    result = CliRunner().invoke(main, ["migrate", "--no-cache", "."])
    assert result.exit_code == 2 and "unknown key" in result.stderr
    assert (nested / "inner" / "b.py").read_text() == LEGACY


def test_a_file_of_settings_that_is_named(nested: Path) -> None:
    own = nested / "mine.toml"
    own.write_text('exclude = ["inner/", "a.py"]\n')
    assert would_rewrite(".", "--config", "mine.toml") == ["other/e.py"]
    assert would_rewrite(".", "--config", "mine.toml", "--exclude", "e.py") == []
    for text, message in (
        ("[tool.black]\n", "there is no table [tool.torchfix] in it"),
        ("selct = []\n", "unknown key in [tool.torchfix]: selct"),
        ("exclude = [\n", "not valid TOML"),
    ):
        own.write_text(text)
        result = CliRunner().invoke(main, ["check", ".", "--config", "mine.toml"])
        assert result.exit_code == 2 and message in result.stderr
    assert CliRunner().invoke(main, ["check", ".", "--config", "none.toml"]).exit_code == 2


# What adds to lists


def test_lists_that_add(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.torchfix]\nignore = ["TP104"]\nextend-ignore = ["TP105"]\nexclude = ["a"]\n'
        'extend-exclude = ["b"]\nextend-select = ["TP417"]\n'
    )
    settings = read_settings(tmp_path)
    assert (settings.ignore, settings.exclude) == (("TP104", "TP105"), ("a", "b"))
    assert settings.extend_select == ("TP417",)
    given = with_options(settings, extend_select=("TP1",), ignore=("TP2",))
    assert given.extend_select == ("TP417", "TP1")


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        ([], []),
        (["--extend-select", "TP417"], ["TP417"]),
        (["--extend-select", "log1p", "--ignore", "TP417"], []),
        (["--extend-select", "log1p", "--extend-ignore", "TP417"], []),
        (["--select", "TP301", "--extend-select", "TP417"], ["TP417"]),
        (["--extend-select", "TP417", "--extend-exclude", "a.py"], []),
    ],
)
def test_rules_besides_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], codes: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("import torch\nrate = torch.log(1 + torch.ones(2))\n")
    said = CliRunner().invoke(main, ["check", "a.py", "--no-cache", *words]).stdout
    assert [line.split(": ")[1].split()[0] for line in said.splitlines()] == codes
