"""Models that a library builds, of whose results something is known."""

from __future__ import annotations

import ast
from collections.abc import Callable

from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module

#: The layers at the end of models that classify, and the models in which they are linear.
_ENDS = frozenset({"fc", "classifier"})
_CLASSIFYING = (
    *("resnet", "resnext", "wide_resnet", "vgg", "alexnet", "densenet", "inception_v3"),
    *("googlenet", "squeezenet", "mobilenet", "shufflenet", "mnasnet"),
)
_APART = frozenset({"detection", "segmentation", "video", "quantization"})
_LINEAR_ENDS = ("resnet", "resnext", "vgg", "alexnet", "densenet", "inception_v3")


def is_of_torchvision(facts: Facts, model: ast.expr) -> bool:
    """Whether a model is one of torchvision's, which give a batch of scores."""
    made = facts.assigned(model) if isinstance(model, ast.Name) else None
    return bool(made) and all(
        (facts.name(_built(value)) or "").startswith("torchvision.models.") for value in made or ()
    )


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
    made = facts.assigned(net) if isinstance(net, ast.Name) else None
    names = [facts.name(_built(value)) or "" for value in made or ()]
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
    """Whether a part of a model gets something else than a linear layer: ``net.fc = …``."""
    if not ast.unparse(changed).startswith(f"{ast.unparse(net)}."):
        return False
    statement = facts.parent(changed)
    value = facts.value(statement.value) if isinstance(statement, ast.Assign) else None
    return not (isinstance(value, Module) and value.cls == "torch.nn.Linear")


def _built(value: ast.expr) -> ast.expr:
    """``resnet`` of ``resnet().eval().cuda()``."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if not torch_table.gives_its_module(value.func.attr):
            break
        value = value.func.value
    return value.func if isinstance(value, ast.Call) else value
