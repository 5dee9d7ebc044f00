"""Models that infer side by side: all of them get their ``eval()``, or none does."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.models import Model, model_of
from torchfix_codemods.facts.programs.modes import mode_calls
from torchfix_codemods.rules.training.questions.known_models import module_of
from torchfix_codemods.rules.training.questions.missing_modes import (
    is_seen_whole,
    places_without_eval,
)
from torchfix_codemods.rules.training.questions.modes import Inference
from torchfix_codemods.rules.training.questions.resets import Reset, Unclear, missing_resets
from torchfix_codemods.rules.training.questions.restored_modes import has_unseen_callers_only
from torchfix_codemods.rules.training.questions.run_models import run_models
from torchfix_codemods.rules.training.questions.shared_statistics import shares_statistics
from torchfix_codemods.rules.training.questions.steps import roots


@dataclass(eq=False)
class Lacking:
    """A model that infers in training mode."""

    model: Model
    places: dict[ast.stmt, Inference]
    """Where ``eval()`` can be written: all that sets the mode before is in sight."""
    restored: dict[ast.stmt, Inference]
    """Where the mode that it had has to be restored: the callers are out of sight."""
    resets: list[Reset] | None
    """Where training needs ``train()`` again; None where that is not certain."""
    shares: bool
    """Whether it applies one BatchNorm more than once, which ``eval()`` makes something else of."""

    @property
    def all_places(self) -> dict[ast.stmt, Inference]:
        """All places at which it infers in training mode."""
        return {**self.places, **self.restored}

    @property
    def written(self) -> str:
        """How the model is written at the first place."""
        return next(iter(self.all_places.values())).model


@dataclass(eq=False)
class Company:
    """Models that infer side by side, in the order in which they are run."""

    members: list[Lacking]
    unclear: list[str]
    """How others are written that infer there too, and may have been put into evaluation mode."""


def inferring_together(facts: Facts) -> list[Company]:
    """The models of a file that infer in training mode, those side by side together."""
    models = run_models(facts)
    lacking = [one for m, sample in models.items() if (one := _lacking(facts, m, sample))]
    companies: list[list[Lacking]] = []
    for one in lacking:
        near = [c for c in companies if any(_are_beside(facts, one, other) for other in c)]
        companies = [c for c in companies if c not in near]
        companies.append([*(member for c in near for member in c), one])
    known = {one.model for one in lacking} | {
        model_of(facts, call.func.value)
        for call, _ in mode_calls(facts)
        if isinstance(call.func, ast.Attribute)
    }
    others = {m: sample for m, sample in models.items() if m not in known}
    return [Company(members, _unclear(facts, members, others)) for members in companies]


def _lacking(facts: Facts, model: Model, sample: ast.expr) -> Lacking | None:
    missing = places_without_eval(facts, model, sample)
    places = {p: f for p, f in missing.items() if is_seen_whole(facts, p, model)}
    restored = {
        p: f for p, f in missing.items() if p not in places and has_unseen_callers_only(facts, p)
    }
    if not places and not restored:
        return None
    module = module_of(facts, sample)
    shares = module is not None and shares_statistics(facts, module)
    return Lacking(model, places, restored, _resets(facts, model, places), shares)


def _resets(facts: Facts, model: Model, places: dict[ast.stmt, Inference]) -> list[Reset] | None:
    runs = frozenset(run for found in places.values() for run in found.runs)
    try:
        return [
            reset
            for steps in (roots(facts, model) if places else ())
            for reset in missing_resets(facts, model, steps, runs)
        ]
    except Unclear:
        return None


def _are_beside(facts: Facts, one: Lacking, other: Lacking) -> bool:
    """Whether one of two models infers where the other does."""
    return any(
        any(run in part for found in second.all_places.values() for run in found.runs)
        for first, second in ((one, other), (other, one))
        for part in _parts(facts, first)
    )


def _parts(facts: Facts, lacking: Lacking) -> Iterator[set[ast.AST]]:
    """The code that an ``eval()`` at each place is for: the block there, or the function."""
    for place, found in lacking.all_places.items():
        inside = set(walk(place))
        function = facts.names.enclosing_function(place)
        is_block = function is None or any(run in inside for run in found.runs)
        yield inside if is_block or function is None else set(walk(function))


def _unclear(facts: Facts, members: Sequence[Lacking], others: dict[Model, ast.expr]) -> list[str]:
    """The other models with such layers that are run where these infer."""
    if not others:
        return []
    parts = [part for one in members for part in _parts(facts, one)]
    runs = {
        model_of(facts, node.func): node.func
        for part in parts
        for node in part
        if isinstance(node, ast.Call)
    }
    return [ast.unparse(runs[model]) for model in others if model in runs]
