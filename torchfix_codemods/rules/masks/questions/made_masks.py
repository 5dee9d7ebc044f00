"""How a mask of uint8 was made: what becomes bool there, and what was inverted."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, constant
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import uses_of
from torchfix_codemods.facts.tensors.layouts import core_of
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rules.masks.questions.mask_places import places_of_mask
from torchfix_codemods.rules.masks.questions.mask_wants import Want, place_of
from torchfix_codemods.rules.masks.questions.masks import (
    holds_integers,
    holds_zeros_and_ones,
    inverted,
    is_bool,
    is_byte,
    is_comparison,
    is_joined_bytes,
    is_uint8,
    may_be_uint8,
    operand_of,
)

#: How many names a mask is followed through.
LONGEST_CHAIN = 4

#: Around what a comparison needs no parentheses, where it stands in one line.
_ALONE = (ast.Assign, ast.Call, ast.keyword, ast.Return)

#: What begins a mask that is filled element by element.
_FILLED = frozenset("zeros ones zeros_like ones_like new_zeros new_ones zero_ fill_".split())


def is_made_as_mask(node: ast.expr, facts: Facts) -> bool:
    """Whether uint8 holds a mask: a comparison, or zeros to fill; images are bytes as well."""
    if facts.era_of(node).needs((1, 2)):
        return False
    core = core_of(node)
    made = (facts.assigned(core) or []) if isinstance(core, ast.Name) else [core]
    return bool(made) and all(
        holds_zeros_and_ones(facts, value)
        or any(isinstance(part, ast.Attribute) and part.attr in _FILLED for part in ast.walk(value))
        for value in made
    )


def bool_from_start(facts: Facts, made: ast.Call) -> dict[ast.expr, str]:
    """What changes where ``torch.zeros(n, dtype=torch.uint8)`` is made of bool: the dtype, and
    each ``mask.bool()`` that a rewrite has written since, or the ``.bool()`` right behind it.

    Args:
        facts: the facts of the module.
        made: a call.

    Returns:
        nothing where the mask is used in any other way than to store a number in it.
    """
    dtype = argument(made, None, "dtype")
    method = made.func.attr if isinstance(made.func, ast.Attribute) else ""
    if isinstance(dtype, ast.Attribute) and facts.name(dtype) == "torch.uint8":
        cast = _cast_of(made, facts)
        if cast is not None and facts.touched(cast):
            is_alike = method in _FILLED or (method == "tensor" and _is_of_bytes(made))
            return {dtype: "dtype", cast: "leave out"} if is_alike else {}
    if method not in _FILLED and not (method == "empty" and _is_zeroed_below(made, facts)):
        return {}
    if not isinstance(dtype, ast.Attribute):
        return {}
    if facts.name(dtype) != "torch.uint8" or not is_uint8(facts, made):
        return {}
    casts = [_cast_at(use, facts) for use in _own_uses(facts, made) if not _is_filled(use, facts)]
    known = [cast for cast in casts if cast is not None]
    if len(known) < len(casts) or not any(map(facts.touched, known)):
        return {}
    return {dtype: "dtype", **dict.fromkeys(known, "leave out")}


def _is_of_bytes(made: ast.Call) -> bool:
    """Whether a tensor is made of numbers that are written there and that bytes hold."""
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
    """``mask.bool()`` at a place for a mask."""
    cast = _cast_of(use, facts)
    return None if cast is None or place_of(facts, cast) is None else cast


def _cast_of(mask: ast.expr, facts: Facts) -> ast.Call | None:
    """``mask.bool()``."""
    method = facts.parent(mask)
    cast = facts.parent(method) if isinstance(method, ast.Attribute) else None
    if not isinstance(method, ast.Attribute) or method.attr != "bool":
        return None
    if not isinstance(cast, ast.Call) or cast.func is not method:
        return None
    return None if cast.args or cast.keywords else cast


def is_renamed(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is a ``.byte()`` that becomes ``.bool()``: only masks come of it.

    Of whole numbers, nothing but a multiple of 256 would be another one by that.
    """
    if not (isinstance(node, ast.Call) and is_byte(facts, node)):
        return False
    assert isinstance(node.func, ast.Attribute)
    agrees = holds_zeros_and_ones(facts, node) or holds_integers(facts, node.func.value)
    return agrees and bool(places_of_mask(facts, node))


def is_renamed_before(facts: Facts, node: ast.expr) -> bool:
    """Whether the ``.byte()`` that makes a mask, or what it is a part of, becomes ``.bool()``.

    Or the ``1 - mask``, ``~mask.bool()``.
    """
    if isinstance(node, ast.Subscript):
        return is_renamed_before(facts, core_of(node.value))
    if isinstance(node, ast.Name):
        values = [core_of(b.value) for b in facts.flow.reaching(node) if b.value is not None]
        return any(is_renamed(facts, v) or is_inverted_above(facts, v) for v in values)
    return is_renamed(facts, node)


def is_inverted_above(facts: Facts, node: ast.expr) -> bool:
    """Whether ``1 - mask`` stands above all that takes it, where bool is taken and no other mask.

    Until torch 1.1 that took masks of 0 and 1 alone.
    """
    if inverted(node) != "1 - x" or not facts.speaks_of("masked_"):
        return False
    if is_uint8(facts, node) or not may_be_uint8(facts, operand_of(node)):
        return False
    if place_above(facts, node) is not None:
        return False
    return "masked" in (places_of_mask(facts, node) or ())


def inverted_bits(facts: Facts, node: ast.expr, depth: int = 0) -> ast.expr | None:
    """The ``~`` of uint8 that a mask comes of, through names: it leaves every element true."""
    if is_joined_bytes(facts, node):
        return None
    for part in walk(node):
        if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Invert):
            if is_uint8(facts, part.operand):
                return part
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and depth < LONGEST_CHAIN:
            for binding in facts.flow.reaching(part):
                value = binding.value
                bits = None if value is None else inverted_bits(facts, value, depth + 1)
                if bits is not None:
                    return bits
    return None


def place_above(facts: Facts, node: ast.expr) -> Want | None:
    """The place for a mask that a value stands at, also in another layout: ``(~m).view(-1)``."""
    top = node
    above = facts.parent(top)
    while isinstance(above, (ast.Attribute, ast.Call, ast.Subscript)) and core_of(above) is node:
        top, above = above, facts.parent(above)
    return place_of(facts, top)


def without_byte(facts: Facts, byte: ast.expr) -> str:
    """What to take of ``x.byte()`` for ``~``: x where that is of bool, else ``x.bool()``."""
    assert isinstance(byte, ast.Call) and isinstance(byte.func, ast.Attribute)
    source = byte.func.value
    return (
        "without byte" if is_bool(facts, source) or is_comparison(facts, source) else "byte as bool"
    )


def is_byte_of_new_bool(facts: Facts, byte: ast.Call) -> bool:
    """``(a == b).byte()``, which is a mask of bool without its ``byte``, and nobody else's."""
    source = byte.func.value if isinstance(byte.func, ast.Attribute) else byte
    return not isinstance(core_of(source), ast.Name) and is_comparison(facts, source)


def is_alone(node: ast.expr, facts: Facts) -> bool:
    """Whether nothing binds an expression of one line, which needs no parentheses therefore."""
    around = facts.parent(node)
    is_index = isinstance(around, ast.Subscript) and around.slice is node
    return (is_index or isinstance(around, _ALONE)) and "\n" not in facts.segment(node)


def claim_at(*places: Want) -> Numerics:
    """What bool changes there: an index and ``torch.where`` still take uint8, all else fails."""
    return Numerics.IDENTICAL if set(places) == {"read"} else Numerics.RESTORED
