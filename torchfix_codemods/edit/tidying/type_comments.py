"""Types that are said beside code: ``# type: Variable``, and in words at a test or a move."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.lines import indent_of
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.edit.tidying.stale_comments import names_variable_as_type
from torchfix_codemods.edit.tidying.stale_docstrings import lost_variables
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.patterns import lazy_pattern
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


#: What a test for a type says of it: ``x should be a Variable``, ``is not of type: Variable``.
_ASKED_FOR = lazy_pattern(
    r"(?P<head>\b(?:should|must|has to|have to|needs? to|expect(?:s|ed)?|not)\b[\w :]*)\bVariable\b"
)


class TestedType(Tidying):
    """Writes ``# x should be a torch.Tensor`` and ``print('x must be a torch.Tensor')`` at a test
    for that, where both spoke of a Variable.
    """

    name = "tested-type"

    def find_If(self, node: ast.If, facts: Facts) -> Iterator[Found]:
        tensor = _type_tested(node, facts)
        if tensor is None:
            return
        said = "is asked for a tensor"
        for text in _texts_of_refusal(node, facts):
            if (new := _of_tensors(facts.segment(text), tensor)) is not None:
                yield self.found(text, said, text=new)
        line, comment = facts.lines[node.lineno - 1], facts.lines[max(node.lineno - 2, 0)]
        if comment.lstrip().startswith("#") and indent_of(comment) == indent_of(line):
            if (new := _of_tensors(comment, tensor)) is not None:
                yield self.found(node, said, comment_above=new, comment_lines=1)

    def leave_SimpleString(
        self, original: cst.SimpleString, updated: cst.SimpleString
    ) -> cst.SimpleString:
        return updated.with_changes(value=self.data["text"])


#: What is said above a move: ``# Move new Variables to CUDA``.
_MOVED = lazy_pattern(
    r"^(?P<head>\s*#+ *(?:move|put|push|send|transfer|copy) (?:(?:the|all|our|these|both|new) )*)"
    r"Variables(?=(?: back)? (?:in)?to (?:the )?(?:cuda|[cg]pu|device)s?\W*$)",
    re.IGNORECASE,
)


class MovedType(Tidying):
    """Writes ``# Move new tensors to CUDA`` for ``new Variables``, in a file without any."""

    name = "moved-type"

    def find_If(self, node: ast.If | ast.Assign, facts: Facts) -> Iterator[Found]:
        comment = facts.lines[node.lineno - 2] if node.lineno > 1 else ""
        if "ariables" not in comment or not lost_variables(facts):
            return
        new = _MOVED.sub(r"\g<head>tensors", comment)
        if new != comment and indent_of(comment) == indent_of(facts.lines[node.lineno - 1]):
            yield self.found(node, "is of tensors", comment_above=new, comment_lines=1)

    find_Assign = find_If


def _type_tested(node: ast.If, facts: Facts) -> str | None:
    """``torch.Tensor`` of ``if not isinstance(x, torch.Tensor):``, as it stands there."""
    test = node.test.operand if isinstance(node.test, ast.UnaryOp) else node.test
    if not isinstance(test, ast.Call) or len(test.args) != 2 or not facts.touched(test):
        return None
    tensor = test.args[1]
    if facts.names.builtin(test.func) != "isinstance" or facts.name(tensor) != "torch.Tensor":
        return None
    return ast.unparse(tensor) if lost_variables(facts) else None


def _texts_of_refusal(node: ast.If, facts: Facts) -> Iterator[ast.Constant]:
    """The texts that are printed and raised below a test."""
    for statement in node.body:
        call = statement.value if isinstance(statement, ast.Expr) else statement
        is_printed = isinstance(call, ast.Call) and facts.names.builtin(call.func) == "print"
        if is_printed or isinstance(statement, ast.Raise):
            for part in ast.walk(statement):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    if not isinstance(facts.parent(part), ast.JoinedStr):
                        yield part


def _of_tensors(said: str, tensor: str) -> str | None:
    """What is said of a Variable, of a tensor; None where it speaks of both, or of neither."""
    if "tensor" in said.lower() or _ASKED_FOR.search(said) is None:
        return None
    return _ASKED_FOR.sub(lambda asked: asked["head"] + tensor, said)
