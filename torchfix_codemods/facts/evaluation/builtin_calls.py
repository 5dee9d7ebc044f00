"""What calls of Python's own functions give."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torchfix_codemods.facts.language.arguments import begin_of_text
from torchfix_codemods.facts.values import dtypes, torch_api
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import (
    UNKNOWN,
    Array,
    Foreign,
    Loader,
    LoaderIterator,
    Mapping,
    Module,
    Number,
    Sequence,
    Tensor,
    Text,
    Unknown,
    Value,
    element_of,
    sequence_of,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference


_GIVEN = {
    name: value
    for value, names in (
        (Number("int"), "len int ord id hash long"),
        (Number("float"), "float"),
        (Number("bool"), "bool isinstance hasattr callable any all"),
        (Text(), "str repr format input chr unicode unichr raw_input"),
        (Sequence(Number("int")), "range xrange"),
        (Foreign("open"), "open"),
        (UNKNOWN, "eval super filter"),
    )
    for name in names.split()
}
"""What a function gives whatever it is given: its arguments need not be known."""


def builtin_call(inference: Inference, node: ast.Call) -> Value | None:
    """What a call by a plain name gives; None where that is no function of Python's."""
    assert isinstance(node.func, ast.Name)
    name = node.func.id
    if inference.names.scope_of(node.func).lookup(name) is not None:
        return None
    if isinstance(inference.value(node.func), Imported):
        return None
    given = _GIVEN.get(name)
    if given is not None:
        return given
    if name == "getattr":
        return _looked_up(inference, node)
    if name == "map":
        return _mapped(inference, node)
    arguments = [UNKNOWN if isinstance(a, ast.Starred) else inference.value(a) for a in node.args]
    first: Value = arguments[0] if arguments else UNKNOWN
    if name == "round":
        if len(arguments) < 2 and not node.keywords:
            return Number("int")
        return first if isinstance(first, Number) else UNKNOWN
    if name == "enumerate":
        return Sequence(sequence_of((Number("int"), element_of(first))))
    if name == "zip":
        return Sequence(sequence_of(tuple(element_of(a) for a in arguments)))
    if name in ("list", "tuple", "sorted", "reversed", "set"):
        return Sequence(element_of(first)) if arguments else Sequence(UNKNOWN)
    if name == "dict":
        if node.args or any(keyword.arg is None for keyword in node.keywords):
            return first if isinstance(first, Mapping) and not node.keywords else UNKNOWN
        items = [(str(k.arg), inference.possible(k.value)) for k in node.keywords]
        element = sequence_of(tuple(value for _, value in items)).element
        return Mapping(element, tuple(items))
    if name == "iter":
        if isinstance(first, Unknown):
            return UNKNOWN
        return (
            LoaderIterator(first.stacks, first.has_own)
            if isinstance(first, Loader)
            else Sequence(element_of(first))
        )
    if name == "next":
        return element_of(first)
    if name == "abs":
        if isinstance(first, Tensor):
            return replace(first, leaf_module=None)
        return first if isinstance(first, (Number, Array)) else UNKNOWN
    if name == "sum":
        return _builtin_sum(inference, first)
    if name in ("min", "max"):
        return Number() if arguments and all(isinstance(a, Number) for a in arguments) else UNKNOWN
    return None


def _mapped(inference: Inference, node: ast.Call) -> Value:
    """``map(lambda x: x is None, xs)``: as many numbers as there are elements."""
    function = node.args[0] if node.args else None
    element = inference.value(function.body) if isinstance(function, ast.Lambda) else UNKNOWN
    return Sequence(element) if isinstance(element, Number) else UNKNOWN


def _looked_up(inference: Inference, node: ast.Call) -> Value:
    """What ``getattr(rnn, f"weight_hh_l{i}")`` gives: a parameter, of whichever layer of the net.

    How a text begins says that only of recurrent nets; another layer has a ``weight`` alone.
    """
    begin = begin_of_text(node.args[1]) if len(node.args) == 2 and not node.keywords else ""
    if not torch_api.may_be_parameter(begin) or "_" not in begin:
        return UNKNOWN
    held = inference.value(node.args[0])
    layers = (held.either or (held,)) if isinstance(held, Module) else ()
    if not layers or not all(torch_api.is_parameter(layer.cls, begin) for layer in layers):
        return UNKNOWN
    return Tensor(leaf_module="torch.nn.Parameter")


def _builtin_sum(inference: Inference, iterable: Value) -> Value:
    element = element_of(iterable)
    if isinstance(element, Tensor):
        # The sum starts with the number 0.
        dtype = dtypes.promoted([element, Number("int")])
        return replace(element, leaf_module=None, dtype=dtype)
    if element == Number("bool"):
        return Number("int")
    return element if isinstance(element, Number) else UNKNOWN
