"""What changed in torch's API, as data: one module for each subject, one row for each change."""

from __future__ import annotations

import functools
import importlib
import pkgutil

from torchfix_codemods.catalogue.rows import Row


@functools.cache
def subjects() -> tuple[str, ...]:
    """The modules that hold rows."""
    return tuple(
        sorted(info.name for info in pkgutil.iter_modules(__path__) if info.name != "rows")
    )


@functools.cache
def rows_in(subject: str) -> tuple[Row, ...]:
    """The rows of one subject, in the order of its file."""
    rows: tuple[Row, ...] = importlib.import_module(f"{__name__}.{subject}").ROWS
    return rows


@functools.cache
def all_rows() -> tuple[Row, ...]:
    """Every row, by subject and in the order of the files."""
    return tuple(row for subject in subjects() for row in rows_in(subject))


@functools.cache
def rows_of(code: str) -> tuple[Row, ...]:
    """The rows that the rule with this code follows."""
    return tuple(row for row in all_rows() if row.rule == code)
