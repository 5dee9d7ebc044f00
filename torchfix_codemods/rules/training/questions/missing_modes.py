"""Where a model infers and nothing has put it into evaluation mode."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from torchfix_codemods.facts.evaluation.parameters import call_sites
from torchfix_codemods.facts.language.branches import statements_above
from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.models import Model, model_of
from torchfix_codemods.facts.programs.modes import mode_calls
from torchfix_codemods.facts.values.lattice import Optimizer
from torchfix_codemods.rules.training.questions.known_models import is_about_another
from torchfix_codemods.rules.training.questions.modes import Inference, inference_of
from torchfix_codemods.rules.training.questions.steps import Step, roots, steps_in


def places_without_eval(facts: Facts, model: Model, sample: ast.expr) -> dict[ast.stmt, Inference]:
    """Where ``eval()`` of a model is missing."""
    for call, mode in mode_calls(facts):
        assert isinstance(call.func, ast.Attribute)
        if model_of(facts, call.func.value) == model:
            if mode == "eval":
                return {}
        elif not is_about_another(facts, call, model, sample):
            return {}
    steps = [step for root in roots(facts, model) for top in root for step in top.all()]
    if any(step.kind in ("eval", "unseen") for step in steps) or _optimizers(facts, steps) > 1:
        return {}
    return {
        place: found
        for place, found in inference_of(facts, model).items()
        if not _is_meant_to_train(facts, found.runs, model)
        and not any(_is_asserted(facts, run) for run in found.runs)
    }


def without_repeated(
    facts: Facts, model: Model, places: dict[ast.stmt, Inference]
) -> dict[ast.stmt, Inference]:
    """The places but those that the ``eval()`` added at another one is still in force at."""
    return {
        place: found
        for place, found in places.items()
        if not any(
            above in places
            and places[above].model == found.model
            and _stays_the_same(facts, model, found.model, above, place)
            for above in statements_above(facts.names, place)
        )
    }


def _stays_the_same(
    facts: Facts, model: Model, written: str, above: ast.stmt, place: ast.stmt
) -> bool:
    """Whether from a statement to one below nothing trains a model, sets its mode or another one.

    What stands around the one below counts as a whole: a loop may come back to it.
    """
    block, around = facts.block(above), {place, *facts.names.ancestors(place)}
    last = next(n for n, statement in enumerate(block) if statement in around)
    between = block[block.index(above) : last + 1]
    steps = [each for step in steps_in(facts, model, between) for each in step.all()]
    if any(step.kind not in ("run", "loop", "call") for step in steps):
        return False
    parts = written.split(".")
    if any(_is_set_in_methods(facts, name) for name in parts[1:]):
        return False
    return not any(name in parts for name in _bound_anywhere(facts, between))


def _is_set_in_methods(facts: Facts, attribute: str) -> bool:
    """Whether an attribute is set elsewhere than where objects begin: a method may renew it."""
    return any(
        not isinstance(use.ctx, ast.Load)
        and getattr(facts.names.enclosing_function(use), "name", "") != "__init__"
        for use in facts.names.attributes(attribute)
    )


def _bound_anywhere(facts: Facts, statements: list[ast.stmt]) -> Iterator[str]:
    """The names and attributes that statements set, and those that functions may."""
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
                yield getattr(node, "id", getattr(node, "attr", ""))
    for cls in (ast.Global, ast.Nonlocal):
        for node in facts.names.nodes.get(cls, ()):
            assert isinstance(node, (ast.Global, ast.Nonlocal))
            yield from node.names


def _is_meant_to_train(facts: Facts, runs: list[ast.AST], model: Model) -> bool:
    """Whether ``model.train()`` stands above the runs, and nothing trains between.

    BatchNorm is to see the data then, or dropout to sample.
    """
    switches = {
        facts.statement(call): call
        for call, mode in mode_calls(facts)
        if mode == "train"
        and isinstance(call.func, ast.Attribute)
        and model_of(facts, call.func.value) == model
    }
    return any(
        statement in switches and not _trains_between(facts, statement, run)
        for run in runs
        if switches and run in facts.names.parents
        for statement in statements_above(facts.names, run)
    )


def _is_asserted(facts: Facts, run: ast.AST) -> bool:
    """Whether a test asserts something about what a run gives, which is so in the mode it has."""
    if run not in facts.names.parents:
        return False
    statement = facts.statement(run)
    function = facts.names.enclosing_function(run)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    given = {node.id for target in targets for node in ast.walk(target) if _is_name(node)}
    return function is not None and any(
        given.intersection(node.id for node in ast.walk(asserted) if _is_name(node))
        for asserted in own_nodes(function)
        if _asserts(asserted)
    )


def _is_name(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name)


def _asserts(node: ast.AST) -> bool:
    """``assert …``, ``torch.testing.assert_close(…)``, ``self.assertEqual(…)``."""
    if isinstance(node, ast.Assert):
        return True
    function = node.func if isinstance(node, ast.Call) else None
    name = getattr(function, "attr", getattr(function, "id", ""))
    return name.startswith("assert")


def _trains_between(facts: Facts, above: ast.stmt, run: ast.AST) -> bool:
    end = getattr(run, "lineno", above.lineno)
    return any(above.lineno < c.lineno < end for c in facts.names.method_calls("backward"))


def _optimizers(facts: Facts, steps: list[Step]) -> int:
    """How many optimizers are kept: with several, models sample for each other."""
    files = {id(facts): facts, **{id(step.facts): step.facts for step in steps}}
    return sum(len(_kept_optimizers(file)) for file in files.values())


def _kept_optimizers(facts: Facts) -> set[str]:
    return {
        ast.unparse(target)
        for node in facts.names.nodes.get(ast.Assign, ())
        if isinstance(node, ast.Assign) and isinstance(facts.value(node.value), Optimizer)
        for target in node.targets
    }


def is_seen_whole(facts: Facts, place: ast.stmt, model: Model) -> bool:
    """Whether all that can have set the mode before a place is in this file."""
    function = facts.names.enclosing_function(place)
    if function is None:
        return True
    if call_sites(facts.inference, function):
        return not facts.is_used_elsewhere(function.name)
    # Nothing here calls the function: then the model must be its own.
    own, name = model
    is_parameter = any(
        name == node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)
    )
    return own is function and not is_parameter
