"""Where a value that needs no graph flows in its function."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Number
from torchfix_codemods.record import record
from torchfix_codemods.rules.autograd.questions.outcomes.company import (
    company_of,
    given_with,
    joined_company,
)
from torchfix_codemods.rules.autograd.questions.outcomes.given_back import is_given_without_graph
from torchfix_codemods.rules.autograd.questions.outcomes.graph_sources import (
    is_made_of,
    joins_graph,
)
from torchfix_codemods.rules.autograd.questions.outcomes.let_through import let_through
from torchfix_codemods.rules.autograd.questions.outcomes.letting_out import (
    collectors,
    is_handed_out,
    is_written_to,
    lets_out,
    needs_graph_again,
    overwritten,
)
from torchfix_codemods.rules.autograd.questions.outcomes.plain_uses import (
    is_read_without_graph,
    returns_history,
    stays_whole,
)
from torchfix_codemods.rules.autograd.questions.outcomes.reach import reach_of
from torchfix_codemods.rules.autograd.questions.outcomes.reading import only_reads


@record
class ValueFlow:
    """Where a value goes in its function.

    Attributes:
        statements: the innermost statements that use it, or what is computed from it.
        recording: those of them that do more than read it: only they may record a graph.
        expressions: what in them is computed from it with its graph, each with the bindings that
            give it another value on other paths: ``x`` of ``if test: x = …``.
        bindings: all that it is bound to, or what is computed from it.
        joined: further such expressions that something else goes into which may have a graph.
        marks: ``x.volatile = False``, which ends what has no graph.
    """

    statements: frozenset[ast.stmt]
    recording: frozenset[ast.stmt]
    expressions: Mapping[ast.expr, frozenset[Binding]]
    bindings: frozenset[Binding]
    joined: Mapping[ast.expr, frozenset[Binding]] = field(default_factory=dict)
    marks: frozenset[ast.stmt] = frozenset()


def flow_of(
    source: ast.Call | ast.Assign, facts: Facts, marked: ast.Name | None = None
) -> ValueFlow | None:
    """All that a value flows through in the function where it is made.

    Args:
        source: the call that makes the value; or the statement that marks it.
        facts: the facts of the module.
        marked: the name that a statement marks, as ``x.volatile = True`` does.

    Returns:
        the flow, with the statement of ``source``; None where the value itself, and not just what
        is computed from it, gets out of sight: returned, stored on an object, or made to need a
        graph again (``x.requires_grad = True``). ``x.volatile = False`` ends it.
    """
    names = facts.names
    statement = facts.statement(source)
    scope = names.scope_of(statement)
    reached, recording = {statement}, {statement}
    expressions: list[tuple[ast.expr, frozenset[Binding]]] = []
    uncertain: list[tuple[ast.expr, frozenset[Binding]]] = []
    pending: list[tuple[Binding, bool]] = []
    seen: set[Binding] = set()
    whole: set[Binding] = set()
    marks: set[ast.stmt] = set()
    company: dict[Binding, frozenset[Binding] | None] = {}

    if marked is not None:
        pending += [(binding, True) for binding in facts.flow.reaching(marked)]
    else:
        assert isinstance(source, ast.Call)
        reach = reach_of(source, facts)
        if not reach.ends and lets_out(statement, facts, is_source=True):
            return None
        beside = company_of(source, reach.expression, facts)
        if beside is not None:
            expressions.append((reach.expression, _that_hold_tensors(beside)))
        kept = collectors(source, statement, facts)
        if kept is None:
            return None
        pending += [(binding, False) for binding in kept]
        if not reach.ends:
            pending += [(b, False) for b in overwritten(reach.expression, statement, facts)]
            bindings = bindings_of(statement, reach.expression, facts)
            company.update(
                {
                    b: beside
                    if b.path
                    else company_of(source, given_with(b, reach.expression), facts)
                    for b in bindings
                }
            )
            pending += [(binding, reach.is_certain) for binding in bindings]
    while pending:
        binding, is_certain = pending.pop()
        if binding in seen:
            continue
        seen.add(binding)
        through = None if marked is not None else let_through(binding, statement, facts)
        marks.update(() if through is None else (through,))
        for use in names.uses_of(scope, binding.name):
            holder = names.statement(use)
            if holder is statement or binding not in facts.flow.reaching(use):
                continue
            if marked is not None and use is not marked and holder.lineno < statement.lineno:
                continue
            if through is not None and holder.lineno >= through.lineno:
                continue
            if names.scope_of(holder) is not scope or _is_deferred(use, facts):
                return None
            if needs_graph_again(use, facts):
                return None
            if is_read_without_graph(use, facts):
                continue
            if not is_written_to(use, holder) and lets_out(holder, facts, is_source=False):
                return None
            if is_handed_out(use, binding, facts):
                return None
            if returns_history(holder):
                continue
            reach = reach_of(use, facts)
            if stays_whole(use, reach.expression, facts):
                whole.update(bindings_of(holder, reach.expression, facts))
                continue
            reached.add(holder)
            if not (only_reads(use, facts) or is_given_without_graph(binding, source, facts)):
                recording.add(holder)
            given = _that_hold_tensors(facts.flow.reaching(use))
            beside = joined_company(
                company.get(binding, frozenset()), company_of(use, reach.expression, facts)
            )
            if beside is not None:
                given |= _that_hold_tensors(beside)
                (expressions if is_certain else uncertain).append((reach.expression, given))
            kept = collectors(use, holder, facts)
            if kept is None:
                return None
            pending += [(binding, False) for binding in kept]
            if not reach.ends:
                pending += [(b, False) for b in overwritten(reach.expression, holder, facts)]
            if not reach.ends and isinstance(holder, _BINDS):
                walks = isinstance(holder, ast.For) and reach.expression is holder.iter
                onward = bindings_of(holder, use if walks else reach.expression, facts)
                onward = [b for b in onward if not _is_bound_to_number(b, facts)]
                for b in onward:
                    around = (
                        beside
                        if b.path
                        else joined_company(
                            beside, company_of(use, given_with(b, reach.expression), facts)
                        )
                    )
                    company[b] = joined_company(company.get(b, frozenset()), around)
                pending += [(b, is_certain and reach.is_certain) for b in onward]
    if any(one.lineno > mark.lineno for mark in marks for one in reached):
        return None
    joined = [(e, given) for e, given in uncertain if joins_graph(e, seen, facts)]
    expressions += [pair for pair in uncertain if pair not in joined]
    held = frozenset(seen | whole)
    others, joins = _from_elsewhere(expressions, held), _from_elsewhere(joined, held)
    flowing = frozenset(reached), frozenset(recording)
    return ValueFlow(*flowing, others, held, joins, frozenset(marks))


def _that_hold_tensors(bindings: Collection[Binding]) -> frozenset[Binding]:
    constant = (b for b in bindings if b.kind == "assign" and isinstance(b.value, ast.Constant))
    return frozenset(bindings).difference(constant)


def _from_elsewhere(
    expressions: Sequence[tuple[ast.expr, frozenset[Binding]]], held: frozenset[Binding]
) -> dict[ast.expr, frozenset[Binding]]:
    """Which bindings outside of a flow give expressions another value on other paths."""
    others: dict[ast.expr, frozenset[Binding]] = {}
    for expression, given in expressions:
        # One operand without a graph is enough.
        new = given - held
        others[expression] = min(new, others.get(expression, new), key=len)
    return others


def unrecorded(flows: Sequence[ValueFlow], facts: Facts) -> frozenset[ast.expr]:
    """What some values without a graph make go without one, whichever way they are reached."""
    bindings = frozenset[Binding]().union(*(flow.bindings for flow in flows))
    return frozenset(
        expression
        for flow in flows
        for expression, others in (*flow.expressions.items(), *flow.joined.items())
        if others <= bindings
        if expression in flow.expressions or is_made_of(expression, bindings, facts)
    )


def _is_bound_to_number(binding: Binding, facts: Facts) -> bool:
    """``i`` of ``for i, loss in enumerate([a, b])``, which has no graph whatever the value has."""
    return isinstance(facts.inference.bound(binding), Number)


_BINDS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.With)


def _is_deferred(use: ast.Name, facts: Facts) -> bool:
    """Whether a use stands in a lambda, which may run anywhere."""
    return facts.names.scope_of(use).kind == "lambda"


def bindings_of(statement: ast.stmt, part: ast.expr, facts: Facts) -> list[Binding]:
    """The bindings of a statement that get ``part`` of its value."""
    scope = facts.names.scope_of(statement)
    bindings = [
        binding
        for bindings in scope.bindings.values()
        for binding in bindings
        if binding.node is statement
    ]
    value = getattr(statement, "value", None)
    walked = statement.iter if isinstance(statement, ast.For) else None
    if isinstance(walked, ast.Call) and facts.names.builtin(walked.func) == "zip":
        places = [i for i, given in enumerate(walked.args) if part in walk(given)]
        if places and not any(isinstance(given, ast.Starred) for given in walked.args):
            steps = {"*", *places, *(i - len(walked.args) for i in places)}
            return [b for b in bindings if not b.path or b.path[0] in steps]
    if isinstance(value, (ast.Tuple, ast.List)) and part in value.elts:
        position = value.elts.index(part)
        positions = position, position - len(value.elts)
        return [b for b in bindings if not b.path or b.path[0] in (*positions, "*")]
    return bindings
