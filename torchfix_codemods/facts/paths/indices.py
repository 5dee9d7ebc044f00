"""Values that select from tensors: a number takes the dimension away, one of several keeps it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import follow


def indexes_tensor(facts: Facts, node: ast.expr) -> bool:
    """Whether ``node``, or what is made of it, is an index of a tensor: ``x[:, node]``."""
    return follow([Place(facts, node)], _indexes_tensor) is not None


def _indexes_tensor(use: Use) -> Iterable[Place] | None:
    if use.kind != "index" or use.place.content:
        return () if use.kind == "argument" else use.onward()
    is_of_tensor = isinstance(use.by, ast.Subscript) and use.facts.is_tensor(use.by.value)
    return None if is_of_tensor and not _is_end_of_slice(use) else ()


def _is_end_of_slice(use: Use) -> bool:
    """``x[:node]``, in which torch takes a tensor for the number that it holds."""
    return isinstance(use.facts.parent(use.node), ast.Slice)
