"""What losses are added to or collected in: whether it outlives a step, and who reads it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.nodes import LOOPS, without_items
from torchfix_codemods.facts.libraries import python_functions
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Instance, Module, Number, Tensor

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_carried_over(holder: ast.expr, node: ast.AST, facts: Facts) -> bool:
    """Whether what ``holder`` names lives on when the step of the loop around ``node`` ends."""
    root = without_items(holder)
    if not isinstance(root, ast.Name):
        return isinstance(root, ast.Attribute)
    found = facts.names.scope_of(node).lookup(root.id)
    if found is None or found[0].kind not in ("function", "module"):
        return False
    if found[0] is not facts.names.scope_of(node):
        return True
    loop = next(
        (a for a in facts.names.ancestors(node) if isinstance(a, (*LOOPS, *_FUNCTIONS))), None
    )
    if not isinstance(loop, LOOPS):
        return False
    earlier = facts.flow.reaching_before(facts.statement(node), root.id)
    # A sum that starts anew in each step holds numbers whenever something is added to it.
    starts_anew = all(isinstance(facts.inference.bound(b), Number) for b in earlier)
    return not starts_anew and any(
        loop not in (binding.node, *facts.names.ancestors(binding.node)) for binding in earlier
    )


def is_sum(target: ast.expr, statement: ast.stmt, facts: Facts) -> bool:
    """Whether what is added to is certainly a number or a tensor by then."""
    if isinstance(target, ast.Name):
        starts = [
            binding
            for binding in facts.flow.reaching_before(statement, target.id)
            if binding.node is not statement
        ]
    elif isinstance(target, ast.Attribute):
        owner = facts.value(target.value)
        if not isinstance(owner, (Instance, Module)) or owner.definition is None:
            return False
        sources = facts.classes.attribute_sources(owner.definition, target.attr)
        starts = [b for b in sources if b.node is not statement]
    else:
        return isinstance(facts.value(target), (Number, Tensor))
    return bool(starts) and all(
        isinstance(start.node, ast.AugAssign)
        or isinstance(facts.inference.bound(start), (Number, Tensor))
        for start in starts
    )


def is_read_as_numbers(holder: ast.expr, facts: Facts) -> bool:
    """Whether a list goes to numpy or matplotlib, and for the rest is only printed."""
    uses: Iterable[ast.expr] = ()
    if isinstance(holder, ast.Name):
        found = facts.names.scope_of(holder).lookup(holder.id)
        is_local = found is not None and found[0].kind == "function"
        if found is not None and (is_local or not facts.is_used_elsewhere(holder.id)):
            uses = facts.names.uses_of(found[0], holder.id)
    elif isinstance(holder, ast.Attribute):
        owner = facts.names.enclosing_class(holder)
        if owner is not None and not facts.is_used_elsewhere(owner.name):
            attributes = facts.names.attributes(holder.attr)
            uses = [use for use in attributes if isinstance(use.ctx, ast.Load)]
    readers = {_reader(use, facts) for use in uses}
    return "numpy" in readers and None not in readers


def _reader(use: ast.expr, facts: Facts) -> str | None:
    """What reads a list, or a part of it: "numpy", "report", its own "append"; else None."""
    parent = facts.parent(use)
    if isinstance(parent, ast.Attribute):
        return "append" if parent.attr == "append" else None
    if isinstance(parent, ast.Subscript) and parent.value is use:
        return _reader(parent, facts) if isinstance(parent.ctx, ast.Load) else None
    if isinstance(parent, ast.FormattedValue):
        return "report"
    if not (isinstance(parent, ast.Call) and use in parent.args):
        return None
    if (facts.name(parent.func) or "").startswith(("numpy.", "matplotlib.")):
        return "numpy"
    return "report" if python_functions.reports(facts.names.builtin(parent.func)) else None
