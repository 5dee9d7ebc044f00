"""What comes out of the batches of a loader: a list, where torch stacks no tensor of it."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.language.foreign import TRANSPARENT
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Step
from torchfix_codemods.facts.paths.in_turn import returned_by
from torchfix_codemods.facts.paths.named import method_run
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.values.lattice import (
    Array,
    Batch,
    Loader,
    LoaderIterator,
    Number,
    Tensor,
)

#: Data sets whose samples are a picture and the number of its class.
_OF_CLASSES = frozenset(
    f"torchvision.datasets.{name}"
    for name in "CIFAR10 CIFAR100 FashionMNIST ImageFolder KMNIST MNIST STL10 SVHN".split()
)

#: Through so many names a part of a batch is followed.
_LONGEST_CHAIN = 3


def is_of_batch(facts: Facts, node: ast.expr, depth: int = 0) -> bool:
    """Whether a loader gives it: what it collates of texts, and of other objects, is a list."""
    if isinstance(facts.value(node), (Batch, Loader, LoaderIterator)):
        return True
    if isinstance(node, ast.Subscript):
        return is_of_batch(facts, node.value, depth)
    if not isinstance(node, ast.Name) or depth > _LONGEST_CHAIN:
        return False
    return any(
        is_of_batch(
            facts,
            gone_through(facts, binding) if binding.kind == "for" else binding.value,
            depth + 1,
        )
        for binding in facts.flow.reaching(node)
        if binding.value is not None and not _is_stacked(facts, binding)
    )


def gone_through(facts: Facts, binding: Binding) -> ast.expr:
    """What a loop takes the elements of: ``x`` of ``enumerate(x)`` and of ``zip(y, x)``."""
    return _gone_through(facts, binding)[0]


def _gone_through(facts: Facts, binding: Binding) -> tuple[ast.expr, tuple[Step, ...]]:
    """The same, and what a name is of its elements."""
    iterated, path = binding.value, binding.path
    assert iterated is not None
    while isinstance(iterated, ast.Call) and iterated.args:
        walker, step = facts.names.builtin(iterated.func), path[0] if path else None
        if facts.name(iterated.func) in TRANSPARENT:
            iterated = iterated.args[0]
            continue
        if walker == "enumerate" and step == 1:
            iterated = iterated.args[0]
        elif walker == "zip" and isinstance(step, int) and step < len(iterated.args):
            iterated = iterated.args[step]
        else:
            break
        path = path[1:]
    return iterated, path


def _is_stacked(facts: Facts, binding: Binding) -> bool:
    """Whether a name of a loop over a loader is the one tensor that torch makes of its samples."""
    if binding.kind != "for":
        return False
    iterated, path = _gone_through(facts, binding)
    loader, value = _made(facts, iterated), facts.value(iterated)
    if loader is None or not isinstance(value, Loader) or not value.stacks or len(path) > 1:
        return False
    data = argument(loader, 0, "dataset")
    made = None if data is None else _made(facts, data)
    if made is None or is_opaque(made):
        return False
    if facts.name(made.func) in _OF_CLASSES:
        has_own = any(keyword.arg == "target_transform" for keyword in made.keywords)
        return path in ((0,), (1,)) and not has_own and len(made.args) < 3
    method = method_run(made, "__getitem__", facts)
    samples = None if method is None else returned_by(*method, path)
    return bool(samples) and come_from(samples or (), _part_of_sample)


def _part_of_sample(place: Place) -> list[Place] | None:
    if place.content:
        return sources(place)
    is_numbers = isinstance(place.facts.value(place.node), (Array, Number, Tensor))
    return [] if is_numbers else None


def _made(facts: Facts, node: ast.expr) -> ast.Call | None:
    """The call that made an object: the only one that its name is given."""
    assigned = facts.assigned(node) if isinstance(node, ast.Name) else [node]
    only = assigned[0] if assigned and len(assigned) == 1 else None
    return only if isinstance(only, ast.Call) else None
