"""Whether a text that Python 3 can parse was written for Python 2 alone: it calls ``xrange``."""

from __future__ import annotations

import ast
import re

from torchfix_codemods.facts.names import Names

#: Functions of Python 2 that Python 3 does not have.
_GONE = frozenset("basestring execfile long raw_input reduce reload unichr unicode xrange".split())
_ANY_GONE = re.compile(rf"\b(?:{'|'.join(sorted(_GONE))})\b")
_ABOUT_VERSION = re.compile(r"version|PY2|PY3|six|hasattr|__builtin")


def is_only_python2(text: str, tree: ast.Module) -> bool:
    """Whether a file uses a name of Python 2 that nothing gives it in Python 3.

    Args:
        text: the file.
        tree: the same, parsed.
    """
    if not _ANY_GONE.search(text):
        return False
    names = Names(tree)
    if names.unknown_star_imports:
        return False
    return any(
        names.builtin(node) in _GONE and not _is_guarded(names, node)
        for node in names.nodes.get(ast.Name, ())
    )


def _is_guarded(names: Names, node: ast.AST) -> bool:
    """Whether a place is tried, or chosen by the version of Python."""
    for around in names.ancestors(node):
        if isinstance(around, ast.Try) and around.handlers:
            return True
        if isinstance(around, (ast.If, ast.IfExp)) and asks_for_version(around.test):
            return True
    return False


def asks_for_version(test: ast.expr) -> bool:
    """Whether a condition may choose by the version of Python: ``sys.version_info[0] == 2``."""
    return _ABOUT_VERSION.search(ast.unparse(test)) is not None
