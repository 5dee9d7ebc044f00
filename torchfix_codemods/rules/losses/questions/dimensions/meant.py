"""Which ``dim`` was meant where none is given, as the code around it shows."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation.applications import applications
from torchfix_codemods.facts.language.arguments import argument, whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, use_of
from torchfix_codemods.facts.tensors.reductions import dim_of, function_of
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.rules.losses.questions.dimensions.alike import FUNCTIONS
from torchfix_codemods.rules.losses.questions.dimensions.along import axis_of, dim_selected
from torchfix_codemods.rules.losses.questions.dimensions.results import shown_of
from torchfix_codemods.rules.losses.questions.dimensions.subtracted import largest_subtracted
from torchfix_codemods.rules.losses.questions.tested_dimensions import is_same


def shown_meant(facts: Facts, call: ast.Call, tensor: ast.expr | None) -> str | None:
    """What to write for a softmax without ``dim``, and the line that shows it.

    That is the ``dim`` that the same tensor has elsewhere in the function, or the second dimension
    where the result is reduced along it, or one of it is taken, or the one along which the largest
    are taken, also to subtract them, or the last one where it is drawn from. Of a layer all that it
    gives has to show the same.

    Args:
        facts: the facts of the module.
        call: the softmax, or the call that builds its layer.
        tensor: its input; None of a layer.
    """
    for other in others(facts, tensor):
        number = (dim := argument(other, 1, "dim")) and whole_number(dim)
        # What was written there by another rewrite is not seen in the file.
        if facts.name(other.func) in FUNCTIONS:
            if number is not None and not facts.is_rewritten(other.lineno):
                line = facts.origin(other.lineno)
                return f"write dim={number}, as line {line} does for the same tensor"
        elif _takes_classes(facts, other):
            line = facts.origin(other.lineno)
            return f"write dim=1, along which line {line} takes cross_entropy of the same tensor"
    for chosen, along in _largest(facts, tensor):
        taken = f"line {facts.origin(chosen.lineno)} takes {function_of(chosen)}()"
        return f"write dim={along}, along which {taken} of the same tensor"
    subtracted = largest_subtracted(facts, tensor)
    if subtracted is not None:
        line, along = facts.origin(subtracted[0].lineno), subtracted[1]
        return f"write dim={along}, along which line {line} takes the max() that is subtracted"
    results = [call] if tensor is not None else applications(facts.inference, call)
    shown = [shown_of(facts, result) for result in results or ()]
    # One layer has one dim, whatever it is given.
    told = shown[0] if len({said and said[0] for said in shown}) == 1 else None
    return told[1] if told is not None else _shown_of_another(facts, tensor)


def _shown_of_another(facts: Facts, tensor: ast.expr | None) -> str | None:
    """The same, as what is done with another softmax of the same tensor shows it."""
    for other in others(facts, tensor):
        shown = shown_of(facts, other) if facts.name(other.func) in FUNCTIONS else None
        if shown is not None:
            return f"{shown[1]} of line {facts.origin(other.lineno)}"
    return None


def _largest(facts: Facts, tensor: ast.expr | None) -> Iterator[tuple[ast.Call, int]]:
    """The calls that take the largest of the same tensor along one dimension, and which one."""
    for name in same_names(facts, tensor):
        use = use_of(Place(facts, name))
        if use.kind not in ("argument", "method") or not isinstance(use.by, ast.Call):
            continue
        dim = dim_of(facts, use.by) if function_of(use.by) == "max" else None
        dim = axis_of(facts, use.by, use) if dim is None else dim
        dim = dim_selected(facts, use.by, name) if dim is None else dim
        if dim in (1, -1):
            yield use.by, dim


def _takes_classes(facts: Facts, call: ast.Call) -> bool:
    """Whether a call is one of ``cross_entropy``."""
    if facts.name(call.func) == "torch.nn.functional.cross_entropy":
        return True
    loss = facts.value(call.func)
    return isinstance(loss, Module) and loss.cls == "torch.nn.CrossEntropyLoss"


def others(facts: Facts, tensor: ast.expr | None) -> Iterator[ast.Call]:
    """The other calls in the same function whose input is the same tensor.

    Args:
        facts: the facts of the module.
        tensor: the input of a call; nothing is the same as what has no name.
    """
    for use in same_names(facts, tensor):
        other = facts.parent(use)
        if isinstance(other, ast.Call) and argument(other, 0, "input") is use:
            yield other


def same_names(facts: Facts, tensor: ast.expr | None) -> Iterator[ast.Name]:
    """The other uses of a name in the same function that certainly hold the same.

    Args:
        facts: the facts of the module.
        tensor: the name; nothing is the same as what has none.
    """
    if not isinstance(tensor, ast.Name):
        return
    for use in facts.names.uses_of(facts.names.scope_of(tensor), tensor.id):
        first, last = sorted((tensor, use), key=lambda name: (name.lineno, name.col_offset))
        if use is not tensor and is_same(facts, first, last):
            yield use
