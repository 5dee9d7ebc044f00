"""What the statements just above store under an attribute."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self


def stored_just_above(facts: Facts, node: ast.Attribute) -> ast.expr | None:
    """What the statement right above stores under an attribute of the object itself.

    Nothing may be called between the two, for that could store something else.
    """
    owner, statement = facts.names.enclosing_class(node), facts.statement(node)
    if owner is None or not is_self(facts, node.value) or not isinstance(node.ctx, ast.Load):
        return None
    if not isinstance(statement, (ast.Assign, ast.Expr, ast.Return)):
        return None
    block, around = facts.block(statement), [*facts.names.ancestors(node)]
    place = block.index(statement)
    above = block[place - 1] if place else None
    if not isinstance(above, ast.Assign) or len(above.targets) != 1:
        return None
    if ast.unparse(above.targets[0]) != ast.unparse(node):
        return None
    calls = (part for part in ast.walk(statement) if isinstance(part, ast.Call))
    is_next = all(call in around for call in calls) and facts.names.scope_of(
        node
    ) is facts.names.scope_of(above)
    # A property gives what it wants.
    return above.value if is_next and facts.classes.method(owner, node.attr) is None else None
