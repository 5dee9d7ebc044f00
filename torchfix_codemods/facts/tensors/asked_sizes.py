"""What is asked for one of its sizes has a dimension: ``x.size(0)``, ``len(x)``."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts


def is_asked_for_one_size(facts: Facts, name: ast.Name) -> bool:
    """Whether ``x.size(0)``, ``x.shape[0]`` or ``len(x)`` is asked of what a name holds."""
    reaching = set(facts.flow.reaching(name))
    uses = facts.names.scope_of(name).uses.get(name.id, ())
    return any(
        _is_one_size(facts, use)
        and set(facts.flow.reaching(use)) == reaching
        and facts.inference.branches.runs_with(use, name)
        for use in uses
    )


def _is_one_size(facts: Facts, tensor: ast.Name) -> bool:
    asked = facts.parent(tensor)
    if isinstance(asked, ast.Call) and asked.args == [tensor]:
        return facts.names.builtin(asked.func) == "len"
    if not (isinstance(asked, ast.Attribute) and asked.attr in ("size", "shape")):
        return False
    outer = facts.parent(asked)
    if isinstance(outer, ast.Call) and outer.func is asked:
        if asked.attr == "size" and outer.args:
            return True
        asked, outer = outer, facts.parent(outer)
    is_indexed = isinstance(outer, ast.Subscript) and outer.value is asked
    return isinstance(outer, ast.Subscript) and is_indexed and isinstance(outer.ctx, ast.Load)
