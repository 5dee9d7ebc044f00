from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from torchfix_codemods.cli.commands import main

LEGACY = "import torch.nn as nn\nloss = nn.MSELoss(size_average=False)\n"
MODERN = 'import torch.nn as nn\nloss = nn.MSELoss(reduction="sum")\n'
UNKNOWN = "import torch\ndef f(x):\n    return x.cuda()\nif use_gpu:\n    net.cuda()\n"


def run(*args: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, list(args), input=stdin)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "old.py").write_text(LEGACY)
    (tmp_path / "src" / "new.py").write_text(MODERN)
    (tmp_path / "src" / "other.py").write_text("x = 1\n")
    return tmp_path


def test_migrate_rewrites_in_place(project: Path) -> None:
    result = run("migrate", "src")
    assert result.exit_code == 0, result.output
    assert (project / "src" / "old.py").read_text() == MODERN
    assert "3 files, 1 rewritten, 1 rewrite (1 warns; 1 identical)" in result.stderr
    assert run("migrate", "src", "--check").exit_code == 0


def test_diff_can_be_applied_by_patch(project: Path) -> None:
    result = run("migrate", "src", "--diff")
    assert result.exit_code == 1
    assert (project / "src" / "old.py").read_text() == LEGACY
    subprocess.run(
        ["git", "apply", "--unsafe-paths", "-p1", "-"], input=result.stdout.encode(), check=True
    )
    assert (project / "src" / "old.py").read_text() == MODERN


@pytest.mark.parametrize(
    "name",
    ["two words.py", "a\tb.py", 'quo"te.py', "back\\slash.py", "lines\nof.py", "\x01.py", "ü.py"],
)
@pytest.mark.parametrize("command", [["git", "apply", "-p1"], ["patch", "-p1"]])
def test_a_file_of_any_name_is_found_by_patch(project: Path, name: str, command: list[str]) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    path = project / "some code" / name
    path.parent.mkdir()
    path.write_text(LEGACY)
    patch = run("migrate", "some code", "--diff").stdout_bytes
    subprocess.run(command, input=patch, check=True)
    assert path.read_text() == MODERN


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + LEGACY.encode(),
        f"# coding: latin-1\ns = 'ü'\n{LEGACY}t = 'ß'\n".encode("latin-1"),
        f"# coding: shift-jis\n{LEGACY}t = '日本'\n".encode("shift-jis"),
        LEGACY.replace("\n", "\r\n").encode(),
        f"# \x85 \u2028 \f\n{LEGACY}".encode(),
        LEGACY.rstrip("\n").encode(),
    ],
    ids=["byte order mark", "latin-1", "shift-jis", "crlf", "odd separators", "no final newline"],
)
def test_the_diff_holds_the_bytes_of_the_file(project: Path, data: bytes) -> None:
    path = project / "src" / "old.py"
    path.write_bytes(data)
    patch = run("migrate", "src/old.py", "--diff").stdout_bytes
    run("migrate", "src/old.py")
    rewritten = path.read_bytes()
    assert rewritten != data
    path.write_bytes(data)
    subprocess.run(["git", "apply", "--unsafe-paths", "-p1", "-"], input=patch, check=True)
    assert path.read_bytes() == rewritten


def test_check_writes_nothing(project: Path) -> None:
    assert run("migrate", "src", "--check").exit_code == 1
    assert (project / "src" / "old.py").read_text() == LEGACY


@pytest.mark.parametrize(
    ("options", "rewritten"),
    [
        (["--select", "TP301"], True),
        (["--select", "TP3"], True),
        (["--select", "size-average"], True),
        (["--select", "TP1,TP301"], True),
        (["--select", "TP1"], False),
        (["--ignore", "TP301"], False),
        (["--select", "TP3", "--ignore", "size-average"], False),
        (["--exclude", "old.py"], False),
        (["--exclude", "src/"], False),
        (["--exclude", "new.py"], True),
        (["--to", "0.4"], False),
        (["--to", "1.0"], True),
    ],
)
def test_selection(project: Path, options: list[str], rewritten: bool) -> None:
    assert run("migrate", "src", "--check", *options).exit_code == int(rewritten)


VOLATILE = (
    "import torch\nfrom torch.autograd import Variable\n\n\n"
    "def f(x):\n    return Variable(x, volatile=True)\n"
)


def test_verbose_says_what_dates_a_file(project: Path) -> None:
    (project / "src" / "old.py").write_text(VOLATILE)
    (project / "requirements.txt").write_text("numpy\ntorch>=0.2\n")
    (project / "setup.py").touch()
    result = run("migrate", "src", "--check", "-v")
    assert (
        "src/old.py: written for torch 0.2.0 to 0.3: line 6: volatile= (0.3 at most); "
        "requirements.txt:2: torch>=0.2\n"
    ) in result.stderr
    assert "raise it" not in result.stderr
    assert "written for" not in run("migrate", "src", "--check").stderr


def test_verbose_tells_what_is_rewritten_from_what_is_left(project: Path) -> None:
    text = (
        "import torch.nn as nn\na = nn.MSELoss(size_average=False)\nb = nn.functional.softmax(x)\n"
    )
    (project / "src" / "old.py").write_text(text)
    said = run("migrate", "src", "--diff", "-v").stderr.splitlines()
    (rewritten,) = [line for line in said if line.startswith("src/old.py:2:5: TP301")]
    (left,) = [line for line in said if line.startswith("src/old.py:3:5: TP302")]
    assert rewritten.endswith(" [would be rewritten]") and not left.endswith("]")
    said = run("migrate", "src", "-v").stderr.splitlines()
    assert f"{rewritten.removesuffix(' [would be rewritten]')} [rewritten]" in said


def test_verbose_asks_to_raise_a_requirement_that_makes_files_old(project: Path) -> None:
    (project / "requirements.txt").write_text("torch==0.3.1\n")
    (project / "setup.py").touch()
    hint = "requirements.txt:1: torch==0.3.1: it dates these files; raise it once they are migrated"
    assert run("migrate", "src", "--check", "-v").stderr.count(hint) == 1
    assert hint not in run("migrate", "src").stderr
    (project / "src" / "old.py").write_text("import torch\nx = torch.load('f')[0]\nx.data[0]\n")
    result = run("migrate", "src", "-v")
    assert "src/old.py: written for torch 0.3.1: requirements.txt:1" in result.stderr
    assert "0 rewrites, 1 left for a person" in result.stderr
    assert hint not in result.stderr


def test_verbose_is_silent_about_files_without_a_date(project: Path) -> None:
    assert "written for" not in run("migrate", "src", "--check", "-v").stderr


def test_from_overrides_what_dates_a_file(project: Path) -> None:
    (project / "src" / "old.py").write_text(VOLATILE)
    (project / "requirements.txt").write_text("torch==0.3.1\n")
    (project / "setup.py").touch()
    result = run("migrate", "src", "--check", "-v", "--from", "1.0", "--to", "2.6")
    evidence = "--from 1.0; --to 2.6: rules that need a newer torch are left out\n"
    assert f"src/old.py: written for torch 1.0: {evidence}" in result.stderr


def test_to_says_nothing_about_what_a_file_was_written_for(project: Path) -> None:
    (project / "src" / "old.py").write_text(VOLATILE)
    result = run("migrate", "src", "--check", "-v", "--to", "2.6")
    assert "src/old.py: written for torch 0.3 at most: line 6: volatile=" in result.stderr


@pytest.mark.parametrize(
    ("options", "era"),
    [
        (
            [],
            {
                "oldest": "0.2.0",
                "newest": "0.3",
                "evidence": ["line 6: volatile= (0.3 at most)", "requirements.txt:1: torch>=0.2"],
            },
        ),
        (["--from", "0.4.1"], {"oldest": "0.4.1", "newest": "0.4.1", "evidence": ["--from 0.4.1"]}),
    ],
)
def test_json_says_what_dates_a_file(
    project: Path, options: list[str], era: dict[str, object]
) -> None:
    (project / "src" / "old.py").write_text(VOLATILE)
    (project / "requirements.txt").write_text("torch>=0.2\n")
    (project / "setup.py").touch()
    result = run("migrate", "src", "--check", "--output-format", "json", *options)
    assert json.loads(result.stdout)["files"][0]["era"] == era


def test_json_of_a_file_without_a_date(project: Path) -> None:
    result = run("migrate", "src", "--check", "--output-format", "json")
    era = json.loads(result.stdout)["files"][0]["era"]
    assert era == {"oldest": None, "newest": None, "evidence": []}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--select", "TP9999"], "no such rule: 'TP9999'"),
        (["--ignore", "nonsense"], "no such rule: 'nonsense' (see `torchfix rules`)"),
        (["--select", "size-averge"], "no such rule: 'size-averge' (did you mean size-average?)"),
        (["--select", "Size_Average"], "(did you mean size-average?)"),
        (["--select", "T301"], "no such rule: 'T301' (did you mean TP301?)"),
        (["--select", "399"], "no such rule: '399' (see `torchfix rules`)"),
        (["--select", "TOR301"], "no such rule: 'TOR301' (see `torchfix rules`)"),
        (["--selct", "TP301"], "Did you mean"),
        (["--from", "9.9"], "--from: there is no torch 9.9 (0.1 to "),
        (["--from", "0.5.0"], "--from: there is no torch 0.5.0"),
        (["--to", "3"], "--to: there is no torch 3 "),
        (["--select", ""], "--select names no rule"),
        (["--select", "TP1", "--select", " , "], "--select names no rule"),
        (["--ignore", ""], "--ignore names no rule"),
        (["--from", "old"], "--from: not a torch version: 'old' (write it as 0.3 or 1.13.1)"),
        (["--from", ""], "--from: not a torch version: ''"),
        (["--to", "-1"], "--to: not a torch version: '-1'"),
        (["--verify", "python 'x.py"], "cannot be taken apart: no closing quotation"),
        (["--jobs", "-1"], "-1 is not in the range"),
    ],
)
def test_bad_usage_is_explained(project: Path, options: list[str], message: str) -> None:
    result = run("migrate", "src", *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert (project / "src" / "old.py").read_text() == LEGACY


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-", "--verify", "python train.py"], "--verify needs files: standard input is none"),
        (["-", "--since", "HEAD"], "--since needs files: standard input is none"),
        (["-", "src"], "- stands for standard input: give it alone"),
        (["src", "--stdin-filename", "old.py"], "names what comes from standard input: give -"),
        (["src", "--keep-verified"], "--keep-verified needs --verify COMMAND"),
        (["src", "--max-steps", "3"], "--max-steps needs --verify COMMAND"),
        (["src", "--verify", "python x.py", "--oracle-python", "x"], "needs --oracle VERSION"),
    ],
)
def test_no_option_is_passed_over_without_a_word(
    project: Path, words: list[str], message: str
) -> None:
    result = run("migrate", *words, stdin=LEGACY.encode())
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""
    assert (project / "src" / "old.py").read_text() == LEGACY


def test_the_name_of_standard_input_says_whose_settings_hold(project: Path) -> None:
    (project / "src" / "pyproject.toml").write_text(
        '[tool.torchfix]\nignore = ["TP301"]\nexclude = ["theirs/"]\n'
    )
    named = ["migrate", "-", "--stdin-filename"]
    other = f"{LEGACY}x = torch.ger(a, b)\n".replace("import", "import torch, ")
    assert run(*named, "src/a.py", stdin=other.encode()).stdout == other.replace("ger", "outer")
    assert run(*named, "src/theirs/a.py", stdin=other.encode()).stdout == other
    assert "reduction" in run(*named, "a.py", stdin=other.encode()).stdout


def test_a_run_over_nothing_says_so(project: Path) -> None:
    (project / "data").mkdir()
    assert "No Python file or notebook was found" in run("check", "data").stderr
    assert "No Python file or notebook was found" not in run("check", "src").stderr
    assert "No Python file" not in run("check", "data", "-q").stderr
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "add", "-A"], check=True)
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *identity, "commit", "-qm", "start"], check=True)
    assert "changed since HEAD" in run("check", "src", "--since", "HEAD").stderr


@pytest.mark.parametrize("kind", ["json", "sarif", "github", "markdown"])
def test_statistics_stand_beside_any_format(project: Path, kind: str) -> None:
    result = run("check", "src", "--statistics", "--output-format", kind)
    assert "TP301 size-average" in result.stderr and "files in" in result.stderr
    assert "files in" not in result.stdout


def test_what_is_only_counted_is_said_to_be(project: Path) -> None:
    seed = (
        "import torch\nimport random\ntorch.manual_seed(1)\nx = torch.rand(2) + random.random()\n"
    )
    (project / "src" / "seed.py").write_text(seed)
    said = "1 is only counted here: torchfix check lists all."
    for words, is_said in (("migrate src", 1), ("migrate src -v", 0), ("check src", 0)):
        result = run(*words.split())
        assert "1 left for a person" in result.stderr
        assert (said in result.stderr) is bool(is_said)
        assert ("seed.py:3" in result.output) is not bool(is_said)
    (project / "src" / "seed.py").unlink()
    assert "only counted" not in run("migrate", "src").stderr


def test_what_certainly_fails_is_shown_beside_what_is_only_counted(project: Path) -> None:
    text = "import torch.nn as nn\nnn.Sequential().add_module('a.b', nn.ReLU())\n"
    (project / "src" / "names.py").write_text(text)
    result = run("migrate", "src")
    assert "names.py:2" in result.output
    assert "only counted" not in result.stderr


def test_what_cannot_be_processed_is_named_and_stops_nothing(project: Path) -> None:
    (project / "src" / "broken.py").write_text("import torch\n\nx = = 'x'\n")
    (project / "src" / "bad.py").write_bytes(b"import torch\nx = '\xff'\n")
    result = run("migrate", "src", "missing.py")
    assert result.exit_code == 2
    assert "broken.py:3: not valid Python" in result.stderr
    assert "bad.py: not valid utf-8" in result.stderr
    assert "missing.py: no such file or folder" in result.stderr
    assert "3 not processed" in result.stderr
    assert (project / "src" / "old.py").read_text() == MODERN


@pytest.mark.skipif(sys.platform != "linux", reason="file names are text elsewhere")
def test_a_file_name_that_is_not_utf_8_is_no_trouble(project: Path) -> None:
    path = Path(os.fsdecode(b"src/caf\xe9.py"))
    path.write_text(
        "import torch\nfrom torch.autograd import Variable\nx = Variable(torch.ones(1))\n"
    )
    result = run("migrate", "src", "-v")
    assert result.exit_code == 0, result.output
    assert path.read_text() == "import torch\nx = torch.ones(1)\n"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_named(project: Path) -> None:
    (project / "src" / "old.py").chmod(0)
    result = run("migrate", "src")
    assert result.exit_code == 2
    assert "old.py: Permission denied" in result.stderr


def test_what_is_left_for_a_person_is_listed(project: Path) -> None:
    (project / "src" / "left.py").write_text(UNKNOWN)
    result = run("migrate", "src/left.py")
    assert result.exit_code == 0
    assert "src/left.py:3:12: TP201 hard-coded-cuda:" in result.stderr
    assert "1 left for a person" in result.stderr
    assert run("migrate", "src/left.py", "--strict").exit_code == 1


def test_skipped_files_are_named(project: Path) -> None:
    (project / "src" / "skip.py").write_text(f"# torchfix: skip-file\n{LEGACY}")
    assert "src/skip.py: skipped: a comment asks for it" in run("migrate", "src", "-v").stderr
    assert "skip.py" not in run("migrate", "src").stderr


def test_standard_input(project: Path) -> None:
    result = run("migrate", "-", "--stdin-filename", "a.py", stdin=LEGACY.encode())
    assert (result.exit_code, result.stdout) == (0, MODERN)
    result = run("migrate", "-", "--diff", "--stdin-filename", "a.py", stdin=LEGACY.encode())
    assert result.exit_code == 1
    assert result.stdout.startswith("--- a/a.py\n+++ b/a.py\n")


def test_json(project: Path) -> None:
    result = run("migrate", "src", "--diff", "--output-format", "json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["version"] == 2
    assert document["summary"] == {
        "files": 3,
        "changed": 1,
        "rewrites": {"TP301": 1},
        "left": {},
        "reasons": {"warns": 1},
        "errors": 0,
    }
    (file,) = document["files"]
    assert file["path"] == os.path.join("src", "old.py")
    assert file["changed"] and file["error"] is None
    assert file["diff"].startswith("--- a/src/old.py\n")
    (finding,) = file["findings"]
    assert finding == {
        "code": "TP301",
        "name": "size-average",
        "line": 2,
        "column": 8,
        "message": "size_average= and reduce= are now reduction=",
        "end_line": 2,
        "end_column": 38,
        "numerics": "identical",
        "reason": "warns",
        "fixable": True,
        "fixed": False,
        "edits": [{"start_line": 2, "end_line": 2, "text": MODERN.splitlines(True)[1]}],
    }


def test_hunks_that_move_numbers_carry_the_reason() -> None:
    from torchfix_codemods.finding import Finding, Numerics
    from torchfix_codemods.report.diff import unified_diff

    finding = Finding(2, 1, "TP601", "missing-eval", "dropout is off", Numerics.CHANGED, True)
    diff = unified_diff("a.py", "a\nb\n", "a\nc\nb\n", [finding])
    assert "@@ -1,2 +1,3 @@ TP601 missing-eval (changed): dropout is off\n" in diff


def test_settings_from_pyproject(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.torchfix]\nignore = ["TP301"]\n')
    assert run("migrate", "src", "--check").exit_code == 0
    (project / "pyproject.toml").write_text(
        '[tool.torchfix.per-file-ignores]\n"src/o*.py" = ["size-average"]\n'
    )
    assert run("migrate", "src", "--check").exit_code == 0
    (project / "pyproject.toml").write_text('[tool.torchfix]\nselct = ["TP301"]\n')
    result = run("migrate", "src", "--check")
    assert result.exit_code == 2
    assert "unknown key in [tool.torchfix]: selct" in result.stderr


def test_device_name(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.torchfix]\ndevice-name = "dev"\n')
    (project / "src" / "gpu.py").write_text("import torch\n\nx = torch.ones(2).cuda()\n")
    run("migrate", "src/gpu.py")
    assert "dev = torch.device(" in (project / "src" / "gpu.py").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seeds", "--rows"], "--seeds and --rows are two lists"),
        (["--rows", "--output-format", "json"], "--output-format is for the list of rules"),
        (["--seeds", "--output-format", "markdown"], "--output-format is for the list of rules"),
    ],
)
def test_rules_are_listed_in_one_way(options: list[str], message: str) -> None:
    result = run("rules", *options)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize("words", [["--help"], ["cache", "--help"]])
def test_commands_are_described_in_whole_sentences(words: list[str]) -> None:
    described = run(*words).stdout.partition("Commands:")[2].strip().splitlines()
    assert len(described) > 1
    assert not [line for line in described if line.endswith("...")]


def test_rules() -> None:
    rows = json.loads(run("rules", "--output-format", "json").stdout)
    assert {"code", "name", "numerics", "summary", "since"} == set(rows[0])
    assert [row["code"] for row in rows] == sorted(row["code"] for row in rows)
    assert "TP301  size-average" in run("rules").stdout


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--output-format", "markdown"], "| TP301 | size-average |"),
        (["--output-format", "docs"], "## TP301 size-average"),
        (["--rows"], "torch.ger"),
        (["--seeds"], "| | pitfall | rule |"),
    ],
)
def test_rules_as_they_stand_in_the_documentation(options: list[str], line: str) -> None:
    result = run("rules", *options)
    assert result.exit_code == 0
    assert line in result.stdout and result.stdout.endswith("\n")


def test_cache_that_cannot_be_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: Path) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setenv("TORCHFIX_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("torchfix_codemods.runs.cache.clear", refuse)
    result = run("cache", "clear")
    assert result.exit_code == 1
    assert f"{tmp_path} cannot be removed: Permission denied" in result.stderr


def test_server_without_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torchfix_codemods.lsp.server", None)
    result = run("lsp")
    assert result.exit_code == 1
    assert "pip install 'torchfix-codemods[lsp]'" in result.stderr


def test_diff_has_colours_where_a_person_reads_it(project: Path) -> None:
    command = [sys.executable, "-m", "torchfix_codemods", "migrate", "--diff", "src"]
    shown = _on_a_terminal(command, "stdout").replace("\r\n", "\n")
    assert "\x1b[1m--- a/src/old.py\n\x1b[0m" in shown and "\x1b[36m@@ " in shown
    assert "\x1b[31m-loss = nn.MSELoss(size_average=False)" in shown
    assert '\x1b[32m+loss = nn.MSELoss(reduction="sum")' in shown
    assert "\x1b[0m import torch.nn as nn\n" in shown
    assert "\x1b" not in subprocess.run(command, capture_output=True, text=True).stdout


@pytest.mark.parametrize("rule", ["TP301", "size-average"])
def test_explain(rule: str) -> None:
    result = run("explain", rule)
    assert result.exit_code == 0
    assert result.stdout.startswith("# TP301 size-average\n")
    assert "## When it stays its hand" in result.stdout


def test_explain_unknown() -> None:
    assert run("explain", "TP9999").exit_code == 2


@pytest.mark.parametrize(
    ("text", "forbidden"),
    [
        ("x = 1\n", {"libcst", "torch", "rich", "torchfix_codemods.engine.migrate"}),
        ("import torch\nx = torch.ones(2).numel()\n", {"libcst", "torch", "rich"}),
        ("from torch.utils import ffi\nffi.create_extension()\n", {"libcst", "torch", "rich"}),
        (LEGACY, {"torch", "rich", "libcst.matchers"}),
    ],
)
def test_what_is_imported_for_a_file(tmp_path: Path, text: str, forbidden: set[str]) -> None:
    path = tmp_path / "a.py"
    path.write_text(text)
    program = (
        "import sys\nfrom torchfix_codemods.cli.commands import main\n"
        f"main(['migrate', '--diff', {str(path)!r}], standalone_mode=False)"
    )
    code = f"import sys\ntry:\n    exec({program!r})\nexcept SystemExit: pass\nprint('MODULES', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(done.stdout.rpartition("MODULES")[2].split())
    assert not forbidden & modules


def test_output_is_the_same_for_any_number_of_processes(project: Path) -> None:
    for number in range(70):
        (project / "src" / f"m{number}.py").write_text(LEGACY * (number % 3 + 1))
    one = run("migrate", "src", "--diff", "--jobs", "1")
    two = run("migrate", "src", "--diff", "--jobs", "2")
    assert one.stdout == two.stdout
    assert one.stderr == two.stderr


def test_check_lists_what_is_rewritten_and_what_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("import torch.nn as nn\nnn.init.constant(w, 1)\nnn.init.constant(*w)\n")
    before = path.read_bytes()
    result = CliRunner().invoke(main, ["check", "--all", str(path)])
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "TP701 init-without-underscore (2 places): torch.nn.init.constant is now constant_ [migrate rewrites it]",
        f"  {path}:2:1",
        f"  {path}:3:1",
    ]
    assert path.read_bytes() == before


def test_check_is_content_with_current_code(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("import torch\nx = torch.ones(2)\n")
    result = CliRunner().invoke(main, ["check", str(path)])
    assert result.exit_code == 0
    assert not result.stdout


def test_statistics(project: Path) -> None:
    (project / "src" / "volatile.py").write_text(VOLATILE)
    result = run("migrate", "src", "--check", "--statistics")
    tables = [line.split() for line in result.stderr.splitlines()]
    assert ["rule", "rewrites", "left", "files"] in tables
    assert ["TP301", "size-average", "1", "0", "1"] in tables
    assert ["identical", "1", "0", "1"] in tables
    assert ["0.3", "at", "most", "1"] in tables
    assert "4 files in" in result.stderr
    assert "would be rewritten," not in result.stderr


def test_quiet(project: Path) -> None:
    (project / "src" / "volatile.py").write_text(VOLATILE)
    (project / "src" / "broken.py").write_text("import torch\nx = (\n")
    diff = run("migrate", "src", "--diff").stdout
    quiet = run("migrate", "src", "--diff", "-q")
    assert quiet.stdout == diff
    assert quiet.stderr.splitlines() == [
        "error: src/broken.py:2: not valid Python: '(' was never closed"
    ]
    assert run("check", "src", "-q").stdout == run("check", "src").stdout
    assert run("migrate", "src", "-q").stdout == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{LEGACY[:-1]}  # torchfix: ignore\n", "a comment asks for it"),
        (
            "import torch\nimport torch.nn as nn\nif torch.__version__ < '1':\n"
            "    loss = nn.MSELoss(size_average=False)\n",
            "the code around it asks which torch it runs on",
        ),
    ],
)
def test_verbose_says_what_the_code_asks_to_leave_alone(
    project: Path, text: str, reason: str
) -> None:
    (project / "src" / "old.py").write_text(text)
    line = text.count("\n")
    column = text.splitlines()[-1].index("nn.") + 1
    told = f"src/old.py:{line}:{column}: TP301 size-average: "
    said = [out for out in run("migrate", "src", "-v").stderr.splitlines() if told in out]
    assert len(said) == 1 and said[0].endswith(f"(left alone: {reason})")
    assert told not in run("migrate", "src").stderr
    assert told in run("check", "src", "-v").stderr
    again = run("migrate", "src", "-v").stderr
    assert told in again, "what is kept of an earlier run has it, too"
    assert "0 left for a person" in again


NOT_KNOWN = """\
import torch
import torch.nn as nn
from net import predict
y = predict(é)
loss = nn.MSELoss(size_average=False)
print(é(y).data, z.data)  # torchfix: ignore[TP104]
print("é", y.data)
if torch.__version__ < "1":
    print(y.data)
"""


@pytest.mark.parametrize("command", ["check", "migrate"])
def test_verbose_says_what_is_not_known_of_places_that_are_left(
    project: Path, command: str
) -> None:
    (project / "src" / "old.py").write_text(NOT_KNOWN, "utf-8")
    told = "src/old.py:7:12: TP104 data-attribute: left alone: `y` is not known, so it may be no"
    result = run(command, "src", "-v")
    assert result.stderr.count("TP104") == 1 and told in result.stderr
    assert "TP104" not in run(command, "src").stderr
    again = run(command, "src", "-v")
    assert told in again.stderr, "what is kept of an earlier run has it, too"


def test_verbose_looks_at_no_file_that_cannot_be_read_or_is_a_document(project: Path) -> None:
    (project / "src" / "broken.py").write_text(f"{NOT_KNOWN}(\n", "utf-8")
    (project / "src" / "skipped.py").write_text(f"# torchfix: skip-file\n{NOT_KNOWN}", "utf-8")
    (project / "src" / "page.md").write_text(f"```python\n{NOT_KNOWN}```\n", "utf-8")
    (project / "src" / "plain.py").write_text("print(y.data)\n")
    assert "left alone: `" not in run("check", "src", "-v", "--docs").stderr


def test_progress_is_for_terminals(project: Path) -> None:
    for number in range(60):
        (project / "src" / f"m{number}.py").write_text(LEGACY)
    command = [sys.executable, "-m", "torchfix_codemods", "check", "src"]
    shown = _on_a_terminal(command)
    assert "migrating" in shown and "files/s" in shown
    assert "migrating" not in _on_a_terminal([*command, "-q"])
    piped = subprocess.run(command, capture_output=True, text=True)
    assert "migrating" not in piped.stderr


ASYNC = (
    "import torch\nfrom torch.autograd import Variable\n\n\ndef f(x):\n    y = x.cuda(async=True)\n"
)


def test_a_selected_rule_rewrites_what_only_another_one_makes_readable(project: Path) -> None:
    path = project / "old.py"
    path.write_text(ASYNC + "    return Variable(torch.ones(2)), y\n")
    result = run("migrate", "--select", "TP1", "old.py", "--output-format", "json")
    assert result.exit_code == 0, result.output
    assert path.read_text().endswith("non_blocking=True)\n    return torch.ones(2), y\n")
    codes = [f["code"] for f in json.loads(result.stdout)["files"][0]["findings"]]
    assert sorted(codes) == ["TP101", "TP204"]


@pytest.mark.parametrize(
    ("options", "exit_code"),
    [
        (["--select", "TP1"], 0),
        (["--select", "TP3"], 0),
        (["--select", "TP1", "--ignore", "TP204"], 2),
        (["--select", "TP1", "--to", "0.3"], 2),
        (["--ignore", "TP204"], 2),
    ],
)
def test_what_makes_a_file_readable_is_not_rewritten_for_nothing(
    project: Path, options: list[str], exit_code: int
) -> None:
    path = project / "old.py"
    text = ASYNC.replace("def f(x)", "def f(x, cls=Variable)") + "    return y\n"
    path.write_text(text)
    result = run("migrate", *options, "old.py")
    assert result.exit_code == exit_code, result.output
    assert path.read_text() == text
    assert "TP204 async-argument:" not in result.output


def test_advice_of_a_selected_rule_needs_no_rewrite_of_another_one(project: Path) -> None:
    (project / "old.py").write_text(ASYNC + "    return Variable(3), y\n")
    result = run("check", "--select", "TP1", "old.py")
    assert result.exit_code == 1
    assert [line.split()[1] for line in result.stdout.splitlines()] == ["TP101"]


@pytest.mark.parametrize("command", ["migrate", "check"])
def test_a_path_that_leads_to_nothing_is_told_once(project: Path, command: str) -> None:
    result = run(command, "gone.py", "./gone.py", "src/../gone.py", "other.py")
    assert result.exit_code == 2
    assert result.stderr.count("no such file or folder") == 2
    assert "error: gone.py: no such file or folder" in result.stderr


def _on_a_terminal(command: list[str], stream: str = "stderr") -> str:
    """What a command writes to one of its streams where that is a terminal."""
    import pty

    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: theirs}
    process = subprocess.Popen(command, env=environment, **streams)
    os.close(theirs)
    written = b""
    while True:
        try:
            data = os.read(ours, 4096)
        except OSError:
            break
        if not data:
            break
        written += data
    process.wait()
    os.close(ours)
    return written.decode()


OLD_AND_OLDER = """import torch
from torch.autograd import Variable

loss = torch.nn.MSELoss(size_average=False)
x = Variable(torch.ones(2))
"""
NEEDED = OLD_AND_OLDER.replace("size_average=False", 'reduction="sum"')


@pytest.mark.parametrize(
    ("setting", "options", "left"),
    [
        ("", ["--needed"], NEEDED),
        ("needed = true", [], NEEDED),
        ("needed = true", ["--no-needed"], ""),
        ("needed = false", [], ""),
    ],
)
def test_what_is_only_modern_can_stay(
    tmp_path: Path, setting: str, options: list[str], left: str
) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.torchfix]\n{setting}\n")
    path = tmp_path / "old.py"
    # Results that were kept for other settings are not taken.
    for _ in range(2):
        path.write_text(OLD_AND_OLDER)
        assert run("migrate", str(path)).exit_code == 0
        path.write_text(OLD_AND_OLDER)
        result = run("migrate", str(path), *options)
        assert result.exit_code == 0
        assert ("Variable" in path.read_text()) is bool(left)
        assert path.read_text() == left or not left
    assert ("modern" in result.stderr) is not bool(left)


def test_check_lists_what_is_needed(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(OLD_AND_OLDER)
    result = run("check", "--all", str(tmp_path), "--needed", "--no-cache")
    assert "TP301" in result.stdout and "TP101" not in result.stdout
