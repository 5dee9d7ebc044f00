"""Right and wrong rewrites of small programs: each gets the verdict that it deserves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.verifying import Bench, bench, lines_of, program, replaced
from tests.verify.cases import RIGHT, WRONG
from torchfix_codemods.verify.options import VerifyOptions
from torchfix_codemods.verify.verdicts import Verdict


@pytest.fixture(scope="module")
def judges(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with bench(tmp_path_factory.mktemp("faults")) as made:
        yield made


def _apart(name: str) -> list[dict[str, tuple[str, str]]]:
    """The right rewrites of a program, in as few groups as they do not overlap in."""
    text = program(name)
    groups: list[dict[str, tuple[str, str]]] = []
    for case, pair in RIGHT[name].items():
        first, last = lines_of(text, pair[0])
        for group in groups:
            taken = [lines_of(text, old) for old, _ in group.values()]
            if all(last < start or end < first for start, end in taken):
                group[case] = pair
                break
        else:
            groups.append({case: pair})
    return groups


#: What gives nothing that could be changed to see if that shows, or only shows if it is far off.
UNPROVEN = {
    ("cnn", "super without arguments"),
    ("compiled", "in a scripted function"),
    ("compiled", "in a scripted module"),
    ("checkpoint", "no_grad for volatile"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_rewrites(judges: Bench, name: str) -> None:
    text = program(name)
    wrong = {}
    for group in _apart(name):
        judged = judges.judge(name, text, replaced(text, *group.values()))
        for case, (old, _) in group.items():
            outcomes = judged.at(*lines_of(text, old))
            assert outcomes, case
            expected = Verdict.EQUAL if (name, case) in UNPROVEN else Verdict.EQUIVALENT
            if {outcome.verdict for outcome in outcomes} != {expected}:
                wrong[case] = [(o.verdict, o.reason, o.difference) for o in outcomes]
    assert wrong == {}


@pytest.mark.parametrize(
    ("name", "case"), [(name, case) for name, cases in WRONG.items() for case in cases]
)
def test_wrong_rewrite(judges: Bench, name: str, case: str) -> None:
    text = program(name)
    old, new, verdict, kind = WRONG[name][case]
    judged = judges.judge(name, text, replaced(text, (old, new)))
    assert set(judged.verdicts) == {verdict}, judged.outcomes
    if kind is not None:
        assert judged.difference.kind == kind, judged.difference


def _mixed(name: str) -> tuple[dict[str, tuple[str, str]], dict[str, tuple[str, ...]]]:
    """Right rewrites of a program, and two wrong ones that do not touch them or each other."""
    text = program(name)
    right = _apart(name)[0]
    wrong: dict[str, tuple[str, ...]] = {}
    taken = [lines_of(text, old) for old, _ in right.values()]
    for case, (old, new, verdict, _) in WRONG[name].items():
        first, last = lines_of(text, old)
        if verdict is Verdict.DIFFERENT and len(wrong) < 2:
            if all(last < start or end < first for start, end in taken):
                taken.append((first, last))
                wrong[case] = (old, new)
    return right, wrong


@pytest.mark.parametrize("name", [name for name in WRONG if _mixed(name)[1]])
def test_wrong_rewrites_among_right_ones(judges: Bench, name: str) -> None:
    text = program(name)
    right, wrong = _mixed(name)
    options = VerifyOptions(looks_for_unseen=False)
    after = replaced(text, *right.values(), *wrong.values())
    judged = judges.judge(name, text, after, options=options)
    found = {
        case: {outcome.verdict for outcome in judged.at(*lines_of(text, pair[0]))}
        for case, pair in {**right, **wrong}.items()
    }
    expected = {
        **{case: {Verdict.EQUIVALENT} for case in right},
        **{case: {Verdict.DIFFERENT} for case in wrong},
    }
    assert found == expected
    assert judged.runs <= 5 + 7 * len(wrong)
