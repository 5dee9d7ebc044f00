"""What programs call."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import torchfix_codemods
from tests.documents.books import notebook, written
from torchfix_codemods import (
    ConfigError,
    FileResult,
    Finding,
    Numerics,
    Settings,
    check_text,
    migrate_paths,
    migrate_text,
    read_settings,
)
from torchfix_codemods.cli.commands import main

LEGACY = "import torch.nn as nn\nloss = nn.MSELoss(size_average=False)\n"
MODERN = 'import torch.nn as nn\nloss = nn.MSELoss(reduction="sum")\n'
PAGE = (Path(__file__).parents[1] / "docs" / "api.md").read_text("utf-8")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


SIGNATURES = {
    "migrate_text": "(text: 'str | bytes', *, path: 'str | os.PathLike[str]' = '<text>', "
    "settings: 'Settings | None' = None, accepts: 'Callable[[int, str], bool] | None' = None)"
    " -> 'FileResult'",
    "check_text": "(text: 'str | bytes', *, path: 'str | os.PathLike[str]' = '<text>', "
    "settings: 'Settings | None' = None) -> 'FileResult'",
    "migrate_paths": "(paths: 'Iterable[str | os.PathLike[str]]', *, "
    "settings: 'Settings | None' = None, write: 'bool' = False, "
    "output: 'str | os.PathLike[str] | None' = None, jobs: 'int' = 1) -> 'list[FileResult]'",
    "read_settings": "(start: 'Path') -> 'Settings'",
}

FIELDS = {
    "Settings": "root select ignore exclude per_file_ignores from_version to_version safe docs py2 "
    "device_name timeout cache_dir",
    "Finding": "line column code name message numerics fixed place",
    "FileResult": "path findings errors before after",
    "FileError": "kind message line place",
    "Place": "part line column",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_signature_stays(name: str) -> None:
    assert str(inspect.signature(getattr(torchfix_codemods, name))) == SIGNATURES[name]


@pytest.mark.parametrize("name", FIELDS)
def test_fields_stay(name: str) -> None:
    known = [field.name for field in dataclasses.fields(getattr(torchfix_codemods, name))]
    assert set(FIELDS[name].split()) <= set(known)


def test_what_is_given_by_place_stays_there() -> None:
    """New fields come behind these."""
    parameters = list(inspect.signature(Finding).parameters)
    assert parameters[:7] == "line column code name message numerics fixed".split()


def test_the_names_are_those_of_the_page() -> None:
    public = {*torchfix_codemods.__all__} - {"__version__"}
    assert public == {*SIGNATURES, *FIELDS, "Numerics", "ConfigError"}
    assert {*dir(torchfix_codemods)} == {*torchfix_codemods.__all__}
    assert [name for name in sorted(public) if not re.search(rf"\b{name}\b", PAGE)] == []
    with pytest.raises(AttributeError, match="no attribute 'migrate_file'"):
        torchfix_codemods.migrate_file  # noqa: B018


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = (
        "import sys; import torchfix_codemods; print(len(sys.modules))\n"
        "from torchfix_codemods import Settings, migrate_text\n"
        "print(*{'libcst', 'rich', 'click', 'torch', 'pathspec'} & sys.modules.keys(),"
        " *[m for m in sys.modules if m.startswith('torchfix_codemods.rules')])"
    )
    command = [sys.executable, "-c", f"import sys; n = len(sys.modules)\n{code}\nprint(n)"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    modules, heavy, before = done.stdout.split("\n")[:3]
    # The package and its version.
    assert int(modules) - int(before) <= 2
    assert heavy == ""


@pytest.mark.parametrize("text", [LEGACY, LEGACY.encode(), b"\xef\xbb\xbf" + LEGACY.encode()])
def test_a_text_is_migrated(text: str | bytes) -> None:
    result = migrate_text(text)
    assert (result.before, result.after) == (LEGACY, MODERN)
    mark = b"\xef\xbb\xbf" if text[:1] == b"\xef" else b""
    assert result.after_bytes == mark + MODERN.encode()
    assert result.errors == ()


def test_bytes_keep_their_encoding() -> None:
    head = '# coding: latin-1\ns = "ü"\n'
    after = migrate_text((head + LEGACY).encode("latin-1")).after_bytes
    assert after == (head + MODERN).encode("latin-1")


@pytest.mark.parametrize(
    "text", [MODERN, "", "x = 1\n", b"", b"\xff\xfe", "x = = 'torch'\n", "\ud800"]
)
def test_what_does_not_change_has_no_texts(text: str | bytes) -> None:
    result = migrate_text(text)
    assert (result.before, result.after, result.after_bytes) == (None, None, None)
    assert not result.changed


def test_errors_are_told_not_raised() -> None:
    (error,) = migrate_text("import torch\nx = = 1\n").errors
    assert (error.kind, error.line) == ("syntax", 2)


def test_a_notebook_is_migrated(folder: Path) -> None:
    book = written(notebook("import torch.nn as nn", LEGACY))
    result = migrate_text(book, path="book.ipynb")
    assert result.after is not None
    assert json.loads(result.after)["cells"][1]["source"] == MODERN.splitlines(keepends=True)
    (finding,) = check_text(book.encode(), path=folder / "book.ipynb").findings
    assert finding.place is not None
    assert (finding.place.part, finding.place.line) == ("cell 2", 2)


def test_check_finds_and_gives_no_text() -> None:
    result = check_text(LEGACY)
    (finding,) = result.findings
    assert (finding.code, finding.fixed, finding.numerics) == ("TP301", True, Numerics.IDENTICAL)
    assert (result.before, result.after) == (None, None)


def test_only_some_rewrites_are_accepted() -> None:
    text = LEGACY + "other = nn.MSELoss(size_average=False)\n"
    result = migrate_text(text, accepts=lambda line, code: (line, code) == (3, "TP301"))
    assert result.after == LEGACY + 'other = nn.MSELoss(reduction="sum")\n'


def test_the_settings_of_the_project_hold_where_none_are_given(folder: Path) -> None:
    (folder / "pyproject.toml").write_text(
        '[tool.torchfix]\nignore = ["TP301"]\nexclude = ["gen"]\n'
    )
    assert migrate_text(LEGACY).after is None
    assert migrate_text(LEGACY, settings=Settings()).after == MODERN
    assert migrate_text(LEGACY, path=folder / "gen" / "a.py", settings=Settings()).changed
    assert migrate_text("import torch\ntorch.ger(a, b)\n", path="a.py").changed
    assert not migrate_text("import torch\ntorch.ger(a, b)\n", path="gen/a.py").changed
    assert read_settings(folder).ignore == ("TP301",)


@pytest.mark.parametrize(
    "settings", [Settings(select=("TP9999",)), Settings(to_version="new"), Settings(ignore=("x",))]
)
def test_settings_that_mean_nothing_are_refused(settings: Settings) -> None:
    for call in (migrate_text, check_text):
        with pytest.raises(ConfigError, match="Settings: "):
            call(LEGACY, settings=settings)
    with pytest.raises(ConfigError, match="Settings: "):
        migrate_paths(["."], settings=settings)


@pytest.fixture
def project(folder: Path) -> Path:
    (folder / "src" / "sub").mkdir(parents=True)
    (folder / "src" / "old.py").write_text(LEGACY)
    (folder / "src" / "sub" / "new.py").write_text(MODERN)
    (folder / "src" / "sub" / "old.py").write_bytes(LEGACY.replace("\n", "\r\n").encode())
    (folder / "src" / "broken.py").write_text("import torch\nx = = 1\n")
    (folder / "src" / "data.txt").write_text("torch\n")
    return folder


def texts(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }


MIGRATED = {
    "broken.py": b"import torch\nx = = 1\n",
    "old.py": MODERN.encode(),
    "sub/new.py": MODERN.encode(),
    "sub/old.py": MODERN.replace("\n", "\r\n").encode(),
}


def by_path(results: list[FileResult]) -> dict[str, bool]:
    return {result.path: result.changed for result in results}


def test_paths_are_looked_at_and_nothing_is_written(project: Path) -> None:
    before = texts(project)
    results = migrate_paths(["src", "gone.py", Path("gone.py")])
    assert by_path(results) == {
        "gone.py": False,
        "src/broken.py": False,
        "src/old.py": True,
        "src/sub/new.py": False,
        "src/sub/old.py": True,
    }
    assert len(results) == 5
    assert [error.kind for r in results for error in r.errors] == ["missing", "syntax"]
    assert texts(project) == before
    assert migrate_paths([]) == []


def test_paths_are_written_back(project: Path) -> None:
    migrate_paths(["src"], write=True, jobs=2)
    assert texts(project / "src") == {**MIGRATED, "data.txt": b"torch\n"}


@pytest.mark.parametrize("paths", [["src"], ["src/old.py", "src/broken.py", "src/sub"]])
@pytest.mark.parametrize("target", ["new", "src/new", "../{}/new/deep"])
def test_another_folder_gets_all_files(project: Path, paths: list[str], target: str) -> None:
    before = texts(project)
    target = target.format(project.name)
    for _ in range(2):
        results = migrate_paths(paths, output=target)
        assert sum(result.changed for result in results) == 2
        assert texts(Path(target)) == MIGRATED
    for written_there in Path(target).rglob("*.py"):
        written_there.unlink()
    assert texts(project) == before


def test_a_file_reached_through_a_link_is_written_to_another_folder(project: Path) -> None:
    (project / "link").symlink_to("src", target_is_directory=True)
    (project / "alone.py").symlink_to("src/old.py")
    migrate_paths(["link/sub", "alone.py"], output="new")
    assert sorted(texts(project / "new")) == ["alone.py", "src/sub/new.py", "src/sub/old.py"]
    assert texts(project / "new")["alone.py"] == MODERN.encode()


def test_a_mode_goes_along(project: Path) -> None:
    (project / "src" / "old.py").chmod(0o755)
    migrate_paths(["src"], output="new")
    assert (project / "new" / "old.py").stat().st_mode & 0o777 == 0o755


def test_what_cannot_be_written_elsewhere_is_told(project: Path) -> None:
    (project / "new" / "old.py").mkdir(parents=True)
    (result,) = migrate_paths(["src/old.py"], output="new")
    assert [error.kind for error in result.errors] == ["unwritable"]
    assert result.errors[0].message == "cannot be written to new/old.py: Is a directory"


@pytest.mark.parametrize(
    ("output", "reason"), [("src", "where the files are"), ("src/old.py", "is no folder")]
)
def test_no_folder_for_output(project: Path, output: str, reason: str) -> None:
    before = texts(project)
    with pytest.raises(ConfigError, match=reason):
        migrate_paths(["src"], output=output)
    assert CliRunner().invoke(main, ["migrate", "src", "--output", output]).exit_code == 2
    assert texts(project) == before


def test_the_command_writes_to_another_folder(project: Path) -> None:
    before = texts(project)
    result = CliRunner().invoke(main, ["migrate", "src", "--output", "new"])
    assert result.exit_code == 2
    assert result.stdout.splitlines() == ["rewrote new/old.py", "rewrote new/sub/old.py"]
    assert texts(project / "new") == MIGRATED
    assert {k: v for k, v in texts(project).items() if not k.startswith("new/")} == before
    (project / "src" / "broken.py").unlink()
    assert CliRunner().invoke(main, ["migrate", "src", "--output", "new"]).exit_code == 0


def test_how_old_the_code_was_is_kept_for_the_other_folder(project: Path) -> None:
    (project / "src" / "old.py").write_text(
        "import torch\nfrom torch.autograd import Variable\n"
        "print(Variable(torch.ones(1), volatile=True))\ndef g(x):\n    return x.data[0]\n"
    )
    settings = Settings(cache_dir=project / "cache")
    (first,) = migrate_paths(["src/old.py"], settings=settings, output="new")
    (second,) = migrate_paths(["new/old.py"], settings=settings)
    (third,) = migrate_paths(["new/old.py"], settings=Settings())
    assert first.changed and first.era.before((0, 4))
    assert second.era.before((0, 4)) and not third.era.before((0, 4))


@pytest.mark.parametrize("option", ["--diff", "--check"])
def test_what_writes_nothing_has_no_folder(project: Path, option: str) -> None:
    result = CliRunner().invoke(main, ["migrate", "src", "--output", "new", option])
    assert result.exit_code == 2
    assert f"--output writes files, {option} does not" in result.stderr
    assert CliRunner().invoke(main, ["migrate", "-", "--output", "new"]).exit_code == 2


def test_what_was_accepted_goes_to_the_folder(project: Path) -> None:
    words = ["migrate", "src/old.py", "--output", "new", "--interactive"]
    assert CliRunner().invoke(main, words, input="y\n").exit_code == 0
    assert texts(project / "new") == {"old.py": MODERN.encode()}
    assert (project / "src" / "old.py").read_text() == LEGACY


def test_the_examples_of_the_page_do_what_it_says(project: Path) -> None:
    (project / "book.ipynb").write_text(written(notebook(LEGACY)))
    blocks = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", PAGE, re.DOTALL)
    assert len(blocks) == 5
    for code, output in blocks:
        assert code.count("\n") <= 4
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            exec(code, {})
        assert not output or told.getvalue().rstrip() == output.rstrip()
