"""What stays of a migration once the program ran."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from torchfix_codemods.finding import FileResult, Finding, Numerics
from torchfix_codemods.report.text import diff_of
from torchfix_codemods.runs.runner import migrate_files
from torchfix_codemods.settings.config import Settings
from torchfix_codemods.verify.keep import kept_results
from torchfix_codemods.verify.verdicts import Judgement, Verdict, Verification
from torchfix_codemods.verify.verify import change_of_results

BEFORE, AFTER = "a = 1\n\nb = 1\n\nc = 1\n", "a = 2\n\nb = 2\n\nc = 2\n"


@dataclass
class Judged:
    """A verification of which only the verdicts are asked."""

    judgements: tuple[Judgement, ...] = ()


def kept(result: FileResult, *numbers: int) -> FileResult:
    """What stays of a result where some of its hunks stay."""
    base = Path(result.path).parent
    change = change_of_results([result], base)
    keys = [f"a.py#{number}" for number in numbers]
    return kept_results([result], change, cast(Verification, Judged()), keys, base)[0]


@pytest.fixture
def result(tmp_path: Path) -> FileResult:
    known = ((0, 5, 0, 5),)
    return FileResult(str(tmp_path / "a.py"), before=BEFORE, after=AFTER, changes=known)


def test_the_diff_is_of_what_stays(result: FileResult) -> None:
    lines = diff_of(kept(result, 1)).splitlines()[3:]
    assert lines == [" a = 1", " ", "-b = 1", "+b = 2", " ", " c = 1"]


def test_nothing_stays(result: FileResult) -> None:
    assert not diff_of(kept(result))


def test_all_stays(result: FileResult) -> None:
    assert kept(result, 0, 1, 2) is result


CLASS = """\
from torch.autograd import Function


class Scale(Function):
    def __init__(self, factor):
        self.factor = factor

    def forward(self, x):
        return x * self.factor

    def backward(self, grad):
        return grad * self.factor
"""
CALL = "import torch\nfrom a import Scale\n\ny = Scale(3)(x)\n"


def project(base: Path) -> list[FileResult]:
    """The migration of a class in one file that another one calls."""
    (base / ".git").mkdir()
    paths = [base / "a.py", base / "b.py"]
    for path, text in zip(paths, (CLASS, CALL), strict=True):
        path.write_text(text)
    return list(migrate_files(paths, Settings(select=("TP107",)), write=False))


@pytest.mark.parametrize("left", ["a.py", "b.py"])
def test_a_class_and_its_calls_in_other_files_stay_together(left: str, tmp_path: Path) -> None:
    results = project(tmp_path)
    change = change_of_results(results, tmp_path)
    judgements = []
    for hunk in change.hunks:
        verdict = Verdict.NOT_EXECUTED if hunk.path == left else Verdict.EQUIVALENT
        judgements += [Judgement(hunk, finding, verdict, {}) for finding in hunk.findings]
    verification = cast(Verification, Judged(tuple(judgements)))
    keys = [hunk.key for hunk in change.hunks if hunk.path != left]
    some = kept_results(results, change, verification, keys, tmp_path)
    assert [result.after for result in some] == [None, None]
    said = {Path(result.path).name: result.findings[0].message for result in some}
    assert said.pop(left).endswith("(left alone: verified as not executed)")
    (other,) = said.values()
    assert "verified as equivalent, but it only makes sense together with one that is left" in other
    everything = [hunk.key for hunk in change.hunks]
    assert kept_results(results, change, verification, everything, tmp_path) == results


def test_why_all_of_a_part_is_left(tmp_path: Path) -> None:
    before, after = "a = 1\nb = 1\n", "a = 2\nb = 2\n"
    findings = tuple(
        Finding(line, 1, "TP101", "a", "said", Numerics.IDENTICAL, fixed=True) for line in (1, 2)
    )
    result = FileResult(str(tmp_path / "a.py"), findings, before=before, after=after)
    change = change_of_results([result], tmp_path)
    (hunk,) = change.hunks
    verdicts = (Verdict.EQUIVALENT, Verdict.NOT_EXECUTED)
    judgements = (Judgement(hunk, f, v, {}) for f, v in zip(findings, verdicts, strict=True))
    verification = cast(Verification, Judged(tuple(judgements)))
    (some,) = kept_results([result], change, verification, (), tmp_path)
    assert [finding.message for finding in some.findings] == [
        "said (left alone: verified as equivalent, but it only makes sense together with one that"
        " is left)",
        "said (left alone: verified as not executed)",
    ]


def test_what_would_read_a_name_that_is_not_there_stays_alone(tmp_path: Path) -> None:
    before = "def f(a):\n    x = 1\n    return a\n\n\ny = 1\n"
    after = "def f(b):\n    x = 1\n    return b\n\n\ny = 2\n"
    path = str(tmp_path / "a.py")
    change = change_of_results([FileResult(path, before=before, after=after)], tmp_path)
    head, other = change.hunks
    assert [len(head.parts), len(other.parts)] == [2, 1]
    # As if it had been taken apart.
    (first, second) = head.parts
    change.hunks = [
        dataclasses.replace(head, parts=(first,)),
        dataclasses.replace(head, key="a.py#2", parts=(second,)),
        other,
    ]
    verification = cast(Verification, Judged())
    result = FileResult(path, before=before, after=after)
    for keys in (["a.py#0", "a.py#1"], ["a.py#1", "a.py#2"]):
        (some,) = kept_results([result], change, verification, keys, tmp_path)
        assert some.after == before.replace("y = 1", "y = 2")
