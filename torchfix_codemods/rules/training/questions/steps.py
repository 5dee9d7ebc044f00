"""What happens to a model, in the order in which it runs: training, inference, modes.

The code of a module is read as one tree of steps: calls of functions are followed, those of other
files of the project too. Everything is asked for one model at a time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from torchfix_codemods.facts.evaluation import classes_elsewhere, parameters
from torchfix_codemods.facts.language.foreign import is_foreign
from torchfix_codemods.facts.language.nodes import LOOPS, children
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.models import Model, model_of_parameter
from torchfix_codemods.facts.programs.modes import MODULE_METHODS
from torchfix_codemods.facts.values.lattice import (
    ClassObject,
    Foreign,
    Function,
    Instance,
    Method,
    Module,
)
from torchfix_codemods.rules.training.questions.known_models import module_of
from torchfix_codemods.rules.training.questions.model_calls import CallOfModels, Kind
from torchfix_codemods.rules.training.questions.passed_models import speaks_of_modes
from torchfix_codemods.rules.training.questions.project_calls import OF_LIBRARIES, passed, passed_as

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef, ast.Lambda)


@dataclass(eq=False)
class Step:
    """One thing that happens to a model; loops and calls hold what happens inside of them."""

    kind: Kind
    node: ast.AST
    facts: Facts
    """What is known of the file that holds the node."""
    children: list[Step] = field(default_factory=list)
    function: ast.AST | None = None
    """For calls: the function that is called."""
    is_given: bool = False
    """Whether what is not seen gets the model as an argument."""

    def all(self) -> Iterator[Step]:
        """The step and everything inside of it."""
        yield self
        for child in self.children:
            yield from child.all()

    def has(self, *kinds: Kind) -> bool:
        """Whether each of ``kinds`` happens in this step."""
        return set(kinds) <= {step.kind for step in self.all()}

    def trains(self) -> bool:
        """Whether the model is trained in this step."""
        return self.has("run", "backward", "step")


def may_be_held(facts: Facts, model: Model) -> bool:
    """Whether something out of sight may keep the model, and set its mode at any time."""
    return any(
        step.kind == "unseen"
        and not isinstance(step.facts.parent(step.node), ast.Expr)
        and step.is_given
        for steps in roots(facts, model)
        for root in steps
        for step in root.all()
    )


def roots(facts: Facts, model: Model) -> list[list[Step]]:
    """The steps of the module's own code, and of each function that nothing here calls."""
    return facts.remembered(("roots", model), lambda: list(_roots(facts, model)))


def _roots(facts: Facts, model: Model) -> Iterator[list[Step]]:
    steps = _Walk(facts)
    yield steps.block(facts, model, facts.tree.body)
    for cls in _FUNCTIONS:
        for node in facts.names.nodes.get(cls, ()):
            assert isinstance(node, _FUNCTIONS)
            if not parameters.call_sites(facts.inference, node):
                yield steps.block(facts, model, node.body)


def steps_in(facts: Facts, model: Model, statements: Iterable[ast.stmt]) -> list[Step]:
    """What happens to a model in some statements of a file."""
    return _Walk(facts).block(facts, model, statements)


class _Walk:
    """A walk through the code of a file, and of the functions of other files that it calls.

    Args:
        home: the facts of the file. Who sets modes in it is asked of :func:`mode_calls`.
    """

    def __init__(self, home: Facts) -> None:
        self._home = home
        self._known: dict[tuple[ast.AST, Model | None], list[Step]] = {}

    def block(self, facts: Facts, model: Model | None, body: Iterable[ast.stmt]) -> list[Step]:
        """The steps of statements; without a model, only what may set the mode of any."""
        return [step for statement in body for step in self._steps(facts, model, statement)]

    def _steps(self, facts: Facts, model: Model | None, node: ast.AST) -> Iterator[Step]:
        for part in facts.remembered(("calls", node), lambda: _calls_and_loops(node)):
            if isinstance(part, ast.Call):
                yield from self._steps_of_call(facts, model, part)
            else:
                inside = [s for c in children(part) for s in self._steps(facts, model, c)]
                if inside:
                    yield Step("loop", part, facts, inside)

    def _steps_of_call(self, facts: Facts, model: Model | None, call: ast.Call) -> Iterator[Step]:
        # Asked for each model anew, of the same calls.
        about = facts.remembered(("about", call), lambda: CallOfModels(facts, call))
        if about.mode is not None:
            if model is not None and about.receiver == model:
                yield Step(about.mode, call, facts)
            elif facts is not self._home:
                yield Step("unseen", call, facts)
        elif about.kind is not None:
            yield Step(about.kind, call, facts)
        elif model is not None and model in about.run:
            yield Step("run", call, facts)
        elif about.called is not None:
            inside = self._within(facts, model, call, *about.called)
            if inside:
                yield Step("call", call, facts, inside, about.called[1])
        elif model is not None and self._may_set_mode(about, model):
            yield Step("unseen", call, facts, is_given=model in about.given)

    def _within(
        self,
        facts: Facts,
        model: Model | None,
        call: ast.Call,
        there: Facts,
        called: ast.FunctionDef,
    ) -> list[Step]:
        """The steps of the function that a call runs."""
        if there is not facts and model is not None:
            parameter = passed_as(facts, model, call, called)
            if parameter is None:
                if passed(facts, model, call) is not None:
                    return [Step("unseen", call, facts)]
                # Without being given it, another file can reach a model as ``self.model`` only.
                model = model if isinstance(model[0], ast.ClassDef) else None
            else:
                model = model_of_parameter(there, parameter)
                if model is None:
                    return [Step("unseen", call, facts)]
        key = called, model
        if key not in self._known:
            # A function that calls itself adds nothing to itself.
            self._known[key] = []
            self._known[key] = self.block(there, model, called.body)
        return self._known[key]

    def _may_set_mode(self, about: CallOfModels, model: Model) -> bool:
        """Whether a call that cannot be followed gets the model, and may do anything to it."""
        facts, function = about.facts, about.call.func
        if isinstance(function, ast.Attribute) and about.receiver == model:
            return function.attr not in MODULE_METHODS and not self._is_method_in_sight(
                facts, function
            )
        if model not in about.given:
            return False
        name = facts.name(function)
        if name is not None:
            return not (name.startswith(OF_LIBRARIES) or is_foreign(name))
        if facts.names.builtin(function) is not None:
            return False
        callee = facts.value(function)
        if isinstance(callee, Method):
            callee = callee.receiver
        if isinstance(callee, (Module, Foreign)):
            return False
        return facts is not self._home or not isinstance(callee, (Function, ClassObject, Instance))

    def _is_method_in_sight(self, facts: Facts, function: ast.Attribute) -> bool:
        """``model.loss(x)`` of a class of the project, where the method sets no modes."""
        model = module_of(facts, function.value) or facts.value(function.value)
        found = classes_elsewhere.method_of(facts.inference, model, function.attr)
        if found is None:
            return False
        owner, method = found
        return owner is self._home.inference or not speaks_of_modes(method)


def _calls_and_loops(node: ast.AST) -> list[ast.AST]:
    """The calls of a statement in the order in which they run, and its outermost loops."""
    if isinstance(node, _DEFINITIONS):
        return []
    if isinstance(node, LOOPS):
        return [node]
    found = [part for child in children(node) for part in _calls_and_loops(child)]
    return [*found, node] if isinstance(node, ast.Call) else found
