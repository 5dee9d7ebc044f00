"""Whether a model computes something else in training than in evaluation."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable, Sequence

from torchfix_codemods.facts.language.arguments import argument, constant
from torchfix_codemods.facts.libraries import losses
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.named import class_named
from torchfix_codemods.facts.paths.uses import uses_given_by
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.imported import imported_as
from torchfix_codemods.facts.values.lattice import Function, Module, Value

#: Layers that compute something else in training than in evaluation.
MODE_LAYERS = frozenset(
    """Dropout Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout BatchNorm1d BatchNorm2d
    BatchNorm3d SyncBatchNorm RReLU""".split()
)
_PLAIN_LAYERS = (
    (torch_api.LAYERS - MODE_LAYERS)
    | {name.rpartition(".")[2] for name in losses.LOSSES}
    | frozenset(
        """RNNCell LSTMCell GRUCell Embedding Sequential ModuleList Parameter Flatten
        Identity""".split()
    )
)

#: What a module gives that is no module.
_WEIGHTS = frozenset({"weight", "bias", "state_dict", "load_state_dict"})


def has_mode_layers(facts: Facts, value: Value) -> bool | None:
    """Whether a model computes something else in training than in evaluation; None: not known."""
    if not isinstance(value, Module):
        return None
    origin = imported_as(value)
    if origin is not None:
        there = facts_of(origin.owner)
        return None if there is None else has_mode_layers(there, origin.value)
    definition = value.definition
    if definition is not None:
        return facts.remembered(
            ("mode layers", definition),
            lambda: _definition_has_mode_layers(facts, definition, set()),
        )
    return _construction_has_mode_layers(facts, value.call, set()) if value.call else None


def _definition_has_mode_layers(
    facts: Facts, definition: ast.ClassDef, seen: set[ast.ClassDef]
) -> bool | None:
    if definition in seen:
        return False
    seen.add(definition)
    answers: list[bool | None] = []
    for base in definition.bases:
        known = class_named(base, facts)
        if known is not None:
            answers.append(_definition_has_mode_layers(*known, seen))
        elif facts.name(base) != "torch.nn.Module":
            answers.append(None)
    if any(node.attr == "training" for node in facts.names.inside(definition, ast.Attribute)):
        answers.append(True)
    for call in facts.names.inside(definition, ast.Call):
        answer = _construction_has_mode_layers(facts, call, seen)
        answers.append(None if answer and _only_gives_weights(facts, call) else answer)
    return _any(answers)


def _only_gives_weights(facts: Facts, construction: ast.Call) -> bool:
    """Whether a module gives others its weights, and neither it nor a layer of it is in the model.

    ``trained = VGG()``, of which weights are copied: ``conv.weight.data = trained[0].weight.data``.
    """
    statement = facts.statement(construction)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    return isinstance(target, ast.Name) and all(
        _gives_weights(facts, use) for use in uses_given_by(facts, statement, target.id)
    )


def _gives_weights(facts: Facts, use: ast.expr) -> bool:
    """``vgg.features[0].weight``, ``vgg.load_state_dict(…)``, ``layers_of(vgg)``."""
    around = facts.parent(use)
    if isinstance(around, ast.Call):
        return isinstance(facts.value(around.func), Function)
    part: ast.AST = use
    while isinstance(around, (ast.Attribute, ast.Subscript)) and around.value is part:
        part, around = around, facts.parent(around)
        if isinstance(part, ast.Attribute) and part.attr in _WEIGHTS:
            return True
    return False


def _construction_has_mode_layers(
    facts: Facts, call: ast.Call, seen: set[ast.ClassDef]
) -> bool | None:
    name = facts.name(call.func)
    if name is not None and name.startswith("torchvision.models."):
        return True
    if name is not None and name.startswith("torch.nn.") and name.count(".") == 2:
        bare = name.rpartition(".")[2]
        if bare in MODE_LAYERS:
            return True
        if bare in torch_api.RECURRENT:
            return _has_dropout(call)
        inner = [a for a in call.args if isinstance(a, ast.Call)]
        answers = [_construction_has_mode_layers(facts, a, seen) for a in inner]
        return _any([*answers, False if bare in _PLAIN_LAYERS else None])
    known = class_named(call.func, facts)
    if known is not None and known[0].classes.kind(known[1]) != "plain":
        return _definition_has_mode_layers(*known, seen)
    if name is None and isinstance(call.func, ast.Name):
        is_builtin = facts.names.builtin(call.func) is not None
        return False if is_builtin or isinstance(facts.value(call.func), Function) else None
    return False if name is None or name.startswith(("torch.", "numpy.", "math.")) else None


def sets_modes(facts: Facts, value: Value) -> bool:
    """Whether a class of the project that a model is built from calls or defines ``train()`` or
    ``eval()`` itself."""
    return is_so_of_a_class(facts, value, _sets_modes)


def _sets_modes(facts: Facts, cls: ast.ClassDef) -> bool:
    return any(
        getattr(node, "attr", getattr(node, "name", None)) in ("train", "eval")
        for node in facts.names.inside(cls, ast.Attribute, ast.FunctionDef)
    )


def normalizes_by_batch(facts: Facts, value: Value) -> bool:
    """Whether a BatchNorm of a model keeps no more than its last batch: few-shot learners, whose
    every batch is a task of its own, are evaluated by the statistics of the batch.
    """
    return is_so_of_a_class(facts, value, _normalizes_by_batch)


def _normalizes_by_batch(facts: Facts, cls: ast.ClassDef) -> bool:
    return any(
        (facts.name(call.func) or "").startswith("torch.nn.BatchNorm")
        and constant(argument(call, 2, "momentum")) == 1
        for call in facts.names.inside(cls, ast.Call)
    )


def is_so_of_a_class(
    facts: Facts, value: Value, question: Callable[[Facts, ast.ClassDef], bool]
) -> bool:
    """Whether something is so of a class of the project that a model is built from.

    Of each class that is asked once, whichever models are built from it.
    """
    return any(
        there.remembered((question, cls), functools.partial(question, there, cls))
        for there, cls in _classes_of(facts, value)
    )


def _classes_of(facts: Facts, value: Value) -> Sequence[tuple[Facts, ast.ClassDef]]:
    """The classes of the project that a model is built from, each with the facts of its file."""
    if not isinstance(value, Module):
        return ()
    origin = imported_as(value)
    if origin is not None:
        there = facts_of(origin.owner)
        return () if there is None else _classes_of(there, origin.value)
    definition = value.definition
    return () if definition is None else _built_of(facts, definition)


def _built_of(facts: Facts, definition: ast.ClassDef) -> list[tuple[Facts, ast.ClassDef]]:
    """A class, its bases, and the classes that it builds its parts of."""
    found = {definition: facts}
    pending = [(facts, definition)]
    while pending:
        there, cls = pending.pop()
        for known in _parts_of(there, cls):
            if known[1] not in found:
                found[known[1]] = known[0]
                pending.append(known)
    return [(there, cls) for cls, there in found.items()]


def _parts_of(facts: Facts, cls: ast.ClassDef) -> list[tuple[Facts, ast.ClassDef]]:
    """The bases of a class, and what it calls that is a class."""

    def find() -> list[tuple[Facts, ast.ClassDef]]:
        built = [call.func for call in facts.names.inside(cls, ast.Call)]
        named = (class_named(node, facts) for node in (*cls.bases, *built))
        return [known for known in named if known is not None]

    return facts.remembered(("parts", cls), find)


def _has_dropout(recurrent: ast.Call) -> bool | None:
    """Whether a recurrent layer is built with dropout between its layers."""
    for keyword in recurrent.keywords:
        if keyword.arg in ("dropout", None):
            is_zero = isinstance(keyword.value, ast.Constant) and not keyword.value.value
            return False if is_zero else None
    return None if len(recurrent.args) > 5 else False


def _any(answers: Iterable[bool | None]) -> bool | None:
    found = list(answers)
    return True if True in found else None if None in found else False
