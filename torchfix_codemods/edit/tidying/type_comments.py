"""Types in comments, ``# type: Variable``, which checkers read as they read annotations."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.edit.tidying.stale_comments import names_variable_as_type
from torchfix_codemods.edit.tidying.stale_docstrings import lost_variables
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rule import Found


class TypeComment(Tidying):
    """Writes ``x = y.exp()  # type: torch.Tensor`` for ``# type: Variable``."""

    name = "type-comment"

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        line = facts.lines[(node.end_lineno or node.lineno) - 1]
        if "Variable" not in line:
            return
        comment = line.encode()[node.end_col_offset or 0 :].decode().strip()
        if not names_variable_as_type(comment) or not lost_variables(facts):
            return
        spelling = spell(facts, "torch.Tensor", node)
        if spelling is not None:
            yield self.found(node, "is of a tensor", needs=spelling.needs, tensor=spelling.text)

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        beside = updated.trailing_whitespace
        if beside.comment is None:
            return updated
        text = re.sub(r"\bVariable\b", lambda _: self.data["tensor"], beside.comment.value)
        comment = beside.comment.with_changes(value=text)
        return updated.with_changes(trailing_whitespace=beside.with_changes(comment=comment))
