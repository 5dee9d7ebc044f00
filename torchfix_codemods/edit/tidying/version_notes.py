"""Notes at rewritten lines on the torch that they were written for, and on the one to come."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.lines import indent_of
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

#: What may stand behind code that was taken out, and only says why: another torch takes it.
_ON_TORCH = lazy_pattern(r"(?i)torch|\bversion\b")


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


class LaterForm(Tidying):
    """Removes ``# loss.backward(retain_graph=True)`` above the line that became just this.

    What is said behind it goes along where that is no more than which torch takes it.
    """

    name = "later-form"

    def find_Expr(self, node: ast.stmt, facts: Facts) -> Iterator[Found]:
        if node.lineno < 2 or node.end_lineno != node.lineno:
            return
        comment, line = facts.lines[node.lineno - 2], facts.lines[node.lineno - 1]
        if not comment.lstrip().startswith("#") or not facts.touched(node):
            return
        code, _, remark = comment.lstrip().lstrip("#").partition("#")
        is_so_now = code.strip() == line.strip() != facts.as_read(node.lineno).strip()
        if is_so_now and (not remark.strip() or _ON_TORCH.search(remark)):
            if indent_of(comment) == indent_of(line):
                yield self.found(node, "is there now", comment_above="", comment_lines=1)

    find_Assign = find_AugAssign = find_AnnAssign = find_Return = find_Expr
