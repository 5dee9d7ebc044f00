"""``unicode(x, "utf-8")`` is ``str(x, "utf-8")`` of bytes; a str it refuses, and needs no such."""

from __future__ import annotations

from typing import Any

from fissix.fixes import fix_unicode
from fissix.pgen2 import token
from fissix.pygram import python_symbols

from torchfix_codemods.text.wording import LONGEST


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
            if _is_text(first):
                first.remove()
                whole.replace(first)
            else:
                text = str(first).strip()
                text = text if len(text) <= LONGEST and "\n" not in text else "x"
                told = (
                    f"str({text}, ...) takes bytes only: where {text} is a str, write str({text})"
                )
                self.warning(node, told)
        return super().transform(node, results)


def _arguments(function: Any) -> list[Any]:
    """What a call of ``function`` is given, where there is more than one."""
    trailer = function.next_sibling
    if trailer is None or trailer.type != python_symbols.trailer or len(trailer.children) != 3:
        return []
    given = trailer.children[1]
    if given.type != python_symbols.arglist:
        return []
    return [child for child in given.children if child.type != token.COMMA]


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
