"""Facts of a module that also say for which torch it was written."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.guards import is_optional
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.scalars import asked_item, indexed_scalar
from torchfix_codemods.facts.values.lattice import Module, Tensor


class WholeFacts(Facts):
    """The facts of one module; its arguments are those of :class:`Facts`."""

    def _is_certain(self, node: ast.Subscript | ast.Call) -> bool:
        if isinstance(node, ast.Subscript):
            # ``item()`` came when such an index was deprecated.
            return asked_item(self, node) is None and indexed_scalar(self, node) == "number"
        method = node.func
        return isinstance(method, ast.Attribute) and isinstance(
            self.value(method.value), (Tensor, Module)
        )

    def _is_optional(self, node: ast.AST) -> bool:
        return is_optional(self, node)
