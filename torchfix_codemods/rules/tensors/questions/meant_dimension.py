"""Which dimension ``x.squeeze()`` means, by what the code makes x of."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evaluation.extents import sizes_of
from torchfix_codemods.facts.evidence.proofs import defines_method
from torchfix_codemods.facts.language.arguments import (
    argument,
    constant,
    is_opaque,
    values_given,
    whole_number,
)
from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from
from torchfix_codemods.facts.values.lattice import Module

_MAX_DEPTH = 8


def form_meant(node: ast.expr, facts: Facts, depth: int = 0) -> str | None:
    """What to write for ``squeeze()`` where the one dimension that is meant is certain.

    Args:
        node: what is squeezed.
        facts: the file.
        depth: through how much it was followed.

    Returns:
        ``squeeze(-1)``, ``flatten(1)`` or the like; None where it is not certain.
    """
    if depth > _MAX_DEPTH:
        return None
    if not depth and come_from([Place(facts, node)], _behind_column):
        return "squeeze(1)"
    if isinstance(node, ast.Name):
        values = facts.assigned(node) or []
        found = {form_meant(value, facts, depth + 1) for value in values}
        return found.pop() if len(found) == 1 else None
    if isinstance(node, ast.Attribute) and node.attr == "data":
        return form_meant(node.value, facts, depth + 1)
    if not isinstance(node, ast.Call) or is_opaque(node):
        return None
    name = facts.name(node.func)
    if name is not None:
        return _of_function(name, node, facts, depth)
    module = facts.value(node.func)
    if isinstance(module, Module):
        return _of_module(module, facts, depth)
    if not isinstance(node.func, ast.Attribute) or defines_method(facts.names, node.func.attr):
        return None
    # Of an array, nonzero gives a tuple, which has no squeeze.
    if node.func.attr == "nonzero" or facts.is_shown_tensor(node.func.value):
        return _of_method(node.func, node, facts, depth)
    return None


def _behind_column(place: Place) -> Iterable[Place] | None:
    """What a place has its number of rows of, each of one column: ``x.view(n, 1)`` in sight."""
    facts, node = place.facts, place.node
    if place.content:
        is_empty = isinstance(node, ast.List) and not node.elts
        if is_empty or (isinstance(node, ast.Call) and _is_new_list(node, facts)):
            return ()
    elif (sizes := sizes_of(facts.inference, node)) is not None:
        return () if sizes == (None, 1) else None
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        is_of_rows = (
            node.func.attr == "index_select" and whole_number(argument(node, 0, "dim")) == 0
        )
        return [Place(facts, node.func.value)] if is_of_rows else None
    return behind(place, by_name=False) or None


def _is_new_list(call: ast.Call, facts: Facts) -> bool:
    return facts.names.builtin(call.func) == "list" and not values_given(call)


def _of_function(name: str, call: ast.Call, facts: Facts, depth: int) -> str | None:
    function = name.rpartition(".")[2]
    if not name.startswith("torch.") or not call.args:
        return None
    if torch_effects.is_elementwise(name):
        return form_meant(call.args[0], facts, depth + 1)
    if function == "nonzero":
        return "squeeze(1)"
    if function in ("adaptive_avg_pool2d", "adaptive_max_pool2d") and len(call.args) == 2:
        return _pooled(call.args[1])
    if function in ("bmm", "matmul") and len(call.args) == 2:
        return _product(function, call.args[0], call.args[1], facts)
    if function == "gather" and len(call.args) == 3:
        return _gathered(*call.args[1:])
    return None


def _of_method(method: ast.Attribute, call: ast.Call, facts: Facts, depth: int) -> str | None:
    if method.attr == "nonzero" and not call.args:
        return "squeeze(1)"
    if method.attr in ("bmm", "matmul") and len(call.args) == 1:
        return _product(method.attr, method.value, call.args[0], facts)
    if method.attr == "gather" and len(call.args) == 2:
        return _gathered(*call.args)
    if torch_effects.is_elementwise(method.attr) or method.attr == "to":
        return form_meant(method.value, facts, depth + 1)
    return None


def _of_module(module: Module, facts: Facts, depth: int) -> str | None:
    if module.definition is not None:
        forward = facts.classes.method(module.definition, "forward")
        if forward is None or facts.classes.is_wrapped(forward):
            return None
        returned = [n.value for n in own_nodes(forward) if isinstance(n, ast.Return)]
        result = returned[0] if len(returned) == 1 else None
        return None if result is None else form_meant(result, facts, depth + 1)
    built = module.call
    if built is None or is_opaque(built):
        return None
    if module.cls == "torch.nn.Linear":
        is_one = constant(argument(built, 1, "out_features")) == 1
        return "squeeze(-1)" if is_one else None
    if module.cls in ("torch.nn.AdaptiveAvgPool2d", "torch.nn.AdaptiveMaxPool2d"):
        return _pooled(built.args[0]) if built.args else None
    if module.cls == "torch.nn.Sequential":
        return _of_layers([facts.value(layer) for layer in built.args], facts, depth)
    return None


def _of_layers(layers: list[object], facts: Facts, depth: int) -> str | None:
    """What the last layer shows that is no function of single elements."""
    for layer in reversed(layers):
        if not isinstance(layer, Module):
            return None
        if not torch_effects.is_elementwise(layer.cls or ""):
            return _of_module(layer, facts, depth + 1)
    return None


def _pooled(size: ast.expr) -> str | None:
    sizes = size.elts if isinstance(size, (ast.Tuple, ast.List)) else [size]
    return "flatten(1)" if all(constant(s) == 1 for s in sizes) else None


def _product(function: str, left: ast.expr, right: ast.expr, facts: Facts) -> str | None:
    """``torch.bmm(h, q.unsqueeze(2))``: the last dimension is that of the one column."""
    is_row = _is_single(left, 0, (1, -2), facts)
    if is_row and function != "bmm":
        # Of two or of four dimensions, that one is another.
        return None
    if _is_single(right, 1, (2, -1), facts):
        return "squeeze(2).squeeze(1)" if is_row else "squeeze(-1)"
    return "squeeze(1)" if is_row else None


def _is_single(
    node: ast.expr, side: int, dims: tuple[int, int], facts: Facts, depth: int = 0
) -> bool:
    """Whether a factor is one row, or one column: also ``q.unsqueeze(1).bmm(m)``.

    Args:
        node: the factor.
        side: which factor of a product has the rows of it, or its columns.
        dims: the dimension that is one, from the start and from the end.
        facts: the file.
        depth: through how much it was followed.
    """
    if depth > _MAX_DEPTH:
        return False
    if isinstance(node, ast.Name):
        made = facts.assigned(node) or []
        return bool(made) and all(_is_single(m, side, dims, facts, depth + 1) for m in made)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr != "bmm":
        return _unsqueezed(node) in dims
    is_function = facts.name(node.func) is not None
    factors = node.args if is_function else [node.func.value, *node.args]
    is_pair = len(factors) == 2 and not is_opaque(node)
    return is_pair and _is_single(factors[side], side, dims, facts, depth + 1)


def _gathered(dim: ast.expr, index: ast.expr) -> str | None:
    """``scores.gather(1, labels.unsqueeze(1))``: one number of each row."""
    chosen = whole_number(dim)
    is_one = chosen is not None and _unsqueezed(index) == chosen
    return f"squeeze({chosen})" if is_one else None


def _unsqueezed(node: ast.expr) -> int | None:
    """The dimension that ``x.unsqueeze(1)`` adds."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) == 1:
        return whole_number(node.args[0]) if node.func.attr == "unsqueeze" else None
    return None
