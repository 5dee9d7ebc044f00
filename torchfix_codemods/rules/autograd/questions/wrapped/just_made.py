"""Tensors that were made just before, and that nobody else holds."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.nodes import COMPREHENSIONS, LOOPS
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts


def is_fresh(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression makes a tensor object that nobody else holds."""
    if isinstance(node, (ast.BinOp, ast.UnaryOp)):
        return True
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = facts.name(node.func)
        if name is not None:
            return name.startswith("torch.")
        if torch_effects.is_fresh(f"torch.Tensor.{node.func.attr}"):
            return node.func.attr not in method_names(facts.names)
        if not facts.is_tensor(node.func.value):
            return False
        node = node.func.value
    if isinstance(node, ast.Attribute) and node.attr == "data":
        # Of what is no tensor it may be one that somebody holds.
        return facts.is_shown_tensor(node.value)
    return isinstance(node, ast.Call) and (facts.name(node.func) or "").startswith("torch.")


def is_last_of_fresh(node: ast.expr, facts: Facts) -> bool:
    """Whether a name is read once, of tensors that nobody else holds: made or moved just before.

    It may be moved where it is read: ``x.cuda()``.
    """
    node = start_of_moves(node)
    if not isinstance(node, ast.Name) or facts.is_used_elsewhere(node.id):
        return False
    bindings = facts.flow.reaching(node)
    moving = other_reads(node, facts)
    made = [binding.value for binding in bindings if binding.value is not None]
    return (
        bool(bindings)
        and all(
            binding.kind == "assign"
            and not (binding.is_shared or binding.path)
            and binding.value is not None
            and (
                is_fresh(binding.value, facts)
                or start_of_moves(binding.value) in moving
                or _moves_last_of_fresh(binding, node, facts)
            )
            and loops_around(node, facts) <= loops_around(binding.node, facts)
            for binding in bindings
        )
        and all(
            any(_takes_place_of(use, value, facts) for value in made) or _fills(use, node, facts)
            for use in moving
        )
    )


def _moves_last_of_fresh(binding: Binding, last: ast.Name, facts: Facts) -> bool:
    """``x = x.cuda()`` above, of what was made just before it and that nobody else holds."""
    start = None if binding.value is None else start_of_moves(binding.value)
    if not isinstance(start, ast.Name) or start.id != last.id or start.lineno >= last.lineno:
        return False
    return is_last_of_fresh(start, facts)


def _fills(use: ast.Name, last: ast.Name, facts: Facts) -> bool:
    """``x[0] = (x[0] - m) / s`` above: parts are written, or calculated with, and none is kept."""
    part: ast.expr = use
    while isinstance(around := facts.parent(part), ast.Subscript) and around.value is part:
        part = around
    if part is use or facts.names.scope_of(use) is not facts.names.scope_of(last):
        return False
    is_calculated_with = isinstance(around, (ast.BinOp, ast.UnaryOp, ast.Compare))
    is_written = not isinstance(getattr(part, "ctx", None), ast.Load)
    return use.lineno < last.lineno and (is_written or is_calculated_with)


def _takes_place_of(use: ast.Name, value: ast.expr, facts: Facts) -> bool:
    """Whether a name gets a value that is made of what it held: ``x = torch.normal(x, 0.1)``.

    What it held may not be what was wrapped in the round of a loop before.
    """
    if any(getattr(b.node, "lineno", 0) >= use.lineno for b in facts.flow.reaching(use)):
        return False
    if use is start_of_moves(value):
        return True
    return value in facts.names.ancestors(use) and is_fresh(value, facts)


def other_reads(name: ast.Name, facts: Facts) -> list[ast.Name]:
    """The other uses of a name that may hold what it holds, those of inner functions as well."""
    bindings = facts.flow.reaching(name)
    return [use for use in _uses_of(name, facts) if use is not name and _sees(use, bindings, facts)]


def _uses_of(name: ast.Name, facts: Facts) -> Iterable[ast.Name]:
    found = facts.names.scope_of(name).lookup(name.id)
    return () if found is None else facts.names.uses_of(found[0], name.id)


def _sees(use: ast.Name, bindings: Iterable[Binding], facts: Facts) -> bool:
    """Whether a use of a name may hold what one of some bindings gives it."""
    reaching = facts.flow.reaching(use)
    return not reaching or any(binding in bindings for binding in reaching)


def start_of_moves(node: ast.expr) -> ast.expr:
    """``x`` of ``x.float().cuda()``."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if not torch_effects.moves_or_casts(node.func.attr):
            break
        node = node.func.value
    return node


def loops_around(node: ast.AST, facts: Facts) -> set[ast.AST]:
    """The loops and comprehensions that something stands in."""
    return {
        each for each in facts.names.ancestors(node) if isinstance(each, (*LOOPS, *COMPREHENSIONS))
    }
