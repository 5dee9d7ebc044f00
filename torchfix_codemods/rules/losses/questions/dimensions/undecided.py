"""What decides a ``dim`` that nothing shows: how many dimensions the input has, and where it is."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.attribute_reads import stored_above
from torchfix_codemods.facts.tensors.least_dimensions import operated
from torchfix_codemods.facts.tensors.reductions import source_of
from torchfix_codemods.rules.losses.questions.dimensions.alike import FUNCTIONS
from torchfix_codemods.rules.losses.questions.dimensions.features import unscaled
from torchfix_codemods.rules.losses.questions.ranks import MANY
from torchfix_codemods.text.wording import listed, worded

_WORDS = {1: "one", 2: "two", 3: "three", 4: "four", MANY: "more"}


def told_by_place(facts: Facts, tensor: ast.expr | None, ndims: frozenset[int]) -> str:
    """What torch takes: ``dim=1 if scores of line 4 has two dimensions, dim=0 if it has one``.

    Args:
        facts: the facts of the module.
        tensor: the input of the softmax; None where that is not one place.
        ndims: the numbers of dimensions that it can have; of the last, also more.
    """
    before = _softmax_before(facts, tensor)
    if before is not None:
        line = facts.origin(before.lineno)
        return f"torch takes the same dim as line {line}, which makes the input: say both alike"
    first = [n for n in sorted(ndims) if n in (1, 3)]
    second = [n for n in sorted(ndims - {0}) if n not in first]
    others, other = (listed((_WORDS[n] for n in counts), "or") for counts in (second, first))
    place = _place(facts, tensor)
    # Nobody takes the softmax of one number.
    told = f"torch takes dim=1 if {place} has {others} dimensions"
    told = f"{told}, dim=0 if it has {other}" if other else told
    if tensor is not None and _is_of_any_sizes(facts, tensor):
        return f"{told}, as its sizes of 1 decide: write dim=-1 if the last one is meant"
    return f"{told}: write dim=… with that one"


def _softmax_before(facts: Facts, tensor: ast.expr | None) -> ast.Call | None:
    """The softmax, without ``dim`` as well, that alone makes what another one is given."""
    if isinstance(tensor, ast.Attribute):
        made = stored_above(facts, tensor)
    else:
        made = None if tensor is None else source_of(facts, tensor)
    if not isinstance(made, ast.Call) or facts.name(made.func) not in FUNCTIONS:
        return None
    return None if is_opaque(made) or argument(made, 1, "dim") is not None else made


def _is_of_any_sizes(facts: Facts, tensor: ast.expr) -> bool:
    """Whether ``x.squeeze()`` made a tensor, whose number of dimensions no line can tell."""
    tensor = unscaled(facts, tensor)
    made = facts.assigned(tensor) if isinstance(tensor, ast.Name) else [tensor]
    if made is None or len(made) != 1 or not isinstance(made[0], ast.Call):
        return False
    found = None if is_opaque(made[0]) else operated(facts, made[0])
    if found is None or found[0] not in ("torch.squeeze", "torch.Tensor.squeeze"):
        return False
    return not found[2].args and not found[2].keywords


def _place(facts: Facts, tensor: ast.expr | None) -> str:
    """What the input is called, and the line that makes it."""
    if tensor is None:
        return "what it is given"
    name = worded(tensor, "its input")
    if not isinstance(tensor, ast.Name):
        return name
    bindings = facts.flow.reaching(tensor)
    if len(bindings) != 1:
        return name
    (binding,) = bindings
    if binding.kind == "parameter":
        function = facts.names.enclosing_function(tensor)
        is_named = isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        return f"the parameter {name} of {function.name}()" if is_named and function else name
    line = getattr(binding.node, "lineno", None)
    return name if line is None else f"{name} of line {facts.origin(line)}"
