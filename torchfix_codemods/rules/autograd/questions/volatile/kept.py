"""Volatile values that a helper keeps on an object, where other code calculates with them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import calls_elsewhere, known_calls
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.rules.autograd.questions.volatile import messages
from torchfix_codemods.rules.autograd.questions.volatile.calls import line_of_flag
from torchfix_codemods.rules.autograd.questions.volatile.elsewhere import is_kept_elsewhere
from torchfix_codemods.rules.autograd.questions.volatile.given import is_among, is_set
from torchfix_codemods.rules.autograd.questions.volatile.helpers import Helper
from torchfix_codemods.rules.autograd.questions.volatile.switches import (
    context_by,
    negated,
    switch_of,
)
from torchfix_codemods.rules.autograd.questions.volatile.uses import (
    is_read_without_graph,
    moved,
    target_of,
)
from torchfix_codemods.rules.questions.named_lines import beside


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
    if not _is_set_by_all(helper, facts):
        keeping = [each for each in helper.variables() if _keeper_of(each, facts) is not None]
        is_first = call is keeping[0]
        return _leaves(_and_in(keeping[1:], facts)) if is_first else None
    what = f"what calculates with {ast.unparse(keeper)}"
    return messages.OUT_OF_SIGHT.format(beside="", block="`with torch.no_grad():`", what=what)


def _said_of_calls(helper: Helper, facts: Facts) -> str:
    """What is said of a helper whose calls are in other files, or out of sight."""
    calls = [(call, facts) for call in helper.calls()]
    if facts.files is not None:
        here = {call for call, _ in calls}
        calls += [(c, there) for c, there in known_calls(helper.function, facts) if c not in here]
    switches = [(c, there, s) for c, there in calls if (s := switch_of(helper.flag_of(c)))]
    block = "torch.no_grad()"
    if switches:
        tests = {negated(switch) for _, _, switch in switches}
        test = tests.pop() if len(tests) == 1 else f"not {helper.parameter}"
        # What some caller has under ``no_grad`` says how to write it for all.
        block = max((context_by(test, call, there) for call, there, _ in switches), key=len)
    others = _and_in([*helper.variables()][1:], facts)
    if not helper.is_off_by_default():
        return _leaves(others)
    uses = messages.AND_USES if _is_given_back(helper, facts) else ""
    what = f"the calls of {helper.function.name} that set it{uses}"
    return messages.OUT_OF_SIGHT.format(beside=others, block=f"`with {block}:`", what=what)


def _and_in(calls: Sequence[ast.Call], facts: Facts) -> str:
    """Where the same is to be done: `` here and in line 3``."""
    return beside([*dict.fromkeys(line_of_flag(call, facts) for call in calls)], False)


def _is_set_by_all(helper: Helper, facts: Facts) -> bool:
    """Whether every call of a helper sets its flag, so that no training needs the graph."""
    calls: list[ast.Call | None] = [*helper.calls()]
    if facts.files is not None:
        calls += calls_elsewhere(helper.function, facts, facts.files)
    return bool(calls) and all(call and is_set(helper.flag_of(call)) for call in calls)


def said_of_unseen_calls(helper: Helper, facts: Facts) -> str:
    """What is said of a helper that nothing in the project calls.

    A module's ``forward`` is called by what calls the module, wherever that is.
    """
    if helper.function.name == "forward" or not helper.is_off_by_default():
        return _leaves("")
    uses = messages.WITH_USES if _is_given_back(helper, facts) else ""
    named, block = helper.function.name, "`with torch.no_grad():`"
    return messages.UNCALLED.format(
        beside="", name=named, flag=helper.parameter, block=block, uses=uses
    )


def _is_given_back(helper: Helper, facts: Facts) -> bool:
    return any(_is_returned(call, facts) for call in helper.variables())


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


def _leaves(others: str) -> str:
    return messages.LEAVES.format(beside=others, evaluates=messages.EVALUATES)
