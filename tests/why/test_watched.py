"""Functions that are looked at while they work."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator

import pytest

from torchfix_codemods.why.watched import Run, watch


def lines(run: Run) -> list[str]:
    return [ast.unparse(step.head) for step in run.steps]


def halves(numbers: list[int]) -> int:
    found = 0
    for number in numbers:
        if number % 2 or number > 10:
            continue
        found += number
    return found


def evens(numbers: list[int]) -> Iterator[int]:
    for number in numbers:
        if number % 2 == 0:
            yield number


class Doubling:
    factor = 2

    def of(self, number: int, *, plus: int) -> int:
        return self.factor * number + plus


def test_the_way_through_a_function() -> None:
    run = watch(halves, [[3, 4]], {})
    assert run.result == 4
    test = "number % 2 or number > 10"
    assert lines(run) == [
        "found = 0", "numbers", test, "continue", "numbers", test, "found += number", "numbers",
        "return found",
    ]  # fmt: skip
    assert [step.names.get("number") for step in run.steps] == [None, None, 3, 3, 3, 4, 4, 4, 4]


def test_a_generator_is_exhausted() -> None:
    run = watch(evens, [[1, 2]], {})
    assert run.result == [2]
    assert lines(run).count("yield number") == 1


def test_a_method_has_its_owner() -> None:
    run = watch(Doubling().of, [2], {"plus": 1})
    assert run.result == 5
    assert run.steps[0].names["plus"] == 1


def test_calls_of_the_same_function_inside_are_not_mixed_in() -> None:
    def countdown(number: int) -> int:
        if number == 0:
            return 0
        return countdown(number - 1)

    run = watch(countdown, [3], {})
    assert lines(run) == ["number == 0", "return countdown(number - 1)"]


def test_whoever_looks_on_already_goes_on_doing_so() -> None:
    def trace(frame: object, event: str, argument: object) -> None:
        return None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        watch(halves, [[1]], {})
        with pytest.raises(TypeError):
            watch(halves, [None], {})
        after = sys.gettrace()
    finally:
        sys.settrace(before)
    assert after is trace


@pytest.mark.parametrize("function", [len, str.upper])
def test_what_is_not_written_in_python(function: Callable[..., object]) -> None:
    with pytest.raises(TypeError, match="not written in Python"):
        watch(function, ["x"], {})
