"""What is printed with few digits is compared in full."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

import pytest

from torchfix_codemods.verify.command import parse_command
from torchfix_codemods.verify.hunks import Change, FileChange
from torchfix_codemods.verify.inside.shown import given
from torchfix_codemods.verify.options import VerifyOptions
from torchfix_codemods.verify.runs import Event, Runner
from torchfix_codemods.verify.session import Session
from torchfix_codemods.verify.verdicts import Verdict
from torchfix_codemods.verify.verify import moved_events

#: What is printed of ``x``, a number of 0.123456, and of ``t``, a tensor of many.
LINES = [
    "print('%.1f' % x)",
    "print('x %.1f of %d' % (x, 3))",
    "print('{:.1f}'.format(x))",
    "print('{a:.1f}'.format(a=x))",
    "print(f'{x:.1f}')",
    "print('x ' + '%.1f' % x, end='\\n')",
    "print(round(x, 1))",
    "print(int(100 * x), t)",
    "logging.getLogger('run').warning('x %.1f', x)",
    "logging.getLogger('run').warning('x %.1f' % x)",
    "sys.stdout.write('%.1f\\n' % x)",
    "print('%.1f' % torch.tensor(x))",
]

PROGRAM = """\
import logging
import sys

import torch


def main():
    x = sum([0.123456])
    t = torch.full((4, 4), 0.5) * x
    {}


main()
"""


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    folder = tmp_path_factory.mktemp("program")
    (folder / "main.py").write_text("", encoding="utf-8")
    command = parse_command([sys.executable, "main.py"])
    with Runner(folder, command, folder, {"threads": 1, "timeout": 120}) as started:
        yield started


def events(runner: Runner, text: str) -> list[Event]:
    run = runner.run({"main.py": text.encode()}, {})
    assert run.failure is None, run.output
    return [event for event in run.streams["main"].events if event["kind"] == "print"]


@pytest.mark.parametrize("line", LINES)
def test_numbers_are_told_before_they_are_formatted(runner: Runner, line: str) -> None:
    event = events(runner, PROGRAM.format(line))[0]
    numbers = event["given"]
    assert numbers[0] == (12 if "100" in line else pytest.approx(0.123456))
    if ", t)" in line:
        assert set(numbers[1]) == {"n", "p"}
    else:
        assert len(numbers) == 1


@pytest.mark.parametrize(
    "line",
    [
        "print('done')",
        "print(x == 2, None, 'of')",
        "print(main)",
        "len('%.1f' % x), print('.')",
        "'%.1f' % x\n    print('.')",
    ],
)
def test_what_is_no_number_of_the_line_is_not_told(runner: Runner, line: str) -> None:
    (event,) = events(runner, PROGRAM.format(line))
    assert "given" not in event


def judged(runner: Runner, old: str, new: str) -> tuple[Verdict, str]:
    before, after = (
        PROGRAM.format("print('%.1f' % x)").replace("[0.123456]", t) for t in (old, new)
    )
    session = Session(
        Change([FileChange("main.py", before, after)]), runner, VerifyOptions(), "cpu", moved_events
    )
    outcomes, _ = session.judge()
    (outcome,) = outcomes.values()
    values = outcome.difference.values if outcome.difference is not None else ("", "")
    return outcome.verdict, values[0]


def test_a_number_that_is_off_behind_its_digits_is_different(runner: Runner) -> None:
    verdict, value = judged(runner, "[0.123456]", "[0.1236]")
    assert (verdict, value) == (Verdict.DIFFERENT, "0.123456 in 0.1")


def test_the_same_number_is_equivalent_and_would_have_shown(runner: Runner) -> None:
    assert judged(runner, "[0.123456]", "(0.123456,)") == (Verdict.EQUIVALENT, "")


def test_a_number_within_the_tolerance_is_equivalent(runner: Runner) -> None:
    assert judged(runner, "[0.123456]", "[0.1234560001]") == (Verdict.EQUIVALENT, "")


def test_calls_that_print_nothing_are_left_alone() -> None:
    for text in ("show('%d' % x)", "x.update(3)", "a = '%d' % x"):
        tree = ast.parse(text)
        assert ast.dump(given._Printing().visit(tree)) == ast.dump(ast.parse(text))
