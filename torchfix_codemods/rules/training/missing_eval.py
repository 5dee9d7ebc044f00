"""Inference with dropout and BatchNorm still in training mode."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import libcst as cst

from torchfix_codemods.edit.lines import with_line_before
from torchfix_codemods.facts.models import (
    MODE_LAYERS,
    Model,
    has_mode_layers,
    is_about_another,
    model_of,
    module_of,
)
from torchfix_codemods.facts.modes import Unclear, inference_of, missing_resets, mode_calls, roots
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.parameters import call_sites
from torchfix_codemods.facts.values import Optimizer
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule


class MissingEval(Rule):
    """
    ## What it does
    Adds `model.eval()` at the start of a function, a loop or a `with torch.no_grad()` block that
    runs a model for evaluation, when the model has Dropout or BatchNorm and nothing in the file
    puts it into evaluation mode. Where the model is trained again afterwards, `model.train()` is
    added there in the same step.

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
    Where the file calls `eval()` or `train(False)` on the model or on something that may be a part
    of it, where the code does not certainly only infer, where a function is called from other
    files only, inside of training loops (samples of a GAN, agents that act and learn), and where
    the model is not certainly one with such layers.

    ## References
    - https://pytorch.org/docs/stable/notes/autograd.html#evaluation-mode-nn-module-eval
    """

    code = "TP601"
    name = "missing-eval"
    since = "0.1"
    numerics = Numerics.CHANGED
    moves = frozenset({"evaluation", "print", "save", "final"})
    words = MODE_LAYERS | {"training"}
    message = "the model infers in training mode (dropout, BatchNorm): eval() comes first"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if call is facts.remembered("modes shown", lambda: _first_sign(facts)):
            yield from self._missing_modes(facts)

    def find_Attribute(self, attribute: ast.Attribute, facts: Facts) -> Iterator[Found]:
        if attribute is facts.remembered("modes shown", lambda: _first_sign(facts)):
            yield from self._missing_modes(facts)

    def _missing_modes(self, facts: Facts) -> Iterator[Found]:
        for model, sample in _models(facts).items():
            places = _places(facts, model, sample)
            if not places:
                continue
            runs = frozenset(run for found in places.values() for run in found)
            try:
                resets = [r for s in roots(facts, model) for r in missing_resets(facts, s, runs)]
            except Unclear:
                for place in places:
                    yield self.advice(place, f"{self.message}, and train() before training again")
                continue
            # An eval() without the train() that training then needs would be worse than none.
            group = f"modes of {_written(next(iter(places.values()))[0])}"
            for place, found in places.items():
                yield self.found(place, group=group, line=f"{_written(found[0])}.eval()")
            for place, written in {reset.place: reset.model for reset in resets}.items():
                yield self.found(
                    place,
                    "back to training mode after the eval() added",
                    group=group,
                    line=f"{written}.train()",
                )

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        # The region can be a statement of any kind.
        assert isinstance(updated_node, cst.BaseStatement)
        return with_line_before(updated_node, self.data["line"])


def _first_sign(facts: Facts) -> ast.AST | None:
    """The first thing that shows that some model of the file knows modes: asked once a file."""
    for node in facts.names.nodes.get(ast.Call, ()):
        assert isinstance(node, ast.Call)
        function = node.func
        called = function.attr if isinstance(function, ast.Attribute) else None
        called = function.id if isinstance(function, ast.Name) else called
        if called in MODE_LAYERS:
            return node
    for node in facts.names.nodes.get(ast.Attribute, ()):
        if isinstance(node, ast.Attribute) and node.attr == "training":
            return node
    return None


def _models(facts: Facts) -> dict[Model, ast.expr]:
    """The models with such layers that code outside of modules runs, each with a place."""
    result: dict[Model, ast.expr] = {}
    for node in facts.names.nodes.get(ast.Call, ()):
        assert isinstance(node, ast.Call)
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr == "forward":
            function = function.value
        owner = facts.names.enclosing_class(node)
        in_module = owner is not None and facts.classes.kind(owner) != "plain"
        if in_module or facts.name(function) is not None:
            continue
        value = module_of(facts, function)
        if value is None:
            continue
        model = model_of(facts, function)
        if model is not None and model not in result and has_mode_layers(facts, value):
            result[model] = function
    return result


def _places(facts: Facts, model: Model, sample: ast.expr) -> dict[ast.stmt, list[ast.Call]]:
    """Where ``eval()`` of a model is missing."""
    for call, mode in mode_calls(facts):
        assert isinstance(call.func, ast.Attribute)
        if model_of(facts, call.func.value) == model:
            if mode == "eval":
                return {}
        elif not is_about_another(facts, call, model, sample):
            return {}
    if _optimizers(facts) > 1:
        return {}
    return {
        place: runs
        for place, runs in inference_of(facts, model).items()
        if _is_seen_whole(facts, place, model)
    }


def _optimizers(facts: Facts) -> int:
    """How many optimizers the file keeps: with several, models sample for each other."""
    kept = set()
    for node in facts.names.nodes.get(ast.Assign, ()):
        if isinstance(node, ast.Assign) and isinstance(facts.value(node.value), Optimizer):
            kept |= {ast.unparse(target) for target in node.targets}
    return len(kept)


def _is_seen_whole(facts: Facts, place: ast.stmt, model: Model) -> bool:
    """Whether all that can have set the mode before a place is in this file."""
    function = facts.names.enclosing_function(place)
    if function is None or call_sites(facts.inference, function):
        return True
    # Nothing here calls the function: then the model must be its own.
    own, name = model
    is_parameter = any(
        name == node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)
    )
    return own is function and not is_parameter


def _written(run: ast.Call) -> str:
    function = run.func
    if isinstance(function, ast.Attribute) and function.attr == "forward":
        function = function.value
    return ast.unparse(function)
