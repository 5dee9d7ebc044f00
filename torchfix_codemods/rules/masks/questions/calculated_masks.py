"""Masks that are calculated with, as bytes could be, and what to write instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import argument, constant
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import NoneValue, Tensor, ndim_of
from torchfix_codemods.rules.masks.questions.exclusive_masks import exclude_each_other
from torchfix_codemods.rules.masks.questions.mask_places import places_of_binding, places_of_mask
from torchfix_codemods.rules.masks.questions.mask_sums import (
    first_of,
    is_asked,
    only_selects,
    summed,
)
from torchfix_codemods.rules.masks.questions.masks import (
    is_array_of_mask,
    is_bool,
    is_comparison,
    is_uint8,
    tells_truth,
)
from torchfix_codemods.text.wording import worded, worded_operand

_WRAPS = ", for bytes, which it was of, give 255 for -1"

_LESS_ANOTHER = (
    "masks are bool since torch 1.2, which are not subtracted: write {0} & ~{1} for what only the "
    "first has"
)

_LESS_NUMBER = (
    "a mask is bool since torch 1.2, which is not subtracted from: write {0}.{1}() to calculate "
    "with it"
)

_THE_OTHERS = (
    "a mask is bool since torch 1.2, which is not subtracted from: write ~{0} for all that it has "
    "not"
)

_NEGATIVE = (
    "a mask is bool since torch 1.2, which has no negative: write -{0}.int() to calculate with it"
    + _WRAPS
)

_NEGATIVE_NUMBER = "a comparison is bool since torch 1.2, which has no negative: write -int({0})"

_THE_SAME = (
    "a mask is bool since torch 1.2, which has no negative: write {0}, for that of bytes selected "
    "the same"
)

_COUNTED = (
    "masks are bool since torch 1.2, and their sum is no count but a mask, too: write {0}.int() + "
    "… to count"
)

_TAKES_NO_NUMBER = (
    "masks are bool since torch 1.2, which take in no number: make the mask with .byte() to "
    "calculate with it"
)

_NOT_OF_BOOL = "{0} takes no masks of bool, which all masks are since torch 1.2: write {1}.int()"

_ARRAYS_LESS = (
    "a mask is an array of bool since torch 1.2, which numpy does not subtract: write "
    "{}.astype(int) - …"
)

_ARRAYS_COUNTED = (
    "masks are arrays of bool since torch 1.2, and their sum is no count but a mask, too: write "
    "{}.astype(int) + … to count"
)

_SELECT_MORE = ", or write {0} = True to select more"

#: What is not defined for bool, and was for bytes.
NUMBERS_ONLY = frozenset("argmax argmin bincount kthvalue median topk trace".split())


def about_operation(node: ast.BinOp, facts: Facts) -> Iterator[str]:
    """What is said of a sum or a difference of masks."""
    is_sum = isinstance(node.op, ast.Add) and _counts_masks(node, facts)
    if is_sum and not is_asked(facts, node) and not _is_mask_as_well(facts, node):
        yield _COUNTED.format(worded_operand(first_of(node), "a"))
    if isinstance(node.op, ast.Sub) and _subtracts_masks(node, facts):
        masks = worded_operand(node.left, "a"), worded_operand(node.right, "b")
        yield _LESS_ANOTHER.format(*masks)
        return
    if isinstance(node.op, ast.Sub) and isinstance(node.right, ast.Constant):
        if _is_like_mask(node.left, facts) and is_bool(facts, node.left):
            yield _less_number(node, facts).format(worded_operand(node.left, "mask"))
    if isinstance(node.op, (ast.Add, ast.Sub)):
        yield from _about_arrays(node, facts)


def _less_number(node: ast.BinOp, facts: Facts) -> str:
    """What is said of ``mask - 1``: bytes selected by it, or were to be calculated with."""
    less = constant(node.right)
    if places_of_mask(facts, node):
        return _THE_OTHERS if less == 1 else _LESS_NUMBER.format("{0}", "byte")
    return _LESS_NUMBER.format("{0}", "float" if isinstance(less, float) else "int") + _WRAPS


def _is_mask_as_well(facts: Facts, total: ast.BinOp) -> bool:
    """Whether a sum of masks does as a mask what it does as a count."""
    masks = summed(facts, total)
    return only_selects(facts, total) or (masks is not None and exclude_each_other(facts, masks))


def _about_arrays(node: ast.BinOp, facts: Facts) -> Iterator[str]:
    """``a.numpy() - b.numpy()`` of masks, which were arrays of bytes."""
    if not facts.speaks_of(".numpy()"):
        return
    if not all(is_array_of_mask(facts, side) for side in (node.left, node.right)):
        return
    first = worded_operand(node.left, "a")
    if isinstance(node.op, ast.Sub):
        yield _ARRAYS_LESS.format(first)
    elif facts.numbers_before(node, (1, 2)):
        yield _ARRAYS_COUNTED.format(first)


def about_sign(node: ast.UnaryOp, facts: Facts) -> Iterator[str]:
    """What is said of ``-mask``, which gave bytes."""
    mask = node.operand
    if isinstance(node.op, ast.USub) and not isinstance(mask, ast.Constant):
        if _is_like_mask(mask, facts) and is_bool(facts, mask):
            # Until torch 0.3 that was a truth of Python, whose negative was -1.
            if facts.era_of(node).before((0, 4)) and ndim_of(facts.value(mask)) == 0:
                yield _NEGATIVE_NUMBER.format(facts.segment(mask))
                return
            told = _THE_SAME if places_of_mask(facts, node) else _NEGATIVE
            yield told.format(worded_operand(mask, "mask"))


def about_addition_in_place(node: ast.AugAssign, facts: Facts) -> str | None:
    """What is said of ``mask[:, 0] += 1``, which bool cannot hold, and of ``mask += mask``."""
    if _adds_mask_in_place(node, facts):
        return _COUNTED.format(facts.segment(node.target))
    number = node.value.value if isinstance(node.value, ast.Constant) else None
    if type(number) not in (int, float):
        return None
    part = node.target
    mask = part.value if isinstance(part, ast.Subscript) else part
    if not (isinstance(mask, ast.Name) and is_comparison(facts, mask) and facts.is_tensor(mask)):
        return None
    more = _SELECT_MORE.format(worded(part, "mask[…]")) if part is not mask else ""
    return _TAKES_NO_NUMBER + more


def about_function(call: ast.Call, method: str | None, facts: Facts) -> str | None:
    """What is said of ``(x > 0).argmax(1)``, which is not defined."""
    if method not in NUMBERS_ONLY or not isinstance(call.func, ast.Attribute):
        return None
    mask = call.func.value
    if facts.name(call.func) == f"torch.{method}":
        mask = argument(call, 0, "input") or mask
    if not is_bool(facts, mask):
        return None
    return _NOT_OF_BOOL.format(method, worded_operand(mask, "mask"))


def _counts_masks(node: ast.BinOp, facts: Facts) -> bool:
    """``mask + mask`` that may be used as a count, in a file that may be older than 1.2."""
    if not _adds_masks(node, facts) or facts.has_moved_on((1, 2)):
        return False
    asked = facts.parent(node)
    if isinstance(asked, ast.BinOp) and isinstance(asked.op, ast.Add) and _adds_masks(asked, facts):
        # What is asked of the sum of them all.
        return False
    return places_of_mask(facts, node, tells_truth) is None


def _adds_masks(node: ast.BinOp, facts: Facts) -> bool:
    # Sums are everywhere: what they are is asked only of what is written like a mask.
    return (
        _is_like_mask(node.right, facts)
        and is_bool(facts, node.right)
        and (is_bool(facts, node.left) or _is_sum_of_masks(node, facts))
    )


def _adds_mask_in_place(node: ast.AugAssign, facts: Facts) -> bool:
    """``mask += x > 1``, which counted in an old file."""
    if not isinstance(node.op, ast.Add) or not isinstance(node.target, ast.Name):
        return False
    if not facts.numbers_before(node, (1, 2)) or not _is_like_mask(node.value, facts):
        return False
    before = facts.flow.reaching_before(node, node.target.id)
    return (
        bool(before)
        and is_bool(facts, node.value)
        and all(
            isinstance(value := facts.inference.bound(binding), Tensor) and value.dtype == "bool"
            for binding in before
        )
        and places_of_binding(facts, node.target, tells_truth) is None
    )


def _subtracts_masks(node: ast.BinOp, facts: Facts) -> bool:
    """``(x == y) - eye.byte()``, where one side is of bool today, and the other is a mask, too."""
    sides = (node.left, node.right)
    # Differences are everywhere as well.
    if not any(_is_like_mask(side, facts) for side in sides):
        return False
    masks = [is_bool(facts, side) for side in sides]
    return any(masks) and all(
        mask or is_uint8(facts, side) for mask, side in zip(masks, sides, strict=True)
    )


def _is_like_mask(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression, or what a name is assigned, compares or combines masks."""
    if isinstance(node, ast.Name):
        values = [binding.value for binding in facts.flow.reaching(node)]
        return any(_is_like_mask(v, facts) for v in values if v and not isinstance(v, ast.Name))
    if isinstance(node, ast.Call):
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        # torch.tensor([True, False]) was of bytes, too.
        return (
            method == "tensor"
            or torch_effects.compares(method)
            or method.startswith(("logical_", "bool", "is", "all", "any"))
        )
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.BitXor))
    return isinstance(node, (ast.Compare, ast.UnaryOp))


def _is_sum_of_masks(node: ast.BinOp, facts: Facts) -> bool:
    """``total`` of ``total = total + mask``, which began as a mask."""
    if not isinstance(node.left, ast.Name):
        return False
    values = [binding.value for binding in facts.flow.reaching(node.left)]
    first = [v for v in values if v is not None and node not in ast.walk(v)]
    masks = [v for v in first if not isinstance(facts.value(v), NoneValue)]
    return (
        None not in values
        and bool(masks or len(first) < len(values))
        and all(is_bool(facts, v) for v in masks)
    )
