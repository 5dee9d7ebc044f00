"""What calls and operators give, from what they are applied to."""

from __future__ import annotations

import ast
import functools
from dataclasses import replace
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evaluation import classes_elsewhere, elsewhere, given_back, operations
from torchfix_codemods.facts.evaluation.applications import as_applied
from torchfix_codemods.facts.evaluation.builtin_calls import builtin_call
from torchfix_codemods.facts.evaluation.made_tensors import made_tensor
from torchfix_codemods.facts.evaluation.method_calls import method_call
from torchfix_codemods.facts.evaluation.module_calls import instance_method, module_call
from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.language.foreign import TRANSPARENT, hands_on, holds, is_foreign
from torchfix_codemods.facts.libraries.torch_table import forms_of
from torchfix_codemods.facts.values import numpy_api, standard_library, torch_api, transforms
from torchfix_codemods.facts.values.chosen_layers import chosen_layer
from torchfix_codemods.facts.values.chosen_types import chosen_type, names_chosen
from torchfix_codemods.facts.values.collation import loader_of
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import (
    UNKNOWN,
    ClassObject,
    Device,
    Distribution,
    Foreign,
    Function,
    Instance,
    Method,
    Module,
    Nothing,
    Operation,
    Optimizer,
    Packed,
    Scheduler,
    Sequence,
    Size,
    Tensor,
    TensorType,
    Unknown,
    Value,
    join,
    maybe,
    of_any_caller,
    sequence_of,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference


def call(inference: Inference, node: ast.Call) -> Value:
    """The value of a call expression."""
    name = inference.names.name(node.func) or chosen_type(
        inference.names, inference.classes, node.func
    )
    if name is not None:
        named = _named_call(inference, name, node)
        if inference.files is None or not isinstance(named, Unknown):
            return named
        return call_value(inference, inference.value(node.func), node)
    if isinstance(node.func, ast.Name):
        builtin = builtin_call(inference, node)
        if builtin is not None:
            return builtin
    if isinstance(node.func, ast.Attribute):
        result = method_call(inference, node, node.func)
        if result is not None:
            return result
    chosen = chosen_layer(inference.names, node) or _one_of_layers(inference, node)
    return chosen or call_value(inference, inference.value(node.func), node)


def _one_of_layers(inference: Inference, node: ast.Call) -> Value | None:
    """What ``rnn(8, 8)`` builds of ``rnn = nn.GRU if gated else nn.LSTM``; None of all others."""
    if not isinstance(node.func, (ast.Name, ast.IfExp)):
        return None
    names = names_chosen(inference.names, inference.classes, node.func)
    built = [_named_call(inference, name, node) for name in names if name.startswith("torch.nn.")]
    are_all = bool(names) and len(built) == len(names)
    are_all = are_all and all(isinstance(each, Module) for each in built)
    return functools.reduce(join, built) if are_all else None


def value_of_name(name: str) -> Value:
    """A function of torch or a constant by its qualified name; Unknown for all else."""
    module, _, function = name.rpartition(".")
    if name in torch_api.TYPED_CLASSES or name == "torch.Tensor":
        return TensorType(function)
    is_function = module in _WITH_FUNCTIONS and function[:1].islower() and forms_of(name)
    return Operation(name) if is_function else standard_library.constant(name)


def call_value(inference: Inference, callee: Value, node: ast.Call) -> Value:
    """What a call gives, by the value that is called."""
    if isinstance(callee, Function):
        result = inference.returned_to(callee.definition, node)
        return given_back.as_given(inference, inference, callee.definition, node, result)
    if isinstance(callee, Operation):
        return _named_call(inference, callee.name, node)
    if isinstance(callee, TensorType):
        made = made_tensor(inference, callee.name or "Tensor", node)
        if callee.name is None and isinstance(made, Tensor):
            return replace(made, dtype=None)
        return made or UNKNOWN
    if isinstance(callee, ClassObject):
        kind = inference.classes.kind(callee.definition)
        if kind == "module":
            return Module(definition=callee.definition, call=node)
        return Instance(callee.definition) if kind == "plain" else UNKNOWN
    if isinstance(callee, Module):
        return module_call(inference, callee, node)
    if isinstance(callee, Foreign):
        if (callee.name or "").startswith("torchvision."):
            return transforms.result_of(inference, node.func)
        return UNKNOWN if holds(callee.name or "") else Foreign()
    if isinstance(callee, Imported):
        result = elsewhere.called(callee, node)
        if not isinstance(callee.value, Function):
            return result
        definition = callee.value.definition
        return given_back.as_given(inference, callee.owner, definition, node, result)
    if isinstance(callee, Instance):
        method = classes_elsewhere.method_for_call(inference, callee)
        return instance_method(inference, callee.definition, method, node)
    if isinstance(callee, Method):
        receiver = callee.receiver
        origin = receiver.origin if isinstance(receiver, Module) else receiver
        if isinstance(origin, Imported):
            return classes_elsewhere.method_result(origin, callee.name, node) or UNKNOWN
        if isinstance(receiver, Instance):
            result = instance_method(inference, receiver.definition, callee.name, node)
            return given_back.method_as_given(
                inference, receiver.definition, callee.name, node, result
            )
    return callee if isinstance(callee, Nothing) else UNKNOWN


_WITH_FUNCTIONS = frozenset(
    """torch torch.Tensor torch.cuda torch.nn.functional torch.sparse torch.linalg torch.special
    torch.fft torch.functional""".split()
)


def _named_call(inference: Inference, name: str, node: ast.Call) -> Value:
    module, _, function = name.rpartition(".")
    if name in ("torch.autograd.Variable", "torch.nn.Parameter"):
        return _wrapped(inference, name, node)
    if name == "torch.autograd.variable":
        # What previews of 0.4 called torch.tensor.
        return made_tensor(inference, "tensor", node) or UNKNOWN
    if name in torch_api.MODULE_WRAPPERS:
        return Module(cls=name, call=node) if node.args else Module()
    if module == "torch.nn" and function[:1].isupper():
        return Module(cls=name, call=node)
    if module == "torch.optim" and function[:1].isupper():
        return Optimizer(name)
    if module == "torch.optim.lr_scheduler":
        return Scheduler(name)
    if name == "torch.utils.data.DataLoader":
        return loader_of(inference.names, node)
    if module == "torch.distributions":
        known = [form.word for form in forms_of(name)]
        return _distribution(inference, name, node) if known == ["distribution"] else UNKNOWN
    if name in ("torch.device", "torch.Size"):
        return Device() if name == "torch.device" else Size()
    if name.startswith("torchvision.models.") and function[:1].islower():
        return Module()
    if (applied := as_applied(inference.names, node)) is not node:
        # Each device gives its part, as where ``DataParallel`` wraps the module.
        return of_any_caller(inference.called(inference.value(applied.func), applied))
    if name in torch_api.RETURNS_ITS_MODULE:
        return inference.value(node.args[0]) if node.args else UNKNOWN
    if name in ("torch.nn.utils.rnn.pack_padded_sequence", "torch.nn.utils.rnn.pack_sequence"):
        return Packed()
    if name == "torch.nn.utils.rnn.pad_packed_sequence":
        return sequence_of((Tensor(ndim=3), Tensor(ndim=1, contiguous=True, grad=False)))
    if module == "torch.sparse" and function in torch_api.LEGACY_TYPES:
        return Tensor()
    if module in _WITH_FUNCTIONS:
        result = made_tensor(inference, function, node)
        return operations.operation_on(inference, name, node) if result is None else result
    if name == "torch.distributions.utils.broadcast_all" and node.args:
        return Sequence(Tensor())
    if module == "torch.nn.init" and function != "calculate_gain" and node.args:
        return inference.value(node.args[0])
    if name == "torch.autograd.grad":
        may_lack = any(k.arg in ("allow_unused", "materialize_grads", None) for k in node.keywords)
        return Sequence(maybe(Tensor()) if may_lack else Tensor())
    if name.startswith("torch."):
        return UNKNOWN
    if name.startswith("numpy."):
        return numpy_api.call_result(name, numpy_api.given(node, inference.value))
    if name in TRANSPARENT and (node.args or node.keywords):
        through = argument(node, 0, "iterable")
        if through is not None or is_opaque(node):
            return UNKNOWN if through is None else inference.value(through)
    if name == "matplotlib.pyplot.subplots":
        return sequence_of((Foreign(name), Foreign(name)))
    if name.startswith("torchvision.transforms.functional."):
        # They take images and arrays alone.
        makes = function in ("to_tensor", "pil_to_tensor")
        return Tensor(grad=False) if makes else UNKNOWN
    number = standard_library.call_result(name)
    if isinstance(number, Unknown) and is_foreign(name) and not hands_on(name):
        return Foreign(name)
    return number


def _distribution(inference: Inference, name: str, node: ast.Call) -> Distribution:
    """``Categorical(probs)`` has a dimension less than its parameter, which lists the choices."""
    given = argument(node, 0, "probs") or argument(node, 1, "logits")
    parameter = inference.value(given) if given is not None else UNKNOWN
    known = parameter.ndim if isinstance(parameter, Tensor) else None
    is_of_choices = name == "torch.distributions.Categorical" and not is_opaque(node)
    return Distribution(known - 1 if is_of_choices and known else None)


def _wrapped(inference: Inference, name: str, node: ast.Call) -> Value:
    inner = inference.value(node.args[0]) if node.args else UNKNOWN
    source = inner if isinstance(inner, Tensor) else Tensor()
    asked = argument(node, 1, "requires_grad")
    may_want = is_opaque(node) or (asked is not None and not operations.is_false(asked))
    if name == "torch.nn.Parameter":
        return replace(source, grad=None, leaf_module=name)
    return replace(source, grad=None if may_want else False, leaf_module=None)
