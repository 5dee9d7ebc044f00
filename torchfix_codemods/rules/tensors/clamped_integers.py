"""`index.clamp_(0, gain[3] - 1)` of whole numbers by a tensor of floats: it raises today."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.facts.arguments import is_opaque
from torchfix_codemods.facts.dtypes import is_floating
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values import Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_IN_PLACE = frozenset({"clamp_", "clamp_max_", "clamp_min_"})
_CONVERSIONS = {"int64": "long", "int32": "int"}


class ClampedIntegers(Rule):
    """
    ## What it does
    Converts the bounds of `clamp_` on a tensor of whole numbers, where they are tensors of floats
    with one element.

    ## Why
    Up to torch 1.10 such a bound was read as a number and cut to a whole one. Today it takes part
    in type promotion: "result type Float can't be cast to the desired output type long int". The
    targets of YOLOv5 and of its forks are built so.

    ## Example
    ```python
    gain = torch.ones(7)
    gi = (targets[:, 2] * gain[2]).long()
    gi.clamp_(0, gain[2] - 1)
    ```
    becomes
    ```python
    gain = torch.ones(7)
    gi = (targets[:, 2] * gain[2]).long()
    gi.clamp_(0, (gain[2] - 1).long())
    ```

    ## Numbers
    Restored: the bound is cut towards zero, as it was.

    ## When it stays its hand
    Where either dtype is not known, where the bound has dimensions, and on `clamp` that is not in
    place, which gives floats today.

    ## References
    - https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
    - https://pytorch.org/docs/stable/generated/torch.clamp.html
    """

    code = "TP421"
    name = "clamped-integers"
    since = "0.4"
    numerics = Numerics.RESTORED
    words = _IN_PLACE
    message = "whole numbers are not clamped in place by a tensor of floats today: convert it"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        function = call.func
        if not isinstance(function, ast.Attribute) or function.attr not in _IN_PLACE:
            return
        clamped = facts.value(function.value)
        if not isinstance(clamped, Tensor) or is_opaque(call):
            return
        conversion = _CONVERSIONS.get(clamped.dtype or "")
        bounds = [*call.args, *(keyword.value for keyword in call.keywords)]
        found = [index for index, bound in enumerate(bounds) if _is_one_float(bound, facts)]
        if conversion is not None and found:
            yield self.found(call, indices=found, conversion=conversion)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        args = list(updated.args)
        for index in self.data["indices"]:
            bound = as_operand(args[index].value)
            converted = cst.Call(cst.Attribute(bound, cst.Name(self.data["conversion"])))
            args[index] = args[index].with_changes(value=converted)
        return updated.with_changes(args=args)


def _is_one_float(node: ast.expr, facts: Facts) -> bool:
    """Whether this is certainly a tensor without dimensions, of real numbers."""
    value = facts.value(node)
    if not isinstance(value, Tensor) or value.ndim != 0 or value.dtype is None:
        return False
    return is_floating(value.dtype)
