"""Masks that are made of zeros or ones, or of numbers: made of bool from the start."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import uses_of
from torchfix_codemods.rules.masks.questions.made_masks import FILLED, place_above
from torchfix_codemods.rules.masks.questions.masks import inverted, is_byte, is_uint8


def bool_from_start(facts: Facts, made: ast.Call) -> dict[ast.expr, str]:
    """What changes where ``torch.zeros(n, dtype=torch.uint8)`` is made of bool: the dtype, and
    each ``mask.bool()`` that a rewrite has written since, or the ``.bool()`` right behind it. Of
    ``torch.zeros(n).byte()`` it is the method.

    Args:
        facts: the facts of the module.
        made: a call.

    Returns:
        nothing where the mask is used in any other way than to store a number in it.
    """
    start = _made_of_bytes(made, facts)
    if start is None:
        return {}
    method = made.func.attr if isinstance(made.func, ast.Attribute) else ""
    behind = _cast_of(made, facts)
    if behind is not None:
        is_alike = method in FILLED or (method == "tensor" and _is_of_bytes(made))
        return {**start, behind: "leave out"} if is_alike and facts.touched(behind) else {}
    is_filled = method in FILLED or (method == "empty" and _is_zeroed_below(made, facts))
    if not is_filled and start.get(made) != "rename":
        return {}
    casts = [_cast_at(use, facts) for use in _own_uses(facts, made) if not _is_filled(use, facts)]
    known = [cast for cast in casts if cast is not None]
    if len(known) < len(casts) or not any(map(facts.touched, known)):
        return {}
    return {**start, **dict.fromkeys(known, "leave out")}


def _made_of_bytes(made: ast.Call, facts: Facts) -> dict[ast.expr, str] | None:
    """What makes bool of ``torch.zeros(n, dtype=torch.uint8)`` and of ``torch.zeros(n).byte()``."""
    dtype = argument(made, None, "dtype")
    if isinstance(dtype, ast.Attribute) and facts.name(dtype) == "torch.uint8":
        return {dtype: "dtype"} if is_uint8(facts, made) else None
    whole = made.func.value if isinstance(made.func, ast.Attribute) else None
    filled = whole.func if isinstance(whole, ast.Call) else None
    is_filled = isinstance(filled, ast.Attribute) and filled.attr in FILLED - {"fill_"}
    return {made: "rename"} if is_filled and is_byte(facts, made) else None


def _is_of_bytes(made: ast.Call) -> bool:
    """Whether a tensor is made of numbers that are written there and that bytes hold.

    What comparisons give, ``[r is not None for r in rows]``, is true or false in both.
    """
    if len(made.args) == 1 and isinstance(made.args[0], ast.ListComp):
        return isinstance(made.args[0].elt, ast.Compare)
    parts = [part for given in made.args for part in ast.walk(given)]
    numbers = [part.value for part in parts if isinstance(part, ast.Constant)]
    displays = (ast.Constant, ast.List, ast.Tuple, ast.expr_context)
    return all(isinstance(part, displays) for part in parts) and all(
        isinstance(number, int) and number in range(2**8) for number in numbers
    )


def _own_uses(facts: Facts, made: ast.Call) -> list[ast.Name]:
    """The uses of the name that a function gives to what it makes; none where others see it."""
    scope, statement = facts.names.scope_of(made), facts.parent(made)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if scope.kind != "function" or not isinstance(target, ast.Name):
        return []
    own = [b for b in scope.bindings.get(target.id, ()) if b.node is statement and b.value is made]
    uses = [use for binding in own for use in uses_of(facts, binding)]
    is_own = all(
        facts.flow.reaching(use) == tuple(own) and facts.names.scope_of(use) is scope
        for use in uses
    )
    return uses if is_own and len(own) == 1 else []


def _is_zeroed_below(made: ast.Call, facts: Facts) -> bool:
    """Whether the next line is ``mask.zero_()``."""
    statement = facts.statement(made)
    block = facts.block(statement)
    below = block[block.index(statement) + 1 :][:1]
    uses = (use for use in _own_uses(facts, made) if facts.statement(use) in below)
    return any(_is_zeroed(use, facts) for use in uses)


def _is_zeroed(use: ast.Name, facts: Facts) -> bool:
    """``mask.zero_()`` alone."""
    method = facts.parent(use)
    call = facts.parent(method) if isinstance(method, ast.Attribute) else None
    is_zero = isinstance(method, ast.Attribute) and method.attr == "zero_"
    return is_zero and call is not None and isinstance(facts.parent(call), ast.Expr)


def _is_filled(use: ast.Name, facts: Facts) -> bool:
    """``mask.zero_()``, and ``mask[i] = 1`` of a number that bytes hold."""
    if _is_zeroed(use, facts):
        return True
    item = facts.parent(use)
    statement = facts.parent(item) if isinstance(item, ast.Subscript) else None
    if not isinstance(statement, ast.Assign) or statement.targets != [item]:
        return False
    number = constant(statement.value)
    return isinstance(number, int) and number in range(2**8)


def _cast_at(use: ast.Name, facts: Facts) -> ast.Call | None:
    """``mask.bool()`` at a place for a mask, or ``~mask.bool()``."""
    cast = _cast_of(use, facts)
    above = None if cast is None else facts.parent(cast)
    taken = above if isinstance(above, ast.UnaryOp) and inverted(above) is not None else cast
    return None if taken is None or place_above(facts, taken) is None else cast


def _cast_of(mask: ast.expr, facts: Facts) -> ast.Call | None:
    """``mask.bool()``."""
    method = facts.parent(mask)
    cast = facts.parent(method) if isinstance(method, ast.Attribute) else None
    if not isinstance(method, ast.Attribute) or method.attr != "bool":
        return None
    if not isinstance(cast, ast.Call) or cast.func is not method:
        return None
    return None if cast.args or cast.keywords else cast
