"""How a mask of uint8 was made: what becomes bool there, and what was inverted."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
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
FILLED = frozenset("zeros ones zeros_like ones_like new_zeros new_ones zero_ fill_".split())


def is_made_as_mask(node: ast.expr, facts: Facts) -> bool:
    """Whether uint8 holds a mask: a comparison, or zeros to fill; images are bytes as well."""
    if facts.era_of(node).needs((1, 2)):
        return False
    core = core_of(node)
    made = (facts.assigned(core) or []) if isinstance(core, ast.Name) else [core]
    return bool(made) and all(
        holds_zeros_and_ones(facts, value)
        or any(isinstance(part, ast.Attribute) and part.attr in FILLED for part in ast.walk(value))
        for value in made
    )


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
