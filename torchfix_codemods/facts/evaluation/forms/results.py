"""How many dimensions a result has, and of which dtype it is, as the table says it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evaluation.forms.fitting import Binding, dtype_name
from torchfix_codemods.facts.language.arguments import whole_number
from torchfix_codemods.facts.libraries.torch_table import Result
from torchfix_codemods.facts.values import dtypes
from torchfix_codemods.facts.values.lattice import (
    NoneValue,
    Number,
    Sequence,
    Tensor,
    Value,
    ndim_of,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference


def ndim_of_result(inference: Inference, binding: Binding, result: Result) -> int | None:
    """How many dimensions a result has; None where that is not known."""
    text = result.ndim
    if text.isdigit():
        return int(text)
    if text == "?":
        return None
    if text in ("^", "^-1"):
        ranks = [_rank(value) for value in binding.tensors()]
        if not ranks or None in ranks:
            return None
        return max(r for r in ranks if r is not None) - (text == "^-1")
    if text == "@":
        ranks = [_rank(value) for value in binding.tensors()]
        return product_ndim(ranks[0], ranks[1]) if len(ranks) == 2 else None
    if text[0] == "#":
        return _count(inference, binding, text[1:])
    name, step, dim = _split(text)
    given = binding.given.get(name)
    rank = _rank(given.value) if given is not None else None
    if rank is None:
        # What torch takes without a batch since 1.11, programs give it with one.
        return result.batched if not step and not dim else None
    if dim:
        return _reduced(binding, rank, dim)
    if not step and any(p.name == name and p.kind == "L" for p in binding.form.parameters):
        # Numbers are not joined since torch 0.4; until then they had a dimension.
        return max(rank, 1)
    return rank + step if rank + step >= 0 else None


def _split(text: str) -> tuple[str, int, str]:
    for sign, factor in (("+", 1), ("-", -1)):
        name, found, rest = text.partition(sign)
        if found:
            return (name, factor * int(rest), "") if rest.isdigit() else (name, 0, rest)
    return text, 0, ""


def _rank(value: Value) -> int | None:
    if isinstance(value, Sequence):
        value = value.element
    return ndim_of(value)


def product_ndim(left: int | None, right: int | None) -> int | None:
    """The number of dimensions of a matrix product."""
    if left is None or right is None or not left or not right:
        return None
    if left == right == 1:
        return 0
    return max(left, right) - (left == 1) - (right == 1)


def _reduced(binding: Binding, rank: int, dim: str) -> int | None:
    keepdim = binding.given.get("keepdim")
    if keepdim is not None and not isinstance(keepdim.value, NoneValue):
        literal = keepdim.node.value if isinstance(keepdim.node, ast.Constant) else None
        if literal not in (True, False):
            return None
        if literal:
            return rank
    value = binding.given[dim].value
    if isinstance(value, NoneValue):
        return 0
    if isinstance(value, Number):
        return max(0, rank - 1)
    if isinstance(value, Sequence) and value.items is not None:
        return max(0, rank - len(value.items)) if value.items else None
    return None


def _count(inference: Inference, binding: Binding, name: str) -> int | None:
    """How many sizes are given."""
    if name in binding.many:
        return len(binding.many[name])
    given = binding.given[name]
    if isinstance(given.node, (ast.Tuple, ast.List)):
        starred = any(isinstance(element, ast.Starred) for element in given.node.elts)
        return None if starred else len(given.node.elts)
    if isinstance(given.value, Sequence) and given.value.items is not None:
        return len(given.value.items)
    return _ndim_of_size(inference, given.node)


def _ndim_of_size(inference: Inference, node: ast.expr | None) -> int | None:
    """The number of dimensions of x, for ``x.size()`` and ``x.shape``; of ``x.size()[:2]``, two."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        count = _ndim_of_size(inference, node.value)
        bounds = (node.slice.lower, node.slice.upper, node.slice.step)
        numbers = [whole_number(bound) for bound in bounds if bound is not None]
        if count is None or None in numbers:
            return None
        places = slice(*(None if bound is None else whole_number(bound) for bound in bounds))
        return len(range(count)[places])
    if isinstance(node, ast.Call) and not node.args and not node.keywords:
        node = node.func if isinstance(node.func, ast.Attribute) else None
        wanted = "size"
    else:
        wanted = "shape"
    if isinstance(node, ast.Attribute) and node.attr == wanted:
        return _rank(inference.value(node.value))
    return None


#: What made floats of whole numbers, too, in every torch before.
_FLOATS_BEFORE = {"arange": (0, 4, 1), "full": (1, 5)}


def dtype_of_result(
    inference: Inference, function: str, binding: Binding, result: Result
) -> str | None:
    """Of which dtype a result is; None where that is not known."""
    for parameter in binding.form.parameters:
        given = binding.given.get(parameter.name)
        if parameter.kind == "d" and given is not None and not isinstance(given.value, NoneValue):
            # Of several results, only the first is of the dtype that is asked for.
            is_index = (
                result.dtype == "int64"
                and result.flags.startswith("n")
                and len(binding.form.results) > 1
            )
            return "int64" if is_index else dtype_name(inference, given)
    text = result.dtype
    if text == "?" and (out := binding.given.get("out")) is not None:
        # What is filled keeps its dtype.
        return out.value.dtype if isinstance(out.value, Tensor) else None
    if function in _FLOATS_BEFORE and text == "?":
        known = _dtype_of_numbers(inference, binding)
        changed = _FLOATS_BEFORE[function]
        if known == dtypes.DEFAULT or (era := inference.era()).newest is None:
            return known
        if era.before(changed):
            return dtypes.DEFAULT
        # An old file that may be for either torch.
        return known if (era.oldest or ()) >= changed else None
    if text == "?":
        return None
    if text == "default":
        return dtypes.DEFAULT
    wrapper, _, inner = text.rpartition("(")
    inner = inner.removesuffix(")")
    if inner == "^":
        found = dtypes.promoted(_operands(binding))
    elif inner in binding.given or inner in binding.many:
        found = _dtype_of(binding, inner)
    elif any(parameter.name == inner for parameter in binding.form.parameters):
        return None
    else:
        return inner
    if wrapper == "float":
        return dtypes.floating(found)
    return dtypes.summed(found) if wrapper == "sum" else found


def _operands(binding: Binding) -> list[Value]:
    """What takes part in the promotion of dtypes: no masks, no factors."""
    return [
        binding.given[parameter.name].value
        for parameter in binding.form.parameters
        if parameter.kind in "Tn"
        and parameter.name in binding.given
        and parameter.name not in ("condition", "mask", "alpha", "beta", "value")
    ]


def _dtype_of(binding: Binding, name: str) -> str | None:
    if name in binding.many:
        found = {v.dtype if isinstance(v, Tensor) else None for v in binding.tensors()}
        return found.pop() if len(found) == 1 else None
    value = binding.given[name].value
    if isinstance(value, Sequence):
        if value.items:
            return dtypes.joined(value.items)
        value = value.element
    return value.dtype if isinstance(value, Tensor) else None


def _dtype_of_numbers(inference: Inference, binding: Binding) -> str | None:
    """``arange`` and ``full`` take their dtype from the numbers they are given."""
    values = [
        binding.given[p.name].value
        for p in binding.form.parameters
        if p.kind == "n" and p.name in binding.given
    ]
    kinds = {value.kind if isinstance(value, Number) else None for value in values}
    if None in kinds or not kinds:
        return None
    if "float" in kinds:
        return dtypes.DEFAULT
    return "bool" if kinds == {"bool"} else "int64"
