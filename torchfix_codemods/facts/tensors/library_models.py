"""Models that a library builds, of whose results something is known."""

from __future__ import annotations

import ast
from collections.abc import Callable

from torchfix_codemods.facts.evaluation.given_back import argument_given_back
from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import function_named
from torchfix_codemods.facts.values.lattice import Module

#: The layers at the end of models that classify, and the models in which they are linear.
_ENDS = frozenset({"fc", "classifier"})
_CLASSIFYING = (
    *("resnet", "resnext", "wide_resnet", "vgg", "alexnet", "densenet", "inception_v3"),
    *("googlenet", "squeezenet", "mobilenet", "shufflenet", "mnasnet"),
)
#: The parts that pool in front of the layers at the end, which take a flat row each.
_POOLING = frozenset({"avgpool", "maxpool"})
#: Through so many assignments a model is followed.
_LONGEST = 4
_APART = frozenset({"detection", "segmentation", "video", "quantization"})
_LINEAR_ENDS = ("resnet", "resnext", "vgg", "alexnet", "densenet", "inception_v3")


def is_of_torchvision(facts: Facts, model: ast.expr) -> bool:
    """Whether a model is one of torchvision's, which give a batch of scores."""
    names = _builders(facts, model)
    return bool(names) and all(name.startswith("torchvision.models.") for name in names)


def ndims_of_torchvision(
    facts: Facts, model: ast.expr, given: Callable[[], frozenset[int]]
) -> frozenset[int]:
    """The numbers of dimensions of what a model of torchvision gives, or the layers at its end.

    Models that classify give rows of scores, and ``fc`` and ``classifier`` are linear layers.

    Args:
        facts: the facts of the module.
        model: what is called: ``net``, ``net.fc``.
        given: tells the numbers of dimensions of what it is given.

    Returns:
        none where it is no such model, or where the file changes parts of it.
    """
    is_end = isinstance(model, ast.Attribute) and model.attr in _ENDS
    net = model.value if is_end and isinstance(model, ast.Attribute) else model
    names = _builders(facts, net)
    if not names or not all(map(_classifies, names)):
        return frozenset()
    items = (node for node in facts.names.nodes.get(ast.Subscript, ()) if _is_set(node))
    if any(_may_be_changed(facts, each, net) for each in (*facts.names.changed_attributes, *items)):
        return frozenset()
    if not is_end:
        return frozenset({2})
    is_linear = all(name.rpartition(".")[2].startswith(_LINEAR_ENDS) for name in names)
    return given() - {0} if is_linear else frozenset()


def _classifies(name: str) -> bool:
    """Whether a function builds a model that gives a row of scores for each image."""
    *package, function = name.removeprefix("torchvision.models.").split(".")
    is_apart = not name.startswith("torchvision.models.") or not _APART.isdisjoint(package)
    return not is_apart and function.startswith(_CLASSIFYING)


def _is_set(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)


def _may_be_changed(facts: Facts, changed: ast.AST, net: ast.expr) -> bool:
    """Whether a part of a model gets something else than a linear layer: ``net.fc = …``.

    What it pools with, ``net.avgpool = …``, changes nothing of the rows that it gives.
    """
    if not ast.unparse(changed).startswith(f"{ast.unparse(net)}."):
        return False
    statement = facts.parent(changed)
    value = facts.value(statement.value) if isinstance(statement, ast.Assign) else None
    name = value.cls or "" if isinstance(value, Module) else ""
    is_pooling = isinstance(changed, ast.Attribute) and changed.attr in _POOLING
    return name != "torch.nn.Linear" and not (is_pooling and name.endswith("Pool2d"))


def _builders(facts: Facts, model: ast.expr, depth: int = 0) -> list[str]:
    """The names of what builds all that a name may hold, ``""`` of what is not known.

    ``resnet`` of ``net = resnet().eval()`` and ``net = to_gpu(net)``.
    """
    made = facts.assigned(model) if isinstance(model, ast.Name) and depth <= _LONGEST else None
    return [name for value in made or () for name in _built_by(facts, model, value, depth)]


def _built_by(facts: Facts, model: ast.expr, value: ast.expr, depth: int) -> list[str]:
    if not isinstance(value, ast.Call):
        return [facts.name(value) or ""]
    function, called = value.func, function_named(value.func, facts)
    given = None
    if called is not None:
        given = argument_given_back(called[0].inference, called[1], value)
    elif isinstance(function, ast.Attribute) and torch_table.gives_its_module(function.attr):
        given = function.value
    if isinstance(given, ast.Call):
        return _built_by(facts, model, given, depth)
    if given is None:
        return [facts.name(function) or ""]
    # By another name, other parts of it may be changed.
    is_same = same_expression(given, model)
    return (_builders(facts, given, depth + 1) if is_same else []) or [""]
