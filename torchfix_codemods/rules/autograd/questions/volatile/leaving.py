"""Volatile values that other functions calculate with: returned, yielded, or of the module."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import partial

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import known_calls
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.rules.autograd.questions.outcomes.plain_uses import is_read_without_graph
from torchfix_codemods.rules.autograd.questions.volatile.calls import volatile_calls
from torchfix_codemods.rules.autograd.questions.volatile.flows import (
    flow_of_call,
    is_only_handed_on,
)
from torchfix_codemods.rules.autograd.questions.volatile.given import is_among
from torchfix_codemods.rules.autograd.questions.volatile.graphless_reads import is_never_recorded
from torchfix_codemods.rules.autograd.questions.volatile.helpers import Helper
from torchfix_codemods.rules.autograd.questions.volatile.holders import holder_of
from torchfix_codemods.rules.autograd.questions.volatile.uses import moved, target_of
from torchfix_codemods.rules.autograd.questions.volatile.wraps import only_wraps
from torchfix_codemods.rules.autograd.questions.wrapped.just_made import start_of_moves


def leaves(call: ast.Call, facts: Facts) -> bool:
    """Whether other functions calculate with what a call makes, as it is returned or yielded.

    A name of the module level is seen by all of them, too.
    """
    function = _function_around(call, facts)
    if function is None:
        return _is_read_in_functions(call, facts)
    if is_among(moved(call, facts), facts):
        return True
    if is_only_handed_on(call, facts):
        return True
    if _is_given(call, facts):
        return False
    statement = facts.statement(call)
    if _keeps_what_comes_of(statement, facts):
        return True
    if flow_of_call(call, facts) is not None:
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = {n.id for target in targets for n in walk(target) if isinstance(n, ast.Name)}
    given = [n.value for n in walk(function) if isinstance(n, (ast.Return, ast.Yield)) if n.value]
    if any(isinstance(n, ast.Name) and n.id in names for value in given for n in walk(value)):
        return True
    returned: list[Use] = []
    calculates = follow([Place(facts, call)], partial(_calculates, function, returned))
    return calculates is None and bool(returned)


def _calculates(function: ast.FunctionDef, returned: list[Use], use: Use) -> Iterable[Place] | None:
    """None for what may record a graph of a value; else what has it next, or what torch makes of it
    that has none. What returns it is collected."""
    if use.facts.names.enclosing_function(use.node) is not function:
        return None
    if use.kind in ("returned", "yielded"):
        returned.append(use)
    made, held = [*use.result()], [*use.held()]
    if use.place.content and use.kind == "method" and container_methods.adds(_method_of(use)):
        return ()
    if use.kind in ("argument", "method", "operand") and not held:
        return made if all(_is_made_without_graph(use, each) for each in made) else None
    return [*(each for each in made if use.kind in ("chosen", "element", "item")), *held]


def _method_of(use: Use) -> str:
    method = use.by.func if isinstance(use.by, ast.Call) else None
    return method.attr if isinstance(method, ast.Attribute) else ""


def _is_made_without_graph(use: Use, made: Place) -> bool:
    name = use.facts.name(use.by.func) if isinstance(use.by, ast.Call) else None
    if use.kind == "argument" and not (name or "").startswith("torch."):
        return False
    value = use.facts.value(made.node)
    return isinstance(value, Tensor) and value.grad is False


def gets_away(call: ast.Call, facts: Facts) -> bool:
    """Whether others calculate with what a call makes, maybe as the name of it is there for nothing
    but a list: ``xs.append(x)``."""
    if leaves(call, facts):
        return True
    statement, target = facts.statement(call), holder_of(call, facts)
    if not isinstance(target, ast.Name) or target is not target_of(moved(call, facts), facts):
        return False
    found = facts.names.scope_of(statement)
    uses = [
        use
        for use in facts.names.uses_of(found, target.id)
        if any(binding.node is statement for binding in facts.flow.reaching(use))
    ]
    return bool(uses) and all(_is_appended(use, facts) for use in uses)


def is_put_into_list(call: ast.Call, facts: Facts) -> bool:
    """``xs.append(Variable(x, volatile=flag))``."""
    return _is_appended(moved(call, facts), facts)


def _is_appended(use: ast.expr, facts: Facts) -> bool:
    taken = facts.parent(use)
    method = taken.func if isinstance(taken, ast.Call) and use in taken.args else None
    return isinstance(method, ast.Attribute) and method.attr == "append"


def _keeps_what_comes_of(made: ast.stmt, facts: Facts) -> bool:
    """Whether an object keeps what is calculated from names, for its other methods."""
    scope, pending, seen = facts.names.scope_of(made), [made], {made}
    while pending:
        statement = pending.pop()
        bound = {n.id for n in walk(statement) if isinstance(n, ast.Name)}
        uses = (use for name in bound for use in facts.names.uses_of(scope, name))
        for use in uses:
            holder = facts.statement(use)
            is_of = any(binding.node is statement for binding in facts.flow.reaching(use))
            if holder in seen or not is_of or is_read_without_graph(use, facts):
                continue
            if isinstance(holder, ast.Assign):
                seen.add(holder)
                pending.append(holder)
                if any(_is_of_self(target, facts) for target in holder.targets):
                    return True
    return False


def _is_of_self(target: ast.expr, facts: Facts) -> bool:
    return isinstance(target, ast.Attribute) and is_self(facts, target.value)


def _is_read_in_functions(call: ast.Call, facts: Facts) -> bool:
    statement = facts.statement(call)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Name):
        return False
    scope = facts.names.scope_of(statement)
    uses = facts.names.uses_of(scope, target.id)
    return any(facts.names.scope_of(use) is not scope for use in uses)


def _is_given(call: ast.Call, facts: Facts) -> bool:
    """Whether what a call makes is given to a call of its own statement: ``net(Variable(x))``."""
    value: ast.AST | None = moved(call, facts)
    while isinstance(above := facts.parent(value) if value is not None else None, ast.expr):
        if isinstance(above, ast.Call) and value is not above.func:
            return True
        value = above
    return False


def _function_around(node: ast.AST, facts: Facts) -> ast.FunctionDef | None:
    return next((a for a in facts.names.ancestors(node) if isinstance(a, ast.FunctionDef)), None)


def is_for_callers(call: ast.Call, switch: ast.expr | None, facts: Facts) -> bool:
    """Whether a function only wraps by a flag that its callers give: they have no such name."""
    function, statement = facts.names.enclosing_function(call), facts.statement(call)
    if switch is None or not isinstance(function, ast.FunctionDef):
        return False
    given = {each.arg for each in (*function.args.args, *function.args.kwonlyargs)}
    names = (n for n in walk(switch) if isinstance(n, ast.Name) and not is_self(facts, n))
    is_given = any(name.id in given for name in names)
    return is_given and isinstance(statement, ast.Return) and only_wraps(statement, facts)


def is_set_by_none(call: ast.Call, switch: ast.expr | None, facts: Facts) -> bool:
    """Whether the flag of a call is a parameter, off by default, that no call in sight gives."""
    function = facts.names.enclosing_function(call)
    if not isinstance(function, ast.FunctionDef) or not isinstance(switch, ast.Name):
        return False
    helper = Helper(function, switch.id, facts)
    is_off = helper.is_off_by_default() and any(True for _ in known_calls(function, facts))
    if not is_off or any(helper.passes_flag(each) for each in helper.calls()):
        return False
    return facts.files is not None and helper.is_passed_elsewhere(facts.files) is False


def is_set_otherwise(keeper: ast.expr | None, facts: Facts) -> bool:
    """Whether ``self.x`` is given something else, too, that is not volatile: what reads it may
    train by that."""
    if not isinstance(keeper, ast.Attribute):
        return False
    made = {facts.statement(call) for call in volatile_calls(facts)}
    stores = (one for one in facts.names.attributes(keeper.attr) if isinstance(one.ctx, ast.Store))
    return any(
        not (facts.statement(store) in made or _is_none_or_moved(facts.statement(store), store))
        for store in stores
    )


def _is_none_or_moved(statement: ast.stmt, store: ast.Attribute) -> bool:
    """``self.x = None``, and ``self.x = self.x.cuda()``."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    if isinstance(value, ast.Call) and value is not start_of_moves(value):
        value = start_of_moves(value)
        return ast.unparse(value) == ast.unparse(store)
    return isinstance(value, ast.Constant)


def marks_nothing(call: ast.Call, switch: ast.expr | None, facts: Facts) -> bool:
    """Whether nothing takes the place of a flag: what it marks records no graph, or always does."""
    is_kept = switch is None and is_kept_by_forward(call, facts)
    is_unset = is_kept or is_set_by_none(call, switch, facts)
    return is_unset or is_never_recorded(call, facts)


def is_kept_by_forward(call: ast.Call, facts: Facts) -> bool:
    """Whether ``forward()`` keeps what a call makes on the module, in training as well."""
    function, statement = facts.names.enclosing_function(call), facts.statement(call)
    if not isinstance(function, ast.FunctionDef) or function.name != "forward":
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(_is_of_self(target, facts) for target in targets)
