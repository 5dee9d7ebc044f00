"""What a terminal shows: help below headings, colours and links, and none of them elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from email.message import Message
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from torchfix_codemods.cli import run as cli_run
from torchfix_codemods.cli import together
from torchfix_codemods.cli.commands import main
from torchfix_codemods.finding import FileResult, Numerics, Rank, Reason, rank_of
from torchfix_codemods.report import links
from torchfix_codemods.rules import all_rules
from torchfix_codemods.settings.config import Settings

LEGACY = "import torch.nn as nn\nloss = nn.MSELoss(size_average=False)\n"
COLOR = "\x1b["


def run(*args: str, **env: str) -> Result:
    nothing = {"NO_COLOR": None, "FORCE_COLOR": None, "TERM": "xterm"}
    return CliRunner().invoke(main, list(args), env={**nothing, **env})


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.py").write_text(LEGACY)
    return tmp_path


HEADINGS = {
    *(together.DONE, together.FILES, together.RULES, together.TORCH),
    *(together.OUTPUT, together.VERIFICATION, together.RUNNING),
}


@pytest.mark.parametrize("command", ["migrate", "check", "explain", "verify"])
def test_all_options_stand_below_a_heading(command: str) -> None:
    said = run(command, "--help").output
    headings = re.findall(r"^(\S.*):$", said, re.MULTILINE)
    assert len(headings) == len(set(headings))
    assert headings[-1] == "Options" and set(headings[:-1]) <= HEADINGS
    # Below that one only help stands, which no heading is about.
    assert re.findall(r"^  (-.*?)  ", said.rpartition("Options:")[2], re.MULTILINE) == [
        "-h, --help"
    ]
    names = {
        name
        for parameter in main.commands[command].params
        if isinstance(parameter, click.Option)
        for name in parameter.opts
    }
    assert all(re.search(rf"{name}\b", said) for name in names)


def test_headings_are_in_the_order_of_the_questions_of_a_reader() -> None:
    said = run("migrate", "--help").output
    places = [said.index(f"\n{heading}:\n") for heading in ("What is done", "Which files")]
    places += [said.index(f"\n{h}:\n") for h in ("Which rules", "Which torch", "Output", "Running")]
    assert places == sorted(places)


def test_commands_stand_in_the_order_in_which_they_are_needed() -> None:
    said = run("--help").output.partition("Commands:")[2].split("\n")
    assert [line.split()[0] for line in said if line] == [
        *("migrate", "check", "explain", "rules", "verify", "lsp", "cache")
    ]


@pytest.mark.parametrize(
    ("words", "env", "is_colored"),
    [
        ([], {}, False),
        (["--color", "always"], {}, True),
        (["--color", "auto"], {}, False),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": ""}, False),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
    ],
)
def test_who_says_whether_there_are_colors(
    project: Path, words: list[str], env: dict[str, str], is_colored: bool
) -> None:
    said = run("migrate", "old.py", "--diff", *words, **env).stdout
    assert (COLOR in said) is is_colored
    assert '+loss = nn.MSELoss(reduction="sum")' in click.unstyle(said)


@pytest.mark.parametrize(
    ("env", "is_colored"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_a_terminal_has_colors(
    project: Path, monkeypatch: pytest.MonkeyPatch, env: dict[str, str], is_colored: bool
) -> None:
    monkeypatch.setattr("torchfix_codemods.cli.color._is_terminal", lambda stream: True)
    said = CliRunner().invoke(
        main,
        ["migrate", "old.py", "--diff"],
        env={"NO_COLOR": None, "FORCE_COLOR": None, "TERM": "xterm", **env},
        color=True,
    )
    assert (COLOR in said.stdout) is is_colored


@pytest.mark.parametrize("words", [["explain", "TP301"], ["explain", "TP004"], ["rules"]])
def test_pages_and_lists_have_colors_only_where_they_are_wanted(words: list[str]) -> None:
    plain, colored = run(*words), run(*words, "--color", "always")
    assert COLOR not in plain.output and COLOR in colored.output
    assert {plain.exit_code, colored.exit_code} == {0}


def test_pages_are_rendered_where_there_are_colors() -> None:
    shown = run("explain", "TP301", "--color", "always").output
    assert "```" not in shown and "## Why" not in shown and "`reduction=`" not in shown
    assert "```python" in run("explain", "TP301").output
    address = "https://pytorch.org/docs/stable/generated/torch.nn.MSELoss.html"
    assert re.search(rf"\x1b\]8;[^;]*;{re.escape(address)}\x1b\\", shown)


def test_what_is_known_of_a_line_has_headings(project: Path) -> None:
    shown = run("explain", "old.py:2", "--color", "always").output
    assert re.search(r"\x1b\[[0-9;]*m\x1b\[4mWhat is known:\x1b", shown)
    assert COLOR not in run("explain", "old.py:2").output


def test_codes_of_rules_lead_to_what_can_be_read_of_them(project: Path) -> None:
    address = "https://pytorch.org/docs/stable/generated/torch.nn.MSELoss.html"
    words = ["check", "old.py", "--all"]
    assert f"\x1b]8;;{address}\x1b\\" in run(*words, "--color", "always").output
    assert address not in run(*words).output


def test_they_lead_to_the_site_that_the_package_names(monkeypatch: pytest.MonkeyPatch) -> None:
    named = Message()
    named["Project-URL"] = "Homepage, https://example.org"
    named["Project-URL"] = "Documentation, https://docs.example.org/"
    monkeypatch.setattr("importlib.metadata.metadata", lambda name: named)
    links._site.cache_clear()
    assert links.address_of("TP301") == "https://docs.example.org/rules/TP301/"
    assert links.address_of("TP004") is None
    links._site.cache_clear()


def test_all_rules_have_an_address() -> None:
    assert all(links.address_of(rule.code) for rule in all_rules())


MOVES = "import torch\n\n\ndef g(x):\n    return x.cuda()\n\n\nif use_gpu:\n    net.cuda()\n"
LEFT = """\
import torch
import torch.nn as nn
from torch.utils.ffi import create_extension


def f(x, flag):
    nn.Sequential().add_module("a.b", nn.ReLU())
    nn.MSELoss(size_average=flag, reduce=flag)
    return x.cuda()


if use_gpu:
    net.cuda()
"""


def test_what_is_left_is_told_by_cause_and_what_fails_comes_first(project: Path) -> None:
    (project / "left.py").write_text(LEFT)
    (project / "more.py").write_text(MOVES.replace("if use_gpu", "\n\n\n\nif use_gpu"))
    said = run("check", "left.py", "more.py").stdout.splitlines()
    codes = [match[0] for line in said if (match := re.search(r"TP\d+", line))]
    assert codes.index("TP707") < codes.index("TP201") and len(codes) == len(set(codes))
    (head,) = [number for number, line in enumerate(said) if "TP201" in line]
    assert said[head].startswith("TP201 hard-coded-cuda (2 places): ")
    assert said[head + 1 : head + 3] == ["  left.py:9:12", "  more.py:5:12"]


def test_what_is_left_stands_above_what_was_done(project: Path) -> None:
    (project / "left.py").write_text(MOVES)
    said = run("migrate", ".").output
    places = [said.index(part) for part in ("left.py:5:12: TP201", "rewrote old.py", "2 files, 1")]
    assert places == sorted(places)


def test_many_places_of_a_cause_are_listed_by_check_alone(project: Path) -> None:
    text = "import torch.nn.functional as F\n\n\ndef g(x):\n" + "    F.softmax(x)\n" * 14
    (project / "left.py").write_text(text)
    words = ["left.py", "--select", "TP302"]
    assert "left.py:18:5" in run("check", *words).stdout
    assert "left.py:18:5" in run("migrate", *words, "-v").stderr
    said = run("migrate", *words).stderr
    assert "left.py:14:5" in said and "left.py:15:5" not in said
    assert "  and 4 more places: torchfix check lists them" in said


def test_check_lists_only_what_is_left(project: Path) -> None:
    (project / "left.py").write_text(MOVES)
    result = run("check", ".")
    assert result.exit_code == 1
    assert "TP201" in result.stdout and "TP301" not in result.stdout
    assert "check --all lists them, too" in result.stderr
    listed = run("check", ".", "--all")
    assert "old.py:2:8: TP301" in listed.stdout and "--all" not in listed.stderr
    # What is only rewritten is something that check finds.
    assert run("check", "old.py").exit_code == 1
    assert run("check", "old.py").stdout == ""


def test_annotations_are_for_what_check_lists(project: Path) -> None:
    words = ["check", "old.py", "--output-format", "github"]
    assert run(*words).stdout == ""
    assert "1 rewrite" in run(*words).stderr
    assert "TP301" in run(*words, "--all").stdout
    assert "TP301" in run("migrate", "--diff", *words[1:]).stdout


def test_rules_are_counted_only_where_that_is_asked_for(project: Path) -> None:
    assert "TP301" not in run("migrate", "old.py", "--check").stderr
    assert "TP301 size-average" in run("migrate", "old.py", "--check", "--statistics").stderr


def test_what_was_done_is_told_where_the_user_ends_the_run(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = list(cli_run.migrate_each([project / "old.py"], Settings(root=project), write=True))

    def ended(*args: object, **options: object) -> Iterator[FileResult]:
        yield from done
        raise KeyboardInterrupt

    monkeypatch.setattr(cli_run, "migrate_each", ended)
    result = run("migrate", ".")
    assert "rewrote " in result.stdout and "Aborted!" in result.stderr


@pytest.mark.parametrize(
    ("numerics", "usual", "fails", "reason", "rank"),
    [
        (Numerics.RESTORED, Numerics.RESTORED, False, Reason.FAILS, Rank.FAILS),
        (Numerics.CHANGED, Numerics.CHANGED, False, Reason.DIFFERS, Rank.DIFFERS),
        (Numerics.IDENTICAL, Numerics.RESTORED, False, Reason.WARNS, Rank.WARNS),
        (Numerics.IDENTICAL, Numerics.IDENTICAL, False, Reason.MODERN, Rank.OTHER),
        # Of advice the usual claim of its rule counts, and that it certainly raises.
        (Numerics.ADVICE, Numerics.RESTORED, False, None, Rank.FAILS),
        (Numerics.ADVICE, Numerics.PINNED, False, None, Rank.DIFFERS),
        (Numerics.ADVICE, Numerics.IDENTICAL, False, None, Rank.OTHER),
        (Numerics.ADVICE, Numerics.ADVICE, True, None, Rank.FAILS),
        (Numerics.ADVICE, Numerics.ADVICE, False, None, Rank.OTHER),
    ],
)
def test_how_soon_a_person_should_look(
    numerics: Numerics, usual: Numerics, fails: bool, reason: Reason | None, rank: Rank
) -> None:
    assert rank_of(numerics, usual, fails, reason) is rank


def test_shells_complete_options() -> None:
    asked = {"_TORCHFIX_COMPLETE": "bash_complete", "COMP_CWORD": "2"}
    asked["COMP_WORDS"] = "torchfix migrate --extend-s"
    code = "from torchfix_codemods.cli.commands import main; main(prog_name='torchfix')"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=os.environ | asked, capture_output=True, text=True)
    assert done.stdout == "plain,--extend-select\n"
