"""``csv.reader(open(path, "rb"))`` read what it now takes as text: ``open(path, "r", newline="")``.

https://docs.python.org/3/library/csv.html#id4
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from fissix.fixer_base import BaseFix
from fissix.fixer_util import Comma, KeywordArg, Name, String
from fissix.pgen2 import token

from torchfix_codemods.documents.fixers.files.opened import given_to, mode_of, name_of, scope_of
from torchfix_codemods.documents.fixers.places import root_of

_READS, _WRITES = ("reader", "DictReader"), ("writer", "DictWriter")
_IMPORTED = re.compile(r"^[ \t]*import[ \t]+([^#\n]+)", re.MULTILINE)
_TAKEN = re.compile(r"^[ \t]*from[ \t]+csv[ \t]+import[ \t]+([^#\n]+)", re.MULTILINE)
_CSV = re.compile(r"csv(?:\s+as\s+(\w+))?$")
#: What stands in for the module, and does take bytes.
_OTHERS = re.compile(r"\bunicodecsv\b|^[ \t]*from[ \t]+\S+[ \t]+import[^#\n]*\bcsv\b", re.MULTILINE)
_MODE_OF_BYTES = re.compile(r"(['\"])([rwa](?=[+bU]*[bU])[+bU]+)\1$")
#: What makes bytes of text, and text of bytes.
_CODES = re.compile(r"\.(?:de|en)code\(|\b(?:b64encode|encodestring)\b")
_TOLD = "csv takes files of text in Python 3: open it with {} and newline=''"
_NO_CODES = ", and write and read text without encoding it"


class FixCsv(BaseFix):  # type: ignore[misc]
    """Opens a file of bytes for text of which nothing is asked but that csv reads or writes it."""

    BM_compatible = True
    PATTERN = "power< 'open' trailer< '(' any ')' > >"

    def start_tree(self, tree: Any, filename: str) -> None:
        super().start_tree(tree, filename)
        text = str(tree)
        names = () if _OTHERS.search(text) else _functions_of_csv(text)
        self.places = dict.fromkeys(names, 0)

    def transform(self, node: Any, results: Any) -> None:
        mode = mode_of(node)
        match = None if mode is None else _MODE_OF_BYTES.match(mode.value)
        if mode is None or match is None or not self.places:
            return
        now = f"{match[1]}{re.sub('[bU]', '', match[2])}{match[1]}"
        is_coded = _CODES.search(str(scope_of(node))) is not None
        is_alone = bool(given_to(node, self.places))
        arguments = mode.parent
        if is_alone and not is_coded and len(arguments.children) == 3:
            mode.value = now
            mode.changed()
            newline = KeywordArg(Name("newline"), String(2 * match[1]))
            newline.prefix = " "
            arguments.append_child(Comma())
            arguments.append_child(newline)
        elif is_alone or _is_given(node, self.places):
            self.warning(node, _TOLD.format(now) + _NO_CODES * is_coded)


def _functions_of_csv(text: str) -> Iterator[str]:
    """What a file calls the functions that take a file: ``"csv.reader"``, ``"DictWriter"``."""
    for part in _parts(_IMPORTED, text):
        match = _CSV.match(part)
        if match:
            yield from (f"{match[1] or 'csv'}.{name}" for name in (*_READS, *_WRITES))
    for part in _parts(_TAKEN, text):
        name, _, own = part.partition(" as ")
        if name.strip() in (*_READS, *_WRITES):
            yield (own or name).strip()


def _parts(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    for imported in pattern.findall(text):
        yield from (part.strip() for part in imported.split(","))


def _is_given(opened: Any, places: Iterable[str]) -> bool:
    """Whether csv is given what a file is bound to, beside other things that are asked of it."""
    name = name_of(opened)
    if name is None:
        return False
    scope = scope_of(opened) if name.type == token.NAME else root_of(opened)
    file = re.escape(str(name).strip())
    calls = "|".join(map(re.escape, places))
    return re.search(rf"(?<![\w.])(?:{calls})\(\s*{file}\s*[,)]", str(scope)) is not None
