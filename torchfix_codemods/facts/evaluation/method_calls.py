"""What calls of methods give, by what they are called on."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evaluation import classes_elsewhere, operations
from torchfix_codemods.facts.evaluation.given_back import method_as_given
from torchfix_codemods.facts.evaluation.made_tensors import ndim_of_new
from torchfix_codemods.facts.evaluation.module_calls import (
    inherited_forward,
    module_call,
    own_method,
)
from torchfix_codemods.facts.evidence import proofs
from torchfix_codemods.facts.language.foreign import holds
from torchfix_codemods.facts.libraries import torch_effects, torch_table
from torchfix_codemods.facts.values import numpy_api, text_api, torch_api
from torchfix_codemods.facts.values.imported import Imported, imported_as
from torchfix_codemods.facts.values.items import item_of_mapping
from torchfix_codemods.facts.values.lattice import (
    UNKNOWN,
    Array,
    Batch,
    Device,
    Distribution,
    Foreign,
    Loader,
    LoaderIterator,
    Mapping,
    Module,
    NoneValue,
    Nothing,
    Number,
    Packed,
    Sequence,
    Tensor,
    Text,
    Unknown,
    Value,
    element_of,
    join,
    sequence_of,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference

#: Methods of a distribution.
_GIVE_TENSORS = frozenset(
    "sample rsample sample_n log_prob entropy cdf icdf perplexity enumerate_support".split()
)

#: Those that give one number for each distribution of a batch, where they are given nothing.
_OF_ITS_DIMENSIONS = frozenset({"sample", "entropy"})


def method_call(inference: Inference, node: ast.Call, function: ast.Attribute) -> Value | None:
    """The result of ``receiver.method(…)``, or None when only the callee's value can tell."""
    receiver = inference.value(function.value)
    method = function.attr
    if isinstance(receiver, Nothing):
        return receiver
    if isinstance(receiver, Tensor):
        return _tensor_method(inference, receiver, method, node)
    if isinstance(receiver, Batch):
        if method in ("cuda", "to", "cpu"):
            return Tensor(grad=False)
        if method in ("items", "values"):
            return Sequence(Batch())
        # What has a ``size()`` is no list and no dict.
        return torch_api.query_result(method, len(node.args)) or UNKNOWN
    if isinstance(receiver, Module):
        return _module_method(inference, receiver, method, node)
    if isinstance(receiver, Array):
        return numpy_api.method_result(method)
    if isinstance(receiver, Distribution):
        return _of_distribution(receiver, method, node) if method in _GIVE_TENSORS else UNKNOWN
    if method in _GIVE_TENSORS and classes_elsewhere.has_from_distribution(
        inference, receiver, method
    ):
        return Tensor()
    if isinstance(receiver, Mapping):
        return _mapping_method(inference, receiver, method, node)
    if isinstance(receiver, Text):
        return text_api.method_result(method)
    if isinstance(receiver, Loader) and method == "__iter__":
        return LoaderIterator(receiver.stacks, receiver.has_own)
    if isinstance(receiver, LoaderIterator) and method in ("next", "__next__"):
        return element_of(receiver)
    if receiver == numpy_api.GENERATOR:
        return numpy_api.random_result(method, numpy_api.given(node, inference.value))
    if isinstance(receiver, Foreign):
        if holds(receiver.name or ""):
            return UNKNOWN
        parses = method == "parse_args" and receiver.name == "argparse.ArgumentParser"
        return Foreign(operations.OPTIONS if parses else None)
    if isinstance(receiver, Sequence) and method == "pop":
        return receiver.element
    if isinstance(receiver, Unknown):
        base = classes_elsewhere.super_object(inference, function.value)
        if not isinstance(base, Unknown):
            return _method_of_base(inference, base, method, node)
        known = _method_of_unknown(inference, method, node)
        if known is not None:
            return known
    if isinstance(receiver, (Packed, Device)) and method in ("cuda", "cpu", "to"):
        return receiver
    if isinstance(receiver, Unknown) and method in ("parameters", "named_parameters"):
        # Only a module has them, unless a class of this file says otherwise.
        if not node.args and not proofs.defines_method(inference.names, method):
            parameter = Tensor(leaf_module="torch.nn.Parameter")
            named = sequence_of((Text(), parameter))
            return Sequence(parameter if method == "parameters" else named)
    return None


def _of_distribution(receiver: Distribution, method: str, node: ast.Call) -> Value:
    """A sample, or the entropy, has the dimensions of the distribution, unless more are asked."""
    is_plain = method in _OF_ITS_DIMENSIONS and not node.args and not node.keywords
    ndim = receiver.ndim if is_plain else None
    return Tensor(ndim=ndim, single=ndim == 0, grad=False if method == "sample" else None)


def _method_of_base(inference: Inference, base: Value, method: str, node: ast.Call) -> Value:
    """What ``super().method(…)`` gives, ``super()`` being an object of the base class."""
    if isinstance(base, Module) and method == "forward":
        layer = base.cls or classes_elsewhere.layer_below(inference, base)
        if base.cls is not None or classes_elsewhere.inherits_forward(inference, base):
            return inherited_forward(inference, layer, node)
    origin = base.origin if isinstance(base, Module) else base
    if isinstance(origin, Imported):
        return classes_elsewhere.method_result(origin, method, node) or UNKNOWN
    found = classes_elsewhere.method_of(inference, base, method)
    if not found or found[0] is not inference:
        return UNKNOWN
    return inference.returned_to(found[1], node, inference.classes.gets_object(found[1]))


#: What methods give without arguments that arrays do not have.
_OF_TENSORS = {
    "contiguous": Tensor(contiguous=True),
    "byte": Tensor(dtype="uint8"),
    "long": Tensor(dtype="int64"),
}


def _method_of_unknown(inference: Inference, method: str, node: ast.Call) -> Value | None:
    """What methods give that of all things only tensors (and arrays) have."""
    if torch_table.gives_one_number(method) and not node.args and not node.keywords:
        parent = inference.names.parents.get(node)
        # Without dimensions, the data of an array is nothing that anybody asks for.
        if isinstance(parent, ast.Attribute) and parent.attr == "data":
            return torch_api.scalar()
    if method in ("numpy", "item") and not node.args:
        return Array() if method == "numpy" else Number()
    if method == "detach" and not node.args:
        return Tensor(grad=False)
    if method in _OF_TENSORS and not node.args and not node.keywords:
        return None if proofs.defines_method(inference.names, method) else _OF_TENSORS[method]
    # What else has `new`, such as loaders, is given options.
    if torch_effects.makes_alike(method) and (method != "new" or not node.keywords):
        ndim = ndim_of_new(inference, node) if method == "new" else None
        return Tensor(ndim=ndim, contiguous=True, grad=False)
    return None


def _tensor_method(inference: Inference, receiver: Tensor, method: str, node: ast.Call) -> Value:
    query = torch_api.query_result(method, len(node.args))
    if query is not None:
        return query
    if method == "numpy":
        return Array()
    if method == "tolist":
        return _as_lists(receiver.ndim)
    if method == "new":
        ndim = ndim_of_new(inference, node)
        return Tensor(ndim=ndim, contiguous=True, grad=False, dtype=receiver.dtype)
    return operations.operation_on(inference, "torch.Tensor." + method, node, receiver)


def _as_lists(ndim: int | None) -> Value:
    """What ``x.tolist()`` gives."""
    if ndim is None:
        return Sequence()
    return Sequence(_as_lists(ndim - 1)) if ndim else Number()


def _module_method(
    inference: Inference, receiver: Module, method: str, node: ast.Call
) -> Value | None:
    if receiver.definition is not None:
        own = own_method(inference, receiver.definition, method, node)
        if own is not None:
            return method_as_given(inference, receiver.definition, method, node, own)
        inherited = classes_elsewhere.inherited_result(inference, receiver.definition, method, node)
        if inherited is not None:
            return inherited
    origin = imported_as(receiver)
    if origin is not None:
        result = classes_elsewhere.method_result(origin, method, node)
        if result is not None:
            return result
    if classes_elsewhere.has_attribute(inference, receiver, method):
        return None
    if method in inference.names.assigned_attributes and not _is_of_own(
        inference, receiver, method
    ):
        return None if receiver.cls == "torch.nn.Module" else UNKNOWN
    if torch_table.gives_its_module(method):
        return receiver
    if method == "forward":
        return module_call(inference, receiver, node)
    if method == "parameters":
        return Sequence(Tensor(contiguous=True, leaf_module="torch.nn.Parameter"))
    if method == "named_parameters":
        parameter = Tensor(contiguous=True, leaf_module="torch.nn.Parameter")
        return Sequence(sequence_of((Text(), parameter)))
    if method in ("modules", "children"):
        return Sequence(Module())
    if method in ("named_modules", "named_children"):
        return Sequence(sequence_of((Text(), Module())))
    return torch_api.MODULE_METHODS.get(method, UNKNOWN)


def _is_of_own(inference: Inference, receiver: Module, name: str) -> bool:
    """Whether only objects get an attribute that no layer is: those of the file's classes, options.

    ``self.cuda = options.cuda`` leaves the ``cuda`` of ``nn.MSELoss()`` as it is.
    """
    is_layer = receiver.definition is None and receiver.cls not in (None, "torch.nn.Module")
    names = inference.names
    for stored in names.changed_attributes:
        if stored.attr == name and isinstance(stored.ctx, ast.Store):
            if inference.value(stored.value) == Foreign(operations.OPTIONS):
                continue
            method = names.enclosing_function(stored)
            if not is_layer or not isinstance(method, ast.FunctionDef):
                return False
            if not isinstance(stored.value, ast.Name):
                return False
            is_method = inference.classes.gets_object(method)
            if not is_method or stored.value.id != inference.classes.self_name(method):
                return False
    return True


def _mapping_method(inference: Inference, receiver: Mapping, method: str, node: ast.Call) -> Value:
    if method == "items":
        return Sequence(sequence_of((UNKNOWN, receiver.element)))
    if method == "values":
        return Sequence(receiver.element)
    if method in ("get", "pop"):
        item = item_of_mapping(inference, receiver, node.args[0]) if node.args else UNKNOWN
        key = getattr(node.args[0], "value", None) if node.args else None
        if (method == "pop" and len(node.args) == 1) or key in dict(receiver.items):
            return item
        return join(item, inference.possible(node.args[1]) if len(node.args) > 1 else NoneValue())
    return UNKNOWN
