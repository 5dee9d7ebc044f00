"""Whether a scheduler may step at the end of an epoch instead of at its start."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.branches import are_exclusive
from torchfix_codemods.facts.language.jumps import jumps_of
from torchfix_codemods.facts.language.nodes import LOOPS, own_nodes
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.training import called_function, trains
from torchfix_codemods.facts.values.lattice import Optimizer, Scheduler
from torchfix_codemods.rules.training.questions.schedulers.step_places import (
    Place,
)
from torchfix_codemods.rules.training.questions.schedulers.uses import (
    is_loaded,
    is_scheduler,
    reads_rate,
    resumes,
)


def can_move(call: ast.Call, place: Place, facts: Facts) -> bool:
    """Whether all that runs sees the same rates when the step is made at the end of the loop."""
    loop, above = place.owner, place.block[: place.index]
    if not isinstance(loop, LOOPS) or loop.orelse or any(jumps_of(facts.names, loop, ast.Continue)):
        return False
    if any(
        reads_rate(node, facts) or _runs_project(node, facts) for s in above for node in ast.walk(s)
    ):
        return False
    if any(resumes(node, facts) for node in facts.names.nodes.get(ast.Call, ())):
        return False
    inside = set(ast.walk(loop))
    if sum(ast.dump(node) == ast.dump(call) for node in inside) > 1:
        return False
    if not all(_is_plain_use(node, facts) for node in inside if is_scheduler(node, facts)):
        return False
    if any(_sees_end(node, loop, facts) for node in _around(loop, facts) - inside):
        return False
    return _stays_inside(inside, loop, facts)


def _runs_project(node: ast.AST, facts: Facts) -> bool:
    return isinstance(node, ast.Call) and called_function(node, facts) is not None


def _is_plain_use(node: ast.AST, facts: Facts) -> bool:
    """``scheduler.step()``, ``scheduler.get_lr()``, ``scheduler is not None``."""
    parent = facts.parent(node)
    if isinstance(parent, ast.Attribute):
        call = facts.parent(parent)
        is_called = isinstance(call, ast.Call) and call.func is parent and not call.args
        return is_called and parent.attr in ("step", "get_lr", "get_last_lr")
    return isinstance(parent, (ast.Compare, ast.If))


def _around(loop: ast.stmt, facts: Facts) -> set[ast.AST]:
    """The nodes of the function, or of the module level, that a loop stands in."""
    function = facts.names.enclosing_function(loop)
    return set(own_nodes(facts.tree if function is None else function))


def _sees_end(node: ast.AST, loop: ast.stmt, facts: Facts) -> bool:
    """Whether a node outside of a loop may find the rate that the last step has set."""
    if not reads_rate(node, facts) and not _runs_project(node, facts):
        return False
    if isinstance(node, ast.Call) and not _may_know_rate(node, facts):
        return False
    around = set(facts.names.ancestors(loop))
    comes_again = any(isinstance(p, LOOPS) and p in around for p in facts.names.ancestors(node))
    if getattr(node, "lineno", 0) <= (loop.end_lineno or 0):
        return comes_again
    is_reached = comes_again or not are_exclusive(facts.names, node, loop)
    return is_reached and not _is_made_after(node, loop, facts)


def _is_made_after(node: ast.AST, loop: ast.stmt, facts: Facts) -> bool:
    """Whether a name stands for what was made after a loop: the next optimizer, or scheduler."""
    if not isinstance(node, ast.Name):
        return False
    made = [getattr(binding.node, "lineno", 0) for binding in facts.flow.reaching(node)]
    return bool(made) and min(made) > (loop.end_lineno or 0)


def _stays_inside(inside: set[ast.AST], loop: ast.stmt, facts: Facts) -> bool:
    """Whether nothing that outlives the function around a loop shows the last rate."""
    function = facts.names.enclosing_function(loop)
    if function is None:
        return True
    parameters = set()
    for node in inside:
        if not is_loaded(node) or not isinstance(facts.value(node), (Optimizer, Scheduler)):
            continue
        found = facts.names.scope_of(node).lookup(node.id) if isinstance(node, ast.Name) else None
        if found is None or found[0] is not facts.names.scopes.get(function):
            return False
        if any(binding.kind == "parameter" for binding in found[1]):
            parameters.add(found[1][0].name)
    return not parameters or _is_last_use(function, facts)


def _is_last_use(function: ast.AST, facts: Facts) -> bool:
    """Whether nobody uses what a function was given to train with after its calls."""
    if not isinstance(function, ast.FunctionDef) or facts.is_used_elsewhere(function.name):
        return False
    holder = facts.names.scope_of(function)
    for use in facts.names.uses_of(holder, function.name):
        call = facts.parent(use)
        if not isinstance(call, ast.Call) or call.func is not use:
            return False
        if any(isinstance(p, LOOPS) for p in facts.names.ancestors(call)):
            return False
        given = values_given(call)
        for name in (a for a in given if isinstance(facts.value(a), (Optimizer, Scheduler))):
            if not isinstance(name, ast.Name):
                return False
            bindings = set(facts.flow.reaching(name))
            scope = facts.names.scope_of(name).lookup(name.id)
            for later in facts.names.uses_of(scope[0], name.id) if scope else ():
                if later.lineno > (call.end_lineno or 0):
                    if bindings & set(facts.flow.reaching(later)):
                        return False
    return True


def _may_know_rate(call: ast.Call, facts: Facts) -> bool:
    """Whether a function of the file trains, or uses an optimizer or a scheduler."""
    function = called_function(call, facts)
    return function is None or any(
        reads_rate(node, facts) or (isinstance(node, ast.Call) and trains([node], facts))
        for node in ast.walk(function)
    )
