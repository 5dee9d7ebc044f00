"""How many dimensions a tensor has whose size is taken apart: ``batch, length = x.size()``."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evidence.changes import may_be_reshaped
from torchfix_codemods.facts.language.branches import statements_above
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.values.lattice import Tensor

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference

_Apart = dict[str, list[tuple[ast.stmt, ast.Name, int]]]


def with_dimensions(
    inference: Inference, use: ast.Name, bindings: tuple[Binding, ...], tensor: Tensor
) -> Tensor:
    """A tensor with as many dimensions as a statement before a use needs to take its size apart.

    Args:
        inference: what is known of the file.
        use: a use of a name.
        bindings: those that reach it.
        tensor: what the name holds there, of which nothing else says how many it has.
    """
    apart = _taken_apart(inference.names).get(use.id, ()) if bindings else ()
    if not apart or may_be_reshaped(inference, use):
        return tensor
    above = set(statements_above(inference.names, use))
    for statement, other, ndim in apart:
        if statement not in above or set(inference.flow.reaching(other)) != set(bindings):
            continue
        if not any(_at(statement) < _at(binding.node) < _at(use) for binding in bindings):
            return replace(tensor, ndim=ndim)
    return tensor


def _taken_apart(names: Names) -> _Apart:
    """The names whose sizes are taken apart, by what they are called."""
    return names.remembered(_taken_apart, lambda: _found(names))


def _found(names: Names) -> _Apart:
    found: _Apart = {}
    for node in names.nodes.get(ast.Assign, ()):
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Tuple):
            continue
        elements = node.targets[0].elts
        if any(isinstance(element, ast.Starred) for element in elements):
            continue
        owner = _owner(node.value)
        if isinstance(owner, ast.Name):
            found.setdefault(owner.id, []).append((node, owner, len(elements)))
    return found


def _owner(sizes: ast.expr) -> ast.expr | None:
    """``x`` of ``x.size()`` and ``x.shape``, of which ``x.data`` has as many."""
    is_call = isinstance(sizes, ast.Call)
    sizes = sizes.func if isinstance(sizes, ast.Call) else sizes
    if not isinstance(sizes, ast.Attribute) or sizes.attr != ("size" if is_call else "shape"):
        return None
    tensor = sizes.value
    return tensor.value if isinstance(tensor, ast.Attribute) and tensor.attr == "data" else tensor


def _at(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
