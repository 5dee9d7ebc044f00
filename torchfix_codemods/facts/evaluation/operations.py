"""What operators, functions and methods of torch give when they are applied to a tensor."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evaluation.forms import applied
from torchfix_codemods.facts.evaluation.forms.results import product_ndim
from torchfix_codemods.facts.evaluation.layouts import ruling
from torchfix_codemods.facts.language.arguments import (
    argument,
    constant,
    is_opaque,
    whole_number,
)
from torchfix_codemods.facts.libraries import losses
from torchfix_codemods.facts.libraries.losses import FLAG_POSITIONS
from torchfix_codemods.facts.values import dtypes, torch_api
from torchfix_codemods.facts.values.interpolated import interpolated_ndim
from torchfix_codemods.facts.values.lattice import (
    NOTHING,
    UNKNOWN,
    Array,
    Device,
    Foreign,
    Method,
    NoneValue,
    Nothing,
    Number,
    Sequence,
    Size,
    Tensor,
    Text,
    Value,
    join,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference

#: What ``parser.parse_args()`` returns.
OPTIONS = "argparse.Namespace"


def operation_on(
    inference: Inference, name: str, node: ast.Call, first: Value | None = None
) -> Value:
    """The result of a function of torch, or of a method of ``first`` (``torch.Tensor.max``)."""
    function = name.rpartition(".")[2]
    result = applied.apply(inference, name, node, first)
    if function in losses.FUNCTIONAL_LOSSES:
        loss = result if isinstance(result, Tensor) else Tensor()
        return (
            torch_api.scalar(loss.grad, loss.dtype)
            if is_reduced(node, inference.names.name(node.func))
            else replace(loss, ndim=None, contiguous=False, single=False)
        )
    if isinstance(first, Tensor) and function in ("to", "type"):
        return _converted(inference, first, node)
    if function == "flatten" and isinstance(result, Tensor):
        return replace(result, ndim=_flattened(node, first, result))
    if isinstance(result, Tensor) and (ndim := interpolated_ndim(name, node)) is not None:
        return replace(result, ndim=ndim)
    if function == "squeeze" and isinstance(result, Tensor) and _is_column_drawn(inference, node):
        return replace(result, ndim=1)
    return UNKNOWN if result is None else result


def _is_column_drawn(inference: Inference, squeezed: ast.Call) -> bool:
    """``torch.multinomial(p, 1).squeeze(1)``, of two dimensions at most, and of one column."""
    function = squeezed.func
    drawn = function.value if isinstance(function, ast.Attribute) else None
    if not isinstance(drawn, ast.Call) or is_opaque(drawn) or len(squeezed.args) != 1:
        return False
    is_torchs = inference.names.name(drawn.func) == "torch.multinomial"
    count = argument(drawn, 1, "num_samples") if is_torchs else None
    return count is not None and whole_number(count) == whole_number(squeezed.args[0]) == 1


def _converted(inference: Inference, tensor: Tensor, node: ast.Call) -> Tensor:
    """The result of ``x.to(…)`` and ``x.type(…)``."""
    dtype = tensor.dtype
    for given in (*node.args, *(keyword.value for keyword in node.keywords)):
        value = inference.value(given)
        name = inference.names.name(given) or ""
        if isinstance(value, Text) and isinstance(given, ast.Constant):
            name = str(given.value)
        legacy = name.rpartition(".")[2]
        if name.startswith("torch.") and legacy in torch_api.LEGACY_TYPES:
            dtype = torch_api.LEGACY_TYPES[legacy]
        elif dtypes.named(name) is not None:
            dtype = dtypes.named(name)
        elif isinstance(value, Tensor):
            dtype = value.dtype
        elif not isinstance(value, (Number, Device, NoneValue)) and not isinstance(
            given, ast.Constant
        ):
            dtype = None
    return replace(tensor, dtype=dtype, leaf_module=None)


def _flattened(node: ast.Call, first: Value | None, result: Tensor) -> int | None:
    """``x.flatten()`` has one dimension, ``x.flatten(1)`` two."""
    given = node.args if first is not None else node.args[1:]
    if not given and not node.keywords:
        return result.ndim
    if len(given) == 1 and not node.keywords and isinstance(given[0], ast.Constant):
        start = given[0].value
        return start + 1 if type(start) is int and start >= 0 else None
    return None


def broadcast(operands: list[Value]) -> Tensor:
    """The shape of an element-wise operation on tensors and numbers."""
    tensors = [v for v in operands if isinstance(v, Tensor)]
    certain = all(isinstance(v, (Tensor, Number)) for v in operands) and bool(tensors)
    if not certain:
        return Tensor()
    ndims = [t.ndim for t in tensors]
    known = [n for n in ndims if n is not None]
    moved = any(tensor.moved for tensor in ruling(tensors))
    return Tensor(
        ndim=max(known) if len(known) == len(ndims) else None,
        contiguous=all(t.contiguous for t in tensors),
        single=all(t.single for t in tensors),
        grad=False if all(t.grad is False for t in tensors) else None,
        permuted=any(t.permuted for t in tensors),
        strided=moved,
        moved=moved,
        repeated=any(
            t.repeated and (len(tensors) == 1 or t.ndim == max(known, default=-1)) for t in tensors
        ),
    )


def in_place(operator: ast.operator, left: Value, right: Value) -> Value:
    """The value of ``left`` after ``left operator= right``: a tensor keeps its shape and dtype."""
    result = arithmetic(operator, left, right)
    if isinstance(left, Tensor) and isinstance(result, Tensor):
        if not isinstance(operator, ast.MatMult):
            return replace(left, grad=result.grad, leaf_module=None)
    return result


def arithmetic(operator: ast.operator, left: Value, right: Value) -> Value:
    """The value of ``left operator right``."""
    left, right = _operand(left), _operand(right)
    if isinstance(left, Nothing) or isinstance(right, Nothing):
        return NOTHING
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        if isinstance(operator, ast.MatMult):
            return _product(left, right)
        if isinstance(left, (Foreign, Sequence)) or isinstance(right, (Foreign, Sequence)):
            return UNKNOWN
        dtype = dtypes.promoted([left, right])
        if isinstance(operator, ast.Div):
            dtype = dtypes.floating(dtype)
        if isinstance(operator, ast.Sub) and _are_masks([left, right]):
            dtype = None
        return replace(broadcast([left, right]), dtype=dtype)
    if isinstance(left, Text):
        return left
    if isinstance(left, Array) or isinstance(right, Array):
        return of_arrays(left, right)
    if isinstance(left, Number) and isinstance(right, Number):
        if isinstance(operator, ast.Div):
            return Number("float")
        if left.kind == right.kind == "int":
            return Number("int")
        return Number("float") if "float" in (left.kind, right.kind) else Number()
    if isinstance(left, Sequence):
        if isinstance(operator, ast.Add) and isinstance(right, Sequence):
            return Sequence(join(left.element, right.element))
        return Sequence(left.element) if isinstance(operator, ast.Mult) else UNKNOWN
    if isinstance(operator, ast.Mult) and isinstance(left, Number) and isinstance(right, Sequence):
        return Sequence(right.element)
    return UNKNOWN


def _are_masks(operands: list[Value]) -> bool:
    """Whether nothing but masks and numbers is subtracted: of bytes once, it raises since."""
    return all(
        operand.dtype == "bool" if isinstance(operand, Tensor) else isinstance(operand, Number)
        for operand in operands
    )


def of_arrays(left: Value, right: Value) -> Value:
    """What numpy makes of two values: an array and a tensor would give a tensor."""
    are_known = all(isinstance(v, (Array, Number, Sequence, Size)) for v in (left, right))
    return Array() if are_known else UNKNOWN


def _product(left: Value, right: Value) -> Tensor:
    """The value of ``left @ right``."""
    if not (isinstance(left, Tensor) and isinstance(right, Tensor)):
        return Tensor()
    ndim = product_ndim(left.ndim, right.ndim)
    grad = False if left.grad is False and right.grad is False else None
    return Tensor(ndim=ndim, contiguous=True, single=ndim == 0, grad=grad)


def _operand(value: Value) -> Value:
    """An option of the command line that is calculated with is a number."""
    if isinstance(value, Method) and value.receiver == Foreign(OPTIONS):
        return Number()
    return value


def tensor_attribute(tensor: Tensor, name: str) -> Value:
    """The value of ``tensor.name``."""
    if name == "data":
        return replace(tensor, grad=False, leaf_module=None)
    if name == "grad":
        return Tensor(ndim=tensor.ndim, dtype=tensor.dtype, single=tensor.single)
    if name == "shape":
        return Size()
    if name == "device":
        return Device()
    if name == "T":
        return Tensor(
            ndim=tensor.ndim,
            dtype=tensor.dtype,
            grad=tensor.grad,
            permuted=True,
            strided=True,
            moved=True,
        )
    if name in ("is_cuda", "requires_grad", "is_leaf", "volatile"):
        return Number("bool")
    if name in ("grad_fn", "dtype", "layout", "names"):
        return UNKNOWN
    return Method(tensor, name)


def index_tensor(inference: Inference, tensor: Tensor, index: ast.expr) -> Tensor:
    """The value of ``tensor[index]``."""
    parts = list(index.elts) if isinstance(index, ast.Tuple) else [index]
    result = replace(tensor, single=False, leaf_module=None, repeated=False)
    ndim = tensor.ndim
    # What stands behind integers alone is one block: ``x[0, 1, 2:]`` lies as ``x[2:]`` does.
    cuts = is_behind_kept = False
    for part in parts:
        if isinstance(part, ast.Slice):
            is_part = bool(part.lower or part.upper)
            cuts = cuts or part.step is not None or (is_behind_kept and is_part)
            is_behind_kept = True
        elif constant(part) is None:
            ndim = None if ndim is None else ndim + 1
        elif isinstance(part, ast.Constant) and part.value is Ellipsis:
            is_behind_kept = True
        elif isinstance(inference.value(part), Number):
            cuts = cuts or is_behind_kept
            ndim = None if ndim is None or ndim == 0 else ndim - 1
        else:
            return replace(result, ndim=None, contiguous=False, strided=tensor.strided or cuts)
    # Of one element, ``x[1:]`` is none.
    cut = any(isinstance(p, ast.Slice) and (p.lower or p.upper) for p in parts)
    single = ndim == 0 or (tensor.single and tensor.ndim is not None and not cut)
    contiguous = tensor.contiguous and not cuts
    strided = not contiguous and (tensor.strided or cuts)
    return replace(result, ndim=ndim, contiguous=contiguous, single=single, strided=strided)


def is_reduced(node: ast.Call, name: str | None) -> bool:
    """Whether a loss certainly returns one number: no ``reduction="none"``, no ``reduce=False``.

    Args:
        node: the call of the class or function.
        name: its qualified name.
    """
    for keyword in node.keywords:
        if keyword.arg is None:
            return False
        value = keyword.value
        if keyword.arg == "reduction":
            ways = (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)
            if not all(isinstance(way, ast.Constant) and way.value != "none" for way in ways):
                return False
        if keyword.arg == "reduce":
            if not (isinstance(value, ast.Constant) and value.value):
                return False
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        return False
    _, reduce = FLAG_POSITIONS.get(name or "", (None, None))
    if reduce is None or len(node.args) <= reduce:
        return True
    flag = node.args[reduce]
    return isinstance(flag, ast.Constant) and flag.value is True


def is_false(node: ast.expr) -> bool:
    """Whether an expression is the literal False, 0 or None."""
    return isinstance(node, ast.Constant) and not node.value
