"""Whole numbers and masks, which are part of no graph: by what takes them, by what gives them."""

from __future__ import annotations

import ast
import functools

from torchfix_codemods.facts.language.arguments import argument, constant
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.libraries import torch_effects, torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.integers import is_held_for_index
from torchfix_codemods.facts.values.lattice import (
    WITHOUT_HISTORY,
    Array,
    Module,
    Number,
    Tensor,
    Unknown,
)

#: Through so many names and calls a value is followed.
_MOST_FOLLOWED = 6


def is_index(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor stands where only whole numbers or a mask do: ``x[node]``, ``embed(node)``.

    Args:
        node: an expression whose value is a tensor.
        facts: the facts of the module.
    """
    around: ast.AST | None = facts.parent(node)
    inside: ast.AST = node
    if isinstance(around, ast.Tuple):
        inside, around = around, facts.parent(around)
    if isinstance(around, ast.Subscript):
        return around.slice is inside and _takes_arrays_place(around, facts)
    if isinstance(around, ast.keyword):
        around = facts.parent(around)
    return isinstance(around, ast.Call) and inside is node and takes_index(around, node, facts)


def _takes_arrays_place(part: ast.Subscript, facts: Facts) -> bool:
    """Whether an index is that of a tensor or an array: ``x[i, :]`` whatever x.

    The key of a dict is another object with ``.data``; but none has a slice in it.
    """
    whole = facts.value(part.value)
    if isinstance(whole, (Tensor, Array)):
        return True
    places = part.slice.elts if isinstance(part.slice, ast.Tuple) else []
    has_slice = any(isinstance(place, ast.Slice) for place in places)
    return has_slice and isinstance(whole, Unknown)


def takes_index(call: ast.Call, node: ast.expr, facts: Facts) -> bool:
    """Whether a call takes an argument for its ``index`` or ``mask``, or for what is embedded."""
    name = facts.name(call.func)
    if name == "torch.nn.functional.embedding":
        return argument(call, 0, "input") is node
    if name is None and isinstance(callee := facts.value(call.func), Module):
        return callee.cls == "torch.nn.Embedding" and call.args == [node]
    before = 0
    if name is None:
        method = call.func
        if not isinstance(method, ast.Attribute) or not facts.is_tensor(method.value):
            return False
        name, before = f"torch.Tensor.{method.attr}", 1
    forms = torch_table.forms_of(name)
    return bool(forms) and all(
        any(argument(call, at - before, name) is node for at, name in _places_of_index(form))
        for form in forms
    )


def are_classes(tensor: ast.expr, facts: Facts) -> bool:
    """Whether a name holds the classes that ``NLLLoss`` is given beside scores: whole numbers.

    Args:
        tensor: an expression whose value is a tensor.
        facts: the facts of the module.
    """
    if not isinstance(tensor, ast.Name):
        return False
    held, scope = facts.flow.reaching(tensor), facts.names.scope_of(tensor)
    return any(
        _is_given_as_classes(use, facts) and facts.inference.branches.runs_with(use, tensor)
        for use in facts.flow.uses_reached_by(held, scope, tensor.id)
    )


def is_embedded(name: ast.Name, facts: Facts) -> bool:
    """Whether a name holds whole numbers, which the same function looks up: ``self.embed(words)``.

    Args:
        name: the name where it is read.
        facts: the facts of the module.
    """
    if not facts.speaks_of("Embedding") and not facts.speaks_of("embedding"):
        return False
    return facts.remembered((is_embedded, name), lambda: is_held_for_index(name, facts))


def _is_given_as_classes(use: ast.Name, facts: Facts) -> bool:
    call = facts.parent(use)
    if not isinstance(call, ast.Call) or argument(call, 1, "target") is not use:
        return False
    name, loss = facts.name(call.func), facts.value(call.func)
    is_layer = isinstance(loss, Module) and loss.cls == "torch.nn.NLLLoss"
    return name == "torch.nn.functional.nll_loss" or (name is None and is_layer)


def _places_of_index(form: torch_table.Form) -> list[tuple[int, str]]:
    return [
        (at, parameter.name)
        for at, parameter in enumerate(form.parameters)
        if parameter.kind == "T" and parameter.name in ("index", "mask")
    ]


def gives_whole_numbers(node: ast.expr, facts: Facts, depth: int = 0) -> bool:
    """Whether an expression that gives a tensor gives one of whole numbers, or a mask.

    ``scores.long()`` and ``lengths.ne(0)`` do, whatever these names hold, and ``x.max(1)[1]``.

    Args:
        node: an expression whose value is a tensor: what a Variable is made of.
        facts: the facts of the module.
        depth: how far it was followed already.
    """
    if depth > _MOST_FOLLOWED:
        return False
    value = facts.value(node)
    if isinstance(value, Tensor) and value.dtype in WITHOUT_HISTORY:
        return True
    if isinstance(node, ast.Name):
        return _holds_whole_numbers(node, facts, depth)
    if isinstance(node, ast.Subscript):
        if isinstance(node.value, ast.Call) and _gives_indices(node.value, facts):
            return constant(node.slice) == 1
        return gives_whole_numbers(node.value, facts, depth + 1)
    if isinstance(node, ast.Attribute) and node.attr == "data":
        return gives_whole_numbers(node.value, facts, depth + 1)
    method = node.func if isinstance(node, ast.Call) else None
    if not isinstance(method, ast.Attribute) or not _may_be_tensors(method, facts):
        return False
    if _computes_whole_numbers(method.attr):
        return True
    is_same = torch_effects.gives_alias(method.attr) or torch_effects.may_be_itself(method.attr)
    return is_same and gives_whole_numbers(method.value, facts, depth + 1)


def _holds_whole_numbers(name: ast.Name, facts: Facts, depth: int) -> bool:
    bindings = facts.flow.reaching(name)
    return bool(bindings) and all(
        binding.kind == "assign"
        and binding.value is not None
        and (
            gives_whole_numbers(binding.value, facts, depth + 1)
            if not binding.path
            else binding.path == (1,)
            and isinstance(binding.value, ast.Call)
            and _gives_indices(binding.value, facts)
        )
        for binding in bindings
    )


def _may_be_tensors(method: ast.Attribute, facts: Facts) -> bool:
    """Whether a method is one that tensors have, and no class of the file."""
    if facts.name(method) is not None or method.attr in method_names(facts.names):
        return False
    is_possible = isinstance(facts.value(method.value), (Tensor, Unknown))
    return is_possible and torch_table.is_method(method.attr)


def _gives_indices(call: ast.Call, facts: Facts) -> bool:
    """``x.max(1)``, ``torch.max(x, dim=1)`` and ``x.topk(k)``: values and their indices."""
    name = facts.name(call.func)
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if name is not None:
        is_known, dim = name == f"torch.{method}", argument(call, 1, "dim")
    else:
        is_known = isinstance(call.func, ast.Attribute) and _may_be_tensors(call.func, facts)
        dim = argument(call, 0, "dim")
    if not is_known or not torch_effects.gives_indices(method):
        return False
    # Of ``max`` and ``min`` another tensor may be given in the place of the dimension.
    return dim is not None and isinstance(facts.value(dim), Number)


@functools.cache
def _computes_whole_numbers(method: str) -> bool:
    """Whether all that a method of tensors gives is of whole numbers: ``long``, ``argmax``."""
    results = [r for form in torch_table.forms_of(f"torch.Tensor.{method}") for r in form.results]
    return bool(results) and all(result.dtype in WITHOUT_HISTORY for result in results)
