"""The numbers in tensors, and a tensor of one number with a dimension."""

from __future__ import annotations

from collections.abc import Collection

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.parentheses import as_operand, without_parentheses
from torchfix_codemods.facts.libraries.torch_effects import is_cast
from torchfix_codemods.facts.tensors.wrappers import WRAPPERS, gives_floats


def with_dimension(element: cst.BaseElement) -> cst.BaseElement:
    """``loss.view(1)`` for ``loss``."""
    view = cst.Attribute(value=as_operand(element.value), attr=cst.Name("view"))
    return element.with_changes(value=cst.Call(view, [cst.Arg(cst.Integer("1"))]))


def with_dimensions(joining: cst.Call, places: Collection[int]) -> cst.Call:
    """``torch.cat((a, loss.view(1)))`` for ``torch.cat((a, loss))``.

    Args:
        joining: the call.
        places: where among what is joined the numbers stand.
    """
    joined = joining.args[0].value
    if not isinstance(joined, (cst.Tuple, cst.List)):
        return joining
    elements = [
        with_dimension(element) if i in places else element
        for i, element in enumerate(joined.elements)
    ]
    first = joining.args[0].with_changes(value=joined.with_changes(elements=elements))
    return joining.with_changes(args=[first, *joining.args[1:]])


def with_item(tensor: cst.BaseExpression, *, is_of_data: bool = False) -> cst.Call:
    """``index.item()`` for ``index``, and ``(index + 1).item()`` for ``index + 1``.

    Args:
        tensor: what has the number.
        is_of_data: whether it is an element or an array of data: ``x[0].item()`` of ``x.data[0]``.
    """
    tensor = _bare(tensor) if is_of_data else tensor
    bare = tensor.with_changes(lpar=[], rpar=[])
    operand = as_operand(bare)
    if operand is not bare:
        return cst.Call(cst.Attribute(tensor if tensor.lpar else operand, cst.Name("item")))
    item = cst.Attribute(operand, cst.Name("item"))
    return cst.Call(item, lpar=tensor.lpar, rpar=tensor.rpar)


def _bare(tensor: cst.BaseExpression) -> cst.BaseExpression:
    """``x[0].float()`` of ``x.data[0].float().cpu().numpy()``: the same numbers."""
    below = tensor_below(tensor)
    tensor = tensor if below is tensor else without_parentheses(below)
    if isinstance(tensor, cst.Subscript):
        return tensor.with_changes(value=as_operand(_bare(tensor.value)))
    cast = tensor.func if isinstance(tensor, cst.Call) and not tensor.args else None
    if isinstance(cast, cst.Attribute) and is_cast(cast.attr.value):
        return tensor.with_changes(func=cast.with_changes(value=as_operand(_bare(cast.value))))
    return tensor


def as_numbers(tensor: cst.BaseExpression) -> cst.Call:
    """``x.tolist()`` for ``x``, or for ``x.data``, of which numbers are the same."""
    if isinstance(tensor, cst.Attribute) and tensor.attr.value == "data":
        tensor = tensor.value
    return cst.Call(cst.Attribute(value=as_operand(tensor), attr=cst.Name("tolist")))


def tensor_below(node: cst.BaseExpression, *, is_cast: bool = False) -> cst.BaseExpression:
    """The tensor below ``.data``, ``.cpu()``, ``.numpy()`` and the like.

    Args:
        node: what has its numbers.
        is_cast: whether a cast below these goes as well, and what is below that.
    """
    while True:
        node = _without_cast(node)
        inner = node.func if isinstance(node, cst.Call) and not node.args else node
        if not (isinstance(inner, cst.Attribute) and inner.attr.value in WRAPPERS):
            if is_cast and isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
                return tensor_below(node.func.value)
            return node
        node = inner.value


def _without_cast(node: cst.BaseExpression) -> cst.BaseExpression:
    """``x.numpy()`` of ``x.numpy().astype(float)``."""
    cast = node.func if isinstance(node, cst.Call) and len(node.args) == 1 else None
    if not isinstance(cast, cst.Attribute) or cast.attr.value != "astype":
        return node
    assert isinstance(node, cst.Call)
    dtype = node.args[0].value
    named = dtype.attr if isinstance(dtype, cst.Attribute) else dtype
    if isinstance(named, (cst.Name, cst.SimpleString)) and gives_floats(named.value):
        return cast.value
    return node
