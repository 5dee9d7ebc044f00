"""Along which dimension a call reduces or selects."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, is_opaque, whole_number
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.kept_dimensions import PLACE_OF_DIM
from torchfix_codemods.facts.libraries.taken_dimensions import taken_by
from torchfix_codemods.facts.libraries.torch_table import forms_of, place_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Use
from torchfix_codemods.facts.tensors.least_dimensions import operated
from torchfix_codemods.facts.tensors.reductions import function_of
from torchfix_codemods.rules.losses.questions.tested_dimensions import counted_of


def axis_of(facts: Facts, call: ast.Call, use: Use) -> int | None:
    """The dimension of ``p.argmax(1)``, and of ``numpy.argmax(p, axis=1)`` where p is an array."""
    function = facts.name(call.func)
    is_first = use.kind == "argument" and call.args[:1] == [use.node]
    is_array = is_first and function is not None and function.startswith("numpy.")
    is_tensor = function == f"torch.{function_of(call)}" and is_first
    is_method = use.kind == "method" and function is None
    is_taken = function_of(call) in ("argmax", "argmin") or (
        is_array and function_of(call) in PLACE_OF_DIM
    )
    if is_opaque(call) or not is_taken or not (is_array or is_tensor or is_method):
        return None
    given = argument(call, 0 if is_method else 1, "axis")
    given = argument(call, 0 if is_method else 1, "dim") if given is None else given
    return None if given is None else whole_number(given)


def dim_selected(facts: Facts, call: ast.Call, tensor: ast.AST) -> int | None:
    """The dimension along which a call selects: -1 of ``p.topk(k)``, 1 of ``p.topk(k, 1)``.

    What is drawn from has its weights in the last one: ``torch.multinomial(p, 1)``; ``gather``
    picks along the one that it names.

    Args:
        facts: the facts of the module.
        call: the call.
        tensor: what it has to select from.

    Returns:
        1 or -1, or 0 of ``gather``, which picks one of a vector; None of any other.
    """
    found = None if is_opaque(call) else operated(facts, call)
    if found is None or found[1] is not tensor:
        return None
    operation, _, rest = found
    if torch_effects.does(operation, "samples") and taken_by(function_of(call), 0):
        return -1
    if function_of(call) == "gather":
        along = argument(rest, 0, "dim")
        dim = None if along is None else whole_number(along)
        return dim if dim in (0, 1, -1) else None
    forms, place = forms_of(operation), place_of(operation, "dim")
    taken = [{p.name: p.default for p in form.parameters}.get("dim") for form in forms]
    is_last = set(taken) == {"-1"} and all(form.word == "tuple" for form in forms)
    if not is_last or place is None:
        return None
    named = argument(rest, place - 1, "dim")
    dim = -1 if named is None else whole_number(named)
    return dim if dim in (1, -1) else None


def counts_last(facts: Facts, call: ast.Call, tensor: ast.AST) -> bool:
    """Whether a call reduces the last dimension, which it counts: ``torch.max(p, p.dim() - 1)``.

    Args:
        facts: the facts of the module.
        call: the call.
        tensor: what it reduces.
    """
    found = None if is_opaque(call) else operated(facts, call)
    if found is None or found[1] is not tensor or function_of(call) not in PLACE_OF_DIM:
        return False
    named = argument(found[2], PLACE_OF_DIM[function_of(call)], "dim")
    if not isinstance(named, ast.BinOp) or not isinstance(named.op, ast.Sub):
        return False
    counted = counted_of(facts, named.left)
    is_own = counted is not None and ast.dump(counted) == ast.dump(found[1])
    return is_own and isinstance(counted, ast.Name) and whole_number(named.right) == 1
