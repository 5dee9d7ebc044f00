"""Calls that get a value whose graph nobody may need: whether they give just what they compute."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import container_methods, python_functions
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.training import called_function, trains
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import Module, Optimizer, Unknown
from torchfix_codemods.rules.autograd.questions.outcomes.kept_to_itself import (
    gives_new,
    is_passing,
    just_returns,
    keeps_to_itself,
)


class OutcomeCalls:
    """The calls that values of one function go through.

    Args:
        runs: the calls of the models.
        facts: the facts of the module.
        may_ask: whether code that is not known may compute something from the values.
        pending: the bindings that are still to be followed: lists that get a value join them.
    """

    def __init__(
        self, runs: Sequence[ast.Call], facts: Facts, may_ask: bool, pending: list[Binding]
    ) -> None:
        self._runs = runs
        self._facts = facts
        self._may_ask = may_ask
        self._pending = pending
        self._scope = facts.names.scope_of(facts.statement(runs[0]))
        self.asks_others = False
        """Whether such code was met."""

    def just_computes(self, call: ast.Call) -> bool:
        """Whether a call certainly gives something new, and keeps nothing."""
        function = call.func
        if isinstance(function, ast.Attribute) and self._facts.name(function) is None:
            if gives_new(function.attr):
                return True
        return self.takes(call, may_ask=False)

    def takes(self, call: ast.Call, may_ask: bool = True) -> bool:
        """Whether a call that gets such a value keeps nothing and gives something new."""
        facts = self._facts
        function = call.func
        value = facts.value(function)
        name = facts.name(function)
        if call in self._runs or (name is not None and is_passing(name)):
            return True
        if isinstance(function, ast.Name) and self._scope.lookup(function.id) is None:
            return python_functions.keeps_nothing(function.id)
        if isinstance(value, Module):
            return keeps_to_itself(value, facts) is True or (may_ask and self._asks(call))
        definition = called_function(call, facts)
        if definition is not None:
            return just_returns(definition, facts)
        if isinstance(function, ast.Attribute):
            if function.attr in container_methods.keeping("list"):
                return self._collects(call, function.value)
            if gives_new(function.attr):
                # ``meter.add(output)`` is for what it does, not for what it gives.
                is_statement = isinstance(facts.parent(call), ast.Expr)
                return not function.attr.endswith("_") and not is_statement
        return (
            may_ask
            and isinstance(value, (Unknown, Imported))
            and not trains([call], facts)
            and (name is not None or isinstance(function, ast.Name) or _is_own(function))
            and self._asks(call)
        )

    def _asks(self, call: ast.Call) -> bool:
        """``accuracy(output, target)`` of another file: the result is wanted, as a number.

        What needs a gradient needs the model, its input, or an optimizer for it.
        """
        facts = self._facts
        if not self._may_ask or isinstance(facts.parent(call), ast.Expr):
            return False
        given = {
            ast.unparse(node)
            for argument in values_given(call)
            for node in ast.walk(argument)
            if isinstance(node, (ast.Name, ast.Attribute))
        }
        involved = {
            ast.unparse(part)
            for run in self._runs
            for part in (run.func, *run.args, *(keyword.value for keyword in run.keywords))
        }
        if given & involved or any(
            isinstance(facts.value(argument), (Optimizer, Module)) for argument in call.args
        ):
            return False
        self.asks_others = True
        return True

    def _collects(self, call: ast.Call, collection: ast.expr) -> bool:
        """``outputs.append(output)`` on a list of this function: now the list has the graph."""
        if not isinstance(collection, ast.Name):
            return False
        found = self._scope.lookup(collection.id)
        if found is None or found[0] is not self._scope:
            return False
        if not all(map(_makes_list, found[1])):
            return False
        self._pending += found[1]
        return isinstance(self._facts.parent(call), ast.Expr)


def _makes_list(binding: Binding) -> bool:
    """``outputs = []``, under no other name at the same time."""
    statement = binding.node
    return (
        isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.value, ast.List)
        and statement.value is binding.value
    )


def _is_own(function: ast.expr) -> bool:
    """``self.criterion``: the value of an attribute, not a method of some object."""
    return isinstance(function, ast.Attribute) and getattr(function.value, "id", None) == "self"
