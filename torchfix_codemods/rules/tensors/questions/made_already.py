"""Constructors that are given what torch has just made: ``torch.FloatTensor(torch.zeros(2))``."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.language.nodes import first_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.constructors import DTYPES
from torchfix_codemods.facts.tensors.defaults import (
    may_change_default_device,
    may_change_default_type,
)
from torchfix_codemods.facts.values import dtypes, torch_api
from torchfix_codemods.facts.values.lattice import Tensor


def is_made_already(call: ast.Call, name: str, facts: Facts) -> bool:
    """Whether ``call`` holds a new tensor, which is of the type of the constructor ``name``.

    It is one of floats in main memory and in no graph, which is what the constructor gives.
    """
    made = call.args[0] if len(call.args) == 1 and not call.keywords else None
    if not isinstance(made, ast.Call) or is_opaque(made):
        return False
    if may_change_default_type(facts) or may_change_default_device(facts):
        return False
    factory = (facts.name(made.func) or "").removeprefix("torch.")
    is_plain = all(keyword.arg == "dtype" for keyword in made.keywords)
    if factory not in torch_api.FACTORIES or not is_plain:
        return False
    value = facts.value(made)
    single = (dtypes.DEFAULT, dtypes.named("torch.float"))
    wanted = dtypes.named(DTYPES[name] or "torch.float")
    if not isinstance(value, Tensor) or wanted is None or not dtypes.is_floating(wanted):
        return False
    return value.dtype in single if wanted in single else value.dtype == wanted


def is_imported(node: ast.expr, facts: Facts) -> bool:
    """Whether a type is called by a name of torch, not by one that the file gave to it."""
    root = first_name(node)
    found = None if root is None else facts.names.scope_of(root).lookup(root.id)
    return found is None or all(binding.kind == "import" for binding in found[1])
