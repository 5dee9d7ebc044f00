"""Arrays of tensors where one number is wanted: ``"%f" % loss.data.numpy()``."""

from __future__ import annotations

import ast
from typing import Literal

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import has_to_be_number
from torchfix_codemods.facts.tensors.trained import is_differentiated
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import Tensor, Unknown


def array_as_number(facts: Facts, call: ast.Call) -> Literal["fails", "may fail"] | None:
    """What becomes of the array of a tensor of one element that has to be a number.

    NumPy has refused to take an array for a number since 2.4 if it has dimensions.

    Args:
        facts: the facts of the module.
        call: ``x.data.cpu().numpy()``.

    Returns:
        "fails" where the tensor certainly has dimensions, "may fail" where that is not known;
        None where it has none, or may hold several numbers, and for everything else.
    """
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "numpy":
        return None
    core, wrappers = unwrapped(call)
    if "numpy" not in wrappers or not has_to_be_number(facts, call):
        return None
    value = facts.value(core)
    if isinstance(value, Tensor) and value.ndim is not None:
        return "fails" if value.single and value.ndim else None
    if isinstance(value, Unknown) and not wrappers & {"data", "detach"}:
        return None
    is_tensor = isinstance(value, (Tensor, Unknown))
    return "may fail" if is_tensor and is_differentiated(facts, core) else None
