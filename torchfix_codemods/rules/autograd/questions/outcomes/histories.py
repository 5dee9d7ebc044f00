"""Whether all that a model computes ends in numbers, or somebody may back-propagate through it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.record import record
from torchfix_codemods.rules.autograd.questions.outcomes.kept_to_itself import (
    OUT_OF_SIGHT,
    gives_new,
)
from torchfix_codemods.rules.autograd.questions.outcomes.outcome_calls import OutcomeCalls
from torchfix_codemods.rules.autograd.questions.outcomes.reach import reach_of
from torchfix_codemods.rules.autograd.questions.outcomes.value_flow import bindings_of
from torchfix_codemods.rules.autograd.questions.outcomes.ways_to_numbers import (
    chooses,
    has_no_history,
    is_kept_by_python,
    is_text,
    stores_of,
    way_up,
    with_methods,
)


@record
class History:
    """Where values go of which nobody can need the graph.

    Attributes:
        statements: the innermost statements that compute something from the values.
        expressions: what in them is computed from the values with their graph.
        classifies: whether classes are chosen by the values, or a loss for classes is computed.
        asks_others: whether code that is not known computes something from the values.
        bindings: what is bound to them.
    """

    statements: frozenset[ast.stmt]
    expressions: frozenset[ast.expr]
    classifies: bool
    asks_others: bool
    bindings: frozenset[Binding]


def history_of(runs: Sequence[ast.Call], facts: Facts) -> History | None:
    """What becomes of what models compute in one function.

    Args:
        runs: the calls of the models.
        facts: the facts of the module.

    Returns:
        the history; None where a graph may get out of sight (returned, stored, handed to code
        that may keep it) or is back-propagated through.
    """
    tracer = _Tracer(runs, facts, may_ask=True)
    return tracer.history() if tracer.follow_runs() else None


def inputs_of(
    runs: Sequence[ast.Call], bindings: Iterable[Binding], facts: Facts
) -> History | None:
    """What becomes of values on their way to the models; None as above."""
    tracer = _Tracer(runs, facts, may_ask=False)
    return tracer.history() if tracer.follow_names(bindings) else None


class _Tracer:
    def __init__(self, runs: Sequence[ast.Call], facts: Facts, may_ask: bool) -> None:
        self._runs = runs
        self._facts = facts
        self._may_ask = may_ask
        self._scope = facts.names.scope_of(facts.statement(runs[0]))
        self._statements: set[ast.stmt] = set()
        self._expressions: set[ast.expr] = set()
        self._passed: set[ast.Call] = set()
        self._pending: list[Binding] = []
        self._seen = set[Binding]()
        self._classifies = False
        self._calls = OutcomeCalls(runs, facts, may_ask, self._pending)

    def history(self) -> History:
        return History(
            frozenset(self._statements),
            frozenset(e for e in self._expressions if self._is_seen(e)),
            self._classifies,
            self._calls.asks_others,
            frozenset(self._seen),
        )

    def follow_runs(self) -> bool:
        """Whether everything that is computed by the runs ends in this function."""
        return all(map(self._follow_expression, self._runs)) and self.follow_names(())

    def follow_names(self, bindings: Iterable[Binding]) -> bool:
        """Whether everything that is computed from names ends in this function."""
        self._pending += bindings
        while self._pending:
            binding = self._pending.pop()
            if binding not in self._seen:
                self._seen.add(binding)
                if not self._follow_binding(binding):
                    return False
        return True

    def _is_seen(self, expression: ast.expr) -> bool:
        """Whether everything that runs in an expression is known to compute and no more."""
        return all(
            call in self._passed or self._calls.just_computes(call)
            for call in ast.walk(expression)
            if isinstance(call, ast.Call)
        )

    def _follow_binding(self, binding: Binding) -> bool:
        facts = self._facts
        if self._scope.kind == "module" and facts.is_used_elsewhere(binding.name):
            return False
        for use in facts.names.uses_of(self._scope, binding.name):
            if binding in facts.flow.reaching(use) and not self._follow_expression(use):
                return False
        return True

    def _follow_expression(self, start: ast.expr) -> bool:
        """Whether the graph of an expression ends in its statement, or goes on into names."""
        facts = self._facts
        statement = facts.statement(start)
        if facts.names.scope_of(statement) is not self._scope or self._is_deferred(start):
            return False
        self._classifies = self._classifies or chooses(start, facts)
        reach = reach_of(start, facts)
        part, ends = start, has_no_history(facts.value(start))
        for child, parent in way_up(start, reach.expression, facts):
            if ends:
                break
            if not self._passes(child, parent):
                return False
            if isinstance(parent, ast.expr):
                ends = self._ends_at(parent)
                part = part if is_text(parent, facts) else parent
        else:
            if reach.ends and is_kept_by_python(reach.expression, facts):
                return False
            ends = ends or reach.ends
        sums = isinstance(statement, ast.AugAssign) and not ends
        if part is not start or start in self._runs or sums:
            self._statements.add(statement)
        self._expressions.add(with_methods(part, facts) if ends else part)
        return ends or self._follow_statement(statement, part)

    def _ends_at(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Compare) or has_no_history(self._facts.value(node)):
            return True
        # What a model makes of its input is followed from the run on.
        return node in self._runs and not self._may_ask

    def _is_deferred(self, node: ast.expr) -> bool:
        scope = self._facts.names.scope_of(node)
        return scope is not self._scope and scope.kind in ("function", "lambda", "class")

    def _follow_statement(self, statement: ast.stmt, part: ast.expr) -> bool:
        if isinstance(statement, (ast.If, ast.While, ast.Assert, ast.Expr, ast.Delete)):
            return not (isinstance(statement, ast.Expr) and part in self._runs)
        if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For)):
            return False
        for node in stores_of(statement):
            if isinstance(node, ast.Name):
                found = self._scope.lookup(node.id)
                if found is None or found[0] is not self._scope:
                    return False
            elif not isinstance(node, (ast.Tuple, ast.List, ast.Starred)):
                return False
        bound = bindings_of(statement, part, self._facts)
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            # A list, or a tensor, is changed under all of its names.
            bound += self._facts.flow.reaching_before(statement, statement.target.id)
        self._pending += [
            binding for binding in bound if not has_no_history(self._facts.inference.bound(binding))
        ]
        return True

    def _passes(self, child: ast.AST, parent: ast.AST) -> bool:
        """Whether ``parent`` just computes something from ``child``."""
        if isinstance(parent, ast.Call):
            if child is parent.func:
                method = child.attr if isinstance(child, ast.Attribute) else None
                passes = gives_new(method) or method in container_methods.keeping("list")
            else:
                passes = self._calls.takes(parent)
            self._passed.add(parent)
            return passes
        if isinstance(parent, ast.GeneratorExp):
            # Anywhere else it may run after the end of the block.
            return isinstance(self._facts.parent(parent), ast.Call)
        if isinstance(parent, ast.Attribute):
            return parent.attr not in ("grad", "grad_fn", "requires_grad")
        if isinstance(parent, ast.comprehension):
            owner = self._facts.parent(parent)
            assert owner is not None
            calls = [node for node in ast.walk(owner) if isinstance(node, ast.Call)]
            return all(self._calls.just_computes(call) for call in calls)
        return not isinstance(parent, OUT_OF_SIGHT)
