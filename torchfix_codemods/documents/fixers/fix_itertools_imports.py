"""``from itertools import izip`` goes with its line, where nothing else is imported by it."""

from __future__ import annotations

from typing import Any

from fissix.fixer_util import Name
from fissix.fixes import fix_itertools_imports
from fissix.pgen2 import token
from fissix.pygram import python_symbols


class FixItertoolsImports(fix_itertools_imports.FixItertoolsImports):  # type: ignore[misc]
    """Leaves neither an empty line nor an empty block."""

    def transform(self, node: Any, results: Any) -> Any:
        left = super().transform(node, results)
        if left is None or left.value:
            return left
        line = node.parent
        beside = [one for one in line.parent.children if one is not line and _is_statement(one)]
        after = line.next_sibling
        if len(line.children) > 2 or (not beside and line.parent.type == python_symbols.suite):
            return Name("pass", prefix=left.prefix)
        if after is None or not _is_statement(after):
            return left
        above = left.prefix[: left.prefix.rfind("\n") + 1]
        if line.prev_sibling is not None and line.prev_sibling.type == token.INDENT:
            if "\n" in after.prefix:
                return left
            # The first line of a block is indented by that token.
            after.prefix = above
        else:
            after.prefix = above + after.prefix
        line.remove()
        return None


def _is_statement(node: Any) -> bool:
    return bool(node.children)
