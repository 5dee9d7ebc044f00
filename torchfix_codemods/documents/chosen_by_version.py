"""What a file of Python 2 has for Python 3 already: names and branches that stay as they are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

#: ``import configparser as ConfigParser`` gives Python 3 the name that Python 2 has.
_GIVEN = re.compile(
    r"^[ \t]+(?:import|from[ \t]+[\w.]+[ \t]+import)[ \t]+[\w.]+[ \t]+as[ \t]+(\w+)", re.MULTILINE
)
#: Modules that have another name in Python 3.
_RENAMED = frozenset(
    """BaseHTTPServer ConfigParser HTMLParser Queue SimpleHTTPServer SocketServer StringIO Tkinter
    __builtin__ cPickle cStringIO cookielib copy_reg httplib thread urllib2 urlparse
    xmlrpclib""".split()
)
_KEPT = "kept_of_python2_{}"
_PYTHON2 = re.compile(
    r"(\w+\.)?PY2|sys\.version_info(\[0\]|\.major) (== 2|< 3)|sys\.version_info < \(3,.*\)"
)
_PYTHON3 = re.compile(
    r"(\w+\.)?PY3|sys\.version_info(\[0\]|\.major) (== 3|>= 3|> 2)|sys\.version_info >=? \(3,.*\)"
)


def names_of_both(text: str) -> frozenset[str]:
    """The modules that a file imports under a name of Python 2 where that is missing.

    So does ``import _pickle as cPickle`` below ``else:``, where ``import cPickle`` stands above.
    """
    return frozenset(
        name
        for name in _RENAMED.intersection(_GIVEN.findall(text))
        if re.search(rf"^[ \t]+import[ \t]+{name}\b(?![ \t]+as\b)", text, re.MULTILINE)
        and not re.search(rf"^(?:import|from)[ \t]+{name}\b", text, re.MULTILINE)
    )


def hidden(text: str, names: frozenset[str]) -> str:
    """A text whose converter does not see some names."""
    for name in names:
        text = re.sub(rf"\b{name}\b", _KEPT.format(name), text)
    return text


def shown(text: str, names: frozenset[str]) -> str:
    """What :func:`hidden` hid."""
    for name in names:
        text = text.replace(_KEPT.format(name), name)
    return text


def with_branches_of_python2(converted: str, text: str) -> str:
    """A converted text, with what only Python 2 runs as it was, as far as Python 3 can parse it.

    Args:
        converted: the text in Python 3.
        text: the same in Python 2.
    """
    before, after = text.split("\n"), converted.split("\n")
    if len(before) != len(after) or not re.search(r"PY[23]|version_info", converted):
        return converted
    try:
        branches = [*_branches(ast.parse(converted))]
    except (SyntaxError, ValueError, RecursionError):
        return converted
    for first, last in branches:
        restored = [*after[: first - 1], *before[first - 1 : last], *after[last:]]
        try:
            ast.parse("\n".join(restored))
        except (SyntaxError, ValueError):
            continue
        after = restored
    return "\n".join(after)


def _branches(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """The first and last lines of what runs, or is chosen, in Python 2 only."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If):
            test = ast.unparse(node.test)
            never = node.body if _PYTHON2.fullmatch(test) else []
            never = node.orelse if _PYTHON3.fullmatch(test) else never
            if never and never[0].lineno > node.test.lineno:
                yield never[0].lineno, never[-1].end_lineno or never[-1].lineno
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.IfExp):
            chosen = node.value
            test = ast.unparse(chosen.test)
            is_plain = isinstance(chosen.body, ast.Name) and isinstance(chosen.orelse, ast.Name)
            if is_plain and node.lineno == node.end_lineno and _PYTHON2.fullmatch(test):
                yield node.lineno, node.lineno
