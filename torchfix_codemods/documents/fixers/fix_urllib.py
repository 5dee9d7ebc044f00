"""``import urllib2`` imports the modules of today that the file asks for, each of them once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fissix.fixer_util import Comma, Name
from fissix.fixes import fix_urllib
from fissix.pgen2 import token
from fissix.pygram import python_symbols


class FixUrllib(fix_urllib.FixUrllib):  # type: ignore[misc]
    """Leaves out modules of which the file asks nothing."""

    def start_tree(self, tree: Any, filename: str) -> None:
        super().start_tree(tree, filename)
        named = [leaf for leaf in tree.leaves() if leaf.value in fix_urllib.MAPPING]
        self.asked = {old: _asked_for(named, old) for old in fix_urllib.MAPPING}
        self.imported: dict[Any, set[str]] = {}

    def transform_import(self, node: Any, results: Any) -> None:
        module = results["module"]
        line = module
        while line.type != python_symbols.import_name:
            line = line.parent
        # Of ``import urllib2, urllib`` both names may become the same one.
        imported = self.imported.setdefault(id(line), set())
        names = [name for name in self.asked[module.value] if name not in imported]
        imported.update(names)
        new: list[Any] = []
        for name in names:
            new += [Comma()] * bool(new) + [Name(name, prefix=" " if new else module.prefix)]
        if new:
            module.replace(new)
            return
        # All that it stood for is imported on this line already.
        (module.prev_sibling or module.next_sibling).remove()
        module.remove()


def _asked_for(leaves: Iterable[Any], old: str) -> list[str]:
    """What stands for a module of Python 2; all of it where one of the leaves is the name alone."""
    members: set[str] = set()
    changes = fix_urllib.MAPPING[old]
    for leaf in leaves:
        if leaf.type != token.NAME or leaf.value != old or _is_imported(leaf):
            continue
        member = leaf.next_sibling
        is_attribute = leaf.parent.type == python_symbols.power and leaf.prev_sibling is None
        if not is_attribute or member is None or str(member.children[0]) != ".":
            return [name for name, _ in changes]
        members.add(member.children[1].value)
    asked = [name for name, known in changes if members.intersection(known)]
    known = {member for _, names in changes for member in names}
    return asked if members and members <= known else [name for name, _ in changes]


def _is_imported(leaf: Any) -> bool:
    while leaf.parent is not None:
        leaf = leaf.parent
        if leaf.type in (python_symbols.import_name, python_symbols.import_from):
            return True
    return False
