"""`torchfix` with many times the rows that the catalogue has, none of which says anything new.

Run as a program by `benchmarks.speed`: `python more_rows.py TIMES ARGUMENT ...`. Every other added
row is about a function with the name of a real one in a module that is not there, so that the rules
are asked for the same words; the rest are about names that no file has.
"""

import dataclasses
import functools
import sys

from torchfix_codemods import catalogue
from torchfix_codemods.catalogue.rows import Arguments, Call, Gone, Name, Row, Value


def main(arguments: list[str]) -> int:
    """Multiply the rows before any rule has read them, then run the command."""
    times = int(arguments[0])
    rows = catalogue.all_rows()
    more = (*rows, *(another(row, number) for number in range(1, times) for row in rows))
    catalogue.all_rows = functools.cache(lambda: more)
    catalogue.rows_of.cache_clear()

    from torchfix_codemods.cli.commands import main as command

    sys.argv = ["torchfix", *arguments[1:]]
    command()
    return 0


def another(row: Row, number: int) -> Row:
    """A row of the same form about something else."""
    if isinstance(row, Arguments):
        return dataclasses.replace(row, of=tuple(renamed(name, number) for name in row.of))
    if isinstance(row, Call):
        name, bracket, rest = row.old.partition("(")
        return dataclasses.replace(row, old=renamed(name, number) + bracket + rest)
    assert isinstance(row, (Name, Value, Gone))
    return dataclasses.replace(row, old=renamed(row.old, number))


def renamed(name: str, number: int) -> str:
    """Another module with a function of this name, or another function in its module."""
    module, _, last = name.rpartition(".")
    return f"{module}.synthetic{number}.{last}" if number % 2 else f"{module}.{last}_{number}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
