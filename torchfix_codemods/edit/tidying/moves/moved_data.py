"""The memory of a new tensor is moved as the tensor itself, once a rewrite names the device."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.edit.tidying.moves.moved_when_made import is_made_by_torch
from torchfix_codemods.edit.tidying.moves.moving import is_move
from torchfix_codemods.facts.language.nodes import same_target
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.rule import Found


class MovedData(Tidying):
    """Writes ``x = x.to(device)`` for ``x.data = x.data.to(device)`` right below what makes x.

    It has no graph and no other name there.
    """

    name = "moved-data"
    words = frozenset({"data"})

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        target = node.targets[0]
        if not isinstance(target, ast.Attribute) or target.attr != "data":
            return
        if len(node.targets) != 1 or not isinstance(target.value, ast.Name):
            return
        if not is_move(node.value, facts):
            return
        moved = node.value.func
        assert isinstance(moved, ast.Attribute)
        if not same_target(target, moved.value) or not facts.touched(node):
            return
        block = facts.block(node)
        above = block[block.index(node) - 1] if node is not block[0] else None
        if not isinstance(above, ast.Assign) or len(above.targets) != 1:
            return
        made = facts.value(above.value)
        is_plain = isinstance(made, Tensor) and made.grad is False
        if is_plain and same_target(above.targets[0], target.value):
            if is_made_by_torch(above.value, facts):
                yield self.found(node, "is moved itself")

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        assignment = updated.body[0] if len(updated.body) == 1 else None
        if not isinstance(assignment, cst.Assign) or not isinstance(assignment.value, cst.Call):
            return updated
        target, move = assignment.targets[0].target, assignment.value
        if not isinstance(target, cst.Attribute):
            return updated
        return updated.with_deep_changes(
            assignment,
            targets=[assignment.targets[0].with_changes(target=target.value)],
            value=move.with_deep_changes(move.func, value=target.value.deep_clone()),
        )
