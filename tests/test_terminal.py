"""What a terminal shows: help below headings, colours and links, and none of them elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from torchfix_codemods.cli import together
from torchfix_codemods.cli.commands import main

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
