"""Where the imports stand that a conversion writes: ``from functools import reduce``."""

from __future__ import annotations

import sys
from typing import Any

from fissix.pgen2 import token
from fissix.pygram import python_symbols

_IMPORTS = (python_symbols.import_name, python_symbols.import_from)


def place_imports(tree: Any) -> None:
    """Put imports of Python's own modules beside those that are there, not below all others.

    Those that import all names from elsewhere stay above: they may bring another of that name.

    Args:
        tree: the file, converted. What was written has no line there.
    """
    for written in [each for each in tree.children if _is_import(each) and _is_written(each)]:
        above = _run_above(written)
        last = max((n for n, each in enumerate(above) if _is_of_python(each)), default=None)
        if last is None or last + 1 == len(above) or not _is_of_python(written):
            continue
        if any(leaf.type == token.STAR for each in above[last:] for leaf in each.leaves()):
            continue
        written.remove()
        tree.insert_child(tree.children.index(above[last]) + 1, written)


def _run_above(statement: Any) -> list[Any]:
    """The imports that stand one by one above a statement, the first of them first."""
    run = list[Any]()
    above = statement.prev_sibling
    while above is not None and _is_import(above):
        run.insert(0, above)
        above = above.prev_sibling
    return run


def _is_import(statement: Any) -> bool:
    is_simple = statement.type == python_symbols.simple_stmt
    return is_simple and statement.children[0].type in _IMPORTS


def _is_written(statement: Any) -> bool:
    """Whether a conversion wrote a line, with its end."""
    return not statement.children[-1].lineno


def _is_of_python(statement: Any) -> bool:
    """``import os.path as path`` and ``from os import path``: what is imported first counts."""
    name = str(statement.children[0].children[1]).strip()
    return name.replace(",", ".").split()[0].partition(".")[0] in sys.stdlib_module_names
