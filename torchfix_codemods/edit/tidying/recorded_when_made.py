"""New tensors that the line below makes leaves of a graph are made so."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument
from torchfix_codemods.edit.below import nodes_below
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.edit.tidying.made_above import stand_alone
from torchfix_codemods.edit.tidying.moves.moved_when_made import is_making, target_of, with_keyword
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rule import Found

#: What says already whether there is a graph, or makes no new tensor.
_UNLIKE = frozenset({"out", "requires_grad", None})


class RecordedWhenMade(Tidying):
    """Writes ``x = torch.zeros(2, requires_grad=True)`` where ``x = x.requires_grad_()`` follows.

    It does so where a rewrite took a Variable away. The line is left without its assignment,
    ``x.requires_grad_()``, where the tensor is made by something else.
    """

    name = "recorded-when-made"
    words = frozenset({"requires_grad_"})

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        if isinstance(facts.parent(node), ast.ClassDef):
            # The name of the module becomes one of the class.
            return
        name = target_of(node)
        if name is None or not facts.touched(node) or _recorded(node.value) != name:
            return
        if _is_made_above(node, name, facts):
            yield from self._made_so(node, facts)
        elif facts.is_tensor(node.targets[0]):
            yield self.found(node, "changes in place")

    def find_Expr(self, node: ast.Expr, facts: Facts) -> Iterator[Found]:
        # What stood between the two may have gone a round ago.
        name = _recorded(node.value)
        if name is not None and facts.touched(node) and _is_made_above(node, name, facts):
            yield from self._made_so(node, facts)

    def _made_so(self, node: ast.stmt, facts: Facts) -> Iterator[Found]:
        block = facts.block(node)
        yield self.found(node, "is made so", region=[block[block.index(node) - 1], node])

    def leave_IndentedBlock(
        self, original: cst.IndentedBlock, updated: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        line = updated.body[0]
        making = next((a for a in nodes_below(line, cst.Assign)), None)
        if len(updated.body) != 2 or making is None or not isinstance(making.value, cst.Call):
            return updated
        flag = keyword_argument("requires_grad", cst.Name("True"))
        return updated.with_changes(body=[with_keyword(line, making, flag, updated.indent)])

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        assignment = updated.body[0]
        if not isinstance(assignment, cst.Assign):
            return updated
        return updated.with_changes(body=[cst.Expr(assignment.value), *updated.body[1:]])


def _is_made_above(node: ast.stmt, name: str, facts: Facts) -> bool:
    """Whether the line above makes the tensor that a statement makes a leaf."""
    block = facts.block(node)
    above = block[block.index(node) - 1] if node is not block[0] else None
    if not isinstance(above, ast.Assign) or target_of(above) != name:
        return False
    return is_making(above.value, facts, _UNLIKE) and stand_alone(above, node, facts)


def _recorded(node: ast.expr) -> str | None:
    """``x`` of ``x.requires_grad_()``."""
    if not isinstance(node, ast.Call) or node.args or node.keywords:
        return None
    method = node.func
    if not isinstance(method, ast.Attribute) or method.attr != "requires_grad_":
        return None
    return method.value.id if isinstance(method.value, ast.Name) else None
