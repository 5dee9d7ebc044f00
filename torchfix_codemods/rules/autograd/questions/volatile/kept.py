"""Volatile values that a helper keeps on an object, where other code calculates with them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import calls_elsewhere, known_calls
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.rules.autograd.questions.volatile import messages
from torchfix_codemods.rules.autograd.questions.volatile.calls import line_of_flag
from torchfix_codemods.rules.autograd.questions.volatile.elsewhere import is_kept_elsewhere
from torchfix_codemods.rules.autograd.questions.volatile.given import is_among, is_off, is_set
from torchfix_codemods.rules.autograd.questions.volatile.helpers import Helper
from torchfix_codemods.rules.autograd.questions.volatile.switches import (
    context_by,
    is_context_for,
    negated,
    switch_of,
)
from torchfix_codemods.rules.autograd.questions.volatile.uses import (
    is_read_without_graph,
    moved,
    target_of,
)
from torchfix_codemods.rules.questions.named_lines import beside, numbered


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
        others = _and_in(keeping[1:], facts)
        return (_said_of_covered(helper, others, facts) or _leaves(others)) if is_first else None
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
    covered = _said_of_covered(helper, others, facts)
    if covered is not None:
        return covered
    if not helper.is_off_by_default():
        return _leaves(others)
    uses = messages.AND_USES if _is_given_back(helper, facts) else ""
    what = f"the calls of {helper.function.name} that set it{uses}"
    return messages.OUT_OF_SIGHT.format(beside=others, block=f"`with {block}:`", what=what)


def _said_of_covered(helper: Helper, others: str, facts: Facts) -> str | None:
    """What is said where the calls that set the flag have, in this file, what takes its place."""
    known = [*known_calls(helper.function, facts)]
    calls = [call for call, _ in known if not is_off(helper.flag_of(call))]
    blocks = [_block_around(call, helper.flag_of(call), facts) for call in calls]
    is_seen = all(there is facts and not is_opaque(call) for call, there in known)
    if not calls or None in blocks or not is_seen:
        return None
    around = sorted({facts.origin(call.lineno) for call in calls})
    return messages.COVERED_BY_CALLS.format(
        beside=others,
        flag=helper.parameter,
        block=f"`with {blocks[0]}:`",
        calls=f"call{'s' if len(around) > 1 else ''} in {numbered(around)}",
    )


def _block_around(call: ast.Call, flag: ast.expr | None, facts: Facts) -> str | None:
    """The context, as code, under which a call records nothing where its flag is set."""
    if switch_of(flag) is None:
        return "torch.no_grad()" if is_under_no_grad(call, facts) else None
    items = (
        item.context_expr
        for above in facts.names.ancestors(call)
        if isinstance(above, ast.With)
        for item in above.items
    )
    found = (facts.segment(each) for each in items if flag and is_context_for(each, flag, facts))
    return next(found, None)


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
    if helper.is_set_by_default():
        return _leaves("")
    owner, named = facts.parent(helper.function), helper.function.name
    is_forward = named == "forward"
    if is_forward or not helper.is_off_by_default():
        lines = [line_of_flag(call, facts) for call in helper.variables()]
        return messages.BY_PARAMETER.format(
            lines=numbered([*dict.fromkeys(lines)]),
            flag=helper.parameter,
            name=owner.name if is_forward and isinstance(owner, ast.ClassDef) else named,
            uses=messages.WITH_USES if is_forward or _is_given_back(helper, facts) else "",
        )
    uses = messages.WITH_USES if _is_given_back(helper, facts) else ""
    block, flag = "`with torch.no_grad():`", helper.parameter
    return messages.UNCALLED.format(beside="", name=named, flag=flag, block=block, uses=uses)


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
