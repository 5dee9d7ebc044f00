"""Which ``dim`` of a result was meant, as what is done with it shows."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque, whole_number
from torchfix_codemods.facts.language.nodes import indices
from torchfix_codemods.facts.libraries import container_methods, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import calls_in_sight
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.walk import Trail, follow
from torchfix_codemods.facts.tensors.least_dimensions import operated
from torchfix_codemods.facts.tensors.reductions import dim_of, function_of, of_same_shape, source_of
from torchfix_codemods.facts.tensors.taken_numbers import is_taken_as_number
from torchfix_codemods.facts.values.lattice import ndim_of
from torchfix_codemods.rules.losses.questions.dimensions.along import axis_of, dim_selected
from torchfix_codemods.rules.losses.questions.dimensions.operands import adds_no_dimension
from torchfix_codemods.rules.losses.questions.shown_dimensions import shown_dimensions

#: What counts from 0.
_COUNTS = frozenset({"numpy.arange", "torch.arange"})


def shown_of(facts: Facts, result: ast.Call) -> tuple[int, str] | None:
    """The ``dim`` that was meant of one result, and how that is told.

    Args:
        facts: the facts of the module.
        result: what gives it.

    Returns:
        None where nothing that is done with it shows one.
    """
    shown = follow([Place(facts, result)], _before_second)
    if shown is None or shown.is_cut or follow([Place(facts, result)], _before_chosen) is not None:
        return None
    by, shows = shown.end.by, _place_told(facts, shown)
    if not isinstance(by, ast.Call):
        return 1, f"write dim=1, along which {shows} picks from the result"
    dim = dim_selected(shown.end.facts, by, shown.end.node) or 1
    return dim, f"write dim={dim}, along which {shows} takes {function_of(by)}() of the result"


def _place_told(facts: Facts, way: Trail) -> str:
    """The line where a way ends, or what of the file is called there that ends in another file."""
    last = next(use for use in reversed(way.uses) if use.facts is facts)
    line = f"line {facts.origin(last.node.lineno)}"
    if last is way.end or not isinstance(last.by, ast.Call):
        return line
    return f"{function_of(last.by)}() of {line}"


def _before_second(use: Use) -> Iterable[Place] | None:
    """None of what reduces, or takes one of, the second dimension; else what has the same shape."""
    facts, by = use.facts, use.by
    if use.place.content:
        return _out_of_list(use)
    if use.kind == "item" and isinstance(by, ast.Subscript):
        if _is_of_second(facts, by) or _is_number_of_row(facts, by):
            return None
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
    """What is made of a value, and has its shape, or is cut along its dimensions."""
    facts, by = use.facts, use.by
    if use.kind == "attribute" and isinstance(by, ast.Attribute):
        return use.result() if of_same_shape(facts, by) is use.node else ()
    if use.kind in ("argument", "method") and isinstance(by, ast.Call):
        if container_methods.keeps_whole(function_of(by)):
            return use.held()
        is_kept = of_same_shape(facts, by) is use.node or _is_elsewhere(facts, by, use)
        found = operated(facts, by)
        is_kept = is_kept or (found is not None and found[1] is use.node and _is_widened(facts, by))
        return use.result() if is_kept else use.taken()
    if use.kind == "returned":
        return _returned(use)
    if use.kind == "element":
        return use.result()
    if use.kind == "item" and isinstance(by, ast.Subscript):
        is_cut = all(isinstance(part, ast.Slice) for part in indices(by.slice))
        return use.result() if is_cut else ()
    if use.kind == "operand" and _is_widened(facts, source_of(facts, use.node)):
        # It gets its last dimension for what it weighs.
        return use.result()
    if use.kind == "operand":
        sides = (by.left, by.right) if isinstance(by, ast.BinOp) else ()
        is_kept = all(side is use.node or _adds_none(facts, use.node, side) for side in sides)
        return use.result() if is_kept else ()
    if use.kind == "bound":
        is_named = all(isinstance(target, ast.Name) for target, _ in use.targets())
        return use.held() if is_named else ()
    return ()


def _is_widened(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is ``p.unsqueeze(2)``, also as large as another, of whatever.

    The second dimension stays the second.
    """
    found = operated(facts, node) if isinstance(node, ast.Call) and not is_opaque(node) else None
    if found is None:
        return False
    operation, tensor, rest = found
    function = operation.rpartition(".")[2]
    if function in ("expand", "expand_as"):
        return _is_widened(facts, tensor)
    place = argument(rest, 0, "dim")
    return function == "unsqueeze" and place is not None and (whole_number(place) or 0) > 1


def _returned(use: Use) -> Iterable[Place]:
    """The calls of the file whose result a value is, also those of a model: ``self(x)``."""
    function = use.facts.names.enclosing_function(use.by)
    if not isinstance(function, ast.FunctionDef) or function.name != "forward":
        return use.returned()
    calls = calls_in_sight(use.facts, function)
    content = use.place.content
    return [Place(there, call, content) for call, there in calls if there is use.facts]


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
    """Where what a list keeps is taken out: ``kept[-1]``, ``for p in kept:``, ``p, q = kept``."""
    if use.kind == "item" and isinstance(use.by, ast.Subscript):
        index = use.by.slice
        if isinstance(index, ast.Slice) and index.lower is None and index.step is None:
            # What comes first stays in its place.
            return [Place(use.facts, use.by, use.place.content)]
        return () if isinstance(index, (ast.Slice, ast.Tuple)) else use.result()
    if use.kind == "returned":
        return _returned(use)
    if use.kind == "element":
        return use.result()
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
