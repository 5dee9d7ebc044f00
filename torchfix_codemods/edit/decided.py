"""Templates of new calls, with what literals decide and what is not given."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from torchfix_codemods.facts.libraries.signatures import Bound, Signature
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Tensor, Value


def decided(template: str, signature: Signature, bound: Bound, facts: Facts) -> ast.expr:
    """An expression for a call, with the names of parameters for what the call gives.

    Of ``x if flag else y`` there is one where ``flag`` is a literal, or not given.
    """
    defaults = {p.name: p.default for p in signature.parameters}
    tree = ast.parse(template, mode="eval").body
    found = _Defaults(bound, defaults, facts).visit(tree)
    assert isinstance(found, ast.expr)
    return found


def is_ellipsis(node: ast.AST) -> bool:
    """Whether this is ``...``, which stands for what is left out."""
    return isinstance(node, ast.Constant) and node.value is ...


class _Defaults(ast.NodeTransformer):
    """Writes what is known already: defaults where nothing was given, literals that choose."""

    def __init__(self, bound: Bound, defaults: Mapping[str, str | None], facts: Facts) -> None:
        self.given = bound.given
        self.missing = {name: d for name, d in defaults.items() if name not in bound.index}
        self.facts = facts

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.missing:
            return node
        return ast.parse(self.missing[node.id] or "None", mode="eval").body

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        chosen = self._chosen(node)
        if chosen is not node:
            return self.generic_visit(chosen)
        if is_ellipsis(node.orelse):
            node.orelse = ast.copy_location(ast.Constant(None), node.orelse)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in ("contiguous", "detach"):
            value = self.given.get(getattr(function.value, "id", ""))
            if value is not None and _changes_nothing(function.attr, self.facts.value(value)):
                return function.value
        if isinstance(function, ast.Name) and function.id == "float":
            number = ast.literal_eval(self.given[getattr(node.args[0], "id", "")])
            return ast.parse(repr(float(number)), mode="eval").body
        node.args = [arg for arg in node.args if not self._has_none(arg)]
        node.keywords = [k for k in node.keywords if not self._has_none(k.value)]
        return self.generic_visit(node)

    def _has_none(self, node: ast.expr) -> bool:
        if isinstance(node, ast.IfExp):
            return is_ellipsis(self._chosen(node))
        return isinstance(node, ast.Name) and self.missing.get(node.id) == "..."

    def _chosen(self, node: ast.IfExp) -> ast.expr:
        """The branch of a conditional expression that a literal decides for, or all of it."""
        name = getattr(node.test, "id", "")
        default = self.missing.get(name)
        test = self.given.get(name, default and ast.parse(default, mode="eval").body)
        if isinstance(test, ast.Constant) and isinstance(test.value, bool):
            return node.body if test.value else node.orelse
        return node


def _changes_nothing(method: str, value: Value) -> bool:
    """Whether ``contiguous()`` or ``detach()`` of a value is what it was."""
    if not isinstance(value, Tensor):
        return False
    return value.contiguous if method == "contiguous" else value.grad is False
