"""What trains with a volatile value, or instead of it: no block can stand around that."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Set

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.branches import tests_around
from torchfix_codemods.facts.language.nodes import start_of, walk
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import function_run
from torchfix_codemods.facts.programs.modes import mode_calls
from torchfix_codemods.facts.programs.training import trains
from torchfix_codemods.facts.values.lattice import WITHOUT_HISTORY, Tensor
from torchfix_codemods.rules.autograd.questions.outcomes.value_flow import ValueFlow
from torchfix_codemods.rules.autograd.questions.volatile.flows import (
    flow_of_call,
    gets_out,
    other_flows,
)
from torchfix_codemods.rules.autograd.questions.volatile.holders import holder_of
from torchfix_codemods.rules.autograd.questions.volatile.wraps import only_wraps


def is_given_to_training(call: ast.Call, holder: ast.expr | None, facts: Facts) -> bool:
    """Whether something that uses a volatile value runs ``backward()`` or ``step()`` itself.

    ``train(D, G, noise)`` cuts off what it makes of ``noise`` (``G(noise).data``), as nothing that
    is volatile could be differentiated. So its flag just goes.

    Args:
        call: what makes the value.
        holder: what keeps it: a name, ``self.x``, or ``batch[key]``; None where that is not known.
        facts: the facts of the module.
    """
    if _is_index_of_forward(call, facts):
        return True
    flow = flow_of_call(call, facts)
    using = [facts.statement(read) for read in _reads(holder, facts)]
    using += () if flow is None else flow.recording
    if not trains(_without_blocks(using), facts):
        return False
    models = _evaluated_above(call, facts)
    others = [statement for statement in using if not _only_runs(statement, models)]
    return len(others) == len(using) or trains(_without_blocks(others), facts)


def _without_blocks(statements: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    for statement in statements:
        yield from (n for n in ast.iter_child_nodes(statement) if not isinstance(n, ast.stmt))


def _reads(holder: ast.expr | None, facts: Facts) -> Iterator[ast.expr]:
    while isinstance(holder, ast.Subscript):
        holder = holder.value
    if isinstance(holder, ast.Attribute):
        yield from (n for n in facts.names.attributes(holder.attr) if isinstance(n.ctx, ast.Load))
    elif isinstance(holder, ast.Name):
        is_made = isinstance(holder.ctx, ast.Store)
        made, before = facts.statement(holder), () if is_made else facts.flow.reaching(holder)
        for use in facts.names.uses_of(facts.names.scope_of(holder), holder.id):
            reaching = facts.flow.reaching(use)
            if any(b.node is made if is_made else b in before for b in reaching):
                yield use


def given_otherwise(call: ast.Call, facts: Facts) -> list[Binding]:
    """What gives the code that calculates with a volatile value one that is not volatile.

    ``inputs`` is in ``if inputs is None: inputs = Variable(x, volatile=True)``, where the rest of
    the function calculates with either. It makes no difference where nothing that comes of it gets
    out, nor in what only reads it: ``while not done:``.
    """
    flow = flow_of_call(call, facts)
    if flow is None or _stays_inside(call, flow, facts):
        return []
    volatile = flow.bindings.union(*(other.bindings for other in other_flows(call, facts)))
    names = {binding.name for binding in flow.bindings}
    return [
        binding
        for part, others in (*flow.expressions.items(), *flow.joined.items())
        if (statement := facts.statement(part)) in flow.recording
        if not only_wraps(statement, facts)
        for binding in others - volatile
        # What is calculated with beside it has another name.
        if binding.name in names
    ]


def _stays_inside(call: ast.Call, flow: ValueFlow, facts: Facts) -> bool:
    """Whether a function neither trains nor hands on what comes of a value: nobody asks for its
    graph."""
    function = facts.names.enclosing_function(call)
    if function is None or any(_may_keep(statement, facts) for statement in flow.statements):
        return False
    return not gets_out(flow, facts) and not trains([function], facts)


def _may_keep(statement: ast.stmt, facts: Facts) -> bool:
    """Whether a statement yields something, or gives it to what may keep it: ``outs.append(x)``,
    ``outs[i] = x``; a function of a library does not, as ``logging.info(x)``."""
    if any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in walk(statement)):
        return True
    if isinstance(statement, (ast.Assign, ast.AugAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return any(isinstance(target, ast.Subscript) for target in targets)
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or facts.names.builtin(call.func) is not None:
        return False
    return facts.name(call.func) is None or function_run(call.func, facts) is not None


def is_shared_with_others(call: ast.Call, facts: Facts) -> bool:
    """Whether what calculates with a volatile value, or has its name, does so with others, too."""
    is_bound = is_bound_anew(call, holder_of(call, facts), facts)
    return is_bound or bool(given_otherwise(call, facts))


def is_bound_anew(call: ast.Call, holder: ast.expr | None, facts: Facts) -> bool:
    """Whether the name of a volatile value is that of another one as well, which may train:
    ``h = Variable(h.data)`` below."""
    flow = flow_of_call(call, facts)
    if flow is None or not isinstance(holder, ast.Name):
        return False
    scope = facts.names.scope_of(holder)
    volatile = flow.bindings.union(*(other.bindings for other in other_flows(call, facts)))
    others = {
        binding
        for binding in scope.bindings.get(holder.id, ())
        if binding not in volatile and isinstance(binding.node, ast.Assign)
        # What is calculated of the value goes with that.
        if only_wraps(binding.node, facts) or not _reads_one(binding.node, flow.bindings, facts)
    }
    return any(
        not others.isdisjoint(facts.flow.reaching(use))
        and not only_wraps(facts.statement(use), facts)
        for use in facts.names.uses_of(scope, holder.id)
    )


def _reads_one(statement: ast.stmt, bindings: Collection[Binding], facts: Facts) -> bool:
    """Whether a statement reads a name that may hold what one of some bindings gives it."""
    names = (n for n in ast.walk(statement) if isinstance(n, ast.Name))
    return any(not {*bindings}.isdisjoint(facts.flow.reaching(name)) for name in names)


def may_train_otherwise(call: ast.Call, facts: Facts) -> bool:
    """Whether that may be what the function's callers gave it, who may train by it."""
    is_given = any(_is_given(binding, facts) for binding in given_otherwise(call, facts))
    return is_given or _is_index_of_forward(call, facts)


def _is_index_of_forward(call: ast.Call, facts: Facts) -> bool:
    """Whether each pass of a module makes a volatile index, and the passes that train do as well.

    What trains the module runs ``backward()`` on what is taken by that index, so that the index
    had not made it volatile.
    """
    value = facts.value(call)
    is_index = isinstance(value, Tensor) and value.dtype in WITHOUT_HISTORY
    is_always = next(tests_around(facts.names, call), None) is None
    return is_index and is_always and facts.classes.is_in_forward(call)


def _is_given(binding: Binding, facts: Facts) -> bool:
    if binding.kind == "parameter":
        return True
    value = binding.value
    before = facts.flow.reaching(value) if isinstance(value, ast.Name) else ()
    return any(each.kind == "parameter" for each in before)


def is_evaluating(call: ast.Call, facts: Facts) -> bool:
    """Whether a function puts a module into its evaluation mode above a call, for what it makes, or
    into no other.

    Args:
        call: what makes a volatile value.
        facts: the facts of the module.
    """
    function = facts.names.enclosing_function(call)
    if function is None:
        return False
    made = [one for one in mode_calls(facts) if facts.names.enclosing_function(one[0]) is function]
    above = [(start_of(one), mode) for one, mode in made if one.lineno < call.lineno]
    return max(above)[1] == "eval" if above else {mode for _, mode in made} == {"eval"}


def _evaluated_above(call: ast.Call, facts: Facts) -> Set[str]:
    """The models that are certainly in their evaluation mode behind a call, by their names."""
    function = facts.names.enclosing_function(call)
    if not is_evaluating(call, facts):
        return frozenset()
    return {
        ast.unparse(one.func.value)
        for one, mode in mode_calls(facts)
        if mode == "eval" and facts.names.enclosing_function(one) is function
        if isinstance(one.func, ast.Attribute)
    }


def _only_runs(statement: ast.stmt, models: Set[str]) -> bool:
    """``loss = model(x)``: what differentiates there does so in training mode alone."""
    value = statement.value if isinstance(statement, (ast.Assign, ast.Expr, ast.Return)) else None
    if not isinstance(value, ast.Call) or ast.unparse(value.func) not in models:
        return False
    return not any(isinstance(n, ast.Call) for given in values_given(value) for n in walk(given))
