"""Notes beside rewritten lines on the old torch that they were written for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.edit.tidying.beside import comment_beside
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.rule import Found

#: All that a comment says is for which torch before 1.0 the line is: with ``since``, or ``>=``, it
#: may be so of all torches after it, too.
_NOTE = lazy_pattern(
    r"(?i)#+\s*(?:(?:was )?(?:adapted|changed?|edited|fix(?:ed)?|modified|needed|only|required"
    r"|updated?|works?|written)\s+)?(?:(?:due to|for|in|on|to|with)\s+)?"
    r"(?:py)?torch(?:\s+version)?\s*(?:==?|<=?|v)?\s*0\.\d(?:\.\d)*(?:\.?x)?\s*[.!]?"
)


class VersionNote(Tidying):
    """Removes ``# changed for pytorch 0.3.0`` beside a line that is for today's torch now."""

    name = "version-note"

    def find_Assign(self, node: ast.stmt, facts: Facts) -> Iterator[Found]:
        line = facts.lines[(node.end_lineno or node.lineno) - 1]
        if "0." not in line or "#" not in line or not facts.touched(node):
            return
        if _NOTE.fullmatch(comment_beside(node, facts).strip()) is not None:
            yield self.found(node, "is of another torch", lets_comment_go=True)

    find_AugAssign = find_AnnAssign = find_Expr = find_Return = find_Assign

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        beside = updated.trailing_whitespace.with_changes(
            comment=None, whitespace=cst.SimpleWhitespace("")
        )
        return updated.with_changes(trailing_whitespace=beside)
