"""What a constructor makes: ``torch.tensor``, ``torch.FloatTensor``, ``torch.zeros``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchfix_codemods.facts.values import dtypes, torch_api
from torchfix_codemods.facts.values.array_dtypes import dtype_of_array, ndim_of_array
from torchfix_codemods.facts.values.lattice import Number, Sequence, Size, Tensor, Unknown, Value

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference


def made_tensor(inference: Inference, function: str, node: ast.Call) -> Value | None:
    """The result of ``torch.zeros`` and the like; None for functions that make no new tensor."""
    if function in torch_api.LEGACY_TYPES:
        grad = _history_kept(inference, node)
        return Tensor(
            ndim=_legacy_ndim(inference, node),
            dtype=torch_api.LEGACY_TYPES[function] or dtypes.DEFAULT,
            contiguous=not _may_take_memory(inference, node),
            single=_is_list_of_one(inference, node) or is_of_size_one(node),
            grad=grad,
        )
    if function in ("tensor", "as_tensor", "from_numpy"):
        keywords = {keyword.arg for keyword in node.keywords}
        grad = None if "requires_grad" in keywords or None in keywords else False
        ndim = ndim_of_array(inference, node.args[0]) if node.args else None
        if function != "from_numpy" and node.args and ndim is None:
            ndim = _literal_ndim(inference, node.args[0])
        if function == "as_tensor":
            grad = _history_kept(inference, node)
        return Tensor(
            ndim=ndim,
            dtype=_dtype_of_data(inference, node),
            contiguous=function == "tensor",
            single=ndim == 0 or _is_list_of_one(inference, node),
            grad=grad,
        )
    return None


def _is_list_of_one(inference: Inference, node: ast.Call) -> bool:
    """``torch.FloatTensor([0])``, ``torch.tensor([[x]])`` of a number x."""
    given = node.args[0] if len(node.args) == 1 else None
    depth = 0
    while isinstance(given, (ast.List, ast.Tuple)) and len(given.elts) == 1:
        given, depth = given.elts[0], depth + 1
    return depth > 0 and given is not None and isinstance(inference.value(given), Number)


def is_of_size_one(call: ast.Call) -> bool:
    """``torch.FloatTensor(1)``, ``torch.zeros(1, 1)``: each size is a literal 1."""
    return bool(call.args) and all(
        isinstance(size, ast.Constant) and type(size.value) is int and size.value == 1
        for size in call.args
    )


def _may_take_memory(inference: Inference, node: ast.Call) -> bool:
    """``torch.Tensor(array)`` lies in the memory of the array, in whatever order that is."""
    if len(node.args) != 1:
        return False
    given = node.args[0]
    if isinstance(inference.value(given), (Number, Sequence, Size)):
        return False
    is_named = isinstance(given, (ast.Name, ast.Attribute))
    return not (is_named and inference.counts.is_count_or_shape(given))


def _dtype_of_data(inference: Inference, node: ast.Call) -> str | None:
    """The dtype of ``torch.tensor([1, 2])``: that of the numbers, if no other is asked for."""
    for keyword in node.keywords:
        if keyword.arg in ("dtype", None):
            return dtypes.named(inference.names.name(keyword.value))
    if len(node.args) != 1:
        return None
    if (of_array := dtype_of_array(inference, node.args[0])) is not None:
        return of_array
    leaves = [node.args[0]]
    while leaves and all(isinstance(leaf, (ast.List, ast.Tuple)) for leaf in leaves):
        leaves = [e for leaf in leaves for e in leaf.elts]  # type: ignore[attr-defined]
    kinds = {v.kind if isinstance(v, Number) else None for v in map(inference.value, leaves)}
    if None in kinds or not kinds:
        return None
    if "float" in kinds:
        return dtypes.DEFAULT
    return "int64" if "int" in kinds else "bool"


def _history_kept(inference: Inference, node: ast.Call) -> bool | None:
    """The history of ``torch.Tensor(x)``: where x is a tensor, it is that of x."""
    if len(node.args) != 1 or node.keywords:
        is_new = len(node.args) > 1 or not (node.args or node.keywords)
        return False if is_new else None
    given = inference.value(node.args[0])
    if isinstance(given, Tensor):
        return given.grad
    is_open = isinstance(given, Unknown) and isinstance(node.args[0], ast.Name)
    return None if is_open and not inference.counts.is_count(node.args[0]) else False


def ndim_of_new(inference: Inference, node: ast.Call) -> int | None:
    """How many dimensions ``x.new(…)`` makes, where it is given sizes, or one list."""
    sizes = [isinstance(inference.value(given), Number) for given in node.args[1:]]
    return _legacy_ndim(inference, node) if node.args and all(sizes) else None


def _legacy_ndim(inference: Inference, node: ast.Call) -> int | None:
    if len(node.args) == 1:
        value = inference.value(node.args[0])
        if isinstance(value, Sequence):
            return _literal_ndim(inference, node.args[0])
        return 1 if isinstance(value, Number) else None
    return None if any(isinstance(a, ast.Starred) for a in node.args) else len(node.args) or 1


def _literal_ndim(inference: Inference, node: ast.expr) -> int | None:
    depth = 0
    while isinstance(node, (ast.List, ast.Tuple, ast.ListComp)):
        if isinstance(node, ast.ListComp):
            node = node.elt
        elif node.elts:
            node = node.elts[0]
        else:
            return None
        depth += 1
    value = inference.value(node)
    while isinstance(value, Sequence):
        value = value.element
        depth += 1
    # A tensor in a list is taken for its one element, whatever its dimensions; more of them raise.
    is_number = isinstance(value, Number) or (depth > 0 and isinstance(value, Tensor))
    return depth if is_number else None
