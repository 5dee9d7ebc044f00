"""`index.clamp_(0, gain[3] - 1)` of whole numbers by floats: it raises today."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from math import isfinite

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.facts.language.arguments import (
    argument,
    is_opaque,
    numbers_in,
    values_given,
    written_float,
)
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.dtypes import is_floating
from torchfix_codemods.facts.values.lattice import UNKNOWN, Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_IN_PLACE = frozenset({"clamp_", "clamp_max_", "clamp_min_"})
_NEW = frozenset({"clamp", "clamp_max", "clamp_min"})
_GAVE_INTEGERS = "whole numbers clamped by floats are floats since torch 1.12, and were not before"
_CROSSED = (
    "no number is above {0} and below {1}: torch 1.7 and older made {0} of some, and today's makes "
    "{1} of all"
)
_CONVERSIONS = {"int64": "long", "int32": "int"}


class ClampedIntegers(Rule):
    """
    ## What it does
    Converts the bounds of `clamp_` on a tensor of whole numbers, where they are tensors of floats
    with one element, and cuts those that are written down: `clamp_(max=6.5)` becomes
    `clamp_(max=6)`. So it does with `clamp` in files for torch before 1.12.

    ## Why
    Up to torch 1.10 such a bound was read as a number and cut to a whole one; one written down was
    up to 1.11. Today it takes part in type promotion, so that `clamp` gives floats, and in place:
    "result type Float can't be cast to the desired output type long int". The targets of YOLOv5 and
    of its forks are built so.

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
    Restored in place: the bound is cut towards zero, as it was. Pinned for `clamp`, which runs
    today and gives floats.

    ## When it stays its hand
    Where either dtype is not known, where the bound has dimensions, and where `clamp` is in a file
    that may be for torch 1.12 or newer. Where the lower of two bounds that are written down is
    above the upper one, a finding in a file for torch before 1.8 says so.

    ## References
    - https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
    - https://pytorch.org/docs/stable/generated/torch.clamp.html
    """

    code = "TP421"
    name = "clamped-integers"
    since = "0.4"
    numerics = Numerics.RESTORED
    words = _IN_PLACE | _NEW
    message = "whole numbers are not clamped in place by floats today: convert them"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        function = call.func
        if not isinstance(function, ast.Attribute) or is_opaque(call):
            return
        is_in_place = function.attr in _IN_PLACE
        if not (is_in_place or function.attr in _NEW):
            return
        is_method = facts.name(function) != f"torch.{function.attr}"
        bounds = call.args if is_method else call.args[1:]
        tensor = function.value if is_method else argument(call, 0, "input")
        clamped = UNKNOWN if tensor is None else facts.value(tensor)
        if not isinstance(clamped, Tensor):
            return
        if facts.numbers_before(call, (1, 8)):
            yield from self._find_crossed(call, bounds)
        if not is_in_place and not facts.numbers_before(call, (1, 12)):
            return
        conversion = _CONVERSIONS.get(clamped.dtype or "")
        if conversion is None:
            return
        cut = {}
        for index, bound in enumerate(values_given(call)):
            number = written_float(bound)
            if number is not None and isfinite(number):
                cut[index] = str(int(number))
            elif is_in_place and _is_one_float(bound, facts):
                cut[index] = ""
        if cut and is_in_place:
            yield self.found(call, cut=cut, conversion=conversion)
        elif cut:
            yield self.found(
                call, _GAVE_INTEGERS, numerics=Numerics.PINNED, cut=cut, conversion=conversion
            )

    def _find_crossed(self, call: ast.Call, bounds: list[ast.expr]) -> Iterator[Found]:
        """``x.clamp(1, 0)``, which nothing can satisfy."""
        given = dict(zip(("min", "max"), bounds, strict=False))
        given |= {k.arg: k.value for k in call.keywords if k.arg is not None}
        numbers = numbers_in(ast.List([given[name] for name in ("min", "max") if name in given]))
        if numbers is not None and len(numbers) == 2 and numbers[0] > numbers[1]:
            yield self.advice(call, _CROSSED.format(*numbers))

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        args = list(updated.args)
        for index, number in self.data["cut"].items():
            if number:
                cut = cst.parse_expression(number)
            else:
                bound = as_operand(args[index].value)
                cut = cst.Call(cst.Attribute(bound, cst.Name(self.data["conversion"])))
            args[index] = args[index].with_changes(value=cut)
        return updated.with_changes(args=args)


def _is_one_float(node: ast.expr, facts: Facts) -> bool:
    """Whether this is certainly a tensor without dimensions, of real numbers."""
    value = facts.value(node)
    if not isinstance(value, Tensor) or value.ndim != 0 or value.dtype is None:
        return False
    return is_floating(value.dtype)
