"""The result cache: what is kept is what a run without it gives, and nothing breaks it."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from pathlib import Path

import platformdirs
import pytest
from click.testing import CliRunner

from torchfix_codemods.cli.commands import main
from torchfix_codemods.finding import FileResult
from torchfix_codemods.project.kept_ages import forget
from torchfix_codemods.report import matching
from torchfix_codemods.report.text import diff_of
from torchfix_codemods.runs import cache as kept
from torchfix_codemods.runs import runner
from torchfix_codemods.runs.cache import Cache, clear
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings, cache_folder

LEGACY = "import torch.nn as nn\nloss = nn.MSELoss(size_average=False)\n"
USER = "from torch.autograd import Variable\nfrom helper import make\n\nx = Variable(make())\n"
HELPER = "import torch\n\n\ndef make():\n    return torch.ones(2)\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "setup.py").write_text("")
    (folder / "legacy.py").write_text(LEGACY)
    (folder / "user.py").write_text(USER)
    (folder / "helper.py").write_text(HELPER)
    (folder / "broken.py").write_text("import torch\nx = = 1\n")
    (folder / "plain.py").write_text("x = 1\n")
    return folder


class Counting:
    """Counts the files that are really worked on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.paths: list[str] = []
        original = runner._migrated_source

        def counted(source, path, *args):  # type: ignore[no-untyped-def]
            self.paths.append(path.name)
            return original(source, path, *args)

        monkeypatch.setattr(runner, "_migrated_source", counted)

    def taken(self) -> list[str]:
        names, self.paths = sorted(self.paths), []
        return names


@pytest.fixture
def worked_on(monkeypatch: pytest.MonkeyPatch) -> Counting:
    return Counting(monkeypatch)


def run(
    tree: Path, cache_dir: Path | None, write: bool = False, **more: object
) -> list[FileResult]:
    settings = replace(Settings(root=tree, cache_dir=cache_dir), **more)  # type: ignore[arg-type]
    return list(migrate_files(sorted(tree.glob("*.py")), settings, write=write, jobs=1))


WITH_TORCH = ["broken.py", "helper.py", "legacy.py", "user.py"]


def test_a_second_run_gives_the_same_without_work(
    tree: Path, cache_dir: Path, worked_on: Counting
) -> None:
    first = run(tree, cache_dir)
    assert worked_on.taken() == WITH_TORCH
    assert run(tree, cache_dir) == first == run(tree, None)
    assert worked_on.taken() == WITH_TORCH
    assert any(result.changed for result in first) and any(result.errors for result in first)


def test_what_a_rewrite_may_move_is_kept(tree: Path, cache_dir: Path) -> None:
    (tree / "legacy.py").write_text(
        "import torch.nn as nn, torch.nn.functional as F\n\n\nclass Net(nn.Module):\n"
        "    def forward(self, x):\n        return F.alpha_dropout(x)\n"
    )
    found, again = (
        [finding for result in run(tree, cache_dir) for finding in result.findings]
        for _ in range(2)
    )
    assert any(finding.moves for finding in found)
    assert [f.moves for f in found] == [f.moves for f in again]


def test_a_diff_is_not_made_twice(
    tree: Path, cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "legacy.py").write_bytes(b"\xef\xbb\xbf" + LEGACY.encode() * 20)
    uncached = [diff_of(result) for result in run(tree, None)]
    run(tree, cache_dir)
    monkeypatch.setattr(matching, "changed_lines", None)
    assert [diff_of(result) for result in run(tree, cache_dir)] == uncached
    assert sum(map(bool, uncached)) == 2


def test_only_what_changed_is_worked_on_again(
    tree: Path, cache_dir: Path, worked_on: Counting
) -> None:
    run(tree, cache_dir)
    worked_on.taken()
    (tree / "legacy.py").write_text(LEGACY + "y = 2\n")
    run(tree, cache_dir)
    # What asked other files is looked at again, too: one of them changed.
    assert "legacy.py" in worked_on.taken()
    run(tree, cache_dir)
    assert worked_on.taken() == []


def test_a_changed_neighbour_counts(tree: Path, cache_dir: Path) -> None:
    before = {Path(r.path).name: r.after for r in run(tree, cache_dir)}
    helper = "import torch\n\n\ndef make():\n    return torch.ones(2, requires_grad=True) * 2\n"
    (tree / "helper.py").write_text(helper)
    after = {Path(r.path).name: r.after for r in run(tree, cache_dir)}
    assert after == {Path(r.path).name: r.after for r in run(tree, None)}
    assert before["user.py"] != after["user.py"]


def test_a_requirement_counts(tree: Path, cache_dir: Path) -> None:
    code = "import torch.nn.functional as F\n\n\ndef warp(x, g):\n    return F.grid_sample(x, g)\n"
    (tree / "warp.py").write_text(code)
    run(tree, cache_dir)
    (tree / "requirements.txt").write_text("torch==1.0.0\n")
    assert run(tree, cache_dir) == run(tree, None)
    changed = {Path(r.path).name for r in run(tree, cache_dir) if r.changed}
    assert "warp.py" in changed


@pytest.mark.parametrize(
    "more", [{"safe": True}, {"select": ("TP301",)}, {"to_version": "1.2"}, {"device_name": "dev"}]
)
def test_other_settings_are_other_results(
    tree: Path, cache_dir: Path, worked_on: Counting, more: dict[str, object]
) -> None:
    run(tree, cache_dir)
    worked_on.taken()
    run(tree, cache_dir, **more)
    assert worked_on.taken() == WITH_TORCH


def test_another_version_of_the_tool_is_another_result(
    tree: Path, cache_dir: Path, worked_on: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tree, cache_dir)
    worked_on.taken()
    runner._cache.cache_clear()
    monkeypatch.setattr("torchfix_codemods.runs.cache._common", lambda settings: "another")
    run(tree, cache_dir)
    assert worked_on.taken() == WITH_TORCH
    runner._cache.cache_clear()


def test_writing_keeps_what_a_run_without_cache_writes(tree: Path, cache_dir: Path) -> None:
    expected = {Path(r.path).name: r.after for r in run(tree, None)}
    run(tree, cache_dir)
    run(tree, cache_dir, write=True)
    for name, after in expected.items():
        assert after is None or (tree / name).read_text() == after
    assert not any(result.changed for result in run(tree, cache_dir))


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_writing_run_keeps_what_holds_for_the_project_as_it_was(
    tree: Path, cache_dir: Path, worked_on: Counting, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "_CHUNK", 1)
    paths = sorted(tree.glob("*.py"))
    was = {path: (path.read_bytes(), path.stat()) for path in paths}
    settings = Settings(root=tree, cache_dir=cache_dir)
    results = list(migrate_files(paths, settings, write=True, jobs=jobs))
    assert any(result.changed for result in results)
    for path, (data, status) in was.items():
        path.write_bytes(data)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    worked_on.taken()
    # What is known of the age of the files is no longer what it was.
    forget(cache_dir)
    run(tree, cache_dir)
    assert worked_on.taken() == []


def test_a_writing_run_over_one_file_looks_at_no_other(
    tree: Path, cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def walked(*args: object) -> None:
        raise AssertionError("the whole project")

    monkeypatch.setattr("torchfix_codemods.project.index.project_digest", walked)
    (tree / "alone.py").write_text("import torch\nprint(torch.ones(2))\n")
    settings = Settings(root=tree, cache_dir=cache_dir, select=("TP301",))
    [result] = migrate_files([tree / "alone.py"], settings, write=True)
    assert not result.errors


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"project": null}',
        '{"project": null, "run": null, "result": []}',
        '{"project": null, "run": null, "result": {"after": 1}}',
        '{"project": null, "run": null, "result": {"after": null, "findings": [[1]]}}',
        '{"project": null, "run": null, "result": {"after": "x", "findings": [], "errors": [],'
        ' "era": {}, "skipped": "", "drawn_from": [], "waits": false, "passed": [],'
        ' "changes": [1]}}',
        "cos\nsystem\n(S'true'\ntR.",
    ],
)
def test_a_broken_entry_counts_as_none(tree: Path, cache_dir: Path, text: str) -> None:
    expected = run(tree, cache_dir)
    for file in cache_dir.glob("??/*.json"):
        file.write_text(text)
    assert run(tree, cache_dir) == expected


def test_bytes_that_are_no_text_count_as_none(tree: Path, cache_dir: Path) -> None:
    expected = run(tree, cache_dir)
    for file in cache_dir.glob("??/*.json"):
        file.write_bytes(b"\xff\x00\x80")
    assert run(tree, cache_dir) == expected


def test_a_folder_that_cannot_be_written_does_no_harm(tree: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert run(tree, blocked) == run(tree, None)


def test_nothing_half_written_is_left(tree: Path, cache_dir: Path) -> None:
    run(tree, cache_dir)
    assert {file.suffix for file in cache_dir.rglob("*") if file.is_file()} <= {".json", ""}


def test_mistakes_of_the_machine_are_not_kept(tree: Path, cache_dir: Path) -> None:
    from torchfix_codemods.finding import FileError
    from torchfix_codemods.runs.cache import Asked

    cache = Cache(cache_dir, Settings())
    cache.write("abcd", FileResult("x", errors=(FileError("internal", "a mistake"),)), Asked())
    assert cache.read("abcd") is None


def test_what_nobody_asks_for_goes_after_a_month(cache_dir: Path) -> None:
    from torchfix_codemods.runs.cache import Asked

    cache = Cache(cache_dir, Settings())
    old, new = "aa" * 32, "bb" * 32
    cache.write(old, FileResult("x"), Asked())
    cache.write(new, FileResult("y"), Asked())
    (cache_dir / "aa" / "mine.json").write_text("")
    month_ago = time.time() - 40 * 86_400
    for name in (f"{old[2:]}.json", "mine.json"):
        os.utime(cache_dir / "aa" / name, (month_ago, month_ago))
    cache.prune()
    assert cache.read(old) is None
    assert cache.read(new) is not None
    assert (cache_dir / "aa" / "mine.json").exists()


def test_entries_are_plain_json(tree: Path, cache_dir: Path) -> None:
    run(tree, cache_dir)
    files = list(cache_dir.glob("??/*.json"))
    assert len(files) == len(WITH_TORCH)
    for file in files:
        assert set(json.loads(file.read_text())) == {"project", "run", "age", "result"}


def test_the_commands(tree: Path, cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHFIX_CACHE_DIR", str(cache_dir))
    assert cache_folder() == cache_dir
    first = CliRunner().invoke(main, ["migrate", "--diff", str(tree)])
    assert any(cache_dir.glob("??/*.json"))
    assert CliRunner().invoke(main, ["migrate", "--diff", str(tree)]).output == first.output
    shown = CliRunner().invoke(main, ["cache", "dir"])
    assert shown.output.strip() == str(cache_dir)
    cleared = CliRunner().invoke(main, ["cache", "clear"])
    assert cleared.output.startswith("4 results removed")
    assert not cache_dir.exists()
    uncached = CliRunner().invoke(main, ["migrate", "--no-cache", "--diff", str(tree)])
    assert uncached.output == first.output
    assert not cache_dir.exists()


@pytest.mark.parametrize("folder", [None, "", "/elsewhere", "/with/slash/"])
def test_the_folder_is_the_one_of_the_system(
    monkeypatch: pytest.MonkeyPatch, folder: str | None
) -> None:
    monkeypatch.delenv("TORCHFIX_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if folder is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", folder)
    assert cache_folder() == platformdirs.user_cache_path("torchfix", appauthor=False)


def test_clearing_removes_results_only(tree: Path, cache_dir: Path) -> None:
    mine = [cache_dir / name for name in ("notes.txt", "oracles/python", "ab/cd.json", "ab/cd.12")]
    for file in mine:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("mine")
    run(tree, cache_dir)
    entry = next(file for file in cache_dir.glob("??/*.json") if file not in mine)
    entry.with_suffix(".1234").write_text("half of an entry")
    assert clear(cache_dir) == len(WITH_TORCH)
    assert {file for file in cache_dir.rglob("*") if file.is_file()} == set(mine)


def test_clearing_twice_is_no_error(cache_dir: Path) -> None:
    assert clear(cache_dir) == 0


def test_results_of_another_state_of_the_tool_are_not_taken(
    tree: Path,
    cache_dir: Path,
    worked_on: Counting,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    package = tmp_path / "package"
    rule = package / "rules" / "losses" / "size_average.py"
    rule.parent.mkdir(parents=True)
    rule.touch()
    monkeypatch.setattr("torchfix_codemods.version.__file__", str(package / "version.py"))
    for is_same in (False, True, False):
        kept._common.cache_clear()
        runner._cache.cache_clear()
        run(tree, cache_dir)
        assert (worked_on.taken() == []) is is_same
        if is_same:
            rule.write_text("# Another rule.\n")
    kept._common.cache_clear()
    runner._cache.cache_clear()
