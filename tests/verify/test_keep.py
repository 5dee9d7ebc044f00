"""What stays of a migration once the program ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from torchfix_codemods.finding import FileResult
from torchfix_codemods.report.text import diff_of
from torchfix_codemods.verify.hunks import Change
from torchfix_codemods.verify.keep import kept_results
from torchfix_codemods.verify.verdicts import Verification

BEFORE, AFTER = "a = 1\nb = 1\nc = 1\n", "a = 2\nb = 2\nc = 2\n"


@dataclass
class Texts:
    """A change of which only the texts that stay are asked."""

    kept: Mapping[str, str]

    def texts(self, kept: object) -> Mapping[str, str]:
        return self.kept


@dataclass
class NothingJudged:
    judgements: tuple[Any, ...] = ()


def kept(result: FileResult, texts: Mapping[str, str]) -> FileResult:
    change, verification = cast(Change, Texts(texts)), cast(Verification, NothingJudged())
    return kept_results([result], change, verification, (), Path(result.path).parent)[0]


@pytest.fixture
def result(tmp_path: Path) -> FileResult:
    known = ((0, 3, 0, 3),)
    return FileResult(str(tmp_path / "a.py"), before=BEFORE, after=AFTER, changes=known)


def test_the_diff_is_of_what_stays(result: FileResult) -> None:
    some = kept(result, {"a.py": "a = 1\nb = 2\nc = 1\n"})
    lines = diff_of(some).splitlines()[3:]
    assert lines == [" a = 1", "-b = 1", "+b = 2", " c = 1"]


def test_nothing_stays(result: FileResult) -> None:
    assert not diff_of(kept(result, {"a.py": BEFORE}))


def test_all_stays(result: FileResult) -> None:
    assert kept(result, {"a.py": AFTER}) is result
    assert kept(result, {}) is result
