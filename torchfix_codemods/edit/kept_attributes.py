"""Attributes that a method of a function of autograd no longer keeps what it returns in."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.below import changed_below


def without_stores(body: cst.BaseSuite, own: str, names: Collection[str]) -> cst.BaseSuite:
    """A suite without the statements that only set some attributes of an object.

    Args:
        body: the suite.
        own: the name of the object.
        names: the attributes.
    """

    def without(
        original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.CSTNode | cst.RemovalSentinel:
        return cst.RemoveFromParent() if _stored(original, own) in names else updated

    return changed_below(body, cst.SimpleStatementLine, without)


def with_saved(body: cst.BaseSuite, own: str, name: str) -> cst.BaseSuite:
    """The body of a ``forward`` that saves for ``backward`` what it kept in an attribute."""

    def saved(
        original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        kept = updated.body[0]
        if _stored(original, own) != name or not isinstance(kept, cst.Assign):
            return updated
        call = cst.Call(
            cst.Attribute(cst.Name(own), cst.Name("save_for_backward")), [cst.Arg(kept.value)]
        )
        return updated.with_changes(body=[cst.Expr(call)])

    return changed_below(body, cst.SimpleStatementLine, saved)


def with_restored(method: cst.FunctionDef, own: str, name: str) -> cst.FunctionDef:
    """A ``backward`` that reads what was saved where it read an attribute."""

    def read(original: cst.Attribute, updated: cst.Attribute) -> cst.BaseExpression:
        if not isinstance(updated.value, cst.Name) or updated.value.value != own:
            return updated
        return cst.Name(name, updated.lpar, updated.rpar) if updated.attr.value == name else updated

    suite = changed_below(method.body, cst.Attribute, read)
    body: Sequence[cst.BaseStatement | cst.BaseSmallStatement] = suite.body
    at = 1 if method.get_docstring() is not None else 0
    taken = cst.parse_statement(f"{name}, = {own}.saved_tensors")
    return method.with_changes(body=suite.with_changes(body=[*body[:at], taken, *body[at:]]))


def _stored(statement: cst.SimpleStatementLine, own: str) -> str | None:
    """``name`` of a statement ``self.name = …``."""
    assignment = statement.body[0] if len(statement.body) == 1 else None
    if not isinstance(assignment, cst.Assign) or len(assignment.targets) != 1:
        return None
    target = assignment.targets[0].target
    if not isinstance(target, cst.Attribute) or not isinstance(target.value, cst.Name):
        return None
    return target.attr.value if target.value.value == own else None
