"""What is said of Python's own functions, held against Python."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from torchfix_codemods.facts.libraries import python_functions

ROWS = python_functions.table()
GIVEN: dict[str, Any] = {"number": 3, "iterable": [(1, 2), (3, 4)], "value": 3, "object": 3}
SPECIAL: dict[str, tuple[Any, ...]] = {
    "isinstance": (3, int),
    "pow": (3, 2),
    "sum": ([1, 2],),
}
RESULTS = {
    "arithmetic": (int, float, tuple),
    "number": (int, float),
    "truth": bool,
    "text": str,
    "collection": (list, dict, set, tuple, range),
    "type": type,
    "nothing": type(None),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_what_python_does(name: str) -> None:
    takes, gives = ROWS[name]
    function = getattr(builtins, name)
    result = function(*SPECIAL.get(name, (GIVEN[takes],)))
    if gives == "iterator":
        assert iter(result) is result
    else:
        assert isinstance(result, RESULTS[gives])


@pytest.mark.parametrize("name", ROWS)
def test_what_takes_data_refuses_objects(name: str) -> None:
    if python_functions.takes_data(name) and name != "isinstance":
        with pytest.raises(TypeError):
            getattr(builtins, name)(*(object(), 2)[: 2 if name == "pow" else 1])


@pytest.mark.parametrize("name", ROWS)
def test_what_exhausts_leaves_nothing_of_an_iterator(name: str) -> None:
    if python_functions.walks(name) and name != "reversed":
        left = iter([(1, 1), (2, 2)])
        if name == "sum":
            left = iter([1, 2])
        # Whoever goes through it later holds it.
        result = getattr(builtins, name)(*(left,))
        found = next(left, "nothing")
        assert result is not None
        if name not in ("any", "all"):
            assert (found == "nothing") is python_functions.exhausts(name)


@pytest.mark.parametrize("name", ["setattr", "next", "map", "filter", "exec", "", None])
def test_nothing_is_said_of_others(name: str | None) -> None:
    questions = (
        python_functions.only_computes,
        python_functions.keeps_nothing,
        python_functions.reports,
        python_functions.shows,
        python_functions.is_arithmetic,
        python_functions.gives_data,
        python_functions.takes_data,
        python_functions.walks,
        python_functions.exhausts,
    )
    assert not any(question(name) for question in questions)


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        (python_functions.only_computes, "sorted", "print"),
        (python_functions.keeps_nothing, "print", "iter"),
        (python_functions.reports, "len", "max"),
        (python_functions.shows, "round", "isinstance"),
        (python_functions.is_arithmetic, "sum", "float"),
        (python_functions.gives_data, "sorted", "type"),
        (python_functions.takes_data, "range", "str"),
        (python_functions.walks, "zip", "len"),
        (python_functions.exhausts, "list", "enumerate"),
    ],
)
def test_questions(question: Any, yes: str, no: str) -> None:
    assert question(yes) and not question(no)
