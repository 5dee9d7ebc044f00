"""Facts of a module that also say for which torch it was written."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.guards import is_optional
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.scalars import indexed_scalar


class WholeFacts(Facts):
    """The facts of one module; its arguments are those of :class:`Facts`."""

    def _is_number(self, node: ast.Subscript) -> bool:
        return indexed_scalar(self, node) == "number"

    def _is_optional(self, node: ast.AST) -> bool:
        return is_optional(self, node)
