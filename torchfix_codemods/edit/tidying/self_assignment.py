"""What assigns a name to itself, since a rewrite made it so."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.elements import only_elements
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.edit.tidying.beside import (
    comment_beside,
    is_comment_lost,
    later_line,
    with_comment,
)
from torchfix_codemods.edit.tidying.leftovers import is_plain
from torchfix_codemods.edit.tidying.moves.moving import lies_there_already
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rule import Found


class SelfAssignment(Tidying):
    """Removes ``data, target = data, target`` where a rewrite made it so.

    Of ``data, target = data, target[:, 0]`` the half that does something is left, and nothing of
    ``x = x.to(device)`` where x was made on that device, however far above. A comment beside
    it goes to the next line that gives the name a value, else stands on its own; one that only says
    what the line did goes with it.
    """

    name = "self-assignment"

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        if len(node.targets) != 1 or not facts.touched(node):
            return
        if isinstance(facts.parent(node), ast.ClassDef):
            # A name of the module becomes an attribute of the class.
            return
        target, value = node.targets[0], node.value
        is_same = is_plain(target, facts) and _reads_the_same(target, value)
        if is_same or lies_there_already(node, facts):
            yield from self._removed(node, facts)
            return
        kept = _assigned(target, value)
        if kept:
            yield self.found(node, "assigns a name to itself", kept=kept)

    def _removed(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        said = "assigns a name to itself"
        if is_comment_lost(node, facts):
            yield self.found(node, said, kept=(), lets_comment_go=True)
            return
        later = later_line(node, facts)
        if later is None:
            yield self.found(node, said, kept=(), leaves_comment=True)
            return
        group, beside = f"line {node.lineno}", comment_beside(node, facts)
        yield self.found(node, said, kept=(), lets_comment_go=True, group=group)
        yield self.found(later, "takes the comment", beside=beside, group=group)

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        if len(updated.body) != 1:
            return updated
        if "beside" in self.data:
            return with_comment(updated, self.data["beside"])
        kept, assignment = self.data["kept"], updated.body[0]
        if not kept:
            return cst.RemoveFromParent()
        if not isinstance(assignment, cst.Assign) or len(assignment.targets) != 1:
            return updated
        target, value = assignment.targets[0].target, assignment.value
        if not isinstance(target, cst.Tuple) or not isinstance(value, cst.Tuple):
            return updated
        return updated.with_deep_changes(
            assignment,
            targets=[assignment.targets[0].with_changes(target=only_elements(target, kept))],
            value=only_elements(value, kept),
        )


def _reads_the_same(target: ast.expr, value: ast.expr) -> bool:
    """Whether a value is what it is assigned to: ``a, b`` or ``[a, b]`` of ``a, b``."""
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
        pairs = zip(target.elts, value.elts, strict=False)
        return len(target.elts) == len(value.elts) and all(_reads_the_same(*p) for p in pairs)
    is_like = target.__class__ is value.__class__
    return is_like and ast.unparse(target) == ast.unparse(value)


def _assigned(target: ast.expr, value: ast.expr) -> tuple[int, ...]:
    """Which of ``a, b = a, f(b)`` get a value; none where that cannot be told."""
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return ()
    if not all(isinstance(element, ast.Name) for element in target.elts):
        return ()
    if any(isinstance(element, ast.Starred) for element in value.elts):
        return ()
    pairs = list(zip(target.elts, value.elts, strict=False))
    names = [ast.unparse(element) for element in target.elts]
    if len(names) != len(value.elts) or len(set(names)) != len(names):
        return ()
    kept = [n for n, (a, b) in enumerate(pairs) if ast.unparse(a) != ast.unparse(b)]
    return tuple(kept) if len(kept) < len(pairs) else ()
