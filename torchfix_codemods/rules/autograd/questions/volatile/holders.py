"""What keeps a volatile value, and what a message calls it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.autograd.questions.volatile.given import VARIABLE
from torchfix_codemods.rules.autograd.questions.volatile.uses import moved, target_of
from torchfix_codemods.text.wording import listed

#: How a name begins that is none.
NAMELESS = "what "


def is_among_others(call: ast.Call, facts: Facts) -> bool:
    """Whether what a call makes goes into a list, of whose name nothing need be calculated, or into
    what a caller has under another name."""
    is_alone = target_of(moved(call, facts), facts) is not None
    if _is_put_into_given(call, facts):
        return True
    return not is_alone and isinstance(holder_of(call, facts), ast.Name)


def _is_put_into_given(call: ast.Call, facts: Facts) -> bool:
    """Whether a function puts what a call makes into something that it was given, and takes nothing
    out: ``batch[key] = Variable(…)``. Its callers calculate with it, which have other names."""
    keeper = keeper_of(call, facts)
    named: ast.expr | None = keeper
    while isinstance(named, ast.Subscript):
        named = named.value
    if named is keeper or not isinstance(named, ast.Name):
        return False
    bindings = facts.flow.reaching(named)
    scope = facts.names.scope_of(named)
    is_given = bool(bindings) and all(binding.kind == "parameter" for binding in bindings)
    return is_given and not any(_is_read(u, facts) for u in facts.names.uses_of(scope, named.id))


def _is_read(use: ast.Name, facts: Facts) -> bool:
    """Whether something is taken out of a name, or handed on with all that it holds."""
    above = facts.parent(use)
    if isinstance(above, ast.Attribute):
        return above.attr != "keys"
    return not isinstance(above, ast.Subscript) or isinstance(above.ctx, ast.Load)


def keeper_of(call: ast.Call, facts: Facts) -> ast.expr | None:
    """``self.x`` of ``self.x = Variable(x), Variable(y)``."""
    target = holder_of(call, facts)
    return target if isinstance(target, (ast.Attribute, ast.Subscript)) else None


def _container_named(keeper: ast.expr) -> str:
    """``batch`` of ``batch[key]``, whose name says nothing where the loop is over."""
    while isinstance(keeper, ast.Subscript) and not isinstance(keeper.slice, ast.Constant):
        keeper = keeper.value
    return ast.unparse(keeper)


def is_of_function(call: ast.Call, facts: Facts) -> bool:
    """Whether what a call makes is kept, if at all, in a name of its function."""
    keeper = keeper_of(call, facts)
    held = keeper.value if isinstance(keeper, ast.Subscript) else keeper
    return held is None or isinstance(held, ast.Name)


def holder_of(call: ast.Call, facts: Facts) -> ast.expr | None:
    """What a statement gives the value of a call, alone or among others."""
    value: ast.expr = moved(call, facts)
    found = target_of(value, facts)
    statement = facts.statement(call)
    if found is not None or not isinstance(statement, ast.Assign) or len(statement.targets) > 1:
        return found
    above: ast.AST | None = facts.parent(value)
    while isinstance(above, (ast.Tuple, ast.List, ast.ListComp)):
        value, above = above, facts.parent(above)
    return statement.targets[0] if value is statement.value else None


def _named(call: ast.Call, facts: Facts) -> str:
    """The name of what a call makes, or what stands for it."""
    target = holder_of(call, facts) or _chosen_for(call, facts)
    if isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
        return _container_named(target)
    is_made = facts.name(call.func) == VARIABLE
    return "this Variable" if is_made else f"{NAMELESS}{ast.unparse(call.func)} gives"


def all_named(calls: Sequence[ast.Call], facts: Facts) -> str:
    """The names of what calls make, which may go into lists and other things without one."""
    names = list(dict.fromkeys(_named(call, facts) for call in calls))
    if len(calls) > 1 and (unnamed := [name for name in names if " " in name]):
        return "these Variables" if facts.name(calls[0].func) == VARIABLE else unnamed[0]
    return listed(names)


def _chosen_for(call: ast.Call, facts: Facts) -> ast.expr | None:
    """``x`` of ``x = Variable(y) if y is not None else None``."""
    value = moved(call, facts)
    choice, statement = facts.parent(value), facts.statement(call)
    if not isinstance(choice, ast.IfExp) or not isinstance(statement, ast.Assign):
        return None
    is_alone = statement.value is choice and value is not choice.test
    return statement.targets[0] if is_alone and len(statement.targets) == 1 else None


def is_of_made_module(call: ast.Call, facts: Facts) -> bool:
    """Whether a module's constructor keeps what it makes, which training reads as well."""
    function = facts.names.enclosing_function(call)
    owner = None if function is None or function.name != "__init__" else facts.parent(function)
    is_kept = isinstance(holder_of(call, facts), ast.Attribute)
    return is_kept and isinstance(owner, ast.ClassDef) and facts.classes.kind(owner) == "module"
