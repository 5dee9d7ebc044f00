"""What a call does for the training of models, whichever is asked about."""

from __future__ import annotations

import ast
import functools
from typing import Literal

from torchfix_codemods.facts.language.arguments import argument, values_given
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.models import Model, model_of
from torchfix_codemods.facts.programs.modes import mode_of
from torchfix_codemods.facts.values.lattice import Instance, Optimizer, Scheduler
from torchfix_codemods.rules.training.questions.project_calls import function_run_by

Kind = Literal["train", "eval", "run", "backward", "step", "loop", "call", "unseen"]
"""``unseen``: something that gets the model, or may reach it, and may set its mode."""


class CallOfModels:
    """What is known of a call, whichever model is asked about."""

    def __init__(self, facts: Facts, call: ast.Call) -> None:
        self.facts = facts
        self.call = call

    @functools.cached_property
    def mode(self) -> Literal["train", "eval"] | None:
        """The mode that it sets."""
        return mode_of(self.call, self.facts)

    @functools.cached_property
    def receiver(self) -> Model | None:
        """The variable before the dot."""
        function = self.call.func
        if not isinstance(function, ast.Attribute):
            return None
        return model_of(self.facts, function.value)

    @functools.cached_property
    def run(self) -> frozenset[Model | None]:
        """The variable that it calls, or runs the ``forward`` of."""
        function = self.call.func
        called = model_of(self.facts, function)
        is_forward = isinstance(function, ast.Attribute) and function.attr == "forward"
        return frozenset([called, self.receiver] if is_forward else [called])

    @functools.cached_property
    def given(self) -> frozenset[Model | None]:
        """The variables that it passes."""
        return frozenset(model_of(self.facts, given) for given in values_given(self.call))

    @functools.cached_property
    def kind(self) -> Kind | None:
        """What it does itself for the training of whatever model."""
        function = self.call.func
        if not isinstance(function, ast.Attribute):
            return None
        if function.attr == "backward" or self.facts.name(function) == "torch.autograd.grad":
            return "backward"
        if function.attr == "step" and self.called is None:
            return None if _steps_no_model(self.facts, function.value) else "step"
        return None

    @functools.cached_property
    def called(self) -> tuple[Facts, ast.FunctionDef] | None:
        """The function of the project that it calls."""
        return function_run_by(self.facts, self.call)


def _steps_no_model(facts: Facts, stepped: ast.expr) -> bool:
    """Whether ``step()`` of something moves no weights: a schedule, or one of ``SGD([delta])``."""
    if isinstance(facts.value(stepped), (Scheduler, Instance)):
        return True
    made = facts.assigned(stepped) if isinstance(stepped, ast.Name) else None
    return made is not None and all(_is_of_tensors_only(facts, value) for value in made)


def _is_of_tensors_only(facts: Facts, value: ast.expr) -> bool:
    """``optim.SGD([delta], lr=0.1)``, of tensors that are no parameters of a module."""
    if not (isinstance(value, ast.Call) and isinstance(facts.value(value), Optimizer)):
        return False
    optimized = argument(value, 0, "params")
    return isinstance(optimized, (ast.List, ast.Tuple)) and all(
        isinstance(element, ast.Name) and facts.is_tensor(element) for element in optimized.elts
    )
