"""What is asked for one of its sizes has a dimension: ``x.size(0)``, ``len(x)``, ``x[1]``."""

from __future__ import annotations

import ast
from collections.abc import Callable

from torchfix_codemods.facts.language.arguments import whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.attribute_reads import attributes_alike
from torchfix_codemods.facts.tensors.wrappers import unwrapped


def is_asked_for_one_size(facts: Facts, name: ast.Name) -> bool:
    """Whether ``x.size(0)``, ``x.shape[0]`` or ``len(x)`` is asked of what a name holds."""
    return _is_asked(facts, name, _is_one_size)


def is_asked_for_more_elements(facts: Facts, tensor: ast.expr) -> bool:
    """Whether ``x[1]``, ``x.data[1]``, ``x[1:]`` or ``x[i]`` of a loop is asked of what a name
    holds, or a loop goes through it.

    Of an attribute it may be asked wherever it is written alike, and is no other class's:
    ``batch.label[i]``.
    """
    if isinstance(tensor, ast.Attribute):
        written = ast.unparse(tensor)
        return any(
            _is_further_element(facts, use) or _is_gone_through(facts, use)
            for there, use in attributes_alike(facts, tensor)
            if there is facts and ast.unparse(use) == written
        )
    return isinstance(tensor, ast.Name) and (
        _is_asked(facts, tensor, _is_further_element) or _is_asked(facts, tensor, _is_gone_through)
    )


def _is_asked(facts: Facts, name: ast.Name, is_question: Callable[[Facts, ast.Name], bool]) -> bool:
    """Whether a use that runs with that of a name, and has the same value, asks something."""
    reaching = set(facts.flow.reaching(name))
    uses = facts.names.scope_of(name).uses.get(name.id, ())
    return any(
        is_question(facts, use)
        and set(facts.flow.reaching(use)) == reaching
        and (
            facts.inference.branches.runs_with(use, name)
            # ``x[0] == 0 and x[1] == 0``
            or facts.statement(use) is facts.statement(name)
        )
        for use in uses
    )


def _is_one_size(facts: Facts, tensor: ast.Name) -> bool:
    asked = facts.parent(tensor)
    if isinstance(asked, ast.Call) and asked.args == [tensor]:
        return facts.names.builtin(asked.func) == "len"
    if not (isinstance(asked, ast.Attribute) and asked.attr in ("size", "shape")):
        return False
    outer = facts.parent(asked)
    if isinstance(outer, ast.Call) and outer.func is asked:
        if asked.attr == "size" and outer.args:
            return True
        asked, outer = outer, facts.parent(outer)
    is_indexed = isinstance(outer, ast.Subscript) and outer.value is asked
    return isinstance(outer, ast.Subscript) and is_indexed and isinstance(outer.ctx, ast.Load)


def _is_further_element(facts: Facts, tensor: ast.expr) -> bool:
    part = facts.parent(tensor)
    part = facts.parent(part) if isinstance(part, ast.Attribute) else part
    if not isinstance(part, ast.Subscript) or unwrapped(part.value)[0] is not tensor:
        return False
    index = part.slice
    if isinstance(index, ast.Name):
        return any(binding.kind == "for" for binding in facts.flow.reaching(index))
    return isinstance(index, ast.Slice) or whole_number(index) not in (None, 0, -1)


def _is_gone_through(facts: Facts, tensor: ast.expr) -> bool:
    outer: ast.AST | None = facts.parent(tensor)
    node: ast.AST = tensor
    if isinstance(outer, ast.Attribute) and outer.attr == "data":
        node, outer = outer, facts.parent(outer)
    if isinstance(outer, ast.Call) and facts.names.builtin(outer.func) == "enumerate":
        node, outer = outer, facts.parent(outer)
    return isinstance(outer, ast.For) and outer.iter is node
