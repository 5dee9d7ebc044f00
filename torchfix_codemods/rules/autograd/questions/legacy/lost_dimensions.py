"""Extremes whose dimension was kept until torch 0.1, or which a vector has none of."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evidence import proofs
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque, whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.reductions import gives_extremes_along, is_extreme_along
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import Tensor


def indexes_lost_dimension(facts: Facts, node: ast.Subscript) -> bool:
    """Whether ``x.max(1)[1].data.numpy()[0, 0]`` indexes what a maximum kept until torch 0.1.

    It does not where the maximum is known to have two dimensions, or keeps the one by itself.
    """
    indexed: ast.expr = node.value
    if isinstance(node.slice, ast.Tuple):
        if len(node.slice.elts) != 2 or not _is_first(node.slice.elts):
            return False
    elif isinstance(indexed, ast.Subscript) and _is_first([node.slice, indexed.slice]):
        indexed = indexed.value
    else:
        return False
    if not isinstance(indexed, ast.Name):
        return bool(unwrapped(indexed)[1]) and _lost_dimension(facts, indexed)
    # Without .numpy(), nothing would show it once .data is gone.
    arrays = facts.assigned(indexed) or ()
    return bool(arrays) and all(
        "numpy" in unwrapped(array)[1] and _lost_dimension(facts, array) for array in arrays
    )


def _lost_dimension(facts: Facts, array: ast.expr) -> bool:
    """Whether an expression is ``x.max(1)[1].data.numpy()``, with one dimension as is known."""
    extreme = unwrapped(array)[0]
    if not is_extreme_along(facts, extreme):
        return False
    value = facts.value(extreme)
    return not isinstance(value, Tensor) or value.ndim in (None, 0, 1)


def vector_of_extreme(facts: Facts, node: ast.Subscript) -> ast.expr | None:
    """``v`` of ``v.max(0)[1][0]``, which may have one dimension as far as is known.

    If it has two, that is the extreme of its first column. ``best, at = v.max(0)`` is followed.
    """
    if not _is_first([node.slice]) or not isinstance(node.ctx, ast.Load):
        return None
    call = _extremes_of(facts, node.value)
    if call is None:
        return None
    value = facts.value(node.value)
    if isinstance(value, Tensor) and value.ndim is not None:
        return None
    is_function = facts.name(call.func) is not None
    is_kth = isinstance(call.func, ast.Attribute) and call.func.attr == "kthvalue"
    dim = argument(call, is_function + is_kth, "dim")
    if constant(dim) != 0 and not (is_kth and dim is None):
        return None
    vector = argument(call, 0, "input") if is_function else None
    if vector is None and isinstance(call.func, ast.Attribute):
        vector = call.func.value
    if vector is None:
        return None
    whole = facts.value(vector)
    ndim = whole.ndim if isinstance(whole, Tensor) else None
    ndim = proofs.ndim_asked_for(facts.names, vector) if ndim is None else ndim
    return vector if ndim in (None, 1) else None


def _extremes_of(facts: Facts, part: ast.expr) -> ast.Call | None:
    """``v.max(0)`` of ``v.max(0)[1]``, and of a name to which it gives one of its two parts."""
    given: ast.expr | None = part.value if isinstance(part, ast.Subscript) else None
    if isinstance(part, ast.Name):
        bindings = facts.flow.reaching(part)
        is_part = len(bindings) == 1 and bindings[0].kind == "assign" and len(bindings[0].path) == 1
        given = bindings[0].value if is_part else None
    is_extreme = isinstance(given, ast.Call) and gives_extremes_along(facts, given)
    return given if isinstance(given, ast.Call) and is_extreme else None


def said_of_vector(facts: Facts, vector: ast.expr) -> str:
    """When an extreme has no dimension, as a message goes on to say it."""
    text = ast.unparse(vector)
    return f" as {text} is a vector" if _is_flat(facts, vector) else f" if {text} is a vector"


def _is_flat(facts: Facts, node: ast.expr) -> bool:
    """Whether a tensor is certainly a vector: it is known, or is ``x.view(-1).cpu()`` of any x."""
    value, core = facts.value(node), unwrapped(node)[0]
    if isinstance(value, Tensor) and value.ndim is not None:
        return value.ndim == 1
    view = core.func if isinstance(core, ast.Call) and not is_opaque(core) else None
    is_view = isinstance(view, ast.Attribute) and view.attr == "view"
    is_flat = isinstance(core, ast.Call) and [whole_number(size) for size in core.args] == [-1]
    return is_view and is_flat and not proofs.defines_method(facts.names, "view")


def _is_first(indices: list[ast.expr]) -> bool:
    constants = [index.value for index in indices if isinstance(index, ast.Constant)]
    return constants == [0] * len(indices)


def joined_numbers(facts: Facts, call: ast.Call) -> list[tuple[int, bool]]:
    """Where ``torch.cat((kept, loss.data))`` joins numbers, which have no dimension, to a vector.

    What held one number had one dimension until torch 0.3, or several that are 1. Lists of nothing
    but numbers are stacked.

    Returns:
        the places of numbers among what is joined, and whether they certainly have no dimension.
    """
    dim = argument(call, 1, "dim")
    if facts.name(call.func) != "torch.cat" or is_opaque(call) or not call.args:
        return []
    if dim is not None and ast.unparse(dim) not in ("0", "-1"):
        return []
    joined = call.args[0]
    if not isinstance(joined, (ast.Tuple, ast.List)):
        return []
    values = [facts.value(unwrapped(element)[0]) for element in joined.elts]
    found = [
        (place, value.ndim == 0)
        for place, value in enumerate(values)
        if isinstance(value, Tensor) and value.single
        if value.ndim == 0 or (value.ndim is None and facts.era_of(call).before((0, 4)))
    ]
    return found if len(found) < len(values) else []
