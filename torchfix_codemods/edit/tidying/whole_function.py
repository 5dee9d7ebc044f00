"""A function that a rewrite put under ``no_grad`` as a whole, or in parts, is decorated instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.below import changed_below
from torchfix_codemods.edit.statements import without_with
from torchfix_codemods.edit.tidying.base import Tidying, is_no_grad, was_written
from torchfix_codemods.facts.language.nodes import own_nodes, walk
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.training import is_harmless
from torchfix_codemods.facts.values.lattice import Tensor, Unknown, Value
from torchfix_codemods.rule import Found

#: A block of fewer lines is read at a glance, and stays.
_FEWEST_LINES = 20

#: So does one of fewer lines where it is nearly all of its function.
_FEWEST_OF_ALL = 12

#: What goes on after the function returned, for which a decorator is not on, or too long.
_SUSPENDING = (ast.Yield, ast.YieldFrom, ast.Await)


class WholeFunction(Tidying):
    """Writes ``@torch.no_grad()`` above a function for the blocks around all that it calculates.

    That is one long block, one that holds more than two thirds of the function, or several.
    So its lines stay where they were.
    """

    name = "whole-function"
    covers_functions = True
    words = frozenset({"no_grad"})

    def find_FunctionDef(self, node: ast.FunctionDef, facts: Facts) -> Iterator[Found]:
        inside = [part for part in own_nodes(node) if isinstance(part, ast.With)]
        blocks = [part for part in inside if is_no_grad(part, facts)]
        if not blocks or node.decorator_list or not all(was_written(b, facts) for b in blocks):
            return
        if not _is_most(blocks, node):
            return
        if any(isinstance(part, _SUSPENDING) or _switches(part, facts) for part in walk(node)):
            return
        held = {part for block in blocks for part in walk(block)}
        others = (part for part in walk(node) if part not in held)
        if any(_takes_part(part, facts) for part in others):
            return
        needless = [part for part in held if isinstance(part, ast.expr)]
        is_harmful = not is_harmless(node.body, needless, facts)
        if not is_harmful and all(_is_seen_outside(block, node, facts) for block in blocks):
            context = ast.unparse(blocks[0].items[0].context_expr)
            yield self.found(node, "calculates without a graph", context=context)

    def leave_FunctionDef(
        self, original: cst.FunctionDef, updated: cst.FunctionDef
    ) -> cst.FunctionDef:
        context = cst.parse_expression(self.data["context"])

        def opened(original: cst.IndentedBlock, block: cst.IndentedBlock) -> cst.IndentedBlock:
            for part in block.body:
                if isinstance(part, cst.With) and part.items[0].item.deep_equals(context):
                    block = without_with(block, part, self.indent)
            return block

        body = changed_below(updated.body, cst.IndentedBlock, opened)
        return updated.with_changes(
            decorators=[*updated.decorators, cst.Decorator(context)], body=body
        )


def _is_most(blocks: list[ast.With], function: ast.FunctionDef) -> bool:
    """Whether a block is long, or several are no short ones, or one that holds more than two thirds
    of a function."""
    held, whole = sum(_lines(block.body) for block in blocks), _lines(function.body)
    if len(blocks) == 1 and held < _FEWEST_LINES:
        return held >= _FEWEST_OF_ALL and 3 * held > 2 * whole
    return held >= _FEWEST_OF_ALL


def _lines(statements: list[ast.stmt]) -> int:
    """How many lines statements take, without what the first says of a function."""
    first = statements[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    if is_text and len(statements) > 1:
        first = statements[1]
    return (statements[-1].end_lineno or 0) - first.lineno + 1


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
    if node.attr == "data":
        # That is part of no graph anyway.
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
