"""Comments that are about what is gone: ``# wrap them in Variable``, ``# end`` of a method."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

_DOING = frozenset("wrap wraps wrapping convert converts turn put make cast move".split())
_WHAT = frozenset(
    """a all an and array arrays as autograd batch both data image images in input inputs into it
    label labels numpy of pytorch target targets tensor tensors the them this to torch with
    """.split()
)
_INTO = frozenset({"variable", "variables"})
_UNDOING = frozenset("unwrap unwraps unwrapping".split())


def is_about_variables_only(line: str, names: Iterable[str] = ()) -> bool:
    """Whether a line is a comment that only says that things become Variables, or tensors again.

    Args:
        line: the line, or the comment.
        names: what the code below assigns; the comment may speak of those.
    """
    comment = line.strip()
    words = re.findall(r"\w+", comment.lower())
    if not comment.startswith("#") or len(words) < 2:
        return False
    about = _WHAT.union(name.lower() for name in names)
    if words[0] in _UNDOING:
        return not _INTO.isdisjoint(words) and (about | _INTO | {"from"}).issuperset(words[1:])
    return words[0] in _DOING and words[-1] in _INTO and about.issuperset(words[1:-1])


def is_code(comment: str) -> bool:
    """Whether a comment is a statement that was taken out: ``#print(x.shape)``, ``# x = 1``."""
    text = comment.strip().lstrip("#").strip()
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return False
    if len(body) != 1:
        return False
    is_call = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Call)
    return is_call or isinstance(body[0], (ast.Assign, ast.AugAssign, ast.Import, ast.ImportFrom))


def is_for_tools(comment: str) -> bool:
    """Whether a comment tells a tool something about its own line: ``# noqa``, ``# type: …``."""
    tools = r"#\s*(noqa|type:|pyright|mypy|pylint|pragma|torchfix|fmt:)"
    return re.match(tools, comment) is not None


def closes_block(comment: str) -> bool:
    """Whether a comment only says that a block ends, and goes with it: ``# end``, ``# end def``."""
    block = r"(?:of\s+)?(?:def|function|method|constructor|(?:def\s+)?__init__(?:\(\))?)"
    return re.fullmatch(rf"#+\s*end(?:\s*{block})?", comment.strip(), re.IGNORECASE) is not None
