"""What may be a model and is given to a function of another file."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.project_imports import takes_from_project
from torchfix_codemods.facts.programs.models import Model, model_of
from torchfix_codemods.facts.values.lattice import Module, Unknown
from torchfix_codemods.record import record
from torchfix_codemods.rules.training.questions.project_calls import function_run_by


@record
class PassedOn:
    """What may be a model and is given to a function of another file."""

    given: ast.expr
    model: Model
    """The variable that it is read from."""
    there: Facts
    """The facts of the other file."""
    function: ast.FunctionDef

    @property
    def may_be_evaluated(self) -> bool:
        """Whether the function, or one that it calls, sets the mode of anything."""
        return self._reaches(speaks_of_modes)

    @property
    def gives_volatile(self) -> bool:
        """Whether the function, or one that it calls, makes anything volatile."""
        return self._reaches(_speaks_of_volatile)

    def _reaches(self, speaks: Callable[[ast.AST], bool]) -> bool:
        key = "reaches", self.function, speaks
        return self.there.remembered(key, lambda: _reaches(self.there, self.function, speaks))


def _reaches(facts: Facts, function: ast.FunctionDef, speaks: Callable[[ast.AST], bool]) -> bool:
    seen = {function}
    pending = [(facts, function)]
    while pending:
        there, called = pending.pop()
        if speaks(called):
            return True
        for found in there.remembered(
            ("callees", called), functools.partial(_callees, there, called)
        ):
            if found[1] not in seen:
                seen.add(found[1])
                pending.append(found)
    return False


def _callees(facts: Facts, function: ast.FunctionDef) -> list[tuple[Facts, ast.FunctionDef]]:
    calls = facts.names.inside(function, ast.Call)
    found = (function_run_by(facts, call) for call in calls)
    return [called for called in found if called is not None]


def speaks_of_modes(function: ast.AST) -> bool:
    """Whether a function reads ``train`` or ``eval`` of anything."""
    return any(
        isinstance(node, ast.Attribute) and node.attr in ("train", "eval")
        for node in walk(function)
    )


def _speaks_of_volatile(function: ast.AST) -> bool:
    return any(isinstance(node, ast.keyword) and node.arg == "volatile" for node in walk(function))


def models_passed_on(facts: Facts) -> list[PassedOn]:
    """What may be models and is given to functions of other files."""
    if not takes_from_project(facts):
        return []
    return facts.remembered("models passed on", lambda: list(_models_passed_on(facts)))


def _models_passed_on(facts: Facts) -> Iterator[PassedOn]:
    for call in facts.names.nodes.get(ast.Call, ()):
        assert isinstance(call, ast.Call) and facts.files is not None
        function = call.func
        if isinstance(function, ast.Attribute) and not facts.files.is_defined(function.attr):
            continue
        # What is called is dear to find out, and often nothing is given.
        called = function_run_by(facts, call) if values_given(call) else None
        # Facts of the same file may be others: those of what a second run would see.
        if called is None or called[0].inference is facts.inference:
            continue
        for given in values_given(call):
            model = model_of(facts, given)
            if model is not None and isinstance(facts.value(given), (Module, Unknown)):
                yield PassedOn(given, model, *called)
