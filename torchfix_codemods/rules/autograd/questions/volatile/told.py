"""What is said of volatile values that no block takes the place of: what to put under one."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.programs.training import trains
from torchfix_codemods.facts.recording.fences import PREFIX
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.rules.autograd.questions.volatile import messages
from torchfix_codemods.rules.autograd.questions.volatile.blocks import spans_of_uses
from torchfix_codemods.rules.autograd.questions.volatile.calls import (
    flagged_calls,
    line_of_flag,
    volatile_calls,
)
from torchfix_codemods.rules.autograd.questions.volatile.differentiated import differentiated
from torchfix_codemods.rules.autograd.questions.volatile.flows import flow_of_call, is_used_outside
from torchfix_codemods.rules.autograd.questions.volatile.given import VARIABLE, Flag
from torchfix_codemods.rules.autograd.questions.volatile.graphless_reads import is_covered
from torchfix_codemods.rules.autograd.questions.volatile.holders import (
    NAMELESS,
    all_named,
    holder_of,
    is_among_others,
    is_of_function,
    is_of_made_module,
    keeper_of,
)
from torchfix_codemods.rules.autograd.questions.volatile.leaving import (
    gets_away,
    is_for_callers,
    is_put_into_list,
    is_set_by_none,
    is_set_otherwise,
    marks_nothing,
)
from torchfix_codemods.rules.autograd.questions.volatile.spans import stand_together
from torchfix_codemods.rules.autograd.questions.volatile.switches import (
    context_by,
    context_for,
    joined_by_test,
    required_otherwise,
    switch_of,
    test_apart,
)
from torchfix_codemods.rules.autograd.questions.volatile.takers import named_in_sight, takers_of_all
from torchfix_codemods.rules.autograd.questions.volatile.training_uses import (
    is_evaluating,
    is_given_to_training,
    is_shared_with_others,
)
from torchfix_codemods.rules.autograd.questions.volatile.uses import (
    goes_nowhere,
    is_read_without_graph,
    records_after,
    runs_later,
)
from torchfix_codemods.rules.questions.named_lines import beside


def alone(call: ast.Call, flag: Flag, facts: Facts) -> str:
    """What is said of one volatile value alone."""
    return _told([call], flag, facts)


def of_option(flag: ast.expr, options: ast.expr, facts: Facts) -> str:
    """What is said of ``{"volatile": flag}``, which a test may choose."""
    if isinstance(facts.parent(options), ast.IfExp):
        return messages.LEAVES.format(beside="", evaluates=messages.EVALUATES)
    block, what = f"`with {context_for(flag, flag, facts)}:`", messages.THESE
    return messages.OUT_OF_SIGHT.format(beside="", block=block, what=what)


def once(call: ast.Call, flag: Flag, facts: Facts) -> str | None:
    """What is said of a volatile value and of those that are left in its function with it.

    Args:
        call: what makes the value, with no block to put in the place of its flag.
        flag: its flag.
        facts: the facts of the module.

    Returns:
        the message; None where it stands at another one of these.
    """
    left = [call]
    if not facts.speaks_of(PREFIX):
        said = _kind_of(call, flag.value, facts)
        same = (one for one in _alike(call, flag, facts) if _is_left(one, flag, facts))
        left = [one for one in same if _kind_of(one, flag.value, facts) == said] or left
        meant = [one for one in _together(call, facts) if _is_left(one, flag, facts)]
        meant.sort(key=lambda one: _kind_of(one, flag.value, facts) != "used")
        if call in meant and any(is_half(one, flag, facts) for one in meant):
            left = meant
    return _told(left, flag, facts) if left[0] is call else None


def _kind_of(call: ast.Call, flag: ast.expr | None, facts: Facts) -> str:
    """What values have in common that are told of together: ``used``, kept, or how they leave.

    What trains by a flag is nothing apart: it has its graph.
    """
    switch = switch_of(flag)
    is_always = switch is None
    if gets_away(call, facts) or (not is_always and is_put_into_list(call, facts)):
        return "set by none" if is_set_by_none(call, switch, facts) else "leaves"
    if is_always and is_given_to_training(call, holder_of(call, facts), facts):
        return "trained with"
    if not is_of_function(call, facts):
        return "kept"
    if not is_always or records_after(call, facts) is None:
        return "used"
    return "used" if differentiated(flow_of_call(call, facts)) is None else "differentiated"


def _alike(call: ast.Call, flag: Flag, facts: Facts) -> list[ast.Call]:
    """The calls that make something volatile by the same flag and are told of together.

    They stand in the same function, or have no name that would be one of their function.
    """
    switch = switch_of(flag.value)
    function, is_free = facts.names.enclosing_function(call), _is_free(call, switch, facts)
    if switch is None:
        calls = volatile_calls(facts)
    else:
        text = ast.unparse(switch)
        calls = [other for other, its in flagged_calls(facts) if ast.unparse(its) == text]
    made = ast.unparse(call.func)
    return [
        other
        for other in calls
        if facts.names.enclosing_function(other) is function
        or (is_free and _is_free(other, switch, facts))
        if ast.unparse(other.func) == made
    ]


def _is_free(call: ast.Call, switch: ast.expr | None, facts: Facts) -> bool:
    """Whether what is said of a value names nothing of its function alone, but ``self``.

    Nothing is named of what others calculate with.
    """
    read = [] if switch is None else [n for n in ast.walk(switch) if isinstance(n, ast.Name)]
    if gets_away(call, facts):
        return True
    return all(is_self(facts, name) for name in read) and not _has_name(call, facts)


def _has_name(call: ast.Call, facts: Facts) -> bool:
    """Whether what a call makes is told of by its name, or by what gives it."""
    return holder_of(call, facts) is not None or facts.name(call.func) != VARIABLE


def is_half(call: ast.Call, flag: Flag, facts: Facts) -> bool:
    """Whether the blocks of a value leave another one out whose way is not known beside it.

    What trains has a graph beside: there each value is meant alone.
    """
    function = facts.names.enclosing_function(call) or facts.tree
    if switch_of(flag.value) is not None or trains([function], facts):
        return False
    return facts.remembered(("TP102 half", call), lambda: _is_half(call, flag, facts))


def _is_half(call: ast.Call, flag: Flag, facts: Facts) -> bool:
    spans = spans_of_uses(call, None, facts)
    held = {statement for span in spans or () for statement in span.statements}
    flow = flow_of_call(call, facts)
    known = held if flow is None else held | flow.recording
    return bool(held) and any(
        is_used_outside(other, known, facts) and _kind_of(other, None, facts) in ("used", "leaves")
        for other in _together(call, facts)
        if _is_left_alone(other, flag, facts)
    )


def _together(call: ast.Call, facts: Facts) -> list[ast.Call]:
    """What always is volatile in the same lines."""
    return [other for other in volatile_calls(facts) if stand_together(call, other, facts)]


def _is_left(call: ast.Call, flag: Flag, facts: Facts) -> bool:
    """Whether something is to be said of a call, and the same as of others in its function."""
    return _is_left_alone(call, flag, facts) or is_half(call, flag, facts)


def _is_left_alone(call: ast.Call, flag: Flag, facts: Facts) -> bool:
    """Whether no block is known for a call."""
    if runs_later(call, facts) or is_under_no_grad(call, facts) or goes_nowhere(call, facts):
        return False
    is_open = spans_of_uses(call, switch_of(flag.value), facts) is None
    return is_open and not is_covered(call, facts) and not is_read_without_graph(call, facts)


def _told(calls: Sequence[ast.Call], flag: Flag, facts: Facts) -> str:
    call, switch = calls[0], switch_of(flag.value)
    at_once = context_for(switch, call, facts)
    here = {facts.origin(call.lineno), line_of_flag(call, facts)}
    others = sorted({line_of_flag(one, facts) for one in calls} - here)
    is_leaving = gets_away(call, facts) or is_for_callers(call, switch, facts)
    # In a file that uses what 0.4 brought, the flag never did anything.
    is_recent = facts.era_of(call).needs((0, 4))
    if flag.of_variable and (is_recent or marks_nothing(call, switch, facts)):
        return messages.COVERED.format(beside=beside(others, False))
    used = [is_open for one in calls if (is_open := records_after(one, facts)) is not None]
    test: str | None = None
    if used and not is_leaving:
        if switch is None and (backward := differentiated(flow_of_call(call, facts))) is not None:
            test = test_apart(calls, backward, facts)
            if test is None:
                loss = ast.unparse(backward)
                return messages.DIFFERENTIATED.format(beside=beside(others, False), loss=loss)
            at_once = context_by(test, call, facts)
        if flag.of_variable and not any(used):
            return messages.COVERED.format(beside=beside(others, False))
    keeper, is_dropped = None if used else keeper_of(call, facts), flag.of_variable
    # By a flag, what trains has its graph.
    is_apart = is_leaving or test is not None or switch is not None
    if not is_apart and is_given_to_training(call, holder_of(call, facts), facts):
        # What trains by `self.training` alone does not below `model.eval()`.
        message = messages.LEAVES if is_evaluating(call, facts) else messages.COVERED
        message = message if is_dropped else messages.PASSED_AND_LEAVES
        return message.format(beside=beside(others, not is_dropped), evaluates=messages.EVALUATES)
    is_seen_elsewhere = keeper is not None and not is_of_function(call, facts)
    # A list that others get has none of the names that the flag is made of.
    is_unclear = switch is not None and (is_seen_elsewhere or is_put_into_list(call, facts))
    is_shared = switch is None and test is None and is_shared_with_others(call, facts)
    is_unclear = is_unclear or is_shared or (is_seen_elsewhere and is_set_otherwise(keeper, facts))
    volatile = [*volatile_calls(facts), *dict(flagged_calls(facts))]
    joined = None if is_apart else joined_by_test(calls, volatile, facts)
    named, at_once = joined or (all_named(calls, facts), at_once)
    is_nameless = named.startswith(NAMELESS) or is_of_made_module(call, facts)
    is_unclear = (is_unclear and joined is None) or is_nameless or is_among_others(call, facts)
    if is_leaving and (said := messages.for_engine(switch, beside(others, False), facts)):
        return said
    if is_leaving or is_unclear:
        takers = takers_of_all(calls, switch, facts) if is_dropped and is_leaving else None
        if takers is not None:
            return messages.TAKEN.format(beside=beside(others, False), takers=takers)
        message = messages.LEAVES if is_dropped else messages.PASSED_AND_LEAVES
        evaluates = named_in_sight(calls, switch, facts) or messages.EVALUATES
        return message.format(beside=beside(others, not is_dropped), evaluates=evaluates)
    message = messages.OUT_OF_SIGHT if is_dropped else messages.PASSED_OUT_OF_SIGHT
    block, what = f"`with {at_once}:`", f"what calculates with {named}"
    if is_dropped and not others and (requires := required_otherwise(call, switch)) is not None:
        message = messages.REQUIRED_OTHERWISE.replace("{requires}", requires)
    return message.format(beside=beside(others, not is_dropped), block=block, what=what)
