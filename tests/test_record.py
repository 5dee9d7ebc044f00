"""Records behave like frozen dataclasses do."""

from __future__ import annotations

import inspect
import math
import pickle
from dataclasses import field, replace

import pytest

from torchfix_codemods.initializer import Initializer
from torchfix_codemods.record import record


@record
class Point:
    x: float
    y: float = 0.0
    name: str = field(default="", compare=False)


@record
class Named(Point):
    """It has a docstring."""

    parts: tuple[str, ...] = field(default=(), repr=False)


@record
class Single:
    value: object


@record
class Empty:
    pass


@record(eq=False)
class Identity:
    value: int


@record(kw_only=True)
class Keywords:
    value: int = 1


@record
class Ordered:
    value: int

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 7

    def __repr__(self) -> str:
        return "one of its own"


def test_objects_with_equal_fields_are_equal():
    assert Point(1, 2) == Point(1, 2, "other name")
    assert hash(Point(1, 2)) == hash(Point(1, 2, "other name"))
    assert Point(1, 2) != Point(1, 3)
    assert Empty() == Empty() and hash(Empty()) == hash(Empty())


def test_other_classes_are_not_equal():
    assert Point(1, 2) != Named(1, 2)
    assert Single(1) != Identity(1)
    assert Empty() != ()


def test_a_value_that_does_not_equal_itself_is_compared_by_identity():
    assert Single(math.nan) == Single(math.nan)
    assert Point(math.nan) == Point(math.nan)
    assert Single(math.nan) != Single(float("nan"))


def test_comparison_by_identity_where_it_is_asked_for():
    one = Identity(1)
    assert one == one
    assert one != Identity(1)
    assert len({one, Identity(1)}) == 2


def test_methods_of_the_class_stay():
    assert Ordered(1) == Ordered(2)
    assert hash(Ordered(1)) == 7
    assert repr(Ordered(1)) == "one of its own"


def test_fields_of_the_base_come_first():
    assert Named(1, 2, "n", ("a",)) == Named(1, 2, "m", ("a",))
    assert Named(1, 2) != Named(1, 2, parts=("a",))


def test_keywords_only():
    assert Keywords(value=2).value == 2
    with pytest.raises(TypeError):
        Keywords(2)


def test_repr_and_replace():
    assert repr(Named(1, 2, "n", ("a",))) == "Named(x=1, y=2, name='n')"
    assert replace(Point(1, 2, "n"), y=3) == Point(1, 3)
    assert replace(Point(1, 2, "n"), y=3).name == "n"


def test_records_travel_between_processes():
    assert pickle.loads(pickle.dumps(Named(1, 2, parts=("a",)))) == Named(1, 2, parts=("a",))


def test_the_docstring_is_the_class_s_own_or_its_name():
    assert Named.__doc__ == "It has a docstring."
    assert Point.__doc__ == "Point"


def test_init_is_written_with_the_first_object():
    @record
    class Late:
        x: int
        made: list[int] = field(default_factory=list)
        own: list[int] = field(default_factory=list, init=False)
        fixed: int = field(default=7, init=False)
        last: int = field(default=1, kw_only=True)

        def __post_init__(self) -> None:
            self.own.append(self.x)

    @record
    class Later(Late):
        more: str = ""

    assert isinstance(vars(Late)["__init__"], Initializer)
    later = Later(2, more="m")
    assert isinstance(vars(Late)["__init__"], Initializer)
    assert (later.x, later.made, later.own, later.more) == (2, [], [2], "m")
    assert (later.fixed, later.last) == (7, 1)
    late = Late(1, last=3)
    assert (late.x, late.made, late.own, late.fixed, late.last) == (1, [], [1], 7, 3)
    assert late.made is not Late(1).made
    assert not isinstance(vars(Late)["__init__"], Initializer)
    assert str(inspect.signature(Late)) == "(x: 'int', made: 'list[int]' = <factory>, *, " + (
        "last: 'int' = 1) -> None"
    )
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Late()


def test_an_init_of_the_class_s_own_stays():
    @record
    class Own:
        x: int

        def __init__(self) -> None:
            self.x = 5

    assert Own().x == 5
