"""How many dimensions the comment beside a line says that a tensor has."""

from __future__ import annotations

import ast

from torchfix_codemods.edit.tidying.beside import comment_beside
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.patterns import lazy_pattern

#: ``(batch, classes)``, ``[B x C]`` or ``p: (n, 10)``, and nothing else.
_SIZES = lazy_pattern(
    r"#\s*(?:(?P<name>\w+)\s*(?:[:=]\s*|\s))?[(\[]\s*"
    r"(?P<sizes>[\w.+*/-]+(?:\s*,\s*[\w.+*/-]+)+|[\w.]+(?:\s+[x×*]\s+[\w.]+)+)\s*[)\]]"
)
_BETWEEN = lazy_pattern(r"\s*,\s*|\s+[x×*]\s+")


def told_by_comment(facts: Facts, softmax: ast.Call, tensor: ast.expr | None) -> str | None:
    """What to write where a comment gives the two sizes of a result, or of what a softmax is given.

    Args:
        facts: the facts of the module.
        softmax: the softmax.
        tensor: its input; None of a layer.
    """
    if tensor is None:
        return None
    statement = facts.statement(softmax)
    is_its_own = getattr(statement, "value", None) is softmax
    places: list[ast.AST] = [statement] if is_its_own else []
    if isinstance(tensor, ast.Name):
        bindings = facts.flow.reaching(tensor)
        places += [b.node for b in bindings if len(bindings) == 1 and b.kind == "assign"]
    for place in places:
        if isinstance(place, (ast.Assign, ast.Return)) and _gives_two(facts, place, tensor):
            line = facts.origin(place.end_lineno or place.lineno)
            return f"write dim=1 for the two dimensions that the comment of line {line} gives"
    return None


def _gives_two(facts: Facts, statement: ast.Assign | ast.Return, tensor: ast.expr) -> bool:
    """Whether the comment beside a statement gives two sizes of all that the statement makes."""
    found = _SIZES.fullmatch(comment_beside(statement, facts).strip())
    if found is None or len(_BETWEEN.split(found["sizes"])) != 2:
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    made = [target.id if isinstance(target, ast.Name) else None for target in targets]
    if found["name"] is not None:
        given = tensor.id if isinstance(tensor, ast.Name) else None
        return found["name"] in (given, *made)
    return None not in made
