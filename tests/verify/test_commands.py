"""``torchfix verify`` and ``torchfix migrate --verify`` as a user calls them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.support.forking import Forks
from tests.support.scripts import script
from torchfix_codemods.cli import verify as cli_verify
from torchfix_codemods.cli.commands import main

LEGACY = """\
import torch
import torch.nn as nn
from torch.autograd import Variable

torch.manual_seed(0)
model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.MSELoss(size_average=False)


def unused(x):
    return nn.L1Loss(size_average=False)(x, x)


for step in range(2):
    loss = criterion(model(Variable(torch.ones(4, 3))), Variable(torch.zeros(4, 2)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print('loss', loss.item())
torch.save(model.state_dict(), 'model.pt')
"""

COMMAND = f"{sys.executable} train.py"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(LEGACY)
    (folder / "notes.txt").write_text("mine")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where programs are copied to."""
    folder = tmp_path / "copies"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


def bytes_of(folder: Path) -> Mapping[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def torchfix(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def verdicts(report: Path) -> dict[str, set[str]]:
    """The verdicts of a report, by code of the rule."""
    found: dict[str, set[str]] = {}
    for rewrite in json.loads(report.read_text("utf-8"))["rewrites"]:
        found.setdefault(str(rewrite["code"]), set()).add(rewrite["verdict"])
    return found


def test_verify(
    project: Path, tmp_path: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli_verify, "_SILENT_SECONDS", 1e6)
    before = bytes_of(project)
    report = tmp_path / "report.json"
    words = ["--report", str(report), "--device", "cpu", "--", *COMMAND.split()]
    result = torchfix("verify", "train.py", *words)
    assert result.exit_code == 0, result.output
    assert bytes_of(project) == before
    assert list(copies.iterdir()) == []
    assert result.stderr == ""
    assert "equivalent" in result.output.lower()
    found = verdicts(report)
    assert {"equivalent", "not executed"} <= set().union(*found.values())
    assert not {"different", "broken"} & set().union(*found.values())


@pytest.mark.parametrize(
    ("program", "options", "message"),
    [
        ("import not_installed", "", "No module named 'not_installed'"),
        ("import sys\nsys.exit('fetch the data first')", "", "status 1: fetch the data first"),
        (None, "", "there is no run.py in "),
        ("", "--report nowhere/report.html", "there is no folder nowhere"),
        ("", "--report report.sarif", "has to end in .json, .md or .html"),
    ],
)
def test_a_program_that_comes_to_no_rewrite_is_an_error(
    project: Path, program: str | None, options: str, message: str
) -> None:
    if program is not None:
        (project / "run.py").write_text(program)
    words = ["verify", "train.py", "--device", "cpu", *options.split()]
    result = torchfix(*words, "--", sys.executable, "run.py")
    assert result.exit_code == 2, result.output
    assert message in result.output


def test_a_program_that_comes_to_no_rewrite_lets_nothing_be_written(project: Path) -> None:
    (project / "run.py").write_text("import not_installed")
    words = ["migrate", "train.py", "--device", "cpu", "--verify", f"{sys.executable} run.py"]
    result = torchfix(*words)
    assert result.exit_code == 2, result.output
    assert "came to no rewrite, so nothing was written" in result.output
    assert (project / "train.py").read_text() == LEGACY


def test_nothing_is_run_for_nothing(project: Path) -> None:
    (project / "train.py").write_text("raise SystemExit('it was run')\n")
    result = CliRunner().invoke(main, ["verify", "train.py", "--", sys.executable, "train.py"])
    assert result.exit_code == 0, result.output
    assert result.output.strip().splitlines()[-1] == "0 rewrites: nothing to verify"


def test_a_program_that_cannot_start_shows_why(project: Path) -> None:
    usage = "import argparse\nargparse.ArgumentParser('train').parse_args()\n"
    (project / "train.py").write_text(LEGACY.replace("torch.manual", usage + "torch.manual"))
    words = ["verify", "train.py", "--device", "cpu", "--", sys.executable, "train.py", "--none"]
    result = torchfix(*words)
    assert result.exit_code == 2, result.output
    assert "train: error: unrecognized arguments: --none" in result.output


def test_a_program_that_still_differs_from_what_it_was(project: Path) -> None:
    masks = "print((torch.ones(2) == 1) + (torch.ones(2) == 1))\n"
    legacy = LEGACY.replace("loss.item()", "loss.data[0]")
    (project / "train.py").write_text(legacy + f"class Late:\n    pass\n\n\n{masks}")
    after = project.parent / "after"
    after.mkdir()
    (after / "train.py").write_text(
        (project / "train.py").read_text().replace(".data[0]", ".item()")
    )
    words = ["--before", ".", "--after", str(after), "--device", "cpu", "--"]
    result = torchfix("verify", *words, *COMMAND.split())
    assert result.exit_code == 1, result.output
    assert "still computes something else on today's torch than the old one did" in result.output


def test_a_program_may_end_well_without_coming_to_a_rewrite(project: Path) -> None:
    (project / "run.py").write_text("print('nothing')")
    words = ["verify", "train.py", "--device", "cpu", "--", sys.executable, "run.py"]
    result = torchfix(*words)
    assert result.exit_code == 0, result.output
    assert "not executed" in result.output


def test_a_terminal_is_told_how_far_it_is(project: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    words = ["-m", "torchfix_codemods", "verify", "train.py", "--device", "cpu", "--"]
    ended = subprocess.run(
        [sys.executable, *words, sys.executable, "train.py"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        check=False,
    )
    os.close(theirs)
    said = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert ended.returncode == 0, said
    assert "verifying: run 1 on cpu" in said and "verifying: run 2 on cpu" in said
    assert said.endswith("\r\x1b[K")
    assert "verifying" not in ended.stdout


def test_a_log_is_told_at_times(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_verify, "_SILENT_SECONDS", 0.0)
    result = torchfix("verify", "train.py", "--device", "cpu", "--", *COMMAND.split())
    assert "verifying: run 2 on cpu, the longest" in result.stderr
    assert "verifying" not in result.stdout


def test_settings_are_those_of_the_file_that_is_verified(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "pyproject.toml").write_text('[tool.torchfix]\nignore = ["TP1", "TP3"]\n')
    monkeypatch.chdir(project.parent)
    words = ["project/train.py", "--device", "cpu", "--", sys.executable, "project/train.py"]
    result = torchfix("verify", *words)
    assert result.exit_code == 0, result.output
    assert "0 rewrites: nothing to verify" in result.output


def test_two_trees_from_another_folder(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    after, elsewhere = tmp_path / "after", tmp_path / "elsewhere"
    after.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    rewritten = LEGACY.replace("size_average=False", "reduction='sum'").replace(
        "torch.zeros", "torch.ones"
    )
    (after / "train.py").write_text(rewritten)
    (after / "notes.txt").write_text("other")
    before = bytes_of(tmp_path)
    report = tmp_path / "report.html"
    words = ["--before", str(project), "--after", str(after), "--report", str(report)]
    result = torchfix("verify", *words, "--device", "cpu", "--", *COMMAND.split())
    assert result.exit_code == 1, result.output
    assert "different" in report.read_text("utf-8").lower()
    report.unlink()
    assert bytes_of(tmp_path) == before
    lines = [line for line in result.output.splitlines() if "train.py:" in line]
    assert any("train.py:16" in line and "different" in line.lower() for line in lines), lines
    assert any("train.py:8" in line and "equivalent" in line.lower() for line in lines), lines


def test_migrate_with_verification(project: Path) -> None:
    expected = LEGACY.replace("size_average=False", "reduction='sum'")
    result = torchfix("migrate", "train.py", "--verify", COMMAND, "--device", "cpu")
    assert result.exit_code in (0, 1), result.output
    written = (project / "train.py").read_text()
    assert written != LEGACY
    assert "reduction='sum'" in written and "Variable" not in written
    assert expected.count("\n") >= written.count("\n")
    assert set(bytes_of(project)) == {"train.py", "notes.txt"}


def test_only_what_is_verified_is_kept(project: Path) -> None:
    words = ["migrate", "train.py", "--verify", COMMAND, "--device", "cpu"]
    result = torchfix(*words, "--keep-verified")
    assert result.exit_code in (0, 1), result.output
    kept = (project / "train.py").read_text()
    assert "MSELoss(reduction='sum')" in kept
    assert "L1Loss(size_average=False)" in kept
    assert "not executed" in result.output.lower()


@pytest.mark.parametrize("words", ["migrate train.py --verify", "verify train.py --"])
def test_no_torch(
    project: Path, tmp_path: Path, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bare"
    made = [sys.executable, "-m", "venv", "--without-pip", str(bare)]
    subprocess.run(made, check=True, capture_output=True)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    before = bytes_of(project)
    command = [str(bare / "bin" / "python"), "train.py"]
    given = words.split()
    given += command if given[-1] == "--" else [" ".join(command)]
    given[2:2] = ["--device", "cpu"]
    result = torchfix(*given)
    assert result.exit_code == 2, result.output
    assert "has no torch to run the program with" in result.output
    assert bytes_of(project) == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train.py"], "behind --"),
        (["--", "python", "train.py"], "give PATHS"),
        (["--before", ".", "--", "python", "x.py"], "both --before and --after"),
        (["train.py", "--", "no-such-program"], "not found"),
        (["train.py", "--", "ls"], "is not a Python program"),
        (["train.py", "--report", "x.txt", "--", "python", "train.py"], ".json, .md or .html"),
    ],
)
def test_wrong_usage(project: Path, words: list[str], said: str) -> None:
    result = torchfix("verify", *words)
    assert result.exit_code == 2
    assert said in result.output


def test_a_run_that_takes_too_long(project: Path, tmp_path: Path) -> None:
    after = tmp_path / "after"
    after.mkdir()
    (after / "train.py").write_text(LEGACY.replace("range(2)", "range(10 ** 9)"))
    words = ["--before", ".", "--after", str(after), "--device", "cpu", "--max-seconds", "1"]
    report = tmp_path / "report.md"
    words += ["--report", str(report)]
    result = torchfix("verify", *words, "--", *COMMAND.split())
    assert result.exit_code == 1, result.output
    assert "train.py" in report.read_text("utf-8")


def losses_in(folder: Path, name: str) -> str:
    """Put a module with something to rewrite into a folder, and import it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text(
        f"import torch.nn as nn\n{name} = nn.MSELoss(size_average=False)\n"
    )
    return f"from {name} import {name}\nprint({name}(torch.ones(3), torch.zeros(3)).item())\n"


def is_all_equivalent(report: Path) -> bool:
    return {"equivalent"} == set().union(*verdicts(report).values())


def test_a_project_on_the_path(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that the environment leads to is the copy's."""
    paths = ["{project}/whole", "relative", "nowhere", "./dotted", ""]
    text = "import torch\n"
    for name in ("whole", "relative", "dotted"):
        package = project / name / f"pkg_{name}"
        imported = losses_in(package, name)
        (package / "__init__.py").write_text("")
        text += imported.replace(f"from {name}", f"from pkg_{name}.{name}")
    (project / "train.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths).format(project=project))
    words = ["--device", "cpu", "--report", "report.json", "--", *COMMAND.split()]
    result = torchfix("verify", *(path.strip("./") for path in paths[1:4:2]), "whole", *words)
    assert result.exit_code == 0, result.output
    assert "3 rewrites: 3 equivalent" in result.output
    assert is_all_equivalent(project / "report.json")


@pytest.mark.parametrize("path", [":..:{project}/whole", "."])
def test_a_script_beside_what_it_imports(
    project: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """``PYTHONPATH=. python tools/train.py``, and what an empty path means."""
    here = project / "here"
    text = "import torch\n" + losses_in(here, "near")
    if path != ".":
        text += losses_in(project, "above") + losses_in(project / "whole", "named")
    (project / "tools").mkdir()
    (project / "tools" / "train.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", path.format(project=project))
    monkeypatch.chdir(here)
    words = [
        "--device",
        "cpu",
        "--report",
        "report.json",
        "--",
        sys.executable,
        "../tools/train.py",
    ]
    (project / "train.py").unlink()
    result = torchfix("verify", str(project), *words)
    assert result.exit_code == 0, result.output
    assert is_all_equivalent(here / "report.json")


def test_copies_are_removed_where_the_program_fails(project: Path, copies: Path) -> None:
    (project / "fails.py").write_text(LEGACY + "raise SystemExit(3)\n")
    result = CliRunner().invoke(main, ["verify", "fails.py", "--", sys.executable, "fails.py"])
    assert "equivalent" in result.output
    assert list(copies.iterdir()) == []


def _heed_signals() -> None:
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _running_below(folder: Path) -> list[int]:
    """The processes whose working directory is below a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if folder in Path(os.readlink(process / "cwd")).parents:
                found.append(int(process.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="there is no /proc to look into")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_no_program_outlives_the_command(
    project: Path, tmp_path: Path, how: signal.Signals
) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    (project / "loop.py").write_text(LEGACY + "import signal\nsignal.pause()\n")
    words = ["verify", "loop.py", "--device", "cpu", "--", sys.executable, "loop.py"]
    command = subprocess.Popen(
        [sys.executable, "-m", "torchfix_codemods", *words],
        cwd=project,
        env={**os.environ, "TMPDIR": str(copies)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # What a shell runs in the background ignores Ctrl-C, what nohup runs ignores SIGHUP.
        preexec_fn=_heed_signals,
    )
    # The server and the program.
    _wait_for(lambda: len(_running_below(copies)) > 1)
    time.sleep(1)
    try:
        command.send_signal(how)
        command.wait(30)
        _wait_for(lambda: not _running_below(copies))
        # Nobody is left to remove them after a kill.
        assert how is signal.SIGKILL or not list(copies.iterdir())
    finally:
        for process in _running_below(copies):
            os.kill(process, signal.SIGKILL)


def _wait_for(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_report_that_cannot_be_written(project: Path, tmp_path: Path) -> None:
    (project / "train.py").write_text("nothing = 'to rewrite'\n")
    report = tmp_path / ("long" * 100 + ".md")
    words = ["--report", str(report), "--device", "cpu", "--", *COMMAND.split()]
    result = torchfix("verify", "train.py", *words)
    assert result.exit_code == 2
    assert "cannot be written: File name too long" in result.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train.py"], "name the program to run behind --"),
        (["--", "python", "train.py"], "give PATHS, or --before and --after"),
        (["--before", ".", "--", "python", "train.py"], "both --before and --after"),
        (
            ["train.py", "--before", ".", "--after", ".", "--", "python", "train.py"],
            "give PATHS, or both",
        ),
        (["train.py", "--report", "a.txt", "--", "python", "train.py"], ".json, .md or .html"),
        (["train.py", "--", "echo", "train.py"], "error: "),
    ],
)
def test_verify_used_badly(project: Path, words: list[str], message: str) -> None:
    result = torchfix("verify", *words)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_bad_settings_stop_a_verification(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.torchfix]\nnot-a-setting = 1\n")
    result = torchfix("verify", ".", "--", *COMMAND.split())
    assert result.exit_code == 2
    assert "not-a-setting" in result.output


def test_file_that_is_no_python_is_named(project: Path) -> None:
    (project / "broken.py").write_text("import torch\ndef f(:\n")
    (project / "old.py").write_text("import torch\nprint 1\n")
    result = torchfix("verify", ".", "--device", "cpu", "--", *COMMAND.split())
    # As for all commands; the others are compared.
    assert result.exit_code == 2, result.output
    assert "broken.py:2: not valid Python" in result.output
    assert "old.py:2: Python 2 (print statement); torchfix migrate --py2" in result.output
    assert "train.py:8" in result.output and "equivalent" in result.output


def test_a_bundle_shows_the_difference_again(
    project: Path, tmp_path: Path, forks: Forks, monkeypatch: pytest.MonkeyPatch
) -> None:
    after = tmp_path / "after"
    after.mkdir()
    (after / "train.py").write_text(
        LEGACY.replace("size_average=False)\n\n", "reduction='mean')\n\n", 1)
    )
    bundle, report = tmp_path / "bundle", tmp_path / "report.json"
    words = ["--before", ".", "--after", str(after), "--device", "cpu", "--bundle", str(bundle)]
    result = torchfix("verify", *words, "--report", str(report), "--", *COMMAND.split())
    assert result.exit_code == 1, result.output
    assert f"python {bundle}/repro.py" in result.output
    assert "first differing tensor: max abs" in result.output
    told = json.loads(report.read_text("utf-8"))
    assert told["bundle"] == str(bundle)
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    shown = subprocess.run(
        [sys.executable, "repro.py"], cwd=bundle, env=clean, capture_output=True, text=True
    )
    assert shown.returncode == 1, shown.stdout + shown.stderr
    assert shown.stdout.rstrip().endswith("DIFFERENT")
    assert '"cosine"' in shown.stdout or '"most"' in shown.stdout
    (bundle / "after" / "train.py").write_text((bundle / "before" / "train.py").read_text())
    again = script(str(bundle / "repro.py"))
    monkeypatch.setattr(again, "subprocess", forks)
    assert again.main() == 0
