"""What operators, functions and methods of torch give when they are applied to a tensor."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torchfix_codemods.facts import torch_api
from torchfix_codemods.facts.losses import FLAG_POSITIONS
from torchfix_codemods.facts.values import (
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
    sequence_of,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.infer import Inference

#: What ``parser.parse_args()`` returns.
OPTIONS = "argparse.Namespace"


def operation_on(
    inference: Inference, function: str, node: ast.Call, first: Value, rest: list[ast.expr]
) -> Value:
    """The result of an operation on ``first`` with the remaining positional arguments."""
    source = first if isinstance(first, Tensor) else Tensor()
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    grad = False if _has_no_history(inference, function, node, first, rest) else None
    if function in torch_api.FUNCTIONAL_LOSSES:
        return (
            torch_api.scalar(grad)
            if is_reduced(node, inference.names.name(node.func))
            else Tensor(grad=grad)
        )
    if function in torch_api.PAIRS:
        contiguous = source.contiguous or function == "topk"
        values = replace(source, single=False, leaf_module=None, contiguous=contiguous)
        return sequence_of(
            (values, Tensor(ndim=source.ndim, dtype="int64", grad=False, contiguous=contiguous))
        )
    if function in torch_api.PAIR_REDUCTIONS and not _is_tensor_argument(inference, rest):
        reduced = _reduced(inference, source, rest, keywords)
        if not rest and "dim" not in keywords:
            return replace(reduced, grad=grad, dtype=source.dtype)
        indices = replace(reduced, dtype="int64", grad=False)
        return sequence_of((replace(reduced, grad=grad, dtype=source.dtype), indices))
    if function in torch_api.REDUCTIONS:
        if function == "norm" and "p" not in keywords:
            rest = rest[1:]
        reduced = _reduced(inference, source, rest, keywords)
        if function in ("argmax", "argmin"):
            return replace(reduced, dtype="int64", grad=False)
        return replace(reduced, grad=grad)
    if function in torch_api.COMPARISONS:
        return replace(broadcast([first, *map(inference.value, rest)]), dtype="bool", grad=False)
    if function in torch_api.BROADCAST:
        return replace(broadcast([first, *map(inference.value, rest)]), grad=grad)
    if function in torch_api.BROADCAST_WITH_TENSOR and _is_tensor_argument(inference, rest):
        return replace(broadcast([first, *map(inference.value, rest)]), grad=grad)
    if function in torch_api.SAME_SHAPE:
        dtype = _dtype_after(inference, function, source, rest, keywords)
        contiguous = source.contiguous or function in torch_api.ALWAYS_CONTIGUOUS
        result = replace(source, dtype=dtype, leaf_module=None, grad=grad, contiguous=contiguous)
        if function in ("detach", "detach_"):
            return replace(result, grad=False)
        return replace(result, grad=None) if function == "requires_grad_" else result
    if function in torch_api.FRESH_NDIM:
        ndim: int | None = torch_api.FRESH_NDIM[function]
        if source.ndim is not None and ("conv" in function or "pool" in function):
            ndim = source.ndim
        return Tensor(ndim=ndim, contiguous=True, single=ndim == 0, grad=grad)
    if function in torch_api.FRESH_SAME:
        return Tensor(ndim=_ndim_of_parts(first), contiguous=True, grad=grad)
    if function in torch_api.VIEWS:
        keeps = function in ("transpose", "transpose_", "permute", "t", "t_", "narrow")
        return Tensor(ndim=source.ndim if keeps else None, dtype=source.dtype, grad=grad)
    return _reshaping(inference, function, node, source, rest, grad)


#: Methods of any dtype whose result, or receiver, has the dtype of what they are called on.
_KEEPS_DTYPE = frozenset(
    """abs abs_ neg neg_ clamp clamp_ clone fill_ zero_ bernoulli_ random_ copy_ masked_fill
    masked_fill_ index_fill index_fill_ index_add index_add_ index_copy index_copy_ scatter scatter_
    scatter_add scatter_add_ masked_scatter masked_scatter_ flip roll detach detach_ add_ sub_ mul_
    tril triu pad cuda cpu pin_memory""".split()
)


def _dtype_after(
    inference: Inference,
    function: str,
    source: Tensor,
    rest: list[ast.expr],
    keywords: dict[str | None, ast.expr],
) -> str | None:
    """The dtype after a function that keeps the shape: whole numbers may become floats."""
    if function in torch_api.DTYPE_METHODS:
        return torch_api.DTYPE_METHODS[function]
    if function == "to":
        moved = [*rest, *keywords.values()]
        is_move = bool(moved) and all(isinstance(inference.value(m), Device) for m in moved)
        return source.dtype if is_move else None
    is_float = source.dtype in ("float16", "float32", "float64")
    casts = function in ("type", "type_as")
    return source.dtype if function in _KEEPS_DTYPE or (is_float and not casts) else None


def _has_no_history(
    inference: Inference, function: str, node: ast.Call, first: Value, rest: list[ast.expr]
) -> bool:
    """Whether no tensor that goes into an operation can be part of an autograd graph."""
    if isinstance(first, Sequence):
        first = first.element
    if not (isinstance(first, Tensor) and first.grad is False):
        return False
    if function in torch_api.ONE_TENSOR:
        return True
    others = [*rest, *(keyword.value for keyword in node.keywords)]
    return all(_is_plain(inference, other) for other in others)


def _is_plain(inference: Inference, node: ast.expr) -> bool:
    """Whether an argument certainly brings no history into an operation."""
    value = inference.value(node)
    if isinstance(value, Sequence):
        value = value.element
    if isinstance(value, Tensor):
        return value.grad is False
    is_api = inference.names.name(node) is not None
    return is_api or isinstance(value, (Number, Text, NoneValue, Size, Device, Array))


def _reshaping(
    inference: Inference,
    function: str,
    node: ast.Call,
    source: Tensor,
    rest: list[ast.expr],
    grad: bool | None,
) -> Value:
    plain = replace(source, ndim=None, single=False, leaf_module=None, grad=grad)
    if function in ("view", "reshape", "repeat", "resize_", "flatten", "view_as"):
        ndim = count_sizes(inference, rest) if function in ("view", "reshape", "repeat") else None
        if function == "flatten" and not rest and not node.keywords:
            ndim = 1
        return replace(
            plain,
            ndim=ndim,
            contiguous=source.contiguous or function == "repeat",
            single=source.single and function != "repeat",
        )
    if function == "contiguous":
        return replace(source, contiguous=True, leaf_module=None, grad=grad)
    if function == "unsqueeze":
        ndim = None if source.ndim is None else source.ndim + 1
        return replace(source, ndim=ndim, leaf_module=None, grad=grad)
    if function == "squeeze":
        return replace(
            plain,
            contiguous=source.contiguous,
            single=source.single,
            ndim=0 if source.single and not rest else None,
        )
    if function == "stack":
        return Tensor(contiguous=True, grad=grad)
    if function in ("chunk", "split", "unbind"):
        keeps = function != "unbind"
        in_front = len(rest) == (1 if keeps else 0) and not node.keywords
        contiguous = source.contiguous and in_front
        return Sequence(
            Tensor(ndim=source.ndim if keeps else None, contiguous=contiguous, grad=grad)
        )
    if function == "multinomial":
        return Tensor(dtype="int64", contiguous=True, grad=False)
    if function == "embedding":
        return Tensor(contiguous=True)
    if function == "nonzero":
        return Tensor(ndim=2, dtype="int64", grad=False)
    return UNKNOWN


def _ndim_of_parts(first: Value) -> int | None:
    if isinstance(first, Sequence):
        first = first.element
    return first.ndim if isinstance(first, Tensor) else None


def _is_tensor_argument(inference: Inference, rest: list[ast.expr]) -> bool:
    """``torch.max(a, b)`` compares two tensors; ``torch.max(a, 1)`` reduces a dimension."""
    return bool(rest) and not isinstance(inference.value(rest[0]), Number)


def _reduced(
    inference: Inference,
    source: Tensor,
    rest: list[ast.expr],
    keywords: dict[str | None, ast.expr],
) -> Tensor:
    """A tensor after reducing the dimensions that the arguments name; all without arguments."""
    dim = rest[0] if rest else keywords.get("dim", keywords.get("axis"))
    if dim is None:
        if None in keywords:
            return Tensor()
        return Tensor(ndim=0, contiguous=True, single=True)
    keepdim = rest[1] if len(rest) > 1 else keywords.get("keepdim")
    keeps = keepdim is not None and not is_false(keepdim)
    ndim = source.ndim
    if ndim is not None and not keeps:
        ndim = ndim - 1 if isinstance(inference.value(dim), Number) and ndim else None
    return Tensor(ndim=ndim, contiguous=True, single=ndim == 0)


def broadcast(operands: list[Value]) -> Tensor:
    """The shape of an element-wise operation on tensors and numbers."""
    tensors = [v for v in operands if isinstance(v, Tensor)]
    certain = all(isinstance(v, (Tensor, Number)) for v in operands) and bool(tensors)
    if not certain:
        return Tensor()
    ndims = [t.ndim for t in tensors]
    known = [n for n in ndims if n is not None]
    return Tensor(
        ndim=max(known) if len(known) == len(ndims) else None,
        contiguous=all(t.contiguous for t in tensors),
        single=all(t.single for t in tensors),
        grad=torch_api.combine_grad(tensors),
    )


def arithmetic(operator: ast.operator, left: Value, right: Value) -> Value:
    """The value of ``left operator right``."""
    left, right = _operand(left), _operand(right)
    if isinstance(left, Nothing) or isinstance(right, Nothing):
        return NOTHING
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        if isinstance(operator, ast.MatMult):
            return Tensor()
        if isinstance(left, (Foreign, Sequence)) or isinstance(right, (Foreign, Sequence)):
            return UNKNOWN
        return broadcast([left, right])
    if isinstance(left, Array) or isinstance(right, Array):
        return Array()
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
    return Text() if isinstance(left, Text) else UNKNOWN


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
        return Tensor(ndim=tensor.ndim, dtype=tensor.dtype)
    if name == "shape":
        return Size()
    if name == "device":
        return Device()
    if name == "T":
        return Tensor(ndim=tensor.ndim, dtype=tensor.dtype, grad=tensor.grad)
    if name in ("is_cuda", "requires_grad", "is_leaf", "volatile"):
        return Number("bool")
    if name in ("grad_fn", "dtype", "layout", "names"):
        return UNKNOWN
    return Method(tensor, name)


def index_tensor(inference: Inference, tensor: Tensor, index: ast.expr) -> Tensor:
    """The value of ``tensor[index]``."""
    parts = list(index.elts) if isinstance(index, ast.Tuple) else [index]
    result = replace(tensor, single=False, leaf_module=None)
    ndim = tensor.ndim
    contiguous = tensor.contiguous
    for position, part in enumerate(parts):
        if isinstance(part, ast.Slice):
            contiguous = contiguous and position == 0 and part.step is None
        elif isinstance(part, ast.Constant) and part.value is None:
            ndim = None if ndim is None else ndim + 1
        elif isinstance(part, ast.Constant) and part.value is Ellipsis:
            contiguous = False
        elif isinstance(inference.value(part), Number):
            # An integer in front keeps a contiguous tensor contiguous.
            contiguous = contiguous and position == 0 and len(parts) == 1
            ndim = None if ndim is None or ndim == 0 else ndim - 1
        else:
            return replace(result, ndim=None, contiguous=False)
    single = ndim == 0 or (tensor.single and tensor.ndim is not None)
    return replace(result, ndim=ndim, contiguous=contiguous, single=single)


def count_sizes(inference: Inference, sizes: list[ast.expr]) -> int | None:
    """How many dimensions ``zeros(2, n)`` or ``view((2, n))`` asks for, if that is certain."""
    if any(isinstance(size, ast.Starred) for size in sizes):
        return None
    if len(sizes) != 1:
        return len(sizes)
    only = sizes[0]
    if isinstance(only, (ast.Tuple, ast.List)):
        return count_sizes(inference, only.elts) if len(only.elts) != 1 else 1
    value = inference.value(only)
    if isinstance(value, Number):
        return 1
    if isinstance(value, Sequence) and value.items is not None:
        return len(value.items)
    return None


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
            if not (isinstance(value, ast.Constant) and value.value != "none"):
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
