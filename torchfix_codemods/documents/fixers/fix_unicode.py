"""``unicode(x, "utf-8")`` is ``str(x, "utf-8")`` of bytes; a str it refuses, and needs no such."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fissix.fixer_util import Comma, String
from fissix.fixes import fix_unicode
from fissix.pgen2 import token
from fissix.pygram import python_symbols
from fissix.pytree import Leaf

from torchfix_codemods.documents.fixers.places import root_of
from torchfix_codemods.text.wording import LONGEST

#: What leaves out of a str the letters that ``unicode(x, errors="ignore")`` left out.
_WITHOUT_OTHERS = '.encode("ascii", "ignore").decode()'
_DEFINITIONS = (python_symbols.funcdef, python_symbols.classdef, python_symbols.lambdef)
_LOOPS = (python_symbols.for_stmt, python_symbols.while_stmt)
#: What holds statements one after another.
_STATEMENTS = (python_symbols.file_input, python_symbols.suite, python_symbols.simple_stmt)


class FixUnicode(fix_unicode.FixUnicode):  # type: ignore[misc]
    """Leaves the encoding out where a str is given, and says what to do where it may be one.

    ``u"..."`` stays, as Python 3 reads it, too.
    """

    def transform(self, node: Any, results: Any) -> Any:
        if node.type == token.STRING and node.value[0] in "uU" and node.value[1] in "'\"":
            return None
        given = _arguments(node) if node.type == token.NAME and node.value == "unicode" else []
        if len(given) > 1 and given[0].type != python_symbols.argument:
            whole, first = given[0].parent, given[0]
            after = _WITHOUT_OTHERS if _drops_others(given[1:]) else ""
            is_text = _is_text(first) or _was_bound_to_text(first)
            if is_text and after:
                whole.parent.remove()
                return Leaf(token.NAME, f"{str(first).strip()}{after}", prefix=node.prefix)
            if is_text:
                first.remove()
                whole.replace(first)
            else:
                if not _is_no_text_here(node, str(first).strip()):
                    self.warning(node, _told(str(first).strip(), after))
                if _names_no_encoding(given[1:]):
                    # Python 2 took ASCII then, Python 3 takes UTF-8.
                    whole.insert_child(1, Comma())
                    whole.insert_child(2, String('"ascii"', prefix=" "))
        new = super().transform(node, results)
        if node.type == token.NAME:
            # A name that was written, like those of the other fixers.
            new.lineno = 0
        return new


def _told(given: str, after: str) -> str:
    """What is said of bytes that may be a str; with ``after`` the letters that are left out."""
    text = given if len(given) <= LONGEST and "\n" not in given else "x"
    new = f"{text}{after}" if after else f"str({text})"
    return f"str({text}, ...) takes bytes only: where {text} is a str, write {new}"


def _names_no_encoding(others: Sequence[Any]) -> bool:
    """Whether all that is given beside a text is ``errors=``."""
    return [str(each).partition("=")[0].strip() for each in others] == ["errors"]


def _drops_others(others: Sequence[Any]) -> bool:
    """Whether ``errors="ignore"`` alone left out the letters that are not ASCII."""
    written = "".join(str(others[-1]).split()).removeprefix("errors=")
    return _names_no_encoding(others) and written[1:-1] == "ignore"


def _arguments(function: Any) -> list[Any]:
    """What a call of ``function`` is given, where there is more than one."""
    trailer = function.next_sibling
    if trailer is None or trailer.type != python_symbols.trailer or len(trailer.children) != 3:
        return []
    given = trailer.children[1]
    if given.type != python_symbols.arglist:
        return []
    return [child for child in given.children if child.type != token.COMMA]


def _is_no_text_here(node: Any, given: str) -> bool:
    """Whether a place is only reached with what is no str: ``if not isinstance(x, unicode):``."""
    asked = {f"isinstance({given}, {kind})" for kind in ("unicode", "str", "basestring")}
    bound = re.compile(rf"(?<![\w.]){re.escape(given)}\s*=[^=]")
    while node.parent is not None and node.type not in _DEFINITIONS:
        around = node.parent
        at = next(n for n, each in enumerate(around.children) if each is node)
        before = around.children[:at]
        texts = [str(each).strip() for each in before]
        if around.type == python_symbols.suite and any(map(bound.search, texts)):
            return False
        if around.type == python_symbols.if_stmt and len(before) > 2:
            failed = texts[1:-3:4]
            held = texts[-2]
        elif around.type == python_symbols.test and len(before) != 2:
            # VALUE if TEST else VALUE
            failed = texts[2:3]
            held = "" if before else str(around.children[2]).strip()
        else:
            failed, held = [], ""
        if asked.intersection(failed) or held.removeprefix("not ") in asked - {held}:
            return True
        node = around
    return False


def _was_bound_to_text(name: Any) -> bool:
    """Whether the last statement that speaks of a name binds it to a str: ``x = " ".join(y)``.

    What comes before a loop, or outside of a function, need not be what was done last.
    """
    if name.type != token.NAME:
        return False
    spoken = re.compile(rf"\b{name.value}\b")
    node = name
    if re.search(rf"\bglobal\b[^\n]*\b{name.value}\b", str(root_of(name))):
        return False
    while node.parent is not None and node.type not in (*_DEFINITIONS, *_LOOPS):
        around = node.parent
        at = next(n for n, each in enumerate(around.children) if each is node)
        last = next((e for e in reversed(around.children[:at]) if spoken.search(str(e))), None)
        if last is not None:
            return around.type in _STATEMENTS and _binds_to_text(last, name.value)
        if any(
            e.type == python_symbols.comp_for and spoken.search(str(e))
            for e in around.children[at:]
        ):
            # ``[unicode(x, "utf-8") for x in y]``
            return False
        node = around
    return False


def _binds_to_text(statement: Any, name: str) -> bool:
    if statement.type == python_symbols.simple_stmt and len(statement.children) == 2:
        statement = statement.children[0]
    is_bound = statement.type == python_symbols.expr_stmt and len(statement.children) == 3
    target, equals, value = statement.children if is_bound else (statement, statement, statement)
    return is_bound and str(target).strip() == name and equals.value == "=" and _is_text(value)


def _is_text(node: Any) -> bool:
    """Whether an expression certainly is a str in Python 3: ``"a"``, ``" ".join(words)``."""
    if node.type == token.STRING:
        return "b" not in node.value.partition(node.value[-1])[0].lower()
    if node.type != python_symbols.power or not _is_text(node.children[0]):
        return False
    trailers = [str(child) for child in node.children[1:-1]]
    last = node.children[-1]
    is_called = last.type == python_symbols.trailer and last.children[0].value == "("
    return is_called and trailers in ([".join"], [".format"])
