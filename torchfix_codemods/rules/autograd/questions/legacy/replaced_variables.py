"""Variables that give way to what they hold: ``if isinstance(x, Variable): x = x.data[0]``."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evidence.kind_checks import checked_name
from torchfix_codemods.facts.module import Facts


def gives_way_to_number(facts: Facts, node: ast.expr, variable: ast.expr) -> bool:
    """Whether ``variable`` is replaced by ``node`` where it is a Variable, and is else none.

    What is then asked for a part, an attribute or a method is no number.
    """
    replacing = facts.parent(node)
    branch = facts.parent(replacing) if isinstance(replacing, ast.Assign) else None
    if not (isinstance(variable, ast.Name) and isinstance(branch, ast.If)):
        return False
    assert isinstance(replacing, ast.Assign)
    is_alone = branch.body == [replacing] and not branch.orelse
    if not (is_alone and [ast.unparse(t) for t in replacing.targets] == [variable.id]):
        return False
    checked = checked_name(facts.names, branch.test)
    is_asked = checked is not None and checked.id == variable.id
    return is_asked and not _is_asked_as_object(facts, variable)


def _is_asked_as_object(facts: Facts, variable: ast.Name) -> bool:
    uses = facts.names.uses_of(facts.names.scope_of(variable), variable.id)
    parents = (facts.parent(use) for use in uses if use is not variable)
    return any(isinstance(parent, (ast.Attribute, ast.Subscript)) for parent in parents)
