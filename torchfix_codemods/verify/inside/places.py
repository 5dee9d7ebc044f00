"""Places for nodes of a module that were made, not parsed."""

from __future__ import annotations

import ast


def fill_places(tree: ast.Module) -> None:
    """Give each node that lacks it a place in the file.

    What has a first line only (pytest brings such imports) ends on it: the end of what is around
    it can lie before, which Python refuses to compile.

    Args:
        tree: the module; it is changed.
    """
    for node in ast.walk(tree):
        if hasattr(node, "lineno") and getattr(node, "end_lineno", None) is None:
            node.end_lineno = node.lineno  # type: ignore[attr-defined]
            node.end_col_offset = node.col_offset  # type: ignore[attr-defined]
    ast.fix_missing_locations(tree)
