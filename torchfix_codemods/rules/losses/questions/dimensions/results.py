"""Which ``dim`` of a result was meant, as what is done with it shows."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.language.nodes import indices, same_target
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.named import line_named
from torchfix_codemods.facts.paths.walk import Trail, follow
from torchfix_codemods.facts.tensors.reductions import dim_of, function_of, function_read
from torchfix_codemods.facts.tensors.taken_numbers import is_taken_as_number
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Number
from torchfix_codemods.rules.losses.questions.criteria import loss_of_classes
from torchfix_codemods.rules.losses.questions.dimensions.alike import (
    is_widened,
    out_of_list,
    shaped_alike,
)
from torchfix_codemods.rules.losses.questions.dimensions.along import axis_of, dim_selected
from torchfix_codemods.rules.losses.questions.dimensions.last import (
    before_last,
    product_summed,
    row_chosen_from,
)

#: What counts from 0.
_COUNTS = frozenset({"numpy.arange", "torch.arange"})
#: Of so many dimensions, and more, torch takes the second.
_MANY_NAMED = 4
#: What makes an index of a list.
_MADE_OF_LISTS = torch_api.MAKE_ANEW | {"numpy.array", "numpy.asarray"}


def shown_of(facts: Facts, result: ast.Call) -> tuple[int, str] | None:
    """The ``dim`` that was meant of one result, and how that is told.

    Args:
        facts: the facts of the module.
        result: what gives it.

    Returns:
        None where nothing that is done with it shows one.
    """
    start = [Place(facts, result)]
    shown = follow(start, _before_second)
    dim = 1 if shown is not None else -1
    shown = follow(start, before_last) if shown is None else shown
    if shown is None or shown.is_cut or follow(start, _before_chosen) is not None:
        return None
    end = shown.end
    by = row_chosen_from(end) or product_summed(end) or end.by
    shows = place_told(facts, shown, by)
    if isinstance(by, ast.Subscript) and (count := _dimensions_named(facts, by)) >= _MANY_NAMED:
        return 1, f"write dim=1, for {shows} indexes {count} dimensions of the result"
    if not isinstance(by, ast.Call):
        does = "multiplies" if isinstance(by, ast.BinOp) else "picks from"
        return dim, f"write dim={dim}, along which {shows} {does} the result"
    loss = _loss_taken(end)
    if loss is not None:
        return dim, f"write dim={dim}, along which {shows} takes {loss} of the result"
    selected = dim_selected(end.facts, by, end.node)
    dim = dim if selected is None else selected
    takes = function_read(end.facts, by)
    return dim, f"write dim={dim}, along which {shows} takes {takes}() of the result"


def place_told(facts: Facts, way: Trail, by: ast.AST) -> str:
    """The line where a way ends, or what of the file is called that ends in another file.

    Args:
        facts: the facts of the module.
        way: the way.
        by: what is done at its end, maybe with what is made of the value there.
    """
    last = next(use for use in reversed(way.uses) if use.facts is facts)
    if last.kind == "returned":
        # The function that gives it back is called in another file.
        return line_named(way.end.node, way.end.facts, facts)
    is_behind = last is way.end and by is not last.by and isinstance(by, ast.expr)
    node = by if is_behind and isinstance(by, ast.expr) else last.node
    line = f"line {facts.origin(node.lineno)}"
    if last is way.end or not isinstance(last.by, ast.Call):
        return line
    return f"{function_of(last.by)}() of {line}"


def _before_second(use: Use) -> Iterable[Place] | None:
    """None of what reduces, or takes one of, the second dimension; else what has the same shape."""
    facts, by = use.facts, use.by
    if use.place.content:
        return out_of_list(use)
    if use.kind == "item" and isinstance(by, ast.Subscript):
        if _is_of_second(facts, by) or _is_number_of_row(facts, by):
            return None
        if _dimensions_named(facts, by) >= _MANY_NAMED:
            return None
    if use.kind in ("argument", "method") and isinstance(by, ast.Call):
        if 1 in (dim_of(facts, by, may_keep=True), axis_of(facts, by, use)):
            return None
        if dim_selected(facts, by, use.node) is not None or _loss_taken(use) is not None:
            return None
    return shaped_alike(use, is_widened)


def _loss_taken(use: Use) -> str | None:
    """The loss that takes a value as what is likely of each class: ``F.nll_loss(p, target)``."""
    by = use.by
    if use.kind != "argument" or not isinstance(by, ast.Call) or is_opaque(by):
        return None
    return loss_of_classes(use.facts, by) if argument(by, 0, "input") is use.node else None


def _before_chosen(use: Use) -> Iterable[Place] | None:
    """None of what takes the largest along another dimension than the second, or the last one:
    ``p.max(0)`` of what may be a vector; a mean over the samples says nothing.
    """
    facts, by = use.facts, use.by
    if use.place.content:
        return out_of_list(use)
    if use.kind in ("argument", "method") and isinstance(by, ast.Call):
        if torch_effects.gives_indices(function_of(by).removeprefix("arg")):
            if not {dim_of(facts, by, may_keep=True), axis_of(facts, by, use)} <= {None, 1, -1}:
                return None
    return shaped_alike(use, is_widened)


def _is_of_second(facts: Facts, item: ast.Subscript) -> bool:
    """``p[:, k[i]]``, ``p[0, k]``, ``p[torch.arange(n), truth]``: an element, or one a row."""
    parts = indices(item.slice)
    if len(parts) != 2 or not isinstance(item.slice, ast.Tuple):
        return False
    if _counts_rows(facts, parts[0]):
        return not isinstance(parts[1], ast.Slice) and not _counts_rows(facts, parts[1])
    is_first = isinstance(parts[0], ast.Slice) or type(constant(parts[0])) is int
    is_counted = isinstance(parts[1], (ast.Name, ast.Attribute, ast.BinOp, ast.Subscript))
    is_second = is_counted or type(constant(parts[1])) is int
    return is_first and is_second


def _dimensions_named(facts: Facts, item: ast.Subscript) -> int:
    """How many dimensions an index names one by one: four of ``p[i, :, y, x]``; else 0."""
    parts = indices(item.slice)
    is_plain = all(
        isinstance(part, ast.Slice) or isinstance(facts.value(part), Number) for part in parts
    )
    return len(parts) if is_plain else 0


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
    """Whether an index names all rows in turn: ``torch.arange(n).cuda()``, also by a name, and
    ``torch.LongTensor([i for i in range(n)])``.
    """
    while True:
        made = facts.assigned(part) if isinstance(part, ast.Name) else None
        if made is not None and len(made) == 1 and not isinstance(made[0], ast.Name):
            part = made[0]
        if isinstance(part, ast.Call) and facts.name(part.func) in _COUNTS:
            return True
        listed = _listed_in(facts, part)
        if listed is not None:
            part = listed
            continue
        if isinstance(part, ast.Attribute):
            part = part.value
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            part = part.func.value
        else:
            return isinstance(part, ast.Call) and facts.names.builtin(part.func) == "range"


def _listed_in(facts: Facts, part: ast.expr) -> ast.expr | None:
    """``range(n)`` of ``list(range(n))``, ``[i for i in range(n)]`` and a tensor made of those."""
    if isinstance(part, ast.Call) and len(part.args) == 1 and not is_opaque(part):
        is_made = (
            facts.name(part.func) in _MADE_OF_LISTS or facts.names.builtin(part.func) == "list"
        )
        return part.args[0] if is_made else None
    if not isinstance(part, ast.ListComp) or len(part.generators) != 1:
        return None
    (loop,) = part.generators
    is_whole = isinstance(loop.target, ast.Name) and not loop.ifs
    return loop.iter if is_whole and same_target(part.elt, loop.target) else None
