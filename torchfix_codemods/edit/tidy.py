"""What rewrites leave behind and no person would have written."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule


class SelfAssignment(Rule):
    """Removes ``data, target = data, target`` where a rewrite made it so."""

    code = ""
    name = "self-assignment"
    since = "0.1"
    numerics = Numerics.IDENTICAL
    words = frozenset()

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        if len(node.targets) != 1 or not facts.touched(node):
            return
        if isinstance(facts.parent(node), ast.ClassDef):
            # A name of the module becomes an attribute of the class.
            return
        target, value = node.targets[0], node.value
        if _is_plain(target, facts) and ast.unparse(target) == ast.unparse(value):
            yield self.found(node, "assigns a name to itself")

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        return cst.RemoveFromParent() if len(updated.body) == 1 else updated


class EmptyBranches(Rule):
    """Removes ``if flag: pass`` where a rewrite emptied it, and asking costs and does nothing."""

    code = ""
    name = "empty-branches"
    since = "0.1"
    numerics = Numerics.IDENTICAL
    words = frozenset()

    def find_If(self, node: ast.If, facts: Facts) -> Iterator[Found]:
        if not facts.touched(node):
            return
        if not all(_only_asks(part, facts) for part in ast.walk(node.test)):
            return
        if all(isinstance(s, ast.Pass) for s in (*node.body, *node.orelse)):
            yield self.found(node, "does nothing")

    def leave_If(self, original: cst.If, updated: cst.If) -> cst.RemovalSentinel:
        return cst.RemoveFromParent()


def _only_asks(node: ast.AST, facts: Facts) -> bool:
    """``isinstance(x, torch.Tensor)``: to ask does nothing."""
    if not isinstance(node, ast.Call):
        return not isinstance(node, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom))
    function = node.func
    if not (isinstance(function, ast.Name) and function.id == "isinstance"):
        return False
    return facts.names.scope_of(function).lookup("isinstance") is None


def _is_plain(target: ast.expr, facts: Facts) -> bool:
    """Whether to assign is all that happens: an attribute can be a property with a setter."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(_is_plain(element, facts) for element in target.elts)
    return isinstance(target, ast.Name) or _is_plain_attribute(target, facts)


def _is_plain_attribute(target: ast.expr, facts: Facts) -> bool:
    """``self.x`` in a method of a class that says of no ``x``, nor of what setting one does."""
    if not (isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)):
        return False
    method = facts.names.enclosing_function(target)
    cls = None if method is None else facts.parent(method)
    if method is None or not isinstance(cls, ast.ClassDef) or cls.keywords or cls.decorator_list:
        return False
    if target.value.id != facts.classes.self_name(method):
        return False
    if not all(_is_plain_base(base, facts) for base in cls.bases):
        return False
    return not {target.attr, "__setattr__", "__slots__"} & facts.names.scopes[cls].bindings.keys()


def _is_plain_base(base: ast.expr, facts: Facts) -> bool:
    if isinstance(base, ast.Name) and base.id == "object":
        return facts.names.scope_of(base).lookup("object") is None
    return facts.name(base) == "torch.nn.Module"
