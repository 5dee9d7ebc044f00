from __future__ import annotations

import sys

import pytest

from torchfix_codemods.text.stack import is_deep, with_deep_stack


def nested(depth: int) -> int:
    return 1 + nested(depth - 1) if depth else 0


def test_deeper_than_the_usual_limit() -> None:
    limit = sys.getrecursionlimit()
    assert with_deep_stack(lambda: nested(8 * limit)) == 8 * limit
    assert sys.getrecursionlimit() == limit and not is_deep()


def test_recursion_without_end_still_ends() -> None:
    with pytest.raises(RecursionError):
        with_deep_stack(lambda: nested(10**9))
