"""The ``dim`` that another softmax of the file has of an output of the same model."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, is_opaque, whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.saved_paths import calls_of
from torchfix_codemods.rules.losses.questions.dimensions.meant import FUNCTIONS
from torchfix_codemods.rules.losses.questions.given_dimensions import ndims_of
from torchfix_codemods.rules.losses.questions.shown_inputs import shown_ndims

#: Of so many dimensions torch takes the second one.
_OF_ROWS = frozenset({2, 4})


def dim_of_another_output(facts: Facts, tensor: ast.expr | None) -> tuple[int, int, str] | None:
    """The ``dim`` of a softmax of ``model(x)`` where ``model(y)`` is open, its line and the model.

    Nothing where two of them have different ones.

    Args:
        facts: the facts of the module.
        tensor: the input of the softmax that is open.
    """
    if not isinstance(tensor, ast.Call) or not isinstance(tensor.func, ast.Name):
        return None
    found = [
        (dim, facts.origin(other.lineno))
        for name in sorted(FUNCTIONS)
        for other in calls_of(facts, name)
        if not is_opaque(other)
        and isinstance(given := argument(other, 0, "input"), ast.Call)
        and given is not tensor
        and _is_same_model(facts, tensor.func, given.func)
        and (dim := _decided(facts, other, given)) is not None
    ]
    if len({dim for dim, _ in found}) != 1:
        return None
    return *min(found, key=lambda each: each[1]), tensor.func.id


def _is_same_model(facts: Facts, one: ast.Name, other: ast.expr) -> bool:
    if not isinstance(other, ast.Name) or other.id != one.id:
        return False
    homes = [facts.names.scope_of(name).lookup(name.id) for name in (one, other)]
    first, second = homes
    return first is not None and second is not None and first[0] is second[0]


def _decided(facts: Facts, softmax: ast.Call, given: ast.expr) -> int | None:
    """The dim that is written, or that torch takes of what has rows."""
    written = argument(softmax, 1, "dim")
    if written is not None:
        return whole_number(written)
    ndims = ndims_of(facts.inference, given) or shown_ndims(facts, softmax, given)
    return 1 if ndims and ndims <= _OF_ROWS else None
