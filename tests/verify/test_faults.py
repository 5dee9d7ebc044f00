"""Right and wrong rewrites of small programs: each gets the verdict that it deserves.

Most of the table is left to `python -m benchmarks.verdicts`, which takes half an hour.
"""

from __future__ import annotations

import pytest

from tests.support.faults import Edit, all_pairs, edit_of, right_of
from tests.support.verifying import QUICK, Bench, file_with, replaced, texts_of
from tests.verify.cases import RIGHT, UNPROVEN, WRONG
from tests.verify.cases.edits import pairs_of
from torchfix_codemods.verify.verdicts import FAILED, Verdict

#: A training, turns of two networks, child processes, scripts, functions with a backward of their
#: own, an evaluation, a project of several files, and a suite.
PROGRAMS = ("cnn", "gan", "processes", "compiled", "custom", "evaluate", "project", "suite")

#: Of the wrong ones of a program, one of so many is judged here.
EVERY = 6


@pytest.mark.parametrize("name", PROGRAMS)
def test_right_rewrites(judges: Bench, name: str) -> None:
    wrong = {}
    for group in right_of(name):
        judged = judges.judge_edits(name, all_pairs(group))
        for edit in group:
            outcomes = edit.outcomes(judged)
            assert outcomes, edit.name
            verdicts = {outcome.verdict for outcome in outcomes}
            is_proven = verdicts == {Verdict.EQUIVALENT}
            if is_proven is ((name, edit.name) in UNPROVEN) or verdicts & FAILED:
                wrong[edit.name] = [(o.verdict, o.reason, o.difference) for o in outcomes]
    assert wrong == {}


@pytest.mark.parametrize(
    ("name", "case"), [(name, case) for name in PROGRAMS for case in list(WRONG[name])[::EVERY]]
)
def test_wrong_rewrite(judges: Bench, name: str, case: str) -> None:
    old, new, verdict, kind = WRONG[name][case]
    judged = judges.judge_edits(name, [(old, new)])
    assert set(judged.verdicts) == {verdict}, judged.outcomes
    if kind is not None:
        assert judged.difference.kind == kind, judged.difference


def _mixed(name: str) -> tuple[list[Edit], list[Edit]]:
    """Right rewrites of a program, and two wrong ones that do not touch them or each other."""
    right, wrong = right_of(name)[0], list[Edit]()
    for case, (old, new, verdict, _) in WRONG[name].items():
        edit = edit_of(name, case, [(old, new)])
        if verdict is Verdict.DIFFERENT and len(wrong) < 2 and edit.is_apart([*right, *wrong]):
            wrong.append(edit)
    return right, wrong


@pytest.mark.parametrize("name", [name for name in PROGRAMS if _mixed(name)[1]])
def test_wrong_rewrites_among_right_ones(judges: Bench, name: str) -> None:
    right, wrong = _mixed(name)
    judged = judges.judge_edits(name, all_pairs([*right, *wrong]), options=QUICK)
    failed = [
        edit.name
        for edit in [*right, *wrong]
        if {outcome.verdict for outcome in edit.outcomes(judged)} & FAILED
    ]
    assert failed == [edit.name for edit in wrong]
    assert judged.runs <= 5 + 7 * len(wrong)


@pytest.mark.parametrize("name", RIGHT)
def test_the_table_is_of_its_program(name: str) -> None:
    texts = texts_of(name)
    for table in (RIGHT, WRONG):
        for entry in table[name].values():
            for pair in pairs_of(entry):
                path = file_with(texts, pair[0])
                assert replaced(texts[path], pair) != texts[path]
