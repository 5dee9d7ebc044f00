"""Parameters that are put into a module which was moved above."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self


def for_parameter(moved: ast.Name | ast.Attribute | ast.Subscript, facts: Facts) -> str:
    """What to write of a parameter, which goes where its module goes, unless that went before."""
    if isinstance(moved, ast.Attribute) and _is_put_in(moved, facts):
        return "drop the line, which moves nothing"
    return "drop the line, as the parameter moves with its module"


def _is_put_in(moved: ast.Attribute, facts: Facts) -> bool:
    """``net.fc.weight = nn.Parameter(…)`` above, where no line below moves ``net``."""
    written = ast.unparse(moved)
    around = facts.names.enclosing_function(moved)
    root: ast.expr = moved
    while isinstance(root, ast.Attribute):
        root = root.value
    is_put_in = any(
        isinstance(each.ctx, ast.Store)
        and each.lineno < moved.lineno
        and facts.names.enclosing_function(each) is around
        and ast.unparse(each) == written
        for each in facts.names.attributes(moved.attr)
    )
    return (
        is_put_in
        and not is_self(facts, root)
        and not any(
            isinstance(call.func, ast.Attribute)
            and call.lineno > moved.lineno
            and written.startswith(f"{ast.unparse(call.func.value)}.")
            for move in ("cuda", "to", "cpu")
            for call in facts.names.method_calls(move)
        )
    )
