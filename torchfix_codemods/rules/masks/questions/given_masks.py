"""Masks that a function is given, or that come as uint8 on a way only."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Literal

from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind, found_behind
from torchfix_codemods.facts.paths.graph import Content, Place
from torchfix_codemods.facts.paths.in_turn import returned_by
from torchfix_codemods.facts.paths.named import function_run, is_self, line_named
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.tensors.layouts import core_of, whole_of
from torchfix_codemods.facts.values.array_dtypes import dtype_of_array
from torchfix_codemods.facts.values.lattice import Array, Tensor
from torchfix_codemods.facts.values.torch_api import MAKE_ANEW
from torchfix_codemods.rules.masks.questions import made_masks
from torchfix_codemods.rules.masks.questions.made_masks import LONGEST_CHAIN, is_renamed_before
from torchfix_codemods.rules.masks.questions.mask_parameters import (
    dtype_by_all_calls,
    given_behind,
)
from torchfix_codemods.rules.masks.questions.mask_wants import Want, place_of
from torchfix_codemods.rules.masks.questions.masks import (
    holds_integers,
    is_comparison,
    is_uint8,
    may_be_uint8,
)
from torchfix_codemods.text.wording import worded_operand

_COMES_AS_BYTES = (
    "only masks of bool are taken since torch 2.1, and {0} comes as uint8 from {1}: write "
    "{0}.bool()"
)
_BITS_OF_BYTES = (
    "~ inverts the bits of uint8 since torch 1.2, which leaves every element true, and {0} comes "
    "as uint8 from {1}: write ~{0}.bool()"
)
Cast = Literal["of bytes", "of integers"]
"""Why a mask is certainly made one of bool where it is used."""


def cast_wanted(facts: Facts, mask: ast.expr, core: ast.expr, place: Want) -> Cast | Place | None:
    """Why ``.bool()`` is written behind a mask; None where it is not.

    Of a mask that comes in more than one way it is the place in sight that makes it of uint8.
    """
    if place == "masked" and holds_integers(facts, mask):
        return "of integers"
    if is_uint8(facts, mask) and not is_renamed_before(facts, core):
        is_all = place != "read" or not _indexes_something_else(facts, core)
        return "of bytes" if is_all else None
    if place == "masked" and _is_uint8_on_a_way(facts, core):
        return "of bytes"
    if place != "read" and (given := dtype_by_all_calls(facts, mask)) in ("bool", "uint8"):
        return "of bytes" if given == "uint8" else None
    if place != "read" and may_be_uint8(facts, mask) and _is_made_of_byte_arrays(facts, mask):
        return "of bytes"
    # On another way what is an index may hold positions.
    if place == "masked" or (place == "stored" and _is_uint8_on_a_way(facts, core)):
        return _made_as_uint8(facts, mask)
    return None


def about_bytes(mask: ast.expr, facts: Facts) -> str | None:
    """What is said of a mask that comes as uint8 on a way only."""
    place = place_of(facts, mask)
    made = None if place is None else cast_wanted(facts, mask, core_of(mask), place)
    if not isinstance(made, Place):
        return None
    # A part or another layout of a mask of bool is one of bool as well.
    named = worded_operand(mask, worded_operand(whole_of(mask), ast.unparse(mask)))
    return _COMES_AS_BYTES.format(named, line_named(made.node, made.facts, facts))


def about_bits_of_bytes(facts: Facts, node: ast.UnaryOp) -> str | None:
    """What is said of ``~mask``, where the project makes the mask of uint8 on a way.

    In an old file only such a mask was inverted; in another one what is inverted may be a picture.
    """
    mask = node.operand
    if not (facts.numbers_before(node, (1, 2)) or made_masks.place_above(facts, node)):
        return None
    made = _made_as_uint8(facts, mask)
    if made is None or not (facts.is_tensor(mask) or is_uint8(made.facts, core_of(made.node))):
        return None
    return _BITS_OF_BYTES.format(
        worded_operand(mask, "mask"), line_named(made.node, made.facts, facts)
    )


def _indexes_something_else(facts: Facts, mask: ast.expr) -> bool:
    """Whether a mask that still works is an index of what may be no tensor, too: all or none."""
    if not isinstance(mask, ast.Name):
        return False
    return any(
        isinstance(parent := facts.parent(use), ast.Subscript)
        and parent.slice is use
        and place_of(facts, use) is None
        for use in facts.names.uses_of(facts.names.scope_of(mask), mask.id)
    )


def _made_as_uint8(facts: Facts, mask: ast.expr) -> Place | None:
    """Where the project makes a mask of uint8 that comes to a place."""
    if facts.era_of(mask).needs((1, 2)) or not may_be_uint8(facts, mask):
        return None
    if not any(map(facts.is_mentioned, ("ByteTensor", "uint8", "byte"))):
        return None
    if any(_is_asked_for_bool(facts, given) for given in given_behind(facts, whole_of(mask))):
        return None
    certain: list[Place] = []

    def before(place: Place) -> Iterable[Place] | None:
        found = _before_uint8(place)
        if found is not None:
            return found
        certain.append(place)
        # What is known to be of uint8 may have been made elsewhere: ``mask.cuda()`` only moves it.
        return behind(Place(place.facts, core_of(place.node), place.content)) or None

    return found_behind([Place(facts, mask)], before) or next(iter(certain), None)


def _before_uint8(place: Place) -> Iterable[Place] | None:
    """None for what is certainly of uint8; else what a mask is in another place or layout."""
    facts, node = place.facts, core_of(place.node)
    # What lies in a tensor is a part of it.
    if is_uint8(facts, node):
        return () if is_renamed_before(facts, node) else None
    if place.content:
        return behind(place)
    if dtype_of_array(facts.inference, node) == "uint8":
        return None
    value = facts.value(node)
    if is_comparison(facts, node) or (isinstance(value, Tensor) and value.dtype is not None):
        return ()
    if isinstance(node, ast.BinOp):
        return [Place(facts, side) for side in (node.left, node.right)]
    if isinstance(node, ast.UnaryOp):
        # Inverted bits are no mask, whatever they are cast to.
        return () if isinstance(node.op, ast.Invert) else [Place(facts, node.operand)]
    if isinstance(node, ast.Name) and _got_other_data(facts, node):
        return ()
    if isinstance(node, ast.Call) and (given := _handed_on(facts, node)) is not None:
        return given
    whole = [Place(facts, node.value)] if isinstance(node, ast.Subscript) else []
    return [*whole, *behind(Place(facts, node))]


def _got_other_data(facts: Facts, name: ast.Name) -> bool:
    """Whether ``mask.data = …`` stands above: what the name was bound to is no longer in it."""
    uses = facts.names.scope_of(name).uses.get(name.id, ())
    stored = (facts.parent(use) for use in uses if use.lineno < name.lineno)
    return any(
        isinstance(each, ast.Attribute) and each.attr == "data" and isinstance(each.ctx, ast.Store)
        for each in stored
    )


def _is_made_of_byte_arrays(facts: Facts, mask: ast.expr) -> bool:
    """Whether all that a mask comes of is arrays of uint8: ``torch.from_numpy(memory.ended[i])``.

    torch takes their dtype, and makes no bool of it.
    """
    return facts.is_mentioned("uint8") and come_from([Place(facts, mask)], _before_bytes)


def _before_bytes(place: Place) -> Iterable[Place] | None:
    """Where a mask or an array comes from in its dtype; None where it may be of another one."""
    facts, node = place.facts, core_of(place.node)
    if not place.content and dtype_of_array(facts.inference, node) == "uint8":
        return ()
    if place.content or isinstance(node, (ast.Name, ast.IfExp)):
        whole = Place(facts, node, place.content)
        return _results_of(whole) or sources(whole)
    if isinstance(node, ast.Subscript) and isinstance(facts.value(node.value), Array):
        return [Place(facts, node.value)]
    owner = facts.names.enclosing_class(node)
    if isinstance(node, ast.Attribute) and owner is not None and is_self(facts, node.value):
        stored = facts.classes.attribute_sources(owner, node.attr)
        values = [each.value for each in stored if each.value is not None and not each.path]
        return [Place(facts, v) for v in values] if len(values) == len(stored) > 0 else None
    if not isinstance(node, ast.Call):
        return None
    if facts.name(node.func) == "torch.autograd.Variable":
        return [Place(facts, each) for each in node.args[:1]]
    return _handed_on(facts, node) or _results_of(place)


def _results_of(place: Place) -> list[Place] | None:
    """What a function of the project returns to a call, or that part of it."""
    node = place.node
    found = function_run(node.func, place.facts) if isinstance(node, ast.Call) else None
    return None if found is None else returned_by(*found, place.content)


def _handed_on(facts: Facts, call: ast.Call) -> list[Place] | None:
    """What a call of torch gives on in its dtype; None of what is no call of torch."""
    name = facts.name(call.func)
    if name is None:
        method = call.func
        if not isinstance(method, ast.Attribute):
            return None
        # Of x.to(dtype) the value would be known.
        is_kept = torch_effects.hands_on(method.attr) or torch_effects.may_do(method.attr, "keeps")
        is_kept = is_kept and not torch_effects.is_cast(method.attr)
        return [Place(facts, method.value)] if is_kept else None
    if name in MAKE_ANEW:
        return [Place(facts, each) for each in call.args[:1]]
    if not name.startswith("torch."):
        return None
    parts: Content = ("*",) if name in ("torch.cat", "torch.stack") else ()
    is_kept = bool(parts) or torch_effects.hands_on(name.rpartition(".")[2])
    return [Place(facts, each, parts) for each in call.args[:1]] if is_kept else []


def _is_asked_for_bool(facts: Facts, name: ast.expr) -> bool:
    """Whether the code knows masks of both kinds: ``if mask.dtype == torch.bool``."""
    if not isinstance(name, ast.Name):
        return False
    for use in facts.names.scope_of(name).uses.get(name.id, ()):
        asked = facts.parent(use)
        compared = facts.parent(asked) if isinstance(asked, ast.Attribute) else None
        if isinstance(asked, ast.Attribute) and asked.attr == "dtype":
            if isinstance(compared, ast.Compare) and any(
                getattr(part, "attr", "") == "bool" for part in compared.comparators
            ):
                return True
    return False


def _is_uint8_on_a_way(facts: Facts, core: ast.expr, depth: int = 0) -> bool:
    """Whether one of the values that a name may hold is a mask of uint8, as old masks all were."""
    if not isinstance(core, ast.Name) or is_renamed_before(facts, core):
        return False
    values = [
        binding.value
        for binding in facts.flow.reaching(core)
        if binding.kind == "assign" and not binding.path and binding.value is not None
    ]
    return any(is_uint8(facts, value) for value in values) or (
        depth < LONGEST_CHAIN
        and any(_is_uint8_on_a_way(facts, core_of(value), depth + 1) for value in values)
    )
