"""Which part of which condition decided."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import pytest

from torchfix_codemods.why.decided import CannotEvaluateError, Decision, Scene, decisions
from torchfix_codemods.why.watched import watch


def decided(function: Callable[..., Any], *given: Any) -> list[str]:
    return [ast.unparse(d.node) for d in decisions(watch(function, given, {}))]


def either(a: int, b: int) -> str | None:
    if a < 0 or not b:
        return None
    if a and b > 5:
        return "large"
    return None


def of_all(numbers: list[int]) -> bool:
    return all(number > 0 or number == -1 for number in numbers if number != 7)


def of_any(numbers: list[int]) -> bool:
    return any(number > 0 for number in numbers)


def chosen(a: int, b: int) -> bool:
    return b > 1 if a else b < 1


def looping(numbers: list[int]) -> int | None:
    for number in numbers:
        if number < 0:
            continue
        if number == 5:
            return number
    return None


def passed_on(a: int) -> Any:
    yield from [a]
    yield from iter((a,))


@pytest.mark.parametrize(
    ("function", "given", "found"),
    [
        (either, (-1, 1), ["a < 0"]),
        (either, (1, 0), ["b"]),
        (either, (0, 9), ["a"]),
        (either, (1, 2), ["b > 5"]),
        (either, (1, 9), ["a", "b > 5"]),
        (of_all, ([1, 7, -2],), ["number > 0", "number == -1"]),
        (of_all, ([1, -1],), ["number > 0", "number == -1"]),
        (of_all, ([7],), ["numbers"]),
        (of_any, ([-1, 2, 3],), ["number > 0"]),
        (of_any, ([-1, -2],), ["number > 0", "number > 0"]),
        (chosen, (1, 2), ["a", "b > 1"]),
        (chosen, (0, 2), ["a", "b < 1"]),
        (looping, ([-1, 3],), ["number < 0", "number == 5"]),
        (looping, ([],), ["numbers"]),
        (passed_on, (1,), ["iter((a,))"]),
    ],
)
def test_what_decided(
    function: Callable[..., Any], given: tuple[Any, ...], found: list[str]
) -> None:
    assert decided(function, *given) == found


def renamed(number: int) -> bool:
    double = number * 2
    first, second = double, 1
    number = 0
    return first > second


def test_what_a_name_was_then() -> None:
    (decision,) = decisions(watch(renamed, [4], {}))
    scene = decision.scene
    assert scene.value(decision.node) is True
    source, earlier = scene.definition("first") or pytest.fail("first is defined")
    assert ast.unparse(source) == "(double, 1)"
    source, earlier = earlier.definition("double") or pytest.fail("double is defined")
    assert ast.unparse(source) == "number * 2" and earlier.value(source) == 8
    assert earlier.definition("number") is None


def shadowed(numbers: list[int]) -> bool:
    number = 7
    return any(number > 0 for number in [number - 9, *numbers])


def test_what_a_comprehension_binds_is_no_local_name() -> None:
    decision: Decision = decisions(watch(shadowed, [[-1, 2]], {}))[0]
    number = ast.parse("number", mode="eval").body
    assert decision.scene.value(number) == 2
    assert decision.scene.definition("number") is None


def test_what_has_no_value() -> None:
    scene = Scene(watch(renamed, [4], {}), 0)
    with pytest.raises(CannotEvaluateError):
        scene.value(ast.parse("double + missing", mode="eval").body)
