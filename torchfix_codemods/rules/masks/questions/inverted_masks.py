"""How a mask that is turned around is written as one of bool."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.layouts import core_of
from torchfix_codemods.finding import Numerics
from torchfix_codemods.record import record
from torchfix_codemods.rules.masks.questions.given_masks import about_bits_of_bytes
from torchfix_codemods.rules.masks.questions.made_masks import (
    claim_at,
    is_inverted_above,
    is_made_as_mask,
    is_renamed_before,
    place_above,
    without_byte,
)
from torchfix_codemods.rules.masks.questions.mask_places import places_of_mask
from torchfix_codemods.rules.masks.questions.mask_wants import Want
from torchfix_codemods.rules.masks.questions.masks import (
    holds_zeros_and_ones,
    inverted,
    is_bool,
    is_byte,
    is_comparison,
    is_uint8,
    may_be_uint8,
    operand_of,
)
from torchfix_codemods.text.wording import worded_operand

_BITS = (
    "~ inverts the bits of a uint8 mask since torch 1.2, which leaves every element true: write "
    "~{0}.bool()"
)
_WAS_LESS = "~ inverts the bits of uint8 since torch 1.2; of a mask it was 1 - mask"
_INDEX = "{0} ^ 1 is int64 since torch 1.2, an index and no mask: write ~{0}"


def about_bits(operand: ast.expr) -> str:
    """What is said of ``~mask`` of uint8."""
    return _BITS.format(worded_operand(operand, "mask"))


def comes_of_bits(facts: Facts, mask: ast.expr, bits: ast.expr) -> bool:
    """Whether a mask that ``~`` makes may be of uint8, and so true everywhere in today's torch."""
    return not facts.era_of(bits).before((1, 2)) and may_be_uint8(facts, mask)


@record
class Inversion:
    """What becomes of ``node``, the mask or what it is used as.

    ``change`` and ``operand`` are those of :func:`edit.tensors.masks.as_bool`; without a ``change``
    the message is only told.
    """

    node: ast.expr
    change: str | None
    message: str | None = None
    numerics: Numerics | None = None
    operand: str | None = None


def stays_mask(facts: Facts, node: ast.expr) -> bool:
    """Whether all that becomes of ``1 - mask`` takes a mask of bool."""
    return places_of_mask(facts, node) is not None or _is_stored_in_tensor(facts, node)


def _is_stored_in_tensor(facts: Facts, node: ast.expr) -> bool:
    """``x[i] = node`` of tensors, which have one dtype whatever is stored."""
    statement = facts.parent(node)
    return (
        isinstance(statement, ast.Assign)
        and statement.value is node
        and all(
            isinstance(target, ast.Subscript) and facts.is_shown_tensor(target.value)
            for target in statement.targets
        )
    )


def inversion_by_sign(facts: Facts, node: ast.UnaryOp) -> Inversion | None:
    """What becomes of ``~mask`` of what is no mask of bool."""
    if not is_uint8(facts, node.operand):
        told = about_bits_of_bytes(facts, node)
        return None if told is None else Inversion(node, None, told)
    if place_above(facts, node) is not None or is_renamed_before(facts, core_of(node.operand)):
        return None
    return inversion_of_bits(facts, node)


def inversion_of_bits(facts: Facts, node: ast.expr) -> Inversion | None:
    """What becomes of ``~mask`` of uint8, which was ``1 - mask`` until torch 1.2."""
    if facts.numbers_before(node, (1, 2)):
        return Inversion(node, "subtract", _WAS_LESS, Numerics.PINNED)
    if place_above(facts, node) is not None or is_made_as_mask(operand_of(node), facts):
        return Inversion(node, None, about_bits(operand_of(node)))
    return None


def inversion_by_name(facts: Facts, node: ast.BinOp) -> Inversion | None:
    """What becomes of ``1 - mask`` that is given to masks alone, by its name."""
    return Inversion(node, "invert", operand="cast") if is_inverted_above(facts, node) else None


def inversion_at(facts: Facts, mask: ast.expr, core: ast.expr, place: Want) -> Inversion | None:
    """What becomes of ``core``, an inversion that stands at a place for masks as ``mask``."""
    how, operand = inverted(core), operand_of(core)
    if is_bool(facts, operand) or (place == "masked" and is_comparison(facts, operand)):
        if how == "x ^ 1" and place != "masked":
            return _pinned(facts, core, "as is", _INDEX.format(worded_operand(operand, "mask")))
        if how == "x ^ 1" or (how == "1 - x" and not is_bool(facts, operand)):
            return Inversion(core, "invert", operand="as is")
        return None
    byte = core_of(operand)
    if is_byte(facts, byte) and holds_zeros_and_ones(facts, byte):
        taken = without_byte(facts, byte)
        if how == "~x" and place == "read":
            return _pinned(facts, core, taken, about_bits(operand))
        return Inversion(core, "invert", numerics=claim_at(place), operand=taken)
    if place == "masked" and how != "~x" and may_be_uint8(facts, operand):
        return Inversion(core, "invert", operand="cast")
    if not is_uint8(facts, operand):
        return None
    if how != "~x":
        return Inversion(mask, "append", numerics=claim_at(place))
    if place == "masked":
        return Inversion(core, "invert", operand="cast")
    return inversion_of_bits(facts, core)


def _pinned(facts: Facts, node: ast.expr, operand: str, told: str) -> Inversion:
    """What runs today with other numbers, and so is rewritten in old files only."""
    if not facts.numbers_before(node, (1, 2)):
        return Inversion(node, None, told)
    return Inversion(node, "invert", numerics=Numerics.PINNED, operand=operand)
