"""Volatile values that a helper keeps on an object, where other code calculates with them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.libraries import python_functions, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import known_calls
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.uses import uses_of_attribute
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.rules.autograd.questions.volatile import messages
from torchfix_codemods.rules.autograd.questions.volatile.blocks import negated
from torchfix_codemods.rules.autograd.questions.volatile.elsewhere import is_kept_elsewhere
from torchfix_codemods.rules.autograd.questions.volatile.helpers import Helper
from torchfix_codemods.rules.autograd.questions.volatile.uses import (
    is_read_without_graph,
    moved,
    target_of,
)

#: So many functions are named that calculate with what is kept.
_MOST_NAMED = 3


def is_told_inside(helper: Helper, facts: Facts) -> bool:
    """Whether a helper keeps its values, so that ``no_grad`` around its calls does not reach
    what uses them."""
    is_keeping = any(_keeper_of(call, facts) is not None for call in helper.variables())
    return is_keeping and _is_open(helper, facts)


def said_in_helper(helper: Helper, call: ast.Call, facts: Facts) -> str | None:
    """What is said of ``Variable(x, volatile=flag)`` in a helper that no rewrite follows."""
    keeper = _keeper_of(call, facts)
    if helper.has_calls_unseen_only() or is_kept_elsewhere(helper, facts):
        if keeper is None:
            is_first = call is next(helper.variables())
            return _said_of_calls(helper, facts) if is_first else None
    elif keeper is None or not _is_open(helper, facts):
        return None
    return said_of_kept(keeper, facts)


def _said_of_calls(helper: Helper, facts: Facts) -> str:
    """What is said of a helper whose calls are in other files, or out of sight."""
    calls = [*helper.calls()]
    if facts.files is not None:
        calls += [c for c, _ in known_calls(helper.function, facts) if c not in calls]
    flags = [flag for call in calls if (flag := helper.flag_of(call)) is not None]
    switches = [flag for flag in flags if not isinstance(flag, ast.Constant)]
    texts = {negated(flag) for flag in switches}
    block = "torch.no_grad()"
    if switches:
        switch = texts.pop() if len(texts) == 1 else f"not {helper.parameter}"
        block = f"torch.set_grad_enabled({switch})"
    return messages.CALLS_OF_HELPER.format(helper.function.name, _and_uses(helper, facts), block)


def said_of_unseen_calls(helper: Helper, facts: Facts) -> str:
    """What is said of a helper that nothing in the project calls."""
    said = _and_uses(helper, facts)
    return messages.CALLERS_UNSEEN.format(helper.function.name, helper.parameter, said)


def _and_uses(helper: Helper, facts: Facts) -> str:
    is_returned = any(_is_returned(call, facts) for call in helper.variables())
    return messages.AND_USES if is_returned else ""


def _is_returned(call: ast.Call, facts: Facts) -> bool:
    """Whether a helper gives back what a call makes, itself or among others."""
    value = moved(call, facts)
    if isinstance(facts.statement(value), ast.Return):
        return is_among(value, facts)
    target = target_of(value, facts)
    if not isinstance(target, ast.Name):
        return False
    uses = facts.names.uses_of(facts.names.scope_of(target), target.id)
    return any(isinstance(facts.statement(u), ast.Return) and is_among(u, facts) for u in uses)


def is_among(value: ast.expr, facts: Facts) -> bool:
    """Whether a value is all that a statement returns or yields, or an element of it."""
    above = facts.parent(value)
    while isinstance(above, (ast.Tuple, ast.List, ast.ListComp, ast.Dict)):
        above = facts.parent(above)
    return isinstance(above, (ast.Return, ast.Yield))


def _is_open(helper: Helper, facts: Facts) -> bool:
    """Whether a call sets the flag of a helper where a graph is recorded, or may do so."""
    calls = helper.calls_with_flag()
    return helper.is_for_callers_unseen() or any(not is_under_no_grad(c, facts) for c in calls)


def _keeper_of(call: ast.Call, facts: Facts) -> ast.expr | None:
    """``self.x`` of ``self.x = Variable(x, volatile=flag)``, unless all that reads it records
    nothing."""
    target = target_of(moved(call, facts), facts)
    if not isinstance(target, (ast.Attribute, ast.Subscript)):
        return None
    return None if is_read_without_graph(call, facts) else target


def said_of_kept(keeper: ast.expr, facts: Facts, block: str = "`with torch.no_grad():`") -> str:
    """What is said of a volatile value that is kept: which functions use it, where that shows."""
    uses = uses_of_attribute(facts, keeper) if isinstance(keeper, ast.Attribute) else []
    calculated = (use for use in uses if follow([Place(facts, use)], _stays_alone) is not None)
    functions = (facts.names.enclosing_function(use) for use in calculated)
    needless = (f for f in functions if f is not None and not _goes_back(f, facts))
    names = list(dict.fromkeys(function.name for function in needless))
    named = ", ".join(names[:_MOST_NAMED])
    others = len(names) - _MOST_NAMED
    if others > 0:
        named += f" and {others} more"
    place = f" (in {named})" if names else ""
    return messages.KEPT.format(ast.unparse(keeper), place, block)


def _goes_back(function: ast.AST, facts: Facts) -> bool:
    """Whether a function calls ``backward()`` itself, and so needs its graph."""
    return any(
        isinstance(call.func, ast.Attribute) and call.func.attr == "backward"
        for call in facts.names.inside(function, ast.Call)
    )


def _stays_alone(use: Use) -> Iterable[Place] | None:
    """None where a value that requires no gradient meets another one, or goes into a function."""
    if use.kind in ("added", "augmented", "operand"):
        return None
    if use.kind == "argument" and isinstance(use.by, ast.Call):
        if python_functions.reports(use.facts.names.builtin(use.by.func)):
            return ()
        return use.taken() if use.parameters() else None
    if use.kind in ("attribute", "method"):
        attribute = use.by.func if isinstance(use.by, ast.Call) else use.by
        name = attribute.attr if isinstance(attribute, ast.Attribute) else ""
        has_others = isinstance(use.by, ast.Call) and bool(use.by.args)
        is_told = torch_effects.tells(name) or torch_effects.leaves_torch(name)
        if is_told or torch_effects.cuts_graph(name):
            return ()
        is_whole = not has_others or torch_effects.moves_or_casts(name)
        return use.result() if is_whole or torch_effects.rearranges(name) else None
    if use.kind in ("chosen", "element", "item"):
        return use.result()
    return use.named() if use.kind in ("bound", "iterated", "unpacked") else ()
