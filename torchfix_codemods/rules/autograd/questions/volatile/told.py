"""What is said of volatile values that no block takes the place of: what to put under one."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.training import trains
from torchfix_codemods.facts.recording.fences import PREFIX
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.facts.recording.spans import smallest_span
from torchfix_codemods.rules.autograd.questions.volatile import kept, messages
from torchfix_codemods.rules.autograd.questions.volatile.blocks import (
    context_of,
    negated,
    only_wraps,
    spans_of_uses,
)
from torchfix_codemods.rules.autograd.questions.volatile.calls import flagged_calls, volatile_calls
from torchfix_codemods.rules.autograd.questions.volatile.flows import flow_of_call
from torchfix_codemods.rules.autograd.questions.volatile.given import Flag
from torchfix_codemods.rules.autograd.questions.volatile.uses import (
    goes_nowhere,
    is_read_without_graph,
    moved,
    runs_later,
    target_of,
)

#: So many lines are listed one by one.
_MOST_LISTED = 3


def alone(call: ast.Call, flag: Flag, facts: Facts) -> str:
    """What is said of one volatile value alone."""
    return _told([call], flag, facts)


def of_option(flag: ast.expr) -> str:
    """What is said of ``{"volatile": flag}``."""
    return messages.OF_OPTION.format(_context_for(flag))


def _context_for(flag: ast.expr | None) -> str:
    """``torch.no_grad()``, or ``torch.set_grad_enabled(…)`` of a flag that is calculated."""
    switch = context_of(flag)[1]
    return "torch.no_grad()" if switch is None else f"torch.set_grad_enabled({negated(switch)})"


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
    if PREFIX not in facts.text:
        said = _kind_of(call, facts)
        same = (one for one in _alike(call, flag, facts) if _is_left(one, flag, facts))
        left = [one for one in same if said is not None and _kind_of(one, facts) == said] or left
    return _told(left, flag, facts) if left[0] is call else None


def _kind_of(call: ast.Call, facts: Facts) -> str | None:
    """What values have in common that are told of together: ``used``, or how they leave."""
    return _what_leaves(call, facts) or ("used" if _where_used(call, facts) else None)


def _alike(call: ast.Call, flag: Flag, facts: Facts) -> list[ast.Call]:
    """The calls of the same function that make something volatile by the same flag."""
    switch = context_of(flag.value)[1]
    function = facts.names.enclosing_function(call)
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
        if ast.unparse(other.func) == made
    ]


def _is_left(call: ast.Call, flag: Flag, facts: Facts) -> bool:
    """Whether something is to be said of a call, and the same as of others in its function."""
    if runs_later(call, facts) or is_under_no_grad(call, facts) or goes_nowhere(call, facts):
        return False
    is_open = spans_of_uses(call, context_of(flag.value)[1], facts) is None
    return is_open and not is_read_without_graph(call, facts)


def _told(calls: Sequence[ast.Call], flag: Flag, facts: Facts) -> str:
    call = calls[0]
    switch = context_of(flag.value)[1]
    at_once = _context_for(switch)
    others = sorted({facts.origin(one.lineno) for one in calls} - {facts.origin(call.lineno)})
    said = _message(flag, others)
    leaving = _what_leaves(call, facts)
    used = [found for one in calls if (found := _where_used(one, facts)) is not None]
    if used and leaving is None:
        names = list(dict.fromkeys(name for name, _ in used))
        lines = sorted({line for _, lines in used for line in lines})
        what = f"what calculates with {_listed(names)}{_in_lines(lines, facts)}"
        return said.format(what, f"`with {at_once}:`")
    block, where = _where_called(call, switch, at_once, facts)
    target = target_of(moved(call, facts), facts)
    if leaving is None and isinstance(target, (ast.Attribute, ast.Subscript)):
        return kept.said_of_kept(target, facts, f"{block}{where}")
    return said.format(leaving or f"what calculates with {_named(call, facts)}", f"{block}{where}")


def _message(flag: Flag, others: Sequence[int]) -> str:
    beside = f", as in {_numbered(others)}," if others else "," if flag.of_variable else ""
    message = messages.OF_VARIABLE if flag.of_variable else messages.PASSED_ON
    return message.format(beside=beside, what="{0}", block="{1}")


def _named(call: ast.Call, facts: Facts) -> str:
    """The names that a statement gives what a call makes, or what they would hold."""
    statement = facts.statement(call)
    target = target_of(moved(call, facts), facts)
    if target is None and isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    return (
        ast.unparse(target)
        if isinstance(target, ast.Name)
        else f"what {ast.unparse(call.func)} gives"
    )


def _where_used(call: ast.Call, facts: Facts) -> tuple[str, list[int]] | None:
    """The name of a volatile value and the lines that calculate with it; None out of sight."""
    flow = flow_of_call(call, facts)
    if flow is None:
        return None
    statement = facts.statement(call)
    using = [s for s in flow.recording if not only_wraps(s, facts)]
    if not using:
        return None
    if (span := smallest_span(using, facts)) is None or trains(span.statements, facts):
        bindings = {b for b in flow.bindings if b.node is statement}
        using = [s for s in using if s is statement or _reads(s, bindings, facts)]
    return _named(call, facts), [facts.origin(s.lineno) for s in using]


def _reads(statement: ast.stmt, bindings: set[Binding], facts: Facts) -> bool:
    """Whether a statement reads what was bound, and no statement inside it alone."""
    return any(
        isinstance(node, ast.Name)
        and facts.statement(node) is statement
        and not bindings.isdisjoint(facts.flow.reaching(node))
        for node in walk(statement)
    )


def _what_leaves(call: ast.Call, facts: Facts) -> str | None:
    """What is calculated from that which a function returns or yields; None where it does not."""
    function = _function_around(call, facts)
    if function is None:
        return None
    statement, flow = facts.statement(call), flow_of_call(call, facts)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = {n.id for target in targets for n in walk(target) if isinstance(n, ast.Name)}
    for node in walk(function):
        if not isinstance(node, (ast.Return, ast.Yield)) or node.value is None:
            continue
        inside = [*walk(node.value)]
        is_named = any(isinstance(n, ast.Name) and n.id in names for n in inside)
        if kept.is_among(moved(call, facts), facts) or (is_named and flow is None):
            owner = facts.parent(function)
            name = f"{owner.name}." if isinstance(owner, ast.ClassDef) else ""
            does = "returns" if isinstance(node, ast.Return) else "yields"
            several = node.value.elts if isinstance(node.value, (ast.Tuple, ast.List)) else []
            among = [n.id for n in several if isinstance(n, ast.Name) and n.id in names]
            what = f"the {_listed(dict.fromkeys(among))} that" if among else "what"
            return f"what is calculated from {what} {name}{function.name} {does}"
    return None


def _function_around(node: ast.AST, facts: Facts) -> ast.FunctionDef | None:
    return next((a for a in facts.names.ancestors(node) if isinstance(a, ast.FunctionDef)), None)


def _where_called(
    call: ast.Call, switch: ast.expr | None, at_once: str, facts: Facts
) -> tuple[str, str]:
    """The block that callers need, and when, where only a function knows its flag."""
    if switch is None:
        return f"`with {at_once}:`", ""
    function = _function_around(call, facts)
    inside = [] if function is None else walk(function.args)
    given = {parameter.arg for parameter in inside if isinstance(parameter, ast.arg)}
    read = {n.id for n in walk(switch) if isinstance(n, ast.Name)}
    if function is not None and read <= given and not isinstance(switch, ast.Attribute):
        named = _listed(sorted(read))
        return f"`with {at_once}:`", f", with the {named} that {function.name} gets"
    return "`with torch.no_grad():`", f" where {ast.unparse(switch)}"


def _listed(parts: Iterable[object]) -> str:
    *first, last = [str(part) for part in parts]
    return f"{', '.join(first)} and {last}" if first else last


def _numbered(lines: Sequence[int]) -> str:
    return f"line{'s' if len(lines) > 1 else ''} {_listed(lines)}"


def _in_lines(lines: Sequence[int], facts: Facts) -> str:
    """Where something stands: `` (lines 3 and 5)``; in a notebook nobody sees such numbers."""
    if not lines or PREFIX in facts.text:
        return ""
    is_long = len(lines) > _MOST_LISTED
    return f" (lines {lines[0]} to {lines[-1]})" if is_long else f" ({_numbered(lines)})"
