"""What a user may rely on, whatever the tool is fed and whatever happens meanwhile.

Each test is a promise. A file that cannot be worked on is named in a clear line, the exit code is
2, everything else is done, and no file is lost, half-written or changed outside of its rewrites.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from torchfix_codemods.cli.commands import main
from torchfix_codemods.text import source
from torchfix_codemods.text.source import write_atomically

LEGACY = b"import torch.nn as nn\nloss = nn.MSELoss(size_average=False)\n"
MODERN = b'import torch.nn as nn\nloss = nn.MSELoss(reduction="sum")\n'


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "good.py").write_bytes(LEGACY)
    return folder


def run(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    return result


def expect_named(tree: Path, name: str, reason: str) -> None:
    """The file is named with the reason, stays as it is, and the good one is done."""
    path = tree / name
    before = path.read_bytes()
    result = run("migrate", "--no-cache", tree)
    assert result.exit_code == 2
    lines = [line for line in result.output.splitlines() if name in line]
    assert len(lines) == 1 and reason in lines[0], result.output
    assert path.read_bytes() == before
    assert (tree / "good.py").read_bytes() == MODERN


def expect_done(tree: Path) -> Result:
    result = run("migrate", "--no-cache", tree)
    assert result.exit_code == 0, result.output
    assert (tree / "good.py").read_bytes() == MODERN
    return result


def no_temporary_files(folder: Path) -> bool:
    return not [path for path in folder.rglob("*") if "torchfix-" in path.name]


# What is in the files


def test_a_file_of_fifty_megabytes_is_named(tree: Path) -> None:
    (tree / "huge.py").write_bytes(b"import torch\n" + b"x = 1  # padding\n" * 3_000_000)
    expect_named(tree, "huge.py", "larger than 20 MB")


def test_an_expression_of_a_megabyte_is_worked_on(tree: Path) -> None:
    values = ", ".join(map(str, range(150_000)))
    text = LEGACY.decode() + f"data = [{values}]\n"
    (tree / "data.py").write_text(text)
    expect_done(tree)
    assert (tree / "data.py").read_bytes() == MODERN + text.encode()[len(LEGACY) :]


@pytest.mark.parametrize(
    "nested",
    [
        pytest.param("(" * 5000 + "1" + ")" * 5000, id="parentheses"),
        pytest.param("[" * 5000 + "]" * 5000, id="lists"),
        pytest.param("-" * 5000 + "1", id="signs"),
        pytest.param("f(" * 5000 + ")" * 5000, id="calls"),
        pytest.param("x" + ".y()" * 5000, id="chain of calls"),
    ],
)
def test_nesting_of_five_thousand_is_worked_on_or_named(tree: Path, nested: str) -> None:
    path = tree / "deep.py"
    path.write_text(f"import torch\nx = {nested}\n")
    before = path.read_bytes()
    result = run("migrate", "--no-cache", tree)
    assert result.exit_code in (0, 2)
    assert (result.exit_code == 2) == ("deep.py" in result.output)
    assert path.read_bytes() == before
    assert (tree / "good.py").read_bytes() == MODERN


def test_nested_blocks_are_worked_on_or_named(tree: Path) -> None:
    lines = ["import torch", *(f"{' ' * depth}if x:" for depth in range(99)), f"{' ' * 99}y = 1"]
    (tree / "blocks.py").write_text("\n".join(lines) + "\n")
    expect_done(tree)


def test_null_bytes_are_named(tree: Path) -> None:
    (tree / "null.py").write_bytes(b"import torch\nx = '\0'\n")
    expect_named(tree, "null.py", "NUL bytes")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"# -*- coding: klingon -*-\nimport torch\n", "klingon: name one that Python knows"),
        (b"# -*- coding: ascii -*-\nimport torch  # \xc3\xa9\n", "not valid ascii"),
        (b"import torch  # \xff\xfe\n", "not valid utf-8"),
        ("import torch\n".encode("utf-16"), "UTF-16, which Python does not read: save it as UTF-8"),
        (b"\xef\xbb\xbf# -*- coding: latin-1 -*-\nimport torch\n", "take away the mark or"),
    ],
)
def test_encodings_that_lie_are_named(tree: Path, data: bytes, reason: str) -> None:
    (tree / "lies.py").write_bytes(data)
    expect_named(tree, "lies.py", reason)


@pytest.mark.parametrize(
    "data",
    [
        LEGACY.replace(b"\n", b"\r\n"),
        LEGACY.replace(b"\n", b"\r"),
        b"\r\n".join(LEGACY.splitlines()) + b"\nx = 1\ry = 2\r\n",
        b"\xef\xbb\xbf" + LEGACY,
        b"# -*- coding: latin-1 -*-\n" + LEGACY + b"# \xe9\n",
        LEGACY.rstrip(b"\n"),
        LEGACY + b"\x0c\n\x0cclass A: pass\n",
        LEGACY + 's = "\u2028 \u0085 \U0001f600"\n'.encode(),
    ],
    ids=["crlf", "cr", "mixed", "bom", "latin-1", "no last line end", "form feeds", "separators"],
)
def test_bytes_outside_of_rewrites_stay(tree: Path, data: bytes) -> None:
    (tree / "mixed.py").write_bytes(data)
    expect_done(tree)
    after = (tree / "mixed.py").read_bytes()
    assert after == data.replace(b"size_average=False", b'reduction="sum"')


@pytest.mark.parametrize("data", [b"", b"\n", b"torch", b"\xef\xbb\xbf", b"# torch\n", b"\\\n"])
def test_almost_nothing_is_fine(tree: Path, data: bytes) -> None:
    (tree / "little.py").write_bytes(data)
    run("migrate", "--no-cache", tree)
    assert (tree / "little.py").read_bytes() == data
    assert (tree / "good.py").read_bytes() == MODERN


# What is in the folders


def test_links_that_go_round_are_passed_over(tree: Path) -> None:
    (tree / "loop").symlink_to(tree)
    (tree / "self.py").symlink_to(tree / "self.py")
    (tree / "nowhere.py").symlink_to(tree / "gone.py")
    expect_done(tree)


def test_a_link_to_itself_that_is_named_is_told(tree: Path) -> None:
    (tree / "self.py").symlink_to(tree / "self.py")
    result = run("migrate", "--no-cache", tree / "self.py", tree / "good.py")
    assert result.exit_code == 2 and "self.py" in result.output
    assert (tree / "good.py").read_bytes() == MODERN


def test_a_folder_that_is_called_like_a_file(tree: Path) -> None:
    (tree / "package.py").mkdir()
    (tree / "package.py" / "inner.py").write_bytes(LEGACY)
    expect_done(tree)
    assert (tree / "package.py" / "inner.py").read_bytes() == MODERN


def test_other_things_than_files_are_passed_over(tree: Path) -> None:
    os.mkfifo(tree / "pipe.py")
    done = threading.Event()
    worker = threading.Thread(target=lambda: (expect_done(tree), done.set()), daemon=True)
    worker.start()
    worker.join(20)
    assert done.is_set(), "reading waits for the pipe"


def test_names_of_any_kind(tree: Path) -> None:
    names = [b"white space.py", b"new\nline.py", "\u00fc\U0001f600.py".encode(), b"\xff.py"]
    for name in names:
        with open(os.path.join(os.fsencode(tree), name), "wb") as file:
            file.write(LEGACY)
    expect_done(tree)
    for name in names:
        with open(os.path.join(os.fsencode(tree), name), "rb") as file:
            assert file.read() == MODERN


def test_a_file_that_cannot_be_read_is_named(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "secret.py").write_bytes(LEGACY)
    original = Path.read_bytes

    def denied(self: Path) -> bytes:
        if self.name == "secret.py":
            raise PermissionError(errno.EACCES, "Permission denied")
        return original(self)

    monkeypatch.setattr(Path, "read_bytes", denied)
    result = run("migrate", "--no-cache", tree)
    monkeypatch.undo()
    assert result.exit_code == 2
    assert "secret.py: Permission denied" in result.output
    assert (tree / "good.py").read_bytes() == MODERN


def test_a_folder_that_cannot_be_written_is_named(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "fixed.py").write_bytes(LEGACY)
    deny(
        monkeypatch, "tempfile.mkstemp", PermissionError(errno.EACCES, "Permission denied"), "fixed"
    )
    result = run("migrate", "--no-cache", tree)
    monkeypatch.undo()
    assert result.exit_code == 2
    # What was found is left, and the name of no temporary file is told.
    error = "fixed.py: cannot be written: Permission denied; left as it is"
    assert error in result.stderr and ".torchfix-" not in result.output
    assert "are now reduction= (left alone: the file was not written)" in result.stderr
    assert "1 rewrite (1 warns; 1 identical), 1 left for a person, 1 not processed" in result.stderr
    assert (tree / "fixed.py").read_bytes() == LEGACY
    assert (tree / "good.py").read_bytes() == MODERN


def test_a_folder_that_cannot_be_read_is_named(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "secret").mkdir()
    (tree / "secret" / "old.py").write_bytes(LEGACY)
    error = PermissionError(errno.EACCES, "Permission denied", str(tree / "secret"))
    deny(monkeypatch, "os.scandir", error, "secret")
    deny(monkeypatch, "os.stat", error, os.path.join("secret", ""))
    for paths in ([tree], [tree / "good.py", tree / "secret"]):
        result = run("check", "--no-cache", *paths)
        assert result.exit_code == 2
        assert "secret: Permission denied" in result.stderr
        assert "good.py:2" in result.stdout or "1 not processed" in result.stderr
    result = run("check", "--no-cache", tree / "secret" / "old.py")
    assert result.exit_code == 2
    assert "old.py: " in result.stderr and "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit)


def test_a_read_only_file_stays_read_only(tree: Path) -> None:
    path = tree / "good.py"
    path.chmod(0o444)
    expect_done(tree)
    assert path.stat().st_mode & 0o777 == 0o444


def deny(
    monkeypatch: pytest.MonkeyPatch, function: str, error: OSError, only_for: str = ""
) -> None:
    """Let a function of the standard library fail where its arguments hold a word."""
    module, _, name = function.rpartition(".")
    original: Callable[..., Any] = getattr(__import__(module), name)

    def failing(*args: Any, **kwargs: Any) -> Any:
        if only_for in f"{args} {kwargs}":
            raise error
        return original(*args, **kwargs)

    monkeypatch.setattr(function, failing)


# What happens meanwhile


@pytest.mark.parametrize("function", ["os.replace", "os.chmod", "os.fdopen"])
def test_a_full_disk_loses_nothing(
    tree: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    (tree / "unlucky.py").write_bytes(LEGACY)
    only_for = "unlucky" if function != "os.fdopen" else ""
    error = OSError(errno.ENOSPC, "No space left on device")
    deny(monkeypatch, function, error, only_for)
    result = run("migrate", "--no-cache", tree)
    monkeypatch.undo()
    assert result.exit_code == 2
    assert "unlucky.py" in result.output and "No space left on device" in result.output
    assert (tree / "unlucky.py").read_bytes() == LEGACY
    assert no_temporary_files(tree)


def test_a_file_that_is_edited_meanwhile_keeps_the_edit(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tree / "edited.py"
    path.write_bytes(LEGACY)
    at_write(monkeypatch, path, lambda: path.write_bytes(b"import torch\nmine = 1\n"))
    result = run("migrate", "--no-cache", tree)
    assert result.exit_code == 2 and "changed on disk" in result.output
    assert path.read_bytes() == b"import torch\nmine = 1\n"
    assert (tree / "good.py").read_bytes() == MODERN


def test_a_file_that_is_deleted_meanwhile_stays_deleted(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tree / "deleted.py"
    path.write_bytes(LEGACY)
    at_write(monkeypatch, path, path.unlink)
    result = run("migrate", "--no-cache", tree)
    assert result.exit_code == 2 and "deleted.py" in result.output
    assert not path.exists()
    assert (tree / "good.py").read_bytes() == MODERN


def at_write(monkeypatch: pytest.MonkeyPatch, path: Path, event: Callable[[], Any]) -> None:
    """Let something happen between the reading of a file and its writing."""
    original = write_atomically

    def delayed(target: Path, before: bytes, after: bytes) -> None:
        if target == path:
            event()
        original(target, before, after)

    monkeypatch.setattr("torchfix_codemods.text.source.write_atomically", delayed)


KILLED = """
    import os, sys
    from pathlib import Path
    import torchfix_codemods.text.source as source

    steps = ["resolve", "mkstemp", "fdopen", "chmod", "replace"]
    def dying(owner, name, before):
        original = getattr(owner, name)
        def call(*args, **kwargs):
            if before:
                os._exit(9)
            result = original(*args, **kwargs)
            os._exit(9)
        setattr(owner, name, call)

    import tempfile
    owner = {"mkstemp": tempfile, "resolve": Path}.get(sys.argv[2], os)
    dying(owner, sys.argv[2], sys.argv[3] == "before")
    source.write_atomically(Path(sys.argv[1]), open(sys.argv[1], "rb").read(), b"new" * 1000)
    """


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("step", ["resolve", "mkstemp", "fdopen", "chmod", "replace"])
def test_a_kill_at_any_step_of_a_write_loses_nothing(
    tmp_path: Path, step: str, moment: str
) -> None:
    path = tmp_path / "file.py"
    path.write_bytes(b"old" * 1000)
    program = textwrap.dedent(KILLED)
    killed = subprocess.run([sys.executable, "-c", program, str(path), step, moment], check=False)
    assert killed.returncode == 9
    is_new = (step, moment) == ("replace", "after")
    assert path.read_bytes() == (b"new" if is_new else b"old") * 1000
    # What is left of the killed process goes with the next write.
    source._sweep.cache_clear()
    write_atomically(path, path.read_bytes(), b"newer")
    assert [p.name for p in tmp_path.iterdir()] == ["file.py"]
    assert path.read_bytes() == b"newer"


def test_an_interruption_leaves_no_temporary_file(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", interrupted)
    CliRunner().invoke(main, ["migrate", "--no-cache", str(tree)])
    monkeypatch.undo()
    assert no_temporary_files(tree)
    assert (tree / "good.py").read_bytes() == LEGACY


def test_two_runs_at_once_on_one_tree(tree: Path) -> None:
    for number in range(60):
        (tree / f"m{number}.py").write_bytes(LEGACY)
    command = [sys.executable, "-m", "torchfix_codemods", "migrate", str(tree)]
    runs = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for _ in range(2)
    ]
    outputs = [process.communicate()[0].decode() for process in runs]
    assert all("Traceback" not in output for output in outputs)
    # What the other one was faster with is named, or was done already.
    assert all(process.returncode in (0, 2) for process in runs)
    assert {path.read_bytes() for path in tree.glob("*.py")} == {MODERN}
    assert no_temporary_files(tree)


# Settings, cache, output


@pytest.mark.parametrize("text", ["[tool.torchfix\n", "[tool.torchfix]\nselect = 3\n", "\xff"])
def test_broken_settings_are_named_before_anything_is_done(tree: Path, text: str) -> None:
    (tree / "pyproject.toml").write_bytes(text.encode("latin-1"))
    result = run("migrate", "--no-cache", tree)
    assert result.exit_code == 2 and "pyproject.toml" in result.output
    assert (tree / "good.py").read_bytes() == LEGACY


def test_a_cache_that_cannot_be_written_does_no_harm(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TORCHFIX_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert run("migrate", tree).exit_code == 0
    assert (tree / "good.py").read_bytes() == MODERN


def test_a_home_that_does_not_exist_does_no_harm(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TORCHFIX_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    (tmp_path / "home").write_text("")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert run("migrate", tree).exit_code == 0
    assert (tree / "good.py").read_bytes() == MODERN


def test_a_reader_that_goes_away_is_no_trouble(tree: Path) -> None:
    for number in range(200):
        (tree / f"m{number}.py").write_bytes(LEGACY * 20)
    command = f"{sys.executable} -m torchfix_codemods migrate --diff {tree} | head -1"
    ended = subprocess.run(command, shell=True, capture_output=True, check=False)
    assert b"Traceback" not in ended.stderr
    assert b"Exception ignored" not in ended.stderr


@pytest.mark.parametrize("read", ["", "2>&1"])
def test_all_files_are_rewritten_whoever_reads_of_it(tree: Path, read: str) -> None:
    for number in range(80):
        (tree / f"m{number}.py").write_bytes(LEGACY)
    command = f"{sys.executable} -m torchfix_codemods migrate --no-cache {tree} {read} | true"
    ended = subprocess.run(command, shell=True, capture_output=True, check=False)
    assert ended.stderr == b""
    assert {path.read_bytes() for path in tree.glob("*.py")} == {MODERN}


def test_the_code_is_never_executed(tree: Path) -> None:
    marker = tree / "executed"
    (tree / "eager.py").write_bytes(
        f"import torch\nopen({str(marker)!r}, 'w').close()\n".encode() + LEGACY
    )
    (tree / "setup.py").write_bytes(b"open(%r, 'w').close()\n" % str(marker))
    (tree / "conftest.py").write_bytes(b"open(%r, 'w').close()\n" % str(marker))
    expect_done(tree)
    run("check", "--no-cache", tree)
    assert not marker.exists()
