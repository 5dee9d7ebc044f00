"""Which form a call of torch takes, and what it then gives: the table, applied to known values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evaluation.forms.fitting import Binding, Given, bind, of_first
from torchfix_codemods.facts.evaluation.forms.histories import history_of_result
from torchfix_codemods.facts.evaluation.forms.results import dtype_of_result, ndim_of_result
from torchfix_codemods.facts.evaluation.layouts import (
    FOLLOWED,
    cuts_outermost,
    is_in_order,
    is_repeated,
    keeps_order,
    packs,
)
from torchfix_codemods.facts.evaluation.made_tensors import is_of_size_one
from torchfix_codemods.facts.language.arguments import is_opaque, whole_number
from torchfix_codemods.facts.libraries.torch_table import Result, forms_of, forms_of_old
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import (
    NOTHING,
    UNKNOWN,
    NoneValue,
    Nothing,
    Number,
    Sequence,
    Size,
    Tensor,
    Text,
    Value,
    join,
    ndim_of,
    sequence_of,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference

#: What is not known of the result of a call whose arguments are not seen one by one.
_LOOSE = "ndl"

_WORDS: dict[str, Value] = {
    "int": Number("int"),
    "float": Number("float"),
    "bool": Number("bool"),
    "number": Number(),
    "str": Text(),
    "size": Size(),
    "none": NoneValue(),
}


def apply(
    inference: Inference, name: str, node: ast.Call, first: Value | None = None
) -> Value | None:
    """What a call gives, or None where the table does not know the callable.

    Args:
        inference: the values of the module.
        name: the qualified name of the callable: ``torch.max``, ``torch.Tensor.max``; for the call
            of a layer, that of its class.
        node: the call.
        first: the tensor that a method is called on.
    """
    forms = forms_of(name) or forms_of_old(name)
    if not forms:
        return None
    opaque = is_opaque(node)
    result: Value = NOTHING
    for form in forms:
        binding = None if opaque else bind(inference, form, node, first)
        if opaque:
            binding = of_first(inference, form, node, first)
        if binding is None:
            continue
        result = join(result, _value(inference, name, binding, node, loose=opaque))
        if binding.is_certain:
            break
    if isinstance(result, Nothing):
        # Old programs call some functions in ways that torch has forgotten.
        for form in forms_of_old(name):
            binding = None if opaque else bind(inference, form, node, first)
            if binding is not None:
                return _value(inference, name, binding, node, loose=False)
        if any(form.word != "tensor" for form in forms):
            return UNKNOWN
        for form in forms:
            result = join(result, _value(inference, name, Binding(form), node, loose=True))
    return result


def apply_to(inference: Inference, name: str, value: Value) -> Value | None:
    """What a layer gives for one value."""
    forms = forms_of(name)
    if not forms or not forms[0].results or not forms[0].parameters:
        return None
    binding = Binding(forms[0], {forms[0].parameters[0].name: Given(value)})
    return _value(inference, name, binding, None, loose=False)


#: What adds a dimension of one element, which no layout depends on; the table was not made of any.
_ADDING_ONES = frozenset({"unsqueeze"})

#: It takes two dimensions at most: no images lie as what it gives, with dimensions of 1 or without.
_OF_MATRICES = frozenset({"t"})


def _value(
    inference: Inference, name: str, binding: Binding, node: ast.Call | None, loose: bool
) -> Value:
    form = binding.form
    changes = _changes_of_unseen(binding, node) if loose else "".join(_changes(binding))
    if "k" in changes:
        return UNKNOWN
    tensors = tuple(
        _tensor(inference, name, binding, result, changes, node) for result in form.results
    )
    if form.word == "tensor":
        return tensors[0]
    if form.word == "tuple":
        return sequence_of(tensors)
    if form.word == "list":
        return Sequence(tensors[0])
    return _WORDS.get(form.word, UNKNOWN)


def _changes_of_unseen(binding: Binding, node: ast.Call | None) -> str:
    """What is not known of a result where arguments are not seen: ``x.view(*sizes)``.

    It lies as the table says where no other tensor can be given, and nothing that changes that.
    """
    parameters = binding.form.parameters
    is_by_place = node is not None and all(keyword.arg is not None for keyword in node.keywords)
    takes_one = sum(parameter.kind in "TLW" for parameter in parameters) == 1
    is_given = len(list(binding.tensors())) == 1
    may_change = any("l" in parameter.changes for parameter in parameters)
    return "nd" if is_by_place and takes_one and is_given and not may_change else _LOOSE


def _changes(binding: Binding) -> Iterator[str]:
    """What is not known of the result, because of the options that are given."""
    for parameter in binding.form.parameters:
        given = binding.given.get(parameter.name)
        if given is None or not parameter.changes:
            continue
        is_default = (
            isinstance(given.node, ast.Constant) and repr(given.node.value) == parameter.default
        )
        if not is_default:
            yield parameter.changes


def _joins_any_in_order(binding: Binding) -> bool:
    """Whether ``cat`` or ``stack`` is given a contiguous tensor: only of what is all laid out in
    another way it gives that."""
    listed = [given.value for given in binding.given.values()]
    items = [value.items or () for value in listed if isinstance(value, Sequence)]
    return any(isinstance(item, Tensor) and item.contiguous for each in items for item in each)


def _joins_new_dimension(function: str, binding: Binding) -> bool:
    """Whether ``cat`` or ``stack`` joins along a last dimension that is made for it.

    ``cat([x.unsqueeze(-1), y.unsqueeze(-1)], -1)``: numbers that lie next to each other there are
    no channels, so that it is no case of what is all laid out in another way.
    """
    if whole_number(_argument_of("dim", binding)) != -1:
        return False
    listed = _argument_of("tensors", binding)
    parts = listed.elts if isinstance(listed, (ast.List, ast.Tuple)) else ()
    return function == "stack" or any(map(_gets_last_dimension, parts))


def _gets_last_dimension(node: ast.expr) -> bool:
    """``x.unsqueeze(-1)``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr == "unsqueeze" and [whole_number(a) for a in node.args] == [-1]


def _argument_of(parameter: str, binding: Binding) -> ast.expr | None:
    given = binding.given.get(parameter)
    return None if given is None else given.node


#: The sizes of a result are those that the call gives.
_GIVEN = frozenset({"#size", "#shape"})


def _tensor(
    inference: Inference,
    name: str,
    binding: Binding,
    result: Result,
    changes: str,
    node: ast.Call | None,
) -> Tensor:
    function = name.rpartition(".")[2]
    ndim = None if "n" in changes else ndim_of_result(inference, binding, result)
    dtype = None if "d" in changes else dtype_of_result(inference, function, binding, result)
    given = list(binding.tensors())
    known = [value for value in given if isinstance(value, Tensor)]
    permuted = any(tensor.permuted for tensor in known)
    strided = any(tensor.strided for tensor in known)
    moved = any(tensor.moved for tensor in known)
    of_vectors = bool(known) and all(ndim_of(value) == 1 for value in given)
    if result.layout == "c" or (result.layout == "1" and of_vectors):
        contiguous, permuted = True, False
    elif (
        result.layout == "="
        or function.rstrip("_") in _ADDING_ONES
        or cuts_outermost(name, _argument_of("dim", binding))
    ):
        # What is written in place stays where it lies, whatever it is written with.
        ruling = given[:1] if "i" in result.flags else given
        contiguous = all(isinstance(v, Tensor) and v.contiguous for v in ruling)
        moved = any(isinstance(v, Tensor) and v.moved for v in ruling)
        lies_as_given = any(isinstance(v, Tensor) and v.strided for v in ruling)
        strided = moved or (lies_as_given and not packs(name, result))
    elif result.layout in FOLLOWED:
        contiguous = _joins_any_in_order(binding) or _joins_new_dimension(function, binding)
        contiguous = contiguous or is_in_order(inference, FOLLOWED[result.layout], given, ndim)
        strided = moved = permuted
    else:
        contiguous, strided = False, True
        moved = moved or not keeps_order(name, result)
        permuted = permuted or function.rstrip("_") in torch_api.PERMUTING - _OF_MATRICES
    if ndim == 0:
        contiguous, permuted = True, False
    contiguous = contiguous and "l" not in changes
    if "l" in changes and changes != _LOOSE:
        strided = moved = True
    single = (
        ndim == 0
        or (result.ndim in _GIVEN and node is not None and is_of_size_one(node))
        or (
            "s" in result.flags
            and bool(known)
            and len(known) == len(given)
            and all(tensor.single for tensor in known)
        )
    )
    return Tensor(
        ndim=ndim,
        dtype=dtype,
        contiguous=contiguous,
        single=single and "n" not in changes,
        grad=history_of_result(inference, function, binding, result, node),
        permuted=permuted,
        strided=strided and not contiguous,
        moved=moved and not contiguous,
        repeated=is_repeated(name, result, given, ndim),
    )
