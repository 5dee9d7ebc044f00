"""Inference with dropout and BatchNorm still in training mode."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, TypeGuard

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.lines import with_line_before
from torchfix_codemods.facts.evaluation.parameters import call_sites
from torchfix_codemods.facts.language.branches import statements_above
from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.project_imports import may_meet, takes_from_project
from torchfix_codemods.facts.programs.models import (
    Model,
    has_mode_layers,
    is_about_another,
    model_of,
    module_of,
    normalizes_by_batch,
    sets_modes,
    variable_name,
)
from torchfix_codemods.facts.programs.modes import mode_calls
from torchfix_codemods.facts.recording.gradients import NO_GRAD_CONTEXTS
from torchfix_codemods.facts.values.lattice import Module, Optimizer
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import EVALUATION, Found, Rule
from torchfix_codemods.rules.training.questions.mode_results import gives_by_mode
from torchfix_codemods.rules.training.questions.modes import (
    Inference,
    Unclear,
    inference_of,
    may_infer,
    missing_resets,
    model_run,
)
from torchfix_codemods.rules.training.questions.passed_models import models_passed_on
from torchfix_codemods.rules.training.questions.steps import Step, roots


class MissingEval(Rule):
    """
    ## What it does
    Adds `model.eval()` at the start of a function, a loop or a `with torch.no_grad()` block that
    runs a model for evaluation, when the model has Dropout or BatchNorm and nothing puts it into
    evaluation mode. A function of another file that only infers gets it where it is called. Where
    the model is trained again afterwards, `model.train()` is added there in the same step.

    ## Why
    In training mode dropout zeroes activations at random, and BatchNorm normalizes each batch by
    itself and learns from the test data: the results are noisy and too bad, and differ from run
    to run.

    ## Example
    ```python
    def test():
        with torch.no_grad():
            for data, target in test_loader:
                output = model(data)
    ```
    becomes
    ```python
    def test():
        model.eval()
        with torch.no_grad():
            for data, target in test_loader:
                output = model(data)
    ```

    ## Numbers
    Changed, as meant: dropout is off and BatchNorm uses what it learned.

    ## When it stays its hand
    Where the file, or a function of the project that it calls, sets the mode of the model or of
    something that may be a part of it, where the model goes to code that cannot be seen, where the
    code does not certainly only infer, where a function is called from other files, inside of
    training loops (samples of a GAN, agents that act and learn), where a loop runs the model on
    one input again and again (dropout that samples), where a test asserts something about the
    result, where a BatchNorm keeps the statistics of one batch only (``momentum=1``), where
    ``forward()`` returns something of another form in evaluation, and where the model is not
    certainly one with such layers.

    ## References
    - https://pytorch.org/docs/stable/notes/autograd.html#evaluation-mode-nn-module-eval
    """

    code = "TP601"
    name = "missing-eval"
    since = "0.1"
    numerics = Numerics.CHANGED
    moves = EVALUATION
    words = frozenset({"torch"})
    message = "the model infers in training mode (dropout, BatchNorm): eval() comes first"

    def find_Module(self, tree: ast.Module, facts: Facts) -> Iterator[Found]:
        if ast.Assign in facts.names.nodes:
            yield from self._missing_modes(facts)

    def _missing_modes(self, facts: Facts) -> Iterator[Found]:
        for model, sample in _models(facts).items():
            places = _places(facts, model, sample)
            if not places:
                continue
            runs = frozenset(run for found in places.values() for run in found.runs)
            try:
                resets = [
                    reset
                    for steps in roots(facts, model)
                    for reset in missing_resets(facts, model, steps, runs)
                ]
            except Unclear:
                for place in places:
                    yield self.advice(place, f"{self.message}, and train() before training again")
                continue
            # An eval() without the train() that training then needs would be worse than none.
            group = f"modes of {next(iter(places.values())).model}"
            for place, found in places.items():
                yield self.found(place, group=group, line=f"{found.model}.eval()")
            for place, written in {reset.place: reset.model for reset in resets}.items():
                yield self.found(
                    place,
                    "back to training mode after the eval() added",
                    group=group,
                    line=f"{written}.train()",
                )

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> Any:
        # The region can be a statement of any kind.
        assert isinstance(updated, cst.BaseStatement)
        return with_line_before(updated, self.data["line"])


def _models(facts: Facts) -> dict[Model, ast.expr]:
    """The models with such layers that code outside of modules runs, each with a place."""
    result: dict[Model, ast.expr] = {}
    for used in (*_run_here(facts), *_passed_on(facts)):
        model = model_of(facts, used)
        value = None if model is None or model in result else module_of(facts, used)
        if model is None or value is None or not has_mode_layers(facts, value):
            continue
        if normalizes_by_batch(facts, value) or _is_dropout(value) or gives_by_mode(facts, value):
            continue
        if value.origin is None or not sets_modes(facts, value):
            result[model] = used
    return result


def _is_dropout(value: Module) -> bool:
    """Whether a model is nothing but dropout, which is run by itself to look at its noise."""
    return "Dropout" in (value.cls or "").rpartition(".")[2]


def _run_here(facts: Facts) -> Iterator[ast.expr]:
    """What is called like a function in code outside of modules, and is no name of a library.

    Of what infers nowhere in the file there is nothing to say.
    """
    inferring = {variable_name(model_run(call)) for call in may_infer(facts)}
    for node in facts.names.nodes.get(ast.Call, ()) if inferring else ():
        assert isinstance(node, ast.Call)
        used = model_run(node)
        if variable_name(used) not in inferring or facts.name(used) is not None:
            continue
        if not (facts.names.may_be_built_here(used) or takes_from_project(facts)):
            continue
        owner = facts.names.enclosing_class(node)
        if owner is None or facts.classes.kind(owner) == "plain":
            yield used


def _passed_on(facts: Facts) -> Iterator[ast.expr]:
    """What may be a model, and is given to a function of another file, which may infer."""
    if not may_meet(facts, *NO_GRAD_CONTEXTS, "volatile"):
        return
    for passed in models_passed_on(facts):
        if facts.files is not None and passed.gives_volatile:
            # The other file says so once its volatile has become no_grad.
            facts.files.waits = True
        yield passed.given


def _places(facts: Facts, model: Model, sample: ast.expr) -> dict[ast.stmt, Inference]:
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
        if _is_seen_whole(facts, place, model)
        and not _is_meant_to_train(facts, found.runs, model)
        and not any(_is_asserted(facts, run) for run in found.runs)
    }


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


def _is_seen_whole(facts: Facts, place: ast.stmt, model: Model) -> bool:
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
