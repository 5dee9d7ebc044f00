"""What calls of modules give, and of methods that a class of the file defines."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evaluation import classes_elsewhere, elsewhere, layers
from torchfix_codemods.facts.evaluation.forms import applied
from torchfix_codemods.facts.language import arguments
from torchfix_codemods.facts.language.nodes import is_docstring
from torchfix_codemods.facts.libraries import losses
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.imported import imported_as
from torchfix_codemods.facts.values.interpolated import interpolated_ndim
from torchfix_codemods.facts.values.lattice import (
    NOTHING,
    UNKNOWN,
    Module,
    Nothing,
    Sequence,
    Tensor,
    Value,
    item_at,
    join,
    of_any_caller,
)
from torchfix_codemods.facts.values.sequential import layers_in_order

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference


def instance_method(
    inference: Inference, definition: ast.ClassDef, name: str, call: ast.Call
) -> Value:
    """What a method of an object of this file's gives, or the one of a class below it."""
    own = own_method(inference, definition, name, call)
    return own or classes_elsewhere.inherited_result(inference, definition, name, call) or UNKNOWN


def own_method(
    inference: Inference, definition: ast.ClassDef, name: str, call: ast.Call
) -> Value | None:
    """What a method gives that this file defines, in a class, its bases or those below it."""
    own = inference.classes.method(definition, name)
    if own is None:
        return None
    if name in inference.names.assigned_attributes:
        return UNKNOWN
    methods = [own, *inference.classes.overriding(definition, name)]
    written = [method for method in methods if not _is_left_to_others(method)]
    result: Value = NOTHING if written else UNKNOWN
    for method in written:
        is_bound = inference.classes.gets_object(method)
        result = join(result, inference.returned_to(method, call, is_bound))
    return result


def _is_left_to_others(method: ast.FunctionDef) -> bool:
    """``raise NotImplementedError``, and no more than a text."""
    body = [s for s in method.body if not is_docstring(s)]
    return len(body) == 1 and isinstance(body[0], ast.Raise)


def module_call(inference: Inference, module: Module, node: ast.Call) -> Value:
    """What calling a module gives: a layer of torch, one of the file or of another one."""
    origin = imported_as(module)
    if origin is not None:
        layer = classes_elsewhere.layer_below(inference, module)
        if layer is not None and classes_elsewhere.inherits_forward(inference, module):
            return inherited_forward(inference, layer, node)
        return elsewhere.called(origin, node)
    if module.definition is not None:
        if inference.classes.method(module.definition, "forward") is not None:
            return own_method(inference, module.definition, "forward", node) or UNKNOWN
        if classes_elsewhere.inherits_forward(inference, module):
            return inherited_forward(
                inference, classes_elsewhere.layer_below(inference, module), node
            )
        return (
            classes_elsewhere.inherited_result(inference, module.definition, "forward", node)
            or UNKNOWN
        )
    if module.cls is None:
        result: Value = NOTHING
        for one in module.either:
            result = join(result, module_call(inference, one, node))
        return UNKNOWN if isinstance(result, Nothing) else result
    if module.cls in losses.LOSSES:
        reduced = layers.is_reduced_loss(inference, module, node.func)
        return torch_api.scalar() if reduced else Tensor()
    argument = inference.value(node.args[0]) if node.args else UNKNOWN
    if module.cls == "torch.nn.Sequential":
        if module.call is None:
            # Built in several ways.
            result = NOTHING
            for built in module.either or layers.assigned_modules(inference, node.func) or ():
                result = join(result, module_call(inference, built, node))
            return UNKNOWN if isinstance(result, Nothing) else result
        return _call_sequential(inference, module, argument, node)
    if module.cls in torch_api.MODULE_WRAPPERS and module.call is not None and module.call.args:
        # Each device gives its part: a loss becomes a vector of losses.
        with inference.inside(module.call) as is_new:
            wrapped = inference.value(module.call.args[0]) if is_new else UNKNOWN
            return of_any_caller(inference.called(wrapped, node))
    return layer_output(inference, module, argument, node)


#: Layers whose construction says how many dimensions come out.
_SHAPED_BY_CONSTRUCTION = frozenset({"torch.nn.Flatten", "torch.nn.Unflatten"})

#: Since then recurrent layers take a sequence without a batch.
_UNBATCHED = (1, 11)

#: Layers that give images.
_CONVOLUTIONS = frozenset(f"torch.nn.Conv{kind}{n}d" for kind in ("", "Transpose") for n in (2, 3))


def layer_output(
    inference: Inference, module: Module, argument: Value, node: ast.Call | None = None
) -> Value:
    """What a layer of torch gives; ``node`` calls it, unless it stands in a Sequential."""
    cls = module.cls or ""
    bare = cls.rpartition(".")[2]
    if bare in torch_api.RECURRENT or bare.endswith("Cell"):
        batch_first = module.call is None or layers.may_be_batch_first(module.call)
        if node is None:
            # Who asks for no certain call has asked how old the code is.
            return torch_api.recurrent_output(bare, argument, batch_first)
        return torch_api.recurrent_output(
            bare, argument, batch_first, lambda: _state_given(inference, node)
        )
    built = module.call
    if built is not None and any(k.arg in ("return_indices", None) for k in built.keywords):
        return UNKNOWN
    if node is not None:
        result = applied.apply(inference, cls, node)
    else:
        result = applied.apply_to(inference, cls, argument)
    if isinstance(result, Tensor) and built is not None and _gives_one_channel(cls, built):
        result = replace(result, contiguous=True, permuted=False, strided=False, moved=False)
    if isinstance(result, Tensor) and cls in _SHAPED_BY_CONSTRUCTION:
        if built is None or built.args or built.keywords or bare == "Unflatten":
            return replace(result, ndim=None)
    if isinstance(result, Tensor) and (ndim := interpolated_ndim(cls, built)) is not None:
        return replace(result, ndim=ndim)
    return UNKNOWN if result is None else result


def _state_given(inference: Inference, node: ast.Call) -> Value | None:
    """The state beside a sequence without a batch: ``h``, and that of ``(h, c)``.

    None where the call means what it means today.
    """
    if len(node.args) + len(node.keywords) < 2 and not inference.era().before(_UNBATCHED):
        return None
    state = inference.value(node.args[1]) if len(node.args) == 2 else UNKNOWN
    return item_at(state, 0) if isinstance(state, Sequence) else state


def _gives_one_channel(cls: str, built: ast.Call) -> bool:
    """Whether a layer gives images of one channel, which lie in order wherever channels stand."""
    if cls not in _CONVOLUTIONS or arguments.is_opaque(built):
        return False
    return arguments.constant(arguments.argument(built, 1, "out_channels")) == 1


def _call_sequential(
    inference: Inference, module: Module, argument: Value, node: ast.Call
) -> Value:
    """Layers one after another; a starred list of unknown layers gives some tensor."""
    if module.call is None:
        return UNKNOWN
    called = partial(module_call, inference, node=node)
    with inference.inside(module.call) as is_new:
        for layer in layers_in_order(inference.names, module.call) if is_new else ():
            if isinstance(layer, ast.Starred):
                listed = inference.value(layer.value)
                if isinstance(listed, Sequence) and listed.items is not None:
                    for value in listed.items:
                        argument = _after_layer(inference, value, argument, node)
                else:
                    argument = layers.after_layers(inference, layer.value, called)
            else:
                argument = _after_layer(inference, inference.value(layer), argument, node)
        if not is_new:
            return UNKNOWN
        return layers.with_layers_added(inference, module.call, argument, called)


def _after_layer(inference: Inference, layer: Value, argument: Value, node: ast.Call) -> Value:
    if not isinstance(layer, Module):
        return UNKNOWN
    if layer.cls == "torch.nn.Sequential":
        return _call_sequential(inference, layer, argument, node)
    if layer.cls is not None:
        return layer_output(inference, layer, argument)
    return module_call(inference, layer, node)


def inherited_forward(inference: Inference, layer: str | None, node: ast.Call) -> Value:
    """What a class of torch gives whose ``__init__`` may get anything."""
    bare = (layer or "").rpartition(".")[2]
    if bare not in torch_api.LAYERS or "MaxPool" in bare:
        return UNKNOWN
    argument = inference.value(node.args[0]) if node.args else UNKNOWN
    return layer_output(inference, Module(cls=layer), argument, node)
