"""Which functions and objects of a project draw random numbers from numpy's own generator."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evaluation.classes_elsewhere import function_of, method_of
from torchfix_codemods.facts.language.nodes import walk

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference
    from torchfix_codemods.facts.values.lattice import Value

_RANDOM = "numpy.random."

#: What draws nothing, and what makes a generator of its own.
_DRAWS_NOTHING = frozenset(
    f"{_RANDOM}{name}"
    for name in "RandomState Generator default_rng get_state set_state SeedSequence seed".split()
)
_SEEDING = frozenset({f"{_RANDOM}seed", f"{_RANDOM}set_state"})
#: So many functions are looked at for one method.
_MOST_FOLLOWED = 12


def method_draws(inference: Inference, value: Value, name: str) -> bool:
    """Whether a method of an object draws from numpy's generator, and never seeds it."""
    found = method_of(inference, value, name)
    if found is None:
        return False
    called = _called(*found, set())
    return called.isdisjoint(_SEEDING) and not called <= _DRAWS_NOTHING


def _called(
    inference: Inference, function: ast.FunctionDef, seen: set[ast.FunctionDef]
) -> frozenset[str]:
    """The functions of ``numpy.random`` that a function calls, itself or by one of the project."""
    seen.add(function)
    found = set()
    for node in walk(function):
        if not isinstance(node, ast.Call):
            continue
        name = inference.names.name(node.func) or ""
        if name.startswith(_RANDOM):
            found.add(name)
        elif len(seen) < _MOST_FOLLOWED:
            below = function_of(inference, inference.value(node.func))
            if below is not None and below[1] not in seen:
                found |= _called(*below, seen)
    return frozenset(found)
