"""What is known of the options of a command line."""

from __future__ import annotations

import pytest

from tests.facts.test_queries import value_of_last
from torchfix_codemods.facts.values.lattice import Number

HEAD = "import argparse\nparser = argparse.ArgumentParser()\n"
TAIL = "opt = parser.parse_args()\n"


def value(declared: str, after: str = "", asked: str = "opt.size") -> object:
    return value_of_last(f"{HEAD}parser.add_argument({declared})\n{TAIL}{after}look({asked})\n")


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("'--size', type=int, default=3", Number("int")),
        ("'-s', '--size', type=int, default='3', help='of a side'", Number("int")),
        ("'size', type=float", Number("float")),
        ("'--size', type=float, required=True", Number("float")),
        ("'--a', type=float, default=1.0, dest='size'", Number("float")),
        ("'--size', type=float, default=1", Number()),
        ("'--size', action='store', type=int, default=1", Number("int")),
    ],
)
def test_numbers(declared: str, expected: Number) -> None:
    assert value(declared) == expected


def test_dashes_are_underscores() -> None:
    assert value("'--image-size', type=int, default=3", asked="opt.image_size") == Number("int")


@pytest.mark.parametrize(
    "declared",
    [
        "'--size', default=3",
        "'--size', type=int",
        "'--size', type=int, default=None",
        "'--size', type=int, default=3, nargs='+'",
        "'--size', type=int, default=3, action='append'",
        "'--size', type=int, default=[3]",
        "'--size', type=parse, default=3",
        "'--size', type=str, default='3'",
        "'--size', type=int, default=3, **more",
        "'--other', type=int, default=3",
        "name, type=int, default=3",
    ],
)
def test_what_is_no_number_for_certain(declared: str) -> None:
    assert not isinstance(value(declared), Number)


@pytest.mark.parametrize(
    "after",
    [
        "opt.size = (3, 4)\n",
        "setattr(opt, name, (3, 4))\n",
        "parser.set_defaults(size=(3, 4))\n",
        "parser.add_argument('--a', dest='size', nargs=2)\n",
    ],
)
def test_what_something_else_sets(after: str) -> None:
    assert isinstance(value("'--size', type=int, default=3"), Number)
    assert not isinstance(value("'--size', type=int, default=3", after), Number)


def test_another_int() -> None:
    text = f"{HEAD}int = list\nparser.add_argument('--size', type=int, default='3')\n{TAIL}look(opt.size)\n"
    assert not isinstance(value_of_last(text), Number)
