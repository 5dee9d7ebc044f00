"""What one item of a mapping is."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.values.inference import Inference
from torchfix_codemods.facts.values.lattice import (
    Mapping,
    Unknown,
    Value,
    of_any_caller,
)


def item_of_mapping(inference: Inference, mapping: Mapping, key: ast.expr) -> Value:
    """The item of a literal key, where the file never stores another one under it."""
    wanted = key.value if isinstance(key, ast.Constant) else None
    item = dict(mapping.items).get(wanted) if isinstance(wanted, str) else None
    if item is None:
        return of_any_caller(mapping.element)
    if wanted in inference.names.stored_keys:
        return of_any_caller(mapping.element)
    by_other_keys = any(
        isinstance(inference.value(store.value), (Mapping, Unknown))
        for store in inference.names.stores_by_computed_key
    )
    return of_any_caller(item) if by_other_keys else item
