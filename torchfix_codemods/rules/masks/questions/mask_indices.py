"""Masks that are indices, and arrays that were none when they were of bytes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.array_dtypes import dtype_of_array
from torchfix_codemods.rules.masks.questions.masks import is_array_of_mask
from torchfix_codemods.text.wording import worded_operand

_WAS_INDICES = (
    "an array of uint8 is a mask for torch since 1.1, which took its numbers for indices before: "
    "write {0}.astype(int) for these"
)


def indices_of(node: ast.Subscript) -> Iterator[ast.expr]:
    """The indices that may be masks."""
    for index in _indices(node):
        if not (isinstance(index, (ast.Constant, ast.Slice)) or _is_negative(index)):
            yield index


def were_indices(facts: Facts, node: ast.Subscript) -> Iterator[tuple[ast.expr, str]]:
    """What is said of ``x[np.array([1, 0, 1], dtype=np.uint8)]``, and ``x[(y > 0).numpy()]``."""
    for index in _indices(node):
        if _was_array_of_bytes(index, facts) and facts.is_tensor(node.value):
            yield index, _WAS_INDICES.format(worded_operand(index, "index"))


def _indices(node: ast.Subscript) -> Sequence[ast.expr]:
    """The index of each dimension."""
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def _is_negative(index: ast.expr) -> bool:
    return isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub)


def _was_array_of_bytes(index: ast.expr, facts: Facts) -> bool:
    """Whether an index was certainly an array of uint8 in torch 1.0, whose masks were of that."""
    is_of_bytes = dtype_of_array(facts.inference, index) == "uint8"
    return is_of_bytes or is_array_of_mask(facts, index)
