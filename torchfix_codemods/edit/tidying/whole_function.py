"""A long function that a rewrite put under ``no_grad`` as a whole is decorated instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.statements import without_with
from torchfix_codemods.edit.tidying.base import Tidying, is_no_grad, was_written
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.training import is_harmless
from torchfix_codemods.facts.values.lattice import Tensor, Unknown, Value
from torchfix_codemods.rule import Found

#: A block of fewer lines is read at a glance, and stays.
_FEWEST_LINES = 20

#: What goes on after the function returned, for which a decorator is not on, or too long.
_SUSPENDING = (ast.Yield, ast.YieldFrom, ast.Await)


class WholeFunction(Tidying):
    """Writes ``@torch.no_grad()`` above a long function for a block around all that it calculates.

    So its lines stay where they were.
    """

    name = "whole-function"

    def find_FunctionDef(self, node: ast.FunctionDef, facts: Facts) -> Iterator[Found]:
        blocks = [part for part in node.body if isinstance(part, ast.With)]
        written = [b for b in blocks if is_no_grad(b, facts) and was_written(b, facts)]
        if len(written) != 1 or node.decorator_list:
            return
        block = written[0]
        if (block.end_lineno or 0) - block.lineno < _FEWEST_LINES:
            return
        others = [part for part in node.body if part is not block]
        if any(isinstance(part, _SUSPENDING) or _switches(part, facts) for part in walk(node)):
            return
        if any(_takes_part(part, facts) for other in others for part in walk(other)):
            return
        if is_harmless(others, (), facts) and _is_seen_outside(block, node, facts):
            yield self.found(node, "calculates without a graph", position=blocks.index(block))

    def leave_FunctionDef(
        self, original: cst.FunctionDef, updated: cst.FunctionDef
    ) -> cst.FunctionDef:
        body = updated.body
        if not isinstance(body, cst.IndentedBlock):
            return updated
        blocks = [part for part in body.body if isinstance(part, cst.With)]
        block = blocks[self.data["position"]]
        decorator = cst.Decorator(block.items[0].item)
        return updated.with_changes(
            decorators=[*updated.decorators, decorator],
            body=without_with(body, block, self.indent),
        )


def _takes_part(node: ast.AST, facts: Facts) -> bool:
    """``row = layer.weight[0]``, ``x.T``, ``y += x``: part of the graph of x, and of none then."""
    if isinstance(node, ast.AugAssign):
        return _may_have_graph(facts.value(node.value))
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        value = facts.value(node.value)
        is_kept = isinstance(facts.statement(node), ast.Return)
        return _may_have_graph(value) or (is_kept and isinstance(value, Unknown))
    if not isinstance(node, ast.Attribute) or isinstance(facts.parent(node), ast.Call):
        return False
    return torch_effects.gives_alias(node.attr) and _may_have_graph(facts.value(node.value))


def _may_have_graph(value: Value) -> bool:
    return isinstance(value, Tensor) and value.grad is not False


def _switches(node: ast.AST, facts: Facts) -> bool:
    """``torch.set_grad_enabled(False)``, which a decorator would take back at the end."""
    name = facts.name(node.func) if isinstance(node, ast.Call) else None
    return name in ("torch.set_grad_enabled", "torch.enable_grad")


def _is_seen_outside(block: ast.With, function: ast.FunctionDef, facts: Facts) -> bool:
    """Whether the name of torch in a block is one that the module has above a function."""
    names = [n for n in walk(block.items[0].context_expr) if isinstance(n, ast.Name)]
    for name in names:
        found = facts.names.scope_of(name).lookup(name.id)
        if found is None or found[0].kind != "module":
            return False
        if any(getattr(binding.node, "lineno", 0) > function.lineno for binding in found[1]):
            return False
    return bool(names)
