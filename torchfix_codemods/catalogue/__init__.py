"""What changed in torch's API, as data: one module for each subject, one row for each change."""

from __future__ import annotations

import functools
import importlib
import pkgutil

from torchfix_codemods.catalogue import rows
from torchfix_codemods.catalogue.rows import Row


@functools.cache
def _modules() -> dict[str, str]:
    """The modules that hold rows, by subject."""
    found = pkgutil.walk_packages(__path__, f"{__name__}.")
    names = {info.name for info in found if not info.ispkg} - {rows.__name__}
    return {name.rpartition(".")[2]: name for name in names}


@functools.cache
def subjects() -> tuple[str, ...]:
    """The subjects of rows: how their modules are called, in whichever folder."""
    return tuple(sorted(_modules()))


@functools.cache
def rows_in(subject: str) -> tuple[Row, ...]:
    """The rows of one subject, in the order of its file."""
    found: tuple[Row, ...] = importlib.import_module(_modules()[subject]).ROWS
    return found


@functools.cache
def all_rows() -> tuple[Row, ...]:
    """Every row, by subject and in the order of the files."""
    return tuple(row for subject in subjects() for row in rows_in(subject))


@functools.cache
def rows_of(code: str) -> tuple[Row, ...]:
    """The rows that the rule with this code follows."""
    return tuple(row for row in all_rows() if row.rule == code)
