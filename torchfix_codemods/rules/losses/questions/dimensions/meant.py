"""Which ``dim`` was meant where none is given, as the code around it shows."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.evaluation.applications import applications
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque, whole_number
from torchfix_codemods.facts.language.nodes import indices
from torchfix_codemods.facts.libraries import container_methods, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use, use_of
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.tensors.reductions import dim_of, function_of, of_same_shape
from torchfix_codemods.facts.tensors.taken_numbers import is_taken_as_number
from torchfix_codemods.facts.values.lattice import Module, ndim_of
from torchfix_codemods.rules.losses.questions.dimensions.along import axis_of, dim_selected
from torchfix_codemods.rules.losses.questions.dimensions.operands import adds_no_dimension
from torchfix_codemods.rules.losses.questions.dimensions.subtracted import largest_subtracted
from torchfix_codemods.rules.losses.questions.shown_dimensions import shown_dimensions
from torchfix_codemods.rules.losses.questions.tested_dimensions import is_same

FUNCTIONS = frozenset(
    f"torch.nn.functional.{name}" for name in ("softmax", "log_softmax", "softmin")
)
#: What counts from 0.
_COUNTS = frozenset({"numpy.arange", "torch.arange"})


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
    shown = [_shown_of(facts, result) for result in results or ()]
    # One layer has one dim, whatever it is given.
    told = shown[0] if len({said and said[0] for said in shown}) == 1 else None
    return told[1] if told is not None else _shown_of_another(facts, tensor)


def _shown_of_another(facts: Facts, tensor: ast.expr | None) -> str | None:
    """The same, as what is done with another softmax of the same tensor shows it."""
    for other in others(facts, tensor):
        shown = _shown_of(facts, other) if facts.name(other.func) in FUNCTIONS else None
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


def _shown_of(facts: Facts, result: ast.Call) -> tuple[int, str] | None:
    """The ``dim`` that was meant of one result, and how that is told."""
    shown = follow([Place(facts, result)], _before_second)
    if shown is None or shown.is_cut or follow([Place(facts, result)], _before_chosen) is not None:
        return None
    by, line = shown.end.by, facts.origin(shown.end.node.lineno)
    if not isinstance(by, ast.Call):
        return 1, f"write dim=1, along which line {line} picks from the result"
    dim = dim_selected(facts, by, shown.end.node) or 1
    return dim, f"write dim={dim}, along which line {line} takes {function_of(by)}() of the result"


def _before_second(use: Use) -> Iterable[Place] | None:
    """None of what reduces, or takes one of, the second dimension; else what has the same shape."""
    facts, by = use.facts, use.by
    if use.place.content:
        return _out_of_list(use)
    if use.kind == "item" and isinstance(by, ast.Subscript):
        return None if _is_of_second(facts, by) or _is_number_of_row(facts, by) else ()
    if use.kind in ("argument", "method") and isinstance(by, ast.Call):
        if 1 in (dim_of(facts, by), axis_of(facts, by, use)):
            return None
        if dim_selected(facts, by, use.node) is not None:
            return None
    return _of_same_shape(use)


def _before_chosen(use: Use) -> Iterable[Place] | None:
    """None of what takes the largest along another dimension than the second, or the last one:
    ``p.max(0)`` of what may be a vector; a mean over the samples says nothing.
    """
    facts, by = use.facts, use.by
    if use.place.content:
        return _out_of_list(use)
    if use.kind in ("argument", "method") and isinstance(by, ast.Call):
        if torch_effects.gives_indices(function_of(by).removeprefix("arg")):
            if not {dim_of(facts, by), axis_of(facts, by, use)} <= {None, 1, -1}:
                return None
    return _of_same_shape(use)


def _of_same_shape(use: Use) -> Iterable[Place]:
    """What is made of a value, and has its shape."""
    facts, by = use.facts, use.by
    if use.kind == "attribute" and isinstance(by, ast.Attribute):
        return use.result() if of_same_shape(facts, by) is use.node else ()
    if use.kind in ("argument", "method") and isinstance(by, ast.Call):
        if container_methods.keeps_whole(function_of(by)):
            return use.held()
        is_kept = of_same_shape(facts, by) is use.node or _is_elsewhere(facts, by, use)
        return use.result() if is_kept else ()
    if use.kind == "operand":
        sides = (by.left, by.right) if isinstance(by, ast.BinOp) else ()
        is_kept = all(side is use.node or _adds_none(facts, use.node, side) for side in sides)
        return use.result() if is_kept else ()
    if use.kind == "bound":
        is_named = all(isinstance(target, ast.Name) for target, _ in use.targets())
        return use.held() if is_named else ()
    return ()


def _adds_none(facts: Facts, tensor: ast.expr, other: ast.expr) -> bool:
    """Whether a tensor keeps its dimensions beside another, which may have fewer."""
    if adds_no_dimension(facts, tensor, other):
        return True
    ndim = ndim_of(facts.value(other))
    return ndim is not None and ndim <= min(shown_dimensions(facts, tensor))


def _is_elsewhere(facts: Facts, call: ast.Call, use: Use) -> bool:
    """Whether a call gives the same numbers on a device, or in an array: ``p.cpu().numpy()``."""
    if use.kind != "method" or is_opaque(call):
        return False
    is_array = function_of(call) == "numpy" and not call.args
    return is_array or torch_effects.does(f"torch.Tensor.{function_of(call)}", "moves")


def _out_of_list(use: Use) -> Iterable[Place]:
    """Where what a list keeps is taken out of it: ``kept[-1]``, ``for p in kept:``."""
    if use.kind == "item" and isinstance(use.by, ast.Subscript):
        return () if isinstance(use.by.slice, (ast.Slice, ast.Tuple)) else use.result()
    return use.held() if use.kind in ("bound", "iterated") else ()


def _is_of_second(facts: Facts, item: ast.Subscript) -> bool:
    """``p[:, 1]``, ``p[0, k]``, ``p[torch.arange(n), truth]``: an element, or one of each row."""
    parts = indices(item.slice)
    if len(parts) != 2 or not isinstance(item.slice, ast.Tuple):
        return False
    if _counts_rows(facts, parts[0]):
        return not isinstance(parts[1], ast.Slice) and not _counts_rows(facts, parts[1])
    is_first = isinstance(parts[0], ast.Slice) or type(constant(parts[0])) is int
    is_counted = isinstance(parts[1], (ast.Name, ast.Attribute, ast.BinOp))
    is_second = is_counted or type(constant(parts[1])) is int
    return is_first and is_second


def _is_number_of_row(facts: Facts, item: ast.Subscript) -> bool:
    """``p[0][k]`` and ``p[i, k]``, where that is taken as one number: ``….item()``."""
    parts, element, outer = indices(item.slice), item, facts.parent(item)
    if len(parts) == 1 and isinstance(outer, ast.Subscript) and outer.value is item:
        parts, element = [*parts, *indices(outer.slice)], outer
    is_one = len(parts) == 2 and not any(
        isinstance(part, (ast.Slice, ast.Tuple, ast.List))
        or (isinstance(part, ast.Constant) and type(part.value) is not int)
        for part in parts
    )
    return is_one and is_taken_as_number(facts, element)


def _counts_rows(facts: Facts, part: ast.expr) -> bool:
    """Whether an index names all rows in turn: ``torch.arange(n).cuda()``, also by a name."""
    while True:
        made = facts.assigned(part) if isinstance(part, ast.Name) else None
        if made is not None and len(made) == 1 and not isinstance(made[0], ast.Name):
            part = made[0]
        if isinstance(part, ast.Call) and facts.name(part.func) in _COUNTS:
            return True
        if isinstance(part, ast.Attribute):
            part = part.value
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            part = part.func.value
        else:
            return isinstance(part, ast.Call) and facts.names.builtin(part.func) == "range"


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
