"""What comes of volatile values in their function: numbers, or something that has a graph."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence, Set
from functools import partial

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import container_methods, python_functions
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import (
    WITHOUT_HISTORY,
    Array,
    Number,
    Tensor,
    Unknown,
)
from torchfix_codemods.facts.values.lattice import Sequence as SequenceValue
from torchfix_codemods.rules.autograd.questions.outcomes.plain_uses import is_read_without_graph
from torchfix_codemods.rules.autograd.questions.outcomes.reach import reach_of
from torchfix_codemods.rules.autograd.questions.outcomes.value_flow import ValueFlow, flow_of
from torchfix_codemods.rules.autograd.questions.volatile.calls import volatile_calls
from torchfix_codemods.rules.autograd.questions.volatile.differentiated import (
    called,
    may_have_graph,
)
from torchfix_codemods.rules.autograd.questions.volatile.quiet import (
    is_graphless,
    records_nothing,
)
from torchfix_codemods.rules.autograd.questions.volatile.spans import is_within
from torchfix_codemods.rules.autograd.questions.volatile.wraps import only_makes


def steps_where_recorded(
    statements: Sequence[ast.stmt], flows: Sequence[ValueFlow], facts: Facts
) -> list[ast.Call]:
    """``loss.backward()`` of what is volatile by a flag, ``step()`` beside it and ``zero_grad()``.

    Where the flag is set, they could not run: nothing that is volatile can be differentiated.
    What clears gradients does the same under ``no_grad``.

    Args:
        statements: what goes under the flag.
        flows: where the values with this flag go.
        facts: the facts of the module.
    """
    bindings = frozenset[Binding]().union(*(flow.bindings for flow in flows))
    parts = (pair for flow in flows for pair in (*flow.expressions.items(), *flow.joined.items()))
    made = {part for part, others in parts if others <= bindings}
    inside = [s for one in statements for s in walk(one) if isinstance(s, ast.stmt)]
    cleared = [call for s in inside if (call := called(s, "zero_grad")) is not None]
    steps: list[ast.Call] = []
    for statement in inside:
        backward = called(statement, "backward")
        if backward is None or not isinstance(backward.func, ast.Attribute):
            continue
        if backward in made or backward.func.value in made:
            beside = (called(s, "step") for s in facts.block(statement))
            steps += [backward, *(call for call in beside if call is not None)]
    return [*steps, *cleared] if steps else []


def only_calculates(statement: ast.stmt, flows: Collection[ValueFlow], facts: Facts) -> bool:
    """Whether a statement calculates with values that have no graph, once others made them so.

    ``mean = total / n`` behind the block in which ``total += loss`` stands needs none of its own.
    """
    bindings = frozenset[Binding]().union(*(flow.bindings for flow in flows))
    if records_nothing(statement, bindings, facts) or _only_keeps(statement, bindings, facts):
        return True
    if not isinstance(statement, (ast.Assign, ast.AugAssign)):
        return False
    if isinstance(statement, ast.Assign) and _puts_into_whole_numbers(statement, facts):
        return True
    pending: list[ast.AST] = [statement.value]
    if isinstance(statement, ast.AugAssign):
        pending.append(statement.target)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call):
            if not python_functions.makes_number(facts.names.builtin(node.func)):
                return False
            pending += node.args
            continue
        if isinstance(node, ast.Subscript):
            # What is asked for adds no graph.
            pending.append(node.value)
            continue
        if isinstance(node, ast.ListComp) and _looks_up(node, facts):
            pending += [given.iter for given in node.generators]
            continue
        if isinstance(node, ast.expr) and _is_of(node, bindings, facts):
            continue
        if isinstance(node, (ast.Name, ast.Attribute)) and may_have_graph(node, facts):
            return False
        pending.extend(ast.iter_child_nodes(node))
    return True


def _puts_into_whole_numbers(statement: ast.Assign, facts: Facts) -> bool:
    """``x[0] = word`` of whole numbers, which keep no graph."""
    if any(isinstance(part, ast.Call) for part in walk(statement.value)):
        return False
    held = [t.value if isinstance(t, ast.Subscript) else None for t in statement.targets]
    values = [facts.value(one) for one in held if one is not None]
    is_whole = [isinstance(v, Tensor) and v.dtype in WITHOUT_HISTORY for v in values]
    return len(is_whole) == len(held) and all(is_whole)


def _looks_up(made: ast.ListComp, facts: Facts) -> bool:
    """``[vocabulary.words[i] for i in found]``: nothing is calculated of what is taken out."""
    taken = made.elt
    if not isinstance(taken, ast.Subscript) or any(given.ifs for given in made.generators):
        return False
    held = taken.value
    plain = (ast.Name, ast.Attribute, ast.expr_context)
    is_plain = all(isinstance(part, plain) for part in (*walk(held), *walk(taken.slice)))
    is_unknown = isinstance(facts.value(held), Unknown)
    return is_plain and (is_unknown or not may_have_graph(held, facts))


def _only_keeps(statement: ast.stmt, bindings: Collection[Binding], facts: Facts) -> bool:
    """``lines.append({"text": text})``, which calculates nothing that has a graph."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    method = call.func if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or not isinstance(method, ast.Attribute):
        return False
    if not container_methods.adds(method.attr) or method.attr in method_names(facts.names):
        return False
    is_list = method.attr == "append" or isinstance(facts.value(method.value), SequenceValue)
    return is_list and all(
        is_graphless(given, bindings, facts)
        or not any(isinstance(part, (ast.Call, ast.BinOp)) for part in walk(given))
        for given in values_given(call)
    )


def gets_out(flow: ValueFlow, facts: Facts) -> bool:
    """Whether a function hands on what comes of a value: it returns or keeps it."""
    if any(_keeps(statement) for statement in flow.statements):
        return True
    made = [(e, facts.statement(e)) for e in flow.expressions]
    if any(
        isinstance(statement, ast.Return) and not reach_of(e, facts).ends for e, statement in made
    ):
        return True
    return any(
        isinstance(facts.statement(use), ast.Return)
        and binding in facts.flow.reaching(use)
        and not (is_read_without_graph(use, facts) or reach_of(use, facts).ends)
        for binding in flow.bindings
        for use in facts.names.uses_of(facts.names.scope_of(binding.node), binding.name)
    )


def _keeps(statement: ast.stmt) -> bool:
    """``self.x = x``."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(isinstance(target, ast.Attribute) for target in targets)


def is_only_handed_on(call: ast.Call, facts: Facts) -> bool:
    """Whether a function records nothing of a value, and hands on what comes of it."""
    flow = flow_of_call(call, facts)
    yielding = set() if flow is None else {s for s in flow.recording if _only_yields(s)}
    if flow is None or not (yielding or gets_out(flow, facts)):
        return False
    flows = [flow, *other_flows(call, facts)]
    calculating = flow.recording - yielding
    return all(only_makes(s, facts) or only_calculates(s, flows, facts) for s in calculating)


def _only_yields(statement: ast.stmt) -> bool:
    """``yield x, y``, for the function's callers, which calculate with them."""
    given = statement.value if isinstance(statement, ast.Expr) else None
    value = given.value if isinstance(given, ast.Yield) else None
    parts = (ast.Tuple, ast.List, ast.Dict, ast.Name, ast.Constant, ast.expr_context)
    return value is not None and all(isinstance(node, parts) for node in walk(value))


def _is_of(node: ast.expr, bindings: Collection[Binding], facts: Facts) -> bool:
    """Whether a name holds nothing but what is bound in flows, or a constant to begin with."""
    reaching = facts.flow.reaching(node) if isinstance(node, ast.Name) else ()
    return bool(reaching) and all(
        binding in bindings
        or (binding.kind == "assign" and isinstance(binding.written(), ast.Constant))
        or isinstance(facts.inference.bound(binding), (Array, Number))
        for binding in reaching
    )


def other_flows(call: ast.Call, facts: Facts) -> list[ValueFlow]:
    """Where the other volatile values of the same function flow."""
    function = facts.names.enclosing_function(call)
    flows = [
        flow_of_call(other, facts)
        for other in volatile_calls(facts)
        if other is not call and facts.names.enclosing_function(other) is function
    ]
    return [flow for flow in flows if flow is not None]


def flow_of_call(call: ast.Call, facts: Facts) -> ValueFlow | None:
    """Where the value of a call flows in its function; None where it gets out of sight."""
    return facts.remembered(("TP102 flow", call), partial(flow_of, call, facts))


def marks_behind(call: ast.Call, facts: Facts) -> Collection[ast.stmt]:
    """``x.volatile = False`` of what is calculated from the value of a call."""
    flow = flow_of_call(call, facts)
    return () if flow is None else flow.marks


def is_used_outside(call: ast.Call, known: Set[ast.stmt], facts: Facts) -> bool:
    """Whether something may be calculated with a value outside of some statements."""
    flow, statement = flow_of_call(call, facts), facts.statement(call)
    if flow is None or is_within(statement, known, facts):
        return not is_within(statement, known, facts)
    return any(s is not statement and not is_within(s, known, facts) for s in flow.recording)
