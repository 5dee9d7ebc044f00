"""Arrays of tensors where one number is wanted: ``"%f" % loss.data.numpy()``."""

from __future__ import annotations

import ast
from typing import Literal

from torchfix_codemods.facts.guards import handlers_around
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import has_to_be_number
from torchfix_codemods.facts.tensors.dimensional import has_dimensions
from torchfix_codemods.facts.tensors.trained import is_differentiated
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import Tensor, Unknown

#: What the array of several numbers, or ``.item()`` of them, raises, and what catches that.
_ERRORS = frozenset("TypeError ValueError RuntimeError Exception BaseException".split())


def array_as_number(facts: Facts, call: ast.Call) -> Literal["fails", "may fail"] | None:
    """What becomes of the array of a tensor of one element that has to be a number.

    NumPy has refused to take an array for a number since 2.4 if it has dimensions.

    Args:
        facts: the facts of the module.
        call: ``x.data.cpu().numpy()``.

    Returns:
        "fails" where the tensor certainly has dimensions, "may fail" where that is not known;
        None where it has none, where several numbers are waited for, and for everything else.
    """
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "numpy":
        return None
    core, wrappers = unwrapped(call)
    if "numpy" not in wrappers or not has_to_be_number(facts, call):
        return None
    value = facts.value(core)
    if isinstance(value, Tensor) and value.single and value.ndim is not None:
        return "fails" if value.ndim else None
    is_known = isinstance(value, Tensor)
    if not is_known and not (isinstance(value, Unknown) and wrappers & {"data", "detach"}):
        return None
    # Several numbers were never taken for one: that it is asked for says that there is one, unless
    # the code waits for the error.
    is_awaited = any(caught & _ERRORS for caught, _ in handlers_around(facts, call))
    if has_dimensions(facts, core) and not is_awaited:
        return "fails"
    if isinstance(value, Tensor) and value.ndim is not None:
        return None
    return "may fail" if is_differentiated(facts, core) else None
