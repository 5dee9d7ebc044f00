"""What shows that ``x.data[0]`` was no number: x is no tensor, or one of rows."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.least_dimensions import least_taken
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import Text

#: With so many dimensions, an element is a row.
_OF_ROWS = 2


def is_no_number(facts: Facts, node: ast.Subscript, core: ast.expr) -> bool:
    """Whether the code shows that ``x.data[0]`` was no number, where nothing else is known of x.

    It is compared with a text, here or where the same is read again, or has a length, or x is asked
    for ``x.targets`` or ``x[i, j]`` elsewhere, or a part of it is stored.
    """
    if _is_of_several(facts, node) or _is_written_in_parts(facts, core):
        return True
    found = facts.names.scope_of(core).lookup(core.id) if isinstance(core, ast.Name) else None
    if not isinstance(core, ast.Name) or found is None:
        return False
    reaching = set(facts.flow.reaching(core))
    return any(
        set(facts.flow.reaching(use)) == reaching
        for use in facts.names.uses_of(found[0], core.id)
        if _is_of_something_else(facts, use)
        or _has_rows(facts, use)
        or _is_of_several(facts, _element_of(facts, use))
    )


def _is_written_in_parts(facts: Facts, core: ast.expr) -> bool:
    """Whether an element of the same tensor is stored: ``self.params.data[0] = 0.5``.

    ``blobs["out"]`` is of one kind with ``blobs["in"]``, of which one is.
    """
    text = ast.unparse(core)
    beside = ast.unparse(core.value) if isinstance(core, ast.Subscript) else None
    stored = (
        unwrapped(node.value)
        for node in facts.names.nodes.get(ast.Subscript, ())
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    )
    return any(
        ast.unparse(written) == text
        or (
            isinstance(written, ast.Subscript)
            and bool(wrappers)
            and ast.unparse(written.value) == beside
        )
        for written, wrappers in stored
    )


def _element_of(facts: Facts, use: ast.Name) -> ast.Subscript | None:
    """``x.data[0]`` of its x."""
    data = facts.parent(use)
    element = facts.parent(data) if isinstance(data, ast.Attribute) else None
    is_element = isinstance(element, ast.Subscript) and element.value is data
    return element if is_element and isinstance(element, ast.Subscript) else None


def _is_of_several(facts: Facts, element: ast.AST | None) -> bool:
    """Whether an element is compared with a text, or asked for its length: a word, or a row."""
    around = facts.parent(element) if isinstance(element, ast.Subscript) else None
    if isinstance(around, ast.Compare):
        sides = (around.left, *around.comparators)
        return any(isinstance(facts.value(side), Text) for side in sides)
    return isinstance(around, ast.Call) and facts.names.builtin(around.func) == "len"


def _is_of_something_else(facts: Facts, use: ast.Name) -> bool:
    """``x.targets``, which no tensor has."""
    read = facts.parent(use)
    return (
        isinstance(read, ast.Attribute)
        and not read.attr.startswith("_")
        and not torch_effects.is_known(f"torch.Tensor.{read.attr}")
    )


def _has_rows(facts: Facts, use: ast.Name) -> bool:
    """``x[i, j]``, ``x.max(1)``, ``softmax(x, dim=1)``."""
    around = facts.parent(use)
    if isinstance(around, ast.Subscript) and around.value is use:
        index = around.slice
        return isinstance(index, ast.Tuple) and sum(map(_takes_dimension, index.elts)) >= _OF_ROWS
    call = around if isinstance(around, ast.Call) else facts.parent(around or use)
    return isinstance(call, ast.Call) and least_taken(facts, call, use) >= _OF_ROWS


def _takes_dimension(index: ast.expr) -> bool:
    """Whether an index is one into a dimension: neither ``None`` nor ``...``."""
    return not (isinstance(index, ast.Constant) and index.value in (None, ...))
