"""``f = open(path, "wb"); f.write("text")`` wrote what Python 3 writes to files of text only.

https://docs.python.org/3/whatsnew/3.0.html#text-vs-data-instead-of-unicode-vs-8-bit
"""

from __future__ import annotations

import re
from typing import Any

from fissix.fixer_base import BaseFix
from fissix.pgen2 import token
from fissix.pygram import python_symbols

from torchfix_codemods.documents.fixers.files.opened import (
    MAY_FOLLOW,
    given_to,
    is_other_name,
    mode_of,
    name_of,
    scope_of,
)
from torchfix_codemods.documents.fixers.places import function_called, root_of

_MODE_OF_BYTES = re.compile(r"(['\"])([wa](?=[+]?b)[+b]+)\1$")
#: A text of characters alone: an escape such as ``\x89`` stands for a byte.
_TEXT = re.compile(r"""[uU]?(?:'(?:\\[^x0-7]|[^\\'])*'|"(?:\\[^x0-7]|[^\\"])*")$""", re.ASCII)
_GIVES_TEXT = re.compile(r"(?:str|repr|json\.dumps|['\"].*['\"]\.(?:format|join))$")
#: What writes text to the file that it is given there.
_WRITE_TEXT = {"json.dump": 1}
_MAY_BIND = (
    python_symbols.exprlist,
    python_symbols.global_stmt,
    python_symbols.import_as_name,
    python_symbols.import_as_names,
    python_symbols.parameters,
    python_symbols.testlist,
    python_symbols.testlist_gexp,
    python_symbols.testlist_star_expr,
    python_symbols.typedargslist,
    python_symbols.with_item,
)
_TOLD = "Python 3 writes no text to a file of bytes: open it with {}, or encode what is written"


class FixText(BaseFix):  # type: ignore[misc]
    """Opens a file of bytes for text of which nothing is asked but that text is written to it."""

    BM_compatible = True
    PATTERN = "power< 'open' trailer< '(' any ')' > >"

    def transform(self, node: Any, results: Any) -> None:
        mode = mode_of(node)
        match = None if mode is None else _MODE_OF_BYTES.match(mode.value)
        is_text = [_is_text(written) for written in _written(node)] if match else []
        if match is not None and not is_text and given_to(node, _WRITE_TEXT):
            is_text = [True]
        if match is None or not any(is_text):
            return
        now = f"{match[1]}{match[2].replace('b', '')}{match[1]}"
        if all(is_text):
            mode.value = now
            mode.changed()
        else:
            self.warning(node, _TOLD.format(now))


def _written(opened: Any) -> list[Any]:
    """What is written to a file; nothing where something else is asked of it."""
    name = name_of(opened)
    last = None if name is None else list(name.leaves())[-1]
    if last is None or last.type != token.NAME:
        return []
    is_member = last is not name
    written: list[Any] = []
    for leaf in (root_of(opened) if is_member else scope_of(opened)).leaves():
        if (
            leaf.type == token.NAME
            and leaf.value == last.value
            and is_other_name(leaf) == is_member
        ):
            given = _given_at(leaf)
            if given is None:
                return []
            written += given
    return written


def _given_at(leaf: Any) -> list[Any] | None:
    """What is written where a file is named; None where that is no writing."""
    member = leaf.parent if leaf.parent.type == python_symbols.trailer else leaf
    is_part = member.parent.type == python_symbols.power
    asked = member.next_sibling if is_part else None
    if asked is None:
        file = member.parent if is_part else member
        return [] if _is_bound(file) else [file] if _is_printed_to(file) else None
    method = asked.children[1].value if asked.children[0].value == "." else ""
    if method in MAY_FOLLOW:
        return []
    call = asked.next_sibling
    is_written = method == "write" and call is not None and len(call.children) == 3
    return [call.children[1]] if is_written else None


def _is_bound(file: Any) -> bool:
    around = file.parent
    if around.type == python_symbols.with_item:
        return around.children[-1] is file
    return around.type == python_symbols.expr_stmt and around.children[0] is file


def _is_printed_to(file: Any) -> bool:
    """Of ``print >>f, x`` and ``print(x, file=f)``."""
    around, before = file.parent, file.prev_sibling
    if around.type == python_symbols.argument:
        return str(around.children[0]).strip() == "file"
    return around.type == python_symbols.print_stmt and str(before).strip() == ">>"


def _is_text(written: Any) -> bool:
    if _is_printed_to(written):
        return True
    if written.type == token.STRING:
        return _TEXT.match(written.value) is not None
    if written.type == token.NAME:
        return _holds_text(written)
    if written.type == python_symbols.term:
        return written.children[1].value == "%" and _is_text(written.children[0])
    if written.type == python_symbols.arith_expr:
        return any(_is_text(part) for part in written.children[::2])
    if written.type == python_symbols.power and len(written.children) > 1:
        last = written.children[-1]
        return (
            last.children[0].value == "(" and _GIVES_TEXT.match(function_called(last)) is not None
        )
    return False


def _holds_text(name: Any) -> bool:
    """Whether a function binds a name to texts alone, and adds to them."""
    bound = [
        leaf.parent
        for leaf in scope_of(name).leaves()
        if leaf.type == token.NAME and leaf.value == name.value and _is_set(leaf)
    ]
    values = [
        around.children[2]
        for around in bound
        if around.type == python_symbols.expr_stmt and len(around.children) == 3
    ]
    is_plain = len(values) == len(bound) and any(one.prev_sibling.value == "=" for one in values)
    return is_plain and all(_is_text(one) for one in values if one.prev_sibling.value == "=")


def _is_set(leaf: Any) -> bool:
    """Whether a name is bound here, or may be: ``x, y`` can be what is bound or what is read."""
    around = leaf.parent
    if is_other_name(leaf):
        return False
    if around.type in (python_symbols.expr_stmt, python_symbols.for_stmt):
        return leaf is around.children[around.type == python_symbols.for_stmt]
    return around.type in _MAY_BIND
